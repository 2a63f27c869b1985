/* SPDX-License-Identifier: MIT */
/* Memory that runs out. For one program each; the Makefile has every calloc() of it come here (WRAP_). */
#ifndef MEMORY_FIXTURE_H
#define MEMORY_FIXTURE_H

#include <limits.h>
#include <stddef.h>

/* Refused when none is left. */
static unsigned allocations_left = UINT_MAX;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
    if (allocations_left == 0)
        return NULL;
    allocations_left -= allocations_left != UINT_MAX;
    return __real_calloc(n, size);
}

#endif
