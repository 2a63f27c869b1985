/* SPDX-License-Identifier: MIT */
/* Pairs the result rows of two sets of files and compares them. A value 'with the core free' was measured only while
 * no one else used the CPU's core. Only for commands that end when out of memory (memory_exits()). */
#ifndef ANALYSIS_COMPARE_H
#define ANALYSIS_COMPARE_H

#include "analysis/analysis.h"
#include "analysis/compare_samples.h"

/* --- Pairs of the same measurement. --- */

/* Differences that forbid a comparison unless the user allows them with --across. pair_across_names[i] is the name of
 * the difference i, which bit i of a set allows. */
enum pair_across {
    ACROSS_BUILD,
    ACROSS_CPU,
    ACROSS_SCHEDULER,
    ACROSS_POLICY,
    ACROSS_CPUS,
    ACROSS_LAYOUT,
    ACROSS_BESIDE,
    ACROSS_FS, /* those up to here are differences of how and where it was measured */
    ACROSS_DEGRADED,
    ACROSS_COMMAND,
    ACROSS_COUNT
};
extern const char *const pair_across_names[]; /* ends with NULL */

struct pair_side {
    const struct row **row; /* those that have values, by time; all rows if none has */
    size_t n;
};

struct pair {
    const struct row *about;  /* one of the pair's rows, which tells suite, test, metric, ... */
    char host[65];            /* set when pairs are made by host */
    bool by_cpus;             /* a run has rows that differ from the pair's rows only in their CPUs */
    bool within;              /* both sides come from the same files: changed of pairs_make() was NULL */
    struct pair_side side[2]; /* base, and what is compared with it */
    int reason;               /* the enum pair_across that would allow the comparison; -1: none */
    char why[256];            /* why the rows cannot be compared; "": they can be */
    /* The pair with the core free that is judged in place of this one, which has the values over the whole time; and
     * the other way round. NULL: none. */
    const struct pair *alone, *raw;
    struct row *scores; /* of a mean: the rows of the pair, one for each run, behind one without a run; freed with it */
};

struct pairs {
    const struct row_set *base, *changed; /* as given to pairs_make() */
    struct pair *pair;
    size_t n, capacity;
    const struct row **rows; /* of all sides; sides may share them */
    size_t n_rows;
    size_t doubles;  /* duplicate rows, which were left out */
    size_t degraded; /* degraded, failed and skipped rows left out because their side has other rows with values */
};

/* Pairs the rows of base with those of changed. Rows are the same measurement when they agree in suite, test, load,
 * copies, metric and parameters (the words of the column param), but for those that say what a load did, how it was
 * calibrated, and how processes beside the measured ones ran; and in the CPUs, if a run has several rows that differ
 * only in these. If exactly one row (of a run) of each side remains for a test and metric, the two form a pair that
 * cannot be compared, and the reason names the parameters. With ACROSS_COMMAND, commands of the same name are the same
 * measurement unless a run has several of it. by_host: makes a pair for each host of changed, with the rows of that
 * host of base, or all if it has none. The sets must outlive the pairs.
 * changed NULL: pairs the rows of base with each other: the first row of a suite, test and metric is the base of all
 * that differ from it in load, copies or param. Commands of `jitbench run` are paired with the first one that has as
 * many copies. */
void pairs_make(const struct row_set *base, const struct row_set *changed, uint64_t across, bool by_host,
                struct pairs *out);
void pairs_free(struct pairs *pairs);

/* They share a struct row_run, or have the same run id. */
bool pair_same_run(const struct row *a, const struct row *b);

/* Whether the core's mean frequency differs between the sides by 2 % or more. */
bool pair_other_clock(const struct pair *pair);

#define PAIR_PROPERTIES 9u
/* Writes a property of a row (number: from 0 on) that may differ between sides, since it may be what the user compares;
 * "": it is not known. Returns its name. */
const char *pair_property(size_t number, const struct row *row, char *buf, size_t size);

/* Appends the text that identifies a row's measurement and metric: rows with equal keys and CPUs are compared with each
 * other. within: changed of pairs_make() is NULL. Returns the length of the part that alternatives share. */
size_t pair_key(const struct row *row, bool within, bool with_command, struct text *key);

/* --- Comparisons. --- */

struct compared_row {
    const struct pair *pair;
    /* The pair with the values as measured over the whole time: if `pair` has those with the core free, another one; if
     * those of `pair` were converted to the same share of the core, itself; else NULL. */
    const struct pair *raw;
    struct comparison *of; /* in compared.comparison */
    struct comparison
        of_raw;    /* comparison of raw as measured; change is CHANGE_NONE if the interval of the ratio contains 1 */
    size_t few;    /* fewest samples of any row of the pair; 0: a row has none */
    bool by_hosts; /* the test compares means of hosts */
    bool judged; /* a row of the headline metric, by which its test is judged: included in means of suites and hosts */
    size_t mean; /* number of rows of which it is the geometric mean; 0: it is a row of the files */
};

/* One host of the second set of files, judged by all its rows together. */
struct compared_host {
    char host[65];
    double ratio; /* geometric mean of the ratios of its rows; above 1 means better */
    bool stands_out;
};

struct compared {
    const struct pairs *pairs;
    double min_effect;
    /* the rows that can be compared, the greatest effect first; then the means of suites (and hosts): rows of pairs
     * whose values are the scores of runs, above 1 better */
    struct compared_row *row;
    size_t n_rows, n_means;
    struct compared_host *host; /* filled only when comparing by host; those that stand out first */
    size_t n_hosts;
    struct comparison *comparison;      /* of all rows and means, tested together */
    size_t n_judged;                    /* number of comparisons that were tested; p is corrected for all of them */
    const struct pair **not_comparable; /* rows that cannot be compared */
    size_t n_not_comparable;
    struct pair *mean; /* of each mean */
};

/* A task gained nothing if the load beside it surely lost more than this. */
#define COMPARED_LOAD_LOST 0.05
/* The rate of the load in the row's measurement (of a mean: the most reduced one of its suite); NULL: none. */
const struct compared_row *compared_load(const struct compared *compared, const struct compared_row *row);

/* Compares pairs. metrics: which are headline metrics; only their rows are in means. all: compares other rows, too. Of
 * a headline metric the values with the core free are compared, if each side has as many rows of them as of the metric
 * itself; else the values of runs are converted to the same share of the core, where comparison_measure() can estimate
 * how they depend on it. min_effect: least effect that counts as a change, 0.01 for 1 %. The statistical unit is a run
 * if each side has at least three, or a host if each has at least three: see comparison_measure(). The pairs must
 * outlive the comparison; the caller calls compared_free(). */
void compared_make(const struct pairs *pairs, const struct metrics *metrics, bool all, double min_effect,
                   struct compared *out);
void compared_free(struct compared *compared);

enum compared_verdict {
    VERDICT_FASTER,
    VERDICT_SLOWER,
    VERDICT_LOWER,
    VERDICT_HIGHER,
    VERDICT_SAME,
    VERDICT_NO_GAIN,   /* see COMPARED_LOAD_LOST */
    VERDICT_UNDECIDED, /* too few runs or values on a side */
    VERDICT_APART,
};
/* Whether the sides are builds that took turns; builds in files of different runs differ by drift, too. */
bool compared_builds(const struct pair *pair);
/* From what comparison_judge() found. */
enum compared_verdict compared_verdict(const struct compared_row *row);
/* 1 when higher values are better, else -1. */
double compared_sign(const struct pair *pair);
extern const char *const compared_verdict_names[];

#endif
