/* SPDX-License-Identifier: MIT */
/* Descriptor of a background load: one const struct load at the end of its file. Its parties (processes and threads)
 * run beside those of a benchmark, from before the benchmark's measured part begins until the trial ends. */
#ifndef ENGINE_LOAD_H
#define ENGINE_LOAD_H

#include <stddef.h>

#include "engine/bench.h"
#include "rows/row.h"

/* Initialises the recorders of a load's process. The first one (RECORD_NUMBERS) holds how much work of each kind (enum
 * load_count) the process has done since it began; the process updates it while it runs. The engine reads it when the
 * run begins and when the measured parties are done, and the result row shows the difference. Each count is written by
 * one thread only. */
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
    const struct party *parties; /* parties with ROLE_LOAD and before_gate; they may include threads of its processes */
    unsigned n_parties;
    bool only_named; /* the load runs only when the user names it */
    size_t params_size;
    size_t shared_size; /* size of context->shared, the memory that the load's parties share */
    /* Minimum work per second of the run, by enum load_count. A load that did less was practically idle, and its row is
     * degraded (engine/results.c). 0: not checked. */
    double least[LOAD_COUNTS];
    /* Adds the parameters that identify the work: "file=256M". May be NULL. */
    void (*describe)(const void *params, struct row_params *out);
    /* This member and the next ones are as those of the same names in struct bench. Each may be NULL. */
    const char *(*scratch_dir)(const void *params);
    int (*supported)(const void *params, char *why, size_t why_size);
    void (*place)(const void *params, const struct place_request *, unsigned party, struct placement *);
    void (*calibrate)(void *params, double value);
};

#endif
