/* SPDX-License-Identifier: MIT */
/* Common code of all commands that measure: options, session, rows, tables, exit status. */
#ifndef CMD_MEASURE_H
#define CMD_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/metrics.h"
#include "cmd/command.h"
#include "cmd/progress.h"
#include "cmd/require.h"
#include "engine/plan.h"
#include "out/table.h"
#include "rows/csv.h"
#include "sys/machine.h"

struct measure_options {
    struct option_cpus cpus;
    struct option_counts copies;
    int bind, layout, color;
    int64_t nice, fifo;
    uint64_t samples, max_time_ns, time_ns, runs, who_memory;
    double precision_pct, max_rsd_pct;
    char output[1024], series[1024], comment[256], dir[512], start_at[64], interleave[1024];
    struct require_options require;
    int core_probe; /* value of --core-probe: 0 is on, 1 is off */
    bool counters, who, hold_latency, tuned, force, no_csv, no_file, quick, classic, strict, quiet, verbose, help;
};

#define TESTS_MAX 64

/* State of a measuring session. */
struct measure {
    struct measure_options options;
    struct option_table tables[TABLES_MAX];
    size_t n_tables;
    enum option_preset preset;
    bool selected[TESTS_MAX];    /* flag for each of the suite's tests; all are set when there are no operands */
    bool operands_given, of_all; /* of_all: several suites run */
    struct machine machine;
    struct place_request place;
    struct clock_info clock;
    struct clock_pair clock_start;
    struct core_session *core;   /* core probes: do other guests or hardware threads use a core? NULL: none */
    struct culprit_watch *watch; /* records which tasks have the CPUs; NULL: not recorded */
    struct core_sight cores;     /* result of the first core probes, before anything was measured */
    uint64_t start_at_ns;        /* start time in CLOCK_REALTIME; 0: at once */
    struct row_run run;
    struct csv *csv;
    /* The words after the first "--", for suites that execute commands. */
    char *const *words;
    size_t n_words;
    int out_fd; /* descriptor to which tables are printed */
    bool print_failed;
    int series_fd;
    int hold_fd;        /* descriptor of /dev/cpu_dma_latency; -1: not held */
    char not_set[256];  /* settings that --hold-latency or --tuned could not change; "" when nothing failed */
    char tuned[200];    /* settings that --tuned changed */
    char quietest[240]; /* explanation of the choice by --cpus quiet */
    /* Rows of the suite that is running, for its tables. */
    struct row *rows;
    size_t n_rows, rows_capacity;
    struct progress progress;
    struct requirements requirements;
    enum row_status worst;
    int ended_by; /* signal that ended the session; 0: none */
    struct text warnings;
};

/* Input of the tables: rows of one suite and run, sorted by show_rows(), either just measured or read from a file. */
struct table_rows {
    const struct row *rows;
    size_t n;
    bool alone;     /* only this suite was measured, not `all`: prime and stream then print a line for each sample */
    bool verbose;   /* -v was given */
    bool pictures;  /* plots after the tables */
    unsigned width; /* width of the terminal in columns, at most 100; 100 when it is not a terminal */
    /* Maximum width of a table, for table_print(): width, but 0 (no limit) with -v. */
    unsigned table_width;
};

/* A table of a suite's own options. */
struct suite_options {
    const char *heading;
    const struct bench *bench; /* the entries are this benchmark's options; NULL: they are in `rows` */
    const struct option *rows;
    size_t n, offset; /* offset: of the struct for the values, within the suite's options struct */
    const struct option_foreign *foreign;
};
#define SUITE_ROWS(rows_) .rows = rows_, .n = sizeof(rows_) / sizeof((rows_)[0])

/* A suite: a family of measurements with a command of its own. `all` runs those in suite_list. */
struct suite {
    const char *name, *title;
    unsigned seconds[PRESET_COUNT]; /* usual duration in s on two CPUs, for the plan and the progress line */
    size_t options_size;
    const struct suite_options *options; /* ends with heading NULL */
    bool timed;                          /* has the options --time (length of a sample) and --dir (scratch directory) */
    bool copies;                         /* has the option --copies (number of copies that run at once) */
    /* Letters that usually belong to common options, but in the command of this suite to its own options, as in the
     * tool that it replaces. NULL: none. */
    const char *letters;
    /* Defaults of common options that differ for this suite. May be NULL. */
    const struct option_default *defaults;
    /* Further entries for common options (old names and letters, other help texts), whose values are stored in struct
     * measure_options. May be NULL. */
    const struct option *common_rows;
    size_t n_common_rows;
    enum schedule schedule;
    /* Names of the tests, which are the operands; ends with NULL. NULL: the suite takes no operands, or has test(). */
    const char *const *tests;
    /* Fills in the ith operand that is valid; returns false when there is none. */
    bool (*test)(size_t i, struct operand_word *out);
    /* For suites with test(): marks the tests selected by an operand (a test, a group, an old name) in m->selected;
     * returns -1 when it is unknown. */
    int (*select)(struct measure *m, const char *operand);
    const char *series_header; /* first line of --series FILE; NULL: the suite has no such option */
    /* Adds the items of the selected tests to the plan. Returns 0, or -1 with one line in error. Ends the program when
     * out of memory. */
    int (*plan)(const struct measure *m, void *options, struct plan *plan, char *error, size_t error_size);
    /* Appends to the header of the output what will be measured, in place of the usual line "Plan". May be NULL. */
    void (*announce)(const struct measure *m, const struct plan *plan, struct text *out);
    /* Returns whether idle CPUs are kept awake while the suite runs, as by --hold-latency. May be NULL. */
    bool (*holds_latency)(const void *options);
    void (*print)(const struct table_rows *rows, struct text *out);
    /* Computes rows, such as an index, from other rows when all items are done; `made` describes the test of the
     * computed rows. May be NULL. */
    void (*conclude)(struct measure *m);
    const struct metrics_test *made;
    /* Called after the tables if only this suite is measured: writes files in other formats, or judges the results.
     * Returns the exit status. May be NULL. */
    int (*finish)(const struct measure *m, const void *options);
    /* Returns whether the header of the output lacks its lines "Setting", "Quiet?" and "Check". May be NULL. */
    bool (*brief)(const void *options);
    bool names_takers; /* the plan has an item that records which tasks took the time, even without --who */
    bool commands;     /* words after "--" are commands to be executed (m->words) */
    /* Returns whether standard output is used by the measured commands, so that tables go to standard error. May be
     * NULL. */
    bool (*prints)(const void *options);
    /* Closes what plan() opened. unused: nothing was measured, so files created for it are removed. Returns
     * the exit status if a signal ended this, else 0. May be NULL. */
    int (*end)(void *options, bool unused);
};

/* The option entry of --time, for the tables of suites whose samples have a length. */
#define MEASURE_TIME_ROW(help_)                                                                                        \
    {                                                                                                                  \
        OPTION("time", 't', struct measure_options, time_ns, help_),                                                   \
            OPTION_NUMBER(OPTION_DURATION, "TIME", 10e6, 86400e9), .aliases = "seconds"                                \
    }

/* Fills in the tables of a suite's own options, whose values are stored in the struct `own` (may be NULL). Returns
 * their number. */
size_t measure_own_tables(const struct suite *suite, void *own, struct option_table *tables);
/* Fills in the tables of a suite: its own options, whose values are stored in the struct `own`, and those common
 * options that not all suites have, with `options`. suite NULL: those of `all`. Both structs may be NULL. Returns the
 * number of tables. */
size_t measure_suite_tables(const struct suite *suite, void *own, struct measure_options *options,
                            struct option_table *tables);

/* Fills in the table of the options that all suites have, with the defaults of this suite (NULL: of several suites).
 * Their values are stored in options, which may be NULL. */
void measure_table(const struct suite *suite, struct measure_options *options, struct option_table *table);

/* Fills in the ith operand of a suite; if the operand's help stays NULL, the title of its test serves as help. Returns
 * false when there is no ith operand. */
bool measure_test(const struct suite *suite, size_t i, struct operand_word *out);

/* Runs a command that measures: that of a suite, or `all`. Returns the exit status. */
int measure_main(const struct command *command, int argc, char **argv);

/* Returns whether the user gave the option of that long name, or another one that sets the same value, such as
 * --affinity for --cpus. */
bool measure_given(const struct measure *m, const char *option);
/* Sets counts (room for OPTION_COUNTS_MAX) to the numbers of copies that the user asked for, or to default_copies.
 * Returns how many numbers there are; each of them gets a plan item. */
size_t measure_copies(const struct measure *m, uint64_t default_copies, uint64_t *counts);
/* Returns the bytes that arrays may use: the available memory, at most the container's limit, and in a 32-bit process
 * at most half of the address space. */
uint64_t measure_memory(const struct measure *m);
/* Returns the number of CPUs given by --cpus, or 1 when it was not given. */
uint64_t measure_named_cpus(const struct measure *m);
/* Adds an item (a benchmark with its parameters) to the plan and returns it. The number and length of its samples are
 * those of measure_sampling(). The items of a phase begin after all earlier phases have ended. */
struct plan_item *measure_item(const struct measure *m, struct plan *plan, const struct bench *bench,
                               const void *params, uint64_t copies, unsigned phase);
/* Calls measure_item() for each number of copies that the user asked for, or for default_copies. */
void measure_add(const struct measure *m, struct plan *plan, const struct bench *bench, const void *params,
                 uint64_t default_copies, unsigned phase);
/* Returns the scratch directory: --dir, $TMPDIR, or the current one. */
const char *measure_dir(const struct measure *m);
/* Adds a row to the CSV and the table. measure points to a struct measure; it is void so that the function can be the
 * put() of a struct row_sink. */
void measure_put_row(void *measure, const struct row *row);
/* Initialises a row that is computed from other rows. metric: index of its metric in the test. */
void measure_made_row(const struct measure *m, const struct metrics_test *test, size_t metric, struct row *row);
/* Adds a row that is computed from other rows. metric: index of its metric in the test. cpus may be "". */
void measure_put_made(struct measure *m, const struct metrics_test *test, size_t metric, uint64_t copies,
                      const char *cpus, const struct row_params *param, double value);
/* Returns how many samples of a benchmark are taken, how long they are and how precise, by the preset (default,
 * --quick, --classic) and the user's options. */
struct sampling measure_sampling(const struct measure *m, const struct bench *bench);
/* Implements tables of struct command for the commands that measure: fills in all their option tables, for help.
 * Returns their number. */
size_t measure_tables(const struct command *command, struct option_table *tables);
/* Initialises a command that measures one suite. */
#define COMMAND_MEASURES(suite_) .suite = &(suite_), .run = measure_main, .tables = measure_tables

#endif
