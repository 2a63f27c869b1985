/* SPDX-License-Identifier: MIT */
/* Descriptor of a background load: one const struct load at the end of its file. Its parties run beside those of a
 * benchmark, from before the gate until the trial ends. */
#ifndef ENGINE_LOAD_H
#define ENGINE_LOAD_H

#include <stddef.h>
#include <stdint.h>

#include "engine/bench.h"

/* Work that a load has done since it began. Each process party of a load has these as its first recorder
 * (RECORD_NUMBERS, capacity LOAD_COUNTS) and updates them while it runs. The engine reads them when the gate opens
 * and when the measured party is done; the row shows the difference. Each count has one writing thread. */
enum load_count {
    LOAD_CPU,          /* seconds of CPU time of all threads */
    LOAD_WRITTEN,      /* bytes passed to write() */
    LOAD_READ,         /* bytes returned by read() */
    LOAD_DISK_WRITTEN, /* bytes written as the kernel counts them at the block layer (/proc/self/io) */
    LOAD_DISK_READ,
    LOAD_WAKEUPS, /* wake-ups of one thread by another */
    LOAD_MOVED,   /* bytes of memory touched or moved */
    LOAD_BURSTS,  /* units of work done by a simulation */
    LOAD_COUNTS
};
extern const char *const load_count_names[LOAD_COUNTS]; /* names of the counts: "load_cpu_s", "load_written", ... */

#define LOAD_RECORDERS .recorders = {{RECORD_NUMBERS, LOAD_COUNTS}}, .n_recorders = 1

static inline void load_set(const struct party_context *context, enum load_count count, double total)
{
    ((double *)context->recorder[0])[count] = total;
}

static inline void load_add(const struct party_context *context, enum load_count count, double amount)
{
    ((double *)context->recorder[0])[count] += amount;
}

struct load {
    const char *name, *title;
    const struct party *parties; /* with role ROLE_LOAD and before_gate; threads of a load process as well */
    unsigned n_parties;
    size_t params_size;
    size_t shared_size; /* size of context->shared, the memory that its parties share */
    /* Least amount of work per second of the run, for each LOAD_COUNTS. A load that did less was practically idle,
     * and its row is degraded. 0: not checked. */
    double least[LOAD_COUNTS];
    /* Adds the parameters that identify the work: "file=256M"; "" for none. May be NULL. */
    void (*describe)(const void *params, char *buf, size_t size);
    /* The same as in struct bench. May be NULL. */
    const char *(*scratch_dir)(const void *params);
    int (*supported)(const void *params, char *why, size_t why_size);
    void (*place)(const void *params, const struct place_request *, unsigned party, struct placement *);
    void (*calibrate)(void *params, double value);
};

#endif
