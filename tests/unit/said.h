/* SPDX-License-Identifier: MIT */
/* What the code under test says on standard error by command_fail(), without the names in front. The test is linked
 * with
 * --wrap=fail_as. */
#ifndef SAID_H
#define SAID_H

#include "cmd/cmd.h"

static struct error said;

int __wrap_fail_as(bool named, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
int __wrap_fail_as(bool named, int status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(said.text, sizeof(said.text), format, args);
    va_end(args);
    return status;
}

#endif
