/* SPDX-License-Identifier: MIT */
/* A chase: loads of which each gives the address of the next, in random order over a working set, so that no load can
 * begin before the one before it has ended, and no prefetcher can know the next. The method of lmbench's memory latency
 * test (McVoy, Staelin, 'lmbench: portable tools for performance analysis', 1996), with random order. */
#ifndef BENCH_CHASE_H
#define BENCH_CHASE_H

#include <stddef.h>
#include <stdint.h>

#include "engine/bench.h"

/* Bytes from one load's address to the next: a cache line of nearly all machines. */
#define CHASE_LINE 64u
/* Loads are made in whole multiples of this number. */
#define CHASE_UNROLLED 16u

enum chase_pages {
    CHASE_SMALL,   /* ordinary pages, random order over the whole set: includes the misses of the TLB */
    CHASE_HUGE,    /* transparent huge pages, random order over the whole set */
    CHASE_IN_PAGE, /* ordinary pages, one after the other, random order within each */
    CHASE_KINDS
};
extern const char *const chase_names[]; /* "small", "huge", "in-page", NULL */

struct chase {
    char *set;               /* NULL: none */
    size_t bytes, map_bytes; /* of the set, a whole number of lines, and of its mapping */
    enum chase_pages pages;
    void *at; /* the next load's address */
};

/* Maps the set (until the process ends), with the policy of its kind of pages; no page of it is touched yet. bytes is
 * at least CHASE_LINE, and is rounded down to whole lines. Returns 0, or -1 when out of memory. */
int chase_map(struct chase *chase, size_t bytes, enum chase_pages pages);
/* Links the lines to one ring that visits each of them once, which touches all pages. Returns 0, or -1 when out of
 * memory. */
int chase_link(struct chase *chase, uint64_t seed);

/* Makes that many loads (a multiple of CHASE_UNROLLED). */
void chase_walk(struct chase *chase, uint64_t loads);

/* Walks until the caches hold what they can of the set: once round, but not longer than some 25 ms. Returns the number
 * of loads that take CORE_SLICE_NS. */
uint64_t chase_warm_up(struct chase *chase);
/* Makes that many loads and records them as a slice, with a core probe behind it. */
struct core_meter;
void chase_slice(struct chase *chase, uint64_t loads, struct slices *slices, struct core_meter *core);
/* Returns the median time of a load over the recorded slices, in ns; NAN: none. */
double chase_median_ns(const struct slices *slices);

#endif
