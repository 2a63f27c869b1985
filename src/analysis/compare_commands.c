/* SPDX-License-Identifier: MIT */
/* Compares each command of one `jitbench run` with the first, by pairs of times. */
#include "analysis/compare_commands.h"

/* Of more, neighbouring blocks are joined: testing more pairs would take longer without being more precise. */
#define PAIRS_MOST 400u

static size_t blocks_of_pair(size_t blocks)
{
    return blocks > PAIRS_MOST ? (blocks + PAIRS_MOST - 1) / PAIRS_MOST : 1;
}

int commands_differ(const double *base, const double *changed, size_t n, size_t planned, double margin, double error,
                    struct command_difference *out)
{
    const size_t each = blocks_of_pair(planned ? planned : n / 2);
    FREED double *logs = malloc((n / 2 + 1) * sizeof(*logs));
    struct inference_shift wider = {.low = NAN};
    struct paired_looks looks;

    *out = (struct command_difference){.each = each, .spread = NAN, .noise = NAN};
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

void commands_builds_differ(const struct comparison_side *base, const struct comparison_side *changed, double margin,
                            double error, struct command_difference *out)
{
    struct comparison c;

    comparison_measure(base, changed, ORDER_BUILDS, &c);
    const double centre = log(c.ratio), half = inference_half_width(c.error, c.df, 1 - error);
    *out = (struct command_difference){
        .logs = {.n = base->runs[0].n, .centre = centre, .low = centre - half, .high = centre + half, .p = c.p_t},
        .each = 1,
        .spread = c.spread,
        .noise = c.noise};
    out->claimed = out->logs.low > margin || out->logs.high < margin;
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

/* Of builds of one side. */
static bool run_same_side(const struct row *a, const struct row *b)
{
    return row_build(a) && row_build(b) && a->copies == b->copies && !strcmp(a->test, b->test);
}

/* The wall-clock row of the first command that has as many copies as the row, or of the first build of its side that
 * has a time; the row itself when there is none. */
static const struct row *first_of(const struct row *rows, size_t n, const struct row *row)
{
    const struct row *first = NULL;

    for (size_t i = 0; i < n && !(first && (has_time(first) || !row_build(first))); i++)
        if (is_wall(&rows[i]) && rows[i].copies == row->copies && (!first || run_same_side(first, &rows[i])))
            first = &rows[i];
    return first ? first : row;
}

/* What is compared of the measurement with this wall-clock time; NULL: it was not counted. */
static const struct row *judged_of(const struct row *rows, size_t n, const struct row *wall)
{
    const enum judged_value judged = row_judged(wall);

    return judged == JUDGED_WALL && is_wall(wall) ? wall : row_sibling(rows, n, wall, judged_metrics[judged]);
}

double command_most_pct(const struct inference_shift *logs)
{
    return 100 * expm1(fmax(fabs(logs->low), fabs(logs->high)));
}

bool run_same_command(const struct row *a, const struct row *b)
{
    return a->item == b->item && a->copies == b->copies && !strcmp(a->test, b->test) &&
           !strcmp(a->param.text, b->param.text);
}

/* Some runs of the command failed, with --ignore-failure, and others did not. */
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
    const size_t runs = out->row->n_samples < base->n_samples ? out->row->n_samples : base->n_samples;
    const double planned = row_param_number(&row->param, COMMANDS_PLANNED);

    if (commands_differ(base->samples, out->row->samples, runs, planned >= 1 && planned < 1e9 ? (size_t)planned : 0,
                        margin, error, &out->difference))
        return -1;
    out->least = commands_pairs_least((size_t)lround(COMMANDS_ERROR / error));
    out->seconds = base->wall_s + row->wall_s;
    const bool mixed = ended_differently(rows, n, row) || ended_differently(rows, n, base);
    out->verdict = mixed      ? COMMAND_MIXED
                   : runs < 2 ? COMMAND_FEW
                              : verdict_of_difference(&out->difference, out->least, margin);
    return 0;
}

/* --- Builds, and counts of instructions. --- */

/* The builds of a side, or the runs of a command, each of which is tested as if it were a build. */
struct tested {
    struct comparison_run *of;
    size_t n;
    bool mixed; /* some runs failed */
};

static int take_units(const struct row *rows, size_t n, const struct row *side, struct tested *tested, double *seconds)
{
    const bool builds = row_build(side);

    *tested = (struct tested){.of = calloc(builds ? n : judged_of(rows, n, side)->n_samples + 1, sizeof(*tested->of))};
    for (size_t i = 0; tested->of && i < n; i++) {
        const struct row *judged = judged_of(rows, n, &rows[i]);
        if (!has_time(&rows[i]) || !judged || !judged->n_samples ||
            !(builds ? run_same_side(side, &rows[i]) : side == &rows[i]))
            continue;
        for (size_t k = 0; k < (builds ? 1 : judged->n_samples); k++)
            tested->of[tested->n++] =
                (struct comparison_run){.samples = judged->samples + k, .n = builds ? judged->n_samples : 1};
        tested->mixed |= ended_differently(rows, n, &rows[i]);
        *seconds += rows[i].wall_s;
    }
    return tested->of ? 0 : -1;
}

static int compare_units(const struct row *rows, size_t n, size_t i, double margin, double error,
                         struct command_comparison *out)
{
    const struct row *row = &rows[i], *first = first_of(rows, n, row), *of[2] = {first, first == row ? NULL : row};
    const bool builds = row_build(row);
    struct tested tested[2] = {0};
    int failed = 0;

    out->least = builds ? BUILDS_LEAST : 2;
    for (size_t s = 0; s < 2 && of[s]; s++)
        failed |= take_units(rows, n, of[s], &tested[s], &out->seconds);
    for (size_t s = 0; s < 2; s++)
        out->builds[s] = builds ? tested[s].n : 0;
    if (!failed && tested[0].n) {
        const struct comparison_side base = {tested[0].of, tested[0].n}, changed = {tested[1].of, tested[1].n};
        struct command_difference *d = &out->difference;
        commands_builds_differ(&base, &changed, margin, error, d);
        d->logs.n = builds ? d->logs.n : tested[1].n;
        out->verdict = tested[0].mixed || tested[1].mixed                     ? COMMAND_MIXED
                       : !of[1]                                               ? COMMAND_ONE_SIDE
                       : tested[0].n < out->least || tested[1].n < out->least ? COMMAND_FEW
                       : isnan(d->logs.low)                                   ? COMMAND_NO_TIME
                       : !d->claimed                                          ? COMMAND_ALIKE
                       : d->logs.low > margin                                 ? COMMAND_SLOWER
                                                                              : COMMAND_FASTER;
    }
    free(tested[0].of);
    free(tested[1].of);
    return failed;
}

/* Wall-clock times have one: of each command but the first, or of the first build of each other side that has a time;
 * when there are builds of one side only, of the first of these. */
static bool has_verdict(const struct row *rows, size_t n, const struct row *row)
{
    const struct row *first = first_of(rows, n, row);
    bool others = false;

    if (!row_build(row) || !has_time(row))
        return first != row && has_time(row) && has_time(first);
    for (size_t i = 0; i < n; i++) {
        if (&rows[i] < row && has_time(&rows[i]) && run_same_side(&rows[i], row))
            return false;
        others |= is_wall(&rows[i]) && rows[i].copies == row->copies && !run_same_side(&rows[i], row);
    }
    return first == row ? !others : has_time(first);
}

int run_compare(const struct row *rows, size_t n, double margin, struct command_comparison *out)
{
    size_t compared = 0;

    for (size_t i = 0; i < n; i++) {
        out[i] = (struct command_comparison){.verdict = COMMAND_NO_VERDICT,
                                             .row = judged_of(rows, n, &rows[i]),
                                             .base = judged_of(rows, n, first_of(rows, n, &rows[i]))};
        compared += has_verdict(rows, n, &rows[i]);
    }
    for (size_t i = 0; i < n; i++) {
        const double error = COMMANDS_ERROR / (double)(compared ? compared : 1);
        const bool tested = row_build(&rows[i]) || row_judged(&rows[i]) == JUDGED_INSTRUCTIONS;
        if (!has_verdict(rows, n, &rows[i]))
            continue;
        out[i].verdict = COMMAND_NOT_COUNTED;
        if (out[i].row && out[i].base && (tested ? compare_units : compare_row)(rows, n, i, margin, error, &out[i]))
            return -1;
    }
    return 0;
}
