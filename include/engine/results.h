/* SPDX-License-Identifier: MIT */
/* What the trials of a plan item left, group by group, and the rows made of it. For plan.c and results.c; benchmarks
 * see it through engine/plan.h. */
#ifndef ENGINE_RESULTS_H
#define ENGINE_RESULTS_H

#include <stdbool.h>

#include "engine/causes.h"
#include "engine/core.h"
#include "engine/plan.h"

/* Of an item, so many samples in which something was stopped are taken again; further ones count, and degrade the row.
 */
#define RESULTS_STOPPED_MAX 3u

struct metric_values {
    double *samples; /* of an alone metric, once results_rows() has found them: of each trial, NAN where not known */
    size_t n, capacity;
    struct hist *hist;
    struct series *series;
    const struct metric_values *of; /* scaled from another metric */
    struct core_notes core;         /* of an alone metric */
    struct core_alone alone;
    double scale;
};

struct group_values {
    struct metric_values *metric;
    struct placement_seen seen; /* of the last trial */
    struct cpuset cpus;         /* all that the measured parties were allowed on */
    enum bind_mode bind;
    bool mixed; /* the trials did not all get the same policy */
    char refused[256];
    int control;      /* SCHED_FIFO priority of the parent; 0: none */
    char others[160]; /* how the parties beside the measured one ran: "timer=fifo:96 load=other" */
    double load_count[LOAD_COUNTS];
    bool pages_known;
    double pages_huge, pages_possible; /* bytes, summed; results_pages() */
    struct causes causes;
    uint64_t core_probes[CORE_LEVELS];
    unsigned core_cpu;            /* of the last trial; CPUSET_NONE: no probe was taken */
    struct stats_running core_hz; /* as measured, once a trial */
    bool core_own;                /* other parties of the trials can share the core */
    double wall_s, khz_sum;
    uint64_t khz_n;
};

struct results {
    const struct plan_item *item;
    const struct plan_run *how;
    unsigned n_groups;
    struct group_values *group;
    uint64_t n_trials, spent_ns;
    uint64_t n_stopped;    /* trials in which something was stopped by a signal; the first of them were taken again */
    uint64_t precise_from; /* the trial from which on the precision was there without a break; 0: it is not there */
    size_t order;          /* of the item in its plan */
};

int results_init(struct results *results, const struct plan_item *item, const struct plan_run *how);
void results_free(struct results *results);

/* Enters a trial that was done: placement, counters, and what the benchmark's reduce says. */
int results_enter(struct results *results, const struct trial *trial);

/* Half-width of the 95 % interval of the worst group's headline metric, in % of its mean; NAN below 5 samples. */
double results_precision_pct(const struct results *results);

/* Whether the item needs no further sample: the rule when to stop. To be asked after each trial, once.
 *
 * An interval that is looked at after each sample, and ends the sampling when it is narrow, is too narrow too often: it
 * is so most easily when the samples happen to lie close together (Chow, Robbins 1965; Simons 1968 shows that taking a
 * number of samples more mends it). So the precision has to hold on: for as many samples more as results_hold_on()
 * says, and when one of these breaks it, it starts anew. tests/unit/test_coverage.c holds the 95 % to 93 to 97 %. */
bool results_sampled_enough(struct results *results);
uint64_t results_hold_on(uint64_t precise_from);

/* Hands the rows of all groups and metrics to the sink and returns the worst status. status and reason override when
 * status is above ROW_OK (failed, skipped, interrupted); then values are left out of failed and skipped rows. */
enum row_status results_rows(struct results *results, enum row_status status, const char *reason);

#endif
