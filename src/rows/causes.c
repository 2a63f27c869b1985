/* SPDX-License-Identifier: MIT */
/* engine/trial.c reads the counters of a trial, before and after. */

#include "rows/rows.h"

void causes_add(struct causes *causes, const struct task_counters *task, const struct machine_counters *machine)
{
    if (task)
        known_add(&causes->task, task, sizeof(*task));
    if (machine)
        known_add(&causes->machine, machine, sizeof(*machine));
}

int causes_add_measured(struct causes *causes, const char *name, double ms)
{
    size_t i = 0;

    while (i < causes->n_own && strcmp(causes->own[i].name, name))
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
    const struct task_counters *task = &causes->task;
    const struct machine_counters *machine = &causes->machine;
    const double waited_ms = counter_number(task->run_delay_ns, 1e-6);
    const double throttled_ms = counter_number(machine->throttled_ns, 1e-6), quota = fmin(throttled_ms, waited_ms);
    /* NAN is not known: quota is then the other one */
    const struct {
        const char *name;
        double number;
        bool is_time;
    } all[] = {
        {"quota", throttled_ms > 0 ? quota : NAN, true},
        {"preempted", waited_ms - (throttled_ms > 0 ? quota : 0), true},
        {"steal", counter_number(machine->steal_ns, 1e-6), true},
        {"timer", counter_number(machine->timer, 1), false},
        {"resched", counter_number(machine->resched, 1), false},
        {"ipi", counter_number(machine->ipi, 1), false},
        {"device", counter_number(machine->device, 1), false},
        {"softirq", counter_number(machine->softirqs, 1), false},
        {"fault", counter_number(task->faults_minor, 1) + counter_number(task->faults_major, 1), false},
        {"migrated", counter_number(task->migrations, 1), false},
        {"involuntary", counter_number(task->ctx_involuntary, 1), false},
        {"stopped", stopped ? (double)stopped : NAN, false},
    };

    out->n = 0;
    for (size_t i = 0; i < causes->n_own; i++)
        row_cause_add(out, causes->own[i].name, strlen(causes->own[i].name), true, causes->own[i].ms);
    for (size_t i = 0; i < COUNT(all); i++)
        if (!all[i].is_time || !causes->n_own)
            row_cause_add(out, all[i].name, strlen(all[i].name), all[i].is_time, all[i].number);
}

void causes_text(const struct row_causes *causes, struct text *out)
{
    for (size_t i = 0; i < causes->n; i++) {
        const struct row_cause *cause = &causes->of[i];
        char pair[352]; /* room for the largest double */
        size_t n = (size_t)TEXT_PRINT(pair, "%s%s%c%.3f", i ? ";" : "", cause->name, cause->is_time ? ':' : '=',
                                      cause->number);
        while (pair[n - 1] == '0')
            n--;
        text_append(out, pair, pair[n - 1] == '.' ? n - 1 : n);
    }
}

const char *const detour_cause_names[DETOUR_CAUSES] = {
    [DETOUR_QUOTA] = "quota",       [DETOUR_PREEMPTED] = "preempted", [DETOUR_FAULT] = "fault",
    [DETOUR_MIGRATED] = "migrated", [DETOUR_INTERRUPT] = "interrupt", [DETOUR_STEAL] = "steal",
    [DETOUR_PERIODIC] = "periodic", [DETOUR_SHARED] = "core_shared",  [DETOUR_UNEXPLAINED] = "unexplained",
};

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

/* --- Who had the CPUs. --- */

/* Number of names in the column, besides that of all others. */
#define NAMES_TOLD 5u

void shares_add(struct shares *shares, const char *name, double amount)
{
    shares->failed |= !GROW_ARRAY(shares->of, shares->capacity, shares->n);
    if (shares->failed)
        return;
    text_copy(shares->of[shares->n].name, sizeof(shares->of->name), name);
    shares->of[shares->n++].amount = amount;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct amount *)a)->name, ((const struct amount *)b)->name);
}

static int by_amount(const void *a, const void *b)
{
    const struct amount *x = a, *y = b;

    return x->amount != y->amount ? ORDER_OF(y->amount, x->amount) : by_name(a, b);
}

void shares_sort(struct shares *shares)
{
    size_t n = 0;

    if (!shares->n)
        return;
    SORT(shares->of, shares->n, by_name);
    for (size_t i = 1; i < shares->n; i++)
        if (by_name(&shares->of[n], &shares->of[i]) == 0)
            shares->of[n].amount += shares->of[i].amount;
        else
            shares->of[++n] = shares->of[i];
    shares->n = n + 1;
    SORT(shares->of, shares->n, by_amount);
}

void shares_free(struct shares *shares)
{
    free(shares->of);
}

void interference_merge(struct interference *sum, const struct interference *more)
{
    for (size_t i = 0; i < more->taken.n; i++)
        shares_add(&sum->taken, more->taken.of[i].name, more->taken.of[i].amount);
    shares_sort(&sum->taken);
    sum->looked |= more->looked;
    sum->unrecorded_ms += sum->taken.failed || more->taken.failed ? HUGE_VAL : more->unrecorded_ms;
    if (more->why[0])
        TEXT_SET(sum->why, more->why);
}

void interference_text(const struct interference *interference, char *buf, size_t size)
{
    const struct shares *taken = &interference->taken;
    FREED_BY(text_free) struct text out = {0};
    double rest_ms = 0;

    for (size_t i = 0; i < taken->n; i++)
        if (i < NAMES_TOLD)
            text_printf(&out, ";%s=%.3f", taken->of[i].name, taken->of[i].amount);
        else
            rest_ms += taken->of[i].amount;
    if (taken->n > NAMES_TOLD)
        text_printf(&out, ";others(%zu)=%.3f", taken->n - NAMES_TOLD, rest_ms);
    if (interference->looked && !taken->n && isfinite(interference->unrecorded_ms))
        text_printf(&out, ";nobody=0");
    if (interference->unrecorded_ms > 0)
        text_printf(&out, isfinite(interference->unrecorded_ms) ? ";not_recorded=%.3f" : ";not_recorded=all",
                    interference->unrecorded_ms);
    if (interference->why[0])
        text_printf(&out, ";why=%s", interference->why);
    text_copy(buf, size, out.length && !out.failed ? out.data + 1 : "");
}
