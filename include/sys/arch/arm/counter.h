/* SPDX-License-Identifier: MIT */
/* The virtual counter of the generic timer, 64 bits in two registers (Arm Architecture Reference Manual, ARMv7-A and
 * ARMv7-R edition, B8), with an ISB against an early reading. */
#ifndef SYS_COUNTER_H
#define SYS_COUNTER_H

#define COUNTER_NAME "cntvct"
#define COUNTER_WAIT "isb"
#define COUNTER_READ "mrrc p15, 1, %Q0, %R0, c14"

#include "sys/counter_read.h"

#endif
