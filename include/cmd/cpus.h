/* SPDX-License-Identifier: MIT */
/* The meaning of --cpus, for all commands that have it. */
#ifndef CMD_CPUS_H
#define CMD_CPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/option.h"
#include "sys/cpuset.h"
#include "sys/machine.h"

/* The words that --cpus accepts in place of a list of CPUs. */
enum { CPUS_ALL, CPUS_QUIET };
extern const char *const cpus_choices[];

/* Returns whether the kernel allows this process to run on exactly these CPUs; if not, usable has those that it allows.
 * Determined by trying, because an isolated CPU is missing in the affinity mask but may be used, and a cpuset cgroup
 * may forbid a CPU that is online. */
bool cpus_usable(const struct cpuset *wanted, struct cpuset *usable);

/* Sets out to the CPUs of the affinity mask; if it cannot be read, to the online CPUs, or to CPU 0. Never empty. */
void cpus_of_mask(const struct cpuset *online, struct cpuset *out);
/* Sets out to the CPUs of the affinity mask and the other online CPUs that this process may use. Never empty. */
void cpus_allowed(const struct cpuset *online, struct cpuset *out);

/* Returns 0 when all of the CPUs are online, or -1 with a line in error. */
int cpus_check_online(const struct cpuset *cpus, const struct cpuset *online, char *error, size_t error_size);

/* Sets bench to the CPUs to measure on, for check and tune: those of --cpus, which must be online (named NULL: not
 * given; then the isolated CPUs, or all but the boot CPU). "all" is all online CPUs, "quiet" takes half a second.
 * Returns 0; or -1 with a line in error. */
int cpus_bench(const struct option_cpus *named, const struct machine *machine, struct cpuset *bench, char *error,
               size_t error_size);

#endif
