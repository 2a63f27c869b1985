/* SPDX-License-Identifier: MIT */
/* Compares each command of one `jitbench run` with the first. The two take turns, A B B A; each such block of four runs
 * is one pair of times. */
#ifndef ANALYSIS_COMPARE_COMMANDS_H
#define ANALYSIS_COMPARE_COMMANDS_H

#include "rows/rows.h"
#include "stats/pairs.h"

/* Probability that a `jitbench run` claims any difference that does not exist, over all its commands. */
#define COMMANDS_ERROR 0.05

/* Parameter (a word of the CSV's column param) with the number of blocks A B B A of runs that would have fitted into
 * the time limit. Rows whose number of runs was fixed in advance do not have it. */
#define COMMANDS_PLANNED "planned"
/* Parameter of rows with COMMANDS_PLANNED and COMMANDS_AA, with the value of --precision in %: if no difference was
 * found, measuring ends early when the half-width of the ratio's confidence interval is at most this value. */
#define COMMANDS_PRECISION "precision"
/* Parameter that marks the second of the two equal commands of `jitbench run --aa`. */
#define COMMANDS_AA "aa"

/* Largest difference in % that two commands may still have and are said to have none: else it is not decided. */
#define COMMANDS_ALIKE_PCT 3.0

struct command_difference {
    /* logarithm of each pair's ratio, time of the command over time of the base; n is the number of pairs */
    struct inference_shift logs;
    size_t each; /* number of neighbouring blocks that make one pair: 1, or more if there are very many blocks */
    /* the test rejects the hypothesis that the logarithm is `margin`; it is corrected for the looks (tests made while
     * the run went on) */
    bool claimed;
};

/* Compares the times of two commands that took turns: n times of each, in the order of the runs. planned: the largest
 * possible number of blocks, if the run could end early because a look (a test while it went on) found a difference; 0:
 * n was fixed in advance. margin: logarithm of the ratio that is tested. error: probability of a false claim. Returns
 * 0, or -1 when out of memory. When the times of a pair are not above 0, logs.n is 0 and the rest of logs is NAN. */
int commands_differ(const double *base, const double *changed, size_t n, size_t planned, double margin, double error,
                    struct command_difference *out);

/* Returns the smallest number of pairs with which a difference can be significant when COMMANDS_ERROR is divided among
 * this number of comparisons; PAIRED_LEAST for one comparison. */
size_t commands_pairs_least(size_t compared);

/* Returns whether the difference is tested (a look) after this number of blocks: at the numbers of pairs chosen by
 * paired_is_look(), and at the planned end. */
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
    size_t least;   /* number of pairs needed for a verdict */
    double seconds; /* wall-clock time of all runs of both commands */
};

/* Returns the largest difference in % that the interval contains. */
double command_most_pct(const struct inference_shift *logs);

/* Returns whether two rows are of the same command. */
bool run_same_command(const struct row *a, const struct row *b);

/* Compares the wall-clock times of each of n rows with those of its base: the first command that has the same number of
 * copies. The verdict is slower where the ratio is significantly above exp(margin), and faster where it is
 * significantly below; usually margin is 0. out has an element for each row. Returns 0, or -1 when out of memory. */
int run_compare(const struct row *rows, size_t n, double margin, struct command_comparison *out);

#endif
