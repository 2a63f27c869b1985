/* SPDX-License-Identifier: MIT */
/* jitbench noise --who: a second window of the noise sampler, in which the kernel records what runs on each CPU. */
#ifndef BENCH_WHO_H
#define BENCH_WHO_H

#include "bench/list.h"
#include "engine/who.h"

/* Shorter detours are not looked at: entry, handler and exit of an interrupt take longer. */
#define WHO_LEAST_NS 1000u

struct who_params {
    uint64_t threshold_ns;      /* only longer detours are looked at */
    uint64_t stop_ns;           /* the run ends with a detour of this length; 0: with its time */
    uint64_t ring_bytes, spans; /* by CPU: size of the ring, and number of detours that can be kept */
    struct trace_events events;
};

/* Sets ring and number of detours for windows of that length on so many CPUs, within a share of the memory. */
void who_sizes(struct who_params *params, uint64_t time_ns, size_t cpus, uint64_t memory_bytes);

/* With stop_ns the window is the last part of the run, of this length; longer if the last detour was. */
#define WHO_LAST_NS 10000000u

/* A taker as it leaves the worker. */
struct who_entry {
    uint8_t kind;    /* enum who_kind */
    uint8_t kernel;  /* a kernel thread */
    uint32_t tid;    /* of a task */
    uint64_t number; /* as in struct who_taker */
    uint64_t n, ns, max_ns;
    char name[TRACE_NAME_SIZE]; /* "" when not known */
    float cell[WHO_CELLS];
};
#define WHO_ENTRIES 48u
/* The name of a task that one CPU recorded, or that the task had before the window; it may have run on other CPUs, and
 * it may have ended. */
struct who_name {
    uint32_t tid;
    uint8_t kernel; /* a kernel thread */
    char name[16];
};
#define WHO_NAMES 256u
struct who_report {
    uint64_t observed_ns, lost_ns; /* length of the window; time of the detours in it */
    uint64_t records_lost;
    uint32_t cpu, n;
    uint32_t counted; /* nothing could be recorded: CPU times of the machine's tasks, counts of the interrupts */
    uint32_t n_names;
    uint64_t stopped_ns,
        begun_ns; /* the detour that ended the run: its length (0: none did), its start in the window */
    uint32_t n_pieces;
    uint32_t outside; /* of another PID namespace than the first: tasks without number need not be idle */
    struct who_entry entry[WHO_ENTRIES];
    struct who_name named[WHO_NAMES];
    struct who_piece piece[WHO_PIECES]; /* from: since the window's start; taker: index of its entry */
};

/* One row's worth: what has the same name on all CPUs. */
struct who_line {
    char kind[12], name[48], work[TRACE_NAME_SIZE];
    uint32_t tid, tasks; /* a task; how many have the name */
    uint64_t number;
    double n, ns, max_ns;
    float cell[WHO_CELLS];
    uint64_t entries; /* bits: which entries of the first report have the name */
    struct cpuset cpus;
};
/* Joins the reports of all CPUs by name, the most time first. functions: names of addresses (tasks_kernel_functions()),
 * called once. The caller frees *lines. Returns their number; 0 when out of memory. */
size_t who_join(const struct who_report *const *reports, size_t n,
                void (*functions)(const uint64_t *addresses, size_t n, char (*names)[TRACE_NAME_SIZE]),
                struct who_line **lines);

enum {
    WHO_METRIC_DISTURBED,
    WHO_METRIC_UNSEEN,
    WHO_METRIC_RECORDS_LOST,
    WHO_METRIC_TAKEN,
    WHO_METRIC_TIMES,
    WHO_METRIC_LONGEST,
    WHO_N_METRICS
};

#endif
