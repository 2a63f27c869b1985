/* SPDX-License-Identifier: MIT */
/* Signals that ask the program to end. */
#include "engine/signals.h"

#include <poll.h>
#include <stddef.h>
#include <string.h>

#include "sys/clock.h"

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { N_ENDING = sizeof(ending) / sizeof(ending[0]) };

/* A signal handler has no other way to say what it saw. */
static volatile sig_atomic_t caught;
static sigset_t mask_before, mask_wait;

static void on_end(int number)
{
    if (!caught)
        caught = number;
}

static void on_child(int number)
{
    (void)number; /* its only work is to interrupt ppoll() */
}

void signals_init(void)
{
    struct sigaction action, old;
    sigset_t block;

    sigemptyset(&block);
    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < N_ENDING; i++) {
        if (sigaction(ending[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN)
            continue;
        action.sa_handler = on_end;
        (void)sigaction(ending[i], &action, NULL);
        sigaddset(&block, ending[i]);
    }
    action.sa_handler = on_child;
    (void)sigaction(SIGCHLD, &action, NULL);
    sigaddset(&block, SIGCHLD);
    action.sa_handler = SIG_IGN;
    (void)sigaction(SIGPIPE, &action, NULL);
    (void)sigaction(SIGXFSZ, &action, NULL);
    (void)sigprocmask(SIG_BLOCK, &block, &mask_before);
    mask_wait = mask_before;
    for (int number = 1; number < NSIG; number++)
        if (sigismember(&block, number) == 1)
            sigdelset(&mask_wait, number);
}

const sigset_t *signals_wait_mask(void)
{
    return &mask_wait;
}

int signals_pending(void)
{
    sigset_t pending;

    if (caught)
        return caught;
    if (sigpending(&pending) == 0)
        for (size_t i = 0; i < N_ENDING; i++)
            if (sigismember(&pending, ending[i]) == 1)
                return ending[i];
    return 0;
}

void signals_sleep_ns(uint64_t ns)
{
    uint64_t until = clock_raw_ns() + ns, now;

    while (!signals_pending() && (now = clock_raw_ns()) < until) {
        struct timespec left = {.tv_sec = (time_t)((until - now) / 1000000000u), .tv_nsec = (long)((until - now) % 1000000000u)};
        (void)ppoll(NULL, 0, &left, &mask_wait);
    }
}

void signals_restore(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    action.sa_handler = SIG_DFL;
    for (size_t i = 0; i < N_ENDING; i++) {
        struct sigaction old;
        if (sigaction(ending[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(ending[i], &action, NULL);
    }
    (void)sigaction(SIGCHLD, &action, NULL);
    (void)sigaction(SIGPIPE, &action, NULL);
    (void)sigaction(SIGXFSZ, &action, NULL);
    (void)sigprocmask(SIG_SETMASK, &mask_before, NULL);
}
