/* SPDX-License-Identifier: MIT */
/* How much of a benchmark's memory was in huge pages, asked after the run: the row's parameter pages=. */
#ifndef BENCH_PAGES_H
#define BENCH_PAGES_H

#include <stddef.h>

struct results;

/* 1 if the others are known; bytes in huge pages; bytes that could have been. */
enum { PAGES_KNOWN, PAGES_HUGE, PAGES_POSSIBLE, N_PAGES };

/* Maps untouched memory with the advice MADV_HUGEPAGE or MADV_NOHUGEPAGE, which makes the machine's setting not
 * matter. It stays until the process ends. NULL: out of memory. */
void *pages_map(size_t bytes, int advice);

/* For the mappings of the n addresses; unchanged if not known. Only after the run: the kernel walks all pages. */
void pages_record(const void *const *addresses, size_t n, double numbers[N_PAGES]);
/* By results_pages(), if known. */
void pages_enter(struct results *results, unsigned group, const double numbers[N_PAGES]);

#endif
