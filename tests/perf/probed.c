/* SPDX-License-Identifier: MIT */
/* Measures the cost of what goes on beside a test, for `make perf`: `probed TEST SECONDS probes` runs a test of
 * `jitbench unix` in slices as the engine does, four with a core probe behind each and four without in turn;
 * `probed TEST SECONDS counters` counts events in four and none in the next four. It prints the time of the first over
 * that of the second, half its 95 % interval, and the share of the time that the probes themselves took, in %. Both
 * orders take turns at random. Linked with the objects of the program. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/unix.h"
#include "engine/core.h"
#include "stats/stats.h"
#include "sys/cpu.h"
#include "sys/process.h"

#define SLICES 4u
/* Of the ratios a quarter at each end is left out: one side was interrupted there or shared its core. */
#define TRIM_SHARE 4u

static const struct bench *const benches[] = {&bench_dhry2reg, &bench_whetstone, &bench_syscall,
                                              &bench_pipe,     &bench_fcopy1024, &bench_spawn};
static struct unix_params params = {.dir = "/tmp"};
static char reason[200];
static struct party_context context = {
    .params = &params, .copies = 1, .reason = reason, .reason_size = sizeof(reason), .series_fd = -1};

static void fail(const char *what)
{
    fprintf(stderr, "probed: %s\n", what);
    exit(1);
}

static void work(const struct party *party, uint64_t count)
{
    if (party->work(&context, count))
        fail(reason);
}

/* ns of SLICES slices. Counters are switched on and off outside of this time, as in a measurement. */
static double slices(const struct party *party, uint64_t count, struct core_meter *core, bool counted)
{
    if (counted)
        counters_start();
    uint64_t start = clock_raw_ns();

    core_begin(core, 1000000000u);
    for (unsigned i = 0; i < SLICES; i++) {
        uint64_t from = clock_raw_ns();
        work(party, count);
        uint64_t to = clock_raw_ns();
        core_slice(core, (double)count, (double)(to - from), from);
    }
    double took = (double)(clock_raw_ns() - start);
    if (counted)
        counters_stop();
    return took;
}

static uint64_t slice_count(const struct party *party)
{
    uint64_t count = 1, took = 0;

    for (; took < CORE_SLICE_NS; count *= 2) {
        uint64_t start = clock_raw_ns();
        work(party, count);
        took = clock_raw_ns() - start;
    }
    count = (uint64_t)((double)count / 2 * CORE_SLICE_NS / (double)took);
    return count ? count : 1;
}

static double probe_ns(const struct core_probe *probe)
{
    uint64_t start = clock_raw_ns();
    struct core_reading reading = {.level = 0};

    for (unsigned i = 0; i < 10000; i++)
        core_probe_take(probe, &reading);
    return (double)(clock_raw_ns() - start) / 10000;
}

int main(int argc, char **argv)
{
    struct core_probe probe;
    struct clock_info clock;
    struct counters counters;
    const struct bench *bench = NULL;

    process_init();
    bool counted = argc == 4 && !strcmp(argv[3], "counters");

    for (size_t i = 0;
         (counted || (argc == 4 && !strcmp(argv[3], "probes"))) && i < sizeof(benches) / sizeof(benches[0]); i++)
        if (!strcmp(benches[i]->name, argv[1]))
            bench = benches[i];
    if (!bench)
        fail("usage: probed TEST SECONDS probes|counters");
    clock_choose(&clock);
    core_probe_init(&probe, &clock);
    if (!probe.blocks && !counted)
        fail(probe.why);
    const struct party *party = &bench->parties[0];
    context.bench = bench;
    for (unsigned i = 0; i < party->n_recorders; i++) {
        context.recorder[i] = malloc(recorder_size(&party->recorders[i]));
        if (!context.recorder[i])
            fail("out of memory");
        recorder_init(&party->recorders[i], context.recorder[i]);
    }
    context.state = calloc(1, party->state_size + 1);
    if (!context.state)
        fail("out of memory");
    if (party->setup && party->setup(&context))
        fail(reason);
    if (counted) {
        counters_open(&counters, party->children != CHILDREN_NONE, party->children == CHILDREN_INHERIT);
        if (counters.fd[COUNTER_SWITCHES] < 0)
            fail(counters_why(counters.error[COUNTER_SWITCHES]));
    }
    struct core_meter with = {.probe = counted ? NULL : &probe, .record = context.recorder[UNIX_CORE]},
                      without = {.probe = NULL};
    (void)slice_count(party); /* the warm-up */
    uint64_t count = slice_count(party), seed = 1, until = clock_raw_ns() + (uint64_t)(atof(argv[2]) * 1e9);
    size_t n = 0, capacity = (size_t)(atof(argv[2]) * 1e9 / (2 * SLICES * CORE_SLICE_NS) * 4) + 100;
    double *ratio = calloc(capacity, sizeof(*ratio)), total = 0;
    if (!ratio)
        fail("out of memory");
    while (clock_raw_ns() < until && n < capacity) {
        bool first = stats_random(&seed) & 1;
        double a = slices(party, count, first ? &with : &without, counted && first),
               b = slices(party, count, first ? &without : &with, counted && !first);
        ratio[n++] = log(first ? a / b : b / a);
        total += a + b;
    }
    stats_sort(ratio, n);
    struct stats_running kept = {.n = 0};
    for (size_t i = n / TRIM_SHARE; i < n - n / TRIM_SHARE; i++)
        stats_add(&kept, ratio[i]);
    printf("%.5f %.5f %.4f\n", exp(kept.mean), 2 * stats_sd(&kept) / sqrt((double)kept.n) * 1.1,
           100 * probe_ns(&probe) * 2 * SLICES * (double)n / total);
    if (party->teardown)
        party->teardown(&context);
    free(ratio);
    return 0;
}
