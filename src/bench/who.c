/* SPDX-License-Identifier: MIT */
/* Samples as noise does, by a loop on each CPU that only reads the clock, while the kernel records what runs on the
 * CPU. After the run (the window) the records show what ran during the gaps of the loop (detours). */
#include "bench/who.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/noise.h"
#include "engine/engine.h"
#include "sys/base.h"
#include "sys/cpu.h"

/* Time in ns after which the loop checks whether it has to stop. */
#define TURN_NS 10000000u
/* Maximum number of detours that are kept: the run ends with the last one; or, with stop_ns, the last ones. */
#define SPANS_MOST 131072u
/* Maximum number of names (of tasks, interrupts, ...) that get result rows, besides that of all others. */
#define ROWS_MOST 20u

/* What a sampler leaves behind. */
struct watched {
    unsigned cpu;
    uint32_t tid;
    uint64_t stopped_ns;  /* length of the detour that ended the run; 0: none did */
    struct who_span time; /* start and end of the run */
    uint64_t n;
    struct who_span span[SPANS_MOST]; /* the detours; in ticks until the run has ended */
};

/* --- The window. --- */

static int setup(struct party_context *context)
{
    struct watched *w = context->recorder[0];

    memset(w, 0, sizeof(*w)); /* touches the pages before the window */
    w->tid = (uint32_t)getpid();
    w->cpu = task_current_cpu();
    *(double *)context->state = noise_tick_ns(context->clock);
    if (!(*(double *)context->state > 0))
        return party_fail(context, "the clock's frequency cannot be measured");
    return w->cpu == CPUSET_NONE ? party_fail(context, "its CPU is not known") : 0;
}

static int run(struct party_context *context)
{
    const struct who_params *params = context->params;
    const double ns_per_tick = *(double *)context->state;
    struct watched *w = context->recorder[0];
    const uint64_t least_ns = params->threshold_ns > WHO_LEAST_NS ? params->threshold_ns : WHO_LEAST_NS;
    const uint64_t stop = params->stop_ns ? (uint64_t)((double)params->stop_ns / ns_per_tick) : UINT64_MAX;
    uint64_t threshold = (uint64_t)((double)least_ns / ns_per_tick);
    threshold = stop < threshold ? stop : threshold;
    const uint64_t turn = (uint64_t)(TURN_NS / ns_per_tick) + 1;
    struct clock_pair first, last;

    clock_pair_read(context->clock, &first);
    const uint64_t begin = clock_now(context->clock);
    const uint64_t end = begin + (uint64_t)((double)context->time_ns / ns_per_tick) + 1;
    uint64_t from = begin;
    while (from < end && w->n < SPANS_MOST && !w->stopped_ns && !party_stopped(context)) {
        const struct noise_gap gap =
            noise_watch(context->clock, from, threshold, end - from > turn ? from + turn : end);
        from = gap.to;
        if (gap.to <= gap.from || gap.to - gap.from <= threshold)
            continue;
        w->span[w->n++] = (struct who_span){gap.from, gap.to};
        if (gap.to - gap.from > stop) {
            w->stopped_ns = (uint64_t)((double)(gap.to - gap.from) * ns_per_tick);
            party_stop_all(context);
        } else if (w->n == SPANS_MOST && params->stop_ns) { /* keeps the newer half */
            w->n /= 2;
            memcpy(w->span, w->span + w->n, w->n * sizeof(*w->span));
            from = clock_now(context->clock);
        }
    }
    clock_pair_read(context->clock, &last);
    const double rate = (double)(last.raw_ns - first.raw_ns) / (double)(last.counter - first.counter);
#define RAW_NS(ticks_) (first.raw_ns + (uint64_t)((double)((ticks_)-first.counter) * rate + 0.5))
    w->time = (struct who_span){RAW_NS(begin), RAW_NS(from)};
    for (uint64_t i = 0; i < w->n; i++)
        w->span[i] = (struct who_span){RAW_NS(w->span[i].from), RAW_NS(w->span[i].to)};
    return 0;
}

/* --- Results. --- */

static void remark(struct results *results, unsigned group, const struct who_line *line)
{
    const struct who_label *label = &line->label;
    struct row_params params = {.n = 0};

    row_param_add(&params, PARAM_WORK, "kind", "%s", label->kind);
    row_param_add(&params, PARAM_WORK, "name", "%s", label->name);
    if (label->work[0])
        row_param_add(&params, PARAM_WORK, "work", "%s", label->work);
    if (label->number)
        row_param_add(&params, PARAM_OUTCOME, "irq", "%llu", (unsigned long long)label->number);
    if (line->names)
        row_param_add(&params, PARAM_OUTCOME, "names", "%zu", line->names);
    else if (line->tid && line->tasks == 1)
        row_param_add(&params, PARAM_OUTCOME, "pid", "%u", line->tid);
    else if (line->tid)
        row_param_add(&params, PARAM_OUTCOME, "tasks", "%u", line->tasks);
    results_remark(results, group, &params);
}

/* Adds the series of the CPU time in ns that a name took in each part of the window: the mean over the CPUs. */
static void enter_cells(struct results *results, unsigned group, const float *cell, size_t cpus, uint64_t time_us)
{
    struct series series = {.n = 0};

    for (unsigned i = 0; i < WHO_CELLS; i++)
        series_add(&series, time_us * i / WHO_CELLS, (uint64_t)(cell[i] / (float)cpus + 0.5f));
    results_series(results, group, WHO_METRIC_TAKEN, &series);
}

/* Makes a group of rows for each of n names, with each time that it had the CPU since from_ns. */
static void enter_timeline(struct results *results, const struct who *who, const struct who_line *lines, size_t n,
                           uint64_t from_ns, unsigned metric)
{
    for (size_t i = 0; i < n; i++) {
        FREED_BY(memory_free) struct series *series = calloc(1, sizeof(*series));
        const unsigned group = results_group(results, &lines[i].cpus);
        if (!series) {
            results_fail(results);
            return;
        }
        series_init(series);
        for (size_t k = 0; k < who->n_pieces; k++)
            if (who->takers[who->pieces[k].taker].line == i)
                series_add(series, who->pieces[k].from - from_ns, who->pieces[k].ns);
        remark(results, group, &lines[i]);
        results_sample(results, group, metric, lines[i].max_ns);
        results_series(results, group, metric, series);
    }
}

void who_tell_timeline(struct results *results, unsigned group, const struct trial *trial, struct who_window *window,
                       unsigned metric)
{
    struct culprit_watch *watch = trial_spec_of(trial)->watch;
    FREED_BY(memory_free) struct who_line *lines = NULL;
    char why[160];
    struct who who;

    const uint64_t from_ns = window->time.from;
    const bool recorded = culprits_read(watch, window, 1, &who, why, sizeof(why));
    const struct who_names names = {.before = &watch->before, .time = window->time};
    const size_t n = recorded ? who_lines(&who, &names, SIZE_MAX - 1, &lines) : 0;
    if (why[0])
        results_degraded(results, group, why);
    if (who.failed)
        results_fail(results);
    enter_timeline(results, &who, lines, n, from_ns, metric);
    who_free(&who);
}

/* Adds parameters of the run to the first group of result rows. ended: what the CPU left whose detour ended the run;
 * NULL: none did. */
static void remark_all(struct results *results, const struct who_params *params, bool recorded,
                       const struct watched *ended, const struct who_window *window)
{
    struct row_params out = {.n = 0};

    row_param_add(&out, PARAM_OUTCOME, "source", "%s", recorded ? "perf" : "proc");
    if (params->stop_ns)
        row_param_add(&out, PARAM_WORK, "stop_at_us", "%.10g", (double)params->stop_ns * 1e-3);
    if (ended) {
        row_param_add(&out, PARAM_OUTCOME, "stopped_us", "%.3f", (double)ended->stopped_ns * 1e-3);
        row_param_add(&out, PARAM_OUTCOME, "begun_us", "%.3f",
                      (double)(ended->span[ended->n - 1].from - window->time.from) * 1e-3);
        row_param_add(&out, PARAM_OUTCOME, "worst_cpu", "%u", ended->cpu);
    }
    results_remark(results, 0, &out);
}

/* What is told of n windows. */
struct sums {
    struct who_window *windows;
    size_t n;
    bool recorded;
    double observed_ns, lost_ns, records_lost, unseen_ns;
};

/* Sums up the windows: the time that was observed, and the time that detours took in it. */
static void add_up(struct sums *sums)
{
    for (size_t i = 0; i < sums->n; i++) {
        const struct who_window *window = &sums->windows[i];
        sums->observed_ns += (double)(window->time.to - window->time.from);
        sums->records_lost += (double)window->lost;
        for (size_t k = 0; k < window->n_spans; k++) {
            const struct who_span *span = &window->spans[k];
            const uint64_t from = span->from > window->time.from ? span->from : window->time.from;
            const uint64_t to = span->to < window->time.to ? span->to : window->time.to;
            sums->lost_ns += to > from ? (double)(to - from) : 0;
        }
    }
}

static void enter_line(struct results *results, const struct trial *trial, const struct who_line *line,
                       const struct sums *sums)
{
    const unsigned group = results_group(results, &line->cpus);

    remark(results, group, line);
    results_sample(results, group, WHO_METRIC_TAKEN, 100 * line->ns / sums->observed_ns);
    if (!sums->recorded)
        return;
    results_sample(results, group, WHO_METRIC_TIMES, line->n / sums->observed_ns * 1e9 * (double)sums->n);
    results_sample(results, group, WHO_METRIC_LONGEST, line->max_ns);
    enter_cells(results, group, line->cell, sums->n, trial_spec_of(trial)->time_ns / 1000);
}

/* Fills in the windows of all samplers. If a detour ended the run, only that CPU's end of the run is told. Returns what
 * that sampler left; NULL: no detour ended it. */
static const struct watched *find_windows(const struct trial *trial, struct sums *sums)
{
    const struct watched *ended = NULL, *w;

    for (unsigned copy = 0; copy < trial_spec_of(trial)->copies; copy++) {
        w = trial_recorder(trial, 0, copy, 0);
        sums->windows[copy] = (struct who_window){
            .cpu = w->cpu, .self = w->tid, .time = w->time, .spans = w->span, .n_spans = (size_t)w->n};
        if (w->stopped_ns <= (ended ? ended->stopped_ns : 0))
            continue;
        ended = w;
        sums->windows[0] = sums->windows[copy];
        const uint64_t detour = w->span[w->n - 1].from, last = w->time.to - WHO_LAST_NS;
        if (w->time.to - w->time.from > WHO_LAST_NS)
            sums->windows[0].time.from = detour < last ? detour : last;
    }
    sums->n = ended ? 1 : trial_spec_of(trial)->copies;
    return ended;
}

/* Makes result rows for the names of tasks and interrupts that took time on the CPUs, or on the CPU whose detour ended
 * the run. */
static void reduce(const struct trial *trial, struct results *results)
{
    const struct trial_spec *spec = trial_spec_of(trial);
    const struct who_params *params = spec->params;
    struct culprit_watch *watch = spec->watch;
    FREED_BY(memory_free) struct who_window *windows = calloc(spec->copies, sizeof(*windows));
    FREED_BY(memory_free) struct who_line *lines = NULL;
    struct sums sums = {.windows = windows};
    struct who who = {.n = 0};
    char why[160], nothing[240];

    if (!windows) {
        results_fail(results);
        return;
    }
    const struct watched *ended = find_windows(trial, &sums);
    const struct who_window last = windows[0];
    sums.recorded = culprits_read(watch, windows, sums.n, &who, why, sizeof(why));
    (void)snprintf(nothing, sizeof(nothing), "nothing was recorded: %s; the CPU times are those of the whole machine",
                   why);
    if (why[0])
        results_degraded(results, 0, sums.recorded ? why : nothing);
    add_up(&sums);
    remark_all(results, params, sums.recorded, ended, &last);
    const struct who_names names = {.before = &watch->before, .time = last.time};
    const bool timeline = ended && sums.recorded;
    const size_t n =
        params->stop_ns && !ended ? 0 : who_lines(&who, &names, timeline ? SIZE_MAX - 1 : ROWS_MOST, &lines);
    for (size_t i = 0; i < n; i++) {
        sums.unseen_ns += strcmp(lines[i].label.kind, "unseen") ? 0 : lines[i].ns;
        if (!timeline)
            enter_line(results, trial, &lines[i], &sums);
    }
    if (timeline)
        enter_timeline(results, &who, lines, n, last.time.from, WHO_METRIC_LONGEST);
    if (who.failed)
        results_fail(results);
    results_sample(results, 0, WHO_METRIC_DISTURBED, 100 * sums.lost_ns / sums.observed_ns);
    if (sums.recorded) {
        results_sample(results, 0, WHO_METRIC_UNSEEN, 100 * sums.unseen_ns / sums.observed_ns);
        results_sample(results, 0, WHO_METRIC_RECORDS_LOST, sums.records_lost);
    }
    who_free(&who);
}

static enum bench_who who_is_told(const void *params)
{
    return ((const struct who_params *)params)->stop_ns ? WHO_LAST : WHO_TOLD;
}

/* --- The descriptor. --- */

static const struct party parties[] = {
    {PARTY_IS("watcher", {RECORD_NUMBERS, (sizeof(struct watched) + sizeof(double) - 1) / sizeof(double)}),
     .stop = STOP_FLAG, .state_size = sizeof(double), .setup = setup, .run = run},
};

#define NAMED(id_, unit_, title_)                                                                                      \
    {                                                                                                                  \
        METRIC(id_, unit_, "lower", title_), .optional = true                                                          \
    }

static const struct metric metrics[WHO_N_METRICS] = {
    [WHO_METRIC_DISTURBED] = {METRIC("disturbed", "%", "lower",
                                     "share of the time that detours of at least 1 us took while it was recorded"),
                              .headline = true, .optional = true},
    [WHO_METRIC_UNSEEN] = NAMED("unseen", "%", "share of the time that detours took while nothing else was recorded"),
    [WHO_METRIC_RECORDS_LOST] = NAMED("records_lost", "1", "records that the kernel could not keep"),
    [WHO_METRIC_TAKEN] = NAMED("taken", "%", "share of the time of the CPUs that this name took"),
    [WHO_METRIC_TIMES] = NAMED("times", "1/s", "how often a second it took the CPU"),
    [WHO_METRIC_LONGEST] = NAMED("longest", "ns", "longest time that it had the CPU, without what interrupted it"),
};

const struct bench bench_who = {
    BENCH_WITH("noise", "who", "Noise: who took the time", struct who_params, parties, metrics),
    .sampling = {SAMPLING_EXACT(1, 2500, 600), SAMPLING_EXACT(1, 1000, 600), SAMPLING_EXACT(1, 30000, 600)},
    .ends_early = true,
    .who = who_is_told,
    .reduce = reduce,
};
