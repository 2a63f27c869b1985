/* SPDX-License-Identifier: MIT */
/* A plan: items (a benchmark with its parameters and copies), the order of their trials, the stop rule, and the
 * resulting rows. */
#ifndef ENGINE_PLAN_H
#define ENGINE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/bench.h"
#include "engine/trial.h"
#include "rows/row.h"

enum schedule {
    SCHEDULE_SEQUENCE,    /* all trials of an item, then those of the next item */
    SCHEDULE_INTERLEAVED, /* one trial of each item in turn, so that drift affects all of them alike */
    SCHEDULE_ABBA,        /* alternately forwards and backwards: linear drift cancels */
};

struct plan_item {
    const struct bench *bench;
    void *params;            /* copy of the params, freed by plan_free() */
    const char *test;        /* name of the test in its rows; NULL: the benchmark's name */
    const struct load *load; /* load that runs beside it; NULL: none, and the row's load is empty */
    void *load_params;       /* copy of the load's params, freed by plan_free() */
    unsigned copies;
    struct sampling sampling;
    unsigned phase;    /* the items of a phase begin after all earlier phases have ended */
    int calibrated_by; /* index of the earlier item whose value calibrates this one, or -1 */
    bool no_index;     /* the item is a variant that does not enter the index */
    const char *skip;  /* when set, the item does not run and its row is "skipped" with this reason; not copied */
};

/* The samples of items that end together, after a whole number of blocks A B B A. */
struct plan_samples {
    const double *const *of; /* by item: its headline metric's samples, n of them; NULL: it has ended already */
    size_t n;
    uint64_t spent_ns, limit_ns; /* time that the items have taken, and may take (the sum of max_ns) */
};

struct plan {
    struct plan_item *items;
    size_t n, capacity;
    enum schedule schedule;
    /* For SCHEDULE_ABBA: called after each block A B B A; returns whether there are enough samples. Then all items end
     * together, except those for which an exact number of samples was asked. The callee has to observe the time limit.
     * It may change the items' params, for instance to have them described in the rows. NULL: each item ends by its own
     * stop rule. */
    bool (*enough)(struct plan_item *items, size_t n, const struct plan_samples *samples);
};

/* Appends an item with a copy of the params, and returns it. Ends the program when out of memory, as plan_set_load()
 * does: nothing has been measured yet. */
struct plan_item *plan_add(struct plan *plan, const struct bench *bench, const void *params);
/* Gives the item a load, with a copy of its params. */
void plan_set_load(struct plan_item *item, const struct load *load, const void *params);
void plan_free(struct plan *plan);

/* Estimated duration in ns: the least and the most. */
struct plan_time {
    uint64_t least_ns, most_ns;
    bool unknown; /* some work has no time limit, and its duration is known only after it ran once */
};
/* Returns the duration of all items that are not skipped, setup included. */
struct plan_time plan_time(const struct plan *plan);

/* Returns the pause after an item that took spent_ns: settle_ns, less after short items. */
uint64_t plan_settle_ns(uint64_t settle_ns, uint64_t spent_ns);

/* Environment of plan_execute(). */
struct plan_run {
    const struct row_run *run;
    const struct place_request *place;
    const struct clock_info *clock;
    const struct clock_pair *clock_start; /* clock readings taken when the program began */
    struct core_session *core;            /* state of the core probes, which learns from each trial; NULL: no core
                                           * probes */
    struct culprit_watch *watch;          /* who has the CPUs beside the trials; NULL: nobody looks */
    const char *proc_root;
    int series_fd;
    const char *layout_varied; /* what --layout random varies here: "random stack,heap,map,env" */
    double max_rsd_pct;        /* a headline row whose samples spread by more is unstable; 0: never */
    uint64_t settle_ns;        /* longest pause after a row was written, before the next gate */
    bool timer_latency_held;
    bool counters;        /* count events even where that slows the work down */
    const char *degraded; /* options that were asked for and could not be applied, for all rows; "" or NULL: none */
    struct row_sink sink; /* gets each row as soon as it is known */
    /* Called before each trial with the item, the number of its trials so far, and the estimated share of the whole
     * plan that is done. */
    void (*progress)(void *context, const struct plan_item *item, uint64_t sample, double done);
    /* Called once a second during a trial whose benchmark allows it (told_while_running), with the time since the
     * gate. May be NULL. */
    void (*elapsed)(void *context, uint64_t elapsed_ns);
    void *progress_context;
    uint64_t start_at_ns; /* time of day before which the first trial's gate does not open; 0: none */
    /* Called when the first trial has ended, before any row, with how late its gate opened. May be NULL. */
    void (*started)(void *context, int64_t late_ns);
    void *started_context;
};

/* Runs all items. Returns the worst status of all rows, or -signal when a signal ended it (items that had a trial
 * then have degraded rows). */
int plan_execute(const struct plan *plan, const struct plan_run *how);

/* For reduce callbacks: add a sample to a metric of a group, or merge a histogram into it. group is the copy's
 * number where the benchmark groups by copy, else 0. When memory runs out the item fails. */
void results_sample(struct results *results, unsigned group, unsigned metric, double value);
void results_hist(struct results *results, unsigned group, unsigned metric, const struct hist *hist);
void results_series(struct results *results, unsigned group, unsigned metric, const struct series *series);
/* Merges a series whose numbering starts at first. */
void results_series_from(struct results *results, unsigned group, unsigned metric, const struct series *series,
                         uint64_t first);
/* Adds time lost to a cause that the benchmark measured itself. These causes, summed over all trials, replace the
 * kernel's in the row's `causes`. The name is kept, not copied; the item fails above CAUSES_OWN causes. */
void results_cause(struct results *results, unsigned group, const char *name, double ms);
/* Reports that the callback is out of memory: the item fails. */
void results_fail(struct results *results);
/* Makes a metric repeat the distribution of metric number `of`, each value times scale, in another unit (cycles as
 * ns). */
void results_scaled(struct results *results, unsigned metric, unsigned of, double scale);
/* Adds bytes of a group's memory that were in huge pages, and bytes that could have been. Over all trials together
 * the rows' param says pages=huge, small, or mixed with the share; it says nothing when this was never called. */
void results_pages(struct results *results, unsigned group, double huge_bytes, double possible_bytes);
/* Sets further parameters of a group's rows. They replace those of an earlier trial. */
void results_remark(struct results *results, unsigned group, const struct row_params *remarks);
/* Adds a group of rows, for benchmarks whose trials find out what there are rows of. Its placement and counters are
 * those of group 0, its CPUs these. Returns its number; 0, and the item fails, when out of memory. */
unsigned results_group(struct results *results, const struct cpuset *cpus);
/* Returns the clock's ticks per second, measured from the program's start until now. */
double results_clock_hz(const struct results *results);

#endif
