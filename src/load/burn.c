/* SPDX-License-Identifier: MIT */
/* Threads that never sleep: arithmetic in registers; alone, and beside others that wake each other. */
#include "load/load.h"

/* Between two readings of the clock: some 100 us. */
#define ROUNDS 100000u

/* Any running thread updates LOAD_CPU: of many on each CPU one runs too rarely. */
static void work(struct burn *burn, uint64_t *look_ns)
{
    sim_work(ROUNDS);
    if (!load_due(look_ns, clock_raw_ns()) || __atomic_exchange_n(&burn->counting, 1, __ATOMIC_ACQUIRE))
        return;
    load_count_cpu(burn->context, &burn->due_ns);
    __atomic_store_n(&burn->counting, 0, __ATOMIC_RELEASE);
}

static void *burn_on(void *argument)
{
    struct burn *burn = argument;
    uint64_t look_ns = 0;

    if (!threads_wait(&burn->threads))
        return NULL;
    threads_at_work(&burn->threads);
    while (!threads_ended(&burn->threads))
        work(burn, &look_ns);
    return NULL;
}

static int burn_with(struct party_context *context, uint64_t threads)
{
    struct burn *burn = context->state;
    uint64_t look_ns = 0;

    burn->context = context;
    if (threads_start(&burn->threads, context, (size_t)threads - 1, burn_on, burn, 0))
        return -1;
    while (!party_stopped(context)) {
        work(burn, &look_ns);
        if (threads_complete(&burn->threads))
            party_proved(context);
    }
    return 0;
}

int load_burn_run(struct party_context *context)
{
    return burn_with(context, ((const struct load_params *)context->params)->threads);
}

static int run_twice(struct party_context *context)
{
    return burn_with(context, 2 * ((const struct load_params *)context->params)->threads);
}

void load_burn_teardown(struct party_context *context)
{
    struct burn *burn = context->state;

    threads_end(&burn->threads);
    threads_join(&burn->threads);
}

static void describe(const void *params, struct row_params *out)
{
    row_param_count(out, PARAM_WORK, "threads", ((const struct load_params *)params)->threads);
}

const struct load load_burn = {
    LOAD("burn", "threads of pure CPU, which never sleep"),
    BENCH_PARTY(LOAD_BURN_PARTY),
    .least = {[LOAD_CPU] = 0.05},
    .describe = describe,
};

static void describe_twice(const void *params, struct row_params *out)
{
    row_param_count(out, PARAM_WORK, "threads", 2 * ((const struct load_params *)params)->threads);
}

const struct load load_burn2 = {
    LOAD("burn2", "burn with twice as many threads as CPUs"),
    .only_named = true,
    BENCH_PARTY(LOAD_PARTY("burn2"), .state_size = sizeof(struct burn), .run = run_twice,
                .teardown = load_burn_teardown),
    .least = {[LOAD_CPU] = 0.05},
    .describe = describe_twice,
};

static const struct party parties_mixed[] = {{LOAD_BURN_PARTY}, {LOAD_RING_PARTY}};

const struct load load_mixed = {
    LOAD("mixed", "burn and ring together"),           .only_named = true,   BENCH_PARTIES(parties_mixed),
    .least = {[LOAD_CPU] = 0.05, [LOAD_WAKEUPS] = 10}, .describe = describe,
};
