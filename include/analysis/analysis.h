/* SPDX-License-Identifier: MIT */
/* What is found in result rows. */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "rows/rows.h"

/* --- The table of metrics, made from the benchmarks' descriptors (cmd/metrics.c). NULL or empty: no test is known.
 * --- */

struct metrics_metric {
    const char *id, *title, *unit, *better; /* unit NULL: the unit of the clock ("cycles" or "ns") */
    bool headline;                          /* the test is judged by it */
};

struct metrics_test {
    const char *suite, *name, *title;
    bool row_per_cpu;                    /* a row for each CPU */
    bool named_by_user;                  /* for all tests of the suite */
    const struct metrics_metric *metric; /* NULL: a variant, with metrics of other tests of the suite */
    size_t n;
};
#define METRICS_TEST(suite_, name_, title_, metrics_) \
    .suite = suite_, .name = name_, .title = title_, .metric = metrics_, .n = COUNT(metrics_)

struct metrics_suite {
    const char *name, *title;
};

struct metrics {
    const struct metrics_suite *suite; /* in the order shown */
    size_t n_suites;
    const struct metrics_test *test;
    size_t n_tests;
    /* computed from other rows, so not selectable */
    const struct metrics_test *made;
    size_t n_made;
};

/* Returns the entry of a test, or that for all tests of a suite in which the user names them; NULL: none. */
const struct metrics_test *metrics_test(const struct metrics *metrics, const char *suite, const char *test);
/* Its name if it is not known or given by the user. */
const char *metrics_test_title(const struct metrics *metrics, const char *suite, const char *test);
/* Otherwise that in the first test of the suite that has the metric; otherwise its id. */
const char *metrics_title(const struct metrics *metrics, const struct row *row);
/* "": not known. */
const char *metrics_suite_title(const struct metrics *metrics, const char *suite);

bool metrics_row_per_cpu(const struct metrics *metrics, const struct row *row);
/* Appends what tells rows of a test and metric apart: ", burn, stable protocol, limit 22, CPU 3": load, protocol, words
 * of param, and CPU or copies. */
void metrics_put_place(const struct metrics *metrics, const struct row *row, struct text *out);

/* A headline metric with a direction. A metric that no test of the suite has (an index, or of a newer version)
 * counts as headline when the row has a direction; one with the core free does not: where known, it takes the place
 * of that over the whole time. */
bool metrics_is_compared(const struct metrics *metrics, const struct row *row);
/* A headline metric with the core free. */
bool metrics_is_compared_alone(const struct metrics *metrics, const struct row *row);

/* Files do not contain `headline`. Of a test that is not in the table the first metric counts. */
void metrics_mark_headlines(const struct metrics *metrics, struct row *rows, size_t n);

/* --- Requirements: "TEST/METRIC[.STAT] OPERATOR VALUE[UNIT]", as "noise/detour.max < 20us". STAT: a column of
 * statistics, default `value`. Met when all rows of the metric meet it; a result that is not known does not. --- */

struct requirement {
    char text[160]; /* as written */
    char test[sizeof(((struct row *)0)->test)], metric[sizeof(((struct row *)0)->metric)];
    const struct row_column *stat;
    bool below, or_equal; /* < or <=; <= or >= */
    double limit;
    char limit_unit[sizeof(((struct row *)0)->unit)]; /* "": of the metric */
    size_t n_rows, n_failed;                          /* of the metric; those that do not meet it */
    bool measured;                                    /* rows of any metric */
    /* The worst row's, in `unit`; NAN: none. */
    double value, limit_of_row;
    char unit[sizeof(((struct row *)0)->unit)];
    char where[160];  /* load, parameter, copies, CPUs and (if several_runs) host of the worst row; "" */
    char reason[256]; /* why the first row without a result has none; "" */
};

/* Besides those of the table. */
struct require_name {
    const char *suite, *test;
    const char *metric, *unit; /* NULL: all metrics of suite and test */
};

struct requirements {
    const struct metrics *metrics;
    const struct require_name *names;
    size_t n_names;
    bool several_runs;      /* may be of several hosts */
    bool names_only;        /* only tests in `names` are measured */
    const char *clock_unit; /* of metrics in ticks; NULL: not known */
    bool figures;           /* without limits; the worst is the one that is worst for its metric */
    /* Set below. */
    struct requirement *of;
    size_t n, capacity;
};

/* Returns -1 with the reason: not readable, unknown test, metric or statistic (with the most similar), wrong
 * unit. Otherwise error says which unit with a prefix a limit without one got; "": none. Calls memory_out(). */
int requirements_add(struct requirements *set, const char *text, struct error *error);
/* One a line; '#' begins a comment. Returns -1 with the reason, which names the line; also for none at all. */
int requirements_add_lines(struct requirements *set, const char *lines, struct error *error);
void requirements_free(struct requirements *set);

void requirements_row(struct requirements *set, const struct row *row);

bool requirement_met(const struct requirement *requirement);
size_t requirements_failed(const struct requirements *set);
/* "": it is known. */
const char *requirement_unknown(const struct requirement *requirement);

/* --- A metric between two CPUs as a matrix. --- */

#define CPU_MAP_MOST 64u

struct cpu_map {
    unsigned cpu[CPU_MAP_MOST]; /* in the order of the rows */
    /* CPUs; rows without room */
    size_t n, left_out;
    /* by index in cpu, in both directions; NULL: none */
    const struct row *row[CPU_MAP_MOST][CPU_MAP_MOST];
};

/* If it is of suite memory, has this metric, a pair of CPUs and a value above 0. Keeps the pointer. most: up to
 * CPU_MAP_MOST. */
void cpu_map_add(struct cpu_map *map, const struct row *row, const char *metric, size_t most);

/* --- Levels of a curve that rises in steps, as the time of a load by working set: caches and memory. --- */

struct plateau {
    size_t first, n; /* range in the values */
    double value;    /* median */
};

/* A plateau is three or more neighbours within 15 % of their median; one below 1.6 times that before is joined with
 * it: the curve rises slowly in a cache that is shared or hashed. Values between, of sets partly in the cache,
 * belong to none. */
size_t plateaus_find(const double *values, size_t n, struct plateau *out, size_t most);

/* --- A run in a few lines. --- */

enum summary_line {
    SUMMARY_SPEED,
    SUMMARY_STEADINESS, /* time lost by a program that only computes, longest gap, latest wake-up */
    SUMMARY_WHY,        /* what took that time; without the noise test, what took that of all tests */
    SUMMARY_DESKTOP,    /* late wake-ups of simulated tasks that a person would notice */
    SUMMARY_TRUST,
    SUMMARY_LINES
};
extern const char *const summary_names[SUMMARY_LINES];

/* All zero at first; summary_free() frees it. What has no room in the lists is left out. */
struct summary {
    struct summary_index {
        uint64_t copies;
        double value, alone; /* with the core free; NAN: not known */
    } index[4];
    size_t n_indexes;
    char level[2][48]; /* nearest cache and memory, with their latency */
    unsigned levels;
    /* MB/s; % of the time of each CPU lost, and its speed; ns; % of unstable results */
    struct stats_running bandwidth, lost, slower, gap, wakeup, spread;
    char gap_cpu[sizeof(((struct row *)0)->cpus)];
    bool real_time; /* wake-ups were those of SCHED_FIFO */
    /* [0] of all headline rows, [1] of the noise test: ms by cause, share of the core; tasks that ran instead, in % */
    struct shares causes[2], tasks;
    struct stats_running core[2];
    double wall_ms[2]; /* of all copies */
    struct summary_task {
        char name[48], load[48];
        double late_pct; /* beside the load where it is most often late */
    } task[8];
    size_t n_tasks;
    struct summary_suite {
        char name[24];
        uint64_t n, unstable; /* headline results */
    } suite[16];
    size_t n_suites;
    uint64_t status[ROW_FAILED + 1], stolen; /* headline results, and others that lack */
    char lacks[2][80];                       /* the first that was skipped, and that failed */
    struct text line[SUMMARY_LINES];
};

/* Rows of one run in any order, with `headline` set. */
void summary_row(struct summary *summary, const struct row *row);
/* Sets the lines, after the last row. Those about which nothing is known stay empty. */
void summary_finish(struct summary *summary);
void summary_free(struct summary *summary);

/* --- Headline results and settings of many machines (fleet) or runs (history): some dozen bytes for each row of a
 * headline metric. --- */

/* One result with its values on all machines: rows that agree in suite, test, load, copies, metric, unit and work;
 * several of one machine are averaged. One further result is the share of its core that a test had. */
struct gather_result {
    char suite[24], test[48], load[48], metric[48], unit[24], work[96]; /* words of param, cut if too long */
    char protocol[ROW_PROTOCOL_SIZE];
    uint64_t copies;
    bool higher_is_better;
    /* index + 1 of the same with the core free, if that is judged, and of the same over the whole time; 0: none */
    size_t alone, raw;
    size_t rows;
    size_t first, n; /* range in values[], by machine */
};

struct gather_value {
    uint32_t result, machine, rows;
    float error; /* relative standard error; NAN: not known */
    double value;
};

/* A result has some dozen, so more are damage. */
#define GATHER_SETTINGS_MAX 256u

struct gather_machine {
    size_t runs, rows, failed;
    bool namesake; /* another machine has the name */
    bool many_ranks;
    char rank[16];
    bool has_nice;
    double nice; /* highest of the rows */
    /* by index in settings: index + 1 in setting_values; 0: not known */
    uint32_t setting[GATHER_SETTINGS_MAX];
};

struct gather_name {
    size_t first;
    unsigned machines;
    bool vague; /* the first of the name has no known CPU model, architecture and number of CPUs */
};

struct gather {
    bool by_rank; /* a rank is a machine */
    bool by_run;  /* a run is a machine, named by time and id */
    bool every;   /* also memory's sizes and pairs of CPUs, which outvote the rest where results are counted */
    /* statistic in place of `value`; the core's share and results with the core free are then left out. NULL: none */
    const struct row_column *stat;
    const struct metrics *metrics;
    struct index machines; /* printable, with "(2)" where a name comes twice */
    struct gather_machine *machine;
    size_t machine_capacity;
    struct index results;
    struct gather_result *result;
    size_t result_capacity;
    size_t share; /* index + 1 of the core's share; 0: none */
    struct gather_value *values;
    size_t n_values, values_capacity;
    /* columns (kernel, build, ...), items of settings and scratch_disk, and the highest nice value */
    struct index settings, setting_values;
    uint64_t doubles;      /* rows left out */
    uint64_t without_rank; /* by_rank: rows without one, judged by host */
    struct index names, identities, runs, seen;
    struct gather_name *name;
    size_t name_capacity;
    uint32_t *of_identity; /* of each entry of identities */
    size_t of_identity_capacity;
    struct row_run last_run;
    size_t last_machine;
};

/* Control characters in texts are replaced. Ends the program when out of memory. */
void gather_row(struct gather *g, const struct row *row);
/* After the last row; the functions below need it. */
void gather_finish(struct gather *g);
void gather_free(struct gather *g);

/* Returns the result that is judged in place of this one: the same with the core free, or
 * itself. */
size_t gather_judged(const struct gather *g, size_t result);
/* NAN: none. */
double gather_value(const struct gather *g, size_t result, size_t machine);
/* Returns the value that more than half of the machines with one have; NULL: none. */
const char *gather_majority(const struct gather *g, size_t setting);
/* NULL: not known. */
const char *gather_setting(const struct gather *g, size_t setting, size_t machine);

/* --- Machines that stand out. --- */

struct judged {
    size_t machine;
    const char *name;
    bool far;   /* in a result (first rule of outliers) */
    bool often; /* worst in many results (second rule) */
    bool broke; /* failed rows, which most others have not */
    size_t results, n_far, worst_count;
    /* the worst: beyond thresholds first, of these the share of the core last; SIZE_MAX: none judged */
    size_t result;
    double distance;      /* of the worst, in spreads, never negative */
    double effect;        /* of the worst, share of the median; positive: worse */
    double median_effect; /* over all results */
    size_t differences;   /* settings unlike the majority's */
    /* Private: its first effect among all; sum over its results of 1 / (machines that have it). */
    size_t first_effect;
    double shares;
};

struct judgement {
    const struct gather *g;
    double least_effect;           /* share of the median */
    struct outlier_metric *metric; /* of each result; n 0: not judged */
    double *threshold;             /* of each result, in spreads */
    size_t n_results, n_machines;  /* results judged; machines with one */
    size_t n_alone;                /* judged with the core free */
    const char **majority;         /* of each setting; NULL: none */
    struct judged *judged;         /* those that stand out first, of them the better ones last */
};

/* g: after gather_finish(), unchanged until judge_free(). Ends the program when out of memory. */
void judge(struct judgement *j, const struct gather *g, double least_effect);
void judge_free(struct judgement *j);

/* Share of the median; negative: better. */
double judge_worse_by(const struct judgement *j, size_t result, double value);
/* Beyond threshold and least effect, and counts: where the machine has the same with the core free, that over the
 * whole time counts only if it is worse by least_effect and the core's share explains less than half. */
bool judge_is_far(const struct judgement *j, size_t result, size_t machine, double value);
/* By its share of the core only: somebody else used it. */
bool judge_is_shared(const struct judgement *j, const struct judged *judged);
bool judge_stands_out(const struct judged *judged);
size_t judge_count_out(const struct judgement *j);
/* The result that most machines have. */
size_t judge_usual(const struct judgement *j);

/* --- Changes over the runs of one machine. --- */

/* Chance that any is found where nothing changed. */
#define HISTORY_ALPHA 0.04
/* In which a change can be found. */
#define HISTORY_RUNS_LEAST 6u
/* Default of --min-effect: 0.01 is 1 %. */
#define HISTORY_LEAST_EFFECT 0.01

struct history_run {
    char utc[sizeof(((struct row_run *)NULL)->utc)], comment[sizeof(((struct row_run *)NULL)->comment)];
    size_t machine; /* index in gather.machines */
};

struct history_point {
    size_t run; /* index in history.run */
    double value;
};

struct history_change {
    size_t result;        /* index in history.result */
    size_t run, last;     /* first after, last before that has the result */
    size_t at;            /* first value after, among the result's points */
    double before, after; /* medians up to the neighbouring changes */
    double effect;        /* (after - before) / |before|; infinite when before is 0 */
    double low, high;     /* 95 %, of effect; NAN: not known */
    bool worse;
};

struct history_result {
    size_t result;   /* index in gather.result */
    size_t first, n; /* range in history.point, by time */
    size_t n_changes;
};

struct history {
    struct gather gather;    /* a "machine" for each run */
    double least_effect;     /* 0.01 is 1 % */
    struct history_run *run; /* by time */
    size_t n_runs, run_capacity;
    struct history_result *result;
    size_t n_results, result_capacity;
    size_t n_short; /* results with too few runs */
    struct history_point *point;
    size_t n_points, point_capacity;
    struct history_change *change; /* by run, then result */
    size_t n_changes, change_capacity;
    uint64_t without_time;         /* rows left out */
    size_t same_time;              /* runs that began in the same second as the one before */
    bool mixed;                    /* rows of a second machine: nothing is judged */
    char machine[320], other[320]; /* the machine, and the second one */
    struct row_run first;
};

/* In any order. Before: gather.metrics, gather.stat and least_effect, all else zero. Ends the program when out of
 * memory. */
void history_row(struct history *h, const struct row *row);
/* After the last row. */
void history_finish(struct history *h);
void history_free(struct history *h);

/* Median of all runs. */
double history_level(const struct history *h, size_t result);
/* Next setting that differs between the third run before and after, since a change may be found a run or two off.
 * From *setting 0 on; found: *setting - 1. Returns false at the end. */
bool history_next_setting(const struct history *h, const struct history_change *change, size_t *setting,
                          const char **before, const char **after);

/* --- Detours of each host, from suites noise and prime. --- */

/* 32 bins an octave of nanoseconds; each keeps the sum of its lengths. */
#define DETOURS_PER_OCTAVE 32u
#define DETOURS_BINS       (DETOURS_PER_OCTAVE * DETOUR_CLASSES)

/* Classes of the share of the core: 1 %, 2 %, ... 100 %. */
#define DETOURS_SHARES 100u

struct detours_bin {
    double n, ns;
};

/* All CPUs together. */
struct detours_host {
    char name[65];
    double work; /* ns observed, without detours; 0: no row */
    unsigned rows;
    struct detours_bin bins[DETOURS_BINS];
    /* How often: [0] in rows, [1] in time slices, which are used if known. */
    double shares[2][DETOURS_SHARES];
    double by_cause[DETOUR_CAUSES][DETOUR_CLASSES]; /* by cause and length */
    /* rows with periodic detours in the class */
    unsigned periodic[DETOUR_CLASSES];
    /* By step, then ranks; the greatest on most ranks. */
    double *slowdown, worst;
};

/* Takes rows detour, lost, lost_CAUSE and core_share of noise; not failed or skipped ones. */
void detours_enter(struct detours_host *host, const struct row *row);
/* For project_slowdown_on(): out has room for DETOURS_BINS. keep: share kept of each octave; NULL: all. */
size_t detours_sources(const struct detours_host *host, const double *keep, struct project_detour *out);
/* The same for the shares; out has room for DETOURS_SHARES. Returns 0 when they are not known. */
size_t detours_shares(const struct detours_host *host, struct stats_point *out);

bool detours_known(const struct detours_host *host);
double detours_lost_pct(const struct detours_host *host); /* of work and detours together, in % */

/* 0 to 1; NAN: not known. */
double detours_mean_share(const struct detours_host *host);

/* --- How much noise slows down a program on many ranks (parallel processes). --- */

/* Below 100 ns, 1 us, ... 100 ms, and above. */
#define PROJECT_DECADES 8u
#define PROJECT_SHARED  DETOUR_CAUSES /* no detour: other users of the core */
#define PROJECT_COSTS   (DETOUR_CAUSES * PROJECT_DECADES + 1)

/* All zero except for steps and ranks; add the rows, then project_compute(). */
struct project {
    double step_ns[PROJECT_STEPS_MAX], ranks[PROJECT_RANKS_MAX]; /* ascending */
    size_t n_steps, n_ranks;
    size_t points; /* see project_slowdown_on() */
    struct detours_host **hosts;
    size_t n, capacity;
    struct detours_host *all; /* those that are kept together, with equal shares of the ranks; hosts[n] */
};

/* As detours_enter(). Control characters in the name are replaced. */
void project_enter(struct project *p, const char *name, const struct row *row);
/* Drops hosts without detours; the slowest comes first. */
void project_compute(struct project *p);
void project_free(struct project *p);

/* The cost of one cause and decade, or of a shared core, on all hosts. */
struct project_cost {
    unsigned cause, decade;            /* a detour_cause, or PROJECT_SHARED */
    double per_s, lost_pct;            /* share of a CPU's time or speed */
    double without[PROJECT_STEPS_MAX]; /* slow-down at most ranks without it */
};
/* Sorted by the gain for the shortest step; room for PROJECT_COSTS. Returns how many. */
size_t project_costs(const struct project *p, struct project_cost *costs);
/* "1 us .. 10 us" */
const char *project_decade(const struct project_cost *cost);

#endif
