/* SPDX-License-Identifier: MIT */
/* Whether a benchmark's memory was in huge pages: a party reads it after its run, and the row's param says it. */
#ifndef BENCH_PAGES_H
#define BENCH_PAGES_H

#include <stddef.h>

struct results;

/* The numbers of the party's recorder (RECORD_NUMBERS): whether the two others were read; bytes in huge pages; bytes
 * that could be. */
enum { PAGES_KNOWN, PAGES_HUGE, PAGES_POSSIBLE, N_PAGES };

/* Reads them for the mappings that contain the n addresses. To be called after the run only, because the kernel walks
 * all pages for it. */
void pages_record(const void *const *addresses, size_t n, double numbers[N_PAGES]);
/* Enters what was recorded in a trial: results_pages(). Nothing when it is not known. */
void pages_enter(struct results *results, unsigned group, const double numbers[N_PAGES]);

#endif
