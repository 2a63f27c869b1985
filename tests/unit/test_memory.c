/* SPDX-License-Identifier: MIT */
/* Memory that runs out, and arrays that grow. */

#include "fixture.h"
#include "sys/base.h"

TEST(test_grow_array_doubles_and_keeps_elements)
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

TEST(test_grow_array_refuses_what_does_not_fit)
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

static int lines[2]; /* a pipe: standard error of the child */

static int grow_too_far(void)
{
    size_t capacity = 0;
    char *array = NULL;

    (void)dup2(lines[1], STDERR_FILENO);
    memory_exits("show");
    (void)grow_array(&array, &capacity, SIZE_MAX, 1);
    return 7;
}

static int get_too_much(void)
{
    (void)dup2(lines[1], STDERR_FILENO);
    (void)memory_get(SIZE_MAX / 2, 4);
    return 7;
}

static void assert_ends(int (*body)(void), const char *expected)
{
    char said[64] = "";

    assert_int_equal(pipe(lines), 0);
    assert_int_equal(fixture_in_child(body), 1);
    assert_true(read(lines[0], said, sizeof(said) - 1) > 0);
    assert_string_equal(said, expected);
    close(lines[0]);
    close(lines[1]);
}

TEST(test_memory_ends_commands_that_only_read)
{
    assert_ends(grow_too_far, "jitbench show: out of memory\n");
    assert_ends(get_too_much, "jitbench: out of memory\n");
}

TEST(test_memory_get_is_zeroed)
{
    char *memory = memory_get(16, 4);

    for (size_t i = 0; i < 64; i++)
        assert_int_equal(memory[i], 0);
    free(memory);
    free(memory_get(0, 8)); /* not NULL */
}
