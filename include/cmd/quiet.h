/* SPDX-License-Identifier: MIT */
/* `--cpus quiet`: finds the CPU that loses the least speed. */
#ifndef CMD_QUIET_H
#define CMD_QUIET_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/place.h"
#include "sys/clock.h"

/* Picks one of n CPUs (at least 1) by the share of its speed that each loses, or where that is not known (NAN) of any,
 * by the share of its time: the one that loses least, without the boot CPU, whose duties a short sample may not show. A
 * CPU of which it is not known is worse than all others. The boot CPU is picked only when it is the only one, or when
 * the best of the others loses more than twice as much. Of equal CPUs the first. Both shares are in %. why says in
 * words what the CPU lost, what the noisiest lost, and what the boot CPU lost if that was less and it was not picked.
 */
unsigned quiet_pick(const unsigned *cpus, const double *slower, const double *lost, size_t n, unsigned boot_cpu,
                    char *why, size_t why_size);

/* Samples all CPUs of the request at once for half a second, and picks one: by noise_slower_pct(), or where that is not
 * known of any, or without core_probes, by the time lost. Returns 0 with the explanation in why; or -1 with the reason
 * of the failure in why. */
int quiet_cpu(const struct place_request *allowed, const struct clock_info *clock, bool core_probes, unsigned *cpu,
              char *why, size_t why_size);

#endif
