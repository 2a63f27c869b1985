/* SPDX-License-Identifier: MIT */
/* The parent's side: makes the shared memory, starts the processes, opens the gate, waits for the end, reaps. */
#include "engine/engine.h"
#include "engine/trial_state.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/arena.h"
#include "rows/text.h"
#include "sys/base.h"
#include "sys/cpu.h"
#include "sys/process.h"

/* From the last party at the gate to the common start, as each is woken again: LEAD_NS, and LEAD_PER_SLOT_NS a
 * party. */
#define LEAD_NS          100000u
#define LEAD_PER_SLOT_NS 20000u

/* Deadline of a run without a planned length: what the warm-up predicted times DEADLINE_FACTOR, plus
 * DEADLINE_MARGIN_NS. */
#define DEADLINE_FACTOR    10u
#define DEADLINE_MARGIN_NS 10000000000u

/* For measured parties to end after the planned time, before the loads are stopped too: these may keep them from it. */
#define LOAD_GRACE_NS   3000000000u
#define TIME_OF_DAY_NS  500000000u
#define FREQUENCIES_MAX 8u

/* Priority of the parent with real-time parties: above all of them; it sleeps nearly all the time. */
#define CONTROL_PRIORITY TASK_FIFO_MAX
#define CONTROL_LIMIT_US 5000000u

uint64_t trial_turns(const struct trial_spec *spec)
{
    return (spec->copies + spec->place->n_order - 1) / spec->place->n_order;
}

/* Reads the counters of the trial's CPUs and control groups. */
static void read_machine(const struct trial *trial, struct machine_counters *out)
{
    struct cgroup_throttled throttled;

    machine_read_counters_of(trial->spec.proc_root, trial->machine_cpus, trial->n_machine, out);
    if (cgroup_throttled(&trial->quota, &throttled))
        for (unsigned i = 0; i < trial->n_machine; i++)
            out[i].throttled_ns = throttled.ns;
}

static void set_gate(struct trial_head *head, enum gate_state state)
{
    __atomic_store_n(&head->gate, (uint32_t)state, __ATOMIC_RELEASE);
    futex_wake_all(&head->gate);
}

static void gather_cpus(struct trial *trial)
{
    const struct trial_head *head = trial->head;

    for (unsigned s = 0; s < trial->n_slots; s++)
        if (party_of(trial, s)->role == ROLE_MEASURED)
            cpuset_union(&trial->machine_cpus[trial->n_machine == 1 ? 0 : head->slot[s].copy],
                         &head->slot[s].placement.cpus);
    for (unsigned i = 0; i < trial->n_machine; i++)
        if (cpuset_count(&trial->machine_cpus[i]) == 0)
            trial->machine_cpus[i] = trial->spec.place->cpus;
}

static enum bench_who recorded(const struct trial *trial)
{
    const struct trial_spec *spec = &trial->spec;

    return !spec->watch ? WHO_NEVER : spec->bench->who ? spec->bench->who(spec->params) : WHO_SUMS;
}

static void begin_watch(struct trial *trial)
{
    struct cpuset all = {{0}};

    for (unsigned i = 0; i < trial->n_machine; i++)
        cpuset_union(&all, &trial->machine_cpus[i]);
    const struct culprit_trial watched = {.cpus = &all,
                                          .groups = trial->pids,
                                          .n_groups = trial->n_slots,
                                          .time_ns = trial->head->time_ns,
                                          .last = recorded(trial) == WHO_LAST};
    if (recorded(trial) != WHO_NEVER)
        culprits_begin(trial->spec.watch, &watched);
}

/* Requested or expected time, with a margin, in ns. */
static uint64_t run_limit(const struct trial *trial)
{
    uint64_t expected = 0, room = DEADLINE_MARGIN_NS + (trial_turns(&trial->spec) - 1) * TURN_NS;

    if (trial->head->time_ns)
        return trial->head->time_ns * 2 + room;
    for (unsigned i = 0; i < trial->n_slots; i++)
        if (party_of(trial, i)->role == ROLE_MEASURED && trial->head->slot[i].expected_ns > expected)
            expected = trial->head->slot[i].expected_ns;
    return expected * DEADLINE_FACTOR * trial_turns(&trial->spec) + room;
}

/* Right after the run, for a few measured parties: without cpufreq each reading parses all of /proc/cpuinfo. */
static void read_frequencies(struct trial *trial)
{
    unsigned read = 0;

    for (unsigned i = 0; i < trial->n_slots && read < FREQUENCIES_MAX; i++) {
        struct trial_slot *slot = &trial->head->slot[i];
        if (party_of(trial, i)->role != ROLE_MEASURED || slot->last_cpu == CPUSET_NONE)
            continue;
        slot->khz = machine_cpu_khz(trial->spec.proc_root, slot->last_cpu);
        read++;
    }
}

/* Loads go on until the measured parties are done. */
static void stop_parties(struct trial *trial, bool with_loads)
{
    __atomic_store_n(&trial->head->stop, 1, __ATOMIC_RELEASE);
    if (with_loads)
        __atomic_store_n(&trial->head->stop_loads, 1, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < trial->n_slots; i++) {
        close_if_open(trial->stop_write[i]);
        trial->stop_write[i] = -1;
        if (party_of(trial, i)->stop == STOP_KILL && trial->pids[i] &&
            (with_loads || party_of(trial, i)->role != ROLE_LOAD))
            (void)kill(-trial->pids[i], SIGKILL);
    }
}

static void too_long(struct trial *trial, const char *what, uint64_t limit_ns)
{
    char limit[32];

    text_duration(limit_ns, limit, sizeof(limit));
    trial_fail(trial, TRIAL_FAILED, "%s within %s%s; killed", what, limit,
               trial->halted ? ": stopped by a signal and not continued" : "");
}

/* SCHED_FIFO of any party; 0: none. */
static int highest_priority(const struct trial *trial)
{
    int highest = 0;

    for (unsigned i = 0; i < trial->n_slots; i++) {
        const struct placement *placement = &trial->head->slot[i].placement;
        if (placement->policy == SCHED_FIFO && placement->rt_priority > highest)
            highest = placement->rt_priority;
    }
    return highest;
}

/* Where the user's limit (ulimit -r) is lower, it is used, unless a party has more. A low priority suffices: on the
 * CPU without real-time parties the parent is woken at once. Returns 0 or -errno. */
static int control_set(int *priority, int highest)
{
    int error = task_set_policy(SCHED_FIFO, *priority), limit = task_realtime_limit();

    if (error != -EPERM || limit < highest || limit < 1 || limit >= *priority)
        return error;
    *priority = limit;
    return task_set_policy(SCHED_FIFO, limit);
}

/* A FIFO party may share the parent's CPU: only with FIFO above it can the parent end the trial on time. Workers
 * keep their policies. */
static void control_begin(struct trial *trial)
{
    const int highest = highest_priority(trial);
    int priority = CONTROL_PRIORITY, policy, seen, error;

    if (!(highest || trial->spec.bench->control_fifo) ||
        task_get_policy(&trial->policy_before, &trial->priority_before))
        return;
    if ((error = task_limit_own_realtime_us(CONTROL_LIMIT_US)) || (error = control_set(&priority, highest))) {
        (void)snprintf(trial->control_refused, sizeof(trial->control_refused), "control: SCHED_FIFO %d refused: %s",
                       priority, strerror(-error));
        (void)task_limit_own_realtime_us(0);
        return;
    }
    trial->control = priority;
    if ((error = task_get_policy(&policy, &seen)))
        (void)snprintf(trial->control_refused, sizeof(trial->control_refused),
                       "control: SCHED_FIFO cannot be read back: %s", strerror(-error));
    else if (policy != SCHED_FIFO || seen != priority)
        text_copy(trial->control_refused, sizeof(trial->control_refused), "control: SCHED_FIFO was not kept");
}

static void add_load_counts(struct trial *trial, double sign)
{
    for (unsigned i = 0; i < trial->n_slots; i++) {
        const struct trial_slot *slot = &trial->head->slot[i];
        if (!slot->of_load || party_of(trial, i)->kind != PARTY_PROCESS)
            continue;
        const double *counts = (const void *)((const char *)trial->head + slot->recorder[0]);
        for (unsigned c = 0; c < LOAD_COUNTS; c++)
            trial->load_count[c] += sign * counts[c];
    }
}

/* Until all have passed the gate: the last one sets the common start. Returns false when the trial failed or at the
 * deadline. */
static bool wait_for_start(struct trial *trial, uint64_t deadline_ns)
{
    struct deadline deadline = deadline_at(trial, deadline_ns);

    while (trial->outcome == TRIAL_DONE && !__atomic_load_n(&trial->head->started, __ATOMIC_ACQUIRE)) {
        if (deadline_passed(&deadline, trial))
            return false;
        trial_wait_event(trial, deadline_look_again(deadline.at_ns), false);
    }
    return trial->outcome == TRIAL_DONE;
}

/* Until lead_ns before --start-at. Repeatedly, since the clock may be set; the end of a party or a signal ends the
 * wait. */
static void wait_for_time_of_day(struct trial *trial, uint64_t lead_ns)
{
    const uint64_t until = trial->spec.start_at_ns;
    uint64_t now;

    while (trial->outcome == TRIAL_DONE && (now = clock_realtime_ns()) + lead_ns < until) {
        uint64_t left = until - lead_ns - now;
        trial_wait_event(trial, clock_raw_ns() + (left < TIME_OF_DAY_NS ? left : TIME_OF_DAY_NS), false);
    }
}

/* The processes are started: waits until they are ready, opens the gate, waits until all are done. */
static void run_gated(struct trial *trial, struct machine_counters *before)
{
    struct trial_head *head = trial->head;
    uint64_t limit, last = 0;

    if (!trial_wait_for(trial, STATE_READY, false, clock_raw_ns() + head->setup_limit_ns)) {
        too_long(trial, "not ready", head->setup_limit_ns);
        return;
    }
    limit = head->limit_ns = run_limit(trial);
    gather_cpus(trial);
    begin_watch(trial);
    /* Subtracted from those after it, below. */
    read_machine(trial, before);
    head->lead_ns = LEAD_NS + (uint64_t)LEAD_PER_SLOT_NS * trial->n_slots;
    for (unsigned i = 0; i < trial->n_slots; i++)
        head->to_arrive += !party_of(trial, i)->before_gate;
    wait_for_time_of_day(trial, head->lead_ns);
    control_begin(trial);
    set_gate(head, GATE_OPEN);
    if (!wait_for_start(trial, clock_raw_ns() + head->setup_limit_ns)) {
        too_long(trial, "not started", head->setup_limit_ns);
        return;
    }
    trial->gate_ns = head->start_ns;
    trial->tick_ns = trial->spec.tick ? head->start_ns + TICK_NS : 0;
    trial->late_ns =
        (int64_t)(clock_realtime_ns() - trial->spec.start_at_ns) - (int64_t)(clock_raw_ns() - head->start_ns);
    add_load_counts(trial, -1);
    if (head->time_ns) {
        uint64_t end = head->start_ns + head->time_ns;
        trial->may_end_early = trial->spec.bench->ends_early;
        while (trial->outcome == TRIAL_DONE && clock_raw_ns() < end && !trial_slots_reached(trial, STATE_DONE, true) &&
               !(trial->may_end_early && signals_pending()))
            trial_wait_event(trial, end, false);
        stop_parties(trial, false);
        (void)trial_wait_for(trial, STATE_DONE, true, clock_raw_ns() + LOAD_GRACE_NS);
        add_load_counts(trial, 1);
        stop_parties(trial, true);
    }
    if (!trial_wait_for(trial, STATE_DONE, true, head->start_ns + limit))
        too_long(trial, "not done", limit);
    if (!head->time_ns)
        add_load_counts(trial, 1);
    trial->tick_ns = 0;
    stop_parties(trial, true);
    /* Killed parties do not set STATE_DONE. */
    for (unsigned i = 0; i < trial->n_slots; i++)
        if (party_of(trial, i)->stop == STOP_KILL)
            __atomic_store_n(&trial->head->slot[i].state, STATE_DONE, __ATOMIC_RELEASE);
    if (!trial_wait_for(trial, STATE_DONE, false, clock_raw_ns() + DEADLINE_MARGIN_NS))
        too_long(trial, "not all parties ended", DEADLINE_MARGIN_NS);
    read_machine(trial, trial->machine);
    known_subtract(trial->machine, before, trial->n_machine * sizeof(*before));
    if (recorded(trial) != WHO_NEVER)
        culprits_stop(trial->spec.watch);
    read_frequencies(trial);
    for (unsigned i = 0; i < trial->n_slots; i++)
        if (party_of(trial, i)->role == ROLE_MEASURED && head->slot[i].end_ns > last)
            last = head->slot[i].end_ns;
    trial->wall_ns = last > trial->gate_ns ? last - trial->gate_ns : 0;
}

/* A second to end by themselves. */
static void drain(struct trial *trial)
{
    uint64_t until = clock_raw_ns() + 1000000000u;

    while (trial->outcome == TRIAL_DONE && trial_any_process(trial) && clock_raw_ns() < until)
        trial_wait_event(trial, until, true);
}

static void start_and_run(struct trial *trial, struct machine_counters *before)
{
    int events[2];

    if (pipe2(events, O_CLOEXEC | O_NONBLOCK)) {
        trial_fail(trial, TRIAL_FAILED, "cannot make a pipe: %s", strerror(errno));
        return;
    }
    trial->event_read = events[0];
    trial->head->event_fd = events[1];
    cgroup_quota_open(trial->spec.proc_root, &trial->quota);
    if (trial_start_processes(trial) == 0)
        run_gated(trial, before);
    if (trial->outcome != TRIAL_DONE && trial->spec.watch)
        culprits_stop(trial->spec.watch);
    cgroup_quota_close(&trial->quota);
    if (trial->outcome != TRIAL_DONE)
        set_gate(trial->head, GATE_ABORTED);
    else
        drain(trial);
    trial_kill_all(trial);
    if (trial->control) {
        (void)task_set_policy(trial->policy_before, trial->priority_before);
        (void)task_limit_own_realtime_us(0);
    }
    const struct who_span time = {trial->gate_ns, trial->gate_ns + trial->wall_ns};
    if (recorded(trial) == WHO_SUMS && trial->outcome == TRIAL_DONE)
        culprits_tell(trial->spec.watch, trial->machine_cpus, trial->n_machine, &time, trial->culprits);
    arena_remove_scratch(trial->head);
    for (unsigned i = 0; i < trial->n_slots; i++)
        close_if_open(trial->stop_write[i]);
    (void)close(events[0]);
    (void)close(events[1]);
}

struct trial *trial_run(const struct trial_spec *spec)
{
    struct trial *trial = calloc(1, sizeof(*trial));
    FREED_BY(memory_free) struct machine_counters *before = NULL;
    unsigned n_slots = spec->copies * spec->bench->n_parties + (spec->load ? spec->load->n_parties : 0);

    if (!trial)
        return NULL;
    trial->spec = *spec;
    trial->n_slots = n_slots;
    trial->n_machine = spec->bench->group_per_copy ? spec->copies : 1;
    trial->pids = calloc(n_slots, sizeof(*trial->pids));
    trial->stop_write = malloc(n_slots * sizeof(*trial->stop_write));
    trial->machine = calloc(trial->n_machine, sizeof(*trial->machine));
    trial->machine_cpus = calloc(trial->n_machine, sizeof(*trial->machine_cpus));
    trial->culprits = calloc(trial->n_machine, sizeof(*trial->culprits));
    before = calloc(trial->n_machine, sizeof(*before));
    if (!trial->pids || !trial->stop_write || !trial->machine || !trial->machine_cpus || !trial->culprits || !before) {
        trial_free(trial);
        return NULL;
    }
    for (unsigned i = 0; i < n_slots; i++)
        trial->stop_write[i] = -1;
    const int error = arena_make(trial);
    if (error)
        trial_fail(trial, TRIAL_FAILED, "cannot share memory with workers: mmap: %s", strerror(-error));
    else
        start_and_run(trial, before);
    return trial;
}

void trial_free(struct trial *trial)
{
    if (!trial)
        return;
    if (trial->head) {
        close_if_open(trial->head->arena_fd);
        (void)munmap(trial->head, trial->head->size);
    }
    free(trial->pids);
    free(trial->stop_write);
    free(trial->machine);
    free(trial->machine_cpus);
    free(trial->culprits);
    free(trial);
}
