/* SPDX-License-Identifier: MIT */
/* The machine's console. */
#ifndef SYS_CONSOLE_H
#define SYS_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes /dev/console standard input, output and error. Where it blocks, a console that takes nothing more (a cable that
 * was pulled, a port whose interrupt the kernel has given up) holds up whoever writes. What it cannot open stays as it
 * is. */
void console_take(bool blocking);

/* In a child: a session of its own, whose terminal standard input becomes, so that keys like Ctrl-C reach it. */
void console_own_session(void);

/* Whether messages of the kernel can come in between what is written there: on a terminal, but not on a
 * pseudo-terminal. */
bool console_is_shared(int fd);

/* Keeps messages of the kernel off the console, all but emergencies, or lets them back. Needs root; otherwise
 * nothing happens. */
void console_quiet(bool quiet);

/* Writes all of it, unless the descriptor takes nothing for stall_ns, or stop says so (asked ten times a second; NULL:
 * never). 0 or -errno: -ETIMEDOUT, -EINTR. */
int console_write(int fd, const char *data, size_t length, uint64_t stall_ns, bool (*stop)(void));

/* Waits until all that was written to a terminal is out, unless nothing of it goes out for stall_ns. */
void console_drain(int fd, uint64_t stall_ns);

#endif
