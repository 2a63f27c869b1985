/* SPDX-License-Identifier: MIT */
/* New processes: execl, spawn and sysexec. With --classic the first two have the footprint of a dynamically linked
 * process, as in UnixBench. */

#include "bench/unix.h"
#include "sys/file.h"

static void describe_footprint(const struct bench_case *of, struct row_params *out)
{
    if (((const struct unix_params *)of->params)->classic)
        row_param_add(out, PARAM_WORK, "footprint", "dynamic");
    unix_describe(of, out);
}

/* --- execl: the process replaces itself by exec of a copy of the program file, one inode each (a memfd if possible).
 * --- */

static int setup_execl(struct party_context *context)
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
    struct core_reading reading = {0};

    if (!core)
        return reading;
    core_probe_take(core, &reading);
    core_probe_take(core, &reading);
    return reading;
}

/* Once in each image; later ones are started by party_exec(). Each exec is a slice. */
static int run_execl(struct party_context *context)
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
static int verify_execl(struct party_context *context)
{
    const struct slices *slices = context->recorder[UNIX_SLICES];
    uint64_t total = 0;

    for (size_t i = 0; i < slices->n; i++)
        total += slices->slice[i].count;
    checks_add(context->recorder[UNIX_CHECKS], "execs counted", (double)total, (double)context->baton->execs, 0);
    return 0;
}

static int supported_execl(const struct bench_case *of, struct error *why)
{
    const struct unix_params *p = of->params;

    if (!process_can_exec_self())
        return error_set(why, "the program's own file cannot be executed");
    int fd = scratch_own_image(p->dir, 0);
    if (fd >= 0) {
        close(fd);
        return 0;
    }
    return error_set(why, "no place for a copy of the program: no memfd, and no scratch directory to execute from");
}

/* --- spawn: fork, a child that exits at once, wait; sysexec: with an exec of /bin/true. --- */

#define TRUE_PATH "/bin/true"

/* Once: children inherit them. */
static int setup_spawn(struct party_context *context)
{
    const struct unix_params *params = context->params;

    if (!params->classic)
        return 0;
    int fd = scratch_own_image(params->dir, footprint_file_bytes());
    if (fd < 0) {
        party_degraded(context, "without the footprint of a dynamically linked process: no file for it: %s",
                       strerror(-fd));
        return 0;
    }
    unix_take_footprint(context, TEXT_LINE("/proc/self/fd/%d", fd));
    close(fd);
    return 0;
}

ALWAYS_INLINE int make_children(struct party_context *context, uint64_t count, const bool exec)
{
    char *argv[] = {(char *)"true", NULL}, *envp[] = {NULL};

    for (uint64_t i = 0; i < count; i++) {
        pid_t child = fork();
        if (child == 0 && exec) {
            execve(TRUE_PATH, argv, envp);
            party_fail(context, "cannot execute " TRUE_PATH ": %s", strerror(errno));
            _exit(127);
        }
        if (child == 0)
            _exit(0);
        if (child < 0)
            return party_fail(context, "cannot make a process: fork: %s%s", strerror(errno),
                              errno == EAGAIN ? " (RLIMIT_NPROC or the pids cgroup)" : "");
        if (unix_wait(context, child, exec ? TRUE_PATH : "the child"))
            return -1;
    }
    return 0;
}

static int work_spawn(struct party_context *context, uint64_t count)
{
    return make_children(context, count, false);
}

static int work_exec(struct party_context *context, uint64_t count)
{
    return make_children(context, count, true);
}

static int supported_exec(const struct bench_case *of, struct error *why)
{
    (void)of;
    if (access(TRUE_PATH, X_OK) == 0)
        return 0;
    return error_set(why, "no " TRUE_PATH " here");
}

#define PROCESS_BENCH(name_, title_, baseline_, groups_, place_, describe_, supported_, ...) \
    const struct bench bench_##name_ = { \
        UNIX_BENCH(#name_, title_, "lps", 1, baseline_, __VA_ARGS__), \
        .groups = UNIX_PROCESS | (groups_), \
        .sampling = UNIX_LONG_SAMPLING, \
        .switches = true, \
        .place = place_, \
        .describe = describe_, \
        .supported = supported_, \
    }

PROCESS_BENCH(execl, "Execl Throughput", 43, UNIX_INDEX | UNIX_OLDSYSTEM, unix_place, describe_footprint,
              supported_execl, .setup = setup_execl, .run = run_execl, .verify = verify_execl);
PROCESS_BENCH(spawn, "Process Creation", 126, UNIX_INDEX | UNIX_OLDSYSTEM, unix_place_range, describe_footprint, NULL,
              .children = CHILDREN_NORMAL, .setup = setup_spawn, .work = work_spawn);
PROCESS_BENCH(sysexec, "Fork and Exec of " TRUE_PATH, 0, UNIX_MISC, unix_place_range, unix_describe, supported_exec,
              .children = CHILDREN_NORMAL, .work = work_exec);
