/* SPDX-License-Identifier: MIT */
/* The time base by MFTB: one constant rate, the same on all CPUs (Power ISA, book II, chapter 5). ISYNC waits until
 * all earlier instructions have completed. */
#ifndef SYS_COUNTER_H
#define SYS_COUNTER_H

#define COUNTER_NAME "mftb"
#define COUNTER_WAIT "isync"
#define COUNTER_READ "mftb %0"

#include "sys/counter_read.h"

#endif
