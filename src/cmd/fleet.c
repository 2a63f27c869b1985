/* SPDX-License-Identifier: MIT */
/* jitbench fleet: which of many machines stands out, in what, and in which settings it differs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/files.h"
#include "cmd/gather.h"
#include "cmd/suites.h"
#include "engine/outlier.h"
#include "engine/text.h"
#include "out/csv.h"

/* No measurement of ours is finer than this. */
#define LEAST_SPREAD 0.002
/* Machines without findings that have a line all the same, unless -v is given. */
#define PLAIN_MOST 20u

static const char *const fail_on_choices[] = {"outlier", "difference", NULL};
enum { FAIL_ON_OUTLIER, FAIL_ON_DIFFERENCE };
static const char *const by_choices[] = {"host", "rank", NULL};

struct fleet_options {
    double min_effect_pct;
    int fail_on, by;
    char output[1024];
    bool verbose, help;
};

static const struct option rows[] = {
    {.name = "min-effect",
     .type = OPTION_PERCENT,
     .value_name = "PCT",
     .min = 0.01,
     .max = 1000,
     .preset = {"2"},
     OPTION_AT(struct fleet_options, min_effect_pct),
     .help = "a machine that is off by less does not stand out"},
    {.name = "by",
     .type = OPTION_CHOICE,
     .value_name = "host|rank",
     .choices = by_choices,
     .preset = {"host"},
     OPTION_AT(struct fleet_options, by),
     .help = "what is judged: machines, or each rank of a job by itself"},
    {.name = "fail-on",
     .type = OPTION_CHOICE,
     .value_name = "outlier|difference",
     .choices = fail_on_choices,
     OPTION_AT(struct fleet_options, fail_on),
     .help = "exit 4 when a machine stands out; difference: also when settings differ"},
    {.name = "output",
     .letter = 'o',
     .type = OPTION_TEXT,
     .value_name = "FILE|-",
     OPTION_AT(struct fleet_options, output),
     .help =
         "CSV file with every figure of every machine; '-' is standard output, and the table goes to standard error"},
    {.name = "verbose",
     .letter = 'v',
     .type = OPTION_FLAG,
     OPTION_AT(struct fleet_options, verbose),
     .help = "a line for every machine, and all in which it is far off"},
    {.name = "help",
     .letter = 'h',
     .type = OPTION_FLAG,
     OPTION_AT(struct fleet_options, help),
     .help = "print this help"},
};

struct judged {
    size_t machine;
    bool far;           /* in one figure, by the first rule */
    bool often;         /* the worst of all in many, by the second */
    size_t worst_count; /* figures in which it is the worst of all */
    size_t figure;      /* in which it is farthest off */
    double distance, effect;
    double median_effect; /* over all figures, positive: worse */
    size_t differences;
    size_t figures;
};

struct fleet {
    struct fleet_options options;
    bool fail_on_given;
    struct gather g;
    struct outlier_metric *metric; /* by figure; n 0: not judged */
    size_t n_judged;               /* figures */
    double threshold;
    size_t worst_threshold;
    struct judged *judged;
    const char **majority; /* by setting */
};

static size_t tables(const struct command *command, struct option_table *out)
{
    (void)command;
    out[0] = (struct option_table){.heading = "Options of fleet", .rows = rows, .n = sizeof(rows) / sizeof(rows[0])};
    return 1;
}

static int usage_error(const char *error)
{
    (void)fprintf(stderr, "jitbench fleet: %s\n", error);
    return EXIT_USAGE;
}

static int out_of_memory(void)
{
    (void)usage_error("out of memory");
    return EXIT_ROW_FAILED;
}

/* --- Judging. --- */

static double worse_by(const struct gather_figure *figure, double effect)
{
    return figure->higher_is_better ? -effect : effect;
}

/* The figures that enough machines have. */
static int measure_figures(struct fleet *f)
{
    const size_t n = f->g.machines.n;
    double *values = calloc(n, sizeof(*values)), *scratch = calloc(n, sizeof(*scratch));
    int result = values && scratch ? 0 : -1;

    for (size_t k = 0; !result && k < f->g.figures.n; k++) {
        const struct gather_figure *figure = &f->g.figure[k];
        double least = figure->error_n ? figure->error_sum / (double)figure->error_n : 0;
        for (size_t m = 0; m < n; m++)
            values[m] = gather_value(figure, m);
        if (outlier_measure(values, n, fmax(least, LEAST_SPREAD), scratch, &f->metric[k]))
            f->n_judged++;
        else
            f->metric[k].n = 0;
    }
    free(values);
    free(scratch);
    return result;
}

/* Who is the worst of all in each figure. */
static void count_worst(struct fleet *f)
{
    for (size_t k = 0; k < f->g.figures.n; k++) {
        size_t worst = SIZE_MAX;
        double most = 0;
        for (size_t m = 0; f->metric[k].n && m < f->g.machines.n; m++) {
            double value = gather_value(&f->g.figure[k], m);
            double by = worse_by(&f->g.figure[k], outlier_effect(&f->metric[k], value));
            if (by > most) {
                most = by;
                worst = m;
            }
        }
        if (worst != SIZE_MAX)
            f->judged[worst].worst_count++;
    }
}

static int by_number(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void judge_machine(struct fleet *f, struct judged *j, double *effects)
{
    const double least = f->options.min_effect_pct / 100;

    for (size_t k = 0; k < f->g.figures.n; k++) {
        double value = f->metric[k].n ? gather_value(&f->g.figure[k], j->machine) : (double)NAN;
        if (isnan(value))
            continue;
        double distance = outlier_distance(&f->metric[k], value), effect = outlier_effect(&f->metric[k], value);
        effects[j->figures++] = worse_by(&f->g.figure[k], effect);
        if (fabs(effect) < least || !(fabs(distance) > fabs(j->distance)))
            continue;
        j->distance = distance;
        j->effect = effect;
        j->figure = k;
    }
    qsort(effects, j->figures, sizeof(*effects), by_number);
    j->median_effect = j->figures ? effects[j->figures / 2] : 0;
    j->far = fabs(j->distance) > f->threshold;
    j->often = j->worst_count >= f->worst_threshold && j->median_effect >= least;
    for (size_t s = 0; s < f->g.settings.n; s++) {
        const char *value = gather_setting(&f->g, s, j->machine);
        j->differences += value && f->majority[s] && strcmp(value, f->majority[s]) != 0;
    }
}

/* Those that stand out first, the farthest on top; then those whose settings differ; then by name. */
static const struct index *sort_names;
static int by_finding(const void *a, const void *b)
{
    const struct judged *x = a, *y = b;
    bool out_x = x->far || x->often, out_y = y->far || y->often;

    if (out_x != out_y)
        return out_x ? -1 : 1;
    if (out_x && x->often != y->often)
        return x->often ? -1 : 1;
    if (out_x && fabs(x->distance) != fabs(y->distance))
        return fabs(x->distance) > fabs(y->distance) ? -1 : 1;
    if (x->differences != y->differences)
        return x->differences > y->differences ? -1 : 1;
    return strcmp(sort_names->name[x->machine], sort_names->name[y->machine]);
}

static int judge(struct fleet *f)
{
    const size_t n = f->g.machines.n;
    double *effects = calloc(f->g.figures.n + 1, sizeof(*effects));

    f->metric = calloc(f->g.figures.n + 1, sizeof(*f->metric));
    f->judged = calloc(n, sizeof(*f->judged));
    f->majority = calloc(f->g.settings.n + 1, sizeof(*f->majority));
    if (!effects || !f->metric || !f->judged || !f->majority || measure_figures(f)) {
        free(effects);
        return out_of_memory();
    }
    f->threshold = outlier_threshold(n, f->n_judged);
    f->worst_threshold = outlier_worst_threshold(n, f->n_judged);
    for (size_t s = 0; s < f->g.settings.n; s++)
        f->majority[s] = gather_majority(&f->g, s);
    count_worst(f);
    for (size_t m = 0; m < n; m++) {
        f->judged[m].machine = m;
        judge_machine(f, &f->judged[m], effects);
    }
    sort_names = &f->g.machines;
    qsort(f->judged, n, sizeof(*f->judged), by_finding);
    free(effects);
    return 0;
}

/* --- The table. --- */

/* What a line shows of each machine: the first figure that fits. */
static const struct shown {
    const char *suite, *test, *load, *metric, *heading;
    double scale;
    int decimals;
} shown[] = {
    {"prime", "prime", "", "cycles", "prime cycles", 1, 1},
    {"stream", "bandwidth", "", "copy_rate", "copy MB/s", 1, 0},
    {"unix", "index", "", "index", "unix index", 1, 0},
    {"latency", "audio", "none", "latency", "audio us", 1e-3, 1},
    {"noise", "noise", "", "lost", "lost %", 1, 3},
};
enum { N_SHOWN = sizeof(shown) / sizeof(shown[0]) };

static size_t find_shown(const struct fleet *f, const struct shown *what)
{
    for (size_t k = 0; k < f->g.figures.n; k++) {
        const struct gather_figure *figure = &f->g.figure[k];
        if (!strcmp(figure->suite, what->suite) && !strcmp(figure->test, what->test) &&
            !strcmp(figure->metric, what->metric) && !strcmp(figure->load, what->load))
            return k;
    }
    return SIZE_MAX;
}

static void name_figure(const struct gather_figure *figure, char *buf, size_t size)
{
    char copies[32] = "";

    if (figure->copies > 1)
        (void)snprintf(copies, sizeof(copies), " x%u", (unsigned)figure->copies);
    (void)snprintf(buf, size, "%s%s%s%s%s%s %s", figure->suite, strcmp(figure->test, figure->suite) ? " " : "",
                   strcmp(figure->test, figure->suite) ? figure->test : "", figure->load[0] ? "/" : "", figure->load,
                   copies, figure->metric);
}

static void put_verdict(const struct fleet *f, const struct judged *j, struct text *out)
{
    char name[256];

    if (j->far) {
        name_figure(&f->g.figure[j->figure], name, sizeof(name));
        text_printf(out, "%s: %s %+.1f %%, %.1f spreads off",
                    worse_by(&f->g.figure[j->figure], j->effect) > 0 ? "WORSE" : "BETTER", name, 100 * j->effect,
                    fabs(j->distance));
    }
    if (j->often)
        text_printf(out, "%sworst of all in %zu of %zu figures, worse by %.1f %% (median)",
                    j->far ? "; " : "WORSE: ", j->worst_count, j->figures, 100 * j->median_effect);
    if (f->g.machine[j->machine].failed)
        text_printf(out, "%s%zu rows failed", j->far || j->often ? "; " : "", f->g.machine[j->machine].failed);
    if (!j->far && !j->often && !f->g.machine[j->machine].failed)
        text_printf(out, j->figures ? "ok" : "not judged: no figure that enough others have");
}

static void put_differences(const struct fleet *f, const struct judged *j, struct text *out)
{
    size_t n = 0;

    for (size_t s = 0; s < f->g.settings.n; s++) {
        const char *value = gather_setting(&f->g, s, j->machine);
        if (value && f->majority[s] && strcmp(value, f->majority[s]) != 0)
            text_printf(out, "%s%s=%.60s (others %.60s)", n++ ? ", " : "; differs: ", f->g.settings.name[s], value,
                        f->majority[s]);
    }
}

static void put_all_far(const struct fleet *f, const struct judged *j, int width, struct text *out)
{
    char name[256];

    for (size_t k = 0; k < f->g.figures.n; k++) {
        const struct gather_figure *figure = &f->g.figure[k];
        double value = f->metric[k].n ? gather_value(figure, j->machine) : (double)NAN;
        if (isnan(value) || fabs(outlier_distance(&f->metric[k], value)) <= f->threshold ||
            fabs(outlier_effect(&f->metric[k], value)) < f->options.min_effect_pct / 100)
            continue;
        name_figure(figure, name, sizeof(name));
        text_printf(out, "%*s    %s: %.6g %s, the fleet's median %.6g, %+.1f %%, %.1f spreads off%s%s\n", width, "",
                    name, value, figure->unit, f->metric[k].median, 100 * outlier_effect(&f->metric[k], value),
                    fabs(outlier_distance(&f->metric[k], value)), figure->work[0] ? "; " : "", figure->work);
    }
}

static void put_line(const struct fleet *f, const struct judged *j, const size_t *columns, int width, struct text *out)
{
    text_printf(out, "%-*s", width, f->g.machines.name[j->machine]);
    for (size_t c = 0; c < N_SHOWN; c++) {
        if (columns[c] == SIZE_MAX)
            continue;
        double value = gather_value(&f->g.figure[columns[c]], j->machine) * shown[c].scale;
        if (isnan(value))
            text_printf(out, "  %*s", (int)strlen(shown[c].heading), "-");
        else
            text_printf(out, "  %*.*f", (int)strlen(shown[c].heading), shown[c].decimals, value);
    }
    text_printf(out, "  ");
    put_verdict(f, j, out);
    put_differences(f, j, out);
    text_printf(out, "\n");
    if (f->options.verbose)
        put_all_far(f, j, width, out);
}

static bool has_finding(const struct fleet *f, const struct judged *j)
{
    return j->far || j->often || j->differences || f->g.machine[j->machine].failed;
}

static void put_table(const struct fleet *f, struct text *out)
{
    size_t columns[N_SHOWN], plain = 0, hidden = 0;
    int width = 4;

    for (size_t m = 0; m < f->g.machines.n; m++)
        if ((int)strlen(f->g.machines.name[m]) > width)
            width = (int)strlen(f->g.machines.name[m]);
    text_printf(out, "%-*s", width, f->options.by ? "Rank" : "Host");
    for (size_t c = 0; c < N_SHOWN; c++) {
        columns[c] = find_shown(f, &shown[c]);
        if (columns[c] != SIZE_MAX)
            text_printf(out, "  %s", shown[c].heading);
    }
    text_printf(out, "  Verdict\n");
    for (size_t i = 0; i < f->g.machines.n; i++) {
        plain += !has_finding(f, &f->judged[i]);
        if (has_finding(f, &f->judged[i]) || f->options.verbose || plain <= PLAIN_MOST)
            put_line(f, &f->judged[i], columns, width, out);
        else
            hidden++;
    }
    if (hidden)
        text_printf(out, "(%zu more without findings: -v shows them)\n", hidden);
}

static size_t count_out(const struct fleet *f)
{
    size_t n = 0;

    for (size_t i = 0; i < f->g.machines.n; i++)
        n += f->judged[i].far || f->judged[i].often;
    return n;
}

static void put_summary(const struct fleet *f, struct text *out)
{
    const size_t n = f->g.machines.n, outliers = count_out(f);
    const char *what = f->options.by ? "rank" : "host";

    text_printf(out, "\n%zu %s%s, %zu figure%s judged: ", n, what, n == 1 ? "" : "s", f->n_judged,
                f->n_judged == 1 ? "" : "s");
    if (!f->n_judged) {
        text_printf(out, "a figure needs %d of them\n", OUTLIER_HOSTS_LEAST);
        return;
    }
    text_printf(out, "%zu stand%s out. ", outliers, outliers == 1 ? "s" : "");
    text_printf(
        out,
        "Farther than %.1f spreads (robust standard deviations) and %.3g %% from the median in one figure, or the "
        "worst of all in at least %zu",
        f->threshold, f->options.min_effect_pct, f->worst_threshold);
    if (f->worst_threshold > f->n_judged)
        text_printf(out, " (there are not so many)");
    text_printf(out, ": equal machines are named in at most 1 %% of such fleets.\n");
}

/* --- The CSV. --- */

static void put_csv_row(const struct fleet *f, const struct judged *j, size_t k, struct text *out)
{
    const struct gather_figure *figure = &f->g.figure[k];
    double value = gather_value(figure, j->machine);
    const char *const texts[] = {f->g.machines.name[j->machine],
                                 figure->suite,
                                 figure->test,
                                 figure->load,
                                 figure->work,
                                 figure->metric,
                                 figure->unit};

    if (isnan(value))
        return;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        csv_text(out, texts[i]);
        text_append(out, ",", 1);
    }
    text_printf(out, "%llu,%.17g,", (unsigned long long)figure->copies, value);
    if (f->metric[k].n)
        text_printf(out, "%.17g,%.17g,%.17g,", f->metric[k].median, 100 * outlier_effect(&f->metric[k], value),
                    outlier_distance(&f->metric[k], value));
    else
        text_append(out, ",,,", 3);
    text_printf(out, "%s\r\n", j->far || j->often ? "outlier" : "ok");
}

static int write_csv(const struct fleet *f)
{
    struct text out = {0};

    text_printf(&out, "host,suite,test,load,param,metric,unit,copies,value,median,effect_pct,distance,verdict\r\n");
    for (size_t i = 0; i < f->g.machines.n; i++)
        for (size_t k = 0; k < f->g.figures.n; k++)
            put_csv_row(f, &f->judged[i], k, &out);
    return files_write("fleet", f->options.output, &out);
}

/* --- The command. --- */

static int take_row(void *context, const struct row *row)
{
    return gather_row(&((struct fleet *)context)->g, row);
}

static bool is_finding(const struct fleet *f)
{
    bool differs = false;

    for (size_t i = 0; i < f->g.machines.n; i++)
        differs = differs || f->judged[i].differences;
    return f->fail_on_given && (count_out(f) || (f->options.fail_on == FAIL_ON_DIFFERENCE && differs));
}

static int fleet(struct fleet *f, const char *const *operands, size_t n)
{
    struct text out = {0};
    int status;

    if (!n)
        return usage_error("names no file");
    f->g.by_rank = f->options.by == 1;
    if ((status = files_each("fleet", operands, n, 0, take_row, f, NULL)))
        return status;
    if (f->g.doubles)
        (void)fprintf(stderr, "jitbench fleet: %llu rows came twice, and count once\n",
                      (unsigned long long)f->g.doubles);
    if ((status = judge(f)))
        return status;
    put_table(f, &out);
    put_summary(f, &out);
    command_print(!strcmp(f->options.output, "-") ? 2 : 1, &out);
    if (f->options.output[0] && (status = write_csv(f)))
        return status;
    return is_finding(f) ? EXIT_FINDING : EXIT_DONE;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct fleet *f = calloc(1, sizeof(*f));
    struct option_table table;
    const char **operands = calloc((size_t)argc + 1, sizeof(*operands));
    int status = EXIT_ROW_FAILED;
    size_t n;

    memset(&table, 0, sizeof(table));
    (void)tables(command, &table);
    if (f && operands) {
        table.target = &f->options;
        status = command_parse(command, &table, 1, &f->options.help, argc, argv, operands, &n);
        f->fail_on_given = option_given(&table, 1, "fail-on");
        if (!status)
            status = fleet(f, operands, n);
        gather_free(&f->g);
        free(f->metric);
        free(f->judged);
        free(f->majority);
    } else {
        (void)out_of_memory();
    }
    free(f);
    free(operands);
    return status < 0 ? EXIT_DONE : status;
}

const struct command command_fleet = {
    .name = "fleet",
    .operands = "FILE...",
    .title = "many machines: who stands out, in what, and whose settings differ",
    .description =
        "Judges machines by the result files of each: a line a host with its headline figures, those that stand out "
        "first. FILE is a result file, a folder of them, a pattern, or '-'.",
    .run = run,
    .tables = tables,
};
