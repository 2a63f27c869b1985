/* SPDX-License-Identifier: MIT */
/* The options common to all commands that measure, --start-at and --require, and hints for other programs' options. */

#include "cmd/cmd.h"

/* --- Options of other programs. --- */

const struct option_foreign foreign_latency[] = {
    {"D duration", "the length of a sample is --time", FOREIGN_REFUSED},
    {"p prio priority", "the real-time priority is --fifo=PRIO", FOREIGN_REFUSED},
    {"a affinity cpu", "the CPUs are --cpus LIST", FOREIGN_REFUSED},
    {"json", "'jitbench export -f json FILE.csv' converts the CSV", FOREIGN_REFUSED},
    {.words = NULL},
};

const struct option_foreign foreign_cyclictest[] = {
    /* it always sleeps by clock_nanosleep(), until the same times on all CPUs, and prints when they are over */
    {"n nanosleep s system M refresh_on_max A aligned u unbuffered", NULL, FOREIGN_FLAG},
    {"d distance", "the threads of all CPUs wake up at once", FOREIGN_VALUE},
    {"c clock", "the clock is CLOCK_MONOTONIC", FOREIGN_VALUE},
    {"latency", "/dev/cpu_dma_latency is held at 0, unless --no-hold-latency is given", FOREIGN_VALUE},
    {"tracemark f ftrace", "with -b, --who prints what ran before the late wake-up", FOREIGN_FLAG},
    {"json", "'jitbench export -f cyclictest-json FILE.csv' writes it", FOREIGN_REFUSED},
    {"histfile", "'jitbench export -f cyclictest FILE.csv' writes it", FOREIGN_REFUSED},
    {"H histofall", "the histogram of all CPUs together is below the table; -h N sets where it ends", FOREIGN_REFUSED},
    {.words = NULL},
};

const struct option_foreign foreign_oslat[] = {
    {"D duration", "time", FOREIGN_MEANS},
    {"c cpu-list a affinity", "cpus", FOREIGN_MEANS},
    {"f rtprio p prio priority", "fifo", FOREIGN_MEANS},
    {"T trace-threshold", "stop-at", FOREIGN_MEANS},
    {"C cpu-main-thread", NULL, FOREIGN_VALUE}, /* it sleeps while others measure */
    {"s single-preheat", NULL, FOREIGN_FLAG},
    {"w workload", "the loop only reads the clock", FOREIGN_VALUE},
    {"B bias", "a detour is what a turn takes above the usual", FOREIGN_FLAG},
    {"json", "'jitbench export -f json FILE.csv' converts the CSV", FOREIGN_REFUSED},
    {.words = NULL},
};

const struct option_foreign foreign_hyperfine[] = {
    {"r", "samples", FOREIGN_MEANS},
    {"N", NULL, FOREIGN_FLAG}, /* without --shell there is none */
    {"command-name", "name", FOREIGN_MEANS},
    {"conclude", "--prepare of the next run can do it", FOREIGN_REFUSED},
    {"c", "hyperfine's -c is --cleanup", FOREIGN_REFUSED},
    {"i", "hyperfine's -i is --ignore-failure", FOREIGN_REFUSED},
    {"min-runs", "an exact number of runs is --samples, and --precision says when there are enough", FOREIGN_REFUSED},
    {"M max-runs", "an exact number of runs is --samples, and --max-time ends it early", FOREIGN_REFUSED},
    {"u time-unit", "the table chooses the unit, and the CSV is in seconds", FOREIGN_VALUE},
    {"style", "--color, --quiet and --verbose are for that", FOREIGN_VALUE},
    {"sort", "the order is that of the command line", FOREIGN_VALUE},
    {"export-json", "'jitbench export -f hyperfine-json FILE.csv' writes it from the CSV", FOREIGN_REFUSED},
    {"export-csv", "the CSV is --output FILE, and 'jitbench export -f hyperfine-json' has hyperfine's figures",
     FOREIGN_REFUSED},
    {"export-markdown", "--format markdown prints it", FOREIGN_REFUSED},
    {"export-asciidoc export-orgmode", "other programs make it from the CSV or Markdown", FOREIGN_REFUSED},
    {.words = NULL},
};

/* --- --start-at --- */

#define SECOND_NS 1000000000u

static const struct option wait_row = {
    .name = "start-at", .type = OPTION_DURATION, .min = 0, .max = (double)START_DAY_NS, .size = sizeof(uint64_t)};

/* Up to nine decimals. */
static int parse_epoch(const char *s, uint64_t *at_ns)
{
    const size_t whole = strspn(s, "0123456789");
    const size_t fraction = s[whole] == '.' ? 1 + strspn(s + whole + 1, "0123456789") : 0;

    if (!whole || whole > 10 || fraction > 10 || s[whole + fraction])
        return -1;
    *at_ns = strtoull(s, NULL, 10) * SECOND_NS + (uint64_t)(strtod(s + whole, NULL) * SECOND_NS + 0.5);
    return 0;
}

/* The nearest of yesterday, today and tomorrow. */
static int parse_time_of_day(const char *s, uint64_t now_ns, uint64_t *at_ns)
{
    const time_t now = (time_t)(now_ns / SECOND_NS);
    struct tm today;
    double nearest = 0;

    if (strlen(s) != 8 || strspn(s, "0123456789:") != 8 || !localtime_r(&now, &today))
        return -1;
    const char *end = strptime(s, "%H:%M:%S", &today);
    if (!end || *end || today.tm_sec > 59)
        return -1;
    *at_ns = 0;
    for (int day = -1; day <= 1; day++) {
        struct tm tm = today;
        tm.tm_mday += day;
        tm.tm_isdst = -1;
        time_t at = mktime(&tm);
        const double away = fabs(difftime(at, now));
        if (at > 0 && (!*at_ns || away < nearest)) {
            *at_ns = (uint64_t)at * SECOND_NS;
            nearest = away;
        }
    }
    return *at_ns ? 0 : -1;
}

int start_parse(const char *text, uint64_t now_ns, uint64_t *at_ns)
{
    uint64_t wait_ns = 0;
    struct error error;
    int result;

    if (text[0] == '+') {
        result = option_set(&wait_row, text + 1, &wait_ns, false, &error);
        *at_ns = now_ns + wait_ns;
        return result ? usage_error("%s", error.text) : 0;
    }
    result = text[0] == '@' ? parse_epoch(text + 1, at_ns) : parse_time_of_day(text, now_ns, at_ns);
    if (result == 0 && (*at_ns <= now_ns || *at_ns - now_ns <= START_DAY_NS))
        return 0;
    return usage_error("--start-at '%.60s': %s", text,
                       result ? "not '+TIME', 'HH:MM:SS' or '@SECONDS since 1970'"
                              : "more than a day away (at most 24h)");
}

/* --- --require and --requirements --- */

int require_each(const char *option, const char *lines, struct requirements *set)
{
    struct error error;
    char one[sizeof(((struct require_options *)0)->require)];
    int status = 0;

    for (const char *at = lines; *at && !status; at += strcspn(at, "\n"), at += *at == '\n') {
        text_copy(one, strcspn(at, "\n") + 1, at);
        const bool failed = requirements_add(set, one, &error);
        if (error.text[0])
            status = command_fail(failed ? EXIT_USAGE : 0, "%s '%.1000s': %s", option, one, error.text);
    }
    return status;
}

int require_read(const struct require_options *options, struct requirements *set)
{
    struct error error;
    const char *path = options->requirements, *why;
    int status = require_each("--require", options->require, set);

    if (status || !path[0])
        return status;
    FREED char *text = text_file_read(path, true, &why);
    const bool failed = !text || requirements_add_lines(set, text, &error);
    if (failed || error.text[0])
        status = command_fail(failed ? EXIT_USAGE : 0, "--requirements '%.1000s': %s", path, text ? error.text : why);
    return !text && signals_pending() ? 128 + signals_pending() : status;
}

void require_say(const struct requirements *set)
{
    for (const struct requirement *r = set->of; r < set->of + set->n; r++)
        if (!requirement_met(r))
            TEXT_ADD(command_said, "%s%s: %s", command_said[0] ? "; " : "", r->text,
                     units_plain(UNITS_VALUE(r->value, r->unit)));
}

int require_rows(const struct require_options *options, const struct row_set *rows, struct requirements *set)
{
    FREED struct require_name *names = memory_get(rows->n, sizeof(*names));

    for (size_t i = 0; i < rows->n; i++)
        names[i] =
            (struct require_name){rows->rows[i].suite, rows->rows[i].test, rows->rows[i].metric, rows->rows[i].unit};
    *set = (struct requirements){
        .metrics = metrics_table(), .names = names, .n_names = rows->n, .several_runs = rows->n_runs > 1};
    const int status = require_read(options, set);
    for (size_t i = 0; i < rows->n && !status; i++)
        requirements_row(set, &rows->rows[i]);
    return status;
}

/* --- Common options. --- */

static const struct option rows[] = {
    {OWN_OPTION("cpus", 0, cpus,
                "CPUs to measure on; default: all allowed CPUs; quiet: the CPU that loses the least speed now"),
     CPUS_LIST},
    {OWN_OPTION("bind", 0, bind, "bind each copy to one CPU, to all CPUs named, or not at all"),
     OPTION_ONE_OF("one|range|none", bind_names), .preset = {"one"}},
    {OWN_OPTION("nice", 'B', nice, "nice value of what is measured"), OPTION_NUMBER(INT, "N", -20, 19)},
    {OWN_OPTION("fifo", 0, fifo, "real-time policy SCHED_FIFO for what is measured"), OPTION_NUMBER(INT, "PRIO", 1, 95),
     .optional = "50", .above = "96 to 98 are jitbench's own timing and control threads, 99 the kernel's",
     .foreign_capped = 99},
    {OWN_OPTION("policy", 0, policy, "scheduling policy of what is measured"),
     OPTION_EITHER("other|batch|idle|rr|deadline|ext", "other", "batch", "idle", "rr", "deadline", "ext"),
     .preset = {"other"}},
    {OWN_OPTION("slice", 0, slice_ns,
                "slice of CPU time that the scheduler gives it (Linux 6.12); default: the kernel's"),
     OPTION_NUMBER(DURATION, "TIME", 1e5, 1e8)},
    {OWN_OPTION("uclamp", 0, uclamp, "least and most use of a CPU for which the kernel chooses its speed, of 1024"),
     OPTION_NUMBER(COUNTS, "MIN,MAX", 0, 1024)},
    {OWN_OPTION("samples", 'i', samples,
                "take exactly N samples, each in a fresh process, instead of as many as the precision needs"),
     OPTION_NUMBER(COUNT, "N", 1, 1e6), .aliases = "passes"},
    {OWN_OPTION("precision", 0, precision_pct, "half-width of the 95 % interval to reach, in % of the mean"),
     OPTION_NUMBER(PERCENT, "PCT", 0.01, 100)},
    {OWN_OPTION("max-rsd", 0, max_rsd_pct,
                "a row is unstable if the standard deviation of its samples is larger, in % of the mean"),
     OPTION_NUMBER(PERCENT, "PCT", 0.01, 1000), .preset = {"5"}},
    {OWN_OPTION("max-time", 0, max_time_ns, "stop sampling a figure after this time"),
     OPTION_NUMBER(DURATION, "TIME", 1e6, 7 * 86400e9)},
    {OWN_OPTION("start-at", 0, start_at,
                "begin at this time, together with other machines: +30s, 14:30:00, or @SECONDS since 1970"),
     OPTION_WORD("TIME")},
    {OWN_OPTION("runs", 0, runs,
                "measure all of it N times, each time in a new process and with a CSV file of its own "
                "(FILE-1.csv, ...; with as many digits as N)"),
     OPTION_NUMBER(COUNT, "N", 1, 1e4), .preset = {"1"}},
    {OWN_OPTION("interleave", 0, interleave,
                "alternate runs of this program as it is (none), or A, with B: another jitbench, a file of settings "
                "(PATH=VALUE), 'with:COMMAND', or further options ('--nice 19'); --runs is of each, by default 10"),
     OPTION_WORD("[A,]B")},
    {OWN_OPTION("with", 0, with, "meanwhile run a command that loads a scheduler (sched_ext)"), OPTION_WORD("COMMAND")},
    {OWN_OPTION("with-timeout", 0, with_timeout_ns,
                "how long that may take until the scheduler is in force, and to end"),
     OPTION_NUMBER(DURATION, "TIME", 1e7, 3600e9), .preset = {"10s"}},
    {OWN_OPTION("hold-latency", 0, hold_latency, "keep idle CPUs awake: hold /dev/cpu_dma_latency at 0")},
    {OWN_OPTION("core-probe", 0, core_probe, "probe between slices whether another guest or thread uses the core"),
     OPTION_EITHER("on|off", "on", "off"), .preset = {"on", "on", "off"}},
    {OWN_OPTION(
        "counters", 0, counters,
        "print event counts (cycles, instructions, misses, switches), and count them even where that slows work")},
    {OWN_OPTION(
        "who", 0, who,
        "record which tasks and interrupts have the measured CPUs meanwhile, and print those that take most; noise: in "
        "a second window of half the length")},
    {OWN_OPTION(
         "who-memory", 0, who_memory,
         "memory for the records of --who, of all CPUs; default: as much as they need, up to 1/16 of the memory"),
     OPTION_NUMBER(SIZE, "SIZE", 4096, 0x1p40)},
    {OWN_OPTION("tuned", 0, tuned,
                "as root: run `jitbench tune` before and `jitbench untune` after, and keep idle CPUs awake")},
    {OWN_OPTION("layout", 0, layout, "memory layout of each sample: varied, or always the same"),
     OPTION_EITHER("random|fixed", "random", "fixed"), .preset = {"random"}},
    {OWN_OPTION(
         "output", 'o', output,
         "CSV file; '-' is standard output, and the table goes to standard error; %h, %j, %k, %r, %t: host, job, "
         "kernel, rank, UTC time"),
     OPTION_WORD("FILE|-")},
    {OWN_OPTION("force", 0, force, "replace an existing output file; never through a symbolic link")},
    {OWN_OPTION("no-csv", 0, no_csv, "write no CSV")},
    {OWN_OPTION("no-samples", 0, no_samples, "leave the CSV's columns samples, hist and series empty")},
    {OWN_OPTION("comment", 'm', comment, "text for the comment column of each row"), OPTION_WORD("TEXT")},
    {OWN_OPTION("quick", 0, quick, "measure briefly, for a first look")},
    {OWN_OPTION("classic", 0, classic, "measure as long as UnixBench, Interbench and the others do")},
    {OWN_OPTION("strict", 0, strict, "exit 3 if a row is degraded, skipped or unstable")},
    REQUIRE_ROWS,
    {OWN_OPTION("print", 0, print,
                "print only this figure, as a number, on standard output; of several rows the worst; 'prime/time.p99'"),
     .type = OPTION_LINES, .value_name = "TEST/METRIC"},
    {OWN_OPTION("quiet", 'q', quiet, "print only the tables: no header, progress or warnings")},
    {OWN_OPTION("verbose", 'v', verbose,
                "print a line for each run and all columns in every table, and histograms even if not on a terminal")},
    COLOR_ROW(struct options),
    {OWN_OPTION("help", 'h', help, "print this help")},
};

const struct option measure_copies_rows[] = {
    {OWN_OPTION("copies", 'c', copies, "number of copies that run at once; several numbers are measured in turn"),
     OPTION_NUMBER(COUNTS, "N,...", 1, 4096)},
};

const struct option measure_timed_rows[] = {
    MEASURE_TIME_ROW("length of a sample; default: each test's own"),
    {OWN_OPTION("dir", 'd', dir, "scratch directory; default: $TMPDIR or the current directory"), OPTION_WORD("DIR")},
};

const struct option measure_series_rows[] = {
    {OWN_OPTION("series", 0, series, "write every experiment to FILE, as text"), OPTION_WORD("FILE")},
};

static const struct option thesis_rows[] = {
    {OWN_OPTION("thesis", 0, thesis,
                "measure what Kot's thesis shows: prime and array, all limits and sizes, a million experiments a run")},
};

size_t measure_tables(const struct suite *suite, void *own, struct options *options, struct option_table *tables)
{
    static const struct suite all = {
        .options = {{.rows = &measure_timed_rows[1], .n = 1, .common = true}, SUITE_COPIES, SUITE_COMMON(thesis_rows)}};
    size_t n = 0;

    for (const struct suite_options *o = (suite ? suite : &all)->options; o->rows || o->bench; o++, n++)
        tables[n] = (struct option_table){.heading = o->heading,
                                          .rows = o->bench ? o->bench->options : o->rows,
                                          .n = o->bench ? o->bench->n_options : o->n,
                                          .foreign = o->foreign,
                                          .target = o->common ? (void *)options
                                                    : own     ? (char *)own + o->offset
                                                              : NULL};
    tables[n] = (struct option_table){OPTION_TABLE("Options common to all that measure", rows, options)};
    if (suite) {
        tables[n].heading = "Further options: 'jitbench help options'";
        tables[n].differing = true;
        tables[n].defaults = suite->defaults;
        tables[n].taken = suite->letters;
    }
    return n + 1;
}
