/* SPDX-License-Identifier: MIT */
/* Tests of jitbench noise with the real program: figures of each CPU, causes of disturbances, rejected options. */

#include "cli.h"
#include "program.h"

/* Writes a value to a file of a directory. Returns whether that succeeded. */
static bool put_into(const char *directory, const char *file, const char *value)
{
    char path[256];

    (void)snprintf(path, sizeof(path), "%s/%s", directory, file);
    const int fd = open(path, O_WRONLY);
    const bool done = fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value);
    if (fd >= 0)
        (void)close(fd);
    return done;
}

static const char *const causes[] = {"lost_preempted", "lost_fault",    "lost_migrated",    "lost_interrupt",
                                     "lost_steal",     "lost_periodic", "lost_core_shared", "lost_unexplained"};
#define N_CAUSES (COUNT(causes))

/* The row of that metric on that CPU. */
static size_t row_of(const struct cli_csv *csv, const char *cpu, const char *metric)
{
    for (size_t row = 0; row < csv->n_rows; row++)
        if (!strcmp(cli_cell(csv, row, "cpus"), cpu) && !strcmp(cli_cell(csv, row, "metric"), metric))
            return row;
    fail_msg("CPU %s has no row %s", cpu, metric);
    return 0;
}

static double value_of(const struct cli_csv *csv, const char *cpu, const char *metric)
{
    return cli_number(csv, row_of(csv, cpu, metric), "value");
}

static void expect_adds_up(const struct cli_csv *csv, const char *cpu)
{
    double lost = value_of(csv, cpu, "lost"), sum = 0;

    for (size_t i = 0; i < N_CAUSES; i++)
        sum += value_of(csv, cpu, causes[i]);
    if (!(lost >= 0 && lost <= 100 && fabs(sum - lost) <= 1e-9 * lost))
        fail_msg("CPU %s: the causes take %.17g %%, all detours %.17g %%", cpu, sum, lost);
}

/* Returns how many of the metrics that need a core probe are missing on CPUs 0 and 1. The others' series have points of
 * the whole run. */
static size_t not_known(const struct cli_csv *csv)
{
    static const char *const of_core[] = {"slower", "core_share", "core_free", "core_mhz", "lost_alone"};
    const size_t n = COUNT(of_core);
    size_t missing = 2 * n;

    for (size_t row = 0; row < csv->n_rows; row++)
        for (size_t i = 0; i < n; i++) {
            if (strcmp(cli_cell(csv, row, "metric"), of_core[i]) != 0)
                continue;
            missing--;
            double least = strcmp(of_core[i], "core_free") == 0 ? 0 : 1e-9; /* it can be never free */
            assert_true(cli_number(csv, row, "value") >= least);
            if (i % 2)
                assert_in_range(cli_items(cli_cell(csv, row, "series")), 1, 100);
        }
    return missing;
}

static void run_noise(struct cli_run run, struct cli_result *result, struct cli_csv *csv)
{
    cli_expect(&run, 0, result);
    cli_csv_only(cli->work, csv);
}

/* --- What it says. --- */

/* A warning names the CPU whose sampler was blind for longest, from 1 % on. */
static void expect_warning(const struct cli_csv *csv, const char *text)
{
    const char *worst = value_of(csv, "1", "blind") > value_of(csv, "0", "blind") ? "1" : "0";
    double pct = value_of(csv, worst, "blind");
    char warning[96];

    (void)snprintf(warning, sizeof(warning), "Warning: Noise, CPU %s: the sampler was blind for %.1f %% of", worst,
                   pct);
    if ((pct >= 1) != (strstr(text, warning) != NULL))
        fail_msg("the sampler of CPU %s was blind for %.17g %%: %s", worst, pct, text);
}

/* A threshold of two turns of the loop is exceeded all the time, one of 1 s never: the CPU that was blind for longer
 * with the one is compared with that of the other that was so for less, as another test may preempt a blind sampler. */
CLI_TEST(test_noise_warns_of_a_blind_sampler)
{
    static const char *const thresholds[] = {"2x", "1s"};
    struct cli_result result;
    struct cli_csv csv;
    double blind[2][2];

    cli_need_cpus(2);
    for (unsigned i = 0; i < 2; i++) {
        const struct cli_run run = {
            .args = ARGS("noise", "-t", "500ms", "--cpus", "0,1", "--threshold", thresholds[i], "-o", "-")};
        cli_expect(&run, 0, &result);
        cli_csv_parse(result.out, &csv);
        for (unsigned cpu = 0; cpu < 2; cpu++) {
            const size_t row = row_of(&csv, cpu ? "1" : "0", "blind");
            const double pct = cli_number(&csv, row, "value");
            assert_true(pct > 0 && pct < 100);
            /* Of the time that it had the CPU: other tests run meanwhile. */
            blind[i][cpu] = pct / (1000 * cli_number(&csv, row, "wall_s") - cli_number(&csv, row, "run_delay_ms"));
        }
        expect_warning(&csv, result.err);
    }
    assert_true(fmax(blind[0][0], blind[0][1]) > fmin(blind[1][0], blind[1][1]));
}

static void expect_histogram(const char *out, unsigned cpu)
{
    char heading[64];

    (void)snprintf(heading, sizeof(heading), "\nDetours of CPU %u by length", cpu);
    const char *at = strstr(out, heading);
    assert_non_null(at);
    cli_expect_text(strchr(at + 1, '\n'), " ns ");
    cli_expect_text(at, " |#");
}

CLI_TEST(test_noise_causes_add_up_to_what_was_lost)
{
    struct cli_result result;
    struct cli_csv csv;

    cli_need_cpus(2);
    run_noise((struct cli_run){.args = ARGS("noise", "-q", "-v", "-t", "1", "--cpus", "0,1")}, &result, &csv);
    cli_expect_all(&csv, "suite", "noise");
    cli_expect_all(&csv, "bind", "one");
    cli_expect_all(&csv, "copies", "2");
    assert_int_equal(csv.n_rows + not_known(&csv) + 2, 2 * cli_metrics("noise")); /* no lost_quota */
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        const char *name = cpu ? "1" : "0";
        const size_t lost = row_of(&csv, name, "lost"), detour = row_of(&csv, name, "detour");
        expect_adds_up(&csv, name);
        cli_expect_text(cli_cell(&csv, lost, "causes"), "preempted:");
        cli_expect_text(cli_cell(&csv, lost, "causes"), ";unexplained:");
        assert_int_equal(cli_items(cli_cell(&csv, lost, "series")), 100);
        assert_true(cli_number(&csv, lost, "wall_s") >= 0.99);
        /* The loop is some ten cycles (of a clock of coarse steps most turns take none), and a detour 8 times as long.
         */
        assert_in_range((uintmax_t)value_of(&csv, name, "loop"), program_clock_is_coarse(cli_binary) ? 0 : 1, 2000);
        assert_true(cli_number(&csv, detour, "min") + value_of(&csv, name, "loop") + 1 >=
                    value_of(&csv, name, "threshold"));
        assert_true(cli_number(&csv, detour, "max") >= cli_number(&csv, detour, "median"));
    }
    cli_expect_text(result.out, "Rank  CPU  Loop ns ");
    cli_expect_text(result.out, " Detours/s ");
    cli_expect_text(result.out, "Quietest: CPU ");
    cli_expect_text(result.out, "Interrupts a second");
    cli_expect_text(result.out, "lost: ' ' nothing");
    for (unsigned cpu = 0; cpu < 2; cpu++)
        if (cli_cell(&csv, row_of(&csv, cpu ? "1" : "0", "detour"), "min")[0])
            expect_histogram(result.out, cpu);
}

/* A process that never sleeps, of some importance. */
static pid_t start_spinner(unsigned cpu)
{
    pid_t pid = fork();
    cpu_set_t one;

    assert_true(pid >= 0);
    if (pid)
        return pid;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    (void)alarm(20);
    (void)nice(-5); /* refused: it is as important as the sampler then */
    if (sched_setaffinity(0, sizeof(one), &one))
        _exit(1);
    for (volatile unsigned long turns = 0;; turns++) {
    }
}

static void end_spinner(pid_t pid)
{
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static const char *last_ranked(const char *table)
{
    static char cpu[16];
    const char *line = strstr(table, "\n   2  ");

    assert_non_null(line);
    assert_int_equal(sscanf(line, "%*d %15s", cpu), 1);
    return cpu;
}

/* Whatever else runs may disturb CPU 0 more than the spinners disturb CPU 1: the order is that of the rows then, too.
 */
CLI_TEST(test_noise_a_busy_cpu_is_the_noisiest)
{
    struct cli_result result;
    struct cli_csv csv;

    cli_need_cpus(2);
    pid_t spinners[] = {start_spinner(1), start_spinner(1), start_spinner(1)};
    run_noise((struct cli_run){.args = ARGS("noise", "-q", "-t", "1", "--cpus", "0,1")}, &result, &csv);
    for (size_t i = 0; i < 3; i++)
        end_spinner(spinners[i]);
    double preempted = value_of(&csv, "1", "lost_preempted"), other = value_of(&csv, "0", "lost");
    assert_true(preempted > 40);
    for (size_t i = 1; i < N_CAUSES; i++)
        assert_true(value_of(&csv, "1", causes[i]) < preempted);
    bool noisiest = value_of(&csv, "1", "lost") > other;
    assert_string_equal(last_ranked(result.out), noisiest ? "1" : "0");
    cli_expect_text(result.out, noisiest ? "Quietest: CPU 0; " : "Quietest: CPU 1; ");
}

/* --- A quota of CPU time. --- */

/* Sets a quota in ms of CPU time in each 100 ms, of version 1 or 2. */
static bool set_quota(const char *group, unsigned ms)
{
    char quota[32], both[48];

    (void)snprintf(quota, sizeof(quota), "%u000", ms);
    (void)snprintf(both, sizeof(both), "%s 100000", quota);
    return put_into(group, "cpu.cfs_quota_us", quota) || put_into(group, "cpu.max", both);
}

/* Directory of a new control group with the time of 4 CPUs, version 1 or 2; "": it cannot be made. */
static const char *limited_group(char path[128])
{
    static const char *const roots[] = {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup"};

    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(path, 128, "%s/jitbench-test-%d", roots[i], (int)getpid());
        if (mkdir(path, 0755) == 0 && set_quota(path, 400)) {
            /* Before other work: a group that hardly gets the CPU does not use up its quota. */
            (void)(put_into(path, "cpu.shares", "100000") || put_into(path, "cpu.weight", "10000"));
            return path;
        }
        (void)rmdir(path);
    }
    return "";
}

/* The time in ms for which the kernel stopped the group, and NAN when it does not say. */
static double stopped_ms(const char *group)
{
    char path[160], line[96];
    double ms = (double)NAN;

    (void)snprintf(path, sizeof(path), "%s/cpu.stat", group);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof(line), file)) {
        if (!strncmp(line, "throttled_time ", 15))
            ms = strtod(line + 15, NULL) / 1e6;
        if (!strncmp(line, "throttled_usec ", 15))
            ms = strtod(line + 15, NULL) / 1e3;
    }
    if (file)
        (void)fclose(file);
    return ms;
}

static double cause_ms(const struct cli_csv *csv, size_t row, const char *name)
{
    const char *causes_are = cli_cell(csv, row, "causes"), *found = strstr(causes_are, name);

    if (!found || found[strlen(name)] != ':' || (found > causes_are && found[-1] != ';'))
        return 0;
    return strtod(found + strlen(name) + 1, NULL);
}

/* group: NULL for none. */
static int join_group(void *group)
{
    return setpriority(PRIO_PROCESS, 0, -10) || (group && !put_into(group, "cgroup.procs", "0")) ? -1 : 0;
}

/* Returns how many processes of the group other than `parent` have had half a second of CPU time: they measure, as they
 * need less to prepare themselves. */
static unsigned measuring(const char *group, pid_t parent)
{
    char path[160];
    unsigned n = 0, pid;
    unsigned long long ns;

    (void)snprintf(path, sizeof(path), "%s/cgroup.procs", group);
    FILE *processes = fopen(path, "r");
    while (processes && fscanf(processes, "%u", &pid) == 1) {
        (void)snprintf(path, sizeof(path), "/proc/%u/schedstat", pid);
        FILE *file = fopen(path, "r");
        n += file && fscanf(file, "%llu", &ns) == 1 && ns > 500000000 && pid != (unsigned)parent;
        if (file)
            (void)fclose(file);
    }
    if (processes)
        (void)fclose(processes);
    return n;
}

/* Runs the command in the group, and keeps the group to 20 ms in 100 ms while n of its processes measure, until the
 * kernel has stopped them for more than a second. Then ends it by a signal, if any. Expects that its rows attribute as
 * much to the quota. */
static void expect_quota(const char *group, const char *const *args, unsigned n, int signal)
{
    const struct cli_run run = {.args = args, .prepare = join_group, .context = (void *)group, .limit_s = 110};
    struct cli_child child;
    struct cli_result result;
    struct cli_csv csv;
    double quota = 0, stopped, before = stopped_ms(group);

    cli_start(&run, &child);
    if (child.unprepared)
        cli_skip("the control group cannot be joined: %s", strerror(child.unprepared));
    const uint64_t until = child.start_ns + 90000000000u;
    while (measuring(group, child.pid) < n && cli_now_ns() < until)
        cli_sleep_ms(10);
    assert_true(stopped_ms(group) == before);
    assert_true(set_quota(group, 20));
    while (!((stopped = stopped_ms(group) - before) > 1000) && cli_now_ns() < until)
        cli_sleep_ms(10);
    assert_true(set_quota(group, 400));
    /* Lets go on what it stopped. */
    const double most = stopped_ms(group) - before;
    if (signal)
        assert_int_equal(kill(child.pid, signal), 0);
    cli_wait(&child, &result);
    cli_expect_status(&result, signal ? 128 + signal : 0);
    cli_csv_parse(result.out, &csv);
    for (size_t row = 0; row < csv.n_rows; row++)
        if (!strcmp(cli_cell(&csv, row, "metric"), !strcmp(args[0], "prime") ? "cycles" : "lost"))
            quota += cause_ms(&csv, row, "quota");
    if (!(stopped > 1000 && quota > 0.9 * stopped && quota < 1.02 * most))
        fail_msg("%s: quota %.1f ms, the kernel stopped the group for %.1f to %.1f ms", args[0], quota, stopped, most);
    cli_write_file(cli->work, "limited.csv", result.out);
}

CLI_TEST(test_noise_tells_a_quota)
{
    const bool two = sysconf(_SC_NPROCESSORS_ONLN) > 1;
    const char *const cpus = two ? "0,1" : "0", *const last = two ? "1" : "0";
    const char *const noise[] = {"noise", "-q", "-t", "100", "--samples", "1", "--cpus", cpus, "-o", "-", NULL};
    const char *const prime[] = {"prime", "-q", "-i", "1", "-n", "5M", "--cpus", last, "-o", "-", NULL};
    struct cli_result result;
    struct cli_csv csv;
    char path[128];

    cli_need_cpus(two ? 2 : 1);
    const char *group = limited_group(path);
    if (!group[0])
        cli_skip("no control group with a quota can be made here");
    expect_quota(group, noise, two ? 2 : 1, SIGINT);
    expect_quota(group, prime, 1, 0);
    (void)rmdir(group);
    cli_expect(&(const struct cli_run){.args = prime, .prepare = join_group, .limit_s = 110}, 0, &result);
    cli_write_file(cli->work, "free.csv", result.out);
    cli_csv_parse(result.out, &csv);
    assert_null(strstr(cli_cell(&csv, 0, "causes"), "quota"));
    cli_expect(&(const struct cli_run){.args = ARGS("compare", "free.csv", "limited.csv")}, 0, &result);
    cli_expect_text(result.out, "cpu_quota none -> 4_CPUs");
}

/* --- Options. --- */

CLI_TEST(test_noise_takes_the_letters_of_oslat)
{
    struct cli_result result;
    struct cli_csv csv;
    char path[sizeof(cli->work) + 8];

    cli_expect_args(ARGS("noise", "-q", "-D", "0.1", "-c", cli_cpu, "-b", "8", "-z", "-C", "0", "-o", "a.csv"), 0,
                    &result);
    assert_string_equal(result.err, "");
    (void)snprintf(path, sizeof(path), "%s/a.csv", cli->work);
    cli_csv_read(path, &csv);
    assert_string_equal(cli_cell(&csv, 0, "cpus"), cli_cpu);
    assert_non_null(strstr(cli_cell(&csv, 0, "param"), "buckets=8 zero_omit=1"));
}

CLI_TEST(test_noise_threshold_is_kept_to)
{
    struct cli_result result;
    struct cli_csv csv;

    run_noise((struct cli_run){.args = ARGS("noise", "-q", "-t", "200ms", "--cpus", cli_cpu, "--threshold", "20us")},
              &result, &csv);
    const size_t detour = row_of(&csv, cli_cpu, "detour");
    cli_expect_all(&csv, "status", "ok");
    cli_expect_text(cli_cell(&csv, 0, "param"), "threshold=20us ");
    assert_true(fabs(value_of(&csv, cli_cpu, "threshold") - 20000) < 100);
    if (cli_cell(&csv, detour, "min")[0])
        assert_true(cli_number(&csv, detour, "min") > 17000);
    cli_expect_no_text(result.out, "Quietest");  /* of one there is none */
    cli_expect_no_text(result.out, "by length"); /* no terminal */
}

CLI_TEST(test_noise_real_time_leaves_a_cpu_to_others)
{
    struct cli_result result;
    struct cli_csv csv;
    size_t degraded = 0, of_cpu = 0;
    const char *cpu = "";

    cli_need_fifo();
    cli_need_cpus((unsigned)sysconf(_SC_NPROCESSORS_ONLN));
    run_noise((struct cli_run){.args = ARGS("noise", "-q", "-t", "200ms", "--fifo", "--cpus", "all")}, &result, &csv);
    for (size_t row = 0; row < csv.n_rows; row++) {
        bool normal = !strcmp(cli_cell(&csv, row, "policy"), "other");
        assert_string_equal(cli_cell(&csv, row, "status"), normal ? "degraded" : "ok");
        if (normal)
            cli_expect_text(cli_cell(&csv, row, "reason"), "one CPU must stay free of real-time work");
        else
            assert_string_equal(cli_cell(&csv, row, "policy"), "fifo");
        degraded += normal;
        cpu = normal ? cli_cell(&csv, row, "cpus") : cpu;
    }
    for (size_t row = 0; row < csv.n_rows; row++)
        of_cpu += !strcmp(cli_cell(&csv, row, "cpus"), cpu);
    assert_true(degraded > 0 && degraded < csv.n_rows);
    assert_int_equal(degraded, of_cpu); /* one CPU's */
}

/* --- Places. --- */

static int as_nobody(void *context)
{
    (void)context;
    return cli_become_nobody();
}

CLI_TEST(test_noise_needs_no_rights)
{
    char binary[CLI_PATH];
    struct cli_result result;
    struct cli_csv csv;

    cli_copy_binary(binary);
    run_noise((struct cli_run){.program = binary,
                               .args = ARGS("noise", "-q", "-t", "100ms", "--cpus", cli_cpu),
                               .prepare = as_nobody},
              &result, &csv);
    cli_expect_all(&csv, "status", "ok");
    expect_adds_up(&csv, cli_cpu);
}

static int without_proc(void *context)
{
    return cli_own_mounts() || mount("none", "/proc", "tmpfs", 0, "size=64k") || chdir(context) ? -1 : 0;
}

/* Without procfs, counters are empty, and no detour is taken for an interrupt. */
CLI_TEST(test_noise_needs_no_proc)
{
    struct cli_result result;
    struct cli_csv csv;

    cli_need_mount_namespace();
    run_noise((struct cli_run){.args = ARGS("noise", "-q", "-t", "100ms", "--cpus", cli_cpu),
                               .prepare = without_proc,
                               .context = cli->work},
              &result, &csv);
    cli_expect_all(&csv, "status", "ok");
    expect_adds_up(&csv, cli_cpu);
    assert_true(value_of(&csv, cli_cpu, "lost_interrupt") == 0 && value_of(&csv, cli_cpu, "lost_steal") == 0);
    assert_string_equal(cli_cell(&csv, row_of(&csv, cli_cpu, "count_timer"), "value"), "");
}

/* A run that is ended by a signal shows what it has measured. */
CLI_TEST(test_noise_that_is_ended_shows_what_it_saw)
{
    const struct cli_run run = {.args = ARGS("noise", "-q", "-t", "60s", "--cpus", cli_cpu)};
    struct cli_child child;
    struct cli_result result;
    struct cli_csv csv;

    cli_start(&run, &child);
    cli_sleep_ms(2000);
    assert_int_equal(kill(child.pid, SIGINT), 0);
    assert_true(cli_ends(&child, 2, &result)); /* it would take 60 s */
    cli_expect_status(&result, 128 + SIGINT);
    cli_csv_only(cli->work, &csv);
    cli_expect_all(&csv, "status", "degraded");
    cli_expect_text(cli_cell(&csv, row_of(&csv, cli_cpu, "lost"), "reason"), "ended by SIGINT after 1 sample; ");
    expect_adds_up(&csv, cli_cpu);
    assert_true(value_of(&csv, cli_cpu, "detours") > 0);
    cli_expect_text(result.out, "Noise, the quietest CPU first");
}
