/* SPDX-License-Identifier: MIT */
/* Reads the time CSR by RDTIME: a constant-rate counter, the same on all harts. A FENCE before it orders memory
 * accesses. */
#ifndef SYS_COUNTER_H
#define SYS_COUNTER_H

#define COUNTER_NAME     "rdtime"
#define COUNTER_NOW_NAME "rdtime"
#define COUNTER_WAIT     "fence"
#define COUNTER_READ     "rdtime %0"

#include "sys/counter_read.h"

#endif
