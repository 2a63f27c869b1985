/* SPDX-License-Identifier: MIT */
/* Scheduling of the calling thread. What changes the process runs in a child, which answers by its exit status. */
#include <pthread.h>
#include <sys/personality.h>
#include <sys/prctl.h>

#include "fixture.h"
#include "sys/cpu.h"
#include "sys/process.h"

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
    uint64_t score = 0;
    if (access("/proc/self/oom_score_adj", W_OK) != 0)
        return CANNOT;
    task_offer_to_oom_killer();
    CHECK(procfs_read_u64("/proc/self/oom_score_adj", &score) && score == 1000);
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
    CHECK(made_up("/proc/thread-self/sched", "nr_switches : 7\nnr_migrations : 12\n") == 0);
    task_read_counters(&counters);
    CHECK(counters.run_delay_ns == 80 && counters.migrations == 12);
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
