/* SPDX-License-Identifier: MIT */
/* Collects, for each host, the detours (interruptions of the benchmark's work) recorded in rows of the suites noise and
 * prime, for `jitbench project`. */
#ifndef ANALYSIS_SCALE_DETOURS_H
#define ANALYSIS_SCALE_DETOURS_H

#include <stddef.h>

#include "rows/detour_causes.h"
#include "rows/row.h"
#include "stats/scale.h"

/* Number of histogram bins of detour lengths, evenly spaced in the logarithm: 32 for each octave of nanoseconds. Each
 * bin keeps the sum of its lengths. */
#define DETOURS_PER_OCTAVE 32u
#define DETOURS_BINS       (DETOURS_PER_OCTAVE * DETOUR_CLASSES)

/* Number of classes of the share of its CPU core that a benchmark had: 1 %, 2 %, ... 100 %. */
#define DETOURS_SHARES 100u

struct detours_bin {
    double n, ns;
};

/* Detours from the rows of one suite: noise or prime. */
struct detours_of {
    double work; /* time observed, without the detours; 0: no such row */
    /* length in ns of the unit of `work` and of the bins' sums: 1, or a tick of the clock; 0: not known yet */
    double unit_ns;
    unsigned rows;
    struct detours_bin bins[DETOURS_BINS];
    /* How often the benchmark had 1 %, 2 %, ... of its core: number of rows ([0]) and of time slices of runs ([1]). [1]
     * is used if any are known. */
    double shares[2][DETOURS_SHARES];
};

struct detours_host {
    char name[65];
    struct detours_of noise;                        /* from noise rows, all CPUs together */
    double by_cause[DETOUR_CAUSES][DETOUR_CLASSES]; /* number of detours in noise rows, by cause and length */
    /* number of rows in which the detours of a length class were periodic */
    unsigned periodic[DETOUR_CLASSES];
    /* from rows of prime: the time beyond the median of experiments that took much longer than the median */
    struct detours_of prime;
    double experiment_ticks; /* median time of an experiment in the last row, in ticks */
};

/* Adds a row of suite noise with the metric detour, lost, lost_CAUSE or core_share; or a row of suite prime with the
 * metric cycles, or after it time. Ignores other rows, and rows that failed or were skipped. */
void detours_enter(struct detours_host *host, const struct row *row);

/* Fills in the detours for project_slowdown_on(), using arrays of the caller: lengths has room for DETOURS_BINS
 * elements. keep (may be NULL) is the share of the detours that is kept, for each octave of lengths. Returns how many
 * elements of detours were filled: one for random detours, one for periodic ones. */
size_t detours_sources(const struct detours_host *host, const double *keep, struct stats_point *lengths,
                       struct project_detours detours[2]);

/* Returns the detours that are used for the host: from rows of suite noise if there are any, otherwise from rows of
 * suite prime; NULL if there are none. */
const struct detours_of *detours_used(const struct detours_host *host);
double detours_work_ns(const struct detours_host *host);
double detours_lost_pct(const struct detours_host *host); /* detours as a share of work and detours together, in % */

/* Fills in how often the benchmark had which share of its core, for project_slowdown_on(); out has room for
 * DETOURS_SHARES. Returns how many there are, 0 when nothing is known. */
size_t detours_shares(const struct detours_host *host, struct stats_point *out);
/* Returns the mean share of its core that the benchmark had, from 0 to 1; NAN when nothing is known. */
double detours_mean_share(const struct detours_host *host);

/* Adds the detours of `from` to `into`. */
void detours_merge(struct detours_host *into, const struct detours_host *from);

#endif
