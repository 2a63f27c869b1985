/* SPDX-License-Identifier: MIT */
/* What disturbed a row: the sums of what the kernel counted for its measured parties and on their CPUs, and the row's
 * `causes` made of them. */
#ifndef ENGINE_CAUSES_H
#define ENGINE_CAUSES_H

#include <stddef.h>
#include <stdint.h>

#include "sys/machine.h"
#include "sys/task.h"

/* Pairs that a benchmark measured by itself. */
#define CAUSES_OWN 8

/* Over all trials; NAN where it was not known in one of them. All zero: no trial yet. */
struct causes {
    double cpu_s, ctx_voluntary, ctx_involuntary, migrations, faults_minor, faults_major, run_delay_ms;
    double irqs, softirqs, steal_ms, timer, resched, ipi, device;
    struct {
        const char *name;
        double ms;
    } own[CAUSES_OWN];
    size_t n_own;
};

/* Adds a measured party's counters, those of its CPUs, or both: either may be NULL. */
void causes_add(struct causes *causes, const struct task_counters *task, const struct machine_counters *machine);

/* Adds to a cause that the benchmark measured by itself. The name is kept, not copied. -1 when there is no room. */
int causes_add_own(struct causes *causes, const char *name, double ms);

/* "cause:milliseconds" pairs, then "name=count" pairs, ';' between: "preempted:12.345;steal:0;timer=250;resched=3". The
 * benchmark's own causes, when it has any, stand in place of preempted and steal. stopped: samples that a signal
 * stopped, left out when there are none. What is not known is left out, and so is a pair for which there is no room.
 * Always terminated. */
void causes_format(const struct causes *causes, uint64_t stopped, char *buf, size_t size);

#endif
