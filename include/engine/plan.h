/* SPDX-License-Identifier: MIT */
/* A plan: items (a benchmark with its parameters and copies), the order of their trials, the rule when to stop, and the
 * rows they end in. */
#ifndef ENGINE_PLAN_H
#define ENGINE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/bench.h"
#include "engine/row.h"
#include "engine/trial.h"

enum schedule {
    SCHEDULE_SEQUENCE,    /* all trials of an item, then the next item */
    SCHEDULE_INTERLEAVED, /* a trial of each item in turn, so that drift falls on all alike */
    SCHEDULE_ABBA,        /* forwards and backwards in turn: linear drift cancels */
};

struct plan_item {
    const struct bench *bench;
    void *params;            /* owned by the plan */
    const char *test;        /* the row's test; NULL: the benchmark's name */
    const struct load *load; /* runs beside it; NULL: none, and the row's load is empty */
    void *load_params;       /* owned by the plan */
    unsigned copies;
    struct sampling sampling;
    unsigned phase;    /* items of a phase begin when all of the phases before it have ended */
    int calibrated_by; /* index of an earlier item, or -1 */
    bool no_index;     /* a variant that stands outside the index */
    char *skip;        /* set: not run, a row says "skipped" with this reason; owned by the plan (malloc) */
};

struct plan {
    struct plan_item *items;
    size_t n, capacity;
    enum schedule schedule;
};

/* Appends an item with a copy of the params. Returns it, or NULL when out of memory. */
struct plan_item *plan_add(struct plan *plan, const struct bench *bench, const void *params);
/* Gives the item a load, with a copy of its params. -1 when out of memory. */
int plan_set_load(struct plan_item *item, const struct load *load, const void *params);
void plan_free(struct plan *plan);

/* How long things are likely to take, in ns: at least and at most. */
struct plan_time {
    uint64_t least_ns, most_ns;
    bool unknown; /* there is work whose length is known only when it was done once, and which no time limits */
};
/* Sums up all items that are not skipped, getting ready included. */
struct plan_time plan_time(const struct plan *plan);

/* What a plan is run with. */
struct plan_run {
    const struct row_run *run;
    const struct place_request *place;
    const struct clock_info *clock;
    const struct clock_pair *clock_start; /* taken when the program began */
    struct core_session *core;            /* learns from each trial; NULL: no core probes */
    const char *proc_root;
    int series_fd;
    const char *layout_varied; /* what --layout random varies here: "random stack,heap,map,env" */
    double max_rsd_pct;        /* headline rows whose samples spread by more are unstable; 0: none is */
    uint64_t settle_ns;        /* pause after a row was written, before the next gate */
    bool timer_latency_held;
    const char *degraded; /* what no row got though it was asked for; "" or NULL: nothing */
    struct row_sink sink; /* gets each row as soon as it is known */
    /* Called before each trial: which item, how many trials it had, and a guess how much of the whole plan is done. */
    void (*progress)(void *context, const struct plan_item *item, uint64_t sample, double done);
    /* Called once a second while a trial runs whose benchmark allows that; how long it has run. May be NULL. */
    void (*elapsed)(void *context, uint64_t elapsed_ns);
    void *progress_context;
    uint64_t start_at_ns; /* time of day before which the first trial's gate does not open; 0: none */
    /* Called when that trial has ended, before any row, with how late the gate opened. May be NULL. */
    void (*started)(void *context, int64_t late_ns);
    void *started_context;
};

/* Runs all items. Returns the worst status of all rows, or -signal when a signal ended it (items that
 * had a trial have their rows then, as degraded). */
int plan_execute(const struct plan *plan, const struct plan_run *how);

/* For reduce callbacks: enter one sample, or merge a histogram or series, of a metric of a group (the copy's number
 * where the benchmark groups by copy, else 0). Return -1 when out of memory. */
int results_sample(struct results *results, unsigned group, unsigned metric, double value);
int results_hist(struct results *results, unsigned group, unsigned metric, const struct hist *hist);
int results_series(struct results *results, unsigned group, unsigned metric, const struct series *series);
/* The same of a series whose numbers are no count of values: they go on from first. */
int results_series_from(struct results *results, unsigned group, unsigned metric, const struct series *series,
                        uint64_t first);
/* The same for time lost to a cause that the benchmark tells by itself: its causes, of all trials together, stand in
 * the row's `causes` in place of those that the kernel counted. The name is kept, not copied; -1 above CAUSES_OWN of
 * them. */
int results_cause(struct results *results, unsigned group, const char *name, double ms);
/* The metric's row repeats metric of's distribution, each value times scale, in another unit (cycles as ns). */
void results_scaled(struct results *results, unsigned metric, unsigned of, double scale);
/* Bytes of a group's memory that were in huge pages, of those that could have been. The rows' param says of all trials
 * together: pages=huge, small, or mixed with the share; nothing when this was never called. */
void results_pages(struct results *results, unsigned group, double huge_bytes, double possible_bytes);
/* Ticks a second of the clock, measured from the program's start until now. */
double results_clock_hz(const struct results *results);

#endif
