/* SPDX-License-Identifier: MIT */
/* Amounts by name; and the time that other tasks and interrupts took of the CPUs on which a benchmark ran (option
 * --who): sums over all samples of a result row, and the CSV column `culprits`. */
#ifndef ROWS_INTERFERENCE_H
#define ROWS_INTERFERENCE_H

#include <stdbool.h>
#include <stddef.h>

/* A list of amounts, which shares_free() frees. An empty one is all zero. */
struct shares {
    struct share {
        char name[160];
        double amount;
    } * of;
    size_t n, capacity;
    bool failed; /* memory ran out */
};

/* Adds an amount to the list, whose order and sums shares_sort() makes: one entry for each name, the largest first. */
void shares_add(struct shares *shares, const char *name, double amount);
void shares_sort(struct shares *shares);
void shares_free(struct shares *shares);

/* All zero: nothing was recorded. shares_free() frees `taken`. */
struct interference {
    struct shares taken;  /* CPU time in ms by name of the task or interrupt */
    bool looked;          /* at least one sample was recorded */
    double unrecorded_ms; /* CPU time for which it is not known what ran, in ms; negative: all of it */
    char why[120];        /* why time is missing in the record, or what else is not known; "": everything is known */
};

/* Adds the times and reasons of `more` to `sum`. */
void interference_merge(struct interference *sum, const struct interference *more);

/* Writes the text of the column: "node=3.204;kworker/0:1(vmstat_update)=0.410;not_recorded=12.000;why=the ring was
 * full". It has the five names with the most CPU time, in ms, and others(N) for that of the N other names;
 * not_recorded is "all" when nothing is known. The text is "nobody=0" when no other task ran, and "" when nothing was
 * recorded. */
void interference_text(const struct interference *interference, char *buf, size_t size);

#endif
