/* SPDX-License-Identifier: MIT */
/* Figures with a line for each result row: bars, ranges, samples, strips of time, stacked bars. */
#include <math.h>
#include <string.h>

#include "out/out.h"
#include "report/report.h"

#define LINE        17.0
#define TOP         6.0
#define BELOW       38.0
#define LABEL_MOST  118.0
#define LABEL_GAP   12.0
#define SAMPLES     300u /* most dots in a line; of more samples every nth is drawn */
#define LOG_FROM    50.0
#define STRIP_CELLS 240u

/* right: pixels kept free at the right of the axis. keys: entries of the legend. */
static void lines_begin(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n,
                        struct frame *f, double right, const struct figure_entry *keys, size_t n_keys)
{
    double bottom = TOP + LINE * (double)n + 2, widest = 0;

    for (size_t i = 0; i < n; i++)
        widest = fmax(widest, fmin(svg_text_width(entries[i].label), LABEL_MOST));
    f->x.from = widest + LABEL_GAP;
    f->x.to = FRAME_WIDTH - right;
    frame_x_ticks(f, figure->x_unit);
    frame_open(out, figure, keys, n_keys, bottom + BELOW);
    html_put(out, "<desc>%zu lines; across: %s, %s.</desc>", n, figure->x_title,
             UNITS_RANGE(f->x.low, f->x.high, figure->x_unit));
    svg_axis_below(out, &(struct svg_axis){&f->x, &f->x_ticks, figure->x_title}, bottom, TOP);
    for (size_t i = 0; i < n; i++)
        if (!i || strcmp(entries[i].label, entries[i - 1].label) != 0)
            svg_label(out, 0, TOP + LINE * (double)i + 12, "start", "ink", entries[i].label, LABEL_MOST);
}

static double middle_of(size_t line)
{
    return TOP + LINE * ((double)line + 0.5);
}

static void put_missing(struct text *out, const struct frame *f, size_t line, const struct row *row)
{
    const char *why = TEXT_LINE("%s%s%s", row->status == ROW_OK ? "no value" : row_status_name(row->status),
                                row->reason[0] ? ": " : "", row->reason);

    svg_label(out, f->x.from + 4, middle_of(line) + 4, "start", "", why, f->x.to - f->x.from);
}

static size_t bounded(size_t n)
{
    return n < FIGURE_LINES_MAX ? n : FIGURE_LINES_MAX;
}

/* --- lengths ---------------------------------------------------------------------------------------------------- */

static void put_length(struct text *out, const struct figure *figure, const struct frame *f, size_t line,
                       const struct figure_entry *entry, const struct figure_value *v)
{
    double y = middle_of(line), end = svg_at(&f->x, v->value);

    if (!isfinite(v->value)) {
        put_missing(out, f, line, entry->row);
        return;
    }
    const char *value = UNITS_VALUE(v->value, figure->x_unit);
    const char *tip = TEXT_LINE(isfinite(v->low) ? "%s: %s, 95 %% of the mean: %s" : "%s: %s", entry->label, value,
                                UNITS_RANGE(v->low, v->high, figure->x_unit));
    svg_group(out, frame_class(entry->colour));
    svg_box(out, f->x.from, y - 5.5, fmax(end - f->x.from, 0.7), 11, "", tip);
    if (isfinite(v->low) && isfinite(v->high))
        svg_line(out, svg_at(&f->x, v->low), y, svg_at(&f->x, v->high), y, "whisker");
    double behind = isfinite(v->high) ? fmax(end, svg_at(&f->x, v->high)) : end;
    svg_label(out, behind + 4, y + 4, "start", "ink", value, 0);
    svg_group_end(out);
}

bool figure_lengths(struct text *out, const struct figure *figure, const struct figure_entry *entries,
                    const struct figure_value *values, size_t n)
{
    struct frame_range x = {0};
    struct frame f;

    n = bounded(n);
    for (size_t i = 0; i < n; i++) {
        frame_extend(&x, values[i].value);
        frame_extend(&x, values[i].high);
    }
    if (!x.found)
        return false;
    f.x = svg_scale(0, fmax(x.high, 0), 0, 1, false);
    svg_scale_round(&f.x, 4);
    lines_begin(out, figure, entries, n, &f, 66, NULL, 0);
    for (size_t i = 0; i < n; i++)
        put_length(out, figure, &f, i, &entries[i], &values[i]);
    frame_end(out);
    return true;
}

/* --- ranges ----------------------------------------------------------------------------------------------------- */

static const char *range_tip(const struct figure *figure, const struct figure_entry *entry, struct text *tip)
{
    const struct stats_summary *s = &entry->row->stats;
    const struct {
        const char *name;
        double value;
    } marks[] = {{"minimum", s->min}, {"median", s->median}, {"mean", s->mean},
                 {"p99", s->p99},     {"p99.9", s->p999},    {"maximum", s->max}};

    text_printf(tip, "%s", entry->label);
    for (size_t i = 0; i < COUNT(marks); i++)
        if (isfinite(marks[i].value))
            text_printf(tip, "%s%s %s", i ? ", " : ": ", marks[i].name, UNITS_VALUE(marks[i].value, figure->x_unit));
    return tip->data;
}

static void put_range(struct text *out, const struct figure *figure, const struct frame *f, size_t line,
                      const struct figure_entry *entry)
{
    const struct stats_summary *s = &entry->row->stats;
    double y = middle_of(line), from = svg_at(&f->x, s->min), to = svg_at(&f->x, s->max);
    FREED_BY(text_free) struct text tip = {0};

    if (!isfinite(s->min) || !isfinite(s->max) || !isfinite(s->median)) {
        put_missing(out, f, line, entry->row);
        return;
    }
    double middle = svg_at(&f->x, s->median), far = isfinite(s->p99) ? svg_at(&f->x, s->p99) : middle;
    svg_group(out, frame_class(entry->colour));
    svg_line(out, from, y, to, y, "");
    svg_line(out, from, y - 3, from, y + 3, "");
    svg_line(out, to, y - 4.5, to, y + 4.5, "bold");
    if (far > middle)
        svg_box(out, middle, y - 3.5, far - middle, 7, "soft", NULL);
    if (isfinite(s->p99))
        svg_line(out, far, y - 4.5, far, y + 4.5, "");
    svg_dot(out, middle, y, 3.6, "mark", NULL);
    svg_box(out, from, y - 6, fmax(to - from, 2), 12, "hit", range_tip(figure, entry, &tip));
    svg_group_end(out);
}

bool figure_ranges(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n)
{
    struct frame_range x = {0};
    struct frame f;

    n = bounded(n);
    for (size_t i = 0; i < n; i++) {
        frame_extend(&x, entries[i].row->stats.min);
        frame_extend(&x, entries[i].row->stats.max);
    }
    if (!x.found)
        return false;
    frame_extend(&x, figure->x_low);
    frame_extend(&x, figure->x_high);
    f.x = svg_scale(x.least, x.high, 0, 1, true);
    svg_scale_round(&f.x, 6);
    lines_begin(out, figure, entries, n, &f, 24, NULL, 0);
    for (size_t i = 0; i < n; i++)
        put_range(out, figure, &f, i, &entries[i]);
    frame_end(out);
    return true;
}

/* --- samples ---------------------------------------------------------------------------------------------------- */

static void put_samples(struct text *out, const struct figure *figure, const struct frame *f, size_t line,
                        const struct figure_entry *entry)
{
    const struct row *row = entry->row;
    const struct stats_summary *s = &row->stats;
    double y = middle_of(line);
    size_t every = row->n_samples / SAMPLES + 1;
    FREED_BY(text_free) struct text tip = {0};

    if (row->n_samples == 0 && !isfinite(row->value)) {
        put_missing(out, f, line, row);
        return;
    }
    svg_group(out, frame_class(entry->colour));
    for (size_t i = 0; i < row->n_samples; i += every)
        if (isfinite(row->samples[i]))
            svg_dot(out, svg_at(&f->x, row->samples[i]), y + ((double)(i / every % 5) - 2) * 1.6, 2, "faint", NULL);
    if (isfinite(s->ci95_lo) && isfinite(s->ci95_hi))
        svg_line(out, svg_at(&f->x, s->ci95_lo), y, svg_at(&f->x, s->ci95_hi), y, "bold");
    double at = svg_at(&f->x, isfinite(s->median) ? s->median : row->value);
    svg_box(out, at - 1, y - 6, 2, 12, "mark", range_tip(figure, entry, &tip));
    svg_group_end(out);
}

bool figure_samples(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n)
{
    struct frame_range x = {0};
    struct frame f;

    n = bounded(n);
    for (size_t i = 0; i < n; i++) {
        const struct row *row = entries[i].row;
        for (size_t j = 0; j < row->n_samples; j++)
            frame_extend(&x, row->samples[j]);
        frame_extend(&x, row->value);
        frame_extend(&x, row->stats.ci95_lo);
        frame_extend(&x, row->stats.ci95_hi);
    }
    if (!x.found)
        return false;
    f.x = svg_scale(x.low, x.high, 0, 1, x.low > 0 && x.high / x.low > LOG_FROM);
    svg_scale_round(&f.x, 5);
    lines_begin(out, figure, entries, n, &f, 24, NULL, 0);
    for (size_t i = 0; i < n; i++)
        put_samples(out, figure, &f, i, &entries[i]);
    frame_end(out);
    return true;
}

/* --- strips ----------------------------------------------------------------------------------------------------- */

/* Lower limits of the colour levels, as shares of the time. Level 0 is for a share of 0. */
static const double level_from[HTML_LEVELS] = {0, 0, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 5e-1};
static const struct figure_entry levels[HTML_LEVELS] = {
    {NULL, "nothing", FRAME_LEVEL},    {NULL, "less", FRAME_LEVEL + 1},        {NULL, "0.001 %", FRAME_LEVEL + 2},
    {NULL, "0.01 %", FRAME_LEVEL + 3}, {NULL, "0.1 %", FRAME_LEVEL + 4},       {NULL, "1 %", FRAME_LEVEL + 5},
    {NULL, "10 %", FRAME_LEVEL + 6},   {NULL, "50 % or more", FRAME_LEVEL + 7}};

static unsigned level_of(double share)
{
    unsigned level = HTML_LEVELS - 1;

    if (!(share > 0))
        return 0;
    while (level > 1 && share < level_from[level] * 0.9999)
        level--;
    return level;
}

static void put_strip(struct text *out, const struct frame *f, size_t line, const struct figure_entry *entry)
{
    const struct row *row = entry->row;
    size_t cells = row->n_series < STRIP_CELLS ? row->n_series : STRIP_CELLS, begun = 0;
    const double part = plot_strip_part(row), end = svg_at(&f->x, part * (double)row->n_series);
    const double width = (end - f->x.from) / (double)cells;

    if (part <= 0) {
        put_missing(out, f, line, row);
        return;
    }
    for (size_t i = 0; i < cells; i++) {
        unsigned level = level_of(plot_strip_share(row, i, cells));
        if (i + 1 < cells && level_of(plot_strip_share(row, i + 1, cells)) == level)
            continue;
        svg_box(out, f->x.from + width * (double)begun, middle_of(line) - 7, width * (double)(i + 1 - begun), 14,
                frame_class(levels[level].colour),
                TEXT_LINE("%.60s: %s%s", entry->label, levels[level].label,
                          level > 1 && level < HTML_LEVELS - 1 ? " or more lost" : " lost"));
        begun = i + 1;
    }
}

bool figure_strips(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n)
{
    struct frame_range x = {0};
    struct frame f;

    n = bounded(n);
    for (size_t i = 0; i < n; i++)
        if (plot_strip_part(entries[i].row) > 0)
            frame_extend(&x, plot_strip_part(entries[i].row) * (double)entries[i].row->n_series);
    if (!x.found)
        return false;
    f.x = svg_scale(0, x.high, 0, 1, false);
    lines_begin(out, figure, entries, n, &f, 24, levels, HTML_LEVELS);
    for (size_t i = 0; i < n; i++)
        put_strip(out, &f, i, &entries[i]);
    frame_end(out);
    return true;
}

/* --- parts ------------------------------------------------------------------------------------------------------ */

static void put_stack(struct text *out, const struct figure *figure, const struct frame *f, size_t line,
                      const struct figure_entry *entry, const struct figure_parts *parts)
{
    double so_far = 0, y = middle_of(line);

    for (size_t i = 0; i < parts->n_parts; i++) {
        double part = parts->values[line * parts->n_parts + i];
        if (!(part > 0) || !isfinite(part))
            continue;
        double from = svg_at(&f->x, so_far), to = svg_at(&f->x, so_far + part);
        svg_box(out, from, y - 5.5, fmax(to - from, 0.4), 11, frame_class(parts->keys[i].colour),
                TEXT_LINE("%.60s, %s: %s", entry->label, parts->keys[i].label, UNITS_VALUE(part, figure->x_unit)));
        so_far += part;
    }
    svg_label(out, svg_at(&f->x, so_far) + 4, y + 4, "start", "ink", UNITS_VALUE(so_far, figure->x_unit), 0);
}

bool figure_stacks(struct text *out, const struct figure *figure, const struct figure_entry *entries, size_t n,
                   const struct figure_parts *parts)
{
    double most = 0;
    struct frame f;

    n = bounded(n);
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 0; k < parts->n_parts; k++) {
            const double part = parts->values[i * parts->n_parts + k];
            sum += isfinite(part) ? fmax(part, 0) : 0;
        }
        most = fmax(most, sum);
    }
    if (n == 0)
        return false;
    f.x = svg_scale(0, most, 0, 1, false);
    svg_scale_round(&f.x, 4);
    lines_begin(out, figure, entries, n, &f, 66, parts->keys, parts->n_parts);
    for (size_t i = 0; i < n; i++)
        put_stack(out, figure, &f, i, &entries[i], parts);
    frame_end(out);
    return true;
}
