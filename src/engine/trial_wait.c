/* SPDX-License-Identifier: MIT */
/* Waits for the parties; handles their ends, stops by signals, and deadlines. trial.c decides how long a run may
 * take. */
#include "engine/trial_state.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/engine.h"
#include "rows/text.h"
#include "sys/process.h"

#define KILL_DEADLINE_NS 10000000000u

/* Woken so late, the parent was stopped (SIGSTOP, a frozen container, a paused machine) or had no CPU. */
#define LATE_NS       500000000u
#define LOOK_AGAIN_NS 1000000000u

void trial_fail(struct trial *trial, enum trial_outcome outcome, const char *format, ...)
{
    va_list args;

    if (trial->outcome != TRIAL_DONE)
        return; /* only the first reason counts */
    trial->outcome = outcome;
    va_start(args, format);
    (void)vsnprintf(trial->reason, sizeof(trial->reason), format, args);
    va_end(args);
}

static void describe_slot(const struct trial *trial, unsigned slot, char *buf, size_t size)
{
    const struct trial_slot *s = &trial->head->slot[slot];
    const struct bench *bench = trial->spec.bench;

    if (s->of_load)
        (void)snprintf(buf, size, "the load %s", trial->spec.load->name);
    else if (bench->n_parties > 1 && trial->spec.copies > 1)
        (void)snprintf(buf, size, "%s of copy %u", bench->parties[s->party].name, s->copy);
    else if (trial->spec.copies > 1)
        (void)snprintf(buf, size, "copy %u", s->copy);
    else
        (void)snprintf(buf, size, "%s", bench->n_parties > 1 ? bench->parties[s->party].name : "the worker");
}

static void describe_death(int status, char *buf, size_t size)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        text_copy(buf, size, "was ended by its watchdog: it ran far longer than planned");
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU && task_has_cpu_limit())
        text_copy(buf, size, "was ended by its limit of CPU time (RLIMIT_CPU)");
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        text_copy(buf, size, "was ended by its limit of real-time CPU time (RLIMIT_RTTIME)");
    else if (WIFSIGNALED(status))
        signals_describe_kill(WTERMSIG(status), buf, size);
    else if (WEXITSTATUS(status) == WORKER_NO_FSTAT || WEXITSTATUS(status) == WORKER_NO_MMAP)
        (void)snprintf(buf, size, "ended early: it cannot share memory with its parent (%s failed)",
                       WEXITSTATUS(status) == WORKER_NO_MMAP ? "mmap" : "fstat");
    else if (WEXITSTATUS(status) == WORKER_ASTRAY)
        text_copy(buf, size, "ended early: it is not the program that started it (was the file replaced?)");
    else if (WEXITSTATUS(status) == WORKER_UNBORN)
        (void)snprintf(buf, size, "ended early with exit status %d: the C library gave up before it began",
                       WEXITSTATUS(status));
    else
        (void)snprintf(buf, size, "ended early with exit status %d", WEXITSTATUS(status));
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
    describe_slot(trial, slot, who, sizeof(who));
    describe_death(status, how, sizeof(how));
    if (state == STATE_FAILED && s->reason[0])
        trial_fail(trial, TRIAL_FAILED, "%s%s%s", s->of_load ? who : "", s->of_load ? ": " : "", s->reason);
    else
        trial_fail(trial, TRIAL_FAILED, "%s %s", who, how);
}

/* Since the last call: the deadlines restart, and the trial does not count. */
static void note_stops(struct trial *trial)
{
    siginfo_t info;

    for (;;) {
        info.si_pid = 0;
        if (waitid(P_ALL, 0, &info, WSTOPPED | WCONTINUED | WNOHANG) || info.si_pid == 0)
            return;
        for (unsigned i = 0; i < trial->n_slots; i++)
            if (trial->pids[i] == info.si_pid) {
                trial->stopped = true;
                trial->halted = info.si_code == CLD_STOPPED;
                trial->stops++;
            }
    }
}

/* Ctrl-Z: stops the parties, which are in process groups of their own; continues them with the parent. */
static void stop_with_parties(struct trial *trial)
{
    for (unsigned i = 0; i < trial->n_slots; i++)
        if (trial->pids[i])
            (void)kill(-trial->pids[i], SIGSTOP);
    signals_stop();
    for (unsigned i = 0; i < trial->n_slots; i++)
        if (trial->pids[i])
            (void)kill(-trial->pids[i], SIGCONT);
    trial->stopped = true;
    trial->stops++;
}

/* Kills what is left of the process groups: parties leave no processes behind. While the leader is a zombie no other
 * group can have its ID. */
static void reap(struct trial *trial, bool stopping)
{
    siginfo_t info;
    int status;

    for (;;) {
        info.si_pid = 0;
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid == 0)
            return;
        for (unsigned i = 0; i < trial->n_slots; i++)
            if (trial->pids[i] == info.si_pid)
                (void)kill(-info.si_pid, SIGKILL);
        if (waitpid(info.si_pid, &status, 0) != info.si_pid)
            return;
        for (unsigned i = 0; i < trial->n_slots; i++)
            if (trial->pids[i] == info.si_pid) {
                trial->pids[i] = 0;
                note_death(trial, i, status, stopping);
            }
    }
}

bool trial_any_process(const struct trial *trial)
{
    for (unsigned i = 0; i < trial->n_slots; i++)
        if (trial->pids[i])
            return true;
    return false;
}

static void kill_parties(const struct trial *trial)
{
    for (unsigned i = 0; i < trial->n_slots; i++)
        if (trial->pids[i]) {
            (void)kill(-trial->pids[i], SIGKILL);
            (void)kill(trial->pids[i], SIGKILL); /* perhaps not in its group yet */
        }
}

void trial_kill_all(struct trial *trial)
{
    uint64_t until = clock_raw_ns() + KILL_DEADLINE_NS;
    struct timespec pause = {.tv_nsec = 20000000};

    kill_parties(trial);
    reap(trial, true);
    while (trial_any_process(trial) && clock_raw_ns() < until) {
        (void)ppoll(NULL, 0, &pause, signals_wait_mask());
        kill_parties(trial); /* again, in case that the signal failed */
        reap(trial, true);
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
    trial->spec.tick(trial->spec.tick_context, now - trial->gate_ns);
    trial->tick_ns = now + TICK_NS;
}

void trial_wait_event(struct trial *trial, uint64_t until_ns, bool stopping)
{
    struct pollfd poll_events = {.fd = trial->event_read, .events = POLLIN};
    uint64_t wake = trial->tick_ns && trial->tick_ns < until_ns ? trial->tick_ns : until_ns;
    uint64_t now = clock_raw_ns(), left = wake > now ? wake - now : 0;
    struct timespec timeout = {.tv_sec = (time_t)(left / 1000000000u), .tv_nsec = (long)(left % 1000000000u)};
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
    else if (signals_stop_wanted())
        stop_with_parties(trial);
    note_stops(trial);
    note_failed_slots(trial);
    reap(trial, stopping);
    tick(trial);
}

struct deadline deadline_at(const struct trial *trial, uint64_t at_ns)
{
    uint64_t now = clock_raw_ns();

    return (struct deadline){.limit_ns = at_ns > now ? at_ns - now : 0, .at_ns = at_ns, .stops = trial->stops};
}

bool deadline_passed(struct deadline *deadline, const struct trial *trial)
{
    uint64_t now = clock_raw_ns();

    if (deadline->stops != trial->stops) {
        deadline->stops = trial->stops;
        deadline->at_ns = now + deadline->limit_ns;
    }
    return now >= deadline->at_ns;
}

uint64_t deadline_look_again(uint64_t deadline_ns)
{
    uint64_t soon = clock_raw_ns() + LOOK_AGAIN_NS;

    return soon < deadline_ns ? soon : deadline_ns;
}

bool trial_wait_for(struct trial *trial, enum party_state state, bool measured_only, uint64_t deadline_ns)
{
    struct deadline deadline = deadline_at(trial, deadline_ns);

    while (trial->outcome == TRIAL_DONE && !trial_slots_reached(trial, state, measured_only)) {
        if (deadline_passed(&deadline, trial))
            return false;
        trial_wait_event(trial, state == STATE_READY ? deadline_look_again(deadline.at_ns) : deadline.at_ns,
                         state == STATE_DONE && !measured_only);
    }
    note_failed_slots(trial);
    return trial->outcome == TRIAL_DONE;
}
