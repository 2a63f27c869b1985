/* SPDX-License-Identifier: MIT */
/* What control groups allow this process. */
#ifndef SYS_CGROUP_H
#define SYS_CGROUP_H

#include <stdint.h>

/* The smallest memory limit of the process's control group and of all groups above it that can be seen (v1 and v2),
 * since all of them hold. 0 when there is none. */
uint64_t cgroup_memory_limit(const char *root);

#endif
