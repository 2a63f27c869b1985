/* SPDX-License-Identifier: MIT */
/* Latency between two CPUs: two processes pass a number to and fro in one cache line, by a store for which the other
 * polls, or by compare-and-swap. */
#include <unistd.h>

#include "bench/memory.h"
#include "engine/engine.h"

enum { PARTY_FIRST, PARTY_SECOND, N_PARTIES };
enum { METHOD_STORE, METHOD_SWAP, N_METHODS };
enum { RECORD_TIMES };

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

/* Returns false when the trial was stopped or the first process has ended (LAST). */
static bool wait_for(const struct party_context *context, volatile uint64_t *line, uint64_t number)
{
    for (;;)
        for (unsigned i = 0; i < PATIENCE; i++) {
            const uint64_t now = __atomic_load_n(line, __ATOMIC_ACQUIRE);
            if (now == number)
                return true;
            if (now == LAST)
                return false;
            if (i == PATIENCE - 1 && party_stopped(context))
                return false;
        }
}

/* Replaces the number by the next. Returns as wait_for(). */
static bool swap_when(const struct party_context *context, volatile uint64_t *line, uint64_t number)
{
    for (;;)
        for (unsigned i = 0; i < PATIENCE; i++) {
            uint64_t now = number;
            if (__atomic_compare_exchange_n(line, &now, number + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
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
            if (!swap_when(context, line, number))
                return false;
            continue;
        }
        if (!wait_for(context, line, number))
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
    if (!wait_for(context, line, number))
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

static void place(const void *params, const struct place_request *request, unsigned party, unsigned copy,
                  struct placement *placement)
{
    const struct memory_cores_params *p = params;

    place_one(request, copy, party == PARTY_FIRST ? p->pair.first : p->pair.second, placement);
}

static void reduce(const struct trial *trial, struct results *results)
{
    const struct slices *times = trial_recorder(trial, 0, 0, RECORD_TIMES);

    for (size_t i = 0; i < times->n; i++)
        if (i % BATCHES)
            results_sample(results, 0, (unsigned)(i / BATCHES), slice_ns(&times->slice[i]));
}

static void describe(const void *params, const struct clock_info *clock, struct row_params *out)
{
    const struct memory_cores_params *p = params;

    (void)clock;
    row_param_add(out, PARAM_WORK, "from", "%u", p->pair.first);
    row_param_add(out, PARAM_WORK, "to", "%u", p->pair.second);
    row_param_add(out, PARAM_CPU, "relation", "%s", cpu_relation_names[p->pair.relation]);
}

static const struct party parties[N_PARTIES] = {
    [PARTY_FIRST] = {PARTY_IS("cores", [RECORD_TIMES] = {RECORD_SLICES, N_METHODS *BATCHES}), .setup = setup_first,
                     .run = run_first},
    [PARTY_SECOND] =
        {.name = "partner", .role = ROLE_PARTNER, .kind = PARTY_PROCESS, .stop = STOP_SELF, .run = run_second},
};

static const struct metric metrics[N_METHODS] = {
    [METHOD_STORE] = {METRIC("store", "ns", "lower", "one way of a stored number to another CPU"),
                      .value = VALUE_MEDIAN, .headline = true},
    [METHOD_SWAP] = METRIC_MEDIAN("swap", "ns", "lower", "one way of a number by compare-and-swap"),
};

const struct bench bench_memory_cores = {
    BENCH_WITH("memory", "cores", "One way of a cache line between two CPUs", struct memory_cores_params, parties,
               metrics),
    .sampling = SAMPLING_ALWAYS(SAMPLING_EXACT(1, 0, 1)),
    .shared_size = SHARED_SIZE,
    .describe = describe,
    .place = place,
    .reduce = reduce,
};
