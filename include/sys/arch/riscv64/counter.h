/* SPDX-License-Identifier: MIT */
/* The time CSR by RDTIME: one constant rate on all harts. FENCE orders memory accesses before it. */
#ifndef SYS_COUNTER_H
#define SYS_COUNTER_H

#define COUNTER_NAME "rdtime"
#define COUNTER_WAIT "fence"
#define COUNTER_READ "rdtime %0"

#include "sys/counter_read.h"

#endif
