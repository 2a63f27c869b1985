/* SPDX-License-Identifier: MIT */
#include "sys/machine.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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
