/* SPDX-License-Identifier: MIT */
/* All tasks of the machine: names and CPU times from /proc; names of the kernel's functions. */
#ifndef SYS_TASKS_H
#define SYS_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TASKS_NAME 32u

struct tasks_one {
    uint32_t tid, parent, group; /* parent and process group: of its process */
    bool kernel;                 /* a kernel thread */
    uint64_t cpu_ns;             /* set by tasks_times() only */
    char name[TASKS_NAME];
};

/* Reads name and kind of a task. Returns false when there is none of that number. */
bool tasks_read(const char *root, uint32_t tid, struct tasks_one *out);

/* CPU times of tasks, threads included, in the order of their numbers. */
struct tasks_times {
    struct tasks_one *of;
    size_t n, capacity;
};
/* Reads the tasks of the processes whose numbers leave the rest `part` when divided by `parts` (0 and 1: all of them).
 * Returns 0 or -errno. free(times->of) in both cases. */
int tasks_times(const char *root, unsigned part, unsigned parts, struct tasks_times *times);

/* Finds the names of functions of the kernel by their addresses; names stay "" where the kernel does not tell. */
void tasks_kernel_functions(const char *root, const uint64_t *addresses, size_t n, char (*names)[TASKS_NAME]);

/* A line of /proc/interrupts in the column of one CPU. */
struct interrupt_count {
    char name[TASKS_NAME]; /* its label and the last word: "24:virtio0-input.0", "LOC:interrupts" */
    uint64_t count;
};
/* Reads the lines of a CPU, at most `most` of them. Returns their number. */
size_t tasks_interrupts(const char *root, unsigned cpu, struct interrupt_count *out, size_t most);

#endif
