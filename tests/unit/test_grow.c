/* SPDX-License-Identifier: MIT */
/* Arrays that grow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>

#include <cmocka.h>

#include "sys/grow.h"

static void test_grow_array_doubles_and_keeps_elements(void **state)
{
    size_t capacity = 0;
    long *array = NULL;

    for (long i = 0; i < 100; i++) {
        assert_true(grow_array(&array, &capacity, (size_t)i, sizeof(*array)));
        array[i] = i;
    }
    assert_int_equal(capacity, 128);
    for (long i = 0; i < 100; i++)
        assert_int_equal(array[i], i);
    /* Elements may be skipped. */
    assert_true(grow_array(&array, &capacity, 1000, sizeof(*array)));
    assert_int_equal(capacity, 1024);
    assert_int_equal(array[99], 99);
    free(array);
}

static void test_grow_array_refuses_what_does_not_fit(void **state)
{
    size_t capacity = 0;
    long *array = NULL;

    assert_true(grow_array(&array, &capacity, 0, sizeof(*array)));
    const long *before = array;
    assert_false(grow_array(&array, &capacity, SIZE_MAX / sizeof(*array), sizeof(*array)));
    assert_false(grow_array(&array, &capacity, SIZE_MAX, 1));
    assert_ptr_equal(array, before);
    assert_int_equal(capacity, 16);
    free(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grow_array_doubles_and_keeps_elements),
        cmocka_unit_test(test_grow_array_refuses_what_does_not_fit),
    };
    return cmocka_run_group_tests_name("grow", tests, NULL, NULL);
}
