/* SPDX-License-Identifier: MIT */
/* jitbench compare: tells whether results have changed, by how much, and with what confidence. */

#include "out/compare.h"
#include "cmd/cmd.h"

enum { FORMAT_TABLE, FORMAT_MARKDOWN, FORMAT_CSV };
enum { BY_ALL, BY_HOST };

static const struct option rows[] = {
    FILES_MIN_EFFECT_ROW(0, "1", "ignore smaller changes, even those that are statistically significant"),
    {OWN_OPTION("across", 0, across, "compare rows even if they differ in this"),
     OPTION_SOME_OF("WHAT,...", pair_across_names)},
    {OWN_OPTION("within", 0, within,
                "compare rows of the same files with each other: commands of `run`, loads, numbers of copies, CPUs")},
    {OWN_OPTION("by", 0, by, "pool all hosts of a side, or compare each host by itself and name those that stand out"),
     OPTION_EITHER("all|host", "all", "host"), .preset = {"all"}},
    {OWN_OPTION(
         "all", 'v', all,
         "show all rows of all metrics, and why; otherwise those that changed, of the metric that a test is judged by"),
     .aliases = "verbose"},
    FAIL_ON_ROW(struct options, fail_on),
    REQUIRE_ROWS,
    {OWN_OPTION("format", 0, format, "format of standard output"),
     OPTION_EITHER("table|markdown|csv", "table", "markdown", "csv"), .preset = {"table"}},
    FILES_OUTPUT_ROWS("write the comparison as CSV too; '-' is standard output, and the table goes to standard error"),
    COLOR_ROW(struct options),
    {OWN_OPTION("quiet", 'q', quiet, "print only the tables: no header or warnings")},
    COMMAND_HELP_ROW,
};

struct comparing {
    const struct options *options;
    bool alone;        /* there is only one file, which is judged by --require and not compared */
    char name[2][256]; /* of the file on each side; "": several */
    struct row_set base, changed;
    struct requirements requirements;
    struct pairs pairs;
    struct compared compared;
};

/* --- The files of both sides. --- */

/* Reads the files of both sides (before and after the change). At most one operand may be standard input. Returns 0, or
 * EXIT_USAGE with a line on standard error. */
static int read_sides(const struct command_call *call, struct comparing *c)
{
    const struct options *o = &call->options;
    const unsigned wanted = ROWS_SAMPLES | ROWS_CAUSES;
    size_t at = call->n, inputs = 0, separated = 0;

    for (size_t i = call->n; i-- > 0;) {
        const bool dashes = !strcmp(call->operands[i], "--");
        at = dashes ? i : at;
        separated += dashes;
        inputs += !strcmp(call->operands[i], "-");
    }
    const size_t n = call->n - separated, n_base = separated ? at : o->within ? n : 1;
    c->alone = n == 1 && !separated && !o->within;
    if (separated > 1)
        return usage_error("'--' is given once, between the files from before and those from after");
    if (o->within && (separated || !n))
        return usage_error("--within takes one or more files, without '--'");
    if (!o->within && !separated && n > 2)
        return usage_error("%zu files: put '--' between those before and those after (BASE... -- NEW...)", n);
    if (!o->within && !(c->alone && (o->require.require[0] || o->require.requirements[0])) &&
        (n < 2 || n_base == 0 || n_base == n))
        return usage_error("needs a file before and a file after (BASE NEW, or BASE... -- NEW...)");
    if (c->alone && o->output[0])
        return usage_error("--output: one file is not compared");
    TEXT_SET(c->name[0], n_base == 1 ? call->operands[0] : "");
    TEXT_SET(c->name[1], n - n_base == 1 ? call->operands[call->n - 1] : "");
    text_sanitize(c->name[0]);
    text_sanitize(c->name[1]);
    if (inputs > 1)
        return usage_error("standard input ('-') can be read only once");
    int status = files_read(call->operands, n_base, false, wanted, &c->base);
    if (!status && n > n_base)
        status = files_read(call->operands + n_base + separated, n - n_base, false, wanted, &c->changed);
    return status;
}

/* --- The comparison. --- */

/* Returns whether the comparison has a finding of --fail-on: a row or a mean with this verdict whose interval of the
 * ratio is on the other side of the limit; for `undecided` a row that was not compared, not decided, or not found to
 * have changed with an interval that goes beyond the limit. */
static bool fails(const struct compared *c, const struct fail_on *fail_on)
{
    static const unsigned kinds[] = {
        [VERDICT_FASTER] = FAIL_ON_FASTER,   [VERDICT_SLOWER] = FAIL_ON_SLOWER,
        [VERDICT_LOWER] = FAIL_ON_OTHER,     [VERDICT_HIGHER] = FAIL_ON_OTHER,
        [VERDICT_SAME] = FAIL_ON_UNDECIDED,  [VERDICT_UNDECIDED] = FAIL_ON_UNDECIDED,
        [VERDICT_APART] = FAIL_ON_UNDECIDED, [VERDICT_NO_GAIN] = FAIL_ON_UNDECIDED,
    };
    bool found = c->n_not_comparable && fail_on_finds(fail_on, FAIL_ON_UNDECIDED, NAN);

    for (size_t i = 0; i < c->n_rows + c->n_means; i++) {
        const struct comparison *of = c->row[i].of;
        const unsigned kind = kinds[compared_verdict(&c->row[i])];
        const double low = 100 * (of->low - 1), high = 100 * (of->high - 1);
        const double by = of->change == CHANGE_HIGHER  ? low
                          : of->change == CHANGE_LOWER ? -high
                          : of->change == CHANGE_NONE  ? fmax(-low, high)
                                                       : NAN;
        found = found || ((i < c->n_rows || kind != FAIL_ON_UNDECIDED) && fail_on_finds(fail_on, kind, by));
    }
    return found;
}

/* Compares, and writes CSV where that is wanted, otherwise tables to doc. Returns the exit status. */
static int compare_sides(struct comparing *c, const struct doc *doc)
{
    const struct options *options = c->options;
    struct text csv = {0};
    int status = EXIT_DONE;

    pairs_make(&c->base, options->within ? NULL : &c->changed, options->across, options->by == BY_HOST, &c->pairs);
    compared_make(&c->pairs, metrics_table(), options->all, options->min_effect_pct / 100, &c->compared);
    if (options->output[0]) {
        compared_put_csv(&c->compared, &csv);
        status = files_write(options->output, options->force, &csv);
    }
    if (status)
        return status;
    if (options->format == FORMAT_CSV) {
        compared_put_csv(&c->compared, &csv);
        status = command_output(!strcmp(options->output, "-") ? 2 : 1, !options->output[0], &csv);
    } else {
        compared_put(&c->compared, (const char *[]){c->name[0], c->name[1]}, options->all, !options->quiet, doc);
    }
    if (status)
        return status;
    if (!c->compared.n_rows)
        return command_fail(EXIT_ROW_FAILED, "no row can be compared");
    return fails(&c->compared, &options->fail_on) ? EXIT_FINDING : EXIT_DONE;
}

static int compare(struct command_call *call)
{
    const struct options *options = &call->options;
    const bool csv = options->format == FORMAT_CSV;
    const int fd = csv || !strcmp(options->output, "-") ? 2 : 1; /* of tables */
    struct text out = {.color = color_wanted(options->color, fd)};
    const struct doc doc = {.out = &out,
                            .format = options->format == FORMAT_MARKDOWN ? DOC_MARKDOWN : DOC_TEXT,
                            .width = options->all ? 0 : command_width(fd, 0, UINT_MAX)};
    struct comparing c = {.options = options};

    if (options->within && options->by == BY_HOST)
        return usage_error("--within and --by host exclude each other");
    int status = read_sides(call, &c);
    if (!status) /* judges the files from after the change, or the only file */
        status = require_rows(&options->require, c.changed.n ? &c.changed : &c.base, &c.requirements);
    if (!status && !c.alone)
        status = compare_sides(&c, &doc);
    if (c.requirements.n && status != EXIT_USAGE) {
        text_append(&out, "\n", !c.alone);
        require_put(&c.requirements, &doc);
        require_say(&c.requirements);
        status = !status && requirements_failed(&c.requirements) ? EXIT_FINDING : status;
    }
    const bool only = c.alone || !(csv || options->output[0]);
    const int printed = out.length ? command_output(fd, only, &out) : EXIT_DONE;
    requirements_free(&c.requirements);
    compared_free(&c.compared);
    pairs_free(&c.pairs);
    row_set_free(&c.base);
    row_set_free(&c.changed);
    return printed ? printed : status;
}

const struct command command_compare = {
    .name = "compare",
    .operands = "BASE.csv... [--] NEW.csv... | --within FILE.csv...",
    .title = "what changed between two sets of files, and how sure",
    .description = "Says what changed between two sets of result files, by how much, and how sure that is. Two files "
                   "need no '--'; each may be a directory of them, a pattern, or '-' for standard input.",
    COMMAND_CALLS_WITH(compare, rows, .separates = true),
};
