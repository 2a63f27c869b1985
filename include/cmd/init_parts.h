/* SPDX-License-Identifier: MIT */
/* Parts of jitbench init: signals, messages and children (init_process.c). */
#ifndef CMD_INIT_PARTS_H
#define CMD_INIT_PARTS_H

#include <limits.h>
#include <sys/types.h>

#include "cmd/init.h"
#include "sys/device_mount.h"
#include "sys/mounts.h"

#define SECOND_NS UINT64_C(1000000000)
#define POLL_NS   (SECOND_NS / 10)

/* Whether this process is PID 1 of a PID namespace, of the machine, or neither. */
enum place { PLACE_ORDINARY, PLACE_NAMESPACE, PLACE_MACHINE };

struct init {
    enum place place;
    struct init_orders orders;
    const char **words; /* words of the command to run; if there are none, the order `run` names it */
    size_t n_words;
    struct mounts mounts;
    char folder[PATH_MAX]; /* directory in which the run writes its CSV; "" when there is none */
    struct device_mount disk;
    char disk_at[PATH_MAX]; /* directory made to mount the disk on; "" when there is none */
    char scratch[PATH_MAX]; /* scratch directory on the disk; "" when none was ordered, or the disk is not available */
    bool asked;             /* a signal has asked for the end: Ctrl-Alt-Del is SIGINT */
    int status;             /* exit status, if it exits */
};

/* init_process.c */
/* Returns whether a signal that asks for the end is pending. */
bool init_end_is_asked(void);
/* Writes to the console. Gives up with -EINTR when stop() returns true; stop may be NULL. Returns 0 or -errno. */
int init_put(int fd, const char *data, size_t length, bool (*stop)(void));
/* Waits until the console has sent its output. */
void init_drain(int fd);
/* Writes a message to the console. */
void init_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* As an ordinary process, leaves signals ignored that its parent ignored, here and in the run: see nohup(1). */
void init_leave_ignored(void);
/* ours: blocks the signals for which init waits, and ignores others. Otherwise restores the defaults, for a child. */
void init_set_signals(bool ours);
/* Waits for a signal, SIGCHLD included. Returns its number; 0 when none came within ns nanoseconds (0: no limit). */
int init_wait_signal(uint64_t ns);
/* Reaps all processes that have ended. Returns true with the status when pid is among them; or, for pid 0, when there
 * are no more children. Returns false otherwise, with errno set when the kernel reported an error, else 0. */
bool init_reap(pid_t pid, int *status);
/* Waits for the child's end. Returns its status as waitpid() does. */
int init_wait_child(struct init *init, pid_t pid);
/* Called by a child before it executes a program. */
void init_child_begin(const struct init *init);
/* Ends the machine's remaining processes. They get SIGTERM first, so that they can complete their writes. */
void init_end_processes(void);

#endif
