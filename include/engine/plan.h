/* SPDX-License-Identifier: MIT */
/* A plan: items (a benchmark with parameters and number of copies), the order of their trials, and their number.
 * Running it gives the rows. */
#ifndef ENGINE_PLAN_H
#define ENGINE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/bench.h"
#include "engine/trial.h"
#include "rows/row.h"

enum schedule {
    SCHEDULE_SEQUENCE,    /* all trials of an item, then those of the next */
    SCHEDULE_INTERLEAVED, /* one trial of each in turn: drift affects all alike */
    SCHEDULE_ABBA,        /* one trial of each, alternately in order and backwards: linear drift cancels */
};

struct plan_item {
    const struct bench *bench;
    void *params;            /* a copy, freed by plan_free() */
    const char *test;        /* name in the rows; NULL: the benchmark's */
    const struct load *load; /* background load; NULL: none */
    void *load_params;       /* a copy, freed by plan_free() */
    unsigned copies;
    struct sampling sampling;
    unsigned phase;    /* begins when all lower phases have ended */
    int calibrated_by; /* earlier item whose value calibrates this one, or -1 */
    bool no_index;     /* no points of the UNIX index */
    const char *skip;  /* reason (not copied) not to run: the row is "skipped" */
};

/* Samples of items that end together, after whole blocks of trials A B B A. */
struct plan_samples {
    const double *const *of; /* by item: n samples of its first metric; NULL: it has ended, or ends by its own rule */
    size_t n;
    uint64_t spent_ns, limit_ns; /* trials of these items together (limit: sum of max_ns) */
};

struct plan {
    struct plan_item *items;
    size_t n, capacity;
    enum schedule schedule;
    /* For SCHEDULE_ABBA, after each block A B B A: whether there are enough samples, observing the time limit. Then
     * all items end together, but those with an exact number. It may change the items' params, to have them
     * described in the rows. NULL: each item's own stop rule. */
    bool (*enough)(struct plan_item *items, size_t n, const struct plan_samples *samples);
};

/* Appends an item with a copy of the params. Ends the program when out of memory, as plan_set_load() does: nothing
 * has been measured yet. */
struct plan_item *plan_add(struct plan *plan, const struct bench *bench, const void *params);
/* The load's params are copied. */
void plan_set_load(struct plan_item *item, const struct load *load, const void *params);
void plan_free(struct plan *plan);

/* Estimate in ns. */
struct plan_time {
    uint64_t least_ns, most_ns;
    bool unknown; /* some work has no time limit: known after a first run */
};
/* Estimates all items not skipped, setup included. */
struct plan_time plan_time(const struct plan *plan);

/* Pause after an item: settle_ns, but at most a quarter of spent_ns. */
uint64_t plan_settle_ns(uint64_t settle_ns, uint64_t spent_ns);

/* Common to all trials of a plan. */
struct plan_run {
    const struct row_run *run;
    const struct place_request *place;
    const struct clock_info *clock;
    const struct clock_pair *clock_start; /* when the program began */
    struct core_session *core;            /* updated after each trial; NULL: no core probes */
    struct culprit_watch *watch;          /* which other tasks run during trials; NULL: not recorded */
    const char *proc_root;
    int series_fd;
    const char *layout_varied; /* what --layout random varies here: "random stack,heap,map,env" */
    double max_rsd_pct;        /* a headline row with a larger relative standard deviation is unstable; 0: no limit */
    uint64_t settle_ns;        /* longest pause after an item's rows */
    bool timer_latency_held;
    bool counters;        /* count events even where that slows the work */
    const char *degraded; /* degrades all rows: options that could not be applied; "" or NULL: none */
    struct row_sink sink; /* gets each row as soon as it is known */
    /* Before each trial, with its number and the estimated share, 0 to 1, of the plan that is done. May be NULL. */
    void (*progress)(void *context, const struct plan_item *item, uint64_t sample, double done);
    /* Once a second where the benchmark allows it (told_while_running), with the time since the start. May be NULL. */
    void (*elapsed)(void *context, uint64_t elapsed_ns);
    void *progress_context;
    uint64_t start_at_ns; /* CLOCK_REALTIME of the first trial; 0: at once */
    /* After the first trial, before any row: how late it began (negative: early). May be NULL. */
    void (*started)(void *context, int64_t late_ns);
    void *started_context;
};

/* Returns the worst status of all rows, or -signal when one ended it (items that had a trial then have degraded
 * rows). */
int plan_execute(const struct plan *plan, const struct plan_run *how);

/* For reduce(): add a sample, a histogram of events or a series of events to a metric. group: the copy with
 * group_per_copy, else 0. Out of memory, the item fails. */
void results_sample(struct results *results, unsigned group, unsigned metric, double value);
void results_hist(struct results *results, unsigned group, unsigned metric, const struct hist *hist);
void results_series(struct results *results, unsigned group, unsigned metric, const struct series *series);
/* With `first` added to the numbers of the events. */
void results_series_from(struct results *results, unsigned group, unsigned metric, const struct series *series,
                         uint64_t first);
/* Adds ms lost to a cause that the benchmark measured itself. The sums over all trials replace the kernel's in the
 * column `causes`. name is not copied; the item fails above CAUSES_OWN causes. */
void results_cause(struct results *results, unsigned group, const char *name, double ms);
/* Unless they are already. */
void results_degraded(struct results *results, unsigned group, const char *reason);
/* reduce() ran out of memory: the item fails. */
void results_fail(struct results *results);
/* Shows the values of metric `of` times scale, in another unit (ns instead of cycles). */
void results_scaled(struct results *results, unsigned metric, unsigned of, double scale);
/* Adds the bytes that were, and could have been, in huge pages: the rows get the parameter pages=huge, small or
 * mixed:N%. */
void results_pages(struct results *results, unsigned group, double huge_bytes, double possible_bytes);
/* Further parameters of a group's rows, instead of those of an earlier trial. */
void results_remark(struct results *results, unsigned group, const struct row_params *remarks);
/* Adds a group with these CPUs, and the placement and counters of group 0, for benchmarks that know their groups
 * only after a trial. Returns its number; 0, and the item fails, when out of memory. */
unsigned results_group(struct results *results, const struct cpuset *cpus);
/* Ticks per second, from the program's start until now. */
double results_clock_hz(const struct results *results);

#endif
