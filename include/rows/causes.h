/* SPDX-License-Identifier: MIT */
/* What may have disturbed a row's measurement: sums of the kernel's counters for the benchmark's processes, threads
 * and CPUs, and the CSV column `causes`. */
#ifndef ROWS_CAUSES_H
#define ROWS_CAUSES_H

#include <stddef.h>
#include <stdint.h>

#include "rows/row.h"
#include "rows/text.h"
#include "sys/machine.h"
#include "sys/task.h"

/* Causes that a benchmark measures itself. */
#define CAUSES_OWN 9

/* Over all trials; NAN when not known for one. All zero: none yet. */
struct causes {
    double cpu_s, ctx_voluntary, ctx_involuntary, migrations, faults_minor, faults_major, run_delay_ms;
    double irqs, softirqs, steal_ms, timer, resched, ipi, device, throttled_ms;
    struct {
        const char *name;
        double ms;
    } own[CAUSES_OWN];
    size_t n_own;
};

/* Adds the counters of a process or thread, of its CPUs, or both: either may be NULL. */
void causes_add(struct causes *causes, const struct task_counters *task, const struct machine_counters *machine);

/* Adds ms to such a cause; name is not copied. Returns 0; or -1 when there are CAUSES_OWN others. */
int causes_add_own(struct causes *causes, const char *name, double ms);

/* number: ms when is_time, otherwise events. Left out when NAN, the name (length bytes) is empty or too long, or the
 * table is full. */
void row_cause_add(struct row_causes *causes, const char *name, size_t length, bool is_time, double number);

/* First times, then counts of events. Causes that the benchmark measured replace the times "quota" (a quota stopped
 * the control group; left out without one), "preempted" (other waiting for a CPU) and "steal". stopped: samples in
 * which a signal stopped a process. Unknown values, and 0 stopped, are left out. */
void causes_fill(const struct causes *causes, uint64_t stopped, struct row_causes *out);

/* "preempted:12.345;steal:0;timer=250;resched=3" */
void causes_text(const struct row_causes *causes, struct text *out);

#endif
