/* SPDX-License-Identifier: MIT */
/* Reads how much memory is in transparent huge pages: they are asked for with madvise(), and may be refused. */
#ifndef SYS_HUGE_PAGES_H
#define SYS_HUGE_PAGES_H

#include <stddef.h>
#include <stdint.h>

struct huge_pages {
    uint64_t huge_bytes;     /* in huge pages now */
    uint64_t possible_bytes; /* whole, aligned huge pages that the mappings have room for */
};

/* Reads root's /proc/self/smaps for the mappings that hold the n addresses. A mapping counts once, and whole: the
 * kernel makes one of neighbours. 0, or -1 when the file or the size of a huge page is not known. The kernel walks all
 * pages for it: not to be called while something is measured. */
int huge_pages_read(const char *root, const void *const *addresses, size_t n, struct huge_pages *out);

#endif
