/* SPDX-License-Identifier: MIT */
/* Counts of perf events for a result row: sums over all samples, and the CSV column `counters`. */
#ifndef ROWS_COUNTED_H
#define ROWS_COUNTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/counters.h"
#include "sys/task.h"

/* Sums of event counts; scaled: an estimate, since the event was not counted all the time. All zero: no sample was
 * added yet. */
struct counted {
    double sum[COUNTERS];
    bool scaled[COUNTERS];
    uint64_t known[COUNTERS], n; /* known: number of samples in which the event was counted; n: number of all samples,
                                  * one for each process or thread and trial */
    int error[COUNTERS];         /* -errno of the last sample in which the event was not counted; 0: none */
};

/* Adds the event counts of a process or thread of the benchmark in one sample. A software event that perf did not count
 * is taken from task, the kernel's other counters. */
void counted_add(struct counted *counted, const struct counts *counts, const struct task_counters *task);

/* Writes the sums as text:
 * "cycles=5;instructions=~7;ipc=1.4;task_clock_ms=3;not_counted=branch_misses+cache_misses;why=no PMU for them". '~'
 * marks an estimate (see struct counts in sys/counters.h). Writes "" when there are no samples. */
void counted_text(const struct counted *counted, char *buf, size_t size);

/* Finds the value of a key in a text of counted_text(), and its length. Returns NULL when the key is missing. */
const char *counted_value(const char *text, const char *key, size_t *length);

#endif
