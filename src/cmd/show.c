/* SPDX-License-Identifier: MIT */
/* jitbench show: prints the tables of runs again. */
#include "cmd/cmd.h"

/* In the order of the plan; figures from other rows (item 0) last. */
static int as_planned(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    return x->item != y->item ? ORDER_OF(x->item - 1, y->item - 1) : ORDER_OF(x->number, y->number);
}

/* No table of a suite shows them. */
static void put_plain(const struct table_rows *r, struct text *out)
{
    static const struct table_column columns[] = {
        FIELD(TEST),
        FIELD(LOAD),
        FIELD(PARAM),
        FIELD(COPIES, .rank = 1),
        FIELD(CPUS, .heading = "CPUs", .rank = 2),
        FIELD(METRIC),
        FIELD(VALUE),
        FIELD(UNIT),
        FIELD(CI95_HALF),
        FIELD(MIN, .rank = 4),
        FIELD(MEDIAN, .rank = 4),
        FIELD(MAX, .rank = 4),
        FIELD(N, .rank = 3),
    };
    const struct table_layout layout = {TABLE_OF(TEXT_LINE("Suite %s", r->rows[0].suite), columns),
                                        .decimals = TABLE_FOUR_DIGITS};

    for (size_t i = 0; i < r->n; i++) { /* each on a line of its own */
        r->copies[i] = r->rows[i];
        r->copies[i].item = i + 1;
        r->copies[i].headline = 1;
    }
    table_print(&layout, r->copies, r->n, r->table_width, out);
}

void show_rows(struct row *rows, size_t n, const struct show_how *how, struct text *out, struct text *warnings)
{
    const struct command *command = n ? command_find(rows[0].suite) : NULL;
    /* suites check whether the text is empty */
    FREED_BY(text_free)
    struct text tables = {
        .color = out->color, .markdown = out->markdown, .summed_up = how->summary && !how->verbose && !how->alone};

    bool begun = false; /* a suite that a signal kept from beginning has rows, but no table */

    for (size_t i = 0; i < n; i++)
        begun |= rows[i].status != ROW_SKIPPED || !starts_with(rows[i].reason, "ended by ");
    if (n)
        SORT(rows, n, as_planned);
    for (size_t i = 0; i < n && how->summary; i++)
        summary_row(how->summary, &rows[i]);
    if (!begun || how->only_summary)
        return;
    const unsigned width = command_width(how->fd, 100, 100);
    FREED struct row *copies = calloc(2 * n, sizeof(*copies));
    const struct table_rows shown = {.rows = rows,
                                     .n = n,
                                     .copies = copies,
                                     .alone = how->alone,
                                     .verbose = how->verbose,
                                     .pictures = how->verbose || (how->alone && isatty(how->fd)),
                                     .width = width,
                                     .table_width = how->verbose ? 0 : width};
    tables.failed = !copies;
    if (copies && command && command->suite)
        command->suite->print(&shown, &tables);
    if (copies && !tables.length)
        put_plain(&shown, &tables);
    if (how->counters)
        counters_put(rows, n, shown.table_width, &tables);
    culprits_put(rows, n, shown.table_width, &tables);
    text_append(&tables, "\n", 1);
    out->failed |= tables.failed;
    out->left_out |= tables.left_out;
    text_append(out, tables.data, tables.length);
    if (table_is_whole(&shown))
        warnings_collect(rows, n, metrics_table(), how->more, warnings);
}

void show_run(const struct row_run *run, struct text *out)
{
    text_printf(out, "jitbench%s%s, %s\n", run->build[0] ? " " : "", run->build,
                run->utc[0] ? run->utc : "time not known");
    text_printf(out, "Machine   %s, Linux %.*s %s, %s, ", run->host, (int)strcspn(run->kernel, " "), run->kernel,
                run->arch, run->cpu_model[0] ? run->cpu_model : "CPU model not known");
    if (run->cpus_online)
        text_printf(out, "%" PRIu64 " CPU%s online", run->cpus_online, PLURAL(run->cpus_online));
    else
        text_printf(out, "number of CPUs not known");
}

#define INDENT 14

static void put_line(const char *name, const char *line, unsigned width, struct text *out)
{
    const size_t start = out->length;

    text_printf(out, "  %-*s", INDENT - 2, name);
    text_wrap(out, line, INDENT, width); /* first: units have non-breaking spaces */
    if (!out->failed)
        out->length = start + strlen(units_plain(out->data + start));
}

void show_summary(struct summary *summary, const char *path, unsigned width, struct text *out)
{
    FREED_BY(text_free) struct text next = {0};

    summary_finish(summary);
    text_printf(out, "In short\n");
    for (unsigned i = 0; i < SUMMARY_LINES; i++) {
        if (summary->line[i].length)
            put_line(summary_names[i], summary->line[i].data, width, out);
        out->failed |= summary->line[i].failed;
    }
    if (path[0] && strcmp(path, "-")) {
        char *word[] = {(char *)path};
        text_printf(&next, "jitbench compare OTHER.csv ");
        words_quote(word, 1, &next);
        text_printf(&next, "; jitbench report ");
        words_quote(word, 1, &next);
        text_printf(&next, "; jitbench check");
        put_line("Next", next.failed ? "" : next.data, width, out);
    }
}

static const struct option rows[] = {
    {OWN_OPTION("counters", 0, counters,
                "print the event counts of each test too: cycles, instructions, misses, switches")},
    {OWN_OPTION("quiet", 'q', quiet, "print only the tables: no header and no warnings")},
    {OWN_OPTION("summary", 0, summary, "print only the machine and the lines that sum up the run")},
    {OWN_OPTION(
        "verbose", 'v', verbose,
        "print a line for each run and all columns in every table, and histograms even if standard output is not a "
        "terminal")},
    COLOR_ROW(struct options),
    COMMAND_HELP_ROW,
};

/* by_suite: and of the same suite. */
static size_t count_alike(const struct row *first, size_t n, bool by_suite)
{
    size_t count = 0;

    while (count < n && first[count].run == first->run && (!by_suite || !strcmp(first[count].suite, first->suite)))
        count++;
    return count;
}

static void put_run(struct row *first, size_t n, const struct options *options, const char *path, struct text *out)
{
    const struct row_run *run = first->run;
    FREED_BY(summary_free) struct summary summary = {0};
    const struct show_how how = {.fd = 1,
                                 .alone = count_alike(first, n, true) == n,
                                 .counters = options->counters,
                                 .verbose = options->verbose,
                                 .summary = options->quiet && !options->summary ? NULL : &summary,
                                 .only_summary = options->summary,
                                 .more = "--samples"};
    FREED_BY(text_free) struct text tables = {.color = out->color}, warnings = {0};

    for (size_t i = 0, count; i < n; i += count) {
        count = count_alike(first + i, n - i, true);
        show_rows(first + i, count, &how, &tables, &warnings);
    }
    if (!options->quiet || options->summary) {
        show_run(run, out);
        text_append(out, "\n", 1);
        if (run->job[0])
            text_printf(out, "Job       %s%s%s\n", run->job, run->rank[0] ? ", rank " : "", run->rank);
        if (run->comment[0])
            text_printf(out, "Comment   %s\n", run->comment);
        command_wrap(out, LABEL, options->verbose ? 0 : command_width(1, 0, 100));
        text_append(out, "\n", !options->summary);
    }
    if (!options->summary) {
        out->failed |= tables.failed;
        out->left_out = tables.left_out;
        text_append(out, tables.data, tables.length);
        text_append(out, warnings.data, options->quiet ? 0 : warnings.length);
        text_append(out, "\n", !options->quiet && warnings.length);
    }
    if (!options->quiet || options->summary)
        show_summary(&summary, options->summary ? "" : path, command_width(1, 100, 100), out);
}

static int put_set(const struct options *options, const char *path, struct row_set *set)
{
    int status = 0;

    metrics_mark_headlines(metrics_table(), set->rows, set->n);
    for (size_t i = 0, count; i < set->n && !status; i += count) {
        struct text out = {.color = color_wanted(options->color, 1)};
        count = count_alike(set->rows + i, set->n - i, false);
        if (i > 0 && (!options->quiet || options->summary))
            text_append(&out, "\n", 1);
        put_run(set->rows + i, count, options, path, &out);
        command_wrap(&out, 0, options->verbose ? 0 : command_width(1, 0, 100));
        status = command_output(1, true, &out);
    }
    return status;
}

static int show(struct command_call *call)
{
    FREED_BY(row_set_free) struct row_set set = {0};
    const int status = files_read(call->operands, call->n, true, ROWS_ALL | ROWS_UNKNOWN, &set);
    const int printed = put_set(&call->options, call->n == 1 ? call->operands[0] : "", &set);

    return printed ? printed : status;
}

const struct command command_show = {
    .name = "show",
    .operands = "FILE...",
    .title = "the tables of result files; --summary: a few lines",
    .description = "Prints the tables of runs again, with their machine, comment and warnings. " FILES_ARE,
    COMMAND_CALLS(show, rows),
    .needs = "FILE is missing: give the CSV of a run, or '-' for standard input",
};
