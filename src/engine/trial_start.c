/* SPDX-License-Identifier: MIT */
/* Starts the processes, with pipes and descriptors. */
#include "engine/trial_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/engine.h"
#include "sys/process.h"

/* Opens the pipe of STOP_PIPE, and in the first party of a copy the benchmark's. The parent closes them when the copy
 * is started: an open end would hide end of file, and hundreds of copies would use up its descriptors. */
static int open_pipes(struct trial *trial, unsigned slot)
{
    const struct bench *bench = trial->spec.bench;
    struct trial_slot *s = &trial->head->slot[slot];
    int stop[2];

    for (unsigned p = 0; !s->of_load && s->party == 0 && p < bench->n_pipes; p++)
        if (pipe2(s->pipes[p], O_CLOEXEC))
            return -errno;
    if (!s->of_load && s->party > 0)
        memcpy(s->pipes, s[-1].pipes, sizeof(s->pipes));
    if (party_of(trial, slot)->stop == STOP_PIPE) {
        if (pipe2(stop, O_CLOEXEC))
            return -errno;
        s->stop_fd = stop[0];
        trial->stop_write[slot] = stop[1];
    }
    return 0;
}

void close_if_open(int fd)
{
    if (fd >= 0)
        (void)close(fd);
}

static void close_pipes(const struct trial *trial, unsigned first, unsigned n)
{
    const struct trial_slot *s = &trial->head->slot[first];

    for (unsigned p = 0; p < trial->spec.bench->n_pipes; p++) {
        close_if_open(s->pipes[p][0]);
        close_if_open(s->pipes[p][1]);
    }
    for (unsigned i = 0; i < n; i++)
        close_if_open(s[i].stop_fd);
}

/* For the worker after its exec. *error: -errno. */
static void keep_open(int fd, int *error)
{
    if (fd >= 0 && fcntl(fd, F_SETFD, 0))
        *error = -errno;
}

static void child_redirect(void)
{
    int null = open("/dev/null", O_RDWR);

    if (null < 0)
        return; /* no /dev (an empty root directory); the worker neither reads nor prints */
    (void)dup2(null, 0);
    (void)dup2(null, 1);
    if (null > 1)
        (void)close(null);
}

static void child_main(struct trial *trial, unsigned slot)
{
    struct trial_head *head = trial->head;
    char fd[16], number[16], pad[PROCESS_PAD_MAX];
    char *argv[] = {(char *)"jitbench", (char *)"@worker", fd, number, NULL};
    char *envp[] = {NULL, NULL};
    int error = 0;

    (void)setpgid(0, 0);
    signals_restore();
    child_redirect();
    for (unsigned p = 0; p < trial->spec.bench->n_pipes; p++) {
        keep_open(head->slot[slot].pipes[p][0], &error);
        keep_open(head->slot[slot].pipes[p][1], &error);
    }
    for (unsigned i = slot; i < trial->n_slots && (i == slot || party_of(trial, i)->kind == PARTY_THREAD); i++)
        keep_open(head->slot[i].stop_fd, &error);
    keep_open(head->event_fd, &error);
    keep_open(head->series_fd, &error);
    keep_open(head->arena_fd, &error);
    if (error)
        _exit(worker_not_started(head, &head->slot[slot], "keep its descriptors: fcntl", error));
    if (head->arena_fd >= 0) {
        if (head->fixed_layout)
            (void)task_fix_layout(); /* the worker checks its layout */
        else {
            process_random_pad(pad);
            envp[0] = pad;
        }
        (void)snprintf(fd, sizeof(fd), "%d", head->arena_fd);
        (void)snprintf(number, sizeof(number), "%u", slot);
        (void)process_exec_self(argv, envp);
    }
    for (unsigned i = 0; i < trial->n_slots; i++)
        close_if_open(trial->stop_write[i]);
    _exit(worker_run(head, slot, trial->spec.bench, trial->spec.load)); /* no exec here: seen.fresh_exec stays false */
}

static int start_process(struct trial *trial, unsigned slot)
{
    if (party_of(trial, slot)->kind != PARTY_PROCESS)
        return 0;
    pid_t pid = fork();
    if (pid < 0) {
        trial_fail(trial, TRIAL_FAILED, "cannot start process %u of %u: fork: %s%s", slot + 1, trial->n_slots,
                   strerror(errno), errno == EAGAIN ? " (RLIMIT_NPROC or the pids cgroup)" : "");
        return -1;
    }
    if (pid == 0)
        child_main(trial, slot);
    (void)setpgid(pid, pid); /* the child too: either may run first */
    trial->pids[slot] = pid;
    if (signals_pending()) {
        trial_fail(trial, TRIAL_INTERRUPTED, "ended by a signal");
        return -1;
    }
    return 0;
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
    close_pipes(trial, first, n);
    return error;
}

int trial_start_processes(struct trial *trial)
{
    unsigned n = trial->spec.bench->n_parties, of_bench = trial->spec.copies * n;
    int error = 0;

    for (unsigned slot = 0; slot < of_bench && !error; slot += n)
        error = start_parties(trial, slot, n);
    if (!error && trial->n_slots > of_bench)
        error = start_parties(trial, of_bench, trial->n_slots - of_bench);
    return error;
}
