/* SPDX-License-Identifier: MIT */
/* Sums up what disturbed the trials of a row, and formats the column `causes`. */
#include "rows/causes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_count(double *sum, int64_t value, double unit)
{
    *sum = value < 0 ? (double)NAN : *sum + (double)value * unit; /* one unknown value makes the sum unknown */
}

static void add_task(struct causes *causes, const struct task_counters *task)
{
    add_count(&causes->cpu_s, task->cpu_ns, 1e-9);
    add_count(&causes->ctx_voluntary, task->ctx_voluntary, 1);
    add_count(&causes->ctx_involuntary, task->ctx_involuntary, 1);
    add_count(&causes->migrations, task->migrations, 1);
    add_count(&causes->faults_minor, task->faults_minor, 1);
    add_count(&causes->faults_major, task->faults_major, 1);
    add_count(&causes->run_delay_ms, task->run_delay_ns, 1e-6);
}

static void add_machine(struct causes *causes, const struct machine_counters *machine)
{
    add_count(&causes->irqs, machine->irqs, 1);
    add_count(&causes->softirqs, machine->softirqs, 1);
    add_count(&causes->steal_ms, machine->steal_ns, 1e-6);
    add_count(&causes->timer, machine->timer, 1);
    add_count(&causes->resched, machine->resched, 1);
    add_count(&causes->ipi, machine->ipi, 1);
    add_count(&causes->device, machine->device, 1);
}

void causes_add(struct causes *causes, const struct task_counters *task, const struct machine_counters *machine)
{
    if (task)
        add_task(causes, task);
    if (machine)
        add_machine(causes, machine);
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

/* Appends a pair with at most three decimals, without trailing zeros; nothing when the number is not known. */
static void add_pair(char *buf, size_t size, const char *name, char sign, double number)
{
    char pair[96];
    size_t used = strlen(buf);

    if (isnan(number))
        return;
    int printed = snprintf(pair, sizeof(pair), "%s%s%c%.3f", used ? ";" : "", name, sign, number);
    size_t n = printed > 0 ? (size_t)printed : 0;
    if (n >= sizeof(pair))
        return;
    while (n > 0 && pair[n - 1] == '0')
        n--;
    if (n > 0 && pair[n - 1] == '.')
        n--;
    if (used + n < size) {
        memcpy(buf + used, pair, n);
        buf[used + n] = 0;
    }
}

void causes_format(const struct causes *causes, uint64_t stopped, char *buf, size_t size)
{
    const struct {
        const char *name;
        double number;
    } counts[] = {
        {"timer", causes->timer},
        {"resched", causes->resched},
        {"ipi", causes->ipi},
        {"device", causes->device},
        {"softirq", causes->softirqs},
        {"fault", causes->faults_minor + causes->faults_major},
        {"migrated", causes->migrations},
        {"involuntary", causes->ctx_involuntary},
        {"stopped", stopped ? (double)stopped : (double)NAN},
    };

    buf[0] = 0;
    for (size_t i = 0; i < causes->n_own; i++)
        add_pair(buf, size, causes->own[i].name, ':', causes->own[i].ms);
    if (causes->n_own == 0) {
        add_pair(buf, size, "preempted", ':', causes->run_delay_ms);
        add_pair(buf, size, "steal", ':', causes->steal_ms);
    }
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        add_pair(buf, size, counts[i].name, '=', counts[i].number);
}
