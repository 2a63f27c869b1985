/* SPDX-License-Identifier: MIT */
/* Comparison of paired rows: ratios, verdicts, means of suites and of hosts. */
#ifndef ANALYSIS_COMPARE_H
#define ANALYSIS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/compare_pairs.h"
#include "analysis/compare_samples.h"
#include "analysis/metrics.h"

struct compared_row {
    const struct pair *pair;
    const struct pair *raw;   /* the same work as measured, where pair has it with the core free; otherwise NULL */
    struct comparison of_raw; /* comparison of raw; its change is CHANGE_NONE when its interval has 1 */
    size_t number;            /* index of its comparison */
    size_t few;               /* least number of samples of any of its runs; 0: a row without samples */
    double drift_pct; /* significant drift: by how much the second half of a run differs from the first; 0: none */
    bool by_hosts;    /* the test compares means of hosts */
    bool judged;      /* included in means */
};

/* Geometric mean of the ratios of a suite's rows, where above 1 means better. */
struct compared_mean {
    char suite[24], host[65];
    size_t rows;
    size_t number;
};

/* A host of NEW, judged by all its rows together. */
struct compared_host {
    char host[65];
    double ratio; /* geometric mean; above 1 means better */
    bool stands_out;
};

struct compared {
    struct compared_row *row; /* the rows that can be compared, the greatest effect first */
    size_t n_rows;
    size_t n_alone; /* number of rows with the core free */
    struct compared_mean *mean;
    size_t n_means;
    struct compared_host *host; /* filled only when comparing by host; the most different first */
    size_t n_hosts;
    struct comparison *comparison;      /* comparisons of the rows, followed by those of the means; all were tested
                                         * together */
    size_t n_judged;                    /* number of tests, for which p is corrected */
    const struct pair **not_comparable; /* rows that cannot be compared */
    size_t n_not_comparable;
};

/* Compares pairs. metrics tells the headline rows; only these are included in means. all: compares the
 * other rows as well. A headline figure that both sides have with the core free is compared and judged in that form; it
 * must be in as many rows of each side as the figure itself, or in COMPARISON_RUNS. min_effect: least effect that
 * counts, 0.01 for 1 %. The statistical unit is a run if each side has at least three runs, or a host if each side has
 * at least three hosts. Runs that alternate in time are pairs, and so are the samples of commands of one `jitbench
 * run`. With fewer runs nothing is decided. Sorts the rows of the pairs by time. Returns -1 when out of memory. The
 * caller calls compared_free() in both cases. */
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
enum compared_verdict compared_verdict(const struct comparison *comparison, const char *better);
extern const char *const compared_verdict_names[];

/* Numbers of rows and means that are slower and that have changed at all, and of rows that cannot be compared or
 * decided. */
struct compared_counts {
    size_t slower, changed, not_comparable;
};
struct compared_counts compared_count(const struct compared *compared);

#endif
