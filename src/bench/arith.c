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
#define SUM(name, type, expected, tolerance) \
    static type sum_##name(void) \
    { \
        type sum = 0; \
        for (int i = FIRST; i <= LAST; i++) { \
            int hidden = i; \
            __asm__ volatile("" : "+r"(hidden)); \
            const type x = (type)hidden, y = (type)(x * x), z = (type)(y - 1); \
            sum = (type)(sum + y / z); \
        } \
        return sum; \
    } \
    static int work_##name(struct party_context *context, uint64_t count) \
    { \
        struct state *state = context->state; \
\
        for (uint64_t n = 0; n < count; n++) { \
            state->sum = (double)sum_##name(); \
            __asm__ volatile("" : : : "memory"); \
        } \
        state->sums += count; \
        return 0; \
    } \
    static int verify_##name(struct party_context *context) \
    { \
        const struct state *state = context->state; \
\
        checks_add(context->recorder[UNIX_CHECKS], "sum", state->sum, expected, tolerance); \
        return 0; \
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

/* --- The towers of Hanoi with ten discs, by recursion: a count is one solution of 1023 moves. --- */

enum { DISCS = 10, PEGS = 3, MOVES = (1 << DISCS) - 1 };

struct hanoi {
    int on[PEGS]; /* discs */
    uint64_t moves, solutions;
};

/* The empty asm makes the compiler execute each move. */
static void move(struct hanoi *state, int discs, int from, int to)
{
    if (discs == 1) {
        state->on[from]--;
        state->on[to]++;
        state->moves++;
        __asm__ volatile("" : : : "memory");
        return;
    }
    const int other = PEGS - from - to;
    move(state, discs - 1, from, other);
    move(state, 1, from, to);
    move(state, discs - 1, other, to);
}

static int work_hanoi(struct party_context *context, uint64_t count)
{
    struct hanoi *state = context->state;

    for (uint64_t i = 0; i < count; i++) {
        int discs = DISCS, from = 0, to = 2;
        __asm__ volatile("" : "+r"(discs), "+r"(from), "+r"(to));
        state->on[0] = discs;
        state->on[1] = state->on[2] = 0;
        move(state, discs, from, to);
    }
    state->solutions += count;
    return 0;
}

static int verify_hanoi(struct party_context *context)
{
    const struct hanoi *state = context->state;
    struct checks *checks = context->recorder[UNIX_CHECKS];

    checks_add(checks, "discs on the first peg", state->on[0], 0, 0);
    checks_add(checks, "discs on the second peg", state->on[1], 0, 0);
    checks_add(checks, "discs on the third peg", state->on[2], DISCS, 0);
    checks_add(checks, "moves", (double)state->moves, (double)state->solutions * MOVES, 0);
    return 0;
}

/* Not part of the UNIX index: no baseline. */
#define BENCH(name_, state_, groups_, title_) \
    const struct bench bench_##name_ = {UNIX_CPU_BENCH(#name_, title_, "lps", 1, 0, \
                                                       .state_size = sizeof(struct state_), .work = work_##name_, \
                                                       .verify = verify_##name_), \
                                        .groups = groups_}

BENCH(short, state, UNIX_ARITH, "Arithmetic Test (short)");
BENCH(int, state, UNIX_ARITH, "Arithmetic Test (int)");
BENCH(long, state, UNIX_ARITH, "Arithmetic Test (long)");
BENCH(float, state, UNIX_ARITH, "Arithmetic Test (float)");
BENCH(double, state, UNIX_ARITH, "Arithmetic Test (double)");
BENCH(arithoh, state, UNIX_ARITH, "Arithoh");
BENCH(hanoi, hanoi, UNIX_MISC | UNIX_CPU, "Recursion Test -- Tower of Hanoi");
