/* SPDX-License-Identifier: MIT */
/* Linked into a copy of the program: with ALLOCATION=N in the environment its Nth allocation fails, with ALLOCATION=N+
 * that one and all later ones. ALLOCATION_MARK names a file that is made when one fails. Processes that the program
 * executes itself have another environment, and keep all of theirs. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *block, size_t size);
char *__wrap_strdup(const char *text);

static unsigned long count, failing;
static const char *mark;
static bool stays;

/* Those of the C library's own start are over. */
__attribute__((constructor)) static void begin(void)
{
    const char *order = getenv("ALLOCATION");
    char *end;

    mark = getenv("ALLOCATION_MARK");
    if (!order || !mark)
        return;
    failing = strtoul(order, &end, 10);
    stays = *end == '+';
}

static bool refuse(void)
{
    if (!failing || (++count != failing && !(stays && count > failing)))
        return false;
    int fd = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0)
        (void)close(fd);
    errno = ENOMEM;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return refuse() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return refuse() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    return refuse() ? NULL : __real_realloc(block, size);
}

char *__wrap_strdup(const char *text)
{
    char *copy = __wrap_malloc(strlen(text) + 1);

    return copy ? strcpy(copy, text) : NULL;
}
