/* SPDX-License-Identifier: MIT */
/* Parts of jitbench unix: tests (unix_tests.c), options and plan (unix_plan.c), index (unix_index.c). */
#ifndef CMD_UNIX_H
#define CMD_UNIX_H

#include "bench/unix.h"
#include "cmd/measure.h"

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
/* Implement select and test of struct suite. */
int unix_select(struct measure *m, const char *operand);
bool unix_word(size_t i, struct operand_word *out);

/* The protocols. The index of the stable protocol is for comparing machines, so it has tests with repeatable results.
 * The index of the classic protocol is comparable with published scores of UnixBench, whose processes are not bound and
 * are dynamically linked. */
struct unix_protocol {
    const char *name;
    unsigned index; /* group of the tests in its index */
    /* words in the row of the index: how context1 is placed, and the footprint of spawn and execl */
    const char *context1, *footprint;
};
extern const struct unix_protocol unix_protocols[];
const struct unix_protocol *unix_protocol_of(const struct measure *m);
bool unix_in_index(const struct unix_protocol *protocol, const struct unix_test *test);

enum { UNIX_N_INDEX = 12 };
/* Returns the geometric mean of the tests' indices, NAN when there is none; n is set to their number. */
double unix_system_index(const struct table_rows *r, uint64_t copies, size_t *n);
/* Returns the system index with the core free (measured only while no one else used the core): from each test's rate
 * with the core free if it has one, otherwise from its normal rate. NAN if a test of UNIX_CORE_BOUND lacks that
 * rate. */
double unix_alone_index(const struct table_rows *r, uint64_t copies);
/* Lists the numbers of copies in the order in which they were measured. */
size_t unix_copy_counts(const struct table_rows *r, uint64_t *counts);
/* Implements conclude: adds the rows of the index. */
extern const struct metrics_test unix_index;
void unix_conclude(struct measure *m);

/* Number of choices of --pairs, which places the two processes of context1-two. */
enum { PAIRS_CHOICES = 3 };
struct unix_options {
    struct unix_params params;
    bool all_tests, brief;
    uint64_t pairs; /* bit mask of pairs_names */
    /* the pairs of CPUs without --pairs, and for each of its choices; unix_params point to this memory */
    struct cpu_pairs next, of[PAIRS_CHOICES];
    char unixbench_csv[1024];
};
extern const struct suite_options unix_own[];
int unix_plan(const struct measure *m, void *options, struct plan *out, char *error, size_t error_size);
void unix_end(void *options, bool unused);
/* Returns the title of the row's test. For context1-two with --pairs, the title names the kind of pairs. */
const char *unix_row_title(const struct row *row);

#endif
