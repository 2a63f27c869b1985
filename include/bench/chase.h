/* SPDX-License-Identifier: MIT */
/* A pointer chase: each load gives the address of the next one, in random order over a working set, so that no load can
 * begin before the previous one has ended, and no prefetcher can predict the next address. Method: the memory latency
 * test of lmbench (McVoy, Staelin, 'lmbench: portable tools for performance analysis', 1996), with random order. */
#ifndef BENCH_CHASE_H
#define BENCH_CHASE_H

#include <stddef.h>
#include <stdint.h>

#include "engine/bench.h"

/* Size of a cache line in bytes, as on nearly all machines: the working set consists of lines of this size, and a load
 * reads one line. */
#define CHASE_LINE 64u
/* Number of loads in one iteration of chase_walk()'s loop. The numbers of loads below are multiples of it. */
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
/* Links all lines of the working set to one ring, in an order that depends on seed; this touches all pages. Returns 0,
 * or -1 when out of memory. */
int chase_link(struct chase *chase, uint64_t seed);
/* As chase_link(), but links only one line of each `stride` bytes (a multiple of CHASE_LINE, at most the set's bytes),
 * and goes through the working set block by block (of `block` bytes, a multiple of stride), in random order within each
 * block. With a stride of two lines, prefetchers that fetch the other line of a pair fetch no line of the ring. With
 * blocks of the size of a huge page, few loads miss the TLB, even where the host of a virtual machine backs its memory
 * by small pages. */
int chase_link_blocks(struct chase *chase, uint64_t seed, size_t stride, size_t block);

/* Executes this number of loads (a multiple of CHASE_UNROLLED), beginning at chase->at. */
void chase_walk(struct chase *chase, uint64_t loads);

/* Warms the caches up: executes loads for one round of the ring, but for 25 ms at most. Returns how many loads take
 * about CORE_SLICE_NS (1.5 ms), a multiple of CHASE_UNROLLED. */
uint64_t chase_warm_up(struct chase *chase);
/* Executes `loads` loads and adds them to `slices` (timed stretches of work) with their start and end time. Also passes
 * them to core_slice() (engine/core.h), which takes a core probe afterwards (it measures which share of its core the
 * CPU gets), unless core->probe is NULL. */
struct core_meter;
void chase_slice(struct chase *chase, uint64_t loads, struct slices *slices, struct core_meter *core);
/* Implements the callback verify() for benchmark processes whose state begins with a struct chase: asks the kernel how
 * much of the working set is in huge pages, and stores it in recorder CHASE_RECORDER (bench/pages.h). Returns 0. */
int chase_verify(struct party_context *context);
enum { CHASE_RECORDER = 2 };
/* Returns the median over the slices (timed stretches of work) of the mean time of a load, or of another unit of work
 * that the slices count, in ns; NAN when there are no slices, or when out of memory. */
double chase_median_ns(const struct slices *slices);

#endif
