/* SPDX-License-Identifier: MIT */
/* jitbench compare: whether results have changed, by how much, and with what confidence. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/compare.h"
#include "analysis/compare_settings.h"
#include "cmd/files.h"
#include "cmd/suites.h"
#include "out/color.h"
#include "rows/text.h"
#include "sys/signals.h"

#define FEW_SAMPLES 5u

enum fail_on { FAIL_SLOWER, FAIL_CHANGED, FAIL_APART };
static const char *const fail_choices[] = {"slower", "changed", "not-comparable", NULL};
static const char *const format_choices[] = {"table", "markdown", "csv", NULL};
static const char *const by_choices[] = {"all", "host", NULL};

struct compare_options {
    double min_effect_pct;
    uint64_t fail_on, across;
    int by, format, color;
    char output[1024];
    bool within, all, quiet, force, help;
};

static const struct option rows[] = {
    {.name = "min-effect",
     .type = OPTION_PERCENT,
     .value_name = "PCT",
     .min = 0,
     .max = 1000,
     .preset = {"1"},
     OPTION_AT(struct compare_options, min_effect_pct),
     .help = "ignore smaller changes, even those that are statistically significant"},
    {.name = "across",
     .type = OPTION_NAMES,
     .value_name = "WHAT,...",
     .choices = pair_across_names,
     OPTION_AT(struct compare_options, across),
     .help = "compare rows even if they differ in this"},
    {.name = "within",
     .type = OPTION_FLAG,
     OPTION_AT(struct compare_options, within),
     .help = "compare rows of the same files with each other: commands of `run`, loads, numbers of copies, CPUs"},
    {.name = "by",
     .type = OPTION_CHOICE,
     .value_name = "all|host",
     .choices = by_choices,
     .preset = {"all"},
     OPTION_AT(struct compare_options, by),
     .help = "pool all hosts of a side, or compare each host by itself and name those that stand out"},
    {.name = "all",
     .letter = 'v',
     .aliases = "verbose",
     .type = OPTION_FLAG,
     OPTION_AT(struct compare_options, all),
     .help = "show all metrics, not only the one that a test is judged by, and name all rows that cannot be compared"},
    {.name = "fail-on",
     .type = OPTION_NAMES,
     .value_name = "WHAT,...",
     .choices = fail_choices,
     OPTION_AT(struct compare_options, fail_on),
     .help = "exit 4 when a row or a mean is slower, has changed at all, or when a row is not comparable"},
    {.name = "format",
     .type = OPTION_CHOICE,
     .value_name = "table|markdown|csv",
     .choices = format_choices,
     .preset = {"table"},
     OPTION_AT(struct compare_options, format),
     .help = "format of standard output"},
    {.name = "output",
     .letter = 'o',
     .type = OPTION_TEXT,
     .value_name = "FILE|-",
     OPTION_AT(struct compare_options, output),
     .help = "write the comparison as CSV too; '-' is standard output, and the table goes to standard error"},
    FILES_FORCE_ROW(struct compare_options),
    COLOR_ROW(struct compare_options),
    {.name = "quiet",
     .letter = 'q',
     .type = OPTION_FLAG,
     OPTION_AT(struct compare_options, quiet),
     .help = "print only the tables: no header or warnings"},
    {.name = "help",
     .letter = 'h',
     .type = OPTION_FLAG,
     OPTION_AT(struct compare_options, help),
     .help = "print this help"},
};

struct comparing {
    struct compare_options options;
    struct row_set base, changed;
    struct pairs pairs;
    struct compared compared;
};

static size_t tables(const struct command *command, struct option_table *out)
{
    (void)command;
    out[0] = (struct option_table){.heading = "Options of compare", .rows = rows, .n = sizeof(rows) / sizeof(rows[0])};
    return 1;
}

static int complain(const char *error, int status)
{
    return command_complain("compare", error, status);
}

/* --- The command line. --- */

struct sides {
    const char **files;
    size_t n, n_base;
};

/* Finds the `--` between the sides; options may be on both. Returns the number of arguments before it: argc when there
 * is none. */
static int find_separator(int argc, char *const *argv)
{
    int at = 1;

    while (at < argc && strcmp(argv[at], "--") != 0)
        at++;
    return at;
}

static int split_sides(const struct compare_options *options, struct sides *sides, bool separated)
{
    char error[200];

    if (options->within) {
        if (options->by == 1)
            return complain("--within and --by host exclude each other", EXIT_USAGE);
        if (separated || sides->n == 0)
            return complain("--within takes one or more files, without '--'", EXIT_USAGE);
        sides->n_base = sides->n;
        return 0;
    }
    if (!separated && sides->n > 2) {
        (void)snprintf(error, sizeof(error),
                       "%zu files: put '--' between those before and those after (BASE... -- NEW...)", sides->n);
        return complain(error, EXIT_USAGE);
    }
    if (!separated)
        sides->n_base = 1;
    if (sides->n < 2 || sides->n_base == 0 || sides->n_base == sides->n)
        return complain("needs a file before and a file after (BASE NEW, or BASE... -- NEW...)", EXIT_USAGE);
    return 0;
}

/* Returns 0, EXIT_USAGE, or -1 when help was printed. args has room for argc pointers. */
static int parse_args(const struct command *command, struct comparing *c, int argc, char **argv, char **args,
                      struct sides *sides)
{
    const int at = find_separator(argc, argv);
    struct option_table table;
    char error[512];
    int n = 0;

    memset(&table, 0, sizeof(table));
    (void)tables(command, &table);
    table.target = &c->options;
    for (int i = 0; i < argc; i++)
        if (i != at)
            args[n++] = argv[i];
    if (find_separator(n, args) < n)
        return complain("'--' is given once, between the files from before and those from after", EXIT_USAGE);
    int before = option_parse(at, argv, &table, 1, sides->files, error, sizeof(error));
    if (before < 0)
        return complain(error, EXIT_USAGE);
    sides->n_base = (size_t)before;
    int status = command_parse(command, &table, 1, &c->options.help, n, args, sides->files, &sides->n);
    return status ? status : split_sides(&c->options, sides, at < argc);
}

/* Reads both sides; standard input is read once, whichever side names it. */
static int read_sides(struct comparing *c, const struct sides *sides)
{
    size_t inputs = 0;

    for (size_t i = 0; i < sides->n; i++)
        inputs += !strcmp(sides->files[i], "-");
    if (inputs > 1)
        return complain("standard input ('-') can be read only once", EXIT_USAGE);
    int status = files_read("compare", sides->files, sides->n_base, ROWS_SAMPLES, &c->base);
    if (!status && sides->n > sides->n_base)
        status =
            files_read("compare", sides->files + sides->n_base, sides->n - sides->n_base, ROWS_SAMPLES, &c->changed);
    row_set_sanitize(&c->base);
    row_set_sanitize(&c->changed);
    return status;
}

/* --- The header: what was compared. --- */

static void run_host(const struct row *row, char *buf, size_t size)
{
    text_copy(buf, size, row->run->host);
}

static void run_kernel(const struct row *row, char *buf, size_t size)
{
    text_copy(buf, size, row->run->kernel);
}

static void run_cpu_model(const struct row *row, char *buf, size_t size)
{
    text_copy(buf, size, row->run->cpu_model);
}

static void row_user_command(const struct row *row, char *buf, size_t size)
{
    const char *command = row_command_line(row->param);

    text_copy(buf, size, command ? command : "");
}

static void run_cpus(const struct row *row, char *buf, size_t size)
{
    (void)snprintf(buf, size, "%" PRIu64, row->run->cpus_online);
}

static void row_nice(const struct row *row, char *buf, size_t size)
{
    text_copy(buf, size, "");
    if (!isnan(row->nice))
        (void)snprintf(buf, size, "%g", row->nice);
}

static void row_priority(const struct row *row, char *buf, size_t size)
{
    text_copy(buf, size, "");
    if (!isnan(row->rt_priority))
        (void)snprintf(buf, size, "%g", row->rt_priority);
}

static void row_held(const struct row *row, char *buf, size_t size)
{
    text_copy(buf, size, row->timer_latency_held);
}

/* Properties of rows that may differ and are listed, because they are what is compared. settings_diff() lists the
 * column settings. */
static const struct {
    const char *name;
    void (*of)(const struct row *row, char *buf, size_t size);
} settings[] = {
    {"host", run_host},
    {"kernel", run_kernel},
    {"CPU model", run_cpu_model},
    {"command", row_user_command},
    {"CPUs online", run_cpus},
    {"nice", row_nice},
    {"real-time priority", row_priority},
    {"idle CPUs kept awake", row_held},
};
#define SETTINGS (sizeof(settings) / sizeof(settings[0]))

/* Lists the different values of the compared rows, as far as there is room. */
static void values_of(const struct comparing *c, size_t setting, bool changed, char *buf, size_t size)
{
    struct text out = {0};
    char value[200];
    unsigned n = 0;

    for (size_t i = 0; i < c->compared.n_rows; i++) {
        const struct pair *pair = c->compared.row[i].pair;
        const struct row *const *of = changed ? pair->changed : pair->base;
        for (size_t k = 0; k < (changed ? pair->n_changed : pair->n_base); k++) {
            settings[setting].of(of[k], value, sizeof(value));
            char quoted[210];
            (void)snprintf(quoted, sizeof(quoted), "\x1f%s\x1f", value);
            if (!value[0] || n > 3 || (out.data && strstr(out.data, quoted)))
                continue;
            text_append(&out, quoted + (n > 0), strlen(quoted + (n > 0)));
            n++;
        }
    }
    text_copy(buf, size, out.length ? out.data + 1 : "");
    for (char *at = buf; *at; at++)
        if ((unsigned char)*at < ' ')
            *at = at[1] ? ';' : '\0';
    text_free(&out);
}

static size_t count_hosts(const struct row_set *set)
{
    size_t hosts = 0;

    for (size_t i = 0; i < set->n_runs; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++)
            seen = !strcmp(set->runs[i]->host, set->runs[k]->host);
        hosts += !seen;
    }
    return hosts;
}

static size_t count_runs(const struct row_set *set)
{
    size_t runs = 0;

    for (size_t i = 0; i < set->n_runs; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++)
            seen = set->runs[i]->run_id[0] && !strcmp(set->runs[i]->run_id, set->runs[k]->run_id);
        runs += !seen;
    }
    return runs;
}

static void put_side(const char *name, const struct row_set *set, struct text *out)
{
    const struct row_run *run = set->runs[0];
    const size_t runs = count_runs(set), hosts = count_hosts(set);
    char host[65];

    text_copy(host, sizeof(host), run->host[0] ? run->host : "an unknown host");
    for (char *at = host; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = '?';
    text_printf(out, "%-5s %zu run%s on ", name, runs, runs == 1 ? "" : "s");
    if (hosts > 1)
        text_printf(out, "%zu hosts\n", hosts);
    else
        text_printf(out, "%s\n", host);
}

/* Returns whether both sides are commands of one `jitbench run`, whose samples are interleaved. */
static bool is_in_turn(const struct compared_row *row)
{
    return row->pair->within && row_command(row->pair->about->param);
}

static void put_tested(const struct compared *compared, struct text *out)
{
    size_t by_runs = 0, by_hosts = 0, by_samples = 0, in_turn = 0;

    for (size_t i = 0; i < compared->n_rows; i++) {
        const struct compared_row *row = &compared->row[i];
        by_samples += compared->comparison[row->number].tested == TESTED_SAMPLES && !is_in_turn(row);
        in_turn += is_in_turn(row);
        by_hosts += row->by_hosts;
        by_runs += !row->by_hosts && compared->comparison[row->number].tested == TESTED_RUNS;
    }
    if (by_hosts)
        text_printf(out, "Tested means of hosts%s\n", by_runs || by_samples ? ", where each side has three" : "");
    if (by_runs)
        text_printf(out, "Tested means of runs%s\n", by_hosts || by_samples ? ", where each side has three" : "");
    if (by_samples)
        text_printf(out,
                    "Tested samples%s: with fewer than three runs a side the drift between runs cannot be seen,\n"
                    "       so a change has to be larger than the noise floor, which is how far the run's own samples "
                    "differ\n",
                    by_hosts || by_runs ? " elsewhere" : "");
    if (in_turn)
        text_printf(out, "Commands were measured in turns: drift of the machine affects all of them equally\n");
}

static void put_settings(const struct comparing *c, struct text *out)
{
    struct text differences = {0};

    settings_diff(&c->base, &c->changed, &differences);
    if (differences.length)
        text_printf(out, "Settings differ: %s\n", differences.data);
    out->failed |= differences.failed;
    text_free(&differences);
}

static void put_header(const struct comparing *c, struct text *out)
{
    char before[420], after[420];

    put_side(c->options.within ? "Within" : "Base", &c->base, out);
    if (c->options.within) {
        text_printf(out, "Base  the first row of each test and metric; for `run`, the first command\n");
        put_tested(&c->compared, out);
        text_append(out, "\n", 1);
        return;
    }
    put_side("New", &c->changed, out);
    for (size_t i = 0; i < SETTINGS; i++) {
        values_of(c, i, false, before, sizeof(before));
        values_of(c, i, true, after, sizeof(after));
        if (before[0] && after[0] && strcmp(before, after) != 0)
            text_printf(out, "Differs: %s: %s against %s\n", settings[i].name, before, after);
    }
    put_settings(c, out);
    put_tested(&c->compared, out);
    text_append(out, "\n", 1);
}

/* --- Warnings. --- */

static void warn(struct text *out, size_t n, const char *one, const char *many)
{
    if (n)
        text_printf(out, "Warning: %zu %s\n", n, n == 1 ? one : many);
}

static size_t count_unstable(const struct pair *pair)
{
    size_t n = 0;

    for (size_t i = 0; i < pair->n_base; i++)
        n += pair->base[i]->status == ROW_UNSTABLE;
    for (size_t i = 0; i < pair->n_changed; i++)
        n += pair->changed[i]->status == ROW_UNSTABLE;
    return n;
}

static void put_warnings(const struct comparing *c, struct text *out)
{
    size_t few = 0, drifted = 0, unstable = 0, single = 0;
    double worst = 0;

    for (size_t i = 0; i < c->compared.n_rows; i++) {
        const struct compared_row *row = &c->compared.row[i];
        single += c->compared.comparison[row->number].tested == TESTED_NOTHING && row->few > 0;
        few += row->few > 0 && row->few < FEW_SAMPLES && c->compared.comparison[row->number].tested == TESTED_SAMPLES;
        unstable += count_unstable(row->pair) > 0;
        drifted += row->drift_pct > 0;
        worst = fmax(worst, row->drift_pct);
    }
    if (single || few || unstable || drifted || c->pairs.doubles || c->pairs.degraded)
        text_append(out, "\n", 1);
    warn(out, single, "row is not judged: one sample does not show its spread; repeat both sides with --quick --runs 3",
         "rows are not judged: one sample does not show their spread; repeat both sides with --quick --runs 3");
    warn(out, few, "row has fewer than 5 samples: only large changes can be seen",
         "rows have fewer than 5 samples: only large changes can be seen");
    warn(out, unstable, "row is unstable: its samples spread by more than --max-rsd (5 % by default)",
         "rows are unstable: their samples spread by more than --max-rsd (5 % by default)");
    if (drifted)
        text_printf(out, "Warning: the machine drifted during a run, by up to %.1f %%, in %zu row%s\n", worst, drifted,
                    drifted == 1 ? "" : "s");
    warn(out, c->pairs.doubles, "row occurs twice and is counted once", "rows occur twice and are counted once");
    warn(out, c->pairs.degraded, "degraded, skipped or failed row is left out of its side",
         "degraded, skipped or failed rows are left out of their side");
}

/* --- The command. --- */

static bool finding(const struct comparing *c)
{
    const struct compared *compared = &c->compared;
    size_t slower = 0, changed = 0, not_comparable = compared->n_not_comparable;

    for (size_t i = 0; i < compared->n_rows + compared->n_means; i++) {
        const bool is_row = i < compared->n_rows;
        const struct comparison *comparison =
            &compared->comparison[is_row ? compared->row[i].number : compared->mean[i - compared->n_rows].number];
        enum compared_verdict verdict =
            compared_verdict(comparison, is_row ? compared->row[i].pair->about->better : "higher");
        slower += verdict == VERDICT_SLOWER;
        changed += verdict < VERDICT_SAME;
        not_comparable += is_row && verdict == VERDICT_UNJUDGED;
    }
    return (c->options.fail_on >> FAIL_SLOWER & 1 && slower) || (c->options.fail_on >> FAIL_CHANGED & 1 && changed) ||
           (c->options.fail_on >> FAIL_APART & 1 && not_comparable);
}

static int write_out(struct comparing *c)
{
    const int fd = !strcmp(c->options.output, "-") ? 2 : 1;
    struct compared_print how = {
        .format = COMPARED_CSV, .verbose = c->options.all, .min_effect = c->options.min_effect_pct / 100};
    struct text out = {0};

    if (c->options.output[0]) {
        if (c->options.force && files_clear("compare", c->options.output))
            return EXIT_USAGE;
        compared_put(&c->compared, &how, &out);
        int status = files_write("compare", c->options.output, &out);
        if (status)
            return status;
    }
    how.format = (enum compared_format)c->options.format;
    out.color = how.format == COMPARED_TABLE && color_wanted(c->options.color, fd);
    const bool words = how.format == COMPARED_TABLE && !c->options.quiet;
    if (words)
        put_header(c, &out);
    compared_put(&c->compared, &how, &out);
    if (words)
        put_warnings(c, &out);
    return command_output(&command_compare, fd, !c->options.output[0], &out);
}

static int compare(struct comparing *c)
{
    const double min_effect = c->options.min_effect_pct / 100;

    const int made = c->options.within
                         ? pairs_within(&c->base, c->options.across, &c->pairs)
                         : pairs_make(&c->base, &c->changed, c->options.across, c->options.by == 1, &c->pairs);

    if (made || compared_make(&c->pairs, metrics_table(), c->options.all, min_effect, &c->compared))
        return complain("out of memory", EXIT_ROW_FAILED);
    int status = write_out(c);
    if (status)
        return status;
    if (!c->compared.n_rows)
        return complain("no row can be compared", EXIT_ROW_FAILED);
    return finding(c) ? EXIT_FINDING : EXIT_DONE;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct comparing *c = calloc(1, sizeof(*c));
    struct sides sides = {.files = calloc((size_t)argc + 1, sizeof(const char *))};
    char **args = calloc((size_t)argc + 1, sizeof(*args));
    int status;

    if (c && sides.files && args) {
        status = parse_args(command, c, argc, argv, args, &sides);
        if (!status)
            status = read_sides(c, &sides);
        if (!status)
            status = compare(c);
    } else {
        status = complain("out of memory", EXIT_ROW_FAILED);
    }
    if (c) {
        compared_free(&c->compared);
        pairs_free(&c->pairs);
        row_set_free(&c->base);
        row_set_free(&c->changed);
    }
    free(args);
    free(sides.files);
    free(c);
    return status < 0 ? EXIT_DONE : status;
}

const struct command command_compare = {
    .name = "compare",
    .operands = "BASE.csv... [--] NEW.csv... | --within FILE.csv...",
    .title = "tells whether results changed, by how much and how sure that is",
    .description = "Compares the rows of two sets of result files: ratio of medians with its 95 % interval, tests "
                   "corrected for all rows shown, and a verdict in words. Rows that are not comparable (another CPU "
                   "model, another build of jitbench, another policy) are refused with the reason. Two files need no "
                   "'--'; each may be a directory of them, a pattern, or '-' for standard input.",
    .run = run,
    .tables = tables,
};
