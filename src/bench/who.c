/* SPDX-License-Identifier: MIT */
/* Samples as noise does, by a loop on each CPU that only reads the clock, while the kernel records what runs on the
 * CPU. After the run (the window) the records show what ran during the gaps of the loop (detours). Where recording is
 * not allowed, counters of the kernel before and after the window are compared instead. */
#include "bench/who.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/noise.h"
#include "engine/plan.h"
#include "engine/trial.h"
#include "rows/text.h"
#include "sys/cpuset.h"
#include "sys/memory.h"
#include "sys/task.h"
#include "sys/tasks.h"

/* Time in ns after which the loop checks whether it has to stop. */
#define TURN_NS 10000000u
/* Sizes of the ring buffer for the kernel's records, and of the array of detours (spans), of one CPU. A record has some
 * 50 bytes, and there are seldom more than 20,000 a second. */
#define RING_BYTES_A_SECOND 1e6
#define SPANS_A_SECOND      20000.0
#define RING_LEAST          ((uint64_t)64 << 10)
#define RING_MOST           ((uint64_t)16 << 20)
#define SPANS_LEAST         4096u
/* Part of the available memory that may be used, as 1/MEMORY_PART. */
#define MEMORY_PART 16u
/* Time in ns to sleep after the run. The kernel reports how many records it lost only with its next record: the sleep
 * causes one, a context switch. */
#define LAST_NS 1000000u
/* Maximum number of lines of /proc/interrupts that are read. */
#define INTERRUPTS 256u
/* Maximum number of names (of tasks, interrupts, ...) that get result rows, unless a detour ended the run. */
#define ROWS_MOST 20u

enum { WHO_REPORT };

struct watcher {
    double ns_per_tick;
    struct trace_ring ring;
    bool recorded;
    unsigned cpu;
    struct who_span *spans; /* the detours: in ticks, which join() converts to ns */
    size_t n_spans, capacity;
    size_t old_spans;  /* number of detours in `spans` after the last drop_old() */
    uint64_t dropped;  /* length in ticks of all detours that drop_old() has discarded */
    bool stopped;      /* the last detour ended the run */
    uint64_t from, to; /* start and end of the run, in ticks */
    struct clock_pair first, last;
    /* The machine's tasks before the window. If the kernel records, each copy reads its part of them, for their names;
     * otherwise the first copy reads all of them, for their CPU times. */
    struct tasks_times tasks;
    /* If the kernel does not record: counts of the CPU's interrupts before the window, and the time of the count. */
    struct interrupt_count interrupts[INTERRUPTS];
    size_t n_interrupts;
    uint64_t counted_ns;
};

void who_sizes(struct who_params *params, uint64_t time_ns, size_t cpus, uint64_t memory_bytes)
{
    const double seconds = (double)time_ns * 1e-9;
    const uint64_t share = memory_bytes / MEMORY_PART / (cpus ? cpus : 1);

    params->ring_bytes = RING_LEAST;
    while (params->ring_bytes < RING_MOST && (double)params->ring_bytes < seconds * RING_BYTES_A_SECOND)
        params->ring_bytes *= 2;
    params->spans =
        (uint64_t)fmin(fmax(seconds * SPANS_A_SECOND, SPANS_LEAST), (double)RING_MOST / sizeof(struct who_span));
    while (params->ring_bytes > RING_LEAST && params->ring_bytes + params->spans * sizeof(struct who_span) > share) {
        params->ring_bytes /= 2;
        params->spans = params->spans / 2 > SPANS_LEAST ? params->spans / 2 : SPANS_LEAST;
    }
}

/* --- The window. --- */

static void count_before(struct watcher *w, bool first_copy)
{
    if (first_copy)
        (void)tasks_times("", 0, 1, &w->tasks);
    w->n_interrupts = tasks_interrupts("", w->cpu, w->interrupts, INTERRUPTS);
    w->counted_ns = clock_raw_ns();
}

static int setup(struct party_context *context)
{
    const struct who_params *params = context->params;
    struct watcher *w = context->state;
    char why[160];

    w->capacity = params->spans > SPANS_LEAST ? (size_t)params->spans : SPANS_LEAST;
    w->spans = malloc(w->capacity * sizeof(*w->spans));
    if (!w->spans)
        return party_fail(context, "out of memory");
    memset(w->spans, 0, w->capacity * sizeof(*w->spans)); /* touches the pages before the window */
    w->ns_per_tick = noise_tick_ns(context->clock);
    if (!(w->ns_per_tick > 0))
        return party_fail(context, "the clock's frequency cannot be measured");
    w->cpu = task_current_cpu();
    const int error = w->cpu == CPUSET_NONE
                          ? -ENOSYS
                          : trace_ring_open(&w->ring, w->cpu, &params->events,
                                            params->ring_bytes ? (size_t)params->ring_bytes : (size_t)RING_LEAST);
    w->recorded = !error;
    if (error) {
        party_degraded(context, "nothing was recorded: %s; the CPU times are those of the whole machine",
                       trace_ring_why(error, why, sizeof(why)));
        count_before(w, context->copy == 0);
        return 0;
    }
    if (w->ring.n == 1)
        party_degraded(context, "interrupts and work items are not known: tracefs: %s",
                       strerror(params->events.error ? -params->events.error : EACCES));
    (void)tasks_times("", context->copy, context->copies, &w->tasks);
    return 0;
}

/* Discards the records and detours that were there already at the previous call. */
static void drop_old(struct watcher *w)
{
    if (w->recorded)
        trace_ring_drop(&w->ring);
    for (size_t i = 0; i < w->old_spans; i++)
        w->dropped += w->spans[i].to - w->spans[i].from;
    w->n_spans -= w->old_spans;
    memmove(w->spans, w->spans + w->old_spans, w->n_spans * sizeof(*w->spans));
    w->old_spans = w->n_spans;
}

static int run(struct party_context *context)
{
    const struct who_params *params = context->params;
    struct watcher *w = context->state;
    const uint64_t least_ns = params->threshold_ns > WHO_LEAST_NS ? params->threshold_ns : WHO_LEAST_NS;
    const uint64_t stop = params->stop_ns ? (uint64_t)((double)params->stop_ns / w->ns_per_tick) : UINT64_MAX;
    uint64_t threshold = (uint64_t)((double)least_ns / w->ns_per_tick);
    threshold = stop < threshold ? stop : threshold;
    const uint64_t turn = (uint64_t)(TURN_NS / w->ns_per_tick) + 1, kept = (uint64_t)(WHO_LAST_NS / w->ns_per_tick);

    if (w->recorded)
        trace_ring_start(&w->ring);
    clock_pair_read(context->clock, &w->first);
    uint64_t from = w->from = clock_now(context->clock), dropped = from;
    const uint64_t end = from + (uint64_t)((double)context->time_ns / w->ns_per_tick) + 1;
    while (from < end && w->n_spans < w->capacity && !party_stopped(context)) {
        const struct noise_gap gap =
            noise_watch(context->clock, from, threshold, end - from > turn ? from + turn : end);
        if (gap.to > gap.from && gap.to - gap.from > threshold)
            w->spans[w->n_spans++] = (struct who_span){gap.from, gap.to};
        from = gap.to;
        if (gap.to > gap.from && gap.to - gap.from > stop) {
            w->stopped = true;
            party_stop_all(context);
            break;
        }
        if (params->stop_ns && from > dropped + kept) {
            drop_old(w);
            dropped = from;
        }
    }
    w->to = from;
    clock_pair_read(context->clock, &w->last);
    return 0;
}

/* --- After the window. --- */

static uint64_t to_raw_ns(const struct watcher *w, uint64_t ticks)
{
    const double rate = (double)(w->last.raw_ns - w->first.raw_ns) / (double)(w->last.counter - w->first.counter);

    return w->first.raw_ns + (uint64_t)((double)(ticks - w->first.counter) * rate + 0.5);
}

/* Copies to the report the pieces, which tell when each task or interrupt had the CPU during the detours, and the
 * detour that ended the run. */
static void fill_pieces(const struct who *who, const struct watcher *w, struct who_report *report)
{
    if (w->stopped) {
        report->stopped_ns = w->spans[w->n_spans - 1].to - w->spans[w->n_spans - 1].from;
        report->begun_ns = w->spans[w->n_spans - 1].from - who->from;
    }
    for (size_t i = 0; i < who->n_pieces; i++) {
        const struct who_piece *kept = who_piece(who, i);
        struct who_piece *piece = &report->piece[report->n_pieces];
        size_t at = 0;
        if (!kept)
            continue;
        report->n_pieces++;
        *piece = *kept;
        while (at < who->n_order && who->order[at].taker != piece->taker)
            at++;
        piece->taker = at < WHO_ENTRIES ? at : WHO_ENTRIES - 1;
        piece->from -= who->from;
    }
}

static void drain(struct watcher *w, struct who *who)
{
    struct trace_record record;

    while (trace_ring_next(&w->ring, &record))
        who_add(who, &record);
}

static int join(struct party_context *context, struct watcher *w, struct who_report *report)
{
    const struct who_params *params = context->params;
    struct who_span window = {to_raw_ns(w, w->from), to_raw_ns(w, w->to)};
    struct who who;

    for (size_t i = 0; i < w->n_spans; i++)
        w->spans[i] = (struct who_span){to_raw_ns(w, w->spans[i].from), to_raw_ns(w, w->spans[i].to)};
    if (params->stop_ns && window.to - window.from > WHO_LAST_NS)
        window.from = window.to - WHO_LAST_NS;
    if (w->stopped && w->spans[w->n_spans - 1].from < window.from)
        window.from = w->spans[w->n_spans - 1].from;
    if (who_begin(&who, (uint32_t)getpid(), &window, w->spans, w->n_spans)) {
        who_free(&who);
        return party_fail(context, "out of memory");
    }
    drain(w, &who);
    clock_sleep_ns(LAST_NS);
    drain(w, &who);
    /* If the thread is on another CPU, its own was taken offline: what ran there after the last record is not known. */
    if (task_current_cpu() != w->cpu && !who.whole)
        who.to = who.now;
    who_end(&who);
    who_report_fill(&who, &w->tasks, NULL, NULL, report);
    fill_pieces(&who, w, report);
    if (who.lost)
        party_degraded(context, "%llu records of what ran were lost: the ring was full after %.1f s",
                       (unsigned long long)who.lost, (double)report->observed_ns * 1e-9);
    who_free(&who);
    return 0;
}

/* Adds an entry to the report. If there is no room, it replaces the smallest entry of its kind, if that is smaller. */
static void keep(struct who_report *report, const struct who_entry *entry)
{
    struct who_entry *least = report->entry;

    if (report->n < WHO_ENTRIES) {
        report->entry[report->n++] = *entry;
        return;
    }
    for (struct who_entry *other = least + 1; other < report->entry + WHO_ENTRIES; other++)
        if (other->kind == entry->kind && (least->kind != entry->kind || other->ns + other->n < least->ns + least->n))
            least = other;
    if (least->kind == entry->kind && least->ns + least->n < entry->ns + entry->n)
        *least = *entry;
}

/* Adds to the report the tasks that used CPU time since the start of the window, except those of this program. */
static void count_tasks(const struct watcher *w, struct who_report *report)
{
    const uint32_t parent = (uint32_t)getppid();
    struct tasks_times now = {0};

    (void)tasks_times("", 0, 1, &now);
    for (size_t i = 0, before = 0; i < now.n; i++) {
        const struct tasks_one *one = &now.of[i];
        while (before < w->tasks.n && w->tasks.of[before].tid < one->tid)
            before++;
        const bool known = before < w->tasks.n && w->tasks.of[before].tid == one->tid;
        const uint64_t had = known ? w->tasks.of[before].cpu_ns : 0;
        if (one->cpu_ns <= had || one->parent == parent || one->tid == parent)
            continue;
        struct who_entry entry = {.kind = WHO_TASK, .kernel = one->kernel, .tid = one->tid, .ns = one->cpu_ns - had};
        text_copy(entry.name, sizeof(entry.name), one->name);
        keep(report, &entry);
    }
    free(now.of);
}

static void count_interrupts(const struct watcher *w, struct who_report *report)
{
    struct interrupt_count now[INTERRUPTS];
    const size_t n = tasks_interrupts("", w->cpu, now, INTERRUPTS);

    for (size_t i = 0; i < n && i < w->n_interrupts; i++) {
        if (strcmp(now[i].name, w->interrupts[i].name) != 0 || now[i].count <= w->interrupts[i].count)
            continue;
        struct who_entry entry = {.kind = WHO_IRQ, .n = now[i].count - w->interrupts[i].count};
        text_copy(entry.name, sizeof(entry.name), now[i].name);
        keep(report, &entry);
    }
}

/* Fills the report, after the windows of all CPUs have ended, so that the work for it is in none of them. */
static int verify(struct party_context *context)
{
    struct who_report *report = context->recorder[WHO_REPORT];
    struct watcher *w = context->state;

    party_barrier(context);
    report->cpu = w->cpu;
    report->outside = who_others_are_hidden();
    if (w->recorded)
        return join(context, w, report);
    report->counted = 1;
    report->observed_ns = clock_raw_ns() - w->counted_ns;
    report->lost_ns = (uint64_t)((double)w->dropped * w->ns_per_tick);
    for (size_t i = 0; i < w->n_spans; i++)
        report->lost_ns += (uint64_t)((double)(w->spans[i].to - w->spans[i].from) * w->ns_per_tick);
    if (w->stopped)
        report->stopped_ns =
            (uint64_t)((double)(w->spans[w->n_spans - 1].to - w->spans[w->n_spans - 1].from) * w->ns_per_tick);
    if (context->copy == 0)
        count_tasks(w, report);
    count_interrupts(w, report);
    return 0;
}

static void teardown(struct party_context *context)
{
    struct watcher *w = context->state;

    if (w->recorded)
        trace_ring_close(&w->ring);
    free(w->tasks.of);
    free(w->spans);
}

/* --- Results. --- */

static void remark(struct results *results, unsigned group, const struct who_line *line)
{
    struct row_params params = {.n = 0};

    row_param_add(&params, PARAM_WORK, "kind", "%s", line->kind);
    row_param_add(&params, PARAM_WORK, "name", "%s", line->name);
    if (line->work[0])
        row_param_add(&params, PARAM_WORK, "work", "%s", line->work);
    if (!strcmp(line->kind, "irq") && line->number)
        row_param_add(&params, PARAM_OUTCOME, "irq", "%llu", (unsigned long long)line->number);
    if (line->tid && line->tasks == 1)
        row_param_add(&params, PARAM_OUTCOME, "pid", "%u", line->tid);
    else if (line->tid)
        row_param_add(&params, PARAM_OUTCOME, "tasks", "%u", line->tasks);
    results_remark(results, group, &params);
}

/* Adds the series of the CPU time in ns that a name (of a task, interrupt, ...) took in each part of the window: the
 * mean over the CPUs that were observed. */
static void enter_cells(struct results *results, unsigned group, const float *cell, size_t cpus, uint64_t time_us)
{
    struct series series = {.n = 0};

    for (unsigned i = 0; i < WHO_CELLS; i++)
        series_add(&series, time_us * i / WHO_CELLS, (uint64_t)(cell[i] / (float)cpus + 0.5f));
    results_series(results, group, WHO_METRIC_TAKEN, &series);
}

/* Adds the series of when, and for how many ns, a name (of a task, interrupt, ...) had the CPU. entries: bit mask of
 * the name's entries in the report. */
static void enter_pieces(struct results *results, unsigned group, const struct who_report *report, uint64_t entries)
{
    struct series series = {.n = 0};

    for (uint32_t i = 0; i < report->n_pieces; i++)
        if (entries >> report->piece[i].taker & 1)
            series_add(&series, report->piece[i].from, report->piece[i].ns);
    results_series(results, group, WHO_METRIC_LONGEST, &series);
}

/* The reports of the CPUs of which result rows are made, and sums over them. */
struct sums {
    const struct who_report **reports;
    size_t n;
    double observed_ns, lost_ns, records_lost;
};

static void enter_line(struct results *results, const struct trial *trial, const struct who_line *line,
                       const struct sums *sums)
{
    const struct who_report *report = sums->reports[0];
    const double cpus = (double)sums->n;
    const unsigned group = results_group(results, &line->cpus);

    remark(results, group, line);
    if (line->ns > 0)
        results_sample(results, group, WHO_METRIC_TAKEN, 100 * line->ns / sums->observed_ns);
    if (line->n > 0)
        results_sample(results, group, WHO_METRIC_TIMES, line->n / sums->observed_ns * 1e9 * cpus);
    if (report->counted)
        return;
    results_sample(results, group, WHO_METRIC_LONGEST, line->max_ns);
    if (report->stopped_ns)
        enter_pieces(results, group, report, line->entries);
    else
        enter_cells(results, group, line->cell, sums->n, trial_spec_of(trial)->time_ns / 1000);
}

/* Adds parameters of the run to the first group of result rows. ended: the report of the CPU whose detour ended the
 * run; NULL: none did. */
static void remark_all(struct results *results, const struct who_params *params, bool counted,
                       const struct who_report *ended)
{
    struct row_params out = {.n = 0};

    row_param_add(&out, PARAM_OUTCOME, "source", "%s", counted ? "proc" : "perf");
    if (params->stop_ns)
        row_param_add(&out, PARAM_WORK, "stop_at_us", "%.10g", (double)params->stop_ns * 1e-3);
    if (ended) {
        row_param_add(&out, PARAM_OUTCOME, "stopped_us", "%.3f", (double)ended->stopped_ns * 1e-3);
        row_param_add(&out, PARAM_OUTCOME, "begun_us", "%.3f", (double)ended->begun_ns * 1e-3);
        row_param_add(&out, PARAM_OUTCOME, "worst_cpu", "%u", ended->cpu);
    }
    results_remark(results, 0, &out);
}

/* Makes result rows for the names of tasks and interrupts that took time on the CPUs, or on the CPU whose detour ended
 * the run. */
static void reduce(const struct trial *trial, struct results *results)
{
    const struct trial_spec *spec = trial_spec_of(trial);
    const struct who_params *params = spec->params;
    FREED_BY(memory_free) const struct who_report **reports = calloc(spec->copies, sizeof(const struct who_report *));
    FREED_BY(memory_free) struct who_line *lines = NULL;
    struct sums sums = {.reports = reports, .n = spec->copies};
    const struct who_report *ended = NULL;
    double unseen_ns = 0;

    if (!reports) {
        results_fail(results);
        return;
    }
    for (unsigned copy = 0; copy < spec->copies; copy++) {
        reports[copy] = trial_recorder(trial, 0, copy, WHO_REPORT);
        if (reports[copy]->stopped_ns > (ended ? ended->stopped_ns : 0))
            ended = reports[copy];
    }
    if (ended && !ended->counted) {
        reports[0] = ended;
        sums.n = 1;
    }
    for (size_t i = 0; i < sums.n; i++) {
        sums.observed_ns += (double)reports[i]->observed_ns;
        sums.lost_ns += (double)reports[i]->lost_ns;
        sums.records_lost += (double)reports[i]->records_lost;
    }
    remark_all(results, params, reports[0]->counted, ended);
    const size_t n = params->stop_ns && !ended ? 0 : who_join(reports, sums.n, &lines);
    for (size_t i = 0; i < n; i++) {
        if (!strcmp(lines[i].kind, "unseen"))
            unseen_ns = lines[i].ns;
        if (i < ROWS_MOST || ended)
            enter_line(results, trial, &lines[i], &sums);
    }
    results_sample(results, 0, WHO_METRIC_DISTURBED, 100 * sums.lost_ns / sums.observed_ns);
    if (!reports[0]->counted) {
        results_sample(results, 0, WHO_METRIC_UNSEEN, 100 * unseen_ns / sums.observed_ns);
        results_sample(results, 0, WHO_METRIC_RECORDS_LOST, sums.records_lost);
    }
}

/* --- The descriptor. --- */

static const struct party parties[] = {
    {PARTY_IS(
         "watcher", [WHO_REPORT] = {RECORD_NUMBERS, (sizeof(struct who_report) + sizeof(double) - 1) / sizeof(double)}),
     .stop = STOP_FLAG, .state_size = sizeof(struct watcher), .setup = setup, .run = run, .verify = verify,
     .teardown = teardown},
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
    .reduce = reduce,
};
