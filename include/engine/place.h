/* SPDX-License-Identifier: MIT */
/* Placement of a party (a process or thread of a trial): CPUs, policy, priority, nice value and memory layout, as
 * requested and as read back. */
#ifndef ENGINE_PLACE_H
#define ENGINE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/cpuset.h"

enum bind_mode {
    BIND_ONE,   /* each copy of the benchmark on one CPU; the copies take the CPUs in turn */
    BIND_RANGE, /* each copy of the benchmark on all of the CPUs */
    BIND_NONE,  /* not bound: the kernel chooses the CPU */
};
extern const char *const bind_names[]; /* names of the modes: "one", "range", "none", NULL */

/* Placement that the user asked for, the same for all copies of the benchmark. */
struct place_request {
    struct cpuset cpus; /* the CPUs to use; never empty */
    struct cpuset online;
    unsigned order[CPUSET_MAX]; /* the CPUs to use, in the order in which the copies of the benchmark take them */
    size_t n_order;
    enum bind_mode bind;
    bool bind_given; /* the user chose `bind`: the benchmark's own choice must not override it */
    bool nice_given, fifo;
    int nice, fifo_priority;
    bool layout_fixed;
};

/* Placement of one party (a process or thread of a trial). */
struct placement {
    struct cpuset cpus; /* CPUs of the party; empty: not bound */
    enum bind_mode bind;
    bool nice_given;
    int nice, policy, rt_priority;
    bool lock_memory;
    uint64_t timer_slack_ns; /* timer slack of the party; 0: unchanged */
    char refused[160];       /* settings that the program did not even try, and why; "": none */
};

/* Placement as the party itself read it back from the kernel. policy -1: not known. */
struct placement_seen {
    struct cpuset cpus;
    int policy, rt_priority, nice;
    bool layout_fixed, fresh_exec;
    uint64_t timer_slack_ns;
};

/* Fills the placement of a copy of the benchmark as the user asked for it. The engine later takes SCHED_FIFO back from
 * copies that would leave no CPU to the rest of the machine (place_claim_full()). */
void place_copy(const struct place_request *request, unsigned copy, struct placement *out);

/* As place_copy(), for a party that its benchmark binds to this CPU, whatever the user asked for. */
void place_one(const struct place_request *request, unsigned copy, unsigned cpu, struct placement *out);

/* CPUs that the FIFO parties of a trial can keep busy at one time. All zero: none. */
struct place_claim {
    struct cpuset bound; /* CPUs of parties that can run on one CPU only, or keep all of their CPUs busy */
    struct cpuset wide;  /* CPUs of parties that can run on several CPUs, but keep only one of them busy */
    unsigned n_wide;     /* number of parties whose CPUs are in `wide` */
};

/* Adds the CPUs that a party can keep busy; a party without SCHED_FIFO adds none. fills: the party starts processes
 * with SCHED_FIFO, so that it can keep all its CPUs busy at once. */
void place_claim_add(struct place_claim *claim, const struct placement *placement, bool fills,
                     const struct cpuset *online);
/* Returns whether the parties that were added can keep all online CPUs busy at one time. */
bool place_claim_full(const struct place_claim *claim, const struct cpuset *online);
/* Gives a party with SCHED_FIFO the normal policy instead, and says so in placement->refused. */
void place_give_up_fifo(struct placement *placement);

/* Set the placement of the calling thread: place_apply() all but the scheduling policy, place_apply_policy() then the
 * policy, with a limit on its real-time CPU time. What the kernel refuses is appended to refused in words, and the rest
 * is applied. */
void place_apply(const struct placement *placement, char *refused, size_t size);
void place_apply_policy(const struct placement *placement, uint64_t realtime_limit_us, char *refused, size_t size);
void place_read_back(struct placement_seen *out);

#endif
