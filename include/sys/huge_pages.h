/* SPDX-License-Identifier: MIT */
/* How much memory is in transparent huge pages: programs request them with madvise(), but the kernel may refuse. */
#ifndef SYS_HUGE_PAGES_H
#define SYS_HUGE_PAGES_H

#include <stddef.h>
#include <stdint.h>

struct huge_pages {
    uint64_t huge_bytes;
    uint64_t possible_bytes; /* size of the aligned huge pages that fit into the mappings */
};

/* Reads /proc/self/smaps (below root, "" except in tests) for the mappings that contain the n addresses, each once
 * and as a whole, since the kernel merges neighbours. Returns 0, or -1 when file or page size are not known. The
 * kernel walks all pages for this: not during a measurement. */
int huge_pages_read(const char *root, const void *const *addresses, size_t n, struct huge_pages *out);

#endif
