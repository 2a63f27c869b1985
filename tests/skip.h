/* SPDX-License-Identifier: MIT */
/* The one way to skip a test, for units and for the command line. Include it behind <cmocka.h>. */
#ifndef TESTS_SKIP_H
#define TESTS_SKIP_H

/* Ends the test as skipped and prints one line with the reason: a printf() format and its arguments. */
#define skip_because(...)                                                                                              \
    do {                                                                                                               \
        print_message("skipped: " __VA_ARGS__);                                                                        \
        print_message("\n");                                                                                           \
        skip();                                                                                                        \
    } while (0)

#endif
