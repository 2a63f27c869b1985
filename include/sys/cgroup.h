/* SPDX-License-Identifier: MIT */
/* Reads the limits that control groups set for this process. root: directory before /proc and /sys, "" except in
 * tests. */
#ifndef SYS_CGROUP_H
#define SYS_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/cpuset.h"

/* Returns the smallest memory limit, in bytes, of the process's control group and of all groups above it that can be
 * seen (v1 and v2), since all of them apply. 0 when there is none. */
uint64_t cgroup_memory_limit(const char *root);

/* Returns how many bytes the process may still allocate before it reaches a memory limit of its control groups: the
 * smallest difference between limit and usage. File cache that the kernel would reclaim first (inactive_file) is not
 * counted as used. UINT64_MAX when there is no limit. */
uint64_t cgroup_memory_available(const char *root);

/* Reads the CPUs that the process's control groups allow (v1 and v2). Returns false when no group restricts them. */
bool cgroup_cpus(const char *root, struct cpuset *out);

/* Reads the CPUs of isolated cpuset partitions (v2): those of all partitions if the topmost group can be seen,
 * otherwise those of the partitions that the process is in. The set is empty when there are none. */
void cgroup_isolated_cpus(const char *root, struct cpuset *out);

#endif
