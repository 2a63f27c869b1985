/* SPDX-License-Identifier: MIT */
/* Heat maps as HTML tables. */
#include "report/report.h"

#include <math.h>

/* In spreads: where the colours of a cell begin. */
static const double levels[HEAT_LEVELS] = {2, 3.5, 6, 12};

static const char *const classes[2 * HEAT_LEVELS + 1] = {"b4", "b3", "b2", "b1", "", "w1", "w2", "w3", "w4"};

static int level_of(double worse)
{
    int level = 0;

    while (level < HEAT_LEVELS && fabs(worse) >= levels[level])
        level++;
    return worse < 0 ? -level : level;
}

static void put_legend(struct text *out)
{
    text_printf(out, CHART_LEGEND);
    for (int level = -HEAT_LEVELS; level <= HEAT_LEVELS; level++) {
        int size = level < 0 ? -level : level;
        chart_legend_item(out, level ? classes[HEAT_LEVELS + level] : "q0",
                          !level ? "as usual"
                          : size == HEAT_LEVELS
                              ? TEXT_LINE("%s, %g spreads or more", level < 0 ? "better" : "worse", levels[size - 1])
                              : TEXT_LINE("%g to %g", levels[size - 1], levels[size]));
    }
    text_printf(out, "</div>\n");
}

static void put_cell(const struct heat *heat, size_t row, size_t column, struct text *out)
{
    struct heat_cell cell = {.worse = NAN};

    heat->cell(heat->context, row, column, &cell);
    int level = isnan(cell.worse) ? 0 : level_of(cell.worse);
    const char *colour = isnan(cell.worse) ? "x" : classes[HEAT_LEVELS + level], *far = cell.far ? " far" : "";
    const char *begins = heat->column_begins && heat->column_begins[column] ? " g" : "";
    if (*colour || *far || *begins)
        html_put(out, "<td class=\"%s%s%s\" title=\"%s\">", colour, far, begins, cell.tip);
    else
        html_put(out, "<td title=\"%s\">", cell.tip);
    if (cell.far)
        text_printf(out, fabs(cell.worse) < 99.5 ? "%.0f" : "&gt;99", fabs(cell.worse));
    else if (isnan(cell.worse))
        text_printf(out, "\xc2\xb7");
    text_printf(out, "</td>");
}

void heat_put(struct text *out, const struct heat *heat)
{
    put_legend(out);
    html_put(out, "<div class=\"scroll\"><table class=\"heat\"><thead><tr><th>%s</th>", heat->row_title);
    for (size_t column = 0; column < heat->n_columns; column++) {
        text_printf(out, "<th%s", heat->column_begins && heat->column_begins[column] ? " class=\"g\"" : "");
        html_put(out, " title=\"%s\"><span>%s</span></th>", heat->columns[column], heat->columns[column]);
    }
    text_printf(out, "</tr></thead><tbody>\n");
    for (size_t row = 0; row < heat->n_rows; row++) {
        text_printf(out, "<tr%s>", heat->row_stands_out && heat->row_stands_out[row] ? " class=\"out\"" : "");
        html_put(out, "<th title=\"%s\">%s</th>", heat->rows[row], heat->rows[row]);
        for (size_t column = 0; column < heat->n_columns; column++)
            put_cell(heat, row, column, out);
        text_printf(out, "</tr>\n");
    }
    text_printf(out, "</tbody></table></div>\n");
}
