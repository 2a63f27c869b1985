/* SPDX-License-Identifier: MIT */
#include "engine/engine.h"

#include <sched.h>

const char *const bind_names[] = {"one", "range", "none", NULL};

void place_copy(const struct place_request *request, unsigned copy, struct placement *out)
{
    memset(out, 0, sizeof(*out));
    out->bind = request->bind;
    if (request->bind == BIND_ONE)
        cpuset_add(&out->cpus, request->order[copy % request->n_order]);
    else if (request->bind == BIND_RANGE)
        out->cpus = request->cpus;
    out->nice_given = request->nice_given;
    out->nice = request->nice;
    out->policy = request->fifo ? SCHED_FIFO : request->policy;
    out->slice_ns = request->slice_ns;
    out->rt_priority = request->fifo ? request->fifo_priority : 0;
}

void place_one(const struct place_request *request, unsigned copy, unsigned cpu, struct placement *out)
{
    place_copy(request, copy, out);
    out->bind = BIND_ONE;
    cpuset_clear(&out->cpus);
    cpuset_add(&out->cpus, cpu);
}

static void refuse(char *refused, size_t size, const char *what, int error, const char *advice)
{
    text_add(refused, size, "%s%s: %s%s", refused[0] ? "; " : "", what, strerror(-error), advice);
}

void place_apply(const struct placement *placement, char *refused, size_t size)
{
    char list[48];
    int error;

    text_copy(refused, size, placement->refused);
    if (cpuset_format(&placement->cpus, list, sizeof(list)) && (error = task_set_affinity(&placement->cpus)))
        refuse(refused, size, "CPU affinity refused", error, /* EINVAL: none of these is online and allowed */
               error == -EINVAL ? TEXT_LINE(" (CPU %s offline?)", list) : "");
    if (placement->nice_given && (error = task_set_nice(placement->nice)))
        refuse(refused, size, TEXT_LINE("nice %d refused", placement->nice), error,
               " (needs root, CAP_SYS_NICE or ulimit -e)");
    if (placement->timer_slack_ns && (error = task_set_timer_slack_ns(placement->timer_slack_ns)))
        refuse(refused, size, "timer slack refused", error, "");
    if (placement->lock_memory && (error = task_lock_memory()))
        refuse(refused, size, "mlockall refused", error, " (needs root, CAP_IPC_LOCK or ulimit -l)");
}

void place_apply_policy(const struct placement *placement, uint64_t realtime_limit_us, char *refused, size_t size)
{
    int error;

    if (placement->policy != SCHED_FIFO) {
        if (placement->policy != SCHED_OTHER && (error = task_set_policy(placement->policy, 0)))
            refuse(refused, size, TEXT_LINE("policy %s refused", task_policy_name(placement->policy)), error, "");
        if (placement->slice_ns && (error = task_set_slice_ns(placement->slice_ns)))
            refuse(refused, size, TEXT_LINE("slice of %s refused", TEXT_DURATION(placement->slice_ns)), error,
                   " (needs Linux 6.12)");
        return;
    }
    const char *what = TEXT_LINE("SCHED_FIFO %d refused", placement->rt_priority);
    /* Without the limit no real-time policy: an endless loop would take over the machine. */
    if ((error = task_limit_realtime_us(realtime_limit_us)))
        refuse(refused, size, what, error, " (RLIMIT_RTTIME cannot be set)");
    else if ((error = task_set_policy(placement->policy, placement->rt_priority)))
        refuse(refused, size, what, error, " (needs root, CAP_SYS_NICE or ulimit -r; a cpu cgroup may forbid it)");
}

void place_read_back(struct placement_seen *out)
{
    memset(out, 0, sizeof(*out));
    if (task_get_affinity(&out->cpus))
        cpuset_clear(&out->cpus);
    if (task_get_policy(&out->policy, &out->rt_priority))
        out->policy = -1;
    task_get_nice(&out->nice);
    task_get_slice_ns(&out->slice_ns);
    out->layout_fixed = task_layout_fixed();
}
