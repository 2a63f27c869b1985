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

/* Largest number of groups with a quota that are watched; deeper nesting has never been seen. */
#define CGROUP_QUOTAS 8
/* The quotas of CPU time of the process's control group and of all groups above it that can be seen (v1 and v2). */
struct cgroup_quota {
    double cpus; /* the smallest quota, in CPUs: 0.2 is 20 ms in 100 ms; 0: there is none */
    int fd[CGROUP_QUOTAS];
    unsigned n; /* number of open files cpu.stat, one for each group with a quota */
};
/* Finds the quotas, and keeps the files open that tell how long tasks were stopped by them. */
void cgroup_quota_open(const char *root, struct cgroup_quota *out);
void cgroup_quota_close(struct cgroup_quota *quota);

/* Returns the smallest quota in CPUs; 0 when there is none. */
double cgroup_cpu_quota(const char *root);

/* Sums since the groups were made: the periods in which the quota was used up, and the time for which CPUs stood still
 * for it, added up over the CPUs. The kernel adds the time when it lets a CPU go on. */
struct cgroup_throttled {
    int64_t periods, ns;
};
/* Reads the sums of all groups with a quota. Takes some microseconds. Returns false when there is none, or one cannot
 * be read any more, as after the removal of the group. */
bool cgroup_throttled(const struct cgroup_quota *quota, struct cgroup_throttled *out);

#endif
