/* SPDX-License-Identifier: MIT */
/* A clock that the test makes up: each reading of it takes a step, work takes what the test adds to now_ns, and a sleep
 * ends when it was to, or as much later as the test says. So what a measuring loop records is known beforehand, however
 * fast the machine is. The Makefile sends the calls of these programs here; while the clock is off, the time is the
 * kernel's. */
#ifndef TESTS_UNIT_MADE_UP_CLOCK_H
#define TESTS_UNIT_MADE_UP_CLOCK_H

#include "engine/engine.h"

/* Something else has the CPU: the reading that reaches this time comes so much later. */
struct made_up_jump {
    uint64_t at_ns, by_ns;
};

static struct {
    bool on;
    bool step_first; /* the step passes before the time is read; otherwise after it */
    uint64_t now_ns, step_ns;
    const struct made_up_jump *jumps; /* in order of time */
    size_t n_jumps;
    const struct party_context *stops; /* is stopped at this time; NULL: none */
    uint64_t stop_ns;
    const int64_t *late_ns; /* by how much the next sleeps end later than they were to */
    size_t n_late;
    int sleep_error;
    uint64_t slept; /* number of sleeps */
} made_up_clock;

/* The clock shows this time; its first reading comes a step later. */
static inline void made_up_clock_start(uint64_t now_ns, uint64_t step_ns)
{
    memset(&made_up_clock, 0, sizeof(made_up_clock));
    made_up_clock.on = made_up_clock.step_first = true;
    made_up_clock.now_ns = now_ns;
    made_up_clock.step_ns = step_ns;
}

/* Where `long` has 32 bits, calls with times of 64 bits have other names. */
#if __SIZEOF_LONG__ == 4
#define MADE_UP_NAME(prefix_, name_, name_of_32_) __asm__(#prefix_ #name_of_32_)
#else
#define MADE_UP_NAME(prefix_, name_, name_of_32_) __asm__(#prefix_ #name_)
#endif

int __real_clock_gettime(clockid_t clock, struct timespec *out) MADE_UP_NAME(__real_, clock_gettime, __clock_gettime64);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out) MADE_UP_NAME(__wrap_, clock_gettime, __clock_gettime64);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out)
{
    if (!made_up_clock.on)
        return __real_clock_gettime(clock, out);
    made_up_clock.now_ns += made_up_clock.step_first ? made_up_clock.step_ns : 0;
    for (; made_up_clock.n_jumps && made_up_clock.now_ns >= made_up_clock.jumps->at_ns; made_up_clock.n_jumps--)
        made_up_clock.now_ns += made_up_clock.jumps++->by_ns;
    if (made_up_clock.stops && made_up_clock.now_ns >= made_up_clock.stop_ns)
        party_stop_all(made_up_clock.stops);
    *out = (struct timespec){.tv_sec = (time_t)(made_up_clock.now_ns / 1000000000u),
                             .tv_nsec = (long)(made_up_clock.now_ns % 1000000000u)};
    made_up_clock.now_ns += made_up_clock.step_first ? 0 : made_up_clock.step_ns;
    return 0;
}

int __real_clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left)
    MADE_UP_NAME(__real_, clock_nanosleep, __clock_nanosleep_time64);
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left)
    MADE_UP_NAME(__wrap_, clock_nanosleep, __clock_nanosleep_time64);
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left)
{
    if (!made_up_clock.on)
        return __real_clock_nanosleep(clock, flags, until, left);
    assert_int_equal(clock, CLOCK_MONOTONIC);
    assert_int_equal(flags, TIMER_ABSTIME);
    made_up_clock.slept++;
    if (made_up_clock.sleep_error)
        return made_up_clock.sleep_error;
    const uint64_t until_ns = (uint64_t)until->tv_sec * 1000000000u + (uint64_t)until->tv_nsec;
    const int64_t late_ns = made_up_clock.n_late ? *made_up_clock.late_ns : 0;
    made_up_clock.late_ns += made_up_clock.n_late > 0;
    made_up_clock.n_late -= made_up_clock.n_late > 0;
    if (until_ns > made_up_clock.now_ns || late_ns)
        made_up_clock.now_ns = until_ns + (uint64_t)late_ns;
    return 0;
}

#endif
