/* SPDX-License-Identifier: MIT */
/* What this machine is doing: interrupts, stolen time, activity and CPU frequency. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/machine.h"
#include "sys/tree.h"

static int64_t add_counts(int64_t sum, uint64_t value)
{
    return value > (uint64_t)(INT64_MAX - sum) ? INT64_MAX : sum + (int64_t)value;
}

static int64_t ticks_to_ns(uint64_t ticks)
{
    long hz = sysconf(_SC_CLK_TCK);
    uint64_t tick_ns = 1000000000u / (uint64_t)(hz > 0 ? hz : 100);
    return ticks > (uint64_t)INT64_MAX / tick_ns ? INT64_MAX : (int64_t)(ticks * tick_ns);
}

/* Which columns of a table of /proc belong to the CPUs that are asked for. */
struct columns {
    size_t count;
    bool any;
    bool wanted[CPUSET_MAX];
};

/* A header "     CPU0  CPU2 ...": a CPU that is offline has no column. */
static void parse_header(const char *line, const struct cpuset *cpus, struct columns *out)
{
    out->count = 0;
    out->any = false;
    for (line += strspn(line, " \t"); strncmp(line, "CPU", 3) == 0; line += strspn(line, " \t")) {
        uint64_t cpu;
        line = tree_number(line + 3, &cpu);
        if (!line || out->count == CPUSET_MAX)
            return;
        bool wanted = cpu < CPUSET_MAX && cpuset_has(cpus, (unsigned)cpu);
        out->wanted[out->count++] = wanted;
        out->any |= wanted;
    }
}

/* The wanted counts of a line, or 0 when it has fewer columns and so is not by CPU. */
static int64_t sum_line(const char *at, const struct columns *columns)
{
    int64_t sum = 0;
    for (size_t i = 0; i < columns->count; i++) {
        uint64_t value;
        at = tree_number(at, &value);
        if (!at)
            return 0;
        if (columns->wanted[i])
            sum = add_counts(sum, value);
    }
    return sum;
}

/* ERR and MIS are one number for the machine, which on one CPU looks like a column. */
static bool is_machine_wide(const char *label)
{
    return strncasecmp(label, "ERR:", 4) == 0 || strncasecmp(label, "MIS:", 4) == 0;
}

static int64_t sum_table(const char *root, const char *path, const struct cpuset *cpus)
{
    int64_t sum = -1;
    struct columns *columns = malloc(sizeof *columns);
    char *text = tree_read_all(root, path);
    if (!columns || !text)
        goto out;
    parse_header(text, cpus, columns);
    if (!columns->any)
        goto out;
    sum = 0;
    for (const char *line = tree_next_line(text); line; line = tree_next_line(line)) {
        const char *label = line + strspn(line, " \t");
        const char *colon = label + strcspn(label, ":\n");
        if (*colon == ':' && !is_machine_wide(label))
            sum = add_counts(sum, (uint64_t)sum_line(colon + 1, columns));
    }
out:
    free(text);
    free(columns);
    return sum;
}

enum { STAT_USER, STAT_NICE, STAT_SYSTEM, STAT_IDLE, STAT_IOWAIT, STAT_IRQ, STAT_SOFTIRQ, STAT_STEAL, STAT_FIELDS };

/* The tick counts after "cpu" or "cpuN"; returns how many there are (old kernels have fewer). */
static size_t parse_ticks(const char *at, uint64_t ticks[STAT_FIELDS])
{
    size_t count = 0;
    while (count < STAT_FIELDS && (at = tree_number(at, &ticks[count])))
        count++;
    return count;
}

static int64_t sum_steal(const char *root, const struct cpuset *cpus)
{
    uint64_t ticks[STAT_FIELDS], cpu;
    int64_t sum = -1;
    char *text = tree_read_all(root, "/proc/stat");
    for (const char *line = text; line; line = tree_next_line(line)) {
        if (strncmp(line, "cpu", 3) != 0 || line[3] < '0' || line[3] > '9')
            continue;
        const char *at = tree_number(line + 3, &cpu);
        if (at && cpu < CPUSET_MAX && cpuset_has(cpus, (unsigned)cpu) && parse_ticks(at, ticks) == STAT_FIELDS)
            sum = add_counts(sum < 0 ? 0 : sum, (uint64_t)ticks_to_ns(ticks[STAT_STEAL]));
    }
    free(text);
    return sum;
}

void machine_read_counters(const char *root, const struct cpuset *cpus, struct machine_counters *out)
{
    *out = (struct machine_counters){
        .irqs = sum_table(root, "/proc/interrupts", cpus),
        .softirqs = sum_table(root, "/proc/softirqs", cpus),
        .steal_ns = sum_steal(root, cpus),
    };
}

static int64_t stat_number(const char *line, const char *key, int64_t otherwise)
{
    size_t length = strlen(key);
    uint64_t value;
    if (strncmp(line, key, length) != 0 || line[length] != ' ' || !tree_number(line + length, &value))
        return otherwise;
    return add_counts(0, value);
}

static int64_t sum_ns(const uint64_t *ticks, const int *fields, size_t count)
{
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum = add_counts(sum, (uint64_t)ticks_to_ns(ticks[fields[i]]));
    return sum;
}

void machine_read_activity(const char *root, struct machine_activity *out)
{
    /* Guest time is part of user and nice time already. */
    static const int busy[] = {STAT_USER, STAT_NICE, STAT_SYSTEM, STAT_IRQ, STAT_SOFTIRQ};
    static const int idle[] = {STAT_IDLE, STAT_IOWAIT};
    *out = (struct machine_activity){-1, -1, -1, -1, -1, -1};
    char *text = tree_read_all(root, "/proc/stat");
    for (const char *line = text; line; line = tree_next_line(line)) {
        uint64_t ticks[STAT_FIELDS];
        out->ctx_switches = stat_number(line, "ctxt", out->ctx_switches);
        out->interrupts = stat_number(line, "intr", out->interrupts);
        out->forks = stat_number(line, "processes", out->forks);
        size_t fields = strncmp(line, "cpu ", 4) == 0 ? parse_ticks(line + 4, ticks) : 0;
        if (fields > STAT_SOFTIRQ) {
            out->busy_ns = sum_ns(ticks, busy, sizeof busy / sizeof busy[0]);
            out->idle_ns = sum_ns(ticks, idle, sizeof idle / sizeof idle[0]);
        }
        if (fields > STAT_STEAL)
            out->steal_ns = ticks_to_ns(ticks[STAT_STEAL]);
    }
    free(text);
}

static uint64_t khz_from_cpuinfo(const char *text, unsigned cpu)
{
    uint64_t current = UINT64_MAX, number;
    for (const char *line = text; line; line = tree_next_line(line)) {
        const char *value = tree_line_value(line, "processor");
        if (value)
            current = tree_number(value, &number) ? number : UINT64_MAX;
        value = current == cpu ? tree_line_value(line, "cpu MHz") : NULL;
        if (value) {
            double mhz = strtod(value, NULL);
            return isfinite(mhz) && mhz > 0 && mhz < 1e6 ? (uint64_t)(mhz * 1000 + 0.5) : 0;
        }
    }
    return 0;
}

uint64_t machine_cpu_khz(const char *root, unsigned cpu)
{
    char path[96];
    uint64_t khz;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", cpu);
    if (tree_read_u64(root, path, &khz))
        return khz;
    char *text = tree_read_all(root, "/proc/cpuinfo");
    khz = khz_from_cpuinfo(text, cpu);
    free(text);
    return khz;
}
