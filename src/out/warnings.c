/* SPDX-License-Identifier: MIT */
/* Prints warnings about doubtful values in result rows. */
#include "out/out.h"

#include <math.h>
#include <string.h>

#include "stats/stats.h"

#define SPREAD_PCT    10.0
#define SHIFT_PCT     3.0 /* smaller ones are not reported */
#define PRECISION_PCT 2.0
#define GRAIN_PCT     2.0
#define BLIND_PCT     1.0
/* In %: from this spread on, which also makes a row unstable, a warning names another user of the core if that
 * explains EXPLAINED_PCT of it. */
#define NEIGHBOUR_PCT 5.0
#define EXPLAINED_PCT 50.0

struct finding {
    double worst;
    size_t count;
    const struct row *row;
};

static void find(struct finding *f, double value, double limit, const struct row *row)
{
    if (!(value > limit) || !isfinite(value)) /* in % of a mean of 0, a value is NAN or infinite */
        return;
    f->count++;
    if (!f->row || value > f->worst) {
        f->worst = value;
        f->row = row;
    }
}

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

#define LINE_MOST 40

static void put_name(const struct row *row, struct text *out)
{
    const char *line = row_command_line(&row->param);
    const struct row_param *first = &row->param.of[0];

    text_printf(out, "Warning: %s", row->test);
    if (line) {
        size_t length = strlen(line), cut = length > LINE_MOST ? LINE_MOST : length;
        while (cut < length && ((unsigned char)line[cut] & 0xc0u) == 0x80) /* does not cut within a UTF-8 character */
            cut--;
        text_printf(out, " (%.*s%s)", (int)cut, line, cut < length ? "..." : "");
    } else if (row->param.n && first->kind != PARAM_COMMAND) {
        text_printf(out, " %.*s", (int)first->length, row->param.text + first->at);
    }
}

static void put_more(const struct finding *f, struct text *out)
{
    if (f->count > 1)
        text_printf(out, " (and %zu more like it)", f->count - 1);
    text_append(out, "\n", 1);
}

static void put(const struct finding *f, const char *before, const char *after, struct text *out)
{
    if (!f->row)
        return;
    put_name(f->row, out);
    text_printf(out, ": %s%.1f %%%s", before, f->worst, after);
    put_more(f, out);
}

static void put_neighbour(const struct finding *f, const struct row *alone, struct text *out)
{
    uint64_t free_slices, slices;

    if (!f->row)
        return;
    if (alone && isnan(alone->value))
        alone = NULL;
    put_name(f->row, out);
    text_printf(out, ": the samples spread by %.1f %%", f->worst);
    if (alone)
        text_printf(out, "; with the core free by %.1f %%", alone->stats.rsd_pct);
    text_printf(out, ": a neighbour on the core");
    if (alone && row_free_slices(alone->reason, &free_slices, &slices))
        text_printf(out, " (it was free %.0f %% of the time)", 100 * (double)free_slices / (double)slices);
    put_more(f, out);
}

void warnings_collect(const struct row *rows, size_t n, const char *more, struct text *out)
{
    struct finding spread = {0}, first = {0}, drift = {0}, interval = {0}, grain = {0}, blind = {0}, neighbour = {0};
    /* the first with a clock resolution; most files have none, and no row then searches for its own */
    size_t grains = 0;

    while (grains < n && strcmp(rows[grains].metric, "clock_grain") != 0)
        grains++;
    for (size_t i = 0; i < n; i++) {
        const struct row *row = &rows[i];
        if (!strcmp(row->suite, "noise") && !strcmp(row->metric, "blind") && row->value >= BLIND_PCT)
            find(&blind, row->value, 0, row);
        if (!row->headline || row->n_samples == 0)
            continue;
        struct stats_running samples = stats_running_of(row->samples, row->n_samples);
        double spread_pct = 100 * stats_sd(&samples) / fabs(samples.mean);
        if (spread_pct > NEIGHBOUR_PCT && row->explained_pct >= EXPLAINED_PCT)
            find(&neighbour, spread_pct, 0, row);
        else
            find(&spread, spread_pct, SPREAD_PCT, row);
        find(&first, slow_first_pct(row), SHIFT_PCT, row);
        find(&drift, row_drift_pct(row), 0, row);
        find(&interval, 100 * (row->stats.ci95_hi - row->stats.ci95_lo) / 2 / fabs(row->stats.mean), PRECISION_PCT,
             row);
        find(&grain, grain_pct(rows + grains, n - grains, row), GRAIN_PCT, row);
    }
    put_neighbour(&neighbour, neighbour.row ? row_alone_of(rows, n, neighbour.row) : NULL, out);
    put(&spread, "the samples spread by ", " (RSD)", out);
    put(&first, "the first sample is ", " slower than the rest", out);
    put(&drift, "the second half of the samples is ", " away from the first: the machine drifted", out);
    put(&interval, "the mean is known to +-", TEXT_LINE(" only; more samples (%s) would narrow it", more), out);
    put(&grain, "the clock's grain is ", " of what it timed", out);
    if (blind.row) {
        text_printf(out,
                    "Warning: noise: the sampler on CPU %s was blind for %.1f %% of the time: it was reading its "
                    "counters; detours in that time are not seen",
                    blind.row->cpus, blind.worst);
        put_more(&blind, out);
    }
}
