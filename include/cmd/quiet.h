/* SPDX-License-Identifier: MIT */
/* `--cpus quiet`: the CPU that loses the least of its time. */
#ifndef CMD_QUIET_H
#define CMD_QUIET_H

#include <stddef.h>

#include "engine/place.h"
#include "sys/clock.h"

/* Which of n CPUs (1 at least), by the share of its time that each loses (NAN: not known, the worst of all): the
 * quietest but for the boot CPU, which has duties that a moment does not show; that one only when it is alone, or the
 * best of the others loses more than twice as much. Of equals the first. */
unsigned quiet_pick(const unsigned *cpus, const double *lost, size_t n, unsigned boot_cpu);

/* Why that one was picked, in words: what it lost, what the noisiest lost, and what the boot CPU lost where that was
 * less and another was picked all the same. */
void quiet_explain(const unsigned *cpus, const double *lost, size_t n, unsigned boot_cpu, unsigned picked, char *why,
                   size_t why_size);

/* Samples all CPUs of the request at once for half a second, and picks one. 0, and why says in words what decided; or
 * -1 with the reason why that could not be found out. */
int quiet_cpu(const struct place_request *allowed, const struct clock_info *clock, unsigned *cpu, char *why,
              size_t why_size);

#endif
