/* SPDX-License-Identifier: MIT */
#include "sys/machine.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/process.h"

/* POLICY_...: of the kernel's mempolicy.h. PAGES_MAX: pages to inspect. */
#define POLICY_BIND      2
#define POLICY_MAX_NODES 1024u
#define PAGES_MAX        256u

bool memory_nodes_read(const char *root, const char *which, struct cpuset *nodes)
{

    return procfs_read_cpus(root, PROCFS_PATH("/sys/devices/system/node/%s", which), nodes);
}

bool memory_node_cpus(const char *root, unsigned node, struct cpuset *cpus)
{

    return procfs_read_cpus(root, PROCFS_PATH("/sys/devices/system/node/node%u/cpulist", node), cpus);
}

int memory_node_bind(void *start, size_t bytes, unsigned node)
{
    unsigned long mask[POLICY_MAX_NODES / (CHAR_BIT * sizeof(unsigned long))] = {0};
    const unsigned bits = CHAR_BIT * sizeof(mask[0]);

    if (node >= POLICY_MAX_NODES)
        return -EINVAL;
    mask[node / bits] = 1ul << (node % bits);
    return syscall(SYS_mbind, start, bytes, POLICY_BIND, mask, (unsigned long)POLICY_MAX_NODES, 0) ? -errno : 0;
}

int memory_node_count(void *start, size_t bytes, unsigned node, unsigned most, unsigned *on_node)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = bytes / page;
    void *address[PAGES_MAX];
    int status[PAGES_MAX];
    unsigned n = most < PAGES_MAX ? most : PAGES_MAX;

    n = n < pages ? n : (unsigned)pages;
    for (unsigned i = 0; i < n; i++)
        address[i] = (char *)start + pages * i / n * page;
    if (syscall(SYS_move_pages, 0, (unsigned long)n, address, NULL, status, 0))
        return -errno;
    *on_node = 0;
    for (unsigned i = 0; i < n; i++)
        *on_node += status[i] == (int)node;
    return (int)n;
}
