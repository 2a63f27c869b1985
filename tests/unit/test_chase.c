/* SPDX-License-Identifier: MIT */
/* The ring of a chase: each line once, in an order that no prefetcher follows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/chase.h"
#include "engine/core.h"
#include "memory_fixture.h"

#define LINES 4096u

static void make(struct chase *chase, enum chase_pages pages, uint64_t seed)
{
    assert_int_equal(chase_map(chase, LINES * CHASE_LINE, pages), 0);
    assert_int_equal(chase_link(chase, seed), 0);
}

static void unmap(struct chase *chase)
{
    assert_int_equal(munmap(chase->set, chase->map_bytes), 0);
}

static size_t line_of(const struct chase *chase, const void *at)
{
    const size_t offset = (size_t)((const char *)at - chase->set);

    assert_true(offset % CHASE_LINE == 0 && offset < chase->bytes);
    return offset / CHASE_LINE;
}

/* Follows the ring once round. Returns how many steps lead to one of the two neighbouring lines on either side, and in
 * *pages how often the page changes. */
static size_t follow(const struct chase *chase, size_t *pages)
{
    static bool seen[LINES];
    const size_t of_page = (size_t)sysconf(_SC_PAGESIZE) / CHASE_LINE;
    const void *at = chase->at;
    size_t near = 0;

    *pages = 0;
    for (size_t i = 0; i < LINES; i++)
        seen[i] = false;
    for (size_t i = 0; i < LINES; i++) {
        const size_t line = line_of(chase, at);
        at = *(void *const *)at;
        const size_t next = line_of(chase, at), distance = next > line ? next - line : line - next;
        assert_false(seen[line]);
        seen[line] = true;
        near += distance <= 2;
        *pages += line / of_page != next / of_page;
    }
    assert_ptr_equal(at, chase->at);
    return near;
}

/* At random 4 of 4,095 steps are that short. */
static void test_chase_visits_each_line_once_at_random(void **state)
{
    struct chase chase;
    size_t pages;

    for (int kind = CHASE_SMALL; kind <= CHASE_HUGE; kind++) {
        make(&chase, (enum chase_pages)kind, 1);
        assert_true(follow(&chase, &pages) < 20);
        assert_true(pages > LINES / 2);
        unmap(&chase);
    }
}

/* One page after the other, and within a page of 64 lines 4 of 63 steps are short at random. */
static void test_chase_in_page_stays_in_the_page(void **state)
{
    struct chase chase;
    size_t pages;

    make(&chase, CHASE_IN_PAGE, 1);
    assert_true(follow(&chase, &pages) < LINES / 8);
    assert_int_equal(pages, chase.bytes / (size_t)sysconf(_SC_PAGESIZE));
    unmap(&chase);
}

/* Every second line, and 16 KiB after 16 KiB. */
static void test_chase_links_blocks(void **state)
{
    enum { STRIDE = 2 * CHASE_LINE, BLOCK = 16384, PER_BLOCK = BLOCK / STRIDE };
    static bool seen[LINES];
    struct chase chase;
    size_t near = 0;

    assert_int_equal(chase_map(&chase, LINES * CHASE_LINE, CHASE_HUGE), 0);
    assert_int_equal(chase_link_blocks(&chase, 1, STRIDE, BLOCK), 0);
    const void *at = chase.at;
    for (size_t i = 0; i < LINES / 2; i++) {
        const size_t line = line_of(&chase, at);
        assert_int_equal(line % 2, 0);
        assert_int_equal(line / 2 / PER_BLOCK, i / PER_BLOCK);
        assert_false(seen[line]);
        seen[line] = true;
        at = *(void *const *)at;
        near += line_of(&chase, at) == line + 2;
    }
    assert_ptr_equal(at, chase.at);
    assert_true(near < LINES / 32);
    unmap(&chase);
}

static void test_chase_orders_differ_by_seed(void **state)
{
    struct chase a, b;
    const void *x, *y;
    size_t same = 0;

    make(&a, CHASE_SMALL, 1);
    make(&b, CHASE_SMALL, 2);
    x = a.at;
    y = b.at;
    for (size_t i = 0; i < LINES; i++) {
        same += line_of(&a, x) == line_of(&b, y);
        x = *(void *const *)x;
        y = *(void *const *)y;
    }
    assert_true(same < 20);
    unmap(&a);
    unmap(&b);
}

/* As many loads as asked for: once round leads back, one unrolled block less does not. */
static void test_chase_walks_as_many_loads(void **state)
{
    struct chase chase;

    make(&chase, CHASE_SMALL, 3);
    void *const start = chase.at;
    chase_walk(&chase, LINES - CHASE_UNROLLED);
    assert_ptr_not_equal(chase.at, start);
    chase_walk(&chase, CHASE_UNROLLED);
    assert_ptr_equal(chase.at, start);
    unmap(&chase);
}

static void test_chase_of_one_line(void **state)
{
    struct chase chase;

    assert_int_equal(chase_map(&chase, CHASE_LINE + 8, CHASE_SMALL), 0);
    assert_int_equal(chase.bytes, CHASE_LINE);
    assert_int_equal(chase_link(&chase, 1), 0);
    assert_ptr_equal(chase.at, chase.set);
    assert_ptr_equal(*(void **)chase.at, chase.set);
    unmap(&chase);
}

/* The slices' times of a load: 1, 2 and 9 ns. */
static void test_chase_median(void **state)
{
    struct slices *slices = calloc(1, sizeof(*slices) + 4 * sizeof(slices->slice[0]));

    assert_non_null(slices);
    slices->capacity = 4;
    slices->stride = 1;
    assert_true(!(chase_median_ns(slices) > 0));
    slices_add(slices, 100, 0, 900);
    slices_add(slices, 100, 900, 1000);
    slices_add(slices, 200, 1000, 1400);
    assert_true(chase_median_ns(slices) == 2);
    free(slices);
}

static int link_one(void)
{
    struct chase chase;

    if (chase_map(&chase, LINES * CHASE_LINE, CHASE_SMALL))
        return -1;
    const int error = chase_link(&chase, 1);
    unmap(&chase);
    return error;
}

static void test_chase_without_memory(void **state)
{
    assert_int_equal(memory_needed(link_one), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chase_visits_each_line_once_at_random),
        cmocka_unit_test(test_chase_in_page_stays_in_the_page),
        cmocka_unit_test(test_chase_links_blocks),
        cmocka_unit_test(test_chase_orders_differ_by_seed),
        cmocka_unit_test(test_chase_walks_as_many_loads),
        cmocka_unit_test(test_chase_of_one_line),
        cmocka_unit_test(test_chase_median),
        cmocka_unit_test(test_chase_without_memory),
    };

    return cmocka_run_group_tests_name("chase", tests, NULL, NULL);
}
