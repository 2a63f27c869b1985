/* SPDX-License-Identifier: MIT */
/* Handles the signals that ask the program to end or stop. */
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

static const struct {
    int number;
    const char *name;
    void (*handler)(int number);
    bool unless_ignored; /* a signal that was ignored at program start stays ignored */
} handled[] = {
    {SIGINT, "SIGINT", on_end, true},   {SIGTERM, "SIGTERM", on_end, true}, {SIGHUP, "SIGHUP", on_end, true},
    {SIGQUIT, "SIGQUIT", on_end, true}, {SIGTSTP, NULL, on_stop, true},     {SIGCHLD, NULL, on_child, false},
    {SIGPIPE, NULL, SIG_IGN, false},    {SIGXFSZ, NULL, SIG_IGN, false},
};
/* The first N_ENDING signals of handled[] ask the program to end. */
enum { N_ENDING = 4, N_HANDLED = sizeof(handled) / sizeof(handled[0]) };

bool signals_stop_wanted(void)
{
    return stop_wanted != 0;
}

void signals_stop(void)
{
    const struct sigaction action = {.sa_handler = SIG_DFL};
    struct sigaction ours;
    sigset_t stop_alone;

    stop_wanted = 0;
    sigemptyset(&stop_alone);
    sigaddset(&stop_alone, SIGTSTP);
    /* The program stops itself by the same signal, so that the shell sees which one it was; in an orphaned process
     * group, which nobody could continue, the kernel ignores the signal. */
    if (sigaction(SIGTSTP, &action, &ours))
        return;
    (void)raise(SIGTSTP);
    (void)sigprocmask(SIG_UNBLOCK, &stop_alone, NULL);
    (void)sigprocmask(SIG_BLOCK, &stop_alone, NULL);
    (void)sigaction(SIGTSTP, &ours, NULL);
}

/* Returns whether handled[i] was ignored at program start and shall stay ignored. */
static bool is_ignored(size_t i)
{
    struct sigaction old;

    return handled[i].unless_ignored && sigaction(handled[i].number, NULL, &old) == 0 && old.sa_handler == SIG_IGN;
}

void signals_init(void)
{
    sigset_t block;

    sigemptyset(&block);
    (void)sigprocmask(SIG_BLOCK, NULL, &mask_before);
    mask_wait = mask_before;
    for (size_t i = 0; i < N_HANDLED; i++) {
        const struct sigaction action = {.sa_handler = handled[i].handler};
        if (is_ignored(i))
            continue;
        (void)sigaction(handled[i].number, &action, NULL);
        if (handled[i].handler == SIG_IGN)
            continue;
        sigaddset(&block, handled[i].number);
        sigdelset(&mask_wait, handled[i].number);
    }
    (void)sigprocmask(SIG_BLOCK, &block, NULL);
}

void signals_describe_kill(int number, char *buf, size_t size)
{
    (void)snprintf(buf, size, "was killed by signal %d (%s)%s", number, strsignal(number),
                   number == SIGKILL ? ": perhaps out of memory" : "");
}

const char *signals_name(int number)
{
    for (size_t i = 0; i < N_ENDING; i++)
        if (handled[i].number == number)
            return handled[i].name;
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
            if (sigismember(&pending, handled[i].number) == 1)
                return handled[i].number;
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
    const struct timespec now = {0, 0};
    int ended = 0, n;

    while (!ended) {
        ended = signals_pending();
        n = ppoll(&wait, 1, ended ? &now : NULL, &mask_wait);
        if (n > 0 || (n < 0 && errno != EINTR))
            return n > 0 ? 0 : -1;
        if (stop_wanted)
            signals_stop();
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
    for (size_t i = 0; i < N_HANDLED; i++)
        if (!is_ignored(i))
            (void)signal(handled[i].number, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &mask_before, NULL);
}
