/* SPDX-License-Identifier: MIT */
/* Pairs the rows of two sets of files: finds the rows of the same measurement, and the reasons that forbid to compare
 * them. */
#ifndef ANALYSIS_COMPARE_PAIRS_H
#define ANALYSIS_COMPARE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rows/rows.h"
#include "rows/text.h"

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
    ACROSS_FS,
    ACROSS_DEGRADED,
    ACROSS_COMMAND,
    ACROSS_COUNT
};
extern const char *const pair_across_names[]; /* ends with NULL */

struct pair {
    const struct row *about;            /* one of the pair's rows, which tells suite, test, metric, ... */
    char host[65];                      /* set when pairs are made by host */
    bool by_cpus;                       /* a run has rows that differ from the pair's rows only in their CPUs */
    bool within;                        /* both sides come from the same files: made by pairs_within() */
    const struct row **base, **changed; /* the rows that have values; all rows if why is set */
    size_t n_base, n_changed;
    bool differs;  /* why says in what kind the rows differ, as placement or file system */
    int reason;    /* the enum pair_across that would allow the comparison; -1: none */
    char why[256]; /* why the rows cannot be compared; "": they can be */
};

struct pairs {
    struct pair *pair;
    size_t n;
    size_t doubles;  /* duplicate rows, which were left out */
    size_t degraded; /* degraded, failed and skipped rows left out because their side has other rows with values */
};

/* Pairs the rows of base with those of changed. Rows are the same measurement when they agree in suite, test, load,
 * copies, metric and parameters (the words of the column param), except the parameters that say what a load did, how it
 * was calibrated, and how the processes beside the measured ones ran. If a run has several rows of the same measurement
 * that differ only in their CPUs, the CPUs must agree too. If exactly one row (of a run) of each side remains unpaired
 * for a test and metric, these two form a pair that cannot be compared; the reason names the parameters that differ.
 * With ACROSS_COMMAND, commands of the same name are the same measurement, whatever their command lines, unless a run
 * has several of the name. by_host: makes a pair for each host of changed, with the rows of the same host of base, or
 * with all of base's rows if it has none of that host. The sets must outlive the pairs. Returns 0, or -1 when out of
 * memory; the caller calls pairs_free() in both cases. */
int pairs_make(const struct row_set *base, const struct row_set *changed, uint64_t across, bool by_host,
               struct pairs *out);
/* Pairs rows of the same files. Of the rows of one suite, test and metric, the first in the files is the base of all
 * others that differ from it in load, copies or param. Commands of `jitbench run` are paired with the first command
 * that has as many copies, whatever their names. Returns and errors as pairs_make(). */
int pairs_within(const struct row_set *set, uint64_t across, struct pairs *out);
void pairs_free(struct pairs *pairs);

/* Returns the pair that is judged in place of raw: with the values measured only while no one else used the core, if
 * each side has as many of them, and the core's frequency is the same; otherwise NULL. */
const struct pair *pair_alone_of(const struct pairs *pairs, const struct pair *raw);

/* Returns whether the mean frequency of the core differs between the sides by 2 % or more. mhz: if not NULL, set to the
 * frequency of each side; NAN where it is not known. */
bool pair_other_clock(const struct pair *pair, double mhz[2]);

/* Appends the text that identifies a row's measurement and metric to key: rows with equal keys are compared with each
 * other. Returns the length of the part before the parameters. */
size_t pair_key(const struct row *row, struct text *key);

/* Returns whether two rows are of one run: they share a struct row_run, or have the same run id. */
bool pair_same_run(const struct row *a, const struct row *b);

#endif
