/* SPDX-License-Identifier: MIT */
/* Pages of jitbench report: HTML, SVG, figures and sections. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/analysis.h"
#include "out/out.h"
#include "rows/rows.h"
#include "rows/text.h"

/* --- HTML: one file without scripts and external resources, light or dark, printable. --- */

/* Up to <main>, and from </main> on. */
void html_begin(struct text *out, const char *title);
void html_end(struct text *out);

/* Classes s0 to s7: the palette of Okabe and Ito ('Color Universal Design', 2008), which colour-blind people can
 * distinguish, adapted for contrast; q0 to q7: one colour from faint to strong. */
#define HTML_COLOURS 8
#define HTML_LEVELS  8

/* --- SVG: pixels from the top left; colours by class (`currentColor`). Output is bounded for any values: lines by
 * pixel columns, dots by pixels. --- */

/* --- Scales. --- */

struct svg_scale {
    double low, high, from, to;
    bool log;
};

/* Includes both values, which are widened if equal; not finite: ignored, 0 to 1 for none (log: 1 to 10). log: low is
 * at most 12 decades below high. */
struct svg_scale svg_scale(double low, double high, double from, double to, bool log);
/* To about `most` steps of 1, 2 or 5 times a power of ten; log: to such numbers. */
void svg_scale_round(struct svg_scale *scale, unsigned most);
/* At the edge if outside. */
double svg_at(const struct svg_scale *scale, double value);

#define SVG_TICKS_MAX 24
struct svg_ticks {
    size_t n;
    double at[SVG_TICKS_MAX];
    char label[SVG_TICKS_MAX][32];
    char unit[48]; /* for the axis title; "": each label has its own, or none */
    double widest; /* in pixels, rounded up generously */
};
/* At round numbers; linear ones have one unit, logarithmic ones are at powers of ten, or also at 2 and 5 times each;
 * times, bytes and frequencies have a unit each. room: pixels for a label; 0: its width. */
void svg_ticks(const struct svg_scale *scale, const char *unit, double room, struct svg_ticks *ticks);

/* In the page's small font, at most. */
double svg_text_width(const char *s);

/* --- The picture. --- */

void svg_group(struct text *out, const char *classes);
void svg_group_end(struct text *out);

/* --- Marks. tip is the tooltip; NULL for none. --- */

void svg_line(struct text *out, double x1, double y1, double x2, double y2, const char *classes);
void svg_box(struct text *out, double x, double y, double width, double height, const char *classes, const char *tip);
void svg_dot(struct text *out, double x, double y, double radius, const char *classes, const char *tip);
/* anchor: "start", "middle", "end". most: pixels, 0: no limit; a cut text is whole in the tooltip. */
void svg_label(struct text *out, double x, double y, const char *anchor, const char *classes, const char *s,
               double most);

/* `at` ascends. Of a pixel column first, last, least and greatest. */
void svg_trace(struct text *out, const struct svg_scale *x, const struct svg_scale *y, const struct stats_point *points,
               size_t n, const char *classes);
/* Points on one pixel share a dot. */
void svg_scatter(struct text *out, const struct svg_scale *x, const struct svg_scale *y,
                 const struct stats_point *points, size_t n, const char *classes);
/* Outline of n bars between n + 1 edges, down to the low end of y. */
void svg_steps(struct text *out, const struct svg_scale *x, const struct svg_scale *y, const double *edges,
               const double *heights, size_t n, const char *classes);

/* --- Axes. --- */

struct svg_axis {
    const struct svg_scale *scale;
    const struct svg_ticks *ticks;
    const char *title; /* "Cycles"; unit and "log scale" are added */
};
/* y: position of the x axis; x: of the y axis; with grid lines. The title is below the labels, or above the plot. */
void svg_axis_below(struct text *out, const struct svg_axis *axis, double y, double grid_top);
void svg_axis_left(struct text *out, const struct svg_axis *axis, double x, double grid_right);

/* --- Figures: a <figure> with one SVG 360 pixels wide. Each returns false, and writes nothing, when there is
 * nothing to draw; the size is bounded. --- */

struct figure {
    const char *title, *note; /* small print; NULL: none */
    const char *x_title, *y_title;
    const char *x_unit, *y_unit; /* for units_choose() */
    double x_low, x_high;        /* figure_ranges(): panels can share the axis */
    bool x_log;                  /* figure_curve(): even for a small range */
    double y_low;                /* figure_curve(): at most, if linear */
};

/* colour: 0 to 15 for s0 to s7 and q0 to q7. In a legend row is NULL. */
struct figure_entry {
    const struct row *row;
    const char *label;
    unsigned colour;
};

#define FIGURE_LINES_MAX 96u /* further entries are left out */

/* The series up to `before`; dots: on an x axis that includes 0. */
bool figure_trace(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n,
                  double before, bool dots);
/* Counts are logarithmic. body: up to P99.9. */
bool figure_histogram(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n,
                      bool body);

/* NAN: not known. x: for figure_curve(). */
struct figure_value {
    double x, value, low, high;
};

/* figure_curve() sorts by x. */
struct figure_line {
    const char *label;
    unsigned colour;
    struct figure_value *values;
    size_t n;
};
/* With error bars. Returns false also when all x are the same. */
bool figure_curve(struct text *out, const struct figure *figure, const struct figure_line *lines, size_t n);

struct figure_level {
    double from, to, value;
};
/* Dots; a horizontal line for each level, a vertical one between two. The x axis ends where levels do. */
bool figure_levels(struct text *out, const struct figure *figure, const struct stats_point *points, size_t n,
                   const struct figure_level *levels, size_t n_levels);

/* A group for each category, a bar for each series: values[category * n_series + series]. */
struct figure_bars {
    const char *const *categories;
    const struct figure_entry *series; /* label and colour */
    size_t n_categories, n_series;
    const struct figure_value *values;
    bool log;
};
bool figure_bars(struct text *out, const struct figure *figure, const struct figure_bars *bars);

/* Horizontal, with the value at the end. */
bool figure_lengths(struct text *out, const struct figure *figure, const struct figure_entry *entries,
                    const struct figure_value *values, size_t n);
/* Minimum to maximum, logarithmic, thicker from median to p99. */
bool figure_ranges(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n);
/* Samples (at most 300), median, 95 % interval of the mean. */
bool figure_samples(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n);
/* Colours show the share of time lost; a series as for plot_strip(). x_unit: of its positions. */
bool figure_strips(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n);

/* Entry e has values[e * n_parts] and the n_parts - 1 after it. */
struct figure_parts {
    const struct figure_entry *keys;
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
/* Hosts that stand out are named. */
struct figure_dots {
    const double *values; /* NAN: none */
    size_t n;
    double median;
    const struct figure_dot *named; /* at most FIGURE_NAMED_MAX are shown */
    size_t n_named;
};
/* The median is a line. Of more than 400 dots, 400 at even ranks. */
bool figure_dots(struct text *out, const struct figure *figure, const struct figure_dots *dots);

/* An entry of a legend, which begins with FRAME_LEGEND. */
#define FRAME_LEGEND "<div class=\"legend\">"
void frame_legend_item(struct text *out, const char *classes, const char *label);

/* Heat map: a table of an HTML page. The colour of a cell shows how far its value is from the usual one, in spreads
 * (robust standard deviations), and in which direction: from blue (better) by grey to orange (worse), which people with
 * the common kinds of colour blindness can distinguish. Cells that are far off show the distance as text too, and each
 * cell has a description for pointers and screen readers. */

#define HEAT_LEVELS 4 /* for better values, and for worse */

struct heat_cell {
    double worse; /* in spreads; positive: worse; NAN: no value */
    bool far;     /* show the distance as text */
    char tip[320];
};

struct heat {
    const char *row_title;
    const char *const *rows, *const *columns;
    const bool *row_stands_out;
    const bool *column_begins; /* first of a group: a gap before it */
    size_t n_rows, n_columns;
    void (*cell)(const void *context, size_t row, size_t column, struct heat_cell *cell);
    const void *context;
};

void heat_put(struct text *out, const struct heat *heat);

/* --- A CSV between marker lines, for consoles. --- */

#define FRAME_BEGIN "-----BEGIN JITBENCH CSV"
#define FRAME_END   "-----END JITBENCH CSV"

/* Lines end in LF, which terminals make CRLF; the last marker has what cksum prints of the CSV with CRLF. */
void frame_csv(const char *name, const char *csv, size_t length, struct text *out);

/* --- Parts of the page. --- */

/* Drawn, each with a colour; further runs are in tables only. */
#define REPORT_RUNS_MAX HTML_COLOURS
#define REPORT_NAME     24u

/* base: what the row is compared with. */
struct report_place {
    size_t row, base; /* in report.set.rows; REPORT_NO_BASE */
    size_t group;     /* of this measurement and metric, in all runs */
};
#define REPORT_NO_BASE ((size_t)-1)

struct report {
    const struct metrics *metrics;
    struct row_set set;
    struct report_place *order;              /* of set, in the order of the tables */
    size_t n_runs;                           /* drawn */
    char name[REPORT_RUNS_MAX][REPORT_NAME]; /* "A", "B"..; with the host where hosts differ */
    size_t n_all_runs;                       /* with those without rows in set */
    size_t left_out;                         /* judged, but not in set */
    struct gather gather;                    /* of each host, from all rows */
    struct history history;                  /* if all rows are of one machine */
    struct projection projection;            /* a run is a host with its number as name */
    /* The last row's run, while rows are read. */
    struct row_run last_run;
    size_t last_number;
};

/* files_read() adds rows to report->set between begin and finish. report_free() in all cases. */
void report_begin(struct report *report, const struct metrics *metrics);
void report_finish(struct report *report);
void report_put(const struct report *report, struct text *out);
void report_free(struct report *report);

/* n_runs: not drawn. */
size_t report_run_of(const struct report *report, const struct row *row);
/* row NULL: the first; NULL: after the last. */
const struct row *report_next(const struct report *report, size_t run, const struct row *row);
/* NULL: none. Rows of a measurement are consecutive. */
const struct row *report_sibling(const struct report *report, const struct row *row, const char *metric);
/* Test, load, protocol, telling words of param, and CPU or copies. */
void report_label(const struct report *report, const struct row *row, char *buf, size_t size);

/* If it is not there and n is below most. Returns the new number. */
size_t report_distinct(const char **names, size_t n, const char *name, size_t most);
bool report_one_a_cpu(const struct report *report, const struct row *row);

/* Rows of one measurement and metric together, by run; commands of suite run one after the other. Base: the row of
 * run A; in a page of one run the first command, or the first number of copies. */
void report_sort_rows(struct report *report);
/* all: not only headline rows. Returns the number shown, at most `most`. */
size_t report_put_rows(const struct report *report, const char *suite, bool all, size_t most, struct text *out);
/* "1.102 (1.021 to 1.189)": 95 % if both are means of five samples or more; a dash: not known. */
void report_ratio(const struct row *row, const struct row *base, char *buf, size_t size);

void report_put_summary(const struct report *report, struct text *out);
void report_put_machine(const struct report *report, struct text *out);

void report_put_figures(const struct report *report, const char *suite, struct text *out);

/* Over each parameter whose values are numbers. */
void report_put_parameters(const struct report *report, struct text *out);

/* For at least four hosts; bounded. */
bool report_has_fleet(const struct report *report);
void report_put_fleet(const struct report *report, struct text *out);

#endif
