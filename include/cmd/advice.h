/* SPDX-License-Identifier: MIT */
/* Prints the advice of `jitbench check`. */
#ifndef CMD_ADVICE_H
#define CMD_ADVICE_H

#include "settings/advice.h"

/* Appends "What to do" and n pieces of advice. Commands stay on one line, so that they can be copied; other text is
 * wrapped at `width` characters. Appends nothing when n is 0. */
void advice_print(const struct advice *advice, size_t n, size_t width, struct text *out);

#endif
