/* SPDX-License-Identifier: MIT */
/* Causes that disturbed a row: sums of the kernel's counters for the measured parties (processes and threads of a
 * benchmark) and for their CPUs, and the row's `causes` column. */
#ifndef ROWS_CAUSES_H
#define ROWS_CAUSES_H

#include <stddef.h>
#include <stdint.h>

#include "rows/row.h"
#include "rows/text.h"
#include "sys/machine.h"
#include "sys/task.h"

/* Maximum number of causes that a benchmark can measure itself. */
#define CAUSES_OWN 8

/* Sums over all trials; NAN when the value was not known in one of them. All zero: no trial yet. */
struct causes {
    double cpu_s, ctx_voluntary, ctx_involuntary, migrations, faults_minor, faults_major, run_delay_ms;
    double irqs, softirqs, steal_ms, timer, resched, ipi, device;
    struct {
        const char *name;
        double ms;
    } own[CAUSES_OWN];
    size_t n_own;
};

/* Adds a measured party's counters, the counters of its CPUs, or both: either may be NULL. */
void causes_add(struct causes *causes, const struct task_counters *task, const struct machine_counters *machine);

/* Adds time to a cause that the benchmark measured itself. The name is kept, not copied. Returns -1 when there are
 * CAUSES_OWN other causes already. */
int causes_add_own(struct causes *causes, const char *name, double ms);

/* Appends a cause to a row's causes. name has length bytes; number is in ms when is_time is true, otherwise a number of
 * events. Leaves the cause out if the number is NAN, the name empty or too long, or the table full. */
void row_cause_add(struct row_causes *causes, const char *name, size_t length, bool is_time, double number);

/* Fills a row's causes with times, followed by counts. The benchmark's own causes, if any, replace preempted and steal.
 * stopped is the number of samples in which a signal stopped something; it is left out when 0. Unknown values are left
 * out. */
void causes_fill(const struct causes *causes, uint64_t stopped, struct row_causes *out);

/* Appends the causes as they are in the CSV: "preempted:12.345;steal:0;timer=250;resched=3". */
void causes_text(const struct row_causes *causes, struct text *out);

#endif
