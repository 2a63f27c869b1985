/* SPDX-License-Identifier: MIT */
/* Results of all trials of a plan item (a benchmark with its parameters), and the result rows made of them. Each copy
 * is a group with rows of its own, or all copies are one group. For the engine's own files; benchmarks use
 * engine/plan.h. */
#ifndef ENGINE_RESULTS_H
#define ENGINE_RESULTS_H

#include <stdbool.h>

#include "engine/core.h"
#include "engine/plan.h"
#include "rows/causes.h"
#include "rows/counted.h"
#include "rows/culprits.h"

/* Maximum number of trials of a plan item that are repeated because a signal stopped a process in them. Further ones
 * count, and their row is degraded. */
#define RESULTS_STOPPED_MAX 3u

struct metric_values {
    double *samples; /* one per trial. For a metric that counts only slices of work with the core free, results_rows()
                      * sets them; NAN when not known */
    size_t n, capacity;
    struct hist *hist;
    struct series *series;
    const struct metric_values *of; /* metric whose values this one shows, each times scale; NULL: its own values */
    struct core_notes core;         /* slices of work that may have had the core free, for a metric such as
                                     * "rate_alone" */
    struct core_alone alone;
    double scale;
};

struct group_values {
    struct metric_values *metric;
    struct placement_seen seen; /* placement that the parties read back in the last trial */
    struct cpuset cpus;         /* all CPUs on which the measured parties were allowed */
    enum bind_mode bind;
    bool mixed; /* the scheduling policy was not the same in all trials */
    char refused[256];
    int control; /* SCHED_FIFO priority of the parent; 0: none */
    double load_count[LOAD_COUNTS];
    bool pages_known;
    double pages_huge, pages_possible; /* bytes of memory in huge pages, and bytes that could have been, summed over
                                        * trials by results_pages() */
    struct row_params remarks;         /* parameters for the rows, set by results_remark() */
    struct causes causes;
    struct counted counted;
    struct culprits culprits;
    uint64_t core_probes[CORE_LEVELS];
    unsigned core_cpu;            /* CPU of the last core probes; CPUSET_NONE: no probes were taken */
    struct stats_running core_hz; /* measured core frequency in Hz, one value per trial */
    bool core_own;                /* parties of the same trial can run on the other hardware thread of the core */
    double wall_s, khz_sum;
    uint64_t khz_n;
};

struct results {
    const struct plan_item *item;
    const struct plan_run *how;
    unsigned n_groups;
    struct group_values *group;
    struct row_params others; /* placement of the parties that are not measured: "timer=fifo:96 load=other" */
    uint64_t n_trials, spent_ns;
    uint64_t n_stopped;    /* number of trials in which a signal stopped a process; the first RESULTS_STOPPED_MAX are
                            * repeated */
    uint64_t precise_from; /* number of trials after which the requested precision was reached, and has held since; 0:
                            * it is not reached now */
    size_t order;          /* index of the item in the plan */
    bool failed;           /* results_fail() was called, or memory ran out */
};

int results_init(struct results *results, const struct plan_item *item, const struct plan_run *how);
void results_free(struct results *results);

/* Adds the results of a trial that succeeded: placement, counters, and what the benchmark's reduce() takes from it.
 * Returns 0, or -1 when out of memory. */
int results_enter(struct results *results, const struct trial *trial);

/* Returns the half-width of the 95 % confidence interval of the headline metric, in % of the mean, in the group of rows
 * where it is widest; NAN below 5 samples. */
double results_precision_pct(const struct results *results);

/* The stop rule: returns whether the item needs no further sample. Call it once after each trial.
 *
 * An interval that is checked after every sample, and ends the sampling once it is narrow, is too narrow too often,
 * because it is narrow most easily when the samples happen to lie close together (Chow, Robbins 1965; Simons 1968
 * shows that a fixed number of further samples corrects this). So the precision has to hold for results_hold_on()
 * further samples; when one of these breaks it, the count starts anew. tests/unit/test_coverage.c checks that the 95
 * % interval covers 93 to 97 %. */
bool results_sampled_enough(struct results *results);
uint64_t results_hold_on(uint64_t precise_from);

/* Passes the result rows of all groups and metrics to how->sink, and returns the worst status of a row. A status above
 * ROW_OK (degraded, skipped, failed) and its reason override the rows' own; failed and skipped rows have no values. */
enum row_status results_rows(struct results *results, enum row_status status, const char *reason);

#endif
