/* SPDX-License-Identifier: MIT */
/* What all commands that measure have in common: options, session, rows, tables, exit status. */
#ifndef CMD_MEASURE_H
#define CMD_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/command.h"
#include "cmd/progress.h"
#include "engine/plan.h"
#include "out/csv.h"
#include "out/table.h"
#include "sys/machine.h"

struct measure_options {
    struct option_cpus cpus;
    struct option_counts copies;
    int bind, layout, color;
    int64_t nice, fifo;
    uint64_t samples, max_time_ns, time_ns;
    double precision_pct, max_rsd_pct;
    char output[1024], comment[256], dir[512], start_at[64];
    int core_probe; /* 0: on */
    bool hold_latency, tuned, force, no_csv, no_file, quick, classic, strict, quiet, verbose, help;
};

#define TESTS_MAX 64

/* All that is known while measuring. */
struct measure {
    struct measure_options options;
    struct option_table tables[TABLES_MAX];
    size_t n_tables;
    enum option_preset preset;
    bool selected[TESTS_MAX]; /* by the suite's tests; all when no operand was given */
    bool operands_given;
    struct machine machine;
    struct place_request place;
    struct clock_info clock;
    struct clock_pair clock_start;
    struct core_session *core; /* NULL: no core probes */
    struct core_sight cores;   /* of the CPUs to measure on, before anything ran */
    uint64_t start_at_ns;      /* of CLOCK_REALTIME; 0: at once */
    struct row_run run;
    struct csv *csv;
    /* The words behind the first "--" of suites that take commands, as they were given. */
    char *const *words;
    size_t n_words;
    int out_fd; /* where tables go */
    bool print_failed;
    int series_fd;
    int hold_fd;        /* of /dev/cpu_dma_latency; -1: not held */
    char not_set[256];  /* what --hold-latency or --tuned could not do; "" when all went well */
    char tuned[200];    /* what --tuned did */
    char quietest[160]; /* what --cpus quiet found */
    /* Rows of the suite that runs now, kept for its tables. */
    struct row *rows;
    size_t n_rows, rows_capacity;
    struct progress progress;
    enum row_status worst;
    int ended_by; /* signal; 0: none */
    struct text warnings;
};

/* The input of the tables: rows of one suite and run, in the order of table_rows_sort(), whether they were measured
 * just now or read back from a file. */
struct table_rows {
    const struct row *rows;
    size_t n;
    bool alone;     /* not within `all`: each run's lines too */
    bool verbose;   /* -v */
    bool pictures;  /* plots behind the tables */
    unsigned width; /* of the terminal, in columns, at most 100; 100 when it is none */
    /* Columns that a table may take, for table_print(): width, but 0 (no limit) with -v. */
    unsigned table_width;
};

/* A family of measurements, as a subcommand runs it alone and `all` with the others. */
struct suite {
    const char *name, *title;
    unsigned seconds[PRESET_COUNT]; /* the likely time on two CPUs: for `all`'s line of progress */
    size_t options_size;
    /* The tables that fill the suite's options struct. Returns how many. */
    size_t (*tables)(void *options, struct option_table *tables);
    bool timed;  /* its samples have a length, and may need a scratch folder */
    bool copies; /* it runs as many copies as the user says */
    /* Defaults of common options that are not those of the others. May be NULL. */
    const struct option_default *defaults;
    /* Old names and letters of common options, which land in struct measure_options. May be NULL. */
    const struct option *common_rows;
    size_t n_common_rows;
    enum schedule schedule;
    const char *const *tests; /* operands, NULL-ended; NULL: takes none */
    /* Marks what an operand means in m->selected (a test, a group, an old name); -1 when it is unknown. NULL: the
     * operand is one of tests, and its place there is marked. */
    int (*select)(struct measure *m, const char *operand);
    const char *series_header; /* the first line of --series FILE; NULL: the suite has no such option */
    /* Adds the items of the selected tests. 0, or -1 with one line in error. */
    int (*plan)(const struct measure *m, void *options, struct plan *plan, char *error, size_t error_size);
    /* Adds to the header what will be measured. May be NULL. */
    void (*announce)(const struct measure *m, const struct plan *plan, struct text *out);
    void (*print)(const struct table_rows *rows, struct text *out);
    /* Makes rows of rows when all items are done (indices). May be NULL. */
    void (*conclude)(struct measure *m);
    /* Called after the tables when the suite's command runs alone: files in other formats. 0 or an exit status. */
    int (*finish)(const struct measure *m, const void *options);
    /* Whether the header is to be its first lines only. May be NULL. */
    bool (*brief)(const void *options);
    bool commands; /* what stands behind "--" is not for the suite to select from, but to be executed: m->words */
    /* Whether standard output belongs to what is measured, so that tables go to standard error. May be NULL. */
    bool (*prints)(const void *options);
    /* Lets go of what plan() opened. unused: nothing was measured, so files that it made are to go. May be NULL. */
    void (*end)(void *options, bool unused);
};

/* The row of --time, for the tables of suites whose samples have a length. */
#define MEASURE_TIME_ROW(help_)                                                                                        \
    {                                                                                                                  \
        .name = "time", .letter = 't', .aliases = "seconds", .type = OPTION_DURATION, .value_name = "TIME",            \
        .min = 10e6, .max = 86400e9, OPTION_AT(struct measure_options, time_ns), .help = help_                         \
    }

/* Time and scratch folder, for suites whose samples have a length; listed by suites that have them, with m's options as
 * target. */
void measure_timed_table(struct measure_options *options, struct option_table *table);

/* The scratch folder alone, for `all`. */
void measure_dir_table(struct measure_options *options, struct option_table *table);

/* How many copies, for suites that have them, and for `all`. */
void measure_copies_table(struct measure_options *options, struct option_table *table);

/* The common table as the suite (NULL: several) has it, with its target when options is not NULL. */
void measure_table(const struct suite *suite, struct measure_options *options, struct option_table *table);

/* Whole commands: run of a suite's command, and of `all`, which runs the suites given. */
int measure_main(const struct command *command, const struct suite *const *suites, size_t n, int argc, char **argv);

/* Whether the user named the option. */
bool measure_given(const struct measure *m, const char *option);
/* For suites: how many copies the user wants, one item each; default_copies when he did not say. Returns the number of
 * counts in counts (OPTION_COUNTS_MAX). */
size_t measure_copies(const struct measure *m, uint64_t default_copies, uint64_t *counts);
/* The CPUs named by --cpus, or 1 when it was not given. */
uint64_t measure_named_cpus(const struct measure *m);
/* Adds an item for each number of copies, with the sampling of the benchmark's preset and the user's options.
 * 0 or -1 when out of memory. */
int measure_add(const struct measure *m, struct plan *plan, const struct bench *bench, const void *params,
                uint64_t default_copies, unsigned phase);
/* The scratch folder: --dir, $TMPDIR, or the current one. */
const char *measure_dir(const struct measure *m);
/* Puts a row of the command's own making into CSV and table. */
void measure_put_row(struct measure *m, const struct row *row);
/* The sampling of a benchmark under the preset and the user's options. */
struct sampling measure_sampling(const struct measure *m, const struct bench *bench);
/* The operands and --series of a suite's command (tables' targets NULL: for help). */
size_t measure_tables(const struct command *command, struct option_table *tables);
int measure_suite_main(const struct command *command, int argc, char **argv);

#endif
