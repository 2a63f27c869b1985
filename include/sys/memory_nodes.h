/* SPDX-License-Identifier: MIT */
/* Lists memory nodes (NUMA) and places memory on one of them, by raw system calls, without libnuma. root: directory
 * before /sys, "" except in tests. */
#ifndef SYS_MEMORY_NODES_H
#define SYS_MEMORY_NODES_H

#include <stdbool.h>
#include <stddef.h>

#include "sys/cpuset.h"

/* Reads the numbers of the memory nodes that are online (which: "online") or have memory ("has_memory") into nodes, a
 * set of node numbers, not of CPUs. Returns false when they are not known. */
bool memory_nodes_read(const char *root, const char *which, struct cpuset *nodes);
/* Reads the CPUs of a node. Returns false when they are not known. */
bool memory_node_cpus(const char *root, unsigned node, struct cpuset *cpus);

/* Binds a range of memory to a node (mbind): its pages will come from that node only. No page may have been touched
 * yet. Returns 0 or -errno. */
int memory_node_bind(void *start, size_t bytes, unsigned node);
/* Inspects at most `most` pages, evenly spread over the range, and counts those that are on that node (move_pages). The
 * pages must have been touched. Returns the number of pages that were inspected, or -errno. */
int memory_node_count(void *start, size_t bytes, unsigned node, unsigned most, unsigned *on_node);

#endif
