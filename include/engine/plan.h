/* SPDX-License-Identifier: MIT */
/* A plan: a list of items (a benchmark with its parameters and number of copies), the order in which their trials are
 * run, and the number of trials. Running it gives the result rows. */
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
    SCHEDULE_ABBA,        /* one trial of each item, alternately in order and backwards, so that linear drift cancels */
};

struct plan_item {
    const struct bench *bench;
    void *params;            /* the benchmark's parameters, a copy that plan_free() frees */
    const char *test;        /* name of the test in the result rows; NULL: the benchmark's name */
    const struct load *load; /* background load during the trials; NULL: none, and the column `load` of the rows is
                              * empty */
    void *load_params;       /* the load's parameters, a copy that plan_free() frees */
    unsigned copies;
    struct sampling sampling;
    unsigned phase;    /* the items of a phase begin when those of all lower phases have ended */
    int calibrated_by; /* index of the earlier item whose value calibrates this one, or -1 */
    bool no_index;     /* the item's rows get no points of the UNIX index */
    const char *skip;  /* when set, the item does not run and its row is "skipped" with this reason; not copied */
};

/* The samples of items that end together, after a whole number of blocks of trials in the order A B B A. */
struct plan_samples {
    const double *const *of; /* by item: the samples of its first metric, n of them; NULL: the item has ended, or ends
                              * by its own stop rule */
    size_t n;
    uint64_t spent_ns, limit_ns; /* time that the trials of the items that end together have taken, and may take (the
                                  * sum of max_ns) */
};

struct plan {
    struct plan_item *items;
    size_t n, capacity;
    enum schedule schedule;
    /* For SCHEDULE_ABBA: called after each block A B B A; returns whether there are enough samples. If so all items end
     * together, except those for which an exact number of samples was asked. The function has to observe the time
     * limit. It may change the items' params, for instance to have them described in the rows. NULL: each item ends by
     * its own stop rule. */
    bool (*enough)(struct plan_item *items, size_t n, const struct plan_samples *samples);
};

/* Appends an item with a copy of the params, and returns it. Ends the program when out of memory, as plan_set_load()
 * does: nothing has been measured yet. */
struct plan_item *plan_add(struct plan *plan, const struct bench *bench, const void *params);
/* Adds a background load to the item, with a copy of the load's params. Ends the program when out of memory. */
void plan_set_load(struct plan_item *item, const struct load *load, const void *params);
void plan_free(struct plan *plan);

/* Estimated duration of a plan in ns: the least and the most. */
struct plan_time {
    uint64_t least_ns, most_ns;
    bool unknown; /* the work of some items has no time limit, so that its duration is known only after a first run */
};
/* Returns the estimated duration of all items that are not skipped, setup included. */
struct plan_time plan_time(const struct plan *plan);

/* Returns the pause in ns after an item whose trials took spent_ns: settle_ns, but at most a quarter of spent_ns. */
uint64_t plan_settle_ns(uint64_t settle_ns, uint64_t spent_ns);

/* Environment and settings that are common to all trials of a plan, for plan_execute(). */
struct plan_run {
    const struct row_run *run;
    const struct place_request *place;
    const struct clock_info *clock;
    const struct clock_pair *clock_start; /* clock readings taken when the program began */
    struct core_session *core;            /* what core probes have shown of the machine's cores, updated after each
                                           * trial; NULL: no core probes are taken */
    struct culprit_watch *watch;          /* records which other tasks run on the CPUs during the trials; NULL: not
                                           * recorded */
    const char *proc_root;
    int series_fd;
    const char *layout_varied; /* text for the rows: what --layout random varies on this machine, "random
                                * stack,heap,map,env" */
    double max_rsd_pct;        /* largest relative standard deviation in %; a headline row with more is unstable; 0: no
                                * limit */
    uint64_t settle_ns;        /* longest pause in ns after the rows of an item were written */
    bool timer_latency_held;
    bool counters;        /* count performance events even where that slows the work down */
    const char *degraded; /* reason that degrades all rows: options that could not be applied; "" or NULL: none */
    struct row_sink sink; /* gets each result row as soon as it is known */
    /* Called before each trial with the item, the number of its trials so far, and the estimated share of the whole
     * plan that is done, from 0 to 1. NULL: not called. */
    void (*progress)(void *context, const struct plan_item *item, uint64_t sample, double done);
    /* Called once a second during a trial whose benchmark allows it (told_while_running), with the time since the
     * common start of its parties. May be NULL. */
    void (*elapsed)(void *context, uint64_t elapsed_ns);
    void *progress_context;
    uint64_t start_at_ns; /* the first trial does not begin before this CLOCK_REALTIME time; 0: begins at once */
    /* Called when the first trial has ended, before any row is written, with how long after start_at_ns it began
     * (negative: before it). May be NULL. */
    void (*started)(void *context, int64_t late_ns);
    void *started_context;
};

/* Runs all items. Returns the worst status of all rows, or -signal when a signal ended it (items that had a trial
 * then have degraded rows). */
int plan_execute(const struct plan *plan, const struct plan_run *how);

/* For the reduce() callbacks of benchmarks: add a sample, a histogram of events or a series of events to a metric of a
 * group of rows. group is the number of the copy where each copy has rows of its own (group_per_copy), else 0. When
 * memory runs out the item fails. */
void results_sample(struct results *results, unsigned group, unsigned metric, double value);
void results_hist(struct results *results, unsigned group, unsigned metric, const struct hist *hist);
void results_series(struct results *results, unsigned group, unsigned metric, const struct series *series);
/* As results_series(), with `first` added to the numbers of the events in this series. */
void results_series_from(struct results *results, unsigned group, unsigned metric, const struct series *series,
                         uint64_t first);
/* Adds time in ms that was lost to a cause, such as interrupts, and that the benchmark measured itself. These causes,
 * summed over all trials, replace the kernel's in the row's column `causes`. The name is kept, not copied; the item
 * fails above CAUSES_OWN causes. */
void results_cause(struct results *results, unsigned group, const char *name, double ms);
/* Marks the rows of a group as degraded, with a reason, unless they are already. */
void results_degraded(struct results *results, unsigned group, const char *reason);
/* Reports that the reduce() callback ran out of memory: the item fails. */
void results_fail(struct results *results);
/* Makes a metric show the values of metric number `of`, each multiplied by scale, in another unit (such as ns instead
 * of cycles). */
void results_scaled(struct results *results, unsigned metric, unsigned of, double scale);
/* For a group of rows: adds the bytes of memory that were in huge pages, and the bytes that could have been. From the
 * sums over all trials the rows get the parameter pages=huge, small or mixed:N%. Without a call they do not have it. */
void results_pages(struct results *results, unsigned group, double huge_bytes, double possible_bytes);
/* Sets further parameters of a group's rows, such as what the trial found out. They replace those of an earlier
 * trial. */
void results_remark(struct results *results, unsigned group, const struct row_params *remarks);
/* Adds a group of rows, for benchmarks that know only after a trial how many groups there are. It copies placement and
 * counters of group 0, and shows these CPUs. Returns the number of the group; when out of memory the item fails, and 0
 * is returned. */
unsigned results_group(struct results *results, const struct cpuset *cpus);
/* Returns the clock's ticks per second, measured from the program's start until now. */
double results_clock_hz(const struct results *results);

#endif
