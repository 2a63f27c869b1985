/* SPDX-License-Identifier: MIT */
#include "bench/memory.h"

#include <sys/mman.h>

#include "sys/machine.h"

void *pages_map(size_t bytes, int advice)
{
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (map == MAP_FAILED)
        return NULL;
    madvise(map, bytes, advice);
    return map;
}

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
