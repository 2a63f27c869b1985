/* SPDX-License-Identifier: MIT */
/* fork, a child that exits at once, wait; and with an exec of /bin/true. With --classic the forking process has a
 * dynamic one's mappings, as in UnixBench. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/unix.h"
#include "sys/file.h"

#define TRUE_PATH "/bin/true"

/* Once: children inherit them. */
static int setup_spawn(struct party_context *context)
{
    const struct unix_params *params = context->params;
    char path[32];

    if (!params->classic)
        return 0;
    int fd = scratch_own_image(params->dir, footprint_file_bytes());
    if (fd < 0) {
        party_degraded(context, "without the footprint of a dynamically linked process: no file for it: %s",
                       strerror(-fd));
        return 0;
    }
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    unix_take_footprint(context, path);
    close(fd);
    return 0;
}

static int work_spawn(struct party_context *context, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        if (child < 0)
            return unix_no_child(context);
        if (unix_wait(context, child, "the child"))
            return -1;
    }
    return 0;
}

static int work_exec(struct party_context *context, uint64_t count)
{
    char *argv[] = {(char *)"true", NULL}, *envp[] = {NULL};

    for (uint64_t i = 0; i < count; i++) {
        pid_t child = fork();
        if (child == 0) {
            execve(TRUE_PATH, argv, envp);
            party_fail(context, "cannot execute " TRUE_PATH ": %s", strerror(errno));
            _exit(127);
        }
        if (child < 0)
            return unix_no_child(context);
        if (unix_wait(context, child, TRUE_PATH))
            return -1;
    }
    return 0;
}

static int supported_exec(const void *params, char *why, size_t why_size)
{
    (void)params;
    if (access(TRUE_PATH, X_OK) == 0)
        return 0;
    return fail_because(-1, why, why_size, "no " TRUE_PATH " here");
}

static const struct party parties_spawn[] = {
    {UNIX_MEASURED("spawn"), .children = CHILDREN_NORMAL, .setup = setup_spawn, .work = work_spawn},
};
static const struct party parties_exec[] = {
    {UNIX_MEASURED("sysexec"), .children = CHILDREN_NORMAL, .work = work_exec},
};

const struct bench bench_spawn = {
    UNIX_BENCH("spawn", "Process Creation", parties_spawn, UNIX_METRICS("lps", 1, 126)),
    .groups = UNIX_INDEX | UNIX_PROCESS | UNIX_OLDSYSTEM,
    .sampling = UNIX_LONG_SAMPLING,
    .switches = true,
    .describe = unix_describe_footprint,
    .place = unix_place_range,
};

const struct bench bench_sysexec = {
    UNIX_BENCH("sysexec", "Fork and Exec of " TRUE_PATH, parties_exec, UNIX_METRICS("lps", 1, 0)),
    .groups = UNIX_PROCESS | UNIX_MISC,
    .sampling = UNIX_LONG_SAMPLING,
    .switches = true,
    .describe = unix_describe,
    .supported = supported_exec,
    .place = unix_place_range,
};
