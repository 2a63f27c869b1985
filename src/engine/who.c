/* SPDX-License-Identifier: MIT */
/* Finds out who had the CPUs, from the kernel's records of what ran there, and sums it up by name. */
#include "engine/who.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rows/text.h"
#include "sys/base.h"
#include "sys/machine.h"

/* Index in who->takers of the time in which nothing was recorded. */
#define UNSEEN 0u
/* The kernel's task that creates its threads. */
#define KTHREADD 2u
/* Inode of the machine's initial PID namespace, from linux/proc_ns.h. */
#define FIRST_PID_NAMESPACE 0xeffffffcu

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

/* Returns the index of a task. Nothing is seen while the task `self` runs. */
static uint32_t task_of(struct who *who, uint32_t tid)
{
    return tid && tid == who->window->self ? UNSEEN : find(who, &(struct who_taker){.kind = WHO_TASK, .tid = tid});
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

static void set_name(struct who_taker *taker, const struct trace_record *record)
{
    if (!record->name[0] || record->ns < taker->named_ns)
        return;
    memcpy(taker->name, record->name, sizeof(taker->name));
    taker->named_ns = record->ns;
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
    if (record->kind == TRACE_LOST)
        window->lost += record->number;
    if (record->kind == TRACE_LOST && who->now < window->time.to)
        window->time.to = who->now; /* what ran since the last record is not known */
    who->ended = record->kind == TRACE_LOST || record->ns >= window->time.to;
    if (who->ended)
        return;
    account(who, record->ns > who->now ? record->ns : who->now);
    const uint8_t kind = (uint8_t)(WHO_IRQ + record->source);
    const bool interrupt = record->kind == TRACE_ENTER || record->kind == TRACE_LEAVE;
    const uint32_t at =
        interrupt ? find(who, &(struct who_taker){.kind = kind, .number = record->number}) : task_of(who, record->tid);
    if (record->kind == TRACE_SWITCH || record->kind == TRACE_NAME || record->kind == TRACE_ENTER)
        set_name(&who->takers[at], record);
    if (record->kind == TRACE_SWITCH)
        switch_to(who, at);
    else if (record->kind == TRACE_FORK)
        who->takers[at].parent = (uint32_t)record->number;
    else if (record->kind == TRACE_ENTER)
        push(who, at);
    else if (record->kind == TRACE_LEAVE)
        (void)leave(who, kind, record->number, false);
    else if (record->kind == TRACE_WORK || record->kind == TRACE_WORK_END)
        set_work(who, at, record->kind == TRACE_WORK ? record->number : 0);
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

/* Returns whether a task is in one of the process groups or is this process, or descends from one that is. */
static bool is_own(struct who *who, const struct who_names *names, uint32_t tid)
{
    struct tasks_one one;

    for (unsigned i = 0; tid && i < WHO_GENERATIONS; i++, tid = one.parent) {
        if (tid == (uint32_t)getpid())
            return true;
        const bool found = look_up(who, names, tid, &one);
        for (size_t g = 0; g < names->n_groups; g++)
            if (tid == (uint32_t)names->groups[g] || (found && one.group == (uint32_t)names->groups[g]))
                return true;
        if (!found)
            return false;
    }
    return false;
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
        add_piece(who, &(struct who_piece){from, one->cpu_ns - had_ns, task_of(who, one->tid), CPUSET_NONE, true});
    }
    free(now.of);
}

/* --- Lines: one for each name. --- */

static void put_word(char *to, size_t size, const char *from)
{
    text_copy(to, size, from);
    text_sanitize_name(to);
}

/* Sets the control group of a task, of its nearest ancestor that lives when it has ended, unless it is this process's.
 */
static void find_group(struct who *who, const struct who_names *names, uint32_t tid, struct who_label *out)
{
    struct tasks_one one = {.parent = tid};
    char own[sizeof(out->group)] = "", group[sizeof(out->group)];

    (void)cgroup_of("", "self", own, sizeof(own));
    for (unsigned i = 0; one.parent > 1 && i < WHO_GENERATIONS; i++) {
        if (cgroup_of("", TEXT_LINE("%u", one.parent), group, sizeof(group))) {
            put_word(out->group, sizeof(out->group), strcmp(group, own) ? group : "");
            return;
        }
        if (!look_up(who, names, one.parent, &one))
            return;
    }
}

/* Sets kind, name, number and control group of a taker. */
static void name_taker(struct who *who, const struct who_names *names, const struct who_taker *taker,
                       struct who_label *out)
{
    static const char *const kinds[] = {"task", "irq", "softirq", "interrupt", "unseen"};
    const char *kind = kinds[taker->kind], *name = taker->name;
    const uint64_t number = taker->kind == WHO_TASK ? taker->tid : taker->number;
    struct tasks_one one = {.parent = taker->tid};

    if (taker->kind == WHO_TASK && taker->tid) {
        kind = look_up(who, names, taker->tid, &one) && one.kernel ? "kthread"
               : is_own(who, names, taker->tid)                    ? "own"
                                                                   : kind;
        if (!strcmp(kind, kinds[WHO_TASK]))
            find_group(who, names, taker->tid, out);
        for (unsigned i = 0; !one.name[0] && one.parent && i < WHO_GENERATIONS; i++)
            if (!look_up(who, names, one.parent, &one))
                break;
        name = one.name;
    } else if (taker->kind == WHO_TASK) {
        name = kind = who_others_are_hidden() ? "outside" : "idle";
    } else if (taker->kind == WHO_UNSEEN) {
        name = kind;
    }
    text_copy(out->kind, sizeof(out->kind), kind);
    put_word(out->name, sizeof(out->name),
             name[0] ? name
                     : TEXT_LINE("%s_%llu",
                                 taker->kind == WHO_TASK      ? "pid"
                                 : taker->kind == WHO_SOFTIRQ ? kind
                                                              : "irq",
                                 (unsigned long long)number));
    out->number = taker->kind == WHO_IRQ ? taker->number : 0;
}

/* A taker that has time, while the lines are made. */
struct named {
    struct who_label label;
    struct who_taker *taker;
};

static int by_label(const void *a, const void *b)
{
    const struct who_label *x = &((const struct named *)a)->label, *y = &((const struct named *)b)->label;
    int order = strcmp(x->kind, y->kind);

    order = order ? order : strcmp(x->name, y->name);
    order = order ? order : strcmp(x->work, y->work);
    order = order ? order : strcmp(x->group, y->group);
    return order ? order : ORDER_OF(x->number, y->number);
}

static int by_time(const void *a, const void *b)
{
    const struct who_line *x = a, *y = b;

    return x->ns != y->ns ? ORDER_OF(y->ns, x->ns) : ORDER_OF(x->id, y->id);
}

/* Sets the names of the work items of n takers. */
static void name_work(struct named *named, size_t n)
{
    FREED_BY(memory_free) uint64_t *addresses = calloc(n + 1, sizeof(*addresses));
    FREED_BY(memory_free) char(*functions)[TASKS_NAME] = calloc(n + 1, sizeof(*functions));
    size_t n_work = 0, at = 0;

    for (size_t i = 0; addresses && functions && i < n; i++)
        if (named[i].taker->work)
            addresses[n_work++] = named[i].taker->work;
    tasks_kernel_functions("", addresses, n_work, functions);
    for (size_t i = 0; i < n; i++)
        if (named[i].taker->work) {
            put_word(named[i].label.work, sizeof(named[i].label.work),
                     at < n_work && functions[at][0] ? functions[at] : "work");
            at++;
        }
}

/* Makes a line for each name of the takers that have time and count, in the order of the names. Returns how many. */
static size_t make_lines(struct who *who, const struct who_names *names, const struct cpuset *others,
                         struct who_line **lines)
{
    FREED_BY(memory_free) struct named *named = malloc((who->n + 1) * sizeof(*named));
    size_t n_named = 0, n = 0, capacity = 0;

    who->failed |= !named;
    for (size_t i = 0; i < who->n; i++) {
        struct who_taker *taker = &who->takers[i];
        taker->line = SIZE_MAX;
        if (who->failed || !taker->ns ||
            (others && (taker->kind == WHO_UNSEEN ||
                        (taker->kind == WHO_TASK && (!taker->tid || is_own(who, names, taker->tid))))))
            continue;
        named[n_named] = (struct named){.taker = taker};
        name_taker(who, names, taker, &named[n_named++].label);
    }
    name_work(named, n_named);
    if (n_named)
        qsort(named, n_named, sizeof(*named), by_label);
    for (size_t i = 0; i < n_named; i++) {
        if (!i || by_label(&named[i - 1], &named[i])) {
            if (!grow_array(lines, &capacity, n, sizeof(**lines))) {
                who->failed = true;
                return 0;
            }
            (*lines)[n] = (struct who_line){.label = named[i].label, .tid = named[i].taker->tid, .id = n};
            n++;
        }
        (*lines)[n - 1].tasks++;
        named[i].taker->line = n - 1;
    }
    return n;
}

static void add_to_others(struct who_line *others, const struct who_line *line)
{
    others->label = (struct who_label){.kind = "others", .name = "others"};
    others->names += others->names ? 1 : 2;
    others->tasks += line->tasks;
    others->n += line->n;
    others->ns += line->ns;
    others->max_ns = fmax(others->max_ns, line->max_ns);
}

size_t who_lines(struct who *who, const struct who_names *names, const struct cpuset *others, size_t most,
                 struct who_line **lines)
{
    const struct who_piece *end = who->pieces + who->n_pieces;

    *lines = NULL;
    for (size_t i = 0; i < who->n; i++)
        who->takers[i].ns = 0;
    for (const struct who_piece *piece = who->pieces; piece < end; piece++)
        if (!others || cpuset_has(others, piece->cpu))
            who->takers[piece->taker].ns += piece->ns;
    const size_t n = make_lines(who, names, others, lines);
    FREED_BY(memory_free) size_t *place = malloc((n + 1) * sizeof(*place));
    who->failed |= !place;
    if (who->failed || !n)
        return 0;
    for (const struct who_piece *piece = who->pieces; piece < end; piece++) {
        const size_t at = who->takers[piece->taker].line;
        if (at == SIZE_MAX || (others && !cpuset_has(others, piece->cpu)))
            continue;
        struct who_line *line = &(*lines)[at];
        line->visit_ns = (piece->again ? line->visit_ns : 0) + (double)piece->ns;
        line->n += !piece->again;
        line->ns += (double)piece->ns;
        line->max_ns = fmax(line->max_ns, line->visit_ns);
    }
    qsort(*lines, n, sizeof(**lines), by_time);
    for (size_t i = 0; i < n; i++) {
        place[(*lines)[i].id] = i < most ? i : most;
        if (i > most)
            add_to_others(&(*lines)[most], &(*lines)[i]);
    }
    for (size_t i = 0; i < who->n; i++)
        if (who->takers[i].line != SIZE_MAX)
            who->takers[i].line = place[who->takers[i].line];
    return n <= most ? n : most + 1;
}
