/* SPDX-License-Identifier: MIT */
/* Parts of jitbench unix: tests (unix_tests.c), options and plan (unix_plan.c), index (unix_index.c). */
#ifndef CMD_UNIX_H
#define CMD_UNIX_H

#include "bench/unix.h"
#include "cmd/cmd.h"

/* A test as named on the command line. Several may run one benchmark with different parameters. */
struct unix_test {
    const char *name, *title;
    const struct bench *bench;
    unsigned groups; /* groups of the test: bits of enum unix_group */
    const char *const *old_names;
    int halves;
};
/* Returns the ith test: a benchmark of the suite, or a variant of it. Its name is NULL beyond the last one. */
struct unix_test unix_test_at(size_t i);
/* Returns the test of that name; its name is NULL when there is none. */
struct unix_test unix_test_of(const char *name);
/* unix_select() and unix_word() implement select and test of struct suite. */
int unix_select(struct measure *m, const char *operand);
bool unix_word(size_t i, struct operand_word *out);

/* A protocol: how the tests are run, and which of them enter the index. The index of the stable protocol is for
 * comparing machines, so it has tests with repeatable results. The index of the classic protocol is comparable with
 * published scores of UnixBench, whose processes are not bound and are dynamically linked. */
struct unix_protocol {
    const char *name;
    unsigned index; /* bit that the tests of the protocol's index have in their `groups` */
    /* parameters of the index's row: how the two processes of context1 are placed on CPUs, and whether spawn and execl
     * have the memory footprint of a dynamically linked program */
    const char *context1, *footprint;
};
extern const struct unix_protocol unix_protocols[];
const struct unix_protocol *unix_protocol_of(const struct measure *m);
bool unix_in_index(const struct unix_protocol *protocol, const struct unix_test *test);

enum { UNIX_N_INDEX = 12 };
/* Returns the system index for that number of copies: the geometric mean of the tests' indices, NAN when there is none.
 * Sets *n to the number of these tests. */
double unix_system_index(const struct table_rows *r, uint64_t copies, size_t *n);
/* Returns the system index with the core free: from each test's rate while no one else used the core, if that is known,
 * otherwise from its normal rate. NAN if it is not known for a test of the group UNIX_CORE_BOUND. */
double unix_alone_index(const struct table_rows *r, uint64_t copies);
/* Sets counts (room for OPTION_COUNTS_MAX) to the different numbers of copies, in the order of the rows. Returns how
 * many there are. */
size_t unix_copy_counts(const struct table_rows *r, uint64_t *counts);
/* unix_conclude() implements conclude of struct suite: it adds the rows of the index, which unix_index describes. */
extern const struct metrics_test unix_index;
void unix_conclude(struct measure *m);

/* Number of choices of --pairs, which places the two processes of context1-two. */
enum { PAIRS_CHOICES = 3 };
struct unix_options {
    struct unix_params params;
    bool all_tests, brief;
    uint64_t pairs; /* bit mask of pairs_names */
    /* pairs of CPUs for context1-two: without --pairs, and for each of its choices; unix_params point to this memory */
    struct cpu_pairs next, of[PAIRS_CHOICES];
    char unixbench_csv[1024];
};
extern const struct suite_options unix_own[];
int unix_plan(const struct measure *m, void *options, struct plan *out, char *error, size_t error_size);
int unix_end(void *options, bool unused);
/* Returns the title of the row's test. For context1-two with --pairs, the title names the kind of pairs. */
const char *unix_row_title(const struct row *row);

#endif
