/* SPDX-License-Identifier: MIT */
/* Prints how much noise slows down programs on many ranks, and the detours that cost most. */
#include "out/out.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sys/base.h"

/* Without -v. */
#define SHOWN_MOST      10u
#define NAME_WIDTH_MOST 24
#define CAUSES_SHOWN    12u

/* --- The table. --- */

static void put_line(const struct project *p, const char *name, const struct detours_host *host, const double *slowdown,
                     struct grid *grid)
{
    for (size_t s = 0; s < p->n_steps; s++) {
        if (s == 0) {
            text_printf(grid_cell(grid, COLOR_NONE), "%.*s", NAME_WIDTH_MOST, name);
            grid_text(grid, detours_used(host) == &host->noise ? "noise" : "prime");
            grid_number(grid, detours_lost_pct(host), 3);
            grid_number(grid, 100 * detours_mean_share(host), 0);
        }
        while (grid->n_cells % grid->n_columns < 4)
            grid_text(grid, "");
        grid_text(grid, TEXT_DURATION((uint64_t)p->step_ns[s]));
        for (size_t r = 0; r < p->n_ranks; r++)
            grid_number(grid, slowdown[s * p->n_ranks + r], slowdown[s * p->n_ranks + r] < 100 ? 3 : 1);
    }
}

struct ranked {
    double worst; /* over all lengths of step, at the highest number of ranks */
    size_t host;
};

static int by_worst(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return x->worst < y->worst || x->worst > y->worst ? ORDER_OF(y->worst, x->worst) : ORDER_OF(x->host, y->host);
}

static void put_table(const struct project *p, bool every, unsigned width, struct text *out)
{
    static const struct grid_column columns[] = {{.title = "Host", .left = true},
                                                 {.title = "From", .width = 5, .left = true},
                                                 {.title = "Lost %", .width = 6},
                                                 {.title = "Core %", .width = 6, .optional = true},
                                                 {.title = "Step", .width = 7}};
    const size_t shown = every || p->n < SHOWN_MOST ? p->n : SHOWN_MOST;
    char titles[PROJECT_RANKS_MAX][24];
    struct grid grid = {.n_columns = 0};
    FREED_BY(memory_free) struct ranked *order = memory_get(p->n, sizeof(*order));

    for (size_t h = 0; h < p->n; h++) {
        order[h].host = h;
        for (size_t s = 1; s <= p->n_steps; s++)
            order[h].worst = fmax(order[h].worst, project_slowdown(p, h)[s * p->n_ranks - 1]);
    }
    qsort(order, p->n, sizeof(*order), by_worst);
    grid_columns(&grid, columns, COUNT(columns));
    for (size_t r = 0; r < p->n_ranks; r++) {
        snprintf(titles[r], sizeof(titles[r]), "%.0f", p->ranks[r]);
        grid_columns(&grid,
                     &(struct grid_column){.title = titles[r], .width = 8, .rank = (unsigned)(p->n_ranks - 1 - r)}, 1);
    }
    text_printf(out, "Slowdown (1.00: no noise%s) of a step that ends in a barrier, by number of ranks\n",
                isnan(detours_mean_share(p->all)) ? "" : ", and the core to itself");
    if (p->n > 1)
        put_line(p, "all", p->all, project_slowdown(p, p->n), &grid);
    for (size_t i = 0; i < shown; i++) {
        const size_t host = order[i].host;
        put_line(p, p->hosts[host]->name, p->hosts[host], project_slowdown(p, host), &grid);
    }
    grid_print(&grid, width, out);
    if (shown < p->n)
        text_printf(out, "(%zu more hosts, which slow down less: -v shows them)\n", p->n - shown);
}

/* --- Costs. --- */

static void put_costs(const struct project *p, unsigned width, struct text *out)
{
    static const struct grid_column columns[] = {{.title = "Length", .width = 15, .left = true},
                                                 {.title = "Cause", .width = 11, .left = true},
                                                 {.title = "Detours/s", .width = 10},
                                                 {.title = "Lost %", .width = 7}};
    struct project_cost costs[PROJECT_COSTS];
    char titles[PROJECT_STEPS_MAX][48];
    struct grid grid = {.n_columns = 0};
    size_t n = project_costs(p, costs);

    grid_columns(&grid, columns, COUNT(columns));
    for (size_t s = 0; s < p->n_steps; s++) {
        snprintf(titles[s], sizeof(titles[s]), "steps of %5s", TEXT_DURATION((uint64_t)p->step_ns[s]));
        grid_columns(&grid, &(struct grid_column){.title = titles[s], .width = 19, .rank = (unsigned)s}, 1);
    }
    for (size_t i = 0; i < n && i < CAUSES_SHOWN; i++) {
        grid_text(&grid, project_decade(&costs[i]));
        grid_text(&grid, project_cause(&costs[i]));
        grid_number(&grid, costs[i].per_s, 3);
        grid_number(&grid, costs[i].lost_pct, 4);
        for (size_t s = 0; s < p->n_steps; s++)
            text_printf(grid_cell(&grid, COLOR_NONE), "%.3f -> %7.3f",
                        project_slowdown(p, p->n)[(s + 1) * p->n_ranks - 1], costs[i].without[s]);
    }
    if (n)
        text_printf(out, "\nWhat costs most: slowdown of %.0f ranks with all detours -> without those of the line\n",
                    p->ranks[p->n_ranks - 1]);
    grid_print(&grid, width, out);
}

void project_put(const struct project *p, bool every, unsigned width, struct text *out)
{
    put_table(p, every, width, out);
    put_costs(p, width, out);
    text_printf(out,
                "\n"
                "Computed from %s of one CPU's time%s, for independent ranks. Detours that are rarer than that are not "
                "included.\n",
                TEXT_DURATION((uint64_t)detours_work_ns(p->all)), p->n > 1 ? " on all hosts" : "");
}

/* --- The CSV. --- */

static void put_csv_rows(const struct project *p, const char *name, const struct detours_host *host,
                         const double *slowdown, struct text *out)
{
    const double share = detours_mean_share(host);

    for (size_t s = 0; s < p->n_steps; s++)
        for (size_t r = 0; r < p->n_ranks; r++) {
            csv_text(out, name);
            text_printf(out, ",%s,%.17g,%.17g,%.17g,%.17g,%.17g,",
                        detours_used(host) == &host->noise ? "noise" : "prime", detours_work_ns(host) * 1e-9,
                        detours_lost_pct(host), p->step_ns[s], p->ranks[r], slowdown[s * p->n_ranks + r]);
            if (!isnan(share))
                text_printf(out, "%.17g", share);
            text_append(out, "\r\n", 2);
        }
}

void project_put_csv(const struct project *p, struct text *out)
{
    text_printf(out, "host,source,work_s,lost_pct,step_ns,ranks,slowdown,core_share\r\n");
    for (size_t h = 0; h < p->n; h++)
        put_csv_rows(p, p->hosts[h]->name, p->hosts[h], project_slowdown(p, h), out);
    if (p->n > 1)
        put_csv_rows(p, "", p->all, project_slowdown(p, p->n), out);
}
