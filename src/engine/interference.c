/* SPDX-License-Identifier: MIT */
/* Records what runs on the CPUs of a trial, and finds out who had them: joins windows of time with the records, and
 * sums the time up by name. */
#include "engine/interference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rows/text.h"
#include "sys/clock.h"
#include "sys/machine.h"

/* Index in who->takers of the time in which nothing was recorded. */
#define UNSEEN 0u
/* The kernel's task that creates its threads. */
#define KTHREADD 2u
/* Maximum number of ancestors of a task that are looked at, for its name or its process group. */
#define GENERATIONS 64u
/* Inode of the machine's initial PID namespace, from linux/proc_ns.h. */
#define FIRST_PID_NAMESPACE 0xeffffffcu

/* Sizes of a ring: at first, and at least unless the user says. */
#define RING_FIRST ((size_t)1 << 20)
#define RING_LEAST ((size_t)64 << 10)
/* The ring buffers of all CPUs together may use 1/MEMORY_PART of the available memory. */
#define MEMORY_PART 16u
/* Before the first trial, the rate of records is measured for PROBE_NS. A ring has room for ROOM times that rate, which
 * does not include the trial itself, and for a trial of unknown length for UNKNOWN_NS. */
#define PROBE_NS   50000000u
#define ROOM       4u
#define UNKNOWN_NS 2000000000u
#define LAST_NS    100000000u /* what a ring holds of a trial whose end alone is recorded */

bool who_others_are_hidden(void)
{
    struct stat status;

    return stat("/proc/self/ns/pid", &status) == 0 && status.st_ino != FIRST_PID_NAMESPACE;
}

/* --- Takers of CPU time: tasks, interrupts and work items. --- */

/* Returns the index of a taker, which is added when it is new. */
static uint32_t find(struct who *who, uint8_t kind, uint32_t id, uint64_t work)
{
    uint32_t *list = &who->list[((work ^ (uint64_t)id << 8 ^ kind) * 0x9e3779b97f4a7c15u >> 32) % WHO_LISTS];

    for (uint32_t at = *list; at; at = who->takers[at - 1].next)
        if (who->takers[at - 1].kind == kind && who->takers[at - 1].id == id && who->takers[at - 1].work == work)
            return at - 1;
    who->failed |= !grow_array(&who->takers, &who->capacity, who->n, sizeof(*who->takers));
    if (who->failed)
        return UNSEEN;
    who->takers[who->n] = (struct who_taker){.kind = kind, .id = id, .work = work, .next = *list};
    *list = (uint32_t)++who->n;
    return *list - 1;
}

static void add_piece(struct who *who, const struct who_piece *piece)
{
    who->failed |= !grow_array(&who->pieces, &who->pieces_capacity, who->n_pieces, sizeof(*who->pieces));
    if (!who->failed)
        who->pieces[who->n_pieces++] = *piece;
}

/* Adds the time between the last record and `to`, as far as it is in the spans, to what has the CPU. */
static void account(struct who *who, uint64_t to)
{
    struct who_taker *task = &who->takers[who->task];
    struct who_frame *frame = &task->frame[task->depth];
    const struct who_window *window = who->window;

    while (who->span < window->n_spans && window->spans[who->span].to <= who->now)
        who->span++;
    for (size_t i = who->span; i < window->n_spans && window->spans[i].from < to; i++) {
        const struct who_span *span = &window->spans[i];
        const uint64_t low = span->from > who->now ? span->from : who->now, high = span->to < to ? span->to : to;
        if (high <= low)
            continue;
        struct who_piece *last = who->n_pieces ? &who->pieces[who->n_pieces - 1] : NULL;
        if (last && frame->counted && last->taker == frame->taker && last->from + last->ns == low)
            last->ns += high - low;
        else
            add_piece(who, &(struct who_piece){low, high - low, frame->taker, window->cpu, frame->counted});
        frame->counted = frame->taker != UNSEEN || high != span->to;
    }
    who->now = to > who->now ? to : who->now;
}

/* --- Trace records. --- */

/* Begins an interrupt or a work item of the task that runs. */
static void enter(struct who_taker *task, uint32_t taker)
{
    if (task->depth < WHO_DEPTH - 1)
        task->frame[++task->depth] = (struct who_frame){.taker = taker};
}

/* Ends an interrupt or a work item, and what is nested in it and whose end was not recorded. */
static void leave(const struct who *who, struct who_taker *task, uint32_t taker, bool work)
{
    for (unsigned i = task->depth; i; i--)
        if (work ? who->takers[task->frame[i].taker].work != 0 : task->frame[i].taker == taker) {
            task->depth = (uint8_t)(i - 1);
            return;
        }
}

/* A task goes on where it was taken off the CPU: in a work item, or (PREEMPT_RT) in a soft interrupt. */
static void switch_to(struct who *who, uint32_t to)
{
    struct who_taker *task = &who->takers[who->task];

    if (to == who->task)
        return;
    while (task->depth && who->takers[task->frame[task->depth].taker].kind != TRACE_TASK &&
           who->takers[task->frame[task->depth].taker].kind != TRACE_SOFTIRQ)
        task->depth--;
    who->task = to;
    task = &who->takers[to];
    task->frame[0].taker = to;
    for (unsigned i = 0; i <= task->depth; i++)
        task->frame[i].counted = false;
}

void who_begin(struct who *who, struct who_window *window)
{
    who->window = window;
    who->now = window->time.from;
    who->span = 0;
    who->ended = false;
    who->task = find(who, WHO_UNSEEN, 0, 0);
    for (size_t i = 0; i < who->n; i++) { /* what ran on another CPU */
        who->takers[i].depth = 0;
        who->takers[i].frame[0].counted = false;
    }
}

void who_add(struct who *who, const struct trace_record *record)
{
    const struct who_window *window = who->window;

    who->ended |= record->ns >= window->time.to;
    if (who->failed || who->ended)
        return;
    account(who, record->ns);
    const bool self = record->tid && record->tid == window->self && record->ns >= window->self_from;
    const uint32_t top = who->takers[who->task].frame[who->takers[who->task].depth].taker;
    uint32_t at = UNSEEN;
    if (record->source == TRACE_WORK && top != UNSEEN) /* of a kernel thread, or (BH workqueues) of a soft interrupt */
        at = find(who, who->takers[top].kind, who->takers[top].id, record->number);
    else if (record->source != TRACE_WORK && (record->source != TRACE_TASK || !self))
        at = find(who, record->source, record->source == TRACE_TASK ? record->tid : (uint32_t)record->number, 0);
    struct who_taker *taker = &who->takers[at];
    if (record->name[0] && record->ns >= taker->named_ns) {
        TEXT_SET(taker->name, record->name);
        taker->named_ns = record->ns;
    }
    if (record->kind == TRACE_SWITCH)
        switch_to(who, at);
    else if (record->kind == TRACE_FORK)
        taker->parent = (uint32_t)record->number;
    else if (record->kind == TRACE_ENTER)
        enter(&who->takers[who->task], at);
    else if (record->kind == TRACE_LEAVE)
        leave(who, &who->takers[who->task], at, record->source == TRACE_WORK);
}

void who_end(struct who *who, uint64_t lost)
{
    struct who_window *window = who->window;

    if (lost && !who->ended) {
        window->lost = lost;
        window->time.to = who->now; /* what ran since the last record is not known */
    }
    if (!who->failed)
        account(who, window->time.to);
}

void who_free(struct who *who)
{
    free(who->takers);
    free(who->pieces);
    memset(who, 0, sizeof(*who));
}

/* --- Names. --- */

/* Sets what is known of a task: from the records, from before the window, or from now. Returns false when nothing is
 * known. */
static bool look_up(struct who *who, const struct who_names *names, uint32_t tid, struct tasks_one *out)
{
    const uint32_t at = find(who, TRACE_TASK, tid, 0);
    const struct who_taker *task = &who->takers[at];
    const struct tasks_one *before = task->parent ? NULL : tasks_find(&names->before, tid);

    if (before)
        *out = *before;
    else
        (void)tasks_read(tid, out);
    if (task->parent)
        out->parent = task->parent;
    if (task->name[0])
        TEXT_SET(out->name, task->name);
    out->kernel |= out->parent == KTHREADD;
    return out->parent || out->name[0];
}

/* Returns the kind of a task, and sets its name, unless it has one, and its control group, unless it is this process's.
 * Name and group of a task that has none, or has ended, are those of its nearest ancestor that has. */
static const char *name_task(struct who *who, const struct who_names *names, uint32_t tid, char name[TRACE_NAME_SIZE],
                             char group[WHO_NAME])
{
    struct tasks_one one = {.parent = tid};
    bool kernel = false, own = false, found = true;
    char own_group[WHO_NAME] = "";

    for (unsigned i = 0; i < GENERATIONS && found && one.parent && !(own && name[0]); i++) {
        const uint32_t at = one.parent;
        found = look_up(who, names, at, &one);
        kernel |= !i && one.kernel;
        own |= at == (uint32_t)getpid();
        for (size_t g = 0; g < names->n_groups; g++)
            own |= at == (uint32_t)names->groups[g] || one.group == (uint32_t)names->groups[g];
        if (!group[0] && at > 1)
            (void)cgroup_of(TEXT_LINE("%u", at), group, WHO_NAME);
        if (!name[0])
            text_copy(name, TRACE_NAME_SIZE, one.name);
    }
    (void)cgroup_of("self", own_group, sizeof(own_group));
    if (kernel || own || !strcmp(group, own_group))
        group[0] = '\0';
    return kernel ? "kthread" : own ? "own" : "task";
}

/* Sets the texts of a taker. work: its work item; "": none. */
static void name_taker(struct who *who, const struct who_names *names, uint32_t at, const char *work,
                       struct who_line *out)
{
    const struct who_taker taker = who->takers[at]; /* others may be added */
    const char *const kinds[] = {[TRACE_TASK] = who_others_are_hidden() ? "outside" : "idle",
                                 "irq",
                                 "softirq",
                                 "interrupt",
                                 [WHO_UNSEEN] = "unseen"};
    const bool task = taker.kind == TRACE_TASK, unnamed = at == UNSEEN || (task && !taker.id);
    const char *kind = kinds[taker.kind];
    char name[TRACE_NAME_SIZE], group[WHO_NAME] = "";

    TEXT_SET(name, unnamed ? kind : taker.name);
    if (task && !unnamed)
        kind = name_task(who, names, taker.id, name, group);
    if (!name[0])
        (void)snprintf(name, sizeof(name), "%s_%u", task ? "pid" : kind, taker.id);
    text_sanitize_name(name);
    text_sanitize_name(group);
    (void)snprintf(out->label, sizeof(out->label), "kind=%s name=%s", kind, name);
    if (work[0])
        text_add(out->label, sizeof(out->label), " work=%s", work);
    if (taker.kind == TRACE_IRQ && taker.id)
        text_add(out->label, sizeof(out->label), " irq=%u", taker.id);
    if (group[0])
        text_add(out->label, sizeof(out->label), " group=%s", group);
    if (!unnamed && strcmp(kind, "own") != 0)
        (void)snprintf(out->culprit, sizeof(out->culprit), work[0] ? "%s(%s)" : "%s", name, work);
}

/* --- Lines: one for each name. --- */

static int by_label(const void *a, const void *b)
{
    return strcmp(((const struct who_line *)a)->label, ((const struct who_line *)b)->label);
}

static int by_time(const void *a, const void *b)
{
    const struct who_line *x = a, *y = b;

    return x->ns != y->ns ? ORDER_OF(y->ns, x->ns) : by_label(a, b);
}

/* Makes a line of each taker that has time. The caller frees *lines. Returns how many they are. */
static size_t sum_takers(struct who *who, const struct who_names *names, struct who_line **lines)
{
    FREED_BY(memory_free) struct trace_function *work = calloc(who->n + 1, sizeof(*work));
    size_t n = 0;

    *lines = calloc(who->n + 1, sizeof(**lines));
    who->failed |= !*lines || !work;
    for (size_t i = 0; i < who->n; i++)
        who->takers[i].line = SIZE_MAX;
    for (size_t i = 0; !who->failed && i < who->n_pieces; i++) {
        const struct who_piece *piece = &who->pieces[i];
        struct who_taker *taker = &who->takers[piece->taker];
        if (taker->line == SIZE_MAX) {
            taker->line = n++;
            (*lines)[taker->line] = (struct who_line){.tid = taker->kind == TRACE_TASK ? taker->id : 0,
                                                      .tasks = 1,
                                                      .line = taker->line,
                                                      .taker = piece->taker};
            work[taker->line].address = taker->work;
        }
        struct who_line *line = &(*lines)[taker->line];
        line->visit_ns = (piece->again ? line->visit_ns : 0) + (double)piece->ns;
        line->n += !piece->again;
        line->ns += (double)piece->ns;
        line->max_ns = fmax(line->max_ns, line->visit_ns);
    }
    trace_functions_name(work, n);
    for (size_t i = 0; i < n; i++) {
        const char *function = work[i].name[0] ? work[i].name : work[i].address ? "work" : "";
        name_taker(who, names, (*lines)[i].taker, function, &(*lines)[i]);
    }
    return n;
}

/* Makes one line of neighbours with the same label; same: by number, the line that a line has become part of. Returns
 * the number of lines that are left. */
static size_t join(struct who_line *lines, size_t n, size_t *same)
{
    struct who_line *into = lines;

    for (size_t i = 1; i < n; i++) {
        const struct who_line *line = &lines[i];
        if (by_label(into, line)) {
            *++into = *line;
            continue;
        }
        same[line->line] = into->line;
        into->tasks += line->tasks;
        into->names += line->names;
        into->n += line->n;
        into->ns += line->ns;
        into->max_ns = fmax(into->max_ns, line->max_ns);
    }
    return n ? (size_t)(into - lines) + 1 : 0;
}

size_t who_lines(struct who *who, const struct who_names *names, size_t most, struct who_line **lines)
{
    size_t n = sum_takers(who, names, lines);
    FREED_BY(memory_free) size_t *same = calloc(n + 1, sizeof(*same));

    who->failed |= !same;
    if (who->failed || !n)
        return 0;
    for (size_t i = 0; i < n; i++)
        same[i] = i;
    qsort(*lines, n, sizeof(**lines), by_label);
    n = join(*lines, n, same);
    qsort(*lines, n, sizeof(**lines), by_time);
    for (size_t i = most; i < n && most + 1 < n; i++) {
        TEXT_SET((*lines)[i].label, "kind=others name=others");
        (*lines)[i].names = 1;
    }
    n = join(*lines, n, same);
    for (size_t i = 0; i < who->n; i++)
        if (who->takers[i].line != SIZE_MAX)
            who->takers[i].line = same[same[who->takers[i].line]];
    return n;
}

void who_others(const struct who *who, const struct who_line *lines, size_t n, const struct cpuset *cpus,
                struct shares *out)
{
    FREED_BY(memory_free) double *ms = calloc(who->n + 1, sizeof(*ms));

    out->failed |= !ms;
    for (size_t i = 0; ms && i < who->n_pieces; i++)
        if (cpuset_has(cpus, who->pieces[i].cpu))
            ms[who->takers[who->pieces[i].taker].line] += (double)who->pieces[i].ns * 1e-6;
    for (size_t i = 0; ms && i < n; i++)
        if (ms[lines[i].line] > 0 && lines[i].culprit[0])
            shares_add(out, lines[i].culprit, ms[lines[i].line]);
}

/* --- Recording. --- */

struct interference_watch *interference_make(uint64_t memory, uint64_t available)
{
    struct interference_watch *watch = calloc(1, sizeof(*watch));

    if (!watch)
        return NULL;
    watch->memory = memory;
    watch->most = memory ? memory : available / MEMORY_PART;
    trace_events_find(&watch->events);
    /* The first tracepoint's numbers of tasks are those of the whole machine: useless in another PID namespace. */
    if (watch->events.n && watch->events.of[0].kind == TRACE_SWITCH && who_others_are_hidden())
        watch->events.of[0] = watch->events.of[--watch->events.n];
    return watch;
}

void interference_close(struct interference_watch *watch)
{
    for (unsigned cpu = 0; cpu < CPUSET_MAX; cpu++)
        trace_ring_close(&watch->ring[cpu]);
    watch->on = (struct cpuset){{0}}; /* a trial that fails at once stops what it has not begun */
}

void interference_free(struct interference_watch *watch)
{
    if (!watch)
        return;
    interference_close(watch);
    free(watch->names.before.of);
    free(watch->names.groups);
    free(watch);
}

/* Returns the size, doubled until it is at least this. */
static uint64_t doubled(uint64_t size, double least)
{
    while ((double)size < least && size < UINT64_MAX / 4 / CPUSET_MAX)
        size *= 2;
    return size;
}

static void start(struct interference_watch *watch, const struct cpuset *cpus, bool last)
{
    watch->on = (struct cpuset){{0}};
    for_each_cpu(cpu, cpus) {
        const int error = trace_ring_open(&watch->ring[cpu], cpu, &watch->events, watch->wanted, last);
        if (error) {
            watch->error = error;
            continue;
        }
        cpuset_add(&watch->on, cpu);
        trace_ring_start(&watch->ring[cpu]);
    }
}

void interference_begin(struct interference_watch *watch, const struct cpuset *cpus, const pid_t *groups,
                        size_t n_groups, uint64_t time_ns, bool last)
{
    /* The most that one ring may have: a power of two. */
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE),
                   most = watch->most / (cpuset_count(cpus) + !cpuset_count(cpus));
    const double share = (double)doubled(page, (double)(most / 2 + 1));

    if (watch->memory) {
        watch->wanted = (size_t)share;
    } else if (!watch->wanted) { /* measures the rate while the trial's processes wait */
        watch->wanted = (size_t)fmin(RING_FIRST, share);
        start(watch, cpus, last);
        clock_sleep_ns(PROBE_NS);
        interference_stop(watch);
        const double rate = (double)watch->used / PROBE_NS;
        const double bytes = ROOM * rate * (last ? LAST_NS : time_ns ? (double)time_ns : UNKNOWN_NS);
        watch->wanted = (size_t)doubled(page, fmin(fmax(bytes, last ? RING_FIRST : RING_LEAST), share));
    } else if (watch->full) { /* in the last trial */
        watch->wanted = (size_t)fmin((double)(ROOM * watch->wanted), share);
    }
    watch->names.n_groups = 0;
    for (size_t i = 0; i < n_groups; i++)
        if (groups[i] &&
            grow_array(&watch->names.groups, &watch->names.capacity, watch->names.n_groups, sizeof(*groups)))
            watch->names.groups[watch->names.n_groups++] = groups[i];
    /* What begins from now on is recorded with its name, what was there before is read here. */
    start(watch, cpus, last);
    tasks_read_all(&watch->names.before);
    watch->begun_ns = clock_raw_ns();
}

void interference_stop(struct interference_watch *watch)
{
    watch->used = 0;
    watch->full = false;
    for_each_cpu(cpu, &watch->on) {
        struct trace_ring *ring = &watch->ring[cpu];
        trace_ring_stop(ring);
        watch->used = ring->used > watch->used ? ring->used : watch->used;
        watch->full |= ring->lost;
    }
}

/* Writes how long a ring could record, and which memory would have been enough at that rate. */
static void say_full(const struct interference_watch *watch, const struct who_window *window, uint64_t planned_ns,
                     char *why, size_t size)
{
    const double recorded = (double)(window->time.to - window->time.from) + 1;
    const double bytes = (double)watch->ring[window->cpu].bytes * (double)planned_ns / recorded;
    const uint64_t all = doubled(watch->ring[window->cpu].bytes * 2, bytes) * cpuset_count(&watch->on);

    (void)snprintf(why, size, "recorded until %.3g s: the ring was full; --who-memory %llu%c would hold it",
                   recorded * 1e-9, (unsigned long long)(all >> 20 ? (all + (1u << 20) - 1) >> 20 : all >> 10),
                   all >> 20 ? 'M' : 'K');
}

bool interference_read(struct interference_watch *watch, const struct cpuset *cpus, struct who *who, char *why,
                       size_t why_size)
{
    struct trace_record record;
    bool recorded = false;

    *who = (struct who){.n = 0};
    why[0] = '\0';
    for_each_cpu(cpu, cpus) {
        struct who_window *window = &watch->window[cpu];
        const uint64_t to = window->time.to;
        if (!cpuset_has(&watch->on, cpu)) {
            text_copy(why, why_size, trace_ring_why(watch->error, (char[160]){0}, 160));
            window->time.to = window->time.from;
            continue;
        }
        recorded = true;
        who_begin(who, window);
        while (trace_ring_next(&watch->ring[cpu], &record))
            who_add(who, &record);
        who_end(who, watch->ring[cpu].lost);
        if (window->lost)
            say_full(watch, window, to - window->time.from, why, why_size);
    }
    if (recorded && watch->events.error && !why[0])
        (void)snprintf(why, why_size, "interrupts and work items are not known: tracefs: %s",
                       strerror(-watch->events.error));
    if (!why[0] && who_others_are_hidden())
        text_copy(why, why_size, "tasks of other PID namespaces look like the idle task");
    return recorded;
}

void interference_count(struct interference_watch *watch, const struct cpuset *cpus, struct who *who)
{
    const struct who_span time = {watch->begun_ns, clock_raw_ns()};
    const uint32_t self = (uint32_t)getpid();
    struct who_window window = {.time = time};
    struct tasks now = {.n = 0};

    for_each_cpu(cpu, cpus)
        watch->window[cpu].time = time;
    who_begin(who, &window);
    tasks_read_all(&now);
    for (const struct tasks_one *one = now.of; one < now.of + now.n && !who->failed; one++) {
        const struct tasks_one *had = tasks_find(&watch->names.before, one->tid);
        const uint64_t had_ns = had ? had->cpu_ns : 0;
        if (one->cpu_ns <= had_ns || one->parent == self || one->tid == self)
            continue;
        const uint32_t at = find(who, TRACE_TASK, one->tid, 0);
        TEXT_SET(who->takers[at].name, one->name); /* it may end before it is named */
        add_piece(who, &(struct who_piece){time.from, one->cpu_ns - had_ns, at, CPUSET_NONE, true});
    }
    free(now.of);
}

void interference_tell(struct interference_watch *watch, const struct cpuset *sets, size_t n,
                       const struct who_span *time, struct interference *out)
{
    struct cpuset all = {{0}};
    struct who who = {.n = 0};
    char why[sizeof(out->why)] = "";

    for (size_t i = 0; i < n; i++)
        cpuset_union(&all, &sets[i]);
    for_each_cpu(cpu, &all)
        watch->window[cpu] = (struct who_window){.cpu = cpu, .time = *time, .spans = time, .n_spans = 1};
    bool any = time->from < time->to && interference_read(watch, &all, &who, why, sizeof(why));
    FREED_BY(memory_free) struct who_line *lines = NULL;
    const size_t n_lines = any ? who_lines(&who, &watch->names, SIZE_MAX, &lines) : 0;
    if (who.failed) {
        any = false;
        TEXT_SET(why, "out of memory");
    }
    for (size_t i = 0; i < n; i++) {
        out[i].looked = true;
        out[i].unrecorded_ms = any ? 0 : -1;
        TEXT_SET(out[i].why, why);
        if (!any)
            continue;
        who_others(&who, lines, n_lines, &sets[i], &out[i].taken);
        for_each_cpu(cpu, &sets[i])
            out[i].unrecorded_ms += (double)(time->to - watch->window[cpu].time.to) * 1e-6;
    }
    who_free(&who);
}
