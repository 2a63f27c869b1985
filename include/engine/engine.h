/* SPDX-License-Identifier: MIT */
/* Benchmarks and loads, their placement, their trials, and plans of these. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "engine/core.h"
#include "engine/interference.h"
#include "engine/option.h"

/* Placement of a party: CPUs, policy, priority, nice value and memory layout, as requested and as read back. */

enum bind_mode {
    BIND_ONE,   /* each copy on one CPU, in turn */
    BIND_RANGE, /* each copy on all of the CPUs */
    BIND_NONE,  /* the kernel chooses */
};
extern const char *const bind_names[]; /* "one", "range", "none", NULL */

/* As the user asked, for all copies. */
struct place_request {
    struct cpuset cpus; /* never empty */
    struct cpuset online;
    unsigned order[CPUSET_MAX]; /* the CPUs in the order of the copies */
    size_t n_order;
    enum bind_mode bind;
    bool bind_given; /* the user chose `bind`, the benchmark must not override it */
    bool nice_given, fifo;
    int nice, fifo_priority;
    int policy;         /* with fifo only SCHED_RR counts */
    uint64_t slice_ns;  /* of any other; 0: the kernel's */
    unsigned uclamp[2]; /* of 1024; most 0: unchanged */
    bool layout_fixed;
};

struct placement {
    struct cpuset cpus; /* empty: not bound */
    enum bind_mode bind;
    bool nice_given;
    int nice, policy, rt_priority;
    bool lock_memory;
    uint64_t timer_slack_ns; /* 0: unchanged */
    uint64_t slice_ns;       /* without rt_priority; 0: unchanged */
    unsigned uclamp[2];
    char refused[160]; /* what was not even tried, and why; "": nothing */
};

/* Read back from the kernel by the party. policy -1: not known. */
struct placement_seen {
    struct cpuset cpus;
    int policy, rt_priority, nice;
    uint64_t slice_ns; /* 0: not known */
    unsigned uclamp[2];
    bool layout_fixed, fresh_exec;
};

/* A party of a copy that is to be placed. */
struct place_of {
    const void *params; /* of its benchmark or load */
    const struct place_request *request;
    unsigned party, copy;
};

/* As the user asked. The engine later takes SCHED_FIFO from copies that would leave no CPU free. */
void place_copy(const struct place_request *request, unsigned copy, struct placement *out);

/* For a party that its benchmark binds to this CPU, whatever the user asked for. */
void place_one(const struct place_request *request, unsigned copy, unsigned cpu, struct placement *out);

/* For the calling thread: place_apply() all but the policy, then place_apply_policy() that, with a limit on its
 * real-time CPU time. What the kernel refuses is appended to refused in words. */
void place_apply(const struct placement *placement, char *refused, size_t size);
void place_apply_policy(const struct placement *placement, uint64_t realtime_limit_us, char *refused, size_t size);
void place_read_back(struct placement_seen *out);

/* Recorders: typed memory that a party writes while it runs and the parent reads afterwards; it does not grow. */

enum recorder_kind {
    RECORD_NUMBERS, /* double[capacity] */
    RECORD_SLICES,  /* struct slices of capacity slices */
    RECORD_HIST,    /* struct hist; capacity: width of its classes (0: 1) */
    RECORD_SERIES,  /* struct series */
    RECORD_CHECKS,  /* struct checks; a wrong one fails the trial */
    RECORD_CORE,    /* struct core_record: slices by the core probes around them (engine/core.h) */
};

struct recorder_spec {
    enum recorder_kind kind;
    size_t capacity;
};
#define RECORDERS_MAX 8

size_t recorder_size(const struct recorder_spec *spec);
void recorder_init(const struct recorder_spec *spec, void *recorder);

/* The smallest number of units that lasts some 1.5 ms. When the array is full, neighbours are joined, and slices are
 * twice as long. */
struct slice {
    uint64_t count, start_ns, end_ns; /* times: CLOCK_MONOTONIC_RAW */
};
/* Mean time of a unit in ns. */
static inline double slice_ns(const struct slice *slice)
{
    return (double)(slice->end_ns - slice->start_ns) / (double)slice->count;
}
struct slices {
    size_t n, capacity;
    uint32_t stride, pending; /* slices_add() calls in a slice; in the last one if it is not complete, else 0 */
    struct slice slice[];
};
void slices_add(struct slices *s, uint64_t count, uint64_t start_ns, uint64_t end_ns);
/* Units completed between two times of CLOCK_MONOTONIC_RAW; a slice partly between them counts in proportion. */
double slices_completed(const struct slices *s, uint64_t from_ns, uint64_t to_ns);

/* Values of SERIES_FIRST events, the first from number `from` on, and the SERIES_LARGEST largest. at: number. */
#define SERIES_FIRST   500u
#define SERIES_LARGEST 2000u
struct series_point {
    uint64_t at, value;
};
struct series {
    uint64_t n;         /* added, kept or not */
    uint64_t threshold; /* smaller values are not kept: 0 until both arrays are full; to be set to 0 at `from` */
    uint64_t from;
    uint32_t n_first, n_largest;
    struct series_point first[SERIES_FIRST];
    struct series_point largest[SERIES_LARGEST]; /* a heap with the smallest on top */
};
void series_init(struct series *s);
void series_offer(struct series *s, uint64_t at, uint64_t value);
/* Below the threshold one comparison. */
static inline void series_add(struct series *s, uint64_t at, uint64_t value)
{
    s->n++;
    if (__builtin_expect(value >= s->threshold, 0))
        series_offer(s, at, value);
}
/* shift is added to the numbers. */
void series_append(struct series *into, const struct series *other, uint64_t shift);
/* How many times as large as for independent events the variance of the number of events above a limit is, at least 1.
 * limit: quantile 1 - share. Estimated from twenty parts of equal numbers of events in the order of time: the wake-ups
 * beside a long-running task are late together. */
double series_clustering(const struct series *s, double limit, double share);
/* Copies the kept values, each once, by number, into points (room for SERIES_FIRST + SERIES_LARGEST). Returns how
 * many. */
size_t series_points(const struct series *s, struct series_point *points);

struct check {
    char name[40];
    double expected, got, tolerance;
};
struct checks {
    size_t n, capacity;
    struct check check[];
};
void checks_add(struct checks *c, const char *name, double got, double expected, double tolerance);
/* The first that is NAN or differs by more than its tolerance; NULL: none. */
const struct check *checks_wrong(const struct checks *c);

/* Descriptor of a benchmark: one const struct bench at the end of its file. A trial is one run, with one sample of
 * each metric. A party is a process or thread in it. At the gate the parties wait, to begin the measured part
 * together. A count is one unit of the benchmark's work. */

/* In all enumerations here the first value is the default: a measured process that ends when its work is done. */
enum role { ROLE_MEASURED, ROLE_PARTNER, ROLE_TIMER, ROLE_LOAD };

enum party_kind {
    PARTY_PROCESS,
    PARTY_THREAD, /* of the process listed before it */
};

/* How a party is told to end. party_stopped() always works; a party that blocks in system calls needs STOP_KILL. */
enum party_stop {
    STOP_SELF, /* when its work is done */
    STOP_FLAG, /* polls party_stopped() */
    STOP_KILL, /* SIGKILL to its process group */
};

/* State that survives party_exec(). */
struct baton {
    uint64_t execs; /* by party_exec() */
    uint64_t count;
    uint64_t start_ns;        /* of the run, CLOCK_MONOTONIC_RAW; the party may store another time */
    struct core_reading core; /* last probe; set by the party only */
    int image_fd;             /* what party_exec() executes, from the first setup (scratch_own_image()); -1: this
                               * program's file */
};

struct core_probe;
struct trial_head;
struct trial_slot;

/* Argument of all callbacks of a party. */
struct party_context {
    const struct bench *bench; /* NULL: a load's party */
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
    CHILDREN_THREADS, /* threads, by threads_start(): as CHILDREN_INHERIT */
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
    size_t slices;     /* in params: uint64_t, times the capacity of RECORD_SLICES */
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

struct recorder_spec party_recorder(const struct party *party, unsigned number, const void *params);

/* Name and recorders: PARTY_IS("thread", [NUMBERS] = {RECORD_NUMBERS, 8}) has one. */
#define PARTY_IS(name_, ...) \
    .name = name_, .recorders = {__VA_ARGS__}, \
    .n_recorders = sizeof((const struct recorder_spec[]){__VA_ARGS__}) / sizeof(struct recorder_spec)

/* better_: "higher" or "lower". */
#define METRIC(id_, unit_, better_, title_) .id = id_, .unit = unit_, .better = better_, .title = title_

enum metric_value { VALUE_MEAN, VALUE_MEDIAN, VALUE_MIN, VALUE_MAX };
/* The value is the median. */
#define METRIC_MEDIAN(id_, unit_, better_, title_) \
    { \
        METRIC(id_, unit_, better_, title_), .value = VALUE_MEDIAN \
    }
/* Has no row without a sample of reduce(). */
#define METRIC_OPTIONAL(id_, unit_, better_, title_) \
    { \
        METRIC(id_, unit_, better_, title_), .optional = true \
    }

/* Its values are samples (one per trial), or a histogram of events over all trials. */
struct metric {
    const char *id, *unit, *better, *title; /* unit NULL: the clock's ("cycles" or "ns") */
    enum metric_value value;                /* statistic that the row shows; default: the mean */
    bool headline;                          /* precision and stability are judged by it */
    bool optional;                          /* no row without a sample of reduce() */
    unsigned above; /* least number of a histogram's events above a percentile that is shown; 0 means 1 */
    /* The value of metric number `of` while nobody else uses the core, by the engine from recorder number
     * `recorder`, a RECORD_CORE, of the first party: units of work per second times scale where higher is better,
     * otherwise cost per unit. */
    bool alone;
    unsigned of, recorder;
    /* This quantile (1: the longest) of all events of metric number `of`, the only sample; its precision is that of the
     * item. 0: none. */
    double quantile;
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
/* From min_ to max_ trials (0: as many as a precision of 2 % needs) of time_ms_ each (0: until their work is done)
 * within seconds_. */
#define SAMPLING(min_, max_, time_ms_, seconds_) \
    { \
        .min_samples = min_, .max_samples = max_, .time_ns = (time_ms_)*1000000ull, \
        .max_ns = (uint64_t)((seconds_)*1e9), .precision_pct = 2 \
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

/* params_: type of its parameters. */
#define BENCH_IS(suite_, name_, title_, params_) \
    .suite = suite_, .name = name_, .title = title_, .params_size = sizeof(params_)
/* One stop rule; none with --thesis. */
#define SAMPLING_ALWAYS(rule_) \
    { \
        [PRESET_DEFAULT] = rule_, [PRESET_QUICK] = rule_, [PRESET_CLASSIC] = rule_ \
    }

/* A table and its length. */
#define BENCH_OPTIONS(options_) .options = options_, .n_options = COUNT(options_)
#define BENCH_METRICS(metrics_) .own_metrics = metrics_, .n_metrics = COUNT(metrics_)
#define BENCH_PARTIES(parties_) .parties = parties_, .n_parties = COUNT(parties_)
#define BENCH_PARTY(...)        .parties = (const struct party[]){{__VA_ARGS__}}, .n_parties = 1

const struct metric *bench_metric(const struct bench *bench, unsigned number);

/* As its callbacks get it. clock may be NULL but in describe(). */
struct bench_case {
    const struct bench *bench;
    const void *params;
    const struct clock_info *clock;
    unsigned copies;
};

struct bench {
    const char *name, *suite, *title;
    /* In the tool that the suite replaces; ends with NULL. */
    const char *const *old_names;
    const void *test;             /* constants of one of several like tests, for its callbacks */
    unsigned groups;              /* bit mask: groups of tests of the suite */
    const struct option *options; /* for values in the params struct */
    size_t n_options, params_size;
    const struct party *parties;
    unsigned n_parties, n_pipes;
    /* Metrics of a family of benchmarks, and the benchmark's own, numbered after them; either may be missing. */
    const struct metric *metrics, *own_metrics;
    unsigned n_shared_metrics, n_metrics;
    struct sampling sampling[PRESET_COUNT]; /* by preset; min_samples 0: not measured */
    bool group_per_copy;                    /* rows for each copy (CPU) instead of common ones */
    bool ends_early;                        /* results do not depend on the length: valid after a signal */
    /* Hours may pass, and single delays do not matter, or the threads preempt it: the parent may wake up once a second
     * (some 50 us on a CPU, perhaps a measured one) to show the time. */
    bool told_while_running;
    /* Appends what that line shows of the results so far. May be NULL. */
    void (*put_so_far)(const struct trial *, struct text *out);
    /* The work is context switches, wake-ups or new processes, which counting slows down: hardware events only on
     * request (--counters). */
    bool switches;
    bool huge_pages;    /* asks for them with madvise(): --tuned keeps them */
    size_t shared_size; /* of context->shared, zeroed, aligned to 64 bytes */
    /* Limit of the setup, in ns. NULL: the engine's default. */
    uint64_t (*setup_limit_ns)(const void *params);
    bool control_fifo; /* the parent has SCHED_FIFO during a trial even when no party has */
    /* Parameters that identify the work: "limit=22 experiments=1000000". May be NULL. */
    void (*describe)(const struct bench_case *of, struct row_params *out);
    /* Directory whose file system the work depends on, or NULL. May be NULL. */
    const char *(*scratch_dir)(const void *params);
    /* Returns 0, or -1 with the reason why it cannot run here. May be NULL. */
    int (*supported)(const struct bench_case *of, struct error *why);
    /* Placement of one party of a copy. NULL: place_copy(). */
    void (*place)(const struct place_of *, struct placement *);
    /* NULL: WHO_SUMS. */
    enum bench_who (*who)(const void *params);
    /* Adapts the params to what an earlier item of the plan measured for this. May be NULL. */
    void (*calibrate)(void *params, double value);
    /* Adds a trial's samples (results_sample() and others); results_fail() when out of memory. */
    void (*reduce)(const struct trial *, struct results *);
};

/* Descriptor of a background load: one const struct load at the end of its file. Its parties run beside the
 * benchmark's, from before the measured part until the trial ends. */

/* RECORD_NUMBERS: work of each kind (enum load_count) since the process began, which it updates while it runs; each
 * count is written by one thread only. The row shows the difference between the run's start and the end of the
 * measured parties. */
#define LOAD_PARTY(name_) \
    PARTY_IS(name_, {RECORD_NUMBERS, LOAD_COUNTS}), .role = ROLE_LOAD, .stop = STOP_KILL, .before_gate = true

static inline void load_set(const struct party_context *context, enum load_count count, double total)
{
    ((double *)context->recorder[0])[count] = total;
}

static inline void load_add(const struct party_context *context, enum load_count count, double amount)
{
    ((double *)context->recorder[0])[count] += amount;
}

struct load {
    const char *name, *title;
    const struct party *parties; /* with ROLE_LOAD and before_gate; threads too */
    unsigned n_parties;
    bool only_named; /* only when the user names it */
    size_t params_size;
    size_t shared_size; /* of context->shared */
    /* Least work per second, by enum load_count: below, the load was idle, and the row is degraded
     * (engine/results.c). 0: not checked. */
    double least[LOAD_COUNTS];
    /* "file=256M". May be NULL. */
    void (*describe)(const void *params, struct row_params *out);
    /* From here on as in struct bench; each may be NULL. */
    const char *(*scratch_dir)(const void *params);
    int (*supported)(const void *params, struct error *why);
    void (*place)(const struct place_of *, struct placement *);
    void (*calibrate)(void *params, double value);
};

/* A trial: one run of a benchmark, in which the parties of all its copies begin together. */

struct trial_spec {
    const struct bench *bench;
    const void *params;
    const struct load *load; /* NULL: none */
    const void *load_params;
    struct cgroup_cpu load_cpu; /* of the load's control group; all 0: it has none */
    unsigned copies;
    uint64_t sample;  /* number of this trial of the plan item, from 0 */
    uint64_t time_ns; /* 0: until the measured parties are done */
    const struct place_request *place;
    const struct clock_info *clock;
    struct core_session *core;        /* NULL: no core probes */
    uint64_t start_at_ns;             /* CLOCK_REALTIME; 0: as soon as all are ready */
    bool counters;                    /* count events even where that slows the work (bench.switches) */
    struct interference_watch *watch; /* interference_make(); NULL: not recorded */
    int series_fd;                    /* for --series; -1: none */
    /* In the parent, once a second. NULL: it sleeps until something happens. */
    void (*tick)(void *context, const struct trial *trial, uint64_t elapsed_ns);
    void *tick_context;
};

enum trial_outcome {
    TRIAL_DONE,
    TRIAL_FAILED,      /* see trial.reason */
    TRIAL_INTERRUPTED, /* a signal asked the program to end */
};

/* Results of a trial, and its state while it runs. */
struct trial {
    struct trial_spec spec;
    enum trial_outcome outcome;
    char reason[320];               /* "" when TRIAL_DONE */
    uint64_t gate_ns;               /* common start, CLOCK_MONOTONIC_RAW; 0: none */
    uint64_t wall_ns;               /* to the end of the last measured party */
    int64_t late_ns;                /* after start_at_ns; negative: before */
    bool shares_core;               /* parties can run on the other hardware thread of a measured core */
    double load_count[LOAD_COUNTS]; /* work of the load, in load_s */
    double load_s;                  /* longer than wall_ns where it keeps a party from its end */
    /* The parent's FIFO priority during the run (0: none), and why it was refused, or "". It asks for one when a party
     * is SCHED_FIFO or with control_fifo, so that it can end the trial on time. */
    int control;
    char control_refused[160];
    /* By copy with group_per_copy, else one for all (n_machine is 1). */
    unsigned n_machine;
    struct machine_counters *machine;  /* increase on the CPUs of the measured parties; then those before the run */
    struct interference *interference; /* other tasks and interrupts on these; all zero when not recorded */
    struct cpuset *machine_cpus;
    struct cgroup_cpu load_cpu; /* as the kernel has it */
    /* For the engine only. */
    struct trial_head *head;
    unsigned n_slots; /* of the copies, then of the load */
    int event_read;
    pid_t *pids;               /* by slot; 0: none, or reaped */
    uint64_t tick_ns;          /* next spec.tick; 0: never */
    bool may_end_early;        /* a signal ends only the trial; its results stay valid */
    unsigned stops;            /* times that a signal stopped or continued a party or the parent: each restarts the
                                * deadlines */
    bool stopped;              /* a party was, which spoils its results */
    bool halted;               /* a party is now, as far as known */
    bool late;                 /* the parent was, or had no CPU: it woke up too late */
    struct cgroup_quota quota; /* that hold for the trial */
    int policy_before, priority_before;
};

/* Shared memory and that of each process. */
uint64_t trial_memory_bytes(const struct trial_spec *spec);

/* trial_free() frees the result; NULL only when out of memory. However the trial ends, all its processes are killed. */
struct trial *trial_run(const struct trial_spec *spec);
void trial_free(struct trial *trial);

/* A signal stopped or continued a party, or the trial failed after the parent was stopped or had no CPU: it says
 * nothing about the benchmark. */
bool trial_stopped(const struct trial *trial);
const struct machine_counters *trial_machine(const struct trial *trial, unsigned copy);
/* What a party of a copy left (engine/trial.h). copy spec.copies: the load's parties. */
const struct trial_slot *trial_party(const struct trial *trial, unsigned party, unsigned copy);
/* Of the first party of a copy; CPUSET_NONE: not known. */
unsigned trial_last_cpu(const struct trial *trial, unsigned copy);
/* Of the first party in all copies, CLOCK_MONOTONIC_RAW. */
struct trial_times {
    uint64_t first_start, last_start, first_end, last_end;
};
struct trial_times trial_times(const struct trial *trial);
const void *trial_recorder(const struct trial *trial, unsigned party, unsigned copy, unsigned recorder);
/* Returns how often an event occurred in a copy of the first party; NAN: it was not counted. */
double trial_count(const struct trial *trial, unsigned copy, enum counter counter);

/* If argv asks for it ("@worker"), runs a party's process, of the NULL-terminated arrays, and does not return. To be
 * called first in main(). */
void trial_worker_main(int argc, char **argv, const struct bench *const *benches, const struct load *const *loads);

/* A plan: items (a benchmark with parameters and number of copies), the order of their trials, and their number.
 * Running it gives the rows. */

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
    struct cgroup_cpu load_cpu;
    unsigned copies;
    unsigned cpus; /* only the first so many of the place; 0: all */
    struct sampling sampling;
    unsigned phase;    /* begins when all lower phases have ended */
    int calibrated_by; /* earlier item whose value calibrates this one, or -1 */
    bool no_index;     /* no points of the UNIX index */
    const char *skip;  /* reason (not copied) not to run: the row is "skipped" */
};

/* Samples of items that end together, after whole blocks of trials A B B A. */
struct plan_samples {
    const double *const *of; /* by item: n samples of plan.metric; NULL: it has ended, or ends by its own rule */
    size_t n;
    uint64_t spent_ns, limit_ns; /* trials of these items together (limit: sum of max_ns) */
};

struct plan {
    struct plan_item *items;
    size_t n, capacity;
    enum schedule schedule;
    /* For SCHEDULE_ABBA, after each block A B B A: whether there are enough samples. Then all items end together, but
     * those with an exact number. It may change the items' params, which rows describe. NULL: each item's own rule. */
    bool (*enough)(struct plan_item *items, size_t n, const struct plan_samples *samples);
    unsigned metric; /* whose samples enough() gets */
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

/* Common to all trials of a plan. */
struct plan_run {
    const struct row_run *run;
    const struct place_request *place;
    const struct clock_info *clock;
    const struct clock_pair *clock_start; /* when the program began */
    struct core_session *core;            /* updated after each trial; NULL: no core probes */
    struct interference_watch *watch;     /* which other tasks run during trials; NULL: not recorded */
    int series_fd;
    const char *layout_varied; /* what --layout random varies here: "random stack,heap,map,env" */
    double max_rsd_pct;        /* a headline row with a larger relative standard deviation is unstable; 0: no limit */
    uint64_t settle_ns;        /* pause after an item's rows, but at most a quarter of the time of its trials */
    bool timer_latency_held;
    bool counters;        /* count events even where that slows the work */
    const char *degraded; /* degrades all rows: options that could not be applied; "" or NULL: none */
    struct row_sink sink; /* gets each row as soon as it is known */
    /* Before each trial, with its number and the estimated share, 0 to 1, of the plan that is done. May be NULL. */
    void (*progress)(void *context, const struct plan_item *item, uint64_t sample, double done);
    /* Once a second where the benchmark allows it (told_while_running), with the time since the start. May be NULL. */
    void (*elapsed)(void *context, const struct trial *trial, uint64_t elapsed_ns);
    void *progress_context;
    uint64_t start_at_ns; /* CLOCK_REALTIME of the first trial; 0: at once */
    /* After the first trial, before any row: how late it began (negative: early). May be NULL. */
    void (*started)(void *context, int64_t late_ns);
    void *started_context;
    /* Before and after each trial: why the item fails, or NULL. May be NULL. */
    const char *(*broken)(void);
};

/* Returns the worst status of all rows, or -signal when one ended it (items that had a trial then have degraded
 * rows). */
int plan_execute(const struct plan *plan, const struct plan_run *how);

/* For reduce(): add a sample, a histogram of events or a series of events to a metric. group: the copy with
 * group_per_copy, else 0. Out of memory, the item fails. */
void results_sample(struct results *results, unsigned group, unsigned metric, double value);
/* A sample of this metric and each of those after it. */
#define results_samples(results_, group_, first_, ...) \
    results_enter_samples(results_, group_, first_, (const double[]){__VA_ARGS__}, \
                          COUNT(((const double[]){__VA_ARGS__})))
static inline void results_enter_samples(struct results *results, unsigned group, unsigned first, const double *values,
                                         size_t n)
{
    for (unsigned i = 0; i < n; i++)
        results_sample(results, group, first + i, values[i]);
}
void results_hist(struct results *results, unsigned group, unsigned metric, const struct hist *hist);
void results_series(struct results *results, unsigned group, unsigned metric, const struct series *series);
/* Both (series may be NULL), with the mean as the sample. */
static inline void results_events(struct results *results, unsigned group, unsigned metric, const struct hist *hist,
                                  const struct series *series)
{
    results_hist(results, group, metric, hist);
    results_sample(results, group, metric, hist_mean(hist));
    if (series)
        results_series(results, group, metric, series);
}
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
