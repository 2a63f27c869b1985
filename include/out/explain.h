/* SPDX-License-Identifier: MIT */
/* Says which causes explain a change: preemption, steal time, interrupts, a shared core, a lower clock frequency. */
#ifndef OUT_EXPLAIN_H
#define OUT_EXPLAIN_H

#include "analysis/compare_pairs.h"
#include "analysis/compare_samples.h"
#include "rows/text.h"

/* Appends "preempted 48.2 % of the time (base 0.1 %), CPU at 2000 MHz (base 3000)": each cause that alone would account
 * for at least half of the observed change, in the same direction. Steal time is used only from 50 ms on, which is five
 * of the kernel's ticks. Appends nothing for a metric without a direction, or when no cause is large enough. */
void explain_change(const struct pair *pair, const struct comparison *comparison, struct text *out);

#endif
