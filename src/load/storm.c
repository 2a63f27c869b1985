/* SPDX-License-Identifier: MIT */
/* Small programs started one after the other, several at a time: fork and exec. */
#include "bench/unix.h"
#include "load/load.h"

#define TOUCH_BYTES (64u << 10)

static int run(struct party_context *context)
{
    const struct load_params *params = context->params;
    struct launch_words words;

    launch_prepare(&words, -1, TOUCH_BYTES);
    for (uint64_t running = 0; !party_stopped(context); running--) {
        for (; running < params->threads; running++)
            if (launch_start(context, &words) < 0)
                return -1;
        if (unix_wait(context, -1, NULL))
            return -1;
        load_add(context, LOAD_STARTED, 1);
        party_proved(context);
    }
    return 0;
}

static int supported(const void *params, struct error *why)
{
    (void)params;
    return process_can_exec_self() ? 0 : error_set(why, "storm: the program's own file cannot be executed");
}

static void describe(const void *params, struct row_params *out)
{
    row_param_count(out, PARAM_WORK, "programs", ((const struct load_params *)params)->threads);
}

const struct load load_storm = {
    LOAD("storm", "small programs started again and again, one for each CPU at a time"),
    .only_named = true,
    BENCH_PARTY(LOAD_PARTY("storm"), .run = run),
    .least = {[LOAD_STARTED] = 1},
    .supported = supported,
    .describe = describe,
};
