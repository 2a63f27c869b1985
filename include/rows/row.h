/* SPDX-License-Identifier: MIT */
/* A row: one metric of one measurement, with all columns of its line in the CSV. Writer, reader, the check of the
 * man page and the tests use the same table of columns. */
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

/* The same in all rows of one run of jitbench. */
struct row_run {
    char run_id[40], utc[24], host[65], job[40], rank[16];
    char kernel[160], arch[65], cpu_model[128], build[96], libc[48], settings[3072];
    uint64_t cpus_online; /* 0: not known */
    char comment[256];
    double start_late_us; /* how late after --start-at the first sample began; NAN: not given */
};

/* Work of a background load while the row was measured. */
enum load_count {
    LOAD_CPU,          /* s of all threads */
    LOAD_WRITTEN,      /* bytes passed to write() */
    LOAD_READ,         /* bytes returned by read() */
    LOAD_DISK_WRITTEN, /* bytes, by the kernel's count (/proc/self/io) */
    LOAD_DISK_READ,
    LOAD_WAKEUPS, /* of one thread by another */
    LOAD_MOVED,   /* bytes of memory touched or copied */
    LOAD_BURSTS,  /* of work of a simulated interactive program */
    LOAD_COUNTS
};
extern const char *const load_count_names[LOAD_COUNTS]; /* in the column param: "load_cpu_s", ... */

void row_run_init(struct row_run *run); /* all 'not known' */
bool row_run_equal(const struct row_run *a, const struct row_run *b);

/* Time lost to a cause, or number of events of a kind (interrupts, migrations). */
struct row_cause {
    double number; /* ms if is_time, else events */
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
    char metric[48], unit[24], better[8]; /* better: "lower", "higher" or "" */
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
    char timer_latency_held[8]; /* deep idle states avoided: "yes", "no" or "" */
    char scratch_disk[256];     /* by storage_describe() */
    char core_share[8];         /* of the CPU, 0 to 1; "own": the run itself could use the rest */
    double core_mhz;            /* right after the samples */
    char counters[256];         /* by counted_text() of rows/counted.h */
    char culprits[512];         /* other tasks that ran, by culprits_text() of rows/culprits.h */
    double explained_pct;       /* of the variance between samples, by other use of the core */
    /* Freed by row_free(). */
    double *samples;
    size_t n_samples;
    struct stats_point *hist;
    size_t n_hist;
    struct stats_point *series;
    size_t n_series;
    uint64_t series_left_out;
    /* Position in the order in which the suite was to measure, from 1: the order of tables; rows are written in that
     * of completion. 0: computed from other rows, or not known. */
    uint64_t item;
    /* Not in the CSV. */
    int headline;  /* the main result of its test */
    size_t number; /* order of arrival among the rows of a run or of files */
};

/* Returns whether `reason` need not be shown after `said` of another row: equal, or `said` followed by ";" and more. */
bool row_reason_repeats(const char *reason, const char *said);

void row_init(struct row *row, const struct row_run *run); /* all 'not known' */
void row_free(struct row *row);
/* A deep copy, for row_free(). Returns 0; or -1 when out of memory, and `to` is empty. */
int row_copy(struct row *to, const struct row *from);

enum row_column_type {
    COLUMN_TEXT,
    COLUMN_UINT, /* uint64_t, 0: not known */
    COLUMN_REAL, /* double, NAN: not known */
    COLUMN_STATUS,
    COLUMN_CAUSES,  /* "name:milliseconds" and "name=number", separated by ';' */
    COLUMN_SCHEMA,  /* always ROW_SCHEMA */
    COLUMN_SAMPLES, /* separated by ';' */
    COLUMN_HIST,    /* "lower limit:count", separated by ';' */
    COLUMN_SERIES,  /* "position:value", separated by ';', and ';+N' when N were left out */
};
struct row_column {
    const char *name;
    enum row_column_type type;
    int in_run;          /* in struct row_run */
    size_t offset, size; /* of the field in bytes; size 0: no field, or an allocated array */
};
extern const struct row_column row_columns[];
extern const size_t row_n_columns;

/* text_sanitize(), and ';' for commas, so that scripts can split a line at commas; spaces in the column settings,
 * which has items separated by ';'. Keeps the commas of the user's own words (comment, test, load) and of param
 * (rows/param.h replaces them). */
void row_text_to_csv(const struct row_column *column, char *field);
/* The same for a field read from a file, which in older versions has commas. cpus, a list, gets its commas back. */
void row_text_from_csv(const struct row_column *column, char *field);

bool row_same_measurement(const struct row *a, const struct row *b);

/* Suffix of a metric from those parts of the samples in which no other hardware thread used the core ("the core was
 * free"). */
#define ROW_ALONE "_alone"
/* Returns the length of the metric's name before ROW_ALONE; 0 without it. */
size_t row_is_alone(const struct row *row);
/* The row of the same measurement with ROW_ALONE ("rate_alone" for "rate"), perhaps with the value NAN; NULL: use of
 * the core was not measured. */
const struct row *row_alone_of(const struct row *rows, size_t n, const struct row *row);

/* One value a run, computed from the tests of its suite. */
bool row_is_index(const struct row *row);

/* Column core_share, 0 to 1; NAN: not known, or "own". */
double row_core_share(const struct row *row);
/* Largest standard deviation of the logarithm of row_core_share(): it has one probe for each slice of the row's
 * time. 0 when the time is not known. */
double row_core_share_error(const struct row *row);

/* Receives rows as they are measured. They belong to the caller: copy what is kept. */
struct row_sink {
    void (*put)(void *context, const struct row *row);
    void *context;
};

/* Text in the column reason: in how many slices (some 1.5 ms) of the measured time no other hardware thread used the
 * core. row_free_slices() returns false without it. */
void row_free_describe(uint64_t free_slices, uint64_t slices, char *buf, size_t size);
bool row_free_slices(const char *reason, uint64_t *free_slices, uint64_t *slices);

#endif
