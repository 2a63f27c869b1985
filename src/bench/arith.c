/* SPDX-License-Identifier: MIT */
/* Arithmetic on short, int, long, float and double: a count is the sum of i*i / (i*i - 1) for i = 2 .. 101. arithoh
 * runs the loop without arithmetic. */
#include "bench/unix.h"

enum { FIRST = 2, LAST = 101 };

/* Result of the last count; counts; for arithoh, turns of its loop. */
struct state {
    double sum;
    uint64_t sums, turns;
};

/* Hides i from the compiler: no sum at compile time, no vectors; a count is a hundred divisions with every compiler. */
#define SUM(name, type, expected, tolerance)                                                \
    static type sum_##name(void)                                                            \
    {                                                                                       \
        type sum = 0;                                                                       \
        for (int i = FIRST; i <= LAST; i++) {                                               \
            int hidden = i;                                                                 \
            __asm__ volatile("" : "+r"(hidden));                                            \
            const type x = (type)hidden, y = (type)(x * x), z = (type)(y - 1);              \
            sum = (type)(sum + y / z);                                                      \
        }                                                                                   \
        return sum;                                                                         \
    }                                                                                       \
    static int work_##name(struct party_context *context, uint64_t count)                   \
    {                                                                                       \
        struct state *state = context->state;                                               \
                                                                                            \
        for (uint64_t n = 0; n < count; n++) {                                              \
            state->sum = (double)sum_##name();                                              \
            __asm__ volatile("" : : : "memory");                                            \
        }                                                                                   \
        state->sums += count;                                                               \
        return 0;                                                                           \
    }                                                                                       \
    static int verify_##name(struct party_context *context)                                 \
    {                                                                                       \
        const struct state *state = context->state;                                         \
                                                                                            \
        checks_add(context->recorder[UNIX_CHECKS], "sum", state->sum, expected, tolerance); \
        return 0;                                                                           \
    }

/* Quotients of whole numbers, from 4/3 on, are truncated to 1. */
#define WHOLE_SUM (LAST - FIRST + 1)
/* Exactly 100 + 3/4 - 1/(2 n) - 1/(2 (n + 1)) with n = 101. */
#define REAL_SUM 100.74014754416618

SUM(short, short, WHOLE_SUM, 0)
SUM(int, int, WHOLE_SUM, 0)
SUM(long, long, WHOLE_SUM, 0)
SUM(float, float, REAL_SUM, 1e-3)
SUM(double, double, REAL_SUM, 1e-10)

static int work_arithoh(struct party_context *context, uint64_t count)
{
    struct state *state = context->state;
    uint64_t turns = 0;

    for (uint64_t n = 0; n < count; n++)
        for (int i = FIRST; i <= LAST; i++) {
            turns++;
            __asm__ volatile("" : "+r"(turns));
        }
    state->turns += turns;
    state->sums += count;
    return 0;
}

static int verify_arithoh(struct party_context *context)
{
    const struct state *state = context->state;

    checks_add(context->recorder[UNIX_CHECKS], "turns", (double)state->turns, (double)state->sums * (LAST - FIRST + 1),
               0);
    return 0;
}

/* Not part of the UNIX index: no baseline. */
#define BENCH(name_, title_)                                                                                         \
    static const struct party parties_##name_[] = {                                                                  \
        {UNIX_MEASURED(#name_), .state_size = sizeof(struct state), .work = work_##name_, .verify = verify_##name_}, \
    };                                                                                                               \
    const struct bench bench_##name_ = {                                                                             \
        UNIX_CPU_BENCH(#name_, title_, parties_##name_, UNIX_METRICS("lps", 1, 0)),                                  \
        .groups = UNIX_ARITH,                                                                                        \
    }

BENCH(short, "Arithmetic Test (short)");
BENCH(int, "Arithmetic Test (int)");
BENCH(long, "Arithmetic Test (long)");
BENCH(float, "Arithmetic Test (float)");
BENCH(double, "Arithmetic Test (double)");
BENCH(arithoh, "Arithoh");
