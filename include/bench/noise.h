/* SPDX-License-Identifier: MIT */
/* The suites noise and wakeup: the noise sampler with the accounting of detours, --who, and wake-up latency. */
#ifndef BENCH_NOISE_H
#define BENCH_NOISE_H

#include "bench/list.h"

/* Detours: gaps in a loop that only reads a clock; their lengths and causes. Pure accounting in ticks of any clock:
 * times and counts are passed in, no system call is made, memory use is constant. */

/* For shorter detours (ns) without a cause none is searched: they are added up by the level (sys/clock.h;
 * higher is slower) of the core probes around them. No interrupt is that short (entry, handler, exit), and while
 * another hardware thread uses the core there are tens of thousands a second. */
#define DETOUR_EVENT_NS 1000u
/* Kept until their cause is searched for. */
#define DETOUR_EVENTS 32768u
/* The last one includes all higher levels. */
#define DETOUR_LEVELS CORE_CELLS
/* Rates of series that are reported. The detours of a series come at equal distances in time; those of one rate are
 * added up. */
#define DETOUR_RATES 4u
/* Equal parts of the run; the time lost in each is recorded. */
#define DETOUR_CELLS 100u

/* The measuring thread's context switches, page faults and CPU; what the kernel does not provide stays constant. */
struct detour_seen {
    int64_t switches, faults;
    unsigned cpu;
};

struct detour_sum {
    double n, ns;
};

struct detour_sums {
    /* Together with `brief` all lost time. */
    struct detour_sum lost[DETOUR_CAUSES], by_class[DETOUR_CAUSES][DETOUR_CLASSES];
    /* Below DETOUR_EVENT_NS without a cause, by the higher level of the core probes before and after. */
    struct detour_sum brief[DETOUR_LEVELS];
    struct detour_periodic { /* series of one rate, of the cause DETOUR_PERIODIC */
        double hz;           /* 0: unused */
        struct detour_sum sum;
    } periodic[DETOUR_RATES];
    double cell[DETOUR_CELLS]; /* ns lost in each part of the run */
};

struct detour_account {
    uint64_t start, length; /* planned, in ticks */
    uint64_t threshold;     /* ticks; a longer gap is a detour */
    double ns_per_tick;
    struct hist *hist;       /* of detours in ns */
    struct series *series;   /* ns by us since the start */
    struct detour_seen seen; /* before */
    /* Not in the sums yet: detour_added() may change its cause. */
    struct detour_last {
        uint64_t end, ticks; /* ticks; length 0: no detour */
        uint64_t quota;      /* the part for which a quota stopped the thread */
        enum detour_cause cause;
        struct detour_seen before;
    } last;
    struct detour_sums sums; /* complete after detour_end() */
    uint64_t blind, end, explained;
    /* Without a cause since `explained`, the last search: start since the run's, and length, in ticks. */
    struct periodic_event events[DETOUR_EVENTS];
    size_t n_events;
    /* end of the last window (at whose end interrupt counters are read); ticks of windows since `explained` whose
     * timer interrupts are known */
    uint64_t window, counted;
    uint64_t timer, stolen_ns;          /* since `explained`: timer interrupts; steal time */
    bool moved;                         /* since `explained` the CPU changed */
    uint64_t clock_from, clock_from_ns; /* near the first window's end, and CLOCK_MONOTONIC then; 0: not known */
    uint64_t clock_at, clock_ns;        /* near the last window's end, and CLOCK_MONOTONIC then; 0: not known */
    struct detour_sum since_probe;      /* below DETOUR_EVENT_NS since the last core probe */
    unsigned level;                     /* of the last core probe */
    double kernel_ns_per_tick, drift;   /* of CLOCK_MONOTONIC; by which share the period of the tick may differ */
};

/* Initialises all but hist and series, which the caller sets before. Ticks; length is not 0. */
void detour_begin(struct detour_account *a, uint64_t start, uint64_t length, uint64_t threshold, double ns_per_tick,
                  const struct detour_seen *seen);

/* A detour that ended at `end`. seen: the counters now; what has changed gives the cause, or it is searched for
 * later. */
void detour_add(struct detour_account *a, uint64_t end, uint64_t ticks, const struct detour_seen *seen);

/* Cost of a step of the sampler between its loops, when it sees no detours. usual: running median, in ticks. */
struct detour_cost {
    uint64_t usual;
};
/* For the time `took` by detour_add() and the reading of counters before it: adds it to the blind time, and returns
 * 0. A step that took more than twice the usual, and exceeded it by more than the threshold, contained a detour: then
 * only the usual is blind time, and the rest is returned, for detour_add(). Changes of counters during the step belong
 * to the longer of the two. again: the detour just added was found so; the usual cost stays. */
uint64_t detour_added(struct detour_account *a, struct detour_cost *cost, uint64_t took, bool again);
/* For other steps (a core probe, reading counters): the last detour keeps its cause. */
uint64_t detour_step(struct detour_account *a, struct detour_cost *cost, uint64_t took);
/* A quota stopped the thread during the last detour: for `ns`, at most all of it. detour_waited(): possible, since
 * another task, or none, had the CPU. */
bool detour_waited(const struct detour_account *a);
void detour_throttled(struct detour_account *a, uint64_t ns);
/* For a step of unknown usual cost: a detour if longer than the threshold and with a context switch, migration or
 * page fault; otherwise blind time. */
void detour_unwatched(struct detour_account *a, uint64_t now, uint64_t took, const struct detour_seen *seen);

/* A core probe found this level. Short detours since the one before get the higher of the two. */
void detour_probed(struct detour_account *a, unsigned level);

/* CLOCK_MONOTONIC was monotonic_ns at `now`: kernels tick at multiples of the period in it. */
void detour_clock(struct detour_account *a, uint64_t now, uint64_t monotonic_ns);

/* Ends a window, a stretch after which counters are read. timer: its interrupts (-1: not known); stolen_ns: by the
 * hypervisor (0: not known). If the CPU changed, or many detours wait for a cause, searches for causes: some 10 ms. */
void detour_window(struct detour_account *a, uint64_t end, int64_t timer, uint64_t stolen_ns);

/* After the last window. Causes are searched in this order: series faster than the counted timer interrupts; the
 * timer's detours, by rate and phase; the longest, up to the steal time; other series. */
void detour_end(struct detour_account *a, uint64_t end);

unsigned detour_class(uint64_t ns); /* by ns */
/* Part of the run at the time `at`; the last one after the end. */
unsigned detour_cell(const struct detour_account *a, uint64_t at);
uint64_t detour_observed(const struct detour_account *a); /* ticks of the run without the blind time */

/* Least and most frequent of n gaps between clock readings, in ticks. If a step of the clock is longer than a turn
 * of the loop, the least gap is that step: gaps of 0 are left out (all are 0: 1). Otherwise it is the 10th
 * percentile of those above 0: a counter that a hypervisor scales may advance by a single tick. */
void detour_loop(const uint64_t *gaps, size_t n, uint64_t *least, uint64_t *mode);

/* The noise sampler: on each CPU a loop that only reads the clock, and records the long gaps (detours) in which
 * something else had the CPU. Method: P. Beckman et al., 'The Influence of Operating Systems on the Performance of
 * Collective Operations at Extreme Scale', IEEE Cluster 2006. */

struct noise_params {
    char threshold[24]; /* by the user: a time, or "8x" */
    /* One of the two is 0. Of --who: shorter detours, or such of less than WHO_LEAST_NS, are ignored. */
    uint64_t threshold_ns;
    double threshold_loops; /* multiple of the loop's shortest gap */
    uint64_t stop_ns;       /* not 0: measures nothing, runs until a longer detour, records what ran */
    char keep[1024];        /* file for that record; "": none */
    /* Of `jitbench export -f oslat`: number of buckets, and whether it leaves out empty ones. */
    uint64_t buckets;
    bool zero_omit;
};
#define NOISE_BUCKETS 32 /* unless set */

/* Sets threshold_ns or threshold_loops, and the other to 0. Returns 0, or -1 with a line in error that names the
 * range. */
int noise_read_threshold(struct noise_params *params, struct error *error);

/* Consecutive readings in ticks: further apart than the threshold, or the last ones before the end time. */
struct noise_gap {
    uint64_t from, to;
};
/* Reads the clock from `from` until a gap above the threshold, or `end`; in ticks. */
struct noise_gap noise_watch(enum clock_kind clock, uint64_t from, uint64_t threshold, uint64_t end);

/* ns in a tick of the clock, measured in 20 ms. Spins, so that the core reaches full frequency. 0: the clock does
 * not advance. */
double noise_find_tick_ns(enum clock_kind clock);

/* Recorders of each copy, a sampler on one CPU. */
enum { NOISE_HIST, NOISE_SERIES, NOISE_NUMBERS, NOISE_CORE, NOISE_LEVELS };
/* NOISE_LEVELS: how many core probes had each level, for each part of the run. */

enum { NOISE_TIMER, NOISE_RESCHED, NOISE_IPI, NOISE_DEVICE, NOISE_SOFTIRQ, NOISE_COUNTS };
/* NOISE_NUMBERS; times in ns. */
struct noise_record {
    double loop; /* most frequent gap of the loop */
    double threshold, observed, blind;
    double limited;              /* 1: a quota of CPU time holds; 0: none that can be seen */
    double counts[NOISE_COUNTS]; /* interrupts of the CPU during the run; NAN: not known */
    struct detour_sums sums;
    double mhz[DETOUR_CELLS]; /* core frequency; NAN: not known */
};

/* Lost share of the observed time in %. */
double noise_lost_pct(const struct noise_record *record);
/* By how many % the CPU was slower than one without lost time that has its core to itself: 100 * (1 - (1 - *alone /
 * 100) * share). alone: % lost to detours but those by other users of the core; share: core_share() over the run.
 * NAN, *alone unchanged, when that is not known. After core_learn() of the trial's probes. */
double noise_slower_pct(const struct trial *trial, unsigned copy, double *alone);

enum {
    NOISE_METRIC_LOST,
    NOISE_METRIC_DETOURS,
    NOISE_METRIC_DETOUR,
    NOISE_METRIC_LOOP,
    NOISE_METRIC_THRESHOLD,
    NOISE_METRIC_BLIND,
    NOISE_METRIC_LOST_BY, /* first of the metrics of time lost by cause */
    NOISE_METRIC_COUNTS = NOISE_METRIC_LOST_BY + DETOUR_CAUSES,
    NOISE_METRIC_SLOWER = NOISE_METRIC_COUNTS + NOISE_COUNTS,
    NOISE_METRIC_SHARE,
    NOISE_METRIC_FREE,
    NOISE_METRIC_MHZ,
    NOISE_METRIC_LOST_ALONE,
    NOISE_N_METRICS
};

/* jitbench noise --who: a run of the sampler of noise during which the kernel records what runs on each CPU. */

/* Detours (gaps in the sampler's loop) that are shorter than this, in ns, are ignored: entry, handler and exit of an
 * interrupt take longer. */
#define WHO_LEAST_NS 1000u
/* Where the end of a run is told, what is told is of this length in ns, or from the start of the last detour if that
 * was earlier. */
#define WHO_LAST_NS 20000000u

enum {
    WHO_METRIC_DISTURBED,
    WHO_METRIC_UNSEEN,
    WHO_METRIC_RECORDS_LOST,
    WHO_METRIC_TAKEN,
    WHO_METRIC_TIMES,
    WHO_METRIC_LONGEST,
    WHO_N_METRICS
};

/* Adds to the results the timeline of the CPU of a window of the trial: a group of rows for each name, with each time
 * that it had the CPU as series of the metric. What was not recorded degrades the group with this number. */
void who_tell_timeline(struct results *results, unsigned group, const struct trial *trial,
                       const struct account_window *window, unsigned metric);

/* Wake-up latency: a thread on each CPU sleeps until a time and records how late it runs. */

/* Classes of the histogram. */
#define WAKEUP_CLASS_NS   1000u
#define WAKEUP_CLASSES    HIST_LINEAR
#define WAKEUP_PRIORITY   80 /* unless the user gives one */
#define WAKEUP_MISSED_MAX 1000000u

struct wakeup_params {
    uint64_t interval_ns;  /* between two wake-ups */
    uint64_t histogram_us; /* so late, or later: overflows of the histogram */
    uint64_t stop_ns;      /* ends at the first wake-up later than this; 0: at its planned end */
    int priority;          /* SCHED_FIFO; 0: normal policy */
    bool lock_memory;      /* even with the normal policy */
    bool who;              /* with stop_ns: record what ran before */
};

/* --- The accounting: times are passed in, in ns of one clock. --- */

struct wakeup_account {
    uint64_t interval_ns;
    uint64_t overflow_ns; /* so late, or later: an overflow */
    uint64_t due_ns;      /* next wake-up, not after end_ns at wakeup_woke() */
    uint64_t end_ns;      /* the last wake-up is due by then */
    uint64_t missed, overflows;
    struct hist *hist; /* lateness, in classes of WAKEUP_CLASS_NS */
};

/* The thread runs at now_ns, not before due_ns. Sets due_ns to the schedule's first time after now_ns, or after
 * end_ns if earlier. Missed wake-ups in between (the last WAKEUP_MISSED_MAX) are recorded with their own lateness: a
 * stall counts for each that it delayed. Returns the lateness in ns of the one it slept for. */
uint64_t wakeup_woke(struct wakeup_account *account, uint64_t now_ns);

enum { WAKEUP_HIST, WAKEUP_NUMBERS };
enum {
    WAKEUP_MISSED,
    WAKEUP_OVERFLOWS,
    WAKEUP_STOPPED_NS, /* of the wake-up that ended the run; 0: none */
    WAKEUP_STOPPED_AT, /* CLOCK_MONOTONIC_RAW */
    WAKEUP_STOPPED_CPU,
    WAKEUP_STOPPED_TASK,
    WAKEUP_N_NUMBERS
};
enum { WAKEUP_METRIC_LATENCY, WAKEUP_METRIC_OVERFLOWS, WAKEUP_METRIC_MISSED, WAKEUP_METRIC_LONGEST, WAKEUP_N_METRICS };

#endif
