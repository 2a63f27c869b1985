/* SPDX-License-Identifier: MIT */
/* The machine's console. */
#ifndef SYS_CONSOLE_H
#define SYS_CONSOLE_H

#include <stdbool.h>

/* Makes /dev/console standard input, output and error. What it cannot open stays as it is. */
void console_take(void);

/* In a child: a session of its own, whose terminal standard input becomes, so that keys like Ctrl-C reach it. */
void console_own_session(void);

/* Keeps messages of the kernel off the console, all but emergencies, or lets them back. Needs root; otherwise
 * nothing happens. */
void console_quiet(bool quiet);

/* Waits until all that was written to the descriptor is out, when it is a terminal. */
void console_drain(int fd);

#endif
