/* SPDX-License-Identifier: MIT */
/* Charts of marks in the units of two axes, as SVG or as text. */
#ifndef OUT_CHART_H
#define OUT_CHART_H

#include "out/out.h"

#define CHART_LETTER 7.0 /* width of a wide letter in pixels, at a font size of 11 pixels */

/* mantissa * 10^power, rounded to the nearest double if the mantissa is a whole number. */
double plot_decimal(double mantissa, int power);

/* Classes s0 to s7: the palette of Okabe and Ito ('Color Universal Design', 2008), which colour-blind people can
 * distinguish, adapted for contrast; q0 to q7: one colour from faint to strong. */
#define HTML_COLOURS 8
#define HTML_LEVELS  8

/* --- Scales. --- */

/* from, to: pixels. */
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

/* 1, 2 or 5 times a power of ten, at most `most` of which make the span; and the decimals that its multiples need. */
double svg_step(double span, unsigned most);
int svg_step_decimals(double step);

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

/* --- Charts: a <figure> with one SVG 360 pixels wide, of marks in the units of its axes. --- */

/* Logarithmic never, if a value is above 0, or if the highest is 20 (50) times the lowest. */
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
    CHART_LABEL, /* at the left of a line */
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
    char sign;   /* of a mark on a line, in text; 0: none */
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
    size_t n_lines, label_width;           /* lines one below the other; widest of their labels, in characters */
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
/* text: of CHART_TEXT and CHART_LABEL, or a tooltip; NULL: none. Returns the mark, until the next one. */
struct chart_mark *chart_mark(struct chart *chart, struct chart_mark mark, const char *text);

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
    const double *parts; /* of chart_stack(): a value for each key */
};

/* NAN: not known. */
struct chart_value {
    double x, value, low, high;
};

/* With error bars; sorts the values by x. */
void chart_curve(struct chart *chart, const char *label, unsigned colour, struct chart_value *values, size_t n);
/* series: number of its key. */
void chart_bar(struct chart *chart, size_t category, size_t series, const struct chart_value *v);
/* The series, or its `most` events from parameter `window` on; dots: on an x axis that includes 0. */
void chart_series(struct chart *chart, const struct chart_entry *entries, size_t n, double most, bool dots);
/* Counts are logarithmic. body: up to P99.9. */
void chart_histograms(struct chart *chart, const struct chart_entry *entries, size_t n, bool body);

/* A line each. */
/* A bar with the index at its end. */
void chart_index(struct chart *chart, const struct chart_entry *entry);
void chart_stack(struct chart *chart, const struct chart_entry *entry);
/* Minimum to maximum, logarithmic, thicker from median to p99. The first row's unit, if the axis has none. */
void chart_range(struct chart *chart, const struct chart_entry *entry);
/* Samples (of more every nth), median, 95 % interval of the mean. */
#define CHART_SAMPLES 300u
void chart_samples(struct chart *chart, const struct chart_entry *entry);
/* Time lost over the run: colours, or signs, show the decade of its share. A row's series has a point for each of equal
 * parts: start in us, ns lost. Nothing without a series of two points. */
void chart_strip(struct chart *chart, const struct chart_entry *entry);

/* Writes the lines in plain ASCII of at most width columns (40 to 300), with the note below, and frees the chart. Title
 * and labels take at most half of a line; a row without values has its status. Nothing without any value. */
void chart_put_text(struct chart *chart, unsigned width, struct text *out);
/* A chart for chart_range() in text. */
#define CHART_OF_RANGES(title_) \
    { \
        .title = title_, .note = "[ minimum  * median  | p99  ] maximum" \
    }
/* Explains the signs of chart_strip(). Returns buf. */
char *chart_strip_note(char *buf, size_t size);

/* CSS class of a colour. */
const char *chart_class(unsigned colour);
bool chart_wants_log(const struct chart_axis *axis);
/* Without pixels. */
struct svg_scale chart_scale(const struct chart_axis *axis, bool log);
void chart_free(struct chart *chart);

/* An entry of a legend, which begins with CHART_LEGEND. */
#define CHART_LEGEND "<div class=\"legend\">"
void chart_legend_item(struct text *out, const char *classes, const char *label);

#endif
