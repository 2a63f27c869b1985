/* SPDX-License-Identifier: MIT */
/* Descriptor of a benchmark: one const struct bench at the end of the benchmark's file. A trial is one run of the
 * benchmark, which gives one sample of each metric. A party is a process or thread that takes part in it. The gate is
 * the point at which the parties wait, to begin the measured part together. A count is one unit of the benchmark's
 * work. */
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

/* Role of a party, which is a process or thread that takes part in a trial. In this enumeration and in those below the
 * first value is the default: a measured process that ends when its work is done. */
enum role { ROLE_MEASURED, ROLE_PARTNER, ROLE_TIMER, ROLE_LOAD, ROLE_SAMPLER };

enum party_kind {
    PARTY_PROCESS,
    PARTY_THREAD, /* a thread of the process that is listed before it */
};

/* How a party is told to end. party_stopped() works with each of these; a party that blocks in system calls needs
 * STOP_PIPE or STOP_KILL. */
enum party_stop {
    STOP_SELF, /* the party ends when its work is done */
    STOP_FLAG, /* the party polls party_stopped() */
    STOP_PIPE, /* the party's stop_fd reaches end of file (poll reports POLLHUP, read returns 0) */
    STOP_KILL, /* the engine sends SIGKILL to the party's process group */
};

/* State of a party that survives exec, for parties that replace their own process image: see party_exec(). */
struct baton {
    uint64_t execs; /* number of times that party_exec() has replaced the process image */
    uint64_t count;
    uint64_t start_ns;   /* start of the run by CLOCK_MONOTONIC_RAW; the party may store another time here */
    uint32_t core_level; /* set by the party only: result of its last core probe */
    int image_fd;        /* descriptor of the program file that party_exec() executes, set by the first setup
                          * (scratch_own_image()); -1: the file of this program */
};

struct core_probe;
struct trial_head;
struct trial_slot;

/* Argument of all callbacks of a party (setup(), work(), run() and others). */
struct party_context {
    const void *params;
    unsigned copy, copies;
    uint64_t sample; /* number of this trial among those of the same plan item, from 0 */
    enum clock_kind clock;
    uint64_t time_ns;                    /* planned length of the run; 0: until the work is done */
    const struct core_probe *core_probe; /* parameters of the probes that show how much of its core the CPU has; NULL:
                                          * none are taken */
    double rate;          /* units of work per second, measured in the warm-up; 0 for a party without a work function */
    uint64_t expected_ns; /* expected time of run(): computed from the rate if the party has counts(), otherwise setup()
                           * may set it; 0: not known */
    void *recorder[RECORDERS_MAX];
    struct baton *baton;
    const int (*pipes)[2]; /* the benchmark's n_pipes pipes, opened for this copy */
    void *shared;          /* shared_size bytes of memory, common to all parties of this copy of the benchmark (or of
                            * the load) */
    int stop_fd;           /* read end of the pipe of STOP_PIPE; -1 otherwise */
    int series_fd;         /* descriptor to which every event is written as text (--series); -1: not asked for */
    void *state;           /* private state of the party: state_size zeroed bytes, or set by setup, freed by teardown */
    char *reason;          /* a callback that fails writes the reason here */
    size_t reason_size;
    struct trial_head *head; /* head and slot are the trial's and the party's entries in shared memory, for the engine
                              * only */
    struct trial_slot *slot;
};

bool party_stopped(const struct party_context *context);
/* Makes party_stopped() true in the benchmark's parties of all copies, as the engine does when the planned time is
 * over. */
void party_stop_all(const struct party_context *context);
/* Reports that a party that starts before the gate opens (before_gate) is now doing its work, so that the gate may
 * open. For a party without run() the engine reports it after the first slice of work. */
void party_proved(struct party_context *context);
/* Makes a directory in dir for the party's files. scratch_keeper_end() removes it at the end; if the process is killed,
 * its keeper (a helper process that waits for that), the parent or the keeper of another party does. Returns 0 or
 * -errno. */
struct scratch_keeper;
int party_scratch_folder(struct party_context *context, const char *dir, struct scratch_keeper *keeper);
/* Waits until the same party of every copy of the benchmark has called this function. */
void party_barrier(struct party_context *context);
/* Replaces the process image by the same program (baton->image_fd). The new image calls setup() and run() again, with
 * baton->execs one higher and all recorders unchanged. Locked memory and threads do not survive: a benchmark that uses
 * this has neither. Returns only on failure (-errno). */
int party_exec(struct party_context *context);
/* Marks the result row as degraded with this reason; the party goes on with its work. Only the first reason is kept. */
void party_degraded(struct party_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Results of another process, such as a command of the user, that the party started and measured. The result row shows
 * them instead of the party's own. */
struct task_counters;
struct party_measured {
    const struct task_counters *counters; /* kernel's counters for the measured run only */
    struct placement_seen seen;           /* CPUs, policy and so on that the other process read back itself; fresh_exec
                                           * is ignored */
    uint64_t start_ns, end_ns;            /* time of the run by CLOCK_MONOTONIC_RAW */
    unsigned last_cpu;                    /* CPU on which the other process ended; CPUSET_NONE: not known */
};
void party_measured(struct party_context *context, const struct party_measured *measured);
struct party;
/* Allocates context->state (state_size zeroed bytes) before the party's setup(); called by the engine only. Returns 0,
 * or -1 with a reason. */
int party_make_state(struct party_context *context, const struct party *party);
/* Writes a formatted reason and returns -1, for `return party_fail(context, ...)`. */
#define party_fail(context_, ...) fail_because(-1, (context_)->reason, (context_)->reason_size, __VA_ARGS__)

/* Scheduling policy of a party's own child processes. */
enum party_children {
    CHILDREN_NONE,    /* the party's run() starts no children */
    CHILDREN_NORMAL,  /* children do the work; they do not inherit a real-time policy (reset-on-fork) */
    CHILDREN_INHERIT, /* children inherit the party's policy and may run on any of its CPUs */
};

struct party {
    const char *name;
    enum role role;
    enum party_kind kind;
    enum party_stop stop;
    enum party_children children;
    /* The party begins to run right after its setup, and the gate opens only after it has called party_proved(). For
     * loads, and for partners that the measured party needs for its warm-up. */
    bool before_gate;
    bool lock_memory;
    /* The party sleeps most of the time in any case, so that it cannot keep a CPU busy even with SCHED_FIFO. It keeps
     * that policy where other parties have to give it up so that one CPU stays free. */
    bool sleeps;
    uint64_t timer_slack_ns;
    struct recorder_spec recorders[RECORDERS_MAX];
    unsigned n_recorders;
    size_t state_size; /* size of context->state, aligned to 64 bytes, which the engine makes and frees; 0: none */
    /* setup, work, run and verify return 0, or -1 with a reason. setup, counts and verify may be NULL, and so may
     * either run or work. */
    /* Called before the warm-up. Touches all memory that run() needs. */
    int (*setup)(struct party_context *);
    /* Does `count` units of work without recording them: for the warm-up, and for a party without run(). */
    int (*work)(struct party_context *, uint64_t count);
    /* Returns the number of units of work that run() does. NULL: as many as the time allows. */
    uint64_t (*counts)(const void *params);
    /* Does the measured part. NULL: until the party is stopped, the engine calls work() for slices of some 1.5 ms and
     * records them. */
    int (*run)(struct party_context *);
    /* Called after run(); usually adds self-checks to a recorder of kind RECORD_CHECKS. */
    int (*verify)(struct party_context *);
    void (*teardown)(struct party_context *);
};

/* Initialises the name of a party and its recorders: PARTY_IS("thread", [NUMBERS] = {RECORD_NUMBERS, 8}) has one. */
#define PARTY_IS(name_, ...)                                                                                           \
    .name = name_, .recorders = {__VA_ARGS__},                                                                         \
    .n_recorders = sizeof((const struct recorder_spec[]){__VA_ARGS__}) / sizeof(struct recorder_spec)

/* Initialises the members that every metric sets; better_ is "higher" or "lower". */
#define METRIC(id_, unit_, better_, title_) .id = id_, .unit = unit_, .better = better_, .title = title_

enum metric_value { VALUE_MEAN, VALUE_MEDIAN, VALUE_MIN, VALUE_MAX };
/* Initialises a whole metric with these members alone; its value is the median. */
#define METRIC_MEDIAN(id_, unit_, better_, title_)                                                                     \
    {                                                                                                                  \
        METRIC(id_, unit_, better_, title_), .value = VALUE_MEDIAN                                                     \
    }

/* A metric. Its values are samples (one per trial), or a histogram of events over all trials. */
struct metric {
    const char *id, *unit, *better, *title; /* unit NULL: the unit of the clock ("cycles" or "ns") */
    enum metric_value value;                /* statistic of the samples or events that the result row shows as its
                                             * value; default: the mean */
    bool headline;                          /* the benchmark's main metric, by which precision and stability are
                                             * judged */
    bool optional;                          /* no result row is written for the metric when reduce() added no sample to
                                             * it */
    /* This metric is the value that metric number `of` has while nobody else uses the core. The engine computes it from
     * recorder number `recorder` of the first party, a RECORD_CORE: units of work per second times scale where higher
     * is better, otherwise cost per unit of work. */
    bool alone;
    unsigned of, recorder;
    double baseline; /* value that gets 10 points in the UNIX index; 0: the metric has no points */
    double scale;    /* factor from units of work to the metric's unit, for the benchmark's reduce(); 0 means 1 */
};

/* The stop rule: how many trials are run. They are repeated until the half-width of the 95 % confidence interval of the
 * mean is below precision_pct of the mean in the headline metric of every group of rows, or until max_ns is used up; at
 * least min_samples, at most max_samples times (0: no limit). */
struct sampling {
    uint64_t min_samples, max_samples;
    uint64_t time_ns; /* time of one trial; 0: until its work is done */
    uint64_t max_ns;
    double precision_pct;
    bool classic;      /* the rule of the original UNIX index: sync and pause before each sample; the worst third of the
                        * samples is dropped */
    uint64_t pause_ns; /* pause in ns before each sample, with the classic rule */
};
/* Initialises a stop rule: exactly samples_ trials of time_ms_ milliseconds each (0: until their work is done). most_s_
 * is the time limit in seconds for users who ask for a precision instead. */
#define SAMPLING_EXACT(samples_, time_ms_, most_s_)                                                                    \
    {                                                                                                                  \
        .min_samples = (samples_), .max_samples = (samples_), .time_ns = (time_ms_)*1000000ull,                        \
        .max_ns = (most_s_)*1000000000ull, .precision_pct = 2                                                          \
    }

/* What is recorded of other tasks and interrupts during a trial, where the session records. */
enum bench_who {
    WHO_SUMS,  /* who had the CPUs: the rows' column culprits */
    WHO_NEVER, /* nothing */
    WHO_TOLD,  /* reduce() reads the records */
    WHO_LAST,  /* reduce() reads the records of the end of the trial */
};

struct trial;
struct results;
struct bench;

/* Initialises a stop rule: from min_ to max_ trials (0: as many as a precision of 2 % needs) within seconds_. */
#define SAMPLES_WITHIN(min_, max_, seconds_)                                                                           \
    {                                                                                                                  \
        .min_samples = min_, .max_samples = max_, .max_ns = (uint64_t)((seconds_)*1e9), .precision_pct = 2             \
    }

/* Initialises the members that every benchmark descriptor sets; params_ is the type of its parameters. */
#define BENCH_IS(suite_, name_, title_, params_)                                                                       \
    .suite = suite_, .name = name_, .title = title_, .params_size = sizeof(params_)
/* Initialises the stop rules of a benchmark: the same one by default, with --quick and with --classic. */
#define SAMPLING_ALWAYS(rule_)                                                                                         \
    {                                                                                                                  \
        [PRESET_DEFAULT] = rule_, [PRESET_QUICK] = rule_, [PRESET_CLASSIC] = rule_                                     \
    }

/* Initialise one table of a benchmark descriptor, and its length: options, metrics or parties. */
#define BENCH_OPTIONS(options_) .options = options_, .n_options = sizeof(options_) / sizeof((options_)[0])
#define BENCH_METRICS(metrics_) .own_metrics = metrics_, .n_metrics = sizeof(metrics_) / sizeof((metrics_)[0])
#define BENCH_PARTIES(parties_) .parties = parties_, .n_parties = sizeof(parties_) / sizeof((parties_)[0])

/* Initialises the members that every benchmark descriptor sets, and its tables of parties and metrics. */
#define BENCH_WITH(suite_, name_, title_, params_, parties_, metrics_)                                                 \
    BENCH_IS(suite_, name_, title_, params_), BENCH_PARTIES(parties_), BENCH_METRICS(metrics_)

const struct metric *bench_metric(const struct bench *bench, unsigned number);

struct bench {
    const char *name, *suite, *title;
    /* Other names by which users can select the benchmark: those in the tool that its suite replaces. The array ends
     * with NULL; NULL: none. */
    const char *const *old_names;
    unsigned groups;              /* bit mask: groups of tests, defined by the suite, to which the benchmark belongs */
    const struct option *options; /* option table; values are stored in the params struct */
    size_t n_options, params_size;
    const struct party *parties;
    unsigned n_parties, n_pipes;
    /* Metrics shared by a family of benchmarks, and the benchmark's own, which are numbered after them; either may be
     * missing. */
    const struct metric *metrics, *own_metrics;
    unsigned n_shared_metrics, n_metrics;   /* number of shared metrics; number of all metrics */
    struct sampling sampling[PRESET_COUNT]; /* stop rules: by default, with --quick, with --classic */
    bool group_per_copy;                    /* result rows for each copy (CPU) instead of common ones for all copies */
    bool ends_early; /* a trial that a signal ends early has valid results, since they do not depend on its length */
    /* The run may last for hours, and single delays do not matter to the benchmark: while a trial runs the parent may
     * wake up once a second (some 50 us on a CPU, which may be a measured one) to show how long it has run. */
    bool told_while_running;
    /* The benchmark's work is context switches, wake-ups or new processes, which counting events would slow down:
     * hardware events are counted only on request (--counters). */
    bool switches;
    bool huge_pages;    /* the benchmark asks for huge pages with madvise(): --tuned does not switch them off */
    size_t shared_size; /* size of context->shared, which is zeroed and aligned to 64 bytes */
    /* Returns how long the setup may take, in ns. NULL: the engine's default. */
    uint64_t (*setup_limit_ns)(const void *params);
    bool control_fifo; /* the parent process has SCHED_FIFO while a trial runs, even when no party has */
    /* Adds to the row the parameters that identify the work: "limit=22 experiments=1000000". May be NULL. */
    void (*describe)(const void *params, const struct clock_info *clock, struct row_params *out);
    /* Returns the directory whose file system the work depends on, or NULL for none. May be NULL. */
    const char *(*scratch_dir)(const void *params);
    /* Returns 0, or -1 with the reason why the benchmark cannot run here. May be NULL. */
    int (*supported)(const void *params, char *why, size_t why_size);
    /* Sets the placement (CPUs, policy, priority) of one party of a copy. NULL: place_copy() sets it for every
     * party. */
    void (*place)(const void *params, const struct place_request *, unsigned party, unsigned copy, struct placement *);
    /* Returns what is recorded of other tasks where the session records (--who). NULL: WHO_SUMS. */
    enum bench_who (*who)(const void *params);
    /* Adapts the params to the value that an earlier item of the plan measured for this purpose. May be NULL. */
    void (*calibrate)(void *params, double value);
    /* Adds the samples of a trial that succeeded to the results (results_sample() and others). When memory runs out it
     * calls results_fail(). */
    void (*reduce)(const struct trial *, struct results *);
};

#endif
