/* SPDX-License-Identifier: MIT */
/* Clocks, and the core probe. */
#ifndef SYS_CLOCK_H
#define SYS_CLOCK_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* What stands between two readings of a clock has no call. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

#include "counter.h" /* counter_read(), counter_now(), COUNTER_NAME, COUNTER_CPU */

#ifndef COUNTER_NOW_NAME /* of the instruction of counter_now() */
#define COUNTER_NOW_NAME COUNTER_NAME
#endif

#ifndef COUNTER_CPU /* bits of the CPU */
#define COUNTER_CPU            0u
#define counter_read_cpu(cpu_) (*(cpu_) = 0, counter_read())
#endif

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

ALWAYS_INLINE uint64_t clock_read_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* CLOCK_MONOTONIC_RAW: not slewed by NTP. */
static inline uint64_t clock_raw_ns(void)
{
    return clock_read_ns(CLOCK_MONOTONIC_RAW);
}

/* The clock by which sleeps end. */
static inline uint64_t clock_monotonic_ns(void)
{
    return clock_read_ns(CLOCK_MONOTONIC);
}

/* Nanoseconds since 1970, by which runs on several machines start at once. */
static inline uint64_t clock_realtime_ns(void)
{
    return clock_read_ns(CLOCK_REALTIME);
}

/* Read before and after the code to be measured. kind is a constant at the call, so that no branch is left. */
ALWAYS_INLINE uint64_t clock_begin(enum clock_kind kind)
{
    return kind == CLOCK_KIND_COUNTER ? counter_read() : clock_raw_ns();
}

ALWAYS_INLINE uint64_t clock_end(enum clock_kind kind)
{
    return kind == CLOCK_KIND_COUNTER ? counter_read() : clock_raw_ns();
}

/* *cpu: as by counter_read_cpu(), or 0. */
ALWAYS_INLINE uint64_t clock_end_cpu(enum clock_kind kind, uint32_t *cpu)
{
    *cpu = 0;
    return kind == CLOCK_KIND_COUNTER ? counter_read_cpu(cpu) : clock_raw_ns();
}

/* Reads the clock without ordering it against the code around it. */
ALWAYS_INLINE uint64_t clock_now(enum clock_kind kind)
{
    return kind == CLOCK_KIND_COUNTER ? counter_now() : clock_raw_ns();
}

/* Chooses the cycle counter if user space can read it (which is tried) at a constant rate in all power states;
 * otherwise clock_gettime, with the reason in out->why. Not while other threads run: see clock_can_read(). */
void clock_choose(struct clock_info *out);

/* Returns why the processor's counter has no constant rate, or is missing; "": nothing is known against it. */
const char *arch_counter_refused(void);

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
 * neighbours, or 1 if most differ by 1. (A scaled counter may step by 24.45 ticks: differences are 24, 25, and 1.) */
double clock_grain(uint64_t *intervals, size_t n);

static inline struct timespec clock_timespec(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
}

/* A signal does not end the sleep. */
void clock_sleep_ns(uint64_t ns);
/* On CLOCK_MONOTONIC, since the kernel cannot sleep on CLOCK_MONOTONIC_RAW. Returns 0 or an error number. */
static inline int clock_sleep_until(uint64_t monotonic_ns)
{
    const struct timespec t = clock_timespec(monotonic_ns);
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

/* The loops that the core probe times, in assembly, so that every build runs the same instructions. */

/* blocks (at least 1) times CORE_BLOCK_ADDS additions in six independent chains, enough to keep all adders busy. */
#define CORE_BLOCK_ADDS 600u
void core_work_adds(uint64_t blocks);

/* blocks (at least 1) times CORE_BLOCK_LINKS operations, each of which needs the result before it and takes
 * core_link_cycles clock cycles (0: this architecture lacks both loops) even if another thread uses the core:
 * multiplications on x86-64 (three cycles since 2008; the other thread would delay single-cycle operations),
 * exclusive-ors elsewhere (one cycle; multiplication varies there). Newer cores eliminate chains of additions at
 * register renaming. */
#define CORE_BLOCK_LINKS 300u
extern const unsigned core_link_cycles;
void core_work_chain(uint64_t blocks);

/* Measures which share of its physical core a CPU (hardware thread) gets right now: it times independent additions,
 * which take up to twice as long while the core's other thread is busy, in cycles of the core: a chain right before
 * them shows its frequency. No counter of a virtual machine shows that. Takes two microseconds, needs no privileges. */

/* A level is the time of the additions in cycles, divided by core_probe.unit; the last level stands for all longer
 * times. A CPU that has the core to itself is at level 50 where the core does six additions a cycle, at 75 where it
 * does four; while two hardware threads share the core, up to twice that. */
#define CORE_LEVELS 256u

struct core_probe {
    uint32_t blocks; /* blocks of CORE_BLOCK_ADDS additions; 0: no probe on this machine, reason in why */
    uint32_t chain;  /* blocks of CORE_BLOCK_LINKS operations */
    double empty;    /* ticks between two readings with nothing between them */
    double unit;     /* cycles per level: 1/50 of the shortest probe possible, or one step of the counter where that is
                      * more */
    char why[96];
};

struct core_reading {
    uint32_t level;
    /* Cycles of the core per tick, by the faster one of the chains of this probe and of the one before (chain: this
     * one's). A chain that was interrupted would make the core look slow, and free. */
    double cycles_per_tick, chain;
};

/* Makes a probe take at least 50 steps of the counter. Takes less than a millisecond. */
void core_probe_init(struct core_probe *probe, const struct clock_info *clock);

/* Takes a probe on the current CPU. reading: the one before, or zeros; gets the result. */
void core_probe_take(const struct core_probe *probe, struct core_reading *reading);

/* Returns the additions per clock cycle in a probe of this level (above 0). */
double core_probe_width(const struct core_probe *probe, unsigned level);

#endif
