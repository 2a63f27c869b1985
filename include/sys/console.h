/* SPDX-License-Identifier: MIT */
/* The machine's console (/dev/console). */
#ifndef SYS_CONSOLE_H
#define SYS_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes /dev/console standard input, output and error. When blocking is true, writes may hang while the console
 * accepts no data (cable pulled, interrupt disabled by the kernel). Descriptors that cannot be opened stay as they
 * are. */
void console_take(bool blocking);

/* Called in a child: starts a new session whose controlling terminal is standard input, so that keys like Ctrl-C
 * reach it. */
void console_own_session(void);

/* Returns whether messages of the kernel can appear between the program's own output: true on a terminal that is not
 * a pseudo-terminal. */
bool console_is_shared(int fd);

/* Turns kernel messages on the console off (all but emergencies), or on again. Needs root; otherwise has no effect. */
void console_quiet(bool quiet);

/* Writes all of the data, unless the descriptor accepts nothing for stall_ns or stop returns true (called ten times
 * a second; NULL: never). Returns 0 or -errno: -ETIMEDOUT, -EINTR. */
int console_write(int fd, const char *data, size_t length, uint64_t stall_ns, bool (*stop)(void));

/* Waits until all output of a terminal is transmitted, unless it makes no progress for stall_ns. */
void console_drain(int fd, uint64_t stall_ns);

#endif
