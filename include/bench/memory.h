/* SPDX-License-Identifier: MIT */
/* Memory benchmarks: bandwidth, small copies, pointer chases. */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include "bench/list.h"

/* How much memory was in huge pages, asked after the run: the parameter pages=. */

struct results;

/* 1 if the others are known; bytes in huge pages; bytes that could have been. */
enum { PAGES_KNOWN, PAGES_HUGE, PAGES_POSSIBLE, N_PAGES };

/* Maps untouched memory of reserved huge pages, or with the advice MADV_HUGEPAGE or MADV_NOHUGEPAGE, so that the
 * machine's setting does not matter. It stays until the process ends. NULL: out of memory. */
void *pages_map(size_t bytes, int advice);
#define PAGES_RESERVED (-1)

/* For the mappings of the n addresses; unchanged if not known. Only after the run: the kernel walks all pages. */
void pages_record(const void *const *addresses, size_t n, double numbers[N_PAGES]);
/* By results_pages(), if known. */
void pages_enter(struct results *results, unsigned group, const double numbers[N_PAGES]);

/* A pointer chase: each load gives the address of the next, in random order over a working set: no load begins
 * before the last has ended, and no prefetcher predicts it. Method: lmbench's memory latency (McVoy, Staelin,
 * 'lmbench: portable tools for performance analysis', 1996), with random order. */

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
 * recorder CHASE_RECORDER. Returns 0. */
int chase_verify(struct party_context *context);
enum { CHASE_RECORDER = 2 };
/* Median over the slices of the mean time of a load (or other unit) in ns; NAN: no slices, or out of memory. */
double chase_median_ns(const struct slices *slices);

/* Suite memory. */

struct memory_latency_params {
    uint64_t bytes; /* of the working set */
    int chase;      /* enum chase_pages */
};

/* Steps of test loaded: in the first the other CPUs read no memory, in each further one more. */
#define MEMORY_LOADED_STEPS 9u
struct memory_loaded_params {
    uint64_t bytes;        /* working set of the pointer chase */
    uint64_t stream_bytes; /* that each of the other CPUs reads */
    unsigned step;         /* from 0 */
    uint64_t pause_ns;     /* of the other CPUs after each block; UINT64_MAX: they read nothing */
};

/* Times that the cache line goes from one CPU to the other, for a pair of CPUs. */
#define MEMORY_CORES_WAYS 24800u
struct memory_cores_params {
    struct cpu_pair pair;
};

struct memory_nodes_params {
    unsigned cpu_node, memory_node;
    unsigned cpu; /* of NUMA node cpu_node */
    uint64_t bytes;
};

struct memory_steady_params {
    uint64_t cache_bytes;  /* of a chase in the last-level cache; 0: none */
    uint64_t memory_bytes; /* half for a pointer chase, half to be read */
};
/* By how many % the 90th percentile of the memory probes exceeds the median; NAN: no probes. */
struct trial;
double memory_steady_spread_pct(const struct trial *trial);

/* Small-array copy, and STREAM-style bandwidth. */

struct array_params {
    struct option_counts sizes; /* by the user, in elements, measured one by one */
    uint64_t elements;          /* of 8 bytes, in each of the two arrays */
    uint64_t experiments;       /* in a run */
    uint64_t from;              /* as for experiment_run() */
};

struct bandwidth_params {
    uint64_t array_bytes;       /* of each of the three arrays, all copies together; 0: automatic */
    uint64_t repetitions;       /* in a run; the first is not counted */
    bool nontemporal, reserved; /* reserved: in pages of MAP_HUGETLB */
    char bounded[64];           /* why the arrays are smaller than STREAM's rule; or "" */
};

/* STREAM's rule in bytes: 4 times the sum of all last-level caches (256 MiB when cache_bytes is 0, not known), at
 * least a million elements. Three arrays must fit in half of memory_bytes (0: not known); bounded then says so,
 * otherwise "". */
uint64_t bandwidth_array_bytes(uint64_t cache_bytes, uint64_t memory_bytes, char *bounded, size_t size);

/* The four STREAM-style kernels, in this architecture's variants; the best supported is chosen at run time. */

enum { KERNEL_COPY, KERNEL_SCALE, KERNEL_ADD, KERNEL_TRIAD, N_KERNELS };
/* copy: c = a, scale: b = q c, add: c = a + b, triad: a = b + q c. Arrays are aligned to 64 bytes and do not overlap; n
 * is a multiple of 64. With non-temporal stores a fence completes them before the clock is read. */
#define STREAM_KERNEL(name_) static void name_(double *a, double *b, double *c, double q, size_t n)
struct stream_kernels {
    const char *name; /* "avx512", "avx2", "sse2", "neon", "stnp", "c" */
    bool nontemporal;
    bool (*supported)(void);
    void (*run[N_KERNELS])(double *a, double *b, double *c, double q, size_t n);
};

/* Plain C, on every CPU. */
extern const struct stream_kernels stream_kernels_c;

/* Best first, for ordinary and for non-temporal stores; ends with NULL. */
extern const struct stream_kernels *const stream_kernels_all[];

/* First variant that this CPU supports; NULL: none with non-temporal stores. */
const struct stream_kernels *stream_kernels_choose(bool nontemporal);

#endif
