/* SPDX-License-Identifier: MIT */
/* Results of all trials of a plan item, and the rows made of them: each copy is a group with its own rows, or all
 * are one. For the engine's own files; benchmarks use engine/engine.h. */
#ifndef ENGINE_RESULTS_H
#define ENGINE_RESULTS_H

#include <stdbool.h>

#include "engine/core.h"
#include "engine/engine.h"
#include "rows/interference.h"
#include "rows/rows.h"

/* Trials repeated because a signal stopped a process. Further ones count, and degrade the row. */
#define RESULTS_STOPPED_MAX 3u

struct metric_values {
    double *samples; /* one per trial, NAN: not known; with the core free, set by results_rows() */
    size_t n, capacity;
    struct hist *hist;
    struct series *series;
    const struct metric_values *of; /* shows these values times scale; NULL: its own */
    struct core_notes core;         /* slices that may have had the core free ("rate_alone") */
    struct core_alone alone;
    double scale;
};

struct group_values {
    struct metric_values *metric;
    struct placement_seen seen; /* read back in the last trial */
    struct cpuset cpus;         /* allowed to the measured parties */
    enum bind_mode bind;
    bool mixed; /* not one policy in all trials */
    char refused[256];
    int control; /* the parent's FIFO priority; 0: none */
    double load_count[LOAD_COUNTS];
    bool pages_known;
    double pages_huge, pages_possible; /* bytes over trials, by results_pages() */
    struct row_params remarks;         /* by results_remark() */
    struct causes causes;
    struct counted counted;
    struct interference interference;
    uint64_t core_probes[CORE_LEVELS];
    unsigned core_cpu;            /* of the last core probes; CPUSET_NONE: none */
    struct stats_running core_hz; /* core frequency in Hz by trial */
    bool core_own;                /* the trial can use the core's other thread */
    double wall_s, khz_sum;
    uint64_t khz_n;
};

struct results {
    const struct plan_item *item;
    const struct plan_run *how;
    unsigned n_groups;
    struct group_values *group;
    struct row_params others; /* parties not measured: "timer=fifo:96 load=other" */
    uint64_t n_trials, spent_ns;
    uint64_t n_stopped;    /* trials in which a signal stopped a process; the first RESULTS_STOPPED_MAX are repeated */
    bool retaken;          /* the last trial waited for a CPU, and did not count: the next one does */
    bool waits;            /* nor did it help: no other one is replaced */
    uint64_t precise_from; /* trials after which the precision was reached, and has held; 0: not now */
    size_t order;          /* of the item in the plan */
    bool failed;           /* results_fail(), or out of memory */
};

int results_init(struct results *results, const struct plan_item *item, const struct plan_run *how);
void results_free(struct results *results);

/* Adds a trial that succeeded. Returns 0, or -1 when out of memory. */
int results_enter(struct results *results, const struct trial *trial);

/* Returns whether the trial is to be taken again, since one of its processes waited for a CPU for more than half of its
 * time: other tasks were measured, not the benchmark. One that waited again counts, and degrades the rows; where a
 * trial always waits, as under a quota, no other one is taken again. Not for work that is switching or waiting itself,
 * with a load, or when the trial has more parties than CPUs. */
bool results_take_again(struct results *results, const struct trial *trial);

/* Half the 95 % interval of the headline metric, in % of the mean, in the group where it is widest; NAN below 5
 * samples. */
double results_precision_pct(const struct results *results);

/* The stop rule: whether the item needs no further sample; once after each trial. An interval checked after every
 * sample that ends the sampling is too narrow too often: it is narrow most easily when samples happen to lie close
 * together (Chow, Robbins 1965; a fixed number of further samples corrects this: Simons 1968). So the precision has
 * to hold for results_hold_on() further samples, or the count starts anew. tests/unit/test_coverage.c: the 95 %
 * interval covers 93 to 97 %. */
bool results_sampled_enough(struct results *results);
uint64_t results_hold_on(uint64_t precise_from);

/* Passes all rows to how->sink, and returns the worst status. A status above ROW_OK and its reason override the
 * rows' own; failed and skipped rows have no values. */
enum row_status results_rows(struct results *results, enum row_status status, const char *reason);

#endif
