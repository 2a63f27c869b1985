/* SPDX-License-Identifier: MIT */
/* Disturbances of a row: a task of known length takes the CPU, and the columns of any run are consistent. */

#include "cli.h"

#define MS 1000000u

/* --- Helpers. --- */

/* The number of a pair, NAN when there is none. */
static double cause_of(const struct cli_csv *csv, size_t row, const char *pair)
{
    const char *causes = cli_cell(csv, row, "causes"), *at = strstr(causes, pair);

    return at && (at == causes || at[-1] == ';') ? strtod(at + strlen(pair), NULL) : (double)NAN;
}

/* Checks the pairs: those that any run has, each once, in the order of the man page, with nothing else. The counts of a
 * kind of interrupts are no more than all interrupts, which the kernel counts elsewhere. */
static void expect_causes(const struct cli_csv *csv, size_t row)
{
    enum { FIRST_KIND = 2, LAST_KIND = 5 };
    static const char *const names[] = {"preempted:", "steal:",   "timer=", "resched=",  "ipi=",
                                        "device=",    "softirq=", "fault=", "migrated=", "involuntary="};
    const char *at = cli_cell(csv, row, "causes");
    double kinds = 0;

    for (size_t i = 0; i < COUNT(names); i++) {
        const double number = cause_of(csv, row, names[i]);
        if (isnan(number))
            continue;
        assert_true(number >= 0);
        kinds += i >= FIRST_KIND && i <= LAST_KIND ? number : 0;
        if (strncmp(at, names[i], strlen(names[i])) != 0)
            fail_msg("'%s' is not where %s should be: %s", at, names[i], cli_cell(csv, row, "causes"));
        at += strcspn(at, ";");
        at += *at == ';';
    }
    assert_string_equal(at, "");
    double all = cli_cell(csv, row, "irqs")[0] ? cli_number(csv, row, "irqs") : 0;
    if (kinds > all)
        fail_msg("%g interrupts, of which %g are told apart", all, kinds);
}

/* The highest CPU that the test may use. */
static unsigned last_cpu(void)
{
    cpu_set_t allowed;
    unsigned cpu = CPU_SETSIZE - 1;

    if (sched_getaffinity(0, sizeof(allowed), &allowed))
        cli_skip("this machine has more than %d CPUs", CPU_SETSIZE);
    while (cpu > 0 && !CPU_ISSET(cpu, &allowed))
        cpu--;
    return cpu;
}

/* The CPU for a real-time task that the measured process waits for. */
static unsigned hog_cpu(void)
{
    cli_need_root();
    cli_need_fifo();
    if (access("/proc/self/schedstat", R_OK))
        cli_skip("this kernel does not count for how long a task waits for its CPU (schedstat)");
    return last_cpu();
}

/* --- A task of known length. --- */

#define HOG_MS 300
/* Time of the measured run without the hog. Together with HOG_MS it stays below the 0.95 s after which the kernel gives
 * ordinary tasks a turn on a CPU that real-time tasks keep busy. */
#define ALONE_MS 450
/* The hog begins when the measured run has had as much of the CPU. */
#define BEFORE_MS  60
#define BLOCKED_MS 100
#define PATIENCE_S 10

/* CPU time of a process that runs, or of one that sleeps when that is asked for; 0 when it does the other. */
static uint64_t cpu_ns(pid_t pid, bool asleep)
{
    char path[64], line[512] = "";
    unsigned long long ns = 0;

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    FILE *stat = fopen(path, "r");
    (void)snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
    FILE *schedstat = fopen(path, "r");
    if (stat && schedstat && fgets(line, sizeof(line), stat) && fscanf(schedstat, "%llu", &ns) != 1)
        ns = 0;
    if (stat)
        (void)fclose(stat);
    if (schedstat)
        (void)fclose(schedstat);
    const char *name_end = strrchr(line, ')');
    return name_end && (!strncmp(name_end, ") S", 3)) == asleep ? ns : 0;
}

/* Until a worker waits at the gate, which its parent, being stopped, cannot open. Returns the CPU time that it had. */
static uint64_t wait_at_gate(pid_t worker, uint64_t until)
{
    uint64_t since = cli_now_ns(), had = 0;

    while (cli_now_ns() < until) {
        uint64_t has = cpu_ns(worker, true);
        if (!has || has != had)
            since = cli_now_ns();
        else if (cli_now_ns() - since > (uint64_t)BLOCKED_MS * MS)
            return has;
        had = has;
        cli_sleep_ms(5);
    }
    return 0;
}

/* Until the measured run of jitbench's worker is well under way. */
static bool wait_for_run(pid_t jitbench)
{
    const uint64_t until = cli_deadline(PATIENCE_S);
    uint64_t had;
    pid_t worker;

    while (!(worker = cli_worker_of(jitbench)) && cli_now_ns() < until)
        cli_sleep_ms(2);
    if (!worker || kill(jitbench, SIGSTOP))
        return false;
    had = wait_at_gate(worker, until);
    (void)kill(jitbench, SIGCONT);
    while (had && cpu_ns(worker, false) < had + (uint64_t)BEFORE_MS * MS) {
        if (cli_now_ns() > until)
            return false;
        cli_sleep_ms(5);
    }
    return had != 0;
}

/* Above the measured process, which in turn is above all ordinary tasks: they cannot disturb the test. Answers how long
 * it was. */
static void hog(unsigned cpu, pid_t jitbench, int answer)
{
    const struct sched_param priority = {.sched_priority = 50};
    cpu_set_t one;
    uint64_t start, now;

    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof(one), &one) || sched_setscheduler(0, SCHED_FIFO, &priority) ||
        !wait_for_run(jitbench))
        _exit(1);
    start = now = cli_now_ns();
    while (now - start < (uint64_t)HOG_MS * MS)
        now = cli_now_ns();
    now -= start;
    _exit(write(answer, &now, sizeof(now)) != sizeof(now));
}

struct hogged {
    double wall_ms, cpu_ms, delay_ms, hog_ms;
};

/* args take one sample of a test that has one copy on this CPU, and write run.csv. */
static void run_sample(unsigned cpu, const char *const *args, bool with_hog, struct hogged *out)
{
    char csv_path[CLI_PATH];
    const struct cli_run run = {.args = args};
    struct cli_child child;
    struct cli_result result;
    struct cli_csv csv;
    uint64_t length = 0;
    int answer[2];

    assert_int_equal(pipe(answer), 0);
    cli_start(&run, &child);
    if (with_hog) {
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
            hog(cpu, child.pid, answer[1]);
    }
    (void)close(answer[1]);
    cli_wait(&child, &result);
    if (with_hog)
        assert_int_equal(read(answer[0], &length, sizeof(length)), sizeof(length));
    (void)close(answer[0]);
    cli_expect_status(&result, 0);
    (void)snprintf(csv_path, sizeof(csv_path), "%s/run.csv", cli->work);
    cli_csv_read(csv_path, &csv);
    const size_t row = 0;
    assert_string_equal(cli_cell(&csv, row, "status"), "ok");
    assert_string_equal(cli_cell(&csv, row, "policy"), "fifo");
    expect_causes(&csv, row);
    *out = (struct hogged){.wall_ms = 1e3 * cli_number(&csv, row, "wall_s"),
                           .cpu_ms = 1e3 * cli_number(&csv, row, "cpu_s"),
                           .delay_ms = cli_number(&csv, row, "run_delay_ms"),
                           .hog_ms = (double)length * 1e-6};
    assert_int_equal(unlink(csv_path), 0);
}

static void run_prime(unsigned cpu, double experiments, bool with_hog, struct hogged *out)
{
    char cpus[16], number[32];

    (void)snprintf(cpus, sizeof(cpus), "%u", cpu);
    (void)snprintf(number, sizeof(number), "%.0f", experiments);
    run_sample(cpu, ARGS("prime", "-q", "--fifo=40", "-i", "1", "-n", number, "--cpus", cpus, "-o", "run.csv"),
               with_hog, out);
}

/* The measured process waits for its CPU while the hog runs, and never while it runs itself: it can have waited at most
 * the rest of the wall-clock time. */
static void expect_delay(const struct hogged *run)
{
    const double rest_ms = run->wall_ms - run->cpu_ms;

    print_message("a hog of %.1f ms: a run delay of %.3f ms, %.3f ms not on the CPU\n", run->hog_ms, run->delay_ms,
                  rest_ms);
    assert_true(run->delay_ms >= 0.95 * run->hog_ms);
    assert_true(run->delay_ms <= rest_ms + 0.05 * HOG_MS);
}

CLI_TEST(test_causes_a_hog_is_as_long_as_it_was)
{
    const double first = 200000;
    struct hogged alone, hogged;

    const unsigned cpu = hog_cpu();
    run_prime(cpu, first, false, &alone);
    expect_delay(&alone);
    run_prime(cpu, ceil(first * ALONE_MS / alone.wall_ms), true, &hogged);
    expect_delay(&hogged);
}

/* Runs for less than the hog: the first sample waited for most of its time, and does not count. */
CLI_TEST(test_causes_a_sample_that_waited_is_taken_again)
{
    char cpus[16];
    struct hogged hogged;

    const unsigned cpu = hog_cpu();
    (void)snprintf(cpus, sizeof(cpus), "%u", cpu);
    cli_waiting_counts = true;
    run_sample(cpu,
               ARGS("unix", "dhry2reg", "-q", "--fifo=40", "-i", "1", "-t", "150ms", "--core-probe", "off", "--cpus",
                    cpus, "-o", "run.csv"),
               true, &hogged);
    cli_waiting_counts = false;
    assert_true(hogged.wall_ms < hogged.hog_ms);
    assert_true(hogged.delay_ms < hogged.wall_ms / 2);
}

/* --- A task that takes a part of the CPU. --- */

/* Above the measured process, also where that is above all ordinary tasks; until it is killed. */
static void hog_in_turns(unsigned cpu, unsigned busy_ms, unsigned idle_ms)
{
    const struct sched_param priority = {.sched_priority = 50};
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof(one), &one) || sched_setscheduler(0, SCHED_FIFO, &priority))
        _exit(1);
    for (;;) {
        const uint64_t until = cli_now_ns() + busy_ms * MS;
        while (cli_now_ns() < until)
            ;
        cli_sleep_ms(idle_ms);
    }
}

/* Where every sample waits for most of its time, one is taken again, and the rows say so. */
CLI_TEST(test_causes_samples_that_always_wait_are_degraded)
{
    char cpus[16];
    struct cli_result result;
    struct cli_csv csv;

    const unsigned cpu = hog_cpu();
    (void)snprintf(cpus, sizeof(cpus), "%u", cpu);
    const pid_t pid = fork();
    if (!pid)
        hog_in_turns(cpu, 4, 1);
    assert_true(pid > 0);
    cli_waiting_counts = true;
    cli_expect_args(ARGS("unix", "dhry2reg", "-q", "-i", "3", "-t", "200ms", "--cpus", cpus, "-o", "-"), 0, &result);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    cli_csv_parse(result.out, &csv);
    cli_waiting_counts = false;
    const size_t row = cli_row(&csv, "dhry2reg", "rate", 0);
    assert_string_equal(cli_cell(&csv, row, "status"), "degraded");
    cli_expect_text(cli_cell(&csv, row, "reason"), "a sample waited for a CPU for ");
    assert_true(cli_number(&csv, row, "run_delay_ms") > 500 * cli_number(&csv, row, "wall_s"));
    assert_int_equal(cli_items(cli_cell(&csv, row, "samples")), 3);
}

/* Whether the core's frequency is known in a file. */
static bool has_clock(const char *name)
{
    struct cli_csv csv;

    cli_csv_read(cli_path("%s/%s", cli->work, name), &csv);
    const bool has = cli_cell(&csv, 0, "core_mhz")[0] != '\0';
    return has;
}

/* Six runs of the test, without and with a cause, in turns; compare must then say what it is. program: runs with the
 * cause; NULL: the cause is the task. */
static void expect_slower(const char *suite, const char *operand, const char *size, const char *program,
                          const char *verdict)
{
    char cpus[16], name[16];
    struct cli_result result;

    cli_need_root();
    cli_need_fifo();
    cli_need_processor("an emulator's time does not go with the work");
    const unsigned cpu = last_cpu();
    (void)snprintf(cpus, sizeof(cpus), "%u", cpu);
    for (unsigned i = 0; i < 12; i++) {
        const bool changed = (i + 1) / 2 % 2, hogged = changed && !program;
        const pid_t pid = hogged ? fork() : -1;
        if (hogged && !pid)
            hog_in_turns(cpu, 15, 35);
        assert_true(!hogged || pid > 0);
        (void)snprintf(name, sizeof(name), "./%c%u.csv", "ab"[changed], i);
        const struct cli_run run = {
            .program = changed ? program : NULL,
            .args = ARGS(suite, "-q", "--fifo=40", "-c", "1", "-i", "3", "--cpus", cpus, "-o", name, operand, size)};
        cli_expect(&run, 0, &result);
        if (hogged) {
            assert_int_equal(kill(pid, SIGKILL), 0);
            assert_int_equal(waitpid(pid, NULL, 0), pid);
        }
        if (i == 0 && program && !has_clock(name))
            cli_skip("this machine has no cycle counter for core probes");
    }
    cli_expect_args(ARGS("compare", "--across", "build", "--fail-on", "slower", "./a*.csv", "--", "./b*.csv"), 4,
                    &result);
    cli_expect_text(result.out, verdict);
}

CLI_TEST(test_causes_a_task_beside_is_slower_by_preempted)
{
    expect_slower("prime", "-n", "500K", NULL, "  slower: preempted ");
}

/* A build whose clock is stretched, so that the core's frequency falls to two thirds half of the time: no neighbour. */
CLI_TEST(test_causes_a_lower_clock_is_no_neighbour)
{
    char program[CLI_PATH];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 64);

    assert_true(length > 0);
    program[length] = '\0';
    strcpy(strrchr(program, '/'), "/stretched/program");
    expect_slower("unix", "sysgetpid", NULL, program, "  slower: CPU at ");
}

/* --- Any run. --- */

/* Copies with rows of their own, and tests that are one row for all copies. */
static void check_rows(const struct cli_run *run)
{
    struct cli_result result;
    struct cli_csv csv;

    cli_expect(run, 0, &result);
    cli_csv_parse(result.out, &csv);
    assert_true(csv.n_rows > 0);
    for (size_t row = 0; row < csv.n_rows; row++) {
        const char *test = cli_cell(&csv, row, "test"), *causes = cli_cell(&csv, row, "causes");
        if (!strcmp(test, "index")) {
            assert_string_equal(causes, "");
            continue;
        }
        expect_causes(&csv, row);
        cli_expect_text(causes, "fault=");
        cli_expect_text(causes, "involuntary=");
    }
}

CLI_TEST(test_causes_of_copies_and_of_groups)
{
    check_rows(&(const struct cli_run){.args = ARGS("prime", "-q", "-n", "1000", "-i", "2", "-c", "2", "-o", "-")});
    check_rows(&(const struct cli_run){
        .args = ARGS("unix", "-q", "-t", "50ms", "-i", "2", "-c", "1,2", "-o", "-", "context1", "spawn")});
}

static int become_nobody(void *context)
{
    (void)context;
    return cli_become_nobody();
}

CLI_TEST(test_causes_of_nobody)
{
    char binary[CLI_PATH];

    cli_copy_binary(binary);
    check_rows(&(const struct cli_run){
        .program = binary, .args = ARGS("prime", "-q", "-n", "1000", "-i", "2", "-o", "-"), .prepare = become_nobody});
}
