/* SPDX-License-Identifier: MIT */
/* Plain loops of what tests of `jitbench unix` count, for `make perf`: `loops NAME SECONDS` runs one that long after a
 * short warm-up and prints counts a second. An alarm ends a loop, so it reads a flag and no clock. Linked statically,
 * as jitbench is; linked dynamically, `spawn` and `execl` are the processes of which jitbench takes the footprint under
 * the classic protocol. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WARM_SECONDS 0.05
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static volatile sig_atomic_t ended;

static void end(int signal_number)
{
    (void)signal_number;
    ended = 1;
}

static void fail(const char *what)
{
    fprintf(stderr, "loops: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void make_pipe(int fd[2])
{
    if (pipe(fd))
        fail("pipe");
}

static uint64_t loop_syscall(void)
{
    uint64_t n = 0;

    for (; !ended; n++) {
        close(dup(0));
        syscall(SYS_getpid);
        getuid();
        umask(022);
    }
    return n;
}

static uint64_t loop_pipe(void)
{
    char block[512] = {0};
    uint64_t n = 0;
    int fd[2];

    make_pipe(fd);
    for (; !ended; n++)
        if (write(fd[1], block, sizeof(block)) != sizeof(block) || read(fd[0], block, sizeof(block)) != sizeof(block))
            fail("the pipe");
    close(fd[0]);
    close(fd[1]);
    return n;
}

/* Sends back what comes, until the other side closes its end. */
static void answer(int from, int to)
{
    uint64_t number;

    for (uint64_t expected = 0; read(from, &number, sizeof(number)) == sizeof(number); expected++)
        if (number != expected || write(to, &number, sizeof(number)) != sizeof(number))
            _exit(1);
    _exit(0);
}

static uint64_t loop_context1(void)
{
    int there[2], back[2], status;
    uint64_t n = 0, number;

    make_pipe(there);
    make_pipe(back);
    const pid_t child = fork();
    if (child < 0)
        fail("fork");
    if (child == 0) {
        close(there[1]);
        close(back[0]);
        answer(there[0], back[1]);
    }
    close(there[0]);
    close(back[1]);
    for (; !ended; n++) {
        if (write(there[1], &n, sizeof(n)) != sizeof(n))
            fail("write");
        if (read(back[0], &number, sizeof(number)) != sizeof(number) || number != n)
            fail("read");
    }
    close(there[1]);
    close(back[0]);
    if (waitpid(child, &status, 0) != child || status)
        fail("the other half");
    return n;
}

static uint64_t loop_spawn(void)
{
    uint64_t n = 0;

    for (; !ended; n++) {
        int status;
        const pid_t child = fork();
        if (child == 0)
            _exit(0);
        if (child < 0 || waitpid(child, &status, 0) != child || status)
            fail("fork");
    }
    return n;
}

static const struct loop {
    const char *name;
    uint64_t (*run)(void);
} loops[] = {
    {"syscall", loop_syscall},
    {"pipe", loop_pipe},
    {"context1", loop_context1},
    {"spawn", loop_spawn},
};

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void print_rate(uint64_t n, uint64_t took_ns)
{
    printf("%.17g\n", (double)n * 1e9 / (double)took_ns);
}

static void run(const struct loop *loop, double seconds, bool warm_up)
{
    struct itimerval timer = {.it_value = {.tv_sec = (time_t)seconds}};

    timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
    ended = 0;
    if (setitimer(ITIMER_REAL, &timer, NULL))
        fail("setitimer");
    const uint64_t start = now_ns();
    const uint64_t n = loop->run();
    if (!warm_up)
        print_rate(n, now_ns() - start);
}

/* The program replaces itself; how long it is to do that, how often it did and when it began go along as arguments. */
static int loop_execl(const char *program, uint64_t length_ns, uint64_t n, uint64_t start_ns)
{
    char length[24], count[24], start[24];

    if (n && now_ns() - start_ns >= length_ns) {
        print_rate(n, now_ns() - start_ns);
        return 0;
    }
    snprintf(length, sizeof(length), "%llu", (unsigned long long)length_ns);
    snprintf(count, sizeof(count), "%llu", (unsigned long long)n + 1);
    snprintf(start, sizeof(start), "%llu", (unsigned long long)start_ns);
    execl(program, program, length, count, start, (char *)NULL);
    fail("execl");
    return 1;
}

int main(int argc, char **argv)
{
    /* Restarted, so that no alarm looks like a broken pipe. */
    const struct sigaction action = {.sa_handler = end, .sa_flags = SA_RESTART};

    if (argc == 4)
        return loop_execl(argv[0], strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10),
                          strtoull(argv[3], NULL, 10));
    const double seconds = argc == 3 ? strtod(argv[2], NULL) : 0;
    if (seconds > 0 && !strcmp(argv[1], "execl"))
        return loop_execl(argv[0], (uint64_t)(seconds * 1e9), 0, now_ns());
    for (size_t i = 0; i < COUNT(loops) && seconds > 0; i++) {
        if (strcmp(argv[1], loops[i].name) != 0)
            continue;
        if (sigaction(SIGALRM, &action, NULL))
            fail("sigaction");
        run(&loops[i], WARM_SECONDS, true);
        run(&loops[i], seconds, false);
        return 0;
    }
    fprintf(stderr, "usage: loops syscall|pipe|context1|spawn|execl SECONDS\n");
    return 2;
}
