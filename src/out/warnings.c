/* SPDX-License-Identifier: MIT */
/* Prints warnings about doubtful values in result rows. */
#include "out/out.h"

/* If the rest's spread does not explain it. */
static double slow_first_pct(const struct row *row)
{
    if (row->n_samples < 5)
        return 0;
    const struct stats_running rest = stats_running_of(row->samples + 1, row->n_samples - 1);
    double slower = strcmp(row->better, "higher") ? row->samples[0] - rest.mean : rest.mean - row->samples[0];
    return slower > 3 * stats_sd(&rest) ? 100 * slower / fabs(rest.mean) : 0;
}

/* In % of the row's median; 0: not known. */
static double grain_pct(const struct row *rows, size_t n, const struct row *row)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(rows[i].metric, "clock_grain") && !strcmp(rows[i].test, row->test) &&
            !strcmp(rows[i].param.text, row->param.text) && !strcmp(rows[i].cpus, row->cpus))
            return 100 * rows[i].value / row->stats.median;
    return 0;
}

void warnings_collect(const struct row *rows, size_t n, const struct metrics *metrics, const char *more,
                      struct text *out)
{
    const struct {
        double limit_pct;
        const char *before, *after;
    } kinds[] = {
        {3, "the first sample is ", " slower than the rest"},
        {0, "the second half of the samples is ", " away from the first: the machine drifted"},
        {2, "the mean is known to +-", TEXT_LINE(" only; more samples (%s) would narrow it", more)},
        {2, "the clock's grain is ", " of what it timed"},
        {1, "the sampler was blind for ", " of the time: it was reading its counters"},
    };
    struct {
        double worst;
        size_t count;
        const struct row *row;
    } found[COUNT(kinds)] = {{0}};
    /* the first with a clock resolution; most files have none, and no row then searches for its own */
    size_t grains = 0;

    while (grains < n && strcmp(rows[grains].metric, "clock_grain"))
        grains++;
    for (const struct row *row = rows; row < rows + n; row++) {
        const bool blind = !strcmp(row->suite, "noise") && !strcmp(row->metric, "blind");
        if (!blind && (!row->headline || !row->n_samples))
            continue;
        const double half = (row->stats.ci95_hi - row->stats.ci95_lo) / 2;
        const double pct[COUNT(kinds)] = {blind ? 0 : slow_first_pct(row), blind ? 0 : row_drift_pct(row),
                                          blind || row->status == ROW_UNSTABLE ? 0 : 100 * half / fabs(row->stats.mean),
                                          grain_pct(rows + grains, n - grains, row), blind ? row->value : 0};
        for (size_t k = 0; k < COUNT(kinds); k++) {
            if (!(pct[k] > kinds[k].limit_pct) || !isfinite(pct[k])) /* in % of a mean of 0, it is NAN or infinite */
                continue;
            found[k].count++;
            if (!found[k].row || pct[k] > found[k].worst) {
                found[k].worst = pct[k];
                found[k].row = row;
            }
        }
    }
    for (size_t k = 0; k < COUNT(kinds); k++) {
        if (!found[k].row)
            continue;
        const char *test = found[k].row->test, *title = metrics_test_title(metrics, found[k].row->suite, test);
        if (title[0] >= 'a') /* it describes the test */
            title = test;
        text_printf(out, "Warning: %.*s", (int)strcspn(title, ":"), title);
        metrics_put_place(metrics, found[k].row, out);
        text_printf(out, ": %s%.1f %%%s", kinds[k].before, found[k].worst, kinds[k].after);
        if (found[k].count > 1)
            text_printf(out, " (and %zu more like it)", found[k].count - 1);
        text_append(out, "\n", 1);
    }
}
