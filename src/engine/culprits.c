/* SPDX-License-Identifier: MIT */
/* Records which other tasks and interrupts run on the CPUs of a trial. */
#include "engine/culprits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/who_report.h"
#include "rows/text.h"
#include "sys/memory.h"
#include "sys/order.h"

#define RING_LEAST ((size_t)64 << 10)
#define RING_MOST  ((size_t)4 << 20)
/* The ring buffers of all CPUs together may use 1/MEMORY_PART of the available memory. */
#define MEMORY_PART 16u
/* Maximum number of ancestors of a task among which a process of the trial is looked for. */
#define GENERATIONS 64u

struct culprit_watch *culprits_make(size_t cpus, uint64_t memory_bytes)
{
    struct culprit_watch *watch = calloc(1, sizeof(*watch));
    const uint64_t share = memory_bytes / MEMORY_PART / (cpus ? cpus : 1);

    if (!watch)
        return NULL;
    for (watch->ring_bytes = RING_MOST; watch->ring_bytes > RING_LEAST && watch->ring_bytes > share;)
        watch->ring_bytes /= 2;
    trace_events_find(&watch->events);
    return watch;
}

void culprits_free(struct culprit_watch *watch)
{
    if (!watch)
        return;
    culprits_stop(watch);
    for (unsigned cpu = cpuset_next(&watch->open, 0); cpu != CPUSET_NONE; cpu = cpuset_next(&watch->open, cpu + 1))
        trace_ring_close(&watch->ring[cpu]);
    free(watch);
}

/* --- Starting and stopping the recording. --- */

void culprits_begin(struct culprit_watch *watch, const struct cpuset *cpus, const pid_t *groups, size_t n_groups)
{
    (void)tasks_times("", 0, 1, &watch->before);
    watch->groups = calloc(n_groups + 1, sizeof(*groups));
    for (size_t i = 0; watch->groups && i < n_groups; i++)
        if (groups[i])
            watch->groups[watch->n_groups++] = groups[i];
    for (unsigned cpu = cpuset_next(cpus, 0); cpu != CPUSET_NONE; cpu = cpuset_next(cpus, cpu + 1)) {
        struct trace_ring *ring = &watch->ring[cpu];
        const int error =
            cpuset_has(&watch->open, cpu) ? 0 : trace_ring_open(ring, cpu, &watch->events, watch->ring_bytes);
        if (error) {
            watch->error = error;
            continue;
        }
        cpuset_add(&watch->open, cpu);
        cpuset_add(&watch->on, cpu);
        trace_ring_start(ring);
    }
}

void culprits_stop(struct culprit_watch *watch)
{
    struct trace_record record;

    for (unsigned cpu = cpuset_next(&watch->on, 0); cpu != CPUSET_NONE; cpu = cpuset_next(&watch->on, cpu + 1)) {
        trace_ring_stop(&watch->ring[cpu]);
        while (trace_ring_next(&watch->ring[cpu], &record)) /* drop the records from after the trial */
            ;
    }
    watch->on = (struct cpuset){{0}};
    free(watch->before.of);
    watch->before = (struct tasks_times){0};
    free(watch->groups);
    watch->groups = NULL;
    watch->n_groups = 0;
}

/* --- Finding out who had the CPUs. --- */

/* What ran on the CPUs of one set: a struct who for each of n CPUs. */
struct account {
    const struct culprit_watch *watch;
    struct who *who;
    size_t n;
};

static bool is_group(const struct culprit_watch *watch, uint32_t group)
{
    for (size_t i = 0; i < watch->n_groups; i++)
        if ((uint32_t)watch->groups[i] == group)
            return true;
    return false;
}

static int by_number(const void *tid, const void *task)
{
    return ORDER_OF(*(const uint32_t *)tid, ((const struct tasks_one *)task)->tid);
}

/* Returns the thread ID of the task that created this one during the trial; 0 when that was not recorded. */
static uint32_t parent_of(const struct account *account, uint32_t tid)
{
    for (size_t i = 0; i < account->n; i++) {
        const struct who_taker *task = who_task(&account->who[i], tid);
        if (task && task->parent)
            return task->parent;
    }
    return 0;
}

/* Returns whether a task is in a process group of the trial or is this process (the trial's parent), or descends from
 * one that is. */
static bool is_own(const struct account *account, uint32_t tid)
{
    const struct culprit_watch *watch = account->watch;
    const struct tasks_times *before = &watch->before;
    struct tasks_one now;

    for (unsigned i = 0; tid && i < GENERATIONS; i++) {
        if (tid == (uint32_t)getpid() || is_group(watch, tid))
            return true;
        const struct tasks_one *task =
            before->n ? bsearch(&tid, before->of, before->n, sizeof(*before->of), by_number) : NULL;
        const uint32_t parent = task ? 0 : parent_of(account, tid);
        if (!task && !parent && tasks_read("", tid, &now))
            task = &now;
        if (task && is_group(watch, task->group))
            return true;
        tid = task ? task->parent : parent;
    }
    return false;
}

/* Returns whether the time of a task or an interrupt counts as taken by others. That of the idle task and of the
 * trial's own tasks does not, nor time of which nothing was recorded. */
static bool counts(const void *context, const struct who_taker *taker)
{
    return taker->kind != WHO_UNSEEN && (taker->kind != WHO_TASK || (taker->tid && !is_own(context, taker->tid)));
}

/* Adds to out the CPU time of the tasks and interrupts of each name, summed over the CPUs of the account. Returns 0, or
 * -1 when out of memory. */
static int enter_names(const struct account *account, struct culprits *out)
{
    FREED_BY(memory_free) struct who_report *reports = calloc(account->n, sizeof(*reports));
    FREED_BY(memory_free) const struct who_report **each = calloc(account->n, sizeof(const struct who_report *));
    FREED_BY(memory_free) struct who_line *lines = NULL;
    static const struct tasks_times none;
    size_t any = 0;

    if (!reports || !each)
        return -1;
    /* Only the first report gets the names of tasks that have ended, for all CPUs: finding them reads /proc for each
     * task. */
    for (size_t i = 0; i < account->n; i++) {
        who_report_fill(&account->who[i], i ? &none : &account->watch->before, counts, account, &reports[i]);
        each[i] = &reports[i];
        any += reports[i].n;
    }
    const size_t n = who_join(each, account->n, &lines);
    if (any && !n)
        return -1;
    for (size_t i = 0; i < n; i++) {
        char name[sizeof(lines[i].name) + sizeof(lines[i].work) + 3];
        (void)snprintf(name, sizeof(name), "%s%s%s%s", lines[i].name, lines[i].work[0] ? "(" : "", lines[i].work,
                       lines[i].work[0] ? ")" : "");
        culprits_add(out, name, lines[i].ns * 1e-6);
    }
    return 0;
}

/* Finds out who had a CPU in the window, from the records in its ring buffer. Returns 0, or -1 when out of memory. */
static int read_ring(struct trace_ring *ring, const struct who_span *window, struct who *who)
{
    const bool full = trace_ring_is_full(ring);
    struct trace_record record;

    /* The whole window is accounted for, as if it was lost by a task that does not exist (ID UINT32_MAX). */
    if (who_begin(who, UINT32_MAX, window, window, 1))
        return -1;
    /* If the first record says that records were lost, these were from before this trial. */
    for (bool first = true; trace_ring_next(ring, &record); first = false)
        if (!first || record.kind != TRACE_LOST)
            who_add(who, &record);
    if (full && !who->whole)
        who->to = who->now;
    who_end(who);
    return 0;
}

/* Adds to out who had the CPUs of a set in the window. Returns 0, or -1 when out of memory. */
static int look(struct culprit_watch *watch, const struct cpuset *cpus, const struct who_span *window,
                struct culprits *out)
{
    struct account account = {.watch = watch, .who = calloc(cpuset_count(cpus) + 1, sizeof(*account.who))};
    char why[160];
    int error = account.who ? 0 : -1;

    for (unsigned cpu = cpuset_next(cpus, 0); !error && cpu != CPUSET_NONE; cpu = cpuset_next(cpus, cpu + 1)) {
        struct who *who = &account.who[account.n];
        if (!cpuset_has(&watch->on, cpu)) {
            out->unrecorded_ms += (double)(window->to - window->from) * 1e-6;
            text_copy(out->why, sizeof(out->why), trace_ring_why(watch->error, why, sizeof(why)));
            continue;
        }
        account.n++;
        error = read_ring(&watch->ring[cpu], window, who);
        if (who->to < window->to) {
            out->unrecorded_ms += (double)(window->to - who->to) * 1e-6;
            text_copy(out->why, sizeof(out->why), "a ring was full");
        }
    }
    if (!error && account.n == 0)
        out->unrecorded_ms = -1;
    else if (!error)
        error = enter_names(&account, out);
    if (watch->events.error && account.n && !out->why[0])
        (void)snprintf(out->why, sizeof(out->why), "interrupts and work items are not known: tracefs: %s",
                       strerror(-watch->events.error));
    for (size_t i = 0; i < account.n; i++)
        who_free(&account.who[i]);
    free(account.who);
    return error;
}

void culprits_end(struct culprit_watch *watch, const struct cpuset *sets, size_t n, uint64_t from_ns, uint64_t to_ns,
                  struct culprits *out)
{
    const struct who_span window = {from_ns, to_ns};

    for (size_t i = 0; i < n; i++) {
        out[i] = (struct culprits){.looked = true};
        if (from_ns < to_ns && look(watch, &sets[i], &window, &out[i])) {
            out[i] = (struct culprits){.looked = true, .unrecorded_ms = -1};
            text_copy(out[i].why, sizeof(out[i].why), "out of memory");
        }
        if (!out[i].why[0] && who_others_are_hidden())
            text_copy(out[i].why, sizeof(out[i].why), "tasks of other PID namespaces look like the idle task");
    }
    culprits_stop(watch);
}
