/* SPDX-License-Identifier: MIT */
/* --fifo leaves CPU time to ordinary processes, ends on time, and its rows say when children run normally. Needs
 * real-time rights and two CPUs. */

#include "cli.h"

enum { SPINNERS = 2 };
#define RUN_S     1.5
#define GAP_MAX_S 0.25
/* Real-time work on every CPU leaves 0.03. */
#define SHARE_MIN 0.15

/* An ordinary process that never sleeps, on any CPU. */
struct spinner {
    double cpu_s, worst_gap_s;
};
struct spinners {
    uint32_t stop;
    struct spinner each[SPINNERS];
};

static double seconds(clockid_t clock)
{
    struct timespec t;

    assert_int_equal(clock_gettime(clock, &t), 0);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void spin(const struct spinners *all, struct spinner *self)
{
    double last = seconds(CLOCK_MONOTONIC), before = seconds(CLOCK_PROCESS_CPUTIME_ID);

    /* Before other work of the machine, though not before real-time work. */
    if (setpriority(PRIO_PROCESS, 0, -5))
        _exit(1);
    while (!__atomic_load_n(&all->stop, __ATOMIC_RELAXED)) {
        double now = seconds(CLOCK_MONOTONIC);
        self->worst_gap_s = now - last > self->worst_gap_s ? now - last : self->worst_gap_s;
        last = now;
    }
    self->cpu_s = seconds(CLOCK_PROCESS_CPUTIME_ID) - before;
    _exit(0);
}

/* CPU time of this process's children that have ended, and of theirs. */
static double children_s(void)
{
    struct rusage usage;

    assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/* Runs it beside spinners; the CSV's row of the rate in csv. */
static void run_beside_spinners(const struct cli_run *run, struct cli_csv *csv)
{
    struct spinners *all = mmap(NULL, sizeof(*all), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct cli_result result;
    pid_t pids[SPINNERS];

    assert_true(all != MAP_FAILED);
    for (int i = 0; i < SPINNERS; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0)
            spin(all, &all->each[i]);
    }
    double before = children_s();
    cli_expect(run, 0, &result);
    double total = children_s() - before, spun = 0;
    __atomic_store_n(&all->stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < SPINNERS; i++)
        assert_int_equal(waitpid(pids[i], NULL, 0), pids[i]);
    cli_csv_parse(result.out, csv);
    for (int i = 0; i < SPINNERS; i++) {
        const struct spinner *s = &all->each[i];
        print_message("spinner %d: %.2f s, worst gap %.3f s\n", i, s->cpu_s, s->worst_gap_s);
        assert_true(s->worst_gap_s < GAP_MAX_S);
        spun += s->cpu_s;
    }
    /* Of the time that spinners and jitbench had, since other processes take some too. The kernel may put both spinners
     * on one CPU for a while. */
    assert_true(spun >= SHARE_MIN * (spun + total));
    assert_int_equal(munmap(all, sizeof(*all)), 0);
}

/* Two processes for each copy, which sleep so often that the limit of real-time CPU time never ends them. */
CLI_TEST(test_realtime_ping_pong_on_every_cpu_is_given_up)
{
    const struct cli_run run = {.args = ARGS("unix", "context1", "--fifo", "--copies", "2", "-t", "1500ms", "--samples",
                                             "1", "--cpus", "0-1", "-q", "-o", "-")};
    struct cli_csv csv;

    cli_need_root();
    cli_need_fifo();
    cli_need_cpus(2);
    cli_need_processor("how CPUs are shared out");
    run_beside_spinners(&run, &csv);
    size_t row = cli_row(&csv, "context1", "rate", 0);
    print_message("%s of %.1f s\n", cli_cell(&csv, row, "wall_s"), RUN_S);
    assert_true(cli_number(&csv, row, "wall_s") <= 1.1 * RUN_S);
    if (sysconf(_SC_NPROCESSORS_ONLN) == 2) {
        assert_string_equal(cli_cell(&csv, row, "status"), "degraded");
        assert_string_equal(cli_cell(&csv, row, "reason"),
                            "SCHED_FIFO left out: one CPU must stay free of real-time work");
        assert_string_equal(cli_cell(&csv, row, "policy"), "other");
    }
}

/* Runs tests of unix on CPU 1, one sample each. The CSV is for the caller to free. */
#define ON_CPU_1 "--samples", "1", "--cpus", "1", "-q", "-o", "-"
static void measure(const char *const *args, struct cli_csv *csv)
{
    struct cli_result result;

    cli_need_root();
    cli_need_fifo();
    cli_need_cpus(2);
    cli_expect_args(args, 0, &result);
    cli_csv_parse(result.out, csv);
}

/* The parent shares the only named CPU with work that never sleeps, and ends it on time. */
CLI_TEST(test_realtime_run_ends_on_time)
{
    struct cli_csv csv;

    measure(ARGS("unix", "syscall", "--fifo", "-t", "500ms", ON_CPU_1), &csv);
    size_t row = cli_row(&csv, "syscall", "rate", 0);
    assert_string_equal(cli_cell(&csv, row, "status"), "ok");
    assert_string_equal(cli_cell(&csv, row, "policy"), "fifo");
    cli_expect_text(cli_cell(&csv, row, "param"), " control=fifo:98");
    assert_true(cli_number(&csv, row, "wall_s") <= 1.1 * 0.5);
}

static void expect_reason(const struct cli_csv *csv, const char *test, const char *reason)
{
    size_t row = cli_row(csv, test, "rate", 0);

    assert_string_equal(cli_cell(csv, row, "status"), reason[0] ? "degraded" : "ok");
    assert_string_equal(cli_cell(csv, row, "reason"), reason);
}

/* A real-time policy ends at a fork (reset-on-fork), a nice value does not; exec keeps both. */
CLI_TEST(test_realtime_children_are_normal_and_rows_say_so)
{
    static const char normal[] = "children run with the normal policy";
    struct cli_csv csv;

    measure(ARGS("unix", "spawn", "sysexec", "shell1", "execl", "--fifo", "-t", "50ms", ON_CPU_1), &csv);
    expect_reason(&csv, "spawn", normal);
    expect_reason(&csv, "sysexec", normal);
    expect_reason(&csv, "shell1", normal);
    expect_reason(&csv, "execl", "");
    measure(ARGS("unix", "spawn", "shell1", "--nice=-3", "-t", "50ms", ON_CPU_1), &csv);
    expect_reason(&csv, "spawn", "");
    expect_reason(&csv, "shell1", "");
}

/* Threads of a task have its policy. What it starts has not. */
CLI_TEST(test_realtime_threads_are_real_time)
{
    struct cli_csv csv;

    measure(ARGS("latency", "requests", "frame", "input", "audio-period", "launch", "--fifo", "-w", "burn", "-t",
                 "200ms", "-l", "100000", ON_CPU_1),
            &csv);
    unsigned n = 0;
    for (size_t row = 0; row < csv.n_rows; row++)
        if (!strcmp(cli_cell(&csv, row, "load"), "burn") && strcmp(cli_cell(&csv, row, "test"), "alone")) {
            assert_int_equal(strstr(cli_cell(&csv, row, "reason"), "normal policy") != NULL,
                             !strcmp(cli_cell(&csv, row, "test"), "launch"));
            n++;
        }
    assert_true(n >= 5); /* each task has rows */
}
