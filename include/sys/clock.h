/* SPDX-License-Identifier: MIT */
/* Clocks: the cycle counter of the architecture, and CLOCK_MONOTONIC_RAW as the judge of its frequency. */
#ifndef SYS_CLOCK_H
#define SYS_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "counter.h" /* of the architecture: counter_begin(), counter_end(), counter_now(), COUNTER_NAME */

enum clock_kind {
    CLOCK_KIND_COUNTER, /* the machine's counter, in ticks */
    CLOCK_KIND_GETTIME, /* clock_gettime(CLOCK_MONOTONIC_RAW), in nanoseconds */
};

struct clock_info {
    enum clock_kind kind;
    const char *name; /* "rdtscp", "cntvct", "rdtime", "mftb", "stckf", "clock_gettime" */
    const char *unit; /* "cycles" for a counter, "ns" for clock_gettime */
    char why[96];     /* why the counter is not used; empty when it is, or when there is none */
};

/* CLOCK_MONOTONIC_RAW in nanoseconds: not slewed by NTP. */
static inline uint64_t clock_raw_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The time of day, CLOCK_REALTIME, in nanoseconds since 1970: for what is to happen on several machines at once. */
static inline uint64_t clock_realtime_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* One reading before the work and one after it. kind must be a constant at the call, so that the branch folds
 * away and nothing stands between the two readings but the work. */
static inline __attribute__((always_inline)) uint64_t clock_begin(enum clock_kind kind)
{
    return kind == CLOCK_KIND_COUNTER ? counter_begin() : clock_raw_ns();
}

static inline __attribute__((always_inline)) uint64_t clock_end(enum clock_kind kind)
{
    return kind == CLOCK_KIND_COUNTER ? counter_end() : clock_raw_ns();
}

/* One reading that keeps no order with the work around it, for a loop of nothing but readings. */
static inline __attribute__((always_inline)) uint64_t clock_now(enum clock_kind kind)
{
    return kind == CLOCK_KIND_COUNTER ? counter_now() : clock_raw_ns();
}

/* Chooses the clock of this machine: the counter when it is there, may be read from user space (which is tried out) and
 * runs at a constant rate in all states; otherwise clock_gettime, with the reason in why. Not while other threads run:
 * see clock_can_read(). */
void clock_choose(struct clock_info *out);

/* False when read ends in SIGILL, SIGSEGV or SIGBUS, as where kernel or hypervisor keep the counter to themselves. Sets
 * the process's actions for these for the moment, and puts them back: not while other threads run. */
bool clock_can_read(uint64_t (*read)(void));

/* One simultaneous reading of both clocks: the tightest of several tries, good to some ten nanoseconds. */
struct clock_pair {
    uint64_t counter, raw_ns;
};
void clock_pair_read(enum clock_kind kind, struct clock_pair *out);

/* Ticks a second from two pairs (always 1e9 for clock_gettime). 0 when the pairs are less than 1 ms apart
 * or run backwards. */
double clock_hz(enum clock_kind kind, const struct clock_pair *from, const struct clock_pair *to);

/* The cost of a pair of readings with nothing between, in ticks: least and median of 1,000 tries; and the grain: the
 * clock's values come in steps of it. */
struct clock_cost {
    double min, median, grain;
};
void clock_cost_measure(enum clock_kind kind, struct clock_cost *out);

/* The grain from n intervals of many lengths, which it sorts: the least difference of two of them above 1, unless most
 * neighbours differ by 1. (A counter that the hypervisor scales up steps by, say, 24.45 ticks: differences of 24 and
 * 25, and of 1 by rounding.) */
double clock_grain(uint64_t *intervals, size_t n);

/* Sleeps for ns, through interruptions by signals. */
void clock_sleep_ns(uint64_t ns);

#endif
