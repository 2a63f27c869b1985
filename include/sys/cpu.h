/* SPDX-License-Identifier: MIT */
/* CPUs, and the scheduling and counters of threads on them. */
#ifndef SYS_CPU_H
#define SYS_CPU_H

#include <sys/types.h>

#include "sys/base.h"

/* Sets of CPUs, and their lists ("0,2-5") and masks in the kernel's formats. */

/* The largest CONFIG_NR_CPUS of any architecture; glibc's cpu_set_t ends at 1024. Free of pointers, for shared
 * memory. */
#define CPUSET_MAX   8192u
#define CPUSET_WORDS (CPUSET_MAX / 64u)
#define CPUSET_NONE  CPUSET_MAX

struct cpuset {
    uint64_t word[CPUSET_WORDS];
};

static inline uint64_t cpuset_bit(unsigned cpu)
{
    return UINT64_C(1) << (cpu % 64);
}
static inline void cpuset_clear(struct cpuset *set)
{
    memset(set, 0, sizeof *set);
}
/* ignores cpu >= CPUSET_MAX */
static inline void cpuset_add(struct cpuset *set, unsigned cpu)
{
    if (cpu < CPUSET_MAX)
        set->word[cpu / 64] |= cpuset_bit(cpu);
}
static inline void cpuset_remove(struct cpuset *set, unsigned cpu)
{
    if (cpu < CPUSET_MAX)
        set->word[cpu / 64] &= ~cpuset_bit(cpu);
}
static inline bool cpuset_has(const struct cpuset *set, unsigned cpu)
{
    return cpu < CPUSET_MAX && (set->word[cpu / 64] & cpuset_bit(cpu)) != 0;
}
static inline unsigned cpuset_count(const struct cpuset *set)
{
    unsigned count = 0;
    for (unsigned i = 0; i < CPUSET_WORDS; i++)
        count += (unsigned)__builtin_popcountll(set->word[i]);
    return count;
}
static inline bool cpuset_equal(const struct cpuset *a, const struct cpuset *b)
{
    return !memcmp(a, b, sizeof *a);
}
static inline void cpuset_union(struct cpuset *into, const struct cpuset *other)
{
    for (unsigned i = 0; i < CPUSET_WORDS; i++)
        into->word[i] |= other->word[i];
}
static inline void cpuset_intersect(struct cpuset *into, const struct cpuset *other)
{
    for (unsigned i = 0; i < CPUSET_WORDS; i++)
        into->word[i] &= other->word[i];
}
/* Returns the members of a that are not in b. */
static inline struct cpuset cpuset_without(const struct cpuset *a, const struct cpuset *b)
{
    struct cpuset rest;
    for (unsigned i = 0; i < CPUSET_WORDS; i++)
        rest.word[i] = a->word[i] & ~b->word[i];
    return rest;
}
/* Returns the lowest CPU >= from, or CPUSET_NONE. */
unsigned cpuset_next(const struct cpuset *set, unsigned from);
#define for_each_cpu(cpu, set) \
    for (unsigned cpu = cpuset_next(set, 0); cpu != CPUSET_NONE; cpu = cpuset_next(set, cpu + 1))
static inline bool cpuset_is_empty(const struct cpuset *set)
{
    return cpuset_next(set, 0) == CPUSET_NONE;
}
static inline bool cpuset_subset(const struct cpuset *inner, const struct cpuset *outer)
{
    const struct cpuset rest = cpuset_without(inner, outer);
    return cpuset_is_empty(&rest);
}

/* Parses "0,2-5,8-14:2" (ranges with taskset's stride) and the kernel's "0-15:2/4" (2 of each 4), with white space
 * at the end. Returns 0, or -1 with a reason: empty list, reversed range, CPU named twice, number too large, other
 * text. */
int cpuset_parse(const char *text, struct cpuset *out, struct error *why);

/* Writes the shortest list, "" for the empty set. Returns its whole length, as snprintf does. */
size_t cpuset_format(const struct cpuset *set, char *buf, size_t size);
/* As cpuset_format(), but cuts a list that does not fit between two ranges, ending in ",...": half a number would
 * name another CPU. Returns true when nothing was left out. */
bool cpuset_format_cut(const struct cpuset *set, char *buf, size_t size);

/* Parses hexadecimal digits, highest CPU first, with a comma before every 8 and white space at the end. Returns the
 * number of digits, or -1. */
int cpuset_parse_mask(const char *text, struct cpuset *out);

/* Writes a mask of at least so many digits. Returns its whole length, as snprintf does. */
size_t cpuset_format_mask(const struct cpuset *set, size_t digits, char *buf, size_t size);

/* Sets and reads the scheduling of the calling thread; no other code does. By raw system calls: musl's
 * sched_setscheduler() returns ENOSYS by design, and glibc's cpu_set_t ends at 1024 CPUs. Functions return 0 or
 * -errno unless they say otherwise. */

/* With 99 a thread would preempt the kernel's own watchdog threads. */
#define TASK_FIFO_MAX 98

int task_set_affinity(const struct cpuset *set);
int task_get_affinity(struct cpuset *set);
/* CPUSET_NONE when not known */
unsigned task_current_cpu(void);

/* Policies that older C libraries lack. */
enum { TASK_DEADLINE = 6, TASK_EXT };

/* SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, TASK_EXT (rt_priority 0), SCHED_FIFO or SCHED_RR; -EINVAL above TASK_FIFO_MAX.
 * Children of FIFO and RR start with the normal policy (reset-on-fork). */
int task_set_policy(int policy, int rt_priority);
int task_get_policy(int *policy, int *rt_priority);
/* For a program of the user, whose children shall inherit the policy. */
int task_set_policy_inherited(int policy, int rt_priority);
/* Gives the normal policy to another process's first thread. */
void task_end_realtime(pid_t pid);
const char *task_policy_name(int policy); /* "other", "fifo", "rr", "batch", "idle", "deadline", "ext", "unknown" */
bool task_is_realtime(int policy);        /* FIFO, RR or TASK_DEADLINE: can keep others from a CPU */

/* TASK_DEADLINE, half of a CPU; children start with the normal policy. */
int task_set_deadline(uint64_t runtime_ns);

/* Least and most use of a CPU, of 1024, for which the kernel chooses its speed (5.3). */
int task_set_uclamp(const unsigned clamp[2]);

/* The slice that the scheduler gives a thread with a normal policy, 0.1 to 100 ms (Linux 6.12); children inherit it. */
int task_set_slice_ns(uint64_t ns);
/* Also its uclamp. Each 0: not known to this kernel. */
int task_get_slice_ns(uint64_t *ns, unsigned clamp[2]);

int task_set_nice(int nice); /* returns -EINVAL outside -20 to 19 */
int task_get_nice(int *nice);

/* By so much the kernel may delay timers; at least 1; 0 restores the thread's default (50 us). */
int task_set_timer_slack_ns(uint64_t ns);

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

int task_lock_memory(void);

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

/* How close two CPUs are, and pairs of close or distant CPUs. */

/* The closest resource that two CPUs share. */
enum cpu_relation {
    CPUS_SAME_CORE,    /* SMT siblings */
    CPUS_SAME_CACHE,   /* the last data cache, but not the core */
    CPUS_SAME_PACKAGE, /* the package (socket) and NUMA node; or the package, where nodes are not known */
    CPUS_SAME_NODE,    /* the NUMA node, but not the package; or packages differ, and nodes are not known */
    CPUS_OTHER_NODE,
    CPUS_UNKNOWN,
    CPU_RELATIONS
};
extern const char *const cpu_relation_names[CPU_RELATIONS]; /* "same-core", ... "other-node", "unknown" */

#define PAIRS_ALL_CPUS 64u
enum cpu_pairing {
    PAIRS_NEXT,   /* each CPU with the next in the order given, the last with the first */
    PAIRS_NEAR,   /* each CPU in one pair, with the closest one that has no pair yet */
    PAIRS_FAR,    /* each CPU in one pair, with the most distant one of another package or node that has none yet;
                   * others are left out */
    PAIRS_ALL,    /* each CPU with each other one, lower number first; of more than PAIRS_ALL_CPUS CPUs a sample, each
                   * with the next CPU of each relation */
    PAIRS_HALVES, /* the first CPU of the lower half by number with the first of the upper half, and so on */
};

struct cpu_pair {
    unsigned first, second;
    enum cpu_relation relation;
};
struct cpu_pairs {
    struct cpu_pair *pair;
    size_t n; /* 0: no two CPUs can be paired so */
};

/* Pairs the n CPUs in order. Returns 0, or -1 when out of memory. The caller calls topology_pairs_free(). */
int topology_pairs(const unsigned *order, size_t n, enum cpu_pairing pairing, struct cpu_pairs *out);
void topology_pairs_free(struct cpu_pairs *pairs);

/* Calls perf_event_open(2); some C libraries come without the kernel's headers. */

/* The software event counts nothing, for those who need only its records (context switches). */
enum { PERF_EVENT_HARDWARE, PERF_EVENT_SOFTWARE, PERF_EVENT_TRACEPOINT };
#define PERF_EVENT_DUMMY 9u

/* The kernel's struct perf_event_attr up to clockid (Linux 4.1); gaps are 0. */
struct perf_event {
    uint32_t type, size; /* size: PERF_EVENT_SIZE_FIRST or PERF_EVENT_SIZE_CLOCK */
    uint64_t config, sample_period, sample_type, read_format;
    uint64_t disabled : 1, inherit : 1, gap1 : 3, exclude_kernel : 1, exclude_hv : 1, gap2 : 2, comm : 1, gap3 : 2,
        enable_on_exec : 1, task : 1, watermark : 1, gap4 : 3, sample_id_all : 1, gap5 : 6, use_clockid : 1,
        context_switch : 1, write_backward : 1, gap6 : 36;
    uint32_t wakeup_events, unused[10];
    int32_t clockid;
};
#define PERF_EVENT_SIZE_FIRST 64u /* up to config1: all kernels accept it */
#define PERF_EVENT_SIZE_CLOCK ((uint32_t)sizeof(struct perf_event))

/* pid 0: the calling thread, -1: all; cpu -1: any. Returns a descriptor (close-on-exec) or -errno. */
int perf_open(const struct perf_event *event, pid_t pid, int cpu);

/* Event counters of the calling thread (perf_event_open): hardware events in user mode only, and software events. */

enum counter {
    COUNTER_CYCLES,
    COUNTER_INSTRUCTIONS,
    COUNTER_BRANCH_MISSES,
    COUNTER_CACHE_MISSES,
    COUNTER_TASK_CLOCK, /* ns of CPU time */
    COUNTER_PAGE_FAULTS,
    COUNTER_SWITCHES,
    COUNTERS
};

/* They stay usable after an exec that keeps them open. */
struct counters {
    int fd[COUNTERS];    /* -1: not open */
    int error[COUNTERS]; /* -errno of an event that did not open */
};

/* Number of events, ns since enabled, and ns of that in which the hardware counter, which may be shared, counted. */
struct counters_reading {
    uint64_t value[COUNTERS], enabled_ns[COUNTERS], running_ns[COUNTERS];
    int error[COUNTERS]; /* 0, or -errno: -ENODATA when it cannot be read any more */
};

struct counts {
    double value[COUNTERS];
    bool scaled[COUNTERS]; /* an estimate: other events used the hardware counter for a part of the time */
    int error[COUNTERS];   /* 0, or -errno: value not known. -EBUSY: other events used the counter all the time */
};

/* Opens counters, switched off, for the events that the machine allows; error is set for the others. inherited:
 * includes new children and threads once they have ended. at_exec: only children, each from its exec on. */
void counters_open(struct counters *counters, bool inherited, bool at_exec);
void counters_close(struct counters *counters);
/* Marks all counters as not open, with this -errno. */
void counters_none(struct counters *counters, int error);

/* All counters of the calling thread, by one system call. */
void counters_start(void);
void counters_stop(void);

void counters_read(const struct counters *counters, struct counters_reading *out);
/* before NULL: counts from their opening. */
void counters_difference(const struct counters_reading *before, const struct counters_reading *after,
                         struct counts *out);

/* Returns the reason for an error of struct counts: "no PMU for them". */
const char *counters_why(int error);

/* Waits for a change of a word in memory that processes and threads share. */

/* Sleeps while *word has this value; may return early, so callers check the word again. */
void futex_wait(uint32_t *word, uint32_t value);
void futex_wake_all(uint32_t *word);
/* Wakes all. */
void futex_set(uint32_t *word, uint32_t value);
/* Sleeps while *word is 0. */
void futex_await(uint32_t *word);

#endif
