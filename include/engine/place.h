/* SPDX-License-Identifier: MIT */
/* Placement of a party: CPUs, policy, priority, nice value and memory layout, as requested and as read back. */
#ifndef ENGINE_PLACE_H
#define ENGINE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/cpuset.h"

enum bind_mode {
    BIND_ONE,   /* each copy on one CPU, in turn */
    BIND_RANGE, /* each copy on all of the CPUs */
    BIND_NONE,  /* the kernel chooses */
};
extern const char *const bind_names[]; /* "one", "range", "none", NULL */

/* As the user asked, for all copies. */
struct place_request {
    struct cpuset cpus; /* never empty */
    struct cpuset online;
    unsigned order[CPUSET_MAX]; /* the CPUs in the order of the copies */
    size_t n_order;
    enum bind_mode bind;
    bool bind_given; /* the user chose `bind`, the benchmark must not override it */
    bool nice_given, fifo;
    int nice, fifo_priority;
    bool layout_fixed;
};

struct placement {
    struct cpuset cpus; /* empty: not bound */
    enum bind_mode bind;
    bool nice_given;
    int nice, policy, rt_priority;
    bool lock_memory;
    uint64_t timer_slack_ns; /* 0: unchanged */
    char refused[160];       /* what was not even tried, and why; "": nothing */
};

/* Read back from the kernel by the party. policy -1: not known. */
struct placement_seen {
    struct cpuset cpus;
    int policy, rt_priority, nice;
    bool layout_fixed, fresh_exec;
    uint64_t timer_slack_ns;
};

/* As the user asked. The engine later takes SCHED_FIFO from copies that would leave no CPU free
 * (place_claim_full()). */
void place_copy(const struct place_request *request, unsigned copy, struct placement *out);

/* For a party that its benchmark binds to this CPU, whatever the user asked for. */
void place_one(const struct place_request *request, unsigned copy, unsigned cpu, struct placement *out);

/* CPUs that FIFO parties can keep busy at one time. All zero: none. */
struct place_claim {
    struct cpuset bound; /* of parties that keep all their CPUs busy */
    struct cpuset wide;  /* of parties that keep one of several busy */
    unsigned n_wide;     /* parties of `wide` */
};

/* Adds what a party can keep busy: nothing without SCHED_FIFO. fills: it starts FIFO processes, and so can fill all
 * its CPUs. */
void place_claim_add(struct place_claim *claim, const struct placement *placement, bool fills,
                     const struct cpuset *online);
/* Returns whether the parties can keep all online CPUs busy at one time. */
bool place_claim_full(const struct place_claim *claim, const struct cpuset *online);
/* Gives the normal policy, and says so in placement->refused. */
void place_give_up_fifo(struct placement *placement);

/* For the calling thread: place_apply() all but the policy, then place_apply_policy() that, with a limit on its
 * real-time CPU time. What the kernel refuses is appended to refused in words. */
void place_apply(const struct placement *placement, char *refused, size_t size);
void place_apply_policy(const struct placement *placement, uint64_t realtime_limit_us, char *refused, size_t size);
void place_read_back(struct placement_seen *out);

#endif
