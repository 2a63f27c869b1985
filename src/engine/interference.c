/* SPDX-License-Identifier: MIT */
/* Records what runs on the CPUs of a trial, and finds out who had them: joins windows of time with the records, and
 * sums the time up by name. */
#include "engine/interference.h"

#include <sys/stat.h>

#include "sys/clock.h"

/* Index in account->interferers of the time in which nothing was recorded. */
#define UNSEEN 0u
/* The kernel's task that creates its threads. */
#define KTHREADD 2u
/* Maximum number of ancestors of a task that are looked at, for its name and control group. */
#define GENERATIONS 64u
/* Inode of the machine's initial PID namespace, from linux/proc_ns.h. */
#define FIRST_PID_NAMESPACE 0xeffffffcu

/* Least size of a ring, unless the user says or memory is short. */
#define RING_LEAST ((size_t)1 << 20)
/* The ring buffers of all CPUs together may use 1/MEMORY_PART of the available memory. */
#define MEMORY_PART 16u
/* Before the first trial, the rate of records is measured for PROBE_NS. A ring has room for ROOM times the highest rate
 * so far, and for a trial of unknown length for UNKNOWN_NS. */
#define PROBE_NS   50000000u
#define ROOM       4u
#define UNKNOWN_NS 2000000000u
#define LAST_NS    100000000u /* what a ring holds of a trial whose end alone is recorded */

bool others_are_hidden(void)
{
    struct stat status;

    return stat("/proc/self/ns/pid", &status) == 0 && status.st_ino != FIRST_PID_NAMESPACE;
}

/* --- Interferers: tasks, interrupts and work items. --- */

/* Returns the index of an interferer, which is added when it is new. */
static uint32_t find(struct account *account, uint8_t kind, uint32_t id, uint64_t work)
{
    uint32_t *list = &account->list[((work ^ (uint64_t)id << 8 ^ kind) * 0x9e3779b97f4a7c15u >> 32) % ACCOUNT_LISTS];

    for (uint32_t at = *list; at; at = account->interferers[at - 1].next)
        if (account->interferers[at - 1].kind == kind && account->interferers[at - 1].id == id &&
            account->interferers[at - 1].work == work)
            return at - 1;
    account->failed |= !GROW_ARRAY(account->interferers, account->capacity, account->n);
    if (account->failed)
        return UNSEEN;
    account->interferers[account->n] = (struct interferer){.kind = kind, .id = id, .work = work, .next = *list};
    *list = (uint32_t)++account->n;
    return *list - 1;
}

static void add_piece(struct account *account, const struct account_piece *piece)
{
    account->failed |= !GROW_ARRAY(account->pieces, account->pieces_capacity, account->n_pieces);
    if (!account->failed)
        account->pieces[account->n_pieces++] = *piece;
}

/* Adds the time between the last record and `to`, as far as it is in the spans, to what has the CPU. */
static void account_for(struct account *account, uint64_t to)
{
    struct interferer *task = &account->interferers[account->task];
    struct account_frame *frame = &task->frame[task->depth];
    const struct account_window *window = account->window;

    while (account->span < window->n_spans && window->spans[account->span].to <= account->now)
        account->span++;
    for (size_t i = account->span; i < window->n_spans && window->spans[i].from < to; i++) {
        const struct time_span *span = &window->spans[i];
        const uint64_t low = larger(span->from, account->now), high = smaller(span->to, to);
        if (high <= low)
            continue;
        struct account_piece *last = account->n_pieces ? &account->pieces[account->n_pieces - 1] : NULL;
        if (last && frame->counted && last->interferer == frame->interferer && last->from + last->ns == low)
            last->ns += high - low;
        else
            add_piece(account,
                      &(struct account_piece){low, high - low, frame->interferer, window->cpu, frame->counted});
        frame->counted = frame->interferer != UNSEEN || high != span->to;
    }
    account->now = larger(to, account->now);
}

/* --- Trace records. --- */

/* A task goes on where it was taken off the CPU: in a work item, or (PREEMPT_RT) in a soft interrupt. */
static void switch_to(struct account *account, uint32_t to)
{
    struct interferer *task = &account->interferers[account->task];

    if (to == account->task)
        return;
    while (task->depth && account->interferers[task->frame[task->depth].interferer].kind != TRACE_TASK &&
           account->interferers[task->frame[task->depth].interferer].kind != TRACE_SOFTIRQ)
        task->depth--;
    account->task = to;
    task = &account->interferers[to];
    task->frame[0].interferer = to;
    for (unsigned i = 0; i <= task->depth; i++)
        task->frame[i].counted = false;
}

void account_begin(struct account *account, struct account_window *window)
{
    account->window = window;
    account->now = window->time.from;
    account->span = 0;
    account->ended = false;
    account->task = find(account, INTERFERER_UNSEEN, 0, 0);
    for (size_t i = 0; i < account->n; i++) { /* what ran on another CPU */
        account->interferers[i].depth = 0;
        account->interferers[i].frame[0].counted = false;
    }
}

void account_add(struct account *account, const struct trace_record *record)
{
    const struct account_window *window = account->window;

    account->ended |= record->ns >= window->time.to;
    if (account->failed || account->ended)
        return;
    account_for(account, record->ns);
    const bool self = record->tid && record->tid == window->self && record->ns >= window->self_from;
    const uint32_t top =
        account->interferers[account->task].frame[account->interferers[account->task].depth].interferer;
    uint32_t at = UNSEEN;
    if (record->source == TRACE_WORK && top != UNSEEN) /* of a kernel thread, or (BH workqueues) of a soft interrupt */
        at = find(account, account->interferers[top].kind, account->interferers[top].id, record->number);
    else if (record->source != TRACE_WORK && (record->source != TRACE_TASK || !self))
        at = find(account, record->source, record->source == TRACE_TASK ? record->tid : (uint32_t)record->number, 0);
    struct interferer *interferer = &account->interferers[at], *running = &account->interferers[account->task];
    if ((record->name[0] || record->kind == TRACE_FORK) && record->ns >= interferer->named_ns) {
        TEXT_SET(interferer->task.name, record->name);
        interferer->named_ns = record->ns;
    }
    if (record->kind == TRACE_SWITCH) {
        switch_to(account, at);
    } else if (record->kind == TRACE_FORK) {
        interferer->task.tid = record->tid;
        interferer->task.parent = (uint32_t)record->number;
        interferer->task.kernel = record->number == KTHREADD;
    } else if (record->kind == TRACE_ENTER && running->depth < ACCOUNT_DEPTH - 1) {
        running->frame[++running->depth] = (struct account_frame){.interferer = at};
    } else if (record->kind == TRACE_LEAVE) { /* what is nested in it, and whose end was not recorded, ends too */
        uint8_t i = running->depth;
        while (i && (record->source == TRACE_WORK ? !account->interferers[running->frame[i].interferer].work
                                                  : running->frame[i].interferer != at))
            i--;
        running->depth = i ? (uint8_t)(i - 1) : running->depth;
    }
}

void account_end(struct account *account, bool full)
{
    struct account_window *window = account->window;

    if (full && !account->ended) {
        window->full = true;
        window->time.to = account->now; /* what ran since the last record is not known */
    }
    if (!account->failed)
        account_for(account, window->time.to);
}

void account_free(struct account *account)
{
    free(account->interferers);
    free(account->pieces);
    memset(account, 0, sizeof(*account));
}

/* --- Names. --- */

/* Reads all tasks of the machine, and with `counted` adds their CPU time since the last reading to the account, without
 * that of this process and its children. */
static void read_tasks(struct account *account, const struct time_span *counted)
{
    FREED char **processes = procfs_names("/proc");
    const uint32_t self = (uint32_t)getpid();
    struct tasks_one one;

    for (size_t i = 0; processes && processes[i]; i++) {
        FREED char **threads = procfs_names(PROCFS_PATH("/proc/%s/task", processes[i]));
        for (size_t k = 0; threads && threads[k] && processes[i][0] <= '9'; k++) {
            if (!tasks_read((uint32_t)strtoul(threads[k], NULL, 10), &one))
                continue;
            const uint32_t at = find(account, TRACE_TASK, one.tid, 0);
            if (account->failed)
                return;
            const uint64_t had_ns = account->interferers[at].task.cpu_ns;
            account->interferers[at].task = one;
            if (counted && one.cpu_ns > had_ns && one.parent != self && one.tid != self)
                add_piece(account, &(struct account_piece){counted->from, one.cpu_ns - had_ns, at, CPUSET_NONE, true});
        }
    }
}

/* Returns the kind of a task, and sets its name, unless it has one, and its control group, unless it is this process's.
 * Name and group of a task that has none, or has ended, are those of its nearest ancestor that has. */
static const char *name_task(struct account *account, uint32_t tid, char name[TRACE_NAME_SIZE],
                             char group[ACCOUNT_NAME])
{
    struct tasks_one *one, now;
    bool kernel = false, own = false;
    char own_group[ACCOUNT_NAME] = "";

    for (unsigned i = 0; i < GENERATIONS && tid && !(own && name[0]); i++, tid = one->parent) {
        const uint32_t at = find(account, TRACE_TASK, tid, 0); /* which may move them */
        one = &account->interferers[at].task;
        if (!one->tid) { /* neither there before nor created while it was recorded: perhaps it still lives */
            tasks_read(tid, &now);
            if (one->name[0])
                TEXT_SET(now.name, one->name);
            *one = now;
        }
        kernel |= !i && one->kernel;
        own |= tid == (uint32_t)getpid();
        if (!group[0] && tid > 1)
            cgroup_of(TEXT_LINE("%u", tid), group, ACCOUNT_NAME);
        if (!name[0])
            text_copy(name, TRACE_NAME_SIZE, one->name);
    }
    cgroup_of("self", own_group, sizeof(own_group));
    if (kernel || own || !strcmp(group, own_group))
        group[0] = '\0';
    return kernel ? "kthread" : own ? "own" : "task";
}

/* Sets the texts of an interferer. work: its work item; "": none. */
static void name_interferer(struct account *account, uint32_t at, const char *work, struct account_line *out)
{
    const struct interferer interferer = account->interferers[at]; /* others may be added */
    const char *const kinds[] = {
        others_are_hidden() ? "outside" : "idle", "irq", "softirq", "interrupt", "work", "unseen"}; /* by kind */
    const bool task = interferer.kind == TRACE_TASK, unnamed = at == UNSEEN || (task && !interferer.id);
    const char *kind = kinds[interferer.kind];
    char name[TRACE_NAME_SIZE], group[ACCOUNT_NAME] = "";

    TEXT_SET(name, unnamed ? kind : interferer.task.name);
    if (task && !unnamed)
        kind = name_task(account, interferer.id, name, group);
    if (!name[0])
        TEXT_PRINT(name, "%s_%u", task ? "pid" : kind, interferer.id);
    text_sanitize_name(name);
    text_sanitize_name(group);
    TEXT_PRINT(out->label, "kind=%s name=%s", kind, name);
    if (work[0])
        TEXT_ADD(out->label, " work=%s", work);
    if (interferer.kind == TRACE_IRQ && interferer.id)
        TEXT_ADD(out->label, " irq=%u", interferer.id);
    if (group[0])
        TEXT_ADD(out->label, " group=%s", group);
    if (!unnamed && strcmp(kind, "own"))
        TEXT_PRINT(out->culprit, work[0] ? "%s(%s)" : "%s", name, work);
}

/* --- Lines: one for each name. --- */

static int by_label(const void *a, const void *b)
{
    return strcmp(((const struct account_line *)a)->label, ((const struct account_line *)b)->label);
}

static int by_time(const void *a, const void *b)
{
    const struct account_line *x = a, *y = b;

    return x->ns != y->ns ? ORDER_OF(y->ns, x->ns) : by_label(a, b);
}

size_t account_lines(struct account *account, size_t most, struct account_line **lines)
{
    const size_t n_all = account->n; /* names add their tasks */
    FREED struct trace_function *work = calloc(n_all + 1, sizeof(*work));
    FREED size_t *place = calloc(n_all + 1, sizeof(*place));
    struct account_line *line = *lines = calloc(n_all + 1, sizeof(*line));
    size_t n_interferers = 0, n = 0;

    account->failed |= !work || !place || !line;
    if (account->failed)
        return 0;
    for (size_t i = 0; i < account->n_pieces; i++)
        place[account->pieces[i].interferer] = 1;
    for (uint32_t i = 0; i < n_all; i++)
        if (place[i]) {
            work[n_interferers].address = account->interferers[i].work;
            line[n_interferers++].interferer = i;
        }
    trace_functions_name(work, n_interferers);
    for (size_t i = 0; i < n_interferers; i++)
        name_interferer(account, line[i].interferer,
                        work[i].name[0]   ? work[i].name
                        : work[i].address ? "work"
                                          : "",
                        &line[i]);
    SORT(line, n_interferers, by_label);
    for (size_t i = 0; i < n_interferers; i++) {
        if (!n || by_label(&line[n - 1], &line[i]) != 0)
            line[n++] = line[i];
        line[n - 1].tasks++;
        account->interferers[line[i].interferer].line = n - 1;
    }
    for (size_t i = 0; i < account->n_pieces; i++) {
        const struct account_piece *piece = &account->pieces[i];
        struct account_line *of = &line[account->interferers[piece->interferer].line];
        of->visit_ns = (piece->again ? of->visit_ns : 0) + (double)piece->ns;
        of->n += !piece->again;
        of->ns += (double)piece->ns;
        of->max_ns = fmax(of->max_ns, of->visit_ns);
    }
    SORT(line, n, by_time);
    for (size_t i = 0; i < n; i++) {
        const struct interferer *interferer = &account->interferers[line[i].interferer];
        if (interferer->kind == TRACE_TASK && interferer->id)
            TEXT_ADD(line[i].label, line[i].tasks > 1 ? " tasks=%zu" : " pid=%zu",
                     line[i].tasks > 1 ? line[i].tasks : interferer->id);
        place[interferer->line] = smaller(i, most);
    }
    for (size_t i = 0; i < n_all; i++)
        account->interferers[i].line = place[account->interferers[i].line];
    for (size_t i = most + 1; i < n && most < n; i++) {
        snprintf(line[most].label, sizeof(line->label), "kind=others name=others names=%zu", n - most);
        line[most].n += line[i].n;
        line[most].ns += line[i].ns;
        line[most].max_ns = fmax(line[most].max_ns, line[i].max_ns);
    }
    return smaller(n, most + 1);
}

/* --- Recording. --- */

struct interference_watch *interference_make(uint64_t memory, uint64_t available)
{
    struct interference_watch *watch = calloc(1, sizeof(*watch));

    if (!watch)
        return NULL;
    watch->most = memory ? memory : available / MEMORY_PART;
    watch->rate = memory ? HUGE_VAL : 0;
    trace_events_find(&watch->events);
    /* The first tracepoint's numbers of tasks are those of the whole machine: useless in another PID namespace. */
    if (watch->events.n && watch->events.of[0].kind == TRACE_SWITCH && others_are_hidden())
        watch->events.of[0] = watch->events.of[--watch->events.n];
    return watch;
}

void interference_free(struct interference_watch *watch)
{
    if (!watch)
        return;
    for (unsigned cpu = 0; cpu < CPUSET_MAX; cpu++)
        trace_ring_close(&watch->ring[cpu]);
    account_free(&watch->account);
    free(watch);
}

/* Returns the power of two that is at least this. */
static double power_of_two(double least)
{
    return exp2(ceil(log2(least)));
}

static void start(struct interference_watch *watch, const struct cpuset *cpus, double bytes, bool last)
{
    watch->on = (struct cpuset){0};
    for_each_cpu(cpu, cpus) {
        const int error = trace_ring_open(&watch->ring[cpu], cpu, &watch->events, (size_t)bytes, last);
        if (error) {
            watch->error = error;
            continue;
        }
        cpuset_add(&watch->on, cpu);
        trace_ring_start(&watch->ring[cpu]);
    }
    watch->begun_ns = clock_raw_ns();
}

void interference_begin(struct interference_watch *watch, const struct cpuset *cpus, uint64_t time_ns, bool last)
{
    const uint64_t most = watch->most / (cpuset_count(cpus) + !cpuset_count(cpus));
    const double page = (double)sysconf(_SC_PAGESIZE);
    const double share = power_of_two(fmax(page, (double)(most / 2 + 1))); /* the most that one ring may have */
    const double planned = last ? LAST_NS : time_ns ? (double)time_ns : UNKNOWN_NS;

    if (!(watch->rate > 0)) { /* measures it while the trial's processes wait */
        start(watch, cpus, fmin(RING_LEAST, share), last);
        clock_sleep_ns(PROBE_NS);
        interference_stop(watch);
        watch->rate = fmax(watch->rate, 1e-9); /* measured, even if nothing was recorded */
    }
    /* What begins from now on is recorded with its name, what was there before is read here. */
    start(watch, cpus, power_of_two(fmin(fmax(ROOM * watch->rate * planned, RING_LEAST), share)), last);
    account_free(&watch->account);
    find(&watch->account, INTERFERER_UNSEEN, 0, 0);
    read_tasks(&watch->account, NULL);
}

void interference_stop(struct interference_watch *watch)
{
    size_t used = 0;

    for_each_cpu(cpu, &watch->on) {
        trace_ring_stop(&watch->ring[cpu]);
        used = larger(used, watch->ring[cpu].used);
    }
    watch->rate = fmax(watch->rate, (double)used / fmax(PROBE_NS, (double)(clock_raw_ns() - watch->begun_ns)));
}

bool interference_read(struct interference_watch *watch, const struct cpuset *cpus)
{
    struct trace_record record;
    bool recorded = false;

    watch->why[0] = '\0';
    for_each_cpu(cpu, cpus) {
        struct account_window *window = &watch->window[cpu];
        const struct trace_ring *ring = &watch->ring[cpu];
        const uint64_t planned_ns = window->time.to - window->time.from;
        if (!cpuset_has(&watch->on, cpu)) {
            TEXT_SET(watch->why, trace_ring_why(watch->error, (char[160]){0}, 160));
            window->time.to = window->time.from;
            continue;
        }
        recorded = true;
        account_begin(&watch->account, window);
        while (trace_ring_next(&watch->ring[cpu], &record))
            account_add(&watch->account, &record);
        account_end(&watch->account, ring->full);
        if (!window->full)
            continue;
        /* Memory that would have been enough at that rate, for all CPUs. */
        const double ns = (double)(window->time.to - window->time.from) + 1;
        const double bytes = power_of_two((double)ring->bytes * fmax(2, (double)planned_ns / ns));
        TEXT_PRINT(watch->why, "recorded until %.3g s: the ring was full; --who-memory %.0fM would hold it", ns * 1e-9,
                   ceil(bytes * cpuset_count(&watch->on) / (1 << 20)));
    }
    if (recorded && watch->events.error && !watch->why[0])
        TEXT_PRINT(watch->why, "interrupts and work items are not known: tracefs: %s", strerror(-watch->events.error));
    if (!watch->why[0] && others_are_hidden())
        TEXT_SET(watch->why, "tasks of other PID namespaces look like the idle task");
    return recorded;
}

void interference_count(struct interference_watch *watch, const struct cpuset *cpus)
{
    const struct time_span time = {watch->begun_ns, clock_raw_ns()};

    for_each_cpu(cpu, cpus)
        watch->window[cpu].time = time;
    read_tasks(&watch->account, &time);
}

void interference_tell(struct interference_watch *watch, const struct cpuset *sets, size_t n,
                       const struct time_span *time, struct interference *out)
{
    FREED struct account_line *lines = NULL;
    struct account *account = &watch->account;
    struct cpuset all = {0};

    for (size_t i = 0; i < n; i++)
        cpuset_union(&all, &sets[i]);
    for_each_cpu(cpu, &all)
        watch->window[cpu] = (struct account_window){.cpu = cpu, .time = *time, .spans = time, .n_spans = 1};
    bool any = interference_read(watch, &all);
    const size_t n_lines = any ? account_lines(account, account->n, &lines) : 0;
    FREED double *ms = calloc(n * n_lines + 1, sizeof(*ms)); /* of each line, for each set */
    if (account->failed || !ms) {
        any = false;
        TEXT_SET(watch->why, "out of memory");
    }
    for (size_t k = 0; any && k < account->n_pieces; k++)
        for (size_t i = 0; i < n; i++)
            if (cpuset_has(&sets[i], account->pieces[k].cpu))
                ms[i * n_lines + account->interferers[account->pieces[k].interferer].line] +=
                    (double)account->pieces[k].ns * 1e-6;
    for (size_t i = 0; i < n; i++) {
        out[i].looked = true;
        out[i].unrecorded_ms = any ? 0 : HUGE_VAL;
        TEXT_SET(out[i].why, watch->why);
        for (size_t k = 0; any && k < n_lines; k++)
            if (ms[i * n_lines + k] > 0 && lines[k].culprit[0])
                shares_add(&out[i].taken, lines[k].culprit, ms[i * n_lines + k]);
        for_each_cpu(cpu, &sets[i])
            out[i].unrecorded_ms += (double)(time->to - watch->window[cpu].time.to) * 1e-6;
    }
}
