/* SPDX-License-Identifier: MIT */
/* The signals that ask the program to end or stop. They are blocked except while it waits, so that no step is
 * interrupted half-way. */
#ifndef SYS_SIGNALS_H
#define SYS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Blocks and catches SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP and SIGCHLD; ignores SIGPIPE and SIGXFSZ. One that
 * was ignored at program start (nohup) stays ignored. */
void signals_init(void);
/* For ppoll() and the like: unblocks what signals_init() blocks. */
const sigset_t *signals_wait_mask(void);
/* Returns the first signal, also a pending one, that asked the program to end (SIGINT, SIGTERM, SIGHUP, SIGQUIT), or
 * 0. */
int signals_pending(void);
/* Returns whether Ctrl-Z (SIGTSTP) came. A caller that waits with signals_wait_mask() and has other processes to
 * stop first checks this after each wait, then calls signals_stop(). Functions here that wait do both. */
bool signals_stop_wanted(void);
/* Stops as SIGTSTP does without a handler. Returns after SIGCONT. */
void signals_stop(void);
/* Also ends when a signal asks the program to end. */
void signals_sleep_ns(uint64_t ns);
/* "was killed by signal 9 (Killed): perhaps out of memory" */
void signals_describe_kill(int number, char *buf, size_t size);
/* "SIGINT", or "a signal" for others than the ending ones. (strsignal() says "Interrupt", which could be taken for
 * the hardware's.) */
const char *signals_name(int number);
/* Writes all, and returns how many bytes: fewer on an error (errno), or when a signal asked the program to end while
 * a pipe or terminal accepts no data (EINTR; write() could not be interrupted, since the signals are blocked). A
 * regular file gets a single write() as long as the kernel takes all of it. */
size_t signals_write(int fd, const char *data, size_t length);
/* Fails with ETIMEDOUT after stall_ns. */
size_t signals_write_within(int fd, const char *data, size_t length, uint64_t stall_ns);
/* In a child between fork and exec: restores mask and actions of the program's start. */
void signals_restore(void);

#endif
