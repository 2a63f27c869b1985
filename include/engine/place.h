/* SPDX-License-Identifier: MIT */
/* Placement: which CPUs, policy, priority, nice value and memory layout a party is given, and what it really got. */
#ifndef ENGINE_PLACE_H
#define ENGINE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/cpuset.h"

enum bind_mode {
    BIND_ONE,   /* each copy on a CPU of its own, one to one */
    BIND_RANGE, /* each copy on all CPUs named */
    BIND_NONE,  /* not bound: as the kernel likes */
};
extern const char *const bind_names[]; /* "one", "range", "none", NULL */

/* What the user asked for, the same for all copies. */
struct place_request {
    struct cpuset cpus; /* the CPUs to use; never empty */
    struct cpuset online;
    unsigned order[CPUSET_MAX]; /* the same CPUs in the order in which copies take them */
    size_t n_order;
    enum bind_mode bind;
    bool bind_given; /* by the user: a benchmark's own habit must not override it */
    bool nice_given, fifo;
    int nice, fifo_priority;
    bool layout_fixed;
};

/* What one party is given. */
struct placement {
    struct cpuset cpus; /* empty: not bound */
    enum bind_mode bind;
    bool nice_given;
    int nice, policy, rt_priority;
    bool lock_memory;
    uint64_t timer_slack_ns; /* 0: left as it is */
    char refused[160];       /* what was not even tried and why; empty when nothing */
};

/* What the kernel said afterwards, read by the party itself. -1 (policy) means not known. */
struct placement_seen {
    struct cpuset cpus;
    int policy, rt_priority, nice;
    bool layout_fixed, fresh_exec;
    uint64_t timer_slack_ns;
};

/* The placement of copy number copy as the user asked for it. The engine takes SCHED_FIFO back from copies that would
 * leave no CPU to the rest of the machine (place_claim_full()). */
void place_copy(const struct place_request *request, unsigned copy, struct placement *out);

/* The CPUs that the FIFO parties of a trial can keep busy at one time. All zero: none. */
struct place_claim {
    struct cpuset bound; /* taken by parties that can be on no other CPU */
    struct cpuset wide;  /* where parties with a choice of CPUs can be */
    unsigned n_wide;     /* how many such parties there are; each takes one CPU */
};

/* Adds a party; one without SCHED_FIFO adds nothing. fills: what the party starts is SCHED_FIFO too, so that it can
 * take all CPUs of its mask at once. */
void place_claim_add(struct place_claim *claim, const struct placement *placement, bool fills,
                     const struct cpuset *online);
/* Whether these parties can keep all online CPUs busy at one time. */
bool place_claim_full(const struct place_claim *claim, const struct cpuset *online);
/* Makes a FIFO party a normal one, and says so in refused. */
void place_give_up_fifo(struct placement *placement);

/* Applies to the calling thread all but the policy, then (by place_apply_policy) the policy with its CPU time limit.
 * What the kernel refuses is appended to refused in words, and the rest is done. */
void place_apply(const struct placement *placement, char *refused, size_t size);
void place_apply_policy(const struct placement *placement, uint64_t realtime_limit_us, char *refused, size_t size);
void place_read_back(struct placement_seen *out);

#endif
