/* SPDX-License-Identifier: MIT */
/* Estimates from result rows of some hosts how much their noise slows down a program on many ranks (parallel
 * processes). Used by `jitbench project` and `jitbench report`. Reads and prints nothing. */
#ifndef ANALYSIS_SCALE_PROJECTION_H
#define ANALYSIS_SCALE_PROJECTION_H

#include <stddef.h>

#include "analysis/scale_detours.h"
#include "stats/scale.h"

/* Number of decades of detour lengths: below 100 ns, 1 us, ... 100 ms, and above. */
#define PROJECTION_DECADES 8u
#define PROJECTION_UNKNOWN DETOUR_CAUSES       /* cause not known */
#define PROJECTION_SHARED  (DETOUR_CAUSES + 1) /* not a detour: other users of the core slow the work down */
#define PROJECTION_CAUSES  (DETOUR_CAUSES + 2)
#define PROJECTION_COSTS   (PROJECTION_CAUSES * PROJECTION_DECADES)

/* The hosts' detours, and the slow-downs computed from them. Initialise to zero except for steps and ranks; then add
 * the rows, then call projection_compute(). */
struct projection {
    double step_ns[PROJECT_STEPS_MAX], ranks[PROJECT_RANKS_MAX]; /* in ascending order */
    size_t n_steps, n_ranks;
    size_t points;     /* number of points of the computation, see project_slowdown_on() */
    size_t hosts_most; /* maximum number of hosts kept individually; 0: no limit. Rows of further hosts must be
                        * consecutive for each host. */
    struct detours_host **hosts;
    size_t n, capacity;
    size_t n_more;            /* number of hosts beyond hosts_most: they are included in `all` only */
    struct detours_host *all; /* all hosts that have detours, merged */
    double *slowdown;         /* see projection_slowdown() */
    /* private: the latest of the hosts beyond hosts_most; all hosts beyond hosts_most before it, merged */
    struct detours_host *further, *rest;
};

/* Adds a row of the host of that name; control characters in the name are replaced; rows without detours are
 * ignored. */
void projection_enter(struct projection *p, const char *name, const struct row *row);
/* Removes hosts without detours, and calls say (may be NULL) with the name of each. */
void projection_drop_empty(struct projection *p, void (*say)(const char *name));
/* Computes the slow-downs of each host and of all together. Does nothing when there is no host. */
void projection_compute(struct projection *p);
/* Returns the slow-downs of a host (index in hosts) by step, then by number of ranks; if the index is p->n, those of
 * all hosts together. All hosts are treated as one machine if n_more is above 0; otherwise each has an equal share of
 * the ranks. */
double *projection_slowdown(const struct projection *p, size_t host);
void projection_free(struct projection *p);

/* Cost of the detours with one cause and one decade of lengths, or of a shared core, of all hosts. */
struct projection_cost {
    unsigned cause, decade;            /* cause: a detour_cause, PROJECTION_UNKNOWN or PROJECTION_SHARED */
    double per_s, lost_pct;            /* detours per second, and lost share of a CPU's time or speed */
    double without[PROJECT_STEPS_MAX]; /* slow-down at the highest number of ranks if this cost is removed */
};
/* Computes the costs of all causes and decades, sorted by what their removal gains for the shortest step, the greatest
 * gain first; costs has room for PROJECTION_COSTS. Returns how many there are. */
size_t projection_costs(const struct projection *p, struct projection_cost *costs);
/* Return the name of the decade, as "1 us .. 10 us", and of the cause, as "preempted". */
const char *projection_decade(const struct projection_cost *cost);
const char *projection_cause(const struct projection_cost *cost);

#endif
