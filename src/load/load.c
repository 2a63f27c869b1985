/* SPDX-License-Identifier: MIT */
#include "load/load.h"

#define ADDRESS(name) &load_##name,
const struct load *const load_list[] = {LOADS(ADDRESS) NULL};

#define NAME(name) #name,
const char *const load_names[] = {LOADS(NAME) NULL};

void load_place(const struct place_of *of, struct placement *placement)
{
    const struct load_params *p = of->params;

    memset(placement, 0, sizeof(*placement));
    sim_place_cpus(&p->sim, of->request, placement);
    placement->policy = p->policy;
    placement->nice_given = p->nice_given;
    placement->nice = p->nice;
}

bool load_due(uint64_t *due_ns, uint64_t now_ns)
{
    if (now_ns < *due_ns)
        return false;
    *due_ns = now_ns + LOAD_REFRESH_NS;
    return true;
}

void load_count_cpu(struct party_context *context, uint64_t *due_ns)
{
    if (load_due(due_ns, clock_raw_ns()))
        load_set(context, LOAD_CPU, task_process_cpu_s());
}

void load_describe_size(struct row_params *out, const char *key, uint64_t bytes)
{
    static const char units[] = "KMGT";
    size_t unit = 0;

    for (; bytes && bytes % 1024 == 0 && units[unit]; unit++)
        bytes /= 1024;
    row_param_add(out, PARAM_WORK, key, "%" PRIu64 "%.*s", bytes, unit ? 1 : 0, unit ? units + unit - 1 : "");
}

/* --- Loads of other files' parties. --- */

const struct load load_none = {LOAD("none", "nothing beside the benchmark")};

#define SIM_LOAD(name_, title_) \
    LOAD(name_, title_), .parties = sim_load_parties, .n_parties = 2, .shared_size = SIM_SHARED_SIZE, \
                         .least = {[LOAD_BURSTS] = 0.5}, .calibrate = sim_calibrate

const struct load load_video = {SIM_LOAD("video", "video playing: 40 % of a CPU, 60 times a second")};
const struct load load_x = {SIM_LOAD("x", "a window being dragged: 0 to 100 % of a CPU")};

static void describe_custom(const void *params, struct row_params *out)
{
    const struct sim_params *sim = params;

    row_param_count(out, PARAM_WORK, "load_interval_us", sim->interval_ns / 1000);
    row_param_count(out, PARAM_WORK, "load_busy_us", sim->busy_ns / 1000);
}

const struct load load_custom = {
    SIM_LOAD("custom", "the custom simulation as a load"),
    .only_named = true,
    .describe = describe_custom,
};
