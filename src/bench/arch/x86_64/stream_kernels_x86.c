/* SPDX-License-Identifier: MIT */
/* AVX-512, AVX2 and SSE2, each with ordinary and non-temporal stores. A non-temporal kernel moves one cache line a
 * turn: a write-combining buffer fills at once. Ordinary stores were fastest with one vector a turn for AVX2 and one
 * line for SSE2 (Zen 3, both CPUs at once). No gain: four and eight lines a turn, prefetch 256 to 4096 bytes ahead
 * or by blocks; slower: non-temporal stores to several pages in turn. `rep movsb` skips the write-allocate read,
 * which ordinary stores are meant to include. */
#include "bench/memory.h"

#include <cpuid.h>
#include <immintrin.h>

#define LOAD(isa, array, k) isa##_load_pd(array + i + (k))
#define COPY(isa, k)        LOAD(isa, a, k)
#define SCALE(isa, k)       isa##_mul_pd(factor, LOAD(isa, c, k))
#define ADD(isa, k)         isa##_add_pd(LOAD(isa, a, k), LOAD(isa, b, k))
#define TRIAD(isa, k)       isa##_add_pd(LOAD(isa, b, k), isa##_mul_pd(factor, LOAD(isa, c, k)))

#define AT(VALUE, to, isa, storing, k)       isa##_##storing##_pd(to + i + (k), VALUE(isa, k));
#define ONE_VECTOR(VALUE, to, isa, storing)  AT(VALUE, to, isa, storing, 0)
#define TWO_VECTORS(VALUE, to, isa, storing) AT(VALUE, to, isa, storing, 0) AT(VALUE, to, isa, storing, 4)
#define FOUR_VECTORS(VALUE, to, isa, storing) \
    AT(VALUE, to, isa, storing, 0) \
    AT(VALUE, to, isa, storing, 2) AT(VALUE, to, isa, storing, 4) AT(VALUE, to, isa, storing, 6)

/* A kernel: `turn` for each `step` elements, then `fence`. */
#define KERNEL(name, to, VALUE, flag, vector, isa, storing, turn, step, fence) \
    __attribute__((target(flag))) STREAM_KERNEL(name) \
    { \
        const vector factor = isa##_set1_pd(q); \
        (void)a, (void)b, (void)c, (void)factor; \
        for (size_t i = 0; i < n; i += (step)) { \
            turn(VALUE, to, isa, storing) \
        } \
        fence; \
    }

/* The four kernels of a variant. */
#define FORM(form, label, is_nontemporal, ...) \
    KERNEL(form##_copy, c, COPY, __VA_ARGS__) \
    KERNEL(form##_scale, b, SCALE, __VA_ARGS__) \
    KERNEL(form##_add, c, ADD, __VA_ARGS__) \
    KERNEL(form##_triad, a, TRIAD, __VA_ARGS__) \
    static const struct stream_kernels form = { \
        #label, is_nontemporal, label##_supported, {form##_copy, form##_scale, form##_add, form##_triad}};

/* Bits of XCR0: state that the kernel must save for these instructions. */
#define STATE_AVX    0x06u
#define STATE_AVX512 0xe6u

/* __builtin_cpu_supports() links a constructor with a dozen CPUIDs at every program start, each an exit to the
 * hypervisor: 70 us, a sixth of what execl measures. */
static bool cpu_has(unsigned leaf7_ebx, unsigned state)
{
    unsigned a, b, c, d, xcr0, high;

    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return false;
    __asm__ volatile("xgetbv" : "=a"(xcr0), "=d"(high) : "c"(0));
    return (xcr0 & state) == state && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & leaf7_ebx);
}

static bool avx512_supported(void)
{
    return cpu_has(bit_AVX512F, STATE_AVX512);
}

static bool avx2_supported(void)
{
    return cpu_has(bit_AVX2, STATE_AVX);
}

/* 32-bit CPUs up to the Pentium III lack it. */
static bool sse2_supported(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(1, &a, &b, &c, &d) && (d & bit_SSE2);
}

/* clang-format off */
FORM(avx512_ordinary,    avx512, false, "avx512f", __m512d, _mm512, store,  ONE_VECTOR,   8, (void)0)
FORM(avx2_ordinary,      avx2,   false, "avx2",    __m256d, _mm256, store,  ONE_VECTOR,   4, (void)0)
FORM(sse2_ordinary,      sse2,   false, "sse2",    __m128d, _mm,    store,  FOUR_VECTORS, 8, (void)0)
FORM(avx512_nontemporal, avx512, true,  "avx512f", __m512d, _mm512, stream, ONE_VECTOR,   8, _mm_sfence())
FORM(avx2_nontemporal,   avx2,   true,  "avx2",    __m256d, _mm256, stream, TWO_VECTORS,  8, _mm_sfence())
FORM(sse2_nontemporal,   sse2,   true,  "sse2",    __m128d, _mm,    stream, FOUR_VECTORS, 8, _mm_sfence())
/* clang-format on */

const struct stream_kernels *const stream_kernels_all[] = {
    &avx512_ordinary,    &avx2_ordinary,    &sse2_ordinary,    &stream_kernels_c,
    &avx512_nontemporal, &avx2_nontemporal, &sse2_nontemporal, NULL,
};
