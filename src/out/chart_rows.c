/* SPDX-License-Identifier: MIT */
/* Charts of rows, as SVG or as lines of text; histograms as text, with round bin limits and logarithmic bars. */

#include "out/chart.h"

/* --- Charts of rows. --- */

#define BODY        0.999
#define BINS        96
#define LEAST_COUNT 0.5 /* lower end of a logarithmic count axis, so that a count of one has a bar too */

/* With a count above 0, at a position that can be drawn, of which powers of ten nearby are finite too: files may be
 * edited by hand. */
static bool is_event(const struct stats_point *pair)
{
    return fabs(pair->at) < 1e300 && isfinite(pair->value) && pair->value > 0;
}

/* n + 1 ascending edges; events above the last are left out. */
static void count_events(const struct row *row, const double *edges, size_t n, double *counts)
{
    size_t bin = 0;

    memset(counts, 0, n * sizeof(*counts));
    for (size_t i = 0; i < row->n_hist; i++) {
        const double at = row->hist[i].at;
        if (!is_event(&row->hist[i]) || at - edges[n] > 1e-9 * fabs(edges[n])) /* the edges are rounded */
            continue;
        while (bin > 0 && at < edges[bin])
            bin--;
        while (bin + 1 < n && at >= edges[bin + 1])
            bin++;
        counts[bin] += row->hist[i].value;
    }
}

/* Of this share of the events. */
static double histogram_quantile(const struct row *row, double share)
{
    double sum = 0, so_far = 0;

    for (size_t i = 0; i < row->n_hist; i++)
        sum += is_event(&row->hist[i]) ? row->hist[i].value : 0;
    for (size_t i = 0; i < row->n_hist; i++) {
        so_far += is_event(&row->hist[i]) ? row->hist[i].value : 0;
        if (so_far >= share * sum && so_far > 0)
            return row->hist[i].at;
    }
    return NAN;
}

/* The least distance between two values up to the limit. Narrower bins would alternate with empty ones. */
static double finest(const struct chart_entry *entries, size_t n, double limit)
{
    double least = INFINITY;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 1; j < entries[i].row->n_hist && entries[i].row->hist[j].at <= limit; j++) {
            double apart = entries[i].row->hist[j].at - entries[i].row->hist[j - 1].at;
            least = apart > 0 ? fmin(least, apart) : least;
        }
    return isfinite(least) ? least : 1;
}

static size_t make_edges(const struct svg_scale *x, double grain, double edges[BINS + 1])
{
    double width = (x->high - x->low) / BINS;
    size_t n = BINS;

    if (!x->log) {
        width = fmax(ceil(width / grain - 1e-6), 1) * grain;
        n = (size_t)ceil((x->high - x->low) / width - 1e-6);
        n = n < 1 ? 1 : n > BINS ? BINS : n;
    }
    for (size_t i = 0; i <= n; i++)
        edges[i] =
            x->log ? x->low * pow(x->high / x->low, (double)i / BINS) : fmin(x->low + width * (double)i, x->high);
    return n;
}

void chart_histograms(struct chart *c, const struct chart_entry *entries, size_t n, bool body)
{
    double edges[BINS + 1], counts[BINS];

    for (size_t i = 0; i < n; i++) {
        chart_extend(&c->x, histogram_quantile(entries[i].row, 0));
        chart_extend(&c->x, histogram_quantile(entries[i].row, body ? BODY : 1));
    }
    if (!c->x.found)
        return;
    c->x.scale = CHART_AUTO;
    const bool log = chart_wants_log(&c->x);
    const double grain = finest(entries, n, c->x.high);
    c->x.high += log ? 0 : grain;
    c->x.scale = log && !body ? CHART_LOG : CHART_LINEAR;
    c->x.tight = true;
    c->x.steps = 6;
    c->y.scale = CHART_LOG;
    c->y.steps = 6;
    const struct svg_scale x = chart_scale(&c->x, log && !body);
    const size_t bins = make_edges(&x, grain, edges);
    chart_extend(&c->y, LEAST_COUNT);
    chart_extend(&c->y, 1);
    for (size_t i = 0; i < n; i++) {
        struct stats_point *steps = memory_get(bins + 1, sizeof(*steps));
        count_events(entries[i].row, edges, bins, counts);
        for (size_t j = 0; j <= bins; j++) {
            steps[j] = (struct stats_point){edges[j], j < bins ? counts[j] : 0};
            chart_extend(&c->y, steps[j].value);
        }
        chart_key(c, entries[i].label, entries[i].colour);
        chart_mark(c,
                   (struct chart_mark){.shape = CHART_STEPS,
                                       .group = entries[i].colour + 1,
                                       .classes = n < 3 ? "area" : "thin",
                                       .points = steps,
                                       .n = bins,
                                       .owned = true},
                   NULL);
    }
}

void chart_series(struct chart *c, const struct chart_entry *entries, size_t n, double most, bool dots)
{
    c->x.steps = c->y.steps = 6;
    c->x.tight = !dots;
    c->y.tight = true;
    c->y.scale = CHART_AUTO;
    for (size_t i = 0; i < n; i++) {
        const struct row *row = entries[i].row;
        const double from = isfinite(most) ? fmax(row_param_number(&row->param, "window"), 0) : -1e308;
        const struct stats_point *points = row->series;
        size_t left = row->n_series, used = 0;
        for (; left && points->at < from; left--)
            points++;
        while (used < left && points[used].at < from + most)
            used++;
        chart_key(c, entries[i].label, entries[i].colour);
        chart_mark(c,
                   (struct chart_mark){.shape = dots ? CHART_POINTS : CHART_LINE,
                                       .group = entries[i].colour + 1,
                                       .classes = dots ? "dots" : "thin",
                                       .points = points,
                                       .n = used},
                   NULL);
    }
}

/* --- Charts with a line for each row. --- */

#define STRIP_CELLS 240u

/* Marks on a line, centred on it. */
enum span {
    RANGE,
    MINIMUM,
    MAXIMUM,
    BODY_PART,
    P99,
    MEDIAN,
    TOUCHED,
    BAR,
    PART,
    INTERVAL,
    SAMPLE,
    WHISKER,
    MIDDLE,
    CELL
};
static const struct {
    enum chart_shape shape;
    const char *classes; /* NULL: that of the colour */
    double half, size;   /* half of the height in pixels; least width, or radius */
    char sign;           /* in text; 0: none */
} spans[] = {
    [RANGE] = {CHART_SEGMENT, "", 0, 0, '-'},         [MINIMUM] = {CHART_SEGMENT, "", 3, 0, '['},
    [MAXIMUM] = {CHART_SEGMENT, "bold", 4.5, 0, ']'}, [BODY_PART] = {CHART_BOX, "soft", 3.5, 0, '='},
    [P99] = {CHART_SEGMENT, "", 4.5, 0, '|'},         [MEDIAN] = {CHART_DOT, "mark", 0, 3.6, '*'},
    [TOUCHED] = {CHART_BOX, "hit", 6, 2, 0},          [BAR] = {CHART_BOX, "", 5.5, 0.7, 0},
    [PART] = {CHART_BOX, NULL, 5.5, 0.4, 0},          [INTERVAL] = {CHART_SEGMENT, "bold", 0, 0, 0},
    [SAMPLE] = {CHART_DOT, "faint", 0, 2, 0},         [WHISKER] = {CHART_SEGMENT, "whisker", 0, 0, 0},
    [MIDDLE] = {CHART_BOX, "mark", 6, 0, 0},          [CELL] = {CHART_BOX, NULL, 7, 0, 0},
};

static void begin_line(struct chart *c, const char *label, double right, enum chart_axis_scale scale, unsigned steps)
{
    c->n_lines++;
    c->label_width = text_width(label) > c->label_width ? text_width(label) : c->label_width;
    c->right = right;
    c->x.scale = scale;
    c->x.steps = steps;
    chart_mark(c, (struct chart_mark){.shape = CHART_LABEL, .y = (double)c->n_lines - 1, .dy = 3.5}, label);
}

/* On the last line, upright if from is to. */
static struct chart_mark *put_span(struct chart *c, enum span span, unsigned colour, double from, double to,
                                   const char *tip)
{
    const char *classes = spans[span].classes;

    return chart_mark(c,
                      (struct chart_mark){.shape = spans[span].shape,
                                          .group = classes ? colour + 1 : 0,
                                          .classes = classes ? classes : chart_class(colour),
                                          .x = from,
                                          .x2 = to,
                                          .y = (double)c->n_lines - 1,
                                          .dy = -spans[span].half,
                                          .dy2 = spans[span].half,
                                          .size = spans[span].size,
                                          .sign = spans[span].sign},
                      tip);
}

/* At the left edge if x is NAN. */
static void put_line_text(struct chart *c, unsigned group, double x, const char *text)
{
    chart_mark(c,
               (struct chart_mark){.shape = CHART_TEXT,
                                   .group = group,
                                   .classes = isnan(x) ? NULL : "ink",
                                   .x = x,
                                   .dx = 4,
                                   .y = (double)c->n_lines - 1,
                                   .dy = 4,
                                   .size = isnan(x) ? -1 : 0},
               text);
}

static void say_missing(struct chart *c, const struct row *row)
{
    put_line_text(c, 0, NAN,
                  TEXT_LINE("%s%s%s", row->status == ROW_OK ? "no value" : row_status_name(row->status),
                            row->reason[0] ? ": " : "", row->reason));
}

static const char *range_tip(const struct chart *c, const struct chart_entry *entry, struct text *tip)
{
    const struct stats_summary *s = &entry->row->stats;
    const struct {
        const char *name;
        double value;
    } marks[] = {{"minimum", s->min}, {"median", s->median}, {"mean", s->mean},
                 {"p99", s->p99},     {"p99.9", s->p999},    {"maximum", s->max}};

    const char *before = ": ";
    text_printf(tip, "%s", entry->label);
    for (size_t i = 0; i < COUNT(marks); i++)
        if (isfinite(marks[i].value)) {
            text_printf(tip, "%s%s %s", before, marks[i].name, UNITS_VALUE(marks[i].value, c->x.unit));
            before = ", ";
        }
    if (*before == ':')
        text_printf(tip, ": %s", UNITS_VALUE(entry->row->value, c->x.unit));
    return tip->data;
}

/* Rows have value and interval of the rate, so the interval is scaled to the index. */
void chart_index(struct chart *c, const struct chart_entry *entry)
{
    const struct row *row = entry->row;
    const double low = row->stats.ci95_lo * row->index / row->value,
                 high = row->stats.ci95_hi * row->index / row->value;
    const bool known = isfinite(low) && isfinite(high);
    const char *value = UNITS_VALUE(row->index, c->x.unit);

    begin_line(c, entry->label, 66, CHART_LINEAR, 4);
    put_span(c, BAR, entry->colour, 0, row->index,
             TEXT_LINE(known ? "%s: %s, 95 %% of the mean: %s" : "%s: %s", entry->label, value,
                       UNITS_RANGE(low, high, c->x.unit)));
    if (known)
        put_span(c, WHISKER, entry->colour, low, high, NULL);
    put_line_text(c, entry->colour + 1, known ? fmax(row->index, high) : row->index, value);
}

void chart_stack(struct chart *c, const struct chart_entry *entry)
{
    double so_far = 0;

    begin_line(c, entry->label, 66, CHART_LINEAR, 4);
    for (size_t i = 0; i < c->n_keys; i++) {
        const double part = entry->parts[i];
        if (!(part > 0 && isfinite(part)))
            continue;
        put_span(c, PART, c->key[i].colour, so_far, so_far + part,
                 TEXT_LINE("%.60s, %s: %s", entry->label, c->key[i].label, UNITS_VALUE(part, c->x.unit)));
        so_far += part;
    }
    chart_extend(&c->x, so_far);
    put_line_text(c, 0, so_far, UNITS_VALUE(so_far, c->x.unit));
}

void chart_range(struct chart *c, const struct chart_entry *entry)
{
    const struct stats_summary *s = &entry->row->stats;
    FREED_BY(text_free) struct text tip = {0};

    c->x.unit = c->x.unit ? c->x.unit : entry->row->unit;
    begin_line(c, entry->label, 24, CHART_LOG, 6);
    chart_extend(&c->x, s->min);
    chart_extend(&c->x, s->max);
    if (!isfinite(s->min) || !isfinite(s->max) || !isfinite(s->median)) {
        say_missing(c, entry->row);
        return;
    }
    put_span(c, RANGE, entry->colour, s->min, s->max, NULL);
    put_span(c, MINIMUM, entry->colour, s->min, s->min, NULL);
    put_span(c, MAXIMUM, entry->colour, s->max, s->max, NULL);
    if (s->p99 > s->median)
        put_span(c, BODY_PART, entry->colour, s->median, s->p99, NULL);
    if (isfinite(s->p99))
        put_span(c, P99, entry->colour, s->p99, s->p99, NULL);
    put_span(c, MEDIAN, entry->colour, s->median, 0, NULL);
    put_span(c, TOUCHED, entry->colour, s->min, s->max, range_tip(c, entry, &tip));
}

void chart_samples(struct chart *c, const struct chart_entry *entry)
{
    const struct row *row = entry->row;
    const struct stats_summary *s = &row->stats;
    const double at = isfinite(s->median) ? s->median : row->value;
    const size_t every = row->n_samples / CHART_SAMPLES + 1;
    FREED_BY(text_free) struct text tip = {0};

    begin_line(c, entry->label, 24, CHART_WIDE, 5);
    c->x.tight = true;
    chart_extend(&c->x, row->value);
    if (row->n_samples == 0 && !isfinite(row->value)) {
        say_missing(c, row);
        return;
    }
    for (size_t i = 0; i < row->n_samples; i++)
        chart_extend(&c->x, row->samples[i]);
    for (size_t i = 0; i < row->n_samples; i += every)
        if (isfinite(row->samples[i]))
            put_span(c, SAMPLE, entry->colour, row->samples[i], 0, NULL)->dy = ((double)(i / every % 5) - 2) * 1.6;
    if (isfinite(s->ci95_lo) && isfinite(s->ci95_hi))
        put_span(c, INTERVAL, entry->colour, s->ci95_lo, s->ci95_hi, NULL);
    struct chart_mark *middle = put_span(c, MIDDLE, entry->colour, at, at, range_tip(c, entry, &tip));
    middle->dx = -1;
    middle->dx2 = 1;
}

/* Colours, and signs in text, by share of the time. Level 0 is for 0. */
static const struct {
    double from;
    char sign;
    const char *name;
} levels[HTML_LEVELS] = {{0, ' ', "nothing"},  {0, '.', "less"},   {1e-5, ':', "0.001 %"}, {1e-4, '-', "0.01 %"},
                         {1e-3, '=', "0.1 %"}, {1e-2, '+', "1 %"}, {1e-1, '#', "10 %"},    {5e-1, '@', "50 % or more"}};

/* Of the series, from `piece` of so many pieces on. In us: the length of a part; 0: fewer than two parts. */
static unsigned level_of(const struct row *row, size_t piece, size_t pieces, double part_us)
{
    const size_t from = piece * row->n_series / pieces, to = (piece + 1) * row->n_series / pieces;
    unsigned level = HTML_LEVELS - 1;
    double ns = 0;

    for (size_t i = from; i < to; i++)
        ns += isfinite(row->series[i].value) ? row->series[i].value : 0;
    const double share = ns / ((double)(to - from) * part_us * 1e3);
    if (!(share > 0))
        return 0;
    while (level > 1 && share < levels[level].from * 0.9999)
        level--;
    return level;
}

void chart_strip(struct chart *c, const struct chart_entry *entry)
{
    const struct row *row = entry->row;
    const size_t cells = row->n_series < STRIP_CELLS ? row->n_series : STRIP_CELLS;
    const double part = row->n_series < 2 ? 0 : row->series[1].at - row->series[0].at;
    const double all = part * (double)row->n_series;
    size_t begun = 0;

    begin_line(c, entry->label, 24, CHART_LINEAR, 0);
    for (unsigned i = 0; i < HTML_LEVELS && c->n_lines == 1; i++)
        chart_key(c, levels[i].name, HTML_COLOURS + i);
    if (!(all > 0 && all < 1e300)) {
        say_missing(c, row);
        return;
    }
    for (size_t i = 0; i < cells; i++) {
        const unsigned level = level_of(row, i, cells, part);
        if (i + 1 < cells && level_of(row, i + 1, cells, part) == level)
            continue;
        put_span(c, CELL, HTML_COLOURS + level, all * (double)begun / (double)cells,
                 all * (double)(i + 1) / (double)cells,
                 TEXT_LINE("%.60s: %s%s", entry->label, levels[level].name,
                           level > 1 && level < HTML_LEVELS - 1 ? " or more lost" : " lost"))
            ->sign = levels[level].sign;
        begun = i + 1;
    }
}

/* --- Lines as text. --- */

#define TEXT_LEAST 40u
#define TEXT_MOST  300u
#define TEXT_GAP   2u

struct text_line {
    char at[TEXT_MOST + 1];
    size_t width;
};

/* Up to the column `end`. */
static void put_at(struct text_line *line, size_t column, size_t end, const char *s)
{
    for (; *s && column < end; s++)
        line->at[column++] = *s < ' ' || *s > '~' ? '?' : *s;
}

/* And begins it anew. */
static void end_line(struct text_line *line, struct text *out)
{
    size_t length = line->width;

    while (length > 0 && line->at[length - 1] == ' ')
        length--;
    text_printf(out, "%.*s\n", (int)length, line->at);
    memset(line->at, ' ', sizeof(line->at));
}

static size_t column_of(const struct svg_scale *x, double value)
{
    return (size_t)lround(svg_at(x, value) / CHART_LETTER);
}

/* Of signs in one column, one that stands further to the right in `signs` hides the others. */
static void put_signs(const struct svg_scale *x, const struct chart_mark *m, struct text_line *line)
{
    static const char signs[] = " .:-=+#@[|]*";
    const size_t from = column_of(x, m->x), end = m->shape == CHART_DOT ? from : column_of(x, m->x2);

    for (size_t i = from; m->sign && (i == from || i + (m->shape == CHART_BOX) <= end); i++)
        if (strchr(signs, m->sign) > strchr(signs, line->at[i]))
            line->at[i] = m->sign;
}

static void put_text_axis(const struct chart *c, struct svg_scale *x, size_t left, struct text_line *line,
                          struct text *out)
{
    struct svg_ticks ticks = {0};
    size_t end = 0;

    x->from = (double)left * CHART_LETTER;
    for (unsigned pass = 0; pass < 2; pass++) { /* the second with room for the labels */
        x->to = CHART_LETTER * ((double)line->width - (double)text_width(ticks.unit) - 1) - ticks.widest;
        x->to = fmax(x->to, x->from + CHART_LETTER);
        svg_ticks(x, c->x.unit, 0, &ticks);
    }
    put_at(line, 0, left - TEXT_GAP, c->title);
    for (size_t i = 0; i < ticks.n; i++) {
        end = column_of(x, ticks.at[i]);
        put_at(line, end, line->width, units_plain(ticks.label[i]));
        end += strlen(ticks.label[i]) + 1;
    }
    put_at(line, end, line->width, units_plain(ticks.unit));
    end_line(line, out);
    memset(line->at + left, '-', column_of(x, x->high) - left + 1);
    for (size_t i = 0; i < ticks.n; i++)
        line->at[column_of(x, ticks.at[i])] = '+';
    end_line(line, out);
}

void chart_put_text(struct chart *c, unsigned width, struct text *out)
{
    struct text_line line = {.width = width < TEXT_LEAST ? TEXT_LEAST : width > TEXT_MOST ? TEXT_MOST : width};
    const size_t label = c->label_width > strlen(c->title) ? c->label_width : strlen(c->title);
    const size_t most = line.width / 2, left = label + TEXT_GAP < most ? label + TEXT_GAP : most;
    struct svg_scale x = chart_scale(&c->x, chart_wants_log(&c->x));

    memset(line.at, ' ', sizeof(line.at));
    if (c->x.found)
        put_text_axis(c, &x, left, &line, out);
    for (size_t i = 0; i < c->n_marks && c->x.found; i++) {
        const struct chart_mark *m = &c->mark[i];
        if (m->shape == CHART_LABEL)
            put_at(&line, 0, left - TEXT_GAP, c->texts.data + m->text);
        else if (m->shape == CHART_TEXT)
            put_at(&line, left, line.width, c->texts.data + m->text);
        else
            put_signs(&x, m, &line);
        if (i + 1 == c->n_marks || m[1].shape == CHART_LABEL)
            end_line(&line, out);
    }
    if (c->x.found)
        text_printf(out, "%s\n", c->note);
    chart_free(c);
}

char *chart_strip_note(char *buf, size_t size)
{
    text_copy(buf, size, "lost:");
    for (size_t i = 0; i < HTML_LEVELS; i++)
        text_add(buf, size, i ? "  %c %s" : " '%c' %s", levels[i].sign, levels[i].name);
    return buf;
}

/* --- Histograms as text. --- */

#define MOST_BINS 25u
/* From this ratio of highest to lowest on, bins have equal ratios. */
#define GEOMETRIC   100.0
#define SIGNIFICANT 4

struct bins {
    size_t n;
    double edges[MOST_BINS + 2];
    double counts[MOST_BINS + 1];
    int decimals; /* decimals of the limits; -1: as many as each needs */
};

static void even_edges(struct bins *bins, double low, double high, bool whole)
{
    double step = high > low ? svg_step(high - low, MOST_BINS - 1) : 1;

    if (whole)
        step = fmax(step, 1);
    while ((floor(low / step) + 1) * step <= floor(low / step) * step) /* too small to change a huge position */
        step *= 10;
    const double first = floor(low / step), inverse = round(1 / step);
    bins->n = (size_t)(floor(high / step) - first) + 1;
    bins->decimals = step < 1e-17 ? -1 : svg_step_decimals(step);
    for (size_t j = 0; j <= bins->n; j++)
        bins->edges[j] = step < 1 ? (first + (double)j) / inverse : (first + (double)j) * step;
}

/* Ten in a decade, or every second, third, fifth or tenth of these, the finest with few enough bins. */
static bool geometric_edges(struct bins *bins, double low, double high)
{
    static const double mantissas[] = {100, 125, 160, 200, 250, 315, 400, 500, 630, 800};
    static const size_t every[] = {1, 2, 3, 5, 10};
    const int first_power = (int)floor(log10(low)) - 3;

    for (size_t s = 0; s < COUNT(every); s++) {
        size_t n = 0;
        double edge = 0;
        for (size_t i = 0; n <= MOST_BINS && (n == 0 || edge <= high); i += every[s]) {
            double below = edge;
            edge = plot_decimal(mantissas[i % 10], first_power + (int)(i / 10));
            if (edge <= low)
                continue;
            if (n == 0)
                bins->edges[n++] = below;
            bins->edges[n++] = edge;
        }
        bins->n = n - 1;
        bins->decimals = -1;
        if (edge > high && n <= MOST_BINS + 1)
            return true;
    }
    return false;
}

static int print_limit(const struct bins *bins, size_t edge, char *buf, size_t size)
{
    double value = bins->edges[edge];
    if (bins->decimals >= 0)
        return snprintf(buf, size, "%.*f", bins->decimals, value);
    if (value >= 1000 && value < 1e12)
        return snprintf(buf, size, "%.0f", value);
    return snprintf(buf, size, "%.*g", SIGNIFICANT, value);
}

static int widest(int a, int b)
{
    return a > b ? a : b;
}

static void put_bins(const struct bins *bins, const char *unit, unsigned width, struct text *out)
{
    char low[400], high[400];
    int label_width = 0, count_width = 0, room;
    double most = 0;
    for (size_t i = 0; i <= bins->n; i++)
        label_width = widest(label_width, print_limit(bins, i, low, sizeof low));
    for (size_t i = 0; i < bins->n; i++) {
        count_width = widest(count_width, TEXT_PRINT(low, "%.0f", bins->counts[i]));
        most = fmax(most, bins->counts[i]);
    }
    room = (width < 10000 ? (int)width : 10000) - (2 * label_width + count_width + (int)strlen(unit) + 8);
    for (size_t i = 0; i < bins->n; i++) {
        /* A count of one is as long as what each further decade adds. */
        double share = bins->counts[i] < 1 ? 0 : (1 + log10(bins->counts[i])) / (1 + log10(most));
        int bar = bins->counts[i] > 0 && room > 0 ? widest(1, (int)lround(room * share)) : 0;
        print_limit(bins, i, low, sizeof low);
        print_limit(bins, i + 1, high, sizeof high);
        text_printf(out, "%*s .. %*s %s %*.0f", label_width, low, label_width, high, unit, count_width,
                    bins->counts[i]);
        if (room > 0)
            text_append(out, " |", 2);
        while (bar-- > 0)
            text_append(out, "#", 1);
        text_append(out, "\n", 1);
    }
}

void plot_histogram(const struct row *row, unsigned width, struct text *out)
{
    struct bins bins = {0};
    struct stats_running at = {0};
    bool whole = true; /* all positions are whole numbers */

    for (size_t i = 0; i < row->n_hist; i++)
        if (is_event(&row->hist[i])) {
            stats_add(&at, row->hist[i].at);
            whole = whole && floor(row->hist[i].at) >= row->hist[i].at;
        }
    if (!at.n)
        return;
    if (at.min <= 0 || at.max / at.min <= GEOMETRIC || !geometric_edges(&bins, at.min, at.max))
        even_edges(&bins, at.min, at.max, whole);
    count_events(row, bins.edges, bins.n, bins.counts);
    put_bins(&bins, row->unit, width, out);
}
