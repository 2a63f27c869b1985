/* SPDX-License-Identifier: MIT */
/* Descriptor of a background load: one const struct load at the end of its file. Its parties run beside the
 * benchmark's, from before the measured part until the trial ends. */
#ifndef ENGINE_LOAD_H
#define ENGINE_LOAD_H

#include <stddef.h>

#include "engine/bench.h"
#include "rows/row.h"

/* RECORD_NUMBERS: work of each kind (enum load_count) since the process began, which it updates while it runs; each
 * count is written by one thread only. The row shows the difference between the run's start and the end of the
 * measured parties. */
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
    const struct party *parties; /* with ROLE_LOAD and before_gate; threads too */
    unsigned n_parties;
    bool only_named; /* only when the user names it */
    size_t params_size;
    size_t shared_size; /* of context->shared */
    /* Least work per second, by enum load_count: below, the load was idle, and the row is degraded
     * (engine/results.c). 0: not checked. */
    double least[LOAD_COUNTS];
    /* "file=256M". May be NULL. */
    void (*describe)(const void *params, struct row_params *out);
    /* From here on as in struct bench; each may be NULL. */
    const char *(*scratch_dir)(const void *params);
    int (*supported)(const void *params, char *why, size_t why_size);
    void (*place)(const void *params, const struct place_request *, unsigned party, struct placement *);
    void (*calibrate)(void *params, double value);
};

#endif
