/* SPDX-License-Identifier: MIT */
/* Takes a CPU from whoever runs there, for busy periods of known lengths at known times: preempt CPU PERIODS. Prints a
 * line for each: when it began, how long it was, and the CPU time since the end of the one before, which has the way
 * into sleep and out of it too; all in ns. For tests/perf/perf.py. */
#include <inttypes.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_NS 4000000u /* and up to as much again */
#define PRIORITY 90

static const uint64_t lengths_ns[] = {5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000, 2000000, 5000000};

struct period {
    uint64_t start_ns, length_ns, cpu_ns;
};

static uint64_t read_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t busy(uint64_t length_ns, struct period *period, uint64_t cpu_before_ns)
{
    uint64_t start = read_ns(CLOCK_MONOTONIC_RAW), now, cpu;

    do
        now = read_ns(CLOCK_MONOTONIC_RAW);
    while (now - start < length_ns);
    cpu = read_ns(CLOCK_THREAD_CPUTIME_ID);
    *period = (struct period){.start_ns = start, .length_ns = now - start, .cpu_ns = cpu - cpu_before_ns};
    return cpu;
}

/* Real-time of high priority on that CPU, and never for more than a few seconds. */
static int take(int cpu)
{
    const struct sched_param param = {.sched_priority = PRIORITY};
    const struct rlimit limit = {5000000, 6000000};
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    (void)alarm(60);
    return sched_setaffinity(0, sizeof(one), &one) || mlockall(MCL_CURRENT | MCL_FUTURE) ||
           setrlimit(RLIMIT_RTTIME, &limit) || sched_setscheduler(0, SCHED_FIFO, &param);
}

int main(int argc, char **argv)
{
    size_t n = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    struct period *periods = calloc(n + 1, sizeof(*periods));

    if (!n || !periods) {
        (void)fprintf(stderr, "usage: preempt CPU PERIODS\n");
        return 2;
    }
    if (take((int)strtol(argv[1], NULL, 10))) {
        perror("preempt: cannot become real-time on that CPU");
        return 1;
    }
    uint64_t cpu_ns = read_ns(CLOCK_THREAD_CPUTIME_ID);
    for (size_t i = 0; i < n; i++) {
        const struct timespec pause = {.tv_nsec = PAUSE_NS + (long)(i * 7919 % 1000 * (PAUSE_NS / 1000))};
        (void)nanosleep(&pause, NULL);
        cpu_ns = busy(lengths_ns[i % (sizeof(lengths_ns) / sizeof(lengths_ns[0]))], &periods[i], cpu_ns);
    }
    for (size_t i = 0; i < n; i++)
        printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", periods[i].start_ns, periods[i].length_ns, periods[i].cpu_ns);
    free(periods);
    return 0;
}
