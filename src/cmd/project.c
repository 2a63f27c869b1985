/* SPDX-License-Identifier: MIT */
/* jitbench project: what the noise of these machines costs work that many ranks do in steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/detours.h"
#include "cmd/files.h"
#include "cmd/suites.h"
#include "engine/text.h"
#include "out/csv.h"

/* Without -v, so many hosts have lines, the slowest ones. */
#define SHOWN_MOST 10u
/* What takes less of the time, and is never the longest, is not asked what it costs. */
#define CAUSES_SHOWN 12u
#define DECADES      8u /* below 100 ns, 1 us, ... 100 ms, and beyond */

struct project_options {
    struct option_sweep ranks;
    char steps[256], output[1024];
    bool verbose, help;
};

static const struct option rows[] = {
    {.name = "step",
     .type = OPTION_TEXT,
     .value_name = "TIME,...",
     .preset = {"100us,1ms,10ms"},
     OPTION_AT(struct project_options, steps),
     .help = "work of a rank between two barriers"},
    {.name = "ranks",
     .type = OPTION_SWEEP,
     .value_name = "FIRST:LAST[:STEP]",
     .min = 1,
     .max = 1e7,
     .preset = {"10:1000000"},
     OPTION_AT(struct project_options, ranks),
     .help = "how many ranks there are: decades, or by STEP"},
    {.name = "output",
     .letter = 'o',
     .type = OPTION_TEXT,
     .value_name = "FILE|-",
     OPTION_AT(struct project_options, output),
     .help = "CSV file; '-' is standard output, and the tables go to standard error"},
    {.name = "verbose",
     .letter = 'v',
     .type = OPTION_FLAG,
     OPTION_AT(struct project_options, verbose),
     .help = "a line for every host, not for the slowest ten only"},
    {.name = "help",
     .letter = 'h',
     .type = OPTION_FLAG,
     OPTION_AT(struct project_options, help),
     .help = "print this help"},
};

struct projecting {
    struct project_options options;
    double step_ns[PROJECT_STEPS_MAX], ranks[PROJECT_RANKS_MAX];
    size_t n_steps, n_ranks;
    struct detours_host **hosts;
    size_t n, capacity;
    struct detours_host *all; /* those that have detours, as one */
    double *slowdown;         /* by host, step and ranks; that of all hosts together at the end */
};

static size_t tables(const struct command *command, struct option_table *out)
{
    (void)command;
    out[0] = (struct option_table){.heading = "Options of project", .rows = rows, .n = sizeof(rows) / sizeof(rows[0])};
    return 1;
}

/* --- The command line. --- */

static int usage_error(const char *error)
{
    (void)fprintf(stderr, "jitbench project: %s\n", error);
    return EXIT_USAGE;
}

struct step {
    uint64_t ns;
};

static const struct option step_row = {
    .name = "step", .type = OPTION_DURATION, .min = 1e3, .max = 3600e9, OPTION_AT(struct step, ns)};

static int read_steps(struct projecting *p)
{
    char word[64], error[512];

    for (const char *at = p->options.steps; *at; at += *at == ',') {
        size_t length = strcspn(at, ",");
        struct step step = {0};
        if (p->n_steps == PROJECT_STEPS_MAX)
            return usage_error("--step: at most 16 of them");
        (void)snprintf(word, sizeof(word), "%.*s", (int)length, at);
        if (option_set(&step_row, word, &step, false, error, sizeof(error)))
            return usage_error(error);
        p->step_ns[p->n_steps++] = (double)step.ns;
        at += length;
    }
    return p->n_steps ? 0 : usage_error("--step: '' names no time");
}

static int read_ranks(struct projecting *p)
{
    const struct option_sweep *sweep = &p->options.ranks;
    bool decades = sweep->step == 1 && sweep->last - sweep->first >= PROJECT_RANKS_MAX;
    char error[160];

    for (uint64_t ranks = sweep->first; ranks <= sweep->last; ranks = decades ? 10 * ranks : ranks + sweep->step) {
        if (p->n_ranks == PROJECT_RANKS_MAX) {
            (void)snprintf(error, sizeof(error), "--ranks: at most %d numbers of ranks; a larger STEP makes fewer",
                           PROJECT_RANKS_MAX);
            return usage_error(error);
        }
        p->ranks[p->n_ranks++] = (double)ranks;
    }
    return 0;
}

/* --- What the files hold. --- */

static struct detours_host *host_of(struct projecting *p, const char *name)
{
    for (size_t i = p->n; i-- > 0;)
        if (!strcmp(p->hosts[i]->name, name))
            return p->hosts[i];
    if (p->n == p->capacity) {
        size_t capacity = p->capacity ? 2 * p->capacity : 16;
        struct detours_host **hosts = realloc(p->hosts, capacity * sizeof(struct detours_host *));
        if (!hosts)
            return NULL;
        p->hosts = hosts;
        p->capacity = capacity;
    }
    struct detours_host *host = calloc(1, sizeof(*host));
    if (host) {
        text_copy(host->name, sizeof(host->name), name);
        text_harmless(host->name);
        p->hosts[p->n++] = host;
    }
    return host;
}

static int take_row(void *context, const struct row *row)
{
    struct detours_host *host = host_of(context, row->run->host);

    if (!host)
        return -1;
    detours_enter(host, row);
    return 0;
}

/* Hosts without detours say so and go. */
static void drop_empty(struct projecting *p)
{
    size_t kept = 0;

    for (size_t i = 0; i < p->n; i++) {
        if (detours_used(p->hosts[i])) {
            p->hosts[kept++] = p->hosts[i];
            continue;
        }
        (void)fprintf(stderr, "jitbench project: %s has no rows of noise or prime: left out\n",
                      p->hosts[i]->name[0] ? p->hosts[i]->name : "a host without a name");
        free(p->hosts[i]);
    }
    p->n = kept;
}

/* --- The projection. --- */

static double *slowdown_of(const struct projecting *p, size_t host)
{
    return p->slowdown + host * p->n_steps * p->n_ranks;
}

static int project_hosts(const struct projecting *p, struct row_pair *lengths, struct project_detours *detours,
                         struct project_host *hosts)
{
    for (size_t h = 0; h < p->n; h++) {
        hosts[h] = (struct project_host){.detours = &detours[2 * h], .weight = 1};
        hosts[h].n = detours_sources(p->hosts[h], NULL, &lengths[h * DETOURS_BINS], &detours[2 * h]);
        if (project_slowdown(&hosts[h], 1, p->step_ns, p->n_steps, p->ranks, p->n_ranks, slowdown_of(p, h)))
            return -1;
    }
    return p->n > 1 ? project_slowdown(hosts, p->n, p->step_ns, p->n_steps, p->ranks, p->n_ranks, slowdown_of(p, p->n))
                    : 0;
}

static int project_all(struct projecting *p)
{
    struct row_pair *lengths = calloc(p->n * DETOURS_BINS, sizeof(*lengths));
    struct project_detours *detours = calloc(2 * p->n, sizeof(*detours));
    struct project_host *hosts = calloc(p->n, sizeof(*hosts));
    int result = -1;

    p->slowdown = calloc((p->n + 1) * p->n_steps * p->n_ranks, sizeof(*p->slowdown));
    p->all = calloc(1, sizeof(*p->all));
    if (lengths && detours && hosts && p->slowdown && p->all)
        result = project_hosts(p, lengths, detours, hosts);
    for (size_t h = 0; !result && h < p->n; h++)
        detours_merge(p->all, p->hosts[h]);
    free(lengths);
    free(detours);
    free(hosts);
    return result ? usage_error("out of memory") : 0;
}

/* --- The table. --- */

static void put_line(const struct projecting *p, const char *name, const struct detours_host *host,
                     const double *slowdown, int width, struct text *out)
{
    char step[32];

    for (size_t s = 0; s < p->n_steps; s++) {
        text_duration((uint64_t)p->step_ns[s], step, sizeof(step));
        text_printf(out, "%-*.*s  ", width, width, s ? "" : name);
        if (s)
            text_printf(out, "%-5s  %6s", "", "");
        else
            text_printf(out, "%-5s  %6.3f", detours_used(host) == &host->noise ? "noise" : "prime",
                        detours_lost_pct(host));
        text_printf(out, "  %7s", step);
        for (size_t r = 0; r < p->n_ranks; r++)
            text_printf(out, "  %8.*f", slowdown[s * p->n_ranks + r] < 100 ? 3 : 1, slowdown[s * p->n_ranks + r]);
        text_printf(out, "\n");
    }
}

/* At the greatest number of ranks, over the steps. */
static double worst_of(const struct projecting *p, size_t host)
{
    double worst = 0;

    for (size_t s = 0; s < p->n_steps; s++)
        worst = fmax(worst, slowdown_of(p, host)[(s + 1) * p->n_ranks - 1]);
    return worst;
}

struct ranked {
    double worst;
    size_t host;
};

static int by_worst(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return x->worst < y->worst ? 1 : x->worst > y->worst ? -1 : (x->host > y->host) - (x->host < y->host);
}

static void put_hosts(const struct projecting *p, int width, struct text *out)
{
    struct ranked *order = calloc(p->n, sizeof(*order));
    size_t shown = p->options.verbose || p->n < SHOWN_MOST ? p->n : SHOWN_MOST;

    if (!order) {
        out->failed = 1;
        return;
    }
    for (size_t h = 0; h < p->n; h++)
        order[h] = (struct ranked){worst_of(p, h), h};
    qsort(order, p->n, sizeof(*order), by_worst);
    for (size_t i = 0; i < shown; i++)
        put_line(p, p->hosts[order[i].host]->name, p->hosts[order[i].host], slowdown_of(p, order[i].host), width, out);
    if (shown < p->n)
        text_printf(out, "(%zu more hosts, which slow down less: -v shows them)\n", p->n - shown);
    free(order);
}

static void put_table(const struct projecting *p, struct text *out)
{
    int width = 4;

    for (size_t h = 0; h < p->n; h++)
        if ((int)strlen(p->hosts[h]->name) > width)
            width = (int)strlen(p->hosts[h]->name);
    width = width > 24 ? 24 : width;
    text_printf(
        out,
        "Time of a step that ends in a barrier, over the work in it, by number of ranks\n%-*s  From   Lost %%     Step",
        width, "Host");
    for (size_t r = 0; r < p->n_ranks; r++)
        text_printf(out, "  %8.0f", p->ranks[r]);
    text_printf(out, "\n");
    if (p->n > 1)
        put_line(p, "all", p->all, slowdown_of(p, p->n), width, out);
    put_hosts(p, width, out);
}

/* --- What costs most. --- */

struct cost {
    unsigned cause, decade; /* cause DETOUR_CAUSES: of prime, not known */
    double per_s, lost_pct;
    double without[PROJECT_STEPS_MAX]; /* slow-down at the most ranks when it is removed */
};

static unsigned decade_of(unsigned octave)
{
    double ns = exp2(octave);
    int decade = (int)floor(log10(ns * 1.42)) - 1; /* by the octave's middle */

    return decade < 0 ? 0 : decade < (int)DECADES ? (unsigned)decade : DECADES - 1;
}

static double share_of(const struct detours_host *all, unsigned cause, unsigned octave)
{
    double sum = 0;

    if (cause == DETOUR_CAUSES)
        return 1;
    for (unsigned c = 0; c < DETOUR_CAUSES; c++)
        sum += all->by_cause[c][octave];
    return sum > 0 ? all->by_cause[cause][octave] / sum : 0;
}

/* What of the detours of all hosts is left when those of a cause and a decade of lengths are gone. */
static void remove_them(const struct projecting *p, struct cost *cost, double *keep)
{
    const struct detours_of *of = detours_used(p->all);
    double lost = 0, all = of->work;

    for (unsigned k = 0; k < DETOUR_CLASSES; k++) {
        double share = decade_of(k) == cost->decade ? share_of(p->all, cost->cause, k) : 0;
        keep[k] = 1 - share;
        for (size_t b = k * DETOURS_PER_OCTAVE; b < (k + 1) * DETOURS_PER_OCTAVE; b++) {
            cost->per_s += share * of->bins[b].n / detours_work_ns(p->all) * 1e9;
            lost += share * of->bins[b].ns;
            all += of->bins[b].ns;
        }
    }
    cost->lost_pct = 100 * lost / all;
}

static int find_cost(const struct projecting *p, struct cost *cost, struct row_pair *lengths)
{
    struct project_detours detours[2];
    double keep[DETOUR_CLASSES];

    remove_them(p, cost, keep);
    if (!(cost->per_s > 0))
        return 0;
    const struct project_host host = {
        .detours = detours, .n = detours_sources(p->all, keep, lengths, detours), .weight = 1};
    return project_slowdown(&host, 1, p->step_ns, p->n_steps, &p->ranks[p->n_ranks - 1], 1, cost->without);
}

static int by_lost(const void *a, const void *b)
{
    const struct cost *x = a, *y = b;

    return (x->without[0] > y->without[0]) - (x->without[0] < y->without[0]);
}

static void put_cost(const struct projecting *p, const struct cost *cost, const double *with, struct text *out)
{
    static const char *const decades[DECADES] = {"< 100 ns",        "100 ns .. 1 us", "1 us .. 10 us",
                                                 "10 us .. 100 us", "100 us .. 1 ms", "1 ms .. 10 ms",
                                                 "10 ms .. 100 ms", "> 100 ms"};

    text_printf(out, "%-15s  %-11s  %10.3f  %7.4f", decades[cost->decade],
                cost->cause < DETOUR_CAUSES ? detour_cause_names[cost->cause] : "not known", cost->per_s,
                cost->lost_pct);
    for (size_t s = 0; s < p->n_steps; s++)
        text_printf(out, "  %8.3f -> %7.3f", with[(s + 1) * p->n_ranks - 1], cost->without[s]);
    text_printf(out, "\n");
}

static void put_cost_heading(const struct projecting *p, struct text *out)
{
    char step[32];

    text_printf(out, "\nWhat costs most: %.0f ranks with these detours, and without them\n%-15s  %-11s  %10s  %7s",
                p->ranks[p->n_ranks - 1], "Length", "Cause", "Detours/s", "Lost %");
    for (size_t s = 0; s < p->n_steps; s++) {
        text_duration((uint64_t)p->step_ns[s], step, sizeof(step));
        text_printf(out, "  %14s %5s", "steps of", step);
    }
    text_printf(out, "\n");
}

static int put_costs(const struct projecting *p, struct text *out)
{
    struct cost costs[(DETOUR_CAUSES + 1) * DECADES];
    struct row_pair *lengths = calloc(DETOURS_BINS, sizeof(*lengths));
    const double *with = slowdown_of(p, p->n > 1 ? p->n : 0);
    bool of_noise = detours_used(p->all) == &p->all->noise;
    size_t n = 0;

    if (!lengths)
        return usage_error("out of memory");
    for (unsigned cause = of_noise ? 0 : DETOUR_CAUSES; cause < (of_noise ? DETOUR_CAUSES : DETOUR_CAUSES + 1u);
         cause++)
        for (unsigned decade = 0; decade < DECADES; decade++) {
            costs[n] = (struct cost){.cause = cause, .decade = decade};
            if (find_cost(p, &costs[n], lengths)) {
                free(lengths);
                return usage_error("out of memory");
            }
            n += costs[n].per_s > 0;
        }
    free(lengths);
    qsort(costs, n, sizeof(*costs), by_lost);
    if (n)
        put_cost_heading(p, out);
    for (size_t i = 0; i < n && i < CAUSES_SHOWN; i++)
        put_cost(p, &costs[i], with, out);
    return 0;
}

/* What is rarer than the measurement was long has not been seen. */
static void put_limits(const struct projecting *p, struct text *out)
{
    char observed[32];

    text_duration((uint64_t)detours_work_ns(p->all), observed, sizeof(observed));
    text_printf(
        out,
        "\nFrom %s of one CPU's time%s, ranks independent of each other. What comes more rarely than that is not "
        "in it.\n",
        observed, p->n > 1 ? " on all hosts" : "");
}

/* --- The CSV. --- */

static void put_csv_rows(const struct projecting *p, const char *name, const struct detours_host *host,
                         const double *slowdown, struct text *out)
{
    for (size_t s = 0; s < p->n_steps; s++)
        for (size_t r = 0; r < p->n_ranks; r++) {
            csv_text(out, name);
            text_printf(out, ",%s,%.17g,%.17g,%.17g,%.17g,%.17g\r\n",
                        detours_used(host) == &host->noise ? "noise" : "prime", detours_work_ns(host) * 1e-9,
                        detours_lost_pct(host), p->step_ns[s], p->ranks[r], slowdown[s * p->n_ranks + r]);
        }
}

static int write_csv(const struct projecting *p)
{
    struct text out = {0};

    text_printf(&out, "host,source,work_s,lost_pct,step_ns,ranks,slowdown\r\n");
    for (size_t h = 0; h < p->n; h++)
        put_csv_rows(p, p->hosts[h]->name, p->hosts[h], slowdown_of(p, h), &out);
    if (p->n > 1)
        put_csv_rows(p, "", p->all, slowdown_of(p, p->n), &out);
    return files_write("project", p->options.output, &out);
}

/* --- The command. --- */

static int project(struct projecting *p, const char *const *operands, size_t n)
{
    struct text out = {0};
    int status = read_steps(p);

    if (status || (status = read_ranks(p)))
        return status;
    if (!n)
        return usage_error("names no file");
    if ((status = files_each("project", operands, n, ROWS_HIST | ROWS_SERIES, take_row, p, NULL)))
        return status;
    drop_empty(p);
    if (!p->n)
        return usage_error("no rows of noise or prime");
    if ((status = project_all(p)))
        return status;
    put_table(p, &out);
    status = put_costs(p, &out);
    put_limits(p, &out);
    command_print(!strcmp(p->options.output, "-") ? 2 : 1, &out);
    return status || !p->options.output[0] ? status : write_csv(p);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct projecting p = {.n = 0};
    struct option_table table;
    const char **operands = calloc((size_t)argc + 1, sizeof(*operands));
    size_t n;

    if (!operands)
        return usage_error("out of memory");
    memset(&table, 0, sizeof(table));
    (void)tables(command, &table);
    table.target = &p.options;
    int status = command_parse(command, &table, 1, &p.options.help, argc, argv, operands, &n);
    if (!status)
        status = project(&p, operands, n);
    for (size_t h = 0; h < p.n; h++)
        free(p.hosts[h]);
    free(p.hosts);
    free(p.all);
    free(p.slowdown);
    free(operands);
    return status < 0 ? EXIT_DONE : status;
}

const struct command command_project = {
    .name = "project",
    .operands = "FILE...",
    .title = "what this noise costs work on many ranks, which waits for the slowest at every step",
    .description =
        "Work that ends in a barrier takes as long as its slowest rank. From the detours that noise (or else prime) "
        "has "
        "measured, this computes what steps of such work take on many ranks, and which detours cost most. FILE is a "
        "result file, a folder of them, a pattern, or '-'.",
    .run = run,
    .tables = tables,
};
