/* SPDX-License-Identifier: MIT */
/* Prints result rows as a text table. The subcommands define the layouts; this module knows no benchmark by name. */
#ifndef OUT_TABLE_H
#define OUT_TABLE_H

#include <stddef.h>

#include "rows/row.h"
#include "rows/text.h"

enum table_field {
    TABLE_TEST,
    TABLE_TITLE, /* the text returned by title_of() for the row's test, or the test id */
    TABLE_PARAM,
    TABLE_LOAD,
    TABLE_METRIC,
    TABLE_COPIES,
    TABLE_CPUS,
    TABLE_UNIT,
    TABLE_VALUE,
    TABLE_N,
    TABLE_MEAN,
    TABLE_SD,
    TABLE_RSD,
    TABLE_CI95_HALF, /* half-width of the 95 % confidence interval */
    TABLE_MIN,
    TABLE_MEDIAN,
    TABLE_P90,
    TABLE_P99,
    TABLE_P999,
    TABLE_MAX,
    TABLE_INDEX,
    TABLE_CORE,        /* the column core_share, in % */
    TABLE_SAMPLE,      /* one sample of the metric: one line for each sample (see per_sample) */
    TABLE_STATUS,      /* "" when ok */
    TABLE_PARAM_VALUE, /* the value of key in the row's param ("limit=22 ..."), right-aligned */
};

/* For table_column.decimals: as many decimals as give four significant digits. */
#define TABLE_FOUR_DIGITS 99u

struct table_column {
    const char *heading;
    const char *metric; /* metric of the group's row that the cell is taken from; NULL: the group's headline row */
    enum table_field field;
    unsigned decimals; /* number of decimals, or TABLE_FOUR_DIGITS */
    double scale;      /* factor for numbers; 0 means 1 */
    const char *key;   /* key of TABLE_PARAM_VALUE */
    int optional;      /* left out when no line has a value */
    unsigned rank;     /* 0: always shown; of the others the highest rank is left out first, see table_print() */
};

struct table_layout {
    const char *title; /* a line above; NULL for none */
    const struct table_column *columns;
    size_t n_columns;
    int no_status;                             /* status and reasons are shown by another table of the same rows */
    int per_sample;                            /* one line for each sample instead of one for each group */
    const char *(*title_of)(const char *test); /* returns the text of TABLE_TITLE; may be NULL */
};

/* Initialises a layout with its title and its columns, an array. */
#define TABLE_OF(title_, columns_)                                                                                     \
    .title = title_, .columns = columns_, .n_columns = sizeof(columns_) / sizeof((columns_)[0])

/* Prints the groups of rows that have the layout's metrics. Rows with the same item, test, load, param, copies and cpus
 * form a group and share one line; numbers are right-aligned under their headings, text is left-aligned. A group
 * without any of the columns' metrics is left out; an unknown number is printed as "-". If the worst status in a group
 * is not ok, it is printed at the end of the line (unless a column is TABLE_STATUS), and each different "STATUS:
 * REASON" is printed once below the table. A group whose rows all have an empty metric (a test that did not run)
 * appears in every layout. Columns without a metric use the group's headline row, or its first row if none is marked. A
 * layout without any group prints nothing.
 * A table wider than width (0: no limit) leaves out all columns of the highest rank, then those of the next, until it
 * fits or has only columns of rank 0. Columns of one rank go together, so that the figures' digits seldom change which
 * columns are shown. A line below the table names the columns left out. */
void table_print(const struct table_layout *layout, const struct row *rows, size_t n, unsigned width, struct text *out);

/* Prints each different "STATUS: REASON" of the rows once, with the first test that has it and the number of other
 * tests that have it. */
void table_put_reasons(const struct row *rows, size_t n, struct text *out);

#endif
