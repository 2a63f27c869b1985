/* SPDX-License-Identifier: MIT */
/* The main() of all test programs. */
#include "test.h"

enum { MOST_TESTS = 200 };

/* In the order of their lines: compilers may change that of the constructors. */
static struct CMUnitTest tests[MOST_TESTS];
static int lines[MOST_TESTS];
static size_t n_tests;

/* Only some programs have one. */
extern const struct test_group test_group __attribute__((weak));

void add_test(int line, struct CMUnitTest test)
{
    size_t i = n_tests++;

    if (i == MOST_TESTS)
        abort();
    for (; i > 0 && lines[i - 1] > line; i--) {
        lines[i] = lines[i - 1];
        tests[i] = tests[i - 1];
    }
    lines[i] = line;
    tests[i] = test;
}

int run_all_tests(void)
{
    /* Pattern of the names of the tests to run. */
    if (getenv("TESTS"))
        cmocka_set_test_filter(getenv("TESTS"));
    return _cmocka_run_group_tests("tests", tests, n_tests, &test_group ? test_group.setup : NULL,
                                   &test_group ? test_group.teardown : NULL);
}

__attribute__((weak)) int main(void)
{
    return run_all_tests();
}
