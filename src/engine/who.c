/* SPDX-License-Identifier: MIT */
/* Finds out who took the time that a task lost on a CPU, from the kernel's records of what ran there. */
#include "engine/who.h"

#include <stdlib.h>
#include <string.h>

#include "sys/order.h"

#define SLOTS (4 * WHO_TAKERS)
/* Indices in who->takers: of the two entries that always exist, and of the first one that is added. */
enum { UNSEEN, OTHERS, FIRST };

/* --- Takers of CPU time: tasks, interrupts and work items. --- */

/* Returns the slot of a taker (a task, interrupt or work item) in the hash table; when it is not in the table, the
 * empty slot where it belongs. */
static size_t slot_with(const struct who *who, const struct who_taker *key)
{
    uint64_t x = key->number * 0x9e3779b97f4a7c15u ^ ((uint64_t)key->tid << 3 | key->kind);

    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    size_t slot = (size_t)(x >> 32) % SLOTS;
    for (; who->slot[slot]; slot = (slot + 1) % SLOTS) {
        const struct who_taker *taker = &who->takers[who->slot[slot] - 1];
        if (taker->kind == key->kind && taker->tid == key->tid && taker->number == key->number)
            break;
    }
    return slot;
}

/* Returns the index of a taker (a task, interrupt or work item), which is added when it is new; OTHERS when there are
 * too many. */
static size_t find(struct who *who, enum who_kind kind, uint32_t tid, uint64_t number)
{
    const struct who_taker key = {.kind = (uint8_t)kind, .tid = tid, .number = number};
    uint32_t *slot = &who->slot[slot_with(who, &key)];

    if (!*slot && who->n == WHO_TAKERS)
        return OTHERS;
    if (!*slot) {
        who->takers[who->n++] = key;
        *slot = (uint32_t)who->n;
    }
    return *slot - 1;
}

const struct who_taker *who_task(const struct who *who, uint32_t tid)
{
    const uint32_t slot = who->slot[slot_with(who, &(struct who_taker){.kind = WHO_TASK, .tid = tid})];

    return slot ? &who->takers[slot - 1] : NULL;
}

/* Returns the index of the taker that a task's time is added to: its current work item if it has one, otherwise the
 * task. */
static size_t taker_of(struct who *who, uint32_t tid)
{
    if (tid == who->self)
        return UNSEEN;
    const size_t task = find(who, WHO_TASK, tid, 0);
    return task != OTHERS && who->takers[task].function ? find(who, WHO_TASK, tid, who->takers[task].function) : task;
}

/* --- Adding lost time to takers. --- */

/* Adds the lost time that a taker (a task, interrupt or work item) had since it got the CPU, without interrupts in it,
 * to its sums. */
static void close_frame(struct who *who, struct who_frame *frame)
{
    struct who_taker *taker = &who->takers[frame->taker];

    if (frame->ns) {
        taker->n++;
        taker->ns += frame->ns;
        taker->max_ns = frame->ns > taker->max_ns ? frame->ns : taker->max_ns;
    }
    frame->ns = 0;
}

/* Adds the time from `from` to `to` to the cells, which are sums for equal parts of the observed time. */
static void add_cells(const struct who *who, float *cell, uint64_t from, uint64_t to)
{
    const double part = (double)who->length / WHO_CELLS;

    while (from < to) {
        const unsigned at = (unsigned)((double)(from - who->from) / part), i = at < WHO_CELLS ? at : WHO_CELLS - 1;
        const uint64_t end = who->from + (uint64_t)(part * (i + 1)) + 1, high = end < to ? end : to;
        cell[i] += (float)(high > from ? high - from : 0);
        from = high > from ? high : to;
    }
}

static size_t place_of(size_t i)
{
    const size_t half = WHO_PIECES / 2;

    return i < half ? i : half + i % half;
}

const struct who_piece *who_piece(const struct who *who, size_t i)
{
    return i < WHO_PIECES / 2 || i + WHO_PIECES / 2 >= who->n_pieces ? &who->piece[place_of(i)] : NULL;
}

/* Adds a piece of lost time in which one taker (a task, interrupt or work item) had the CPU, or makes the last piece
 * longer when this one continues it. */
static void add_piece(struct who *who, size_t taker, uint64_t from, uint64_t to)
{
    struct who_piece *last = who->n_pieces ? &who->piece[place_of(who->n_pieces - 1)] : NULL;

    if (last && last->taker == taker && last->from + last->ns == from)
        last->ns += to - from;
    else
        who->piece[place_of(who->n_pieces++)] = (struct who_piece){from, to - from, taker};
}

/* Adds the time that the observed task lost between the last record and `to` to the task or interrupt that has the
 * CPU. */
static void account(struct who *who, uint64_t to)
{
    struct who_frame *frame = &who->frame[who->depth - 1];

    while (who->span < who->n_spans && who->spans[who->span].to <= who->now)
        who->span++;
    for (size_t i = who->span; i < who->n_spans && who->spans[i].from < to; i++) {
        const struct who_span *span = &who->spans[i];
        const uint64_t low = span->from > who->now ? span->from : who->now, high = span->to < to ? span->to : to;
        if (high <= low)
            continue;
        frame->ns += high - low;
        add_cells(who, who->cell[frame->taker], low, high);
        add_piece(who, frame->taker, low, high);
        if (frame->taker == UNSEEN && high == span->to)
            close_frame(who, frame);
    }
    who->now = to > who->now ? to : who->now;
}

static void close_from(struct who *who, unsigned depth)
{
    while (who->depth > depth)
        close_frame(who, &who->frame[--who->depth]);
}

static void push(struct who *who, size_t taker)
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
    const size_t taker = find(who, kind_of(record->source), 0, record->number);

    if (taker != OTHERS && !who->takers[taker].name[0])
        memcpy(who->takers[taker].name, record->name, sizeof(record->name));
    push(who, taker);
}

/* Ends an interrupt, and those nested in it whose end was not recorded. */
static void leave(struct who *who, const struct trace_record *record)
{
    const size_t taker = find(who, kind_of(record->source), 0, record->number);

    for (unsigned i = who->depth; i-- > 1;)
        if (who->frame[i].taker == taker) {
            close_from(who, i);
            return;
        }
}

/* Returns the entry of a task, to be changed; NULL for the task `self`, and for a new one when the table is full. */
static struct who_taker *task_of(struct who *who, uint32_t tid)
{
    const size_t task = tid == who->self ? UNSEEN : find(who, WHO_TASK, tid, 0);

    return task >= FIRST ? &who->takers[task] : NULL;
}

static uint32_t running(const struct who *who)
{
    return who->frame[0].taker == UNSEEN ? who->self : who->takers[who->frame[0].taker].tid;
}

/* Notes in which soft interrupt the running task was when it is taken off the CPU, which happens with PREEMPT_RT only,
 * so that switch_to() can go on with it. */
static void note_softirq(struct who *who)
{
    struct who_taker *task = task_of(who, running(who));

    for (unsigned i = 1; task && i < who->depth; i++)
        if (who->takers[who->frame[i].taker].kind == WHO_SOFTIRQ)
            task->softirq = (uint32_t)who->takers[who->frame[i].taker].number + 1;
}

static void switch_to(struct who *who, const struct trace_record *record)
{
    const uint32_t tid = record->tid;

    if (tid == running(who))
        return;
    note_softirq(who);
    close_from(who, 0);
    push(who, taker_of(who, tid));
    struct who_taker *task = task_of(who, tid);
    if (task && task->softirq) {
        const uint32_t softirq = task->softirq - 1;
        task->softirq = 0;
        push(who, find(who, WHO_SOFTIRQ, 0, softirq));
    }
}

static void set_work(struct who *who, const struct trace_record *record)
{
    struct who_taker *task = task_of(who, record->tid);

    if (!task)
        return;
    task->function = record->kind == TRACE_WORK ? record->number : 0;
    if (running(who) == record->tid) {
        close_from(who, 0);
        push(who, taker_of(who, record->tid));
    }
}

static void rename_task(struct who *who, const struct trace_record *record)
{
    struct who_taker *task = task_of(who, record->tid);

    if (task)
        memcpy(task->name, record->name, sizeof(task->name));
}

static void note_parent(struct who *who, const struct trace_record *record)
{
    struct who_taker *task = task_of(who, record->tid);

    if (task)
        task->parent = (uint32_t)record->number;
}

/* Handles a record that says that records were lost: what had the CPU since the last record is not known, nor which
 * work items the tasks have now. */
static void forget(struct who *who, const struct trace_record *record, uint64_t at)
{
    close_from(who, 0);
    push(who, UNSEEN);
    account(who, at);
    close_from(who, 0);
    for (size_t i = 0; i < who->n; i++)
        who->takers[i].function = who->takers[i].softirq = 0;
    push(who, taker_of(who, record->tid));
}

void who_add(struct who *who, const struct trace_record *record)
{
    static void (*const enter_record[])(struct who *, const struct trace_record *) = {
        [TRACE_SWITCH] = switch_to, [TRACE_NAME] = rename_task, [TRACE_FORK] = note_parent,  [TRACE_ENTER] = enter,
        [TRACE_LEAVE] = leave,      [TRACE_WORK] = set_work,    [TRACE_WORK_END] = set_work,
    };
    const uint64_t at = record->ns > who->now ? record->ns : who->now;

    if (record->kind == TRACE_LOST && !who->whole)
        who->lost += record->number;
    if (who->whole || record->ns >= who->to) {
        /* If the first record after the window says that records were lost, the end of the window was not recorded. */
        if (!who->whole && record->kind == TRACE_LOST)
            who->to = who->now;
        who->whole = true;
        return;
    }
    if (record->kind == TRACE_LOST) {
        forget(who, record, at);
        return;
    }
    account(who, at);
    enter_record[record->kind](who, record);
}

/* --- Begin and end of an account. --- */

int who_begin(struct who *who, uint32_t self, const struct who_span *window, const struct who_span *spans, size_t n)
{
    *who = (struct who){.self = self,
                        .from = window->from,
                        .to = window->to,
                        .now = window->from,
                        .spans = spans,
                        .n_spans = n,
                        .length = window->to - window->from,
                        .cell = calloc(WHO_TAKERS, sizeof(*who->cell)),
                        .takers = calloc(WHO_TAKERS, sizeof(*who->takers)),
                        .slot = calloc(SLOTS, sizeof(*who->slot)),
                        .n = FIRST};
    if (!who->takers || !who->slot || !who->cell || !who->length)
        return -1;
    who->takers[UNSEEN].kind = WHO_UNSEEN;
    who->takers[OTHERS].kind = WHO_OTHERS;
    push(who, UNSEEN);
    return 0;
}

static int by_time(const void *a, const void *b)
{
    const struct who_place *x = a, *y = b;

    return x->ns != y->ns ? ORDER_OF(y->ns, x->ns) : ORDER_OF(x->taker, y->taker);
}

void who_end(struct who *who)
{
    account(who, who->to);
    close_from(who, 0);
    who->order = calloc(who->n, sizeof(*who->order));
    for (size_t i = 0; who->order && i < who->n; i++)
        if (who->takers[i].ns)
            who->order[who->n_order++] = (struct who_place){.ns = who->takers[i].ns, .taker = i};
    if (who->order)
        qsort(who->order, who->n_order, sizeof(*who->order), by_time);
}

void who_free(struct who *who)
{
    free(who->takers);
    free(who->slot);
    free(who->cell);
    free(who->order);
    memset(who, 0, sizeof(*who));
}
