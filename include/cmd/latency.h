/* SPDX-License-Identifier: MIT */
/* jitbench latency: tasks, options, plan. */
#ifndef CMD_LATENCY_H
#define CMD_LATENCY_H

#include "bench/tasks.h"
#include "cmd/cmd.h"
#include "load/load.h"

/* Of --load: cmd:COMMAND, write:RATE. */
#define LOAD_REST(type_) .rest = offsetof(type_, command), .rated = "write read", .rates = offsetof(type_, rates)

struct latency_options {
    uint64_t tasks, no_tasks, loads, no_loads; /* bit i: latency_task_names[i] or load_names[i] */
    char loops[1024], command[OPTION_REST];
    uint64_t rates[N_LOADS];
    bool anew, real_time, single_cpu, all_pairs;
    uint64_t load_threads, hack_groups, file_bytes, memory_bytes;
    int64_t load_nice;
    int load_policy;
    uint64_t load_weight;
    double custom_pct, load_limit_pct;
    uint64_t custom_ns, late_after_ns;
    struct option_counts sweep_cpus;
    struct requests_params requests;
    struct frame_params frame;
    struct launch_params launch;
    struct sim_params input, audio_period;
};

/* Of the load cmd. Returns 0, or EXIT_USAGE with a line on standard error. */
int latency_fill_command(struct measure *m, uint64_t loads, const char *command, struct load_params *p);
/* memload_named: asked for, so it runs without swap too. Returns why memload cannot run; NULL: it can. */
const char *latency_fill_load(const struct measure *m, const struct latency_options *o, bool memload_named,
                              struct load_params *p);

#endif
