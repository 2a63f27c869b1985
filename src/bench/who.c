/* SPDX-License-Identifier: MIT */
/* Samples as noise does, by a loop on each CPU that only reads the clock, while the kernel records what runs on the
 * CPU. After the window the records are joined with the detours. Where recording is not allowed, counters of the kernel
 * before and after the window are compared instead. */
#include "bench/who.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/noise.h"
#include "engine/plan.h"
#include "engine/trial.h"
#include "rows/text.h"
#include "sys/cpuset.h"
#include "sys/memory.h"
#include "sys/task.h"
#include "sys/tasks.h"

/* How often the loop looks whether it is to stop. */
#define TURN_NS 10000000u
/* The kernel writes some 50 bytes a record, and has seldom more than 20,000 a second. */
#define RING_BYTES_A_SECOND 1e6
#define SPANS_A_SECOND      20000.0
#define RING_LEAST          ((uint64_t)64 << 10)
#define RING_MOST           ((uint64_t)16 << 20)
#define SPANS_LEAST         4096u
/* Part of the available memory that may be used, as 1/MEMORY_PART. */
#define MEMORY_PART 16u
/* After this time the kernel has written how many records it lost, because something has run. */
#define LAST_NS 1000000u
/* Lines of /proc/interrupts. */
#define INTERRUPTS 256u
/* Most rows of names. */
#define ROWS_MOST 20u
/* Inode of the first PID namespace, from linux/proc_ns.h. */
#define FIRST_PID_NAMESPACE 0xeffffffcu

enum { WHO_REPORT, WHO_N_RECORDERS };

struct watcher {
    double ns_per_tick;
    struct trace_ring ring;
    bool recorded;
    unsigned cpu;
    struct who_span *spans; /* the detours; in ticks, and behind the window in ns */
    size_t n_spans, capacity;
    size_t old_spans;  /* number of spans at the last drop_old() */
    bool stopped;      /* the last span ended the run */
    uint64_t from, to; /* of the window, in ticks */
    struct clock_pair first, last;
    /* The tasks before the window. Without records all of them; otherwise this copy's part of them, for their names. */
    struct tasks_times tasks;
    /* Without records: before the window. */
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

/* Forgets what was known at the last call already. */
static void drop_old(struct watcher *w)
{
    if (w->recorded)
        trace_ring_drop(&w->ring);
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

static void describe_task(const struct who *who, const struct who_taker *taker, struct who_entry *entry)
{
    const struct who_taker *task = who_task(who, taker->tid);
    struct tasks_one one;

    if (task)
        text_copy(entry->name, sizeof(entry->name), task->name);
    if (tasks_read("", taker->tid, &one)) {
        entry->kernel = one.kernel;
        if (!entry->name[0])
            text_copy(entry->name, sizeof(entry->name), one.name);
    }
    if (!entry->name[0] && task && task->parent) { /* it has ended, with the name of what made it */
        const struct who_taker *parent = who_task(who, task->parent);
        if (parent && parent->name[0])
            text_copy(entry->name, sizeof(entry->name), parent->name);
        else if (tasks_read("", task->parent, &one))
            text_copy(entry->name, sizeof(entry->name), one.name);
    }
}

static void add_time(struct who_entry *entry, const struct who_taker *taker, const float *cell)
{
    entry->n += taker->n;
    entry->ns += taker->ns;
    entry->max_ns = taker->max_ns > entry->max_ns ? taker->max_ns : entry->max_ns;
    for (unsigned i = 0; i < WHO_CELLS; i++)
        entry->cell[i] += cell[i];
}

/* Reports the pieces, and the detour that ended the run. */
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

static void add_name(struct who_report *report, uint32_t tid, const char *name, bool kernel)
{
    struct who_name *named = report->n_names < WHO_NAMES ? &report->named[report->n_names++] : NULL;

    if (named) {
        *named = (struct who_name){.tid = tid, .kernel = kernel};
        text_copy(named->name, sizeof(named->name), name);
    }
}

/* Reports the names that were recorded, the last ones first, and those of tasks that have ended since the window began.
 */
static void fill_names(const struct who *who, const struct tasks_times *before, struct who_report *report)
{
    struct tasks_one one;

    for (size_t i = who->n; i-- > 0;)
        if (who->takers[i].kind == WHO_TASK && who->takers[i].name[0])
            add_name(report, who->takers[i].tid, who->takers[i].name, false);
    for (size_t i = 0; i < before->n && report->n_names < WHO_NAMES; i++)
        if (!tasks_read("", before->of[i].tid, &one))
            add_name(report, before->of[i].tid, before->of[i].name, before->of[i].kernel);
}

/* Fills the report with the takers that took most; the last entry is the sum of the others. */
static void fill_report(const struct who *who, const struct tasks_times *before, struct who_report *report)
{
    for (size_t i = 0; i < who->n_order; i++) {
        const size_t at = i < WHO_ENTRIES - 1 ? i : WHO_ENTRIES - 1;
        const struct who_taker *taker = &who->takers[who->order[i].taker];
        struct who_entry *entry = &report->entry[at];
        if (at == report->n) {
            report->n++;
            *entry = (struct who_entry){.kind = taker->kind, .tid = taker->tid, .number = taker->number};
            memcpy(entry->name, taker->name, sizeof(entry->name));
            if (at == WHO_ENTRIES - 1)
                *entry = (struct who_entry){.kind = WHO_OTHERS};
            else if (taker->kind == WHO_TASK && taker->tid)
                describe_task(who, taker, entry);
        }
        add_time(entry, taker, who->cell[who->order[i].taker]);
    }
    fill_names(who, before, report);
    report->observed_ns = who->to - who->from;
    report->records_lost = who->lost;
    for (size_t i = 0; i < who->n_spans; i++) {
        const uint64_t end = who->spans[i].to < who->to ? who->spans[i].to : who->to;
        report->lost_ns += end > who->spans[i].from ? end - who->spans[i].from : 0;
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
    /* The CPU was unplugged: what ran after its last record is not known. */
    if (task_current_cpu() != w->cpu && !who.whole)
        who.to = who.now;
    who_end(&who);
    fill_report(&who, &w->tasks, report);
    fill_pieces(&who, w, report);
    if (who.lost)
        party_degraded(context, "%llu records of what ran were lost: the ring was full after %.1f s",
                       (unsigned long long)who.lost, (double)report->observed_ns * 1e-9);
    who_free(&who);
    return 0;
}

/* Adds an entry, in the place of the smallest when there is no room. */
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

/* Enters the tasks that had CPU time, but for those of this program. */
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

/* All parties have ended their windows before any of them works again. */
static int verify(struct party_context *context)
{
    struct who_report *report = context->recorder[WHO_REPORT];
    struct watcher *w = context->state;
    struct stat status;

    party_barrier(context);
    report->cpu = w->cpu;
    report->outside = stat("/proc/self/ns/pid", &status) == 0 && status.st_ino != FIRST_PID_NAMESPACE;
    if (w->recorded)
        return join(context, w, report);
    report->counted = 1;
    report->observed_ns = clock_raw_ns() - w->counted_ns;
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

/* --- One line for each name. --- */

/* Makes a word of a name: it stands in a row's parameters, which are separated by blanks. */
static void put_word(char *to, size_t size, const char *from)
{
    text_copy(to, size, from);
    text_sanitize(to);
    for (char *at = to; *at; at++)
        *at = *at == ' ' ? '_' : *at;
}

/* Returns the name of a task from the report of any CPU; without a name when none has it. */
static struct who_name reported_name(const struct who_report *const *reports, size_t n, uint32_t tid)
{
    for (size_t r = 0; r < n; r++)
        for (uint32_t i = 0; i < reports[r]->n_names; i++)
            if (reports[r]->named[i].tid == tid)
                return reports[r]->named[i];
    return (struct who_name){.tid = tid};
}

static void name_line(const struct who_report *const *reports, size_t n, const struct who_report *report,
                      const struct who_entry *entry, struct who_line *line)
{
    static const char *const kinds[WHO_KINDS] = {
        [WHO_TASK] = "task",        [WHO_IRQ] = "irq",       [WHO_SOFTIRQ] = "softirq",
        [WHO_VECTOR] = "interrupt", [WHO_UNSEEN] = "unseen", [WHO_OTHERS] = "others"};
    const char *name = entry->name, *softirq = trace_softirq_name(entry->number);
    struct who_name reported = {.tid = 0};
    char number[40];

    if (entry->kind == WHO_TASK && entry->tid && !name[0]) {
        reported = reported_name(reports, n, entry->tid);
        name = reported.name;
    }
    text_copy(line->kind, sizeof(line->kind), entry->kernel || reported.kernel ? "kthread" : kinds[entry->kind]);
    if (entry->kind == WHO_TASK && !entry->tid)
        text_copy(line->kind, sizeof(line->kind), report->outside ? "outside" : "idle");
    if (entry->kind == WHO_SOFTIRQ && softirq)
        name = softirq;
    if (!name[0] && entry->kind == WHO_TASK && entry->tid)
        (void)snprintf(number, sizeof(number), "pid_%u", entry->tid);
    else if (!name[0] && (entry->kind == WHO_IRQ || entry->kind == WHO_SOFTIRQ))
        (void)snprintf(number, sizeof(number), "%llu", (unsigned long long)entry->number);
    else
        text_copy(number, sizeof(number), line->kind);
    put_word(line->name, sizeof(line->name), name[0] ? name : number);
}

static bool same_line(const struct who_line *a, const struct who_line *b)
{
    return !strcmp(a->kind, b->kind) && !strcmp(a->name, b->name) && !strcmp(a->work, b->work) &&
           (strcmp(a->kind, "irq") != 0 || a->number == b->number);
}

/* Finds the names of all work items. */
static void name_work(const struct who_report *const *reports, size_t n,
                      void (*functions)(const uint64_t *addresses, size_t n, char (*names)[TRACE_NAME_SIZE]),
                      uint64_t *addresses, char (*names)[TRACE_NAME_SIZE], size_t *n_addresses)
{
    *n_addresses = 0;
    for (size_t r = 0; r < n; r++)
        for (uint32_t e = 0; e < reports[r]->n; e++) {
            const struct who_entry *entry = &reports[r]->entry[e];
            size_t i = 0;
            while (i < *n_addresses && addresses[i] != entry->number)
                i++;
            if (entry->kind == WHO_TASK && entry->number && i == *n_addresses && i < WHO_ENTRIES)
                addresses[(*n_addresses)++] = entry->number;
        }
    functions(addresses, *n_addresses, names);
}

static int by_time(const void *a, const void *b)
{
    const struct who_line *x = a, *y = b;

    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    return (x->n < y->n) - (x->n > y->n);
}

size_t who_join(const struct who_report *const *reports, size_t n,
                void (*functions)(const uint64_t *addresses, size_t n, char (*names)[TRACE_NAME_SIZE]),
                struct who_line **lines)
{
    uint64_t addresses[WHO_ENTRIES] = {0};
    char names[WHO_ENTRIES][TRACE_NAME_SIZE] = {{0}};
    size_t n_addresses, n_lines = 0, capacity = 0;

    *lines = NULL;
    name_work(reports, n, functions, addresses, names, &n_addresses);
    for (size_t r = 0; r < n; r++)
        for (uint32_t e = 0; e < reports[r]->n; e++) {
            const struct who_entry *entry = &reports[r]->entry[e];
            struct who_line line = {.tid = entry->tid, .number = entry->number, .tasks = 1};
            size_t i = 0;
            name_line(reports, n, reports[r], entry, &line);
            if (entry->kind == WHO_TASK && entry->number) {
                while (i < n_addresses && addresses[i] != entry->number)
                    i++;
                put_word(line.work, sizeof(line.work), i < n_addresses && names[i][0] ? names[i] : "work");
            }
            for (i = 0; i < n_lines && !same_line(&(*lines)[i], &line); i++)
                ;
            if (i == n_lines) {
                if (!grow_array(lines, &capacity, n_lines, sizeof(**lines))) {
                    free(*lines);
                    *lines = NULL;
                    return 0;
                }
                (*lines)[n_lines++] = line;
            } else if ((*lines)[i].tid != line.tid) {
                (*lines)[i].tasks++;
            }
            (*lines)[i].n += (double)entry->n;
            (*lines)[i].ns += (double)entry->ns;
            (*lines)[i].max_ns = fmax((*lines)[i].max_ns, (double)entry->max_ns);
            cpuset_add(&(*lines)[i].cpus, reports[r]->cpu);
            (*lines)[i].entries |= r ? 0 : (uint64_t)1 << e;
            for (unsigned c = 0; c < WHO_CELLS; c++)
                (*lines)[i].cell[c] += entry->cell[c];
        }
    if (n_lines)
        qsort(*lines, n_lines, sizeof(**lines), by_time);
    return n_lines;
}

/* --- Results. --- */

static void functions_here(const uint64_t *addresses, size_t n, char (*names)[TRACE_NAME_SIZE])
{
    tasks_kernel_functions("", addresses, n, names);
}

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

/* Adds the time taken in each part of the window, by CPU that was looked at. */
static int enter_cells(struct results *results, unsigned group, const float *cell, size_t cpus, uint64_t time_us)
{
    FREED_BY(memory_free) struct series *series = calloc(1, sizeof(*series));

    if (!series)
        return -1;
    for (unsigned i = 0; i < WHO_CELLS; i++)
        series_add(series, time_us * i / WHO_CELLS, (uint64_t)(cell[i] / (float)cpus + 0.5f));
    return results_series(results, group, WHO_METRIC_TAKEN, series);
}

/* Adds when and for how long a name had the CPU. */
static int enter_pieces(struct results *results, unsigned group, const struct who_report *report, uint64_t entries)
{
    FREED_BY(memory_free) struct series *series = calloc(1, sizeof(*series));

    if (!series)
        return -1;
    for (uint32_t i = 0; i < report->n_pieces; i++)
        if (entries >> report->piece[i].taker & 1)
            series_add(series, report->piece[i].from, report->piece[i].ns);
    return results_series(results, group, WHO_METRIC_LONGEST, series);
}

/* The reports that rows are made of, and their sums. */
struct sums {
    const struct who_report **reports;
    size_t n;
    double observed_ns, lost_ns, records_lost;
};

static int enter_line(struct results *results, const struct trial *trial, const struct who_line *line,
                      const struct sums *sums)
{
    const struct who_report *report = sums->reports[0];
    const double cpus = (double)sums->n;
    const int group = results_group(results, &line->cpus);
    int error = 0;

    if (group < 0)
        return -1;
    remark(results, (unsigned)group, line);
    if (line->ns > 0)
        error |= results_sample(results, (unsigned)group, WHO_METRIC_TAKEN, 100 * line->ns / sums->observed_ns);
    if (line->n > 0)
        error |= results_sample(results, (unsigned)group, WHO_METRIC_TIMES, line->n / sums->observed_ns * 1e9 * cpus);
    if (report->counted)
        return error;
    error |= results_sample(results, (unsigned)group, WHO_METRIC_LONGEST, line->max_ns);
    if (report->stopped_ns)
        return error | enter_pieces(results, (unsigned)group, report, line->entries);
    return error | enter_cells(results, (unsigned)group, line->cell, sums->n, trial_spec_of(trial)->time_ns / 1000);
}

/* ended: the report of the CPU whose detour ended the run; NULL: none did. */
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

/* Makes rows of the names on all CPUs, or on the CPU whose detour ended the run. */
static int reduce(const struct trial *trial, struct results *results)
{
    const struct trial_spec *spec = trial_spec_of(trial);
    const struct who_params *params = spec->params;
    FREED_BY(memory_free) const struct who_report **reports = calloc(spec->copies, sizeof(const struct who_report *));
    FREED_BY(memory_free) struct who_line *lines = NULL;
    struct sums sums = {.reports = reports, .n = spec->copies};
    const struct who_report *ended = NULL;
    double unseen_ns = 0;
    int error = 0;

    if (!reports)
        return -1;
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
    const size_t n = params->stop_ns && !ended ? 0 : who_join(reports, sums.n, functions_here, &lines);
    for (size_t i = 0; i < n; i++) {
        if (!strcmp(lines[i].kind, "unseen"))
            unseen_ns = lines[i].ns;
        if (i < ROWS_MOST || ended)
            error |= enter_line(results, trial, &lines[i], &sums);
    }
    error |= results_sample(results, 0, WHO_METRIC_DISTURBED, 100 * sums.lost_ns / sums.observed_ns);
    if (!reports[0]->counted) {
        error |= results_sample(results, 0, WHO_METRIC_UNSEEN, 100 * unseen_ns / sums.observed_ns);
        error |= results_sample(results, 0, WHO_METRIC_RECORDS_LOST, sums.records_lost);
    }
    return error;
}

/* --- The descriptor. --- */

static const struct party parties[] = {
    {.name = "watcher",
     .stop = STOP_FLAG,
     .recorders = {[WHO_REPORT] = {RECORD_NUMBERS, (sizeof(struct who_report) + sizeof(double) - 1) / sizeof(double)}},
     .n_recorders = WHO_N_RECORDERS,
     .state_size = sizeof(struct watcher),
     .setup = setup,
     .run = run,
     .verify = verify,
     .teardown = teardown},
};

#define NAMED(id_, unit_, title_)                                                                                      \
    {                                                                                                                  \
        .id = id_, .unit = unit_, .better = "lower", .optional = true, .title = title_                                 \
    }

static const struct metric metrics[WHO_N_METRICS] = {
    [WHO_METRIC_DISTURBED] = {.id = "disturbed",
                              .unit = "%",
                              .better = "lower",
                              .headline = true,
                              .optional = true,
                              .title = "share of the time that detours of at least 1 us took while it was recorded"},
    [WHO_METRIC_UNSEEN] = NAMED("unseen", "%", "share of the time that detours took while nothing else was recorded"),
    [WHO_METRIC_RECORDS_LOST] = NAMED("records_lost", "1", "records that the kernel could not keep"),
    [WHO_METRIC_TAKEN] = NAMED("taken", "%", "share of the time of the CPUs that this name took"),
    [WHO_METRIC_TIMES] = NAMED("times", "1/s", "how often a second it took the CPU"),
    [WHO_METRIC_LONGEST] = NAMED("longest", "ns", "longest time that it had the CPU, without what interrupted it"),
};

#define SAMPLING(ms_)                                                                                                  \
    {                                                                                                                  \
        .min_samples = 1, .max_samples = 1, .time_ns = ms_ * 1000000ull, .max_ns = 600 * 1000000000ull,                \
        .precision_pct = 2                                                                                             \
    }

const struct bench bench_who = {
    .name = "who",
    .suite = "noise",
    .title = "Noise: who took the time",
    .params_size = sizeof(struct who_params),
    .parties = parties,
    .n_parties = sizeof(parties) / sizeof(parties[0]),
    .own_metrics = metrics,
    .n_metrics = WHO_N_METRICS,
    .sampling =
        {[PRESET_DEFAULT] = SAMPLING(2500), [PRESET_QUICK] = SAMPLING(1000), [PRESET_CLASSIC] = SAMPLING(30000)},
    .ends_early = true,
    .reduce = reduce,
};
