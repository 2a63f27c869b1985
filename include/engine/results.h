/* SPDX-License-Identifier: MIT */
/* What the trials of a plan item left, group by group, and the rows made of it. For plan.c and results.c; benchmarks
 * see it through engine/plan.h. */
#ifndef ENGINE_RESULTS_H
#define ENGINE_RESULTS_H

#include "engine/causes.h"
#include "engine/plan.h"

struct metric_values {
    double *samples;
    size_t n, capacity;
    struct hist *hist;
    struct series *series;
    const struct metric_values *of; /* scaled from another metric */
    double scale;
};

struct group_values {
    struct metric_values *metric;
    struct placement_seen seen; /* of the last trial */
    struct cpuset cpus;         /* all that the measured parties were allowed on */
    enum bind_mode bind;
    bool mixed; /* the trials did not all get the same policy */
    char refused[240];
    bool control_refused;
    char others[160]; /* how the parties beside the measured one ran: "timer=fifo:96 load=other" */
    double load_count[LOAD_COUNTS];
    struct causes causes;
    double wall_s, khz_sum;
    uint64_t khz_n;
};

struct results {
    const struct plan_item *item;
    const struct plan_run *how;
    unsigned n_groups;
    struct group_values *group;
    uint64_t n_trials, spent_ns;
    size_t order; /* of the item in its plan */
};

int results_init(struct results *results, const struct plan_item *item, const struct plan_run *how);
void results_free(struct results *results);

/* Enters a trial that was done: placement, counters, and what the benchmark's reduce says. */
int results_enter(struct results *results, const struct trial *trial);

/* Half-width of the 95 % interval of the worst group's headline metric, in % of its mean; NAN below 5 samples. */
double results_precision_pct(const struct results *results);

/* Hands the rows of all groups and metrics to the sink and returns the worst status. status and reason override when
 * status is above ROW_OK (failed, skipped, interrupted); then values are left out of failed and skipped rows. */
enum row_status results_rows(struct results *results, enum row_status status, const char *reason);

#endif
