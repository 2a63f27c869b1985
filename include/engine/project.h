/* SPDX-License-Identifier: MIT */
/* What the noise of one CPU costs work that N ranks do in steps with a barrier after each: a step takes as long as its
 * slowest rank (Petrini, Kerbyson, Pakin 2003; Hoefler, Schneider, Lumsdaine 2010). Pure functions. */
#ifndef ENGINE_PROJECT_H
#define ENGINE_PROJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/row.h"

/* Detours of one kind. How they fall into the steps: by themselves (Poisson), or at even distances with an unknown
 * phase (a timer). */
struct project_detours {
    const struct row_pair *lengths; /* at: length in ns, value: how many; counts below or equal 0 are left out */
    size_t n;
    double work_ns; /* the time in which they came, without their own */
    bool periodic;
};

/* One machine, and the share of the ranks that run there (any positive number, relative to the others). Ranks are
 * independent of each other. */
struct project_host {
    const struct project_detours *detours;
    size_t n;
    double weight;
};

#define PROJECT_STEPS_MAX 16
#define PROJECT_RANKS_MAX 64

/* Expected time of a step of step_ns[s] of work when ranks[r] ranks do it, as a multiple of step_ns[s], into
 * slowdown[s * n_ranks + r]: 1 + E[max of the ranks' delays] / step, where E[max] = integral of 1 - F(t)^N. F comes
 * from the measured lengths by Fourier transform (compound Poisson; n-fold convolution), on a grid whose points keep
 * the mean exact. Lengths that were never measured are not made up: what is rarer than the measurement was long is
 * missing. The grid has at most points points (a power of 2; 0: as many as are of use): fewer are coarser and quicker.
 * Returns 0; or -1 when out of memory, or when steps, ranks or weights are none, too many, or not positive. */
int project_slowdown_on(size_t points, const struct project_host *hosts, size_t n_hosts, const double *step_ns,
                        size_t n_steps, const double *ranks, size_t n_ranks, double *slowdown);

#endif
