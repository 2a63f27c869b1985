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

/* Returns the slot of a taker in the hash table; when it is not in the table, the empty slot where it belongs. */
static size_t slot_with(const struct who *who, const struct who_taker *key)
{
    uint64_t x = (key->number ^ key->work) * 0x9e3779b97f4a7c15u ^ ((uint64_t)key->tid << 3 | key->kind);

    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    size_t slot = (size_t)(x >> 32) % who->n_slots;
    for (; who->slot[slot]; slot = (slot + 1) % who->n_slots) {
        const struct who_taker *taker = &who->takers[who->slot[slot] - 1];
        if (taker->kind == key->kind && taker->tid == key->tid && taker->number == key->number &&
            taker->work == key->work)
            break;
    }
    return slot;
}

/* Makes room for another taker. Returns false when out of memory. */
static bool make_room(struct who *who)
{
    if (!grow_array(&who->takers, &who->capacity, who->n, sizeof(*who->takers)))
        return false;
    if (4 * who->n < who->n_slots)
        return true;
    uint32_t *old = who->slot;
    const size_t n_slots = who->n_slots;
    who->slot = calloc(n_slots ? 2 * n_slots : 1024, sizeof(*who->slot));
    if (!who->slot) {
        who->slot = old;
        return false;
    }
    who->n_slots = n_slots ? 2 * n_slots : 1024;
    for (uint32_t i = 0; i < who->n; i++)
        who->slot[slot_with(who, &who->takers[i])] = i + 1;
    free(old);
    return true;
}

/* Returns the index of a taker, which is added when it is new. */
static uint32_t find(struct who *who, enum who_kind kind, uint32_t tid, uint64_t number, uint64_t work)
{
    const struct who_taker key = {.kind = (uint8_t)kind, .tid = tid, .number = number, .work = work};

    if (who->failed)
        return UNSEEN;
    uint32_t *slot = &who->slot[slot_with(who, &key)];
    if (*slot)
        return *slot - 1;
    who->takers[who->n++] = key;
    *slot = (uint32_t)who->n;
    who->failed = !make_room(who);
    return (uint32_t)who->n - 1;
}

/* Returns the entry of a task without work item; NULL when it was not recorded. */
static const struct who_taker *task_known(const struct who *who, uint32_t tid)
{
    const uint32_t slot = who->slot[slot_with(who, &(struct who_taker){.kind = WHO_TASK, .tid = tid})];

    return slot ? &who->takers[slot - 1] : NULL;
}

/* Returns the entry of a task, to be changed; NULL for the task `self`. */
static struct who_taker *task_of(struct who *who, uint32_t tid)
{
    const uint32_t task = tid && tid == who->window->self ? UNSEEN : find(who, WHO_TASK, tid, 0, 0);

    return task == UNSEEN ? NULL : &who->takers[task];
}

/* Returns the index of the taker that a task's time is added to: its current work item if it has one, otherwise the
 * task. */
static uint32_t taker_of(struct who *who, uint32_t tid)
{
    const struct who_taker *task = task_of(who, tid);

    return task ? find(who, WHO_TASK, tid, 0, task->function) : UNSEEN;
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

static enum who_kind kind_of(uint8_t source)
{
    static const enum who_kind kinds[] = {
        [TRACE_IRQ] = WHO_IRQ, [TRACE_SOFTIRQ] = WHO_SOFTIRQ, [TRACE_VECTOR] = WHO_VECTOR};

    return kinds[source];
}

static void enter(struct who *who, const struct trace_record *record)
{
    const uint32_t taker = find(who, kind_of(record->source), 0, record->number, 0);

    if (!who->takers[taker].name[0])
        memcpy(who->takers[taker].name, record->name, sizeof(record->name));
    push(who, taker);
}

/* Ends an interrupt, or a work item in a soft interrupt, and what is nested in it and whose end was not recorded. */
static void leave(struct who *who, enum who_kind kind, uint64_t number, bool work)
{
    for (unsigned i = who->depth; i-- > 1;) {
        const struct who_taker *taker = &who->takers[who->frame[i].taker];
        if (taker->kind == kind && (work || taker->number == number) && !taker->work == !work) {
            who->depth = i;
            return;
        }
    }
}

static void leave_interrupt(struct who *who, const struct trace_record *record)
{
    leave(who, kind_of(record->source), record->number, false);
}

static uint32_t running(const struct who *who)
{
    return who->frame[0].taker == UNSEEN ? who->window->self : who->takers[who->frame[0].taker].tid;
}

static void set_name(struct who_taker *task, const struct trace_record *record)
{
    if (!task || !record->name[0] || record->ns < task->named_ns)
        return;
    memcpy(task->name, record->name, sizeof(task->name));
    task->named_ns = record->ns;
}

static void rename_task(struct who *who, const struct trace_record *record)
{
    set_name(task_of(who, record->tid), record);
}

static void note_parent(struct who *who, const struct trace_record *record)
{
    struct who_taker *task = task_of(who, record->tid);

    if (task)
        task->parent = (uint32_t)record->number;
}

static void switch_to(struct who *who, const struct trace_record *record)
{
    const uint32_t tid = record->tid;

    rename_task(who, record);
    if (who->frame[0].taker == UNSEEN ? tid && tid == who->window->self : tid == running(who))
        return;
    /* With PREEMPT_RT a task may be taken off the CPU in a soft interrupt, and goes on with it later. */
    struct who_taker *task = who->frame[0].taker == UNSEEN ? NULL : task_of(who, running(who));
    for (unsigned i = 1; task && i < who->depth; i++)
        if (who->takers[who->frame[i].taker].kind == WHO_SOFTIRQ)
            task->softirq = (uint32_t)who->takers[who->frame[i].taker].number + 1;
    who->depth = 0;
    push(who, taker_of(who, tid));
    task = task_of(who, tid);
    if (task && task->softirq) {
        const uint32_t softirq = task->softirq - 1;
        task->softirq = 0;
        push(who, find(who, WHO_SOFTIRQ, 0, softirq, 0));
    }
}

/* A work item begins or ends: of the running kernel thread, or (BH workqueues) of the soft interrupt that runs. */
static void set_work(struct who *who, const struct trace_record *record)
{
    const struct who_taker *top = &who->takers[who->frame[who->depth - 1].taker];
    const bool begins = record->kind == TRACE_WORK;

    if (begins && top->kind == WHO_SOFTIRQ) {
        push(who, find(who, WHO_SOFTIRQ, 0, top->number, record->number));
        return;
    }
    const unsigned depth = who->depth;
    if (!begins && depth > 1)
        leave(who, WHO_SOFTIRQ, 0, true);
    struct who_taker *task = who->depth == depth ? task_of(who, record->tid) : NULL;
    if (!task)
        return;
    task->function = begins ? record->number : 0;
    if (running(who) == record->tid) {
        who->depth = 0;
        push(who, taker_of(who, record->tid));
    }
}

void who_begin(struct who *who, struct who_window *window)
{
    who->window = window;
    who->now = window->time.from;
    who->span = 0;
    who->depth = 0;
    who->ended = false;
    for (size_t i = 0; i < who->n; i++) /* the work items of another CPU's time */
        who->takers[i].function = who->takers[i].softirq = 0;
    if (!who->n) {
        who->failed = !make_room(who);
        (void)find(who, WHO_UNSEEN, 0, 0, 0);
    }
    push(who, UNSEEN);
}

void who_add(struct who *who, const struct trace_record *record)
{
    static void (*const enter_record[])(struct who *, const struct trace_record *) = {
        [TRACE_SWITCH] = switch_to,      [TRACE_NAME] = rename_task, [TRACE_FORK] = note_parent,  [TRACE_ENTER] = enter,
        [TRACE_LEAVE] = leave_interrupt, [TRACE_WORK] = set_work,    [TRACE_WORK_END] = set_work,
    };
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
    enter_record[record->kind](who, record);
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
    free(who->slot);
    free(who->pieces);
    *who = (struct who){.n = 0};
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
static bool look_up(const struct who *who, const struct who_names *names, uint32_t tid, struct tasks_one *out)
{
    const struct who_taker *task = task_known(who, tid);
    const struct tasks_one *before = task && task->parent ? NULL : task_before(names->before, tid);

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
static bool is_own(const struct who *who, const struct who_names *names, uint32_t tid)
{
    struct tasks_one one;

    for (unsigned i = 0; tid && i < WHO_GENERATIONS; i++, tid = one.parent) {
        if (tid == (uint32_t)getpid())
            return true;
        const bool known = look_up(who, names, tid, &one);
        for (size_t g = 0; g < names->n_groups; g++)
            if (tid == (uint32_t)names->groups[g] || (known && one.group == (uint32_t)names->groups[g]))
                return true;
        if (!known)
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
        add_piece(who, &(struct who_piece){from, one->cpu_ns - had_ns, find(who, WHO_TASK, one->tid, 0, 0), CPUSET_NONE,
                                           .again = true});
    }
    free(now.of);
}

/* --- Lines: one for each name. --- */

static void put_word(char *to, size_t size, const char *from)
{
    text_copy(to, size, from);
    text_sanitize_name(to);
}

static void name_task(const struct who *who, const struct who_names *names, uint32_t tid, struct who_label *line)
{
    struct tasks_one one, parent;
    char name[TASKS_NAME] = "";

    const bool known = look_up(who, names, tid, &one);
    (void)snprintf(line->kind, sizeof(line->kind), "%s", known && one.kernel ? "kthread" : "task");
    if (known)
        text_copy(name, sizeof(name), one.name);
    for (unsigned i = 0; known && !name[0] && one.parent && i < WHO_GENERATIONS; i++, one.parent = parent.parent) {
        if (!look_up(who, names, one.parent, &parent))
            break;
        text_copy(name, sizeof(name), parent.name);
    }
    if (!name[0])
        (void)snprintf(name, sizeof(name), "pid_%u", tid);
    put_word(line->name, sizeof(line->name), name);
}

static void name_line(const struct who *who, const struct who_names *names, const struct who_taker *taker,
                      struct who_label *line)
{
    static const char *const kinds[] = {[WHO_TASK] = "idle",
                                        [WHO_IRQ] = "irq",
                                        [WHO_SOFTIRQ] = "softirq",
                                        [WHO_VECTOR] = "interrupt",
                                        [WHO_UNSEEN] = "unseen"};
    const char *softirq = taker->kind == WHO_SOFTIRQ ? trace_softirq_name(taker->number) : NULL;
    char number[32];

    line->number = taker->kind == WHO_IRQ ? taker->number : 0;
    if (taker->kind == WHO_TASK && taker->tid) {
        name_task(who, names, taker->tid, line);
        return;
    }
    const char *kind = taker->kind == WHO_TASK && who_others_are_hidden() ? "outside" : kinds[taker->kind];
    text_copy(line->kind, sizeof(line->kind), kind);
    (void)snprintf(number, sizeof(number), taker->kind == WHO_SOFTIRQ ? "softirq_%llu" : "irq_%llu",
                   (unsigned long long)taker->number);
    put_word(line->name, sizeof(line->name),
             taker->kind == WHO_TASK || taker->kind == WHO_UNSEEN ? kind
             : softirq                                            ? softirq
             : taker->name[0]                                     ? taker->name
                                                                  : number);
}

/* A taker that has time, while the lines are made. */
struct named {
    struct who_label label;
    struct who_taker *taker;
    double line_ns; /* time of all takers with this label */
};

static int by_label(const void *a, const void *b)
{
    const struct who_label *x = &((const struct named *)a)->label, *y = &((const struct named *)b)->label;
    int order = strcmp(x->kind, y->kind);

    order = order ? order : strcmp(x->name, y->name);
    order = order ? order : strcmp(x->work, y->work);
    return order ? order : ORDER_OF(x->number, y->number);
}

static int by_time(const void *a, const void *b)
{
    const struct named *x = a, *y = b;

    return x->line_ns != y->line_ns ? ORDER_OF(y->line_ns, x->line_ns) : by_label(a, b);
}

static bool counts(const struct who *who, const struct who_names *names, const struct who_taker *taker)
{
    return !names->others_only ||
           (taker->kind != WHO_UNSEEN && (taker->kind != WHO_TASK || (taker->tid && !is_own(who, names, taker->tid))));
}

/* Sets the names of the work items of n takers. */
static void name_work(struct named *named, size_t n)
{
    FREED_BY(memory_free) uint64_t *addresses = calloc(n + 1, sizeof(*addresses));
    FREED_BY(memory_free) char(*functions)[TASKS_NAME] = calloc(n + 1, sizeof(*functions));
    size_t n_known = 0, at;

    for (size_t i = 0; addresses && functions && i < n; i++) {
        for (at = 0; at < n_known && addresses[at] != named[i].taker->work; at++)
            ;
        if (at == n_known && named[i].taker->work)
            addresses[n_known++] = named[i].taker->work;
    }
    if (n_known)
        tasks_kernel_functions("", addresses, n_known, functions);
    for (size_t i = 0; i < n; i++) {
        for (at = 0; at < n_known && addresses[at] != named[i].taker->work; at++)
            ;
        if (named[i].taker->work)
            put_word(named[i].label.work, sizeof(named[i].label.work),
                     at < n_known && functions[at][0] ? functions[at] : "work");
    }
}

/* Finds the takers that have time and count, with their labels, sorted by the time of their lines. Returns how many
 * there are. */
static size_t name_takers(struct who *who, const struct who_names *names, struct named *named)
{
    size_t n = 0;

    for (size_t i = 0; i < who->n; i++) {
        struct who_taker *taker = &who->takers[i];
        if (!taker->ns || !counts(who, names, taker))
            continue;
        named[n] = (struct named){.taker = taker};
        name_line(who, names, taker, &named[n++].label);
    }
    name_work(named, n);
    qsort(named, n, sizeof(*named), by_label);
    for (size_t i = 0, first = 0; i <= n; i++) {
        double ns = 0;
        if (i < n && by_label(&named[first], &named[i]) == 0)
            continue;
        for (size_t k = first; k < i; k++)
            ns += (double)named[k].taker->ns;
        for (; first < i; first++)
            named[first].line_ns = ns;
    }
    qsort(named, n, sizeof(*named), by_time);
    return n;
}

/* Adds the time from `from` to `to` to the cells. */
static void add_cells(const struct who_span *time, float *cell, uint64_t from, uint64_t to)
{
    const double part = (double)(time->to - time->from) / WHO_CELLS;

    while (from < to) {
        const unsigned at = (unsigned)((double)(from - time->from) / part), i = at < WHO_CELLS ? at : WHO_CELLS - 1;
        const uint64_t end = time->from + (uint64_t)(part * (i + 1)) + 1, high = end < to ? end : to;
        cell[i] += (float)(high > from ? high - from : 0);
        from = high > from ? high : to;
    }
}

static void add_pieces(const struct who *who, const struct who_names *names, struct who_line *lines)
{
    for (size_t i = 0; i < who->n_pieces; i++) {
        const struct who_piece *piece = &who->pieces[i];
        const size_t at = who->takers[piece->taker].line;
        if (at == SIZE_MAX || (names->cpus && !cpuset_has(names->cpus, piece->cpu)))
            continue;
        struct who_line *line = &lines[at];
        line->visit_ns = (piece->again ? line->visit_ns : 0) + (double)piece->ns;
        line->n += !piece->again;
        line->ns += (double)piece->ns;
        line->max_ns = fmax(line->max_ns, line->visit_ns);
        cpuset_add(&line->cpus, piece->cpu);
        if (piece->cpu != CPUSET_NONE)
            add_cells(&names->time, line->cell, piece->from, piece->from + piece->ns);
    }
}

size_t who_lines(struct who *who, const struct who_names *names, size_t most, struct who_line **lines)
{
    FREED_BY(memory_free) struct named *named = malloc((who->n + 1) * sizeof(*named));
    size_t n = 0, capacity = 0;

    *lines = NULL;
    for (size_t i = 0; i < who->n; i++) {
        who->takers[i].ns = 0;
        who->takers[i].line = SIZE_MAX;
    }
    for (size_t i = 0; i < who->n_pieces; i++)
        if (!names->cpus || cpuset_has(names->cpus, who->pieces[i].cpu))
            who->takers[who->pieces[i].taker].ns += who->pieces[i].ns;
    const size_t n_named = named ? name_takers(who, names, named) : 0;
    who->failed |= !named;
    for (size_t i = 0; i < n_named; i++) {
        const bool fresh = !i || by_label(&named[i - 1], &named[i]) != 0;
        if (fresh && n <= most) {
            if (!grow_array(lines, &capacity, n, sizeof(**lines))) {
                who->failed = true;
                return 0;
            }
            (*lines)[n++] = (struct who_line){.label = named[i].label, .tid = named[i].taker->tid};
        }
        (*lines)[n - 1].names += fresh && n > most;
        (*lines)[n - 1].tasks++;
        named[i].taker->line = n - 1;
    }
    if (n > most && (*lines)[n - 1].names > 1)
        (*lines)[n - 1].label = (struct who_label){.kind = "others", .name = "others"};
    else if (n > most)
        (*lines)[n - 1].names = 0;
    add_pieces(who, names, *lines);
    return n;
}
