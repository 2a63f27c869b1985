/* SPDX-License-Identifier: MIT */
/* A pointer chase: each load gives the address of the next one, in random order over a working set, so that no load can
 * begin before the previous one has ended, and no prefetcher can predict the next address. Method: the memory latency
 * test of lmbench (McVoy, Staelin, 'lmbench: portable tools for performance analysis', 1996), with random order. */
#ifndef BENCH_CHASE_H
#define BENCH_CHASE_H

#include <stddef.h>
#include <stdint.h>

#include "engine/bench.h"

/* Bytes of the working set that one load visits: the size of a cache line on nearly all machines. */
#define CHASE_LINE 64u
/* Number of loads in one turn of the chase's loop. Every number of loads is a multiple of it. */
#define CHASE_UNROLLED 16u

enum chase_pages {
    CHASE_SMALL,   /* ordinary pages, random order over the whole working set: the latency includes TLB misses */
    CHASE_HUGE,    /* transparent huge pages, random order over the whole working set */
    CHASE_IN_PAGE, /* ordinary pages, visited one after the other, with random order within each page */
    CHASE_KINDS
};
/* Names of the values of enum chase_pages: "small", "huge", "in-page"; ends with NULL. */
extern const char *const chase_names[];

struct chase {
    char *set;               /* memory of the working set; NULL: not mapped */
    size_t bytes, map_bytes; /* size of the working set (whole lines), and of its mapping */
    enum chase_pages pages;
    void *at; /* address of the next load */
};

/* Maps memory for a working set of `bytes` bytes (at least CHASE_LINE; rounded down to whole lines) and asks the kernel
 * for the given kind of pages. Touches no page. The mapping stays until the process ends. Returns 0, or -1 when out of
 * memory. */
int chase_map(struct chase *chase, size_t bytes, enum chase_pages pages);
/* Links all lines to one ring, in an order that depends on seed; this touches all pages. Returns 0, or -1 when out of
 * memory. */
int chase_link(struct chase *chase, uint64_t seed);
/* The same, with one line of each `stride` bytes (a multiple of CHASE_LINE, at most the set's bytes), and block after
 * block of `block` bytes (a multiple of stride), in random order within each. A stride of two lines keeps prefetchers
 * that fetch the other line of a pair from fetching lines of the ring; within a block of a huge page few loads miss the
 * TLB, even where the host of a virtual machine gives small pages. */
int chase_link_blocks(struct chase *chase, uint64_t seed, size_t stride, size_t block);

/* Executes this number of loads (a multiple of CHASE_UNROLLED), beginning at chase->at. */
void chase_walk(struct chase *chase, uint64_t loads);

/* Warms the caches up: executes loads for one round of the ring, but for 25 ms at most. Returns the number of loads
 * that take CORE_SLICE_NS. */
uint64_t chase_warm_up(struct chase *chase);
/* Executes this number of loads, adds their time to slices, and takes a core probe afterwards. */
struct core_meter;
void chase_slice(struct chase *chase, uint64_t loads, struct slices *slices, struct core_meter *core);
/* Implements verify() of a party whose state begins with a chase: records in recorder number CHASE_RECORDER how much of
 * its memory is in huge pages. */
int chase_verify(struct party_context *context);
enum { CHASE_RECORDER = 2 };
/* Returns the median time of a load over the recorded slices, in ns; NAN: none. */
double chase_median_ns(const struct slices *slices);

#endif
