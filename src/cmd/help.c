/* SPDX-License-Identifier: MIT */
/* jitbench help, list and version: commands, suites, tests, metrics and build; and the table of metrics. */

#include "cmd/unix.h"
#include "version.h"

/* --- Metrics. --- */

const struct metrics *metrics_table(void)
{
    static struct metrics made;
    size_t n_suites = 0, n_tests = 0;

    if (made.n_tests)
        return &made;
    while (suite_list[n_suites])
        n_suites++;
    while (bench_list[n_tests])
        n_tests++;
    for_each_unix_test(variant) n_tests++;
    struct metrics_suite *suite = memory_get(n_suites, sizeof(*suite));
    struct metrics_test *test = memory_get(n_tests, sizeof(*test)), *of_rows = memory_get(n_suites, sizeof(*of_rows));
    made = (struct metrics){.suite = suite, .n_suites = n_suites, .test = test, .made = of_rows};
    for (size_t s = 0; s < n_suites; s++) {
        suite[s] = (struct metrics_suite){.name = suite_list[s]->command.name, .title = suite_list[s]->command.title};
        if (suite_list[s]->made)
            of_rows[made.n_made++] = *suite_list[s]->made;
    }
    for (size_t b = 0; bench_list[b]; b++) {
        const struct bench *bench = bench_list[b];
        struct metrics_metric *metrics = memory_get(bench->n_metrics, sizeof(*metrics));
        test[made.n_tests++] = (struct metrics_test){.suite = bench->suite,
                                                     .name = bench->name,
                                                     .title = bench->title,
                                                     .row_per_cpu = bench->group_per_copy,
                                                     .named_by_user = bench == &bench_command,
                                                     .metric = metrics,
                                                     .n = bench->n_metrics};
        for (unsigned m = 0; m < bench->n_metrics; m++) {
            const struct metric *metric = bench_metric(bench, m);
            metrics[m] =
                (struct metrics_metric){metric->id, metric->title, metric->unit, metric->better, metric->headline};
        }
    }
    for_each_unix_test(variant) if (!metrics_test(&made, "unix", variant.name)) test[made.n_tests++] =
        (struct metrics_test){.suite = "unix", .name = variant.name, .title = variant.title};
    return &made;
}

/* --- help --- */

/* On 23 lines of 80 columns, so that a terminal shows all of it and the next prompt. */
static void put_overview(struct text *out)
{
    static const struct {
        const struct command *first;
        const char *name;
    } groups[] = {{&command_all, "measure"}, {&command_show, "compare"}, {&command_check, "prepare"}};
    const size_t columns = command_width(1, 80, 120);
    size_t group = 0, i = 0;

    text_printf(out, "jitbench: how fast is this machine, how much does it jitter, and why\n"
                     "Usage: jitbench COMMAND [OPTION...]; a good start: jitbench all --quick\n");
    for (; command_list[i] != &command_list_; i++) {
        const bool begins = group < COUNT(groups) && command_list[i] == groups[group].first;
        text_printf(out, "%-8s %-8s ", begins ? groups[group++].name : "", command_list[i]->name);
        text_wrap(out, command_list[i]->title, 18, columns);
    }
    text_printf(out, "more    ");
    for (; command_list[i]; i++)
        text_printf(out, " %s%s", command_list[i]->name, command_list[i + 1] ? "," : "\n");
}

/* "1 s to 5 s", or one value when both are formatted alike. */
static void put_range(const char *before, const struct range *range, bool is_duration, struct text *out)
{
    const char *least = is_duration ? TEXT_DURATION(range->least) : TEXT_LINE("%" PRIu64, range->least);
    const char *most = is_duration ? TEXT_DURATION(range->most) : TEXT_LINE("%" PRIu64, range->most);

    text_printf(out, strcmp(least, most) ? "%s%s to %s" : "%s%s", before, least, most);
}

void help_sampling(const struct suite *suite, struct text *out)
{
    static const char *const names[PRESET_COUNT] = {"", "with --quick", "with --classic", "with --thesis"};

    text_printf(out, "\nUnless these options are given, each test is measured with:\n");
    for (unsigned preset = 0; preset < (suite ? PRESET_THESIS : PRESET_COUNT); preset++) {
        struct range samples = {UINT64_MAX, 0}, time = samples, cap = samples;
        double precision = 0;
        FREED_BY(text_free) struct text line = {0};
        for (size_t b = 0; bench_list[b]; b++) {
            const struct sampling *s = &bench_list[b]->sampling[preset];
            if (!s->min_samples || bench_list[b] == &bench_calibrate || /* no test */
                (suite ? strcmp(bench_list[b]->suite, suite->command.name) : bench_list[b] == &bench_command))
                continue;
            range_add(&samples, s->min_samples);
            if (s->time_ns) /* 0: a sample takes as long as its work */
                range_add(&time, s->time_ns);
            if (s->max_samples == s->min_samples)
                continue;
            precision = s->precision_pct;
            range_add(&cap, s->max_ns);
        }
        put_range("--samples ", &samples, false, &line);
        if (cap.least <= cap.most) {
            text_printf(&line, " or more, --precision %g%%", precision);
            put_range(", --max-time ", &cap, true, &line);
        }
        if (time.most)
            put_range(", --time ", &time, true, &line);
        text_printf(out, "  %-14s  ", names[preset]);
        out->failed |= line.failed;
        text_wrap(out, line.failed ? "" : line.data, 18, command_width(1, 80, 120));
    }
}

static int help(int argc, char **argv)
{
    struct text out = {0};

    if (argc > 2)
        return usage_error("takes at most one command's name");
    if (argc < 2) {
        put_overview(&out);
        return command_output(1, true, &out);
    }
    const struct command *about = command_find(strcmp(argv[1], "options") ? argv[1] : command_all.name);
    return about ? command_print_help(about) : command_unknown_command(argv[1]);
}

static bool command_word(const struct command *command, size_t i, struct operand_word *out)
{
    const bool suites = command == &command_list_; /* `run` included */

    for (size_t c = 0; command_list[c]; c++)
        if ((!suites || command_list[c]->suite) && i-- == 0) {
            *out = (struct operand_word){.name = command_list[c]->name, .help = command_list[c]->title};
            return true;
        }
    return false;
}

const struct operands command_names = {.kind = OPERANDS_WORDS, .most = 1, .noun = "command", .word = command_word};

const struct command command_help_ = {
    .name = "help",
    .operands = "[COMMAND]",
    .title = "the commands, or the options of one",
    .run = help,
    .takes = &command_names,
};

/* --- version --- */

void version_build(char *buf, size_t size)
{
    char id[48];

    process_build_id(id, sizeof(id));
    snprintf(buf, size, "%s %s build %.12s", VERSION, VERSION_COMMIT, id[0] ? id : "without id");
}

static int version(int argc, char **argv)
{
    char id[48], libc[48];
    struct text out = {0};

    (void)argv;
    if (argc > 1)
        return usage_error("takes no options or operands");
    process_build_id(id, sizeof(id));
    process_libc(libc, sizeof(libc));
    text_printf(&out, "jitbench %s\ncommit    %s\ncompiler  %s\nflags     %s\nlibc      %s\nbuild id  %s\n", VERSION,
                VERSION_COMMIT,
#ifdef __clang__
                __VERSION__,
#else
                "gcc " __VERSION__,
#endif
                VERSION_FLAGS, libc, id[0] ? id : "none");
    return command_output(1, true, &out);
}

const struct command command_version = {
    .name = "version",
    .operands = "",
    .title = "version, commit, compiler, C library and build id",
    .run = version,
};

/* --- list --- */

static const struct option rows[] = {
    {OWN_OPTION("metrics", 0, metrics, "list the metrics of each test too: id, unit, which direction is better")},
    COMMAND_HELP_ROW,
};

static void put_test(const struct metrics_test *test, bool metrics, struct text *out)
{
    text_printf(out, "  %-12s %s\n", test->name, test->title);
    for (size_t i = 0; metrics && i < test->n; i++) {
        const struct metrics_metric *m = &test->metric[i];
        text_printf(out, "    %-20s %-8s %-7s %s\n", m->id, m->unit ? m->unit : "ticks", m->better[0] ? m->better : "-",
                    m->title);
    }
}

static const struct operands suite_names = {.kind = OPERANDS_WORDS, .most = 1, .noun = "suite", .word = command_word};

static int list(struct command_call *call)
{
    const struct options *options = &call->options;
    const struct metrics *metrics = metrics_table();
    struct text out = {0};

    if (call->n > 1)
        return usage_error("takes at most one name of a suite");
    for (size_t c = 0; command_list[c]; c++) {
        const struct command *suite = command_list[c];
        if (!suite->suite || (call->n && strcmp(suite->name, call->operands[0])))
            continue;
        text_printf(&out, "%s: %s\n", suite->name, suite->title);
        for (size_t t = 0; t < metrics->n_tests; t++)
            if (metrics->test[t].metric && !strcmp(metrics->test[t].suite, suite->name))
                put_test(&metrics->test[t], options->metrics, &out);
        for (size_t t = 0; options->metrics && t < metrics->n_made; t++)
            if (!strcmp(metrics->made[t].suite, suite->name))
                put_test(&metrics->made[t], true, &out);
    }
    if (!out.length)
        return command_unknown_operand("", call->operands[0]);
    return command_output(1, true, &out);
}

const struct command command_list_ = {
    .name = "list",
    .operands = "[SUITE]",
    .title = "suites, their tests and metrics",
    COMMAND_CALLS_WITH(list, rows, .heading = "Options"),
    .takes = &suite_names,
};
