/* SPDX-License-Identifier: MIT */
/* Reads the cycle counter, and the kernel's clocks in nanoseconds. */
#ifndef SYS_CLOCK_H
#define SYS_CLOCK_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "counter.h" /* counter_begin(), counter_end(), counter_now(), COUNTER_NAME */

enum clock_kind {
    CLOCK_KIND_COUNTER, /* the architecture's cycle counter, in ticks */
    CLOCK_KIND_GETTIME, /* clock_gettime(CLOCK_MONOTONIC_RAW), in nanoseconds */
};

struct clock_info {
    enum clock_kind kind;
    const char *name; /* "rdtscp", "cntvct", "rdtime", "mftb", "stckf", "clock_gettime" */
    const char *unit;
    char why[96]; /* why the counter is not used; "": it is, or the architecture has none */
};

/* CLOCK_MONOTONIC_RAW: not slewed by NTP. */
static inline uint64_t clock_raw_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The clock by which sleeps end. */
static inline uint64_t clock_monotonic_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Nanoseconds since 1970, by which runs on several machines start at once. */
static inline uint64_t clock_realtime_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Read before and after the code to be measured. kind is a constant at the call, so that no branch is left. */
static inline __attribute__((always_inline)) uint64_t clock_begin(enum clock_kind kind)
{
    return kind == CLOCK_KIND_COUNTER ? counter_begin() : clock_raw_ns();
}

static inline __attribute__((always_inline)) uint64_t clock_end(enum clock_kind kind)
{
    return kind == CLOCK_KIND_COUNTER ? counter_end() : clock_raw_ns();
}

/* Reads the clock without ordering it against the code around it. */
static inline __attribute__((always_inline)) uint64_t clock_now(enum clock_kind kind)
{
    return kind == CLOCK_KIND_COUNTER ? counter_now() : clock_raw_ns();
}

/* Chooses the cycle counter if user space can read it (which is tried) at a constant rate in all power states;
 * otherwise clock_gettime, with the reason in out->why. Not while other threads run: see clock_can_read(). */
void clock_choose(struct clock_info *out);

/* Calls read. Returns false when it ends in SIGILL, SIGSEGV or SIGBUS, as where kernel or hypervisor forbid reading
 * the counter. Replaces the process's handlers meanwhile: not while other threads run. */
bool clock_can_read(uint64_t (*read)(void));

/* Readings of both clocks at the same time, to some tens of nanoseconds: the quickest of several tries. */
struct clock_pair {
    uint64_t counter, raw_ns;
};
void clock_pair_read(enum clock_kind kind, struct clock_pair *out);

/* Returns ticks per second (1e9 for clock_gettime); 0 when the pairs are less than 1 ms apart or the later one is
 * smaller. */
double clock_hz(enum clock_kind kind, const struct clock_pair *from, const struct clock_pair *to);

/* Cost in ticks of two readings with nothing between, of 1,000 tries; grain: step in ticks by which the values grow. */
struct clock_cost {
    double min, median, grain;
};
void clock_cost_measure(enum clock_kind kind, struct clock_cost *out);

/* Returns the grain of n measured intervals of many lengths, which it sorts: the smallest difference above 1 between
 * neighbours, or 1 if most differ by 1. (A counter that the hypervisor scales up steps by, say, 24.45 ticks:
 * differences are 24, 25, and by rounding 1.) */
double clock_grain(uint64_t *intervals, size_t n);

/* A signal does not end the sleep. */
void clock_sleep_ns(uint64_t ns);
/* On CLOCK_MONOTONIC, since the kernel cannot sleep on CLOCK_MONOTONIC_RAW. Returns 0 or an error number. */
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
/* For waits in which a sleep would last too long or let the core fall idle. */
static inline void clock_spin_until(uint64_t raw_ns)
{
    while (clock_raw_ns() < raw_ns) {
    }
}

#endif
