/* SPDX-License-Identifier: MIT */
#include <stdarg.h>

#include "sys/process.h"

int fail_because(int code, char *reason, size_t size, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(reason, size, format, args);
    va_end(args);
    return code;
}

#define CAPACITY_FIRST 16u

/* Command to end when memory runs out; NULL: grow_array() returns false instead. */
static const char *ending;

void memory_out(void)
{
    message_print("jitbench%s%s: out of memory\n", ending ? " " : "", ending ? ending : "");
    exit(1);
}

void memory_exits(const char *command)
{
    ending = command;
}

void memory_free(void *pointer)
{
    void *memory;

    memcpy(&memory, pointer, sizeof(memory));
    free(memory);
}

void fd_close(const int *fd)
{
    const int error = errno;

    if (*fd >= 0)
        close(*fd);
    errno = error;
}

void *memory_get(size_t n, size_t size)
{
    void *memory = calloc(n ? n : 1, size);

    if (!memory)
        memory_out();
    return memory;
}

bool grow_array(void *array, size_t *capacity, size_t wanted, size_t size)
{
    size_t larger = *capacity ? *capacity : CAPACITY_FIRST;
    bool fits = true;
    void *at;

    if (wanted < *capacity)
        return true;
    while (fits && larger <= wanted)
        fits = !__builtin_mul_overflow(larger, (size_t)2, &larger);
    memcpy(&at, array, sizeof(at));
    at = fits && larger <= SIZE_MAX / size ? realloc(at, larger * size) : NULL;
    if (!at && ending)
        memory_out();
    if (!at)
        return false;
    memcpy(array, &at, sizeof(at));
    *capacity = larger;
    return true;
}

void memory_grow(void *array, size_t *capacity, size_t wanted, size_t size)
{
    if (!grow_array(array, capacity, wanted, size))
        memory_out();
}
