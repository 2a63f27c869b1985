/* SPDX-License-Identifier: MIT */
/* Finds the machines that stand out among those of a struct gather. */
#include "analysis/analysis.h"

/* Relative: no measurement of jitbench is more precise. */
#define LEAST_SPREAD 0.002

struct judge_room {
    double *values, *sorted;
    double *effects; /* of all judged values, machine by machine */
};

double judge_worse_by(const struct judgement *j, size_t result, double value)
{
    double effect = outlier_effect(&j->metric[result], value);

    return j->g->result[result].higher_is_better ? -effect : effect;
}

/* NAN: no value there, or too few machines have one. */
static double worse_in(const struct judgement *j, size_t result, size_t machine)
{
    return j->metric[result].n ? judge_worse_by(j, result, gather_value(j->g, result, machine)) : NAN;
}

/* See judge_is_far(). */
static bool result_counts(const struct judgement *j, size_t result, size_t machine)
{
    const size_t judged = gather_judged(j->g, result), share = j->g->share;
    const double with_core_free = judged == result ? NAN : worse_in(j, judged, machine);
    const double worse = judge_worse_by(j, result, gather_value(j->g, result, machine)) - with_core_free;

    return isnan(with_core_free) ||
           (worse >= j->least_effect && !(share && 2 * worse_in(j, share - 1, machine) >= worse));
}

bool judge_is_far(const struct judgement *j, size_t result, size_t machine, double value)
{
    return result_counts(j, result, machine) &&
           fabs(outlier_distance(&j->metric[result], value)) > j->threshold[result] &&
           fabs(outlier_effect(&j->metric[result], value)) >= j->least_effect;
}

bool judge_is_shared(const struct judgement *j, const struct judged *judged)
{
    return judged->far && !judged->often && judged->effect > 0 && judged->result + 1 == j->g->share;
}

bool judge_stands_out(const struct judged *judged)
{
    return judged->far || judged->often || judged->broke;
}

size_t judge_count_out(const struct judgement *j)
{
    size_t n = 0;

    for (size_t i = 0; i < j->g->machines.n; i++)
        n += judge_stands_out(&j->judged[i]);
    return n;
}

size_t judge_usual(const struct judgement *j)
{
    size_t usual = 0;

    for (size_t k = 0; k < j->g->results.n; k++)
        if (j->metric[k].n > j->metric[usual].n)
            usual = k;
    return usual;
}

/* The median of the machines' standard errors, which one outlier does not change. */
static double usual_error(const struct gather_value *values, size_t n, double *scratch)
{
    size_t known = 0;

    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i].error))
            scratch[known++] = (double)values[i].error;
    return stats_median(scratch, known);
}

static size_t count_judged(const struct judgement *j, size_t k)
{
    const struct gather_result *result = &j->g->result[k];
    size_t n = 0;

    for (size_t i = result->first; i < result->first + result->n; i++)
        n += result_counts(j, k, j->g->values[i].machine);
    return n;
}

static void measure_results(struct judgement *j, struct judge_room *scratch)
{
    size_t tests = 0;

    for (size_t k = 0; k < j->g->results.n; k++) {
        const struct gather_result *result = &j->g->result[k];
        const struct gather_value *values = &j->g->values[result->first];
        double least = fmax(usual_error(values, result->n, scratch->sorted), LEAST_SPREAD);
        for (size_t i = 0; i < result->n; i++)
            scratch->values[i] = values[i].value;
        /* one with the core free needs values on more than half as many machines as the one over the whole time */
        if (!outlier_measure(scratch->values, result->n, least, scratch->sorted, &j->metric[k]) ||
            (result->raw && 2 * result->n <= j->g->result[result->raw - 1].n))
            j->metric[k].n = 0;
    }
    for (size_t k = 0; k < j->g->results.n; k++) {
        const size_t judged = j->metric[k].n ? count_judged(j, k) : 0;
        if (!judged)
            j->metric[k].n = 0;
        j->n_results += judged > 0;
        j->n_alone += judged && j->g->result[k].raw;
        tests += judged;
    }
    for (size_t k = 0; k < j->g->results.n; k++)
        if (j->metric[k].n)
            j->threshold[k] = k && j->metric[k].n == j->metric[k - 1].n ? j->threshold[k - 1]
                                                                        : outlier_threshold(j->metric[k].n, tests);
}

/* Values beyond their threshold come first, then those on the bad side of the median, then the larger distance. */
static void note_worst(const struct judgement *j, struct judged *judged, size_t k, double value)
{
    bool is_far = judge_is_far(j, k, judged->machine, value);
    bool worse = judge_worse_by(j, k, value) > 0;
    double distance = fabs(outlier_distance(&j->metric[k], value));

    judged->n_far += is_far;
    if (judged->result != SIZE_MAX) {
        const bool worse_before = judged->effect > 0, is_share = k + 1 == j->g->share;
        const bool was_share = judged->result + 1 == j->g->share;
        if (judged->far != is_far   ? judged->far
            : is_far && is_share    ? true
            : is_far && was_share   ? false
            : worse != worse_before ? worse_before
                                    : distance <= fabs(judged->distance))
            return;
    }
    judged->far = is_far;
    judged->result = k;
    judged->distance = distance;
    judged->effect = judge_worse_by(j, k, value);
}

/* Of several with the same worst value none counts: quantised values would accuse the first of them. */
static void count_worst(struct judgement *j, size_t k)
{
    const struct gather_result *result = &j->g->result[k];
    size_t worst = SIZE_MAX;
    double most = 0;

    for (size_t i = result->first; i < result->first + result->n; i++) {
        double by = judge_worse_by(j, k, j->g->values[i].value);
        if (by == most)
            worst = SIZE_MAX;
        if (by > most) {
            most = by;
            worst = j->g->values[i].machine;
        }
    }
    if (worst != SIZE_MAX && result_counts(j, k, worst))
        j->judged[worst].worst_count++;
}

static void judge_result(struct judgement *j, struct judge_room *scratch, size_t k)
{
    const struct gather_result *result = &j->g->result[k];

    for (size_t i = result->first; i < result->first + result->n; i++) {
        struct judged *judged = &j->judged[j->g->values[i].machine];
        if (!result_counts(j, k, judged->machine))
            continue;
        scratch->effects[judged->first_effect + judged->results++] = judge_worse_by(j, k, j->g->values[i].value);
        judged->shares += 1 / (double)result->n;
        note_worst(j, judged, k, j->g->values[i].value);
    }
    count_worst(j, k);
}

static void judge_machine(const struct judgement *j, struct judge_room *scratch, struct judged *judged, bool many_broke)
{
    judged->broke = j->g->machine[judged->machine].failed && !many_broke;
    if (!judged->results)
        return;
    judged->median_effect = stats_median(scratch->effects + judged->first_effect, judged->results);
    judged->often = judged->median_effect >= j->least_effect &&
                    outlier_worst_too_often(j->n_machines, judged->results, judged->shares / (double)judged->results,
                                            judged->worst_count);
}

/* Those that stand out first, of them the better ones last; then worst in many results, beyond a threshold, larger
 * distance; then more differing settings, no results, name. */
static int by_finding(const void *a, const void *b)
{
    const struct judged *x = a, *y = b;
    const int order[][2] = {
        {judge_stands_out(x), judge_stands_out(y)},
        {x->often || x->broke || (x->far && x->effect > 0), y->often || y->broke || (y->far && y->effect > 0)},
        {x->often, y->often},
        {x->far, y->far},
    };

    for (size_t i = 0; i < COUNT(order); i++)
        if (order[i][0] != order[i][1])
            return order[i][1] - order[i][0];
    if (judge_stands_out(x) && x->distance != y->distance)
        return ORDER_OF(y->distance, x->distance);
    if (x->differences != y->differences)
        return ORDER_OF(y->differences, x->differences);
    if (!x->results != !y->results)
        return ORDER_OF(!y->results, !x->results);
    return strcmp(x->name, y->name);
}

void judge(struct judgement *j, const struct gather *g, double least_effect)
{
    const size_t machines = g->machines.n, results = g->results.n, most = machines > results ? machines : results;
    FREED double *room = memory_get(2 * most + g->n_values, sizeof(*room));
    struct judge_room scratch = {room, room + most, room + 2 * most};
    size_t broken = 0, effects = 0;

    *j = (struct judgement){.g = g,
                            .least_effect = least_effect,
                            .metric = memory_get(results, sizeof(*j->metric)),
                            .threshold = memory_get(results, sizeof(*j->threshold)),
                            .majority = memory_get(g->settings.n, sizeof(*j->majority)),
                            .judged = memory_get(machines, sizeof(*j->judged))};
    measure_results(j, &scratch);
    for (size_t i = 0; i < g->n_values; i++)
        j->judged[g->values[i].machine].results++;
    for (size_t m = 0; m < machines; m++) {
        const size_t own = j->judged[m].results;
        j->judged[m] =
            (struct judged){.machine = m, .name = g->machines.name[m], .result = SIZE_MAX, .first_effect = effects};
        effects += own;
        broken += g->machine[m].failed > 0;
    }
    for (size_t s = 0; s < g->settings.n; s++) {
        j->majority[s] = gather_majority(g, s);
        for (size_t m = 0; m < machines && j->majority[s]; m++) {
            const char *value = gather_setting(g, s, m);
            j->judged[m].differences += value && value != j->majority[s]; /* equal values are one string */
        }
    }
    for (size_t k = 0; k < results; k++)
        if (j->metric[k].n)
            judge_result(j, &scratch, k);
    for (size_t m = 0; m < machines; m++)
        j->n_machines += j->judged[m].results > 0;
    for (size_t m = 0; m < machines; m++)
        judge_machine(j, &scratch, &j->judged[m], 2 * broken >= machines);
    SORT(j->judged, machines, by_finding);
}

void judge_free(struct judgement *j)
{
    free(j->metric);
    free(j->threshold);
    free(j->majority);
    free(j->judged);
    memset(j, 0, sizeof(*j));
}
