/* SPDX-License-Identifier: MIT */
/* An independent model of Interbench's accounting of one turn, see classic_model.h. */
#include "classic_model.h"

#include <stdbool.h>

void classic_model(uint64_t start_ns, const struct classic_turn *turns, size_t n, struct classic_result *out)
{
    uint64_t now = start_ns;
    uint64_t deadline = start_ns;
    uint64_t sleep_until = start_ns;
    bool sleeps = true;

    *out = (struct classic_result){.samples = 0};
    for (size_t i = 0; i < n; i++) {
        const struct classic_turn *turn = &turns[i];
        const uint64_t interval = turn->interval_ns;
        uint64_t overslept = 0;
        uint64_t latency = 0;

        /* The end of step 4 of the turn before: the timing thread wakes, then the task runs. */
        if (sleeps) {
            overslept = turn->overslept_ns;
            now = (now > sleep_until ? now : sleep_until) + overslept + turn->late_ns;
        }

        /* Step 1: latency = now - deadline - what the timing thread itself overslept, not below 0. */
        if (now > deadline + overslept)
            latency = now - deadline - overslept;

        if (interval > 0 && now > deadline + interval) {
            /* Step 2: the turn is lost before any work. */
            deadline += interval;
            const uint64_t missed = (now - deadline) / interval + 1;
            out->deadlines_missed += missed;
            out->burns_missed += missed;
            latency += missed * interval;
            deadline += missed * interval;
            sleeps = true;
        } else {
            /* Step 3: burn, then read the clock again. */
            now += turn->burn_ns;
            out->burns_done++;
            deadline += interval;
            if (deadline >= now) {
                out->deadlines_met++;
            } else if (interval > 0) {
                const uint64_t missed = (now - deadline) / interval + 1;
                out->deadlines_missed += missed;
                latency += missed * interval;
                deadline += missed * interval;
                if (missed > 1)
                    out->burns_missed += missed;
            }
            if (interval == 0)
                deadline = now;
            sleeps = interval > 0;
        }

        /* Step 4: it sleeps deadline - now; X moves the deadline only after the turn came back from its sleep. */
        sleep_until = deadline;
        deadline += turn->shift_ns;

        /* Step 5: one sample a turn, the latency with what was added. */
        out->samples++;
        out->sum_ns += latency;
        out->sum_squares += (double)latency * (double)latency;
        if (latency > out->max_ns)
            out->max_ns = latency;
    }
}
