/* SPDX-License-Identifier: MIT */
/* Compares each command of one `jitbench run` with the first, by pairs of times. */
#include "analysis/compare_commands.h"

#include <math.h>

#include "sys/base.h"

/* Maximum number of pairs that are tested. Neighbouring blocks are joined into one pair when there are more: testing
 * more pairs would take longer without being more precise. */
#define PAIRS_MOST 400u

static size_t blocks_of_pair(size_t blocks)
{
    return blocks > PAIRS_MOST ? (blocks + PAIRS_MOST - 1) / PAIRS_MOST : 1;
}

int commands_differ(const double *base, const double *changed, size_t n, size_t planned, double margin, double error,
                    struct command_difference *out)
{
    const size_t each = blocks_of_pair(planned ? planned : n / 2);
    FREED_BY(memory_free) double *logs = malloc((n / 2 + 1) * sizeof(*logs));
    struct inference_shift wider = {.low = NAN};
    struct paired_looks looks;

    *out = (struct command_difference){.each = each};
    if (!logs)
        return -1;
    const size_t pairs = paired_log_ratios(base, changed, n, 2 * each, logs);
    for (size_t i = 0; i < pairs; i++)
        logs[i] -= margin;
    if (inference_rank_test(NULL, 0, logs, pairs, 1 - error, &out->logs))
        return -1;
    out->claimed = out->logs.p < error;
    if (planned) {
        if (paired_sequential(logs, pairs, planned / each, error, &looks) ||
            (looks.level > 0 && inference_rank_test(NULL, 0, logs, pairs, 1 - looks.level, &wider)))
            return -1;
        out->claimed = looks.claimed;
        if (!isnan(wider.low))
            out->logs = wider;
    }
    out->logs.centre += margin;
    out->logs.low += margin;
    out->logs.high += margin;
    return 0;
}

size_t commands_pairs_least(size_t compared)
{
    size_t least = PAIRED_LEAST;

    while (inference_rank_least(0, least) > COMMANDS_ERROR / (double)(compared ? compared : 1))
        least++;
    return least;
}

bool commands_look(size_t blocks, size_t planned)
{
    const size_t each = blocks_of_pair(planned);

    return blocks >= planned || (blocks % each == 0 && paired_is_look(blocks / each));
}

/* --- Rows. --- */

static bool is_wall(const struct row *row)
{
    return !strcmp(row->metric, "wall");
}

static bool has_time(const struct row *row)
{
    return is_wall(row) && row->status < ROW_SKIPPED && row->n_samples > 0;
}

/* Returns the base of the row: the first of the n rows that has the wall-clock time of as many copies as the row; the
 * row itself when there is none before it. */
static const struct row *run_base(const struct row *rows, size_t n, const struct row *row)
{
    for (size_t i = 0; i < n; i++)
        if (is_wall(&rows[i]) && rows[i].copies == row->copies)
            return &rows[i];
    return row;
}

/* Files of older versions have no position on the command line (item), so test and param are compared as well. */
double command_most_pct(const struct inference_shift *logs)
{
    return 100 * expm1(fmax(fabs(logs->low), fabs(logs->high)));
}

bool run_same_command(const struct row *a, const struct row *b)
{
    return a->item == b->item && a->copies == b->copies && !strcmp(a->test, b->test) &&
           !strcmp(a->param.text, b->param.text);
}

/* Returns whether some runs of the row's command failed, with --ignore-failure, and others did not. */
static bool ended_differently(const struct row *rows, size_t n, const struct row *row)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(rows[i].metric, "exit_code") && run_same_command(&rows[i], row) &&
            rows[i].stats.min != rows[i].stats.max)
            return true;
    return false;
}

static enum command_verdict verdict_of_difference(const struct command_difference *d, size_t least, double margin)
{
    if (!d->logs.n)
        return COMMAND_NO_TIME;
    if (d->logs.n < least || isnan(d->logs.low))
        return COMMAND_FEW;
    if (!d->claimed || (d->logs.low <= margin && d->logs.high >= margin))
        return COMMAND_ALIKE;
    return d->logs.low > margin ? COMMAND_SLOWER : COMMAND_FASTER;
}

static int compare_row(const struct row *rows, size_t n, size_t i, double margin, double error,
                       struct command_comparison *out)
{
    const struct row *row = &rows[i], *base = out->base;
    const size_t runs = row->n_samples < base->n_samples ? row->n_samples : base->n_samples;
    const double planned = row_param_number(&row->param, COMMANDS_PLANNED);

    if (commands_differ(base->samples, row->samples, runs, planned >= 1 && planned < 1e9 ? (size_t)planned : 0, margin,
                        error, &out->difference))
        return -1;
    out->least = commands_pairs_least((size_t)lround(COMMANDS_ERROR / error));
    out->seconds = base->wall_s + row->wall_s;
    const bool mixed = ended_differently(rows, n, row) || ended_differently(rows, n, base);
    out->verdict = mixed      ? COMMAND_MIXED
                   : runs < 2 ? COMMAND_FEW
                              : verdict_of_difference(&out->difference, out->least, margin);
    return 0;
}

int run_compare(const struct row *rows, size_t n, double margin, struct command_comparison *out)
{
    size_t compared = 0;

    for (size_t i = 0; i < n; i++) {
        out[i] = (struct command_comparison){.verdict = COMMAND_NO_VERDICT, .base = run_base(rows, n, &rows[i])};
        compared += out[i].base != &rows[i] && has_time(&rows[i]) && has_time(out[i].base);
    }
    for (size_t i = 0; i < n; i++)
        if (out[i].base != &rows[i] && has_time(&rows[i]) && has_time(out[i].base) &&
            compare_row(rows, n, i, margin, COMMANDS_ERROR / (double)compared, &out[i]))
            return -1;
    return 0;
}
