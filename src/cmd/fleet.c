/* SPDX-License-Identifier: MIT */
/* jitbench fleet: finds the machines that stand out, the figures in which they do, and the settings that differ. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fleet_gather.h"
#include "analysis/fleet_judge.h"
#include "cmd/files.h"
#include "cmd/suites.h"
#include "rows/csv.h"
#include "rows/text.h"
#include "rows/units.h"

/* Number of lines for machines without findings, unless -v is given. */
#define PLAIN_MOST 20u
/* Width of the name column; a longer name shifts the rest of its own line only. */
#define NAME_WIDTH_MOST 32
#define NAMESAKES_TOLD  5u
#define CSV_PIECE       65536u /* bytes */

static const char *const fail_on_choices[] = {"outlier", "difference", NULL};
enum { FAIL_ON_OUTLIER, FAIL_ON_DIFFERENCE };
static const char *const by_choices[] = {"host", "rank", NULL};

struct fleet_options {
    double min_effect_pct;
    int fail_on, by;
    char output[1024];
    bool verbose, force, help;
};

static const struct option rows[] = {
    {.name = "min-effect",
     .type = OPTION_PERCENT,
     .value_name = "PCT",
     .min = 0.01,
     .max = 1000,
     .preset = {"2"},
     OPTION_AT(struct fleet_options, min_effect_pct),
     .help = "ignore machines that deviate by less"},
    {.name = "by",
     .type = OPTION_CHOICE,
     .value_name = "host|rank",
     .choices = by_choices,
     .preset = {"host"},
     OPTION_AT(struct fleet_options, by),
     .help = "unit that is judged: a machine, or each rank of a job by itself"},
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
     .help = "write every figure of every machine to this CSV file; '-' is standard output, and the table goes to "
             "standard error"},
    FILES_FORCE_ROW(struct fleet_options),
    {.name = "verbose",
     .letter = 'v',
     .type = OPTION_FLAG,
     OPTION_AT(struct fleet_options, verbose),
     .help = "print a line for every machine, with all figures that are far off"},
    {.name = "help",
     .letter = 'h',
     .type = OPTION_FLAG,
     OPTION_AT(struct fleet_options, help),
     .help = "print this help"},
};

struct fleet {
    struct fleet_options options;
    bool fail_on_given;
    struct gather g;
    struct judgement judgement;
};

static size_t tables(const struct command *command, struct option_table *out)
{
    (void)command;
    out[0] = (struct option_table){.heading = "Options of fleet", .rows = rows, .n = sizeof(rows) / sizeof(rows[0])};
    return 1;
}

static int usage_error(const char *error)
{
    return command_complain("fleet", error, EXIT_USAGE);
}

static int out_of_memory(void)
{
    (void)usage_error("out of memory");
    return EXIT_ROW_FAILED;
}

/* --- The table. --- */

/* The figures in a machine's line; a column is shown if any machine has that figure. */
static const struct shown {
    const char *suite, *test, *load, *metric, *unit, *heading;
    double scale;
    int decimals;
} shown[] = {
    {"prime", "prime", "", "cycles", "cycles", "prime cycles", 1, 1},
    {"stream", "bandwidth", "", "copy_rate", "MB/s", "copy MB/s", 1, 0},
    {"unix", "index", "", "index", "ratio", "unix index", 1, 0},
    {"latency", "audio", "none", "latency", "ns", "audio us", 1e-3, 1},
    {"noise", "noise", "", "lost", "%", "lost %", 1, 3},
};
enum { N_SHOWN = sizeof(shown) / sizeof(shown[0]) };

struct column {
    size_t figure; /* SIZE_MAX: no machine has it */
    char heading[48];
};

static bool is_shown(const struct shown *what, const struct gather_figure *figure)
{
    return !strcmp(figure->suite, what->suite) && !strcmp(figure->test, what->test) &&
           !strcmp(figure->metric, what->metric) && !strcmp(figure->load, what->load) &&
           !strcmp(figure->unit, what->unit);
}

/* Chooses the figure of a column: of those that differ in copies or work, the one that most machines have; of several
 * such, the one with the fewest copies. */
static void find_shown(const struct gather *g, const struct shown *what, struct column *column)
{
    size_t found = SIZE_MAX;
    char protocol[ROW_PROTOCOL_SIZE];

    for (size_t k = 0; k < g->figures.n; k++) {
        const struct gather_figure *figure = &g->figure[k], *before = found == SIZE_MAX ? NULL : &g->figure[found];
        if (!is_shown(what, figure))
            continue;
        if (!before || figure->n > before->n || (figure->n == before->n && figure->copies < before->copies))
            found = k;
    }
    column->figure = found;
    row_protocol(found == SIZE_MAX ? "" : g->figure[found].work, protocol);
    (void)snprintf(column->heading, sizeof(column->heading), "%s%s%s", what->heading, protocol[0] ? ", " : "",
                   protocol);
}

static void name_figure(const struct gather_figure *figure, char *buf, size_t size)
{
    char copies[32] = "", protocol[ROW_PROTOCOL_SIZE];
    bool named = strcmp(figure->test, figure->suite) != 0;

    if (figure->copies > 1)
        (void)snprintf(copies, sizeof(copies), " x%llu", (unsigned long long)figure->copies);
    row_protocol(figure->work, protocol);
    (void)snprintf(buf, size, "%s%s%s%s%s%s%s%s%s %s", figure->suite, named ? " " : "", named ? figure->test : "",
                   figure->load[0] ? "/" : "", figure->load, copies, protocol[0] ? " (" : "", protocol,
                   protocol[0] ? ")" : "", figure->metric);
}

/* Appends "prime cycles +5.2 %". The sign is that of the change in value, whether that is better or worse. */
static void put_effect(const struct fleet *f, const struct judged *j, struct text *out)
{
    const struct gather_figure *figure = &f->g.figure[j->figure];
    char name[256];

    name_figure(figure, name, sizeof(name));
    text_printf(out, "%s %+.1f %%", name, 100 * (figure->higher_is_better ? -j->effect : j->effect));
}

static bool is_few(const struct fleet *f)
{
    return f->g.machines.n < OUTLIER_HOSTS_LEAST;
}

static void put_verdict(const struct fleet *f, const struct judged *j, struct text *out)
{
    const size_t failed = f->g.machine[j->machine].failed;
    const char *between = "";

    if (j->often || j->far)
        text_printf(out, "%s: ", j->often || j->effect > 0 ? "WORSE" : "BETTER");
    if (j->often) {
        text_printf(out, "the worst of all in %zu of %zu figures, by %.1f %% (median), most of all ", j->worst_count,
                    j->figures, 100 * j->median_effect);
        put_effect(f, j, out);
        between = "; ";
    } else if (j->far) {
        put_effect(f, j, out);
        text_printf(out, ", %.1f spreads from the median", j->distance);
        if (j->n_far > 1)
            text_printf(out, ", and %zu more (-v)", j->n_far - 1);
        between = "; ";
    }
    if (failed)
        text_printf(out, "%s%s%zu row%s failed", between, j->broke && !*between ? "BROKEN: " : "", failed,
                    failed == 1 ? "" : "s");
    else if (!*between)
        text_printf(out, "%s",
                    j->figures  ? "ok"
                    : is_few(f) ? "not judged"
                                : "not judged: it has no figure that enough others have");
}

static void put_differences(const struct fleet *f, const struct judged *j, struct text *out)
{
    size_t n = 0;

    for (size_t s = 0; s < f->g.settings.n && n < j->differences; s++) {
        const char *value = gather_setting(&f->g, s, j->machine), *majority = f->judgement.majority[s];
        if (value && majority && strcmp(value, majority) != 0)
            text_printf(out, "%s%s=%.60s (most have %.60s)", n++ ? ", " : "; differs: ", f->g.settings.name[s], value,
                        majority);
    }
}

static void put_all_far(const struct fleet *f, const struct judged *j, int width, struct text *out)
{
    char name[256], own[UNITS_SIZE], median[UNITS_SIZE];

    for (size_t k = 0; k < f->g.figures.n && j->n_far; k++) {
        const struct gather_figure *figure = &f->g.figure[k];
        const struct outlier_metric *metric = &f->judgement.metric[k];
        double value = metric->n ? gather_value(&f->g, k, j->machine) : (double)NAN;
        if (isnan(value) || !judge_is_far(&f->judgement, k, value))
            continue;
        name_figure(figure, name, sizeof(name));
        units_value(value, figure->unit, own, sizeof(own));
        units_plain(own);
        units_value(metric->median, figure->unit, median, sizeof(median));
        units_plain(median);
        text_printf(out, "%*s    %s: %s, the fleet's median %s, %+.1f %%, %.1f spreads off%s%s\n", width, "", name, own,
                    median, 100 * outlier_effect(metric, value), fabs(outlier_distance(metric, value)),
                    figure->work[0] ? "; " : "", figure->work);
    }
}

static void put_line(const struct fleet *f, const struct judged *j, const struct column *columns, int width,
                     struct text *out)
{
    text_printf(out, "%-*s", width, j->name);
    for (size_t c = 0; c < N_SHOWN; c++) {
        if (columns[c].figure == SIZE_MAX)
            continue;
        double value = gather_value(&f->g, columns[c].figure, j->machine) * shown[c].scale;
        if (isnan(value))
            text_printf(out, "  %*s", (int)strlen(columns[c].heading), "-");
        else
            text_printf(out, fabs(value) < 1e9 ? "  %*.*f" : "  %*.*g", (int)strlen(columns[c].heading),
                        shown[c].decimals, value);
    }
    text_printf(out, "  ");
    put_verdict(f, j, out);
    put_differences(f, j, out);
    text_printf(out, "\n");
    if (f->options.verbose)
        put_all_far(f, j, width, out);
}

/* Lists the machines whose index is made of other tests than the column's. */
static void put_other_indices(const struct fleet *f, const struct shown *what, const struct column *column,
                              struct text *out)
{
    char protocol[ROW_PROTOCOL_SIZE];

    if (column->figure == SIZE_MAX)
        return;
    const struct gather_figure *of = &f->g.figure[column->figure];
    row_protocol(of->work, protocol);
    for (size_t k = 0; k < f->g.figures.n && protocol[0]; k++) {
        const struct gather_figure *figure = &f->g.figure[k];
        size_t n = 0;
        if (k == column->figure || !is_shown(what, figure) || figure->copies != of->copies)
            continue;
        for (size_t m = 0; m < f->g.machines.n; m++)
            n += isnan(gather_value(&f->g, column->figure, m)) && !isnan(gather_value(&f->g, k, m));
        if (n)
            text_printf(out, "%s: not comparable with the index of %zu %s%s: %s\n", column->heading, n,
                        f->options.by ? "rank" : "host", n == 1 ? "" : "s", figure->work);
    }
}

static bool has_finding(const struct fleet *f, const struct judged *j)
{
    return judge_stands_out(j) || j->differences || f->g.machine[j->machine].failed ||
           (!j->figures && f->judgement.n_figures);
}

static void put_table(const struct fleet *f, struct text *out)
{
    struct column columns[N_SHOWN];
    size_t plain = 0, hidden = 0;
    int width = 4;

    for (size_t m = 0; m < f->g.machines.n; m++) {
        size_t length = strlen(f->g.machines.name[m]);
        if (length <= NAME_WIDTH_MOST && (int)length > width)
            width = (int)length;
    }
    text_printf(out, "%-*s", width, f->options.by ? "Rank" : "Host");
    for (size_t c = 0; c < N_SHOWN; c++) {
        find_shown(&f->g, &shown[c], &columns[c]);
        if (columns[c].figure != SIZE_MAX)
            text_printf(out, "  %s", columns[c].heading);
    }
    text_printf(out, "  Verdict\n");
    for (size_t i = 0; i < f->g.machines.n; i++) {
        const struct judged *j = &f->judgement.judged[i];
        plain += !has_finding(f, j);
        if (has_finding(f, j) || f->options.verbose || plain <= PLAIN_MOST)
            put_line(f, j, columns, width, out);
        else
            hidden++;
    }
    if (hidden)
        text_printf(out, "(%zu more without findings: -v shows them)\n", hidden);
    for (size_t c = 0; c < N_SHOWN; c++)
        put_other_indices(f, &shown[c], &columns[c], out);
}

static size_t count_out(const struct fleet *f)
{
    size_t n = 0;

    for (size_t i = 0; i < f->g.machines.n; i++)
        n += judge_stands_out(&f->judgement.judged[i]);
    return n;
}

/* Appends "a has 1, b has 2". */
static void put_each(const struct fleet *f, size_t setting, struct text *out)
{
    size_t n = 0;

    for (size_t m = 0; m < f->g.machines.n; m++) {
        const char *value = gather_setting(&f->g, setting, m);
        if (value)
            text_printf(out, "%s%s has %s", n++ ? ", " : "", f->g.machines.name[m], value);
    }
}

/* Lists the settings in which no value has a majority. */
static void put_undecided(const struct fleet *f, struct text *out)
{
    for (size_t s = 0; s < f->g.settings.n; s++) {
        if (f->judgement.majority[s])
            continue;
        text_printf(out, "Settings: %s differs", f->g.settings.name[s]);
        if (is_few(f)) {
            text_printf(out, ": ");
            put_each(f, s, out);
            text_printf(out, ".\n");
        } else {
            text_printf(out, ", and no value is common to most machines.\n");
        }
    }
}

/* Prints a comparison of two or three machines, among which outliers cannot be determined. */
static void put_few(const struct fleet *f, const char *what, struct text *out)
{
    const size_t n = f->g.machines.n;

    text_printf(out, "too few to judge figures. 'fleet' needs %d %ss", OUTLIER_HOSTS_LEAST, what);
    if (n == 2)
        text_printf(out, "; for two use 'jitbench compare A.csv B.csv'");
    else if (n == 3)
        text_printf(out, "; two at a time can be compared with 'jitbench compare A.csv B.csv'");
    text_printf(out, ".%s\n", n > 1 ? " Failed tests and settings that differ are shown." : "");
}

static void put_pooled(const struct fleet *f, struct text *out)
{
    size_t several = 0, many_ranks = 0;

    for (size_t m = 0; m < f->g.machines.n; m++) {
        several += f->g.machine[m].runs > 1;
        many_ranks += f->g.machine[m].many_ranks;
    }
    if (several)
        text_printf(out, "%zu %s%s more than one run: their mean counts.%s\n", several, f->options.by ? "rank" : "host",
                    several == 1 ? " has" : "s have", many_ranks ? " '--by rank' judges each rank by itself." : "");
}

/* Prints the thresholds for naming a machine; in one figure, that of the figure that most machines have. */
static void put_rules(const struct fleet *f, struct text *out)
{
    const struct judgement *j = &f->judgement;
    size_t least = outlier_worst_threshold(j->n_machines, j->n_figures);
    double threshold = 0;

    for (size_t k = 0, most = 0; k < f->g.figures.n; k++)
        if (j->metric[k].n > most) {
            most = j->metric[k].n;
            threshold = j->threshold[k];
        }
    text_printf(
        out,
        "A %s is named if it is %.3g %% and %.1f spreads (robust standard deviations) off the median in one figure",
        f->options.by ? "rank" : "host", f->options.min_effect_pct, threshold);
    if (least <= j->n_figures)
        text_printf(out, ", or if it is the worst of all in %zu figures", least);
    text_printf(out, ". Chance alone names one in 1 of 100 fleets of equal machines.\n");
}

static void put_summary(const struct fleet *f, struct text *out)
{
    const size_t n = f->g.machines.n, outliers = count_out(f), figures = f->judgement.n_figures;
    const char *what = f->options.by ? "rank" : "host";

    text_printf(out, "\n%zu %s%s, %zu figure%s judged: ", n, what, n == 1 ? "" : "s", figures, figures == 1 ? "" : "s");
    if (figures || outliers)
        text_printf(out, "%zu stand%s out.\n", outliers, outliers == 1 ? "s" : "");
    if (figures)
        put_rules(f, out);
    else if (is_few(f))
        put_few(f, what, out);
    else
        text_printf(out, "a figure is judged when %d %ss have it, and its median is not 0.\n", OUTLIER_HOSTS_LEAST,
                    what);
    put_pooled(f, out);
    put_undecided(f, out);
}

/* --- The CSV. --- */

static void put_csv_row(const struct fleet *f, const struct judged *j, size_t k, struct text *out)
{
    const struct gather_figure *figure = &f->g.figure[k];
    const struct outlier_metric *metric = &f->judgement.metric[k];
    double value = gather_value(&f->g, k, j->machine);
    const char *const texts[] = {j->name,      figure->suite,  figure->test, figure->load,
                                 figure->work, figure->metric, figure->unit};

    if (isnan(value))
        return;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        csv_text(out, texts[i]);
        text_append(out, ",", 1);
    }
    text_printf(out, "%llu,%.17g,", (unsigned long long)figure->copies, value);
    if (metric->n)
        text_printf(out, "%.17g,%.17g,%.17g,", metric->median, 100 * outlier_effect(metric, value),
                    outlier_distance(metric, value));
    else
        text_append(out, ",,,", 3);
    text_printf(out, "%s\r\n", judge_stands_out(j) ? "outlier" : j->figures ? "ok" : "not judged");
}

/* Writes the CSV. It has a line for each machine and figure, so it is written piece by piece. */
static int write_csv(const struct fleet *f)
{
    struct files_output file;
    struct text out = {0};
    int status = f->options.force ? files_clear("fleet", f->options.output) : 0;

    if (!status)
        status = files_begin("fleet", f->options.output, &file);
    if (status)
        return status;
    text_printf(&out, "host,suite,test,load,param,metric,unit,copies,value,median,effect_pct,distance,verdict\r\n");
    for (size_t i = 0; i < f->g.machines.n; i++) {
        for (size_t k = 0; k < f->g.figures.n; k++)
            put_csv_row(f, &f->judgement.judged[i], k, &out);
        if (out.length >= CSV_PIECE)
            files_put(&file, &out);
    }
    files_put(&file, &out);
    text_free(&out);
    return files_end(&file);
}

/* --- The command. --- */

static int take_row(void *context, const struct row *row)
{
    return gather_row(&((struct fleet *)context)->g, row);
}

/* Warns about duplicate rows, rows without a rank number, and hosts of the same name. */
static void complain(const struct fleet *f)
{
    struct text namesakes = {0};
    size_t n = 0;

    if (f->g.doubles)
        (void)fprintf(stderr, "jitbench fleet: %llu row%s came twice, and count%s once\n",
                      (unsigned long long)f->g.doubles, f->g.doubles == 1 ? "" : "s", f->g.doubles == 1 ? "s" : "");
    if (f->g.without_rank)
        (void)fprintf(stderr, "jitbench fleet: %llu row%s without a rank number: judged by host\n",
                      (unsigned long long)f->g.without_rank, f->g.without_rank == 1 ? "" : "s");
    for (size_t m = 0; m < f->g.machines.n; m++)
        if (f->g.machine[m].namesake && n++ < NAMESAKES_TOLD)
            text_printf(&namesakes, "%s'%s'", n > 1 ? ", " : "", f->g.machines.name[m]);
    if (n > NAMESAKES_TOLD)
        text_printf(&namesakes, " and %zu more", n - NAMESAKES_TOLD);
    if (n)
        (void)fprintf(stderr,
                      "jitbench fleet: machines with different CPUs have the same name; they are called here: %s\n",
                      namesakes.data ? namesakes.data : "");
    text_free(&namesakes);
}

/* Returns the exit status by --fail-on. Without any figure to judge by it is a failure, because a check that cannot
 * judge must not pass. */
static int finding(const struct fleet *f)
{
    bool differs = false;

    for (size_t i = 0; i < f->g.machines.n; i++)
        differs = differs || f->judgement.judged[i].differences;
    if (!f->fail_on_given)
        return EXIT_DONE;
    if (count_out(f) || (f->options.fail_on == FAIL_ON_DIFFERENCE && differs))
        return EXIT_FINDING;
    if (f->judgement.n_figures)
        return EXIT_DONE;
    (void)usage_error("--fail-on: there is no figure to judge by");
    return EXIT_ROW_FAILED;
}

static int fleet(struct fleet *f, const char *const *operands, size_t n)
{
    struct text out = {0};
    int status;

    if (!n)
        return usage_error("names no file");
    f->g.by_rank = f->options.by == 1;
    f->g.metrics = metrics_table();
    if ((status = files_each("fleet", operands, n, 0, take_row, f, NULL)))
        return status;
    if (gather_finish(&f->g) || judge(&f->judgement, &f->g, f->options.min_effect_pct / 100))
        return out_of_memory();
    complain(f);
    /* The CSV is written first, so that an invalid file name is reported before anything is printed. */
    const int written = f->options.output[0] ? write_csv(f) : EXIT_DONE;
    if (written == EXIT_USAGE)
        return written;
    put_table(f, &out);
    put_summary(f, &out);
    const int printed =
        command_output(&command_fleet, !strcmp(f->options.output, "-") ? 2 : 1, !f->options.output[0], &out);
    if (written)
        return written;
    return printed ? printed : finding(f);
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
        judge_free(&f->judgement);
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
    .title = "names the machines among many that stand out, in which figures, and whose settings differ",
    .description = "Judges machines by the result files of each: a line a host with its headline figures, those that "
                   "stand out first. FILE is a result file, a directory of them, a pattern, or '-'.",
    .run = run,
    .tables = tables,
};
