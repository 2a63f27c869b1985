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

#define COPY(i)  load(a + (i))
#define SCALE(i) load(c + (i)) * q
#define ADD(i)   load(a + (i)) + load(b + (i))
#define TRIAD(i) load(b + (i)) + load(c + (i)) * q

#define KERNEL(name, to, VALUE, nontemporal) \
    STREAM_KERNEL(name) \
    { \
        (void)a, (void)b, (void)c, (void)q; \
        for (size_t i = 0; i < n; i += STEP) \
            store(to + i, VALUE(i), VALUE(i + 2), nontemporal); \
        fence(nontemporal); \
    }

static bool always_supported(void)
{
    return true;
}

#define FORM(form, label, is_nontemporal) \
    KERNEL(form##_copy, c, COPY, is_nontemporal) \
    KERNEL(form##_scale, b, SCALE, is_nontemporal) \
    KERNEL(form##_add, c, ADD, is_nontemporal) \
    KERNEL(form##_triad, a, TRIAD, is_nontemporal) \
    static const struct stream_kernels form = { \
        label, is_nontemporal, always_supported, {form##_copy, form##_scale, form##_add, form##_triad}};

FORM(ordinary, "neon", false)
FORM(nontemporal, "stnp", true)

const struct stream_kernels *const stream_kernels_all[] = {&ordinary, &nontemporal, NULL};
