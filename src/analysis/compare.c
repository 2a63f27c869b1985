/* SPDX-License-Identifier: MIT */
/* Compares paired result rows of two sets of files: ratios, verdicts, means of suites and of hosts. */
#include "analysis/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/compare_commands.h"
#include "stats/inference.h"
#include "sys/base.h"

#define HOSTS_MIN       3u   /* fewest hosts on each side for hosts to be the statistical unit */
#define DRIFT_P         0.01 /* significance level of the difference between the halves of a run */
#define DRIFT_PCT       3.0  /* smaller drifts are not reported */
#define ROWS_FOR_SPREAD 5u   /* fewest rows whose ratios give an estimate of the spread */

const char *const compared_verdict_names[] = {
    [VERDICT_FASTER] = "faster",        [VERDICT_SLOWER] = "slower",       [VERDICT_LOWER] = "lower",
    [VERDICT_HIGHER] = "higher",        [VERDICT_SAME] = "no change seen", [VERDICT_UNDECIDED] = "not decided",
    [VERDICT_APART] = "not comparable",
};

enum compared_verdict compared_verdict(const struct comparison *c, const char *better)
{
    if (c->change == CHANGE_UNKNOWN)
        return c->doubt == DOUBT_SHARE ? VERDICT_APART : VERDICT_UNDECIDED;
    if (c->change == CHANGE_NONE)
        return VERDICT_SAME;
    if (!better[0])
        return c->change == CHANGE_HIGHER ? VERDICT_HIGHER : VERDICT_LOWER;
    return (c->change == CHANGE_HIGHER) == (strcmp(better, "higher") == 0) ? VERDICT_FASTER : VERDICT_SLOWER;
}

/* --- Runs. --- */

/* The runs of one side of a comparison. Rows of one run are merged; if the statistical unit is a host, all rows of a
 * host are. */
struct side {
    struct comparison_run *runs;
    const struct row **first; /* first row of each run */
    double *values;
    size_t n_runs, n_values;
};

static void side_free(struct side *side)
{
    free(side->runs);
    free(side->first);
    free(side->values);
}

static bool same_host(const struct row *a, const struct row *b)
{
    return !strcmp(a->run->host, b->run->host);
}

static size_t count_hosts(const struct row *const *rows, size_t n)
{
    size_t hosts = 0;

    for (size_t i = 0; i < n; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++)
            seen = same_host(rows[i], rows[k]);
        hosts += !seen;
    }
    return hosts;
}

static bool hosts_count(const struct pair *pair)
{
    return count_hosts(pair->base, pair->n_base) >= HOSTS_MIN &&
           count_hosts(pair->changed, pair->n_changed) >= HOSTS_MIN;
}

static size_t values_of(const struct row *row, double *values)
{
    if (!row->n_samples)
        values[0] = row->value;
    else
        memcpy(values, row->samples, row->n_samples * sizeof(*values));
    return row->n_samples ? row->n_samples : 1;
}

/* Adds the run of rows[first] to the side, with the samples of all its rows. by_hosts: adds the host of rows[first]
 * instead, with the mean of each of its rows. */
static void take_run(const struct row *const *rows, size_t n, size_t first, bool by_hosts, struct side *side)
{
    double *values = side->values + side->n_values;
    size_t taken = 0;

    for (size_t i = first; i < n; i++) {
        if (!(by_hosts ? same_host(rows[first], rows[i]) : pair_same_run(rows[first], rows[i])))
            continue;
        size_t more = values_of(rows[i], values + taken);
        if (by_hosts) {
            values[taken] = stats_mean(values + taken, more);
            more = 1;
        }
        taken += more;
    }
    side->first[side->n_runs] = rows[first];
    side->runs[side->n_runs++] = (struct comparison_run){.samples = values, .n = taken};
    side->n_values += taken;
}

static int take_side(const struct row *const *rows, size_t n, bool by_hosts, struct side *side)
{
    size_t values = 0;

    memset(side, 0, sizeof(*side));
    for (size_t i = 0; i < n; i++)
        values += rows[i]->n_samples + 1;
    side->runs = calloc(n + 1, sizeof(*side->runs));
    side->first = calloc(n + 1, sizeof(const struct row *));
    side->values = calloc(values + 1, sizeof(*side->values));
    if (!side->runs || !side->first || !side->values)
        return -1;
    for (size_t i = 0; i < n; i++) {
        bool seen = false;
        for (size_t k = 0; k < side->n_runs && !seen; k++)
            seen = by_hosts ? same_host(side->first[k], rows[i]) : pair_same_run(side->first[k], rows[i]);
        if (!seen)
            take_run(rows, n, i, by_hosts, side);
    }
    return 0;
}

/* Returns whether the row is of the pair's suite and host, of as many copies (0: of any number), and was brought to the
 * same share of the core. */
static bool is_adjusted(const struct compared *c, const struct compared_row *row, const struct pair *pair,
                        uint64_t copies)
{
    return c->comparison[row->number].share > 0 && !row_is_index(row->pair->about) &&
           !strcmp(row->pair->about->suite, pair->about->suite) && !strcmp(row->pair->host, pair->host) &&
           (!copies || row->pair->about->copies == copies);
}

static bool suite_adjusted(const struct compared *c, const struct pair *pair, uint64_t copies)
{
    for (size_t i = 0; i < c->n_rows; i++)
        if (is_adjusted(c, &c->row[i], pair, copies))
            return true;
    return false;
}

/* Sets the share of the core that a run of a suite had: the mean of those of its rows that were brought to the same
 * share. */
static void take_suite_share(const struct compared *c, const struct pair *pair, uint64_t copies, const struct row *run,
                             bool changed, struct comparison_run *out)
{
    struct stats_running logs = {.n = 0};
    double errors = 0;

    for (size_t i = 0; i < c->n_rows; i++) {
        const struct pair *of = c->row[i].pair;
        const struct row **rows = changed ? of->changed : of->base;
        for (size_t k = 0; k < (changed ? of->n_changed : of->n_base); k++)
            if (is_adjusted(c, &c->row[i], pair, copies) && pair_same_run(rows[k], run)) {
                stats_add(&logs, log(row_core_share(rows[k])));
                errors += row_core_share_error(rows[k]) * row_core_share_error(rows[k]);
            }
    }
    out->share = logs.n ? exp(logs.mean) : 0;
    out->share_error = logs.n ? sqrt(errors) / (double)logs.n : 0;
}

/* Sets for each run of a pair the share of its CPU core that it had. An index has that of its tests. */
static void take_shares(const struct compared *c, const struct pair *pair, bool changed, struct side *side)
{
    for (size_t r = 0; r < side->n_runs; r++)
        if (row_is_index(pair->about)) {
            take_suite_share(c, pair, pair->about->copies, side->first[r], changed, &side->runs[r]);
        } else {
            side->runs[r].share = row_core_share(side->first[r]);
            side->runs[r].share_error = row_core_share_error(side->first[r]);
        }
}

/* --- Rows. --- */

double row_drift_pct(const struct row *row)
{
    const size_t half = row->n_samples / 2;

    if (half < 4)
        return 0;
    const double *second = row->samples + row->n_samples - half;
    const double before = stats_mean(row->samples, half), pct = 100 * fabs(stats_mean(second, half) / before - 1);
    return inference_welch(row->samples, half, second, half).p < DRIFT_P && pct > DRIFT_PCT ? pct : 0;
}

static void look_at_runs(const struct row *const *rows, size_t n, struct compared_row *out)
{
    for (size_t i = 0; i < n; i++) {
        out->drift_pct = fmax(out->drift_pct, row_drift_pct(rows[i]));
        out->few = rows[i]->n_samples < out->few ? rows[i]->n_samples : out->few;
    }
}

static int compare_times(const void *a, const void *b)
{
    const struct row *x = *(const struct row *const *)a, *y = *(const struct row *const *)b;
    const int order = strcmp(x->run->utc, y->run->utc);

    return order ? order : ORDER_OF(x->number, y->number);
}

/* Returns ORDER_RUNS_ALTERNATE if, for each k, the k-th runs of both sides began next to each other in time, as in A B
 * B A or A B A B. Runs that began in the same second may have done so in either order. */
static enum comparison_order order_of(const struct pair *pair, const struct side *base, const struct side *changed)
{
    const char *began = "", *ended = "";

    /* `jitbench run` takes the samples of its commands in turns. */
    if (pair->within && base->n_runs == 1 && row_command(&pair->about->param))
        return ORDER_SAMPLES_ALTERNATE;
    if (base->n_runs != changed->n_runs)
        return ORDER_APART;
    for (size_t k = 0; k < base->n_runs; k++) {
        const struct row *a = base->first[k], *b = changed->first[k];
        const bool a_first = strcmp(a->run->utc, b->run->utc) < 0;
        const char *first = (a_first ? a : b)->run->utc;
        if (pair_same_run(a, b))
            continue;
        if (strcmp(began, first) >= 0 || strcmp(ended, first) > 0 || !same_host(a, b))
            return ORDER_APART;
        began = first;
        ended = (a_first ? b : a)->run->utc;
    }
    return ORDER_RUNS_ALTERNATE;
}

/* Corrects the comparison of two commands if the run could end early because of tests while it went on (looks): makes
 * it not significant unless the sequential test, which allows for looks, claims a difference. Returns -1 when out of
 * memory. */
static int allow_for_looks(const struct row *row, const struct comparison_run *base,
                           const struct comparison_run *changed, struct comparison *comparison)
{
    const double planned = row_param_number(&row->param, COMMANDS_PLANNED);
    struct command_difference difference;

    if (comparison->tested != TESTED_PAIRS || !(planned >= 1 && planned < 1e9))
        return 0;
    if (commands_differ(base->samples, changed->samples, base->n < changed->n ? base->n : changed->n, (size_t)planned,
                        0, COMMANDS_ERROR, &difference))
        return -1;
    if (!difference.claimed)
        comparison->p_t = comparison->p_permutation = 1;
    return 0;
}

/* Compares the rows of a pair, and fills in row and comparison. c: if not NULL, converts the values to the same share
 * of the CPU core, if possible. Returns -1 when out of memory. */
static int compare_pair(const struct pair *pair, const struct compared *c, struct compared_row *row,
                        struct comparison *comparison)
{
    FREED_BY(side_free) struct side base = {0}, changed = {0};

    row->pair = pair;
    row->by_hosts = hosts_count(pair);
    row->few = SIZE_MAX;
    qsort(pair->base, pair->n_base, sizeof(const struct row *), compare_times);
    qsort(pair->changed, pair->n_changed, sizeof(const struct row *), compare_times);
    int result = take_side(pair->base, pair->n_base, row->by_hosts, &base);
    result |= take_side(pair->changed, pair->n_changed, row->by_hosts, &changed);
    if (!result && c) {
        take_shares(c, pair, false, &base);
        take_shares(c, pair, true, &changed);
    }
    const enum comparison_order order = result || row->by_hosts ? ORDER_APART : order_of(pair, &base, &changed);
    if (!result)
        result = comparison_measure(&(struct comparison_side){base.runs, base.n_runs},
                                    &(struct comparison_side){changed.runs, changed.n_runs}, order, comparison);
    if (!result && order == ORDER_SAMPLES_ALTERNATE)
        result = allow_for_looks(pair->about, base.runs, changed.runs, comparison);
    look_at_runs(pair->base, pair->n_base, row);
    look_at_runs(pair->changed, pair->n_changed, row);
    return result;
}

/* --- The mean of a suite. --- */

/* Returns whether the row is a headline row with a direction and samples of its own (an index has none). */
static bool has_direction(const struct compared *c, const struct compared_row *row)
{
    return row->judged && row->pair->about->better[0] && row->few && c->comparison[row->number].ratio > 0;
}

/* Returns whether the row counts in the mean of its suite. Its spread must be known. Pairs within the same files
 * compare different work, so that their mean is meaningless. */
static bool in_mean(const struct compared *c, const struct compared_row *row)
{
    return has_direction(c, row) && !row->pair->within && c->comparison[row->number].tested != TESTED_NOTHING;
}

static bool of_mean(const struct compared_mean *mean, const struct compared_row *row)
{
    return !strcmp(mean->suite, row->pair->about->suite) && !strcmp(mean->host, row->pair->host);
}

/* Returns -1 or +1: +1 when a higher value is better. */
static double sign_of(const struct compared_row *row)
{
    return strcmp(row->pair->about->better, "higher") ? -1 : 1;
}

/* Computes the mean of a suite's ratios when a side has only one or two runs. Its error is the larger of two: the one
 * from the errors of the rows, and the one from the spread of the rows' ratios, which includes drift between runs. */
static void mean_of_ratios(const struct compared *c, const struct compared_mean *mean, struct comparison *out)
{
    struct stats_running logs = {.n = 0};
    double variance = 0, terms = 0;

    for (size_t i = 0; i < c->n_rows; i++) {
        const struct comparison *of = &c->comparison[c->row[i].number];
        if (!of_mean(mean, &c->row[i]) || !in_mean(c, &c->row[i]))
            continue;
        const double v = of->error * of->error;
        stats_add(&logs, sign_of(&c->row[i]) * log(of->ratio));
        variance += v;
        terms += v > 0 ? v * v / of->df : 0;
    }
    const double n = (double)logs.n, by_rows = n >= ROWS_FOR_SPREAD ? stats_sd(&logs) / sqrt(n) : 0;
    double error = sqrt(variance) / n, df = variance > 0 ? variance * variance / terms : 1;
    if (by_rows > 0 &&
        !(stats_student_t(0.95, n - 1) * by_rows <= (error > 0 ? stats_student_t(0.95, df) * error : error))) {
        error = by_rows;
        df = n - 1;
    }
    *out = comparison_unknown;
    out->tested = isnan(error) ? TESTED_NOTHING : TESTED_WITHIN;
    out->n_base = out->n_new = 1;
    out->base = 1;
    out->changed = exp(logs.mean);
    comparison_set_ratio(logs.mean, error, df, 0, out);
}

/* Returns the score of a run: the geometric mean of its rows' means as measured, each divided by the base's median (or
 * the inverse, where lower is better). 0 when the run lacks one of the rows. */
static double score_of(const struct compared *c, const struct compared_mean *mean, const struct row *run, bool changed)
{
    double sum = 0;

    for (size_t i = 0; i < c->n_rows; i++) {
        const struct compared_row *row = &c->row[i];
        struct stats_running s = {.n = 0};
        if (!of_mean(mean, row) || !in_mean(c, row))
            continue;
        const struct row **rows = changed ? row->pair->changed : row->pair->base;
        for (size_t k = 0; k < (changed ? row->pair->n_changed : row->pair->n_base); k++)
            if (row->by_hosts ? same_host(rows[k], run) : pair_same_run(rows[k], run))
                stats_add(&s, stats_mean(rows[k]->samples, rows[k]->n_samples));
        if (!s.n || !(s.mean > 0))
            return 0;
        sum += sign_of(row) * log(s.mean / c->comparison[row->number].base);
    }
    return exp(sum / (double)mean->rows);
}

/* Fills in the side with the scores of its runs, leaving out runs that lack a row of the suite. Returns -1 when out of
 * memory. */
static int take_scores(const struct compared *c, const struct compared_mean *mean, const struct compared_row *row,
                       bool changed, struct side *side)
{
    size_t n = 0;

    if (take_side(changed ? row->pair->changed : row->pair->base, changed ? row->pair->n_changed : row->pair->n_base,
                  row->by_hosts, side))
        return -1;
    for (size_t r = 0; r < side->n_runs; r++) {
        struct comparison_run run = {.samples = &side->values[n], .n = 1};
        const double score = score_of(c, mean, side->first[r], changed);
        take_suite_share(c, row->pair, 0, side->first[r], changed, &run);
        if (!(score > 0))
            continue;
        side->values[n] = score;
        side->first[n] = side->first[r];
        side->runs[n] = run;
        n++;
    }
    side->n_runs = n;
    return 0;
}

static int compare_mean(const struct compared *c, const struct compared_mean *mean, struct comparison *out)
{
    const struct compared_row *row = c->row;
    FREED_BY(side_free) struct side base = {0}, changed = {0};

    for (size_t i = c->n_rows; i-- > 0;)
        if (of_mean(mean, &c->row[i]) && in_mean(c, &c->row[i]))
            row = &c->row[i];
    int result = take_scores(c, mean, row, false, &base) | take_scores(c, mean, row, true, &changed);
    if (!result && base.n_runs >= COMPARISON_RUNS && changed.n_runs >= COMPARISON_RUNS)
        result = comparison_measure(&(struct comparison_side){base.runs, base.n_runs},
                                    &(struct comparison_side){changed.runs, changed.n_runs},
                                    row->by_hosts ? ORDER_APART : order_of(row->pair, &base, &changed), out);
    else if (!result)
        mean_of_ratios(c, mean, out);
    out->unlike_rows = suite_adjusted(c, row->pair, 0) && !(out->share > 0);
    return result;
}

static void count_mean(struct compared *c, const struct compared_row *row)
{
    size_t m = 0;

    while (m < c->n_means && !of_mean(&c->mean[m], row))
        m++;
    text_copy(c->mean[m].suite, sizeof(c->mean[m].suite), row->pair->about->suite);
    text_copy(c->mean[m].host, sizeof(c->mean[m].host), row->pair->host);
    c->mean[m].rows++;
    c->n_means += m == c->n_means;
}

/* Computes the means of suites with at least two rows. */
static int find_means(struct compared *c)
{
    size_t kept = 0;

    c->mean = calloc(c->n_rows + 1, sizeof(*c->mean));
    if (!c->mean)
        return -1;
    for (size_t i = 0; i < c->n_rows; i++)
        if (in_mean(c, &c->row[i]))
            count_mean(c, &c->row[i]);
    for (size_t m = 0; m < c->n_means; m++) {
        if (c->mean[m].rows < 2)
            continue;
        c->mean[kept] = c->mean[m];
        c->mean[kept].number = c->n_rows + kept;
        if (compare_mean(c, &c->mean[kept], &c->comparison[c->n_rows + kept]))
            return -1;
        kept++;
    }
    c->n_means = kept;
    return 0;
}

/* --- Hosts. --- */

static int compare_hosts(const void *a, const void *b)
{
    const double x = fabs(log(((const struct compared_host *)a)->ratio));
    const double y = fabs(log(((const struct compared_host *)b)->ratio));

    return ORDER_OF(y, x);
}

/* Returns the mean logarithm of the ratios of a host's rows; NAN when it has none. */
static double host_log(const struct compared *c, const char *host)
{
    struct stats_running s = {.n = 0};

    for (size_t i = 0; i < c->n_rows; i++)
        if (has_direction(c, &c->row[i]) && !strcmp(c->row[i].pair->host, host))
            stats_add(&s, sign_of(&c->row[i]) * log(c->comparison[c->row[i].number].ratio));
    return s.n ? s.mean : (double)NAN;
}

static bool host_seen(const struct compared *c, const char *host)
{
    for (size_t h = 0; h < c->n_hosts; h++)
        if (!strcmp(c->host[h].host, host))
            return true;
    return false;
}

/* Marks the hosts that stand out by the rules of `jitbench fleet` (analysis/fleet_judge.h), with the ratio of each row
 * in place of its value. */
static void judge_hosts(struct compared *c, double min_effect)
{
    FREED_BY(gather_free) struct gather g = {.by_rank = false};
    FREED_BY(judge_free) struct judgement j = {.g = NULL};
    struct row_run run;

    row_run_init(&run);
    for (size_t i = 0; i < c->n_rows; i++) {
        const struct comparison *of = &c->comparison[c->row[i].number];
        if (!c->row[i].pair->host[0] || !has_direction(c, &c->row[i]))
            continue;
        struct row row = *c->row[i].pair->about;
        text_copy(run.host, sizeof(run.host), c->row[i].pair->host);
        row.run = &run;
        row.value = of->ratio;
        row.stats.n = 0; /* the ratio's error is not known */
        row.core_share[0] = '\0';
        gather_row(&g, &row);
    }
    gather_finish(&g);
    judge(&j, &g, min_effect);
    for (size_t m = 0; m < g.machines.n; m++)
        for (size_t h = 0; h < c->n_hosts; h++)
            if (!strcmp(c->host[h].host, j.judged[m].name))
                c->host[h].stands_out = judge_stands_out(&j.judged[m]);
}

static int find_hosts(struct compared *c, double min_effect)
{
    c->host = calloc(c->n_rows + 1, sizeof(*c->host));
    if (!c->host)
        return -1;
    for (size_t i = 0; i < c->n_rows; i++) {
        const struct pair *pair = c->row[i].pair;
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): each of the n_rows has its pair */
        if (!pair->host[0] || host_seen(c, pair->host) || isnan(host_log(c, pair->host)))
            continue;
        text_copy(c->host[c->n_hosts].host, sizeof(c->host[0].host), pair->host);
        c->host[c->n_hosts++].ratio = exp(host_log(c, pair->host));
    }
    qsort(c->host, c->n_hosts, sizeof(*c->host), compare_hosts);
    if (c->n_hosts)
        judge_hosts(c, min_effect);
    return 0;
}

/* --- The whole comparison. --- */

/* Returns the size of the effect for sorting. A change from or to 0 is larger than any other. */
static double effect_of(const struct comparison *c)
{
    if (c->ratio > 0)
        return fabs(log(c->ratio));
    return c->base == c->changed ? 0 : (double)INFINITY;
}

static int compare_effects(const void *a, const void *b)
{
    const struct compared_row *x = a, *y = b;
    const int order = ORDER_OF(y->effect, x->effect);

    return order ? order : ORDER_OF(x->number, y->number);
}

static bool has_pair(const struct compared *c, const struct pair *pair)
{
    for (size_t i = 0; i < c->n_rows; i++)
        if (c->row[i].pair == pair)
            return true;
    return false;
}

/* Compares a pair and adds its row. raw: if `pair` has the values measured only while no one else used the core, the
 * pair of the same measurement over the whole time; otherwise NULL. */
static int add_row(const struct pair *pair, const struct pair *raw, bool judged, struct compared *out)
{
    struct compared_row *row = &out->row[out->n_rows], ignored = {.number = 0};
    struct comparison *of_raw = &row->of_raw;

    *row = (struct compared_row){.number = out->n_rows, .judged = judged, .raw = raw};
    /* Pairs within the same files compare different work, which may itself be why the share of the core differs. At
     * another clock frequency the share is not known well enough. */
    const bool same_share = !raw && !pair->within && !hosts_count(pair) && !pair_other_clock(pair, NULL);
    struct comparison *comparison = &out->comparison[out->n_rows];
    if (compare_pair(pair, same_share ? out : NULL, row, comparison))
        return -1;
    comparison->unlike_rows =
        row_is_index(pair->about) && !raw && !(comparison->share > 0) && suite_adjusted(out, pair, pair->about->copies);
    if (comparison->share > 0)
        row->raw = pair;
    if (row->raw && compare_pair(row->raw, NULL, &ignored, of_raw))
        return -1;
    row->effect = effect_of(comparison);
    of_raw->change = of_raw->high < 1 ? CHANGE_LOWER : of_raw->low > 1 ? CHANGE_HIGHER : CHANGE_NONE;
    out->n_raw += row->raw != NULL;
    out->n_rows++;
    return 0;
}

int compared_make(const struct pairs *pairs, const struct metrics *metrics, bool all, double min_effect,
                  struct compared *out)
{
    memset(out, 0, sizeof(*out));
    out->row = calloc(pairs->n + 1, sizeof(*out->row));
    out->not_comparable = calloc(pairs->n + 1, sizeof(const struct pair *));
    out->comparison = calloc(2 * pairs->n + 1, sizeof(*out->comparison)); /* there are at most as many means as rows */
    if (!out->row || !out->not_comparable || !out->comparison)
        return -1;
    for (size_t i = 0; i < 2 * pairs->n; i++) {
        const struct pair *pair = &pairs->pair[i % pairs->n];
        const bool judged = metrics_is_compared(metrics, pair->about);
        if (row_is_index(pair->about) != (i >= pairs->n)) /* an index comes after its tests */
            continue;
        const struct pair *alone = judged ? pair_alone_of(pairs, pair) : NULL;
        if (alone && add_row(alone, pair, true, out))
            return -1;
        if (!all && (!judged || alone))
            continue;
        if (pair->why[0]) {
            out->not_comparable[out->n_not_comparable++] = pair;
            continue;
        }
        if (!has_pair(out, pair) && add_row(pair, NULL, judged && !alone, out))
            return -1;
    }
    if (find_means(out) || find_hosts(out, min_effect) ||
        comparison_judge(out->comparison, out->n_rows + out->n_means, 0.95, min_effect))
        return -1;
    for (size_t i = 0; i < out->n_rows + out->n_means; i++)
        out->n_judged += out->comparison[i].tested >= TESTED_RUNS;
    qsort(out->row, out->n_rows, sizeof(*out->row), compare_effects);
    return 0;
}

void compared_free(struct compared *compared)
{
    free(compared->row);
    free(compared->mean);
    free(compared->host);
    free(compared->comparison);
    free(compared->not_comparable);
    memset(compared, 0, sizeof(*compared));
}
