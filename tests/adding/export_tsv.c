/* SPDX-License-Identifier: MIT */
/* A line for each row: suite, test, metric and value, with tabs between them. */
#include "out/export.h"

static void write_lines(const struct export_rows *rows, struct text *out)
{
    for (size_t i = 0; i < rows->n; i++) {
        const struct row *row = rows->rows[i];
        text_printf(out, "%s\t%s\t%s\t%.17g\n", row->suite, row->test, row->metric, row->value);
    }
}

const struct export_format export_tsv = {
    .write = write_lines,
};
