/* SPDX-License-Identifier: MIT */
/* Pages of jitbench report: HTML, SVG, figures and sections. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/analysis.h"
#include "rows/rows.h"
#include "rows/text.h"

/* Common parts of HTML pages: escaping, start and end of the page, style. A page is one file without scripts and
 * external resources. It follows the reader's light or dark mode, and can be printed. */

/* Appends text for HTML and SVG, usable in elements and attributes: escapes & < > " ', and replaces invalid UTF-8 and
 * control characters other than tab and line feed by U+FFFD. html_escape() takes the first `length` bytes of a string.
 */
void html_escape(struct text *out, const char *s, size_t length);
/* Appends markup: the format as it is, with the texts of %s escaped. Knows %s, %.24s, %.*s, %c, %zu, %.1f, %+.1f and
 * %%. %f is for coordinates: it writes one decimal, or none if that is 0, and limits the number to -1e6 to 1e6; a
 * number that is not finite becomes 0. */
void html_put(struct text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Append the page's start up to <main>, and its end from </main> on. */
void html_begin(struct text *out, const char *title);
void html_end(struct text *out);

/* Number of colours for series in the style: classes s0 to s7. They are the palette of Okabe and Ito ('Color Universal
 * Design', 2008), which people with the common kinds of colour blindness can distinguish, darker or lighter where
 * contrast with the page would be too low. Classes q0 to q7 are one colour from faint to strong, for strips and heat
 * maps. */
#define HTML_COLOURS 8
#define HTML_LEVELS  8

/* Draws plots as SVG text: scales, ticks, axes and marks. The functions know neither rows nor benchmarks. Coordinates
 * are pixels from the top left, written with one decimal. Marks have class names, and get their
 * colours from the page's style (`currentColor`). Text is escaped. The size of the output is bounded for any values: a
 * line by the pixel columns of its plot, dots by its pixels. */

/* --- Scales. --- */

/* Maps the values low to high to the coordinates from and to. */
struct svg_scale {
    double low, high, from, to;
    bool log;
};

/* Returns a scale that includes both values, in any order. Equal values are widened to a range. Values that are not
 * finite are ignored; if both are, the scale is 0 to 1 (log: 1 to 10). A logarithmic scale cannot include 0 or less:
 * low is at most 12 decades below high. */
struct svg_scale svg_scale(double low, double high, double from, double to, bool log);
/* Widens the scale to round numbers: a linear one to whole steps of 1, 2 or 5 times a power of ten, about `most` of
 * them; a logarithmic one to 1, 2 or 5 times a power of ten. */
void svg_scale_round(struct svg_scale *scale, unsigned most);
/* Returns the coordinate of a value; values outside are placed at the edge. */
double svg_at(const struct svg_scale *scale, double value);

#define SVG_TICKS_MAX 24
struct svg_ticks {
    size_t n;
    double at[SVG_TICKS_MAX];
    char label[SVG_TICKS_MAX][32];
    char unit[48]; /* unit of the labels' numbers, for the axis title; "" when each label has its own unit, or there is
                    * none */
    double widest; /* width of the widest label in pixels at the page's font size, rounded up generously */
};
/* Chooses ticks at round numbers. On a linear scale they are 1, 2 or 5 times a power of ten apart, with labels in one
 * unit. On a logarithmic scale they are at each power of ten, at fewer of them, or also at 2 and 5 times each, as there
 * is room; labels of times, bytes and frequencies have a unit each. unit: as for units_choose(). room: pixels that a
 * label needs along the axis; 0: the width of its text. */
void svg_ticks(const struct svg_scale *scale, const char *unit, double room, struct svg_ticks *ticks);

/* Returns an upper estimate of a text's width in the page's small font. */
double svg_text_width(const char *s);

/* --- The picture. --- */

/* Begins an SVG group: everything until svg_group_end() has these CSS classes. */
void svg_group(struct text *out, const char *classes);
void svg_group_end(struct text *out);

/* --- Marks. tip is the tooltip; NULL for none. --- */

void svg_line(struct text *out, double x1, double y1, double x2, double y2, const char *classes);
void svg_box(struct text *out, double x, double y, double width, double height, const char *classes, const char *tip);
void svg_dot(struct text *out, double x, double y, double radius, const char *classes, const char *tip);
/* Writes a label. anchor: "start", "middle" or "end". most: width in pixels to which it is cut; the tooltip then has
 * the whole text. 0: no limit. */
void svg_label(struct text *out, double x, double y, const char *anchor, const char *classes, const char *s,
               double most);

/* Draws a line through the points, which are in ascending order of `at`. Of the points in one pixel column only the
 * first, last, least and greatest are drawn. Values that are not finite are left out. */
void svg_trace(struct text *out, const struct svg_scale *x, const struct svg_scale *y, const struct stats_point *points,
               size_t n, const char *classes);
/* Draws a dot for each point; points on the same pixel share one. */
void svg_scatter(struct text *out, const struct svg_scale *x, const struct svg_scale *y,
                 const struct stats_point *points, size_t n, const char *classes);
/* Draws the outline of n bars without gaps between the n + 1 edges, down to the low end of y. */
void svg_steps(struct text *out, const struct svg_scale *x, const struct svg_scale *y, const double *edges,
               const double *heights, size_t n, const char *classes);

/* --- Axes. --- */

struct svg_axis {
    const struct svg_scale *scale;
    const struct svg_ticks *ticks;
    const char *title; /* "Cycles"; the unit of the ticks and "log scale" are appended to it */
};
/* Draw the x axis (y is its vertical position), or the y axis (x is its horizontal position), with grid lines across
 * the plot. The title is below the labels, or above the plot at the left edge of the picture. */
void svg_axis_below(struct text *out, const struct svg_axis *axis, double y, double grid_top);
void svg_axis_left(struct text *out, const struct svg_axis *axis, double x, double grid_right);

/* Draws the figures of an HTML page from result rows: each figure is a <figure> with one SVG 360 pixels wide. The
 * functions know rows, but no benchmark by name: the caller decides which rows are drawn and what the axes are called.
 * Each returns false, and writes nothing, when there is nothing to draw. The size of a figure is bounded for any rows,
 * and the output is the same for the same rows. */

struct figure {
    const char *title, *note; /* note: small print below the title; NULL for none */
    const char *x_title, *y_title;
    const char *x_unit, *y_unit; /* units as units_choose() takes them */
    double x_low, x_high;        /* figure_ranges(): the x axis includes both values; panels can share it */
    bool x_log;                  /* figure_curve(): the x axis is logarithmic even for a small range */
    double y_low;                /* figure_curve(): a linear y axis starts here or lower */
};

/* A result row with its label in the figure and its colour: 0 to 15 for the CSS classes s0 to s7 and q0 to q7
 * (report/html.h). An entry of the legend has no row. */
struct figure_entry {
    const struct row *row;
    const char *label;
    unsigned colour;
};

#define FIGURE_LINES_MAX 96u /* most entries of figures with one line for each entry; further entries are left out */

/* Draws each row's series (pairs of position and value) up to the position `before`, as a line; if `dots`, as dots on
 * an x axis that includes 0. */
bool figure_trace(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n,
                  double before, bool dots);
/* Draws the rows' histograms with a logarithmic axis for the counts: the whole range, or with `body` only up to the
 * 99.9th percentile. */
bool figure_histogram(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n,
                      bool body);

/* A value with the ends of its confidence interval; NAN: not known. x is its position on the x axis, for figure_curve()
 * only. */
struct figure_value {
    double x, value, low, high;
};

/* A line through points with error bars; figure_curve() sorts the points by x. */
struct figure_line {
    const char *label;
    unsigned colour;
    struct figure_value *values;
    size_t n;
};
/* Draws n lines, at most FIGURE_LINES_MAX, with a dot and an error bar at each point. Returns false also when all
 * points have the same x. */
bool figure_curve(struct text *out, const struct figure *figure, const struct figure_line *lines, size_t n);

/* A horizontal line from one x to another. */
struct figure_level {
    double from, to, value;
};
/* Draws the points as dots, each level as a horizontal line at its value, and a vertical line between two levels. The x
 * axis ends where the levels do. */
bool figure_levels(struct text *out, const struct figure *figure, const struct stats_point *points, size_t n,
                   const struct figure_level *levels, size_t n_levels);

/* Vertical bars: a group for each category, with a bar for each series, whose value is values[category * n_series +
 * series]. */
struct figure_bars {
    const char *const *categories;
    const struct figure_entry *series; /* label and colour of each */
    size_t n_categories, n_series;
    const struct figure_value *values;
    bool log;
};
bool figure_bars(struct text *out, const struct figure *figure, const struct figure_bars *bars);

/* Draws a horizontal bar for each entry, with the value at its end. */
bool figure_lengths(struct text *out, const struct figure *figure, const struct figure_entry *entries,
                    const struct figure_value *values, size_t n);
/* Draws a line for each row, from its minimum to its maximum on a logarithmic axis, thicker from the median to the 99th
 * percentile. */
bool figure_ranges(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n);
/* Draws a line for each row: its samples as dots (at most 300), a bar at the median, and the 95 % interval of the
 * mean. */
bool figure_samples(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n);
/* Draws a strip of time for each row, whose colours show the share of the time that was lost. The row's series has the
 * time lost in each of equal parts of the run, as for plot_strip(). x_unit is the unit of the series' positions. */
bool figure_strips(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n);

/* Horizontal stacked bars: entry e has a bar whose pieces are values[e * n_parts] and the n_parts - 1 values after
 * it. */
struct figure_parts {
    const struct figure_entry *keys; /* label and colour of each part */
    size_t n_parts;
    const double *values;
};
bool figure_stacks(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n,
                   const struct figure_parts *parts);

#define FIGURE_NAMED_MAX 3u
struct figure_dot {
    const char *name;
    double value;
    bool worse;
};
/* The values that many hosts have for one metric; hosts that stand out are named. */
struct figure_dots {
    const double *values; /* all values; NAN: no value */
    size_t n;
    double median;
    const struct figure_dot *named; /* values with a name; at most FIGURE_NAMED_MAX are shown */
    size_t n_named;
};
/* Draws a strip with a dot for each value, and the median as a line. If there are more than 400 values, only the 400 at
 * evenly spaced ranks have a dot. */
bool figure_dots(struct text *out, const struct figure *figure, const struct figure_dots *dots);

/* An entry of a legend, which begins with FRAME_LEGEND. */
#define FRAME_LEGEND "<div class=\"legend\">"
void frame_legend_item(struct text *out, const char *classes, const char *label);

/* Heat map: a table of an HTML page. The colour of a cell shows how far its value is from the usual one, in spreads
 * (robust standard deviations), and in which direction: from blue (better) by grey to orange (worse), which people with
 * the common kinds of colour blindness can distinguish. Cells that are far off show the distance as text too, and each
 * cell has a description for pointers and screen readers. */

#define HEAT_LEVELS 4 /* number of colours for better values, and for worse ones */

struct heat_cell {
    double worse; /* distance from the usual value in spreads; positive: worse; NAN: no value */
    bool far;     /* show the distance as text */
    char tip[320];
};

struct heat {
    const char *row_title;
    const char *const *rows, *const *columns;
    const bool *row_stands_out;
    const bool *column_begins; /* the column is the first of a group: there is a gap before it */
    size_t n_rows, n_columns;
    void (*cell)(const void *context, size_t row, size_t column, struct heat_cell *cell);
    const void *context;
};

/* Appends the legend and the table as HTML. */
void heat_put(struct text *out, const struct heat *heat);

/* Prints a CSV between two marker lines, for consoles, which carry text only and change line ends. */

#define FRAME_BEGIN "-----BEGIN JITBENCH CSV"
#define FRAME_END   "-----END JITBENCH CSV"

/* Appends a marker line with the file's name, the CSV, and a marker line with the two numbers printed by cksum. Lines
 * end in LF only, because a terminal turns that into CRLF. The two numbers are those of the CSV with CRLF line ends, as
 * RFC 4180 and csv.h have them. */
void frame_csv(const char *name, const char *csv, size_t length, struct text *out);

/* Declarations shared by the parts of `jitbench report`. */

/* Maximum number of runs that figures draw, each with a colour; other runs appear in the tables only. */
#define REPORT_RUNS_MAX HTML_COLOURS
#define REPORT_NAME     24u

/* A row, and the base: the row that it is compared with. */
struct report_place {
    size_t row, base; /* indices in report.set.rows; base: REPORT_NO_BASE when there is none */
    size_t group;     /* number of this measurement and metric, the same in all runs */
};
#define REPORT_NO_BASE ((size_t)-1)

struct report {
    const struct metrics *metrics;
    struct row_set set;
    struct report_place *order; /* all rows of set in the order of the tables; made by report_sort_rows() */
    size_t n_runs;              /* number of runs that are drawn */
    char name[REPORT_RUNS_MAX][REPORT_NAME]; /* names of the runs: "A", "B"..; with the host where hosts differ */
    size_t n_all_runs;                       /* number of all runs, including those without rows in set */
    size_t left_out;                         /* number of rows that were judged, but are not in set */
    struct gather gather;                    /* headline figures and settings of each host, from all rows */
    struct history history;                  /* changes from run to run, if all rows are of one machine */
    struct projection projection;            /* slow-down on many ranks; each run is a host with its number as name */
    /* Used only while report.c reads rows: the run of the last row, and the number of this run. */
    struct row_run last_run;
    size_t last_number;
};

/* report_begin() prepares a report: files_read() then adds rows to report->set. report_finish() judges and sorts the
 * rows after the last one; then report_put() appends the HTML page. The caller calls report_free() in all cases. */
void report_begin(struct report *report, const struct metrics *metrics);
void report_finish(struct report *report);
void report_put(const struct report *report, struct text *out);
void report_free(struct report *report);

/* Returns the index of the row's run among the runs that are drawn, or n_runs when it is not drawn. */
size_t report_run_of(const struct report *report, const struct row *row);
/* Returns the row after `row` of the drawn run with the index `run`; the first one if `row` is NULL. NULL after the
 * last. */
const struct row *report_next(const struct report *report, size_t run, const struct row *row);
/* Returns the row of the same measurement with another metric; NULL when there is none. Looks at adjacent rows only,
 * because the rows of a measurement are consecutive. */
const struct row *report_sibling(const struct report *report, const struct row *row, const char *metric);
/* Formats a short description of what the row measured: test, load, protocol, the words of param that distinguish
 * tests, and the CPU if the test has a row for each CPU, otherwise the number of copies if there are several. */
void report_label(const struct report *report, const struct row *row, char *buf, size_t size);

/* Adds a name to a list of n names unless it is there already, or n is `most`. Returns the new number of names. */
size_t report_distinct(const char **names, size_t n, const char *name, size_t most);
/* Returns whether the row's test has a row for each CPU. */
bool report_one_a_cpu(const struct report *report, const struct row *row);

/* report_rows.c: tables of rows. report_sort_rows() sorts the rows so that those of the same measurement and metric are
 * consecutive, ordered by run, and in suite run the commands follow each other. It sets the base of each row, with
 * which the row is compared: the row of run A; in a page of one run, the first command's row, or the first row of a
 * test that was measured with several numbers of copies. */
void report_sort_rows(struct report *report);
/* Appends the table of a suite's headline rows (those of the metric by which a test is judged), or of all its rows if
 * `all`, limited to `most` rows. Returns the number of rows shown. */
size_t report_put_rows(const struct report *report, const char *suite, bool all, size_t most, struct text *out);
/* Formats "1.102 (1.021 to 1.189)": the ratio of the values, with its 95 % interval if both are means of at least five
 * samples; a dash when the ratio is not known. */
void report_ratio(const struct row *row, const struct row *base, char *buf, size_t size);

/* report_summary.c: appends the summary, and the table of the machines and settings of the runs. */
void report_put_summary(const struct report *report, struct text *out);
void report_put_machine(const struct report *report, struct text *out);

/* report_figures.c: draws all figures of a suite's rows. */
void report_put_figures(const struct report *report, const char *suite, struct text *out);

/* report_parameters.c: draws the times of commands over each parameter whose values are numbers. */
void report_put_parameters(const struct report *report, struct text *out);

/* report_memory.c: appends a heat map of the latencies between CPUs, for each run that measured them. */
void report_put_cores(const struct report *report, struct text *out);

/* report_scale.c: the slow-down of programs on many ranks by noise. report_scale_begin() sets the lengths of steps and
 * the numbers of ranks that are shown; report_has_scale() returns whether the noise test ran; report_put_scale()
 * appends the section. */
void report_scale_begin(struct report *report);
bool report_has_scale(const struct report *report);
void report_put_scale(const struct report *report, struct text *out);

/* report_fleet.c: comparison of hosts. report_has_fleet() returns whether there are at least four; report_put_fleet()
 * appends the section, whose size is bounded, however many hosts there are. */
bool report_has_fleet(const struct report *report);
void report_put_fleet(const struct report *report, struct text *out);

/* report_history.c: each figure over the runs of one machine, and its changes. report_has_history() returns whether
 * there are enough runs; report_put_history() appends the section, whose size is bounded, however many runs there
 * are. */
bool report_has_history(const struct report *report);
void report_put_history(const struct report *report, struct text *out);

#endif
