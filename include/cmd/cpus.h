/* SPDX-License-Identifier: MIT */
/* What --cpus means, for all commands that have it. */
#ifndef CMD_CPUS_H
#define CMD_CPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "sys/cpuset.h"

/* The words that it takes beside lists; the choices of its row. */
enum { CPUS_ALL, CPUS_QUIET };
extern const char *const cpus_choices[];

/* Whether the kernel lets us run on exactly these CPUs; what it allows of them otherwise. Asked by trying, because an
 * isolated CPU is not in our mask and may still be used, and a cpuset cgroup may forbid one that is online. */
bool cpus_usable(const struct cpuset *wanted, struct cpuset *usable);

/* Those of our mask; the online ones, or CPU 0 alone, where it cannot be read. Never empty. */
void cpus_of_mask(const struct cpuset *online, struct cpuset *out);
/* Those of our mask, and of the online ones what may be used besides. Never empty. */
void cpus_allowed(const struct cpuset *online, struct cpuset *out);

/* 0 when all of them are online, or -1 with a line in error. */
int cpus_check_online(const struct cpuset *cpus, const struct cpuset *online, char *error, size_t error_size);

#endif
