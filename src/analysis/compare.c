/* SPDX-License-Identifier: MIT */
/* Compares paired result rows of two sets of files: ratios, verdicts, means of suites and of hosts. */
#include "analysis/compare.h"

#include "analysis/compare_commands.h"

#define HOSTS_MIN       3u /* fewest hosts on each side for hosts to be the statistical unit */
#define ROWS_FOR_SPREAD 5u /* fewest rows whose ratios give an estimate of the spread */

const char *const compared_verdict_names[] = {
    [VERDICT_FASTER] = "faster",        [VERDICT_SLOWER] = "slower",       [VERDICT_LOWER] = "lower",
    [VERDICT_HIGHER] = "higher",        [VERDICT_SAME] = "no change seen", [VERDICT_UNDECIDED] = "not decided",
    [VERDICT_APART] = "not comparable", [VERDICT_NO_GAIN] = "not a gain",
};

double compared_sign(const struct pair *pair)
{
    return strcmp(pair->about->better, "higher") ? -1 : 1;
}

enum compared_verdict compared_verdict(const struct compared_row *row)
{
    const struct comparison *c = row->of;
    const bool higher = c->change == CHANGE_HIGHER;

    if (c->change == CHANGE_UNKNOWN)
        return c->doubt == DOUBT_SHARE ? VERDICT_APART : VERDICT_UNDECIDED;
    if (c->change == CHANGE_NONE)
        return c->doubt == DOUBT_LOAD ? VERDICT_NO_GAIN : VERDICT_SAME;
    if (!row->pair->about->better[0])
        return higher ? VERDICT_HIGHER : VERDICT_LOWER;
    return higher == (compared_sign(row->pair) > 0) ? VERDICT_FASTER : VERDICT_SLOWER;
}

/* --- Runs. --- */

/* One side of a comparison. Rows of one run (or host, if that is the unit) are merged. */
struct compared_side {
    struct comparison_run *runs;
    const struct row **first; /* first row of each run */
    double *values;
    size_t n;
};

static void sides_free(struct compared_side (*side)[2])
{
    for (size_t s = 0; s < 2; s++) {
        free((*side)[s].runs);
        free((*side)[s].first);
        free((*side)[s].values);
    }
}

enum unit { UNIT_RUN, UNIT_HOST, UNIT_BUILD };

static bool same_unit(const struct row *a, const struct row *b, enum unit unit)
{
    return unit == UNIT_HOST    ? !strcmp(a->run->host, b->run->host)
           : unit == UNIT_BUILD ? row_build(a) == row_build(b)
                                : pair_same_run(a, b);
}

bool compared_builds(const struct pair *pair)
{
    return pair->within && row_build(pair->about);
}

static enum unit unit_of(const struct compared_row *row)
{
    return row->by_hosts ? UNIT_HOST : compared_builds(row->pair) ? UNIT_BUILD : UNIT_RUN;
}

static bool is_first_of_run(const struct pair_side *side, size_t number, enum unit unit)
{
    size_t i = 0;

    while (!same_unit(side->row[i], side->row[number], unit))
        i++;
    return i == number;
}

static bool hosts_count(const struct pair *pair)
{
    size_t hosts[2] = {0};

    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < pair->side[s].n; i++)
            hosts[s] += is_first_of_run(&pair->side[s], i, UNIT_HOST);
    return hosts[0] >= HOSTS_MIN && hosts[1] >= HOSTS_MIN;
}

/* Returns their number. */
static size_t values_of(const struct row *row, bool mean, double *values)
{
    const double *samples = row->n_samples ? row->samples : &row->value;
    const size_t n = row->n_samples ? row->n_samples : 1;

    if (mean)
        values[0] = stats_mean(samples, n);
    else
        memcpy(values, samples, n * sizeof(*values));
    return mean ? 1 : n;
}

/* Of an interval within one class of a histogram: not 0, which is not known. */
#define LEAST_ERROR 1e-6
/* Of a run's only value, if that has an interval. */
static double own_error(const struct row *row, size_t n)
{
    const struct stats_summary *s = &row->stats;

    return n == 1 && s->ci95_lo > 0 && s->ci95_hi >= s->ci95_lo
               ? fmax(log(s->ci95_hi / s->ci95_lo) / 2 / stats_student_t(0.95, INFINITY), LEAST_ERROR)
               : 0;
}

/* Runs (or builds) get the samples of all their rows; hosts the mean of each. */
static void take_runs(const struct pair_side *from, enum unit unit, struct compared_side *side)
{
    size_t n_values = 0;

    for (size_t i = 0; i < from->n; i++)
        n_values += from->row[i]->n_samples + 1;
    side->runs = memory_get(from->n, sizeof(*side->runs));
    side->first = memory_get(from->n, sizeof(*side->first));
    side->values = memory_get(n_values, sizeof(*side->values));
    double *end = side->values;
    for (size_t i = 0; i < from->n; i++) {
        if (!is_first_of_run(from, i, unit))
            continue;
        struct comparison_run *run = &side->runs[side->n];
        side->first[side->n++] = from->row[i];
        run->samples = end;
        for (size_t k = i; k < from->n; k++)
            if (same_unit(from->row[i], from->row[k], unit))
                end += values_of(from->row[k], unit == UNIT_HOST, end);
        run->n = (size_t)(end - run->samples);
        run->error = own_error(from->row[i], run->n);
    }
}

/* One value for each run, computed from other rows of its suite. */
static bool is_total(const struct compared_row *row)
{
    return row->mean || row_is_index(row->pair->about);
}

static bool same_suite(const struct pair *a, const struct pair *b)
{
    return !strcmp(a->about->suite, b->about->suite) && !strcmp(a->host, b->host);
}

/* Whether a total (of as many copies; 0: of any) is computed from a row brought to the same share. */
static bool is_adjusted(const struct compared_row *row, const struct pair *total)
{
    return row->of->share > 0 && !is_total(row) && same_suite(row->pair, total) &&
           (!total->about->copies || row->pair->about->copies == total->about->copies);
}

/* Sets the share of the core that a run had; of a total the mean of the rows brought to the same share. */
static void set_core_share(const struct compared *c, const struct compared_row *row, size_t s, const struct row *first,
                           struct comparison_run *run)
{
    struct stats_running logs = {0};
    double errors = 0;

    if (!is_total(row)) {
        run->share = row_core_share(first);
        run->share_error = row_core_share_error(first);
        return;
    }
    for (size_t i = 0; i < c->n_rows; i++) {
        const struct pair_side *side = &c->row[i].pair->side[s];
        for (size_t k = 0; k < side->n; k++)
            if (is_adjusted(&c->row[i], row->pair) && pair_same_run(side->row[k], first)) {
                stats_add(&logs, log(row_core_share(side->row[k])));
                errors += pow(row_core_share_error(side->row[k]), 2);
            }
    }
    run->share = logs.n ? exp(logs.mean) : 0;
    run->share_error = logs.n ? sqrt(errors) / (double)logs.n : 0;
}

/* --- Rows. --- */

/* ORDER_RUNS_ALTERNATE: for each k the k-th runs of both sides began next to each other, as in A B B A or A B A B.
 * Those of the same second may have begun in either order. */
static enum comparison_order time_order_of(const struct pair *pair, const struct compared_side side[2])
{
    const char *began = "", *ended = "";

    if (compared_builds(pair))
        return ORDER_BUILDS;
    /* `jitbench run` takes the samples of its commands in turns. */
    if (pair->within && side[0].n == 1 && row_command(&pair->about->param))
        return ORDER_SAMPLES_ALTERNATE;
    if (side[0].n != side[1].n)
        return ORDER_APART;
    for (size_t k = 0; k < side[0].n; k++) {
        const struct row *a = side[0].first[k], *b = side[1].first[k];
        const bool a_first = strcmp(a->run->utc, b->run->utc) < 0;
        const char *first = (a_first ? a : b)->run->utc;
        if (pair_same_run(a, b))
            continue;
        if (strcmp(began, first) >= 0 || strcmp(ended, first) > 0 || !same_unit(a, b, UNIT_HOST))
            return ORDER_APART;
        began = first;
        ended = (a_first ? b : a)->run->utc;
    }
    return ORDER_RUNS_ALTERNATE;
}

/* Where the run could end early because of tests while it went on (looks), only the sequential test, which allows for
 * these, may claim a difference. */
static void allow_for_looks(const struct row *row, const struct compared_side side[2], struct comparison *comparison)
{
    const double planned = row_param_number(&row->param, COMMANDS_PLANNED);
    const struct comparison_run *base = side[0].runs, *changed = side[1].runs;
    struct command_difference difference;

    if (comparison->tested != TESTED_PAIRS || !(planned >= 1 && planned < 1e9))
        return;
    if (commands_differ(base->samples, changed->samples, base->n < changed->n ? base->n : changed->n, (size_t)planned,
                        0, COMMANDS_ERROR, &difference))
        memory_out();
    if (!difference.claimed)
        comparison->p_t = comparison->p_permutation = 1;
}

/* c not NULL: converts the values to the same share of the core, if possible. */
static void compare_pair(const struct compared *c, const struct compared_row *row, const struct pair *pair,
                         struct comparison *out)
{
    FREED_BY(sides_free) struct compared_side side[2] = {0};

    for (size_t s = 0; s < 2; s++) {
        take_runs(&pair->side[s], unit_of(row), &side[s]);
        for (size_t r = 0; c && r < side[s].n; r++)
            set_core_share(c, row, s, side[s].first[r], &side[s].runs[r]);
    }
    const enum comparison_order order = row->by_hosts ? ORDER_APART : time_order_of(pair, side);
    comparison_measure(&(struct comparison_side){side[0].runs, side[0].n},
                       &(struct comparison_side){side[1].runs, side[1].n}, order, out);
    if (order == ORDER_SAMPLES_ALTERNATE)
        allow_for_looks(pair->about, side, out);
}

/* Adds a row. raw: if `pair` has the values measured only while no one else used the core, the pair of the same
 * measurement over the whole time. mean: see struct compared_row. */
static struct compared_row *add_row(struct compared *c, const struct pair *pair, const struct pair *raw, bool judged,
                                    size_t mean)
{
    const size_t number = c->n_rows + c->n_means;
    struct compared_row *row = &c->row[number];

    *row = (struct compared_row){.pair = pair,
                                 .raw = raw,
                                 .of = &c->comparison[number],
                                 .judged = judged,
                                 .mean = mean,
                                 .by_hosts = hosts_count(pair),
                                 .few = SIZE_MAX};
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < pair->side[s].n; i++) {
            const struct row *of = pair->side[s].row[i];
            row->few = of->n_samples < row->few ? of->n_samples : row->few;
        }
    /* Pairs within the same files compare different work, which may itself be why the share of the core differs. At
     * another clock frequency the share is not known well enough. */
    const bool same_share = !raw && !pair->within && !row->by_hosts && !pair_other_clock(pair);
    compare_pair(same_share ? c : NULL, row, pair, row->of);
    if (row->of->share > 0 && !mean)
        row->raw = pair;
    if (row->raw) {
        struct comparison *of_raw = &row->of_raw;
        compare_pair(NULL, row, row->raw, of_raw);
        of_raw->change = of_raw->high < 1 ? CHANGE_LOWER : of_raw->low > 1 ? CHANGE_HIGHER : CHANGE_NONE;
    }
    for (size_t i = 0; is_total(row) && !raw && !(row->of->share > 0) && i < c->n_rows; i++)
        row->of->unlike_rows |= is_adjusted(&c->row[i], pair);
    c->n_rows += !mean;
    c->n_means += mean > 0;
    return row;
}

/* --- The mean of a suite. --- */

/* A headline row with a direction and samples of its own, which an index lacks. */
static bool has_direction(const struct compared_row *row)
{
    return row->judged && row->pair->about->better[0] && row->few && row->of->ratio > 0;
}

/* The mean of the ratios of n rows when a side has only one or two runs. Its error is the larger of that from the
 * errors of the rows and that from the spread of their ratios, which includes drift between runs. */
static void mean_of_ratios(const struct compared_row *const *rows, size_t n, struct comparison *out)
{
    struct stats_running logs = {0};
    double variance = 0, terms = 0;

    for (size_t i = 0; i < n; i++) {
        const struct comparison *of = rows[i]->of;
        const double v = of->error * of->error;
        stats_add(&logs, compared_sign(rows[i]->pair) * log(of->ratio));
        variance += v;
        terms += v > 0 ? v * v / of->df : 0;
    }
    const double by_rows = n >= ROWS_FOR_SPREAD ? stats_sd(&logs) / sqrt((double)n) : 0;
    double error = sqrt(variance) / (double)n, df = variance > 0 ? variance * variance / terms : 1;
    if (by_rows > 0 && !(inference_half_width(by_rows, (double)n - 1, 0.95) <= inference_half_width(error, df, 0.95))) {
        error = by_rows;
        df = (double)n - 1;
    }
    out->tested = isnan(error) ? TESTED_NOTHING : TESTED_WITHIN;
    out->n_base = out->n_new = 1;
    out->base = 1;
    out->changed = exp(logs.mean);
    comparison_set_ratio(logs.mean, error, df, 0, out);
}

/* Of a run: the geometric mean of its rows' means, each divided by the base's median (or the inverse, where lower is
 * better). NAN when it lacks a row. */
static double score_of(const struct compared_row *const *rows, size_t n, size_t s, const struct row *run)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        const struct pair_side *side = &rows[i]->pair->side[s];
        struct stats_running means = {0};
        for (size_t k = 0; k < side->n; k++)
            if (same_unit(side->row[k], run, unit_of(rows[i])))
                stats_add(&means, stats_mean(side->row[k]->samples, side->row[k]->n_samples));
        sum += means.n && means.mean > 0 ? compared_sign(rows[i]->pair) * log(means.mean / rows[i]->of->base) : NAN;
    }
    return exp(sum / (double)n);
}

/* Of the runs of the first row those that have a score. */
static const struct pair *make_mean(const struct compared_row *const *rows, size_t n, struct pair *pair)
{
    const struct compared_row *first = rows[0];
    const size_t most = first->pair->side[0].n + first->pair->side[1].n;
    struct row *row = memory_get(most + 1, sizeof(*row));
    const struct row **at = memory_get(most, sizeof(*at));

    *row = (struct row){.metric = "geometric_mean", .unit = "ratio", .better = "higher"};
    TEXT_SET(row->suite, first->pair->about->suite);
    *pair = (struct pair){.about = row, .reason = -1, .scores = row};
    TEXT_SET(pair->host, first->pair->host);
    for (size_t s = 0; s < 2; s++) {
        const struct pair_side *from = &first->pair->side[s];
        pair->side[s].row = at;
        for (size_t i = 0; i < from->n; i++) {
            const double score = is_first_of_run(from, i, unit_of(first)) ? score_of(rows, n, s, from->row[i]) : NAN;
            if (isnan(score))
                continue;
            *++row = *pair->about;
            row->run = from->row[i]->run;
            row->value = score;
            row->number = i;
            *at++ = row;
            pair->side[s].n++;
        }
    }
    return pair;
}

/* Adds the means of suites with at least two rows whose spread is known. Pairs within the same files compare different
 * work, so that their mean is meaningless. */
static void add_means(struct compared *c)
{
    FREED const struct compared_row **of = memory_get(c->n_rows, sizeof(*of));

    c->mean = memory_get(c->n_rows, sizeof(*c->mean));
    for (size_t i = 0; i < c->n_rows; i++) {
        size_t n = 0;
        for (const struct compared_row *row = c->row; row < c->row + c->n_rows; row++)
            if (has_direction(row) && !row->pair->within && row->of->tested != TESTED_NOTHING &&
                same_suite(row->pair, c->row[i].pair))
                of[n++] = row;
        if (n < 2 || of[0] != &c->row[i])
            continue;
        struct compared_row *mean = add_row(c, make_mean(of, n, &c->mean[c->n_means]), NULL, false, n);
        if (mean->of->tested < TESTED_RUNS)
            mean_of_ratios(of, n, mean->of);
    }
}

/* --- Hosts. --- */

/* By the rules of `jitbench fleet` (analysis/fleet_judge.c), of ratios instead of values. */
static void find_hosts(struct compared *c)
{
    FREED_BY(gather_free) struct gather g = {.every = true};
    FREED_BY(judge_free) struct judgement j = {0};
    FREED struct stats_running *logs = memory_get(c->n_rows, sizeof(*logs)); /* of each host */
    struct row_run run;

    row_run_init(&run);
    for (size_t i = 0; i < c->n_rows; i++) {
        if (!c->row[i].pair->host[0] || !has_direction(&c->row[i]))
            continue;
        struct row row = *c->row[i].pair->about;
        TEXT_SET(run.host, c->row[i].pair->host);
        row.run = &run;
        row.value = c->row[i].of->ratio;
        row.stats.n = 0; /* the ratio's error is not known */
        row.core_share[0] = '\0';
        gather_row(&g, &row);
        stats_add(&logs[g.last_machine], compared_sign(c->row[i].pair) * log(row.value));
    }
    gather_finish(&g);
    judge(&j, &g, c->min_effect);
    c->n_hosts = g.machines.n;
    c->host = memory_get(c->n_hosts, sizeof(*c->host));
    for (size_t h = 0; h < c->n_hosts; h++) {
        c->host[h].ratio = exp(logs[j.judged[h].machine].mean);
        c->host[h].stands_out = judge_stands_out(&j.judged[h]);
        TEXT_SET(c->host[h].host, j.judged[h].name);
    }
}

/* --- Loads. --- */

const struct compared_row *compared_load(const struct compared *c, const struct compared_row *of)
{
    const struct compared_row *found = NULL;
    const struct row *about = of->pair->about;

    for (const struct compared_row *row = c->row; row < c->row + c->n_rows && !of->pair->within; row++) {
        const struct row *load = row->pair->about;
        if (!strcmp(load->metric, "load_rate") && strcmp(load->test, "alone") && row->of->ratio > 0 &&
            (!found || isnan(found->of->high) || row->of->high < found->of->high) &&
            (of->mean ? same_suite(row->pair, of->pair)
                      : row_same_measurement(load, about) && !strcmp(row->pair->host, of->pair->host)))
            found = row;
    }
    return found;
}

static void refuse_gains(struct compared *c)
{
    for (struct compared_row *row = c->row; row < c->row + c->n_rows + c->n_means; row++) {
        const bool gain = compared_verdict(row) == VERDICT_FASTER;
        const struct compared_row *load = gain ? compared_load(c, row) : NULL;
        if (load && load->of->high < 1 - COMPARED_LOAD_LOST) {
            row->of->change = CHANGE_NONE;
            row->of->doubt = DOUBT_LOAD;
        }
    }
}

/* --- The whole comparison. --- */

/* A change from or to 0 is larger than any other. */
static double effect_of(const struct comparison *c)
{
    if (c->ratio > 0)
        return fabs(log(c->ratio));
    return c->base == c->changed ? 0 : INFINITY;
}

static int compare_effects(const void *a, const void *b)
{
    const struct comparison *x = ((const struct compared_row *)a)->of, *y = ((const struct compared_row *)b)->of;
    const int order = ORDER_OF(effect_of(y), effect_of(x));

    return order ? order : ORDER_OF(x, y);
}

void compared_make(const struct pairs *pairs, const struct metrics *metrics, bool all, double min_effect,
                   struct compared *out)
{
    *out = (struct compared){
        .pairs = pairs,
        .min_effect = min_effect,
        /* there are at most as many means as rows */
        .row = memory_get(2 * pairs->n, sizeof(*out->row)),
        .comparison = memory_get(2 * pairs->n, sizeof(*out->comparison)),
        .not_comparable = memory_get(pairs->n, sizeof(*out->not_comparable)),
    };
    for (size_t i = 0; i < 2 * pairs->n; i++) {
        const struct pair *pair = &pairs->pair[i < pairs->n ? i : i - pairs->n];
        const bool alone = pair->raw && metrics_is_compared(metrics, pair->raw->about);
        const bool judged = alone || (!pair->alone && metrics_is_compared(metrics, pair->about));
        if (row_is_index(pair->about) != (i >= pairs->n) || !(all || judged)) /* an index comes after its tests */
            continue;
        if (pair->why[0])
            out->not_comparable[out->n_not_comparable++] = pair;
        else
            add_row(out, pair, alone ? pair->raw : NULL, judged, 0);
    }
    add_means(out);
    find_hosts(out);
    const size_t n = out->n_rows + out->n_means;
    comparison_judge(out->comparison, n, 0.95, min_effect);
    refuse_gains(out);
    for (size_t i = 0; i < n; i++)
        out->n_judged += out->comparison[i].tested >= TESTED_RUNS;
    SORT(out->row, out->n_rows, compare_effects);
}

void compared_free(struct compared *compared)
{
    free(compared->row);
    free(compared->host);
    free(compared->comparison);
    free(compared->not_comparable);
    for (size_t m = 0; m < compared->n_means; m++) {
        free(compared->mean[m].scores);
        free(compared->mean[m].side[0].row); /* and those of the other side behind them */
    }
    free(compared->mean);
    *compared = (struct compared){0};
}
