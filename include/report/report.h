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

/* Up to <main>. */
void html_begin(struct text *out, const char *title);

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

/* Begins <g>. */
void svg_group(struct text *out, const char *classes);

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
/* Outline of n bars, down to the low end of y: left edge and height; points[n]: the right end. */
void svg_steps(struct text *out, const struct svg_scale *x, const struct svg_scale *y, const struct stats_point *points,
               size_t n, const char *classes);

/* --- Axes. --- */

/* With grid lines up to grid_end. left: a y axis at x, with its title above the plot; otherwise an x axis at y, with
 * its title below the labels. title: "Cycles"; unit and "log scale" are added. */
void svg_axis(struct text *out, const struct svg_scale *scale, const struct svg_ticks *ticks, const char *title,
              bool left, double at, double grid_end);

/* --- Charts: a <figure> with one SVG 360 pixels wide, of marks in the units of its axes. --- */

/* Logarithmic never, always, or if the highest is 20 (50) times the lowest. */
enum chart_axis_scale { CHART_LINEAR, CHART_LOG, CHART_AUTO, CHART_WIDE };

struct chart_axis {
    const char *title, *unit; /* for units_choose() */
    enum chart_axis_scale scale;
    unsigned steps;          /* ends at round numbers, about so many; 0: at the values */
    double reach;            /* included if linear */
    bool tight;              /* it is not */
    double low, high, least; /* of the values; least: above 0. Panels can share them: chart_extend() */
    bool found;
};

enum chart_shape {
    CHART_BAR,     /* upright: category x, key x2; with a whisker from low to high */
    CHART_DOT,     /* with a whisker */
    CHART_BOX,     /* from x to x2 */
    CHART_SEGMENT, /* from x to x2 */
    CHART_UPRIGHT, /* over the whole height */
    CHART_LINE,    /* through points */
    CHART_POINTS,  /* a dot at each; those on one pixel share it */
    CHART_STEPS,   /* outline of n bars: left edge and height; points[n]: the right end */
    CHART_TEXT,
};

/* NAN: not known. Pixels dx, dy are added to the place of x, y; x2 and y have dx2, dy2 at the other end. */
struct chart_mark {
    enum chart_shape shape;
    unsigned group; /* colour + 1; 0: none */
    const char *classes;
    double x, y, x2, dx, dy, dx2, dy2, low, high;
    double size;                      /* pixels: radius; least width of a box; -1: a text is cut at the axis */
    const struct stats_point *points; /* until chart_put() */
    size_t n;
    bool owned;  /* the chart frees the points */
    size_t text; /* or tooltip, in texts; 0: none */
};

#define CHART_LINES_MAX 96u
struct chart_key {
    const char *label;
    unsigned colour; /* 0 to 15 for s0 to s7 and q0 to q7 */
};

/* All zero but for titles and units: empty. Title, note and labels of keys must live until chart_put(). */
struct chart {
    const char *title, *note; /* small print; NULL: none */
    struct chart_axis x, y;
    bool log_together;           /* logarithmic only if both axes are; nothing to draw if all x are the same */
    const char *const *category; /* of bars: below */
    size_t n_categories;
    size_t line[CHART_LINES_MAX]; /* labels of lines one below the other, in texts */
    size_t n_lines;
    double right;                          /* pixels at the right of lines */
    struct chart_key key[CHART_LINES_MAX]; /* a legend if there are two */
    size_t n_keys;
    struct chart_mark *mark;
    size_t n_marks, room;
    struct text texts;
};

/* Ignores values that are not finite. */
void chart_extend(struct chart_axis *axis, double value);
void chart_key(struct chart *chart, const char *label, unsigned colour);
/* text: of CHART_TEXT, or a tooltip; NULL: none. */
void chart_mark(struct chart *chart, struct chart_mark mark, const char *text);

/* Charts side by side; the folded ones follow behind a click. All zero: none. */
struct charts {
    struct text shown, folded;
    size_t n_folded;
};
/* Adds the chart, if there is anything to draw, and frees it. Its size is bounded. */
void chart_put(struct chart *chart, struct charts *charts, bool folded);
/* Writes and empties them. */
void charts_end(struct charts *charts, struct text *out);

struct chart_entry {
    const struct row *row;
    const char *label;
    unsigned colour;
};

/* NAN: not known. */
struct chart_value {
    double x, value, low, high;
};

/* With error bars; sorts the values by x. */
void chart_curve(struct chart *chart, const char *label, unsigned colour, struct chart_value *values, size_t n);
/* series: number of its key. */
void chart_bar(struct chart *chart, size_t category, size_t series, const struct chart_value *v);
/* The series up to `before`; dots: on an x axis that includes 0. */
void chart_series(struct chart *chart, const struct chart_entry *entries, size_t n, double before, bool dots);
/* Counts are logarithmic. body: up to P99.9. */
void chart_histograms(struct chart *chart, const struct chart_entry *entries, size_t n, bool body);

/* A line each, at most CHART_LINES_MAX. parts: of chart_stack(), a value for each key. */
/* A bar with the index at its end. */
void chart_index(struct chart *chart, const struct chart_entry *entry, const double *parts);
void chart_stack(struct chart *chart, const struct chart_entry *entry, const double *parts);
/* Minimum to maximum, logarithmic, thicker from median to p99. */
void chart_range(struct chart *chart, const struct chart_entry *entry, const double *parts);
/* Samples (of more every nth), median, 95 % interval of the mean. */
#define CHART_SAMPLES 300u
void chart_samples(struct chart *chart, const struct chart_entry *entry, const double *parts);
/* Colours show the share of time lost; a series as for plot_strip(). */
void chart_strip(struct chart *chart, const struct chart_entry *entry, const double *parts);

/* An entry of a legend, which begins with CHART_LEGEND. */
#define CHART_LEGEND "<div class=\"legend\">"
void chart_legend_item(struct text *out, const char *classes, const char *label);

/* --- A CSV between marker lines, for consoles. --- */

#define FRAME_BEGIN "-----BEGIN JITBENCH CSV"
#define FRAME_END   "-----END JITBENCH CSV"

/* Lines end in LF, which terminals make CRLF; the last marker has what cksum prints of the CSV with CRLF. */
void frame_csv(const char *name, const char *csv, size_t length, struct text *out);

/* --- Parts of the page. --- */

/* Drawn, each with a colour; further runs are in tables only. */
#define REPORT_RUNS_MAX HTML_COLOURS
#define REPORT_NAME     24u

struct report_place {
    const struct row *row, *base; /* base: what the row is compared with; NULL: nothing */
    size_t group;                 /* of this measurement and metric, in all runs */
};

struct report {
    const struct metrics *metrics;
    struct row_set set;
    struct report_place *order;              /* of set, in the order of the tables */
    size_t n_runs;                           /* drawn */
    char name[REPORT_RUNS_MAX][REPORT_NAME]; /* "A", "B"..; with the host where hosts differ */
    size_t n_all_runs;                       /* with those without rows in set */
    struct index suites;                     /* known ones in the order of the table of metrics, then others */
    size_t left_out;                         /* judged, but not in set */
    struct gather gather;                    /* of each host, from all rows */
    struct history history;                  /* if all rows are of one machine */
    struct project project;                  /* a run is a host with its number as name */
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
#define for_each_row_of_run(row, report, run) for (const struct row *row = NULL; (row = report_next(report, run, row));)
/* NULL: none. Rows of a measurement are consecutive. */
const struct row *report_sibling(const struct report *report, const struct row *row, const char *metric);
/* Test, load, protocol, telling words of param, and CPU or copies. */
char *report_label(const struct report *report, const struct row *row, char *buf, size_t size);
#define REPORT_LABEL(report, row) report_label(report, row, (char[1024]){0}, 1024)

bool report_one_a_cpu(const struct report *report, const struct row *row);

/* Rows of one measurement and metric together, by run; commands of suite run one after the other. Base: the row of
 * run A; in a page of one run the first command, or the first number of copies. */
void report_sort_rows(struct report *report);
/* all: not only headline rows. Returns the number shown, at most `most`. */
size_t report_put_rows(const struct report *report, const char *suite, bool all, size_t most, const struct doc *doc);
/* "1.102 (1.021 to 1.189)": 95 % if both are means of five samples or more; a dash: not known. */
char *report_ratio(const struct row *row, const struct row *base, char *buf, size_t size);
#define REPORT_RATIO(row, base) report_ratio(row, base, (char[2 * UNITS_SIZE]){0}, 2 * UNITS_SIZE)

void report_put_summary(const struct report *report, const struct doc *doc);
void report_put_machine(const struct report *report, const struct doc *doc);

void report_put_figures(const struct report *report, const char *suite, const struct doc *doc);

/* For at least four hosts; bounded. */
bool report_has_fleet(const struct report *report);
void report_put_fleet(const struct report *report, const struct doc *doc);

#endif
