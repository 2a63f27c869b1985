/* SPDX-License-Identifier: MIT */
/* STREAM-style bandwidth: copy, scale, add and triad on doubles, one process a CPU with its share of the arrays.
 * Bytes are counted as in STREAM, MB = 10^6 bytes. The name STREAM belongs to the original program. */
#include <sys/mman.h>

#include "bench/memory.h"

/* --- Kernels in plain C. --- */

/* Otherwise the copy loop becomes a call of memcpy. */
#ifdef __clang__
#define KEEP_LOOP __attribute__((no_builtin("memcpy", "memmove")))
#else
#define KEEP_LOOP __attribute__((optimize("O3", "no-tree-loop-distribute-patterns")))
#endif

#define KERNEL(name_, statement_) \
    KEEP_LOOP static void name_(double *restrict a, double *restrict b, double *restrict c, double q, size_t n) \
    { \
        (void)a, (void)b, (void)c, (void)q; \
        for (size_t i = 0; i < n; i++) \
            statement_; \
    }

KERNEL(c_copy, c[i] = a[i])
KERNEL(c_scale, b[i] = q * c[i])
KERNEL(c_add, c[i] = a[i] + b[i])
KERNEL(c_triad, a[i] = b[i] + q * c[i])

static bool c_supported(void)
{
    return true;
}

const struct stream_kernels stream_kernels_c = {
    .name = "c", .supported = c_supported, .run = {c_copy, c_scale, c_add, c_triad}};

const struct stream_kernels *stream_kernels_choose(bool nontemporal)
{
    for (const struct stream_kernels *const *form = stream_kernels_all; *form; form++)
        if ((*form)->nontemporal == nontemporal && (*form)->supported())
            return *form;
    return NULL;
}

/* --- The benchmark. --- */

enum { RECORD_TIMES, RECORD_VALID, RECORD_PAGES, RECORD_CORES };
/* Metrics of a kernel: rate; with the core free; time of each repetition. */
enum { METRIC_RATE, METRIC_ALONE, METRIC_TIME, METRICS_A_KERNEL };

#define REFILL    200u /* repetitions: each multiplies by 15 */
#define SCALAR    3.0
#define GRANULE   64u /* elements; kernels work on multiples */
#define TOLERANCE 1e-13
/* Without sizes in /sys: more than 4 times most caches. */
#define UNKNOWN_CACHE_ARRAY_BYTES (256ull << 20)

static const double bytes_per_element[N_KERNELS] = {16, 16, 24, 24};

enum { ARRAYS = 3 };

struct arrays {
    double *of[ARRAYS]; /* a, b, c */
    size_t n;
};

uint64_t bandwidth_array_bytes(uint64_t cache_bytes, uint64_t memory_bytes, char *bounded, size_t size)
{
    uint64_t wanted = cache_bytes ? cache_bytes * 4 : UNKNOWN_CACHE_ARRAY_BYTES, least = 8 * 1000000u;
    /* Half of the memory is for others. */
    uint64_t room = memory_bytes / 2 / ARRAYS;

    wanted = larger(wanted, least);
    text_copy(bounded, size, "");
    if (memory_bytes && wanted > room) {
        snprintf(bounded, size, "arrays bounded by memory; the rule asks for %s", TEXT_BYTES(wanted));
        wanted = room;
    }
    return wanted;
}

/* Elements a copy: a multiple of GRANULE. */
static size_t share_of(const struct bandwidth_params *params, unsigned copies)
{
    return (size_t)larger(params->array_bytes / sizeof(double) / copies / GRANULE, 1) * GRANULE;
}

static void fill(const struct arrays *arrays)
{
    for (size_t i = 0; i < arrays->n; i++) {
        arrays->of[0][i] = 1;
        arrays->of[1][i] = 2;
        arrays->of[2][i] = 0;
    }
}

/* Touched first on its CPU: pages are local. */
static int setup(struct party_context *context)
{
    const struct bandwidth_params *params = context->params;
    struct arrays *arrays = context->state; /* unmapped when the process ends */

    arrays->n = share_of(params, context->copies);
    /* pages_record() tells whether the kernel gave huge pages. */
    for (unsigned k = 0; k < ARRAYS; k++)
        if (!(arrays->of[k] = pages_map(arrays->n * sizeof(double), params->reserved ? PAGES_RESERVED : MADV_HUGEPAGE)))
            return party_fail(context, "no memory for three arrays of %zu bytes: %s", arrays->n * sizeof(double),
                              strerror(errno));
    uint64_t start = clock_raw_ns();
    fill(arrays);
    /* Slower than a repetition: safe for the watchdog. */
    context->expected_ns = (clock_raw_ns() - start + 1000000u) * params->repetitions;
    return 0;
}

/* With a core probe after each slice of so many elements. */
static void repeat(const struct stream_kernels *kernels, unsigned kernel, const struct arrays *x, size_t slice,
                   struct core_meter *core)
{
    for (size_t from = 0; from < x->n; from += slice) {
        uint64_t start = clock_raw_ns();
        size_t n = (size_t)smaller(x->n - from, slice);
        kernels->run[kernel](x->of[0] + from, x->of[1] + from, x->of[2] + from, SCALAR, n);
        uint64_t end = clock_raw_ns();
        core_slice(core, (double)n * bytes_per_element[kernel], (double)(end - start), start);
    }
}

/* GRANULEs in CORE_SLICE_NS, at the speed of the last repetition (took_ns). */
static size_t slice_of(const struct arrays *x, uint64_t took_ns)
{
    size_t slice = (size_t)((double)x->n * CORE_SLICE_NS / (double)(took_ns + 1)) / GRANULE * GRANULE;
    return slice < GRANULE ? GRANULE : slice > x->n ? x->n : slice;
}

static int run(struct party_context *context)
{
    const struct bandwidth_params *params = context->params;
    const struct stream_kernels *kernels = stream_kernels_choose(params->nontemporal);
    struct slices *times = context->recorder[RECORD_TIMES];
    const struct arrays *arrays = context->state;
    uint64_t took_ns[N_KERNELS] = {0};

    if (!kernels)
        return party_fail(context, "this machine has no such stores");
    for (uint64_t r = 0; r < params->repetitions; r++) {
        if (r && r % REFILL == 0)
            fill(arrays);
        for (unsigned k = 0; k < N_KERNELS; k++) {
            /* Slices are as long as the repetition before says; the first has no probes. */
            struct core_meter core = {.probe = r ? context->core_probe : NULL,
                                      .record = context->recorder[RECORD_CORES + k]};
            party_barrier(context);
            core_begin(&core, took_ns[k] * N_KERNELS * params->repetitions);
            uint64_t start = clock_raw_ns();
            repeat(kernels, k, arrays, core.probe ? slice_of(arrays, took_ns[k]) : arrays->n, &core);
            uint64_t end = clock_raw_ns();
            slices_add(times, arrays->n, start, end);
            took_ns[k] = end - start;
        }
    }
    return 0;
}

static double largest_error(const double *array, size_t n, double expected)
{
    double worst = 0;

    for (size_t i = 0; i < n; i++) {
        double error = fabs(array[i] - expected) / fabs(expected);
        if (!(error <= worst))
            worst = error;
    }
    return worst;
}

/* In closed form. */
static int verify(struct party_context *context)
{
    const struct bandwidth_params *params = context->params;
    const struct arrays *arrays = context->state;
    struct checks *checks = context->recorder[RECORD_VALID];
    double a = 1, b = 2, c = 0;

    pages_record((const void *const *)arrays->of, ARRAYS, context->recorder[RECORD_PAGES]);
    for (uint64_t r = (params->repetitions - 1) / REFILL * REFILL; r < params->repetitions; r++) {
        c = a;
        b = SCALAR * c;
        c = a + b;
        a = b + SCALAR * c;
    }
    for (unsigned k = 0; k < ARRAYS; k++)
        checks_add(checks, TEXT_LINE("largest relative error in %c", "abc"[k]),
                   largest_error(arrays->of[k], arrays->n, (const double[]){a, b, c}[k]), 0, TOLERANCE);
    return 0;
}

/* From the first start to the last end of all copies. */
static uint64_t repetition_ns(const struct trial *trial, size_t i)
{
    uint64_t start = UINT64_MAX, end = 0;

    for (unsigned copy = 0; copy < trial->spec.copies; copy++) {
        const struct slices *times = trial_recorder(trial, 0, copy, RECORD_TIMES);
        start = smaller(start, times->slice[i].start_ns);
        end = larger(end, times->slice[i].end_ns);
    }
    return end - start;
}

static void reduce_kernel(const struct trial *trial, unsigned kernel, struct hist *times, struct results *results)
{
    const struct bandwidth_params *params = trial->spec.params;
    unsigned copies = trial->spec.copies, metric = kernel * METRICS_A_KERNEL;
    double bytes = bytes_per_element[kernel] * (double)share_of(params, copies) * copies;

    hist_init(times, 0);
    for (uint64_t r = 1; r < params->repetitions; r++)
        hist_add(times, repetition_ns(trial, (size_t)r * N_KERNELS + kernel));
    results_sample(results, 0, metric + METRIC_RATE, bytes / (double)times->min * 1e3);
    results_events(results, 0, metric + METRIC_TIME, times, NULL);
}

static void reduce(const struct trial *trial, struct results *results)
{
    FREED struct hist *times = malloc(sizeof(*times));

    if (!times)
        results_fail(results);
    for (unsigned k = 0; times && k < N_KERNELS; k++)
        reduce_kernel(trial, k, times, results);
    for (unsigned copy = 0; copy < trial->spec.copies; copy++)
        pages_enter(results, 0, trial_recorder(trial, 0, copy, RECORD_PAGES));
}

static void describe(const struct bench_case *of, struct row_params *out)
{
    const struct bandwidth_params *p = of->params;
    const struct stream_kernels *kernels = stream_kernels_choose(p->nontemporal);

    row_param_add(out, PARAM_CPU, "stores", "%s", p->nontemporal ? "non-temporal" : "ordinary");
    row_param_add(out, PARAM_CPU, "kernel", "%s", kernels ? kernels->name : "none");
    row_param_count(out, PARAM_CPU, "array_bytes", p->array_bytes);
    row_param_count(out, PARAM_CPU, "repetitions", p->repetitions);
    if (p->reserved)
        row_param_add(out, PARAM_WORK, "huge", "reserved");
    if (p->bounded[0])
        row_param_add(out, PARAM_WORK, "bounded", "%s", strcmp(p->bounded, "quick") ? "memory" : "quick");
}

static int supported(const struct bench_case *of, struct error *why)
{
    const struct bandwidth_params *p = of->params;

    if (!stream_kernels_choose(p->nontemporal))
        return error_set(why, "no non-temporal stores on this architecture");
    if (p->array_bytes < GRANULE * sizeof(double))
        return error_set(why, "not enough free memory for three arrays");
    if (!p->reserved)
        return 0;
    struct machine machine = {0};
    machine_read_memory(&machine);
    /* whole pages for each array of a copy */
    const size_t page = (size_t)machine.huge_page_bytes, share = share_of(p, of->copies) * sizeof(double),
                 bytes = ((share + page - 1) & ~(page - 1)) * ARRAYS * of->copies;
    void *all = pages_map(bytes, PAGES_RESERVED);
    return all ? munmap(all, bytes)
               : error_set(why, "no reserved huge pages for three arrays of %s: %s", TEXT_BYTES(p->array_bytes),
                           strerror(errno));
}

static const struct option options[] = {
    {OPTION("array-size", 0, struct bandwidth_params, array_bytes,
            "size of each of the three arrays; default: 4 times the sum of all last-level caches"),
     OPTION_NUMBER(SIZE, "SIZE", 4096, 1e15)},
    {OPTION("repetitions", 'k', struct bandwidth_params, repetitions,
            "repetitions of the four kernels in a run; the first is not counted"),
     OPTION_NUMBER(COUNT, "N", 2, 10000), .preset = {"10", "3", "10"}},
    {OPTION("reserved-pages", 0, struct bandwidth_params, reserved,
            "arrays in huge pages that were set aside (HugePages_Total), not in transparent ones")},
};

#define KERNEL_METRICS(number, name) \
    [number * METRICS_A_KERNEL + \
        METRIC_RATE] = {METRIC(name "_rate", "MB/s", "higher", name ": best rate of a run's repetitions"), \
                        .value = VALUE_MAX, .headline = true}, \
        [number * METRICS_A_KERNEL + METRIC_ALONE] = {METRIC(name "_rate_alone", "MB/s", "higher", \
                                                             name ": mean rate over the slices with the core free"), \
                                                      .scale = 1e-6, .alone = true, \
                                                      .of = number * METRICS_A_KERNEL + METRIC_RATE, \
                                                      .recorder = RECORD_CORES + number}, \
        [number * METRICS_A_KERNEL + \
            METRIC_TIME] = {METRIC(name "_time", "ns", "lower", name ": time of a repetition")}

static const struct metric metrics[] = {
    KERNEL_METRICS(KERNEL_COPY, "copy"),
    KERNEL_METRICS(KERNEL_SCALE, "scale"),
    KERNEL_METRICS(KERNEL_ADD, "add"),
    KERNEL_METRICS(KERNEL_TRIAD, "triad"),
};

const struct bench bench_bandwidth = {
    BENCH_IS("stream", "bandwidth", "STREAM-style bandwidth", struct bandwidth_params),
    BENCH_PARTY(PARTY_IS("bandwidth", [RECORD_TIMES] = {RECORD_SLICES, N_KERNELS}, [RECORD_VALID] = {RECORD_CHECKS, 4},
                         [RECORD_PAGES] = {RECORD_NUMBERS, N_PAGES}, [RECORD_CORES] = {RECORD_CORE, 0},
                         {RECORD_CORE, 0}, {RECORD_CORE, 0}, {RECORD_CORE, 0}),
                .slices = offsetof(struct bandwidth_params, repetitions), .state_size = sizeof(struct arrays),
                .setup = setup, .run = run, .verify = verify),
    BENCH_METRICS(metrics),
    BENCH_OPTIONS(options),
    .sampling = {SAMPLING(5, 0, 0, 5), SAMPLING(1, 1, 0, 3), SAMPLING(1, 1, 0, 60)},
    .huge_pages = true,
    .describe = describe,
    .supported = supported,
    .reduce = reduce,
};
