/* SPDX-License-Identifier: MIT */
/* Prints which requirements the results meet. */
#include "out/out.h"

static void put_requirement(const struct requirement *r, struct grid *grid)
{
    const double distance = fabs(r->value - r->limit_of_row), limit = fabs(r->limit_of_row);
    /* in per cent, or in its unit if the limit is 0 */
    char *off = limit > 0 ? UNITS_VALUE(100 * distance / limit, "%") : UNITS_VALUE(distance, r->unit);
    const char *unknown = requirement_unknown(r);
    const bool met = requirement_met(r);

    grid_text(grid, r->text);
    grid_value(grid, r->value, r->unit);
    if (distance > 0)
        text_printf(grid_cell(grid, COLOR_NONE), "%s %s", units_plain(off),
                    r->value > r->limit_of_row ? "above" : "below");
    else
        grid_text(grid, isnan(distance) ? "-" : "equal");
    struct text *cell = grid_cell(grid, met ? COLOR_GREEN : COLOR_RED);
    text_printf(cell, "%s%s%s", met ? "passed" : "failed", unknown[0] ? ": " : "", unknown);
    if (r->n_rows > 1) {
        text_printf(cell, "%s", met ? "; all " : "; ");
        if (!met)
            text_printf(cell, "%zu of ", r->n_failed);
        text_printf(cell, "%zu rows", r->n_rows);
        if (r->where[0])
            text_printf(cell, "; worst: %s", r->where);
    }
}

void require_put(const struct requirements *set, const struct doc *doc)
{
    static const struct grid_column columns[] = {
        {"Requirement", .left = true, .wrap = true},
        {.title = "Figure"},
        {.title = "Off the limit"},
        {"Verdict", .left = true, .wrap = true},
    };
    struct grid grid = {0};
    const size_t failed = requirements_failed(set);

    GRID_COLUMNS(&grid, columns);
    for (unsigned met = 0; met < 2; met++)
        for (size_t i = 0; i < set->n; i++)
            if (requirement_met(&set->of[i]) == met)
                put_requirement(&set->of[i], &grid);
    doc_heading(doc, NULL, TEXT_LINE("Requirements: %zu passed, %zu failed", set->n - failed, failed));
    doc_table(doc, &grid);
}
