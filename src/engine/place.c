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
    out->policy = request->fifo && request->policy != SCHED_RR ? SCHED_FIFO : request->policy;
    out->slice_ns = request->slice_ns;
    memcpy(out->uclamp, request->uclamp, sizeof(out->uclamp));
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
    const int policy = placement->policy;
    const bool realtime = task_is_realtime(policy);
    const char *what = policy == SCHED_FIFO ? TEXT_LINE("SCHED_FIFO %d refused", placement->rt_priority)
                                            : TEXT_LINE("policy %s refused", task_policy_name(policy));
    int error;

    /* Without the limit no real-time policy: an endless loop would take over the machine. */
    if (realtime && (error = task_limit_realtime_us(realtime_limit_us)))
        refuse(refused, size, what, error, " (RLIMIT_RTTIME cannot be set)");
    else if ((error = policy == TASK_DEADLINE ? task_set_deadline(placement->slice_ns)
                      : policy != SCHED_OTHER ? task_set_policy(policy, placement->rt_priority)
                                              : 0))
        refuse(refused, size, what, error,
               policy == TASK_DEADLINE ? " (needs root and --bind none)"
               : realtime              ? " (needs root, CAP_SYS_NICE or ulimit -r; a cpu cgroup may forbid it)"
                                       : "");
    if (!realtime && placement->slice_ns && (error = task_set_slice_ns(placement->slice_ns)))
        refuse(refused, size, TEXT_LINE("slice of %s refused", TEXT_DURATION(placement->slice_ns)), error,
               " (needs Linux 6.12)");
    if (placement->uclamp[1] && (error = task_set_uclamp(placement->uclamp)))
        refuse(refused, size, TEXT_LINE("uclamp %u to %u refused", placement->uclamp[0], placement->uclamp[1]), error,
               " (needs CONFIG_UCLAMP_TASK)");
}

void place_read_back(struct placement_seen *out)
{
    memset(out, 0, sizeof(*out));
    if (task_get_affinity(&out->cpus))
        cpuset_clear(&out->cpus);
    if (task_get_policy(&out->policy, &out->rt_priority))
        out->policy = -1;
    task_get_nice(&out->nice);
    task_get_slice_ns(&out->slice_ns, out->uclamp);
    out->layout_fixed = task_layout_fixed();
}
