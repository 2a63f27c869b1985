/* SPDX-License-Identifier: MIT */
/* The parent's side of a trial: makes the shared memory, starts the processes, opens the gate, waits for the end,
 * reaps. */
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "engine/trial.h"

#define TICK_NS 1000000000u

/* Longer deadlines for each further copy that shares a CPU: its warm-up, or a unit of work that cannot be
 * interrupted. */
#define TURN_NS 1000000000u

/* At most so many copies share a CPU: copies by CPUs, rounded up. */
static uint64_t trial_turns(const struct trial_spec *spec)
{
    return (spec->copies + spec->place->n_order - 1) / spec->place->n_order;
}

static unsigned trial_slots(const struct trial_spec *spec)
{
    return spec->copies * spec->bench->n_parties + (spec->load ? spec->load->n_parties : 0);
}

static const struct party *party_of(const struct trial *trial, unsigned slot)
{
    return party_in_shm(&trial->head->slot[slot], trial->spec.bench, trial->spec.load);
}

#define SETUP_DEADLINE_NS 60000000000u

/* Memory of a worker process: pages, page tables, kernel structures; 170 KiB measured. */
#define WORKER_BYTES (256u << 10)

static size_t align_up(size_t n)
{
    return (n + 63) & ~(size_t)63;
}

static size_t take(size_t *offset, size_t size)
{
    size_t at = *offset;

    *offset = align_up(at + size);
    return at;
}

/* Params and parties' parts of the shared memory, into head (NULL: only their size). Slots are by copy, the load's
 * last; a process is followed by its threads. Returns the size of all. */
static size_t shm_layout(const struct trial_spec *spec, struct trial_head *head)
{
    const struct bench *bench = spec->bench;
    const struct load *load = spec->load;
    const unsigned of_bench = spec->copies * bench->n_parties, n = trial_slots(spec);
    size_t offset = align_up(sizeof(*head) + n * sizeof(struct trial_slot)), shared = 0;
    const size_t params = take(&offset, bench->params_size), load_params = load ? take(&offset, load->params_size) : 0;

    if (head) {
        head->params_offset = params;
        head->load_params_offset = load_params;
        memcpy((char *)head + params, spec->params, bench->params_size);
        if (load)
            memcpy((char *)head + load_params, spec->load_params, load->params_size);
    }
    for (unsigned i = 0; i < n; i++) {
        const bool of_load = i >= of_bench;
        struct trial_slot slot = {.of_load = of_load,
                                  .copy = of_load ? 0 : i / bench->n_parties,
                                  .party = of_load ? i - of_bench : i % bench->n_parties};
        const struct party *party = party_in_shm(&slot, bench, load);
        memset(slot.pipes, -1, sizeof(slot.pipes));
        if (slot.party == 0)
            shared = take(&offset, of_load ? load->shared_size : bench->shared_size);
        slot.shared = shared;
        for (unsigned r = 0; r < party->n_recorders; r++) {
            const struct recorder_spec of = party_recorder(party, r, of_load ? spec->load_params : spec->params);
            slot.recorder[r] = take(&offset, recorder_size(&of));
        }
        if (head)
            head->slot[i] = slot;
    }
    return offset;
}

uint64_t trial_memory_bytes(const struct trial_spec *spec)
{
    uint64_t processes = 0;

    for (unsigned p = 0; p < spec->bench->n_parties; p++)
        processes += spec->bench->parties[p].kind == PARTY_PROCESS ? spec->copies : 0;
    for (unsigned p = 0; spec->load && p < spec->load->n_parties; p++)
        processes += spec->load->parties[p].kind == PARTY_PROCESS;
    return shm_layout(spec, NULL) + processes * WORKER_BYTES;
}

/* NULL: a timing thread, or one that sleeps, cannot keep a CPU busy. */
static const struct party *busy_party(const struct trial_spec *spec, const struct trial_slot *slot)
{
    const struct party *party = party_in_shm(slot, spec->bench, spec->load);

    return party->role != ROLE_TIMER && !party->sleeps ? party : NULL;
}

/* All when it is not bound. */
static const struct cpuset *cpus_of(const struct trial_slot *slot, const struct cpuset *online)
{
    return cpuset_is_empty(&slot->placement.cpus) ? online : &slot->placement.cpus;
}

/* CPUs that FIFO parties can keep busy at one time. */
struct claim {
    struct cpuset bound; /* of parties that keep all their CPUs busy */
    struct cpuset wide;  /* of parties that keep one of several busy */
    unsigned n_wide;     /* parties of `wide` */
};

/* Takes a real-time policy from a whole copy, or the load, if no CPU would be left free: with a part in real time it
 * would measure something else. Parties that sleep keep it. */
static void leave_a_cpu(const struct trial_spec *spec, struct trial_slot *slots, unsigned n, struct claim *taken)
{
    const struct cpuset *online = &spec->place->online;
    struct claim with = *taken;

    for (unsigned i = 0; i < n; i++) {
        const struct party *party = busy_party(spec, &slots[i]);
        const struct placement *placement = &slots[i].placement;
        const struct cpuset *mask = cpus_of(&slots[i], online);
        if (!party || !task_is_realtime(placement->policy))
            continue;
        /* A party that starts FIFO processes or threads can fill all its CPUs. */
        const bool fills = party->children >= CHILDREN_THREADS || cpuset_count(mask) == 1;
        cpuset_union(fills ? &with.bound : &with.wide, mask);
        with.n_wide += !fills;
    }
    /* An upper bound, to be safe: each party with a choice is counted as if it found a CPU that no other uses. */
    struct cpuset bound = with.bound, either = with.wide;
    cpuset_union(&either, &bound);
    cpuset_intersect(&bound, online);
    cpuset_intersect(&either, online);
    const unsigned n_bound = cpuset_count(&bound);
    if (n_bound + smaller(with.n_wide, cpuset_count(&either) - n_bound) < cpuset_count(online)) {
        *taken = with;
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        struct placement *placement = &slots[i].placement;
        if (!busy_party(spec, &slots[i]) || !task_is_realtime(placement->policy))
            continue;
        TEXT_PRINT(placement->refused, "%s left out: one CPU must stay free of real-time work",
                   placement->policy == SCHED_FIFO ? "SCHED_FIFO"
                                                   : TEXT_LINE("policy %s", task_policy_name(placement->policy)));
        placement->policy = SCHED_OTHER;
        placement->rt_priority = 0;
        placement->slice_ns = 0;
    }
}

void trial_place(const struct trial_spec *spec, struct trial_slot *slots, unsigned n)
{
    const unsigned each = spec->bench->n_parties, of_bench = spec->copies * each;
    struct claim taken = {0};

    for (unsigned i = 0; i < n; i++) {
        struct trial_slot *slot = &slots[i];
        const struct party *party = party_in_shm(slot, spec->bench, spec->load);
        const struct place_of of = {slot->of_load ? spec->load_params : spec->params, spec->place, slot->party,
                                    slot->copy};
        void (*place)(const struct place_of *, struct placement *) =
            slot->of_load ? spec->load->place : spec->bench->place;
        if (place)
            place(&of, &slot->placement);
        else
            place_copy(spec->place, slot->copy, &slot->placement);
        slot->placement.lock_memory |= party->lock_memory;
        if (party->timer_slack_ns)
            slot->placement.timer_slack_ns = party->timer_slack_ns;
    }
    for (unsigned i = 0; i < of_bench; i += each)
        leave_a_cpu(spec, &slots[i], each, &taken);
    leave_a_cpu(spec, &slots[of_bench], n - of_bench, &taken);
}

bool parties_share_core(const struct trial_spec *spec, const struct trial_slot *slots, unsigned n)
{
    const struct cpuset *online = &spec->place->online;
    unsigned parties[CPUSET_MAX] = {0}; /* by CPU: that can be on it */

    if (!spec->core || !spec->core->threads)
        return false;
    const unsigned *core = spec->core->core;
    for (unsigned i = 0; i < n; i++)
        for_each_cpu(cpu, cpus_of(&slots[i], online))
            parties[cpu]++;
    for (unsigned i = 0; i < n; i++) {
        const struct party *party = party_in_shm(&slots[i], spec->bench, spec->load);
        const struct cpuset *cpus = cpus_of(&slots[i], online);
        if (party->role != ROLE_MEASURED)
            continue;
        /* Another party, or a process of this one, can run on another hardware thread of the core. */
        for_each_cpu(cpu, cpus)
            for (unsigned other = core[cpu]; other != CPUSET_NONE; other = cpuset_next(online, other + 1))
                if (other != cpu && core[other] == core[cpu] && cpuset_has(online, cpu) &&
                    parties[other] > (party->children == CHILDREN_NONE && cpuset_has(cpus, other)))
                    return true;
    }
    return false;
}

static void fill_head(struct trial *trial, int shm_fd, size_t size)
{
    const struct trial_spec *spec = &trial->spec;
    const struct bench *bench = spec->bench;
    struct trial_head *head = trial->head;

    shm_layout(spec, head);
    head->magic = SHM_MAGIC;
    head->size = size;
    head->parent = getpid();
    TEXT_SET(head->bench, bench->name);
    TEXT_SET(head->load, spec->load ? spec->load->name : "");
    process_build_id(head->build, sizeof(head->build));
    head->copies = spec->copies;
    head->n_slots = trial->n_slots;
    head->sample = spec->sample;
    head->time_ns = spec->time_ns;
    head->clock = spec->clock->kind;
    if (spec->core)
        head->core_probe = spec->core->probe;
    head->setup_limit_ns = bench->setup_limit_ns ? bench->setup_limit_ns(spec->params) : SETUP_DEADLINE_NS;
    head->setup_limit_ns += (trial_turns(spec) - 1) * TURN_NS;
    head->fixed_layout = spec->place->layout_fixed;
    head->counted = spec->counters || !bench->switches;
    head->shm_fd = shm_fd;
    head->series_fd = spec->series_fd;
    trial_place(spec, head->slot, trial->n_slots);
    trial->shares_core = parties_share_core(spec, head->slot, trial->n_slots);
}

int trial_make_shm(struct trial *trial)
{
    size_t size = shm_layout(&trial->spec, NULL);
    int fd = process_can_exec_self() ? process_shared_memory(size) : -1;
    int flags = fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;

    /* Without a descriptor workers are plain forks, and the row says so. */
    void *shm = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd < 0 ? -1 : fd, 0);
    if (shm == MAP_FAILED) {
        fd_close(&fd);
        return -errno;
    }
    trial->head = shm;
    fill_head(trial, fd < 0 ? -1 : fd, size);
    return 0;
}

/* --- Results of a trial that has ended. --- */

bool trial_stopped(const struct trial *trial)
{
    return trial->stopped || (trial->late && trial->outcome == TRIAL_FAILED);
}

const struct machine_counters *trial_machine(const struct trial *trial, unsigned copy)
{
    return &trial->machine[trial->n_machine == 1 ? 0 : copy];
}

const struct trial_slot *trial_party(const struct trial *trial, unsigned party, unsigned copy)
{
    return &trial->head->slot[copy * trial->spec.bench->n_parties + party];
}

const void *trial_recorder(const struct trial *trial, unsigned party, unsigned copy, unsigned recorder)
{
    return (const char *)trial->head + trial_party(trial, party, copy)->recorder[recorder];
}

double trial_count(const struct trial *trial, unsigned copy, enum counter counter)
{
    const struct counts *counts = &trial_party(trial, 0, copy)->counts;

    return counts->error[counter] ? NAN : counts->value[counter];
}

/* --- Waits for the parties: their ends, stops by signals, deadlines. --- */

#define KILL_DEADLINE_NS 10000000000u

/* Woken so late, the parent was stopped (SIGSTOP, a frozen container, a paused machine) or had no CPU. */
#define LATE_NS       500000000u
#define LOOK_AGAIN_NS 1000000000u

/* Unless the trial has failed already. Returns -1. */
static int trial_fail(struct trial *trial, enum trial_outcome outcome, const char *format, ...)
{
    va_list args;

    if (trial->outcome != TRIAL_DONE)
        return -1; /* only the first reason counts */
    trial->outcome = outcome;
    va_start(args, format);
    vsnprintf(trial->reason, sizeof(trial->reason), format, args);
    va_end(args);
    return -1;
}

void trial_describe_death(int status, char *buf, size_t size)
{
    const int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0, code = WEXITSTATUS(status);
    const char *how = by == SIGALRM ? "was ended by its watchdog: it ran far longer than planned"
                      : by == SIGXCPU && task_has_cpu_limit() ? "was ended by its limit of CPU time (RLIMIT_CPU)"
                      : by == SIGXCPU           ? "was ended by its limit of real-time CPU time (RLIMIT_RTTIME)"
                      : by                      ? NULL
                      : code == WORKER_NO_FSTAT ? "ended early: it cannot share memory with its parent (fstat failed)"
                      : code == WORKER_NO_MMAP  ? "ended early: it cannot share memory with its parent (mmap failed)"
                      : code == WORKER_ASTRAY
                          ? "ended early: it is not the program that started it (was the file replaced?)"
                          : NULL;

    if (how)
        text_copy(buf, size, how);
    else if (by)
        signals_describe_kill(by, buf, size);
    else
        snprintf(buf, size, "ended early with exit status %d%s", code,
                 code == WORKER_UNBORN ? ": the C library gave up before it began" : "");
}

/* Expected when the party is done or was to be killed; otherwise the trial fails. The process's threads end with it. */
static void note_death(struct trial *trial, unsigned slot, int status, bool stopping)
{
    const struct trial_slot *s = &trial->head->slot[slot];
    uint32_t state = __atomic_load_n(&s->state, __ATOMIC_ACQUIRE);
    char who[96], how[160];

    if (state == STATE_DONE)
        return;
    /* It is killed when the planned time is over, perhaps before the measured parties are done. */
    if ((stopping || trial->head->stop) && party_of(trial, slot)->stop == STOP_KILL) {
        __atomic_store_n(&trial->head->slot[slot].state, STATE_DONE, __ATOMIC_RELEASE);
        return;
    }
    const struct bench *bench = trial->spec.bench;
    const char *party = !s->of_load && bench->n_parties > 1 ? bench->parties[s->party].name : "";
    const char *copy = trial->spec.copies > 1 ? TEXT_LINE("copy %u", s->copy) : party[0] ? "" : "the worker";
    if (s->of_load)
        TEXT_PRINT(who, "the load %s", trial->spec.load->name);
    else
        TEXT_PRINT(who, "%s%s%s", party, party[0] && copy[0] ? " of " : "", copy);
    trial_describe_death(status, how, sizeof(how));
    if (state == STATE_FAILED && s->reason[0])
        trial_fail(trial, TRIAL_FAILED, "%s%s%s", s->of_load ? who : "", s->of_load ? ": " : "", s->reason);
    else
        trial_fail(trial, TRIAL_FAILED, "%s %s", who, how);
}

/* To the parties, which are in process groups of their own. */
static void signal_parties(const struct trial *trial, int number)
{
    for (unsigned i = 0; i < trial->n_slots; i++)
        if (trial->pids[i]) {
            kill(-trial->pids[i], number);
            kill(trial->pids[i], number); /* perhaps not in its group yet */
        }
}

/* Not as a real-time task: while another one looks at the process in /proc, the kernel tries again and again to let go
 * of it, which would keep that other one from this CPU for ever. */
static pid_t reap_one(const struct trial *trial, pid_t pid, int *status)
{
    if (trial->control)
        task_set_policy(trial->policy_before, trial->priority_before);
    const pid_t reaped = waitpid(pid, status, 0);
    if (trial->control)
        task_set_policy(SCHED_FIFO, trial->control);
    return reaped;
}

/* Takes note of children that were stopped or continued since the last call: the deadlines restart, and the trial does
 * not count. Kills what is left of the groups of those that ended: parties leave no processes behind. While the leader
 * is a zombie no other group can have its ID. */
static void reap(struct trial *trial, bool stopping)
{
    siginfo_t info;
    int status;

    for (;;) {
        info.si_pid = 0;
        if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT) || info.si_pid == 0)
            return;
        const pid_t pid = info.si_pid;
        unsigned slot = 0;
        while (slot < trial->n_slots && trial->pids[slot] != pid)
            slot++;
        if (info.si_code == CLD_STOPPED || info.si_code == CLD_CONTINUED) {
            /* it may have been continued, or have ended, since */
            if (waitid(P_PID, (id_t)pid, &info, WSTOPPED | WCONTINUED | WNOHANG))
                info.si_code = CLD_CONTINUED;
            if (slot < trial->n_slots) {
                trial->stopped = true;
                trial->halted = info.si_code == CLD_STOPPED;
                trial->stops++;
            }
            continue;
        }
        if (slot < trial->n_slots)
            kill(-pid, SIGKILL);
        if (reap_one(trial, pid, &status) != pid)
            return;
        if (slot < trial->n_slots) {
            trial->pids[slot] = 0;
            note_death(trial, slot, status, stopping);
        }
    }
}

static bool trial_any_process(const struct trial *trial)
{
    for (unsigned i = 0; i < trial->n_slots; i++)
        if (trial->pids[i])
            return true;
    return false;
}

/* For at most 20 ms. */
static void await_signal(void)
{
    ppoll(NULL, 0, &(struct timespec){.tv_nsec = 20000000}, signals_wait_mask());
}

/* Waits until they have ended, at most 10 s: not even SIGKILL ends a process that hangs in the kernel. */
static void trial_kill_all(struct trial *trial)
{
    uint64_t until = clock_raw_ns() + KILL_DEADLINE_NS;

    for (;;) {
        signal_parties(trial, SIGKILL); /* again, in case that the signal failed */
        for (unsigned i = 0; i < trial->n_slots; i++)
            if (trial->pids[i])
                task_end_realtime(trial->pids[i]); /* it may reap children itself */
        reap(trial, true);
        if (!trial_any_process(trial) || clock_raw_ns() >= until)
            return;
        await_signal();
    }
}

bool trial_slots_reached(const struct trial *trial, enum party_state state, bool measured_only)
{
    for (unsigned i = 0; i < trial->n_slots; i++) {
        if (measured_only && party_of(trial, i)->role != ROLE_MEASURED)
            continue;
        if (__atomic_load_n(&trial->head->slot[i].state, __ATOMIC_ACQUIRE) < (uint32_t)state)
            return false;
    }
    return true;
}

static void note_failed_slots(struct trial *trial)
{
    for (unsigned i = 0; i < trial->n_slots; i++)
        if (__atomic_load_n(&trial->head->slot[i].state, __ATOMIC_ACQUIRE) == STATE_FAILED)
            note_death(trial, i, 0, false);
}

static void tick(struct trial *trial)
{
    const uint64_t now = clock_raw_ns();

    if (!trial->tick_ns || now < trial->tick_ns)
        return;
    trial->spec.tick(trial->spec.tick_context, trial, now - trial->gate_ns);
    trial->tick_ns = now + TICK_NS;
}

void trial_wait_event(struct trial *trial, uint64_t until_ns, bool stopping)
{
    struct pollfd poll_events = {.fd = trial->event_read, .events = POLLIN};
    const uint64_t wake = trial->tick_ns ? smaller(trial->tick_ns, until_ns) : until_ns;
    const uint64_t now = clock_raw_ns();
    const struct timespec timeout = clock_timespec(wake > now ? wake - now : 0);
    char bytes[256];

    if ((trial->may_end_early || !signals_pending()) && ppoll(&poll_events, 1, &timeout, signals_wait_mask()) > 0) {
        ssize_t ignored = read(trial->event_read, bytes, sizeof(bytes));
        (void)ignored;
    }
    if (clock_raw_ns() > until_ns + LATE_NS) {
        trial->late = true;
        trial->stops++;
    }
    if (signals_pending() && !trial->may_end_early)
        trial_fail(trial, TRIAL_INTERRUPTED, "ended by a signal");
    else if (signals_stop_wanted()) { /* Ctrl-Z: stops and continues the parties with the parent */
        signal_parties(trial, SIGSTOP);
        signals_stop();
        signal_parties(trial, SIGCONT);
        trial->stopped = true;
        trial->stops++;
    }
    note_failed_slots(trial);
    reap(trial, stopping);
    tick(trial);
}

/* Waits until all parties, or all measured ones, have this state; STATE_RUNNING: until all have passed the gate, of
 * which the last sets the common start. Returns false when the trial failed, or limit_ns after from_ns
 * (CLOCK_MONOTONIC_RAW); then the trial fails with "WHAT within LIMIT" unless what is NULL. The deadline restarts when
 * a party or the parent was stopped. Before the run the parties are checked each second, in case a wake-up was lost;
 * then the end of a process wakes the parent. */
static bool trial_wait_for(struct trial *trial, enum party_state state, bool measured_only, uint64_t from_ns,
                           uint64_t limit_ns, const char *what)
{
    uint64_t deadline_ns = from_ns + limit_ns;
    unsigned stops = trial->stops;

    while (trial->outcome == TRIAL_DONE &&
           !(state == STATE_RUNNING ? __atomic_load_n(&trial->head->started, __ATOMIC_ACQUIRE)
                                    : trial_slots_reached(trial, state, measured_only))) {
        const uint64_t now = clock_raw_ns();
        if (stops != trial->stops)
            deadline_ns = now + limit_ns;
        stops = trial->stops;
        if (now >= deadline_ns) {
            if (what)
                trial_fail(trial, TRIAL_FAILED, "%s within %s%s; killed", what, TEXT_DURATION(limit_ns),
                           trial->halted ? ": stopped by a signal and not continued" : "");
            return false;
        }
        trial_wait_event(trial, state == STATE_DONE ? deadline_ns : smaller(now + LOOK_AGAIN_NS, deadline_ns),
                         state == STATE_DONE && !measured_only);
    }
    note_failed_slots(trial);
    return trial->outcome == TRIAL_DONE;
}

/* --- Starts the processes. --- */

/* Opens the pipes of a copy in its first party. The parent closes them when the copy is started: an open end would hide
 * end of file, and hundreds of copies would use up its descriptors. */
static int open_pipes(struct trial *trial, unsigned slot)
{
    struct trial_slot *s = &trial->head->slot[slot];

    for (unsigned p = 0; !s->of_load && s->party == 0 && p < trial->spec.bench->n_pipes; p++)
        if (pipe2(s->pipes[p], O_CLOEXEC))
            return -errno;
    if (!s->of_load && s->party > 0)
        memcpy(s->pipes, s[-1].pipes, sizeof(s->pipes));
    return 0;
}

static void child_main(struct trial *trial, unsigned slot)
{
    struct trial_head *head = trial->head;
    char pad[PROCESS_PAD_MAX], *envp[] = {NULL, NULL};
    const int fds[] = {head->event_fd, head->series_fd, head->shm_fd};

    setpgid(0, 0);
    signals_restore();
    const int null = open("/dev/null", O_RDWR);
    if (null >= 0) { /* without /dev (an empty root directory): the worker neither reads nor prints */
        dup2(null, 0);
        dup2(null, 1);
    }
    if (null > 1)
        close(null);
    int error = worker_keep(fds, COUNT(fds), true);
    if (!error)
        error = worker_keep(head->slot[slot].pipes[0], 2 * (size_t)trial->spec.bench->n_pipes, true);
    if (error)
        _exit(worker_not_started(head, &head->slot[slot], "keep its descriptors: fcntl", error));
    if (head->shm_fd >= 0) {
        if (head->fixed_layout)
            task_fix_layout(); /* the worker checks its layout */
        else {
            process_random_pad(pad);
            envp[0] = pad;
        }
        worker_exec(head, slot, -1, envp);
    }
    _exit(worker_run(head, slot, trial->spec.bench, trial->spec.load)); /* no exec here: seen.fresh_exec stays false */
}

static int start_process(struct trial *trial, unsigned slot)
{
    if (party_of(trial, slot)->kind != PARTY_PROCESS)
        return 0;
    pid_t pid = fork();
    if (pid < 0)
        return trial_fail(trial, TRIAL_FAILED, "cannot start process %u of %u: fork: %s%s", slot + 1, trial->n_slots,
                          strerror(errno), errno == EAGAIN ? " (RLIMIT_NPROC or the pids cgroup)" : "");
    if (pid == 0)
        child_main(trial, slot);
    setpgid(pid, pid); /* the child too: either may run first */
    trial->pids[slot] = pid;
    return signals_pending() ? trial_fail(trial, TRIAL_INTERRUPTED, "ended by a signal") : 0;
}

/* n slots from first: a copy, or the load. Returns 0, or a negative number after trial_fail(). */
static int start_parties(struct trial *trial, unsigned first, unsigned n)
{
    int error = 0;

    for (unsigned i = 0; i < n && !error; i++)
        error = open_pipes(trial, first + i);
    if (error)
        trial_fail(trial, TRIAL_FAILED, "cannot make a pipe: %s", strerror(-error));
    for (unsigned i = 0; i < n && !error; i++)
        error = start_process(trial, first + i);
    for (unsigned p = 0; p < trial->spec.bench->n_pipes; p++) {
        fd_close(&trial->head->slot[first].pipes[p][0]);
        fd_close(&trial->head->slot[first].pipes[p][1]);
    }
    return error;
}

/* --- From the gate to the end. --- */

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

static void read_machine(const struct trial *trial, struct machine_counters *out)
{
    struct cgroup_throttled throttled;

    machine_read_counters_of(trial->machine_cpus, trial->n_machine, out);
    if (cgroup_throttled(&trial->quota, &throttled))
        for (unsigned i = 0; i < trial->n_machine; i++)
            out[i].throttled_ns = throttled.ns;
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

/* Requested or expected time, with a margin, in ns. */
static uint64_t run_limit(const struct trial *trial)
{
    uint64_t expected = 0, room = DEADLINE_MARGIN_NS + (trial_turns(&trial->spec) - 1) * TURN_NS;

    if (trial->head->time_ns)
        return trial->head->time_ns * 2 + room;
    for (unsigned i = 0; i < trial->n_slots; i++)
        if (party_of(trial, i)->role == ROLE_MEASURED)
            expected = larger(expected, trial->head->slot[i].expected_ns);
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
        slot->khz = machine_cpu_khz(slot->last_cpu);
        read++;
    }
}

/* Loads go on until the measured parties are done. */
static void stop_parties(struct trial *trial, bool with_loads)
{
    __atomic_store_n(&trial->head->stop, 1, __ATOMIC_RELEASE);
    if (with_loads)
        __atomic_store_n(&trial->head->stop_loads, 1, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < trial->n_slots; i++)
        if (party_of(trial, i)->stop == STOP_KILL && trial->pids[i] &&
            (with_loads || party_of(trial, i)->role != ROLE_LOAD))
            kill(-trial->pids[i], SIGKILL);
}

/* Of a trial that failed. They have a second to end what they started in sessions of its own. */
static void await_loads(struct trial *trial, unsigned first)
{
    const uint64_t until = clock_raw_ns() + 1000000000u;

    for (unsigned i = first; i < trial->n_slots && clock_raw_ns() < until; i += !trial->pids[i]) {
        reap(trial, true);
        if (trial->pids[i])
            await_signal();
    }
}

/* A FIFO party may share the parent's CPU: only with FIFO above it can the parent end the trial on time. Workers
 * keep their policies. */
static void control_begin(struct trial *trial)
{
    int priority = CONTROL_PRIORITY, highest = 0, policy, seen, error;

    for (unsigned i = 0; i < trial->n_slots; i++) {
        const int of_party = trial->head->slot[i].placement.rt_priority;
        highest = of_party > highest ? of_party : highest;
    }
    if (!(highest || trial->spec.bench->control_fifo) ||
        task_get_policy(&trial->policy_before, &trial->priority_before))
        return;
    /* Where the user's limit (ulimit -r) is lower, it is used, unless a party has more. A low priority suffices: on the
     * CPU without real-time parties the parent is woken at once. */
    const int limit = task_realtime_limit();
    error = task_limit_own_realtime_us(CONTROL_LIMIT_US);
    if (!error && (error = task_set_policy(SCHED_FIFO, priority)) == -EPERM && limit >= highest && limit >= 1 &&
        limit < priority)
        error = task_set_policy(SCHED_FIFO, priority = limit);
    if (error) {
        TEXT_PRINT(trial->control_refused, "control: SCHED_FIFO %d refused: %s", priority, strerror(-error));
        task_limit_own_realtime_us(0);
        return;
    }
    trial->control = priority;
    if ((error = task_get_policy(&policy, &seen)))
        TEXT_PRINT(trial->control_refused, "control: SCHED_FIFO cannot be read back: %s", strerror(-error));
    else if (policy != SCHED_FIFO || seen != priority)
        TEXT_SET(trial->control_refused, "control: SCHED_FIFO was not kept");
}

static void add_load_counts(struct trial *trial, double sign)
{
    trial->load_s += sign * (double)clock_raw_ns() * 1e-9;
    for (unsigned i = 0; i < trial->n_slots; i++) {
        const struct trial_slot *slot = &trial->head->slot[i];
        if (!slot->of_load || party_of(trial, i)->kind != PARTY_PROCESS)
            continue;
        const double *counts = (const void *)((const char *)trial->head + slot->recorder[0]);
        for (unsigned c = 0; c < LOAD_COUNTS; c++)
            trial->load_count[c] += sign * counts[c];
    }
}

/* The processes are started: waits until they are ready, opens the gate, waits until all are done. */
static void run_gated(struct trial *trial)
{
    struct trial_head *head = trial->head;
    struct cpuset all = {0};
    uint64_t limit, last = 0, now;

    if (!trial_wait_for(trial, STATE_READY, false, clock_raw_ns(), head->setup_limit_ns, "not ready"))
        return;
    limit = head->limit_ns = run_limit(trial);
    gather_cpus(trial);
    for (unsigned i = 0; i < trial->n_machine; i++)
        cpuset_union(&all, &trial->machine_cpus[i]);
    if (recorded(trial) != WHO_NEVER)
        interference_begin(trial->spec.watch, &all, head->time_ns, recorded(trial) == WHO_LAST);
    /* Subtracted from those after it, below. */
    struct machine_counters *const before = trial->machine + trial->n_machine;
    read_machine(trial, before);
    head->lead_ns = LEAD_NS + (uint64_t)LEAD_PER_SLOT_NS * trial->n_slots;
    for (unsigned i = 0; i < trial->n_slots; i++)
        head->to_arrive += !party_of(trial, i)->before_gate;
    /* Until a lead before --start-at. Repeatedly, since the clock may be set; the end of a party or a signal ends it.
     */
    while (trial->outcome == TRIAL_DONE && (now = clock_realtime_ns()) + head->lead_ns < trial->spec.start_at_ns)
        trial_wait_event(trial, clock_raw_ns() + smaller(trial->spec.start_at_ns - head->lead_ns - now, TIME_OF_DAY_NS),
                         false);
    control_begin(trial);
    futex_set(&head->gate, GATE_OPEN);
    if (!trial_wait_for(trial, STATE_RUNNING, false, clock_raw_ns(), head->setup_limit_ns, "not started"))
        return;
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
        trial_wait_for(trial, STATE_DONE, true, clock_raw_ns(), LOAD_GRACE_NS, NULL);
        add_load_counts(trial, 1);
        stop_parties(trial, true);
    }
    trial_wait_for(trial, STATE_DONE, true, head->start_ns, limit, "not done");
    if (!head->time_ns)
        add_load_counts(trial, 1);
    trial->tick_ns = 0;
    stop_parties(trial, true);
    /* Killed parties do not set STATE_DONE. */
    for (unsigned i = 0; i < trial->n_slots; i++)
        if (party_of(trial, i)->stop == STOP_KILL)
            __atomic_store_n(&head->slot[i].state, STATE_DONE, __ATOMIC_RELEASE);
    trial_wait_for(trial, STATE_DONE, false, clock_raw_ns(), DEADLINE_MARGIN_NS, "not all parties ended");
    read_machine(trial, trial->machine);
    known_subtract(trial->machine, before, trial->n_machine * sizeof(*before));
    if (recorded(trial) != WHO_NEVER)
        interference_stop(trial->spec.watch);
    read_frequencies(trial);
    for (unsigned i = 0; i < trial->n_slots; i++)
        if (party_of(trial, i)->role == ROLE_MEASURED)
            last = larger(last, head->slot[i].end_ns);
    trial->wall_ns = last > trial->gate_ns ? last - trial->gate_ns : 0;
}

/* Removed however the trial or this process ends. */
static int make_load_group(struct trial *trial, struct scratch_keeper *keeper)
{
    struct scratch_note *note = &trial->head->load_group;
    struct error why;
    char parent[PATH_MAX];

    if (!trial->spec.load_cpu.weight && !(trial->spec.load_cpu.limit > 0))
        return 0;
    *keeper = (struct scratch_keeper){.note = note, .orphaned = trial_orphaned, .context = trial->head};
    int error = cgroup_cpu_parent(parent, sizeof(parent), &why);
    error = error ? -EPERM : scratch_kept_folder(parent, keeper);
    error = error ? error : cgroup_cpu_begin(note->path, &trial->spec.load_cpu, &trial->load_cpu);
    if (error)
        trial_fail(trial, TRIAL_FAILED, "cannot make the load's control group: %s", strerror(-error));
    return error;
}

static void start_and_run(struct trial *trial)
{
    int events[2];

    if (pipe2(events, O_CLOEXEC | O_NONBLOCK)) {
        trial_fail(trial, TRIAL_FAILED, "cannot make a pipe: %s", strerror(errno));
        return;
    }
    trial->event_read = events[0];
    trial->head->event_fd = events[1];
    cgroup_quota_open(&trial->quota);
    const unsigned n = trial->spec.bench->n_parties, of_bench = trial->spec.copies * n;
    struct scratch_keeper load_group = {0};
    int error = make_load_group(trial, &load_group);
    for (unsigned slot = 0; slot < of_bench && !error; slot += n)
        error = start_parties(trial, slot, n);
    if (!error && trial->n_slots > of_bench)
        error = start_parties(trial, of_bench, trial->n_slots - of_bench);
    if (!error)
        run_gated(trial);
    if (trial->outcome != TRIAL_DONE && trial->spec.watch)
        interference_stop(trial->spec.watch);
    cgroup_quota_close(&trial->quota);
    if (trial->outcome != TRIAL_DONE) {
        futex_set(&trial->head->gate, GATE_ABORTED);
        stop_parties(trial, true);
        await_loads(trial, of_bench);
    } else /* a second to end by themselves */
        for (const uint64_t until = clock_raw_ns() + 1000000000u;
             trial->outcome == TRIAL_DONE && trial_any_process(trial) && clock_raw_ns() < until;)
            trial_wait_event(trial, until, true);
    trial_kill_all(trial);
    if (trial->control) {
        task_set_policy(trial->policy_before, trial->priority_before);
        task_limit_own_realtime_us(0);
    }
    const struct time_span time = {trial->gate_ns, trial->gate_ns + trial->wall_ns};
    if (recorded(trial) == WHO_SUMS && trial->outcome == TRIAL_DONE)
        interference_tell(trial->spec.watch, trial->machine_cpus, trial->n_machine, &time, trial->interference);
    remove_scratch(trial->head);
    scratch_keeper_end(&load_group);
    close(events[0]);
    close(events[1]);
}

struct trial *trial_run(const struct trial_spec *spec)
{
    struct trial *trial = calloc(1, sizeof(*trial));
    const unsigned n_slots = trial_slots(spec);

    if (!trial)
        return NULL;
    trial->spec = *spec;
    trial->n_slots = n_slots;
    trial->n_machine = spec->bench->group_per_copy ? spec->copies : 1;
    trial->pids = calloc(n_slots, sizeof(*trial->pids));
    trial->machine = calloc(2 * (size_t)trial->n_machine, sizeof(*trial->machine));
    trial->machine_cpus = calloc(trial->n_machine, sizeof(*trial->machine_cpus));
    trial->interference = calloc(trial->n_machine, sizeof(*trial->interference));
    if (!trial->pids || !trial->machine || !trial->machine_cpus || !trial->interference) {
        trial_free(trial);
        return NULL;
    }
    const int error = trial_make_shm(trial);
    if (error)
        trial_fail(trial, TRIAL_FAILED, "cannot share memory with workers: mmap: %s", strerror(-error));
    else
        start_and_run(trial);
    return trial;
}

void trial_free(struct trial *trial)
{
    if (!trial)
        return;
    if (trial->head) {
        fd_close(&trial->head->shm_fd);
        munmap(trial->head, trial->head->size);
    }
    free(trial->pids);
    free(trial->machine);
    free(trial->machine_cpus);
    for (unsigned i = 0; trial->interference && i < trial->n_machine; i++)
        shares_free(&trial->interference[i].taken);
    free(trial->interference);
    free(trial);
}
