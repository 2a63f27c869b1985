/* SPDX-License-Identifier: MIT */
/* Tasks and interrupts that took time of the CPUs on which a benchmark ran (option --who): sums over all samples of a
 * result row, and the CSV column `culprits`. */
#ifndef ROWS_CULPRITS_H
#define ROWS_CULPRITS_H

#include <stdbool.h>
#include <stddef.h>

/* Maximum numbers of names that are kept in memory, and that are written to a row. */
#define CULPRITS_KEPT 24u
#define CULPRITS_TOLD 5u

/* CPU times by name of the task or interrupt. All zero: nothing was recorded. */
struct culprits {
    struct culprit {
        char name[80];
        double ms;
    } of[CULPRITS_KEPT];
    unsigned n;
    double rest_ms;       /* CPU time of all other names */
    size_t rest;          /* at least how many other names there were */
    bool looked;          /* at least one sample was recorded */
    double unrecorded_ms; /* CPU time for which it is not known what ran, in ms; negative: all of it */
    char why[120];        /* why time is missing in the record, or what else is not known; "": everything is known */
};

/* Adds the CPU time (ms) of a name. When CULPRITS_KEPT names are stored, the one with the least time becomes one of the
 * rest. */
void culprits_add(struct culprits *culprits, const char *name, double ms);
/* Adds the CPU time of that many other names. */
void culprits_add_rest(struct culprits *culprits, size_t names, double ms);
/* Adds the times and reasons of `more` to `culprits`. */
void culprits_merge(struct culprits *culprits, const struct culprits *more);

/* Writes the text of the column: "node=3.204;kworker/0:1(vmstat_update)=0.410;not_recorded=12.000;why=the ring was
 * full". It has the CULPRITS_TOLD names with the most CPU time, in ms, and others(N) for that of the N other names;
 * not_recorded is "all" when nothing is known. The text is "nobody=0" when no other task ran, and "" when nothing was
 * recorded. */
void culprits_text(const struct culprits *culprits, char *buf, size_t size);

#endif
