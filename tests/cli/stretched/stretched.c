/* SPDX-License-Identifier: MIT */
/* The program on a core whose clock frequency falls to two thirds for half of the time: by a clock and a counter that
 * then run half as fast again, all that the core does takes longer. */
#include "stretched.h"

#include <time.h>

#define HALF_NS 40000000u
#define STEP_NS 10u

int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    const int result = __real_clock_gettime(clock, time);

    if (clock != CLOCK_MONOTONIC_RAW || result)
        return result;
    const uint64_t ns = (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec, rest = ns % (2 * HALF_NS);
    const uint64_t slow = ns / (2 * HALF_NS) * HALF_NS + (rest > HALF_NS ? rest - HALF_NS : 0);
    *time = (struct timespec){(time_t)((ns + slow / 2) / 1000000000u), (long)((ns + slow / 2) % 1000000000u)};
    return 0;
}

/* In steps, as counters have. */
uint64_t stretched_counter(void)
{
    struct timespec time;

    (void)__wrap_clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    const uint64_t ns = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
    return ns - ns % STEP_NS;
}
