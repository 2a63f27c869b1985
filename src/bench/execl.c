/* SPDX-License-Identifier: MIT */
/* The process replaces itself by exec of a copy of the program file, one inode each (a memfd if possible). Under the
 * classic protocol each image first maps what a dynamically linked one has. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "bench/unix.h"
#include "engine/core.h"
#include "sys/file.h"
#include "sys/process.h"

static int setup(struct party_context *context)
{
    const struct unix_params *params = context->params;

    if (context->baton->execs) { /* as a dynamic loader */
        unix_take_footprint(context, "/proc/self/exe");
        return 0;
    }
    int fd = scratch_own_image(params->dir, params->classic ? footprint_file_bytes() : 0);
    if (fd < 0)
        return party_fail(context, "cannot make a program file of its own: %s%s", strerror(-fd),
                          fd == -EACCES ? " (the scratch directory is mounted noexec)" : "");
    if (!scratch_can_exec(fd)) {
        close(fd);
        party_degraded(context, "all copies execute the same file: execveat is refused and there is no /proc");
        return 0;
    }
    if (fcntl(fd, F_SETFD, 0))
        return party_fail(context, "cannot keep the program file open: %s", strerror(errno));
    context->baton->image_fd = fd;
    return 0;
}

/* Returns the second probe: the first warms the new image's caches. */
static struct core_reading probe(const struct core_probe *core)
{
    struct core_reading reading = {.level = 0};

    if (!core)
        return reading;
    core_probe_take(core, &reading);
    core_probe_take(core, &reading);
    return reading;
}

/* Once in each image; later ones are started by party_exec(). Each exec is a slice. */
static int run(struct party_context *context)
{
    struct baton *baton = context->baton;
    struct core_record *record = context->recorder[UNIX_CORE];
    uint64_t now = clock_raw_ns();
    const struct core_reading reading = probe(context->core_probe);

    if (baton->execs) {
        slices_add(context->recorder[UNIX_SLICES], 1, baton->start_ns, now);
        if (context->core_probe)
            core_enter(record, &baton->core, &reading, 1, (double)(now - baton->start_ns), baton->start_ns);
        if (party_stopped(context))
            return 0;
    } else {
        core_record_begin(record, context->time_ns);
    }
    baton->core = reading;
    baton->start_ns = context->core_probe ? clock_raw_ns() : now;
    return party_fail(context, "cannot execute the program again: %s", strerror(-party_exec(context)));
}

/* The slices add up to the execs. */
static int verify(struct party_context *context)
{
    const struct slices *slices = context->recorder[UNIX_SLICES];
    uint64_t total = 0;

    for (size_t i = 0; i < slices->n; i++)
        total += slices->slice[i].count;
    checks_add(context->recorder[UNIX_CHECKS], "execs counted", (double)total, (double)context->baton->execs, 0);
    return 0;
}

static int supported(const void *params, char *why, size_t why_size)
{
    const struct unix_params *p = params;

    if (!process_can_exec_self())
        return fail_because(-1, why, why_size, "the program's own file cannot be executed");
    int fd = scratch_own_image(p->dir, 0);
    if (fd >= 0) {
        close(fd);
        return 0;
    }
    return fail_because(-1, why, why_size,
                        "no place for a copy of the program: no memfd, and no scratch directory to execute from");
}

static const struct party parties[] = {
    {UNIX_MEASURED("execl"), .setup = setup, .run = run, .verify = verify},
};

const struct bench bench_execl = {
    UNIX_BENCH("execl", "Execl Throughput", parties, UNIX_METRICS("lps", 1, 43)),
    .groups = UNIX_INDEX | UNIX_PROCESS | UNIX_OLDSYSTEM,
    .sampling = UNIX_LONG_SAMPLING,
    .switches = true,
    .place = unix_place,
    .describe = unix_describe_footprint,
    .supported = supported,
};
