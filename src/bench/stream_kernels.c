/* SPDX-License-Identifier: MIT */
/* Plain C, ordinary stores. */
#include "bench/memory.h"

/* Otherwise the copy loop becomes a call of memcpy. */
#ifdef __clang__
#define KEEP_LOOP __attribute__((no_builtin("memcpy", "memmove")))
#else
#define KEEP_LOOP __attribute__((optimize("O3", "no-tree-loop-distribute-patterns")))
#endif

KEEP_LOOP static void c_copy(double *restrict c, const double *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        c[i] = a[i];
}

KEEP_LOOP static void c_scale(double *restrict b, const double *restrict c, double q, size_t n)
{
    for (size_t i = 0; i < n; i++)
        b[i] = q * c[i];
}

KEEP_LOOP static void c_add(double *restrict c, const double *restrict a, const double *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

KEEP_LOOP static void c_triad(double *restrict a, const double *restrict b, const double *restrict c, double q,
                              size_t n)
{
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] + q * c[i];
}

static bool c_supported(void)
{
    return true;
}

const struct stream_kernels stream_kernels_c = {
    .name = "c",
    .nontemporal = false,
    .supported = c_supported,
    .copy = c_copy,
    .scale = c_scale,
    .add = c_add,
    .triad = c_triad,
};

const struct stream_kernels *stream_kernels_choose(bool nontemporal)
{
    for (const struct stream_kernels *const *form = stream_kernels_all; *form; form++)
        if ((*form)->nontemporal == nontemporal && (*form)->supported())
            return *form;
    return NULL;
}
