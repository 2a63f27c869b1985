/* SPDX-License-Identifier: MIT */
/* What is found in result rows: headline figures, requirements, hosts that stand out, changes in time, slow-down on
 * many ranks. */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rows/rows.h"
#include "rows/text.h"
#include "stats/stats.h"

/* The table of metrics: titles, units and directions of the metrics of all tests, and which of them are headline
 * metrics. The commands make it from the benchmarks' descriptors (cmd/metrics.c) and hand it to all code that reads
 * rows. */

struct metrics_metric {
    const char *id, *title, *unit, *better; /* unit NULL: the unit of the clock ("cycles" or "ns") */
    bool headline;                          /* the metric by which the test is judged */
};

struct metrics_test {
    const char *suite, *name, *title;
    bool row_per_cpu;                    /* the test has a row for each CPU */
    bool named_by_user;                  /* describes all tests of the suite, whose names the user gives */
    const struct metrics_metric *metric; /* NULL: a variant, which has the metrics of other tests of the suite */
    size_t n;
};
/* Initialises a test with its metrics, an array. */
#define METRICS_TEST(suite_, name_, title_, metrics_)                                                                  \
    .suite = suite_, .name = name_, .title = title_, .metric = metrics_, .n = COUNT(metrics_)

struct metrics_suite {
    const char *name, *title;
};

struct metrics {
    const struct metrics_suite *suite; /* in the order in which they are shown */
    size_t n_suites;
    const struct metrics_test *test;
    size_t n_tests;
    /* tests that cannot be selected, because their rows are computed from other rows (indices) */
    const struct metrics_test *made;
    size_t n_made;
};

/* All of these functions accept a table that is NULL or empty; they then know no test and no metric. */

/* Returns the entry of the test; in a suite whose tests the user names, the entry that describes all of them; NULL when
 * there is none. */
const struct metrics_test *metrics_test(const struct metrics *metrics, const char *suite, const char *test);
/* Returns the title of a test, or its name when it is not known or given by the user. */
const char *metrics_test_title(const struct metrics *metrics, const char *suite, const char *test);
/* Returns the title of the row's metric in its test, otherwise in the first test of the suite that has it (a test may
 * be a variant of another); otherwise its id. */
const char *metrics_title(const struct metrics *metrics, const struct row *row);
/* Returns the suite's title, or "". */
const char *metrics_suite_title(const struct metrics *metrics, const char *suite);

/* Returns whether the row's metric is a headline metric of its suite and has a direction (better is higher or lower):
 * such rows are compared. A metric that no test of the suite has (an index, or a metric of a newer version) is taken
 * for a headline metric when the row gives its direction. A metric with the core free (measured only while no one else
 * used the core) does not count as one; where it is known, its rows are used in place of those of the metric over the
 * whole time. */
bool metrics_is_compared(const struct metrics *metrics, const struct row *row);
/* Returns whether the row has a headline metric that was measured only while no one else used the core. */
bool metrics_is_compared_alone(const struct metrics *metrics, const struct row *row);

/* Sets `headline` in n rows, because files do not contain it. Of a test that is not in the table, the first metric
 * counts as the headline metric. */
void metrics_mark_headlines(const struct metrics *metrics, struct row *rows, size_t n);

/* Requirements: "TEST/METRIC[.STAT] OPERATOR VALUE[UNIT]" ("prime/cycles.p99<500", "noise/detour.max < 20us"), judged
 * on result rows. STAT is the name of a column of statistics of the CSV, `value` unless given; the operator is <, <=,
 * > or >=. A requirement is met when all rows of its metric meet it; a figure that is not known does not meet it. */

struct requirement {
    char text[160]; /* as the user wrote it */
    char test[sizeof(((struct row *)0)->test)], metric[sizeof(((struct row *)0)->metric)];
    const struct row_column *stat;
    bool below, or_equal; /* below: the operator is < or <=; or_equal: it is <= or >= */
    double limit;
    char limit_unit[sizeof(((struct row *)0)->unit)]; /* "": the unit of the metric */
    /* Results of judging rows. */
    size_t n_rows, n_failed; /* number of rows of the metric; number of those that do not meet the requirement */
    bool measured;           /* the test has rows of any metric */
    /* The worst row with a figure: figure and limit in `unit`; NAN when there is none. */
    double value, limit_of_row;
    char unit[sizeof(((struct row *)0)->unit)];
    char where[160];  /* load, parameter, copies, CPUs and (if several_runs) host of the worst row; "": none known */
    char reason[256]; /* why the first row without a figure has none; "" when all are known */
};

/* A test that the user may name in addition to those of the table of metrics. */
struct require_name {
    const char *suite, *test;
    const char *metric, *unit; /* metric NULL: all metrics that the table has for suite and test */
};

struct requirements {
    const struct metrics *metrics;
    const struct require_name *names;
    size_t n_names;
    bool several_runs;      /* the rows may be of several hosts */
    bool names_only;        /* only the tests in `names` are measured; requirements of other tests are refused */
    const char *clock_unit; /* unit of metrics in clock ticks; NULL: not known */
    /* Set by the functions below. */
    struct requirement *of;
    size_t n, capacity;
};

/* Adds a requirement. Returns 0; or -1 with one line in error when it cannot be read, when test, metric or statistic
 * are unknown (with the most similar one that exists), or when the unit is not one of the metric. Calls memory_out()
 * when out of memory. */
int requirements_add(struct requirements *set, const char *text, char *error, size_t error_size);
/* Adds the requirement in each line of a text; empty lines, and comments that begin with '#', are ignored. Returns 0;
 * or -1 with one line in error, which begins with the number of the line, also when the text has no requirement. */
int requirements_add_lines(struct requirements *set, const char *lines, char *error, size_t error_size);
void requirements_free(struct requirements *set);

/* Judges a row by all requirements of its test and metric. */
void requirements_row(struct requirements *set, const struct row *row);

/* Returns whether the rows so far meet the requirement. */
bool requirement_met(const struct requirement *requirement);
/* Returns the number of requirements that are not met. */
size_t requirements_failed(const struct requirements *set);
/* Returns why the figure of a requirement is not known; "" when it is. */
const char *requirement_unknown(const struct requirement *requirement);

/* Arranges a metric of suite memory that is measured between two CPUs, such as a latency, as a matrix. */

#define CPU_MAP_MOST 64u

struct cpu_map {
    unsigned cpu[CPU_MAP_MOST]; /* CPU numbers, in the order in which the rows were added */
    /* n: number of CPUs; left_out: number of rows for which there was no room */
    size_t n, left_out;
    /* the row of each pair, by index in cpu, entered in both directions; NULL: none */
    const struct row *row[CPU_MAP_MOST][CPU_MAP_MOST];
};

/* Enters the row if it has this metric of suite memory, a pair of CPUs and a value above 0. The map keeps the pointer
 * to the row, and has at most `most` CPUs, up to CPU_MAP_MOST. */
void cpu_map_add(struct cpu_map *map, const struct row *row, const char *metric, size_t most);

/* Finds the levels of a curve that rises in steps, such as the time of a memory load as a function of the working set:
 * it has one level for each cache, and one for memory. */

struct plateau {
    size_t first, n; /* range of the plateau in the array of values */
    double value;    /* median of the values */
};

/* Finds at most `most` plateaus in n values above 0, in their order. A plateau is at least three neighbours within 15 %
 * of their median. A plateau below 1.6 times the value of the one before it is joined with that one, because the curve
 * rises slowly in a cache that is shared or hashed. Values between plateaus, where a working set is only partly in the
 * cache, belong to none. Returns the number of plateaus. */
size_t plateaus_find(const double *values, size_t n, struct plateau *out, size_t most);

/* Gathers the headline figures and settings of many machines row by row, for fleet; or of many runs, for history. It
 * needs some dozen bytes of memory for each row of a headline metric, whatever the rows contain. */

/* A figure: one result by which machines are compared, with its values on all machines. It has the rows that agree in
 * suite, test, load, copies, metric, unit and the parameters that identify the measured work. Several rows of one
 * machine (CPUs, runs) are averaged. One further figure is made from the column core_share: the share of its CPU core
 * that a test had. */
struct gather_figure {
    char suite[24], test[48], load[48], metric[48], unit[24], work[96]; /* work: words of param, cut if too long */
    char protocol[ROW_PROTOCOL_SIZE];
    uint64_t copies;
    bool higher_is_better;
    /* index + 1 of the same figure with the core free (measured only while no one else used the core), if all machines
     * that have this figure know it, and index + 1 of the same figure over the whole time; 0: none */
    size_t alone, raw;
    size_t first, n; /* range in values[]: the machines that have the figure, in the order of their numbers */
};

struct gather_value {
    uint32_t figure, machine, rows;
    float error; /* relative standard error from the samples' spread; NAN: not known */
    double value;
};

/* A property in which machines may differ: a column (kernel, build, ...), an item of the columns settings and
 * scratch_disk, or the highest nice value. */
struct gather_setting {
    uint32_t setting, machine, value; /* indices in settings, machines and setting_values */
    uint32_t order;                   /* a later value replaces an earlier one */
};

struct gather_machine {
    size_t runs, rows, failed;
    bool namesake; /* another machine has the same name */
    bool many_ranks;
    char rank[16];
    bool has_nice;
    double nice; /* highest nice value of the machine's rows */
};

struct gather_name {
    size_t first;
    unsigned machines;
    bool vague; /* the first machine of this name has no known CPU model, architecture and number of CPUs */
};

struct gather {
    bool by_rank; /* each rank counts as a machine */
    bool by_run;  /* each run counts as a machine, named by its time and id */
    /* column of statistics that is used in place of `value`; the share of the core, and figures measured only while no
     * one else used the core, are then left out. NULL: `value` is used. */
    const struct row_column *stat;
    const struct metrics *metrics; /* table that tells which metrics are headline figures */
    struct index machines;         /* printable name, with "(2)" appended where another machine has the same name */
    struct gather_machine *machine;
    size_t machine_capacity;
    struct index figures;
    struct gather_figure *figure;
    size_t figure_capacity;
    size_t share; /* index + 1 of the figure made of the core's share; 0: no row has it */
    struct gather_value *values;
    size_t n_values, values_capacity;
    struct index settings, setting_values;
    struct gather_setting *setting;
    size_t n_setting, setting_capacity;
    uint64_t doubles;      /* duplicate rows, which were left out */
    uint64_t without_rank; /* if by_rank: number of rows without a rank number, whose machine is the host */
    /* Private. */
    struct index names, identities, runs, seen;
    struct gather_name *name;
    size_t name_capacity;
    uint32_t *of_identity; /* index of the machine for each entry of identities */
    size_t of_identity_capacity;
    struct row_run last_run;
    size_t last_machine;
    char last_disk[sizeof(((struct row *)NULL)->scratch_disk)];
    size_t last_disk_machine;
};

/* Adds a row. Control characters in its texts are replaced. Ends the program when out of memory. */
void gather_row(struct gather *g, const struct row *row);
/* Completes the figures after the last row; required by the functions below. */
void gather_finish(struct gather *g);
void gather_free(struct gather *g);

/* Returns the machine's value of the figure; NAN: none. */
double gather_value(const struct gather *g, size_t figure, size_t machine);
/* Returns the setting's value that more than half of the machines with a value have; NULL: there is none. */
const char *gather_majority(const struct gather *g, size_t setting);
/* Returns the machine's value of the setting; NULL: not known. */
const char *gather_setting(const struct gather *g, size_t setting, size_t machine);

/* Finds the machines that stand out among those of a struct gather. Reads and prints nothing. */

struct judged {
    size_t machine;
    const char *name;
    bool far;   /* stands out in at least one figure (the first rule of stats/outlier.h) */
    bool often; /* is the worst machine in many figures (the second rule) */
    bool broke; /* has failed rows, which most other machines have not */
    size_t figures, n_far, worst_count;
    /* index of the machine's worst figure. Figures beyond their threshold are worse than all others; of them, the share
     * of the core is chosen only if it is the only one. SIZE_MAX: the machine has no judged figure. */
    size_t figure;
    double distance;      /* distance of the worst figure from the median in spreads, never negative */
    double effect;        /* effect of the worst figure as a share of the median; positive: worse */
    double median_effect; /* median of the effects over all figures */
    size_t differences;   /* number of settings that differ from the majority's */
    /* Private. first_effect: index of the machine's first effect among the effects of all machines; shares: sum over
     * the machine's figures of 1 / (number of machines that have the figure). */
    size_t first_effect;
    double shares;
};

struct judgement {
    const struct gather *g;
    double least_effect;           /* share of the median; smaller effects do not stand out */
    struct outlier_metric *metric; /* median and spread of each figure; n is 0: not judged */
    double *threshold;             /* threshold of each figure in spreads */
    size_t n_figures, n_machines;  /* figures judged; machines with a judged figure */
    size_t n_alone;                /* judged figures that were measured only while no one else used the core */
    const char **majority;         /* value of each setting that most machines have; NULL: there is none */
    struct judged *judged;         /* machines that stand out first; among these, those that are only better than
                                    * others last */
};

/* Judges the machines in g, on which gather_finish() was called and which must not change until judge_free(). Ends
 * the program when out of memory. */
void judge(struct judgement *j, const struct gather *g, double least_effect);
void judge_free(struct judgement *j);

/* Returns by what share of the figure's median the value is worse; negative: better. */
double judge_worse_by(const struct judgement *j, size_t figure, double value);
/* Returns whether the value is beyond the figure's threshold, its effect is large enough, and the figure counts for
 * this machine. If the machine has the same figure measured only while no one else used the core, the figure over the
 * whole time counts only if it is worse than the former by least_effect or more, and if the machine's share of the core
 * explains less than half of this difference. */
bool judge_is_far(const struct judgement *j, size_t figure, size_t machine, double value);
/* Returns whether the machine stands out by its share of the core only: somebody else used the core. */
bool judge_is_shared(const struct judgement *j, const struct judged *judged);
bool judge_stands_out(const struct judged *judged);
/* Returns the number of machines that stand out. */
size_t judge_count_out(const struct judgement *j);
/* Returns the threshold, in spreads, of the figure that most machines have. */
double judge_usual_threshold(const struct judgement *j);

/* Sorts the runs of one machine by time, and finds the runs at which their headline figures changed. */

/* Chance that any change at all is found in a history in which nothing changed. */
#define HISTORY_ALPHA 0.04
/* Least number of runs in which a change can be found. */
#define HISTORY_RUNS_LEAST 6u
/* Default of --min-effect, as a share: 0.01 is 1 %. */
#define HISTORY_LEAST_EFFECT 0.01

struct history_run {
    char utc[sizeof(((struct row_run *)NULL)->utc)], comment[sizeof(((struct row_run *)NULL)->comment)];
    size_t machine; /* index of the run in gather.machines */
};

struct history_point {
    size_t run; /* index in history.run */
    double value;
};

struct history_change {
    size_t figure;        /* index in history.figure */
    size_t run, last;     /* the first run after the change, and the last run before it that has the figure */
    size_t at;            /* index of the first value after the change, among the figure's points */
    double before, after; /* medians of the values between this change and the neighbouring changes */
    double effect;        /* (after - before) / |before|; infinite when before is 0 */
    double low, high;     /* 95 % interval of effect; NAN: not known */
    bool worse;
};

/* A headline figure that was searched for changes. */
struct history_figure {
    size_t figure;   /* index in gather.figure */
    bool alone;      /* the values were measured only while no one else used the core (core free) */
    size_t first, n; /* range in history.point: in the order of time */
    size_t n_changes;
};

struct history {
    struct gather gather;    /* one "machine" for each run */
    double least_effect;     /* smaller changes are left out: 0.01 is 1 % */
    struct history_run *run; /* in the order of time */
    size_t n_runs, run_capacity;
    struct history_figure *figure;
    size_t n_figures, figure_capacity;
    size_t n_short; /* number of figures with too few runs for a change to be found */
    struct history_point *point;
    size_t n_points, point_capacity;
    struct history_change *change; /* in the order of time; changes at the same run in the order of their figures */
    size_t n_changes, change_capacity;
    uint64_t without_time;         /* number of rows left out because the time of their run is not known */
    size_t same_time;              /* number of runs that began in the same second as the run before them */
    bool mixed;                    /* there are rows of a second machine; nothing is judged then */
    char machine[320], other[320]; /* the machine, and if mixed the second one */
    /* Private. */
    struct row_run first;
};

/* Adds a row; rows may come in any order. Ends the program when out of memory, as the other functions do. Set
 * gather.metrics, gather.stat (may be NULL) and least_effect of a history that is otherwise all zero before. */
void history_row(struct history *h, const struct row *row);
/* Judges the figures after the last row. */
void history_finish(struct history *h);
void history_free(struct history *h);

/* Returns the median of all runs of a figure (index in history.figure). */
double history_level(const struct history *h, size_t figure);
/* Finds the next setting that differs between the third run before and the third run after a change. It compares runs
 * at this distance because the change may be found one or two runs too early or too late. Start with *setting 0; the
 * setting found has the index *setting - 1. Returns false when there is none. */
bool history_next_setting(const struct history *h, const struct history_change *change, size_t *setting,
                          const char **before, const char **after);

/* Collects, for each host, the detours (interruptions of the benchmark's work) recorded in rows of the suites noise and
 * prime, for `jitbench project`. */

/* Number of histogram bins of detour lengths, evenly spaced in the logarithm: 32 for each octave of nanoseconds. Each
 * bin keeps the sum of its lengths. */
#define DETOURS_PER_OCTAVE 32u
#define DETOURS_BINS       (DETOURS_PER_OCTAVE * DETOUR_CLASSES)

/* Number of classes of the share of its CPU core that a benchmark had: 1 %, 2 %, ... 100 %. */
#define DETOURS_SHARES 100u

struct detours_bin {
    double n, ns;
};

/* Detours from the rows of one suite: noise or prime. */
struct detours_of {
    double work; /* time observed, without the detours; 0: no such row */
    /* length in ns of the unit of `work` and of the bins' sums: 1, or a tick of the clock; 0: not known yet */
    double unit_ns;
    unsigned rows;
    struct detours_bin bins[DETOURS_BINS];
    /* How often the benchmark had 1 %, 2 %, ... of its core: number of rows ([0]) and of time slices of runs ([1]). [1]
     * is used if any are known. */
    double shares[2][DETOURS_SHARES];
};

struct detours_host {
    char name[65];
    struct detours_of noise;                        /* from noise rows, all CPUs together */
    double by_cause[DETOUR_CAUSES][DETOUR_CLASSES]; /* number of detours in noise rows, by cause and length */
    /* number of rows in which the detours of a length class were periodic */
    unsigned periodic[DETOUR_CLASSES];
    /* from rows of prime: the time beyond the median of experiments that took much longer than the median */
    struct detours_of prime;
    double experiment_ticks; /* median time of an experiment in the last row, in ticks */
};

/* Adds a row of suite noise with the metric detour, lost, lost_CAUSE or core_share; or a row of suite prime with the
 * metric cycles, or after it time. Ignores other rows, and rows that failed or were skipped. */
void detours_enter(struct detours_host *host, const struct row *row);

/* Fills in the detours for project_slowdown_on(), using arrays of the caller: lengths has room for DETOURS_BINS
 * elements. keep (may be NULL) is the share of the detours that is kept, for each octave of lengths. Returns how many
 * elements of detours were filled: one for random detours, one for periodic ones. */
size_t detours_sources(const struct detours_host *host, const double *keep, struct stats_point *lengths,
                       struct project_detours detours[2]);

/* Returns the detours that are used for the host: from rows of suite noise if there are any, otherwise from rows of
 * suite prime; NULL if there are none. */
const struct detours_of *detours_used(const struct detours_host *host);
double detours_work_ns(const struct detours_host *host);
double detours_lost_pct(const struct detours_host *host); /* detours as a share of work and detours together, in % */

/* Fills in how often the benchmark had which share of its core, for project_slowdown_on(); out has room for
 * DETOURS_SHARES. Returns how many there are, 0 when nothing is known. */
size_t detours_shares(const struct detours_host *host, struct stats_point *out);
/* Returns the mean share of its core that the benchmark had, from 0 to 1; NAN when nothing is known. */
double detours_mean_share(const struct detours_host *host);

/* Adds the detours of `from` to `into`. */
void detours_merge(struct detours_host *into, const struct detours_host *from);

/* Estimates from result rows of some hosts how much their noise slows down a program on many ranks (parallel
 * processes). Used by `jitbench project` and `jitbench report`. Reads and prints nothing. */

/* Number of decades of detour lengths: below 100 ns, 1 us, ... 100 ms, and above. */
#define PROJECTION_DECADES 8u
#define PROJECTION_UNKNOWN DETOUR_CAUSES       /* cause not known */
#define PROJECTION_SHARED  (DETOUR_CAUSES + 1) /* not a detour: other users of the core slow the work down */
#define PROJECTION_CAUSES  (DETOUR_CAUSES + 2)
#define PROJECTION_COSTS   (PROJECTION_CAUSES * PROJECTION_DECADES)

/* The hosts' detours, and the slow-downs computed from them. Initialise to zero except for steps and ranks; then add
 * the rows, then call projection_compute(). */
struct projection {
    double step_ns[PROJECT_STEPS_MAX], ranks[PROJECT_RANKS_MAX]; /* in ascending order */
    size_t n_steps, n_ranks;
    size_t points;     /* number of points of the computation, see project_slowdown_on() */
    size_t hosts_most; /* maximum number of hosts kept individually; 0: no limit. Rows of further hosts must be
                        * consecutive for each host. */
    struct detours_host **hosts;
    size_t n, capacity;
    size_t n_more;            /* number of hosts beyond hosts_most: they are included in `all` only */
    struct detours_host *all; /* all hosts that have detours, merged */
    double *slowdown;         /* see projection_slowdown() */
    /* private: the latest of the hosts beyond hosts_most; all hosts beyond hosts_most before it, merged */
    struct detours_host *further, *rest;
};

/* Adds a row of the host of that name; control characters in the name are replaced; rows without detours are
 * ignored. */
void projection_enter(struct projection *p, const char *name, const struct row *row);
/* Removes hosts without detours, and calls say (may be NULL) with the name of each. */
void projection_drop_empty(struct projection *p, void (*say)(const char *name));
/* Computes the slow-downs of each host and of all together. Does nothing when there is no host. */
void projection_compute(struct projection *p);
/* Returns the slow-downs of a host (index in hosts) by step, then by number of ranks; if the index is p->n, those of
 * all hosts together. All hosts are treated as one machine if n_more is above 0; otherwise each has an equal share of
 * the ranks. */
double *projection_slowdown(const struct projection *p, size_t host);
void projection_free(struct projection *p);

/* Cost of the detours with one cause and one decade of lengths, or of a shared core, of all hosts. */
struct projection_cost {
    unsigned cause, decade;            /* cause: a detour_cause, PROJECTION_UNKNOWN or PROJECTION_SHARED */
    double per_s, lost_pct;            /* detours per second, and lost share of a CPU's time or speed */
    double without[PROJECT_STEPS_MAX]; /* slow-down at the highest number of ranks if this cost is removed */
};
/* Computes the costs of all causes and decades, sorted by what their removal gains for the shortest step, the greatest
 * gain first; costs has room for PROJECTION_COSTS. Returns how many there are. */
size_t projection_costs(const struct projection *p, struct projection_cost *costs);
/* Return the name of the decade, as "1 us .. 10 us", and of the cause, as "preempted". */
const char *projection_decade(const struct projection_cost *cost);
const char *projection_cause(const struct projection_cost *cost);

#endif
