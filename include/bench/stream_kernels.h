/* SPDX-License-Identifier: MIT */
/* The four STREAM-style kernels, in the forms this architecture has; the best form is chosen at run time. */
#ifndef BENCH_STREAM_KERNELS_H
#define BENCH_STREAM_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

/* Arrays are aligned to 64 bytes and do not overlap; n is a multiple of 64 elements. A non-temporal form fences before
 * it returns, so that its stores are done when the clock is read. */
struct stream_kernels {
    const char *name; /* "avx512", "avx2", "sse2", "neon", "stnp", "c" */
    bool nontemporal;
    bool (*supported)(void);
    void (*copy)(double *c, const double *a, size_t n);
    void (*scale)(double *b, const double *c, double q, size_t n);
    void (*add)(double *c, const double *a, const double *b, size_t n);
    void (*triad)(double *a, const double *b, const double *c, double q, size_t n);
};

/* In plain C, "c": supported everywhere. For the lists. */
extern const struct stream_kernels stream_kernels_c;

/* All forms of this architecture, best first within each kind; ends with NULL. */
extern const struct stream_kernels *const stream_kernels_all[];

/* The first supported form of the kind; NULL when the architecture has none (non-temporal stores). */
const struct stream_kernels *stream_kernels_choose(bool nontemporal);

#endif
