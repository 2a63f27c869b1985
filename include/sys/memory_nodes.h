/* SPDX-License-Identifier: MIT */
/* Lists memory nodes (NUMA) and places memory on one of them, by raw system calls, without libnuma. */
#ifndef SYS_MEMORY_NODES_H
#define SYS_MEMORY_NODES_H

#include <stdbool.h>
#include <stddef.h>

#include "sys/cpuset.h"

/* Reads which memory nodes are "online" or have memory ("has_memory"). nodes is a set of node numbers, not of CPUs.
 * root is "" for this machine. Returns false when they are not known. */
bool memory_nodes_read(const char *root, const char *which, struct cpuset *nodes);
/* Reads the CPUs of a node. Returns false when they are not known. */
bool memory_node_cpus(const char *root, unsigned node, struct cpuset *cpus);

/* Asks for the pages of the range to come from that node only (mbind); none of them may have been touched. Returns 0 or
 * -errno. */
int memory_node_bind(void *start, size_t bytes, unsigned node);
/* Counts how many of at most `most` touched pages, evenly spread over the range, are on that node (move_pages). Returns
 * the number of pages that were inspected, or -errno. */
int memory_node_count(void *start, size_t bytes, unsigned node, unsigned most, unsigned *on_node);

#endif
