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

/* Whether this process is PID 1: it is not, it is that of a PID namespace (a container), or that of the machine. */
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
    bool asked;             /* a signal asked init to end (Ctrl-Alt-Del sends SIGINT) */
    int status;             /* exit status of init, unless it powers the machine off or stays */
};

/* In init_process.c: */
/* Returns whether a signal that asks for the end is pending. */
bool init_end_is_asked(void);
/* Writes to the console fd. Gives up with -EINTR when stop() returns true (stop may be NULL), and with -ETIMEDOUT when
 * the console accepts no data for two minutes. Returns 0 or -errno. */
int init_put(int fd, const char *data, size_t length, bool (*stop)(void));
/* Waits until the console has sent its output. */
void init_drain(int fd);
/* Writes the line "jitbench init: MESSAGE" to standard error, which is the console of a machine. */
void init_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Called before init_set_signals() when this process is not PID 1. Of the signals that ask it to end (such as SIGHUP),
 * those that its parent ignored stay ignored, here and in the measuring process, so that nohup(1) works. */
void init_leave_ignored(void);
/* ours true: blocks the signals for which init waits, and ignores SIGPIPE and the terminal's stop signals. ours false:
 * restores the default actions, in a child. */
void init_set_signals(bool ours);
/* Waits for SIGCHLD or a signal that asks init to end. Returns its number; 0 when none came within ns nanoseconds (0:
 * no limit). */
int init_wait_signal(uint64_t ns);
/* Reaps all processes that have ended. Returns true with the status when pid is among them; or, for pid 0, when there
 * are no more children. Returns false otherwise, with errno set when the kernel reported an error, else 0. */
bool init_reap(pid_t pid, int *status);
/* Waits until the child pid has ended. Signals that ask init to end are passed on to the child. Returns its status in
 * the form of waitpid(). */
int init_wait_child(struct init *init, pid_t pid);
/* Called in a child before exec: restores the signals' default actions, and if init is PID 1 of the machine, begins a
 * session on the console. */
void init_child_begin(const struct init *init);
/* Ends all other processes of the machine or PID namespace: with SIGTERM, so that they can complete their writes, then
 * those that remain after two seconds with SIGKILL. */
void init_end_processes(void);

#endif
