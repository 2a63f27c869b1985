/* SPDX-License-Identifier: MIT */
/* The suite memory. */
#include <sys/mman.h>

#include "bench/memory.h"

/* Of latency, loaded and nodes; RECORD_TIMES of cores, too. */
enum { RECORD_TIMES, RECORD_LOADS, RECORD_READS = RECORD_LOADS, RECORD_PAGES = CHASE_RECORDER };
enum { METRIC_LATENCY, METRIC_BANDWIDTH, LATENCY_ALONE = METRIC_BANDWIDTH, LATENCY_CYCLES };

#define SLICES 16u

/* Maps and links the set. Returns 0, or -1 with a reason. */
static int make_chase(struct party_context *context, struct chase *chase, uint64_t bytes, enum chase_pages pages)
{
    return chase_map(chase, bytes, pages) || chase_link(chase, context->sample + 1)
               ? party_fail(context, "out of memory for %" PRIu64 " bytes", bytes)
               : 0;
}

/* --- latency: Time of a load by working set: from below the first cache to several times the last. --- */

static int setup_latency(struct party_context *context)
{
    const struct memory_latency_params *params = context->params;
    struct chase *chase = context->state; /* unmapped when the process ends */

    if (make_chase(context, chase, params->bytes, (enum chase_pages)params->chase))
        return -1;
    context->expected_ns = 2 * SLICES * CORE_SLICE_NS;
    return 0;
}

static int run_latency(struct party_context *context)
{
    struct chase *chase = context->state;
    struct core_meter core = {.probe = context->core_probe, .record = context->recorder[RECORD_LOADS]};
    const uint64_t loads = chase_warm_up(chase);

    core_begin(&core, SLICES * CORE_SLICE_NS);
    for (unsigned i = 0; i < SLICES; i++)
        chase_slice(chase, loads, context->recorder[RECORD_TIMES], &core);
    return 0;
}

static void reduce_latency(const struct trial *trial, struct results *results)
{
    const struct core_record *core = trial_recorder(trial, 0, 0, RECORD_LOADS);
    const double ns = chase_median_ns(trial_recorder(trial, 0, 0, RECORD_TIMES));

    results_sample(results, 0, METRIC_LATENCY, ns);
    if (core->cycles_per_tick > 0)
        results_sample(results, 0, LATENCY_CYCLES, ns * 1e-9 * core->cycles_per_tick * results_clock_hz(results));
    pages_enter(results, 0, trial_recorder(trial, 0, 0, RECORD_PAGES));
}

static void describe_latency(const struct bench_case *of, struct row_params *out)
{
    const struct memory_latency_params *p = of->params;

    row_param_count(out, PARAM_WORK, "set", p->bytes);
    row_param_add(out, PARAM_WORK, "chase", "%s", chase_names[p->chase]);
}

static const struct metric metrics_latency[] = {
    [METRIC_LATENCY] = {METRIC("latency", "ns", "lower", "time of a load that needs the one before it"),
                        .value = VALUE_MEDIAN, .headline = true},
    [LATENCY_ALONE] = {METRIC("latency_alone", "ns", "lower", "mean time of a load over the slices with the core free"),
                       .alone = true, .of = METRIC_LATENCY, .recorder = RECORD_LOADS},
    [LATENCY_CYCLES] = {METRIC("latency_cycles", "cycles", "lower", "time of a load in cycles of the core"),
                        .value = VALUE_MEDIAN, .optional = true},
};

const struct bench bench_memory_latency = {
    BENCH_IS("memory", "latency", "Time of a load by working set", struct memory_latency_params),
    BENCH_PARTY(PARTY_IS("latency", [RECORD_TIMES] = {RECORD_SLICES, SLICES}, [RECORD_LOADS] = {RECORD_CORE, 0},
                         [RECORD_PAGES] = {RECORD_NUMBERS, N_PAGES}),
                .state_size = sizeof(struct chase), .setup = setup_latency, .run = run_latency, .verify = chase_verify),
    BENCH_METRICS(metrics_latency),
    .sampling = SAMPLING_ALWAYS(SAMPLING(1, 1, 0, 1)),
    .huge_pages = true,
    .describe = describe_latency,
    .reduce = reduce_latency,
};

/* --- loaded: Time of a load on one CPU, a pointer chase, while the others read blocks with a pause after each. --- */

/* Slices of 1.5 ms in a run; more are joined in pairs. */
#define SLICES_MAX 128u
/* By the other CPUs between two pauses; many in a slice. */
#define BLOCK_BYTES 4096u

struct loaded {
    struct chase chase; /* of the first copy; first member, for chase_verify() */
    uint64_t *stream;   /* that the others read; NULL: nothing */
    uint64_t loads;     /* in a slice */
};

static int setup_stream(struct party_context *context, struct loaded *work)
{
    const struct memory_loaded_params *params = context->params;

    if (params->pause_ns == UINT64_MAX)
        return 0;
    work->stream = pages_map(params->stream_bytes, MADV_HUGEPAGE);
    if (!work->stream)
        return party_fail(context, "out of memory for %" PRIu64 " bytes", params->stream_bytes);
    for (uint64_t i = 0; i < params->stream_bytes / sizeof(uint64_t); i++)
        work->stream[i] = i; /* not all zero, which some machines compress */
    return 0;
}

static int setup_loaded(struct party_context *context)
{
    const struct memory_loaded_params *params = context->params;
    struct loaded *work = context->state; /* unmapped when the process ends */

    if (context->copy)
        return setup_stream(context, work);
    if (make_chase(context, &work->chase, params->bytes, CHASE_HUGE))
        return -1;
    work->loads = chase_warm_up(&work->chase);
    return 0;
}

static uint64_t read_block(const uint64_t *from)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < BLOCK_BYTES / sizeof(*from); i++)
        sum += from[i];
    return sum;
}

/* Again and again until the trial is stopped, in slices of at least CORE_SLICE_NS. */
static void stream(struct party_context *context, const struct loaded *work)
{
    const struct memory_loaded_params *params = context->params;
    const uint64_t blocks = params->stream_bytes / BLOCK_BYTES;
    uint64_t sum = 0, n = 0, start = clock_raw_ns();

    for (uint64_t block = 0; !party_stopped(context); block = (block + 1) % blocks) {
        sum += read_block(work->stream + block * (BLOCK_BYTES / sizeof(uint64_t)));
        __asm__ volatile("" : : "r"(sum));
        n += BLOCK_BYTES;
        uint64_t now = clock_raw_ns();
        if (params->pause_ns) {
            clock_spin_until(now + params->pause_ns);
            now = clock_raw_ns();
        }
        if (now - start >= CORE_SLICE_NS) {
            slices_add(context->recorder[RECORD_TIMES], n, start, now);
            start = now;
            n = 0;
        }
    }
}

static int run_loaded(struct party_context *context)
{
    struct loaded *work = context->state;
    struct core_meter core = {.probe = context->core_probe, .record = context->recorder[RECORD_LOADS]};

    if (context->copy) {
        if (work->stream)
            stream(context, work);
        return 0;
    }
    core_begin(&core, context->time_ns);
    do
        chase_slice(&work->chase, work->loads, context->recorder[RECORD_TIMES], &core);
    while (!party_stopped(context));
    return 0;
}

/* Bytes a second that all others read during the first copy's run. */
static double bandwidth(const struct trial *trial)
{
    const struct slices *chase = trial_recorder(trial, 0, 0, RECORD_TIMES);
    double bytes = 0;

    if (!chase->n)
        return NAN;
    const uint64_t from = chase->slice[0].start_ns, to = chase->slice[chase->n - 1].end_ns;
    for (unsigned copy = 1; copy < trial->spec.copies; copy++)
        bytes += slices_completed(trial_recorder(trial, 0, copy, RECORD_TIMES), from, to);
    return bytes * 1e9 / (double)(to - from);
}

static void reduce_loaded(const struct trial *trial, struct results *results)
{
    pages_enter(results, 0, trial_recorder(trial, 0, 0, RECORD_PAGES));
    results_samples(results, 0, METRIC_LATENCY, chase_median_ns(trial_recorder(trial, 0, 0, RECORD_TIMES)),
                    bandwidth(trial) * 1e-6);
}

static void describe_loaded(const struct bench_case *of, struct row_params *out)
{
    const struct memory_loaded_params *p = of->params;

    row_param_add(out, PARAM_WORK, "step", "%u", p->step);
    if (p->pause_ns == UINT64_MAX)
        row_param_add(out, PARAM_WORK, "others", "idle");
    else
        row_param_count(out, PARAM_WORK, "pause_ns", p->pause_ns);
    row_param_count(out, PARAM_CPU, "bytes", p->bytes);
}

static const struct metric metrics_loaded[] = {
    [METRIC_LATENCY] = {METRIC("loaded_latency", "ns", "lower", "time of a load that needs the one before it"),
                        .value = VALUE_MEDIAN, .headline = true},
    [METRIC_BANDWIDTH] =
        METRIC_MEDIAN("loaded_bandwidth", "MB/s", "higher", "bytes that the other CPUs read meanwhile"),
};

const struct bench bench_memory_loaded = {
    BENCH_IS("memory", "loaded", "Time of a load while the other CPUs read memory", struct memory_loaded_params),
    BENCH_PARTY(PARTY_IS("loaded", [RECORD_TIMES] = {RECORD_SLICES, SLICES_MAX}, [RECORD_LOADS] = {RECORD_CORE, 0},
                         [RECORD_PAGES] = {RECORD_NUMBERS, N_PAGES}),
                .stop = STOP_FLAG, .state_size = sizeof(struct loaded), .setup = setup_loaded, .run = run_loaded,
                .verify = chase_verify),
    BENCH_METRICS(metrics_loaded),
    .sampling = {SAMPLING(3, 3, 60, 10), SAMPLING(1, 1, 40, 10), SAMPLING(3, 3, 60, 10)},
    .huge_pages = true,
    .describe = describe_loaded,
    .reduce = reduce_loaded,
};

/* --- nodes: Latency and bandwidth from each NUMA node's CPUs to each node's memory. --- */

#define READS 8u
/* Number of pages whose node is checked. */
#define PAGES_LOOKED_AT 256u

static int setup_nodes(struct party_context *context)
{
    const struct memory_nodes_params *params = context->params;
    struct chase *chase = context->state; /* unmapped when the process ends */
    unsigned there = 0;

    if (chase_map(chase, params->bytes, CHASE_HUGE))
        return party_fail(context, "out of memory");
    int error = memory_node_bind(chase->set, chase->map_bytes, params->memory_node);
    if (error)
        return party_fail(context, "mbind: %s", strerror(-error));
    if (chase_link(chase, context->sample + 1))
        return party_fail(context, "out of memory");
    int asked = memory_node_count(chase->set, chase->bytes, params->memory_node, PAGES_LOOKED_AT, &there);
    if (asked < 0)
        return party_fail(context, "move_pages: %s", strerror(-asked));
    if (there < (unsigned)asked)
        return party_fail(context, "only %u of %d pages are on node %u", there, asked, params->memory_node);
    context->expected_ns = 500000000u;
    return 0;
}

static int run_nodes(struct party_context *context)
{
    struct chase *chase = context->state;
    struct core_meter core = {0};
    const uint64_t loads = chase_warm_up(chase);
    uint64_t sum = 0;

    for (unsigned i = 0; i < SLICES; i++)
        chase_slice(chase, loads, context->recorder[RECORD_TIMES], &core);
    for (unsigned i = 0; i < READS; i++) {
        const uint64_t start = clock_raw_ns();
        for (size_t at = 0; at < chase->bytes; at += sizeof(uint64_t))
            sum += *(const uint64_t *)(const void *)(chase->set + at);
        __asm__ volatile("" : : "r"(sum));
        slices_add(context->recorder[RECORD_READS], chase->bytes, start, clock_raw_ns());
    }
    return 0;
}

static void place_nodes(const struct place_of *of, struct placement *placement)
{
    place_one(of->request, of->copy, ((const struct memory_nodes_params *)of->params)->cpu, placement);
}

static void reduce_nodes(const struct trial *trial, struct results *results)
{
    pages_enter(results, 0, trial_recorder(trial, 0, 0, RECORD_PAGES));
    results_samples(results, 0, METRIC_LATENCY, chase_median_ns(trial_recorder(trial, 0, 0, RECORD_TIMES)),
                    1e3 / chase_median_ns(trial_recorder(trial, 0, 0, RECORD_READS)));
}

static void describe_nodes(const struct bench_case *of, struct row_params *out)
{
    const struct memory_nodes_params *p = of->params;

    row_param_add(out, PARAM_WORK, "from_node", "%u", p->cpu_node);
    row_param_add(out, PARAM_WORK, "to_node", "%u", p->memory_node);
    row_param_count(out, PARAM_CPU, "bytes", p->bytes);
}

static const struct metric metrics_nodes[] = {
    [METRIC_LATENCY] = {METRIC("node_latency", "ns", "lower", "time of a load that needs the one before it"),
                        .value = VALUE_MEDIAN, .headline = true},
    [METRIC_BANDWIDTH] = METRIC_MEDIAN("node_bandwidth", "MB/s", "higher", "bytes that one CPU reads"),
};

const struct bench bench_memory_nodes = {
    BENCH_IS("memory", "nodes", "Latency and bandwidth between memory nodes", struct memory_nodes_params),
    BENCH_PARTY(PARTY_IS("nodes", [RECORD_TIMES] = {RECORD_SLICES, SLICES}, [RECORD_READS] = {RECORD_SLICES, READS},
                         [RECORD_PAGES] = {RECORD_NUMBERS, N_PAGES}),
                .state_size = sizeof(struct chase), .setup = setup_nodes, .run = run_nodes, .verify = chase_verify),
    BENCH_METRICS(metrics_nodes),
    .sampling = {SAMPLING(3, 3, 0, 3), SAMPLING(1, 1, 0, 1), SAMPLING(3, 3, 0, 3)},
    .huge_pages = true,
    .describe = describe_nodes,
    .place = place_nodes,
    .reduce = reduce_nodes,
};

/* --- cores: Latency between two CPUs: two processes pass a number to and fro in one cache line, by a store for which
 * the other polls, or by compare-and-swap. --- */

enum { PARTY_FIRST, PARTY_SECOND, N_PARTIES };
enum { METHOD_STORE, METHOD_SWAP, N_METHODS };

/* Two of the largest base pages: the line has a page that no other pair uses. */
#define SHARED_SIZE (2 * 65536u)
/* For each method; the first is not used. A batch is timed as a whole; in a round the number goes there and back. */
#define BATCHES 31u
#define ROUNDS  (MEMORY_CORES_WAYS / (2 * N_METHODS * BATCHES))
/* Polls before a look whether the trial was stopped. */
#define PATIENCE (1u << 16)
/* By the first process at the end. */
#define LAST UINT64_MAX

/* At the start of a page: the processes' addresses differ by whole pages. */
static volatile uint64_t *line_of(const struct party_context *context)
{
    const uintptr_t at = (uintptr_t)context->shared, page = (uintptr_t)sysconf(_SC_PAGESIZE);

    return (volatile uint64_t *)((at + page - 1) / page * page);
}

/* Waits for the number, which METHOD_SWAP replaces by the next. Returns false when the trial was stopped or the first
 * process has ended (LAST). */
ALWAYS_INLINE bool wait_for(const struct party_context *context, volatile uint64_t *line, uint64_t number,
                            const unsigned method)
{
    for (;;)
        for (unsigned i = 0; i < PATIENCE; i++) {
            uint64_t now = number;
            if (method == METHOD_STORE)
                now = __atomic_load_n(line, __ATOMIC_ACQUIRE);
            if (method == METHOD_STORE
                    ? now == number
                    : __atomic_compare_exchange_n(line, &now, number + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
                return true;
            if (now == LAST)
                return false;
            if (i == PATIENCE - 1 && party_stopped(context))
                return false;
        }
}

/* One batch: a process waits for a number and replaces it by the next, the first one even numbers from `from`, the
 * second odd ones. Returns as wait_for(). */
static bool take_turns(const struct party_context *context, volatile uint64_t *line, unsigned method, uint64_t from)
{
    for (uint64_t number = from; number < from + 2 * ROUNDS; number += 2) {
        if (method == METHOD_SWAP) {
            if (!wait_for(context, line, number, METHOD_SWAP))
                return false;
            continue;
        }
        if (!wait_for(context, line, number, METHOD_STORE))
            return false;
        __atomic_store_n(line, number + 1, __ATOMIC_RELEASE);
    }
    return true;
}

static int setup_first(struct party_context *context)
{
    *line_of(context) = 0; /* the page is on this CPU's node */
    context->expected_ns = 100000000u;
    return 0;
}

/* Times each batch; the numbers go on. */
static int run_first(struct party_context *context)
{
    volatile uint64_t *line = line_of(context);
    uint64_t number = 0;

    for (unsigned method = 0; method < N_METHODS; method++)
        for (unsigned batch = 0; batch < BATCHES; batch++, number += 2 * ROUNDS) {
            const uint64_t start = clock_raw_ns();
            if (!take_turns(context, line, method, number))
                return party_fail(context, "the other CPU did not answer");
            const uint64_t end = clock_raw_ns();
            slices_add(context->recorder[RECORD_TIMES], 2 * ROUNDS, start, end);
        }
    if (!wait_for(context, line, number, METHOD_STORE))
        return party_fail(context, "the other CPU did not answer");
    __atomic_store_n(line, LAST, __ATOMIC_RELEASE);
    return 0;
}

static int run_second(struct party_context *context)
{
    volatile uint64_t *line = line_of(context);
    uint64_t number = 1;

    for (unsigned method = 0; method < N_METHODS; method++)
        for (unsigned batch = 0; batch < BATCHES; batch++, number += 2 * ROUNDS)
            if (!take_turns(context, line, method, number))
                return party_fail(context, "the other CPU did not answer");
    return 0;
}

static void place_cores(const struct place_of *of, struct placement *placement)
{
    const struct memory_cores_params *p = of->params;

    place_one(of->request, of->copy, of->party == PARTY_FIRST ? p->pair.first : p->pair.second, placement);
}

static void reduce_cores(const struct trial *trial, struct results *results)
{
    const struct slices *times = trial_recorder(trial, 0, 0, RECORD_TIMES);

    for (size_t i = 0; i < times->n; i++)
        if (i % BATCHES)
            results_sample(results, 0, (unsigned)(i / BATCHES), slice_ns(&times->slice[i]));
}

static void describe_cores(const struct bench_case *of, struct row_params *out)
{
    const struct memory_cores_params *p = of->params;

    row_param_add(out, PARAM_WORK, "from", "%u", p->pair.first);
    row_param_add(out, PARAM_WORK, "to", "%u", p->pair.second);
    row_param_add(out, PARAM_CPU, "relation", "%s", cpu_relation_names[p->pair.relation]);
}

static const struct party parties_cores[N_PARTIES] = {
    [PARTY_FIRST] = {PARTY_IS("cores", [RECORD_TIMES] = {RECORD_SLICES, N_METHODS *BATCHES}), .setup = setup_first,
                     .run = run_first},
    [PARTY_SECOND] = {.name = "partner", .role = ROLE_PARTNER, .run = run_second},
};

static const struct metric metrics_cores[N_METHODS] = {
    [METHOD_STORE] = {METRIC("store", "ns", "lower", "one way of a stored number to another CPU"),
                      .value = VALUE_MEDIAN, .headline = true},
    [METHOD_SWAP] = METRIC_MEDIAN("swap", "ns", "lower", "one way of a number by compare-and-swap"),
};

const struct bench bench_memory_cores = {
    BENCH_IS("memory", "cores", "One way of a cache line between two CPUs", struct memory_cores_params),
    BENCH_PARTIES(parties_cores),
    BENCH_METRICS(metrics_cores),
    .sampling = SAMPLING_ALWAYS(SAMPLING(1, 1, 0, 1)),
    .shared_size = SHARED_SIZE,
    .describe = describe_cores,
    .place = place_cores,
    .reduce = reduce_cores,
};

/* --- steady: How steady last-level cache and memory are. Every ms a short pointer chase in a set that no cache holds
 * and a short reading are timed. Now and then the last-level cache is probed: right after a set was brought into it,
 * and 2 ms later, when others have evicted a part. --- */

enum { RECORD_CACHE, RECORD_RELOAD, RECORD_MEMORY, RECORD_READ, RECORD_SERIES_OF, RECORD_STRETCH };
enum { STEADY_MEMORY, STEADY_CACHE, STEADY_RELOAD, STEADY_BANDWIDTH, STEADY_SPREAD, STEADY_WORST, STEADY_PROBE };

#define EVERY_NS 1000000u
/* Loads of a probe of memory: 25 to 60 us. */
#define LOADS 256u
/* In a timed reading. */
#define READ_BYTES 65536u
/* Probes are averaged over it; the worst average is reported. */
#define STRETCH_NS 50000000u
/* Then another chase shows what was evicted. Others fill some 32 MiB within 3 to 10 ms. */
#define RELOAD_NS 2000000u
/* The next cache probe comes after so many times the time of its loads (without RELOAD_NS): at most a tenth of the
 * time, however large the set. */
#define CACHE_REST 9u
/* Hundredths of a ns, since a histogram has whole numbers. */
#define PARTS 100u
/* Before the timed round: until a victim cache (of what smaller caches evict) has nearly the whole set. */
#define CACHE_ROUNDS 3u
/* See chase_link_blocks(). */
#define STRIDE (2u * CHASE_LINE)
#define BLOCK  ((size_t)2 << 20)

struct steady {
    struct chase cache, memory, reading; /* `reading` has no ring */
    size_t read_at;
};

static int setup_steady(struct party_context *context)
{
    const struct memory_steady_params *params = context->params;
    struct steady *work = context->state; /* unmapped when the process ends */
    const uint64_t half = params->memory_bytes / 2;

    if (chase_map(&work->memory, half, CHASE_HUGE) ||
        chase_link_blocks(&work->memory, 2 * context->sample + 1, STRIDE, BLOCK) ||
        chase_map(&work->reading, half > READ_BYTES ? half : READ_BYTES, CHASE_HUGE) ||
        (params->cache_bytes && (chase_map(&work->cache, params->cache_bytes, CHASE_HUGE) ||
                                 chase_link(&work->cache, 2 * context->sample + 2))))
        return party_fail(context, "out of memory for %" PRIu64 " bytes", params->cache_bytes + params->memory_bytes);
    /* Linking has brought the rings into the caches. */
    memset(work->reading.set, 1, work->reading.bytes);
    return 0;
}

static uint64_t timed_walk(struct chase *chase, uint64_t loads)
{
    const uint64_t start = clock_raw_ns();

    chase_walk(chase, loads);
    return clock_raw_ns() - start;
}

static uint64_t timed_read(struct steady *work)
{
    const uint64_t *from = (const void *)(work->reading.set + work->read_at);
    const uint64_t start = clock_raw_ns();
    uint64_t sum = 0;

    for (size_t i = 0; i < READ_BYTES / sizeof(*from); i++)
        sum += from[i];
    __asm__ volatile("" : : "r"(sum));
    const uint64_t took = clock_raw_ns() - start;
    work->read_at = (work->read_at + READ_BYTES) % (work->reading.bytes / READ_BYTES * READ_BYTES);
    return took;
}

/* Then accesses memory untimed, so that its next probe finds TLB and small caches as always. A timed line was used
 * one round ago; since then the rest of the set has gone through the smaller caches. Returns when the next probe is
 * due. */
static uint64_t probe_cache(struct party_context *context, struct steady *work)
{
    const uint64_t loads = work->cache.bytes / CHASE_LINE / CHASE_UNROLLED * CHASE_UNROLLED, begin = clock_raw_ns();

    chase_walk(&work->cache, CACHE_ROUNDS * loads);
    hist_add(context->recorder[RECORD_CACHE], PARTS * timed_walk(&work->cache, loads) / loads);
    clock_spin_until(clock_raw_ns() + RELOAD_NS);
    hist_add(context->recorder[RECORD_RELOAD], PARTS * timed_walk(&work->cache, loads) / loads);
    chase_walk(&work->memory, LOADS);
    timed_read(work);
    const uint64_t end = clock_raw_ns();
    return end + CACHE_REST * (end - begin - RELOAD_NS);
}

/* A stretch of STRETCH_NS: index, number of probes, sum of times. */
struct stretch {
    uint64_t number, n, sum_ns;
};

/* A probe due at_ns after the start took took_ns. *worst: the longest mean of a complete stretch. */
static void stretch_add(struct stretch *stretch, uint64_t at_ns, uint64_t took_ns, double *worst)
{
    if (at_ns / STRETCH_NS != stretch->number) {
        if (stretch->n && (double)stretch->sum_ns / (double)stretch->n > *worst)
            *worst = (double)stretch->sum_ns / (double)stretch->n;
        *stretch = (struct stretch){.number = at_ns / STRETCH_NS};
    }
    stretch->n++;
    stretch->sum_ns += took_ns;
}

static int run_steady(struct party_context *context)
{
    struct steady *work = context->state;
    struct stretch stretch = {0};
    const uint64_t begin = clock_raw_ns();
    uint64_t next = begin, next_cache = work->cache.set ? begin : UINT64_MAX;

    while (!party_stopped(context)) {
        if (clock_raw_ns() >= next_cache)
            next_cache = probe_cache(context, work);
        /* Probes missed while something else ran. */
        for (next += EVERY_NS; clock_raw_ns() > next + EVERY_NS; next += EVERY_NS) {
        }
        clock_spin_until(next);
        const uint64_t memory = timed_walk(&work->memory, LOADS);
        hist_add(context->recorder[RECORD_READ], timed_read(work));
        hist_add(context->recorder[RECORD_MEMORY], memory);
        series_add(context->recorder[RECORD_SERIES_OF], (next - begin) / 1000, memory);
        stretch_add(&stretch, next - begin, memory, context->recorder[RECORD_STRETCH]);
    }
    return 0;
}

double memory_steady_spread_pct(const struct trial *trial)
{
    const struct hist *probes = trial_recorder(trial, 0, 0, RECORD_MEMORY);
    const double usual = hist_quantile(probes, 0.5);

    return 100 * (hist_quantile(probes, 0.9) - usual) / usual;
}

static void reduce_steady(const struct trial *trial, struct results *results)
{
    const struct hist *memory = trial_recorder(trial, 0, 0, RECORD_MEMORY);
    const double *worst = trial_recorder(trial, 0, 0, RECORD_STRETCH);
    const double usual = hist_quantile(memory, 0.5);

    results_hist(results, 0, STEADY_PROBE, memory);
    results_series(results, 0, STEADY_PROBE, trial_recorder(trial, 0, 0, RECORD_SERIES_OF));
    if (!memory->n)
        return;
    results_samples(results, 0, STEADY_MEMORY, usual / LOADS,
                    hist_quantile(trial_recorder(trial, 0, 0, RECORD_CACHE), 0.5) / PARTS,
                    hist_quantile(trial_recorder(trial, 0, 0, RECORD_RELOAD), 0.5) / PARTS,
                    READ_BYTES * 1e3 / hist_quantile(trial_recorder(trial, 0, 0, RECORD_READ), 0.5),
                    memory_steady_spread_pct(trial));
    if (*worst > 0)
        results_sample(results, 0, STEADY_WORST, 100 * (*worst - usual) / usual);
}

static void describe_steady(const struct bench_case *of, struct row_params *out)
{
    const struct memory_steady_params *p = of->params;

    row_param_count(out, PARAM_CPU, "cache_set", p->cache_bytes);
    row_param_count(out, PARAM_CPU, "bytes", p->memory_bytes);
}

static const struct metric metrics_steady[] = {
    [STEADY_MEMORY] = {METRIC("memory_latency", "ns", "lower", "time of a load from memory, median of the probes"),
                       .value = VALUE_MEDIAN, .headline = true},
    [STEADY_CACHE] = METRIC_MEDIAN("cache_latency", "ns", "lower",
                                   "time of a load from the last cache, right after the set was brought into it"),
    [STEADY_RELOAD] = METRIC_MEDIAN("cache_reload", "ns", "lower",
                                    "time of a load of the same set 2 ms later: longer by what others have evicted"),
    [STEADY_BANDWIDTH] =
        METRIC_MEDIAN("memory_bandwidth", "MB/s", "higher", "bytes read by one CPU, median of the probes"),
    [STEADY_SPREAD] = METRIC_MEDIAN("memory_spread", "%", "lower",
                                    "how much longer than the median probe of memory one of ten takes at least"),
    [STEADY_WORST] = {METRIC("memory_worst", "%", "lower",
                             "how much longer than the median the probes of the worst 50 ms take"),
                      .value = VALUE_MAX, .optional = true},
    [STEADY_PROBE] = METRIC_MEDIAN("memory_probe", "ns", "lower", "time of a probe of memory: 256 loads"),
};

const struct bench bench_memory_steady = {
    BENCH_IS("memory", "steady", "How steady the last cache and memory are", struct memory_steady_params),
    BENCH_PARTY(PARTY_IS("steady", [RECORD_CACHE] = {RECORD_HIST, 0}, [RECORD_RELOAD] = {RECORD_HIST, 0},
                         [RECORD_MEMORY] = {RECORD_HIST, 0}, [RECORD_READ] = {RECORD_HIST, 0},
                         [RECORD_SERIES_OF] = {RECORD_SERIES, 0}, [RECORD_STRETCH] = {RECORD_NUMBERS, 1}),
                .stop = STOP_FLAG, .state_size = sizeof(struct steady), .setup = setup_steady, .run = run_steady),
    BENCH_METRICS(metrics_steady),
    .sampling = {SAMPLING(20, 20, 150, 60), SAMPLING(6, 6, 150, 60), SAMPLING(20, 20, 150, 60)},
    .huge_pages = true,
    .describe = describe_steady,
    .reduce = reduce_steady,
};
