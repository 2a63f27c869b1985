/* SPDX-License-Identifier: MIT */
/* Exports result rows in the formats of other tools. The source file of a format ends in its descriptor, a struct
 * export_format. */
#ifndef OUT_EXPORT_H
#define OUT_EXPORT_H

#include "analysis/analysis.h"

/* Reasons in the order in which they came up; string constants. */
#define EXPORT_REASONS_MAX 12
struct export_left_out {
    size_t n, n_reasons;
    struct {
        const char *why;
        size_t n;
    } reasons[EXPORT_REASONS_MAX];
};

/* That the format can carry, in the order of the files. */
struct export_rows {
    const struct row *const *rows;
    size_t n;
    const struct row *all; /* into which these point */
    size_t n_all;
    const struct metrics *metrics;
    struct export_left_out *left_out; /* for what write() leaves out */
    uint64_t labels;                  /* openmetrics: bits of export_labels */
};

/* A row for each run. suite/test/load/copies=N/param/metric, without empty parts, copies=1 and a test named as the
 * suite; /cpus=LIST where rows of a run share it, then #2, #3. The same in every file. */
struct export_group {
    const char *name;
    const struct row *const *rows;
    size_t n, n_samples; /* rows; their samples */
};

struct export_format {
    unsigned wanted; /* enum rows_wanted */
    /* Why not, worded to follow a number of rows; NULL: it can. refuse NULL: all rows. */
    const char *(*refuse)(const struct row *row);
    void (*write)(const struct export_rows *rows, struct text *out); /* sets out->failed; NULL: by `put` */
    /* Of each group, in a JSON array between two texts. */
    void (*put)(const struct export_rows *rows, const struct export_group *group, struct text *out);
    const char *before, *after;
};

/* A new one is a file of its own and a line here; its descriptor is export_ID. */
#define EXPORT_FORMATS(ENTRY) \
    ENTRY(json, "json") \
    ENTRY(pyperf, "pyperf") \
    ENTRY(hyperfine_json, "hyperfine-json") \
    ENTRY(gbench, "gbench") \
    ENTRY(openmetrics, "openmetrics") \
    ENTRY(unixbench, "unixbench") \
    ENTRY(unixbench_csv, "unixbench-csv") \
    ENTRY(pairs, "pairs") \
    ENTRY(thesis, "thesis") \
    ENTRY(cyclictest, "cyclictest") \
    ENTRY(cyclictest_json, "cyclictest-json") \
    ENTRY(oslat, "oslat") \
    ENTRY(github_benchmark, "github-benchmark")

#define EXPORT_DECLARE(id, name) extern const struct export_format export_##id;
EXPORT_FORMATS(EXPORT_DECLARE)

/* In the same order; end with NULL. */
extern const struct export_format *const export_formats[];
extern const char *const export_names[];
/* Labels of openmetrics only on request; ends with NULL. */
extern const char *const export_labels[];

/* Returns the number written; 0: nothing. Ends the program when out of memory. */
size_t export_write(const struct export_format *format, const struct row *rows, size_t n, const struct metrics *metrics,
                    uint64_t labels, struct text *out, struct export_left_out *left_out);
void export_leave_out(struct export_left_out *left_out, const char *why);
/* "7 of 20 rows left out of json: 5 without samples, 2 without a value"; nothing for none. */
void export_describe(const struct export_left_out *left_out, const char *format, size_t n, struct text *out);

/* --- For the source files of the formats. --- */

/* Base unit: value * multiply / divide. */
enum export_kind {
    EXPORT_TIME,   /* seconds */
    EXPORT_RATE,   /* one per second */
    EXPORT_BYTES,  /* bytes */
    EXPORT_NUMBER, /* whole when counted; means may have fractions */
    EXPORT_OTHER,  /* shares, ratios */
};
struct export_unit {
    const char *unit;
    enum export_kind kind;
    const char *base; /* in OpenMetrics; "": a plain number */
    double multiply, divide;
};
const struct export_unit *export_unit_find(const char *unit); /* NULL: not known */
/* Unchanged when the unit is not known. */
double export_base(const struct row *row, double value);

/* A time, or of a rate the time of one: less is better. NAN: others. */
double export_seconds(const struct row *row, double value);
/* For refuse: a time or rate, with samples, all finite and above 0. */
const char *export_refuse_unless_seconds(const struct row *row);
/* For refuse: the same of any unit. */
const char *export_refuse_samples(const struct row *row);

/* Without words that differ from run to run (load_*, loops_per_ms); a command line as typed. */
void export_param(const struct row *row, char separator, struct text *out);

/* A row with the name of its group. */
struct export_entry {
    char *name, *labels; /* of openmetrics */
    const struct row *row;
    size_t at;    /* among all rows */
    size_t first; /* names are numbered by their first rows */
    bool with_cpus;
};
/* Names in the order of their first rows. Before: in the order of `at`. */
void export_cluster(struct export_entry *entries, size_t n);
/* With their texts; the entry after the last has no row. */
void export_entries_free(struct export_entry **entries);

/* Puts each group into a JSON array that has begun, in the order of their first rows, and ends it. */
void export_put_groups(const struct export_rows *rows,
                       void (*put)(const struct export_rows *rows, const struct export_group *group, struct text *out),
                       struct text *out);
/* In seconds, run by run. The caller frees them. */
double *export_group_seconds(const struct export_group *group);

#endif
