/* SPDX-License-Identifier: MIT */
/* Rows of two sets of files put beside each other: which of them are the same measurement, and what forbids to compare
 * them. */
#ifndef OUT_PAIRS_H
#define OUT_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/text.h"
#include "out/rows.h"

/* What may differ in kind when the user says so: bit i is pair_across_names[i]. */
enum pair_across {
    ACROSS_BUILD,
    ACROSS_CPU,
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
    const struct row *about;            /* one of its rows */
    char host[65];                      /* when pairs are made by host */
    bool by_cpus;                       /* other rows differ from it by their CPUs only */
    bool within;                        /* both sides are of the same files: pairs_within() */
    const struct row **base, **changed; /* rows that have figures; when why is set, all of them */
    size_t n_base, n_changed;
    int reason;    /* why in short, as a bit of enum pair_across; -1: another one */
    char why[256]; /* why they cannot be compared; "": they can */
};

struct pairs {
    struct pair *pair;
    size_t n;
    size_t doubles;  /* rows left out because the same row was there already */
    size_t degraded; /* degraded, failed and skipped rows left out beside others of their side that have figures */
};

/* Rows are the same measurement when they agree in suite, test, load, copies, metric and the words of param but those
 * that say what a load did, how it was calibrated, and how others ran. Rows that one run has several of with nothing
 * but their CPUs to tell them apart agree in these too. Where exactly one row (of a run) of each side is left of a test
 * and metric, the two stand beside each other with the words that differ as the reason. With ACROSS_COMMAND, commands
 * of the same name are the same measurement, whatever their command lines, unless a run has several of the name.
 * by_host: a pair for each host of changed, beside the rows of the same host, or when base has none of that, beside
 * all. The sets must outlive the pairs. 0, or -1 when out of memory; pairs_free() in both cases. */
int pairs_make(const struct row_set *base, const struct row_set *changed, uint64_t across, bool by_host,
               struct pairs *out);
/* Pairs of rows of the same files: of one suite, test and metric the first in the files is the base of all that differ
 * from it in load, copies or param. Commands of `jitbench run` are compared with the first command of as many copies,
 * whatever their names. Results and errors as pairs_make(). */
int pairs_within(const struct row_set *set, uint64_t across, struct pairs *out);
void pairs_free(struct pairs *pairs);

/* Appends what tells a row's measurement and metric from others to key: rows with the same text are compared with each
 * other. Returns how much of it stands before the words of param. */
size_t pair_key(const struct row *row, struct text *key);

/* Whether rows of one run: the same id, or where there is none, the same run. */
bool pair_same_run(const struct row *a, const struct row *b);

#endif
