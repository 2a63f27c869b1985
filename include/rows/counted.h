/* SPDX-License-Identifier: MIT */
/* Sums of perf event counts over the samples of a row, and the CSV column `counters`. */
#ifndef ROWS_COUNTED_H
#define ROWS_COUNTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/counters.h"
#include "sys/task.h"

/* scaled: an estimate, not counted all the time. All zero: no sample yet. */
struct counted {
    double sum[COUNTERS];
    bool scaled[COUNTERS];
    uint64_t known[COUNTERS], n; /* known: samples in which the event was counted; n: all, one for each process or
                                  * thread and trial */
    int error[COUNTERS];         /* -errno of the last sample in which it was not counted; 0: none */
};

/* Adds one sample. A software event that perf did not count is taken from task. */
void counted_add(struct counted *counted, const struct counts *counts, const struct task_counters *task);

/* "cycles=5;instructions=~7;ipc=1.4;task_clock_ms=3;not_counted=branch_misses+cache_misses;why=no PMU for them"; '~'
 * marks an estimate; "" without samples. */
void counted_text(const struct counted *counted, char *buf, size_t size);

/* Returns NULL when the key is missing. */
const char *counted_value(const char *text, const char *key, size_t *length);

#endif
