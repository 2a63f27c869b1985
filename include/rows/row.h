/* SPDX-License-Identifier: MIT */
/* A result row: the CSV's columns in memory. One table of columns drives the writer, the reader, the man page check
 * and the tests. */
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

/* Columns that are the same in all rows of a run. */
struct row_run {
    char run_id[40], utc[24], host[65], job[40], rank[16];
    char kernel[160], arch[65], cpu_model[128], build[96], libc[48], settings[3072];
    uint64_t cpus_online; /* number of online CPUs; 0: not known */
    char comment[256];
    double start_late_us; /* how late the first sample began after --start-at; NAN: not asked for */
};

/* Work that a load did during the row. */
enum load_count {
    LOAD_CPU,          /* seconds of CPU time of all threads */
    LOAD_WRITTEN,      /* bytes passed to write() */
    LOAD_READ,         /* bytes returned by read() */
    LOAD_DISK_WRITTEN, /* bytes written as the kernel counts them at the block layer (/proc/self/io) */
    LOAD_DISK_READ,
    LOAD_WAKEUPS, /* wake-ups of one thread by another */
    LOAD_MOVED,   /* bytes of memory touched or moved */
    LOAD_BURSTS,  /* units of work done by a simulation */
    LOAD_COUNTS
};
extern const char *const load_count_names[LOAD_COUNTS]; /* keys in the column param: "load_cpu_s", ... */

void row_run_init(struct row_run *run); /* sets everything to 'not known' */
bool row_run_equal(const struct row_run *a, const struct row_run *b);

/* A cause of lost time, or the number of events of a kind that interrupted the measured parties. */
struct row_cause {
    double number; /* ms of time, or events */
    char name[15];
    bool is_time;
};
#define ROW_CAUSES_MAX 17
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
    char timer_latency_held[8]; /* deep idle states were avoided: "yes", "no" or "" */
    char scratch_disk[256];     /* storage_describe() of the scratch directory */
    char core_share[8]; /* share of its core that the CPU had, 0 to 1; "own": parties of the same trial shared the core
                         */
    double core_mhz;    /* measured core frequency */
    char counters[256]; /* counted_text() */
    char culprits[512]; /* culprits_text() */
    double explained_pct; /* share of the variance between samples that core sharing explains */
    /* The arrays below are freed by row_free(). */
    double *samples;
    size_t n_samples;
    struct stats_point *hist;
    size_t n_hist;
    struct stats_point *series;
    size_t n_series;
    uint64_t series_left_out;
    /* Position of the measurement in its suite's plan, from 1: rows are written in the order of completion, and
     * tables show them in this order. 0: computed from other rows, or not known. */
    uint64_t item;
    /* The fields below are not in the CSV. */
    int headline;  /* the metric is the headline of its test */
    size_t number; /* order of arrival within a suite or a set of rows */
};

/* Replaces characters in the texts of a row, or of a run, that are unsafe on a terminal: text_sanitize(). */
void row_sanitize(struct row *row);
void row_run_sanitize(struct row_run *run);

/* Returns whether a reason repeats the one in said, which was already shown: both are equal, or reason goes on after it
 * ("; the core was ..."). */
bool row_reason_repeats(const char *reason, const char *said);

void row_init(struct row *row, const struct row_run *run); /* sets everything to 'not known' */
void row_free(struct row *row);
/* Makes a deep copy; -1 when out of memory (then to is empty). */
int row_copy(struct row *to, const struct row *from);

enum row_column_type {
    COLUMN_TEXT, /* a char array */
    COLUMN_UINT, /* a uint64_t, where 0 is 'not known' */
    COLUMN_REAL, /* a double, where NAN is 'not known' */
    COLUMN_STATUS,
    COLUMN_CAUSES,  /* name:milliseconds and name=count, separated by ';' */
    COLUMN_SCHEMA,  /* number of the schema, always ROW_SCHEMA */
    COLUMN_SAMPLES, /* samples, separated by ';' */
    COLUMN_HIST,    /* low:count, separated by ';' */
    COLUMN_SERIES,  /* position:value, separated by ';', and ';+N' at the end when N were left out */
};
struct row_column {
    const char *name;
    enum row_column_type type;
    int in_run;          /* the field is in struct row_run, not in struct row */
    size_t offset, size; /* position of the field; size 0: samples, hist and series, which are arrays elsewhere */
};
extern const struct row_column row_columns[];
extern const size_t row_n_columns;

/* Replaces the commas in the field of a text column, so that a line of the CSV can be split at commas: by ';', or by
 * a space in the column settings, whose items are separated by ';'. Leaves the user's own words unchanged: comment,
 * test and load; and param, where row_params_read() does it. */
void row_text_to_csv(const struct row_column *column, char *field);
/* As row_text_to_csv(), for a field that was read, since older files have commas in their fields. CPU lists get their
 * commas back. */
void row_text_from_csv(const struct row_column *column, char *field);

/* Returns whether two rows are metrics of one measurement. */
bool row_same_measurement(const struct row *a, const struct row *b);

/* End of the name of a metric that was measured with the core free, that is, without another user of the CPU's core. */
#define ROW_ALONE "_alone"
/* If the row's metric ends in ROW_ALONE, returns the length of the name before that; otherwise 0. */
size_t row_is_alone(const struct row *row);
/* Returns the row of the same measurement and metric with the core free ("rate_alone" for "rate"); its value may be
 * NAN. NULL when the core was not probed. */
const struct row *row_alone_of(const struct row *rows, size_t n, const struct row *row);

/* Returns the share of its core that the row had, from 0 to 1; NAN: not known, or shared with the run's own parties. */
double row_core_share(const struct row *row);

/* Receives rows as they become known. The row belongs to the caller; the sink copies what it keeps. */
struct row_sink {
    void (*put)(void *context, const struct row *row);
    void *context;
};

/* Write and read back a row's reason that says in how many slices of the measured time (some 1.5 ms each) the core was
 * free. row_free_slices() returns false when the reason is another one. */
void row_free_describe(uint64_t free_slices, uint64_t slices, char *buf, size_t size);
bool row_free_slices(const char *reason, uint64_t *free_slices, uint64_t *slices);

#endif
