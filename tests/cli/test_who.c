/* SPDX-License-Identifier: MIT */
/* Tests of jitbench noise --who with the real program: what takes the time is put in its way, and named. */
#include "cli.h"

#include "../refuse.h"
#include "../who_fixture.h"

/* The row of a name's metric; csv->n_rows when there is none. */
static size_t find_row(const struct cli_csv *csv, const char *name, const char *metric)
{
    char word[64];

    (void)snprintf(word, sizeof(word), " name=%s", name);
    for (size_t row = 0; row < csv->n_rows; row++) {
        const char *named = strstr(cli_cell(csv, row, "param"), word), *after = named ? named + strlen(word) : "";
        if (!strcmp(cli_cell(csv, row, "test"), "who") && !strcmp(cli_cell(csv, row, "metric"), metric) &&
            (!name[0] || (named && (*after == ' ' || !*after))))
            return row;
    }
    return csv->n_rows;
}

static double value_of(const struct cli_csv *csv, const char *name, const char *metric)
{
    const size_t row = find_row(csv, name, metric);

    if (row == csv->n_rows)
        fail_msg("%s has no row %s", name, metric);
    return cli_number(csv, row, "value");
}

/* A row without names says why: this machine does not let root record. */
static void need_records(const struct cli_csv *csv)
{
    const size_t row = find_row(csv, "", "disturbed");

    assert_true(row < csv->n_rows);
    if (strstr(cli_cell(csv, row, "reason"), "nothing was recorded"))
        cli_skip("%s", cli_cell(csv, row, "reason"));
}

/* Before other work as the hog is, which has three times the weight: it would hardly get the CPU to begin. */
static int before_others(void *context)
{
    (void)context;
    return setpriority(PRIO_PROCESS, 0, -10);
}

/* A hog has nearly all the time that was lost, and what wakes up every millisecond is named beside it. */
CLI_TEST(test_who_names_a_hog_and_a_timer)
{
    const struct cli_run run = {.args = ARGS("noise", "--who", "-q", "-t", "600ms", "--cpus", cli_cpu),
                                .prepare = before_others};
    struct cli_result result;
    struct cli_csv csv;

    cli_need_root();
    const pid_t hog = start_hog(cli_cpu), timer = start_timer(cli_cpu);
    cli_expect(&run, 0, &result);
    end(hog);
    end(timer);
    cli_csv_only(cli->work, &csv);
    need_records(&csv);
    const double disturbed = value_of(&csv, "", "disturbed"), hogs = value_of(&csv, "a_hog?[2J", "taken");
    const size_t row = find_row(&csv, "a_hog?[2J", "taken");
    char pid[64];
    (void)snprintf(pid, sizeof(pid), "kind=task name=a_hog?[2J pid=%d", (int)hog);
    assert_string_equal(cli_cell(&csv, row, "param"), pid);
    assert_string_equal(cli_cell(&csv, row, "cpus"), cli_cpu);
    assert_int_equal(cli_items(cli_cell(&csv, row, "series")), 100);
    double others = -hogs; /* time of other work of this machine */
    for (size_t i = 0; i < csv.n_rows; i++)
        if (!strcmp(cli_cell(&csv, i, "metric"), "taken") && strstr(cli_cell(&csv, i, "param"), "kind=task"))
            others += cli_number(&csv, i, "value");
    assert_true(disturbed > 25 && hogs <= disturbed && hogs > 0.6 * (disturbed - others));
    assert_true(value_of(&csv, "waker", "times") > 300 && value_of(&csv, "waker", "times") < 2100);
    assert_true(value_of(&csv, "waker", "longest") < 5e7);
    assert_true(value_of(&csv, "waker", "taken") < hogs / 2);
    assert_true(value_of(&csv, "", "records_lost") == 0);
    cli_expect_text(result.out, "\nWho took the time: in ");
    cli_expect_text(result.out, "\na_hog?[2J ");
    cli_expect_text(result.out, "\nwaker ");
}

/* --- Interrupts that another CPU causes. --- */

/* Runs --who beside a process, and returns the row of this name's share, which is of the measured CPU. */
static size_t run_beside(pid_t other, const char *kind, const char *name, struct cli_csv *csv)
{
    char word[64];

    cli_expect_args(ARGS("noise", "--who", "-q", "-t", "200ms", "--cpus", cli_cpu), 0, NULL);
    end(other);
    cli_csv_only(cli->work, csv);
    need_records(csv);
    const size_t row = find_row(csv, name, "taken");
    assert_true(row < csv->n_rows);
    (void)snprintf(word, sizeof(word), "kind=%s name=%s", kind, name);
    cli_expect_text(cli_cell(csv, row, "param"), word);
    assert_string_equal(cli_cell(csv, row, "cpus"), cli_cpu);
    return row;
}

/* A hog in another control group is told with the group. */
CLI_TEST(test_who_names_the_control_group)
{
    static const char *const roots[] = {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup"};
    const struct cli_run run = {.args = ARGS("noise", "--who", "-q", "-t", "600ms", "--cpus", cli_cpu),
                                .prepare = before_others};
    struct cli_result result;
    struct cli_csv csv;
    char group[128], name[40], path[160];
    FILE *members = NULL;

    cli_need_root();
    (void)snprintf(name, sizeof(name), "/jitbench-who-%d", (int)getpid());
    for (size_t i = 0; i < 3 && !members; i++) {
        (void)snprintf(group, sizeof(group), "%s%s", roots[i], name);
        (void)snprintf(path, sizeof(path), "%s/cgroup.procs", group);
        if (mkdir(group, 0755) == 0 && !(members = fopen(path, "w")))
            (void)rmdir(group);
    }
    if (!members)
        cli_skip("no control group can be made here");
    const pid_t hog = start_hog(cli_cpu);
    (void)fprintf(members, "%d", (int)hog);
    const bool moved = fclose(members) == 0;
    if (moved)
        cli_expect(&run, 0, &result);
    end(hog);
    (void)rmdir(group);
    if (!moved)
        cli_skip("no task can be put into another control group");
    cli_csv_only(cli->work, &csv);
    need_records(&csv);
    cli_expect_text(cli_cell(&csv, find_row(&csv, "a_hog?[2J", "taken"), "param"), name);
    cli_expect_text(result.out, "tasks of the control group ");
    cli_expect_text(strstr(result.out, "Preempted by "), name);
}

#if defined(__x86_64__) && defined(SYS_perf_event_open)
CLI_TEST(test_who_names_function_calls_from_other_cpus)
{
    struct cli_csv csv;

    cli_need_root();
    cli_need_cpus(2);
    run_beside(start_toggler(cli_cpu), "interrupt", "call_function_single", &csv);
    assert_true(value_of(&csv, "call_function_single", "times") > 500);
    assert_true(value_of(&csv, "call_function_single", "longest") > 0);
}
#endif

/* The sender is on the other CPU; receive packet steering sends its packets to the measured one. */
CLI_TEST(test_who_names_network_softirqs)
{
    struct cli_csv csv;

    cli_need_root();
    cli_need_cpus(2);
    if (atoi(cli_cpu) > 30)
        cli_skip("the measured CPU has a high number");
    const pid_t sender = start_sender(cli_cpu);
    if (sender < 0)
        cli_skip("no network namespace, or its packets cannot be steered (CONFIG_RPS)");
    run_beside(sender, "softirq", "NET_RX", &csv);
    assert_true(value_of(&csv, "NET_RX", "times") > 500);
    assert_true(value_of(&csv, "NET_RX", "taken") > 0.1);
}

/* --- Until a detour is long enough. --- */

/* Takes the CPU for 15 ms again and again, before everything of normal priority. */
static pid_t start_bursts(const char *cpu)
{
    const struct sched_param param = {.sched_priority = 10};
    const pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid)
        return pid;
    on_cpu(cpu, "burst");
    if (sched_setscheduler(0, SCHED_FIFO, &param))
        _exit(1);
    for (;;) {
        cli_sleep_ms(60);
        for (const uint64_t end = cli_now_ns() + 15000000; cli_now_ns() < end;)
            ;
    }
}

/* The run ends with the detour, and shows who took the CPU when it began and for how long. */
CLI_TEST(test_who_stops_at_a_detour)
{
    char keep[CLI_PATH];
    struct cli_result result;

    cli_need_root();
    (void)snprintf(keep, sizeof(keep), "%s/kept.csv", cli->work);
    /* With a real-time priority, so that no other work takes the CPU for as long as the burst does. */
    const pid_t burst = start_bursts(cli_cpu);
    cli_expect_args(
        ARGS("noise", "--stop-at", "10ms", "--keep", keep, "-t", "20s", "--cpus", cli_cpu, "--fifo=5", "-o", "-"), 4,
        &result);
    end(burst);
    struct cli_csv csv;
    cli_csv_parse(result.out, &csv);
    need_records(&csv);
    assert_true(cli_number(&csv, 0, "wall_s") < 19);
    cli_expect_text(result.err, " had a detour of ");
    cli_expect_text(result.err, " us, more than 10000 us");
    cli_expect_text(result.err, "What ran on CPU ");
    cli_expect_text(result.err, " burst\n");

    FILE *file = fopen(keep, "r");
    char line[256], name[32];
    double at, us, first = -1, sum = 0;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof(line), file));
    assert_string_equal(line, "cpu,at_us,us,kind,name,work,pid\n");
    while (fgets(line, sizeof(line), file)) {
        assert_int_equal(sscanf(line, "%*[^,],%lf,%lf,%*[^,],%31[^,]", &at, &us, name), 3);
        if (strcmp(name, "burst") != 0 || at < 0)
            continue;
        first = first < 0 ? at : first;
        sum += us;
    }
    (void)fclose(file);
    /* The detour began when the burst did, and most of its time is the burst's. */
    if (!(first >= 0 && first < 5000 && sum > 8000))
        fail_msg("burst began %.1f us after the detour and had %.1f us", first, sum);
}

/* Nothing was as long: that is said, and no finding. */
CLI_TEST(test_who_without_such_a_detour_says_so)
{
    struct cli_result result;

    cli_expect_args(ARGS("noise", "--stop-at", "60s", "-q", "-t", "100ms", "--cpus", cli_cpu, "--no-csv"), 0, &result);
    cli_expect_text(result.out, "\nNo detour was longer than 60000000 us in 0.1");
    cli_expect_no_text(result.out, "Name");
}

/* --- Of any row. --- */

/* Reads the ms of a name in a text of culprits; 0 when it is not there. */
static double ms_of(const char *culprits, const char *name)
{
    const char *at = strstr(culprits, name);

    return at ? atof(at + strlen(name) + 1) : 0;
}

static void need_culprits(const char *culprits)
{
    const char *all = strstr(culprits, "not_recorded=all");

    if (all)
        cli_skip("%s", all);
}

/* Copies the program under a name that nobody else on this machine has. */
static const char *own_program(void)
{
    static char own[CLI_PATH];
    char binary[CLI_PATH];

    cli_copy_binary(binary);
    (void)snprintf(own, sizeof(own), "%.*s/own_program", (int)(strrchr(binary, '/') - binary), binary);
    assert_int_equal(rename(binary, own), 0);
    return own;
}

/* A hog beside a test is named with its time, in column and table; what the test itself starts is not. */
CLI_TEST(test_who_of_any_row)
{
    const char *const own = own_program();
    const struct cli_run runs[] = {
        {.program = own,
         .args = ARGS("unix", "spawn", "--who", "--samples", "1", "-t", "200ms", "--cpus", cli_cpu, "-o", "-")},
        {.program = own,
         .args = ARGS("unix", "pipe", "--who", "--samples", "2", "-t", "100ms", "--cpus", cli_cpu, "-o", "-")},
        {.program = own,
         .args =
             ARGS("run", "--who", "--samples", "2", "--cpus", cli_cpu, "-o", "-", "--", "sh", "-c",
                  "i=0; while [ $i -lt 9999 ]; do i=$((i+1)); done; cp /bin/true own_true; ./own_true; rm own_true")},
    };
    struct cli_result result;
    struct cli_csv csv;

    cli_need_root();
    const pid_t hog = start_hog(cli_cpu);
    while (getpriority(PRIO_PROCESS, (id_t)hog) == 0) /* until it has its name and is before others */
        cli_sleep_ms(1);
    /* Three times the weight of a measured process: two of these leave it more than half of the CPU. */
    assert_int_equal(setpriority(PRIO_PROCESS, (id_t)hog, -5), 0);
    for (size_t i = 0; i < COUNT(runs); i++) {
        cli_expect(&runs[i], 0, &result);
        cli_csv_parse(result.out, &csv);
        const char *culprits = cli_cell(&csv, 0, "culprits");
        need_culprits(culprits);
        const double had = ms_of(culprits, "a_hog?[2J"), wall = 1e3 * cli_number(&csv, 0, "wall_s");
        double others = -had;
        for (const char *at = culprits; (at = strchr(at, '='));)
            others += strtod(++at, NULL);
        if (others > 0.5 * wall) {
            end(hog);
            cli_skip("other programs had %.0f of %.0f ms", others, wall);
        }
        if (!(had > 0.3 * (wall - others) && had <= wall))
            fail_msg("the hog had %g of %g ms: %s", had, wall, culprits);
        cli_expect_no_text(culprits, "own_");
        cli_expect_text(result.err, "\nWho else had the measured CPUs, in all samples together\n");
        cli_expect_text(result.err, "a_hog?[2J ");
    }
    end(hog);
}

static double cpu_ms(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

/* Waits for a file, makes processes on another CPU for 0.6 s, which work on that CPU for some 4 ms each, one after the
 * other, and answers with the CPU time in ms that the kernel counted for them there. */
static void start_counted(const char *cpu, const char *file, int answer)
{
    const struct sched_param param = {.sched_priority = 10}; /* before other work of this machine */
    double *elsewhere_ms = mmap(NULL, sizeof(double), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct rusage usage;

    assert_ptr_not_equal(elsewhere_ms, MAP_FAILED);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid) {
        (void)munmap(elsewhere_ms, sizeof(double));
        return;
    }
    beside(cpu, "forker");
    if (sched_setscheduler(0, SCHED_FIFO, &param))
        _exit(1);
    while (access(file, F_OK))
        cli_sleep_ms(1);
    const uint64_t until = cli_now_ns() + 600000000;
    for (unsigned i = 0; cli_now_ns() < until; i++) {
        const pid_t child = fork();
        if (!child) {
            move_to(cpu);
            *elsewhere_ms += cpu_ms();
            be_child(cpu, i, 20);
        }
        if (child < 0 || waitpid(child, NULL, 0) != child)
            _exit(1);
    }
    (void)getrusage(RUSAGE_CHILDREN, &usage);
    const double ms = 1e3 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                      1e-3 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) - *elsewhere_ms;
    _exit(write(answer, &ms, sizeof(ms)) != sizeof(ms));
}

/* Short tasks that were made on another CPU, some with a name of their own, some with a thread: named for as long as
 * the kernel counted for them. */
CLI_TEST(test_who_short_children_have_the_time_that_they_had)
{
    const struct cli_run run = {.args = ARGS("run", "--who", "--who-memory", "32M", "-q", "--samples", "1", "--cpus",
                                             cli_cpu, "-o", "-", "--", "sh", "-c", "echo >started; sleep 0.8")};
    struct cli_result result;
    struct cli_csv csv;
    char file[CLI_PATH];
    double counted = 0;
    int answer[2];

    cli_need_root();
    cli_need_fifo();
    (void)snprintf(file, sizeof(file), "%s/started", cli->work);
    assert_int_equal(pipe(answer), 0);
    start_counted(cli_cpu, file, answer[1]); /* cli_expect() waits for its end */
    cli_expect(&run, 0, &result);
    assert_int_equal(read(answer[0], &counted, sizeof(counted)), sizeof(counted));
    (void)close(answer[0]);
    (void)close(answer[1]);
    cli_csv_parse(result.out, &csv);
    const char *culprits = cli_cell(&csv, 0, "culprits");
    need_culprits(culprits);
    const double named = ms_of(culprits, "forker") + ms_of(culprits, "kid");
    print_message("named %.1f ms of %.1f ms: %s\n", named, counted, culprits);
    if (strstr(culprits, "why="))
        cli_skip("%s", strstr(culprits, "why="));
    assert_true(ms_of(culprits, "kid") > 0 && fabs(named - counted) < 0.1 * counted);
}

/* Nor is a load of many processes, which are made before the gate opens. */
CLI_TEST(test_who_a_load_is_no_culprit)
{
    const struct cli_run run = {.program = own_program(),
                                .args =
                                    ARGS("latency", "audio", "--load", "compile", "--who", "-t", "300ms", "-o", "-")};
    struct cli_result result;
    struct cli_csv csv;

    cli_need_root();
    cli_expect(&run, 0, &result);
    cli_csv_parse(result.out, &csv);
    const char *culprits = cli_cell(&csv, 0, "culprits");
    need_culprits(culprits);
    cli_expect_no_text(culprits, "own_program");
    assert_true(culprits[0]);
}

/* A ring of a page is full at once: the record ends there, and nobody is given the rest. */
CLI_TEST(test_who_a_full_ring_ends_the_record)
{
    struct cli_result result;
    struct cli_csv csv;
    double until_s, missing_ms = 0, had_ms = 0, ms;

    cli_need_root();
    cli_expect_args(ARGS("unix", "context1", "--who", "--who-memory", "8K", "--samples", "1", "-t", "300ms", "--cpus",
                         cli_cpu, "-o", "-"),
                    0, &result);
    cli_csv_parse(result.out, &csv);
    const char *culprits = cli_cell(&csv, 0, "culprits"), *why = strstr(culprits, ";why=recorded until ");
    need_culprits(culprits);
    cli_expect_text(cli_cell(&csv, 0, "param"), "who=1");
    assert_non_null(why);
    assert_int_equal(sscanf(why, ";why=recorded until %lf s: the ring was full; --who-memory ", &until_s), 1);
    cli_expect_text(result.err, "not recorded: recorded until ");
    cli_expect_text(result.err, " s: the ring was full; --who-memory ");
    for (const char *at = culprits; at && at < why; at = strchr(at + 1, ';')) {
        const char *value = strchr(at, '=');
        ms = value ? atof(value + 1) : 0;
        if (!strncmp(at, ";not_recorded", 13))
            missing_ms = ms;
        else
            had_ms += ms;
    }
    if (!(until_s < 0.2 && missing_ms > 100 && had_ms <= until_s * 1e3 + 0.01))
        fail_msg("recorded until %g s: %s", until_s, culprits);
}

/* Every wake-up is later than 1 us: what ran before it is printed, and summed up. */
CLI_TEST(test_who_tells_what_ran_before_a_late_wakeup)
{
    const struct cli_run run = {.args =
                                    ARGS("wakeup", "-b", "1", "--who", "-q", "-D", "5s", "--cpus", cli_cpu, "-o", "-")};
    struct cli_result result;
    struct cli_csv csv;
    char text[64];
    double late_us, sum = 0;

    cli_need_root();
    cli_expect(&run, 4, &result);
    cli_csv_parse(result.out, &csv);
    if (strstr(cli_cell(&csv, 0, "status"), "degraded") && !strstr(result.err, "What ran on CPU"))
        cli_skip("%s", cli_cell(&csv, 0, "reason"));
    (void)snprintf(text, sizeof(text), "\nWhat ran on CPU %s until a wake-up that was ", cli_cpu);
    cli_expect_text(result.err, text);
    (void)snprintf(text, sizeof(text), "\nCPU %s, the ", cli_cpu);
    const char *at = strstr(result.err, text), *end = at ? strchr(at + 1, '\n') : NULL;
    assert_true(at && end && sscanf(at + strlen(text), "%lf us before: ", &late_us) == 1);
    for (at = strchr(at + strlen(text), ':'); at < end; at++) /* the numbers before commas, and the last one */
        if (*at == ' ' && strspn(at + 1, "0123456789") && strchr(",\n", at[1 + strspn(at + 1, "0123456789")]))
            sum += atof(at + 1);
    if (!(fabs(sum - late_us) <= 3))
        fail_msg("%g us of %g us are told: %s", sum, late_us, strstr(result.err, text));
}

/* --- Without rights. --- */

static void expect_counted(const struct cli_run *run, const char *why)
{
    struct cli_result result;
    struct cli_csv csv;

    const pid_t hog = start_hog(cli_cpu);
    cli_expect(run, 0, &result);
    end(hog);
    cli_csv_only(cli->work, &csv);
    const size_t row = find_row(&csv, "", "disturbed");
    assert_true(row < csv.n_rows);
    const bool counted = !strcmp(cli_cell(&csv, row, "param"), "source=proc");
    if (counted) {
        assert_string_equal(cli_cell(&csv, row, "status"), "degraded");
        cli_expect_text(cli_cell(&csv, row, "reason"), why);
        cli_expect_text(result.out, why);
        cli_expect_text(result.out, "on the whole machine (from the kernel's counters: nothing was recorded)");
        assert_true(value_of(&csv, "a_hog?[2J", "taken") > 10);
        assert_int_equal(find_row(&csv, "a_hog?[2J", "longest"), csv.n_rows);
    }
    if (!counted)
        cli_skip("this machine lets everybody record");
}

static int as_nobody(void *context)
{
    (void)before_others(context);
    return cli_become_nobody();
}

CLI_TEST(test_who_without_rights_says_which_would_do)
{
    char binary[CLI_PATH];

    cli_copy_binary(binary);
    const struct cli_run run = {.program = binary,
                                .args = ARGS("noise", "--who", "-q", "-t", "100ms", "--cpus", cli_cpu),
                                .prepare = as_nobody};
    expect_counted(&run, "needs CAP_PERFMON (root) or kernel.perf_event_paranoid=-1 (it is ");
}

CLI_TEST(test_who_of_any_row_without_rights_says_which_would_do)
{
    char binary[CLI_PATH];
    struct cli_result result;
    struct cli_csv csv;

    cli_copy_binary(binary);
    const struct cli_run run = {.program = binary,
                                .args = ARGS("unix", "pipe", "--who", "-q", "--samples", "1", "-t", "50ms", "-o", "-"),
                                .prepare = as_nobody};
    cli_expect(&run, 0, &result);
    cli_csv_parse(result.out, &csv);
    if (!strstr(cli_cell(&csv, 0, "culprits"), "not_recorded=all"))
        cli_skip("this machine lets everybody record");
    cli_expect_text(cli_cell(&csv, 0, "culprits"), "not_recorded=all;why=needs CAP_PERFMON (root) or ");
    cli_expect_text(result.err, "\nnot recorded: needs CAP_PERFMON (root) or kernel.perf_event_paranoid=-1");
}

#ifdef SYS_perf_event_open
static int refuse_before_others(void *context)
{
    (void)before_others(NULL);
    return refuse(context);
}

CLI_TEST(test_who_under_a_filter_says_so)
{
    struct refusal refusals[] = {{.kind = REFUSE_CALL, .number = SYS_perf_event_open, .error = EPERM}, {.kind = 0}};
    const struct cli_run run = {.args = ARGS("noise", "--who", "-q", "-t", "100ms", "--cpus", cli_cpu),
                                .prepare = refuse_before_others,
                                .context = refusals};

    cli_need_root();
    expect_counted(&run, "a seccomp filter or a security module forbids perf_event_open");
}
#endif

/* The records are of one CPU each. */
CLI_TEST(test_who_needs_bound_samplers)
{
    const struct cli_run run = {.args =
                                    ARGS("noise", "--who", "-q", "-t", "100ms", "--cpus", cli_cpu, "--bind", "none")};
    struct cli_csv csv;

    cli_expect(&run, 0, NULL);
    cli_csv_only(cli->work, &csv);
    const size_t row = find_row(&csv, "", "disturbed");
    assert_true(row < csv.n_rows);
    assert_string_equal(cli_cell(&csv, row, "status"), "skipped");
    cli_expect_text(cli_cell(&csv, row, "reason"), "--bind one");
}
