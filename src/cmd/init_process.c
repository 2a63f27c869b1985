/* SPDX-License-Identifier: MIT */
/* The first process of a machine: its signals, its messages, and its children, also the orphaned ones. */
#include "cmd/init_parts.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "rows/text.h"
#include "sys/clock.h"
#include "sys/console.h"

/* END_WAIT_NS: time limit in ns for the measuring process to report its results and end once it was asked to; then it
 * is killed. LAST_WAIT_NS: time in ns to wait after SIGTERM, and after SIGKILL, for all other processes to end. */
#define END_WAIT_NS  (20 * SECOND_NS)
#define LAST_WAIT_NS (2 * SECOND_NS)

/* Time limit in ns of console output: a user may have stopped it (Ctrl-S) to read the screen. */
#define STALL_NS (120 * SECOND_NS)

/* --- Signals: they stay blocked, and init waits for them. --- */

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static const int ignored[] = {SIGPIPE, SIGXFSZ, SIGTTIN, SIGTTOU, SIGTSTP};
enum { N_ENDING = sizeof(ending) / sizeof(ending[0]), N_IGNORED = sizeof(ignored) / sizeof(ignored[0]) };
static bool left_alone[N_ENDING];

/* --- Messages. A console that accepts no more output must not prevent the machine's end. --- */

bool init_end_is_asked(void)
{
    sigset_t pending;

    if (sigpending(&pending))
        return false;
    for (size_t i = 0; i < N_ENDING; i++)
        if (sigismember(&pending, ending[i]) == 1)
            return true;
    return false;
}

static bool stalled; /* a write to the console timed out, so the next one does not wait */

int init_put(int fd, const char *data, size_t length, bool (*stop)(void))
{
    int error = console_write(fd, data, length, stalled ? 0 : STALL_NS, stop);

    stalled = error == -ETIMEDOUT;
    return error;
}

void init_drain(int fd)
{
    console_drain(fd, stalled ? 0 : STALL_NS);
}

void init_say(const char *format, ...)
{
    char line[2048] = "jitbench init: ";
    size_t begin = strlen(line);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(line + begin, sizeof(line) - begin - 1, format, args);
    va_end(args);
    text_sanitize(line); /* contains words from the kernel's command line */
    memcpy(line + strlen(line), "\n", 2);
    (void)init_put(2, line, strlen(line), NULL);
}

/* --- Taking signals. --- */

static void on_signal(int number)
{
    /* nothing to do: the handler exists because the kernel does not queue a signal without one for PID 1 */
    (void)number;
}

static void taken_signals(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < N_ENDING; i++)
        if (!left_alone[i])
            sigaddset(set, ending[i]); /* an ignored signal must not be blocked, because it would be queued then */
    sigaddset(set, SIGCHLD);
}

void init_leave_ignored(void)
{
    struct sigaction old;

    for (size_t i = 0; i < N_ENDING; i++)
        left_alone[i] = sigaction(ending[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN;
}

void init_set_signals(bool ours)
{
    struct sigaction action;
    sigset_t set;

    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    action.sa_handler = ours ? SIG_IGN : SIG_DFL;
    for (size_t i = 0; i < N_IGNORED; i++)
        (void)sigaction(ignored[i], &action, NULL);
    action.sa_handler = ours ? on_signal : SIG_DFL;
    for (size_t i = 0; i < N_ENDING; i++)
        if (!left_alone[i])
            (void)sigaction(ending[i], &action, NULL);
    (void)sigaction(SIGCHLD, &action, NULL);
    taken_signals(&set);
    (void)sigprocmask(ours ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

int init_wait_signal(uint64_t ns)
{
    struct timespec time = {.tv_sec = (time_t)(ns / SECOND_NS), .tv_nsec = (long)(ns % SECOND_NS)};
    sigset_t set;
    int number;

    taken_signals(&set);
    do
        number = ns ? sigtimedwait(&set, NULL, &time) : sigwaitinfo(&set, NULL);
    while (number < 0 && errno == EINTR);
    return number < 0 ? 0 : number;
}

/* --- Children: started here or orphaned. --- */

bool init_reap(pid_t pid, int *status)
{
    bool ended = false;
    pid_t one;
    int how;

    errno = 0;
    while ((one = waitpid(-1, &how, WNOHANG)) > 0)
        if (one == pid) {
            *status = how;
            ended = true;
        }
    return pid ? ended : one < 0 && errno == ECHILD;
}

/* Asks the measuring process to end: by SIGINT the first time, later by SIGKILL. Sets *until to the time at which it is
 * killed if it has not ended. */
static void ask(struct init *init, pid_t pid, uint64_t *until)
{
    if (!init->asked)
        init_say("ending the run; once more ends it at once");
    (void)kill(pid, init->asked ? SIGKILL : SIGINT);
    init->asked = true;
    *until = clock_raw_ns() + END_WAIT_NS;
}

int init_wait_child(struct init *init, pid_t pid)
{
    uint64_t until = 0;
    int status = 0;

    while (!init_reap(pid, &status)) {
        int number = init_wait_signal(until || errno ? POLL_NS : 0);
        if (number && number != SIGCHLD)
            ask(init, pid, &until);
        if (until && clock_raw_ns() > until) {
            init_say("the run does not end, and is killed");
            (void)kill(pid, SIGKILL);
            until = clock_raw_ns() + END_WAIT_NS;
        }
    }
    return status;
}

void init_child_begin(const struct init *init)
{
    if (init->place == PLACE_MACHINE) {
        console_take(true);
        console_own_session();
    }
    init_set_signals(false);
}

void init_end_processes(void)
{
    static const int numbers[] = {SIGTERM, SIGKILL};
    int status;

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        uint64_t until = clock_raw_ns() + LAST_WAIT_NS;
        (void)kill(-1, numbers[i]);
        while (!init_reap(0, &status) && clock_raw_ns() < until)
            (void)init_wait_signal(POLL_NS);
    }
}
