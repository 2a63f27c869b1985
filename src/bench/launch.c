/* SPDX-License-Identifier: MIT */
/* The task launch: a small program started again and again: fork, exec, and its first use of memory. */

#include "bench/tasks.h"
#include "bench/unix.h"
#include "sys/file.h"

#define LAUNCHED   "@launched"
#define PAGE_BYTES 4096u

enum { LAUNCH_FORK = TASKS_OWN_RECORDER };

struct launch {
    int report[2]; /* a pipe */
    struct launch_words words;
};

void launch_prepare(struct launch_words *words, int fd, uint64_t touch_bytes)
{
    TEXT_PRINT(words->fd, "%d", fd);
    TEXT_PRINT(words->bytes, "%llu", (unsigned long long)touch_bytes);
}

pid_t launch_start(struct party_context *context, struct launch_words *words)
{
    char *argv[] = {(char *)"jitbench", (char *)LAUNCHED, words->fd, words->bytes, NULL}, *envp[] = {NULL};
    const pid_t child = fork();

    if (child < 0)
        return party_fail(context, "cannot make a process: fork: %s%s", strerror(errno),
                          errno == EAGAIN ? " (RLIMIT_NPROC or the pids cgroup)" : "");
    if (child)
        return child;
    party_fail(context, "cannot execute this program: %s", strerror(-process_exec_self(argv, envp)));
    _exit(127);
}

void launch_main(int argc, char **argv)
{
    if (argc != 4 || strcmp(argv[1], LAUNCHED))
        return;
    const int fd = (int)strtol(argv[2], NULL, 10);
    const size_t bytes = strtoul(argv[3], NULL, 10);
    char *memory = malloc(bytes);
    for (size_t at = 0; memory && at < bytes; at += PAGE_BYTES)
        ((volatile char *)memory)[at] = 1;
    const uint64_t ready_ns = clock_monotonic_ns();
    _exit(!memory ? ENOMEM : fd < 0 ? 0 : -new_file_write(fd, &ready_ns, sizeof(ready_ns)));
}

static int supported(const struct bench_case *of, struct error *why)
{
    (void)of;
    return process_can_exec_self() ? 0 : error_set(why, "the program's own file cannot be executed");
}

/* Returns 0, or -1 with a reason. */
static int launch_one(struct party_context *context, uint64_t *latency_ns, uint64_t *fork_ns)
{
    struct launch *l = context->state;
    const uint64_t start = clock_monotonic_ns();
    const pid_t child = launch_start(context, &l->words);
    uint64_t ready;
    ssize_t n;

    *fork_ns = clock_monotonic_ns() - start;
    if (child < 0 || unix_wait(context, child, NULL))
        return -1;
    do
        n = read(l->report[0], &ready, sizeof(ready));
    while (n < 0 && errno == EINTR);
    if (n != sizeof(ready))
        return party_fail(context, "the launched program did not report%s%s", n < 0 ? ": " : "",
                          n < 0 ? strerror(errno) : "");
    *latency_ns = ready - start;
    return 0;
}

static int setup(struct party_context *context)
{
    const struct launch_params *params = context->params;
    struct launch *l = context->state;
    uint64_t ns;

    /* Never to block here; the other end stays open in the launched program. */
    if (pipe(l->report) || fcntl(l->report[0], F_SETFL, O_NONBLOCK) || fcntl(l->report[0], F_SETFD, FD_CLOEXEC))
        return party_fail(context, "cannot make a pipe: %s", strerror(errno));
    launch_prepare(&l->words, l->report[1], params->touch_bytes);
    return launch_one(context, &ns, &ns); /* the file is in memory from then on */
}

static int run(struct party_context *context)
{
    const struct launch_params *params = context->params;
    uint64_t latency_ns = 0, fork_ns = 0;

    for (uint64_t number = 0; !party_stopped(context); number++) {
        if (launch_one(context, &latency_ns, &fork_ns))
            return -1;
        hist_add_class(context->recorder[TASKS_HIST], latency_ns);
        hist_add(context->recorder[LAUNCH_FORK], fork_ns);
        series_add(context->recorder[TASKS_SERIES], number, latency_ns);
        clock_sleep_ns(params->pause_ns);
    }
    return 0;
}

static void teardown(struct party_context *context)
{
    const struct launch *l = context->state;

    close(l->report[0]);
    close(l->report[1]);
}

static void describe(const struct bench_case *of, struct row_params *out)
{
    const struct launch_params *p = of->params;

    row_param_count(out, PARAM_WORK, "touch_kib", p->touch_bytes >> 10);
    row_param_count(out, PARAM_WORK, "pause_us", p->pause_ns / 1000);
}

static const struct metric metrics[] = {
    TASKS_LATENCIES("time from fork until the new program had touched its memory"),
    {METRIC("fork_time", "ns", "lower", "time until fork returned in the parent"), .above = TASKS_ABOVE},
    TASKS_LOAD_RATE,
};

static void reduce(const struct trial *trial, struct results *results)
{
    tasks_reduce(trial, results);
    results_events(results, 0, TASKS_OWN_METRIC, trial_recorder(trial, 0, 0, LAUNCH_FORK), NULL);
}

#define OWN(name_, member_, help_) OPTION(name_, 0, struct launch_params, member_, help_)
static const struct option options[] = {
    {OWN("launch-touch", touch_bytes, "memory that the new program touches"),
     OPTION_NUMBER(SIZE, "SIZE", 4 << 10, 1 << 30), .preset[0] = "256K"},
    {OWN("launch-pause", pause_ns, "pause between two launches"), OPTION_NUMBER(DURATION, "TIME", 1e3, 10e9),
     .preset[0] = "5ms"},
};

const struct bench bench_launch = {
    TASKS_BENCH("launch", "a small program started: fork, exec, first use of memory", struct launch_params, metrics),
    BENCH_OPTIONS(options),
    BENCH_PARTY(PARTY_IS("launch", TASKS_RECORDERS(1000), [LAUNCH_FORK] = {RECORD_HIST, 0}),
                TASKS_PARTY(struct launch, NORMAL), .teardown = teardown),
    TASKS_SAMPLING(20),
    .supported = supported,
};
