/* SPDX-License-Identifier: MIT */
/* The report's section on many runs of one machine: a table of changes, and each figure over the runs. */
#include <math.h>

#include "out/out.h"
#include "report/report.h"
#include "sys/base.h"

#define CHANGES_MOST 100u
#define FIGURES_MOST 100u
#define OPEN_MOST    24u
#define NAME         384u

static void put_percent(double share, struct text *out)
{
    html_put(out, isfinite(share) ? "<td class=\"n\">%+.1f</td>" : "<td class=\"n\"></td>", 100 * share);
}

static void put_change(const struct history *h, const struct history_change *c, struct text *out)
{
    const char *unit = history_unit(h, c->figure);
    char name[NAME], settings[1024];

    html_put(out, "<tr><td>%s</td><td class=\"n\">%zu</td><td>%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td>",
             h->run[c->run].utc, c->run + 1, history_name(h, c->figure, name, sizeof(name)),
             UNITS_VALUE(c->before, unit), UNITS_VALUE(c->after, unit));
    put_percent(c->effect, out);
    put_percent(c->low, out);
    put_percent(c->high, out);
    html_put(out, c->worse ? "<td class=\"bad\">worse</td>" : "<td>better</td>");
    html_put(out, "<td class=\"w\">%s</td><td class=\"w\">%s</td></tr>\n", h->run[c->run].comment,
             history_settings(h, c, settings, sizeof(settings)));
}

static void put_changes(const struct history *h, struct text *out)
{
    if (!h->n_changes)
        return;
    html_put(out, "<div class=\"scroll\"><table><thead><tr><th>Since</th><th class=\"n\">Run</th><th>Figure</th>"
                  "<th class=\"n\">Before</th><th class=\"n\">After</th><th class=\"n\">Change %%</th>"
                  "<th class=\"n\">from</th><th class=\"n\">to</th><th>Verdict</th><th>Comment</th>"
                  "<th>Settings that changed around it</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < h->n_changes && i < CHANGES_MOST; i++)
        put_change(h, &h->change[i], out);
    html_put(out, "</tbody></table></div>\n");
    if (h->n_changes > CHANGES_MOST)
        html_put(out, "<p class=\"soft\">%zu more changes are left out here: jitbench history lists all.</p>\n",
                 h->n_changes - CHANGES_MOST);
}

/* points and levels have room for all runs. */
static void put_figure(const struct history *h, size_t number, struct stats_point *points, struct figure_level *levels,
                       struct text *out)
{
    const struct history_figure *f = &h->figure[number];
    const struct gather_figure *of = &h->gather.figure[f->figure];
    char name[NAME];
    size_t n = 0;

    for (size_t i = 0; i < f->n; i++)
        points[i] = (struct stats_point){(double)h->point[f->first + i].run + 1, h->point[f->first + i].value};
    levels[n++] = (struct figure_level){1, (double)h->n_runs, history_level(h, number)};
    for (size_t i = 0; i < h->n_changes; i++) {
        const struct history_change *c = &h->change[i];
        if (c->figure != number)
            continue;
        levels[n - 1].to = (double)c->run + 0.5;
        levels[n - 1].value = c->before;
        levels[n++] = (struct figure_level){(double)c->run + 0.5, (double)h->n_runs, c->after};
    }
    const char *note = TEXT_LINE("%zu runs, %s is better; %zu change%s", f->n, of->higher_is_better ? "more" : "less",
                                 f->n_changes, PLURAL(f->n_changes));
    (void)figure_levels(out,
                        &(struct figure){.title = history_name(h, number, name, sizeof(name)),
                                         .note = note,
                                         .x_title = "Run",
                                         .y_title = of->metric,

                                         .y_unit = of->unit},
                        points, f->n, levels, n);
}

/* Figures that changed first. */
static void put_figures(const struct history *h, struct text *out)
{
    FREED_BY(memory_free) struct stats_point *points = memory_get(h->n_runs + 1, sizeof(*points));
    FREED_BY(memory_free) struct figure_level *levels = memory_get(h->n_runs + 1, sizeof(*levels));
    size_t n = 0;

    html_put(out, "<h3>Each figure over the runs</h3>\n<p class=\"soft\">A dot is a run; the lines are medians "
                  "between changes.</p>\n<div class=\"grid\">\n");
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < h->n_figures && n < FIGURES_MOST; k++) {
            if ((h->figure[k].n_changes > 0) == (pass > 0))
                continue;
            if (n++ == OPEN_MOST)
                html_put(out, "</div>\n<details><summary>%zu more figures</summary>\n<div class=\"grid\">\n",
                         h->n_figures - OPEN_MOST);
            put_figure(h, k, points, levels, out);
        }
    html_put(out, "</div>\n%s", n > OPEN_MOST ? "</details>\n" : "");
    if (n < h->n_figures)
        html_put(out, "<p class=\"soft\">%zu more figures are left out here.</p>\n", h->n_figures - n);
}

bool report_has_history(const struct report *report)
{
    return report->history.n_figures > 0;
}

void report_put_history(const struct report *report, struct text *out)
{
    const struct history *h = &report->history;

    html_put(out,
             "<section><h2 id=\"history\">History</h2>\n<ul class=\"say\">\n<li><strong>%zu change%s</strong> in %zu "
             "figure%s of %zu runs from %s to %s.</li>\n",
             h->n_changes, PLURAL(h->n_changes), h->n_figures, PLURAL(h->n_figures), h->n_runs, h->run[0].utc,
             h->run[h->n_runs - 1].utc);
    text_printf(
        out,
        "<li class=\"soft\">Changes below %g %% are left out. Chance alone finds one in 1 of %.0f histories "
        "of independent runs without any change. A change lies between the run and the one before it.</li>\n</ul>\n",
        100 * h->least_effect, 1 / HISTORY_ALPHA);
    put_changes(h, out);
    put_figures(h, out);
    html_put(out, "</section>\n");
}
