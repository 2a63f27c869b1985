/* SPDX-License-Identifier: MIT */
/* Reads all tasks (processes and threads) of the machine from /proc: names and CPU times. Also names the kernel's
 * functions, and counts interrupts. root: directory before /proc, "" except in tests. */
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
/* Reads the tasks of those processes whose number modulo `parts` is `part`, so that several callers can share the work
 * (part 0 of 1: all processes). Returns 0 or -errno. The caller frees times->of in both cases. */
int tasks_times(const char *root, unsigned part, unsigned parts, struct tasks_times *times);

/* Finds the names of the kernel's functions at n addresses (/proc/kallsyms); a name stays "" where the kernel does not
 * tell. The names must be "" before. */
void tasks_kernel_functions(const char *root, const uint64_t *addresses, size_t n, char (*names)[TASKS_NAME]);

/* How often one CPU got the interrupts of a line of /proc/interrupts. */
struct interrupt_count {
    char name[TASKS_NAME]; /* label and last word of the line: "24:virtio0-input.0", "LOC:interrupts" */
    uint64_t count;
};
/* Reads the counts of a CPU from at most `most` lines. Returns the number of lines. */
size_t tasks_interrupts(const char *root, unsigned cpu, struct interrupt_count *out, size_t most);

#endif
