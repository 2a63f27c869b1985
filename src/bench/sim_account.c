/* SPDX-License-Identifier: MIT */
#include "bench/sim.h"

/* Steps of the task x, with enough wake-ups: 0, 1, ... 100 % of its interval. */
#define SWEEP_STEPS 101u

uint64_t sim_busy_ns(const struct sim_params *params, uint64_t k, uint64_t time_ns)
{
    uint64_t steps = SWEEP_STEPS;

    if (!params->sweep)
        return params->busy_ns;
    if (time_ns && time_ns / params->interval_ns < steps)
        steps = time_ns / params->interval_ns;
    if (steps < 2)
        return params->interval_ns / 2;
    return params->interval_ns * (k % steps) / (steps - 1);
}

static uint64_t due(const struct sim_account *a, uint64_t k)
{
    return a->start_ns + k * a->interval_ns;
}

static uint64_t above(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static void add_latency(struct sim_account *a, uint64_t k, uint64_t late_ns, uint64_t total_ns)
{
    hist_add(a->latency, late_ns);
    hist_add(a->total, total_ns);
    series_add(a->series, k, late_ns);
    a->n_late += total_ns > a->late_after_ns;
}

/* When the timing thread woke, or, overwritten, when it was due. Reads the entry before `claimed`; the writer has
 * the opposite order. */
static uint64_t woke_at(const struct sim_account *a, const struct sim_ring *ring, uint64_t k)
{
    uint64_t woke = ring->woke_ns[k % SIM_RING];

    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return __atomic_load_n(&ring->claimed, __ATOMIC_RELAXED) > k + SIM_RING ? due(a, k) : woke;
}

uint64_t sim_begin(struct sim_account *a, uint64_t now_ns, uint64_t posted, const struct sim_ring *ring)
{
    uint64_t current = posted - 1, first = a->next, lost = current - first;

    for (uint64_t k = first + a->no_sleep; k <= current; k++)
        add_latency(a, k, above(now_ns, woke_at(a, ring, k)), above(now_ns, due(a, k)));
    a->burns_missed += lost;
    a->deadlines_missed += lost;
    a->next = current;
    return current;
}

void sim_end(struct sim_account *a, uint64_t now_ns, bool to_the_end)
{
    a->next++;
    a->burns_done++;
    if (now_ns <= due(a, a->next))
        a->deadlines_met++;
    else
        a->deadlines_missed++;
    a->no_sleep = to_the_end;
}

void sim_burst(struct sim_account *a, uint64_t number, uint64_t busy_ns, uint64_t took_ns)
{
    uint64_t excess = above(took_ns, busy_ns);

    add_latency(a, number, excess, excess);
    hist_add(a->classic, excess);
    a->burns_done++;
}

uint64_t sim_timer(uint64_t start_ns, uint64_t interval_ns, uint64_t first, uint64_t limit, uint64_t now_ns,
                   struct sim_ring *ring)
{
    uint64_t behind = first + 1;

    while (behind < limit && now_ns >= start_ns + behind * interval_ns)
        behind++;
    __atomic_store_n(&ring->claimed, (uint32_t)behind, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    for (uint64_t k = behind - first > SIM_RING ? behind - SIM_RING : first; k < behind; k++)
        ring->woke_ns[k % SIM_RING] = now_ns;
    return behind;
}

struct sim_turn sim_turn(const struct sim_params *params, uint64_t k, uint64_t time_ns)
{
    uint64_t busy = sim_busy_ns(params, k, time_ns), shift = params->sweep ? busy : 0;

    return (struct sim_turn){.busy_ns = busy, .interval_ns = params->interval_ns - shift, .shift_ns = shift};
}

void sim_turn_first(struct sim_account *a, uint64_t start_ns)
{
    a->deadline_ns = a->asked_ns = start_ns;
}

/* Moves a missed deadline after now_ns. Returns the intervals (turn->interval_ns) skipped. A latency is added for
 * each period (a->interval_ns): x's intervals shrink to nothing, its periods do not. */
static uint64_t skip(struct sim_account *a, const struct sim_turn *turn, uint64_t now_ns)
{
    uint64_t n = (now_ns - a->deadline_ns) / turn->interval_ns + 1;

    for (uint64_t missed_ns = a->deadline_ns; missed_ns <= now_ns; missed_ns += a->interval_ns)
        add_latency(a, a->next++, now_ns - missed_ns, now_ns - missed_ns);
    a->deadlines_missed += n;
    a->late_ns += n * turn->interval_ns;
    a->deadline_ns += n * turn->interval_ns;
    return n;
}

static void end_turn(struct sim_account *a, const struct sim_turn *turn)
{
    hist_add(a->classic, a->late_ns);
    a->asked_ns = turn->interval_ns ? a->deadline_ns : 0;
    a->deadline_ns += turn->shift_ns;
}

bool sim_turn_woken(struct sim_account *a, const struct sim_turn *turn, uint64_t now_ns, uint64_t woke_ns)
{
    uint64_t overslept = a->asked_ns ? above(woke_ns, a->asked_ns) : 0;

    if (a->asked_ns)
        add_latency(a, a->next++, above(now_ns, woke_ns), above(now_ns, a->asked_ns));
    a->late_ns = above(now_ns, a->deadline_ns + overslept);
    if (!turn->interval_ns || now_ns <= a->deadline_ns + turn->interval_ns)
        return true;
    a->deadline_ns += turn->interval_ns;
    a->burns_missed += skip(a, turn, now_ns);
    end_turn(a, turn);
    return false;
}

void sim_turn_done(struct sim_account *a, const struct sim_turn *turn, uint64_t now_ns)
{
    a->burns_done++;
    a->deadline_ns += turn->interval_ns;
    if (a->deadline_ns >= now_ns) {
        a->deadlines_met++;
    } else if (turn->interval_ns) {
        uint64_t n = skip(a, turn, now_ns);
        a->burns_missed += n > 1 ? n : 0; /* Interbench: one missed deadline is no missed work */
    }
    if (!turn->interval_ns)
        a->deadline_ns = now_ns;
    end_turn(a, turn);
}
