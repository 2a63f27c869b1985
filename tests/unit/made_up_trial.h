/* SPDX-License-Identifier: MIT */
/* A trial that never ran: a benchmark's reducer gets made-up recorders, and what it enters is kept, so that figures can
 * be worked out by hand. The Makefile sends the calls of these programs here; but for made_up_reduce() they go on as
 * ever. */
#ifndef TESTS_UNIT_MADE_UP_TRIAL_H
#define TESTS_UNIT_MADE_UP_TRIAL_H

#include "engine/trial.h"

#define MADE_UP_COPIES  25
#define MADE_UP_SAMPLES 64

struct made_up_trial {
    struct trial_spec spec;
    const void *recorder[MADE_UP_COPIES][RECORDERS_MAX]; /* of party 0 */
    struct trial_slot party[MADE_UP_COPIES];             /* the same */
    uint64_t gate_ns;
    double sample[MADE_UP_COPIES][MADE_UP_SAMPLES]; /* by copy and metric; NAN: none was entered */
    double pages[2];                                /* of group 0: huge, possible */
    const char *cause[16];                          /* of copy 0, in the order in which they were entered */
    double cause_ms[16];
    unsigned n_causes;
    struct row_params remark[MADE_UP_COPIES]; /* by group */
    struct series *series;                    /* takes the series of a metric of a group; NULL: none */
    unsigned series_group, series_metric;
};
static struct made_up_trial *made_up;

const void *__real_trial_recorder(const struct trial *trial, unsigned party, unsigned copy, unsigned recorder);
const void *__wrap_trial_recorder(const struct trial *trial, unsigned party, unsigned copy, unsigned recorder);
const void *__wrap_trial_recorder(const struct trial *trial, unsigned party, unsigned copy, unsigned recorder)
{
    if (!made_up)
        return __real_trial_recorder(trial, party, copy, recorder);
    assert_int_equal(party, 0);
    assert_non_null(made_up->recorder[copy][recorder]);
    return made_up->recorder[copy][recorder];
}

const struct trial_slot *__real_trial_party(const struct trial *trial, unsigned party, unsigned copy);
const struct trial_slot *__wrap_trial_party(const struct trial *trial, unsigned party, unsigned copy);
const struct trial_slot *__wrap_trial_party(const struct trial *trial, unsigned party, unsigned copy)
{
    if (!made_up)
        return __real_trial_party(trial, party, copy);
    assert_int_equal(party, 0);
    return &made_up->party[copy];
}

void __real_results_sample(struct results *results, unsigned copy, unsigned metric, double value);
void __wrap_results_sample(struct results *results, unsigned copy, unsigned metric, double value);
void __wrap_results_sample(struct results *results, unsigned copy, unsigned metric, double value)
{
    if (!made_up) {
        __real_results_sample(results, copy, metric, value);
        return;
    }
    assert_true(copy < MADE_UP_COPIES && metric < MADE_UP_SAMPLES);
    made_up->sample[copy][metric] = value;
}

void __real_results_hist(struct results *results, unsigned copy, unsigned metric, const struct hist *hist);
void __wrap_results_hist(struct results *results, unsigned copy, unsigned metric, const struct hist *hist);
void __wrap_results_hist(struct results *results, unsigned copy, unsigned metric, const struct hist *hist)
{
    if (!made_up)
        __real_results_hist(results, copy, metric, hist);
}

void __real_results_series_from(struct results *results, unsigned copy, unsigned metric, const struct series *series,
                                uint64_t first);
void __wrap_results_series_from(struct results *results, unsigned copy, unsigned metric, const struct series *series,
                                uint64_t first);
void __wrap_results_series_from(struct results *results, unsigned copy, unsigned metric, const struct series *series,
                                uint64_t first)
{
    if (!made_up)
        __real_results_series_from(results, copy, metric, series, first);
    else if (made_up->series && copy == made_up->series_group && metric == made_up->series_metric)
        series_append(made_up->series, series, first);
}

void __real_results_series(struct results *results, unsigned copy, unsigned metric, const struct series *series);
void __wrap_results_series(struct results *results, unsigned copy, unsigned metric, const struct series *series);
void __wrap_results_series(struct results *results, unsigned copy, unsigned metric, const struct series *series)
{
    if (made_up)
        __wrap_results_series_from(results, copy, metric, series, 0);
    else
        __real_results_series(results, copy, metric, series);
}

void __real_results_cause(struct results *results, unsigned copy, const char *name, double ms);
void __wrap_results_cause(struct results *results, unsigned copy, const char *name, double ms);
void __wrap_results_cause(struct results *results, unsigned copy, const char *name, double ms)
{
    if (!made_up) {
        __real_results_cause(results, copy, name, ms);
    } else if (copy == 0) {
        assert_true(made_up->n_causes < 16);
        made_up->cause[made_up->n_causes] = name;
        made_up->cause_ms[made_up->n_causes++] = ms;
    }
}

void __real_results_pages(struct results *results, unsigned group, double huge_bytes, double possible_bytes);
void __wrap_results_pages(struct results *results, unsigned group, double huge_bytes, double possible_bytes);
void __wrap_results_pages(struct results *results, unsigned group, double huge_bytes, double possible_bytes)
{
    if (!made_up)
        __real_results_pages(results, group, huge_bytes, possible_bytes);
    else if (group == 0) {
        made_up->pages[0] += huge_bytes;
        made_up->pages[1] += possible_bytes;
    }
}

void __real_results_remark(struct results *results, unsigned group, const struct row_params *remarks);
void __wrap_results_remark(struct results *results, unsigned group, const struct row_params *remarks);
void __wrap_results_remark(struct results *results, unsigned group, const struct row_params *remarks)
{
    if (made_up)
        made_up->remark[group] = *remarks;
    else
        __real_results_remark(results, group, remarks);
}

static void made_up_reduce(struct made_up_trial *trial)
{
    for (unsigned copy = 0; copy < MADE_UP_COPIES; copy++)
        for (unsigned metric = 0; metric < MADE_UP_SAMPLES; metric++)
            trial->sample[copy][metric] = (double)NAN;
    trial->n_causes = 0;
    made_up = trial;
    trial->spec.bench->reduce(&(const struct trial){.spec = trial->spec, .gate_ns = trial->gate_ns}, NULL);
    made_up = NULL;
}

#endif
