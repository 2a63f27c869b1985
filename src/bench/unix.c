/* SPDX-License-Identifier: MIT */
#include <sys/wait.h>

#include "bench/unix.h"
#include "engine/trial.h"

void unix_describe(const struct bench_case *of, struct row_params *out)
{
    const struct unix_params *p = of->params;
    char libc[48];

    process_libc(libc, sizeof(libc));
    for (char *space = libc; (space = strchr(space, ' ')) != NULL;)
        *space = '-';
    row_param_add(out, PARAM_BUILD, "linkage", "%s", process_is_static() ? "static" : "dynamic");
    row_param_add(out, PARAM_BUILD, "libc", "%s", libc);
    row_param_add(out, PARAM_BUILD, "resident", "%" PRIu64 "M", p->resident_mib);
    if (p->classic)
        row_param_add(out, PARAM_WORK, "protocol", "classic");
}

void unix_describe_cpu(const struct bench_case *of, struct row_params *out)
{
    row_param_add(out, PARAM_BUILD, "flags", UNIX_CPU_FLAGS);
    unix_describe(of, out);
}

void unix_place(const struct place_of *of, struct placement *placement)
{
    const struct unix_params *params = of->params;

    place_copy(of->request, of->copy, placement);
    if (of->request->bind_given || of->request->bind != BIND_ONE || !params->classic)
        return;
    placement->bind = BIND_NONE;
    cpuset_clear(&placement->cpus);
}

void unix_place_range(const struct place_of *of, struct placement *placement)
{
    unix_place(of, placement);
    if (of->request->bind_given || placement->bind != BIND_ONE)
        return;
    placement->bind = BIND_RANGE;
    placement->cpus = of->request->cpus;
}

void unix_reduce(const struct trial *trial, struct results *results)
{
    const struct trial_spec *spec = &trial->spec;
    double scale = bench_metric(spec->bench, UNIX_RATE)->scale, total = 0;
    const uint64_t gate = trial->gate_ns;
    const struct trial_times times = trial_times(trial);

    /* Units of all copies per second in the common window. */
    for (unsigned copy = 0; copy < spec->copies; copy++)
        total += slices_completed(trial_recorder(trial, 0, copy, UNIX_SLICES), gate, gate + spec->time_ns);
    results_sample(results, 0, UNIX_RATE, scale * total * 1e9 / (double)spec->time_ns);
    results_samples(results, 0, UNIX_START_SPREAD, (double)(times.last_start - times.first_start) * 1e-6,
                    (double)(times.last_end - times.first_end) * 1e-6);
}

const char *unix_scratch_dir(const void *params)
{
    return ((const struct unix_params *)params)->dir;
}

int unix_dir_supported(const char *dir, uint64_t bytes, struct error *why)
{
    struct stat status;

    if (!dir[0])
        return error_set(why, "no scratch directory");
    int error = stat(dir, &status) ? errno : !S_ISDIR(status.st_mode) ? ENOTDIR : 0;
    if (!error && access(dir, W_OK | X_OK))
        error = errno;
    if (error)
        return error_set(why, "scratch directory '%.80s': %s", dir, strerror(error));
    uint64_t left = scratch_free_bytes(dir);
    if (left == 0 || left >= bytes)
        return 0;
    return error_set(why, "scratch directory '%.80s' has %s free, not %s", dir, TEXT_BYTES(left), TEXT_BYTES(bytes));
}

int unix_wait(struct party_context *context, pid_t child, const char *what)
{
    const char *name = what ? what : "the launched program";
    char death[160];
    int status = 0;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return party_fail(context, "cannot wait for %s: %s", name, strerror(errno));
    if (status == 0)
        return 0;
    if (context->reason[0])
        return -1; /* the child has written the reason to shared memory */
    if (WIFEXITED(status) && !what)
        return party_fail(context, "%s ended early: %s", name, strerror(WEXITSTATUS(status)));
    if (WIFEXITED(status)) /* of another program, whose statuses are not a worker's */
        return party_fail(context, "%s ended early with exit status %d", name, WEXITSTATUS(status));
    trial_describe_death(status, death, sizeof(death));
    return party_fail(context, "%s %s", name, death);
}
