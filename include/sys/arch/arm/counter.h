/* SPDX-License-Identifier: MIT */
/* Reads the virtual counter of the generic timer, 64 bits in two registers (Arm Architecture Reference Manual, ARMv7-A
 * and ARMv7-R edition, B8). An ISB before the reading prevents an early reading. */
#ifndef SYS_COUNTER_H
#define SYS_COUNTER_H

#define COUNTER_NAME     "cntvct"
#define COUNTER_NOW_NAME "cntvct"
#define COUNTER_WAIT     "isb"
#define COUNTER_READ     "mrrc p15, 1, %Q0, %R0, c14"

#include "sys/counter_read.h"

#endif
