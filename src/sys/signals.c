/* SPDX-License-Identifier: MIT */
/* Signals that ask the program to end. */
#include "sys/signals.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/clock.h"

static const struct {
    int number;
    const char *name;
} ending[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}, {SIGQUIT, "SIGQUIT"}};
enum { N_ENDING = sizeof(ending) / sizeof(ending[0]) };

/* Global, since a signal handler gets no context. */
static volatile sig_atomic_t caught, stop_wanted;
static sigset_t mask_before, mask_wait;

static void on_end(int number)
{
    if (!caught)
        caught = number;
}

static void on_child(int number)
{
    (void)number; /* the handler's only task is to interrupt ppoll() */
}

static void on_stop(int number)
{
    (void)number;
    stop_wanted = 1;
}

bool signals_stop_wanted(void)
{
    return stop_wanted != 0;
}

void signals_stop(void)
{
    struct sigaction action, ours;
    sigset_t stop_alone;

    stop_wanted = 0;
    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    action.sa_handler = SIG_DFL;
    sigemptyset(&stop_alone);
    sigaddset(&stop_alone, SIGTSTP);
    /* The program stops by the same signal, so that the shell sees which one it was; the kernel ignores it in an
     * orphaned process group, which nobody could continue. */
    if (sigaction(SIGTSTP, &action, &ours))
        return;
    (void)raise(SIGTSTP);
    (void)sigprocmask(SIG_UNBLOCK, &stop_alone, NULL);
    (void)sigprocmask(SIG_BLOCK, &stop_alone, NULL);
    (void)sigaction(SIGTSTP, &ours, NULL);
}

static bool is_ignored(int number)
{
    struct sigaction old;

    return sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_IGN;
}

void signals_init(void)
{
    struct sigaction action;
    sigset_t block;

    sigemptyset(&block);
    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < N_ENDING; i++) {
        if (is_ignored(ending[i].number))
            continue;
        action.sa_handler = on_end;
        (void)sigaction(ending[i].number, &action, NULL);
        sigaddset(&block, ending[i].number);
    }
    if (!is_ignored(SIGTSTP)) {
        action.sa_handler = on_stop;
        (void)sigaction(SIGTSTP, &action, NULL);
        sigaddset(&block, SIGTSTP);
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

void signals_describe_kill(int number, char *buf, size_t size)
{
    (void)snprintf(buf, size, "was killed by signal %d (%s)%s", number, strsignal(number),
                   number == SIGKILL ? ": perhaps out of memory" : "");
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
        if (stop_wanted)
            signals_stop();
    }
}

/* Waits until a pipe, terminal or device accepts bytes. After a signal that asks the program to end, only checks
 * whether it accepts bytes now. Returns 0; or -1 with errno, which is EINTR after such a signal. */
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
        if (stop_wanted)
            signals_stop();
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
            chunk = PIPE_BUF; /* the number of bytes that a ready pipe takes without blocking */
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
    for (size_t i = 0; i < N_ENDING; i++)
        if (!is_ignored(ending[i].number))
            (void)sigaction(ending[i].number, &action, NULL);
    if (!is_ignored(SIGTSTP))
        (void)sigaction(SIGTSTP, &action, NULL);
    (void)sigaction(SIGCHLD, &action, NULL);
    (void)sigaction(SIGPIPE, &action, NULL);
    (void)sigaction(SIGXFSZ, &action, NULL);
    (void)sigprocmask(SIG_SETMASK, &mask_before, NULL);
}
