/* SPDX-License-Identifier: MIT */
/* Limits that control groups (v1 and v2) set for this process. root: directory before /proc and /sys, "" except in
 * tests. */
#ifndef SYS_CGROUP_H
#define SYS_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/cpuset.h"

/* Returns the smallest memory limit in bytes of the process's group and of all groups above it that can be seen; 0:
 * none. */
uint64_t cgroup_memory_limit(const char *root);

/* Returns how many bytes the process may still allocate before it reaches such a limit; UINT64_MAX: no limit. File
 * cache that the kernel would reclaim first (inactive_file) does not count as used. */
uint64_t cgroup_memory_available(const char *root);

/* Reads the CPUs that the groups allow. Returns false when none restricts them. */
bool cgroup_cpus(const char *root, struct cpuset *out);

/* Reads the CPUs of isolated cpuset partitions (v2): of all partitions if the topmost group can be seen, otherwise
 * of those that the process is in. */
void cgroup_isolated_cpus(const char *root, struct cpuset *out);

/* deeper nesting with quotas has never been seen */
#define CGROUP_QUOTAS 8
/* The quotas of CPU time of the process's group and of all groups above it that can be seen. */
struct cgroup_quota {
    double cpus; /* the smallest quota, in CPUs: 0.2 is 20 ms in 100 ms; 0: none */
    int fd[CGROUP_QUOTAS];
    unsigned n;
};
/* Finds the quotas, and opens the files cpu.stat that tell how long tasks were stopped by them. */
void cgroup_quota_open(const char *root, struct cgroup_quota *out);
void cgroup_quota_close(struct cgroup_quota *quota);

/* Returns the smallest quota in CPUs; 0: none. */
double cgroup_cpu_quota(const char *root);

/* Sums since the groups were made: periods in which the quota was used up, and the time for which CPUs stood still
 * for it, added up over the CPUs. */
struct cgroup_throttled {
    int64_t periods, ns;
};
/* Takes some microseconds. Returns false when there is no quota, or a file cannot be read any more (the group was
 * removed). */
bool cgroup_throttled(const struct cgroup_quota *quota, struct cgroup_throttled *out);

#endif
