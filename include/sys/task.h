/* SPDX-License-Identifier: MIT */
/* Sets and reads the scheduling of the calling thread; no other code does. By raw system calls: musl's
 * sched_setscheduler() returns ENOSYS by design, and glibc's cpu_set_t ends at 1024 CPUs. Functions return 0 or
 * -errno unless they say otherwise. */
#ifndef SYS_TASK_H
#define SYS_TASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sys/cpuset.h"

/* With 99 a thread would preempt the kernel's own watchdog threads. */
#define TASK_FIFO_MAX 98

int task_set_affinity(const struct cpuset *set);
int task_get_affinity(struct cpuset *set);
/* CPUSET_NONE when not known */
unsigned task_current_cpu(void);

/* SCHED_OTHER, SCHED_BATCH, SCHED_IDLE (rt_priority 0), SCHED_FIFO or SCHED_RR; -EINVAL above TASK_FIFO_MAX.
 * Children of FIFO and RR start with the normal policy (reset-on-fork). */
int task_set_policy(int policy, int rt_priority);
int task_get_policy(int *policy, int *rt_priority);
/* For a program of the user, whose children shall inherit the policy. */
int task_set_policy_inherited(int policy, int rt_priority);
const char *task_policy_name(int policy); /* "other", "fifo", "rr", "batch", "idle", "deadline" or "unknown" */

int task_set_nice(int nice); /* returns -EINVAL outside -20 to 19 */
int task_get_nice(int *nice);

/* By so much the kernel may delay timers; at least 1; 0 restores the thread's default (50 us). */
int task_set_timer_slack_ns(uint64_t ns);
int task_get_timer_slack_ns(uint64_t *ns);

/* Sets RLIMIT_RTTIME: CPU time of a real-time thread without sleeping, before SIGXCPU (and SIGKILL 1 s later).
 * Without privileges the limit may become stricter than asked for. */
int task_limit_realtime_us(uint64_t us);

/* Sets only the soft limit (us is 0: to the hard limit), for a program that may raise its own limit again. */
int task_limit_own_realtime_us(uint64_t us);

/* Returns the highest priority, up to TASK_FIFO_MAX, that RLIMIT_RTPRIO (ulimit -r) allows; 0: none. */
int task_realtime_limit(void);

/* Returns whether children start with the normal policy, and no negative nice value. */
bool task_resets_on_fork(void);

/* ulimit -t, for this process or its children */
bool task_has_cpu_limit(void);

/* of all threads of this process; 0 when not known */
double task_process_cpu_s(void);

/* The kernel kills this process first when memory runs out (oom_score_adj). */
void task_offer_to_oom_killer(void);

int task_lock_memory(void); /* mlockall(MCL_CURRENT | MCL_FUTURE) */

/* No address space layout randomisation in programs that this process will exec: personality(ADDR_NO_RANDOMIZE). */
int task_fix_layout(void);
bool task_layout_fixed(void);

/* The kernel sends the signal when the thread that forked this process ends. -ESRCH when the parent has ended
 * already (getppid() is no longer expected_parent). */
int task_die_with_parent(pid_t expected_parent, int signal);
void task_set_name(const char *name); /* keeps at most 15 bytes of the name */

/* The kernel's counters of the calling thread since its start; -1: not offered. */
struct task_counters {
    int64_t cpu_ns, ctx_voluntary, ctx_involuntary, migrations, faults_minor, faults_major;
    int64_t run_delay_ns; /* ns ready to run, but waiting for a CPU: /proc/thread-self/schedstat */
};
void task_read_counters(struct task_counters *out);
/* Only the counters that need no file of /proc (not migrations, run_delay_ns): takes a microsecond. */
void task_read_usage(struct task_counters *out);
/* Parse /proc/PID/schedstat (CPU time, and time waiting for a CPU, in ns) and /proc/PID/sched (migrations); -1: not
 * known. */
void task_parse_schedstat(const char *text, int64_t *run_ns, int64_t *delay_ns);
int64_t task_parse_migrations(const char *text);
/* Bytes that the whole process had read from and written to disks (/proc/self/io), without those that the page cache
 * answered, or that were deleted before they reached the disk. */
int task_read_io(uint64_t *read_bytes, uint64_t *written_bytes);

#endif
