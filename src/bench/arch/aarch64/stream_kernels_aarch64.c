/* SPDX-License-Identifier: MIT */
/* Pairs of 16-byte vectors, with ordinary stores and with stnp, which is non-temporal. */
#include "bench/memory.h"

typedef double vector __attribute__((vector_size(16), may_alias));

#define INLINE static inline __attribute__((always_inline))

/* By one pair of vectors. */
enum { STEP = 4 };

INLINE vector load(const double *p)
{
    return *(const vector *)p;
}

/* `nontemporal` is a constant in every caller. */
INLINE void store(double *p, vector low, vector high, bool nontemporal)
{
    if (nontemporal) {
        __asm__ volatile("stnp %q1, %q2, [%0]" : : "r"(p), "w"(low), "w"(high) : "memory");
        return;
    }
    *(vector *)p = low;
    *(vector *)(p + 2) = high;
    /* A copy loop would become a call of memcpy. */
    __asm__ volatile("" : : : "memory");
}

INLINE void fence(bool nontemporal)
{
    if (nontemporal)
        __asm__ volatile("dsb ishst" : : : "memory");
}

INLINE void copy(double *c, const double *a, size_t n, bool nontemporal)
{
    for (size_t i = 0; i < n; i += STEP)
        store(c + i, load(a + i), load(a + i + 2), nontemporal);
    fence(nontemporal);
}

INLINE void scale(double *b, const double *c, double q, size_t n, bool nontemporal)
{
    for (size_t i = 0; i < n; i += STEP)
        store(b + i, load(c + i) * q, load(c + i + 2) * q, nontemporal);
    fence(nontemporal);
}

INLINE void add(double *c, const double *a, const double *b, size_t n, bool nontemporal)
{
    for (size_t i = 0; i < n; i += STEP)
        store(c + i, load(a + i) + load(b + i), load(a + i + 2) + load(b + i + 2), nontemporal);
    fence(nontemporal);
}

INLINE void triad(double *a, const double *b, const double *c, double q, size_t n, bool nontemporal)
{
    for (size_t i = 0; i < n; i += STEP)
        store(a + i, load(b + i) + load(c + i) * q, load(b + i + 2) + load(c + i + 2) * q, nontemporal);
    fence(nontemporal);
}

static bool always_supported(void)
{
    return true;
}

#define FORM(form, label, is_nontemporal)                                                     \
    static void form##_copy(double *c, const double *a, size_t n)                             \
    {                                                                                         \
        copy(c, a, n, is_nontemporal);                                                        \
    }                                                                                         \
    static void form##_scale(double *b, const double *c, double q, size_t n)                  \
    {                                                                                         \
        scale(b, c, q, n, is_nontemporal);                                                    \
    }                                                                                         \
    static void form##_add(double *c, const double *a, const double *b, size_t n)             \
    {                                                                                         \
        add(c, a, b, n, is_nontemporal);                                                      \
    }                                                                                         \
    static void form##_triad(double *a, const double *b, const double *c, double q, size_t n) \
    {                                                                                         \
        triad(a, b, c, q, n, is_nontemporal);                                                 \
    }                                                                                         \
    static const struct stream_kernels form = {                                               \
        .name = label,                                                                        \
        .nontemporal = is_nontemporal,                                                        \
        .supported = always_supported,                                                        \
        .copy = form##_copy,                                                                  \
        .scale = form##_scale,                                                                \
        .add = form##_add,                                                                    \
        .triad = form##_triad,                                                                \
    };

FORM(ordinary, "neon", false)
FORM(nontemporal, "stnp", true)

const struct stream_kernels *const stream_kernels_all[] = {&ordinary, &nontemporal, NULL};
