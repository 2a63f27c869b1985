/* SPDX-License-Identifier: MIT */
/* The same rows in other tools' formats. A format is one file that ends in one descriptor. */
#ifndef OUT_EXPORT_H
#define OUT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/row.h"
#include "engine/text.h"

/* How many rows stayed behind, and why: in the order in which the reasons came up, each a text constant. */
#define EXPORT_REASONS_MAX 12
struct export_left_out {
    size_t n, n_reasons;
    struct {
        const char *why;
        size_t n;
    } reasons[EXPORT_REASONS_MAX];
};

/* What a format writes: rows that it can carry, in the order of the files. */
struct export_rows {
    const struct row *const *rows;
    size_t n;
    const struct row *all; /* the array that they point into, with those that were left out */
    size_t n_all;
    /* By what name a person knows a test; may be NULL, and return NULL. */
    const char *(*title_of)(const char *test);
    struct export_left_out *left_out; /* for what shows only when rows are seen together */
};

struct export_format {
    const char *name, *title; /* title: one line */
    unsigned wanted;          /* enum rows_wanted: the long fields that it needs */
    bool for_people;          /* a text for terminals: what would move their cursor is not handed on */
    /* NULL when the format can carry the row; else why not, in words that follow a number of rows. NULL: takes all. */
    const char *(*refuse)(const struct row *row);
    void (*write)(const struct export_rows *rows, struct text *out); /* out->failed: out of memory */
};

extern const struct export_format export_json, export_pyperf, export_hyperfine, export_hyperfine_json, export_gbench,
    export_openmetrics, export_unixbench, export_unixbench_csv;

/* Ends with NULL; export_names are their names in the same order. */
extern const struct export_format *const export_formats[];
extern const char *const export_names[];

/* Writes those of the n rows that the format can carry, and returns how many these are; nothing is written when there
 * are none. left_out is set. */
size_t export_write(const struct export_format *format, const struct row *rows, size_t n,
                    const char *(*title_of)(const char *test), struct text *out, struct export_left_out *left_out);
void export_leave_out(struct export_left_out *left_out, const char *why);
/* "7 of 20 rows left out of json: 5 without samples, 2 without a value". Nothing when none was. */
void export_describe(const struct export_left_out *left_out, const char *format, size_t n, struct text *out);

/* --- For formats. --- */

/* What a unit measures, and in what a figure is in the base unit: value * multiply / divide. */
enum export_kind {
    EXPORT_TIME,   /* base: second */
    EXPORT_RATE,   /* base: one a second */
    EXPORT_BYTES,  /* base: byte */
    EXPORT_NUMBER, /* of something, whole for each event */
    EXPORT_OTHER,  /* shares, ratios */
};
struct export_unit {
    const char *unit;
    enum export_kind kind;
    const char *base; /* as in OpenMetrics: "seconds"; "" when it is a mere number */
    double multiply, divide;
};
const struct export_unit *export_unit_find(const char *unit); /* NULL when it is not known */
/* A figure of the row in its unit's base unit; as it is when the unit is not known. */
double export_base(const struct row *row, double value);

/* Times, and rates of which more is better as the seconds that one of what is counted takes: less is better in both.
 * NAN when the row is neither. */
double export_seconds(const struct row *row, double value);
/* For refuse(): a row that has samples, each of them known and above 0 seconds. */
const char *export_refuse_unless_seconds(const struct row *row);
/* The same without a look at the unit. */
const char *export_refuse_samples(const struct row *row);

/* The row's param without the words that differ from run to run (load_*, loops_per_ms), separator between the words
 * that stay; a command line, with its input and preparation, stands as it was typed. */
void export_param(const struct row *row, char separator, struct text *out);

/* A row with what it is put together by. */
struct export_entry {
    char *name;
    const struct row *row;
    size_t at;    /* its place among all */
    size_t first; /* the place of the first row of the name */
    bool with_cpus;
};
/* Puts entries of one name together, in the order of their first rows, and sets first. */
void export_cluster(struct export_entry *entries, size_t n);

/* Rows of one name: one for each run that the files hold. The name is suite/test/load/copies=N/param/metric; of these
 * what is empty, one copy and a test of the suite's name are left out. Where rows of the same run would share it,
 * /cpus=LIST follows, and #2 for the second of the rest. It is the same in each file that has the same measurements. */
struct export_group {
    const char *name;
    const struct row *const *rows;
    size_t n, n_samples; /* samples of all rows together */
};
/* In the order of their first rows. NULL when out of memory. */
struct export_groups {
    struct export_group *group;
    size_t n;
    /* Private. */
    struct export_entry *entries;
    const struct row **rows;
};
int export_group(const struct export_rows *rows, struct export_groups *groups); /* -1 when out of memory */
void export_groups_free(struct export_groups *groups);
/* The samples of a group in seconds (export_seconds()), one run behind the other: the caller's. NULL when out of
 * memory. */
double *export_group_seconds(const struct export_group *group);

/* The row of that metric among those of the same run, test, load, param and copies around this one; NULL. */
const struct row *export_partner(const struct export_rows *rows, const struct row *row, const char *metric);

#endif
