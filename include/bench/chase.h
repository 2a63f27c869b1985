/* SPDX-License-Identifier: MIT */
/* A pointer chase: each load gives the address of the next, in random order over a working set: no load begins
 * before the last has ended, and no prefetcher predicts it. Method: lmbench's memory latency (McVoy, Staelin,
 * 'lmbench: portable tools for performance analysis', 1996), with random order. */
#ifndef BENCH_CHASE_H
#define BENCH_CHASE_H

#include <stddef.h>
#include <stdint.h>

#include "engine/bench.h"

/* Bytes, as on nearly all machines; a load reads one line. */
#define CHASE_LINE 64u
/* Loads in one turn of chase_walk()'s loop; the numbers of loads below are multiples. */
#define CHASE_UNROLLED 16u

enum chase_pages {
    CHASE_SMALL,   /* ordinary pages, random over the whole set: the latency includes TLB misses */
    CHASE_HUGE,    /* transparent huge pages, random over the whole set */
    CHASE_IN_PAGE, /* ordinary pages one after the other, random within each */
    CHASE_KINDS
};
/* "small", "huge", "in-page"; ends with NULL. */
extern const char *const chase_names[];

struct chase {
    char *set;               /* NULL: not mapped */
    size_t bytes, map_bytes; /* of the set (whole lines) and its mapping */
    enum chase_pages pages;
    void *at; /* of the next load */
};

/* Maps `bytes` (at least CHASE_LINE) and asks for this kind of pages. Touches none. The mapping stays until the
 * process ends. Returns 0, or -1 when out of memory. */
int chase_map(struct chase *chase, size_t bytes, enum chase_pages pages);
/* Links all lines to one ring by seed, touching all pages. Returns 0, or -1 when out of memory. */
int chase_link(struct chase *chase, uint64_t seed);
/* Links one line of each `stride` bytes (a multiple of CHASE_LINE, at most the set's bytes), block by block (`block`
 * bytes, a multiple of stride), in random order within each. With a stride of two lines, prefetchers of the other
 * line of a pair fetch none of the ring. With blocks of a huge page, few loads miss the TLB, even where a virtual
 * machine's host uses small pages. */
int chase_link_blocks(struct chase *chase, uint64_t seed, size_t stride, size_t block);

/* Executes so many loads from chase->at on. */
void chase_walk(struct chase *chase, uint64_t loads);

/* One round of the ring, 25 ms at most. Returns how many loads take about CORE_SLICE_NS (1.5 ms). */
uint64_t chase_warm_up(struct chase *chase);
/* Executes `loads` loads as one of `slices`, and passes them to core_slice() (engine/core.h), which then takes a
 * core probe, unless core->probe is NULL. */
struct core_meter;
void chase_slice(struct chase *chase, uint64_t loads, struct slices *slices, struct core_meter *core);
/* verify() of benchmarks whose state begins with a struct chase: stores how much of the set is in huge pages in
 * recorder CHASE_RECORDER (bench/pages.h). Returns 0. */
int chase_verify(struct party_context *context);
enum { CHASE_RECORDER = 2 };
/* Median over the slices of the mean time of a load (or other unit) in ns; NAN: no slices, or out of memory. */
double chase_median_ns(const struct slices *slices);

#endif
