/* SPDX-License-Identifier: MIT */
/* Takes over the machine's console (/dev/console), and writes to it without blocking forever. */
#ifndef SYS_CONSOLE_H
#define SYS_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens /dev/console as standard input, output and error. When blocking is true, writes may hang while the console
 * accepts no data (cable pulled, interrupt disabled by the kernel). If it cannot be opened, the descriptors stay as
 * they are. */
void console_take(bool blocking);

/* To be called in a child process: starts a new session whose controlling terminal is standard input, so that keys like
 * Ctrl-C reach it. */
void console_own_session(void);

/* Returns whether the kernel may print its messages between the output to fd: true for a terminal that is not a
 * pseudo-terminal. */
bool console_is_shared(int fd);

/* Turns kernel messages on the console off (all but emergencies) or on again. Has no effect without root. */
void console_quiet(bool quiet);

/* Writes all of the data, unless fd accepts nothing for stall_ns or stop() returns true (called ten times a second;
 * NULL: never). Returns 0; -ETIMEDOUT after a stall, -EINTR after stop(), or another -errno. */
int console_write(int fd, const char *data, size_t length, uint64_t stall_ns, bool (*stop)(void));

/* Waits until a terminal has transmitted all output, or has transmitted nothing for stall_ns. */
void console_drain(int fd, uint64_t stall_ns);

#endif
