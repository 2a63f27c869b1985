/* SPDX-License-Identifier: MIT */
/* Exports result rows in the formats of other tools. The source file of a format ends in its descriptor, a struct
 * export_format. */
#ifndef OUT_EXPORT_H
#define OUT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/analysis.h"
#include "rows/rows.h"
#include "rows/text.h"

/* Numbers of rows that were left out, with the reasons in the order in which they came up. Each reason is a string
 * constant. */
#define EXPORT_REASONS_MAX 12
struct export_left_out {
    size_t n, n_reasons;
    struct {
        const char *why;
        size_t n;
    } reasons[EXPORT_REASONS_MAX];
};

/* Input of a format's write function: the rows that it can carry, in the order of the files. */
struct export_rows {
    const struct row *const *rows;
    size_t n;
    const struct row *all; /* the array that these rows point into, which also has the rows left out */
    size_t n_all;
    const struct metrics *metrics;
    struct export_left_out *left_out; /* counts rows that write() leaves out */
};

struct export_format {
    const char *name;
    unsigned wanted; /* the long columns, such as samples, that the format needs: bits of enum rows_wanted */
    /* Returns NULL when the format can carry the row, otherwise the reason why not, worded to follow a number of rows.
     * If refuse itself is NULL, the format can carry all rows. */
    const char *(*refuse)(const struct row *row);
    void (*write)(const struct export_rows *rows, struct text *out); /* sets out->failed when out of memory */
};

/* The list of formats: a new one is a file of its own and a line here. The descriptor of ID is export_ID. */
#define EXPORT_FORMATS(ENTRY)                                                                                          \
    ENTRY(json, "json")                                                                                                \
    ENTRY(pyperf, "pyperf")                                                                                            \
    ENTRY(hyperfine, "hyperfine")                                                                                      \
    ENTRY(hyperfine_json, "hyperfine-json")                                                                            \
    ENTRY(gbench, "gbench")                                                                                            \
    ENTRY(openmetrics, "openmetrics")                                                                                  \
    ENTRY(unixbench, "unixbench")                                                                                      \
    ENTRY(unixbench_csv, "unixbench-csv")                                                                              \
    ENTRY(pairs, "pairs")                                                                                              \
    ENTRY(cyclictest, "cyclictest")                                                                                    \
    ENTRY(cyclictest_json, "cyclictest-json")

#define EXPORT_DECLARE(id, name) extern const struct export_format export_##id;
EXPORT_FORMATS(EXPORT_DECLARE)

/* All formats, and their names in the same order. Both end with NULL. */
extern const struct export_format *const export_formats[];
extern const char *const export_names[];

/* Writes the rows that the format can carry, of the n rows given, and sets left_out. Returns the number of rows
 * written; for 0 nothing is written. Ends the program when out of memory: only for commands that read files. */
size_t export_write(const struct export_format *format, const struct row *rows, size_t n, const struct metrics *metrics,
                    struct text *out, struct export_left_out *left_out);
void export_leave_out(struct export_left_out *left_out, const char *why);
/* Appends "7 of 20 rows left out of json: 5 without samples, 2 without a value". Appends nothing if no row was left
 * out. */
void export_describe(const struct export_left_out *left_out, const char *format, size_t n, struct text *out);

/* --- For the source files of the formats. --- */

/* The quantity that a unit measures, and the conversion to its base unit: value * multiply / divide. */
enum export_kind {
    EXPORT_TIME,   /* base unit: second */
    EXPORT_RATE,   /* base unit: one per second */
    EXPORT_BYTES,  /* base unit: byte */
    EXPORT_NUMBER, /* a number of things (cycles, events): whole when counted, but means of it may have fractions */
    EXPORT_OTHER,  /* shares, ratios */
};
struct export_unit {
    const char *unit;
    enum export_kind kind;
    const char *base; /* name of the base unit as in OpenMetrics: "seconds"; "" for a plain number */
    double multiply, divide;
};
const struct export_unit *export_unit_find(const char *unit); /* NULL when the unit is not known */
/* Converts a value in the unit of the row to the base unit; returns it unchanged when the unit is not known. */
double export_base(const struct row *row, double value);

/* Converts a time (for which less is better) to seconds, and a rate (for which more is better) to the seconds that one
 * of the counted things takes, so that less is better for both. Returns NAN for all other metrics. */
double export_seconds(const struct row *row, double value);
/* For export_format.refuse: refuses a row unless its metric is a time or a rate (see export_seconds()) and it has
 * samples, all of them finite and above 0. */
const char *export_refuse_unless_seconds(const struct row *row);
/* For export_format.refuse: as export_refuse_unless_seconds(), for metrics of any unit. */
const char *export_refuse_samples(const struct row *row);

/* Appends the row's param without the words that differ from run to run (load_*, loops_per_ms), with the separator
 * between words. A command line, with its input and preparation, is appended as it was typed. */
void export_param(const struct row *row, char separator, struct text *out);

/* A row with the name by which rows are grouped. */
struct export_entry {
    char *name, *labels; /* labels: of a gauge of format openmetrics, otherwise NULL */
    const struct row *row;
    size_t at;    /* position among all rows */
    size_t first; /* number of the name: names are numbered in the order of their first rows */
    bool with_cpus;
};
/* Sets `first` of the n entries, and sorts them: names are in the order of their first rows, and the entries of a name
 * are consecutive. Before the call, the entries are in the order of `at`. */
void export_cluster(struct export_entry *entries, size_t n);
/* Frees an array of entries and their texts; the entry after the last has no row. */
void export_entries_free(struct export_entry **entries);

/* The rows of one name: one row for each run in the files. The name is suite/test/load/copies=N/param/metric, without
 * the parts that are empty, without copies=1, and without a test that has the suite's name. If rows of the same run
 * would share a name, /cpus=LIST is appended; of those that still share one, the second gets #2, the third #3. The same
 * measurements have the same names in every file. */
struct export_group {
    const char *name;
    const struct row *const *rows;
    size_t n, n_samples; /* number of rows; samples of all rows together */
};
/* Groups of rows with the same name, in the order of their first rows. */
struct export_groups {
    struct export_group *group;
    size_t n;
    /* Private. */
    struct export_entry *entries;
    const struct row **rows;
};
/* Groups the rows by name. The caller calls export_groups_free(). */
void export_group(const struct export_rows *rows, struct export_groups *groups);
void export_groups_free(struct export_groups *groups);
/* Returns the samples of a group in seconds (export_seconds()), those of one run after those of another. The caller
 * frees them. */
double *export_group_seconds(const struct export_group *group);

/* Returns the row of another metric of the same measurement: same run, test, load, param, copies and CPUs. NULL when
 * there is none. */
const struct row *export_partner(const struct export_rows *rows, const struct row *row, const char *metric);

#endif
