/* SPDX-License-Identifier: MIT */
/* Compares each command of one `jitbench run` with the first. The two take turns, A B B A; each such block of four runs
 * is one pair of times. Commands of one name are builds of one side (row_build()): then sides are compared, and the
 * build is the unit. */
#ifndef ANALYSIS_COMPARE_COMMANDS_H
#define ANALYSIS_COMPARE_COMMANDS_H

#include "analysis/compare_samples.h"
#include "rows/rows.h"
#include "stats/inference.h"

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
    /* of builds: see struct comparison */
    double spread, noise;
};

/* Compares the times of two commands that took turns: n times of each, in the order of the runs. planned: the largest
 * possible number of blocks, if the run could end early because a look (a test while it went on) found a difference; 0:
 * n was fixed in advance. margin: logarithm of the ratio that is tested. error: probability of a false claim. Returns
 * 0, or -1 when out of memory. When the times of a pair are not above 0, logs.n is 0 and the rest of logs is NAN. */
int commands_differ(const double *base, const double *changed, size_t n, size_t planned, double margin, double error,
                    struct command_difference *out);

/* Fewest pairs with which a difference can be significant when COMMANDS_ERROR is divided among so many comparisons. */
size_t commands_pairs_least(size_t compared);

/* Whether the difference is tested (a look) after so many blocks: see paired_is_look(), and at the planned end. */
bool commands_look(size_t blocks, size_t planned);

enum command_verdict {
    COMMAND_NO_VERDICT, /* the base, or a row without times */
    COMMAND_SLOWER,
    COMMAND_FASTER,
    COMMAND_ALIKE,       /* no difference was found */
    COMMAND_FEW,         /* fewer than commands_pairs_least() pairs, BUILDS_LEAST builds of a side, or counted runs */
    COMMAND_NO_TIME,     /* a time is 0 */
    COMMAND_MIXED,       /* some of the runs of a command failed, others did not */
    COMMAND_ONE_SIDE,    /* of builds of the only side */
    COMMAND_NOT_COUNTED, /* what is judged is not known: instructions without a counter */
};

/* Fewest builds of a side for a verdict, and as many as are advised. */
#define BUILDS_LEAST   COMPARISON_RUNS
#define BUILDS_ADVISED 5u

struct command_comparison {
    enum command_verdict verdict;
    const struct row *row, *base; /* those with the judged value; NULL: none */
    struct command_difference difference;
    size_t least;   /* number of pairs, builds, or of instructions runs, that a verdict needs */
    double seconds; /* wall-clock time of all runs of both commands, or sides */
    /* builds with a value, of the base's side and of this one; 0: commands are not builds */
    size_t builds[2];
};

/* The largest difference that the interval contains. */
double command_most_pct(const struct inference_shift *logs);

/* Files of older versions have no position on the command line (item), so test and param are compared as well. */
bool run_same_command(const struct row *a, const struct row *b);

/* Compares two sides whose builds took turns, by one test: margin and error are as for commands_differ(). logs.n is the
 * number of runs of each build, 0 when one took no time; the rest of logs is NAN when there is no test. Ends the
 * program when out of memory. */
void commands_builds_differ(const struct comparison_side *base, const struct comparison_side *changed, double margin,
                            double error, struct command_difference *out);

/* Compares the judged values of each of n rows with those of its base: the first command that has the same number of
 * copies. Of builds, the first of a side has its verdict. Of instructions, which repeat nearly exactly, two runs of
 * each are enough, and each run is tested as if it were a build. The verdict is slower where the ratio is significantly
 * above exp(margin), and faster where it is significantly below; usually margin is 0. out has an element for each row.
 * Returns 0, or -1 when out of memory. */
int run_compare(const struct row *rows, size_t n, double margin, struct command_comparison *out);

#endif
