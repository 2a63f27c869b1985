/* SPDX-License-Identifier: MIT */
/* Clocks: the cycle counter of the architecture, and CLOCK_MONOTONIC_RAW as the reference for its frequency. */
#ifndef SYS_CLOCK_H
#define SYS_CLOCK_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "counter.h" /* the architecture's counter: counter_begin(), counter_end(), counter_now(), COUNTER_NAME */

enum clock_kind {
    CLOCK_KIND_COUNTER, /* the architecture's cycle counter, in ticks */
    CLOCK_KIND_GETTIME, /* clock_gettime(CLOCK_MONOTONIC_RAW), in nanoseconds */
};

struct clock_info {
    enum clock_kind kind;
    const char *name; /* name of the counter: "rdtscp", "cntvct", "rdtime", "mftb", "stckf", "clock_gettime" */
    const char *unit; /* "cycles" for a counter, "ns" for clock_gettime */
    char why[96];     /* why the counter is not used; empty when it is, or when the architecture has none */
};

/* Returns CLOCK_MONOTONIC_RAW in nanoseconds: not slewed by NTP. */
static inline uint64_t clock_raw_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Returns CLOCK_MONOTONIC, the clock of sleeps, in nanoseconds. */
static inline uint64_t clock_monotonic_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Returns the time of day, CLOCK_REALTIME, in nanoseconds since 1970: for starting on several machines at once. */
static inline uint64_t clock_realtime_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Take the reading before the work and the one after it. kind must be a constant at the call, so that the branch is
 * optimised away and nothing but the work lies between the two readings. */
static inline __attribute__((always_inline)) uint64_t clock_begin(enum clock_kind kind)
{
    return kind == CLOCK_KIND_COUNTER ? counter_begin() : clock_raw_ns();
}

static inline __attribute__((always_inline)) uint64_t clock_end(enum clock_kind kind)
{
    return kind == CLOCK_KIND_COUNTER ? counter_end() : clock_raw_ns();
}

/* Takes one reading that is not ordered against the work around it, for a loop of readings only. */
static inline __attribute__((always_inline)) uint64_t clock_now(enum clock_kind kind)
{
    return kind == CLOCK_KIND_COUNTER ? counter_now() : clock_raw_ns();
}

/* Chooses the clock of this machine: the counter when it exists, can be read from user space (which is tried) and
 * has a constant rate in all states; otherwise clock_gettime, with the reason in why. Must not be called while other
 * threads run: see clock_can_read(). */
void clock_choose(struct clock_info *out);

/* Returns false when read ends in SIGILL, SIGSEGV or SIGBUS, as it does where the kernel or hypervisor forbids
 * reading the counter. Replaces the process's actions for these signals meanwhile: must not be called while other
 * threads run. */
bool clock_can_read(uint64_t (*read)(void));

/* Simultaneous readings of the chosen clock and of CLOCK_MONOTONIC_RAW: the tightest of several tries, accurate to some
 * tens of nanoseconds. */
struct clock_pair {
    uint64_t counter, raw_ns;
};
void clock_pair_read(enum clock_kind kind, struct clock_pair *out);

/* Returns the ticks per second between two pairs of readings (always 1e9 for clock_gettime). 0 when the pairs are less
 * than 1 ms apart or run backwards. */
double clock_hz(enum clock_kind kind, const struct clock_pair *from, const struct clock_pair *to);

/* Cost of a pair of readings with nothing between, in ticks: minimum and median of 1,000 tries; and the grain, the
 * step size of the clock's values. */
struct clock_cost {
    double min, median, grain;
};
void clock_cost_measure(enum clock_kind kind, struct clock_cost *out);

/* Returns the grain from n intervals of many lengths, which it sorts: the smallest difference above 1 between two of
 * them, or 1 if most neighbours differ by 1. (A counter that the hypervisor scales up steps by, say, 24.45 ticks:
 * differences are 24, 25, and by rounding 1.) */
double clock_grain(uint64_t *intervals, size_t n);

/* Sleeps for ns nanoseconds; a signal does not end the sleep. */
void clock_sleep_ns(uint64_t ns);
/* The same until a time of CLOCK_MONOTONIC: the kernel cannot sleep on CLOCK_MONOTONIC_RAW. Returns 0 or an error
 * number. */
static inline int clock_sleep_until(uint64_t monotonic_ns)
{
    const struct timespec t = {.tv_sec = (time_t)(monotonic_ns / 1000000000u),
                               .tv_nsec = (long)(monotonic_ns % 1000000000u)};
    int error;

    do
        error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
    while (error == EINTR);
    return error;
}
/* Spins until a time of CLOCK_MONOTONIC_RAW, where a sleep would be too long or let the core go cold. */
static inline void clock_spin_until(uint64_t raw_ns)
{
    while (clock_raw_ns() < raw_ns) {
    }
}

#endif
