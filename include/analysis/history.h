/* SPDX-License-Identifier: MIT */
/* Sorts the runs of one machine by time, and finds the runs at which their headline figures changed. */
#ifndef ANALYSIS_HISTORY_H
#define ANALYSIS_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/fleet_gather.h"

/* Chance that any change at all is found in a history in which nothing changed. */
#define HISTORY_ALPHA 0.04
/* Least number of runs in which a change can be found. */
#define HISTORY_RUNS_LEAST 6u
/* Default of --min-effect, as a share: 0.01 is 1 %. */
#define HISTORY_LEAST_EFFECT 0.01

struct history_run {
    char utc[sizeof(((struct row_run *)NULL)->utc)], comment[sizeof(((struct row_run *)NULL)->comment)];
    size_t machine; /* index of the run in gather.machines */
};

struct history_point {
    size_t run; /* index in history.run */
    double value;
};

struct history_change {
    size_t figure;        /* index in history.figure */
    size_t run, last;     /* the first run after the change, and the last run before it that has the figure */
    size_t at;            /* index of the first value after the change, among the figure's points */
    double before, after; /* medians of the values between this change and the neighbouring changes */
    double effect;        /* (after - before) / |before|; infinite when before is 0 */
    double low, high;     /* 95 % interval of effect; NAN: not known */
    bool worse;
};

/* A headline figure that was searched for changes. */
struct history_figure {
    size_t figure;   /* index in gather.figure */
    bool alone;      /* the values were measured only while no one else used the core (core free) */
    size_t first, n; /* range in history.point: in the order of time */
    size_t n_changes;
};

struct history {
    struct gather gather;    /* one "machine" for each run */
    double least_effect;     /* smaller changes are left out: 0.01 is 1 % */
    struct history_run *run; /* in the order of time */
    size_t n_runs, run_capacity;
    struct history_figure *figure;
    size_t n_figures, figure_capacity;
    size_t n_short; /* number of figures with too few runs for a change to be found */
    struct history_point *point;
    size_t n_points, point_capacity;
    struct history_change *change; /* in the order of time; changes at the same run in the order of their figures */
    size_t n_changes, change_capacity;
    uint64_t without_time;         /* number of rows left out because the time of their run is not known */
    size_t same_time;              /* number of runs that began in the same second as the run before them */
    bool mixed;                    /* there are rows of a second machine; nothing is judged then */
    char machine[320], other[320]; /* the machine, and if mixed the second one */
    /* Private. */
    struct row_run first;
};

/* Adds a row; rows may come in any order. Ends the program when out of memory, as the other functions do. Set
 * gather.metrics, gather.stat (may be NULL) and least_effect of a history that is otherwise all zero before. */
void history_row(struct history *h, const struct row *row);
/* Judges the figures after the last row. */
void history_finish(struct history *h);
void history_free(struct history *h);

/* Returns the median of all runs of a figure (index in history.figure). */
double history_level(const struct history *h, size_t figure);
/* Finds the next setting that differs between the third run before and the third run after a change. It compares runs
 * at this distance because the change may be found one or two runs too early or too late. Start with *setting 0; the
 * setting found has the index *setting - 1. Returns false when there is none. */
bool history_next_setting(const struct history *h, const struct history_change *change, size_t *setting,
                          const char **before, const char **after);

#endif
