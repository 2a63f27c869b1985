/* SPDX-License-Identifier: MIT */
/* Descriptor of a benchmark: one const struct bench at the end of its file. A trial is one run, with one sample of
 * each metric. A party is a process or thread in it. At the gate the parties wait, to begin the measured part
 * together. A count is one unit of the benchmark's work. */
#ifndef ENGINE_BENCH_H
#define ENGINE_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/option.h"
#include "engine/place.h"
#include "engine/recorder.h"
#include "rows/param.h"
#include "sys/clock.h"
#include "sys/fail.h"

/* In all enumerations here the first value is the default: a measured process that ends when its work is done. */
enum role { ROLE_MEASURED, ROLE_PARTNER, ROLE_TIMER, ROLE_LOAD, ROLE_SAMPLER };

enum party_kind {
    PARTY_PROCESS,
    PARTY_THREAD, /* of the process listed before it */
};

/* How a party is told to end. party_stopped() always works; a party that blocks in system calls needs STOP_PIPE or
 * STOP_KILL. */
enum party_stop {
    STOP_SELF, /* when its work is done */
    STOP_FLAG, /* polls party_stopped() */
    STOP_PIPE, /* stop_fd reaches end of file (poll: POLLHUP, read: 0) */
    STOP_KILL, /* SIGKILL to its process group */
};

/* State that survives party_exec(). */
struct baton {
    uint64_t execs; /* by party_exec() */
    uint64_t count;
    uint64_t start_ns;   /* of the run, CLOCK_MONOTONIC_RAW; the party may store another time */
    uint32_t core_level; /* last core probe; set by the party only */
    int image_fd;        /* what party_exec() executes, from the first setup (scratch_own_image()); -1: this
                          * program's file */
};

struct core_probe;
struct trial_head;
struct trial_slot;

/* Argument of all callbacks of a party. */
struct party_context {
    const void *params;
    unsigned copy, copies;
    uint64_t sample; /* number of this trial of the plan item, from 0 */
    enum clock_kind clock;
    uint64_t time_ns;                    /* of the run; 0: until the work is done */
    const struct core_probe *core_probe; /* NULL: no probes of the core's share */
    double rate;                         /* units of work per second in the warm-up; 0 without work() */
    uint64_t expected_ns;                /* of run(): by rate and counts(), or set by setup(); 0: not known */
    void *recorder[RECORDERS_MAX];
    struct baton *baton;
    const int (*pipes)[2]; /* the n_pipes pipes of this copy */
    void *shared;          /* shared_size bytes, common to this copy's (or the load's) parties */
    int stop_fd;           /* read end for STOP_PIPE; or -1 */
    int series_fd;         /* every event is written to it as text (--series); -1: not asked for */
    void *state;           /* state_size zeroed bytes, or set by setup, freed by teardown */
    char *reason;          /* of a callback that fails */
    size_t reason_size;
    struct trial_head *head; /* for the engine only: entries of trial and party in shared memory */
    struct trial_slot *slot;
};

bool party_stopped(const struct party_context *context);
/* Makes party_stopped() true in all copies' parties of the benchmark, as when the planned time is over. */
void party_stop_all(const struct party_context *context);
/* A before_gate party is now doing its work: the gate may open. Without run() the engine calls it after the first
 * slice. */
void party_proved(struct party_context *context);
/* Makes a directory in dir. scratch_keeper_end() removes it; if the process is killed, its keeper, the parent or
 * another party's keeper does. Returns 0 or -errno. */
struct scratch_keeper;
int party_scratch_folder(struct party_context *context, const char *dir, struct scratch_keeper *keeper);
/* Waits for the same party of every copy. */
void party_barrier(struct party_context *context);
/* Replaces the process image by the same program (baton->image_fd), which calls setup() and run() again, with
 * baton->execs one higher and the recorders unchanged. Locked memory and threads do not survive. Returns only on
 * failure (-errno). */
int party_exec(struct party_context *context);
/* Degrades the row, with this reason if it is the first; the party goes on. */
void party_degraded(struct party_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Results of another process that the party started and measured, which the row shows instead of its own. */
struct task_counters;
struct party_measured {
    const struct task_counters *counters; /* of the measured run only */
    struct placement_seen seen;           /* what it read back itself; fresh_exec is ignored */
    uint64_t start_ns, end_ns;            /* CLOCK_MONOTONIC_RAW */
    unsigned last_cpu;                    /* CPUSET_NONE: not known */
};
void party_measured(struct party_context *context, const struct party_measured *measured);
struct party;
/* Allocates context->state before setup(); for the engine. Returns 0, or -1 with a reason. */
int party_make_state(struct party_context *context, const struct party *party);
/* Writes a formatted reason and returns -1. */
#define party_fail(context_, ...) fail_because(-1, (context_)->reason, (context_)->reason_size, __VA_ARGS__)

/* Policy of a party's own child processes. */
enum party_children {
    CHILDREN_NONE,    /* run() starts none */
    CHILDREN_NORMAL,  /* they do the work, without a real-time policy (reset-on-fork) */
    CHILDREN_INHERIT, /* they inherit the policy and may run on any of its CPUs */
};

struct party {
    const char *name;
    enum role role;
    enum party_kind kind;
    enum party_stop stop;
    enum party_children children;
    /* Runs right after its setup; the gate opens after its party_proved(). For loads, and partners that the warm-up
     * needs. */
    bool before_gate;
    bool lock_memory;
    /* Cannot keep a CPU busy even with SCHED_FIFO, which it keeps where others give it up so that one CPU stays
     * free. */
    bool sleeps;
    uint64_t timer_slack_ns;
    struct recorder_spec recorders[RECORDERS_MAX];
    unsigned n_recorders;
    size_t state_size; /* of context->state, aligned to 64 bytes; 0: none */
    /* setup, work, run and verify return 0, or -1 with a reason. Each may be NULL, but not both run and work. */
    /* Before the warm-up; touches all memory that run() needs. */
    int (*setup)(struct party_context *);
    /* Does `count` units without recording: for the warm-up, and without run(). */
    int (*work)(struct party_context *, uint64_t count);
    /* Units that run() does. NULL: as many as the time allows. */
    uint64_t (*counts)(const void *params);
    /* The measured part. NULL: slices of work() of some 1.5 ms are recorded until the party is stopped. */
    int (*run)(struct party_context *);
    /* After run(); usually self-checks in a RECORD_CHECKS. */
    int (*verify)(struct party_context *);
    void (*teardown)(struct party_context *);
};

/* Name and recorders: PARTY_IS("thread", [NUMBERS] = {RECORD_NUMBERS, 8}) has one. */
#define PARTY_IS(name_, ...)                                                                                           \
    .name = name_, .recorders = {__VA_ARGS__},                                                                         \
    .n_recorders = sizeof((const struct recorder_spec[]){__VA_ARGS__}) / sizeof(struct recorder_spec)

/* better_: "higher" or "lower". */
#define METRIC(id_, unit_, better_, title_) .id = id_, .unit = unit_, .better = better_, .title = title_

enum metric_value { VALUE_MEAN, VALUE_MEDIAN, VALUE_MIN, VALUE_MAX };
/* The value is the median. */
#define METRIC_MEDIAN(id_, unit_, better_, title_)                                                                     \
    {                                                                                                                  \
        METRIC(id_, unit_, better_, title_), .value = VALUE_MEDIAN                                                     \
    }

/* Its values are samples (one per trial), or a histogram of events over all trials. */
struct metric {
    const char *id, *unit, *better, *title; /* unit NULL: the clock's ("cycles" or "ns") */
    enum metric_value value;                /* statistic that the row shows; default: the mean */
    bool headline;                          /* precision and stability are judged by it */
    bool optional;                          /* no row without a sample of reduce() */
    /* The value of metric number `of` while nobody else uses the core, by the engine from recorder number
     * `recorder`, a RECORD_CORE, of the first party: units of work per second times scale where higher is better,
     * otherwise cost per unit. */
    bool alone;
    unsigned of, recorder;
    double baseline; /* 10 points in the UNIX index; 0: none */
    double scale;    /* from units of work, for reduce(); 0 means 1 */
};

/* Trials are repeated until the 95 % interval of the mean is within precision_pct of it in the headline metric of
 * every group of rows, or until max_ns; at least min_samples, at most max_samples (0: no limit). */
struct sampling {
    uint64_t min_samples, max_samples;
    uint64_t time_ns; /* of one trial; 0: until its work is done */
    uint64_t max_ns;
    double precision_pct;
    bool classic;      /* the original UNIX index: sync and pause before each sample; the worst third is dropped */
    uint64_t pause_ns; /* before each sample, with classic */
};
/* Exactly samples_ trials of time_ms_ ms each (0: until their work is done). most_s_: limit in s when a precision is
 * asked for. */
#define SAMPLING_EXACT(samples_, time_ms_, most_s_)                                                                    \
    {                                                                                                                  \
        .min_samples = (samples_), .max_samples = (samples_), .time_ns = (time_ms_)*1000000ull,                        \
        .max_ns = (most_s_)*1000000000ull, .precision_pct = 2                                                          \
    }

/* What is recorded of other tasks and interrupts, where the session records. */
enum bench_who {
    WHO_SUMS, /* column culprits */
    WHO_NEVER,
    WHO_TOLD, /* for reduce() */
    WHO_LAST, /* of the end of the trial, for reduce() */
};

struct trial;
struct results;
struct bench;

/* From min_ to max_ trials (0: as many as a precision of 2 % needs) within seconds_. */
#define SAMPLES_WITHIN(min_, max_, seconds_)                                                                           \
    {                                                                                                                  \
        .min_samples = min_, .max_samples = max_, .max_ns = (uint64_t)((seconds_)*1e9), .precision_pct = 2             \
    }

/* params_: type of its parameters. */
#define BENCH_IS(suite_, name_, title_, params_)                                                                       \
    .suite = suite_, .name = name_, .title = title_, .params_size = sizeof(params_)
/* One stop rule by default, with --quick and with --classic. */
#define SAMPLING_ALWAYS(rule_)                                                                                         \
    {                                                                                                                  \
        [PRESET_DEFAULT] = rule_, [PRESET_QUICK] = rule_, [PRESET_CLASSIC] = rule_                                     \
    }

/* A table and its length. */
#define BENCH_OPTIONS(options_) .options = options_, .n_options = sizeof(options_) / sizeof((options_)[0])
#define BENCH_METRICS(metrics_) .own_metrics = metrics_, .n_metrics = sizeof(metrics_) / sizeof((metrics_)[0])
#define BENCH_PARTIES(parties_) .parties = parties_, .n_parties = sizeof(parties_) / sizeof((parties_)[0])

#define BENCH_WITH(suite_, name_, title_, params_, parties_, metrics_)                                                 \
    BENCH_IS(suite_, name_, title_, params_), BENCH_PARTIES(parties_), BENCH_METRICS(metrics_)

const struct metric *bench_metric(const struct bench *bench, unsigned number);

struct bench {
    const char *name, *suite, *title;
    /* In the tool that the suite replaces; ends with NULL. */
    const char *const *old_names;
    unsigned groups;              /* bit mask: groups of tests of the suite */
    const struct option *options; /* for values in the params struct */
    size_t n_options, params_size;
    const struct party *parties;
    unsigned n_parties, n_pipes;
    /* Metrics of a family of benchmarks, and the benchmark's own, numbered after them; either may be missing. */
    const struct metric *metrics, *own_metrics;
    unsigned n_shared_metrics, n_metrics;
    struct sampling sampling[PRESET_COUNT]; /* by default, with --quick, with --classic */
    bool group_per_copy;                    /* rows for each copy (CPU) instead of common ones */
    bool ends_early;                        /* results do not depend on the length: valid after a signal */
    /* Hours may pass, and single delays do not matter: the parent may wake up once a second (some 50 us on a CPU,
     * perhaps a measured one) to show the time. */
    bool told_while_running;
    /* The work is context switches, wake-ups or new processes, which counting slows down: hardware events only on
     * request (--counters). */
    bool switches;
    bool huge_pages;    /* asks for them with madvise(): --tuned keeps them */
    size_t shared_size; /* of context->shared, zeroed, aligned to 64 bytes */
    /* Limit of the setup, in ns. NULL: the engine's default. */
    uint64_t (*setup_limit_ns)(const void *params);
    bool control_fifo; /* the parent has SCHED_FIFO during a trial even when no party has */
    /* Parameters that identify the work: "limit=22 experiments=1000000". May be NULL. */
    void (*describe)(const void *params, const struct clock_info *clock, struct row_params *out);
    /* Directory whose file system the work depends on, or NULL. May be NULL. */
    const char *(*scratch_dir)(const void *params);
    /* Returns 0, or -1 with the reason why it cannot run here. May be NULL. */
    int (*supported)(const void *params, char *why, size_t why_size);
    /* Placement of one party of a copy. NULL: place_copy(). */
    void (*place)(const void *params, const struct place_request *, unsigned party, unsigned copy, struct placement *);
    /* NULL: WHO_SUMS. */
    enum bench_who (*who)(const void *params);
    /* Adapts the params to what an earlier item of the plan measured for this. May be NULL. */
    void (*calibrate)(void *params, double value);
    /* Adds a trial's samples (results_sample() and others); results_fail() when out of memory. */
    void (*reduce)(const struct trial *, struct results *);
};

#endif
