/* SPDX-License-Identifier: MIT */
/* Prints which requirements the results meet. */
#include "out/out.h"

#include <math.h>

/* In per cent, or in its unit if the limit is 0. */
static void put_distance(const struct requirement *r, struct grid *grid)
{
    const double distance = fabs(r->value - r->limit_of_row), limit = fabs(r->limit_of_row);
    char *text = limit > 0 ? UNITS_VALUE(100 * distance / limit, "%") : UNITS_VALUE(distance, r->unit);

    if (distance > 0)
        text_printf(grid_cell(grid, COLOR_NONE), "%s %s", units_plain(text),
                    r->value > r->limit_of_row ? "above" : "below");
    else
        grid_text(grid, isnan(distance) ? "-" : "equal");
}

static void put_verdict(const struct requirement *r, struct grid *grid)
{
    const bool met = requirement_met(r);
    struct text *cell = grid_cell(grid, met ? COLOR_GREEN : COLOR_RED);
    const char *unknown = requirement_unknown(r);

    text_printf(cell, met ? "passed" : "failed");
    if (unknown[0])
        text_printf(cell, ": %s", unknown);
    if (r->n_rows > 1) {
        text_printf(cell, "%s", met ? "; all " : "; ");
        if (!met)
            text_printf(cell, "%zu of ", r->n_failed);
        text_printf(cell, "%zu rows", r->n_rows);
        if (r->where[0])
            text_printf(cell, "; worst: %s", r->where);
    }
}

static void put_rows(const struct requirements *set, bool met, struct grid *grid)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct requirement *r = &set->of[i];
        if (requirement_met(r) != met)
            continue;
        grid_text(grid, r->text);
        grid_value(grid, r->value, r->unit);
        put_distance(r, grid);
        put_verdict(r, grid);
    }
}

void require_put(const struct requirements *set, const struct doc *doc)
{
    static const struct grid_column columns[] = {
        {.title = "Requirement", .left = true, .wrap = true},
        {.title = "Figure"},
        {.title = "Off the limit"},
        {.title = "Verdict", .left = true, .wrap = true},
    };
    struct grid grid = {.n_columns = 0};
    const size_t failed = requirements_failed(set);

    grid_columns(&grid, columns, COUNT(columns));
    put_rows(set, false, &grid);
    put_rows(set, true, &grid);
    doc_heading(doc, NULL, TEXT_LINE("Requirements: %zu passed, %zu failed", set->n - failed, failed));
    doc_table(doc, &grid);
}
