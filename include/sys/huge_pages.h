/* SPDX-License-Identifier: MIT */
/* Reads how much of the process's memory is in transparent huge pages: programs request them with madvise(), but the
 * kernel may refuse. */
#ifndef SYS_HUGE_PAGES_H
#define SYS_HUGE_PAGES_H

#include <stddef.h>
#include <stdint.h>

struct huge_pages {
    uint64_t huge_bytes;     /* memory that is in huge pages now */
    uint64_t possible_bytes; /* memory that could be in huge pages: size of the aligned huge pages that fit into the
                              * mappings */
};

/* Reads /proc/self/smaps (below root, "" except in tests) and sums up the mappings that contain the n addresses. Each
 * mapping is counted once and as a whole, since the kernel merges neighbouring mappings. Returns 0, or -1 when the file
 * or the size of a huge page is not known. The kernel walks all pages for this: must not be called during a
 * measurement. */
int huge_pages_read(const char *root, const void *const *addresses, size_t n, struct huge_pages *out);

#endif
