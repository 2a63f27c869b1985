/* SPDX-License-Identifier: MIT */
/* Included first in the sources of build/cli/stretched that read the counter: see tests/cli/stretched/clock.c. */
#ifndef TESTS_CLI_STRETCHED_H
#define TESTS_CLI_STRETCHED_H

#include "counter.h"

uint64_t stretched_counter(void);

#define counter_read stretched_counter
#define counter_now  stretched_counter

#endif
