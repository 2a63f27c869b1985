/* SPDX-License-Identifier: MIT */
/* A command of the user's own. */
#include <fcntl.h>
#include <sys/wait.h>

#include "load/load.h"
#include "sys/process.h"

struct own {
    struct words words;
    int output[2];
    char text[4096];
    size_t length; /* without a line end yet */
    struct program_guard guard;
};

struct seen {
    int pid, parent;
    unsigned long ticks; /* with those of children that it has reaped */
};

static bool has_parent(const struct seen *one, const struct seen *among, size_t n)
{
    while (n && one->parent != among[n - 1].pid)
        n--;
    return n;
}

/* Of this process's descendants, those in sessions of their own and those that have ended included. Orphans are its
 * children. */
static double descendants_cpu_s(void)
{
    FREED char **names = procfs_names("/proc");
    const int self = getpid();
    size_t most = 0, n = 0, found = 0, before;
    unsigned long ticks = 0, user, system, ended[2];
    char text[512];

    while (names && names[most])
        most++;
    FREED struct seen *seen = calloc(most + 1, sizeof(*seen));
    for (size_t i = 0; seen && i < most; i++) {
        struct seen one = {.pid = atoi(names[i])}; /* 0: self */
        procfs_read(PROCFS_PATH("/proc/%s/stat", names[i]), text, sizeof(text));
        const char *end = strrchr(text, ')');
        if (!end || one.pid <= 0 ||
            sscanf(end + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu", &one.parent, &user, &system,
                   &ended[0], &ended[1]) != 5)
            continue;
        one.ticks = ended[0] + ended[1] + (one.pid == self ? 0 : user + system);
        seen[n++] = one;
    }
    /* Again and again: a child may have the smaller number. */
    do {
        before = found;
        for (size_t i = found; i < n; i++) {
            const struct seen one = seen[i];
            if (one.pid != self && !has_parent(&one, seen, found))
                continue;
            seen[i] = seen[found];
            seen[found++] = one;
            ticks += one.ticks;
        }
    } while (found > before);
    return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

static void take_numbers(struct party_context *context, struct own *own)
{
    char *const text = own->text;
    ssize_t n;

    while ((n = read(own->output[0], text + own->length, sizeof(own->text) - 1 - own->length)) > 0) {
        char *line = text, *end, *after;
        own->length += (size_t)n;
        text[own->length] = '\0';
        for (; (end = strchr(line, '\n')); line = end + 1) {
            const double number = strtod(line, &after);
            if (after == line || after != end || !isfinite(number))
                continue;
            load_add(context, LOAD_NUMBERS, 1);
            load_add(context, LOAD_PRINTED, number);
        }
        own->length -= (size_t)(line - text);
        memmove(text, line, own->length);
        if (own->length + 1 == sizeof(own->text)) /* no line */
            own->length = 0;
    }
}

static int setup(struct party_context *context)
{
    const struct load_params *params = context->params;
    struct own *own = context->state;
    int error = pipe2(own->output, O_CLOEXEC) || fcntl(own->output[0], F_SETFL, O_NONBLOCK) ? -errno : 0;

    program_be_parent();
    if (!error)
        error = program_guard(&own->guard, getpgrp());
    const char *why = error                               ? strerror(-error)
                      : !procfs_exists("/proc/self/stat") ? "its CPU time is not known without /proc"
                                                          : words_of_command(params->command, true, &own->words);
    return why ? party_fail(context, "cannot run '%.120s': %s", params->command, why) : 0;
}

/* SIGTERM when jitbench ends: to teardown(). */
static int run(struct party_context *context)
{
    const struct load_params *params = context->params;
    struct own *own = context->state;
    const struct program program = {.path = params->program,
                                    .argv = own->words.word,
                                    .envp = (char *const[]){(char *)params->path, NULL},
                                    .fds = {-1, own->output[1], -1}};
    struct program_end end;
    uint64_t at_ns, due_ns = 0;
    int waited = 0;

    task_die_with_parent(getppid(), SIGTERM);
    while (waited != -EINTR && !party_stopped(context)) {
        const pid_t pid = program_start(&program, &at_ns);
        if (pid < 0)
            return party_fail(context, "cannot execute '%.120s': %s", params->program, strerror(-pid));
        load_add(context, LOAD_STARTED, 1);
        do {
            waited = program_wait(pid, clock_raw_ns() + LOAD_REFRESH_NS, &at_ns);
            take_numbers(context, own);
            if (at_ns >= due_ns) {
                const double cpu_s = descendants_cpu_s();
                load_set(context, LOAD_CPU, cpu_s);
                if (cpu_s > 0)
                    party_proved(context);
                due_ns = at_ns + 5 * LOAD_REFRESH_NS;
            }
        } while (waited == -ETIMEDOUT && !party_stopped(context));
        const int error = program_reap(pid, &end);
        /* what it left behind, before the next one; the guard is a child as well */
        program_unguard(&own->guard);
        program_end_orphans(0);
        if (program_guard(&own->guard, getpgrp()))
            return party_fail(context, "cannot guard '%.120s'", params->command);
        if (!waited && (error || end.status))
            return party_fail(context, "'%.120s' ended with status %d", params->command,
                              WIFSIGNALED(end.status) ? 128 + WTERMSIG(end.status) : WEXITSTATUS(end.status));
    }
    return 0;
}

static void teardown(struct party_context *context)
{
    struct own *own = context->state;

    program_unguard(&own->guard);
    program_end_orphans(0);
    words_free(&own->words);
}

static void describe(const void *params, struct row_params *out)
{
    const struct load_params *p = params;
    char command[sizeof(p->command)];

    TEXT_SET(command, p->command);
    for (char *c = command; (c = strchr(c, ' '));)
        *c = '_';
    row_param_add(out, PARAM_WORK, "cmd", "%s", command);
}

const struct load load_cmd = {
    LOAD("cmd", "a command of your own: cmd:'make -j8'"),
    .only_named = true,
    BENCH_PARTY(PARTY_IS("cmd", {RECORD_NUMBERS, LOAD_COUNTS}), .role = ROLE_LOAD, .stop = STOP_FLAG,
                .before_gate = true, .state_size = sizeof(struct own), .setup = setup, .run = run,
                .teardown = teardown),
    .least = {[LOAD_CPU] = 0.01},
    .describe = describe,
};
