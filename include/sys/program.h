/* SPDX-License-Identifier: MIT */
/* Runs other programs without a shell and without copying the caller's memory, and reads the kernel's counters for
 * them. */
#ifndef SYS_PROGRAM_H
#define SYS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "sys/task.h"

/* Finds a program as execvp() does, in the directories of path ("a:b"; NULL: the system's default). Returns 0 with
 * the file in buf; -ENOENT; -EACCES when files exist but none may be executed; -ENAMETOOLONG. */
int program_find(const char *name, const char *path, char *buf, size_t size);

struct program {
    const char *path; /* the kernel refuses a script without '#!' */
    char *const *argv, *const *envp;
    int fds[3]; /* standard input, output and error; -1: /dev/null */
    /* Called in the new process before the exec; may be NULL. It shares the caller's memory, and so may only make
     * system calls and write plain variables. An error (-errno) ends the process. */
    int (*prepare)(void *context);
    void *context;
    /* If not NULL, the program gets a process group, which this guard, started for group 0, ends. */
    struct program_guard *guard;
};

/* To be called once: the calling process becomes the parent of orphans (subreaper), and SIGCHLD and SIGTERM, for
 * which program_wait() waits, are blocked. */
void program_be_parent(void);

/* Returns 0 when a new process can share the caller's memory, as program_start() and program_guard() need; or -errno
 * (-EINVAL under qemu-user). */
int program_can_share(void);

/* Starts a program, which is killed when the calling thread ends. It has no descriptors but fds, and no signal is
 * blocked or handled; the rest is inherited. Returns its pid, with the time (CLOCK_MONOTONIC_RAW) just before the
 * exec; or -errno of the step that failed, and no process is left. */
pid_t program_start(const struct program *program, uint64_t *exec_ns);

/* Waits for the end without reaping. The caller has one thread and has blocked SIGCHLD. Times are
 * CLOCK_MONOTONIC_RAW. Returns 0, -ETIMEDOUT when it still runs at until_ns, -EINTR after a signal that asks the
 * caller to end (it stays pending), or -errno. */
int program_wait(pid_t pid, uint64_t until_ns, uint64_t *end_ns);

struct program_end {
    int status;          /* status as waitpid() gives it */
    struct rusage usage; /* of the process and all children it waited for */
    unsigned last_cpu;   /* CPUSET_NONE: not known */
    struct task_counters counters;
};
/* Reaps the process; kills it first when it still runs. Of end->counters, migrations and run_delay_ns are its main
 * thread's only, and -1 when other threads used a tenth of the CPU time or more. Returns 0 or -errno. */
int program_reap(pid_t pid, struct program_end *end);

/* Reaps children that have ended. Returns whether others still run. */
bool program_has_children(void);

/* Starts a guard: a process in a group of its own that kills this process group (0: none yet) if the caller ends
 * before program_unguard(). (The kernel kills only the caller's children, not theirs.) It shares the caller's
 * memory, and the struct holds its stack: it must not move, and is all zero at first. Returns 0 or -errno. */
#define PROGRAM_GUARD_STACK 16384
struct program_guard {
    pid_t pid, group;
    bool dismissed;
    int fd, life_fd, answer_fd;
    char stack[PROGRAM_GUARD_STACK] __attribute__((aligned(64)));
};
int program_guard(struct program_guard *guard, pid_t group);
void program_unguard(struct program_guard *guard); /* does nothing when guard is all zero */

/* Ends all orphans that the caller, who has reaped its own children, inherited as a subreaper, but those that end
 * within grace_ns. Returns how many were killed. */
unsigned program_end_orphans(uint64_t grace_ns);

#endif
