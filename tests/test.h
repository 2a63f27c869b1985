/* SPDX-License-Identifier: MIT */
/* Tests that register themselves, and the one way to skip one: for units and for the command line.
 *
 *     TEST(test_text_is_terminated)
 *     {
 *         ...
 *     }
 *
 * The main() of tests/test.c runs those of a file in their order. A file that has to do more defines its own, which
 * ends with `return run_all_tests()`. */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

/* What nearly all tests need of the system. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* As in sys/base.h. */
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Begins a test, whose argument is cmocka's void **state. */
#define TEST(name) TEST_WITH(name, NULL, NULL)

/* The same with what is called before and after it. Either may be NULL. */
#define TEST_WITH(name, setup, teardown) \
    static void name(void **state); \
    __attribute__((constructor)) static void add_##name(void) \
    { \
        add_test(__LINE__, (struct CMUnitTest)cmocka_unit_test_setup_teardown(name, setup, teardown)); \
    } \
    static void name(void **state)

/* What is called before and after all tests of a program. Either may be NULL. */
#define GROUP(setup, teardown) const struct test_group test_group = {setup, teardown}

struct test_group {
    CMFixtureFunction setup, teardown;
};
extern const struct test_group test_group;

void add_test(int line, struct CMUnitTest test);

/* Returns the exit status of main(). */
int run_all_tests(void);

/* A call that reads files of /proc and /sys below this directory. */
#define BELOW(root, call) (procfs_root = (root), call)

/* Ends the test as skipped and prints one line with the reason: a printf() format and its arguments. */
#define skip_because(...) \
    do { \
        print_message("skipped: " __VA_ARGS__); \
        print_message("\n"); \
        skip(); \
    } while (0)

#endif
