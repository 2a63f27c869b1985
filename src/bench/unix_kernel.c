/* SPDX-License-Identifier: MIT */
#include "bench/unix.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rows/text.h"
#include "sys/file.h"
#include "sys/process.h"

void unix_describe_footprint(const void *params, const struct clock_info *clock, struct row_params *out)
{
    if (((const struct unix_params *)params)->classic)
        row_param_add(out, PARAM_WORK, "footprint", "dynamic");
    unix_describe(params, clock, out);
}

void unix_take_footprint(struct party_context *context, const char *path)
{
    if (!((const struct unix_params *)context->params)->classic)
        return;
    int error = footprint_map(path);
    if (error)
        party_degraded(context, "without the footprint of a dynamically linked process: %s", strerror(-error));
}

const char *unix_scratch_dir(const void *params)
{
    return ((const struct unix_params *)params)->dir;
}

int unix_dir_supported(const char *dir, uint64_t bytes, char *why, size_t why_size)
{
    char need[32], have[32];
    struct stat status;

    if (!dir[0])
        return fail_because(-1, why, why_size, "no scratch directory");
    int error = stat(dir, &status) ? errno : !S_ISDIR(status.st_mode) ? ENOTDIR : 0;
    if (!error && access(dir, W_OK | X_OK))
        error = errno;
    if (error)
        return fail_because(-1, why, why_size, "scratch directory '%.80s': %s", dir, strerror(error));
    uint64_t left = scratch_free_bytes(dir);
    if (left == 0 || left >= bytes)
        return 0;
    text_bytes(bytes, need, sizeof(need));
    text_bytes(left, have, sizeof(have));
    return fail_because(-1, why, why_size, "scratch directory '%.80s' has %s free, not %s", dir, have, need);
}

int unix_wait(struct party_context *context, pid_t child, const char *what)
{
    char death[96];
    int status = 0;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return party_fail(context, "cannot wait for %s: %s", what, strerror(errno));
    if (status == 0)
        return 0;
    if (context->reason[0])
        return -1; /* the child has written the reason to shared memory */
    if (WIFSIGNALED(status)) {
        signals_describe_kill(WTERMSIG(status), death, sizeof(death));
        return party_fail(context, "%s %s", what, death);
    }
    return party_fail(context, "%s ended with status %d", what, WEXITSTATUS(status));
}

int unix_no_child(struct party_context *context)
{
    return party_fail(context, "cannot make a process: fork: %s%s", strerror(errno),
                      errno == EAGAIN ? " (RLIMIT_NPROC or the pids cgroup)" : "");
}
