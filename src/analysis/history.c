/* SPDX-License-Identifier: MIT */
/* Finds where the results of one machine changed. */
#include "analysis/analysis.h"

#include "stats/inference.h"

#define SEED UINT64_C(0x9e3779b97f4a7c15)

/* --- Runs. --- */

static void describe_machine(const struct row_run *run, char *buf, size_t size)
{
    const bool known = run->cpu_model[0] && run->arch[0];

    snprintf(buf, size, "%s (%s%s%s)", run->host[0] ? run->host : "(no name)", run->cpu_model, known ? ", " : "",
             run->cpu_model[0] || run->arch[0] ? run->arch : "unknown CPU");
}

/* Both are known. */
static bool differs(const char *a, const char *b)
{
    return a[0] && b[0] && strcmp(a, b);
}

/* This form sorts by time. */
static bool is_time(const char *utc)
{
    static const char form[] = "0000-00-00T00:00:00Z";

    for (size_t i = 0; i < sizeof(form) - 1; i++)
        if (form[i] == '0' ? utc[i] < '0' || utc[i] > '9' : utc[i] != form[i])
            return false;
    return !utc[sizeof(form) - 1];
}

static void enter_history_run(struct history *h, const struct row_run *run)
{
    MEMORY_GROW(h->run, h->run_capacity, h->n_runs);
    struct history_run *entered = &h->run[h->n_runs++];

    *entered = (struct history_run){.machine = h->gather.last_machine};
    TEXT_SET(entered->utc, run->utc);
    TEXT_SET(entered->comment, run->comment);
}

void history_row(struct history *h, const struct row *row)
{
    if (h->mixed)
        return;
    if (!is_time(row->run->utc)) {
        h->without_time++;
        return;
    }
    if (!h->n_runs) {
        h->first = *row->run;
        h->gather.by_run = true;
        describe_machine(row->run, h->machine, sizeof(h->machine));
    }
    if (differs(h->first.host, row->run->host) || differs(h->first.cpu_model, row->run->cpu_model) ||
        differs(h->first.arch, row->run->arch)) {
        h->mixed = true;
        describe_machine(row->run, h->other, sizeof(h->other));
        return;
    }
    gather_row(&h->gather, row);
    if (h->gather.machines.n > h->n_runs)
        enter_history_run(h, row->run);
}

static int by_time(const void *a, const void *b)
{
    const struct history_run *x = a, *y = b;
    const int order = strcmp(x->utc, y->utc);

    return order ? order : ORDER_OF(x->machine, y->machine);
}

/* --- Figures. --- */

static int by_run(const void *a, const void *b)
{
    const struct history_point *x = a, *y = b;

    return ORDER_OF(x->run, y->run);
}

/* place: index in history.run of each machine in gather. */
static void enter_result(struct history *h, const size_t *place, size_t result)
{
    const struct gather_result *of = &h->gather.result[gather_judged(&h->gather, result)];

    MEMORY_GROW(h->result, h->result_capacity, h->n_results);
    h->result[h->n_results++] = (struct history_result){.result = result, .first = h->n_points, .n = of->n};
    for (size_t i = of->first; i < of->first + of->n; i++) {
        MEMORY_GROW(h->point, h->point_capacity, h->n_points);
        h->point[h->n_points++] =
            (struct history_point){.run = place[h->gather.values[i].machine], .value = h->gather.values[i].value};
    }
    qsort(h->point + h->n_points - of->n, of->n, sizeof(*h->point), by_run);
}

static void enter_results(struct history *h)
{
    FREED size_t *place = memory_get(h->n_runs + 1, sizeof(*place));

    for (size_t i = 0; i < h->n_runs; i++)
        place[h->run[i].machine] = i;
    for (size_t k = 0; k < h->gather.results.n; k++) {
        if (h->gather.result[k].raw)
            continue;
        if (h->gather.result[k].n < HISTORY_RUNS_LEAST)
            h->n_short++;
        else
            enter_result(h, place, k);
    }
}

/* --- Changes. --- */

/* For one result, with room for all runs. */
struct work {
    double *values, *sorted;
    size_t *at, n; /* at: first value after each change; n: number of changes */
};

static double median_of(const struct work *w, size_t from, size_t to)
{
    memcpy(w->sorted, w->values + from, (to - from) * sizeof(*w->values));
    return stats_median(w->sorted, to - from);
}

/* From the medians of the n values up to the neighbouring changes. */
static struct history_change measure_change(const struct work *w, size_t number, size_t n)
{
    const size_t from = number ? w->at[number - 1] : 0, to = number + 1 < w->n ? w->at[number + 1] : n;
    struct history_change c = {
        .at = w->at[number], .before = median_of(w, from, w->at[number]), .after = median_of(w, w->at[number], to)};

    c.effect = fabs(c.before) > 0 ? (c.after - c.before) / fabs(c.before)
               : c.after > 0      ? INFINITY
               : c.after < 0      ? -INFINITY
                                  : 0;
    return c;
}

/* The smallest first; segments on both sides become one. */
static void remove_small(struct work *w, size_t n, double least)
{
    while (w->n) {
        double smallest = INFINITY;
        size_t which = 0;
        for (size_t i = 0; i < w->n; i++) {
            const double effect = fabs(measure_change(w, i, n).effect);
            which = effect < smallest ? i : which;
            smallest = fmin(smallest, effect);
        }
        if (smallest >= least)
            return;
        w->n--;
        memmove(w->at + which, w->at + which + 1, (w->n - which) * sizeof(*w->at));
    }
}

static void find_changes(struct history *h, size_t number, double alpha, struct work *w)
{
    struct history_result *f = &h->result[number];
    const struct history_point *points = h->point + f->first;
    const bool higher_is_better = h->gather.result[f->result].higher_is_better;

    for (size_t i = 0; i < f->n; i++)
        w->values[i] = points[i].value;
    w->n = change_points(w->values, f->n, alpha, SEED, w->at);
    if (w->n == SIZE_MAX)
        memory_out();
    remove_small(w, f->n, h->least_effect);
    for (size_t i = 0; i < w->n; i++) {
        const size_t from = i ? w->at[i - 1] : 0, at = w->at[i], to = i + 1 < w->n ? w->at[i + 1] : f->n;
        struct history_change c = measure_change(w, i, f->n);
        struct inference_ratio ratio;
        inference_ratio(w->values + from, at - from, w->values + at, to - at, 0.95, &ratio);
        c.low = ratio.low - 1;
        c.high = ratio.high - 1;
        c.result = number;
        c.run = points[c.at].run;
        c.last = points[c.at - 1].run;
        c.worse = (c.effect > 0) != higher_is_better;
        MEMORY_GROW(h->change, h->change_capacity, h->n_changes);
        h->change[h->n_changes++] = c;
    }
    f->n_changes = w->n;
}

static int by_run_and_result(const void *a, const void *b)
{
    const struct history_change *x = a, *y = b;

    if (x->run != y->run)
        return ORDER_OF(x->run, y->run);
    return ORDER_OF(x->result, y->result);
}

static void judge_results(struct history *h)
{
    const double alpha = HISTORY_ALPHA / (double)(h->n_results ? h->n_results : 1);
    FREED double *values = memory_get(2 * h->n_runs + 1, sizeof(*values));
    FREED size_t *at = memory_get(h->n_runs + 1, sizeof(*at));
    struct work w = {.values = values, .sorted = values + h->n_runs, .at = at};

    for (size_t k = 0; k < h->n_results; k++) {
        const size_t n = h->result[k].n;
        h->n_short += inference_rank_least(n / 2, n - n / 2) > alpha;
        find_changes(h, k, alpha, &w);
    }
    if (h->n_changes)
        SORT(h->change, h->n_changes, by_run_and_result);
}

void history_finish(struct history *h)
{
    gather_finish(&h->gather);
    if (h->mixed || !h->n_runs)
        return;
    SORT(h->run, h->n_runs, by_time);
    for (size_t i = 1; i < h->n_runs; i++)
        h->same_time += !strcmp(h->run[i].utc, h->run[i - 1].utc);
    enter_results(h);
    judge_results(h);
}

void history_free(struct history *h)
{
    gather_free(&h->gather);
    free(h->run);
    free(h->result);
    free(h->point);
    free(h->change);
    memset(h, 0, sizeof(*h));
}

double history_level(const struct history *h, size_t result)
{
    const struct history_result *f = &h->result[result];
    FREED double *values = memory_get(f->n, sizeof(*values));

    for (size_t i = 0; i < f->n; i++)
        values[i] = h->point[f->first + i].value;
    return stats_median(values, f->n);
}

/* --- Settings. --- */

bool history_next_setting(const struct history *h, const struct history_change *change, size_t *setting,
                          const char **before, const char **after)
{
    const size_t side = CHANGE_POINTS_SIDE - 1;
    const struct history_run *first = &h->run[change->last > side ? change->last - side : 0];
    const struct history_run *last = &h->run[change->run + side < h->n_runs ? change->run + side : h->n_runs - 1];

    while (*setting < h->gather.settings.n) {
        const size_t s = (*setting)++;
        *before = gather_setting(&h->gather, s, first->machine);
        *after = gather_setting(&h->gather, s, last->machine);
        if (*before && *after && strcmp(*before, *after))
            return true;
    }
    return false;
}
