/* SPDX-License-Identifier: MIT */
/* Estimates from the noise of one CPU the slow-down of N ranks that work in steps with a barrier after each: a step
 * takes as long as its slowest rank (Petrini, Kerbyson, Pakin 2003; Hoefler, Schneider, Lumsdaine 2010). Pure
 * functions. */
#ifndef STATS_SCALE_H
#define STATS_SCALE_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/stats.h"

/* Detours of one kind. They come at random times (a Poisson process), or periodically with an unknown phase (a
 * timer). */
struct project_detours {
    const struct stats_point
        *lengths; /* at: length in ns, value: number of detours; numbers of 0 and below are ignored */
    size_t n;
    double work_ns; /* measured time minus the time of the detours */
    bool periodic;
};

/* One machine, and the share of the ranks that run there (any positive number, relative to the other machines).
 * Ranks are independent of each other. A rank works at the speed of its share of the core, which is drawn anew for each
 * step. */
struct project_host {
    const struct project_detours *detours;
    size_t n;
    double weight;
    const struct stats_point *shares; /* at: share, above 0, at most 1; value: how often it occurs, above 0 */
    size_t n_shares;                  /* 0: each rank has its core to itself */
};

#define PROJECT_STEPS_MAX 16
#define PROJECT_RANKS_MAX 64

/* Computes the expected time of a step of step_ns[s] of work on ranks[r] ranks, as a multiple of step_ns[s], into
 * slowdown[s * n_ranks + r]: 1 + E[max of the ranks' delays] / step (a rank's delay is the time of its detours, plus
 * the time by which its work takes longer because others use the core), where E[max] = integral of 1 - F(t)^N. F comes
 * from the measured lengths by Fourier transform (compound Poisson; n-fold convolution), on a grid that preserves the
 * mean exactly. It is not extrapolated: detours too rare to occur in the measured time are missing. `points` is the
 * maximum number of grid points (a power of 2; 0: as many as useful); fewer are coarser and faster. Returns 0; or -1
 * when out of memory, or when steps, ranks, weights or shares are none, too many, or not positive. */
int project_slowdown_on(size_t points, const struct project_host *hosts, size_t n_hosts, const double *step_ns,
                        size_t n_steps, const double *ranks, size_t n_ranks, double *slowdown);

#endif
