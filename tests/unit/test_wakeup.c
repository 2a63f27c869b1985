/* SPDX-License-Identifier: MIT */
/* The accounting of wake-ups with made-up times. */
#include "bench/wakeup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define US 1000u
#define MS 1000000u

/* Half a megabyte: too big for the stack. */
static struct hist hist;

/* Every millisecond, due at 5 ms first; overflows from 400 us on. */
static struct wakeup_account begin(void)
{
    hist_init_classes(&hist, WAKEUP_CLASS_NS);
    return (struct wakeup_account){
        .interval_ns = MS, .overflow_ns = 400 * US, .due_ns = 5 * MS, .end_ns = UINT64_MAX, .hist = &hist};
}

static uint64_t in_class(uint64_t us)
{
    return hist.linear[us];
}

static void test_wakeup_counts_lateness_in_classes(void **state)
{
    struct wakeup_account a = begin();

    assert_int_equal(wakeup_woke(&a, 5 * MS + 37999), 37999);
    assert_int_equal(a.due_ns, 6 * MS);
    assert_int_equal(wakeup_woke(&a, 6 * MS + 38000), 38000);
    assert_int_equal(wakeup_woke(&a, 7 * MS), 0);
    assert_int_equal(a.due_ns, 8 * MS);
    assert_int_equal(hist.n, 3);
    assert_int_equal(in_class(37), 1);
    assert_int_equal(in_class(38), 1);
    assert_int_equal(in_class(0), 1);
    assert_int_equal(a.missed, 0);
    assert_int_equal(a.overflows, 0);
}

/* The sleep was until 5 ms, and 6 ms, 7 ms and 8 ms passed meanwhile. */
static void test_wakeup_records_missed_ones(void **state)
{
    struct wakeup_account a = begin();

    assert_int_equal(wakeup_woke(&a, 8 * MS + 300 * US), 3 * MS + 300 * US);
    assert_int_equal(a.due_ns, 9 * MS);
    assert_int_equal(a.missed, 3);
    assert_int_equal(hist.n, 4);
    for (uint64_t ms = 0; ms < 4; ms++)
        assert_int_equal(in_class(1000 * ms + 300), 1);
    assert_int_equal(a.overflows, 3);
}

/* What is due at the very moment is missed too: its time has come. */
static void test_wakeup_at_the_next_one_misses_it(void **state)
{
    struct wakeup_account a = begin();

    (void)wakeup_woke(&a, 6 * MS);
    assert_int_equal(a.due_ns, 7 * MS);
    assert_int_equal(a.missed, 1);
    assert_int_equal(in_class(1000), 1);
    assert_int_equal(in_class(0), 1);
}

static void test_wakeup_overflows_from_the_end_on(void **state)
{
    struct wakeup_account a = begin();

    (void)wakeup_woke(&a, 5 * MS + 400 * US - 1);
    assert_int_equal(a.overflows, 0);
    (void)wakeup_woke(&a, 6 * MS + 400 * US);
    assert_int_equal(a.overflows, 1);
}

/* Who sleeps beyond the end has missed what was due until then, the end included. */
static void test_wakeup_misses_none_after_the_end(void **state)
{
    struct wakeup_account a = begin();

    a.end_ns = 7 * MS;
    assert_int_equal(wakeup_woke(&a, 9 * MS + 100 * US), 4 * MS + 100 * US);
    assert_int_equal(a.missed, 2);
    assert_int_equal(hist.n, 3);
    assert_int_equal(in_class(2100), 1);
    assert_true(a.due_ns > a.end_ns);
}

/* A clock that jumps by an hour: the first one and the last ones are recorded, and the schedule goes on. */
static void test_wakeup_bounds_what_a_jump_costs(void **state)
{
    struct wakeup_account a = begin();
    const uint64_t hour = 3600ull * 1000 * MS;

    assert_int_equal(wakeup_woke(&a, 5 * MS + hour), hour);
    assert_int_equal(a.missed, 3600000);
    assert_int_equal(a.due_ns, 6 * MS + hour);
    assert_int_equal(hist.n, 1 + WAKEUP_MISSED_MAX);
    assert_int_equal(hist.max, hour);
    assert_int_equal(hist.min, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wakeup_counts_lateness_in_classes),
        cmocka_unit_test(test_wakeup_records_missed_ones),
        cmocka_unit_test(test_wakeup_at_the_next_one_misses_it),
        cmocka_unit_test(test_wakeup_overflows_from_the_end_on),
        cmocka_unit_test(test_wakeup_misses_none_after_the_end),
        cmocka_unit_test(test_wakeup_bounds_what_a_jump_costs),
    };
    return cmocka_run_group_tests_name("wakeup", tests, NULL, NULL);
}
