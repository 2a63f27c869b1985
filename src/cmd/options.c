/* SPDX-License-Identifier: MIT */
/* The options common to all commands that measure. */
#include <string.h>

#include "cmd/cpus.h"
#include "cmd/measure.h"
#include "out/color.h"

static const char *const layout_choices[] = {"random", "fixed", NULL};

static const char *const on_off[] = {"on", "off", NULL};

static const struct option rows[] = {
    {.name = "cpus",
     .type = OPTION_CPUS,
     .value_name = "LIST|all|quiet",
     .choices = cpus_choices,
     OPTION_AT(struct measure_options, cpus),
     .help = "CPUs to measure on; default: all allowed CPUs; quiet: the CPU that loses the least speed now"},
    {.name = "bind",
     OPTION_ONE_OF("one|range|none", bind_names),
     .preset = {"one"},
     OPTION_AT(struct measure_options, bind),
     .help = "bind each copy to one CPU, to all CPUs named, or not at all"},
    {.name = "nice",
     .letter = 'B',
     OPTION_NUMBER(OPTION_INT, "N", -20, 19),
     OPTION_AT(struct measure_options, nice),
     .help = "nice value of what is measured"},
    {.name = "fifo",
     OPTION_NUMBER(OPTION_INT, "PRIO", 1, 95),
     .optional = "50",
     .above = "96 to 98 are jitbench's own timing and control threads, 99 the kernel's",
     OPTION_AT(struct measure_options, fifo),
     .help = "real-time policy SCHED_FIFO for what is measured"},
    {.name = "samples",
     .letter = 'i',
     .aliases = "passes",
     OPTION_NUMBER(OPTION_COUNT, "N", 1, 1e6),
     OPTION_AT(struct measure_options, samples),
     .help = "take exactly N samples, each in a fresh process, instead of as many as the precision needs"},
    {.name = "precision",
     OPTION_NUMBER(OPTION_PERCENT, "PCT", 0.01, 100),
     OPTION_AT(struct measure_options, precision_pct),
     .help = "half-width of the 95 % interval to reach, in % of the mean"},
    {.name = "max-rsd",
     OPTION_NUMBER(OPTION_PERCENT, "PCT", 0.01, 1000),
     .preset = {"5"},
     OPTION_AT(struct measure_options, max_rsd_pct),
     .help = "a row is unstable if the standard deviation of its samples is larger, in % of the mean"},
    {.name = "max-time",
     OPTION_NUMBER(OPTION_DURATION, "TIME", 1e6, 7 * 86400e9),
     OPTION_AT(struct measure_options, max_time_ns),
     .help = "stop sampling a figure after this time"},
    {.name = "start-at",
     OPTION_WORD("TIME"),
     OPTION_AT(struct measure_options, start_at),
     .help = "begin at this time, together with other machines: +30s, 14:30:00, or @SECONDS since 1970"},
    {.name = "runs",
     OPTION_NUMBER(OPTION_COUNT, "N", 1, 1e4),
     .preset = {"1"},
     OPTION_AT(struct measure_options, runs),
     .help = "measure all of it N times, each time in a new process and with a CSV file of its own (FILE-01.csv, ...)"},
    {.name = "interleave",
     OPTION_WORD("[A,]B"),
     OPTION_AT(struct measure_options, interleave),
     .help = "alternate runs of this program as it is, or A, with B: another jitbench, or a file of settings "
             "(PATH=VALUE); --runs is of each, by default 10"},
    {.name = "hold-latency",
     OPTION_AT(struct measure_options, hold_latency),
     .help = "keep idle CPUs awake: hold /dev/cpu_dma_latency at 0"},
    {.name = "core-probe",
     OPTION_ONE_OF("on|off", on_off),
     .preset = {"on", "on", "off"},
     OPTION_AT(struct measure_options, core_probe),
     .help = "probe between slices whether another guest or thread uses the core"},
    {.name = "counters",
     OPTION_AT(struct measure_options, counters),
     .help = "print event counts (cycles, instructions, misses, switches), and count them even where that slows work"},
    {.name = "tuned",
     OPTION_AT(struct measure_options, tuned),
     .help = "as root: run `jitbench tune` before and `jitbench untune` after, and keep idle CPUs awake"},
    {.name = "layout",
     OPTION_ONE_OF("random|fixed", layout_choices),
     .preset = {"random"},
     OPTION_AT(struct measure_options, layout),
     .help = "memory layout of each sample: varied, or always the same"},
    {.name = "output",
     .letter = 'o',
     OPTION_WORD("FILE|-"),
     OPTION_AT(struct measure_options, output),
     .help = "CSV file; '-' is standard output, and the table goes to standard error; %h, %j, %r, %t: host, job, rank, "
             "UTC time"},
    {.name = "force",
     OPTION_AT(struct measure_options, force),
     .help = "replace an existing output file; never through a symbolic link"},
    {.name = "no-csv", OPTION_AT(struct measure_options, no_csv), .help = "write no CSV"},
    {.name = "comment",
     .letter = 'm',
     OPTION_WORD("TEXT"),
     OPTION_AT(struct measure_options, comment),
     .help = "text for the comment column of each row"},
    {.name = "quick", OPTION_AT(struct measure_options, quick), .help = "measure briefly, for a first look"},
    {.name = "classic", OPTION_AT(struct measure_options, classic), .help = "measure as long as the original programs"},
    {.name = "strict",
     OPTION_AT(struct measure_options, strict),
     .help = "exit 3 if a row is degraded, skipped or unstable"},
    REQUIRE_ROWS(struct measure_options),
    {.name = "quiet",
     .letter = 'q',
     OPTION_AT(struct measure_options, quiet),
     .help = "print only the tables: no header, progress or warnings"},
    {.name = "verbose",
     .letter = 'v',
     OPTION_AT(struct measure_options, verbose),
     .help = "print a line for each run and all columns in every table, and histograms even if not on a terminal"},
    COLOR_ROW(struct measure_options),
    {.name = "help", .letter = 'h', OPTION_AT(struct measure_options, help), .help = "print this help"},
};

static const struct option copies_rows[] = {
    {.name = "copies",
     .letter = 'c',
     OPTION_NUMBER(OPTION_COUNTS, "N,...", 1, 4096),
     OPTION_AT(struct measure_options, copies),
     .help = "number of copies that run at once; several numbers are measured in turn"},
};

static const struct option timed_rows[] = {
    MEASURE_TIME_ROW("length of a sample; default: each test's own"),
#define DIR_ROW 1
    {.name = "dir",
     .letter = 'd',
     OPTION_WORD("DIR"),
     OPTION_AT(struct measure_options, dir),
     .help = "scratch directory; default: $TMPDIR or the current directory"},
};

void measure_copies_table(struct measure_options *options, struct option_table *table)
{
    memset(table, 0, sizeof(*table));
    table->rows = copies_rows;
    table->n = sizeof(copies_rows) / sizeof(copies_rows[0]);
    table->target = options;
}

void measure_timed_table(struct measure_options *options, struct option_table *table)
{
    memset(table, 0, sizeof(*table));
    table->rows = timed_rows;
    table->n = sizeof(timed_rows) / sizeof(timed_rows[0]);
    table->target = options;
}

void measure_dir_table(struct measure_options *options, struct option_table *table)
{
    memset(table, 0, sizeof(*table));
    table->rows = &timed_rows[DIR_ROW];
    table->n = 1;
    table->target = options;
}

void measure_table(const struct suite *suite, struct measure_options *options, struct option_table *table)
{
    memset(table, 0, sizeof(*table));
    table->heading = "Options common to all that measure";
    table->rows = rows;
    table->n = sizeof(rows) / sizeof(rows[0]);
    table->defaults = suite ? suite->defaults : NULL;
    table->taken = suite ? suite->letters : NULL;
    table->target = options;
}
