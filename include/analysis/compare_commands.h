/* SPDX-License-Identifier: MIT */
/* Compares the commands of `jitbench run`, which took turns A B B A, with the first: each such block is a pair. */
#ifndef ANALYSIS_COMPARE_COMMANDS_H
#define ANALYSIS_COMPARE_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "rows/row.h"
#include "stats/pairs.h"

/* Chance that a run claims a difference that is not there, for all commands of a run together. */
#define COMMANDS_ERROR 0.05

/* The parameter of a row that holds how many blocks would have fitted into the time. Rows of which the number of runs
 * was fixed before do not have it. */
#define COMMANDS_PLANNED "planned"
/* The parameter of the second of two rows of one command (run --aa). */
#define COMMANDS_AA "aa"

struct command_difference {
    struct paired logs; /* of time over that of the base, of each pair; n is the number of pairs */
    size_t each;        /* blocks of a pair: 1, or more of very many */
    bool claimed;       /* it is not `margin`, by a test that allows for the looks in between */
};

/* Compares the times of two commands that took turns, n of each, in their order. planned: how many blocks the run would
 * have at most, whose end may have been chosen by looking at them; 0: n was fixed before. margin: logarithm of the
 * ratio that is tested. Returns 0, or -1 when out of memory. Without times above 0 the logs are NAN, and n is 0. */
int commands_differ(const double *base, const double *changed, size_t n, size_t planned, double margin, double error,
                    struct command_difference *out);

/* Returns the least number of pairs that can be significant when so many comparisons share the error: PAIRED_LEAST of
 * one. */
size_t commands_pairs_least(size_t compared);

/* Returns whether a run with so many blocks is looked at: its numbers of pairs are those of paired_is_look(). */
bool commands_look(size_t blocks, size_t planned);

enum command_verdict {
    COMMAND_NO_VERDICT, /* the base, or a row without times */
    COMMAND_SLOWER,
    COMMAND_FASTER,
    COMMAND_ALIKE,   /* no difference was found */
    COMMAND_FEW,     /* fewer than commands_pairs_least() pairs */
    COMMAND_NO_TIME, /* a time is 0 */
    COMMAND_MIXED,   /* some of the runs of a command failed, others did not */
};

struct command_comparison {
    enum command_verdict verdict;
    const struct row *base;
    struct command_difference difference;
    size_t least;   /* number of pairs that is needed */
    double seconds; /* wall-clock time of all runs of both */
};

/* Returns whether two rows are of the same command. */
bool run_same_command(const struct row *a, const struct row *b);

/* Compares the wall-clock times with those of their bases. Ratios beyond exp(margin) are slower, ratios below are
 * faster; usually margin is 0. out has an element for each of the n rows. Returns 0, or -1 when out of memory. */
int run_compare(const struct row *rows, size_t n, double margin, struct command_comparison *out);

#endif
