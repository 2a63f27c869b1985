/* SPDX-License-Identifier: MIT */
/* Fixture of tests that run trials: a placement, a clock, and the check that nothing is left behind. */
#ifndef ENGINE_FIXTURE_H
#define ENGINE_FIXTURE_H

#include "fixture.h"

#include "engine/engine.h"

#define MS 1000000ull

/* Empty list for trial_worker_main() in tests without loads. */
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

/* CPUs 5, 1 and 3, in this order; the machine has them all, or CPU 0 as well. */
static inline void fixture_place_of_three(struct place_request *request, enum bind_mode bind, bool more_cpus)
{
    static const unsigned order[] = {5, 1, 3};

    memset(request, 0, sizeof(*request));
    for (size_t i = 0; i < COUNT(order); i++) {
        request->order[request->n_order++] = order[i];
        cpuset_add(&request->cpus, order[i]);
        cpuset_add(&request->online, order[i]);
    }
    if (more_cpus)
        cpuset_add(&request->online, 0);
    request->bind = bind;
}

/* Where the process may use one CPU of several, real-time work on it leaves the machine the others. */
static inline void fixture_spare_cpu(struct place_request *place)
{
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
        skip_because("needs a second CPU, to be free of real-time work");
    if (place->n_order < 2)
        cpuset_add(&place->online, place->order[0] ? 0 : 1);
}

/* Resets signals that the parent ignores, as nohup and a shell's background jobs do. */
static inline void fixture_default_signals(void)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGTERM};

    for (size_t i = 0; i < COUNT(numbers); i++)
        (void)signal(numbers[i], SIG_DFL);
}

static inline int fixture_count_fds(void)
{
    return fixture_count_files("/proc/self/fd");
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

static inline void *fixture_shared(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_true(p != MAP_FAILED);
    return p;
}

#endif
