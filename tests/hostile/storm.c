/* SPDX-License-Identifier: MIT */
/* Sends SIGCONT, SIGWINCH, SIGCHLD and SIGURG to a process and all its descendants a thousand times a second, until it
 * ends or for some seconds. Prints how often and for how long, in milliseconds.
 *
 *     storm PID SECONDS */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>

#define PIDS_MAX   4096u
#define ROUND_NS   1000000u
#define LOOK_EVERY 10u

static pid_t pids[PIDS_MAX];
static size_t n_pids;

static long long now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* The children of the main threads, breadth first. */
static void look(pid_t first)
{
    n_pids = 0;
    pids[n_pids++] = first;
    for (size_t i = 0; i < n_pids; i++) {
        char path[64];
        int child;
        (void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pids[i], (int)pids[i]);
        FILE *file = fopen(path, "re");
        while (file && n_pids < PIDS_MAX && fscanf(file, "%d", &child) == 1)
            pids[n_pids++] = child;
        if (file)
            (void)fclose(file);
    }
}

int main(int argc, char **argv)
{
    static const int numbers[] = {SIGCONT, SIGWINCH, SIGCHLD, SIGURG};
    const struct timespec pause = {.tv_nsec = ROUND_NS};
    unsigned rounds = 0;

    if (argc != 3)
        return 2;
    pid_t first = (pid_t)strtol(argv[1], NULL, 10);
    long long began = now_ns(), until = began + strtol(argv[2], NULL, 10) * 1000000000LL;
    while (now_ns() < until && kill(first, 0) == 0) {
        if (rounds++ % LOOK_EVERY == 0)
            look(first);
        for (size_t i = 0; i < n_pids; i++)
            for (size_t s = 0; s < sizeof(numbers) / sizeof(numbers[0]); s++)
                (void)kill(pids[i], numbers[s]);
        (void)nanosleep(&pause, NULL);
    }
    printf("%u %lld\n", rounds, (now_ns() - began) / 1000000);
    return 0;
}
