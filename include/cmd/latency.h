/* SPDX-License-Identifier: MIT */
/* Parts of jitbench latency: its tasks, options and plan (latency_plan.c). */
#ifndef CMD_LATENCY_H
#define CMD_LATENCY_H

#include "cmd/suites.h"
#include "load/params.h"

enum { TASK_AUDIO, TASK_VIDEO, TASK_X, TASK_GAMING, TASK_CUSTOM, N_TASKS };
struct task {
    const struct bench *bench;
    const struct sim_params *params;
    const char *title;
    bool real_time; /* has a real-time mode */
    /* Names of the background loads that tell most about the task: by default, and with --quick. */
    const char *telling, *quick;
    const char *late; /* reason for the task's limit beyond which a wake-up counts as late */
};
extern const struct task latency_tasks[N_TASKS];
extern const char *const latency_task_names[]; /* names of latency_tasks, in the same order; ends with NULL */

/* Target of the option table. */
struct latency_options {
    uint64_t tasks, no_tasks, loads, no_loads; /* bit masks: bit i is latency_task_names[i] or load_names[i] */
    char loops[1024];
    bool anew, real_time, single_cpu, all_pairs;
    uint64_t load_threads, hack_groups, file_bytes, memory_bytes;
    int64_t load_nice;
    double custom_pct;
    uint64_t custom_ns, late_after_ns;
};

/* latency_plan.c */
/* Sets the resources that a load may use. memload_named: the user named the load memload. Returns why memload is left
 * out, NULL when it is not. */
const char *latency_fill_load(const struct measure *m, const struct latency_options *o, bool memload_named,
                              struct load_params *p);
/* Implement options, plan and announce of struct suite. */
extern const struct suite_options latency_own[];
int latency_plan(const struct measure *m, void *options, struct plan *out, char *error, size_t error_size);
void latency_announce(const struct measure *m, const struct plan *plan, struct text *out);

#endif
