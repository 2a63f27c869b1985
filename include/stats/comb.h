/* SPDX-License-Identifier: MIT */
/* Finds combs: series of events that recur with a period, such as timer ticks, among events at other times. Finds a
 * comb's period and phase, and marks its events. Times are in units of the caller, for instance ticks of a clock. Pure
 * functions on arrays of the caller. */
#ifndef STATS_COMB_H
#define STATS_COMB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct comb_event {
    uint64_t at, length; /* start and length, in the caller's unit of time */
    unsigned comb;       /* number of the comb (series of events with a period) that the event belongs to; 0: none */
};

struct comb {
    double period, phase; /* the comb's events are expected at phase + k * period */
    uint64_t length;      /* median length of its events */
    uint64_t shortest;    /* least length of an event that belongs to the comb */
    size_t periods;       /* number of periods from the first event to the last */
    /* Share of the periods that have an event within 1/32 of a period from the expected time, less those that have one
     * by chance. Computed for all periods, for every second, ... and for every fifth one; this is the least of the
     * results. (All periods alone are not enough: a comb of 4 ms has an event in every second period of 2 ms.) */
    double share;
};

/* Least number of periods: comb_fit() finds no comb in events that span fewer. */
#define COMB_PERIODS_LEAST 50u

/* Fits a comb whose period differs from `period` by at most the share `tolerance` to those of n events, in the order of
 * their times, that belong to no comb yet. An event belongs to the comb if it is at most `reach` (less than half of the
 * period) away from the expected time. Returns false when there is none. The caller decides whether out->share is large
 * enough.
 *
 * Only the longest events are looked at, four for each period: the events of a comb are alike, and short ones of other
 * origin may be many. The period is found by epoch folding: for each of a range of periods the phases of the events are
 * counted in bins, and the period with the highest bin is taken (as in D. A. Leahy et al., Astrophys. J. 266, 1983,
 * with the highest bin in place of chi-squared). Then period and phase follow the median of the events nearby. */
bool comb_fit(const struct comb_event *events, size_t n, double period, double tolerance, double reach,
              struct comb *out);

/* Marks the events of the comb with `number`: in each period the nearest one to the expected time, if it is at most
 * `reach` away, long enough, and belongs to no other comb. Returns the number of events marked. */
size_t comb_take(const struct comb *comb, struct comb_event *events, size_t n, double reach, unsigned number);

#endif
