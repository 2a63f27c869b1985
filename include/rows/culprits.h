/* SPDX-License-Identifier: MIT */
/* Who had the CPUs of a row's measured parties beside them: sums over all samples, and the column `culprits`. */
#ifndef ROWS_CULPRITS_H
#define ROWS_CULPRITS_H

#include <stdbool.h>
#include <stddef.h>

/* Most names that are kept, and that a row tells. */
#define CULPRITS_KEPT 24u
#define CULPRITS_TOLD 5u

/* CPU times by name. All zero: nobody looked. */
struct culprits {
    struct culprit {
        char name[80];
        double ms;
    } of[CULPRITS_KEPT];
    unsigned n;
    bool looked;          /* in a sample at least */
    double unrecorded_ms; /* CPU time of which nothing is known; negative: all of it */
    char why[120];        /* why that is, or what else is not known; "": all is known */
};

/* Adds the CPU time of a name. With too many names the one with the least time is forgotten. */
void culprits_add(struct culprits *culprits, const char *name, double ms);
/* Adds the times and the reasons of another account. */
void culprits_merge(struct culprits *culprits, const struct culprits *more);

/* Writes "node=3.204;kworker/0:1(vmstat_update)=0.410;not_recorded=12.000;why=the ring was full": the names that took
 * most, in ms; not_recorded is "all" where nothing is known. "nobody=0" when nobody had time; "" when nobody looked. */
void culprits_text(const struct culprits *culprits, char *buf, size_t size);

#endif
