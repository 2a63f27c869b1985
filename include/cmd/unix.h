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
};
/* Name NULL: beyond the last. */
struct unix_test unix_test_at(size_t i);
/* Name NULL: none. */
struct unix_test unix_test_of(const char *name);
/* select and test of struct suite. */
int unix_select(struct measure *m, const char *operand);
bool unix_word(size_t i, struct operand_word *out);

/* The index of stable has tests with repeatable results, to compare machines; that of classic compares with
 * published scores of UnixBench, whose processes are not bound and are dynamically linked. */
struct unix_protocol {
    const char *name;
    unsigned index; /* bit in `groups` of its tests */
    /* of the index's row: where context1 runs, and whether spawn and execl have the footprint of a dynamic program */
    const char *context1, *footprint;
};
extern const struct unix_protocol unix_protocols[];
bool unix_in_index(const struct unix_protocol *protocol, const struct unix_test *test);

enum { UNIX_N_INDEX = 12 };
/* Geometric mean of the n tests' indices; NAN: none. */
double unix_system_index(const struct table_rows *r, uint64_t copies, size_t *n);
/* From rates with the core free where they are known; NAN: not known for a test of UNIX_CORE_BOUND. */
double unix_alone_index(const struct table_rows *r, uint64_t copies);
/* Room for OPTION_COUNTS_MAX; in the order of the rows. */
size_t unix_copy_counts(const struct table_rows *r, uint64_t *counts);
/* conclude of struct suite. */
extern const struct metrics_test unix_index;
void unix_conclude(struct measure *m);

/* Choices of --pairs. */
enum { PAIRS_CHOICES = 3 };
struct unix_options {
    struct unix_params params;
    bool all_tests, brief;
    uint64_t pairs; /* bits of pairs_names */
    /* without --pairs, and for each of its choices; unix_params point here */
    struct cpu_pairs next, of[PAIRS_CHOICES];
};
int unix_plan(const struct measure *m, void *options, struct plan *out, struct error *error);
int unix_end(void *options, bool unused);
/* With --pairs, context1-two is named by the kind of pairs. */
const char *unix_row_title(const struct row *row);

#endif
