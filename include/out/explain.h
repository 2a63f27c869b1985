/* SPDX-License-Identifier: MIT */
/* Names the causes that explain a change: preemption, stolen time, interrupts, a lower clock. */
#ifndef OUT_EXPLAIN_H
#define OUT_EXPLAIN_H

#include "engine/comparison.h"
#include "engine/text.h"
#include "out/pairs.h"

/* Appends "preempted 48.2 % of the time (base 0.1 %), CPU at 2000 MHz (base 3000)": the causes that by themselves would
 * make at least half of a change that was seen, with its sign. Steal counts only from five of the kernel's ticks of
 * 10 ms on. Appends nothing of a metric without direction, or when no cause is large enough. */
void explain_change(const struct pair *pair, const struct comparison *comparison, struct text *out);

#endif
