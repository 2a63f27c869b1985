/* SPDX-License-Identifier: MIT */
/* Messages to the user on standard error, which may be a pipe or terminal that accepts nothing. */
#ifndef SYS_MESSAGE_H
#define SYS_MESSAGE_H

#include <stdbool.h>

/* Drops the message when standard error accepts nothing for a second, or when a signal asks the program to end. */
void message_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* For progress: dropped unless standard error accepts it now. */
void message_hint(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Returns whether message_print() has dropped a message because standard error stalled. */
bool message_lost(void);

#endif
