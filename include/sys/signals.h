/* SPDX-License-Identifier: MIT */
/* Handles the signals that ask the program to end or stop. They are blocked except while the program waits, so that no
 * step of its work is interrupted half-way. */
#ifndef SYS_SIGNALS_H
#define SYS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Blocks and catches SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP and SIGCHLD; ignores SIGPIPE and SIGXFSZ. A signal
 * that was ignored at program start (nohup) stays ignored. */
void signals_init(void);
/* Returns the signal mask for ppoll() and the like: the signals that signals_init() blocks are unblocked in it. */
const sigset_t *signals_wait_mask(void);
/* Returns the number of the first signal that asked the program to end (SIGINT, SIGTERM, SIGHUP, SIGQUIT), or 0. Looks
 * at pending signals too. */
int signals_pending(void);
/* Returns whether Ctrl-Z (SIGTSTP) asked the program to stop. A caller that waits with signals_wait_mask() and has
 * other processes to stop first checks this after each wait, then calls signals_stop(). The functions here that wait do
 * both by themselves. */
bool signals_stop_wanted(void);
/* Stops the program as SIGTSTP does without a handler. Returns when the program is continued (SIGCONT). */
void signals_stop(void);
/* Sleeps for ns, or until a signal asks the program to end. */
void signals_sleep_ns(uint64_t ns);
/* Writes how a child process was killed, for messages: "was killed by signal 9 (Killed): perhaps out of memory". */
void signals_describe_kill(int number, char *buf, size_t size);
/* Returns the name of a signal that asks the program to end ("SIGINT"), "a signal" for others. (strsignal() returns
 * "Interrupt", which users could take for an interrupt of the hardware.) */
const char *signals_name(int number);
/* Writes all of the data and returns how many bytes were written: fewer on an error (errno), or when a signal asked the
 * program to end while the reader of a pipe or terminal accepts no data (EINTR); a plain write() could not be
 * interrupted, since the signals are blocked. A regular file gets a single write() as long as the kernel accepts all of
 * it. */
size_t signals_write(int fd, const char *data, size_t length);
/* As signals_write(), but fails with ETIMEDOUT after stall_ns. */
size_t signals_write_within(int fd, const char *data, size_t length, uint64_t stall_ns);
/* To be called in a child between fork and exec: restores the signal mask and actions with which the program was
 * started. */
void signals_restore(void);

#endif
