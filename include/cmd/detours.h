/* SPDX-License-Identifier: MIT */
/* The detours that the rows of noise and prime hold, host by host, as project needs them. */
#ifndef CMD_DETOURS_H
#define CMD_DETOURS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/detour.h"
#include "engine/project.h"
#include "engine/row.h"

/* Bins of lengths, even in the logarithm: 32 to an octave of nanoseconds; each keeps the sum of its lengths. */
#define DETOURS_PER_OCTAVE 32u
#define DETOURS_BINS       (DETOURS_PER_OCTAVE * DETOUR_CLASSES)

struct detours_bin {
    double n, ns;
};

/* Of one kind of rows. */
struct detours_of {
    double work;    /* observed, without the detours; 0: no such row */
    double unit_ns; /* of work and of the bins' sums: ns, or the clock's ticks; 0: not known yet */
    unsigned rows;
    struct detours_bin bins[DETOURS_BINS];
};

struct detours_host {
    char name[65];
    struct detours_of noise;                        /* all CPUs together */
    double by_cause[DETOUR_CAUSES][DETOUR_CLASSES]; /* how many; of noise rows */
    unsigned periodic[DETOUR_CLASSES]; /* in how many rows the detours of the class came at even distances */
    struct detours_of prime;           /* experiments that took much more than the median */
    double experiment_ticks;           /* the median of the last row */
};

/* Enters a row: noise's detour, lost and lost_CAUSE, prime's cycles and then time. Others, and rows that failed or were
 * skipped, are passed over. */
void detours_enter(struct detours_host *host, const struct row *row);

/* Detours for project_slowdown_on(), in arrays of the caller's: room for DETOURS_BINS pairs in lengths. keep (may be
 * NULL) is the share of each octave that is kept. Returns how many of detours[2] are filled. */
size_t detours_sources(const struct detours_host *host, const double *keep, struct row_pair *lengths,
                       struct project_detours detours[2]);

/* What is used of the host: noise where it has any, else prime; NULL: neither. */
const struct detours_of *detours_used(const struct detours_host *host);
double detours_work_ns(const struct detours_host *host);
double detours_lost_pct(const struct detours_host *host); /* of work and detours together */

/* Adds the second's to the first. */
void detours_merge(struct detours_host *into, const struct detours_host *from);

#endif
