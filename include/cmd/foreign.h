/* SPDX-License-Identifier: MIT */
/* Options of other programs that jitbench does not have. When a user gives one of them, the error message names the
 * option of jitbench for the same purpose. */
#ifndef CMD_FOREIGN_H
#define CMD_FOREIGN_H

#include "engine/option.h"

extern const struct option_foreign foreign_cyclictest[]; /* options of cyclictest, which latency and noise refuse */
extern const struct option_foreign foreign_wakeup[];     /* options of cyclictest, which wakeup refuses */
extern const struct option_foreign foreign_hyperfine[];  /* options of hyperfine, which run refuses */

#endif
