/* SPDX-License-Identifier: MIT */
/* jitbench project: what the noise of these machines costs work that many ranks do in steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/scale_projection.h"
#include "cmd/files.h"
#include "cmd/suites.h"
#include "rows/csv.h"
#include "rows/text.h"

/* Number of hosts shown without -v, the slowest ones. */
#define SHOWN_MOST 10u
/* Number of rows shown in the cost table. */
#define CAUSES_SHOWN 12u
/* Columns when no STEP is given: one for each number of ranks if there are at most EACH_MOST; by decades if LAST is at
 * least DECADES_FROM times FIRST. */
#define EACH_MOST    8u
#define DECADES_FROM 100u

struct project_options {
    struct option_sweep ranks;
    char steps[256], output[1024];
    bool verbose, force, help;
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
     .help = "numbers of ranks: decades or powers of two, or by STEP"},
    {.name = "output",
     .letter = 'o',
     .type = OPTION_TEXT,
     .value_name = "FILE|-",
     OPTION_AT(struct project_options, output),
     .help = "CSV file; '-' is standard output, and the tables go to standard error"},
    FILES_FORCE_ROW(struct project_options),
    {.name = "verbose",
     .letter = 'v',
     .type = OPTION_FLAG,
     OPTION_AT(struct project_options, verbose),
     .help = "print a line for every host, not only for the slowest ten"},
    {.name = "help",
     .letter = 'h',
     .type = OPTION_FLAG,
     OPTION_AT(struct project_options, help),
     .help = "print this help"},
};

struct projecting {
    struct project_options options;
    struct projection projection;
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
    return command_complain("project", error, EXIT_USAGE);
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
        if (p->projection.n_steps == PROJECT_STEPS_MAX)
            return usage_error("--step: at most 16 of them");
        (void)snprintf(word, sizeof(word), "%.*s", (int)length, at);
        if (option_set(&step_row, word, &step, false, error, sizeof(error)))
            return usage_error(error);
        p->projection.step_ns[p->projection.n_steps++] = (double)step.ns;
        at += length;
    }
    return p->projection.n_steps ? 0 : usage_error("--step: '' is not a time");
}

/* Returns the next number of ranks. Without a STEP, few numbers have a column each; many go in decades or powers of
 * two, and include LAST. */
static uint64_t next_ranks(const struct option_sweep *sweep, uint64_t ranks)
{
    uint64_t next = ranks + sweep->step;

    if (sweep->step > 1 || sweep->last - sweep->first < EACH_MOST)
        return next;
    next = sweep->last / sweep->first >= DECADES_FROM ? 10 * ranks : 2 * ranks;
    return ranks < sweep->last && next > sweep->last ? sweep->last : next;
}

static int read_ranks(struct projecting *p)
{
    const struct option_sweep *sweep = &p->options.ranks;
    char error[160];

    for (uint64_t ranks = sweep->first; ranks <= sweep->last; ranks = next_ranks(sweep, ranks)) {
        if (p->projection.n_ranks == PROJECT_RANKS_MAX) {
            (void)snprintf(error, sizeof(error), "--ranks: at most %d numbers of ranks; a larger STEP makes fewer",
                           PROJECT_RANKS_MAX);
            return usage_error(error);
        }
        p->projection.ranks[p->projection.n_ranks++] = (double)ranks;
    }
    return 0;
}

/* --- The contents of the files. --- */

static int take_row(void *context, const struct row *row)
{
    return projection_enter(&((struct projecting *)context)->projection, row->run->host, row);
}

static void say_empty(const char *name)
{
    (void)fprintf(stderr, "jitbench project: %s has no rows of noise or prime: left out\n",
                  name[0] ? name : "a host without a name");
}

/* --- The table. --- */

static void put_line(const struct projection *p, const char *name, const struct detours_host *host,
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

/* Returns the worst slow-down over the steps, at the highest number of ranks. */
static double worst_of(const struct projection *p, size_t host)
{
    double worst = 0;

    for (size_t s = 0; s < p->n_steps; s++)
        worst = fmax(worst, projection_slowdown(p, host)[(s + 1) * p->n_ranks - 1]);
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

static void put_hosts(const struct projection *p, bool every, int width, struct text *out)
{
    struct ranked *order = calloc(p->n + 1, sizeof(*order));
    size_t shown = every || p->n < SHOWN_MOST ? p->n : SHOWN_MOST;

    if (!order) {
        out->failed = 1;
        return;
    }
    for (size_t h = 0; h < p->n; h++)
        order[h] = (struct ranked){worst_of(p, h), h};
    qsort(order, p->n, sizeof(*order), by_worst);
    for (size_t i = 0; i < shown; i++)
        put_line(p, p->hosts[order[i].host]->name, p->hosts[order[i].host], projection_slowdown(p, order[i].host),
                 width, out);
    if (shown < p->n)
        text_printf(out, "(%zu more hosts, which slow down less: -v shows them)\n", p->n - shown);
    free(order);
}

static void put_table(const struct projection *p, bool every, struct text *out)
{
    int width = 4;

    for (size_t h = 0; h < p->n; h++)
        if ((int)strlen(p->hosts[h]->name) > width)
            width = (int)strlen(p->hosts[h]->name);
    width = width > 24 ? 24 : width;
    text_printf(
        out,
        "Slowdown (1.00: no noise) of a step that ends in a barrier, by number of ranks\n%-*s  From   Lost %%     Step",
        width, "Host");
    for (size_t r = 0; r < p->n_ranks; r++)
        text_printf(out, "  %8.0f", p->ranks[r]);
    text_printf(out, "\n");
    if (p->n > 1)
        put_line(p, "all", p->all, projection_slowdown(p, p->n), width, out);
    put_hosts(p, every, width, out);
}

/* --- Costs. --- */

static void put_cost(const struct projection *p, const struct projection_cost *cost, const double *with,
                     struct text *out)
{
    text_printf(out, "%-15s  %-11s  %10.3f  %7.4f", projection_decade(cost), projection_cause(cost), cost->per_s,
                cost->lost_pct);
    for (size_t s = 0; s < p->n_steps; s++)
        text_printf(out, "  %8.3f -> %7.3f", with[(s + 1) * p->n_ranks - 1], cost->without[s]);
    text_printf(out, "\n");
}

static void put_cost_heading(const struct projection *p, struct text *out)
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

static int put_costs(const struct projection *p, struct text *out)
{
    struct projection_cost costs[PROJECTION_COSTS];
    size_t n;

    if (projection_costs(p, costs, &n))
        return usage_error("out of memory");
    if (n)
        put_cost_heading(p, out);
    for (size_t i = 0; i < n && i < CAUSES_SHOWN; i++)
        put_cost(p, &costs[i], projection_slowdown(p, p->n), out);
    return 0;
}

/* Prints that events rarer than once in the measured time are not in the data. */
static void put_limits(const struct projection *p, struct text *out)
{
    char observed[32];

    text_duration((uint64_t)detours_work_ns(p->all), observed, sizeof(observed));
    text_printf(out,
                "\n"
                "Computed from %s of one CPU's time%s, for independent ranks. Detours that are rarer than that are not "
                "included.\n",
                observed, p->n > 1 ? " on all hosts" : "");
}

/* --- The CSV. --- */

static void put_csv_rows(const struct projection *p, const char *name, const struct detours_host *host,
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

static int write_csv(const struct projection *p, const char *path)
{
    struct text out = {0};

    text_printf(&out, "host,source,work_s,lost_pct,step_ns,ranks,slowdown\r\n");
    for (size_t h = 0; h < p->n; h++)
        put_csv_rows(p, p->hosts[h]->name, p->hosts[h], projection_slowdown(p, h), &out);
    if (p->n > 1)
        put_csv_rows(p, "", p->all, projection_slowdown(p, p->n), &out);
    return files_write("project", path, &out);
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
    projection_drop_empty(&p->projection, say_empty);
    if (!p->projection.n)
        return usage_error("no rows of noise or prime");
    if (projection_compute(&p->projection))
        return usage_error("out of memory");
    /* The CSV is written first, so that an invalid file name is reported before anything is printed. */
    if (p->options.force && files_clear("project", p->options.output))
        return EXIT_USAGE;
    const int written = p->options.output[0] ? write_csv(&p->projection, p->options.output) : EXIT_DONE;
    if (written == EXIT_USAGE)
        return written;
    put_table(&p->projection, p->options.verbose, &out);
    status = put_costs(&p->projection, &out);
    put_limits(&p->projection, &out);
    const int printed =
        command_output(&command_project, !strcmp(p->options.output, "-") ? 2 : 1, !p->options.output[0], &out);
    status = status ? status : written;
    return status ? status : printed;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct projecting p = {.options = {.verbose = false}};
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
    projection_free(&p.projection);
    free(operands);
    return status < 0 ? EXIT_DONE : status;
}

const struct command command_project = {
    .name = "project",
    .operands = "FILE...",
    .title = "computes what this noise costs work on many ranks that waits for the slowest at every step",
    .description = "Work that ends in a barrier takes as long as its slowest rank. From the detours that noise (or "
                   "else prime) has measured, this computes how long steps of such work take on many ranks, and which "
                   "detours cost most. FILE is a result file, a directory of them, a pattern, or '-'.",
    .run = run,
    .tables = tables,
};
