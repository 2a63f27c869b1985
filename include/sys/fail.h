/* SPDX-License-Identifier: MIT */
/* Returns reasons of failures to the caller as text. */
#ifndef SYS_FAIL_H
#define SYS_FAIL_H

#include <stddef.h>

int fail_because(int code, char *reason, size_t size, const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
