/* SPDX-License-Identifier: MIT */
/* The process image of a worker after its exec, and a new one in its place. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/arena.h"
#include "engine/engine.h"
#include "sys/file.h"
#include "sys/process.h"

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

/* Sets (or clears: keep) close-on-exec of the engine's descriptors: for the next image, not for programs that the
 * party starts. Returns 0 or -errno. */
static int keep_across_exec(const struct trial_head *head, const struct trial_slot *slot, bool keep)
{
    const int fds[] = {head->arena_fd, head->event_fd, head->series_fd};
    int error = 0;

    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
        if (fds[i] >= 0 && fcntl(fds[i], F_SETFD, keep ? 0 : FD_CLOEXEC))
            error = -errno;
    for (size_t i = 0; keep && i < COUNTERS; i++)
        if (slot->events.fd[i] >= 0 && fcntl(slot->events.fd[i], F_SETFD, 0))
            error = -errno;
    return error;
}

int party_exec(struct party_context *context)
{
    struct trial_head *head = context->head;
    struct trial_slot *slot = context->slot;
    char fd[16], number[16];
    char *argv[] = {(char *)"jitbench", (char *)"@worker", fd, number, NULL};
    char *envp[] = {NULL};
    int error;

    if (head->arena_fd < 0)
        return -ENOSYS;
    put_number(fd, (unsigned)head->arena_fd);
    put_number(number, (unsigned)(slot - head->slot));
    if (slot->baton.image_fd < 0)
        process_init(); /* a new image has not called it yet */
    if (slot->baton.execs == 0 && (error = keep_across_exec(head, slot, true)))
        return error;
    slot->baton.execs++;
    error = slot->baton.image_fd < 0 ? process_exec_self(argv, envp) : scratch_exec(slot->baton.image_fd, argv, envp);
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
    if (fd < 0 || slot < 0)
        _exit(WORKER_ASTRAY);
    if (fstat((int)fd, &status))
        _exit(WORKER_NO_FSTAT);
    if (status.st_size < (off_t)sizeof(struct trial_head))
        _exit(WORKER_ASTRAY);
    struct trial_head *head = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
    if (head == MAP_FAILED)
        _exit(WORKER_NO_MMAP);
    if (head->magic != ARENA_MAGIC || head->size != (size_t)status.st_size || slot >= (long)head->n_slots)
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
