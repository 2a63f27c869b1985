/* SPDX-License-Identifier: MIT */
/* What a careful reader would notice in the rows, in words. */
#ifndef OUT_WARNINGS_H
#define OUT_WARNINGS_H

#include "engine/row.h"
#include "engine/text.h"

/* Appends one line for each kind of warning, naming the worst case and how many there are. About the headline rows:
 * samples that spread over 10 %, a first sample slower than the rest, drift between the halves, an interval wider than
 * 2 % of the mean, a clock too coarse for what it timed. About the CPUs of noise: a sampler that was blind for 1 % of
 * the time or more. more is the option that would bring more samples: "--runs". */
void warnings_collect(const struct row *rows, size_t n, const char *more, struct text *out);

#endif
