/* SPDX-License-Identifier: MIT */
/* Several commands compared by pairs of their runs: when to stop, and --fail-on. */
#include "cmd/run.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/compare_commands.h"
#include "out/compare_commands.h"

int run_check_fail_on(struct commands *c)
{
    if (!c->options->command.fail_on.kinds)
        return 0;
    if (c->n < 2)
        return run_wrong(c, "--fail-on needs two commands or more");
    const size_t least = 2 * commands_pairs_least(c->n - 1);
    if (measure_given(c->m, "samples") && c->m->options.samples < least)
        return run_wrong(c, "--fail-on needs --samples %zu or more: fewer than %zu pairs cannot show a difference",
                         least, least / 2);
    return 0;
}

/* --- The stop rule. --- */

static struct command_params *params_of(const struct plan_item *item)
{
    return item->params;
}

/* 1, or the limits of --fail-on. Returns their number. */
static size_t margins_of(const struct command_params *params, double margin[2])
{
    const double slower = fail_on_limit(&params->fail_on, FAIL_ON_SLOWER);
    const double faster = fail_on_limit(&params->fail_on, FAIL_ON_FASTER);
    size_t n = 0;

    if (slower > 0)
        margin[n++] = log1p(slower / 100);
    if (faster > 0)
        margin[n++] = log(fmax(1 - faster / 100, DBL_MIN));
    if (!n || slower <= 0 || faster <= 0)
        margin[n++] = 0;
    return n;
}

/* The first with the same number of copies that has not ended early; i: none before it. */
static size_t base_of(const struct plan_item *items, const struct plan_samples *samples, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (samples->of[k] && items[k].copies == items[i].copies)
            return k;
    return i;
}

/* margin: logarithm of the tested ratio. fixed: as if the number of runs had been fixed. Returns false when they
 * cannot be compared. */
static bool compare(const struct plan_item *items, const struct plan_samples *samples, size_t i, double margin,
                    double error, bool fixed, struct command_difference *out)
{
    const struct command_params *params = params_of(&items[i]);
    const size_t planned = fixed ? 0 : (size_t)params->planned;

    return !commands_differ(samples->of[base_of(items, samples, i)], samples->of[i], samples->n, planned, margin, error,
                            out) &&
           out->logs.n;
}

/* Never with --aa: a false claim would end sampling. */
static bool is_claimed(const struct plan_item *items, const struct plan_samples *samples, size_t i, double margin,
                       double error)
{
    struct command_difference d;

    return !params_of(&items[i])->aa && compare(items, samples, i, margin, error, false, &d) && d.claimed &&
           !(d.logs.low <= margin && d.logs.high >= margin);
}

/* No wider than the precision, and contains the tested ratio: any other difference is too small to matter. With --aa
 * only the width counts. */
static bool is_narrow(const struct plan_item *items, const struct plan_samples *samples, size_t i, double margin,
                      double error)
{
    struct command_difference d;

    return compare(items, samples, i, margin, error, true, &d) &&
           d.logs.high - d.logs.low <= 2 * items[i].sampling.precision_pct / 100 &&
           (params_of(&items[i])->aa || (d.logs.low <= margin && d.logs.high >= margin));
}

/* Blocks (A B B A) that fit into the time limit. */
static size_t plan_blocks(struct plan_item *items, size_t n, const struct plan_samples *samples, size_t blocks)
{
    const uint64_t left = samples->limit_ns > samples->spent_ns ? samples->limit_ns - samples->spent_ns : 0;
    const uint64_t of_one = samples->spent_ns / blocks;
    size_t planned = 0;

    for (size_t i = 0; i < n; i++) {
        struct command_params *params = params_of(&items[i]);
        if (!params->planned)
            params->planned = blocks + left / (of_one ? of_one : 1);
        planned = (size_t)params->planned;
    }
    return planned;
}

bool run_enough(struct plan_item *items, size_t n, const struct plan_samples *samples)
{
    const size_t blocks = samples->n / 2;
    size_t compared = 0;
    bool narrow = false;

    for (size_t i = 0; i < n; i++)
        compared += samples->of[i] && base_of(items, samples, i) != i;
    if (blocks < commands_pairs_least(compared))
        return false;
    const size_t planned = plan_blocks(items, n, samples, blocks);
    if (blocks >= planned || samples->spent_ns + samples->spent_ns / blocks > samples->limit_ns)
        return true;
    if (!commands_look(blocks, planned))
        return false;
    for (size_t i = 0; i < n; i++) {
        const double error = COMMANDS_ERROR / (double)(compared ? compared : 1);
        double margin[2];
        if (!samples->of[i] || base_of(items, samples, i) == i)
            continue;
        for (size_t k = 0; k < margins_of(params_of(&items[i]), margin); k++) {
            if (is_claimed(items, samples, i, margin[k], error))
                continue;
            if (!is_narrow(items, samples, i, margin[k], error))
                return false;
            narrow = true;
        }
    }
    /* this test is the last one and may use all that is left of the allowed probability of a false claim; with --aa the
     * search goes on to the planned number */
    for (size_t i = 0; narrow && i < n; i++)
        if (!params_of(&items[i])->aa)
            params_of(&items[i])->planned = blocks;
    return true;
}

/* --- The exit status. --- */

/* limit: in %; HUGE_VAL: as printed. */
static bool is_undecided(const struct command_comparison *c, double limit)
{
    const double most = c->verdict == COMMAND_ALIKE ? command_most_pct(&c->difference.logs) : NAN;

    return c->verdict >= COMMAND_ALIKE && !(most <= (isfinite(limit) ? limit : COMMANDS_ALIKE_PCT));
}

/* Returns the exit status. */
static int fail_kind(const struct measure *m, const struct fail_on *fail_on, unsigned kind,
                     struct command_comparison *compared)
{
    const double limit = fail_on_limit(fail_on, kind);
    const bool slower = kind == FAIL_ON_SLOWER, undecided = kind == FAIL_ON_UNDECIDED;
    const double ratio = undecided || !(limit > 0) ? 1 : slower ? 1 + limit / 100 : fmax(1 - limit / 100, DBL_MIN);
    int status = EXIT_DONE;

    if (isnan(limit) || run_compare(m->rows, m->n_rows, log(ratio), compared))
        return EXIT_DONE;
    for (size_t i = 0; i < m->n_rows; i++) {
        const enum command_verdict verdict = compared[i].verdict;
        if (undecided ? !is_undecided(&compared[i], limit) : verdict != (slower ? COMMAND_SLOWER : COMMAND_FASTER))
            continue;
        FREED_BY(text_free) struct text name = {0};
        run_put_name(m->rows, m->n_rows, &m->rows[i], &name);
        message_print("jitbench run: --fail-on: %s %s", name.failed ? m->rows[i].test : name.data,
                      undecided ? limit < HUGE_VAL ? "can differ" : "is not decided"
                      : slower  ? "is slower"
                                : "is faster");
        if (limit > 0 && isfinite(limit))
            message_print(" by more than %g %%", limit);
        message_print("\n");
        status = EXIT_FINDING;
    }
    return status;
}

int run_fail(const struct measure *m, const void *options)
{
    static const unsigned kinds[] = {FAIL_ON_SLOWER, FAIL_ON_FASTER, FAIL_ON_UNDECIDED};
    const struct run_options *o = options;
    FREED_BY(memory_free) struct command_comparison *compared = calloc(m->n_rows + 1, sizeof(*compared));
    int status = EXIT_DONE;

    for (size_t i = 0; compared && i < COUNT(kinds); i++)
        status = fail_kind(m, &o->command.fail_on, kinds[i], compared) ? EXIT_FINDING : status;
    return status;
}
