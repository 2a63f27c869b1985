/* SPDX-License-Identifier: MIT */
/* `--cpus quiet`: finds the CPU that loses the least speed. */
#ifndef CMD_QUIET_H
#define CMD_QUIET_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/place.h"
#include "sys/clock.h"

/* Picks the one of n CPUs (at least 1) that loses the least: of its speed (slower), or of its time (lost) if slower is
 * NAN for all of them. Both are in %; NAN is worse than any number; of equal CPUs the first is picked. The boot CPU has
 * duties that a short sample may not show, so it is picked only if it is the only one, or if the best of the others
 * loses more than twice as much. why says in words what the CPU lost, what the noisiest lost, and what the boot CPU
 * lost if that was less and it was not picked. */
unsigned quiet_pick(const unsigned *cpus, const double *slower, const double *lost, size_t n, unsigned boot_cpu,
                    char *why, size_t why_size);

/* Samples all CPUs of the request at once for half a second, and picks one as quiet_pick() does, by the speed that
 * noise_slower_pct() gives. Without core_probes only the time lost is known. Returns 0 with the explanation in why; or
 * -1 with the reason of the failure in why. */
int quiet_cpu(const struct place_request *allowed, const struct clock_info *clock, bool core_probes, unsigned *cpu,
              char *why, size_t why_size);

#endif
