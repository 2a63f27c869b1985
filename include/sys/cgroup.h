/* SPDX-License-Identifier: MIT */
/* What control groups allow this process. */
#ifndef SYS_CGROUP_H
#define SYS_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/cpuset.h"

/* The smallest memory limit of the process's control group and of all groups above it that can be seen (v1 and v2),
 * since all of them hold. 0 when there is none. */
uint64_t cgroup_memory_limit(const char *root);

/* How much memory may still be used before the first of these limits is reached: limit less usage, where the file cache
 * that the kernel would give up first (inactive_file) is not counted as used. UINT64_MAX when there is no limit. */
uint64_t cgroup_memory_available(const char *root);

/* The CPUs that the process's control groups leave it (v1 and v2). False when none of them says. */
bool cgroup_cpus(const char *root, struct cpuset *out);

/* The CPUs of isolated partitions (v2): of all where the topmost group can be seen, else of the process's own. */
void cgroup_isolated_cpus(const char *root, struct cpuset *out);

#endif
