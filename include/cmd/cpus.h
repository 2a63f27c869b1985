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
 * Returns true also if that cannot be determined. It tries to set the affinity, because an isolated CPU is missing in
 * the present affinity mask but may be used, and a cpuset cgroup may forbid a CPU that is online. */
bool cpus_usable(const struct cpuset *wanted, struct cpuset *usable);

/* Sets out to the CPUs of this process's affinity mask; if that cannot be read, to the online CPUs; if they are not
 * known either, to CPU 0. Never empty. */
void cpus_of_mask(const struct cpuset *online, struct cpuset *out);
/* Sets out to the CPUs of the affinity mask and the other online CPUs that this process may use. Never empty. */
void cpus_allowed(const struct cpuset *online, struct cpuset *out);

/* Returns 0 when all of the CPUs are online, or -1 with a line in error. */
int cpus_check_online(const struct cpuset *cpus, const struct cpuset *online, char *error, size_t error_size);

/* Sets bench to the CPUs to measure on, for the commands check and tune. named: the value of --cpus. CPUs in a list
 * must be online; "all" means all online CPUs; "quiet" means the CPU that loses the least speed while all are sampled
 * for half a second. named NULL: --cpus was not given; bench is then the isolated CPUs, or all but the boot CPU.
 * Returns 0; or -1 with a line in error. */
int cpus_bench(const struct option_cpus *named, const struct machine *machine, struct cpuset *bench, char *error,
               size_t error_size);

#endif
