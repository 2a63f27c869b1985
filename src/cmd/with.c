/* SPDX-License-Identifier: MIT */
/* --with: a command that loads a scheduler (sched_ext). */
#include <sys/wait.h>

#include "cmd/cmd.h"

#define STATE    "/sys/kernel/sched_ext/state"
#define PAUSE_NS 10000000u

static pid_t pid;                  /* of the command; 0: none */
static struct program_guard guard; /* ends it and what it started if this program is killed */
static char scheduler[64];

static bool state_is(const char *word)
{
    char state[16];

    return !READ_LINE(STATE, state) && !strcmp(state, word);
}

static bool read_name(char name[sizeof(scheduler)])
{
    return state_is("enabled") && procfs_read_line("/sys/kernel/sched_ext/root/ops", name, sizeof(scheduler)) == 0;
}

bool with_none(void)
{
    return state_is("disabled");
}

int with_check(void)
{
    return with_none() ? 0
                       : usage_error("--with: %s", procfs_exists(STATE) ? "a scheduler is in force already"
                                                                        : "this kernel has no sched_ext (" STATE ")");
}

const char *with_look(void)
{
    char name[sizeof(scheduler)];

    return read_name(name) && !strcmp(name, scheduler) ? NULL : "the scheduler left";
}

static int complain(const struct measure *m, const char *why)
{
    return command_fail(EXIT_ROW_FAILED, "--with '%.200s': %s", m->options.with, why);
}

/* A trial reaps it, too. */
static bool has_ended(void)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

int with_begin(struct measure *m)
{
    FREED_BY(words_free) struct words words = {0};
    char path[PATH_MAX];
    const char *why = words_of_command(m->options.with, true, &words);
    const int error = why || !words.n ? -ENOENT : program_find(words.word[0], getenv("PATH"), path, sizeof(path));
    const uint64_t timeout_ns = m->options.with_timeout_ns;
    uint64_t begun_ns;

    if (why || error)
        return complain(m, why ? why : strerror(-error));
    if (with_check())
        return EXIT_USAGE;
    const struct program program = {
        .path = path, .argv = words.word, .envp = environ, .fds = {-1, -1, 2}, .guard = &guard};
    m->ends_orphans |= !program_has_children();
    program_guard(&guard, 0);
    if ((pid = program_start(&program, &begun_ns)) < 0)
        return complain(m, strerror(-pid));
    while (!read_name(scheduler) && !signals_pending()) {
        if (has_ended())
            return complain(m, "ended before its scheduler was in force");
        if (clock_raw_ns() - begun_ns >= timeout_ns)
            return complain(m, TEXT_LINE("its scheduler was not in force after %s", TEXT_DURATION(timeout_ns)));
        signals_sleep_ns(PAUSE_NS);
    }
    return signals_pending() ? 128 + signals_pending() : 0;
}

int with_end(const struct measure *m)
{
    const uint64_t timeout_ns = m->options.with_timeout_ns, begun_ns = clock_raw_ns();

    if (pid > 0) {
        kill(-pid, SIGINT); /* as its user would */
        while (!has_ended() && clock_raw_ns() - begun_ns < timeout_ns)
            clock_sleep_ns(PAUSE_NS);
        if (!has_ended())
            complain(m, TEXT_LINE("still running %s after SIGINT; killed", TEXT_DURATION(timeout_ns)));
        kill(-pid, SIGKILL); /* what it started may go on */
        process_await(pid);
    }
    program_unguard(&guard);
    while (pid > 0 && !with_none() && clock_raw_ns() - begun_ns < 2 * timeout_ns)
        clock_sleep_ns(PAUSE_NS);
    return pid <= 0 || with_none() ? 0 : complain(m, "has ended, but a scheduler is still in force");
}
