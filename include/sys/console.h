/* SPDX-License-Identifier: MIT */
/* The machine's console (/dev/console). */
#ifndef SYS_CONSOLE_H
#define SYS_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens it as standard input, output and error, which stay as they are if that fails. blocking: writes may hang
 * while the console accepts no data (cable pulled, interrupt disabled by the kernel). */
void console_take(bool blocking);

/* In a child: starts a session whose controlling terminal is standard input, so that Ctrl-C reaches it. */
void console_own_session(void);

/* Returns whether kernel messages may come between the output to fd: a terminal that is not a pseudo-terminal. */
bool console_is_shared(int fd);

/* Turns kernel messages but emergencies off or on. Has no effect without root. */
void console_quiet(bool quiet);

/* Writes all, unless fd accepts nothing for stall_ns or stop() returns true (called ten times a second; NULL:
 * never). Returns 0; -ETIMEDOUT after a stall, -EINTR after stop(), or another -errno. */
int console_write(int fd, const char *data, size_t length, uint64_t stall_ns, bool (*stop)(void));

/* Waits until all output is transmitted, or none for stall_ns. */
void console_drain(int fd, uint64_t stall_ns);

#endif
