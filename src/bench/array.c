/* SPDX-License-Identifier: MIT */
/* Copies a small array of 8-byte integers by elements: memory noise. */
#include <sys/mman.h>

#include "bench/experiment.h"
#include "bench/memory.h"

enum { METRIC_BYTES = METRIC_OWN };

/* Limit of --sizes. */
#define ELEMENTS_MAX 1048576u

struct arrays {
    uint64_t *a, *c;
    uint64_t elements;
    uint64_t done; /* since the arrays were initialised */
};

struct state {
    struct experiment experiment; /* first: experiment_setup() finds it there */
    struct arrays arrays;         /* unmapped when the process ends */
};

/* One load and two stores of 8 bytes an element. Compiler flags prevent vectors and memcpy; a test counts accesses
 * in the disassembly. */
ALWAYS_INLINE void copy(uint64_t *restrict c, uint64_t *restrict a, uint64_t elements)
{
    for (uint64_t j = 0; j < elements; j++) {
        uint64_t value = a[j];
        c[j] = value;
        a[j] = value + 1;
    }
}

ALWAYS_INLINE void measure(struct experiment *e, struct arrays *arrays, uint64_t count, enum clock_kind clock)
{
    uint64_t *a = arrays->a, *c = arrays->c, elements = arrays->elements;

    for (uint64_t i = 0; i < count; i++) {
        uint32_t cpu;
        uint64_t begin = clock_begin(clock);
        /* The "memory" clobber of the clock's asm keeps the accesses between the readings. */
        copy(c, a, elements);
        uint64_t ticks = clock_end_cpu(clock, &cpu) - begin;
        experiment_record(e, ticks, cpu);
    }
    arrays->done += count;
}

__attribute__((noinline)) void array_measure_counter(struct experiment *e, struct arrays *arrays, uint64_t count);
__attribute__((noinline)) void array_measure_counter(struct experiment *e, struct arrays *arrays, uint64_t count)
{
    measure(e, arrays, count, CLOCK_KIND_COUNTER);
}

static __attribute__((noinline)) void array_measure_gettime(struct experiment *e, struct arrays *arrays, uint64_t count)
{
    measure(e, arrays, count, CLOCK_KIND_GETTIME);
}

static void initialise(struct arrays *arrays)
{
    for (uint64_t j = 0; j < arrays->elements; j++) {
        arrays->a[j] = 1 + j;
        arrays->c[j] = 2 + j;
    }
    arrays->done = 0;
}

/* In small pages: a huge page for some samples would add noise. NULL: out of memory. */
static uint64_t *map_array(uint64_t elements)
{
    return elements > SIZE_MAX / sizeof(uint64_t) ? NULL : pages_map(elements * sizeof(uint64_t), MADV_NOHUGEPAGE);
}

static int setup(struct party_context *context)
{
    const struct array_params *params = context->params;
    struct arrays *arrays = &((struct state *)context->state)->arrays;

    arrays->elements = params->elements;
    arrays->a = map_array(params->elements);
    arrays->c = map_array(params->elements);
    if (!arrays->a || !arrays->c)
        return party_fail(context, "out of memory for two arrays of %" PRIu64 " elements", params->elements);
    initialise(arrays);
    return experiment_setup(context, params->elements);
}

static int work(struct party_context *context, uint64_t count)
{
    struct state *state = context->state;

    if (context->clock == CLOCK_KIND_COUNTER)
        array_measure_counter(&state->experiment, &state->arrays, count);
    else
        array_measure_gettime(&state->experiment, &state->arrays, count);
    return 0;
}

static uint64_t counts(const void *params)
{
    return ((const struct array_params *)params)->experiments;
}

static int run(struct party_context *context)
{
    const struct array_params *params = context->params;

    initialise(&((struct state *)context->state)->arrays);
    return experiment_run(context, params->experiments, params->from, work);
}

/* Each experiment has incremented all of a; c holds a before the last. */
static int verify(struct party_context *context)
{
    const struct arrays *arrays = &((const struct state *)context->state)->arrays;
    uint64_t wrong = 0;

    for (uint64_t j = 0; j < arrays->elements; j++)
        wrong += arrays->a[j] != 1 + j + arrays->done || arrays->c[j] != j + arrays->done;
    checks_add(context->recorder[EXPERIMENT_CHECKS], "number of wrong array elements", (double)wrong, 0, 0);
    return 0;
}

static void reduce(const struct trial *trial, struct results *results)
{
    const struct array_params *params = trial->spec.params;

    experiment_reduce(trial, results);
    for (unsigned copy = 0; copy < trial->spec.copies; copy++)
        results_sample(results, copy, METRIC_BYTES, (double)(params->elements * sizeof(uint64_t)));
}

static void describe(const struct bench_case *of, struct row_params *out)
{
    const struct array_params *p = of->params;

    row_param_count(out, PARAM_WORK, "elements", p->elements);
    row_param_count(out, PARAM_WORK, "experiments", p->experiments);
    row_param_add(out, PARAM_CPU, "clock", "%s", of->clock->name);
    if (p->from)
        row_param_count(out, PARAM_OUTCOME, "window", p->from);
    row_param_add(out, PARAM_OUTCOME, "pages", "small");
}

static const struct option options[] = {
    {OPTION("sizes", 0, struct array_params, sizes, "number of 8-byte elements in each small array"),
     OPTION_NUMBER(COUNTS, "N,...", 1, ELEMENTS_MAX), .preset = {"25,50,100,200,400,800,1600,3200,6400,12800"}},
    {OPTION("experiments", 'n', struct array_params, experiments, "copies of the small array in a run"),
     OPTION_NUMBER(COUNT, "N", 1, 1e12), .preset = {"100K", "10K", "10M", "1M"}},
    {EXPERIMENT_FROM(struct array_params)},
};

static const struct metric own_metrics[] = {
    [METRIC_BYTES - METRIC_OWN] = METRIC_MEDIAN("array_bytes", "bytes", "", "size of each of the two arrays"),
};

const struct bench bench_array = {
    BENCH_IS("stream", "array", "Small-array copy: memory noise", struct array_params),
    BENCH_OPTIONS(options),
    BENCH_PARTY(EXPERIMENT_PARTY("array"), .state_size = sizeof(struct state), .setup = setup, .work = work,
                .counts = counts, .run = run, .verify = verify, .teardown = experiment_teardown),
    EXPERIMENT_METRICS(own_metrics),
    .sampling = {SAMPLING(5, 0, 0, 1.5), SAMPLING(3, 3, 0, 1), SAMPLING(100, 100, 0, 3600), SAMPLING(5, 5, 0, 3600)},
    .group_per_copy = true,
    .describe = describe,
    .reduce = reduce,
};
