/* SPDX-License-Identifier: MIT */
#include "sys/base.h"

#include <stdarg.h>
#include <stdio.h>

int fail_because(int code, char *reason, size_t size, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(reason, size, format, args);
    va_end(args);
    return code;
}
