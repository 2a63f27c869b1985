/* SPDX-License-Identifier: MIT */
/* Reads the virtual counter of the generic timer. An ISB before the reading prevents an early reading. */
#ifndef SYS_COUNTER_H
#define SYS_COUNTER_H

#define COUNTER_NAME     "cntvct"
#define COUNTER_NOW_NAME "cntvct"
#define COUNTER_WAIT     "isb"
#define COUNTER_READ     "mrs %0, cntvct_el0"

#include "sys/counter_read.h"

#endif
