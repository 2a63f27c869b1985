/* SPDX-License-Identifier: MIT */
/* Options of other programs, for error messages of commands that replace these programs. */
#ifndef CMD_FOREIGN_H
#define CMD_FOREIGN_H

#include "engine/option.h"

extern const struct option_foreign foreign_cyclictest[]; /* options of cyclictest, for latency and noise */
extern const struct option_foreign foreign_wakeup[];     /* those that wakeup does not have */
extern const struct option_foreign foreign_hyperfine[];  /* options of hyperfine, for run */

#endif
