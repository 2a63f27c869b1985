/* SPDX-License-Identifier: MIT */
#include "bench/unix.h"

#include <string.h>

#include "sys/process.h"

void unix_describe(const void *params, const struct clock_info *clock, struct row_params *out)
{
    const struct unix_params *p = params;
    char libc[48];

    (void)clock;
    process_libc(libc, sizeof(libc));
    for (char *space = libc; (space = strchr(space, ' ')) != NULL;)
        *space = '-';
    row_param_add(out, PARAM_BUILD, "linkage", "%s", process_is_static() ? "static" : "dynamic");
    row_param_add(out, PARAM_BUILD, "libc", "%s", libc);
    row_param_add(out, PARAM_BUILD, "resident", "%lluM", (unsigned long long)p->resident_mib);
    if (p->classic)
        row_param_add(out, PARAM_WORK, "protocol", "classic");
}

void unix_describe_cpu(const void *params, const struct clock_info *clock, struct row_params *out)
{
    row_param_add(out, PARAM_BUILD, "flags", UNIX_CPU_FLAGS);
    unix_describe(params, clock, out);
}

void unix_place(const void *params, const struct place_request *request, unsigned party, unsigned copy,
                struct placement *placement)
{
    (void)party;
    place_copy(request, copy, placement);
    if (request->bind_given || request->bind != BIND_ONE || !((const struct unix_params *)params)->classic)
        return;
    placement->bind = BIND_NONE;
    cpuset_clear(&placement->cpus);
}

void unix_place_range(const void *params, const struct place_request *request, unsigned party, unsigned copy,
                      struct placement *placement)
{
    unix_place(params, request, party, copy, placement);
    if (request->bind_given || placement->bind != BIND_ONE)
        return;
    placement->bind = BIND_RANGE;
    placement->cpus = request->cpus;
}

/* Units of all copies per second between two times. */
static double mean_rate(const struct trial *trial, uint64_t from_ns, uint64_t to_ns)
{
    double total = 0;

    for (unsigned copy = 0; copy < trial_spec_of(trial)->copies; copy++)
        total += slices_completed(trial_recorder(trial, 0, copy, UNIX_SLICES), from_ns, to_ns);
    return total * 1e9 / (double)(to_ns - from_ns);
}

void unix_reduce(const struct trial *trial, struct results *results)
{
    const struct trial_spec *spec = trial_spec_of(trial);
    double scale = bench_metric(spec->bench, UNIX_RATE)->scale;
    uint64_t gate = trial_gate_ns(trial), first[2] = {UINT64_MAX, UINT64_MAX}, last[2] = {0, 0};

    for (unsigned copy = 0; copy < spec->copies; copy++) {
        struct trial_party party;
        trial_party(trial, 0, copy, &party);
        const uint64_t at[2] = {party.start_ns, party.end_ns};
        for (int i = 0; i < 2; i++) {
            first[i] = at[i] < first[i] ? at[i] : first[i];
            last[i] = at[i] > last[i] ? at[i] : last[i];
        }
    }
    results_sample(results, 0, UNIX_RATE, scale * mean_rate(trial, gate, gate + spec->time_ns));
    results_sample(results, 0, UNIX_START_SPREAD, (double)(last[0] - first[0]) * 1e-6);
    results_sample(results, 0, UNIX_END_SPREAD, (double)(last[1] - first[1]) * 1e-6);
}
