/* SPDX-License-Identifier: MIT */
/* The towers of Hanoi with ten discs, by recursion: a count is one solution of 1023 moves. */
#include "bench/unix.h"

enum { DISCS = 10, PEGS = 3, MOVES = (1 << DISCS) - 1 };

struct state {
    int on[PEGS]; /* discs */
    uint64_t moves, solutions;
};

/* The empty asm makes the compiler execute each move. */
static void move(struct state *state, int discs, int from, int to)
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

static int work(struct party_context *context, uint64_t count)
{
    struct state *state = context->state;

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

static int verify(struct party_context *context)
{
    const struct state *state = context->state;
    struct checks *checks = context->recorder[UNIX_CHECKS];

    checks_add(checks, "discs on the first peg", state->on[0], 0, 0);
    checks_add(checks, "discs on the second peg", state->on[1], 0, 0);
    checks_add(checks, "discs on the third peg", state->on[2], DISCS, 0);
    checks_add(checks, "moves", (double)state->moves, (double)state->solutions * MOVES, 0);
    return 0;
}

static const struct party parties[] = {
    {UNIX_MEASURED("hanoi"), .state_size = sizeof(struct state), .work = work, .verify = verify},
};

/* Not part of the UNIX index: no baseline. */
const struct bench bench_hanoi = {
    UNIX_CPU_BENCH("hanoi", "Recursion Test -- Tower of Hanoi", parties, UNIX_METRICS("lps", 1, 0)),
    .groups = UNIX_MISC | UNIX_CPU,
};
