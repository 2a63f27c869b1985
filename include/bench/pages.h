/* SPDX-License-Identifier: MIT */
/* Records how much of a benchmark's memory was in huge pages: the measuring process asks the kernel after its run, and
 * the result row shows it in the parameter pages=. */
#ifndef BENCH_PAGES_H
#define BENCH_PAGES_H

#include <stddef.h>

struct results;

/* Indices of the recorded values: 1 if the two others are known; bytes in huge pages; bytes that could have been in
 * huge pages. */
enum { PAGES_KNOWN, PAGES_HUGE, PAGES_POSSIBLE, N_PAGES };

/* Maps memory without touching it, and gives the kernel the advice (MADV_HUGEPAGE, MADV_NOHUGEPAGE), so that the result
 * does not depend on the machine's setting for transparent huge pages. It stays mapped until the process ends. Returns
 * NULL when out of memory. */
void *pages_map(size_t bytes, int advice);

/* Sets the values for the mappings that contain the n addresses; leaves them unchanged if the kernel does not tell
 * them. Call it only after the run, because the kernel walks all pages for it. */
void pages_record(const void *const *addresses, size_t n, double numbers[N_PAGES]);
/* Adds the recorded values to the results of a group of rows, by results_pages(), if they are known. */
void pages_enter(struct results *results, unsigned group, const double numbers[N_PAGES]);

#endif
