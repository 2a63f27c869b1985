/* SPDX-License-Identifier: MIT */
/* What all commands that measure have in common: options, session, rows, tables, exit status. */
#ifndef CMD_MEASURE_H
#define CMD_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/command.h"
#include "engine/plan.h"
#include "out/csv.h"
#include "out/table.h"
#include "sys/machine.h"

struct measure_options {
    struct option_cpus cpus;
    struct option_counts copies;
    int bind, layout;
    int64_t nice, fifo;
    uint64_t samples, max_time_ns;
    double precision_pct;
    char output[1024], comment[256];
    bool no_csv, quick, classic, strict, quiet, verbose, help;
};

#define TESTS_MAX 32

/* All that is known while measuring. */
struct measure {
    struct measure_options options;
    struct option_table tables[TABLES_MAX];
    size_t n_tables;
    enum option_preset preset;
    bool selected[TESTS_MAX]; /* by the suite's tests */
    struct machine machine;
    struct place_request place;
    struct clock_info clock;
    struct clock_pair clock_start;
    struct row_run run;
    struct csv *csv;
    int out_fd; /* where tables go */
    int series_fd;
    /* Rows of the suite that runs now, kept for its tables. */
    struct row *rows;
    size_t n_rows, rows_capacity;
    /* For the line of progress. */
    const char *suite_name;
    uint64_t began_ns, progress_shown_ns;
    double done_before, weight; /* share of the whole that is done, and that the suite stands for */
    enum row_status worst;
    int ended_by; /* signal; 0: none */
    struct text warnings;
};

/* A family of measurements, as a subcommand runs it alone and `all` with the others. */
struct suite {
    const char *name, *title;
    unsigned seconds[PRESET_COUNT]; /* the likely time on two CPUs: for `all`'s line of progress */
    size_t options_size;
    /* The tables that fill the suite's options struct. Returns how many. */
    size_t (*tables)(void *options, struct option_table *tables);
    const char *const *tests;  /* operands, NULL-ended; NULL: takes none */
    const char *series_header; /* the first line of --series FILE; NULL: the suite has no such option */
    /* Adds the items of the selected tests. 0, or -1 with one line in error. */
    int (*plan)(const struct measure *m, void *options, struct plan *plan, char *error, size_t error_size);
    /* Prints the suite's tables of m->rows. alone: not within `all`. */
    void (*print)(const struct measure *m, bool alone, struct text *out);
};

/* The common table, with its target when options is not NULL. */
void measure_table(struct measure_options *options, struct option_table *table);

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
/* The operands and --series of a suite's command (tables' targets NULL: for help). */
size_t measure_tables(const struct command *command, struct option_table *tables);
int measure_suite_main(const struct command *command, int argc, char **argv);

#endif
