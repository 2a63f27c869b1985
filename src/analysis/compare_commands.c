/* SPDX-License-Identifier: MIT */
/* Compares the commands of `jitbench run` with the first. */
#include "analysis/compare_commands.h"

#include <math.h>
#include <string.h>

static bool has_time(const struct row *row)
{
    return !strcmp(row->metric, "wall") && row->status < ROW_SKIPPED && row->n_samples > 0;
}

const struct row *run_base(const struct row *rows, size_t n, const struct row *row)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(rows[i].metric, "wall") && rows[i].copies == row->copies)
            return &rows[i];
    return row;
}

int run_compare(const struct row *rows, size_t n, struct comparison *out)
{
    for (size_t i = 0; i < n; i++) {
        const struct row *row = &rows[i], *base = run_base(rows, n, row);
        const struct comparison_run before = {base->samples, base->n_samples}, after = {row->samples, row->n_samples};
        out[i] = (struct comparison){.ratio = (double)NAN, .p = (double)NAN, .low = (double)NAN, .high = (double)NAN};
        if (base == row || !has_time(row) || !has_time(base))
            continue;
        if (comparison_measure(&(struct comparison_side){&before, 1}, &(struct comparison_side){&after, 1},
                               ORDER_SAMPLES_ALTERNATE, &out[i]))
            return -1;
        out[i].ratio = out[i].base > 0 ? out[i].changed / out[i].base : (double)NAN;
    }
    return comparison_judge(out, n, 0.95, COMPARE_COMMANDS_LEAST);
}
