/* SPDX-License-Identifier: MIT */
/* Reports which tasks and interrupts took the time of CPUs, with their names. */
#include "engine/who_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "rows/text.h"
#include "sys/memory.h"
#include "sys/order.h"

/* Inode of the machine's initial PID namespace, from linux/proc_ns.h. */
#define FIRST_PID_NAMESPACE 0xeffffffcu

bool who_others_are_hidden(void)
{
    struct stat status;

    return stat("/proc/self/ns/pid", &status) == 0 && status.st_ino != FIRST_PID_NAMESPACE;
}

/* --- Making the report of one CPU. --- */

static void describe_task(const struct who *who, const struct who_taker *taker, struct who_entry *entry)
{
    const struct who_taker *task = who_task(who, taker->tid);
    struct tasks_one one;

    if (task)
        text_copy(entry->name, sizeof(entry->name), task->name);
    if (tasks_read("", taker->tid, &one)) {
        entry->kernel = one.kernel;
        if (!entry->name[0])
            text_copy(entry->name, sizeof(entry->name), one.name);
    }
    if (!entry->name[0] && task && task->parent) { /* the task has ended and its name was not recorded: it began with
                                                    * that of its parent */
        const struct who_taker *parent = who_task(who, task->parent);
        if (parent && parent->name[0])
            text_copy(entry->name, sizeof(entry->name), parent->name);
        else if (tasks_read("", task->parent, &one))
            text_copy(entry->name, sizeof(entry->name), one.name);
    }
}

static void add_time(struct who_entry *entry, const struct who_taker *taker, const float *cell)
{
    entry->n += taker->n;
    entry->ns += taker->ns;
    entry->max_ns = taker->max_ns > entry->max_ns ? taker->max_ns : entry->max_ns;
    for (unsigned i = 0; i < WHO_CELLS; i++)
        entry->cell[i] += cell[i];
}

static void add_name(struct who_report *report, uint32_t tid, const char *name, bool kernel)
{
    struct who_name *named = report->n_names < WHO_NAMES ? &report->named[report->n_names++] : NULL;

    if (named) {
        *named = (struct who_name){.tid = tid, .kernel = kernel};
        text_copy(named->name, sizeof(named->name), name);
    }
}

/* Adds to the report the names of tasks that were recorded, the last ones first, and those of tasks that have ended
 * since the recording began. */
static void fill_names(const struct who *who, const struct tasks_times *before, struct who_report *report)
{
    struct tasks_one one;

    for (size_t i = who->n; i-- > 0;)
        if (who->takers[i].kind == WHO_TASK && who->takers[i].name[0])
            add_name(report, who->takers[i].tid, who->takers[i].name, false);
    for (size_t i = 0; i < before->n && report->n_names < WHO_NAMES; i++)
        if (!tasks_read("", before->of[i].tid, &one))
            add_name(report, before->of[i].tid, before->of[i].name, before->of[i].kernel);
}

void who_report_fill(const struct who *who, const struct tasks_times *before,
                     bool (*counts)(const void *context, const struct who_taker *taker), const void *context,
                     struct who_report *report)
{
    for (size_t i = 0, n = 0; i < who->n_order; i++) {
        const struct who_taker *taker = &who->takers[who->order[i].taker];
        if (counts && !counts(context, taker))
            continue;
        const size_t at = n < WHO_ENTRIES - 1 ? n++ : WHO_ENTRIES - 1;
        struct who_entry *entry = &report->entry[at];
        if (at == report->n) {
            report->n++;
            *entry = (struct who_entry){.kind = taker->kind, .tid = taker->tid, .number = taker->number};
            memcpy(entry->name, taker->name, sizeof(entry->name));
            if (at == WHO_ENTRIES - 1)
                *entry = (struct who_entry){.kind = WHO_OTHERS};
            else if (taker->kind == WHO_TASK && taker->tid)
                describe_task(who, taker, entry);
        }
        add_time(entry, taker, who->cell[who->order[i].taker]);
    }
    fill_names(who, before, report);
    report->observed_ns = who->to - who->from;
    report->records_lost = who->lost;
    for (size_t i = 0; i < who->n_spans; i++) {
        const struct who_span *span = &who->spans[i];
        const uint64_t begin = span->from > who->from ? span->from : who->from;
        const uint64_t end = span->to < who->to ? span->to : who->to;
        report->lost_ns += end > begin ? end - begin : 0;
    }
}

/* --- Joining reports: one line for each name. --- */

/* Copies a name with blanks replaced by underscores, since it becomes part of a row's parameters, which are separated
 * by blanks. */
static void put_word(char *to, size_t size, const char *from)
{
    text_copy(to, size, from);
    text_sanitize(to);
    for (char *at = to; *at; at++)
        *at = *at == ' ' ? '_' : *at;
}

/* Returns the name of a task from the first report that has it; the name is "" when none has it. */
static struct who_name reported_name(const struct who_report *const *reports, size_t n, uint32_t tid)
{
    for (size_t r = 0; r < n; r++)
        for (uint32_t i = 0; i < reports[r]->n_names; i++)
            if (reports[r]->named[i].tid == tid)
                return reports[r]->named[i];
    return (struct who_name){.tid = tid};
}

static void name_line(const struct who_report *const *reports, size_t n, const struct who_report *report,
                      const struct who_entry *entry, struct who_line *line)
{
    static const char *const kinds[WHO_KINDS] = {
        [WHO_TASK] = "task",        [WHO_IRQ] = "irq",       [WHO_SOFTIRQ] = "softirq",
        [WHO_VECTOR] = "interrupt", [WHO_UNSEEN] = "unseen", [WHO_OTHERS] = "others"};
    const char *name = entry->name, *softirq = trace_softirq_name(entry->number);
    struct who_name reported = {.tid = 0};
    char number[40];

    if (entry->kind == WHO_TASK && entry->tid && !name[0]) {
        reported = reported_name(reports, n, entry->tid);
        name = reported.name;
    }
    text_copy(line->kind, sizeof(line->kind), entry->kernel || reported.kernel ? "kthread" : kinds[entry->kind]);
    if (entry->kind == WHO_TASK && !entry->tid)
        text_copy(line->kind, sizeof(line->kind), report->outside ? "outside" : "idle");
    if (entry->kind == WHO_SOFTIRQ && softirq)
        name = softirq;
    if (!name[0] && entry->kind == WHO_TASK && entry->tid)
        (void)snprintf(number, sizeof(number), "pid_%u", entry->tid);
    else if (!name[0] && (entry->kind == WHO_IRQ || entry->kind == WHO_SOFTIRQ))
        (void)snprintf(number, sizeof(number), "%llu", (unsigned long long)entry->number);
    else
        text_copy(number, sizeof(number), line->kind);
    put_word(line->name, sizeof(line->name), name[0] ? name : number);
}

static bool same_line(const struct who_line *a, const struct who_line *b)
{
    return !strcmp(a->kind, b->kind) && !strcmp(a->name, b->name) && !strcmp(a->work, b->work) &&
           (strcmp(a->kind, "irq") != 0 || a->number == b->number);
}

/* Kernel functions that work items call: addresses and names. */
struct work {
    uint64_t addresses[WHO_ENTRIES];
    char names[WHO_ENTRIES][TRACE_NAME_SIZE];
    size_t n;
};

/* Finds the names of the kernel functions of all work items in the reports. */
static void name_work(const struct who_report *const *reports, size_t n, struct work *work)
{
    for (size_t r = 0; r < n; r++)
        for (uint32_t e = 0; e < reports[r]->n; e++) {
            const struct who_entry *entry = &reports[r]->entry[e];
            size_t i = 0;
            while (i < work->n && work->addresses[i] != entry->number)
                i++;
            if (entry->kind == WHO_TASK && entry->number && i == work->n && i < WHO_ENTRIES)
                work->addresses[work->n++] = entry->number;
        }
    tasks_kernel_functions("", work->addresses, work->n, work->names);
}

static int by_time(const void *a, const void *b)
{
    const struct who_line *x = a, *y = b;

    return x->ns != y->ns ? ORDER_OF(y->ns, x->ns) : ORDER_OF(y->n, x->n);
}

size_t who_join(const struct who_report *const *reports, size_t n, struct who_line **lines)
{
    struct work work = {.n = 0};
    size_t n_lines = 0, capacity = 0;

    *lines = NULL;
    name_work(reports, n, &work);
    for (size_t r = 0; r < n; r++)
        for (uint32_t e = 0; e < reports[r]->n; e++) {
            const struct who_entry *entry = &reports[r]->entry[e];
            struct who_line line = {.tid = entry->tid, .number = entry->number, .tasks = 1};
            size_t i = 0;
            name_line(reports, n, reports[r], entry, &line);
            if (entry->kind == WHO_TASK && entry->number) {
                while (i < work.n && work.addresses[i] != entry->number)
                    i++;
                put_word(line.work, sizeof(line.work), i < work.n && work.names[i][0] ? work.names[i] : "work");
            }
            for (i = 0; i < n_lines && !same_line(&(*lines)[i], &line); i++)
                ;
            if (i == n_lines) {
                if (!grow_array(lines, &capacity, n_lines, sizeof(**lines))) {
                    free(*lines);
                    *lines = NULL;
                    return 0;
                }
                (*lines)[n_lines++] = line;
            } else if ((*lines)[i].tid != line.tid) {
                (*lines)[i].tasks++;
            }
            (*lines)[i].n += (double)entry->n;
            (*lines)[i].ns += (double)entry->ns;
            (*lines)[i].max_ns = fmax((*lines)[i].max_ns, (double)entry->max_ns);
            cpuset_add(&(*lines)[i].cpus, reports[r]->cpu);
            (*lines)[i].entries |= r ? 0 : (uint64_t)1 << e;
            for (unsigned c = 0; c < WHO_CELLS; c++)
                (*lines)[i].cell[c] += entry->cell[c];
        }
    if (n_lines)
        qsort(*lines, n_lines, sizeof(**lines), by_time);
    return n_lines;
}
