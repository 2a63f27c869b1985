/* SPDX-License-Identifier: MIT */
/* Samples as noise does, by a loop on each CPU that only reads the clock. After the run (the window) the kernel's
 * records show what ran during the gaps of the loop (detours). */
#include "bench/noise.h"

/* Between two looks whether it has to stop. */
#define TURN_NS 10000000u
/* Detours kept: the run ends with the last one; or, with stop_ns, the last ones. */
#define SPANS_MOST 131072u
/* Equal parts of the window, for each of which the CPU time of every name is recorded. */
#define CELLS 100u
/* Names (of tasks, interrupts, ...) that get result rows, besides that of all others. */
#define ROWS_MOST 20u

struct watched {
    unsigned cpu;
    uint32_t tid;
    uint64_t stopped_ns;   /* length of the detour that ended the run; 0: none did */
    struct time_span time; /* start and end of the run */
    uint64_t n;
    struct time_span span[SPANS_MOST]; /* the detours; in ticks until the run has ended */
};

/* --- The window. --- */

static int setup(struct party_context *context)
{
    struct watched *w = context->recorder[0];
    double *ns_per_tick = context->state;

    memset(w, 0, sizeof(*w)); /* touches the pages before the window */
    w->tid = (uint32_t)getpid();
    w->cpu = task_current_cpu();
    *ns_per_tick = noise_find_tick_ns(context->clock);
    if (!(*ns_per_tick > 0))
        return party_fail(context, "the clock's frequency cannot be measured");
    return w->cpu == CPUSET_NONE ? party_fail(context, "its CPU is not known") : 0;
}

static int run(struct party_context *context)
{
    const struct noise_params *params = context->params;
    const double ns_per_tick = *(double *)context->state;
    struct watched *w = context->recorder[0];
    const uint64_t stop = params->stop_ns ? (uint64_t)((double)params->stop_ns / ns_per_tick) : UINT64_MAX;
    const double least_ns = (double)larger(params->threshold_ns, WHO_LEAST_NS);
    const uint64_t threshold = smaller(stop, (uint64_t)(least_ns / ns_per_tick));
    const uint64_t turn = (uint64_t)(TURN_NS / ns_per_tick) + 1;
    struct clock_pair first, last;

    clock_pair_read(context->clock, &first);
    const uint64_t begin = clock_now(context->clock);
    const uint64_t end = begin + (uint64_t)((double)context->time_ns / ns_per_tick) + 1;
    uint64_t from = begin;
    while (from < end && w->n < SPANS_MOST && !w->stopped_ns && !party_stopped(context)) {
        const struct noise_gap gap = noise_watch(context->clock, from, threshold, smaller(from + turn, end));
        from = gap.to;
        if (gap.to <= gap.from || gap.to - gap.from <= threshold)
            continue;
        w->span[w->n++] = (struct time_span){gap.from, gap.to};
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
    w->time = (struct time_span){RAW_NS(begin), RAW_NS(from)};
    for (uint64_t i = 0; i < w->n; i++)
        w->span[i] = (struct time_span){RAW_NS(w->span[i].from), RAW_NS(w->span[i].to)};
    return 0;
}

/* --- Results. --- */

/* What is told of n windows together. */
struct sums {
    size_t n;
    bool recorded;
    double observed_ns, length_ns; /* of all windows; of the first one */
};

/* Makes a group of rows for each name that had a CPU since `from`, with each time that it had it as series of the
 * metric; or (sums) for those that had most, with the CPU time in ns in each part of the window, the mean of the CPUs.
 */
static void enter_lines(struct results *results, struct account *account, uint64_t from, const struct sums *sums,
                        unsigned metric)
{
    FREED struct account_line *lines = NULL;
    const size_t n = account_lines(account, sums ? ROWS_MOST : account->n, &lines);
    const double part = sums ? sums->length_ns / CELLS : 1;

    for (const struct account_line *line = lines; line < lines + n; line++) {
        struct cpuset cpus = {0};
        struct row_params params;
        double cell[CELLS] = {0};
        struct series series = {0};
        for (const struct account_piece *piece = account->pieces; piece < account->pieces + account->n_pieces;
             piece++) {
            if (account->interferers[piece->interferer].line != (size_t)(line - lines))
                continue;
            cpuset_add(&cpus, piece->cpu);
            const double begin = (double)(piece->from - from), end = begin + (double)piece->ns;
            for (unsigned c = sums ? (unsigned)(begin / part) : CELLS; c < CELLS && part * c < end; c++)
                cell[c] += (fmin(end, part * (c + 1)) - fmax(begin, part * c)) / (double)sums->n;
            if (!sums)
                series_add(&series, piece->from - from, piece->ns);
        }
        for (unsigned c = 0; sums && c < CELLS; c++)
            series_add(&series, (uint64_t)(part * c * 1e-3), (uint64_t)(cell[c] + 0.5));
        const unsigned group = results_group(results, &cpus);
        TEXT_SET(params.text, line->label);
        row_params_read(&params);
        results_remark(results, group, &params);
        if (sums)
            results_sample(results, group, WHO_METRIC_TAKEN, 100 * line->ns / sums->observed_ns);
        if (sums && !sums->recorded)
            continue;
        if (sums)
            results_sample(results, group, WHO_METRIC_TIMES, line->n / sums->observed_ns * 1e9 * (double)sums->n);
        results_sample(results, group, sums ? WHO_METRIC_LONGEST : metric, line->max_ns);
        results_series(results, group, metric, &series);
    }
    if (account->failed)
        results_fail(results);
}

void who_tell_timeline(struct results *results, unsigned group, const struct trial *trial,
                       const struct account_window *window, unsigned metric)
{
    struct interference_watch *watch = trial->spec.watch;
    struct cpuset cpus = {0};

    cpuset_add(&cpus, window->cpu);
    watch->window[window->cpu] = *window;
    if (interference_read(watch, &cpus))
        enter_lines(results, &watch->account, window->time.from, NULL, metric);
    if (watch->why[0])
        results_degraded(results, group, watch->why);
}

/* Of the names of tasks and interrupts that took time on the CPUs; or, if a detour ended the run, of what ran on that
 * CPU at the end. */
static void reduce(const struct trial *trial, struct results *results)
{
    const struct noise_params *params = trial->spec.params;
    struct interference_watch *watch = trial->spec.watch;
    struct sums sums = {0};
    struct cpuset cpus = {0};
    const struct watched *ended = NULL;
    struct row_params remarks = {0};
    double lost_ns = 0, unseen_ns = 0, records_lost = 0;
    struct account *account = &watch->account;

    for (unsigned copy = 0; copy < trial->spec.copies; copy++) {
        const struct watched *w = trial_recorder(trial, 0, copy, 0);
        watch->window[w->cpu] = (struct account_window){
            .cpu = w->cpu, .self = w->tid, .time = w->time, .spans = w->span, .n_spans = (size_t)w->n};
        cpuset_add(&cpus, w->cpu);
        if (w->stopped_ns > (ended ? ended->stopped_ns : 0))
            ended = w;
    }
    if (ended) {
        struct time_span *time = &watch->window[ended->cpu].time;
        if (time->to - time->from > WHO_LAST_NS)
            time->from = smaller(ended->span[ended->n - 1].from, time->to - WHO_LAST_NS);
        cpus = (struct cpuset){0};
        cpuset_add(&cpus, ended->cpu);
    }
    sums.n = cpuset_count(&cpus);
    const struct time_span *time = &watch->window[cpuset_next(&cpus, 0)].time;
    sums.length_ns = (double)(time->to - time->from); /* planned: a record may end early */
    sums.recorded = interference_read(watch, &cpus);
    if (!sums.recorded)
        interference_count(watch, &cpus);
    if (watch->why[0])
        results_degraded(
            results, 0,
            TEXT_LINE(sums.recorded ? "%s" : "nothing was recorded: %s; the CPU times are those of the whole machine",
                      watch->why));
    for_each_cpu(cpu, &cpus) {
        const struct account_window *window = &watch->window[cpu];
        sums.observed_ns += (double)(window->time.to - window->time.from);
        records_lost += window->full;
        for (size_t i = 0; i < window->n_spans; i++)
            lost_ns += fmax(0, fmin((double)window->spans[i].to, (double)window->time.to) -
                                   fmax((double)window->spans[i].from, (double)window->time.from));
    }
    for (size_t i = 0; i < account->n_pieces; i++)
        unseen_ns += account->pieces[i].interferer ? 0 : (double)account->pieces[i].ns;
    row_param_add(&remarks, PARAM_OUTCOME, "source", "%s", sums.recorded ? "perf" : "proc");
    if (params->stop_ns)
        row_param_add(&remarks, PARAM_WORK, "stop_at_us", "%.10g", (double)params->stop_ns * 1e-3);
    if (ended) {
        row_param_add(&remarks, PARAM_OUTCOME, "stopped_us", "%.3f", (double)ended->stopped_ns * 1e-3);
        row_param_add(&remarks, PARAM_OUTCOME, "begun_us", "%.3f",
                      (double)(ended->span[ended->n - 1].from - time->from) * 1e-3);
        row_param_add(&remarks, PARAM_OUTCOME, "worst_cpu", "%u", ended->cpu);
    }
    results_remark(results, 0, &remarks);
    if (ended && sums.recorded)
        enter_lines(results, account, time->from, NULL, WHO_METRIC_LONGEST);
    else if (!params->stop_ns || ended)
        enter_lines(results, account, time->from, &sums, WHO_METRIC_TAKEN);
    results_sample(results, 0, WHO_METRIC_DISTURBED, 100 * lost_ns / sums.observed_ns);
    if (sums.recorded) {
        results_sample(results, 0, WHO_METRIC_UNSEEN, 100 * unseen_ns / sums.observed_ns);
        results_sample(results, 0, WHO_METRIC_RECORDS_LOST, records_lost);
    }
}

static enum bench_who who(const void *params)
{
    return ((const struct noise_params *)params)->stop_ns ? WHO_LAST : WHO_TOLD;
}

static const struct metric metrics[WHO_N_METRICS] = {
    [WHO_METRIC_DISTURBED] = {METRIC("disturbed", "%", "lower",
                                     "share of the time that detours of at least 1 us took while it was recorded"),
                              .headline = true, .optional = true},
    [WHO_METRIC_UNSEEN] =
        METRIC_OPTIONAL("unseen", "%", "lower", "share of the time that detours took while nothing else was recorded"),
    [WHO_METRIC_RECORDS_LOST] =
        METRIC_OPTIONAL("records_lost", "1", "lower", "number of full rings, which lost records"),
    [WHO_METRIC_TAKEN] = METRIC_OPTIONAL("taken", "%", "lower", "share of the time of the CPUs that this name took"),
    [WHO_METRIC_TIMES] = METRIC_OPTIONAL("times", "1/s", "lower", "how often a second it took the CPU"),
    [WHO_METRIC_LONGEST] =
        METRIC_OPTIONAL("longest", "ns", "lower", "longest time that it had the CPU, without what interrupted it"),
};

const struct bench bench_who = {
    BENCH_IS("noise", "who", "Noise: who took the time", struct noise_params),
    BENCH_PARTY(PARTY_IS("watcher", {RECORD_NUMBERS, (sizeof(struct watched) + sizeof(double) - 1) / sizeof(double)}),
                .stop = STOP_FLAG, .state_size = sizeof(double), .setup = setup, .run = run),
    BENCH_METRICS(metrics),
    .sampling = {SAMPLING(1, 1, 2500, 600), SAMPLING(1, 1, 1000, 600), SAMPLING(1, 1, 30000, 600)},
    .ends_early = true,
    .who = who,
    .reduce = reduce,
};
