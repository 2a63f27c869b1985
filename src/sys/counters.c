/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/base.h"
#include "sys/cpu.h"

#define CLOEXEC 8ul

int perf_open(const struct perf_event *event, pid_t pid, int cpu)
{
    return sys_result(syscall(SYS_perf_event_open, event, pid, cpu, -1, CLOEXEC));
}

#define FORMAT_TIMES 3u /* PERF_FORMAT_TOTAL_TIME_ENABLED and _RUNNING */

enum { HARDWARE = PERF_EVENT_HARDWARE, SOFTWARE = PERF_EVENT_SOFTWARE };
static const struct {
    uint32_t type;
    uint64_t config;
} events[COUNTERS] = {
    [COUNTER_CYCLES] = {HARDWARE, 0},        [COUNTER_INSTRUCTIONS] = {HARDWARE, 1},
    [COUNTER_BRANCH_MISSES] = {HARDWARE, 5}, [COUNTER_CACHE_MISSES] = {HARDWARE, 3},
    [COUNTER_TASK_CLOCK] = {SOFTWARE, 1},    [COUNTER_PAGE_FAULTS] = {SOFTWARE, 2},
    [COUNTER_SWITCHES] = {SOFTWARE, 3},
};

void counters_none(struct counters *counters, int error)
{
    for (int i = 0; i < COUNTERS; i++) {
        counters->fd[i] = -1;
        counters->error[i] = error;
    }
}

void counters_open(struct counters *counters, bool inherited, bool at_exec)
{
    counters_none(counters, 0);
    for (int i = 0; i < COUNTERS; i++) {
        struct perf_event event = {.type = events[i].type,
                                   .size = PERF_EVENT_SIZE_FIRST,
                                   .config = events[i].config,
                                   .read_format = FORMAT_TIMES,
                                   .disabled = 1,
                                   .inherit = inherited,
                                   .exclude_hv = 1,
                                   .enable_on_exec = at_exec};
        /* User mode only: the benchmark's instructions are then the same in each run, and the same privileges
         * suffice everywhere. */
        event.exclude_kernel = events[i].type == HARDWARE;
        int fd = perf_open(&event, 0, -1);
        /* Without privileges the kernel may not be counted. Context switches happen only there: their count would
         * always be 0. */
        if ((fd == -EACCES || fd == -EPERM) && !event.exclude_kernel && i != COUNTER_SWITCHES) {
            event.exclude_kernel = 1;
            fd = perf_open(&event, 0, -1);
        }
        if (fd >= 0)
            counters->fd[i] = fd;
        else
            counters->error[i] = fd;
    }
}

void counters_close(struct counters *counters)
{
    for (int i = 0; i < COUNTERS; i++)
        if (counters->fd[i] >= 0)
            close(counters->fd[i]);
    counters_none(counters, -ENODATA);
}

void counters_start(void)
{
    prctl(PR_TASK_PERF_EVENTS_ENABLE, 0, 0, 0, 0);
}

void counters_stop(void)
{
    prctl(PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0);
}

void counters_read(const struct counters *counters, struct counters_reading *out)
{
    uint64_t triple[3];

    memset(out, 0, sizeof(*out));
    for (int i = 0; i < COUNTERS; i++) {
        out->error[i] = counters->fd[i] < 0 ? counters->error[i] : -ENODATA;
        if (counters->fd[i] < 0 || read(counters->fd[i], triple, sizeof(triple)) != sizeof(triple))
            continue;
        out->value[i] = triple[0];
        out->enabled_ns[i] = triple[1];
        out->running_ns[i] = triple[2];
        out->error[i] = 0;
    }
}

void counters_difference(const struct counters_reading *before, const struct counters_reading *after,
                         struct counts *out)
{
    static const struct counters_reading nothing;

    before = before ? before : &nothing;
    for (int i = 0; i < COUNTERS; i++) {
        const double enabled = (double)(after->enabled_ns[i] - before->enabled_ns[i]);
        const double running = (double)(after->running_ns[i] - before->running_ns[i]);
        out->error[i] = before->error[i] ? before->error[i] : after->error[i];
        if (!out->error[i] && enabled > 0 && !(running > 0))
            out->error[i] = -EBUSY;
        out->value[i] = out->error[i] ? 0 : (double)(after->value[i] - before->value[i]);
        out->scaled[i] = !out->error[i] && running < enabled;
        if (out->scaled[i])
            out->value[i] *= enabled / running;
    }
}

const char *counters_why(int error)
{
    return error == -ENOENT || error == -ENODEV || error == -EOPNOTSUPP || error == -EINVAL ? "no PMU for them"
           : error == -EACCES || error == -EPERM ? "forbidden (perf_event_paranoid or a filter)"
           : error == -ENOSYS                    ? "no perf_event_open"
           : error == -EBUSY                     ? "in use by others"
           : error == -ENODATA                   ? "vanished in mid-run"
           : error == -ECANCELED                 ? "counted with --counters only"
                                                 : strerror(-error);
}
