/* SPDX-License-Identifier: MIT */
/* engine/trial.c reads the counters of a trial, before and after. */
#include "rows/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_count(double *sum, int64_t value, double unit)
{
    *sum = value < 0 ? (double)NAN : *sum + (double)value * unit; /* one unknown value makes the sum unknown */
}

void causes_add(struct causes *causes, const struct task_counters *task, const struct machine_counters *machine)
{
    if (task) {
        add_count(&causes->cpu_s, task->cpu_ns, 1e-9);
        add_count(&causes->ctx_voluntary, task->ctx_voluntary, 1);
        add_count(&causes->ctx_involuntary, task->ctx_involuntary, 1);
        add_count(&causes->migrations, task->migrations, 1);
        add_count(&causes->faults_minor, task->faults_minor, 1);
        add_count(&causes->faults_major, task->faults_major, 1);
        add_count(&causes->run_delay_ms, task->run_delay_ns, 1e-6);
    }
    if (machine) {
        add_count(&causes->irqs, machine->irqs, 1);
        add_count(&causes->softirqs, machine->softirqs, 1);
        add_count(&causes->steal_ms, machine->steal_ns, 1e-6);
        add_count(&causes->timer, machine->timer, 1);
        add_count(&causes->resched, machine->resched, 1);
        add_count(&causes->ipi, machine->ipi, 1);
        add_count(&causes->device, machine->device, 1);
        add_count(&causes->throttled_ms, machine->throttled_ns, 1e-6);
    }
}

int causes_add_own(struct causes *causes, const char *name, double ms)
{
    size_t i = 0;

    while (i < causes->n_own && strcmp(causes->own[i].name, name) != 0)
        i++;
    if (i == CAUSES_OWN)
        return -1;
    if (i == causes->n_own)
        causes->own[causes->n_own++].name = name;
    causes->own[i].ms += ms;
    return 0;
}

void row_cause_add(struct row_causes *causes, const char *name, size_t length, bool is_time, double number)
{
    struct row_cause *cause = &causes->of[causes->n];

    if (isnan(number) || !length || length >= sizeof(cause->name) || causes->n == ROW_CAUSES_MAX)
        return;
    *cause = (struct row_cause){.number = number, .is_time = is_time};
    memcpy(cause->name, name, length);
    text_sanitize(cause->name);
    causes->n++;
}

void causes_fill(const struct causes *causes, uint64_t stopped, struct row_causes *out)
{
    const double quota = fmin(causes->throttled_ms, causes->run_delay_ms); /* NAN is not known: then the other one */
    const struct {
        const char *name;
        double number;
        bool is_time;
    } all[] = {
        {"quota", causes->throttled_ms > 0 ? quota : (double)NAN, true},
        {"preempted", causes->run_delay_ms - (causes->throttled_ms > 0 ? quota : 0), true},
        {"steal", causes->steal_ms, true},
        {"timer", causes->timer, false},
        {"resched", causes->resched, false},
        {"ipi", causes->ipi, false},
        {"device", causes->device, false},
        {"softirq", causes->softirqs, false},
        {"fault", causes->faults_minor + causes->faults_major, false},
        {"migrated", causes->migrations, false},
        {"involuntary", causes->ctx_involuntary, false},
        {"stopped", stopped ? (double)stopped : (double)NAN, false},
    };

    out->n = 0;
    for (size_t i = 0; i < causes->n_own; i++)
        row_cause_add(out, causes->own[i].name, strlen(causes->own[i].name), true, causes->own[i].ms);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (!all[i].is_time || !causes->n_own)
            row_cause_add(out, all[i].name, strlen(all[i].name), all[i].is_time, all[i].number);
}

void causes_text(const struct row_causes *causes, struct text *out)
{
    for (size_t i = 0; i < causes->n; i++) {
        const struct row_cause *cause = &causes->of[i];
        char pair[352]; /* room for the largest double */
        size_t n = (size_t)snprintf(pair, sizeof(pair), "%s%s%c%.3f", i ? ";" : "", cause->name,
                                    cause->is_time ? ':' : '=', cause->number);
        while (pair[n - 1] == '0')
            n--;
        text_append(out, pair, pair[n - 1] == '.' ? n - 1 : n);
    }
}
