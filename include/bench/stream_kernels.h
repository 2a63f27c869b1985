/* SPDX-License-Identifier: MIT */
/* The four STREAM-style kernels, in this architecture's variants; the best supported is chosen at run time. */
#ifndef BENCH_STREAM_KERNELS_H
#define BENCH_STREAM_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

/* Arrays are aligned to 64 bytes and do not overlap; n is a multiple of 64. With non-temporal stores a fence
 * completes them before the clock is read. */
struct stream_kernels {
    const char *name; /* "avx512", "avx2", "sse2", "neon", "stnp", "c" */
    bool nontemporal;
    bool (*supported)(void);
    void (*copy)(double *c, const double *a, size_t n);
    void (*scale)(double *b, const double *c, double q, size_t n);
    void (*add)(double *c, const double *a, const double *b, size_t n);
    void (*triad)(double *a, const double *b, const double *c, double q, size_t n);
};

/* Plain C, on every CPU. */
extern const struct stream_kernels stream_kernels_c;

/* Best first, for ordinary and for non-temporal stores; ends with NULL. */
extern const struct stream_kernels *const stream_kernels_all[];

/* First variant that this CPU supports; NULL: none with non-temporal stores. */
const struct stream_kernels *stream_kernels_choose(bool nontemporal);

#endif
