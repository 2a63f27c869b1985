/* SPDX-License-Identifier: MIT */
/* Reads names and CPU times of all tasks, names of kernel functions, and counts of interrupts from /proc. */
#include "sys/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/memory.h"
#include "sys/order.h"
#include "sys/procfs.h"

#define KERNEL_THREAD 0x00200000u /* flag PF_KTHREAD of linux/sched.h */

/* Copies the name of a task. The name of a kworker thread is cut before '+' or '-', since what follows is the last work
 * item that it ran. */
static void copy_name(const char *from, size_t length, bool kernel, char to[TASKS_NAME])
{
    if (kernel && length > 8 && !strncmp(from, "kworker/", 8))
        length = strcspn(from, "+-") < length ? strcspn(from, "+-") : length;
    length = length < TASKS_NAME - 1 ? length : TASKS_NAME - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

/* Parses the text of /proc/PID/stat, "123 (name) S 2 0 0 0 -1 69238880 ...". The name may contain brackets and blanks.
 * Returns false when it is damaged. */
static bool parse_stat(const char *text, struct tasks_one *out)
{
    const char *open = strchr(text, '('), *close = strrchr(text, ')');
    unsigned parent, group, flags;

    if (!open || !close || close < open || sscanf(close + 1, " %*c %u %u %*d %*d %*d %u", &parent, &group, &flags) != 3)
        return false;
    out->parent = parent;
    out->group = group;
    out->kernel = (flags & KERNEL_THREAD) != 0;
    copy_name(open + 1, (size_t)(close - open - 1), out->kernel, out->name);
    return true;
}

bool tasks_read(const char *root, uint32_t tid, struct tasks_one *out)
{
    char text[512];

    *out = (struct tasks_one){.tid = tid};
    (void)procfs_read(root, PROCFS_PATH("/proc/%u/stat", tid), text, sizeof(text));
    return parse_stat(text, out);
}

/* --- CPU times. --- */

static void add_task(const char *root, const char *process, const char *task, struct tasks_times *times)
{
    char text[512];
    struct tasks_one one = {.tid = (uint32_t)strtoul(task, NULL, 10)};

    (void)procfs_read(root, PROCFS_PATH("/proc/%s/task/%s/schedstat", process, task), text, sizeof(text));
    if (!procfs_number(text, &one.cpu_ns))
        return;
    (void)procfs_read(root, PROCFS_PATH("/proc/%s/task/%s/stat", process, task), text, sizeof(text));
    if (parse_stat(text, &one) && grow_array(&times->of, &times->capacity, times->n, sizeof(*times->of)))
        times->of[times->n++] = one;
}

static int by_number(const void *a, const void *b)
{
    const struct tasks_one *x = a, *y = b;

    return ORDER_OF(x->tid, y->tid);
}

int tasks_times(const char *root, unsigned part, unsigned parts, struct tasks_times *times)
{
    FREED_BY(memory_free) char **processes = procfs_names(root, "/proc");

    times->n = 0;
    if (!processes)
        return -errno;
    for (size_t i = 0; processes[i]; i++) {
        if (processes[i][strspn(processes[i], "0123456789")] || strtoul(processes[i], NULL, 10) % parts != part)
            continue;
        FREED_BY(memory_free) char **tasks = procfs_names(root, PROCFS_PATH("/proc/%s/task", processes[i]));
        for (size_t k = 0; tasks && tasks[k]; k++)
            add_task(root, processes[i], tasks[k], times);
    }
    if (times->n)
        qsort(times->of, times->n, sizeof(*times->of), by_number);
    return times->n ? 0 : -ENOENT;
}

/* --- Functions. --- */

/* Parses a line of /proc/kallsyms, "ffffffff81000000 T function", and stores the name if it is at one of n
 * addresses. */
static void parse_symbol(const char *line, const uint64_t *addresses, size_t n, char (*names)[TASKS_NAME])
{
    char *end;
    const uint64_t address = strtoull(line, &end, 16);

    for (size_t i = 0; address && i < n; i++)
        if (addresses[i] == address && !names[i][0] && end[0] == ' ' && end[1] && end[2] == ' ')
            (void)snprintf(names[i], TASKS_NAME, "%.*s", (int)strcspn(end + 3, " \t\n"), end + 3);
}

void tasks_kernel_functions(const char *root, const uint64_t *addresses, size_t n, char (*names)[TASKS_NAME])
{
    char line[512];
    FILE *file = n ? fopen(PROCFS_PATH("%s/proc/kallsyms", root), "re") : NULL; /* too long to be read into memory */

    while (file && fgets(line, sizeof(line), file))
        parse_symbol(line, addresses, n, names);
    if (file)
        (void)fclose(file);
}

/* --- Interrupts. --- */

/* Returns the number of the CPU's column, from 0, in the header " CPU0 CPU2 ..."; -1 when it has none. */
static int column_of(const char *line, unsigned cpu)
{
    int column = 0;
    uint64_t number;

    for (line += strspn(line, " \t"); !strncmp(line, "CPU", 3); line += strspn(line, " \t"), column++) {
        line = procfs_number(line + 3, &number);
        if (!line || number == cpu)
            return line ? column : -1;
    }
    return -1;
}

/* Parses a line of /proc/interrupts. Returns false when it does not count by CPU. */
static bool parse_line(const char *line, int column, struct interrupt_count *out)
{
    const char *label = line + strspn(line, " \t"), *at = label + strcspn(label, ":\n");
    const int length = (int)(at - label);
    uint64_t count;

    if (*at != ':' || length == 0)
        return false;
    at++;
    for (const char *next; (next = procfs_number(at, &count)); at = next)
        if (column-- == 0)
            out->count = count;
    if (column >= 0)
        return false;
    const char *end = at + strcspn(at, "\n"), *word = end;
    while (word > at && word[-1] != ' ')
        word--;
    (void)snprintf(out->name, sizeof(out->name), "%.*s:%.*s", length < 12 ? length : 12, label, (int)(end - word),
                   word);
    return true;
}

size_t tasks_interrupts(const char *root, unsigned cpu, struct interrupt_count *out, size_t most)
{
    FREED_BY(memory_free) char *text = procfs_read_all(root, "/proc/interrupts");
    const int column = text ? column_of(text, cpu) : -1;
    const char *line = column >= 0 ? procfs_next_line(text) : NULL;
    size_t n = 0;

    for (; line && n < most; line = procfs_next_line(line))
        n += parse_line(line, column, &out[n]);
    return n;
}
