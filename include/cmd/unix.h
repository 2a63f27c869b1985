/* SPDX-License-Identifier: MIT */
/* jitbench unix: tests, options, plan, index. */
#ifndef CMD_UNIX_H
#define CMD_UNIX_H

#include "bench/unix.h"
#include "cmd/cmd.h"

/* Several may run one benchmark with different parameters. */
struct unix_test {
    const char *name, *title;
    const struct bench *bench;
    unsigned groups; /* bits of enum unix_group */
    const char *const *old_names;
    int halves;
    size_t at;
};
/* Name NULL: beyond the last. */
struct unix_test unix_test_at(size_t i);
#define for_each_unix_test(test_) \
    for (struct unix_test test_ = unix_test_at(0); test_.name; test_ = unix_test_at(test_.at + 1))

/* Geometric mean of the tests' indices, and from rates with the core free where they are known; NAN: none, or not
 * known for a test of UNIX_CORE_BOUND. */
struct unix_index {
    double all, alone;
    size_t tests;
};
struct unix_index unix_index_of(const struct table_rows *r, uint64_t copies);
/* Room for OPTION_COUNTS_MAX; in the order of the rows. */
size_t unix_copy_counts(const struct table_rows *r, uint64_t *counts);

#endif
