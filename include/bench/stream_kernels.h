/* SPDX-License-Identifier: MIT */
/* The four STREAM-style kernels, in the variants that exist for this architecture; the best supported one is chosen at
 * run time. */
#ifndef BENCH_STREAM_KERNELS_H
#define BENCH_STREAM_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

/* A variant of the kernels. Arrays are aligned to 64 bytes and do not overlap; n is a multiple of 64 elements. A
 * variant with non-temporal stores ends with a fence, so that its stores are complete when the clock is read. */
struct stream_kernels {
    const char *name; /* name of the variant: "avx512", "avx2", "sse2", "neon", "stnp", "c" */
    bool nontemporal;
    bool (*supported)(void);
    void (*copy)(double *c, const double *a, size_t n);
    void (*scale)(double *b, const double *c, double q, size_t n);
    void (*add)(double *c, const double *a, const double *b, size_t n);
    void (*triad)(double *a, const double *b, const double *c, double q, size_t n);
};

/* The variant in plain C, "c", supported on every CPU. The list below may include it. */
extern const struct stream_kernels stream_kernels_c;

/* All variants for this architecture, the best first, for ordinary and for non-temporal stores; ends with NULL. */
extern const struct stream_kernels *const stream_kernels_all[];

/* Returns the first variant that this CPU supports, with non-temporal stores if nontemporal, otherwise with ordinary
 * ones. NULL when there is none with non-temporal stores. */
const struct stream_kernels *stream_kernels_choose(bool nontemporal);

#endif
