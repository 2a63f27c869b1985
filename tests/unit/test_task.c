/* SPDX-License-Identifier: MIT */
/* Scheduling of the calling thread. What changes the process runs in a child, which answers by its exit status. */
#include <pthread.h>
#include <sys/personality.h>

#include "../refuse.h"
#include "fixture.h"
#include "sys/cpu.h"

TEST(test_task_affinity_is_set_and_read_back)
{
    struct cpuset all, one, now;
    assert_int_equal(task_get_affinity(&all), 0);
    assert_true(cpuset_count(&all) >= 1);
    for (unsigned cpu = cpuset_next(&all, 0); cpu != CPUSET_NONE; cpu = cpuset_next(&all, cpu + 1)) {
        cpuset_clear(&one);
        cpuset_add(&one, cpu);
        assert_int_equal(task_set_affinity(&one), 0);
        assert_int_equal(task_get_affinity(&now), 0);
        assert_true(cpuset_equal(&one, &now));
        assert_int_equal(task_current_cpu(), cpu);
    }
    assert_int_equal(task_set_affinity(&all), 0);
    assert_int_equal(task_get_affinity(&now), 0);
    assert_true(cpuset_equal(&all, &now));
}

static int check_policy(int policy, int priority)
{
    int found, found_priority;
    int error = task_set_policy(policy, priority);
    if (error == -EPERM && priority > 0)
        return CANNOT;
    CHECK(error == 0);
    CHECK(task_get_policy(&found, &found_priority) == 0);
    CHECK(found == policy && found_priority == priority);
    bool reset = (syscall(SYS_sched_getscheduler, 0) & SCHED_RESET_ON_FORK) != 0;
    CHECK(reset == (priority > 0));
    return 0;
}

static int ordinary_policies_body(void)
{
    /* Idle last: leaving it again takes a privilege. */
    static const int policies[] = {SCHED_BATCH, SCHED_OTHER, SCHED_IDLE};
    int status = 0;
    for (size_t i = 0; status == 0 && i < COUNT(policies); i++)
        status = check_policy(policies[i], 0);
    return status;
}

TEST(test_task_policy_ordinary_is_set_and_read_back)
{
    assert_int_equal(fixture_in_child(ordinary_policies_body), 0);
}

static int realtime_policies_body(void)
{
    static const struct {
        int policy, priority;
    } tried[] = {{SCHED_FIFO, 1}, {SCHED_RR, 2}, {SCHED_FIFO, 98}, {SCHED_OTHER, 0}};
    int status = 0;
    for (size_t i = 0; status == 0 && i < COUNT(tried); i++)
        status = check_policy(tried[i].policy, tried[i].priority);
    return status;
}

TEST(test_task_policy_realtime_is_set_and_read_back)
{
    assert_int_equal(fixture_in_child(realtime_policies_body), 0);
}

static int unprivileged_return_body(void)
{
    int policy, priority;
    if (task_set_policy(SCHED_FIFO, 1) != 0 || syscall(SYS_setresuid, 65534, 65534, 65534) != 0)
        return CANNOT;
    CHECK(task_set_policy(SCHED_OTHER, 0) == 0);
    CHECK(task_get_policy(&policy, &priority) == 0);
    CHECK(policy == SCHED_OTHER);
    return 0;
}

TEST(test_task_policy_returns_to_other_without_privilege)
{
    assert_int_equal(fixture_in_child(unprivileged_return_body), 0);
}

static int inherited_policies_body(void)
{
    const struct sched_param none = {.sched_priority = 0};
    int policy, priority;
    CHECK(task_set_policy_inherited(SCHED_FIFO, 99) == -EINVAL);
    CHECK(task_set_policy_inherited(SCHED_BATCH, 0) == 0);
    CHECK(task_get_policy(&policy, &priority) == 0 && policy == SCHED_BATCH);
    CHECK(!task_resets_on_fork());
    int error = task_set_policy_inherited(SCHED_RR, 98);
    if (error == 0)
        CHECK(task_get_policy(&policy, &priority) == 0 && policy == SCHED_RR && priority == 98);
    CHECK(error == 0 || error == -EPERM);
    CHECK(!task_resets_on_fork());
    CHECK(syscall(SYS_sched_setscheduler, 0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none) == 0);
    CHECK(task_resets_on_fork());
    return 0;
}

TEST(test_task_policy_is_inherited_or_reset)
{
    assert_int_equal(fixture_in_child(inherited_policies_body), 0);
}

static int slack_body(void)
{
    const int start = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    CHECK(task_set_timer_slack_ns(1) == 0);
    CHECK(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0) == 1);
    /* A value larger than an int, where a long can hold it. */
    CHECK(task_set_timer_slack_ns(5000000000) == (LONG_MAX > INT_MAX ? 0 : -EINVAL));
    CHECK(task_set_timer_slack_ns(UINT64_MAX) == -EINVAL);
    CHECK(task_set_timer_slack_ns(0) == 0);
    CHECK(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0) == start);
    return 0;
}

TEST(test_task_timer_slack_is_set_and_restored)
{
    assert_int_equal(fixture_in_child(slack_body), 0);
}

static int realtime_limit_body(void)
{
    struct rlimit limit;
    CHECK(task_limit_realtime_us(0) == -EINVAL);
    CHECK(task_limit_realtime_us(UINT64_MAX) == -EINVAL);
    /* Two hours, which do not fit into 32 bits. */
    const uint64_t hours = 7200000000, most = ULONG_MAX - 1000001;
    pid_t child = fork();
    if (child == 0)
        _exit(task_limit_realtime_us(hours) != 0 || getrlimit(RLIMIT_RTTIME, &limit) != 0 ||
              limit.rlim_cur != (hours < most ? hours : most));
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(task_limit_realtime_us(3000000) == 0);
    CHECK(getrlimit(RLIMIT_RTTIME, &limit) == 0);
    CHECK(limit.rlim_cur == 3000000 && limit.rlim_max == 4000000);
    if (syscall(SYS_setresuid, 65534, 65534, 65534) != 0)
        return CANNOT;
    CHECK(task_limit_realtime_us(9000000) == 0);
    CHECK(getrlimit(RLIMIT_RTTIME, &limit) == 0);
    CHECK(limit.rlim_cur == 4000000 && limit.rlim_max == 4000000);
    CHECK(task_limit_realtime_us(2000000) == 0);
    CHECK(getrlimit(RLIMIT_RTTIME, &limit) == 0);
    CHECK(limit.rlim_cur == 2000000 && limit.rlim_max == 3000000);
    return 0;
}

TEST(test_task_realtime_limit_is_never_lost)
{
    assert_int_equal(fixture_in_child(realtime_limit_body), 0);
}

static int own_limit_body(void)
{
    /* What is asked for, in us, and what the soft limit is then. */
    static const uint64_t limits[][2] = {{3000000, 3000000}, {0, 9000000},       {1, 1},
                                         {9000000, 9000000}, {9000001, 9000000}, {8999999, 8999999}};
    struct rlimit limit = {.rlim_cur = 5000000, .rlim_max = 9000000};
    if (setrlimit(RLIMIT_RTTIME, &limit) != 0)
        return CANNOT;
    for (size_t i = 0; i < COUNT(limits); i++) {
        CHECK(task_limit_own_realtime_us(limits[i][0]) == 0);
        CHECK(getrlimit(RLIMIT_RTTIME, &limit) == 0);
        CHECK(limit.rlim_cur == limits[i][1] && limit.rlim_max == 9000000);
    }
    return 0;
}

TEST(test_task_own_realtime_limit_is_the_soft_one)
{
    assert_int_equal(fixture_in_child(own_limit_body), 0);
}

static int orphan_body(void)
{
    CHECK(task_die_with_parent(getppid() + 1, SIGKILL) == -ESRCH);
    return 0;
}

TEST(test_task_notices_a_lost_parent)
{
    assert_int_equal(fixture_in_child(orphan_body), 0);
}

/* A soft limit that getrlimit() answers whatever it is asked for; NULL: the real one is. */
static const rlim_t *made_up_limit;

static int get_limit(int resource, struct rlimit *limit)
{
    if (!made_up_limit)
        return (int)syscall(SYS_prlimit64, 0, resource, NULL, limit);
    *limit = (struct rlimit){.rlim_cur = *made_up_limit, .rlim_max = RLIM_INFINITY};
    return 0;
}

/* Its name depends on the C library. */
int __wrap_getrlimit(int resource, struct rlimit *limit);
int __wrap_getrlimit(int resource, struct rlimit *limit)
{
    return get_limit(resource, limit);
}

int __wrap_getrlimit64(int resource, struct rlimit *limit);
int __wrap_getrlimit64(int resource, struct rlimit *limit)
{
    return get_limit(resource, limit);
}

static int layout_body(void)
{
    personality((unsigned long)personality(0xffffffff) & ~(unsigned long)ADDR_NO_RANDOMIZE);
    CHECK(!task_layout_fixed());
    CHECK(task_fix_layout() == 0);
    CHECK(task_layout_fixed());
    CHECK(personality(0xffffffff) & ADDR_NO_RANDOMIZE);
    return 0;
}

TEST(test_task_layout_is_fixed)
{
    assert_int_equal(fixture_in_child(layout_body), 0);
}

/* The sanitizers turn mlockall() into a call that does nothing. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static void touch_pages(size_t pages)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    volatile char *memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    madvise((void *)memory, pages * page, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < pages; i++)
        memory[i * page] = 1;
    munmap((void *)memory, pages * page);
}

/* A number in a file of /proc, read by the C library: behind so many others, or behind a key. -1: not known. */
static long long number_in(const char *path, const char *key, int skipped)
{
    FILE *file = fopen(path, "re");
    char line[256];
    long long number = -1;
    while (file && number < 0 && fgets(line, sizeof(line), file)) {
        const char *at = key ? strstr(line, key) : line;
        if (key && at)
            at = strchr(at, ':') + 1;
        for (int i = 0; at && i < skipped; i++)
            at = strchr(at, ' ') + 1;
        if (at)
            number = strtoll(at, NULL, 10);
    }
    if (file)
        (void)fclose(file);
    return number;
}

/* The kernel's accounts of this thread, in the order of struct task_counters. */
enum { ACCOUNTS = 7 };

static void read_accounts(int64_t account[ACCOUNTS])
{
    struct rusage usage;
    struct timespec cpu;
    assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu), 0);
    assert_int_equal(getrusage(RUSAGE_THREAD, &usage), 0);
    account[0] = (int64_t)cpu.tv_sec * 1000000000 + cpu.tv_nsec;
    account[1] = usage.ru_nvcsw;
    account[2] = usage.ru_nivcsw;
    account[3] = number_in("/proc/thread-self/sched", "nr_migrations", 0);
    account[4] = usage.ru_minflt;
    account[5] = usage.ru_majflt;
    account[6] = number_in("/proc/thread-self/schedstat", NULL, 1);
}

/* Each count is between the kernel's values before and after, which differ by the work done meanwhile. */
TEST(test_task_counters_are_the_kernels)
{
    const struct timespec little = {.tv_nsec = 1000};
    struct task_counters counters;
    int64_t low[ACCOUNTS], high[ACCOUNTS], before[ACCOUNTS];
    read_accounts(before);
    touch_pages(4096);
    /* A sleep that is over before the thread has left the CPU is no switch: by the account, not by the number of
     * sleeps. */
    do {
        nanosleep(&little, NULL);
        read_accounts(low);
    } while (low[1] < before[1] + 32);
    task_read_counters(&counters);
    read_accounts(high);
    const int64_t got[ACCOUNTS] = {counters.cpu_ns,      counters.ctx_voluntary, counters.ctx_involuntary,
                                   counters.migrations,  counters.faults_minor,  counters.faults_major,
                                   counters.run_delay_ns};
    for (int i = 0; i < ACCOUNTS; i++)
        if (got[i] < low[i] || got[i] > high[i])
            fail_msg("counter %d is %lld, not in %lld..%lld", i, (long long)got[i], (long long)low[i],
                     (long long)high[i]);
    assert_true(got[0] > before[0]);
    assert_true(got[4] >= before[4] + 4096);
}

static bool usage_is_made_up, usage_is_refused;

int __real_getrusage(int who, struct rusage *usage);
int __wrap_getrusage(int who, struct rusage *usage);
int __wrap_getrusage(int who, struct rusage *usage)
{
    if (!usage_is_made_up)
        return __real_getrusage(who, usage);
    *usage = (struct rusage){
        .ru_maxrss = 3, .ru_minflt = 5, .ru_majflt = 7, .ru_nswap = 11, .ru_nvcsw = 13, .ru_nivcsw = 17};
    return who == RUSAGE_THREAD && !usage_is_refused ? 0 : -1;
}

int __real_clock_gettime(clockid_t id, struct timespec *time);
int __wrap_clock_gettime(clockid_t id, struct timespec *time);
int __wrap_clock_gettime(clockid_t id, struct timespec *time)
{
    if (!usage_is_made_up)
        return __real_clock_gettime(id, time);
    *time = (struct timespec){.tv_sec = id == CLOCK_PROCESS_CPUTIME_ID ? 3 : 2, .tv_nsec = 250000000};
    return (id == CLOCK_PROCESS_CPUTIME_ID || id == CLOCK_THREAD_CPUTIME_ID) && !usage_is_refused ? 0 : -1;
}

TEST(test_task_usage_has_each_count_in_its_place)
{
    struct task_counters counters = {.migrations = 19, .run_delay_ns = 23}, refused = {.cpu_ns = 0};
    if (sizeof(time_t) > sizeof(long))
        skip_because("getrusage and clock_gettime have other names where times are longer than a long");
    usage_is_made_up = true;
    task_read_usage(&counters);
    const double all_s = task_process_cpu_s();
    usage_is_refused = true;
    task_read_usage(&refused);
    const double refused_s = task_process_cpu_s();
    usage_is_made_up = usage_is_refused = false;
    assert_true(all_s == 3.25 && refused_s == 0);
    assert_true(refused.cpu_ns == -1 && refused.ctx_voluntary == -1 && refused.ctx_involuntary == -1);
    assert_true(refused.faults_minor == -1 && refused.faults_major == -1);
    assert_int_equal(counters.cpu_ns, 2250000000);
    assert_int_equal(counters.faults_minor, 5);
    assert_int_equal(counters.faults_major, 7);
    assert_int_equal(counters.ctx_voluntary, 13);
    assert_int_equal(counters.ctx_involuntary, 17);
    assert_int_equal(counters.migrations, 19);
    assert_int_equal(counters.run_delay_ns, 23);
}

static void *count_own_faults(void *out)
{
    task_read_counters(out);
    return NULL;
}

TEST(test_task_counters_are_the_threads_own)
{
    struct task_counters main_thread, other;
    pthread_t thread;
    touch_pages(4096);
    assert_int_equal(pthread_create(&thread, NULL, count_own_faults, &other), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    task_read_counters(&main_thread);
    assert_true(main_thread.faults_minor >= 4096);
    assert_true(other.faults_minor >= 0 && other.faults_minor < 4096);
}

TEST(test_task_parses_the_kernels_texts)
{
    static const struct {
        const char *text;
        int64_t run, delay;
    } times[] = {{"12 345 6\n", 12, 345},
                 {"9223372036854775807 0 1\n", INT64_MAX, 0},
                 {"9223372036854775808 5 1\n", -1, -1},
                 {"12\n", -1, -1},
                 {"", -1, -1}};
    for (size_t i = 0; i < COUNT(times); i++) {
        int64_t run = -2, delay = -2;
        task_parse_schedstat(times[i].text, &run, &delay);
        assert_true(run == times[i].run && delay == times[i].delay);
    }
    /* The name before and since Linux 3.13. */
    assert_int_equal(task_parse_migrations("x : 1\nse.nr_migrations    :      5\n"), 5);
    assert_int_equal(task_parse_migrations("x : 1\nnr_migrations    :      7\n"), 7);
    assert_int_equal(task_parse_migrations("se.nr_migrations : 0\nnr_migrations : 7\n"), 0);
    assert_int_equal(task_parse_migrations("x : 1\n"), -1);
}

static int oom_body(void)
{
    if (access("/proc/self/oom_score_adj", W_OK) != 0)
        return CANNOT;
    task_offer_to_oom_killer();
    CHECK(number_in("/proc/self/oom_score_adj", NULL, 0) == 1000);
    return 0;
}

TEST(test_task_offers_itself_to_the_oom_killer)
{
    assert_int_equal(fixture_in_child(oom_body), 0);
}

static int made_up(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ssize_t size = (ssize_t)strlen(text);
    if (fd < 0 || write(fd, text, (size_t)size) != size)
        return -1;
    return close(fd);
}

static int made_up_io(const char *text)
{
    return made_up("/proc/self/io", text);
}

static int64_t made_up_delay(const char *text)
{
    struct task_counters counters = {.run_delay_ns = -2};
    if (made_up("/proc/thread-self/schedstat", text) == 0)
        task_read_counters(&counters);
    return counters.run_delay_ns;
}

static int delay_body(void)
{
    if (fixture_hide("/proc"))
        return CANNOT;
    CHECK(mkdir("/proc/thread-self", 0700) == 0);
    CHECK(made_up_delay("12 345 6\n") == 345);
    CHECK(made_up_delay("12 9223372036854775807 6\n") == INT64_MAX);
    CHECK(made_up_delay("12 9223372036854775808 6\n") == -1);
    CHECK(made_up_delay("12\n") == -1);
    CHECK(made_up_delay("- 345 6\n") == -1);
    return 0;
}

TEST(test_task_run_delay_is_the_second_number)
{
    assert_int_equal(fixture_in_child(delay_body), 0);
}

static void *count_without_own_folder(void *out)
{
    task_read_counters(out);
    return NULL;
}

/* Older kernels have a folder for each thread by its number, or none. */
static int thread_folder_body(void)
{
    struct task_counters counters;
    pthread_t thread;
    char path[64];
    if (fixture_hide("/proc"))
        return CANNOT;
    CHECK(mkdir("/proc/self", 0700) == 0);
    CHECK(made_up("/proc/self/schedstat", "1 20 3\n") == 0 && made_up("/proc/self/sched", "nr_migrations : 4\n") == 0);
    /* Those of the whole process are not a thread's. */
    CHECK(pthread_create(&thread, NULL, count_without_own_folder, &counters) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(counters.run_delay_ns == -1 && counters.migrations == -1);
    CHECK(mkdir("/proc/self/task", 0700) == 0);
    (void)snprintf(path, sizeof(path), "/proc/self/task/%ld", (long)getpid());
    CHECK(mkdir(path, 0700) == 0);
    (void)strcat(path, "/schedstat");
    CHECK(made_up(path, "1 50 6\n") == 0);
    task_read_counters(&counters);
    CHECK(counters.run_delay_ns == 50 && counters.migrations == -1);
    CHECK(mkdir("/proc/thread-self", 0700) == 0 && made_up("/proc/thread-self/schedstat", "1 80 9\n") == 0);
    task_read_counters(&counters);
    CHECK(counters.run_delay_ns == 80 && counters.migrations == -1);
    return 0;
}

TEST(test_task_counters_come_from_the_threads_folder)
{
    assert_int_equal(fixture_in_child(thread_folder_body), 0);
}

static int io_body(void)
{
    uint64_t in = 1, out = 2;
    if (fixture_hide("/proc"))
        return CANNOT;
    CHECK(task_read_io(&in, &out) == -ENOENT);
    CHECK(mkdir("/proc/self", 0700) == 0);
    CHECK(made_up_io("rchar: 5\nwchar: 6\nread_bytes: 7\n") == 0);
    CHECK(task_read_io(&in, &out) == -ENODATA);
    CHECK(made_up_io("read_bytes: 7\nwrite_bytes: -3\n") == 0);
    CHECK(task_read_io(&in, &out) == -ENODATA);
    CHECK(in == 1 && out == 2);
    CHECK(made_up_io("rchar: 5\nwchar: 6\nread_bytes: 8192\nwrite_bytes: 4096\ncancelled_write_bytes: 96\n") == 0);
    CHECK(task_read_io(&in, &out) == 0);
    CHECK(in == 8192 && out == 4000);
    /* The process that removes a file restores the value. */
    CHECK(made_up_io("read_bytes: 0\nwrite_bytes: 10\ncancelled_write_bytes: 11\n") == 0);
    CHECK(task_read_io(&in, &out) == 0);
    CHECK(in == 0 && out == 0);
    CHECK(made_up_io("") == 0);
    CHECK(task_read_io(&in, &out) == -ENODATA);
    CHECK(made_up_io("read_bytes: 3\nwrite_bytes: 0\n") == 0);
    CHECK(task_read_io(&in, &out) == 0);
    CHECK(in == 3 && out == 0);
    CHECK(made_up_io("read_bytes: 1\nwrite_bytes: 2\n") == 0);
    CHECK(task_read_io(&in, &out) == 0);
    CHECK(in == 1 && out == 2);
    return 0;
}

TEST(test_task_io_is_taken_from_its_file)
{
    assert_int_equal(fixture_in_child(io_body), 0);
}
