/* SPDX-License-Identifier: MIT */
/* The report's section on many ranks. */
#include <math.h>
#include <stdlib.h>

#include "report/report.h"

#define HOSTS_MOST  16u
#define POINTS      (1u << 15) /* grid points: some milliseconds for each run */
#define COSTS_SHOWN 10u
#define COSTS_LEAST 3u
#define WORTH       1.005 /* minimum gain, see gain_of(), for a kind of detours to be shown */

static const double steps_ns[] = {100e3, 1e6, 10e6};
static const char *const step_names[] = {"steps of 100 \xc2\xb5s", "steps of 1 ms", "steps of 10 ms"};
/* Two in each decade, from 1 to 1,000,000. */
enum { STEPS = COUNT(steps_ns), RANKS = 13 };

void report_scale_begin(struct report *report)
{
    static const double decade[] = {1, 3};
    struct projection *p = &report->projection;
    double ten = 1;

    p->points = POINTS;
    p->hosts_most = HOSTS_MOST;
    for (p->n_steps = 0; p->n_steps < STEPS; p->n_steps++)
        p->step_ns[p->n_steps] = steps_ns[p->n_steps];
    for (p->n_ranks = 0; p->n_ranks < RANKS; p->n_ranks++) {
        p->ranks[p->n_ranks] = ten * decade[p->n_ranks % 2];
        ten *= p->n_ranks % 2 ? 10 : 1;
    }
}

bool report_has_scale(const struct report *report)
{
    const struct projection *p = &report->projection;

    return p->n && detours_used(p->all) == &p->all->noise;
}

/* --- Figures. --- */

static void fill_line(const struct projection *p, size_t host, size_t step, struct figure_value *values)
{
    for (size_t r = 0; r < p->n_ranks; r++)
        values[r] = (struct figure_value){
            .x = p->ranks[r], .value = projection_slowdown(p, host)[step * p->n_ranks + r], .low = NAN, .high = NAN};
}

static void put_lines(const char *title, const char *note, const struct figure_line *lines, size_t n, struct text *out)
{
    const struct figure figure = {.title = title,
                                  .note = note,
                                  .x_title = "Ranks",
                                  .y_title = "Time of a step, as a multiple of its work",
                                  .x_log = true,
                                  .y_low = 1};

    (void)figure_curve(out, &figure, lines, n);
}

static void put_all_runs(const struct report *report, struct text *out)
{
    const struct projection *p = &report->projection;
    struct figure_value values[STEPS][RANKS];
    struct figure_line lines[STEPS];

    for (size_t s = 0; s < STEPS; s++) {
        fill_line(p, p->n, s, values[s]);
        lines[s] = (struct figure_line){
            .label = step_names[s], .colour = (unsigned)(s == 2 ? 4 : s), .values = values[s], .n = RANKS};
    }
    const char *note =
        TEXT_LINE("%zu runs together, %s", p->n + p->n_more,
                  p->n_more ? "as if all ranks had the noise of all of them" : "each with its share of the ranks");
    put_lines("Slow-down on many ranks", p->n + p->n_more > 1 ? note : NULL, lines, STEPS, out);
}

static void put_each_run(const struct report *report, struct text *out)
{
    const struct projection *p = &report->projection;
    struct figure_value values[REPORT_RUNS_MAX][RANKS];
    struct figure_line lines[REPORT_RUNS_MAX];

    for (size_t s = 0; s < STEPS; s++) {
        for (size_t h = 0; h < p->n; h++) {
            size_t run = strtoul(p->hosts[h]->name, NULL, 10);
            fill_line(p, h, s, values[h]);
            lines[h] = (struct figure_line){
                .label = report->name[run], .colour = (unsigned)run, .values = values[h], .n = RANKS};
        }
        put_lines(TEXT_LINE("Run by run, %s", step_names[s]), NULL, lines, p->n, out);
    }
}

/* --- Costs. --- */

static void put_cost(const struct projection *p, const struct projection_cost *cost, struct text *out)
{
    const double *with = projection_slowdown(p, p->n);

    html_put(out, "<tr><td class=\"n\">%s</td><td>%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td>",
             projection_decade(cost), projection_cause(cost), UNITS_VALUE(cost->per_s, ""),
             UNITS_VALUE(cost->lost_pct, "%"));
    for (size_t s = 0; s < p->n_steps; s++)
        html_put(out, "<td class=\"n\">%s \xe2\x86\x92 %s</td>", UNITS_VALUE(with[(s + 1) * p->n_ranks - 1], ""),
                 UNITS_VALUE(cost->without[s], ""));
    text_printf(out, "</tr>\n");
}

/* By what factor steps would be faster without the cost, at most. */
static double gain_of(const struct projection *p, const struct projection_cost *cost)
{
    double gain = 1;

    for (size_t s = 0; s < p->n_steps; s++)
        gain = fmax(gain, projection_slowdown(p, p->n)[(s + 1) * p->n_ranks - 1] / cost->without[s]);
    return gain;
}

static void put_costs(const struct projection *p, struct text *out)
{
    struct projection_cost costs[PROJECTION_COSTS];
    size_t n = projection_costs(p, costs);

    if (!n)
        return;
    text_printf(out, "<h3>What costs most</h3>\n<p class=\"soft\">1,000,000 ranks with these detours \xe2\x86\x92 "
                     "without them, as multiples of the work.</p>\n<div class=\"scroll\"><table><thead><tr>"
                     "<th class=\"n\">Length</th><th>Cause</th><th class=\"n\">Detours/s</th><th class=\"n\">Lost"
                     "</th>");
    for (size_t s = 0; s < STEPS; s++)
        text_printf(out, "<th class=\"n\">%s</th>", step_names[s]);
    text_printf(out, "</tr></thead><tbody>\n");
    size_t shown = 0;
    for (size_t i = 0; i < n; i++)
        if (shown < COSTS_LEAST || (shown < COSTS_SHOWN && gain_of(p, &costs[i]) >= WORTH)) {
            put_cost(p, &costs[i], out);
            shown++;
        }
    text_printf(out, "</tbody></table></div>\n");
    if (n > shown)
        text_printf(out, "<p class=\"soft\">%zu more kinds of detours cost less.</p>\n", n - shown);
}

void report_put_scale(const struct report *report, struct text *out)
{
    const struct projection *p = &report->projection;

    html_put(out,
             "<section><h2 id=\"scale\">At scale</h2>\n"
             "<p class=\"soft\">Work that ends in a barrier waits for its slowest rank. This is how long steps "
             "of such work would take on many ranks with this noise, if the ranks are independent. Computed "
             "from %s of one CPU's time: detours that are rarer than that are not included.</p>\n"
             "<div class=\"grid\">\n",
             TEXT_DURATION((uint64_t)detours_work_ns(p->all)));
    put_all_runs(report, out);
    if (p->n > 1 && p->n <= REPORT_RUNS_MAX && !p->n_more && report->n_all_runs <= REPORT_RUNS_MAX)
        put_each_run(report, out);
    text_printf(out, "</div>\n");
    put_costs(p, out);
    text_printf(out, "</section>\n");
}
