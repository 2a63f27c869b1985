/* SPDX-License-Identifier: MIT */
/* The detours recorded in the rows of noise and prime, for each host, as project needs them. */
#ifndef ANALYSIS_SCALE_DETOURS_H
#define ANALYSIS_SCALE_DETOURS_H

#include <stddef.h>

#include "rows/detour_causes.h"
#include "rows/row.h"
#include "stats/scale.h"

/* Bins of lengths, evenly spaced in the logarithm: 32 for each octave of nanoseconds; each keeps the sum of its
 * lengths. */
#define DETOURS_PER_OCTAVE 32u
#define DETOURS_BINS       (DETOURS_PER_OCTAVE * DETOUR_CLASSES)

/* Shares of the core in whole per cents, from 1. */
#define DETOURS_SHARES 100u

struct detours_bin {
    double n, ns;
};

/* Detours from one kind of rows. */
struct detours_of {
    double work;    /* time observed, without the detours; 0: no such row */
    double unit_ns; /* unit of work and of the bins' sums in ns: 1, or a tick of the clock; 0: not known yet */
    unsigned rows;
    struct detours_bin bins[DETOURS_BINS];
    double shares[2][DETOURS_SHARES]; /* how often the core's share was 1 %, 2 %, ...: in rows; in parts of their time,
                                       * which is used where it is known */
};

struct detours_host {
    char name[65];
    struct detours_of noise;                        /* all CPUs together */
    double by_cause[DETOUR_CAUSES][DETOUR_CLASSES]; /* number of detours; of noise rows */
    unsigned periodic[DETOUR_CLASSES];              /* number of rows in which the detours of the class were periodic */
    struct detours_of prime;                        /* experiments that took much longer than the median */
    double experiment_ticks;                        /* median of the last row */
};

/* Adds a row: of noise detour, lost, lost_CAUSE and core_share, of prime cycles followed by time. Other rows, and rows
 * that failed or were skipped, are ignored. */
void detours_enter(struct detours_host *host, const struct row *row);

/* Fills in the detours for project_slowdown_on(), using arrays of the caller: lengths has room for DETOURS_BINS pairs.
 * keep (may be NULL) is the share of each octave's detours that is kept. Returns how many elements of detours[2] were
 * filled. */
size_t detours_sources(const struct detours_host *host, const double *keep, struct stats_point *lengths,
                       struct project_detours detours[2]);

/* Returns the detours that are used for the host: those of noise if there are any, otherwise those of prime, otherwise
 * NULL. */
const struct detours_of *detours_used(const struct detours_host *host);
double detours_work_ns(const struct detours_host *host);
double detours_lost_pct(const struct detours_host *host); /* detours as a share of work and detours together */

/* Fills in the shares of the core for project_slowdown_on(); out has room for DETOURS_SHARES. Returns how many there
 * are, 0 when nothing is known. */
size_t detours_shares(const struct detours_host *host, struct stats_point *out);
/* Returns the mean of these shares; NAN when nothing is known. */
double detours_mean_share(const struct detours_host *host);

/* Adds the detours of `from` to `into`. */
void detours_merge(struct detours_host *into, const struct detours_host *from);

#endif
