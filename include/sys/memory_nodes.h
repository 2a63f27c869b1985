/* SPDX-License-Identifier: MIT */
/* Memory nodes (NUMA) without libnuma. root: directory before /sys, "" except in tests. */
#ifndef SYS_MEMORY_NODES_H
#define SYS_MEMORY_NODES_H

#include <stdbool.h>
#include <stddef.h>

#include "sys/cpuset.h"

/* Reads the nodes that are online (which: "online") or have memory ("has_memory") into nodes, a set of node numbers.
 * Returns false when not known. */
bool memory_nodes_read(const char *root, const char *which, struct cpuset *nodes);
bool memory_node_cpus(const char *root, unsigned node, struct cpuset *cpus);

/* Binds a range to a node (mbind). No page may have been touched yet. Returns 0 or -errno. */
int memory_node_bind(void *start, size_t bytes, unsigned node);
/* Counts those of at most `most` pages, evenly spread over the range, that are on that node (move_pages). Pages must
 * have been touched. Returns how many were inspected, or -errno. */
int memory_node_count(void *start, size_t bytes, unsigned node, unsigned most, unsigned *on_node);

#endif
