/* SPDX-License-Identifier: MIT */
#include "sys/process.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/base.h"

#define STALL_NS 1000000000u

static bool lost;

static void put(const char *format, va_list args)
{
    char line[512];
    FREED_BY(memory_free) char *longer = NULL;
    va_list again;

    va_copy(again, args);
    const int length = vsnprintf(line, sizeof(line), format, args);
    if (length >= (int)sizeof(line) && vasprintf(&longer, format, again) < 0) {
        longer = NULL; /* without memory, the message is cut */
        line[sizeof(line) - 2] = '\n';
    }
    va_end(again);
    const char *text = longer ? longer : line;
    /* after a stall it gets no further second */
    if (signals_write_within(STDERR_FILENO, text, strlen(text), lost ? 0 : STALL_NS) < strlen(text))
        lost = lost || errno == ETIMEDOUT;
}

void message_print(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put(format, args);
    va_end(args);
}

void message_hint(const char *format, ...)
{
    struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};
    const bool before = lost;
    va_list args;

    if (poll(&ready, 1, 0) <= 0)
        return;
    lost = true; /* it gets no second */
    va_start(args, format);
    put(format, args);
    va_end(args);
    lost = before;
}

bool message_lost(void)
{
    return lost;
}
