/* SPDX-License-Identifier: MIT */
/* Compares result rows of two sets of files, paired by compare_pairs.h: ratios, verdicts, means of suites and of hosts.
 * A value 'with the core free' was measured only while no one else used the CPU's core; other values are over the whole
 * time. */
#ifndef ANALYSIS_COMPARE_H
#define ANALYSIS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/analysis.h"
#include "analysis/compare_pairs.h"
#include "analysis/compare_samples.h"

struct compared_row {
    const struct pair *pair;
    /* The pair whose values are as measured over the whole time, if `pair` was compared by other values. If `pair` has
     * the values measured only while no one else used the core, raw is another pair of the same measurement. If the
     * values of `pair` were converted to the same share of the core, raw is `pair` itself. Otherwise NULL. */
    const struct pair *raw;
    struct comparison
        of_raw;    /* comparison of raw as measured; change is CHANGE_NONE if the interval of the ratio contains 1 */
    size_t number; /* index in compared.comparison */
    size_t few;    /* fewest samples of any row of the pair; 0: a row has none */
    /* largest significant drift in %: by how much the mean of the second half of a row's samples differs from that of
     * the first half; 0: none */
    double drift_pct;
    double effect; /* its size, by which the rows are sorted */
    bool by_hosts; /* the test compares means of hosts */
    bool judged; /* a row of the headline metric, by which its test is judged: included in means of suites and hosts */
};

/* Geometric mean of the ratios of a suite's rows; above 1 means better. */
struct compared_mean {
    char suite[24], host[65];
    size_t rows;
    size_t number;
};

/* One host of the second set of files, judged by all its rows together. */
struct compared_host {
    char host[65];
    double ratio; /* geometric mean of the ratios of its rows; above 1 means better */
    bool stands_out;
};

struct compared {
    struct compared_row *row; /* the rows that can be compared, the greatest effect first */
    size_t n_rows;
    size_t n_raw; /* number of rows whose raw is not NULL */
    struct compared_mean *mean;
    size_t n_means;
    struct compared_host *host; /* filled only when comparing by host; the most different first */
    size_t n_hosts;
    struct comparison *comparison;      /* comparisons of the rows, followed by those of the means; all were tested
                                         * together */
    size_t n_judged;                    /* number of comparisons that were tested; p is corrected for all of them */
    const struct pair **not_comparable; /* rows that cannot be compared */
    size_t n_not_comparable;
};

/* Compares pairs. metrics tells which metrics are headline metrics; only their rows are included in means. all:
 * compares the rows of other metrics as well. For a headline metric, the values measured only while no one else used
 * the core are compared instead, if each side has as many rows of them as of the metric itself. Otherwise, the values
 * of runs are converted to the same share of the core, where comparison_measure() can estimate how they depend on it.
 * min_effect: least effect that counts as a change, 0.01 for 1 %. The statistical unit is a run if each side has at
 * least three runs, or a host if each side has at least three hosts. Runs of the two sides that alternate in time are
 * tested as pairs, and so are the samples of the commands of one `jitbench run`. Otherwise, with fewer than three runs
 * a side, the verdict is VERDICT_UNDECIDED. Sorts the rows of the pairs by time. Returns 0, or -1 when out of memory.
 * The caller calls compared_free() in both cases. */
int compared_make(const struct pairs *pairs, const struct metrics *metrics, bool all, double min_effect,
                  struct compared *out);
void compared_free(struct compared *compared);

enum compared_verdict {
    VERDICT_FASTER,
    VERDICT_SLOWER,
    VERDICT_LOWER,
    VERDICT_HIGHER,
    VERDICT_SAME,
    VERDICT_UNDECIDED, /* too few runs or values on a side */
    VERDICT_APART,
};
/* Returns the verdict that follows from what comparison_judge() found. better: "higher", "lower" or "" (neither). */
enum compared_verdict compared_verdict(const struct comparison *comparison, const char *better);
extern const char *const compared_verdict_names[];

#endif
