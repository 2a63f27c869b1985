/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "sys/process.h"

/* Operations of futex(2); musl lacks the kernel's header. Not the private variants: processes share the word. */
#define OPERATION_WAIT 0
#define OPERATION_WAKE 1

void futex_wait(uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, OPERATION_WAIT, value, NULL, NULL, 0);
}

void futex_wake_all(uint32_t *word)
{
    syscall(SYS_futex, word, OPERATION_WAKE, INT_MAX, NULL, NULL, 0);
}

void futex_set(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    futex_wake_all(word);
}

void futex_await(uint32_t *word)
{
    while (!__atomic_load_n(word, __ATOMIC_ACQUIRE))
        futex_wait(word, 0);
}

#define LONG_BITS  (CHAR_BIT * sizeof(unsigned long))
#define MASK_LONGS (CPUSET_MAX / LONG_BITS)

/* musl lacks linux/personality.h. */
#define PERSONA_QUERY        0xffffffffUL
#define PERSONA_NO_RANDOMIZE 0x0040000UL

/* The kernel's mask is an array of long: on 32-bit big-endian machines its layout differs from struct cpuset. */
int task_set_affinity(const struct cpuset *set)
{
    unsigned long mask[MASK_LONGS];
    for (size_t i = 0; i < MASK_LONGS; i++) {
        size_t cpu = i * LONG_BITS;
        mask[i] = (unsigned long)(set->word[cpu / 64] >> (cpu % 64));
    }
    return sys_result(syscall(SYS_sched_setaffinity, 0, sizeof mask, mask));
}

int task_get_affinity(struct cpuset *set)
{
    unsigned long mask[MASK_LONGS] = {0};
    const int error = sys_result(syscall(SYS_sched_getaffinity, 0, sizeof mask, mask));

    cpuset_clear(set);
    for (size_t i = 0; error >= 0 && i < MASK_LONGS; i++)
        set->word[i * LONG_BITS / 64] |= (uint64_t)mask[i] << (i * LONG_BITS % 64);
    return error < 0 ? error : 0;
}

unsigned task_current_cpu(void)
{
    unsigned cpu;
    if (syscall(SYS_getcpu, &cpu, NULL, NULL) != 0 || cpu >= CPUSET_MAX)
        return CPUSET_NONE;
    return cpu;
}

/* The kernel's has one int; musl's more. */
struct kernel_sched_param {
    int priority;
};

/* pid 0: the calling thread. */
static int set_scheduler(pid_t pid, int policy, int rt_priority)
{
    const struct kernel_sched_param param = {.priority = rt_priority};
    return sys_result(syscall(SYS_sched_setscheduler, pid, policy, &param));
}

int task_set_policy(int policy, int rt_priority)
{
    const bool realtime = task_is_realtime(policy);

    if (realtime ? policy == TASK_DEADLINE || rt_priority > TASK_FIFO_MAX
                 : policy != SCHED_OTHER && policy != SCHED_BATCH && policy != SCHED_IDLE && policy != TASK_EXT)
        return -EINVAL;
    if (realtime)
        return set_scheduler(0, policy | SCHED_RESET_ON_FORK, rt_priority);
    int error = set_scheduler(0, policy, rt_priority);
    /* Only a privileged thread may clear reset-on-fork. Without a real-time policy it only resets a negative nice
     * value of children. */
    if (error == -EPERM)
        error = set_scheduler(0, policy | SCHED_RESET_ON_FORK, rt_priority);
    return error;
}

void task_end_realtime(pid_t pid)
{
    (void)set_scheduler(pid, SCHED_OTHER, 0);
}

int task_set_policy_inherited(int policy, int rt_priority)
{
    return rt_priority > TASK_FIFO_MAX ? -EINVAL : set_scheduler(0, policy, rt_priority);
}

int task_get_policy(int *policy, int *rt_priority)
{
    struct kernel_sched_param param = {0};
    long found = syscall(SYS_sched_getscheduler, 0);
    if (found < 0 || syscall(SYS_sched_getparam, 0, &param) != 0)
        return -errno;
    *policy = (int)found & ~SCHED_RESET_ON_FORK;
    *rt_priority = param.priority;
    return 0;
}

const char *task_policy_name(int policy)
{
    static const char *const names[] = {
        [SCHED_OTHER] = "other", [SCHED_FIFO] = "fifo",        [SCHED_RR] = "rr", [SCHED_BATCH] = "batch",
        [SCHED_IDLE] = "idle",   [TASK_DEADLINE] = "deadline", [TASK_EXT] = "ext"};
    return policy >= 0 && policy < (int)COUNT(names) && names[policy] ? names[policy] : "unknown";
}

bool task_is_realtime(int policy)
{
    return policy == SCHED_FIFO || policy == SCHED_RR || policy == TASK_DEADLINE;
}

/* Kernels before 5.3 take the last line if it is 0. */
struct kernel_sched_attr {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period; /* ns; runtime: the slice of a normal task */
    uint32_t util_min, util_max;
};

#define FLAG_RESET_ON_FORK 0x01u
#define FLAGS_CLAMP        0x78u /* keep policy and parameters, set util_min and util_max */

static int get_attr(struct kernel_sched_attr *attr)
{
    *attr = (struct kernel_sched_attr){.size = sizeof(*attr)};
    return sys_result(syscall(SYS_sched_getattr, 0, attr, sizeof(*attr), 0));
}

static int set_attr(const struct kernel_sched_attr *attr)
{
    return sys_result(syscall(SYS_sched_setattr, 0, attr, 0));
}

int task_get_slice_ns(uint64_t *ns, unsigned clamp[2])
{
    struct kernel_sched_attr attr;
    const int error = get_attr(&attr);

    *ns = attr.runtime;
    clamp[0] = attr.util_min;
    clamp[1] = attr.util_max;
    return error;
}

int task_set_slice_ns(uint64_t ns)
{
    struct kernel_sched_attr attr;
    int error = get_attr(&attr);

    attr.runtime = ns;
    attr.flags = 0;
    if (!error && !(error = set_attr(&attr)) && !(error = get_attr(&attr)))
        error = attr.runtime == ns ? 0 : -ENOTSUP; /* older kernels ignore it */
    return error;
}

int task_set_deadline(uint64_t runtime_ns)
{
    return set_attr(&(struct kernel_sched_attr){.size = sizeof(struct kernel_sched_attr),
                                                .policy = TASK_DEADLINE,
                                                .flags = FLAG_RESET_ON_FORK,
                                                .runtime = runtime_ns,
                                                .deadline = 2 * runtime_ns,
                                                .period = 2 * runtime_ns});
}

int task_set_uclamp(const unsigned clamp[2])
{
    struct kernel_sched_attr attr;
    const int error = get_attr(&attr);

    attr.flags = FLAGS_CLAMP;
    attr.util_min = clamp[0];
    attr.util_max = clamp[1];
    return error ? error : set_attr(&attr);
}

int task_set_nice(int nice)
{
    /* The kernel would clamp silently, and the results would record a wrong value. */
    if (nice < -20 || nice > 19)
        return -EINVAL;
    return sys_result(syscall(SYS_setpriority, PRIO_PROCESS, 0, nice));
}

int task_get_nice(int *nice)
{
    /* The raw call returns 20 - nice: never like an error. */
    long found = syscall(SYS_getpriority, PRIO_PROCESS, 0);
    if (found < 0)
        return -errno;
    *nice = 20 - (int)found;
    return 0;
}

int task_set_timer_slack_ns(uint64_t ns)
{
    /* To the kernel 0 means the thread's default. */
    if (ns > LONG_MAX)
        return -EINVAL;
    return sys_result(prctl(PR_SET_TIMERSLACK, (unsigned long)ns, 0, 0, 0));
}

int task_limit_realtime_us(uint64_t us)
{
    const uint64_t second = 1000000;
    struct rlimit old, limit;
    if (us == 0 || us > INT64_MAX - second)
        return -EINVAL;
    /* A limit beyond 32 bits becomes 71 minutes: stricter, but still a guard. */
    if (us > ULONG_MAX - 1 - second)
        us = ULONG_MAX - 1 - second;
    if (getrlimit(RLIMIT_RTTIME, &old) != 0)
        return -errno;
    limit = (struct rlimit){.rlim_cur = (rlim_t)us, .rlim_max = (rlim_t)(us + second)};
    int error = sys_result(setrlimit(RLIMIT_RTTIME, &limit));
    if (error != -EPERM || old.rlim_max >= limit.rlim_max)
        return error;
    /* Without privileges the hard limit cannot be raised. */
    limit.rlim_max = old.rlim_max;
    if (limit.rlim_cur > limit.rlim_max)
        limit.rlim_cur = limit.rlim_max;
    return sys_result(setrlimit(RLIMIT_RTTIME, &limit));
}

int task_limit_own_realtime_us(uint64_t us)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_RTTIME, &limit) != 0)
        return -errno;
    limit.rlim_cur = us == 0 || us > limit.rlim_max ? limit.rlim_max : (rlim_t)us;
    return sys_result(setrlimit(RLIMIT_RTTIME, &limit));
}

int task_realtime_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_RTPRIO, &limit) != 0)
        return 0;
    return limit.rlim_cur < TASK_FIFO_MAX ? (int)limit.rlim_cur : TASK_FIFO_MAX;
}

bool task_resets_on_fork(void)
{
    long found = syscall(SYS_sched_getscheduler, 0);

    return found >= 0 && (found & SCHED_RESET_ON_FORK);
}

bool task_has_cpu_limit(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_CPU, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

double task_process_cpu_s(void)
{
    struct timespec t;

    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) ? 0 : (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void task_offer_to_oom_killer(void)
{
    static const char most[] = "1000";
    FREED_BY(fd_close) int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    (void)!write(fd, most, sizeof most - 1);
}

int task_lock_memory(void)
{
    return sys_result(mlockall(MCL_CURRENT | MCL_FUTURE));
}

int task_fix_layout(void)
{
    long persona = syscall(SYS_personality, PERSONA_QUERY);
    if (persona < 0)
        return -errno;
    return syscall(SYS_personality, (unsigned long)persona | PERSONA_NO_RANDOMIZE) < 0 ? -errno : 0;
}

bool task_layout_fixed(void)
{
    long persona = syscall(SYS_personality, PERSONA_QUERY);
    return persona >= 0 && ((unsigned long)persona & PERSONA_NO_RANDOMIZE);
}

int task_die_with_parent(pid_t expected_parent, int signal)
{
    if (prctl(PR_SET_PDEATHSIG, (unsigned long)signal, 0, 0, 0) != 0)
        return -errno;
    /* The parent may have ended before; then no signal will come. */
    return getppid() == expected_parent ? 0 : -ESRCH;
}

void task_set_name(const char *name)
{
    char kept[16];
    TEXT_PRINT(kept, "%.15s", name);
    prctl(PR_SET_NAME, (unsigned long)kept, 0, 0, 0);
}

/* In /proc/thread-self (Linux 3.17), else by the thread's number. */
static void read_thread_file(const char *name, char *buf, size_t size)
{
    if (procfs_read(PROCFS_PATH("/proc/thread-self/%s", name), buf, size) <= 0)
        procfs_read(PROCFS_PATH("/proc/self/task/%ld/%s", syscall(SYS_gettid), name), buf, size);
}

void task_parse_schedstat(const char *text, int64_t *run_ns, int64_t *delay_ns)
{
    uint64_t run = 0, delay = 0;
    const char *rest = procfs_number(text, &run);
    const bool known = rest && procfs_number(rest, &delay) && run <= INT64_MAX && delay <= INT64_MAX;
    *run_ns = known ? (int64_t)run : -1;
    *delay_ns = known ? (int64_t)delay : -1;
}

int64_t task_parse_migrations(const char *text)
{
    int64_t count = procfs_count(text, "se.nr_migrations");
    return count < 0 ? procfs_count(text, "nr_migrations") : count;
}

void task_read_usage(struct task_counters *out)
{
    struct rusage usage;
    struct timespec cpu;
    /* rusage has it only in microseconds */
    out->cpu_ns = -1;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu) == 0)
        out->cpu_ns = (int64_t)cpu.tv_sec * 1000000000 + cpu.tv_nsec;
    out->ctx_voluntary = out->ctx_involuntary = out->faults_minor = out->faults_major = -1;
    if (getrusage(RUSAGE_THREAD, &usage) != 0)
        return;
    out->ctx_voluntary = usage.ru_nvcsw;
    out->ctx_involuntary = usage.ru_nivcsw;
    out->faults_minor = usage.ru_minflt;
    out->faults_major = usage.ru_majflt;
}

void task_read_counters(struct task_counters *out)
{
    char text[8192];
    int64_t run_ns;
    read_thread_file("sched", text, sizeof text);
    out->migrations = task_parse_migrations(text);
    read_thread_file("schedstat", text, sizeof text);
    task_parse_schedstat(text, &run_ns, &out->run_delay_ns);
    task_read_usage(out);
}

int task_read_io(uint64_t *read_bytes, uint64_t *written_bytes)
{
    char text[512];
    ssize_t length = procfs_read("/proc/self/io", text, sizeof text);
    if (length < 0)
        return (int)length;
    int64_t in = procfs_count(text, "read_bytes"), out = procfs_count(text, "write_bytes"),
            cancelled = procfs_count(text, "cancelled_write_bytes");
    if (in < 0 || out < 0)
        return -ENODATA;
    *read_bytes = (uint64_t)in;
    *written_bytes = cancelled < 0 ? (uint64_t)out : cancelled < out ? (uint64_t)(out - cancelled) : 0;
    return 0;
}

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
        fd_close(&counters->fd[i]);
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
