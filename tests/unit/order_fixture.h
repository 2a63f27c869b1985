/* SPDX-License-Identifier: MIT */
/* Every qsort() of a test program asks its comparison whether it is one at all: nothing comes before itself, and of two
 * neighbours either one comes first, whichever is asked for. Some C libraries sort right with one that is wrong.
 *
 * The Makefile names the programs whose qsort() comes here. */
#ifndef TESTS_UNIT_ORDER_FIXTURE_H
#define TESTS_UNIT_ORDER_FIXTURE_H

#include <stddef.h>
#include <stdlib.h>

void __real_qsort(void *base, size_t n, size_t size, int (*compare)(const void *a, const void *b));
void __wrap_qsort(void *base, size_t n, size_t size, int (*compare)(const void *a, const void *b));

static int order_sign(int order)
{
    return (order > 0) - (order < 0);
}

static void order_check(const char *base, size_t n, size_t size, int (*compare)(const void *a, const void *b))
{
    for (size_t i = 0; i < n; i++) {
        const char *a = base + i * size, *b = base + (i + 1 < n ? i + 1 : i) * size;
        assert_int_equal(compare(a, a), 0);
        assert_int_equal(order_sign(compare(a, b)), -order_sign(compare(b, a)));
    }
}

void __wrap_qsort(void *base, size_t n, size_t size, int (*compare)(const void *a, const void *b))
{
    order_check(base, n, size, compare);
    __real_qsort(base, n, size, compare);
    order_check(base, n, size, compare);
}

#endif
