/* SPDX-License-Identifier: MIT */
/* Tables, plots, names and texts for terminals and files. */
#ifndef OUT_OUT_H
#define OUT_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/analysis.h"
#include "rows/rows.h"
#include "rows/text.h"

/* Colours of statuses and verdicts, on terminals only. */

enum color { COLOR_NONE, COLOR_GREEN, COLOR_YELLOW, COLOR_RED };

/* Values of the option --color; the option's target is an int. */
extern const char *const color_choices[]; /* auto, always, never */
#define COLOR_ROW(struct_)                                                                                             \
    {                                                                                                                  \
        OPTION("color", 0, struct_, color, "colours of statuses and verdicts; auto: on a terminal"),                   \
            OPTION_ONE_OF("auto|always|never", color_choices), .preset[0] = "auto"                                     \
    }

/* Returns whether text for the descriptor gets colours. choice is an index in color_choices. auto: yes on a terminal
 * that is not "dumb", unless NO_COLOR is set in the environment. */
bool color_wanted(int choice, int fd);

/* Appends the first `length` bytes of s, in the colour if out has colours switched on. */
void color_put(struct text *out, enum color color, const char *s, size_t length);

enum color color_of_status(enum row_status status);

/* A table of texts: columns as wide as their cells, aligned, and left out or broken where the line is too short. */

#define GRID_COLUMNS_MAX 72

struct grid_column {
    const char *title; /* is not copied; NULL: no title */
    size_t width;      /* least width; wider cells widen the column */
    /* cells wider than this do not widen the column; they may overlap empty neighbours or shift the rest of their line;
     * 0: no limit */
    size_t most;
    unsigned rank; /* 0: always shown; of the others the highest rank is left out first */
    bool left;     /* left-aligned; otherwise right-aligned */
    bool wrap;     /* narrowed where the line is too short: cells are broken between words */
    bool optional; /* omitted when all cells are "-" or empty */
    /* Set by the grid. */
    bool known; /* a cell has a value */
    bool left_out;
};

/* All zero is an empty grid. */
struct grid {
    struct grid_column column[GRID_COLUMNS_MAX];
    size_t n_columns;
    const char *hint; /* where to find columns left out; NULL: "(shown with -v, and in the CSV)" */
    /* Set by the grid. */
    struct text cells; /* of each grid_cell() and grid_note(): a byte (a colour, or 'n' for a note), the text, a zero */
    size_t n_cells;    /* number of cells, the unfinished one included */
    size_t unfinished; /* position of the cell that is being written */
};

/* Appends columns. Call it before the first cell only. More than GRID_COLUMNS_MAX are ignored. */
void grid_columns(struct grid *grid, const struct grid_column *columns, size_t n);

/* Begins the next cell, row by row; a row needs a cell for each column. Returns the text to append its content to,
 * until the next call of the grid. Control characters and bytes that are not UTF-8 are replaced by '?'. */
struct text *grid_cell(struct grid *grid, enum color color);

/* Adds a cell with a string. */
void grid_text(struct grid *grid, const char *s);

/* Adds a cell with a number; "-" when it is not finite. */
void grid_number(struct grid *grid, double value, unsigned decimals);

/* Adds a cell with a figure and its unit, as units_value() in plain ASCII; "-" when it is not finite. */
void grid_value(struct grid *grid, double value, const char *unit);

/* Adds a cell with a status, in its colour; empty for ROW_OK. */
void grid_status(struct grid *grid, enum row_status status);

/* Adds empty cells up to the end of the row. */
void grid_end_row(struct grid *grid);

/* Begins a line of its own, indented to the second column. Call it between rows. Returns its text, as grid_cell(). */
struct text *grid_note(struct grid *grid);

/* Prints the titles and rows, and frees the grid; prints nothing when it has no rows. If the table is wider than
 * `width` characters (0: no limit), the columns of the highest rank are left out, then those of the next, until the
 * table fits with its wrapping columns narrowed to 24, or only columns of rank 0 are left. Columns of one rank go
 * together, so that the digits of the figures seldom change which columns are shown. A line below names the columns
 * left out. Then the widest columns that wrap are narrowed, to 9 at least; a table that is still too wide stays so. */
void grid_print(struct grid *grid, unsigned width, struct text *out);

/* Prints the grid as a Markdown table with all columns, and frees it. */
void grid_markdown(struct grid *grid, struct text *out);

/* Writes values as JSON (RFC 8259). */

/* Appends a string in quotes: control characters, quotes and backslashes escaped, invalid UTF-8 as U+FFFD. */
void json_text(struct text *out, const char *s);
/* Appends a number with 17 significant digits; null when it is not finite. */
void json_number(struct text *out, double value);
/* Appends an array of numbers. */
void json_numbers(struct text *out, const double *values, size_t n);
/* Appends the format as it is, with %s written as json_text(), and %f as json_number(). Knows %zu, %.0f and %% as
 * well. */
void json_put(struct text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends the name of a member and a colon. */
void json_name(struct text *out, const char *name);

/* Makes the names of output files, which can be different for each host and each rank of a job. */

/* Expands a template given by the user to a file name: %h host, %j job, %r rank, %t UTC time (20260131T235959Z), %% a
 * percent sign. A value that is not known becomes "unknown"; characters unsuitable for file names become '_'. If other
 * ranks use the same template (alone is 0) and the rank is known, a template without %r gets "-RANK" before the file
 * name's ending. Returns 0; or -1 with a line in error, which begins with option ("--output"), when another character
 * follows '%', or the name is too long. */
int names_expand(const char *option, const char *template, const struct row_run *run, int alone, char *name,
                 size_t size, char *error, size_t error_size);

/* Draws distributions as text: a histogram, ranges on one axis, or strips of time. */

/* Appends a histogram of a row with logarithmic counts, as lines of text no wider than width columns. It has about 20
 * bins (10 to 25 where the values allow) over the range of the events, each printed as "low .. high unit count |####";
 * low is included, high is not. The limits are round numbers, evenly spaced, or in even ratios if the highest value is
 * more than 100 times the lowest. A decade of the count has the same length in all lines. If width is too small for
 * bars, only the numbers are printed. Appends nothing when the row has no histogram. */
void plot_histogram(const struct row *row, unsigned width, struct text *out);

/* Returns whether a histogram's pair of position and count has a count above 0, and a position that can be drawn. A
 * file that was edited by hand may contain anything. */
bool plot_is_event(const struct stats_point *pair);
/* Counts the events of a row's histogram in n bins between n + 1 ascending edges; those above the last edge are left
 * out. */
void plot_count(const struct row *row, const double *edges, size_t n, double *counts);

/* A result row that plot_ranges() or plot_strip() draws, and its label. */
struct plot_row {
    const struct row *row;
    char label[80];
};

/* Draws the distributions of n rows of one unit below each other on one logarithmic axis, as lines of plain ASCII no
 * wider than width columns (limited to 40 to 300):
 *
 *     Latency, log scale  10us           100us          1ms            10ms
 *                         +--------------+--------------+--------------+
 *     audio  none         .  [---*==|----]              .              .
 *     [ minimum  * median  | p99  ] maximum
 *
 * The axis consists of the whole decades that contain the values, with a tick at each; the unit "ns" is labelled with
 * durations, any other with plain numbers. Values of `least` or less are drawn at the left edge.
 * Unknown values (NAN) are left out. If marks share a column, the first of these is shown: median, maximum, p99,
 * minimum. For a row without values the name of its status is printed. The title and the labels are cut if they would
 * take more than half of a line; characters other than printable ASCII become '?'. Appends nothing when no row has a
 * value. */
void plot_ranges(const char *title, double least, const struct plot_row *rows, size_t n, unsigned width,
                 struct text *out);

/* Draws the time lost by n rows over the run, below each other, as lines of plain ASCII no wider than width columns
 * (limited to 40 to 300), and a last line, which may be wider, that explains the signs:
 *
 *     Lost time  start            end
 *     CPU 1          .        .
 *     CPU 0      ==-=====#@@+======-=
 *
 * A row's series has a point for each of the equal parts of its time: the start in microseconds, and the nanoseconds
 * lost. A sign stands for one part, or for several if there is not enough room, and shows the decade of the share of
 * time that was lost. Labels and rows without values as in plot_ranges(). Appends nothing when no row has a series of
 * at least two points. */
void plot_strip(const char *title, const struct plot_row *rows, size_t n, unsigned width, struct text *out);

/* Returns the length in microseconds of the equal parts of the run for which a row's series has the time lost; 0 when
 * it has fewer than two. */
double plot_strip_part(const struct row *row);
/* Returns the share of the time that was lost (1: all) in one piece of the run, with the index `piece`, if a row's
 * series is cut into `pieces` pieces, at most as many as it has points. */
double plot_strip_share(const struct row *row, size_t piece, size_t pieces);

/* Prints result rows as a text table. The subcommands define the layouts; this module knows no benchmark by name. */

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
#define TABLE_OF(title_, columns_) .title = title_, .columns = columns_, .n_columns = COUNT(columns_)

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

/* Prints event counts of result rows, and what else ran on their CPUs. */

/* Prints a table of event counts, with a line for each measurement. The rows must be in the order in which they were
 * measured. Columns of events that were never counted are left out; the reasons why events were not counted are printed
 * below, each once. Prints nothing when no row has counts. width: of the table in characters; 0: no limit. */
void counters_put(const struct row *rows, size_t n, unsigned width, struct text *out);

/* Prints a table of what else ran on the measured CPUs, and for how long, with a line for each measurement. Order of
 * the rows, reasons below the table, and width are as for counters_put(). */
void culprits_put(const struct row *rows, size_t n, unsigned width, struct text *out);

/* Prints warnings about doubtful values in result rows. */

/* Appends one line for each kind of warning, with the worst case and the number of cases. For headline rows: samples
 * that spread over 10 % (or over 5 %, mostly because of another user of the core), a first sample slower than the rest,
 * drift between the halves, an interval wider than +-2 % of the mean, a clock too coarse for the measured time. For
 * jitbench noise: at least 1 % of a CPU's time in which detours were not seen. more is the option that increases the
 * number of samples: "--samples". */
void warnings_collect(const struct row *rows, size_t n, const char *more, struct text *out);

/* Prints which requirements (analysis/require.h) the results meet. */

/* Prints the table of requirements, those that are not met first: the value of the worst row, how far it is from the
 * limit, and the verdict. width: of the table in characters; 0: no limit. */
void require_put(const struct requirements *set, bool markdown, unsigned width, struct text *out);

/* Prints the result of `jitbench fleet`. */

/* Appends the table of machines, at most `width` characters wide (0: no limit), and the summary. verbose: lists all
 * machines, with all figures in which they are far from the median of all. */
void fleet_put(const struct judgement *judgement, bool verbose, unsigned width, struct text *out);
/* Appends all figures of a machine (number: its index in judgement->judged) as CSV; for index 0, the names of the
 * columns come first. */
void fleet_put_csv(const struct judgement *judgement, size_t number, struct text *out);
/* Formats "unix pipe x2 rate": suite, test, load, copies, protocol and metric of a figure. Returns buf. */
char *fleet_name_figure(const struct gather_figure *figure, char *buf, size_t size);

/* Prints the result of `jitbench history`. */

/* Appends the table of changes, at most `width` characters wide (0: no limit), and the summary. recent: shows only
 * changes in this number of the last runs; 0: all. verbose: shows the figures that did not change as well. */
void history_put(const struct history *h, size_t recent, bool verbose, unsigned width, struct text *out);

/* Returns whether the change is in one of the last `recent` runs; true if recent is 0. */
bool history_is_recent(const struct history *h, const struct history_change *change, size_t recent);

/* Formats the name of a figure (index in history.figure), with its parameters if another figure has the same name.
 * Returns buf. */
char *history_name(const struct history *h, size_t figure, char *buf, size_t size);
/* Formats the settings that differ between the runs before and after a change: "kernel: 6.1 -> 6.2; thp: madvise ->
 * never"; "" when there are none. Returns buf. */
char *history_settings(const struct history *h, const struct history_change *change, char *buf, size_t size);
const char *history_unit(const struct history *h, size_t figure);

/* Prints how much noise slows down programs on many ranks. */

/* Appends the table of slow-downs, the table of the detours (interruptions) that cost most, and a line on what the
 * computation includes. every: shows all hosts, not only the slowest. */
void scale_put(const struct projection *projection, bool every, unsigned width, struct text *out);
/* Appends all slow-downs as CSV. */
void scale_put_csv(const struct projection *projection, struct text *out);

#endif
