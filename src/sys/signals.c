/* SPDX-License-Identifier: MIT */
#include "sys/process.h"

#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>

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
        const struct timespec left = clock_timespec(until - now);
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

/* Fails with ETIMEDOUT after stall_ns. */
static size_t signals_write_within(int fd, const char *data, size_t length, uint64_t stall_ns)
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

/* --- Messages, and the machine's console. --- */

#define STALL_NS 1000000000u

static bool lost;

static void put(const char *format, va_list args)
{
    char line[512];
    FREED char *longer = NULL;
    va_list again;

    va_copy(again, args);
    const int length = vsnprintf(line, sizeof(line), format, args);
    if (length >= (int)sizeof(line) && vasprintf(&longer, format, again) < 0) {
        longer = NULL; /* without memory, the message is cut */
        line[sizeof(line) - 2] = '\n';
    }
    va_end(again);
    const char *text = longer ? longer : line;
    /* after a stall it gets no further second */
    if (signals_write_within(STDERR_FILENO, text, strlen(text), lost ? 0 : STALL_NS) < strlen(text))
        lost = lost || errno == ETIMEDOUT;
}

void message_print(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put(format, args);
    va_end(args);
}

void message_hint(const char *format, ...)
{
    struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};
    const bool before = lost;
    va_list args;

    if (poll(&ready, 1, 0) <= 0)
        return;
    lost = true; /* it gets no second */
    va_start(args, format);
    put(format, args);
    va_end(args);
    lost = before;
}

bool message_lost(void)
{
    return lost;
}

/* syslog(2), for which the C library has no names */
enum { KERNEL_LOG_CONSOLE_OFF = 6, KERNEL_LOG_CONSOLE_ON = 7 };

/* Major numbers of pseudo-terminals: Documentation/admin-guide/devices.txt. */
#define PSEUDO_FIRST 136u
#define PSEUDO_LAST  143u

#define POLL_MS 100
/* A pipe or terminal takes so many bytes without blocking when poll() says that it is ready. */
#define CHUNK PIPE_BUF

void console_take(bool blocking)
{
    int fd = open("/dev/console", O_RDWR | O_NOCTTY | (blocking ? 0 : O_NONBLOCK));

    if (fd < 0)
        return;
    for (int standard = 0; standard <= 2; standard++)
        if (fd != standard)
            dup2(fd, standard);
    if (fd > 2)
        close(fd);
}

void console_own_session(void)
{
    setsid();
    ioctl(0, TIOCSCTTY, 1);
}

bool console_is_shared(int fd)
{
    struct stat status;

    return isatty(fd) && fstat(fd, &status) == 0 &&
           (major(status.st_rdev) < PSEUDO_FIRST || major(status.st_rdev) > PSEUDO_LAST);
}

void console_quiet(bool quiet)
{
    klogctl(quiet ? KERNEL_LOG_CONSOLE_OFF : KERNEL_LOG_CONSOLE_ON, NULL, 0);
}

int console_write(int fd, const char *data, size_t length, uint64_t stall_ns, int (*stop)(void))
{
    uint64_t moved = clock_raw_ns();

    while (length) {
        struct pollfd ready = {.fd = fd, .events = POLLOUT};
        ssize_t n = 0;
        if (stop && stop())
            return -EINTR;
        if (poll(&ready, 1, POLL_MS) > 0)
            n = write(fd, data, length < CHUNK ? length : CHUNK);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return -errno;
        if (n > 0) {
            data += n;
            length -= (size_t)n;
            moved = clock_raw_ns();
        } else if (clock_raw_ns() - moved > stall_ns) {
            return -ETIMEDOUT;
        }
    }
    return 0;
}

void console_drain(int fd, uint64_t stall_ns)
{
    uint64_t moved = clock_raw_ns();
    int left, before = 0;

    while (ioctl(fd, TIOCOUTQ, &left) == 0 && left > 0) {
        if (left != before)
            moved = clock_raw_ns();
        if (clock_raw_ns() - moved > stall_ns)
            return;
        before = left;
        clock_sleep_ns(POLL_MS * 1000000u / 10);
    }
}
