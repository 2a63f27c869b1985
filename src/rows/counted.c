/* SPDX-License-Identifier: MIT */
#include "rows/rows.h"

#include <string.h>

#include "rows/text.h"

static const struct {
    const char *name;
    double unit;
    int decimals;
} keys[COUNTERS] = {
    [COUNTER_CYCLES] = {"cycles", 1, 0},
    [COUNTER_INSTRUCTIONS] = {"instructions", 1, 0},
    [COUNTER_BRANCH_MISSES] = {"branch_misses", 1, 0},
    [COUNTER_CACHE_MISSES] = {"cache_misses", 1, 0},
    [COUNTER_TASK_CLOCK] = {"task_clock_ms", 1e-6, 3},
    [COUNTER_PAGE_FAULTS] = {"page_faults", 1, 0},
    [COUNTER_SWITCHES] = {"switches", 1, 0},
};

/* The kernel's count apart from perf; negative: not known. */
static int64_t other_count(const struct task_counters *task, int counter)
{
    switch (counter) {
    case COUNTER_TASK_CLOCK:
        return task->cpu_ns;
    case COUNTER_PAGE_FAULTS:
        return task->faults_minor < 0 || task->faults_major < 0 ? -1 : task->faults_minor + task->faults_major;
    case COUNTER_SWITCHES:
        return task->ctx_voluntary < 0 || task->ctx_involuntary < 0 ? -1 : task->ctx_voluntary + task->ctx_involuntary;
    default:
        return -1;
    }
}

void counted_add(struct counted *counted, const struct counts *counts, const struct task_counters *task)
{
    counted->n++;
    for (int i = 0; i < COUNTERS; i++) {
        const int64_t other = counts->error[i] ? other_count(task, i) : -1;
        if (counts->error[i] && other < 0) {
            counted->error[i] = counts->error[i];
            continue;
        }
        counted->sum[i] += counts->error[i] ? (double)other : counts->value[i];
        counted->scaled[i] |= counts->scaled[i];
        counted->known[i]++;
    }
}

static bool is_known(const struct counted *counted, int counter)
{
    return counted->n > 0 && counted->known[counter] == counted->n;
}

static void put_ipc(const struct counted *counted, struct text *out)
{
    if (is_known(counted, COUNTER_CYCLES) && is_known(counted, COUNTER_INSTRUCTIONS) &&
        counted->sum[COUNTER_CYCLES] > 0)
        text_printf(out, ";ipc=%s%.3f",
                    counted->scaled[COUNTER_CYCLES] || counted->scaled[COUNTER_INSTRUCTIONS] ? "~" : "",
                    counted->sum[COUNTER_INSTRUCTIONS] / counted->sum[COUNTER_CYCLES]);
}

void counted_text(const struct counted *counted, char *buf, size_t size)
{
    FREED_BY(text_free) struct text out = {0}, missing = {0};
    int error = 0;

    for (int i = 0; i < COUNTERS && counted->n; i++) {
        if (is_known(counted, i)) {
            text_printf(&out, "%s%s=%s%.*f", out.length ? ";" : "", keys[i].name, counted->scaled[i] ? "~" : "",
                        keys[i].decimals, counted->sum[i] * keys[i].unit);
        } else {
            text_printf(&missing, "%s%s", missing.length ? "+" : "", keys[i].name);
            error = error ? error : counted->error[i];
        }
        if (i == COUNTER_INSTRUCTIONS)
            put_ipc(counted, &out);
    }
    if (missing.length)
        text_printf(&out, "%snot_counted=%s;why=%s", out.length ? ";" : "", missing.data, counters_why(error));
    text_copy(buf, size, out.length ? out.data : "");
}

const char *counted_value(const char *text, const char *key, size_t *length)
{
    const size_t size = strlen(key);

    for (; *text; text += strcspn(text, ";"), text += *text == ';')
        if (!strncmp(text, key, size) && text[size] == '=') {
            *length = strcspn(text + size + 1, ";");
            return text + size + 1;
        }
    return NULL;
}
