/* SPDX-License-Identifier: MIT */
/* Other tasks that ran on the CPUs of a row's measured parties: sums over all samples, and the column `culprits`. */
#ifndef ROWS_CULPRITS_H
#define ROWS_CULPRITS_H

#include <stdbool.h>
#include <stddef.h>

/* Maximum number of names that are kept, and that are written to a row. */
#define CULPRITS_KEPT 24u
#define CULPRITS_TOLD 5u

/* CPU times by name. All zero: nothing was recorded. */
struct culprits {
    struct culprit {
        char name[80];
        double ms;
    } of[CULPRITS_KEPT];
    unsigned n;
    bool looked;          /* at least one sample was recorded */
    double unrecorded_ms; /* CPU time of which nothing is known; negative: all of it */
    char why[120];        /* reason for unrecorded_ms, or what else is not known; "": everything is known */
};

/* Adds the CPU time of a name. When there are too many names, the one with the least time is dropped. */
void culprits_add(struct culprits *culprits, const char *name, double ms);
/* Adds the times and the reasons of another account. */
void culprits_merge(struct culprits *culprits, const struct culprits *more);

/* Writes "node=3.204;kworker/0:1(vmstat_update)=0.410;not_recorded=12.000;why=the ring was full": the names with the
 * most CPU time, in ms; not_recorded is "all" when nothing is known. "nobody=0" when no other task ran; "" when nothing
 * was recorded. */
void culprits_text(const struct culprits *culprits, char *buf, size_t size);

#endif
