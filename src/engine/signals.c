/* SPDX-License-Identifier: MIT */
/* Signals that ask the program to end. */
#include "engine/signals.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/clock.h"

static const struct {
    int number;
    const char *name;
} ending[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}, {SIGQUIT, "SIGQUIT"}};
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
        if (sigaction(ending[i].number, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
            continue;
        action.sa_handler = on_end;
        (void)sigaction(ending[i].number, &action, NULL);
        sigaddset(&block, ending[i].number);
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

const char *signals_name(int number)
{
    for (size_t i = 0; i < N_ENDING; i++)
        if (ending[i].number == number)
            return ending[i].name;
    return "a signal";
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
            if (sigismember(&pending, ending[i].number) == 1)
                return ending[i].number;
    return 0;
}

void signals_sleep_ns(uint64_t ns)
{
    uint64_t until = clock_raw_ns() + ns, now;

    while (!signals_pending() && (now = clock_raw_ns()) < until) {
        struct timespec left = {.tv_sec = (time_t)((until - now) / 1000000000u),
                                .tv_nsec = (long)((until - now) % 1000000000u)};
        (void)ppoll(NULL, 0, &left, &mask_wait);
    }
}

/* Waits until a pipe, terminal or device takes bytes. After a signal it only asks whether it does now. */
static int wait_writable(int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    struct timespec now = {0, 0};

    for (;;) {
        int ended = signals_pending();
        int n = ppoll(&wait, 1, ended ? &now : NULL, &mask_wait);
        if (n > 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return -1;
        if (ended)
            break;
    }
    errno = EINTR;
    return -1;
}

size_t signals_write(int fd, const char *data, size_t length)
{
    struct stat status;
    bool blocks = fstat(fd, &status) || !S_ISREG(status.st_mode);
    size_t done = 0;

    while (done < length) {
        size_t chunk = length - done;
        if (blocks && chunk > PIPE_BUF)
            chunk = PIPE_BUF; /* what poll() promises to be taken without waiting */
        if (blocks && wait_writable(fd))
            break;
        ssize_t n = write(fd, data + done, chunk);
        if (n > 0) {
            done += (size_t)n;
        } else if (n == 0) {
            errno = EIO;
            break;
        } else if (errno != EINTR && errno != EAGAIN) {
            break;
        }
    }
    return done;
}

void signals_restore(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    action.sa_handler = SIG_DFL;
    for (size_t i = 0; i < N_ENDING; i++) {
        struct sigaction old;
        if (sigaction(ending[i].number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(ending[i].number, &action, NULL);
    }
    (void)sigaction(SIGCHLD, &action, NULL);
    (void)sigaction(SIGPIPE, &action, NULL);
    (void)sigaction(SIGXFSZ, &action, NULL);
    (void)sigprocmask(SIG_SETMASK, &mask_before, NULL);
}
