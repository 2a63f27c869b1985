/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/machine.h"
#include "sys/process.h"

static bool holds(uint64_t start, uint64_t end, const void *const *addresses, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((uintptr_t)addresses[i] >= start && (uintptr_t)addresses[i] < end)
            return true;
    return false;
}

static uint64_t room_for(uint64_t start, uint64_t end, uint64_t page)
{
    const uint64_t first = (start + page - 1) / page, behind = end / page;

    return behind > first ? (behind - first) * page : 0;
}

int huge_pages_read(const char *root, const void *const *addresses, size_t n, struct huge_pages *out)
{
    uint64_t page = 0, start, end, kib;
    bool ours = false;

    *out = (struct huge_pages){0};
    if (!procfs_read_u64(root, "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", &page) || !page)
        return -1;
    FREED_BY(memory_free) char *text = procfs_read_all(root, "/proc/self/smaps");
    char *rest = text;
    if (!text)
        return -1;
    for (const char *line; (line = strsep(&rest, "\n"));) {
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &start, &end) == 2) {
            ours = holds(start, end, addresses, n);
            out->possible_bytes += ours ? room_for(start, end, page) : 0;
            continue;
        }
        const char *value = ours ? procfs_line_value(line, "AnonHugePages") : NULL;
        if (value && procfs_number(value, &kib))
            out->huge_bytes += kib * 1024;
    }
    return 0;
}

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
    return sys_result(syscall(SYS_mbind, start, bytes, POLICY_BIND, mask, (unsigned long)POLICY_MAX_NODES, 0));
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
