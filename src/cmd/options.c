/* SPDX-License-Identifier: MIT */
/* The options common to all commands that measure. */
#include "cmd/cmd.h"

static const char *const layout_choices[] = {"random", "fixed", NULL};

static const char *const on_off[] = {"on", "off", NULL};

static const struct option rows[] = {
    {OPTION("cpus", 0, struct measure_options, cpus,
            "CPUs to measure on; default: all allowed CPUs; quiet: the CPU that loses the least speed now"),
     .type = OPTION_CPUS, .value_name = "LIST|all|quiet", .choices = cpus_choices},
    {OPTION("bind", 0, struct measure_options, bind, "bind each copy to one CPU, to all CPUs named, or not at all"),
     OPTION_ONE_OF("one|range|none", bind_names), .preset = {"one"}},
    {OPTION("nice", 'B', struct measure_options, nice, "nice value of what is measured"),
     OPTION_NUMBER(OPTION_INT, "N", -20, 19)},
    {OPTION("fifo", 0, struct measure_options, fifo, "real-time policy SCHED_FIFO for what is measured"),
     OPTION_NUMBER(OPTION_INT, "PRIO", 1, 95), .optional = "50",
     .above = "96 to 98 are jitbench's own timing and control threads, 99 the kernel's"},
    {OPTION("samples", 'i', struct measure_options, samples,
            "take exactly N samples, each in a fresh process, instead of as many as the precision needs"),
     OPTION_NUMBER(OPTION_COUNT, "N", 1, 1e6), .aliases = "passes"},
    {OPTION("precision", 0, struct measure_options, precision_pct,
            "half-width of the 95 % interval to reach, in % of the mean"),
     OPTION_NUMBER(OPTION_PERCENT, "PCT", 0.01, 100)},
    {OPTION("max-rsd", 0, struct measure_options, max_rsd_pct,
            "a row is unstable if the standard deviation of its samples is larger, in % of the mean"),
     OPTION_NUMBER(OPTION_PERCENT, "PCT", 0.01, 1000), .preset = {"5"}},
    {OPTION("max-time", 0, struct measure_options, max_time_ns, "stop sampling a figure after this time"),
     OPTION_NUMBER(OPTION_DURATION, "TIME", 1e6, 7 * 86400e9)},
    {OPTION("start-at", 0, struct measure_options, start_at,
            "begin at this time, together with other machines: +30s, 14:30:00, or @SECONDS since 1970"),
     OPTION_WORD("TIME")},
    {OPTION("runs", 0, struct measure_options, runs,
            "measure all of it N times, each time in a new process and with a CSV file of its own "
            "(FILE-1.csv, ...; with as many digits as N)"),
     OPTION_NUMBER(OPTION_COUNT, "N", 1, 1e4), .preset = {"1"}},
    {OPTION("interleave", 0, struct measure_options, interleave,
            "alternate runs of this program as it is, or A, with B: another jitbench, or a file of settings "
            "(PATH=VALUE); --runs is of each, by default 10"),
     OPTION_WORD("[A,]B")},
    {OPTION("hold-latency", 0, struct measure_options, hold_latency,
            "keep idle CPUs awake: hold /dev/cpu_dma_latency at 0")},
    {OPTION("core-probe", 0, struct measure_options, core_probe,
            "probe between slices whether another guest or thread uses the core"),
     OPTION_ONE_OF("on|off", on_off), .preset = {"on", "on", "off"}},
    {OPTION("counters", 0, struct measure_options, counters,
            "print event counts (cycles, instructions, misses, switches), and count them even where that slows work")},
    {OPTION(
        "who", 0, struct measure_options, who,
        "record which tasks and interrupts have the measured CPUs meanwhile, and print those that take most; noise: in "
        "a second window of half the length")},
    {OPTION("who-memory", 0, struct measure_options, who_memory,
            "memory for the records of --who, of all CPUs; default: as much as they need, up to 1/16 of the memory"),
     OPTION_NUMBER(OPTION_SIZE, "SIZE", 4096, 0x1p40)},
    {OPTION("tuned", 0, struct measure_options, tuned,
            "as root: run `jitbench tune` before and `jitbench untune` after, and keep idle CPUs awake")},
    {OPTION("layout", 0, struct measure_options, layout, "memory layout of each sample: varied, or always the same"),
     OPTION_ONE_OF("random|fixed", layout_choices), .preset = {"random"}},
    {OPTION("output", 'o', struct measure_options, output,
            "CSV file; '-' is standard output, and the table goes to standard error; %h, %j, %r, %t: host, job, rank, "
            "UTC time"),
     OPTION_WORD("FILE|-")},
    {OPTION("force", 0, struct measure_options, force,
            "replace an existing output file; never through a symbolic link")},
    {OPTION("no-csv", 0, struct measure_options, no_csv, "write no CSV")},
    {OPTION("comment", 'm', struct measure_options, comment, "text for the comment column of each row"),
     OPTION_WORD("TEXT")},
    {OPTION("quick", 0, struct measure_options, quick, "measure briefly, for a first look")},
    {OPTION("classic", 0, struct measure_options, classic, "measure as long as UnixBench, Interbench and the others do")},
    {OPTION("strict", 0, struct measure_options, strict, "exit 3 if a row is degraded, skipped or unstable")},
    REQUIRE_ROWS(struct measure_options),
    {OPTION("quiet", 'q', struct measure_options, quiet, "print only the tables: no header, progress or warnings")},
    {OPTION("verbose", 'v', struct measure_options, verbose,
            "print a line for each run and all columns in every table, and histograms even if not on a terminal")},
    COLOR_ROW(struct measure_options),
    {OPTION("help", 'h', struct measure_options, help, "print this help")},
};

static const struct option copies_rows[] = {
    {OPTION("copies", 'c', struct measure_options, copies,
            "number of copies that run at once; several numbers are measured in turn"),
     OPTION_NUMBER(OPTION_COUNTS, "N,...", 1, 4096)},
};

static const struct option timed_rows[] = {
    MEASURE_TIME_ROW("length of a sample; default: each test's own"),
#define DIR_ROW 1
    {OPTION("dir", 'd', struct measure_options, dir, "scratch directory; default: $TMPDIR or the current directory"),
     OPTION_WORD("DIR")},
};

static const struct option series_rows[] = {
    {OPTION("series", 0, struct measure_options, series, "write every experiment to FILE, as text"),
     OPTION_WORD("FILE")},
};

size_t measure_own_tables(const struct suite *suite, void *own, struct option_table *tables)
{
    size_t filled = 0;

    for (const struct suite_options *o = suite->options; o->heading; o++)
        tables[filled++] = (struct option_table){.heading = o->heading,
                                                 .rows = o->bench ? o->bench->options : o->rows,
                                                 .n = o->bench ? o->bench->n_options : o->n,
                                                 .foreign = o->foreign,
                                                 .target = own ? (char *)own + o->offset : NULL};
    return filled;
}

size_t measure_suite_tables(const struct suite *suite, void *own, struct measure_options *options,
                            struct option_table *tables)
{
    static const struct suite all;
    size_t filled = suite ? measure_own_tables(suite, own, tables) : 0;

    suite = suite ? suite : &all;
    if (suite == &all)
        tables[filled++] =
            (struct option_table){.heading = "Options of all", .rows = &timed_rows[DIR_ROW], .n = 1, .target = options};
    if (suite->common_rows)
        tables[filled++] =
            (struct option_table){.rows = suite->common_rows, .n = suite->n_common_rows, .target = options};
    if (suite->timed)
        tables[filled++] = (struct option_table){OPTION_TABLE(NULL, timed_rows, options)};
    if (suite->copies || suite == &all)
        tables[filled++] = (struct option_table){OPTION_TABLE(NULL, copies_rows, options)};
    if (suite->series_header)
        tables[filled++] = (struct option_table){OPTION_TABLE(NULL, series_rows, options)};
    return filled;
}

void measure_table(const struct suite *suite, struct measure_options *options, struct option_table *table)
{
    *table = (struct option_table){OPTION_TABLE("Options common to all that measure", rows, options)};
    if (suite) {
        table->defaults = suite->defaults;
        table->taken = suite->letters;
    }
}
