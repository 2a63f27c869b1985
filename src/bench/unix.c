/* SPDX-License-Identifier: MIT */
/* How the slices of a UNIX microbenchmark become rates. */
#include "bench/unix_cpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/process.h"

#define WINDOW_NS   10000000u
#define WINDOWS_MAX 4096u

void unix_describe(const void *params, const char *own, char *buf, size_t size)
{
    const struct unix_params *p = params;
    char libc[48];

    process_libc(libc, sizeof(libc));
    for (char *space = libc; (space = strchr(space, ' ')) != NULL;)
        *space = '-';
    (void)snprintf(buf, size, "%s%slinkage=%s libc=%s resident=%lluM%s", own, own[0] ? " " : "",
                   process_is_static() ? "static" : "dynamic", libc, (unsigned long long)p->resident_mib,
                   p->classic ? " protocol=classic" : "");
}

void unix_describe_cpu(const void *params, const struct clock_info *clock, char *buf, size_t size)
{
    (void)clock;
    unix_describe(params, UNIX_CPU_FLAGS, buf, size);
}

static bool bind_chosen(const struct place_request *request)
{
    return request->bind_given || request->bind != BIND_ONE;
}

static void leave_unbound(struct placement *placement)
{
    placement->bind = BIND_NONE;
    cpuset_clear(&placement->cpus);
}

void unix_place(const void *params, const struct place_request *request, unsigned party, unsigned copy,
                struct placement *placement)
{
    (void)party;
    place_copy(request, copy, placement);
    if (!bind_chosen(request) && ((const struct unix_params *)params)->classic)
        leave_unbound(placement);
}

void unix_place_range(const void *params, const struct place_request *request, unsigned party, unsigned copy,
                      struct placement *placement)
{
    (void)party;
    place_copy(request, copy, placement);
    if (bind_chosen(request))
        return;
    if (((const struct unix_params *)params)->classic) {
        leave_unbound(placement);
    } else {
        placement->bind = BIND_RANGE;
        placement->cpus = request->cpus;
    }
}

/* Completions of all copies inside the common window, a second. Without a time the window ends with the last copy. */
static double mean_rate(const struct trial *trial, uint64_t from_ns, uint64_t to_ns)
{
    double total = 0;

    for (unsigned copy = 0; copy < trial_spec_of(trial)->copies; copy++)
        total += slices_completed(trial_recorder(trial, 0, copy, UNIX_SLICES), from_ns, to_ns);
    return total * 1e9 / (double)(to_ns - from_ns);
}

/* The median over a copy's slices: a slice that was preempted or stolen does not move it. */
static double median_slice_rate(const struct slices *slices)
{
    double *rates = malloc((slices->n ? slices->n : 1) * sizeof(*rates)), median;
    size_t n = 0;

    if (!rates)
        return (double)NAN;
    for (size_t i = 0; i < slices->n; i++)
        if (slices->slice[i].end_ns > slices->slice[i].start_ns)
            rates[n++] =
                (double)slices->slice[i].count * 1e9 / (double)(slices->slice[i].end_ns - slices->slice[i].start_ns);
    median = n ? stats_median(rates, n) : 0;
    free(rates);
    return median;
}

/* Adds what a copy completed in each of n windows of width_ns from from_ns on. */
static void add_to_windows(const struct slices *slices, uint64_t from_ns, double width_ns, double *windows, size_t n)
{
    for (size_t i = 0; i < slices->n; i++) {
        const struct slice *s = &slices->slice[i];
        double start = ((double)s->start_ns - (double)from_ns) / width_ns;
        double end = ((double)s->end_ns - (double)from_ns) / width_ns, rate = (double)s->count / (end - start);
        for (size_t w = start > 0 ? (size_t)start : 0; w < n && (double)w < end; w++) {
            double low = start > (double)w ? start : (double)w, high = end < (double)(w + 1) ? end : (double)(w + 1);
            if (high > low)
                windows[w] += rate * (high - low);
        }
    }
}

/* Copies that share a CPU are preempted by each other: their sum over common windows of about 10 ms is what a
 * disturbance from outside shows in. */
static double median_window_rate(const struct trial *trial)
{
    const struct trial_spec *spec = trial_spec_of(trial);
    size_t n = (size_t)(spec->time_ns / WINDOW_NS);
    double *windows, rate;

    n = n < 1 ? 1 : n > WINDOWS_MAX ? WINDOWS_MAX : n;
    windows = calloc(n, sizeof(*windows));
    if (!windows)
        return (double)NAN;
    for (unsigned copy = 0; copy < spec->copies; copy++)
        add_to_windows(trial_recorder(trial, 0, copy, UNIX_SLICES), trial_gate_ns(trial),
                       (double)spec->time_ns / (double)n, windows, n);
    rate = stats_median(windows, n) * 1e9 / ((double)spec->time_ns / (double)n);
    free(windows);
    return rate;
}

static double undisturbed_rate(const struct trial *trial)
{
    const struct trial_spec *spec = trial_spec_of(trial);
    double sum = 0;

    if (spec->copies > spec->place->n_order)
        return median_window_rate(trial);
    for (unsigned copy = 0; copy < spec->copies; copy++)
        sum += median_slice_rate(trial_recorder(trial, 0, copy, UNIX_SLICES));
    return sum;
}

int unix_reduce(const struct trial *trial, struct results *results)
{
    const struct trial_spec *spec = trial_spec_of(trial);
    double scale = bench_metric(spec->bench, UNIX_RATE)->scale;
    uint64_t gate = trial_gate_ns(trial), first[2] = {UINT64_MAX, UINT64_MAX}, last[2] = {0, 0};
    int error = 0;

    for (unsigned copy = 0; copy < spec->copies; copy++) {
        struct trial_party party;
        trial_party(trial, 0, copy, &party);
        const uint64_t at[2] = {party.start_ns, party.end_ns};
        for (int i = 0; i < 2; i++) {
            first[i] = at[i] < first[i] ? at[i] : first[i];
            last[i] = at[i] > last[i] ? at[i] : last[i];
        }
    }
    error |= results_sample(results, 0, UNIX_RATE, scale * mean_rate(trial, gate, gate + spec->time_ns));
    error |= results_sample(results, 0, UNIX_UNDISTURBED, scale * undisturbed_rate(trial));
    error |= results_sample(results, 0, UNIX_START_SPREAD, (double)(last[0] - first[0]) * 1e-6);
    error |= results_sample(results, 0, UNIX_END_SPREAD, (double)(last[1] - first[1]) * 1e-6);
    return error;
}
