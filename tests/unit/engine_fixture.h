/* SPDX-License-Identifier: MIT */
/* What tests that run trials have in common: a placement, a clock, and the check that nothing is left behind. */
#ifndef ENGINE_FIXTURE_H
#define ENGINE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/signals.h"
#include "engine/trial.h"
#include "sys/process.h"
#include "sys/task.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define MS           1000000ull

#define CANNOT 255 /* exit status of a child whose machine lacks what the test needs */

/* For trial_worker_main() of tests without loads. */
static const struct load *const no_loads[] __attribute__((unused)) = {NULL};

static const struct clock_info fixture_clock = {.kind = CLOCK_KIND_GETTIME, .name = "clock_gettime", .unit = "ns"};

/* One to one on the CPUs that this process may use. */
static inline void fixture_place(struct place_request *place)
{
    memset(place, 0, sizeof(*place));
    assert_int_equal(task_get_affinity(&place->cpus), 0);
    place->online = place->cpus;
    for (unsigned cpu = cpuset_next(&place->cpus, 0); cpu != CPUSET_NONE; cpu = cpuset_next(&place->cpus, cpu + 1))
        place->order[place->n_order++] = cpu;
    assert_true(place->n_order > 0);
}

/* Where the process may use one CPU of several, real-time work on it leaves the machine the others. */
static inline void fixture_spare_cpu(struct place_request *place)
{
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
        print_message("skipped: needs a second CPU, to be free of real-time work\n");
        skip();
    }
    if (place->n_order < 2)
        cpuset_add(&place->online, place->order[0] ? 0 : 1);
}

/* Whoever started the test may ignore them, as nohup and a shell's background jobs do. */
static inline void fixture_default_signals(void)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGTERM};

    for (size_t i = 0; i < COUNT(numbers); i++)
        (void)signal(numbers[i], SIG_DFL);
}

static inline int fixture_count_fds(void)
{
    int n = 0;
    DIR *folder = opendir("/proc/self/fd");

    assert_non_null(folder);
    while (readdir(folder))
        n++;
    assert_int_equal(closedir(folder), 0);
    return n;
}

static inline void fixture_assert_no_children(void)
{
    errno = 0;
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

/* True when the process has ended. Whoever inherits an orphan may be slow to reap it: a zombie has ended, too. */
static inline bool fixture_process_ended(pid_t pid)
{
    char path[64], text[512];
    const struct timespec pause = {.tv_nsec = 2000000};

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    for (int tries = 0; tries < 1000; tries++) {
        FILE *file = fopen(path, "r");
        if (!file)
            return true;
        size_t n = fread(text, 1, sizeof(text) - 1, file);
        (void)fclose(file);
        text[n] = 0;
        const char *behind_name = strrchr(text, ')');
        if (!behind_name || strchr("ZX", behind_name[2]))
            return true;
        (void)nanosleep(&pause, NULL);
    }
    return false;
}

/* Runs the body in a child, so that what it does to its process is undone. Returns its exit status. */
static inline int fixture_in_child(int (*body)(void))
{
    int status;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0)
        _exit(body());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == CANNOT) {
        print_message(
            "skipped: this machine does not give the rights, limits or system call filters that the test sets up\n");
        skip();
    }
    return WEXITSTATUS(status);
}

/* In a child: the line that went wrong as the exit status, never 0 nor CANNOT. */
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                      \
            return __LINE__ % 200 + 1;                                                                                 \
        }                                                                                                              \
    } while (0)

static inline void *fixture_shared(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_true(p != MAP_FAILED);
    return p;
}

#endif
