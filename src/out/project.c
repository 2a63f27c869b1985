/* SPDX-License-Identifier: MIT */
/* Prints how much noise slows down programs on many ranks, and the detours that cost most. */
#include "out/out.h"

/* Without -v. */
#define SHOWN_MOST      10u
#define NAME_WIDTH_MOST 24
#define COSTS_SHOWN     12u

static void put_project_host(const struct project *p, size_t host, struct grid *grid)
{
    const struct detours_host *of = p->hosts[host];
    const double *slowdown = of->slowdown;

    for (size_t s = 0; s < p->n_steps; s++) {
        if (s == 0) {
            text_printf(grid_cell(grid, COLOR_NONE), "%.*s", NAME_WIDTH_MOST, host < p->n ? of->name : "all");
            grid_number(grid, detours_lost_pct(of), 3);
            grid_number(grid, 100 * detours_mean_share(of), 0);
        }
        while (grid->n_cells % grid->n_columns < 3)
            grid_text(grid, "");
        grid_text(grid, TEXT_DURATION((uint64_t)p->step_ns[s]));
        for (size_t r = 0; r < p->n_ranks; r++, slowdown++)
            grid_number(grid, *slowdown, *slowdown < 100 ? 3 : 1);
    }
}

void project_put_table(const struct project *p, bool every, const struct doc *doc)
{
    static const struct grid_column columns[] = {
        {"Host", .left = true}, {"Lost %", .width = 6}, {"Core %", .width = 6, .optional = true}, {"Step", .width = 7}};
    const size_t shown = every || p->n < SHOWN_MOST ? p->n : SHOWN_MOST;
    char titles[PROJECT_RANKS_MAX][24];
    struct grid grid = {0};

    GRID_COLUMNS(&grid, columns);
    for (size_t r = 0; r < p->n_ranks; r++)
        GRID_COLUMN(&grid, .title = text_line(titles[r], sizeof(titles[r]), "%.0f", p->ranks[r]), .width = 8,
                    .rank = (unsigned)(p->n_ranks - 1 - r));
    doc_say(doc, "Slowdown (1.00: no noise%s) of a step that ends in a barrier, by number of ranks",
            isnan(detours_mean_share(p->all)) ? "" : ", and the core to itself");
    if (p->n > 1)
        put_project_host(p, p->n, &grid);
    for (size_t i = 0; i < shown; i++)
        put_project_host(p, i, &grid);
    doc_table(doc, &grid);
    if (shown < p->n)
        doc_say(doc, "(%zu more hosts, which slow down less: %s-v shows them)", p->n - shown,
                doc->format == DOC_HTML ? "jitbench project " : "");
}

void project_put_costs(const struct project *p, const struct doc *doc)
{
    static const struct grid_column columns[] = {{"Length", .width = 15, .left = true},
                                                 {"Cause", .width = 11, .left = true},
                                                 {"Detours/s", .width = 10},
                                                 {"Lost %", .width = 7}};
    struct project_cost costs[PROJECT_COSTS];
    char titles[PROJECT_STEPS_MAX][48];
    struct grid grid = {0};
    const double *with = p->all->slowdown;
    const size_t n = project_costs(p, costs);

    GRID_COLUMNS(&grid, columns);
    for (size_t s = 0; s < p->n_steps; s++) {
        TEXT_PRINT(titles[s], "steps of %5s", TEXT_DURATION((uint64_t)p->step_ns[s]));
        GRID_COLUMN(&grid, .title = titles[s], .width = 19, .rank = (unsigned)s);
    }
    for (size_t i = 0; i < n && i < COSTS_SHOWN; i++) {
        grid_text(&grid, project_decade(&costs[i]));
        grid_text(&grid, costs[i].cause == PROJECT_SHARED ? "core share" : detour_cause_names[costs[i].cause]);
        grid_number(&grid, costs[i].per_s, 3);
        grid_number(&grid, costs[i].lost_pct, 4);
        for (size_t s = 0; s < p->n_steps; s++)
            text_printf(grid_cell(&grid, COLOR_NONE), "%.3f -> %7.3f", with[(s + 1) * p->n_ranks - 1],
                        costs[i].without[s]);
    }
    if (n)
        doc_heading(doc, NULL,
                    TEXT_LINE("What costs most: slowdown of %.0f ranks with all detours -> without those of the line",
                              p->ranks[p->n_ranks - 1]));
    doc_table(doc, &grid);
    if (n > COSTS_SHOWN)
        doc_say(doc, "(%zu more kinds of detours cost less.)", n - COSTS_SHOWN);
    doc_gap(doc);
    doc_say(doc,
            "Computed from %s of one CPU's time%s, for independent ranks. Detours that are rarer than that are not "
            "included.",
            TEXT_DURATION((uint64_t)p->all->work), p->n > 1 ? " on all hosts" : "");
}

void project_put_csv(const struct project *p, struct text *out)
{
    text_printf(out, "host,work_s,lost_pct,step_ns,ranks,slowdown,core_share\r\n");
    for (size_t h = 0; h < p->n + (p->n > 1); h++) {
        const struct detours_host *host = p->hosts[h];
        for (size_t i = 0; i < p->n_steps * p->n_ranks; i++)
            csv_print(out, "%s,%f,%f,%f,%f,%f,%f\r\n", host->name, host->work * 1e-9, detours_lost_pct(host),
                      p->step_ns[i / p->n_ranks], p->ranks[i % p->n_ranks], host->slowdown[i],
                      detours_mean_share(host));
    }
}
