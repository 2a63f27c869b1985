/* SPDX-License-Identifier: MIT */
/* A thread on each CPU sleeps until an absolute time, again and again, and records how late it runs. Method: T.
 * Gleixner's cyclictest, as documented; but missed wake-ups stay in the data. The clock is the sleep's,
 * CLOCK_MONOTONIC; reading it is part of the latency. With a priority the threads have SCHED_FIFO on all CPUs at
 * once: they cannot keep one busy, since the run fails if a sleep ends too early. */
#include "bench/noise.h"

static void record(struct wakeup_account *a, uint64_t late_ns)
{
    hist_add_class(a->hist, late_ns);
    a->overflows += late_ns >= a->overflow_ns;
}

uint64_t wakeup_woke(struct wakeup_account *a, uint64_t now_ns)
{
    const uint64_t late_ns = now_ns - a->due_ns, last_ns = smaller(now_ns, a->end_ns),
                   missed = (last_ns - a->due_ns) / a->interval_ns;

    record(a, late_ns);
    a->missed += missed;
    a->due_ns += (missed > WAKEUP_MISSED_MAX ? missed - WAKEUP_MISSED_MAX : 0) * a->interval_ns + a->interval_ns;
    for (; a->due_ns <= last_ns; a->due_ns += a->interval_ns)
        record(a, now_ns - a->due_ns);
    return late_ns;
}

static int run(struct party_context *context)
{
    const struct wakeup_params *params = context->params;
    double *number = context->recorder[WAKEUP_NUMBERS];
    struct wakeup_account a = {.interval_ns = params->interval_ns,
                               .overflow_ns = params->histogram_us * 1000,
                               .hist = context->recorder[WAKEUP_HIST]};
    const uint64_t start_ns = clock_monotonic_ns();

    a.end_ns = start_ns + context->time_ns;
    for (a.due_ns = start_ns + a.interval_ns; a.due_ns <= a.end_ns && !party_stopped(context);) {
        const int error = clock_sleep_until(a.due_ns);
        const uint64_t woke_ns = clock_monotonic_ns();
        if (error)
            return party_fail(context, "cannot sleep: clock_nanosleep: %s", strerror(error));
        if (woke_ns < a.due_ns)
            return party_fail(context, "clock_nanosleep returned %" PRIu64 " ns too early", a.due_ns - woke_ns);
        const uint64_t late_ns = wakeup_woke(&a, woke_ns);
        if (params->stop_ns && late_ns > params->stop_ns) {
            party_stop_all(context);
            number[WAKEUP_STOPPED_NS] = (double)late_ns;
            number[WAKEUP_STOPPED_AT] = (double)(clock_raw_ns() - (clock_monotonic_ns() - woke_ns));
            number[WAKEUP_STOPPED_CPU] = task_current_cpu();
            number[WAKEUP_STOPPED_TASK] = getpid();
            break;
        }
    }
    number[WAKEUP_MISSED] = (double)a.missed;
    number[WAKEUP_OVERFLOWS] = (double)a.overflows;
    return 0;
}

static void place(const struct place_of *of, struct placement *placement)
{
    const struct wakeup_params *p = of->params;
    struct place_request wanted = *of->request;

    wanted.fifo = p->priority > 0;
    wanted.fifo_priority = p->priority;
    place_copy(&wanted, of->copy, placement);
    placement->lock_memory = wanted.fifo || p->lock_memory;
}

static void describe(const struct bench_case *of, struct row_params *out)
{
    const struct wakeup_params *p = of->params;

    row_param_add(out, PARAM_WORK, "interval_us", "%g", (double)p->interval_ns * 1e-3);
    if (p->who)
        row_param_add(out, PARAM_WORK, "who", "1");
    row_param_count(out, PARAM_OUTCOME, "histogram_us", p->histogram_us);
}

/* Tells what ran before the wake-up that ended the run. */
static void tell(const struct trial *trial, struct results *results, unsigned copy, struct row_params *remarks)
{
    const double *number = trial_recorder(trial, 0, copy, WAKEUP_NUMBERS);
    const uint64_t to = (uint64_t)number[WAKEUP_STOPPED_AT], late = (uint64_t)number[WAKEUP_STOPPED_NS];
    const struct time_span time = {to - (late > WHO_LAST_NS ? late : WHO_LAST_NS), to};
    const struct account_window window = {.cpu = (unsigned)number[WAKEUP_STOPPED_CPU],
                                          .self = (uint32_t)number[WAKEUP_STOPPED_TASK],
                                          .self_from = to - late,
                                          .time = time,
                                          .spans = &time,
                                          .n_spans = 1};

    row_param_add(remarks, PARAM_OUTCOME, "begun_us", "%.3f", (double)(to - late - time.from) * 1e-3);
    row_param_add(remarks, PARAM_OUTCOME, "worst_cpu", "%u", window.cpu);
    who_tell_timeline(results, copy, trial, &window, WAKEUP_METRIC_LONGEST);
}

static void reduce(const struct trial *trial, struct results *results)
{
    const struct wakeup_params *params = trial->spec.params;
    bool told = !params->who || !trial->spec.watch;

    for (unsigned copy = 0; copy < trial->spec.copies; copy++) {
        const struct hist *hist = trial_recorder(trial, 0, copy, WAKEUP_HIST);
        const double *number = trial_recorder(trial, 0, copy, WAKEUP_NUMBERS);
        struct row_params remarks = {0};
        results_hist(results, copy, WAKEUP_METRIC_LATENCY, hist);
        results_samples(results, copy, WAKEUP_METRIC_LATENCY, hist_quantile(hist, 0.5), number[WAKEUP_OVERFLOWS],
                        number[WAKEUP_MISSED]);
        if (number[WAKEUP_STOPPED_NS] > 0)
            row_param_add(&remarks, PARAM_OUTCOME, "stopped_us", "%.3f", number[WAKEUP_STOPPED_NS] * 1e-3);
        if (number[WAKEUP_STOPPED_NS] > 0 && !told) {
            tell(trial, results, copy, &remarks);
            told = true;
        }
        results_remark(results, copy, &remarks);
    }
}

/* More do not fit into a line; of more the latest is shown. */
#define MAXIMA_SHOWN 8u

/* The latest wake-up of each CPU, which the threads change meanwhile. */
static void put_so_far(const struct trial *trial, struct text *out)
{
    const bool each = trial->spec.copies <= MAXIMA_SHOWN;
    uint64_t latest_ns = 0;

    text_printf(out, "; max");
    for (unsigned copy = 0; copy < trial->spec.copies; copy++) {
        const struct hist *hist = trial_recorder(trial, 0, copy, WAKEUP_HIST);
        const uint64_t max_ns = hist->n ? hist->max : 0;
        latest_ns = each || max_ns > latest_ns ? max_ns : latest_ns;
        if (each || copy + 1 == trial->spec.copies)
            text_printf(out, " %.0f", (double)latest_ns * 1e-3);
    }
    text_printf(out, " us");
}

static enum bench_who who(const void *params)
{
    const struct wakeup_params *p = params;

    return p->who ? WHO_LAST : WHO_SUMS;
}

static const struct metric metrics[WAKEUP_N_METRICS] = {
    [WAKEUP_METRIC_LATENCY] = {METRIC("latency", "ns", "lower",
                                      "time from the end of the sleep until the thread ran, missed wake-ups included"),
                               .value = VALUE_MEDIAN, .headline = true, .optional = true},
    [WAKEUP_METRIC_OVERFLOWS] = METRIC_OPTIONAL("overflows", "count", "lower", "wake-ups beyond the histogram's end"),
    [WAKEUP_METRIC_MISSED] = METRIC_OPTIONAL("missed", "count", "lower",
                                             "wake-ups that passed while the thread was late for an earlier one"),
    [WAKEUP_METRIC_LONGEST] = METRIC_OPTIONAL(
        "longest", "ns", "lower", "longest time that this name had the CPU before the wake-up that ended the run"),
};

const struct bench bench_wakeup = {
    BENCH_IS("wakeup", "wakeup", "Wake-up latency of a real-time timer", struct wakeup_params),
    BENCH_PARTY(PARTY_IS("thread", [WAKEUP_HIST] = {RECORD_HIST, WAKEUP_CLASS_NS},
                         [WAKEUP_NUMBERS] = {RECORD_NUMBERS, WAKEUP_N_NUMBERS}),
                .stop = STOP_FLAG, .sleeps = true, .timer_slack_ns = 1, .run = run),
    BENCH_METRICS(metrics),
    .sampling = {SAMPLING(1, 1, 10000, 600), SAMPLING(1, 1, 3000, 600), SAMPLING(1, 1, 60000, 600)},
    .group_per_copy = true,
    .ends_early = true,
    .switches = true,
    .told_while_running = true,
    .put_so_far = put_so_far,
    .who = who,
    .describe = describe,
    .place = place,
    .reduce = reduce,
};
