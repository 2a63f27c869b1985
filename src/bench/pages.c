/* SPDX-License-Identifier: MIT */
/* Records how much of a benchmark's memory the kernel placed in huge pages. */
#include "bench/pages.h"

#include "engine/plan.h"
#include "sys/huge_pages.h"

void pages_record(const void *const *addresses, size_t n, double numbers[N_PAGES])
{
    struct huge_pages pages;

    if (huge_pages_read("", addresses, n, &pages))
        return;
    numbers[PAGES_KNOWN] = 1;
    numbers[PAGES_HUGE] = (double)pages.huge_bytes;
    numbers[PAGES_POSSIBLE] = (double)pages.possible_bytes;
}

void pages_enter(struct results *results, unsigned group, const double numbers[N_PAGES])
{
    if (numbers[PAGES_KNOWN] > 0)
        results_pages(results, group, numbers[PAGES_HUGE], numbers[PAGES_POSSIBLE]);
}
