/* SPDX-License-Identifier: MIT */
/* A result row: one metric of one measurement, with all columns of its line in the CSV. The writer, the reader, the
 * check of the man page and the tests use the same table of columns. */
#ifndef ROWS_ROW_H
#define ROWS_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rows/param.h"
#include "stats/stats.h"

#define ROW_SCHEMA 2

enum row_status { ROW_OK, ROW_UNSTABLE, ROW_DEGRADED, ROW_SKIPPED, ROW_FAILED };
const char *row_status_name(enum row_status status);

/* The columns that are the same in all rows of one run of jitbench. */
struct row_run {
    char run_id[40], utc[24], host[65], job[40], rank[16];
    char kernel[160], arch[65], cpu_model[128], build[96], libc[48], settings[3072];
    uint64_t cpus_online; /* number of online CPUs; 0: not known */
    char comment[256];
    double start_late_us; /* how late the first sample began after the time of --start-at; NAN: the option was not
                           * given */
};

/* Counters of the work that a background load did while the row was measured. */
enum load_count {
    LOAD_CPU,          /* seconds of CPU time of all threads */
    LOAD_WRITTEN,      /* bytes passed to write() */
    LOAD_READ,         /* bytes returned by read() */
    LOAD_DISK_WRITTEN, /* bytes written to disks, by the kernel's count (/proc/self/io) */
    LOAD_DISK_READ,
    LOAD_WAKEUPS, /* wake-ups of one thread by another */
    LOAD_MOVED,   /* bytes of memory touched or copied */
    LOAD_BURSTS,  /* bursts of work done by a simulated interactive program */
    LOAD_COUNTS
};
extern const char *const load_count_names[LOAD_COUNTS]; /* parameters in the column param: "load_cpu_s", ... */

void row_run_init(struct row_run *run); /* sets everything to 'not known' */
bool row_run_equal(const struct row_run *a, const struct row_run *b);

/* What may have disturbed a measurement: the time lost to a cause, or how many events of a kind (interrupts,
 * migrations) happened. */
struct row_cause {
    double number; /* milliseconds if is_time, otherwise number of events */
    char name[15];
    bool is_time;
};
#define ROW_CAUSES_MAX 18
struct row_causes {
    struct row_cause of[ROW_CAUSES_MAX];
    size_t n;
};

struct row {
    const struct row_run *run;
    char suite[24], test[48], load[48];
    struct row_params param;
    uint64_t copies;
    char metric[48], unit[24], better[8]; /* better is "lower", "higher" or "" */
    double value;                         /* NAN: not known, as in all doubles below */
    struct stats_summary stats;
    double index;
    enum row_status status;
    char reason[256];
    char policy[24], cpus[256], bind[8], layout[64], scratch_fs[24];
    double rt_priority, nice;
    double wall_s, cpu_s, ctx_voluntary, ctx_involuntary, migrations, faults_minor, faults_major;
    double run_delay_ms, irqs, softirqs, steal_ms, freq_khz;
    struct row_causes causes;
    char timer_latency_held[8]; /* whether the kernel was asked to avoid deep idle states: "yes", "no" or "" */
    char scratch_disk[256];     /* properties of the scratch directory's disk, by storage_describe() */
    char core_share[8];   /* share of its core that the CPU had, 0 to 1; "own": the run itself could use the rest */
    double core_mhz;      /* core frequency in MHz, measured right after the samples */
    char counters[256];   /* event counts, by counted_text() of rows/counted.h */
    char culprits[512];   /* other tasks that ran, by culprits_text() of rows/culprits.h */
    double explained_pct; /* percentage of the variance between samples that other use of the core explains */
    /* The arrays below are freed by row_free(). */
    double *samples;
    size_t n_samples;
    struct stats_point *hist;
    size_t n_hist;
    struct stats_point *series;
    size_t n_series;
    uint64_t series_left_out;
    /* Position of the measurement in the order in which its suite was to measure, from 1. Rows are written in the order
     * of completion, but tables show them in this order. 0: computed from other rows, or not known. */
    uint64_t item;
    /* The fields below are not in the CSV. */
    int headline;  /* the metric is the main result of its test */
    size_t number; /* position among the rows of a run or of files that were read, in the order of their arrival */
};

/* Returns whether the column reason of a row need not be shown again after `said`, the reason of another row: they are
 * equal, or `reason` is `said` followed by ";" and more. */
bool row_reason_repeats(const char *reason, const char *said);

void row_init(struct row *row, const struct row_run *run); /* sets everything to 'not known' */
void row_free(struct row *row);
/* Makes a deep copy, which the caller frees with row_free(). Returns 0; or -1 when out of memory, and `to` is then
 * empty. */
int row_copy(struct row *to, const struct row *from);

enum row_column_type {
    COLUMN_TEXT, /* a char array */
    COLUMN_UINT, /* a uint64_t, where 0 is 'not known' */
    COLUMN_REAL, /* a double, where NAN is 'not known' */
    COLUMN_STATUS,
    COLUMN_CAUSES,  /* times "name:milliseconds" and counts "name=number", separated by ';' */
    COLUMN_SCHEMA,  /* version of the file format, always ROW_SCHEMA */
    COLUMN_SAMPLES, /* samples, separated by ';' */
    COLUMN_HIST,    /* bins of a histogram "lower limit:count", separated by ';' */
    COLUMN_SERIES,  /* values over time "position:value", separated by ';', and ';+N' at the end when N were left out */
};
struct row_column {
    const char *name;
    enum row_column_type type;
    int in_run;          /* the field is in struct row_run, not in struct row */
    size_t offset, size; /* position in the struct, and size, in bytes; size 0: COLUMN_SCHEMA, which has no field, and
                          * samples, hist and series, which are allocated arrays */
};
extern const struct row_column row_columns[];
extern const size_t row_n_columns;

/* Cleans the field of a text column by text_sanitize(), and replaces its commas by ';', so that scripts can split a
 * line of the CSV at commas. In the column settings, whose items are separated by ';', commas become spaces. Leaves the
 * commas of comment, test and load, which have the user's own words; and param, in which rows/param.h replaces commas.
 */
void row_text_to_csv(const struct row_column *column, char *field);
/* As row_text_to_csv(), for a field that was read from a file: files of older versions have commas in their fields. The
 * column cpus, a list of CPUs, gets its commas back. */
void row_text_from_csv(const struct row_column *column, char *field);

/* Returns whether two rows are metrics of the same measurement. */
bool row_same_measurement(const struct row *a, const struct row *b);

/* Suffix of a metric that was computed from those parts of the samples in which no other hardware thread used the CPU's
 * core ("the core was free"). */
#define ROW_ALONE "_alone"
/* If the row's metric ends in ROW_ALONE, returns the length of its name before the suffix; otherwise 0. */
size_t row_is_alone(const struct row *row);
/* Finds the row of the same measurement with the metric plus ROW_ALONE ("rate_alone" for "rate"). Its value may be NAN.
 * Returns NULL when there is none: the use of the core was not measured. */
const struct row *row_alone_of(const struct row *rows, size_t n, const struct row *row);

/* Returns whether the row is an index: one value a run, computed from the tests of its suite. */
bool row_is_index(const struct row *row);

/* Returns the column core_share, how much of its core the CPU had, as a number from 0 to 1. NAN: not known, or
 * "own". */
double row_core_share(const struct row *row);
/* Returns the largest standard deviation that the error of the logarithm of row_core_share() can have, since it comes
 * from one probe for each slice of the row's time; 0 when the time is not known. */
double row_core_share_error(const struct row *row);

/* A function that receives rows, one after another, as they are measured. The row belongs to the caller; the function
 * copies what it keeps. */
struct row_sink {
    void (*put)(void *context, const struct row *row);
    void *context;
};

/* Write, and read back, the text in the column reason that says in how many of the slices (of some 1.5 ms) of the
 * measured time no other hardware thread used the core. row_free_slices() returns false when the reason has no such
 * text. */
void row_free_describe(uint64_t free_slices, uint64_t slices, char *buf, size_t size);
bool row_free_slices(const char *reason, uint64_t *free_slices, uint64_t *slices);

#endif
