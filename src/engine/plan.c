/* SPDX-License-Identifier: MIT */
/* Chooses the item of the next trial, decides when it has enough samples, and handles failed trials. */

#include "engine/trial.h"

/* At most this share of the trials' time: with thousands of short items (pairs of CPUs) most would go into pauses. */
#define SETTLE_SHARE 4u

struct plan_item *plan_add(struct plan *plan, const struct bench *bench, const void *params)
{
    MEMORY_GROW(plan->items, plan->capacity, plan->n);
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
        return (struct plan_time){0};
    if (s->max_samples == n)
        time.unknown = !each;
    else if (s->max_ns > time.most_ns)
        time.most_ns = s->max_ns;
    return time;
}

struct plan_time plan_time(const struct plan *plan)
{
    struct plan_time all = {0};

    for (size_t i = 0; i < plan->n; i++) {
        const struct plan_time time = item_time(&plan->items[i]);
        all.least_ns += time.least_ns;
        all.most_ns += time.most_ns;
        all.unknown |= time.unknown;
    }
    return all;
}

struct execution {
    const struct plan *plan;
    const struct plan_run *how;
    struct results *of;         /* by item */
    const double **samples;     /* by item, for plan->enough(); NULL: by its own rule */
    struct place_request fewer; /* those of the CPUs that the item has */
    enum row_status worst;
    bool interrupted;
    bool started;
};

static void end_item(struct execution *e, struct results *results, enum row_status status, const char *reason)
{
    const uint64_t pause_ns = smaller(e->how->settle_ns, results->spent_ns / SETTLE_SHARE);
    const struct metric_values *first = results->group[0].metric;
    struct stats_summary summary;

    if (first && first->n && stats_summarise(first->samples, first->n, &summary) == 0)
        results->value = summary.median;
    TEXT_SET(results->failure, reason);
    results->celsius[1] = machine_celsius();
    status = results_rows(results, status, reason);
    if (status > e->worst)
        e->worst = status;
    results->ended = true;
    results_free(results);
    if (pause_ns && !e->interrupted)
        signals_sleep_ns(pause_ns); /* our own writing must not disturb the next item */
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

    for (const struct results *r = e->of; r < e->of + e->plan->n; r++) {
        const struct sampling *s = &r->item->sampling;
        if (r->ended || !ends_together(e->plan, r->item))
            continue;
        spent += (double)r->spent_ns;
        limit += (double)s->max_ns;
        done = fmin(done, s->min_samples ? (double)r->n_trials / (double)s->min_samples : 1);
    }
    return limit > 0 ? fmin(done, spent / limit) : done;
}

static void report_progress(const struct execution *e, const struct results *of)
{
    double done = 0, all = 0;

    if (!e->how->progress)
        return;
    const double together = together_done(e);
    for (const struct results *r = e->of; r < e->of + e->plan->n; r++) {
        const struct plan_time time = item_time(r->item);
        const struct sampling *s = &r->item->sampling;
        const double by_time = s->max_ns ? (double)r->spent_ns / (double)s->max_ns : 1;
        const double by_count = s->min_samples ? (double)r->n_trials / (double)s->min_samples : 0;
        const bool counted = s->max_samples && s->max_samples == s->min_samples;
        const double ns = ((double)time.least_ns + (double)time.most_ns) / 2;
        const double weight = ns > 0 ? ns : r->item->skip ? 0 : 1e9; /* in ns; 1 s when not known */
        all += weight;
        done += weight * (r->ended                          ? 1
                          : ends_together(e->plan, r->item) ? together
                          : counted                         ? fmin(by_count, 1)
                                                            : fmin(fmax(by_count, by_time), 0.99));
    }
    e->how->progress(e->how->progress_context, of->item, of->n_trials, all > 0 ? done / all : 0);
}

/* Before the first trial. Returns false when the earlier item measured no value. */
static bool calibrate(const struct execution *e, const struct results *results)
{
    const struct plan_item *item = results->item;

    if (item->calibrated_by < 0 || results->n_trials)
        return true;
    const double value = e->of[item->calibrated_by].value;
    if (isnan(value))
        return false;
    if (item->bench->calibrate)
        item->bench->calibrate(item->params, value);
    if (item->load && item->load->calibrate)
        item->load->calibrate(item->load_params, value);
    return true;
}

static struct trial_spec spec_of(struct execution *e, const struct results *results)
{
    const struct plan_item *item = results->item;
    const struct plan_run *how = e->how;

    e->fewer = *how->place;
    if (item->cpus) {
        e->fewer.n_order = item->cpus;
        cpuset_clear(&e->fewer.cpus);
        for (unsigned i = 0; i < item->cpus; i++)
            cpuset_add(&e->fewer.cpus, e->fewer.order[i]);
    }
    return (struct trial_spec){.bench = item->bench,
                               .params = item->params,
                               .load = item->load,
                               .load_params = item->load_params,
                               .load_cpu = item->load_cpu,
                               .copies = item->copies,
                               .sample = results->n_trials,
                               .time_ns = item->sampling.time_ns,
                               .place = &e->fewer,
                               .clock = how->clock,
                               .core = item->sampling.classic ? NULL : how->core,
                               .start_at_ns = e->started ? 0 : how->start_at_ns,
                               .counters = how->counters,
                               .watch = how->watch,
                               .series_fd = how->series_fd,
                               .tick = item->bench->told_while_running ? how->elapsed : NULL,
                               .tick_context = how->progress_context};
}

/* Checked before use: beyond a memory cgroup's limit the kernel kills, and no row would say why. */
static int has_memory(const struct trial_spec *spec, struct error *why)
{
    bool of_group;
    const uint64_t need = trial_memory_bytes(spec), left = machine_memory_left(&of_group);

    if (need <= left)
        return 0;
    return error_set(why, "%u cop%s need%s %s of memory, and the %s has %s left", spec->copies,
                     spec->copies == 1 ? "y" : "ies", spec->copies == 1 ? "s" : "", TEXT_BYTES(need),
                     of_group ? "memory cgroup" : "machine", TEXT_BYTES(left));
}

/* Frees a trial that does not count, and takes what it wrote off the file of --series. */
static void forget_trial(const struct execution *e, struct trial *trial, off_t series_at)
{
    trial_free(trial);
    if (series_at >= 0)
        (void)!ftruncate(e->how->series_fd, series_at);
}

static const char *broken(const struct execution *e)
{
    return e->how->broken ? e->how->broken() : NULL;
}

/* Runs one trial, and ends the item when it needs no more. */
static void take_sample(struct execution *e, struct results *results)
{
    const struct plan_item *item = results->item;
    const struct plan_run *how = e->how;
    const struct trial_spec spec = spec_of(e, results);
    uint64_t start = clock_raw_ns();
    const bool groups = item->load_cpu.weight || item->load_cpu.limit > 0;
    struct error why = {""};
    char group[PATH_MAX];

    const struct bench_case of = {item->bench, item->params, how->clock, item->copies};
    /* Once begun, what it lacks has failed. */
    if (item->skip || (results->spent_ns == 0 &&
                       ((item->bench->supported && item->bench->supported(&of, &why)) ||
                        (item->load && item->load->supported && item->load->supported(item->load_params, &why)) ||
                        (groups && cgroup_cpu_parent(group, sizeof(group), &why)) || has_memory(&spec, &why)))) {
        end_item(e, results, ROW_SKIPPED, item->skip ? item->skip : why.text);
        return;
    }
    const char *gone = calibrate(e, results)
                           ? broken(e)
                           : TEXT_LINE("the calibration before it failed: %s", e->of[item->calibrated_by].failure);
    if (gone) {
        end_item(e, results, ROW_FAILED, gone);
        return;
    }
    report_progress(e, results);
    if (item->sampling.classic) {
        sync(); /* as the original UnixBench before each pass */
        signals_sleep_ns(item->sampling.pause_ns);
    }
    struct stat status; /* of --series, if it is a regular file */
    const bool cuts = how->series_fd >= 0 && fstat(how->series_fd, &status) == 0 && S_ISREG(status.st_mode);
    const off_t series_at = cuts ? status.st_size : -1;
    if (!results->n_trials)
        results->celsius[0] = machine_celsius();
    struct trial *trial = trial_run(&spec);
    if (trial && !e->started && how->start_at_ns && how->started && trial->gate_ns)
        how->started(how->started_context, trial->late_ns);
    e->started = true;
    if (!trial) {
        end_item(e, results, ROW_FAILED, "out of memory");
        return;
    }
    /* Repeated when a signal stopped one of its processes (Ctrl-Z, a batch system), but not for ever: some programs
     * ration others' CPU time so. */
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
        end_item(e, results, ROW_FAILED, trial->reason);
    else if ((gone = broken(e)))
        end_item(e, results, ROW_FAILED, gone);
    else if (results_enter(results, trial))
        end_item(e, results, ROW_FAILED, "out of memory");
    /* A trial that a signal ended early counts, but its item is not complete: its rows give the signal. */
    else if (!ends_together(e->plan, item) && !(item->bench->ends_early && signals_pending()) &&
             results_sampled_enough(results))
        end_item(e, results, ROW_OK, "");
    trial_free(trial);
}

/* One trial of each item of a phase, in order or backwards; with SCHEDULE_SEQUENCE all of each. */
static void pass(struct execution *e, unsigned phase, bool backwards)
{
    for (size_t k = 0; k < e->plan->n && !e->interrupted; k++) {
        struct results *r = &e->of[backwards ? e->plan->n - 1 - k : k];
        const int before = r->item->calibrated_by; /* waits for the item that calibrates it */
        uint64_t n_trials;
        if (r->ended || r->item->phase != phase || (before >= 0 && !e->of[before].ended))
            continue;
        do { /* a trial that did not count is repeated at once, so that the order stays A B B A */
            n_trials = r->n_trials;
            take_sample(e, r);
        } while ((e->plan->schedule == SCHEDULE_SEQUENCE || r->n_trials == n_trials) && !r->ended && !e->interrupted &&
                 !signals_pending());
        e->interrupted |= signals_pending() != 0;
    }
}

static void end_together(struct execution *e)
{
    const struct plan *plan = e->plan;
    struct plan_samples all = {.of = e->samples, .n = SIZE_MAX};

    for (size_t i = 0; i < plan->n; i++) {
        const struct results *r = &e->of[i];
        e->samples[i] = NULL;
        if (r->ended || !ends_together(plan, r->item))
            continue;
        e->samples[i] = r->group[0].metric[plan->metric].samples;
        all.n = (size_t)smaller(r->n_trials, all.n);
        all.spent_ns += r->spent_ns;
        all.limit_ns += r->item->sampling.max_ns;
    }
    const bool enough = all.n < SIZE_MAX && plan->enough(plan->items, plan->n, &all);
    for (size_t i = 0; enough && i < plan->n; i++)
        if (e->samples[i])
            end_item(e, &e->of[i], ROW_OK, "");
}

int plan_execute(const struct plan *plan, const struct plan_run *how)
{
    FREED struct results *of = calloc(plan->n + 1, sizeof(*of));
    FREED const double **samples = calloc(plan->n + 1, sizeof(const double *));
    struct execution e = {
        .plan = plan, .how = how, .of = of, .samples = samples, .interrupted = signals_pending() != 0};
    bool ready = of && samples, backwards = false;

    for (size_t i = 0; ready && i < plan->n; i++) {
        ready = results_init(&of[i], &plan->items[i], how) == 0;
        of[i].order = i;
    }
    if (!ready) {
        for (size_t i = 0; of && i < plan->n; i++)
            results_free(&of[i]);
        return e.interrupted ? -signals_pending() : ROW_FAILED;
    }
    for (; !e.interrupted; backwards = !backwards) {
        unsigned phase = UINT_MAX; /* the lowest that has not ended */
        for (size_t i = 0; i < plan->n; i++)
            phase = of[i].ended ? phase : (unsigned)smaller(phase, plan->items[i].phase);
        if (phase == UINT_MAX)
            break;
        pass(&e, phase, plan->schedule == SCHEDULE_ABBA && backwards);
        if (plan->enough && backwards && !e.interrupted)
            end_together(&e);
    }
    /* A signal interrupted the plan: items are degraded with the samples so far, or skipped without any. */
    const char *by = signals_name(signals_pending());
    for (struct results *r = of; e.interrupted && r < of + plan->n; r++)
        if (!r->ended && !r->n_trials)
            end_item(&e, r, ROW_SKIPPED, TEXT_LINE("ended by %s before the first sample", by));
        else if (!r->ended)
            end_item(&e, r, ROW_DEGRADED,
                     TEXT_LINE("ended by %s after %" PRIu64 " sample%s, %s", by, r->n_trials, PLURAL(r->n_trials),
                               TEXT_DURATION(r->spent_ns)));
    return e.interrupted ? -signals_pending() : (int)e.worst;
}
