/* SPDX-License-Identifier: MIT */
/* Records which tasks and interrupts run on the CPUs of a trial. */
#include "engine/culprits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rows/text.h"
#include "sys/base.h"
#include "sys/clock.h"

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

struct culprit_watch *culprits_make(uint64_t memory, uint64_t available)
{
    struct culprit_watch *watch = calloc(1, sizeof(*watch));

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

static void forget_trial(struct culprit_watch *watch)
{
    free(watch->names.before.of);
    free(watch->names.groups);
    watch->names = (struct who_names){.n_groups = 0};
    watch->on = (struct cpuset){{0}};
}

void culprits_close(struct culprit_watch *watch)
{
    for (unsigned cpu = 0; cpu < CPUSET_MAX; cpu++)
        trace_ring_close(&watch->ring[cpu]);
}

void culprits_free(struct culprit_watch *watch)
{
    if (!watch)
        return;
    forget_trial(watch);
    culprits_close(watch);
    free(watch);
}

/* --- Starting and stopping the recording. --- */

/* Returns the largest power of two up to `most`, but at least a page. */
static size_t power_up_to(uint64_t most)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);

    while (size <= most / 2)
        size *= 2;
    return size;
}

static void start(struct culprit_watch *watch, const struct culprit_trial *trial)
{
    const struct cpuset *cpus = trial->cpus;

    watch->on = (struct cpuset){{0}};
    for_each_cpu(cpu, cpus) {
        const int error = trace_ring_open(&watch->ring[cpu], cpu, &watch->events, watch->wanted, trial->last);
        if (error) {
            watch->error = error;
            continue;
        }
        cpuset_add(&watch->on, cpu);
        trace_ring_start(&watch->ring[cpu]);
    }
}

void culprits_begin(struct culprit_watch *watch, const struct culprit_trial *trial)
{
    const size_t n = cpuset_count(trial->cpus), share = power_up_to(watch->most / (n ? n : 1));
    const uint64_t time_ns = trial->last ? LAST_NS : trial->time_ns ? trial->time_ns : UNKNOWN_NS;

    forget_trial(watch);
    if (watch->memory) {
        watch->wanted = share;
    } else if (!watch->wanted) { /* measures the rate while the trial's processes wait */
        const size_t first = share < RING_FIRST ? share : RING_FIRST;
        watch->wanted = first;
        start(watch, trial);
        clock_sleep_ns(PROBE_NS);
        culprits_stop(watch);
        const double bytes = (double)ROOM * (double)watch->used * (double)time_ns / PROBE_NS;
        watch->wanted = trial->last || share < RING_LEAST ? first : RING_LEAST;
        while ((double)watch->wanted < bytes && watch->wanted < share)
            watch->wanted *= 2;
    } else if (watch->full) { /* in the last trial */
        watch->wanted = ROOM * watch->wanted < share ? ROOM * watch->wanted : share;
    }
    watch->names.groups = calloc(trial->n_groups + 1, sizeof(*watch->names.groups));
    for (size_t i = 0; watch->names.groups && i < trial->n_groups; i++)
        if (trial->groups[i])
            watch->names.groups[watch->names.n_groups++] = trial->groups[i];
    /* What begins from now on is recorded with its name, what was there before is read here. */
    start(watch, trial);
    (void)tasks_times("", &watch->names.before);
    watch->begun_ns = clock_raw_ns();
}

void culprits_stop(struct culprit_watch *watch)
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

/* --- Finding out who had the CPUs. --- */

/* Writes how long a ring could record, and which memory would have been enough at that rate. */
static void say_full(const struct culprit_watch *watch, const struct who_window *window, uint64_t planned_ns, char *why,
                     size_t size)
{
    const double recorded = (double)(window->time.to - window->time.from) + 1;
    const double bytes = (double)watch->ring[window->cpu].bytes * (double)planned_ns / recorded;
    size_t each = watch->ring[window->cpu].bytes * 2;

    while ((double)each < bytes && each < SIZE_MAX / 4 / CPUSET_MAX)
        each *= 2;
    const uint64_t all = (uint64_t)each * cpuset_count(&watch->on);
    (void)snprintf(why, size, "recorded until %.3g s: the ring was full; --who-memory %llu%c would hold it",
                   recorded * 1e-9, (unsigned long long)(all >> 20 ? (all + (1u << 20) - 1) >> 20 : all >> 10),
                   all >> 20 ? 'M' : 'K');
}

bool culprits_read(struct culprit_watch *watch, struct who_window *windows, size_t n, struct who *who, char *why,
                   size_t why_size)
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

/* Adds to out the CPU time of the tasks and interrupts of each name on a set of CPUs. */
static void enter_names(const struct culprit_watch *watch, struct who *who, const struct cpuset *cpus,
                        struct culprits *out)
{
    FREED_BY(memory_free) struct who_line *lines = NULL;
    const size_t n = who_lines(who, &watch->names, cpus, CULPRITS_KEPT, &lines);

    for (size_t i = 0; i < n; i++) {
        const struct who_label *label = &lines[i].label;
        char name[sizeof(label->name) + sizeof(label->work) + 3];
        (void)snprintf(name, sizeof(name), label->work[0] ? "%s(%s)" : "%s", label->name, label->work);
        if (lines[i].names)
            culprits_add_rest(out, lines[i].names, lines[i].ns * 1e-6);
        else
            culprits_add(out, name, lines[i].ns * 1e-6);
    }
}

void culprits_tell(struct culprit_watch *watch, const struct cpuset *sets, size_t n, const struct who_span *time,
                   struct culprits *out)
{
    struct cpuset all = {{0}};
    struct who who = {.n = 0};
    char why[sizeof(out->why)] = "";
    size_t n_windows = 0;

    for (size_t i = 0; i < n; i++)
        cpuset_union(&all, &sets[i]);
    FREED_BY(memory_free) struct who_window *windows = calloc(cpuset_count(&all) + 1, sizeof(*windows));
    for (unsigned cpu = cpuset_next(&all, 0); windows && cpu != CPUSET_NONE; cpu = cpuset_next(&all, cpu + 1))
        windows[n_windows++] = (struct who_window){.cpu = cpu, .time = *time, .spans = time, .n_spans = 1};
    const bool any =
        windows && time->from < time->to && culprits_read(watch, windows, n_windows, &who, why, sizeof(why));
    for (size_t i = 0; i < n; i++) {
        out[i] = (struct culprits){.looked = true, .unrecorded_ms = any ? 0 : -1};
        if (any)
            enter_names(watch, &who, &sets[i], &out[i]);
        if (!windows || who.failed) {
            out[i] = (struct culprits){.looked = true, .unrecorded_ms = -1};
            text_copy(why, sizeof(why), "out of memory");
        }
        text_copy(out[i].why, sizeof(out[i].why), why);
        for (size_t w = 0; any && w < n_windows; w++)
            if (cpuset_has(&sets[i], windows[w].cpu))
                out[i].unrecorded_ms += (double)(time->to - windows[w].time.to) * 1e-6;
    }
    who_free(&who);
}
