/* SPDX-License-Identifier: MIT */
/* Chooses the item of the next trial, decides when it has enough samples, and handles failed trials. */
#include "engine/engine.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/trial.h"
#include "rows/text.h"
#include "sys/base.h"
#include "sys/machine.h"
#include "sys/process.h"

/* At most this share of the trials' time: with thousands of short items (pairs of CPUs) most would go into pauses. */
#define SETTLE_SHARE 4u

struct plan_item *plan_add(struct plan *plan, const struct bench *bench, const void *params)
{
    memory_grow(&plan->items, &plan->capacity, plan->n, sizeof(*plan->items));
    struct plan_item *item = &plan->items[plan->n++];
    *item = (struct plan_item){
        .bench = bench, .copies = 1, .calibrated_by = -1, .params = memory_get(bench->params_size, 1)};
    if (params)
        memcpy(item->params, params, bench->params_size);
    return item;
}

void plan_set_load(struct plan_item *item, const struct load *load, const void *params)
{
    item->load_params = memory_get(load->params_size, 1);
    memcpy(item->load_params, params, load->params_size);
    item->load = load;
}

void plan_free(struct plan *plan)
{
    for (size_t i = 0; i < plan->n; i++) {
        free(plan->items[i].params);
        free(plan->items[i].load_params);
    }
    free(plan->items);
    memset(plan, 0, sizeof(*plan));
}

/* Estimate in ns besides the run: starting processes, warm-up, the pause after a row; more with a load. */
#define TRIAL_OVERHEAD_NS 150000000u
#define LOAD_OVERHEAD_NS  200000000u

static struct plan_time item_time(const struct plan_item *item)
{
    const struct sampling *s = &item->sampling;
    const uint64_t overhead = TRIAL_OVERHEAD_NS + (item->load ? LOAD_OVERHEAD_NS : 0);
    const uint64_t each = s->time_ns ? s->time_ns + overhead : 0, n = s->min_samples ? s->min_samples : 1;
    struct plan_time time = {.least_ns = n * each, .most_ns = n * each};

    if (item->skip)
        return (struct plan_time){.unknown = false};
    if (s->max_samples == n)
        time.unknown = !each;
    else if (s->max_ns > time.most_ns)
        time.most_ns = s->max_ns;
    return time;
}

struct plan_time plan_time(const struct plan *plan)
{
    struct plan_time all = {.unknown = false};

    for (size_t i = 0; i < plan->n; i++) {
        const struct plan_time time = item_time(&plan->items[i]);
        all.least_ns += time.least_ns;
        all.most_ns += time.most_ns;
        all.unknown |= time.unknown;
    }
    return all;
}

struct running {
    struct results results;
    bool ended;
    double value;     /* median of the first metric, to calibrate others; NAN: none */
    char failed[160]; /* why there is no value */
};

struct execution {
    const struct plan *plan;
    const struct plan_run *how;
    struct running *item;
    const double **samples; /* by item, for plan->enough(); NULL: by its own rule */
    enum row_status worst;
    bool interrupted;
    bool started;
};

uint64_t plan_settle_ns(uint64_t settle_ns, uint64_t spent_ns)
{
    return settle_ns < spent_ns / SETTLE_SHARE ? settle_ns : spent_ns / SETTLE_SHARE;
}

static void end_item(struct execution *e, size_t i, enum row_status status, const char *reason)
{
    struct running *item = &e->item[i];
    struct results *results = &item->results;
    const uint64_t pause_ns = plan_settle_ns(e->how->settle_ns, results->spent_ns);
    const struct metric_values *first = results->group[0].metric;

    if (first && first->n) {
        struct stats_summary summary;
        if (stats_summarise(first->samples, first->n, &summary) == 0)
            item->value = summary.median;
    }
    TEXT_SET(item->failed, reason);
    status = results_rows(results, status, reason);
    if (status > e->worst)
        e->worst = status;
    item->ended = true;
    results_free(results);
    if (pause_ns && !e->interrupted)
        signals_sleep_ns(pause_ns); /* our own writing must not disturb the next item */
}

/* By its time limit or minimum of samples, the larger of the two, 0 to 1. */
static double item_done(const struct results *results)
{
    const struct sampling *s = &results->item->sampling;
    double by_time = s->max_ns ? (double)results->spent_ns / (double)s->max_ns : 1;
    double by_count = s->min_samples ? (double)results->n_trials / (double)s->min_samples : 0;

    if (s->max_samples && s->max_samples == s->min_samples)
        return by_count < 1 ? by_count : 1;
    double done = by_count < by_time ? by_time : by_count;
    return done < 1 ? done : 0.99;
}

/* By plan->enough(), not its own stop rule. */
static bool ends_together(const struct plan *plan, const struct plan_item *item)
{
    return plan->enough && item->sampling.max_samples != item->sampling.min_samples;
}

/* By the sum of their time limits, or the minimum of samples, the smaller of the two, 0 to 1. */
static double together_done(const struct execution *e)
{
    double spent = 0, limit = 0, done = 0.99;

    for (size_t i = 0; i < e->plan->n; i++) {
        const struct sampling *s = &e->plan->items[i].sampling;
        const struct results *results = &e->item[i].results;
        if (e->item[i].ended || !ends_together(e->plan, &e->plan->items[i]))
            continue;
        const double by_count = s->min_samples ? (double)results->n_trials / (double)s->min_samples : 1;
        spent += (double)results->spent_ns;
        limit += (double)s->max_ns;
        done = by_count < done ? by_count : done;
    }
    return limit > 0 && spent / limit < done ? spent / limit : done;
}

/* Estimated ns; 1 s when not known. */
static double weight_of(const struct plan_item *item)
{
    const struct plan_time time = item_time(item);
    const double ns = ((double)time.least_ns + (double)time.most_ns) / 2;

    return ns > 0 ? ns : item->skip ? 0 : 1e9;
}

static void report_progress(const struct execution *e, size_t i)
{
    double done = 0, all = 0;

    if (!e->how->progress)
        return;
    const double together = together_done(e);
    for (size_t k = 0; k < e->plan->n; k++) {
        const double weight = weight_of(&e->plan->items[k]);
        all += weight;
        if (e->item[k].ended)
            done += weight;
        else
            done += weight * (ends_together(e->plan, &e->plan->items[k]) ? together : item_done(&e->item[k].results));
    }
    e->how->progress(e->how->progress_context, &e->plan->items[i], e->item[i].results.n_trials,
                     all > 0 ? done / all : 0);
}

/* Before the first trial. Returns false when the earlier item measured no value. */
static bool calibrate(struct execution *e, size_t i)
{
    const struct plan_item *item = &e->plan->items[i];

    if (item->calibrated_by < 0 || e->item[i].results.n_trials)
        return true;
    double value = e->item[item->calibrated_by].value;
    if (isnan(value))
        return false;
    if (item->bench->calibrate)
        item->bench->calibrate(item->params, value);
    if (item->load && item->load->calibrate)
        item->load->calibrate(item->load_params, value);
    return true;
}

static struct trial_spec spec_of(const struct execution *e, size_t i)
{
    const struct plan_item *item = &e->plan->items[i];
    const struct plan_run *how = e->how;

    return (struct trial_spec){.bench = item->bench,
                               .params = item->params,
                               .load = item->load,
                               .load_params = item->load_params,
                               .copies = item->copies,
                               .sample = e->item[i].results.n_trials,
                               .time_ns = item->sampling.time_ns,
                               .place = how->place,
                               .clock = how->clock,
                               .core = item->sampling.classic ? NULL : how->core,
                               .start_at_ns = e->started ? 0 : how->start_at_ns,
                               .counters = how->counters,
                               .watch = how->watch,
                               .series_fd = how->series_fd,
                               .proc_root = how->proc_root,
                               .tick = item->bench->told_while_running ? how->elapsed : NULL,
                               .tick_context = how->progress_context};
}

/* Checked before use: when a memory cgroup exceeds its limit the kernel kills it, and no row would say why. */
static int has_memory(const struct trial_spec *spec, struct error *why)
{
    const uint64_t need = trial_memory_bytes(spec), group = cgroup_memory_available(spec->proc_root);
    struct machine machine = {.memory_available_bytes = 0};
    char need_text[32], left_text[32];

    machine_read_memory(spec->proc_root, &machine);
    const bool of_group = !machine.memory_available_bytes || group < machine.memory_available_bytes;
    const uint64_t left = of_group ? group : machine.memory_available_bytes;
    if (need <= left)
        return 0;
    text_bytes(need, need_text, sizeof(need_text));
    text_bytes(left, left_text, sizeof(left_text));
    return error_set(why, "%u cop%s need%s %s of memory, and the %s has %s left", spec->copies,
                     spec->copies == 1 ? "y" : "ies", spec->copies == 1 ? "s" : "", need_text,
                     of_group ? "memory cgroup" : "machine", left_text);
}

/* Returns 0, or -1 with the reason. */
static int can_run(const struct plan_item *item, const struct trial_spec *spec, struct error *why)
{
    if (item->bench->supported &&
        item->bench->supported(&(const struct bench_case){item->bench, item->params, spec->clock}, why))
        return -1;
    if (item->load && item->load->supported && item->load->supported(item->load_params, why))
        return -1;
    return has_memory(spec, why);
}

/* Frees a trial that does not count, and takes what it wrote off the file of --series. */
static void forget_trial(const struct execution *e, struct trial *trial, off_t series_at)
{
    trial_free(trial);
    if (series_at >= 0)
        (void)!ftruncate(e->how->series_fd, series_at);
}

/* Runs one trial, and ends the item when it needs no more. */
static void step(struct execution *e, size_t i)
{
    struct results *results = &e->item[i].results;
    const struct plan_item *item = &e->plan->items[i];
    const struct trial_spec spec = spec_of(e, i);
    uint64_t start = clock_raw_ns();
    struct error why;

    if (item->skip || (results->n_trials == 0 && can_run(item, &spec, &why))) {
        end_item(e, i, ROW_SKIPPED, item->skip ? item->skip : why.text);
        return;
    }
    if (!calibrate(e, i)) {
        error_set(&why, "the calibration before it failed: %s", e->item[item->calibrated_by].failed);
        end_item(e, i, ROW_FAILED, why.text);
        return;
    }
    report_progress(e, i);
    if (item->sampling.classic) {
        sync(); /* as the original UnixBench before each pass */
        signals_sleep_ns(item->sampling.pause_ns);
    }
    const struct plan_run *how = e->how;
    struct stat status; /* of --series, if it is a regular file */
    const bool cuts = how->series_fd >= 0 && fstat(how->series_fd, &status) == 0 && S_ISREG(status.st_mode);
    const off_t series_at = cuts ? status.st_size : -1;
    struct trial *trial = trial_run(&spec);
    if (trial && !e->started && how->start_at_ns && how->started && trial->gate_ns)
        how->started(how->started_context, trial->late_ns);
    e->started = true;
    if (!trial) {
        end_item(e, i, ROW_FAILED, "out of memory");
        return;
    }
    /* A trial is repeated when a signal stopped one of its processes (Ctrl-Z, a batch system), but not for ever:
     * some programs ration others' CPU time by stopping them. */
    if (trial->outcome != TRIAL_INTERRUPTED && trial_stopped(trial) && results->n_stopped++ < RESULTS_STOPPED_MAX) {
        forget_trial(e, trial, series_at);
        return;
    }
    results->spent_ns += clock_raw_ns() - start;
    if (trial->outcome == TRIAL_DONE && results_take_again(results, trial)) {
        forget_trial(e, trial, series_at);
        return;
    }
    if (trial->outcome == TRIAL_INTERRUPTED)
        e->interrupted = true;
    else if (trial->outcome == TRIAL_FAILED)
        end_item(e, i, ROW_FAILED, trial->reason);
    else if (results_enter(results, trial))
        end_item(e, i, ROW_FAILED, "out of memory");
    /* A trial that a signal ended early counts, but its item is not complete: its rows give the signal. */
    else if (!ends_together(e->plan, item) && !(item->bench->ends_early && signals_pending()) &&
             results_sampled_enough(results))
        end_item(e, i, ROW_OK, "");
    trial_free(trial);
}

/* The lowest that has not ended; UINT_MAX: all have. */
static unsigned open_phase(const struct execution *e)
{
    unsigned phase = UINT_MAX;

    for (size_t i = 0; i < e->plan->n; i++)
        if (!e->item[i].ended && e->plan->items[i].phase < phase)
            phase = e->plan->items[i].phase;
    return phase;
}

/* One trial of each item of a phase, in order or backwards; with SCHEDULE_SEQUENCE all of each. */
static void pass(struct execution *e, unsigned phase, bool backwards)
{
    for (size_t k = 0; k < e->plan->n && !e->interrupted; k++) {
        size_t i = backwards ? e->plan->n - 1 - k : k;
        int before = e->plan->items[i].calibrated_by;
        if (e->item[i].ended || e->plan->items[i].phase != phase)
            continue;
        if (before >= 0 && !e->item[before].ended)
            continue; /* waits for the item that calibrates it */
        uint64_t before_step;
        do { /* a trial that did not count is repeated at once, so that the order stays A B B A */
            before_step = e->item[i].results.n_trials;
            step(e, i);
        } while ((e->plan->schedule == SCHEDULE_SEQUENCE || e->item[i].results.n_trials == before_step) &&
                 !e->item[i].ended && !e->interrupted && !signals_pending());
        if (signals_pending())
            e->interrupted = true;
    }
}

static void end_together(struct execution *e)
{
    const struct plan *plan = e->plan;
    struct plan_samples all = {.of = e->samples, .n = SIZE_MAX};

    for (size_t i = 0; i < plan->n; i++) {
        const struct results *results = &e->item[i].results;
        e->samples[i] = NULL;
        if (e->item[i].ended || !ends_together(plan, &plan->items[i]))
            continue;
        e->samples[i] = results->group[0].metric[0].samples;
        all.n = results->n_trials < all.n ? (size_t)results->n_trials : all.n;
        all.spent_ns += results->spent_ns;
        all.limit_ns += plan->items[i].sampling.max_ns;
    }
    const bool enough = all.n < SIZE_MAX && plan->enough(plan->items, plan->n, &all);
    for (size_t i = 0; enough && i < plan->n; i++)
        if (e->samples[i])
            end_item(e, i, ROW_OK, "");
}

/* A signal interrupted the plan: items are degraded with the samples so far, or skipped without any. */
static void end_interrupted(struct execution *e)
{
    char reason[120];

    for (size_t i = 0; i < e->plan->n; i++) {
        if (e->item[i].ended)
            continue;
        if (e->item[i].results.n_trials == 0) {
            TEXT_PRINT(reason, "ended by %s before the first sample", signals_name(signals_pending()));
            end_item(e, i, ROW_SKIPPED, reason);
            continue;
        }
        char after[32];
        text_duration(e->item[i].results.spent_ns, after, sizeof(after));
        TEXT_PRINT(reason, "ended by %s after %" PRIu64 " sample%s, %s", signals_name(signals_pending()),
                 e->item[i].results.n_trials, e->item[i].results.n_trials == 1 ? "" : "s", after);
        end_item(e, i, ROW_DEGRADED, reason);
    }
}

int plan_execute(const struct plan *plan, const struct plan_run *how)
{
    FREED_BY(memory_free) struct running *items = calloc(plan->n + 1, sizeof(*items));
    FREED_BY(memory_free) const double **samples = calloc(plan->n + 1, sizeof(const double *));
    struct execution e = {
        .plan = plan, .how = how, .item = items, .samples = samples, .interrupted = signals_pending() != 0};
    bool ready = items && samples, backwards = false;

    for (size_t i = 0; ready && i < plan->n; i++) {
        items[i].value = NAN;
        ready = results_init(&items[i].results, &plan->items[i], how) == 0;
        items[i].results.order = i;
    }
    if (!ready) {
        for (size_t i = 0; items && i < plan->n; i++)
            results_free(&items[i].results);
        return e.interrupted ? -signals_pending() : ROW_FAILED;
    }
    for (unsigned phase; !e.interrupted && (phase = open_phase(&e)) != UINT_MAX; backwards = !backwards) {
        pass(&e, phase, plan->schedule == SCHEDULE_ABBA && backwards);
        if (plan->enough && backwards && !e.interrupted)
            end_together(&e);
    }
    if (e.interrupted)
        end_interrupted(&e);
    return e.interrupted ? -signals_pending() : (int)e.worst;
}
