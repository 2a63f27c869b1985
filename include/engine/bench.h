/* SPDX-License-Identifier: MIT */
/* What a benchmark says of itself: one const descriptor at the end of its file. */
#ifndef ENGINE_BENCH_H
#define ENGINE_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/option.h"
#include "engine/place.h"
#include "engine/recorder.h"
#include "sys/clock.h"

enum role { ROLE_MEASURED, ROLE_PARTNER, ROLE_TIMER, ROLE_LOAD, ROLE_SAMPLER };

enum party_kind {
    PARTY_PROCESS,
    PARTY_THREAD, /* of the nearest process party before it */
};

/* How a party is told to end. All see party_stopped(); a party that blocks needs one of the others. */
enum party_stop {
    STOP_SELF, /* it ends when its work is done */
    STOP_FLAG, /* it polls party_stopped() */
    STOP_PIPE, /* its stop_fd comes to its end (poll says POLLHUP, read says 0) */
    STOP_KILL, /* SIGKILL to its process group */
};

/* Survives exec, for a party that replaces its own process image: see party_exec(). */
struct baton {
    uint64_t execs; /* how often the image was replaced since the gate */
    uint64_t count;
    uint64_t start_ns;   /* of the run; free for the party's use */
    uint32_t core_level; /* of the last core probe; free for the party's use */
    int image_fd; /* what party_exec() executes, set by the first setup (scratch_own_image()); -1: the own file */
};

struct core_probe;
struct trial_head;
struct trial_slot;

/* All that a callback of a party knows. */
struct party_context {
    const void *params;
    unsigned copy, copies;
    uint64_t sample; /* number of the trial within its item, from 0 */
    enum clock_kind clock;
    uint64_t time_ns;                    /* how long the trial is to run; 0: until the work is done */
    const struct core_probe *core_probe; /* NULL: not to be taken */
    double rate;                         /* counts a second, measured in warm-up (parties with work) */
    uint64_t expected_ns;                /* setup may say how long run will take; from the rate otherwise */
    void *recorder[RECORDERS_MAX];
    struct baton *baton;
    const int (*pipes)[2]; /* the benchmark's n_pipes pipes of this copy */
    void *shared;          /* shared_size bytes that all parties of this copy (or of the load) have in common */
    int stop_fd;           /* STOP_PIPE; -1 otherwise */
    int series_fd;         /* where every event goes as text; -1 when nobody asked */
    void *state;           /* the party's own: set by setup, freed by teardown */
    char *reason;          /* a callback that fails says why here */
    size_t reason_size;
    struct trial_head *head; /* the engine's */
    struct trial_slot *slot;
};

bool party_stopped(const struct party_context *context);
/* Says that a party that runs before the gate does its work now (a load really loads). The engine's own loop says so
 * after its first slice. */
void party_proved(struct party_context *context);
/* A folder in dir for the party's files, which vanishes with it: scratch_keeper_end() at the end. Whoever is killed,
 * the parent or any party's keeper that is left removes it. 0 or -errno. */
struct scratch_keeper;
int party_scratch_folder(struct party_context *context, const char *dir, struct scratch_keeper *keeper);
/* Waits for the same party of all copies. */
void party_barrier(struct party_context *context);
/* Replaces the process image by the same program (baton->image_fd). run is called again in the new one, with
 * baton->execs one higher and all recorders as they were; setup is called again too. Locked memory and thread parties
 * do not survive it: a benchmark that uses it has neither. Returns only on failure (-errno). */
int party_exec(struct party_context *context);
/* Says that the work goes on, but not as it should: the row is degraded with this reason. The first one counts. */
void party_degraded(struct party_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What was measured is another process, which the party started (an external argument vector). The row has this in
 * place of what the engine reads for the party itself. */
struct task_counters;
struct party_measured {
    const struct task_counters *counters; /* of its run alone */
    struct placement_seen seen;           /* read by the process itself; fresh_exec is not looked at */
    uint64_t start_ns, end_ns;            /* CLOCK_MONOTONIC_RAW */
    unsigned last_cpu;                    /* CPUSET_NONE: not known */
};
void party_measured(struct party_context *context, const struct party_measured *measured);
/* Writes a formatted reason and returns -1, for `return party_fail(context, ...)`. */
int party_fail(struct party_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What a party's own child processes run as. */
enum party_children {
    CHILDREN_NONE,    /* there are none in the run */
    CHILDREN_NORMAL,  /* its work is done by children; a real-time policy does not pass to them (reset-on-fork) */
    CHILDREN_INHERIT, /* they run with the party's policy, on any of its CPUs */
};

struct party {
    const char *name;
    enum role role;
    enum party_kind kind;
    enum party_stop stop;
    enum party_children children;
    /* Runs from its set-up on; the gate opens when it has said party_proved(): loads, and partners without whom the
     * measured party cannot warm up. */
    bool before_gate;
    bool lock_memory;
    uint64_t timer_slack_ns;
    struct recorder_spec recorders[RECORDERS_MAX];
    unsigned n_recorders;
    /* All return 0, or -1 with a reason. All but run and work may be NULL; run may be NULL when there is work. */
    int (*setup)(struct party_context *);                /* before warm-up; touches all memory */
    int (*work)(struct party_context *, uint64_t count); /* count counts, unrecorded: warm-up and slices */
    uint64_t (*counts)(const void *params);              /* how many counts run does; NULL: as many as time allows */
    int (*run)(struct party_context *);                  /* NULL: the engine calls work in slices until stopped */
    int (*verify)(struct party_context *);               /* after the run; usually fills a RECORD_CHECKS */
    void (*teardown)(struct party_context *);
};

enum metric_value { VALUE_MEAN, VALUE_MEDIAN, VALUE_MIN, VALUE_MAX };

/* A metric's values are samples (one a trial), or a histogram of events that all trials share. */
struct metric {
    const char *id, *unit, *better, *title; /* unit NULL: the clock's ("cycles" or "ns") */
    enum metric_value value;                /* what the row's value is */
    bool headline;                          /* precision and stability are judged by it */
    bool optional;                          /* has no row where reduce entered nothing for it */
    /* The figure of metric `of` with the core free, which the engine finds in the first party's RECORD_CORE with number
     * `recorder`: counts a second times scale where higher is better, else cost a count times scale. */
    bool alone;
    unsigned of, recorder;
    double baseline; /* of an index; 0: none */
    double scale;    /* for the benchmark's reduce: counts to units; 0 is 1 */
};

/* Trials repeat until the 95 % interval's half-width is below precision_pct of the mean in every group's headline
 * metric, or max_ns is used up; never fewer than min_samples, never more than max_samples (0: no limit). */
struct sampling {
    uint64_t min_samples, max_samples;
    uint64_t time_ns; /* a trial; 0: until its work is done */
    uint64_t max_ns;
    double precision_pct;
    bool classic;      /* the UNIX index's own rule: sync and pause before each sample, value without the worst third */
    uint64_t pause_ns; /* of that pause */
};

struct trial;
struct results;
struct bench;

const struct metric *bench_metric(const struct bench *bench, unsigned number);

struct bench {
    const char *name, *suite, *title;
    const struct option *options; /* land in the params struct */
    size_t n_options, params_size;
    const struct party *parties;
    unsigned n_parties, n_pipes;
    /* Metrics that a family shares, and behind them the benchmark's own; either may be missing. */
    const struct metric *metrics, *own_metrics;
    unsigned n_shared_metrics, n_metrics; /* n_metrics: both together */
    struct sampling sampling[PRESET_COUNT];
    bool group_per_copy; /* a row for each copy (CPU), not one for all */
    bool ends_early; /* a trial that a signal stopped before its time counts: its figures do not depend on the length */
    /* What it measures may last for hours and is no matter of single delays: while a trial runs the parent may wake up
     * once a second (some 50 us of a CPU, which may be a measured one) to say how long it has run. */
    bool told_while_running;
    bool huge_pages;    /* it asks for huge pages with madvise(): --tuned leaves them to those who ask */
    size_t shared_size; /* of context->shared; zeroed, aligned to 64 bytes */
    /* How long getting ready may take; NULL: the engine's own limit. */
    uint64_t (*setup_limit_ns)(const void *params);
    bool control_fifo; /* the parent is SCHED_FIFO while a trial runs, also when no party is */
    /* Fills what identifies the work: "limit=22 experiments=1000000". */
    void (*describe)(const void *params, const struct clock_info *clock, char *buf, size_t size);
    /* The folder whose file system the work depends on. NULL, or returns NULL: none. */
    const char *(*scratch_dir)(const void *params);
    /* 0, or -1 with the reason why it cannot run here. May be NULL. */
    int (*supported)(const void *params, char *why, size_t why_size);
    /* NULL: place_copy() for every party. */
    void (*place)(const void *params, const struct place_request *, unsigned party, unsigned copy, struct placement *);
    /* Hands a value that an earlier item found to this one (calibration). May be NULL. */
    void (*calibrate)(void *params, double value);
    /* Enters what a trial recorded. Called for each trial that succeeded. */
    int (*reduce)(const struct trial *, struct results *);
};

#endif
