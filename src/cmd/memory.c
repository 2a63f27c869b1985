/* SPDX-License-Identifier: MIT */
/* jitbench memory: reads its options and plans its measurements. */
#include "bench/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/memory.h"
#include "cmd/suites.h"
#include "sys/memory_nodes.h"

struct memory_options {
    uint64_t max_size;      /* bytes of the largest working set; 0: chosen automatically */
    struct cpu_pairs pairs; /* pairs of CPUs for test cores; freed by end() */
};

enum { TEST_LATENCY, TEST_LOADED, TEST_CORES, TEST_NODES, TEST_STEADY };
static const char *const tests[] = {"latency", "loaded", "cores", "nodes", "steady", NULL};

#define SET_MIN 4096u
/* Largest working set in bytes when the caches' sizes are not known. */
#define SET_UNKNOWN (256ull << 20)
/* Smallest working set in bytes for loads in random order page by page ("in-page"): within one page this order does not
 * differ from the order over the whole set. */
#define IN_PAGE_MIN (16u << 10)
/* Bytes of a working set that is assumed to fit into the last cache but not into the one before it, when the caches'
 * sizes are not known. */
#define CACHE_SET_DEFAULT (2ull << 20)
/* Duration in ns and largest working set in bytes of the short run of test steady for the line "Quiet?" of the output's
 * header: filling a larger set takes too long. */
#define LOOK_NS      100000000u
#define LOOK_SET_MAX (512ull << 20)
/* Reason for which tests that need several CPUs are skipped. */
#define ONE_CPU "there is only one CPU to measure on"
/* In test loaded one CPU measures, and each other CPU reads an array of at least this many bytes. */
#define STREAM_MIN (8ull << 20)

static const struct option rows[] = {
    {OPTION("max-size", 0, struct memory_options, max_size,
            "largest working set; default: 4 times the sum of all last-level caches"),
     OPTION_NUMBER(OPTION_SIZE, "SIZE", 65536, 1e15)},
};

static const struct suite_options own[2] = {{.heading = "Options of memory", SUITE_ROWS(rows)}};

/* Returns the largest working set in bytes: what the user wants, or 4 times the caches; at most a quarter of the
 * memory. */
static uint64_t largest_set(const struct measure *m, const struct memory_options *o)
{
    const uint64_t room = measure_memory(m) / 4;
    uint64_t wanted = m->machine.cache_llc_bytes ? m->machine.cache_llc_bytes * 4 : SET_UNKNOWN;

    wanted = o->max_size ? o->max_size : wanted;
    wanted = wanted < room ? wanted : room;
    return wanted > SET_MIN ? wanted : SET_MIN;
}

/* Returns the kth working set size in bytes: SET_MIN times the kth power of the square root of 2, in whole cache
 * lines. */
static uint64_t size_at(unsigned k)
{
    const uint64_t power = (uint64_t)SET_MIN << k / 2;

    return k % 2 ? (uint64_t)((double)power * 1.4142135623730951) / CHASE_LINE * CHASE_LINE : power;
}

/* Adds the items of test latency: every size with every kind of pages; with --quick huge pages only. */
static void plan_latency(const struct measure *m, const struct memory_options *o, struct plan *out)
{
    const bool quick = m->preset == PRESET_QUICK;
    struct memory_latency_params params;

    for (unsigned k = 0; (params.bytes = size_at(k)) <= largest_set(m, o); k++)
        for (params.chase = 0; params.chase < CHASE_KINDS; params.chase++)
            if (quick ? params.chase == CHASE_HUGE : params.chase != CHASE_IN_PAGE || params.bytes >= IN_PAGE_MIN)
                measure_add(m, out, &bench_memory_latency, &params, 1, 0);
}

static void plan_loaded(const struct measure *m, const struct memory_options *o, struct plan *out)
{
    static const uint64_t pauses[MEMORY_LOADED_STEPS] = {UINT64_MAX, 20000, 8000, 4000, 2000, 1000, 500, 200, 0};
    const unsigned copies = (unsigned)m->place.n_order;
    struct memory_loaded_params params = {.bytes = largest_set(m, o)};

    params.stream_bytes = copies > 1 ? params.bytes / (copies - 1) : 0;
    params.stream_bytes = params.stream_bytes > STREAM_MIN ? params.stream_bytes : STREAM_MIN;
    for (params.step = 0; params.step < (copies > 1 ? MEMORY_LOADED_STEPS : 1); params.step++) {
        params.pause_ns = pauses[params.step];
        measure_add(m, out, &bench_memory_loaded, &params, copies, 1);
    }
    if (copies < 2)
        out->items[out->n - 1].skip = ONE_CPU;
}

static void plan_cores(const struct measure *m, struct memory_options *o, struct plan *out)
{
    if (topology_pairs("", m->place.order, m->place.n_order, PAIRS_ALL, &o->pairs))
        memory_out();
    for (size_t i = 0; i < o->pairs.n; i++)
        measure_add(m, out, &bench_memory_cores, &(struct memory_cores_params){o->pairs.pair[i]}, 1, 2);
    if (!o->pairs.n) {
        measure_add(m, out, &bench_memory_cores, &(struct memory_cores_params){.pair = {0}}, 1, 2);
        out->items[out->n - 1].skip = ONE_CPU;
    }
}

/* Fills in a CPU of the node that may be measured on; returns false when there is none. */
static bool cpu_of_node(const struct measure *m, unsigned node, unsigned *cpu)
{
    struct cpuset cpus;

    if (!memory_node_cpus("", node, &cpus))
        return false;
    for (size_t i = 0; i < m->place.n_order; i++)
        if (cpuset_has(&cpus, *cpu = m->place.order[i]))
            return true;
    return false;
}

static void plan_nodes(const struct measure *m, const struct memory_options *o, struct plan *out)
{
    struct memory_nodes_params params = {.bytes = largest_set(m, o)};
    struct cpuset memory, online;

    if (!memory_nodes_read("", "has_memory", &memory) || !memory_nodes_read("", "online", &online))
        cpuset_clear(&memory);
    if (cpuset_count(&memory) < 2) {
        measure_add(m, out, &bench_memory_nodes, &params, 1, 3);
        out->items[out->n - 1].skip =
            cpuset_count(&memory) ? "there is only one memory node" : "the memory nodes are not known";
        return;
    }
    for (unsigned from = cpuset_next(&online, 0); from != CPUSET_NONE; from = cpuset_next(&online, from + 1)) {
        params.cpu_node = from;
        for (unsigned to = cpuset_next(&memory, 0); to != CPUSET_NONE; to = cpuset_next(&memory, to + 1)) {
            params.memory_node = to;
            if (cpu_of_node(m, from, &params.cpu))
                measure_add(m, out, &bench_memory_nodes, &params, 1, 3);
        }
    }
}

/* Sets the working sets of test steady: for memory 4 times the last cache of the first CPU, at most the given size; for
 * the cache a size that this cache holds and the one before it does not. Returns the bytes of the last cache; 0: not
 * known. */
static uint64_t steady_sets(const struct measure *m, uint64_t most, struct memory_steady_params *out)
{
    uint64_t caches[4], last = m->machine.cache_llc_bytes;
    const size_t n = machine_data_caches("", m->place.order[0], caches, sizeof(caches) / sizeof(caches[0]));

    *out = (struct memory_steady_params){.memory_bytes = most, .cache_bytes = CACHE_SET_DEFAULT};
    if (n > 1 && caches[n - 2])
        out->cache_bytes = 2 * caches[n - 2];
    if (n && caches[n - 1])
        last = caches[n - 1];
    if (last && out->memory_bytes > 4 * last)
        out->memory_bytes = 4 * last;
    if (last && out->cache_bytes > last / 2)
        out->cache_bytes = last / 2;
    if (out->cache_bytes > out->memory_bytes)
        out->cache_bytes = out->memory_bytes;
    return last;
}

static void plan_steady(const struct measure *m, const struct memory_options *o, struct plan *out)
{
    struct memory_steady_params params;

    (void)steady_sets(m, largest_set(m, o), &params);
    measure_add(m, out, &bench_memory_steady, &params, 1, 4);
}

double memory_look(const struct measure *m)
{
    struct memory_steady_params params;
    const uint64_t room = measure_memory(m) / 4, most = room < LOOK_SET_MAX ? room : LOOK_SET_MAX;
    const uint64_t last = steady_sets(m, most, &params);
    const struct trial_spec spec = {.bench = &bench_memory_steady,
                                    .params = &params,
                                    .copies = 1,
                                    .time_ns = LOOK_NS,
                                    .place = &m->place,
                                    .clock = &m->clock,
                                    .series_fd = -1,
                                    .proc_root = ""};

    if (!last || most < 4 * last)
        return (double)NAN;
    params.cache_bytes = 0;
    struct trial *trial = trial_run(&spec);
    const double pct = trial && trial_outcome(trial) == TRIAL_DONE ? memory_steady_spread_pct(trial) : (double)NAN;
    trial_free(trial);
    return pct;
}

/* Adds the items of the selected tests. `all` leaves out loaded and nodes to save time. */
static int plan(const struct measure *m, void *options, struct plan *out, char *error, size_t error_size)
{
    struct memory_options *o = options;
    if (o->max_size > measure_memory(m) / 4)
        return fail_because(-1, error, error_size,
                            "--max-size: a set of %llu MiB is over a quarter of %llu MiB of memory",
                            (unsigned long long)o->max_size >> 20, (unsigned long long)measure_memory(m) >> 20);
    if (m->selected[TEST_LATENCY])
        plan_latency(m, o, out);
    if (m->selected[TEST_LOADED] && !m->of_all)
        plan_loaded(m, o, out);
    if (m->selected[TEST_CORES])
        plan_cores(m, o, out);
    if (m->selected[TEST_NODES] && !m->of_all)
        plan_nodes(m, o, out);
    if (m->selected[TEST_STEADY])
        plan_steady(m, o, out);
    return 0;
}

static int end(void *options, bool unused)
{
    struct memory_options *o = options;

    (void)unused;
    topology_pairs_free(&o->pairs);
    return 0;
}

const struct suite suite_memory = {
    .name = "memory",
    .title = "measures memory latency by size, under load, between CPUs and nodes, and how steady it is",
    .seconds = {[PRESET_DEFAULT] = 16, [PRESET_QUICK] = 4, [PRESET_CLASSIC] = 16},
    .options_size = sizeof(struct memory_options),
    .options = own,
    .schedule = SCHEDULE_SEQUENCE,
    .tests = tests,
    .plan = plan,
    .print = memory_print,
    .conclude = memory_conclude,
    .made = &memory_levels,
    .end = end,
};

const struct command command_memory = {
    .name = "memory",
    .operands = "[latency] [loaded] [cores] [nodes] [steady]",
    .title = "measures memory latency by size, under load, between CPUs and nodes, and how steady it is",
    .description =
        "latency times loads, each of which waits for the one before it, by the size of the memory they are in. "
        "loaded does so while the other CPUs read memory. cores sends a number from each CPU to each other "
        "one. nodes compares the memory of NUMA nodes. steady looks every millisecond how fast cache and "
        "memory are. All run unless some are named.",
    COMMAND_MEASURES(suite_memory),
};
