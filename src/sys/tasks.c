/* SPDX-License-Identifier: MIT */
/* Reads names and CPU times of all tasks, names of kernel functions, and counts of interrupts from /proc. */
#include "sys/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/base.h"
#include "sys/process.h"

#define KERNEL_THREAD 0x00200000u /* flag PF_KTHREAD of linux/sched.h */

/* Copies the name of a task. The name of a kworker thread is cut before '+' or '-', since what follows is the last work
 * item that it ran; those of rescuers ("kworker/R-NAME") are not. */
static void copy_name(const char *from, size_t length, bool kernel, char to[TASKS_NAME])
{
    if (kernel && length > 8 && !strncmp(from, "kworker/", 8) && strncmp(from, "kworker/R-", 10) != 0)
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

static int by_number(const void *a, const void *b)
{
    const struct tasks_one *x = a, *y = b;

    return ORDER_OF(x->tid, y->tid);
}

int tasks_times(const char *root, struct tasks_times *times)
{
    FREED_BY(memory_free) char **processes = procfs_names(root, "/proc");
    char text[512];

    times->n = 0;
    if (!processes)
        return -errno;
    for (size_t i = 0; processes[i]; i++) {
        if (processes[i][strspn(processes[i], "0123456789")])
            continue;
        FREED_BY(memory_free) char **tasks = procfs_names(root, PROCFS_PATH("/proc/%s/task", processes[i]));
        for (size_t k = 0; tasks && tasks[k]; k++) {
            struct tasks_one one = {.tid = (uint32_t)strtoul(tasks[k], NULL, 10)};
            (void)procfs_read(root, PROCFS_PATH("/proc/%s/task/%s/schedstat", processes[i], tasks[k]), text,
                              sizeof(text));
            if (!procfs_number(text, &one.cpu_ns))
                continue;
            (void)procfs_read(root, PROCFS_PATH("/proc/%s/task/%s/stat", processes[i], tasks[k]), text, sizeof(text));
            if (parse_stat(text, &one) && grow_array(&times->of, &times->capacity, times->n, sizeof(*times->of)))
                times->of[times->n++] = one;
        }
    }
    if (times->n)
        qsort(times->of, times->n, sizeof(*times->of), by_number);
    return times->n ? 0 : -ENOENT;
}

/* --- Functions. --- */

void tasks_kernel_functions(const char *root, struct tasks_function *functions, size_t n)
{
    char line[512], *end;
    FILE *file = n ? fopen(PROCFS_PATH("%s/proc/kallsyms", root), "re") : NULL; /* too long to be read into memory */

    while (file && fgets(line, sizeof(line), file)) { /* "ffffffff81000000 T function" */
        const uint64_t address = strtoull(line, &end, 16);
        for (size_t i = 0; address && i < n; i++)
            if (functions[i].address == address && !functions[i].name[0] && end[0] == ' ' && end[1] && end[2] == ' ')
                (void)snprintf(functions[i].name, TASKS_NAME, "%.*s", (int)strcspn(end + 3, " \t\n"), end + 3);
    }
    if (file)
        (void)fclose(file);
}
