/* SPDX-License-Identifier: MIT */
/* What may have disturbed the measurement of a result row: sums of the kernel's counters for the processes and threads
 * of the benchmark and for their CPUs, and the CSV column `causes`. */
#ifndef ROWS_CAUSES_H
#define ROWS_CAUSES_H

#include <stddef.h>
#include <stdint.h>

#include "rows/row.h"
#include "rows/text.h"
#include "sys/machine.h"
#include "sys/task.h"

/* Maximum number of causes of lost time that a benchmark measures itself. */
#define CAUSES_OWN 9

/* Sums over all trials of a measurement; NAN when the value is not known for one of them. All zero: no trial was added
 * yet. */
struct causes {
    double cpu_s, ctx_voluntary, ctx_involuntary, migrations, faults_minor, faults_major, run_delay_ms;
    double irqs, softirqs, steal_ms, timer, resched, ipi, device, throttled_ms;
    struct {
        const char *name;
        double ms;
    } own[CAUSES_OWN];
    size_t n_own;
};

/* Adds the counters of a process or thread of the benchmark (task), the counters of its CPUs (machine), or both: either
 * may be NULL. */
void causes_add(struct causes *causes, const struct task_counters *task, const struct machine_counters *machine);

/* Adds ms to a cause that the benchmark measured itself. Stores the pointer name, without a copy. Returns 0; or -1 when
 * there are CAUSES_OWN other causes already. */
int causes_add_own(struct causes *causes, const char *name, double ms);

/* Appends a cause to a row's causes. name has length bytes; number is in ms when is_time is true, otherwise a number of
 * events. Leaves the cause out if number is NAN, the name is empty or too long, or the table is full. */
void row_cause_add(struct row_causes *causes, const char *name, size_t length, bool is_time, double number);

/* Fills a row's causes: first times, then counts of events. If the benchmark measured causes itself, they replace the
 * kernel's times "quota", "preempted" and "steal". quota is the part of the time that tasks waited for a CPU in which a
 * quota stopped their control group, and is left out when there is none; "preempted" is the rest. stopped is the number
 * of samples in which a signal stopped a process; it is left out when 0. Unknown values are left out. */
void causes_fill(const struct causes *causes, uint64_t stopped, struct row_causes *out);

/* Appends the causes to a text in the form of the CSV: "preempted:12.345;steal:0;timer=250;resched=3". */
void causes_text(const struct row_causes *causes, struct text *out);

#endif
