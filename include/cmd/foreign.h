/* SPDX-License-Identifier: MIT */
/* Options of other programs, for the error lines of commands that take the place of these programs. */
#ifndef CMD_FOREIGN_H
#define CMD_FOREIGN_H

#include "engine/option.h"

extern const struct option_foreign foreign_cyclictest[]; /* for latency and noise */
extern const struct option_foreign foreign_hyperfine[];  /* for run */

#endif
