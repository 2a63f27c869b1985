/* SPDX-License-Identifier: MIT */
/* Reads all tasks (processes and threads) of the machine from /proc: names and CPU times. Also names the kernel's
 * functions. root: directory before /proc, "" except in tests. */
#ifndef SYS_TASKS_H
#define SYS_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TASKS_NAME 32u

struct tasks_one {
    uint32_t tid, parent, group; /* the task; the parent and the process group of its process */
    bool kernel;                 /* a kernel thread */
    uint64_t cpu_ns;             /* CPU time so far, set by tasks_times() only */
    char name[TASKS_NAME];
};

/* Reads everything but the CPU time of the task with this number. Returns false when there is none. */
bool tasks_read(const char *root, uint32_t tid, struct tasks_one *out);

/* Tasks with their CPU times, threads included, in ascending order of tid. */
struct tasks_times {
    struct tasks_one *of;
    size_t n, capacity;
};
/* Reads all tasks. Returns 0 or -errno. The caller frees times->of in both cases. */
int tasks_times(const char *root, struct tasks_times *times);

struct tasks_function {
    uint64_t address;
    char name[TASKS_NAME];
};
/* Finds the names of n of the kernel's functions by their addresses (/proc/kallsyms); a name stays "" where the kernel
 * does not tell. */
void tasks_kernel_functions(const char *root, struct tasks_function *functions, size_t n);

#endif
