/* SPDX-License-Identifier: MIT */
#include "sys/process.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "sys/base.h"
#include "sys/clock.h"

/* A handler gets no context. */
static volatile sig_atomic_t caught, stop_wanted;
static bool initialised;
static sigset_t mask_before, mask_wait;

#define TICK_US 50000

static void on_end(int number)
{
    if (!caught)
        caught = number;
}

static void on_child(int number)
{
    (void)number; /* only interrupts a system call */
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
    bool unless_ignored; /* stays ignored if it was so at program start */
} handled[] = {
    {SIGINT, "SIGINT", on_end, true},   {SIGTERM, "SIGTERM", on_end, true}, {SIGHUP, "SIGHUP", on_end, true},
    {SIGQUIT, "SIGQUIT", on_end, true}, {SIGTSTP, NULL, on_stop, true},     {SIGCHLD, NULL, on_child, false},
    {SIGPIPE, NULL, SIG_IGN, false},    {SIGXFSZ, NULL, SIG_IGN, false},
};
/* The first N_ENDING of handled[] ask the program to end. */
enum { N_ENDING = 4, N_HANDLED = COUNT(handled) };

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
    /* By the same signal, so that the shell sees which; the kernel ignores it in an orphaned process group, which
     * nobody could continue. */
    if (sigaction(SIGTSTP, &action, &ours))
        return;
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stop_alone, NULL);
    sigprocmask(SIG_BLOCK, &stop_alone, NULL);
    sigaction(SIGTSTP, &ours, NULL);
}

/* Returns whether handled[i] was ignored at program start and stays so. */
static bool is_ignored(size_t i)
{
    struct sigaction old;

    return handled[i].unless_ignored && sigaction(handled[i].number, NULL, &old) == 0 && old.sa_handler == SIG_IGN;
}

void signals_init(void)
{
    sigset_t block;

    sigemptyset(&block);
    sigprocmask(SIG_BLOCK, NULL, &mask_before);
    initialised = true;
    mask_wait = mask_before;
    for (size_t i = 0; i < N_HANDLED; i++) {
        const struct sigaction action = {.sa_handler = handled[i].handler};
        if (is_ignored(i))
            continue;
        sigaction(handled[i].number, &action, NULL);
        if (handled[i].handler == SIG_IGN)
            continue;
        sigaddset(&block, handled[i].number);
        sigdelset(&mask_wait, handled[i].number);
    }
    sigprocmask(SIG_BLOCK, &block, NULL);
}

void signals_describe_kill(int number, char *buf, size_t size)
{
    snprintf(buf, size, "was killed by signal %d (%s)%s", number, strsignal(number),
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
        ppoll(NULL, 0, &left, &mask_wait);
        if (stop_wanted)
            signals_stop();
    }
}

/* While ticks interrupt a system call that blocks. */
struct ticks {
    struct sigaction action;
    sigset_t mask;
};

/* Unblocks the ending and stopping signals, and interrupts system calls every TICK_US: one that begins just after
 * such a signal must not block for ever. */
static void ticks_begin(struct ticks *ticks)
{
    const struct sigaction action = {.sa_handler = on_child};
    const struct itimerval every = {.it_interval = {.tv_usec = TICK_US}, .it_value = {.tv_usec = TICK_US}};
    sigset_t mask;

    sigprocmask(SIG_BLOCK, NULL, &ticks->mask);
    mask = initialised ? mask_wait : ticks->mask;
    sigdelset(&mask, SIGALRM);
    sigaction(SIGALRM, &action, &ticks->action);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
}

static void ticks_end(const struct ticks *ticks)
{
    const struct itimerval never = {.it_value = {.tv_sec = 0}};
    const int error = errno;

    setitimer(ITIMER_REAL, &never, NULL);
    sigprocmask(SIG_SETMASK, &ticks->mask, NULL);
    sigaction(SIGALRM, &ticks->action, NULL);
    errno = error;
}

size_t signals_write_within(int fd, const char *data, size_t length, uint64_t stall_ns)
{
    struct stat status;
    const bool blocks = fstat(fd, &status) || !S_ISREG(status.st_mode);
    const uint64_t begin = clock_raw_ns();
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    struct ticks ticks;
    size_t done = 0;

    if (blocks)
        ticks_begin(&ticks);
    while (done < length) {
        const ssize_t n = write(fd, data + done, length - done);
        if (n > 0) {
            done += (size_t)n;
            continue;
        }
        errno = n == 0 ? EIO : errno;
        if (errno == EAGAIN) /* another process has made it non-blocking */
            poll(&ready, 1, TICK_US / 1000);
        else if (errno != EINTR)
            break;
        errno = signals_pending() ? EINTR : clock_raw_ns() - begin > stall_ns ? ETIMEDOUT : 0;
        if (errno)
            break;
        if (stop_wanted)
            signals_stop();
    }
    if (blocks)
        ticks_end(&ticks);
    return done;
}

size_t signals_write(int fd, const char *data, size_t length)
{
    return signals_write_within(fd, data, length, UINT64_MAX);
}

void signals_restore(void)
{
    for (size_t i = 0; i < N_HANDLED; i++)
        if (!is_ignored(i))
            signal(handled[i].number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &mask_before, NULL);
}
