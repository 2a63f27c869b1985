/* SPDX-License-Identifier: MIT */
/* Programs of others: found as execvp() does, started, waited for, and what they leave behind. */

#include "fixture.h"
#include "sys/clock.h"
#include "sys/process.h"

#define LONG_NS 30000000000u

struct place {
    char root[64];
};

static void make_file(const struct place *place, const char *name, mode_t mode)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "%s/%s", place->root, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    (void)close(fd);
    assert_int_equal(chmod(path, mode), 0);
}

static void make_folder(const struct place *place, const char *name)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "%s/%s", place->root, name);
    assert_int_equal(mkdir(path, 0755), 0);
}

static int setup(void **state)
{
    struct place *place = calloc(1, sizeof(*place));

    assert_non_null(place);
    (void)snprintf(place->root, sizeof(place->root), "/tmp/jitbench-program-XXXXXX");
    assert_non_null(mkdtemp(place->root));
    make_folder(place, "a");
    make_folder(place, "b");
    make_folder(place, "b/folder");
    make_file(place, "a/plain", 0644);
    make_file(place, "a/both", 0644);
    make_file(place, "b/both", 0755);
    make_file(place, "b/program", 0755);
    *state = place;
    return 0;
}

static int teardown(void **state)
{
    struct place *place = *state;
    char command[128];

    (void)snprintf(command, sizeof(command), "rm -r '%s'", place->root);
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): a path of our own */
    free(place);
    return 0;
}

/* --- Finding. --- */

/* In the two folders, one behind the other. */
static int find(const struct place *place, const char *name, char *found)
{
    char path[256];

    (void)snprintf(path, sizeof(path), "/nowhere:%s/a:%s/b", place->root, place->root);
    return program_find(name, path, found, 256);
}

TEST_WITH(test_program_find_takes_the_first_that_may_be_executed, setup, teardown)
{
    const struct place *place = *state;
    char found[256], expected[256];

    assert_int_equal(find(place, "program", found), 0);
    (void)snprintf(expected, sizeof(expected), "%s/b/program", place->root);
    assert_string_equal(found, expected);
    assert_int_equal(find(place, "both", found), 0);
    (void)snprintf(expected, sizeof(expected), "%s/b/both", place->root);
    assert_string_equal(found, expected);
}

TEST_WITH(test_program_find_takes_an_empty_folder_for_the_current_one, setup, teardown)
{
    const struct place *place = *state;
    char folder[128], found[256], before[256];

    assert_non_null(getcwd(before, sizeof(before)));
    (void)snprintf(folder, sizeof(folder), "%s/b", place->root);
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(program_find("program", "/nowhere:", found, sizeof(found)), 0);
    assert_string_equal(found, "./program");
    assert_int_equal(program_find("program", "/nowhere", found, sizeof(found)), -ENOENT);
    assert_int_equal(chdir(before), 0);
}

/* --- Starting and waiting. --- */

/* tests/dist/unit.sh says so. */
static bool emulated(void)
{
    return getenv("JITBENCH_EMULATED") != NULL;
}

static void need_shared_memory(void)
{
    if (emulated())
        skip_because("qemu-user has no processes that share memory");
}

static pid_t start(const char *script, int out, uint64_t *exec_ns)
{
    char *argv[] = {(char *)"sh", (char *)"-c", (char *)script, NULL};
    char *envp[] = {(char *)"PATH=/usr/bin:/bin", NULL};
    const struct program program = {.path = "/bin/sh", .argv = argv, .envp = envp, .fds = {0, out, 2}};

    program_be_parent();
    pid_t pid = program_start(&program, exec_ns);
    assert_true(pid > 0);
    return pid;
}

static void run(const char *script, struct program_end *end)
{
    uint64_t before = clock_raw_ns(), exec_ns, end_ns;
    pid_t pid = start(script, 1, &exec_ns);

    assert_int_equal(program_wait(pid, exec_ns + LONG_NS, &end_ns), 0);
    assert_true(before <= exec_ns && exec_ns < end_ns && end_ns <= clock_raw_ns());
    assert_int_equal(program_reap(pid, end), 0);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
}

TEST(test_program_end_is_as_the_kernel_says)
{
    struct program_end end;

    need_shared_memory();
    run("exit 7", &end);
    assert_true(WIFEXITED(end.status));
    assert_int_equal(WEXITSTATUS(end.status), 7);
    assert_true(end.counters.faults_minor > 0);
    assert_true(end.counters.cpu_ns > 0);
    assert_true(end.usage.ru_maxrss > 0);
    run("kill -TERM $$", &end);
    assert_true(WIFSIGNALED(end.status));
    assert_int_equal(WTERMSIG(end.status), SIGTERM);
}

/* A shell that loops itself is all of the CPU time; one that has others loop is nearly none of it. */
TEST(test_program_delays_of_the_main_thread_do_not_pass_for_those_of_others)
{
    static const char loop[] = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
    struct program_end end;
    char script[128];

    need_shared_memory();
    run(loop, &end);
    assert_true(end.counters.cpu_ns > 0);
    if (access("/proc/self/schedstat", R_OK))
        skip_because("no /proc/self/schedstat");
    assert_true(end.counters.run_delay_ns >= 0);
    assert_true(end.last_cpu != CPUSET_NONE);
    (void)snprintf(script, sizeof(script), "(%s) & wait", loop);
    run(script, &end);
    assert_true(end.counters.cpu_ns > 0);
    assert_int_equal(end.counters.run_delay_ns, -1);
    assert_int_equal(end.counters.migrations, -1);
}

static int64_t cpu_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A process that uses so much CPU time itself, and has a child use so much. */
static pid_t start_family(int64_t own_ns, int64_t child_ns)
{
    pid_t pid = fork();

    if (pid)
        return pid;
    pid_t child = fork();
    while (cpu_ns() < (child ? own_ns : child_ns)) {
    }
    if (child)
        (void)waitpid(child, NULL, 0);
    _exit(0);
}

static bool has_delay(int64_t own_ns, int64_t child_ns)
{
    struct program_end end;
    uint64_t end_ns;
    pid_t pid = start_family(own_ns, child_ns);

    assert_true(pid > 0);
    assert_int_equal(program_wait(pid, clock_raw_ns() + LONG_NS, &end_ns), 0);
    assert_int_equal(program_reap(pid, &end), 0);
    assert_int_equal(end.counters.run_delay_ns >= 0, end.counters.migrations >= 0);
    return end.counters.run_delay_ns >= 0;
}

/* Shares of CPU time, whatever the clock on the wall says of it. */
TEST(test_program_delays_are_known_from_nine_tenths_of_the_time_on)
{
    if (access("/proc/self/sched", R_OK) || access("/proc/self/schedstat", R_OK))
        skip_because("no /proc/self/sched or no /proc/self/schedstat");
    assert_true(has_delay(92000000, 8000000));
    assert_false(has_delay(89000000, 11000000));
}

TEST_WITH(test_program_start_says_what_the_exec_said, setup, teardown)
{
    const struct place *place = *state;
    char path[128], *argv[] = {(char *)"x", NULL}, *envp[] = {NULL};
    struct program program = {.path = "/nowhere", .argv = argv, .envp = envp, .fds = {0, 1, 2}};
    uint64_t exec_ns;

    need_shared_memory();
    assert_int_equal(program_start(&program, &exec_ns), -ENOENT);
    (void)snprintf(path, sizeof(path), "%s/a/plain", place->root);
    program.path = path;
    assert_int_equal(program_start(&program, &exec_ns), -EACCES);
    /* An empty file is no program, and no shell is asked. */
    (void)snprintf(path, sizeof(path), "%s/b/program", place->root);
    assert_int_equal(program_start(&program, &exec_ns), -ENOEXEC);
    program.path = "/bin/sh";
    program.fds[1] = 999;
    assert_int_equal(program_start(&program, &exec_ns), -EBADF);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

TEST(test_program_gets_its_descriptors_in_any_order)
{
    char *argv[] = {(char *)"sh", (char *)"-c", (char *)"read x; echo out $x; echo err >&2", NULL}, *envp[] = {NULL};
    int in[2], out[2], err[2], saved[3];
    char text[64];
    uint64_t exec_ns, end_ns;
    struct program_end end;

    need_shared_memory();
    assert_true(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0);
    /* 0 becomes 2, and 1 and 2 become 0 and 1. */
    for (int i = 0; i < 3; i++)
        saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 20);
    (void)dup2(err[1], 0);
    (void)dup2(in[0], 1);
    (void)dup2(out[1], 2);
    const struct program program = {.path = "/bin/sh", .argv = argv, .envp = envp, .fds = {1, 2, 0}};
    program_be_parent();
    pid_t pid = program_start(&program, &exec_ns);
    for (int i = 0; i < 3; i++)
        (void)dup2(saved[i], i);
    assert_true(pid > 0);
    assert_int_equal(write(in[1], "word\n", 5), 5);
    assert_int_equal(program_wait(pid, exec_ns + LONG_NS, &end_ns), 0);
    assert_int_equal(program_reap(pid, &end), 0);
    assert_int_equal(read(out[0], text, sizeof(text)), (int)strlen("out word\n"));
    assert_memory_equal(text, "out word\n", strlen("out word\n"));
    assert_int_equal(read(err[0], text, sizeof(text)), (int)strlen("err\n"));
    for (int i = 0; i < 2; i++) {
        (void)close(in[i]);
        (void)close(out[i]);
        (void)close(err[i]);
    }
    for (int i = 0; i < 3; i++)
        (void)close(saved[i]);
}

/* Whether the program prints that, when its caller blocks and ignores all signals and has other descriptors. */
static bool prints(char *const *argv, const char *expected)
{
    char *envp[] = {NULL}, text[4096] = "";
    struct program_end end;
    uint64_t exec_ns, end_ns;
    int out[2];

    if (pipe(out))
        return false;
    const struct program program = {.path = argv[0], .argv = argv, .envp = envp, .fds = {-1, out[1], -1}};
    pid_t pid = program_start(&program, &exec_ns);
    return pid > 0 && program_wait(pid, exec_ns + LONG_NS, &end_ns) == 0 && program_reap(pid, &end) == 0 &&
           end.status == 0 && read(out[0], text, sizeof(text) - 1) > 0 && strstr(text, expected);
}

static int start_with_disorder(void)
{
    char *signals[] = {(char *)"/bin/cat", (char *)"/proc/self/status", NULL};
    char *descriptors[] = {(char *)"/bin/ls", (char *)"/proc/self/fd", NULL};
    char *nulls[] = {(char *)"/bin/readlink", (char *)"/proc/self/fd/0", (char *)"/proc/self/fd/2", NULL};
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
    const unsigned long ignored[16] = {1}; /* the kernel's struct sigaction with SIG_IGN */
    sigset_t all;

    for (int number = 1; number < NSIG; number++) /* those of the C library as well */
        (void)syscall(SYS_rt_sigaction, number, ignored, NULL, NSIG / 8);
    program_be_parent();
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    CHECK(dup2(1, 200) == 200);
    CHECK(prints(signals, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"));
    CHECK(prints(descriptors, "0\n1\n2\n3\n")); /* 3: the folder itself */
    CHECK(prints(nulls, "/dev/null\n/dev/null\n"));
    /* /dev/null cannot be opened: the caller's own are left. */
    uint64_t exec_ns;
    const struct program program = {.path = nulls[0], .argv = nulls, .envp = nulls + 3, .fds = {-1, -1, -1}};
    CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
    struct program_end end;
    const pid_t pid = program_start(&program, &exec_ns);
    CHECK(pid > 0 && program_reap(pid, &end) == 0);
    return 0;
}

TEST(test_program_gets_no_signal_mask_and_no_descriptors_of_its_caller)
{
    need_shared_memory();
    assert_int_equal(fixture_in_child(start_with_disorder), 0);
}

/* The signal stays pending for the caller. */
static int wait_and_be_asked_to_end(void)
{
    struct program_end end;
    uint64_t exec_ns, end_ns;

    for (int i = 0; i < 2; i++) {
        pid_t pid = start("exec sleep 100", 1, &exec_ns); /* a shell would leave it as an orphan */
        CHECK(i || kill(getpid(), SIGTERM) == 0);
        CHECK(program_wait(pid, exec_ns + LONG_NS, &end_ns) == -EINTR);
        CHECK(program_reap(pid, &end) == 0 && WTERMSIG(end.status) == SIGKILL);
    }
    return 0;
}

TEST(test_program_wait_ends_when_a_signal_asks_to_end)
{
    need_shared_memory();
    assert_int_equal(fixture_in_child(wait_and_be_asked_to_end), 0);
}

static bool ends(pid_t pid, uint64_t within_ns);

TEST(test_program_dies_with_who_started_it)
{
    int out[2];
    pid_t child;

    need_shared_memory();
    program_be_parent();
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    pid_t parent = fork();
    assert_true(parent >= 0);
    if (parent == 0) {
        uint64_t exec_ns;
        child = start("exec sleep 100", 1, &exec_ns);
        ssize_t ignored = write(out[1], &child, sizeof(child));
        (void)ignored;
        (void)pause();
        _exit(0);
    }
    assert_int_equal(read(out[0], &child, sizeof(child)), sizeof(child));
    assert_int_equal(kill(parent, SIGKILL), 0);
    assert_true(ends(parent, LONG_NS));
    assert_true(ends(child, LONG_NS));
    (void)close(out[0]);
    (void)close(out[1]);
}

/* --- What is left. --- */

TEST(test_program_orphans_are_ended_in_sessions_of_their_own_too)
{
    struct program_end end;

    need_shared_memory();
    run("setsid sleep 100 & sleep 100 & exit 0", &end);
    assert_int_equal(end.status, 0);
    assert_true(program_has_children());
    assert_int_equal(program_end_orphans(0), 2);
    assert_false(program_has_children());
    assert_int_equal(program_end_orphans(0), 0);
}

/* A group leader with a guard, that starts one process and says its pid; it ends when it is told to. */
static pid_t guarded(int out, bool dismissed)
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        static struct program_guard guard;
        (void)setpgid(0, 0);
        if (program_guard(&guard, getpgrp()))
            _exit(1);
        pid_t child = fork();
        if (child == 0) {
            (void)close(guard.fd); /* as an exec would */
            (void)pause();
            _exit(0);
        }
        if (dismissed)
            program_unguard(&guard);
        ssize_t ignored = write(out, &child, sizeof(child));
        (void)ignored;
        if (!dismissed)
            (void)pause();
        _exit(0);
    }
    return pid;
}

/* As an orphan it is ours. */
static bool ends(pid_t pid, uint64_t within_ns)
{
    uint64_t until = clock_raw_ns() + within_ns;

    while (waitpid(pid, NULL, WNOHANG) != pid) {
        if (clock_raw_ns() > until)
            return false;
        clock_sleep_ns(1000000);
    }
    return true;
}

TEST(test_program_guard_ends_the_group_of_a_killed_caller)
{
    int out[2];
    pid_t child;

    need_shared_memory();
    program_be_parent();
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    pid_t leader = guarded(out[1], false);
    assert_int_equal(read(out[0], &child, sizeof(child)), sizeof(child));
    assert_int_equal(kill(leader, SIGKILL), 0);
    assert_true(ends(leader, LONG_NS));
    assert_true(ends(child, LONG_NS));
    (void)program_end_orphans(LONG_NS);
    (void)close(out[0]);
    (void)close(out[1]);
}

TEST(test_program_guard_that_is_dismissed_does_nothing)
{
    int out[2];
    pid_t child;

    need_shared_memory();
    program_be_parent();
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    pid_t leader = guarded(out[1], true);
    assert_int_equal(read(out[0], &child, sizeof(child)), sizeof(child));
    assert_true(ends(leader, LONG_NS));
    assert_false(ends(child, 50000000));
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_true(ends(child, LONG_NS));
    (void)close(out[0]);
    (void)close(out[1]);
}

/* --- Counters of a process, made up. --- */

static bool reap_is_made_up;

/* 1.0002 s in user mode, 2.0003 s in the kernel, and all counts different. */
static const struct rusage made_up_usage = {.ru_utime = {.tv_sec = 1, .tv_usec = 200},
                                            .ru_stime = {.tv_sec = 2, .tv_usec = 300},
                                            .ru_maxrss = 11,
                                            .ru_minflt = 13,
                                            .ru_majflt = 17,
                                            .ru_nvcsw = 19,
                                            .ru_nivcsw = 23};

pid_t __real_wait4(pid_t pid, int *status, int options, struct rusage *usage);
pid_t __wrap_wait4(pid_t pid, int *status, int options, struct rusage *usage);
pid_t __wrap_wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    const pid_t found = __real_wait4(pid, status, options, usage);

    if (reap_is_made_up)
        *usage = made_up_usage;
    return found;
}

/* Returns the text of a file of /proc/PID. In stat, the name has blanks and parentheses, and each field holds its own
 * number, but for field 39, the CPU. */
static const char *made_up_text(const char *path)
{
    static char text[512];

    if (strstr(path, "/schedstat"))
        return "3000500000 29000000 31\n";
    if (strstr(path, "/sched"))
        return "sh (1, #threads: 1)\nse.exec_start : 3.5\nse.nr_migrations : 37\nnr_switches : 41\n";
    int n = snprintf(text, sizeof(text), "1 (a) b (c) S");
    for (int field = 4; field <= 52; field++)
        n += snprintf(text + n, sizeof(text) - (size_t)n, " %d", field == 39 ? 5 : field);
    return text;
}

ssize_t __real_procfs_read(const char *path, char *buf, size_t size);
ssize_t __wrap_procfs_read(const char *path, char *buf, size_t size);
ssize_t __wrap_procfs_read(const char *path, char *buf, size_t size)
{
    if (!reap_is_made_up)
        return __real_procfs_read(path, buf, size);
    return snprintf(buf, size, "%s", made_up_text(path));
}

TEST(test_program_end_has_each_count_in_its_place)
{
    struct program_end end;

    if (sizeof(time_t) > sizeof(long))
        skip_because("wait4 has another name where times are longer than a long");
    pid_t pid = fork();
    if (pid == 0)
        _exit(3);
    assert_true(pid > 0);
    reap_is_made_up = true;
    const int error = program_reap(pid, &end);
    reap_is_made_up = false;
    assert_int_equal(error, 0);
    assert_memory_equal(&end.usage, &made_up_usage, sizeof(end.usage));
    assert_int_equal(end.counters.cpu_ns, 3000500000);
    assert_int_equal(end.counters.ctx_voluntary, 19);
    assert_int_equal(end.counters.ctx_involuntary, 23);
    assert_int_equal(end.counters.faults_minor, 13);
    assert_int_equal(end.counters.faults_major, 17);
    assert_int_equal(end.counters.run_delay_ns, 29000000);
    assert_int_equal(end.counters.migrations, 37);
    assert_int_equal(end.last_cpu, 5);
}
