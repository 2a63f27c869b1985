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
#include "sys/base.h"
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

/* Returns the start of the list in which a taker is or belongs. */
static uint32_t *list_of(struct who *who, const struct who_taker *key)
{
    uint64_t x = (key->number ^ key->work) * 0x9e3779b97f4a7c15u ^ ((uint64_t)key->tid << 3 | key->kind);

    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return &who->list[(x >> 32) % WHO_LISTS];
}

/* Returns the index of a taker + 1; 0 when it was not recorded. */
static uint32_t known(struct who *who, const struct who_taker *key)
{
    uint32_t at = *list_of(who, key);

    for (const struct who_taker *taker; at; at = taker->next) {
        taker = &who->takers[at - 1];
        if (taker->kind == key->kind && taker->tid == key->tid && taker->number == key->number &&
            taker->work == key->work)
            break;
    }
    return at;
}

/* Returns the index of a taker, which is added when it is new. */
static uint32_t find(struct who *who, const struct who_taker *key)
{
    const uint32_t at = known(who, key);

    if (at)
        return at - 1;
    if (who->failed || !grow_array(&who->takers, &who->capacity, who->n, sizeof(*who->takers))) {
        who->failed = true;
        return UNSEEN;
    }
    uint32_t *list = list_of(who, key);
    who->takers[who->n] = *key;
    who->takers[who->n].next = *list;
    *list = (uint32_t)++who->n;
    return *list - 1;
}

/* Returns the index of the record's task. Nothing is seen while the task `self` runs. */
static uint32_t task_of(struct who *who, const struct trace_record *record)
{
    const struct who_window *window = who->window;

    if (record->tid && record->tid == window->self && record->ns >= window->self_from)
        return UNSEEN;
    return find(who, &(struct who_taker){.kind = WHO_TASK, .tid = record->tid});
}

/* --- Adding time to takers. --- */

static void add_piece(struct who *who, const struct who_piece *piece)
{
    if (grow_array(&who->pieces, &who->pieces_capacity, who->n_pieces, sizeof(*who->pieces)))
        who->pieces[who->n_pieces++] = *piece;
    else
        who->failed = true;
}

/* Adds the time between the last record and `to`, as far as it is in the spans, to what has the CPU. */
static void account(struct who *who, uint64_t to)
{
    struct who_frame *frame = &who->frame[who->depth - 1];
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

static void push(struct who *who, uint32_t taker)
{
    if (who->depth < WHO_DEPTH)
        who->frame[who->depth++] = (struct who_frame){.taker = taker};
}

/* --- Trace records. --- */

/* Ends an interrupt, or a work item in a soft interrupt, and what is nested in it and whose end was not recorded.
 * Returns false when it has not begun. */
static bool leave(struct who *who, uint8_t kind, uint64_t number, bool work)
{
    for (unsigned i = who->depth; i-- > 1;) {
        const struct who_taker *taker = &who->takers[who->frame[i].taker];
        if (taker->kind == kind && (work || taker->number == number) && !taker->work == !work) {
            who->depth = i;
            return true;
        }
    }
    return false;
}

/* Gives the CPU to a task, or to its work item. */
static void run_task(struct who *who, uint32_t task)
{
    const struct who_taker *taker = &who->takers[task];

    who->task = task;
    who->depth = 0;
    push(who, taker->function
                  ? find(who, &(struct who_taker){.kind = WHO_TASK, .tid = taker->tid, .work = taker->function})
                  : task);
}

static void switch_to(struct who *who, uint32_t task)
{
    if (task == who->task)
        return;
    /* With PREEMPT_RT a task may be taken off the CPU in a soft interrupt, and goes on with it later. */
    for (unsigned i = 1; i < who->depth; i++)
        if (who->takers[who->frame[i].taker].kind == WHO_SOFTIRQ)
            who->takers[who->task].softirq = who->frame[i].taker;
    run_task(who, task);
    if (who->takers[task].softirq)
        push(who, who->takers[task].softirq);
    who->takers[task].softirq = 0;
}

/* A work item begins or ends: of a kernel thread, or (BH workqueues) of the soft interrupt that runs. */
static void set_work(struct who *who, uint32_t task, uint64_t function)
{
    const struct who_taker *top = &who->takers[who->frame[who->depth - 1].taker];

    if (function && top->kind == WHO_SOFTIRQ) {
        push(who, find(who, &(struct who_taker){.kind = WHO_SOFTIRQ, .number = top->number, .work = function}));
        return;
    }
    if (task == UNSEEN || (!function && leave(who, WHO_SOFTIRQ, 0, true)))
        return;
    who->takers[task].function = function;
    if (task == who->task)
        run_task(who, task);
}

void who_begin(struct who *who, struct who_window *window)
{
    who->window = window;
    who->now = window->time.from;
    who->span = 0;
    who->ended = false;
    for (size_t i = 0; i < who->n; i++) /* the work items of another CPU's time */
        who->takers[i].function = who->takers[i].softirq = 0;
    if (!who->n)
        (void)find(who, &(struct who_taker){.kind = WHO_UNSEEN});
    if (!who->failed)
        run_task(who, UNSEEN);
}

void who_add(struct who *who, const struct trace_record *record)
{
    struct who_window *window = who->window;

    if (who->failed || who->ended)
        return;
    if (record->kind == TRACE_LOST) {
        window->lost += record->number;
        window->time.to = who->now; /* what ran since the last record is not known */
    }
    who->ended = record->kind == TRACE_LOST || record->ns >= window->time.to;
    if (who->ended)
        return;
    account(who, record->ns > who->now ? record->ns : who->now);
    const struct who_taker interrupt = {.kind = (uint8_t)(WHO_IRQ + record->source), .number = record->number};
    const bool of_interrupt = record->kind == TRACE_ENTER || record->kind == TRACE_LEAVE;
    const uint32_t at = of_interrupt ? find(who, &interrupt) : task_of(who, record);
    if (record->name[0] && record->ns >= who->takers[at].named_ns) {
        memcpy(who->takers[at].name, record->name, sizeof(record->name));
        who->takers[at].named_ns = record->ns;
    }
    if (record->kind == TRACE_SWITCH)
        switch_to(who, at);
    else if (record->kind == TRACE_FORK)
        who->takers[at].parent = (uint32_t)record->number;
    else if (record->kind == TRACE_ENTER)
        push(who, at);
    else if (record->kind == TRACE_LEAVE)
        (void)leave(who, interrupt.kind, record->number, false);
    else if (record->kind != TRACE_NAME)
        set_work(who, at, record->number);
}

void who_end(struct who *who, bool full)
{
    struct who_window *window = who->window;

    if (full && !who->ended) {
        window->time.to = who->now;
        window->lost += !window->lost;
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

/* --- Tasks. --- */

static int by_tid(const void *tid, const void *task)
{
    return ORDER_OF(*(const uint32_t *)tid, ((const struct tasks_one *)task)->tid);
}

static const struct tasks_one *task_before(const struct tasks_times *before, uint32_t tid)
{
    return before->n ? bsearch(&tid, before->of, before->n, sizeof(*before->of), by_tid) : NULL;
}

/* Sets what is known of a task: from the records, from before the window, or from now. A new task has its parent's name
 * until it has one of its own. Returns false when nothing is known. */
static bool look_up(struct who *who, const struct who_names *names, uint32_t tid, struct tasks_one *out)
{
    const uint32_t at = known(who, &(struct who_taker){.kind = WHO_TASK, .tid = tid});
    const struct who_taker *task = at ? &who->takers[at - 1] : NULL;
    const struct tasks_one *before = task && task->parent ? NULL : task_before(&names->before, tid);

    if (before)
        *out = *before;
    else if (!tasks_read("", tid, out) && !task)
        return false;
    if (task && task->parent)
        out->parent = task->parent;
    out->kernel |= out->parent == KTHREADD;
    if (task && task->name[0])
        text_copy(out->name, sizeof(out->name), task->name);
    return true;
}

void who_add_counted(struct who *who, const struct tasks_times *before, uint32_t self, uint64_t from)
{
    struct tasks_times now = {0};
    struct who_window window = {.time = {from, from}};

    who_begin(who, &window);
    (void)tasks_times("", &now);
    for (size_t i = 0; i < now.n && !who->failed; i++) {
        const struct tasks_one *one = &now.of[i], *had = task_before(before, one->tid);
        const uint64_t had_ns = had ? had->cpu_ns : 0;
        if (one->cpu_ns <= had_ns || one->parent == self || one->tid == self)
            continue;
        const uint32_t at = find(who, &(struct who_taker){.kind = WHO_TASK, .tid = one->tid});
        memcpy(who->takers[at].name, one->name, sizeof(one->name)); /* it may end before it is named */
        add_piece(who, &(struct who_piece){from, one->cpu_ns - had_ns, at, CPUSET_NONE, true});
    }
    free(now.of);
}

/* --- Lines: one for each name. --- */

/* Returns the kind of a task, and sets its name, unless it has one, and its control group, unless it is this process's.
 * Name and group of a task that has none, or has ended, are those of its nearest ancestor that has. */
static const char *name_task(struct who *who, const struct who_names *names, uint32_t tid, char name[TASKS_NAME],
                             char group[WHO_NAME])
{
    struct tasks_one one = {.parent = tid};
    bool kernel = false, own = false, grouped = false;
    char own_group[WHO_NAME] = "";

    for (unsigned i = 0; i < GENERATIONS && one.parent && !(own && name[0]); i++) {
        const uint32_t at = one.parent;
        const bool found = look_up(who, names, at, &one);
        kernel |= !i && found && one.kernel;
        own |= at == (uint32_t)getpid();
        for (size_t g = 0; g < names->n_groups; g++)
            own |= at == (uint32_t)names->groups[g] || (found && one.group == (uint32_t)names->groups[g]);
        grouped = grouped || kernel || own || at == 1 || cgroup_of("", TEXT_LINE("%u", at), group, WHO_NAME);
        if (!found)
            break;
        if (!name[0])
            text_copy(name, TASKS_NAME, one.name);
    }
    (void)cgroup_of("", "self", own_group, sizeof(own_group));
    if (kernel || own || !strcmp(group, own_group))
        group[0] = '\0';
    return kernel ? "kthread" : own ? "own" : "task";
}

/* Sets the texts of a taker. work: its work item; "": none. */
static void name_taker(struct who *who, const struct who_names *names, const struct who_taker *taker, const char *work,
                       struct who_line *out)
{
    const bool idle = taker->kind == WHO_TASK && !taker->tid;
    const char *const kinds[] = {who_others_are_hidden() ? "outside" : "idle", "irq", "softirq", "interrupt", "unseen"};
    const char *const unnamed[] = {"pid", "irq", "softirq", "irq"}, *kind = kinds[taker->kind];
    char name[TASKS_NAME], group[WHO_NAME] = "";

    TEXT_SET(name, idle || taker->kind == WHO_UNSEEN ? kind : taker->name);
    if (taker->tid)
        kind = name_task(who, names, taker->tid, name, group);
    if (!name[0])
        (void)snprintf(name, sizeof(name), "%s_%llu", unnamed[taker->kind],
                       (unsigned long long)(taker->tid ? taker->tid : taker->number));
    text_sanitize_name(name);
    text_sanitize_name(group);
    (void)snprintf(out->label, sizeof(out->label), "kind=%s name=%s", kind, name);
    if (work[0])
        text_add(out->label, sizeof(out->label), " work=%s", work);
    if (taker->kind == WHO_IRQ && taker->number)
        text_add(out->label, sizeof(out->label), " irq=%llu", (unsigned long long)taker->number);
    if (group[0])
        text_add(out->label, sizeof(out->label), " group=%s", group);
    if (!idle && taker->kind != WHO_UNSEEN && strcmp(kind, "own") != 0)
        (void)snprintf(out->culprit, sizeof(out->culprit), work[0] ? "%s(%s)" : "%s", name, work);
}

static int by_label(const void *a, const void *b)
{
    return strcmp(((const struct who_line *)a)->label, ((const struct who_line *)b)->label);
}

static int by_time(const void *a, const void *b)
{
    const struct who_line *x = a, *y = b;

    return x->ns != y->ns ? ORDER_OF(y->ns, x->ns) : ORDER_OF(x->first, y->first);
}

/* Makes a line of each taker that has time, with its texts only, sorted by them. The caller frees *lines. Returns how
 * many they are. */
static size_t name_takers(struct who *who, const struct who_names *names, struct who_line **lines)
{
    FREED_BY(memory_free) struct tasks_function *work = calloc(who->n + 1, sizeof(*work));
    size_t n = 0, n_work = 0;

    for (size_t i = 0; i < who->n; i++)
        who->takers[i].line = SIZE_MAX;
    for (const struct who_piece *piece = who->pieces; piece < who->pieces + who->n_pieces; piece++)
        who->takers[piece->taker].line = 0;
    *lines = calloc(who->n + 1, sizeof(**lines));
    who->failed |= !*lines || !work;
    for (size_t i = 0; !who->failed && i < who->n; i++)
        if (who->takers[i].line == 0) {
            (*lines)[n++] = (struct who_line){.tid = who->takers[i].tid, .first = i};
            if (who->takers[i].work)
                work[n_work++].address = who->takers[i].work;
        }
    if (!n)
        return 0;
    tasks_kernel_functions("", work, n_work);
    n_work = 0;
    for (struct who_line *line = *lines; line < *lines + n; line++) {
        const struct who_taker *taker = &who->takers[line->first];
        const char *function = taker->work ? work[n_work++].name : NULL;
        name_taker(who, names, taker, !function ? "" : function[0] ? function : "work", line);
    }
    qsort(*lines, n, sizeof(**lines), by_label);
    return n;
}

size_t who_lines(struct who *who, const struct who_names *names, size_t most, struct who_line **lines)
{
    const size_t n_takers = name_takers(who, names, lines);
    FREED_BY(memory_free) size_t *place = calloc(n_takers + 1, sizeof(*place));
    struct who_line *const of = *lines;
    size_t n = 0;

    who->failed |= !place;
    if (who->failed || !n_takers)
        return 0;
    for (size_t i = 0; i < n_takers; i++) {
        if (i && by_label(&of[n], &of[i]))
            of[++n] = of[i];
        who->takers[of[i].first].line = n;
        of[n].tasks++;
    }
    n++;
    for (const struct who_piece *piece = who->pieces; piece < who->pieces + who->n_pieces; piece++) {
        struct who_line *line = &of[who->takers[piece->taker].line];
        line->visit_ns = (piece->again ? line->visit_ns : 0) + (double)piece->ns;
        line->n += !piece->again;
        line->ns += (double)piece->ns;
        line->max_ns = fmax(line->max_ns, line->visit_ns);
    }
    for (size_t i = 0; i < n; i++)
        of[i].first = i;
    qsort(of, n, sizeof(*of), by_time);
    for (size_t i = 0; i < n; i++) {
        const struct who_line *line = &of[i];
        struct who_line *others = &of[i < most ? i : most];
        place[line->first] = i < most ? i : most;
        if (i <= most)
            continue;
        TEXT_SET(others->label, "kind=others name=others");
        others->names += others->names ? 1 : 2;
        others->tasks += line->tasks;
        others->n += line->n;
        others->ns += line->ns;
        others->max_ns = fmax(others->max_ns, line->max_ns);
    }
    for (size_t i = 0; i < who->n; i++)
        if (who->takers[i].line != SIZE_MAX)
            who->takers[i].line = place[who->takers[i].line];
    return n <= most ? n : most + 1;
}

void who_others(const struct who *who, const struct who_line *lines, size_t n, const struct cpuset *cpus,
                struct shares *out)
{
    FREED_BY(memory_free) double *ms = calloc(n + 1, sizeof(*ms));

    out->failed |= !ms;
    for (size_t i = 0; ms && i < who->n_pieces; i++)
        if (cpuset_has(cpus, who->pieces[i].cpu))
            ms[who->takers[who->pieces[i].taker].line] += (double)who->pieces[i].ns * 1e-6;
    for (size_t i = 0; ms && i < n; i++)
        if (ms[i] > 0 && lines[i].culprit[0])
            shares_add(out, lines[i].culprit, ms[i]);
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
    /* The numbers of tasks in the tracepoint are those of the whole machine. In another PID namespace only its names
     * are used, which are of the task that the record itself is of. */
    const enum trace_kind unused = who_others_are_hidden() ? TRACE_SWITCH : TRACE_NAME;
    for (size_t i = 0; i < watch->events.n; i++)
        if (watch->events.of[i].kind == unused)
            watch->events.of[i--] = watch->events.of[--watch->events.n];
    return watch;
}

static void forget_trial(struct interference_watch *watch)
{
    free(watch->names.before.of);
    free(watch->names.groups);
    watch->names = (struct who_names){.n_groups = 0};
    watch->on = (struct cpuset){{0}};
}

void interference_close(struct interference_watch *watch)
{
    for (unsigned cpu = 0; cpu < CPUSET_MAX; cpu++)
        trace_ring_close(&watch->ring[cpu]);
}

void interference_free(struct interference_watch *watch)
{
    if (!watch)
        return;
    forget_trial(watch);
    interference_close(watch);
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
    const uint64_t most = watch->most / (cpuset_count(cpus) ? cpuset_count(cpus) : 1);
    const size_t share = (size_t)doubled((uint64_t)sysconf(_SC_PAGESIZE), (double)(most / 2 + 1));
    const uint64_t planned_ns = last ? LAST_NS : time_ns ? time_ns : UNKNOWN_NS;

    forget_trial(watch);
    if (watch->memory) {
        watch->wanted = share;
    } else if (!watch->wanted) { /* measures the rate while the trial's processes wait */
        const size_t first = share < RING_FIRST ? share : RING_FIRST;
        watch->wanted = first;
        start(watch, cpus, last);
        clock_sleep_ns(PROBE_NS);
        interference_stop(watch);
        const double bytes = (double)ROOM * (double)watch->used * (double)planned_ns / PROBE_NS;
        watch->wanted = (size_t)doubled(last || share < RING_LEAST ? first : RING_LEAST, fmin(bytes, (double)share));
    } else if (watch->full) { /* in the last trial */
        watch->wanted = ROOM * watch->wanted < share ? ROOM * watch->wanted : share;
    }
    watch->names.groups = calloc(n_groups + 1, sizeof(*watch->names.groups));
    for (size_t i = 0; watch->names.groups && i < n_groups; i++)
        if (groups[i])
            watch->names.groups[watch->names.n_groups++] = groups[i];
    /* What begins from now on is recorded with its name, what was there before is read here. */
    start(watch, cpus, last);
    (void)tasks_times("", &watch->names.before);
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
        watch->full |= trace_ring_is_full(ring);
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

bool interference_read(struct interference_watch *watch, struct who_window *windows, size_t n, struct who *who,
                       char *why, size_t why_size)
{
    size_t recorded = 0;

    *who = (struct who){.n = 0};
    why[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        struct who_window *window = &windows[i];
        struct trace_ring *ring = &watch->ring[window->cpu];
        const uint64_t to = window->time.to;
        struct trace_record record;
        if (!cpuset_has(&watch->on, window->cpu)) {
            text_copy(why, why_size, trace_ring_why(watch->error, (char[160]){0}, 160));
            window->time.to = window->time.from;
            continue;
        }
        recorded++;
        who_begin(who, window);
        /* If the first record says that records were lost, these were from before this trial. */
        for (bool first = true; trace_ring_next(ring, &record); first = false)
            if (!first || record.kind != TRACE_LOST)
                who_add(who, &record);
        who_end(who, trace_ring_is_full(ring));
        if (window->time.to < to)
            say_full(watch, window, to - window->time.from, why, why_size);
    }
    for (size_t i = 0; !recorded && i < n; i++)
        windows[i].time = (struct who_span){watch->begun_ns, clock_raw_ns()};
    if (!recorded && n)
        who_add_counted(who, &watch->names.before, (uint32_t)getpid(), watch->begun_ns);
    else if (watch->events.error && !why[0])
        (void)snprintf(why, why_size, "interrupts and work items are not known: tracefs: %s",
                       strerror(-watch->events.error));
    if (!why[0] && who_others_are_hidden())
        text_copy(why, why_size, "tasks of other PID namespaces look like the idle task");
    return recorded > 0;
}

void interference_tell(struct interference_watch *watch, const struct cpuset *sets, size_t n,
                       const struct who_span *time, struct interference *out)
{
    struct cpuset all = {{0}};
    struct who who = {.n = 0};
    char why[sizeof(out->why)] = "";
    size_t n_windows = 0;

    for (size_t i = 0; i < n; i++)
        cpuset_union(&all, &sets[i]);
    FREED_BY(memory_free) struct who_window *windows = calloc(cpuset_count(&all) + 1, sizeof(*windows));
    for_each_cpu(cpu, &all)
        if (windows)
            windows[n_windows++] = (struct who_window){.cpu = cpu, .time = *time, .spans = time, .n_spans = 1};
    bool any = windows && time->from < time->to && interference_read(watch, windows, n_windows, &who, why, sizeof(why));
    FREED_BY(memory_free) struct who_line *lines = NULL;
    const size_t n_lines = any ? who_lines(&who, &watch->names, SIZE_MAX, &lines) : 0;
    if (!windows || who.failed) {
        any = false;
        text_copy(why, sizeof(why), "out of memory");
    }
    for (size_t i = 0; i < n; i++) {
        out[i].looked = true;
        out[i].unrecorded_ms = any ? 0 : -1;
        text_copy(out[i].why, sizeof(out[i].why), why);
        if (any)
            who_others(&who, lines, n_lines, &sets[i], &out[i].taken);
        for (size_t w = 0; any && w < n_windows; w++)
            if (cpuset_has(&sets[i], windows[w].cpu))
                out[i].unrecorded_ms += (double)(time->to - windows[w].time.to) * 1e-6;
    }
    who_free(&who);
}
