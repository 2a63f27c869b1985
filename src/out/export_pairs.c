/* SPDX-License-Identifier: MIT */
/* Latencies between CPUs, in the layout of collections of such results. */
#include <math.h>

#include "out/export.h"

static const char *refuse(const struct row *row)
{
    if (strcmp(row->suite, "memory") != 0 || strcmp(row->metric, "swap") != 0)
        return "that are not ways between CPUs by compare-and-swap";
    return isnan(row->value) ? "without a value" : NULL;
}

static void write_rows(const struct export_rows *rows, struct text *out)
{
    text_printf(out, "a,b,ns\n");
    for (size_t i = 0; i < rows->n; i++)
        text_printf(out, "%.0f,%.0f,%.1f\n", row_param_number(&rows->rows[i]->param, "from"),
                    row_param_number(&rows->rows[i]->param, "to"), rows->rows[i]->value);
}

const struct export_format export_pairs = {
    .refuse = refuse,
    .write = write_rows,
};
