/* SPDX-License-Identifier: MIT */
/* Runs other programs: finds them, starts them without a shell and without copying the caller's memory, and reads the
 * kernel's counters for them. */
#ifndef SYS_PROGRAM_H
#define SYS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "sys/task.h"

/* Finds a program as execvp() does: a name with a '/' is used as it is, other names are searched in the directories
 * of path ("a:b"; NULL: the system's default). Returns 0 with the file in buf; -ENOENT; -EACCES when files exist but
 * none may be executed; -ENAMETOOLONG. */
int program_find(const char *name, const char *path, char *buf, size_t size);

struct program {
    const char *path; /* file to execute; the kernel refuses a script without '#!' */
    char *const *argv, *const *envp;
    int fds[3]; /* descriptors that become the program's standard input, output and error; -1: /dev/null */
    /* Called in the new process before the exec; may be NULL. It shares the memory of the caller, which waits
     * meanwhile, and so may only make system calls and write plain variables. An error (-errno) ends the process. */
    int (*prepare)(void *context);
    void *context;
    /* If not NULL, the program gets a process group of its own, which this guard, started for group 0, ends. */
    struct program_guard *guard;
};

/* Prepares the calling process for starting programs; to be called once. It becomes the parent of their orphans
 * (subreaper), and SIGCHLD and SIGTERM, for which program_wait() waits, are blocked. */
void program_be_parent(void);

/* Returns 0 when a new process can share the caller's memory, which program_start() and program_guard() need; or
 * -errno. Under qemu-user it is -EINVAL, as only threads can share memory there. */
int program_can_share(void);

/* Starts a program in a new process, which is killed when the calling thread ends. It has no descriptors but fds, no
 * signal is blocked, and all have their default actions; everything else is inherited. Returns its pid, with the time
 * (CLOCK_MONOTONIC_RAW) just before the exec in exec_ns; or -errno of the step that failed, and no process is left. */
pid_t program_start(const struct program *program, uint64_t *exec_ns);

/* Waits until the program has ended, but does not reap it (see program_reap()). The caller has one thread and has
 * blocked SIGCHLD. Times are those of CLOCK_MONOTONIC_RAW. Returns 0 with the time of the end in end_ns, -ETIMEDOUT
 * when it still runs at until_ns, -EINTR after a signal that asks the caller to end (SIGINT, SIGTERM, SIGHUP, SIGQUIT;
 * it stays pending), or -errno when it cannot be waited for. */
int program_wait(pid_t pid, uint64_t until_ns, uint64_t *end_ns);

struct program_end {
    int status;          /* status as waitpid() gives it */
    struct rusage usage; /* resources used by the process and all children that it waited for */
    unsigned last_cpu;   /* CPU on which it ended; CPUSET_NONE: not known */
    struct task_counters counters;
};
/* Reaps the process (waits for it and frees its PID); kills it first when it still runs. In end->counters, migrations
 * and run_delay_ns are those of its main thread only, and -1 when other threads used a tenth of the CPU time or more.
 * Returns 0 or -errno. */
int program_reap(pid_t pid, struct program_end *end);

/* Returns whether the calling process has children that still run. Reaps those that have ended. */
bool program_has_children(void);

/* Starts a guard: a process in a process group of its own that kills this process group (0: none yet) if the caller
 * ends, for any reason, before it has called program_unguard(). (The kernel kills only the caller's children, not their
 * children.) The guard shares the caller's memory, and the struct holds its stack: it must not move, and must be all
 * zero at first. Returns 0 or -errno. */
#define PROGRAM_GUARD_STACK 16384
struct program_guard {
    pid_t pid, group;
    bool dismissed;
    int fd, life_fd, answer_fd;
    char stack[PROGRAM_GUARD_STACK] __attribute__((aligned(64)));
};
int program_guard(struct program_guard *guard, pid_t group);
void program_unguard(struct program_guard *guard); /* ends the guard; does nothing when guard is all zero */

/* Ends all orphans (processes whose parent has ended) that the calling process has inherited as a subreaper. It must
 * have reaped all processes that it started itself. Orphans that end by themselves within grace_ns are not killed.
 * Returns how many were killed. */
unsigned program_end_orphans(uint64_t grace_ns);

#endif
