/* SPDX-License-Identifier: MIT */
/* Programs of others: where they are, started without a shell and without a copy of the caller, and what the kernel
 * counted for them. */
#ifndef SYS_PROGRAM_H
#define SYS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "sys/task.h"

/* Finds a program as execvp() does: a name with a '/' as it is, another one in the folders of path ("a:b"; NULL: the
 * system's default). 0 with the file in buf; -ENOENT; -EACCES when there is one, but none that may be executed;
 * -ENAMETOOLONG. */
int program_find(const char *name, const char *path, char *buf, size_t size);

struct program {
    const char *path; /* is executed as it is: a script without '#!' is refused by the kernel */
    char *const *argv, *const *envp;
    int fds[3]; /* become its 0, 1 and 2 */
    /* Called in the new process, last before the exec; may be NULL. It shares the caller's memory, and the caller waits
     * meanwhile: system calls and plain stores only. */
    void (*prepare)(void *context);
    void *context;
};

/* To be called once in a process that starts programs: it becomes the parent of what they leave behind, and blocks
 * SIGCHLD, which program_wait() waits for. */
void program_be_parent(void);

/* 0 when a new process can share the caller's memory, as program_start() and program_guard() need it; or -errno.
 * qemu-user says -EINVAL: it knows shared memory of threads alone. */
int program_can_share(void);

/* Starts it in a new process that dies with the calling thread, with SIGCHLD and SIGALRM neither blocked nor caught.
 * Everything else is inherited. Returns its pid, with the time (CLOCK_MONOTONIC_RAW) right before the exec in exec_ns;
 * or -errno of what failed, and then no process is left. */
pid_t program_start(const struct program *program, uint64_t *exec_ns);

/* Waits until it has ended, and leaves it to be reaped by program_reap(). SIGCHLD must be blocked in the caller, which
 * has one thread. 0 with the time of the end in end_ns, -ETIMEDOUT when it still runs at until_ns, or -errno when it
 * cannot be waited for. */
int program_wait(pid_t pid, uint64_t until_ns, uint64_t *end_ns);

struct program_end {
    int status;          /* as waitpid() gives it */
    struct rusage usage; /* of it and of all that it waited for */
    unsigned last_cpu;   /* CPUSET_NONE: not known */
    struct task_counters counters;
};
/* Reaps it when it has ended, or after killing it when not. In counters, migrations and run_delay_ns are those of its
 * main thread alone, and therefore -1 when others used a tenth of the CPU time or more. 0 or -errno. */
int program_reap(pid_t pid, struct program_end *end);

/* Whether the calling process has children that still run. Reaps those that have ended. */
bool program_has_children(void);

/* A process in a group of its own that kills the caller's process group when the caller has ended, however that was,
 * without calling program_unguard(). Children of the caller die with it, but not theirs. It shares the caller's memory,
 * and the struct holds its stack: it must stay where it is, and be all zero at first. 0 or -errno. */
#define PROGRAM_GUARD_STACK 16384
struct program_guard {
    pid_t pid, group;
    bool dismissed;
    int fd, life_fd, answer_fd;
    char stack[PROGRAM_GUARD_STACK] __attribute__((aligned(64)));
};
int program_guard(struct program_guard *guard);
void program_unguard(struct program_guard *guard); /* does nothing for one that is all zero */

/* Ends everything that the calling process has become the parent of (it is a subreaper, and all that it started itself
 * has been reaped). What ends within grace_ns by itself is not killed. Returns how many were killed. */
unsigned program_end_orphans(uint64_t grace_ns);

#endif
