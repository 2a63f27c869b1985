/* SPDX-License-Identifier: MIT */
/* Several commands of jitbench run, compared by pairs of their runs: decides when to stop sampling, and implements
 * --fail-on. */
#include "cmd/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare_commands.h"
#include "out/compare_commands.h"

#define FAIL_MOST 1000.0 /* largest PCT of --fail-on */

int run_read_fail_on(struct commands *c)
{
    const char *given = c->options->command.fail_on;
    const size_t word = strcspn(given, ":");
    char *end = (char *)given + word;
    double percent = 0;

    if (!given[0])
        return 0;
    if (given[word])
        percent = strtod(given + word + 1, &end);
    end += end > given + word + 1 && *end == '%';
    if (word != strlen("slower") || strncmp(given, "slower", word) != 0 || *end || end == given + word + 1 ||
        !(percent >= 0 && percent <= FAIL_MOST))
        return run_wrong(c, "--fail-on: '%s' is neither slower nor slower:PCT (0 %% to %g %%)", given, FAIL_MOST);
    if (c->n < 2)
        return run_wrong(c, "--fail-on needs two commands or more");
    const size_t least = 2 * commands_pairs_least(c->n - 1);
    if (measure_given(c->m, "samples") && c->m->options.samples < least)
        return run_wrong(c, "--fail-on needs --samples %zu or more: fewer than %zu pairs cannot show a difference",
                         least, least / 2);
    c->options->fails_on_slower = true;
    c->options->command.margin = log1p(percent / 100);
    return 0;
}

/* --- The stop rule. --- */

static struct command_params *params_of(const struct plan_item *item)
{
    return item->params;
}

/* Returns the index of the item that item i is compared with: the first one with the same number of copies that has not
 * ended early; i if there is none before it. */
static size_t base_of(const struct plan_item *items, const struct plan_samples *samples, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (samples->of[k] && items[k].copies == items[i].copies)
            return k;
    return i;
}

/* Compares an item with its base (base_of()) by the test that the verdict uses. fixed: as if the number of runs had
 * been fixed in advance. Returns false when they cannot be compared. */
static bool compare(const struct plan_item *items, const struct plan_samples *samples, size_t i, double error,
                    bool fixed, struct command_difference *out)
{
    const struct command_params *params = params_of(&items[i]);
    const size_t planned = fixed ? 0 : (size_t)params->planned;

    return !commands_differ(samples->of[base_of(items, samples, i)], samples->of[i], samples->n, planned,
                            params->margin, error, out) &&
           out->logs.n;
}

/* Returns whether the sequential test claims a difference between an item and its base. Always false with --aa (a
 * command against itself), so that a false claim does not end sampling. */
static bool is_claimed(const struct plan_item *items, const struct plan_samples *samples, size_t i, double error)
{
    const double margin = params_of(&items[i])->margin;
    struct command_difference d;

    return !params_of(&items[i])->aa && compare(items, samples, i, error, false, &d) && d.claimed &&
           !(d.logs.low <= margin && d.logs.high >= margin);
}

/* Returns whether the interval of an item's ratio to its base is no wider than the precision asks for and contains the
 * ratio that is tested (1, or the limit of --fail-on): any difference from that ratio is then too small to matter. With
 * --aa only the width counts. */
static bool is_narrow(const struct plan_item *items, const struct plan_samples *samples, size_t i, double error)
{
    const double margin = params_of(&items[i])->margin;
    struct command_difference d;

    return compare(items, samples, i, error, true, &d) &&
           d.logs.high - d.logs.low <= 2 * items[i].sampling.precision_pct / 100 &&
           (params_of(&items[i])->aa || (d.logs.low <= margin && d.logs.high >= margin));
}

/* Sets how many blocks (runs A B B A) fit into the time limit, unless it was set before. Returns that number. */
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
        if (!samples->of[i] || base_of(items, samples, i) == i || is_claimed(items, samples, i, error))
            continue;
        if (!is_narrow(items, samples, i, error))
            return false;
        narrow = true;
    }
    /* The intervals are narrow, so this test is the last one: it may use all that is left of the allowed probability of
     * a false claim. With --aa the planned number of blocks stays, since the search for a difference would go on up to
     * there. */
    for (size_t i = 0; narrow && i < n; i++)
        if (!params_of(&items[i])->aa)
            params_of(&items[i])->planned = blocks;
    return true;
}

/* --- The exit status. --- */

int run_fail(const struct measure *m, const void *options)
{
    const struct run_options *o = options;
    FREED_BY(memory_free) struct command_comparison *compared = calloc(m->n_rows + 1, sizeof(*compared));
    const double margin = o->command.margin;
    int status = EXIT_DONE;

    if (!o->fails_on_slower || !compared || run_compare(m->rows, m->n_rows, margin, compared))
        return EXIT_DONE;
    for (size_t i = 0; i < m->n_rows; i++) {
        if (compared[i].verdict != COMMAND_SLOWER)
            continue;
        FREED_BY(text_free) struct text name = {0};
        run_put_name(m->rows, m->n_rows, &m->rows[i], &name);
        (void)fprintf(stderr, "jitbench run: --fail-on: %s is slower", name.failed ? m->rows[i].test : name.data);
        if (margin > 0)
            (void)fprintf(stderr, " by more than %g %%", 100 * expm1(margin));
        (void)fprintf(stderr, "\n");
        status = EXIT_FINDING;
    }
    return status;
}
