/* SPDX-License-Identifier: MIT */
/* A process of a trial: what its parties call, and its way from placement to the last counter; new process images. */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "engine/trial.h"

/* For a living parent to kill all parties, after one has ended unexpectedly. */
#define ORPHANED_NS 500000000u

bool party_stopped(const struct party_context *context)
{
    const struct trial_head *head = context->head;

    return __atomic_load_n(context->slot->of_load ? &head->stop_loads : &head->stop, __ATOMIC_RELAXED) != 0;
}

void party_stop_all(const struct party_context *context)
{
    __atomic_store_n(&context->head->stop, 1, __ATOMIC_RELEASE);
}

int party_make_state(struct party_context *context, const struct party *party)
{
    void *state;

    if (!party->state_size)
        return 0;
    if (posix_memalign(&state, 64, party->state_size))
        return party_fail(context, "out of memory");
    context->state = memset(state, 0, party->state_size);
    return 0;
}

void party_degraded(struct party_context *context, const char *format, ...)
{
    struct trial_slot *slot = context->slot;
    va_list arguments;

    if (slot->refused[0])
        return;
    va_start(arguments, format);
    vsnprintf(slot->refused, sizeof(slot->refused), format, arguments);
    va_end(arguments);
}

void party_measured(struct party_context *context, const struct party_measured *measured)
{
    struct trial_slot *slot = context->slot;

    slot->stands_for = true;
    slot->counters = *measured->counters;
    slot->seen = measured->seen;
    slot->seen.fresh_exec = true;
    slot->start_ns = measured->start_ns;
    slot->end_ns = measured->end_ns;
    slot->last_cpu = measured->last_cpu;
}

/* Spins for a moment, since they nearly always arrive together, then sleeps. */
void party_barrier(struct party_context *context)
{
    struct trial_head *head = context->head;
    uint32_t *arrived = &head->barrier_arrived[context->slot->party];
    uint32_t *round = &head->barrier_round[context->slot->party];
    uint32_t now = __atomic_load_n(round, __ATOMIC_ACQUIRE);

    if (__atomic_add_fetch(arrived, 1, __ATOMIC_ACQ_REL) == context->copies) {
        __atomic_store_n(arrived, 0, __ATOMIC_RELEASE);
        __atomic_add_fetch(round, 1, __ATOMIC_ACQ_REL);
        futex_wake_all(round);
        return;
    }
    for (unsigned i = 0; i < 2000; i++)
        if (__atomic_load_n(round, __ATOMIC_ACQUIRE) != now)
            return;
    while (__atomic_load_n(round, __ATOMIC_ACQUIRE) == now)
        futex_wait(round, now);
}

/* In the worker: the parent then checks the states of all parties. */
static void wake_parent(const struct trial_head *head)
{
    char byte = 0;

    while (write(head->event_fd, &byte, 1) < 0 && errno == EINTR) {
        /* when the pipe is full the parent wakes up anyway */
    }
}

void remove_scratch(const struct trial_head *head)
{
    for (unsigned i = 0; i < head->n_slots; i++)
        scratch_remove_noted(&head->slot[i].scratch);
    scratch_remove_noted(&head->load_group);
}

/* Gives the parent, if it lives, time to end the other parties. */
void trial_orphaned(void *head)
{
    clock_sleep_ns(ORPHANED_NS);
    remove_scratch(head);
}

int party_scratch_folder(struct party_context *context, const char *dir, struct scratch_keeper *keeper)
{
    *keeper =
        (struct scratch_keeper){.note = &context->slot->scratch, .orphaned = trial_orphaned, .context = context->head};
    return scratch_kept_folder(dir, keeper);
}

void party_proved(struct party_context *context)
{
    uint32_t starting = STATE_STARTING;

    if (__atomic_compare_exchange_n(&context->slot->state, &starting, STATE_READY, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        wake_parent(context->head);
}

/* --- From placement to the last counter. --- */

/* Blocks of at least WARM_BLOCK_NS until the rates of three in a row differ by at most WARM_FLAT, or for
 * WARM_LIMIT_NS. */
#define WARM_BLOCK_NS 5000000u
#define WARM_LIMIT_NS 250000000u
#define WARM_FLAT     0.01

/* s, beside a run of no planned length; the parent ends the load long before. */
#define LOAD_LIMIT_S 86400

/* ns of real-time CPU time beyond twice the planned, before the kernel ends the party (RLIMIT_RTTIME). */
#define REALTIME_MARGIN_NS 2000000000u

static void set_state(struct trial_head *head, struct trial_slot *slot, enum party_state state)
{
    __atomic_store_n(&slot->state, state, __ATOMIC_RELEASE);
    wake_parent(head);
}

/* After ns SIGALRM ends the process, even if a real-time loop uses up its CPU. The timer survives exec, and needs no
 * thread. */
static void watchdog(uint64_t ns)
{
    const struct itimerval timer = {.it_value = {.tv_sec = (time_t)(ns / 1000000000u) + 1}};
    sigset_t alarm_alone;

    /* Inherited from the parent. */
    signal(SIGALRM, SIG_DFL);
    sigemptyset(&alarm_alone);
    sigaddset(&alarm_alone, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarm_alone, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void fill_context(struct trial_head *head, struct trial_slot *slot, const struct party *party,
                         const struct bench *bench, struct party_context *context)
{
    *context = (struct party_context){
        .bench = slot->of_load ? NULL : bench,
        .params = (char *)head + (slot->of_load ? head->load_params_offset : head->params_offset),
        .shared = (char *)head + slot->shared,
        .copy = slot->copy,
        .copies = head->copies,
        .sample = head->sample,
        .clock = head->clock,
        .core_probe = head->core_probe.blocks && party->role == ROLE_MEASURED ? &head->core_probe : NULL,
        .time_ns = head->time_ns,
        .baton = &slot->baton,
        .pipes = (const int(*)[2])slot->pipes,
        .series_fd = head->series_fd,
        .reason = slot->reason,
        .reason_size = sizeof(slot->reason),
        .head = head,
        .slot = slot,
    };
    for (unsigned i = 0; i < party->n_recorders; i++)
        context->recorder[i] = (char *)head + slot->recorder[i];
}

/* *rate: units per second. */
static int timed_block(struct party_context *context, const struct party *party, uint64_t count, double *rate)
{
    uint64_t start = clock_raw_ns();

    if (party->work(context, count))
        return -1;
    *rate = (double)count * 1e9 / (double)larger(clock_raw_ns() - start, 1);
    return 0;
}

/* Until the rate is constant: caches, branch predictors, page tables and frequency start cold. Sets context->rate
 * and, with counts(), expected_ns. */
static int warm_up(struct party_context *context, const struct party *party)
{
    uint64_t begin = clock_raw_ns(), count = 1;
    double rate = 0, last[2] = {0};

    do {
        count *= rate > 0 ? 2 : 1;
        if (timed_block(context, party, count, &rate))
            return -1;
    } while ((double)count / rate * 1e9 < WARM_BLOCK_NS && clock_raw_ns() - begin <= WARM_LIMIT_NS);
    while (clock_raw_ns() - begin < WARM_LIMIT_NS) {
        const double high = fmax(rate, fmax(last[0], last[1])), low = fmin(rate, fmin(last[0], last[1]));
        if (high - low <= WARM_FLAT * high)
            break;
        last[1] = last[0];
        last[0] = rate;
        if (timed_block(context, party, count, &rate))
            return -1;
    }
    context->rate = rate;
    if (party->counts)
        context->expected_ns = (uint64_t)((double)party->counts(context->params) / rate * 1e9);
    return 0;
}

static void *recorder_of(const struct party_context *context, const struct party *party, enum recorder_kind kind)
{
    for (unsigned i = 0; i < party->n_recorders; i++)
        if (party->recorders[i].kind == kind)
            return context->recorder[i];
    return NULL;
}

/* Units that take CORE_SLICE_NS at this rate (units per second). */
static uint64_t slice_count(double rate)
{
    double fit = rate * CORE_SLICE_NS / 1e9;
    return fit < 1 ? 1 : (uint64_t)(fit + 0.999);
}

/* For work() without run(). A slice's number of units is constant unless the rate changes a lot, as when two halves
 * of the work move to one core. */
static int run_slices(struct party_context *context, const struct party *party)
{
    struct slices *slices = recorder_of(context, party, RECORD_SLICES);
    struct core_meter core = {.record = recorder_of(context, party, RECORD_CORE)};
    uint64_t count = slice_count(context->rate);

    if (!slices)
        return party_fail(context, "the benchmark declares no slices");
    core.probe = core.record ? context->core_probe : NULL;
    core_begin(&core, context->time_ns);
    uint64_t from = clock_raw_ns();
    while (!party_stopped(context)) {
        if (party->work(context, count))
            return -1;
        uint64_t to = clock_raw_ns();
        slices_add(slices, count, from, to);
        core_slice(&core, (double)count, (double)(to - from), from);
        if (party->before_gate)
            party_proved(context);
        if (to - from > 2 * CORE_SLICE_NS || to - from < CORE_SLICE_NS / 2)
            count = slice_count((double)count * 1e9 / (double)(to - from + 1));
        from = core.probe ? clock_raw_ns() : to;
    }
    return 0;
}

/* Parties are woken one after the other; the last sets the common start time. */
static void start_together(struct trial_head *head)
{
    if (__atomic_add_fetch(&head->arrived, 1, __ATOMIC_ACQ_REL) == head->to_arrive) {
        head->start_ns = clock_raw_ns() + head->lead_ns;
        futex_set(&head->started, 1);
        wake_parent(head);
    }
    futex_await(&head->started);
}

static void wait_until(uint64_t ns)
{
    uint64_t now = clock_raw_ns();

    if (now + 200000u < ns)
        clock_sleep_ns(ns - now - 100000u);
    clock_spin_until(ns);
}

/* When the last of a party's CPUs goes offline, the kernel moves it to another: the row is degraded. */
static void note_moved(struct party_context *context)
{
    const struct trial_slot *slot = context->slot;
    char cpus[48];

    if (!cpuset_count(&slot->seen.cpus) || slot->last_cpu == CPUSET_NONE ||
        cpuset_has(&slot->seen.cpus, slot->last_cpu))
        return;
    cpuset_format(&slot->seen.cpus, cpus, sizeof(cpus));
    party_degraded(context, "taken off CPU %s in mid-run, and ended on CPU %u: was it put offline?", cpus,
                   slot->last_cpu);
}

/* Until the self-check. Returns nonzero when it failed. */
static int run_behind_gate(struct party_context *context, const struct party *party)
{
    struct trial_head *head = context->head;
    struct trial_slot *slot = context->slot;
    struct task_counters before;
    struct counters_reading events_before = {0}, events;
    const bool at_exec = party->children == CHILDREN_INHERIT;
    bool fresh_exec = slot->seen.fresh_exec;
    int failed;

    if (slot->baton.execs == 0) {
        uint32_t gate = GATE_OPEN;
        while (!party->before_gate && (gate = __atomic_load_n(&head->gate, __ATOMIC_ACQUIRE)) == GATE_CLOSED)
            futex_wait(&head->gate, GATE_CLOSED);
        if (gate != GATE_OPEN)
            return party_fail(context, "ended before the gate opened");
        place_read_back(&slot->seen);
        slot->seen.fresh_exec = fresh_exec;
        task_read_counters(&before);
        if (!party->before_gate) {
            watchdog(head->limit_ns);
            start_together(head);
            wait_until(head->start_ns);
            task_read_usage(&before); /* again: without the wait for the start */
        }
        if (at_exec)
            counters_read(&slot->events, &events_before);
        else
            counters_start();
        slot->counters = before;
        slot->start_ns = slot->baton.start_ns = clock_raw_ns();
        /* Nobody waits for STATE_RUNNING, and the parent must not run during the measurement. A before_gate party
         * reports itself. */
        if (!party->before_gate)
            __atomic_store_n(&slot->state, STATE_RUNNING, __ATOMIC_RELEASE);
    } else {
        before = slot->counters; /* after party_exec() the kernel's counters go on */
    }
    failed = party->run ? party->run(context) : run_slices(context, party);
    const uint64_t end_ns = clock_raw_ns();
    if (!at_exec)
        counters_stop();
    counters_read(&slot->events, &events);
    counters_difference(&events_before, &events, &slot->counts);
    counters_close(&slot->events);
    if (!slot->stands_for) {
        slot->end_ns = end_ns;
        task_read_counters(&slot->counters);
        known_subtract(&slot->counters, &before, sizeof(before));
        slot->last_cpu = task_current_cpu();
        note_moved(context);
    }
    if (!failed && party->verify)
        failed = party->verify(context);
    const struct checks *checks = recorder_of(context, party, RECORD_CHECKS);
    const struct check *wrong = !failed && checks ? checks_wrong(checks) : NULL;
    return wrong ? party_fail(context, "self-check failed: %s is %.17g, not %.17g", wrong->name, wrong->got,
                              wrong->expected)
                 : failed;
}

/* Returns nonzero when it failed. */
static int party_main(struct trial_head *head, struct trial_slot *slot, const struct party *party,
                      const struct bench *bench)
{
    struct party_context context;
    bool again = slot->baton.execs > 0;
    int failed = 0;

    fill_context(head, slot, party, bench, &context);
    if (!again) {
        slot->baton.image_fd = -1;
        place_apply(&slot->placement, slot->refused, sizeof(slot->refused));
        if (slot->of_load) { /* threads that its setup starts inherit it */
            const int error = head->load_group.path[0] ? cgroup_write(head->load_group.path, "cgroup.procs", 0, "") : 0;
            if (error)
                party_degraded(&context, "not in its control group: %s", strerror(-error));
            place_apply_policy(&slot->placement, 0, slot->refused, sizeof(slot->refused));
        }
        for (unsigned i = 0; i < party->n_recorders; i++) {
            const struct recorder_spec spec = party_recorder(party, i, context.params);
            recorder_init(&spec, context.recorder[i]);
        }
    }
    failed = party_make_state(&context, party);
    if (!failed && party->setup && (failed = party->setup(&context)) && !slot->reason[0])
        party_fail(&context, "the set-up of %s failed", party->name);
    if (!failed && !again) {
        if (party->work)
            failed = warm_up(&context, party);
        slot->rate = context.rate;
        slot->expected_ns = context.expected_ns;
        /* Only now: setup() needs no priority, and the limit depends on the expected time. */
        const uint64_t planned = larger(head->time_ns, context.expected_ns);
        if (!slot->of_load)
            place_apply_policy(&slot->placement, (planned * 2 + REALTIME_MARGIN_NS) / 1000, slot->refused,
                               sizeof(slot->refused));
        /* With CHILDREN_INHERIT only children are counted, each from its exec on. */
        if (head->counted && party->role == ROLE_MEASURED)
            counters_open(&slot->events, party->children != CHILDREN_NONE, party->children == CHILDREN_INHERIT);
        else
            counters_none(&slot->events, -ECANCELED);
        if (party->children == CHILDREN_THREADS && task_resets_on_fork())
            (void)task_set_policy_inherited(slot->placement.policy, slot->placement.rt_priority);
        if (party->children && (party->children != CHILDREN_INHERIT || slot->placement.policy == TASK_DEADLINE) &&
            task_resets_on_fork())
            party_degraded(&context, "children run with the normal policy");
        if (!failed && !party->before_gate)
            set_state(head, slot, STATE_READY);
    }
    context.rate = slot->rate;
    if (!failed)
        failed = run_behind_gate(&context, party);
    if (party->teardown && (context.state || !party->state_size))
        party->teardown(&context);
    if (party->state_size)
        free(context.state);
    set_state(head, slot, failed ? STATE_FAILED : STATE_DONE);
    return failed;
}

struct thread_start {
    pthread_t thread;
    struct trial_head *head;
    struct trial_slot *slot;
    const struct party *party;
    const struct bench *bench;
};

static void *thread_main(void *argument)
{
    struct thread_start *start = argument;

    party_main(start->head, start->slot, start->party, start->bench);
    return NULL;
}

int worker_not_started(struct trial_head *head, struct trial_slot *slot, const char *what, int error)
{
    TEXT_PRINT(slot->reason, "cannot %s: %s%s", what, strerror(-error),
               error == -EAGAIN ? " (RLIMIT_NPROC or the pids cgroup)" : "");
    set_state(head, slot, STATE_FAILED);
    return 1;
}

int worker_run(struct trial_head *head, unsigned number, const struct bench *bench, const struct load *load)
{
    struct trial_slot *slot = &head->slot[number];
    const struct party *party = party_in_shm(slot, bench, load);
    struct thread_start starts[PARTIES_MAX];
    unsigned n_threads = 0;
    int error = 0;

    /* They survive exec, for an image that replaces the worker's own (party_exec()). */
    if (slot->baton.execs == 0) {
        if ((error = task_die_with_parent(head->parent, SIGKILL)))
            return worker_not_started(head, slot, "be bound to its parent: prctl", error);
        /* Until the gate opens; for the whole trial in before_gate parties. */
        const uint64_t run_ns = head->time_ns ? head->time_ns * 2 : (uint64_t)LOAD_LIMIT_S * 1000000000u;
        watchdog(party->before_gate ? head->setup_limit_ns * 2 + run_ns : head->setup_limit_ns);
        task_set_name("jitbench");
        if (party->role == ROLE_LOAD)
            task_offer_to_oom_killer(); /* killed before the measured party when memory runs out */
    }
    /* Each copy, and the load, begins with a process. */
    for (unsigned i = number + 1; i < head->n_slots; i++) {
        const struct party *other = party_in_shm(&head->slot[i], bench, load);
        if (other->kind != PARTY_THREAD)
            break;
        head->slot[i].seen.fresh_exec = slot->seen.fresh_exec;
        struct thread_start *start = &starts[n_threads++];
        *start = (struct thread_start){.head = head, .slot = &head->slot[i], .party = other, .bench = bench};
        if ((error = pthread_create(&start->thread, NULL, thread_main, start)))
            return worker_not_started(head, slot, "start a thread", -error);
    }
    const int failed = party_main(head, slot, party, bench);
    for (unsigned i = 0; i < n_threads; i++)
        pthread_join(starts[i].thread, NULL);
    return failed ? 1 : 0;
}

/* --- New process images. --- */

/* Without printf, so that a new image has a few pages less to map. */
static void put_number(char buf[16], unsigned number)
{
    char digits[16];
    unsigned n = 0;

    do
        digits[n++] = (char)('0' + number % 10);
    while (number /= 10);
    while (n)
        *buf++ = digits[--n];
    *buf = 0;
}

int worker_keep(const int *fds, size_t n, bool keep)
{
    int error = 0;

    for (size_t i = 0; i < n; i++)
        if (fds[i] >= 0 && fcntl(fds[i], F_SETFD, keep ? 0 : FD_CLOEXEC))
            error = -errno;
    return error;
}

/* The engine's: for the next image, not for programs that the party starts. Returns 0 or -errno. */
static int keep_across_exec(const struct trial_head *head, const struct trial_slot *slot, bool keep)
{
    const int fds[] = {head->shm_fd, head->event_fd, head->series_fd}, error = worker_keep(fds, COUNT(fds), keep);

    return keep && !error ? worker_keep(slot->events.fd, COUNTERS, true) : error;
}

int worker_exec(const struct trial_head *head, unsigned slot, int image_fd, char *const envp[])
{
    char fd[16], number[16];
    char *argv[] = {(char *)"jitbench", (char *)"@worker", fd, number, NULL};

    put_number(fd, (unsigned)head->shm_fd);
    put_number(number, slot);
    return image_fd < 0 ? process_exec_self(argv, envp) : scratch_exec(image_fd, argv, envp);
}

int party_exec(struct party_context *context)
{
    struct trial_head *head = context->head;
    struct trial_slot *slot = context->slot;
    char *envp[] = {NULL};
    int error;

    if (head->shm_fd < 0)
        return -ENOSYS;
    if (slot->baton.image_fd < 0)
        process_init(); /* a new image has not called it yet */
    if (slot->baton.execs == 0 && (error = keep_across_exec(head, slot, true)))
        return error;
    slot->baton.execs++;
    error = worker_exec(head, (unsigned)(slot - head->slot), slot->baton.image_fd, envp);
    slot->baton.execs--;
    return error;
}

/* Below 1000000; -1: no number. */
static long small_number(const char *text)
{
    long value = 0;

    if (!*text)
        return -1;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || value >= 100000)
            return -1;
        value = value * 10 + (*text - '0');
    }
    return value;
}

void trial_worker_main(int argc, char **argv, const struct bench *const *benches, const struct load *const *loads)
{
    struct stat status;
    char build[sizeof(((struct trial_head *)0)->build)];

    if (argc != 4 || strcmp(argv[1], "@worker"))
        return;
    long fd = small_number(argv[2]), slot = small_number(argv[3]);
    if (fd >= 0 && fstat((int)fd, &status))
        _exit(WORKER_NO_FSTAT);
    if (fd < 0 || slot < 0 || status.st_size < (off_t)sizeof(struct trial_head))
        _exit(WORKER_ASTRAY);
    struct trial_head *head = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
    if (head == MAP_FAILED)
        _exit(WORKER_NO_MMAP);
    if (head->magic != SHM_MAGIC || head->size != (size_t)status.st_size || slot >= (long)head->n_slots)
        _exit(WORKER_ASTRAY);
    while (*benches && strcmp((*benches)->name, head->bench))
        benches++;
    while (head->load[0] && *loads && strcmp((*loads)->name, head->load))
        loads++;
    const struct load *load = head->load[0] ? *loads : NULL;
    if (!*benches || (head->load[0] && !load))
        _exit(WORKER_ASTRAY);
    if (head->slot[slot].baton.execs == 0) {
        process_build_id(build, sizeof(build));
        if (strcmp(build, head->build)) /* the program's file was replaced */
            _exit(WORKER_ASTRAY);
        process_init();
        keep_across_exec(head, &head->slot[slot], false);
        head->slot[slot].seen.fresh_exec = true;
    }
    _exit(worker_run(head, (unsigned)slot, *benches, load));
}
