/* SPDX-License-Identifier: MIT */
/* Signals that ask the program to end. They are blocked except while the engine waits, so that nothing is cut short
 * between two steps. */
#ifndef ENGINE_SIGNALS_H
#define ENGINE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Blocks and catches SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP and SIGCHLD; ignores SIGPIPE and SIGXFSZ. A signal that
 * was ignored when the program was started (nohup) stays ignored. */
void signals_init(void);
/* The mask to wait with: none of them blocked. */
const sigset_t *signals_wait_mask(void);
/* The number of the first signal that asked for the end, or 0. Looks at pending ones too. */
int signals_pending(void);
/* Whether Ctrl-Z (SIGTSTP) has asked that the program stop. Who waits with that mask and has processes to stop first
 * asks for it after the wait; the functions here that wait do all else. */
bool signals_stop_wanted(void);
/* Stops the program, as it would have without a handler. Comes back when it is continued. */
void signals_stop(void);
/* Sleeps for ns, or until a signal asks for the end. */
void signals_sleep_ns(uint64_t ns);
/* "was killed by signal 9 (Killed): perhaps out of memory", of one of our processes. */
void signals_describe_kill(int number, char *buf, size_t size);
/* "SIGINT"; strsignal() says "Interrupt", which reads like a cause. */
const char *signals_name(int number);
/* Writes all of it, and returns how much was written: less on an error (errno), or when a signal asked for the end
 * while nobody reads (EINTR). The signals are blocked otherwise, so a plain write() to a pipe whose reader stalls could
 * not be ended. To a regular file it is a single write() as far as the kernel goes along. */
size_t signals_write(int fd, const char *data, size_t length);
/* In a child between fork and exec: everything as the program found it. */
void signals_restore(void);

#endif
