/* SPDX-License-Identifier: MIT */
/* An independent model of the accounting of one turn in Con Kolivas's Interbench, on a made-up clock.
 *
 * It is written from a description of the original's rule, without a look at the program's own implementation, so that
 * a test can hold one to the other. All times are in ns and none is rounded. */
#ifndef CLASSIC_MODEL_H
#define CLASSIC_MODEL_H

#include <stddef.h>
#include <stdint.h>

/* One turn of the simulated task, and what happens to it. */
struct classic_turn {
    uint64_t run_ns;       /* CPU time asked for; the rule itself never uses it, burn_ns says what it took */
    uint64_t interval_ns;  /* added to the deadline by this turn; 0: the turn does not sleep afterwards */
    uint64_t shift_ns;     /* added to the deadline that came back from this turn, before the next (X: i ms) */
    uint64_t overslept_ns; /* how much the timing thread oversleeps in the sleep before this turn */
    uint64_t late_ns;      /* time from the timing thread's wake-up until the task runs */
    uint64_t burn_ns;      /* how long the burn really takes; not used if the turn is lost before any work */
};

/* Totals over all turns. Every turn records one sample. */
struct classic_result {
    uint64_t samples, sum_ns, max_ns;
    double sum_squares; /* ns squared */
    uint64_t burns_done, burns_missed, deadlines_met, deadlines_missed;
};

/* Plays n turns and overwrites *out with the totals. The clock starts at start_ns, which is also the first turn's
 * deadline; the first turn too is preceded by a sleep until its deadline. A turn that does not sleep leaves the clock
 * as it is: overslept_ns and late_ns of the next turn are then not used. Reading the clock takes no time. With n 0 all
 * totals are 0. It has no errors; the caller chooses times that do not overflow 64 bits. */
void classic_model(uint64_t start_ns, const struct classic_turn *turns, size_t n, struct classic_result *out);

#endif
