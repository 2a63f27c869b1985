/* SPDX-License-Identifier: MIT */
/* Sets and reads the scheduling of the calling thread; no other code of the program does. The calls are raw system
 * calls: musl's sched_setscheduler() returns ENOSYS by design, and glibc's cpu_set_t ends at 1024 CPUs. All functions
 * return 0 or -errno unless they say otherwise, and act on the calling thread. */
#ifndef SYS_TASK_H
#define SYS_TASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sys/cpuset.h"

/* Highest priority that task_set_policy() accepts: with 99 a thread would preempt the kernel's own watchdog threads. */
#define TASK_FIFO_MAX 98

int task_set_affinity(const struct cpuset *set);
int task_get_affinity(struct cpuset *set);
/* Returns the CPU that the thread runs on now, or CPUSET_NONE when the kernel does not say. */
unsigned task_current_cpu(void);

/* Sets the scheduling policy: SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_FIFO or SCHED_RR; rt_priority is 0 for the
 * first three. -EINVAL above TASK_FIFO_MAX. For FIFO and RR the reset-on-fork flag is always set: child processes start
 * with the normal policy. */
int task_set_policy(int policy, int rt_priority);
int task_get_policy(int *policy, int *rt_priority);
/* Sets the policy without reset-on-fork, for a program of the user, whose children shall inherit the policy. */
int task_set_policy_inherited(int policy, int rt_priority);
const char *task_policy_name(int policy); /* returns "other", "fifo", "rr", "batch", "idle", "deadline" or "unknown" */

int task_set_nice(int nice); /* returns -EINVAL outside -20 to 19 */
int task_get_nice(int *nice);

/* Sets the timer slack, by which the kernel may delay timers, in ns; 0 restores the thread's default (50 us). The
 * smallest slack is 1. */
int task_set_timer_slack_ns(uint64_t ns);
int task_get_timer_slack_ns(uint64_t *ns);

/* Sets RLIMIT_RTTIME: the CPU time that a real-time thread may use without sleeping, before it gets SIGXCPU (and
 * SIGKILL 1 s later). A process without privileges may get a stricter limit than it asked for. */
int task_limit_realtime_us(uint64_t us);

/* Sets only the soft limit of RLIMIT_RTTIME (us is 0: to the hard limit), for a program that starts others and may
 * raise its own limit again. */
int task_limit_own_realtime_us(uint64_t us);

/* Returns the highest real-time priority, up to TASK_FIFO_MAX, that RLIMIT_RTPRIO (ulimit -r) allows without
 * privileges; 0: none. */
int task_realtime_limit(void);

/* Returns whether children of the thread start with the normal policy, and without a negative nice value
 * (reset-on-fork). */
bool task_resets_on_fork(void);

/* Returns whether the CPU time of this process and its children is limited (ulimit -t). */
bool task_has_cpu_limit(void);

/* Returns the CPU time of all threads of this process in seconds; 0 when not known. */
double task_process_cpu_s(void);

/* Makes the process the one that the kernel kills first when memory runs out (oom_score_adj). */
void task_offer_to_oom_killer(void);

int task_lock_memory(void); /* locks all current and future memory: mlockall(MCL_CURRENT | MCL_FUTURE) */

/* Turns address space layout randomisation off for programs that this process will exec:
 * personality(ADDR_NO_RANDOMIZE). */
int task_fix_layout(void);
bool task_layout_fixed(void);

/* Makes the kernel send a signal to this process when the thread that forked it ends. Returns -ESRCH when the parent
 * has ended already (getppid() is no longer expected_parent). */
int task_die_with_parent(pid_t expected_parent, int signal);
void task_set_name(const char *name); /* keeps at most 15 bytes of the name */

/* The kernel's counters for the calling thread since its start. A field that the kernel does not offer is -1. */
struct task_counters {
    int64_t cpu_ns, ctx_voluntary, ctx_involuntary, migrations, faults_minor, faults_major;
    int64_t run_delay_ns; /* time in ns that the thread was ready to run but waited for a CPU:
                           * /proc/thread-self/schedstat */
};
void task_read_counters(struct task_counters *out);
/* Reads only the counters that need no file of /proc (leaves migrations and run_delay_ns unchanged): takes a
 * microsecond. */
void task_read_usage(struct task_counters *out);
/* Parse the texts of /proc/PID/schedstat (CPU time, and time waiting for a CPU, in ns) and /proc/PID/sched (number of
 * migrations to other CPUs); -1: not known. */
void task_parse_schedstat(const char *text, int64_t *run_ns, int64_t *delay_ns);
int64_t task_parse_migrations(const char *text);
/* Reads how many bytes the whole process had read from and written to disks (/proc/self/io). Reads that the page cache
 * answered do not count, nor do data that were deleted before they reached the disk. */
int task_read_io(uint64_t *read_bytes, uint64_t *written_bytes);

#endif
