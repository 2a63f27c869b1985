/* SPDX-License-Identifier: MIT */
/* The virtual counter of the generic timer, with an ISB against an early reading. */
#ifndef SYS_COUNTER_H
#define SYS_COUNTER_H

#define COUNTER_NAME "cntvct"
#define COUNTER_WAIT "isb"
#define COUNTER_READ "mrs %0, cntvct_el0"

#include "sys/counter_read.h"

#endif
