/* SPDX-License-Identifier: MIT */
/* Each allocation of a function refused in turn, and whether the function frees what it allocated. The Makefile
 * redirects the calls of a program that includes this file (ALLOCATIONS). Memory that the C library allocates for
 * itself is neither refused nor counted. */
#ifndef ALLOCATION_FIXTURE_H
#define ALLOCATION_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static struct {
    bool watched;
    unsigned n;       /* allocations since allocation_begin() */
    unsigned refused; /* number of the one that is refused, from 1; 0: none */
    size_t n_in_use;
    const void *in_use[4096];
} allocation;

static bool allocation_is_refused(void)
{
    return allocation.watched && ++allocation.n == allocation.refused;
}

static void *allocation_enter(void *memory)
{
    if (memory && allocation.watched) {
        assert_true(allocation.n_in_use < sizeof(allocation.in_use) / sizeof(allocation.in_use[0]));
        allocation.in_use[allocation.n_in_use++] = memory;
    }
    return memory;
}

static void allocation_leave(const void *memory)
{
    for (size_t i = 0; i < allocation.n_in_use; i++)
        if (allocation.in_use[i] == memory) {
            allocation.in_use[i] = allocation.in_use[--allocation.n_in_use];
            return;
        }
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    return allocation_is_refused() ? NULL : allocation_enter(__real_malloc(size));
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
    return allocation_is_refused() ? NULL : allocation_enter(__real_calloc(n, size));
}

void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size)
{
    if (allocation_is_refused())
        return NULL;
    allocation_leave(memory);
    return allocation_enter(__real_realloc(memory, size));
}

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
    return allocation_is_refused() ? NULL : allocation_enter(__real_strdup(text));
}

void __real_free(void *memory);
void __wrap_free(void *memory);
void __wrap_free(void *memory)
{
    allocation_leave(memory);
    __real_free(memory);
}

static void allocation_begin(unsigned refused)
{
    allocation.watched = true;
    allocation.n = 0;
    allocation.n_in_use = 0;
    allocation.refused = refused;
}

/* Returns the number of allocations since allocation_begin(); all must have been freed. */
static unsigned allocation_end(void)
{
    allocation.watched = false;
    assert_int_equal(allocation.n_in_use, 0);
    return allocation.n;
}

/* Calls a function with each of its allocations refused, until it makes no more of them. It must return an error
 * whenever one is refused, and 0 when none is, and must free everything in either case. Returns the number of its
 * allocations. */
static unsigned allocation_refuse_each(int (*call)(void))
{
    for (unsigned refused = 1;; refused++) {
        allocation_begin(refused);
        int error = call();
        unsigned n = allocation_end();
        if (n < refused) {
            assert_int_equal(error, 0);
            return n;
        }
        if (!error)
            fail_msg("allocation %u was refused, and no error is reported", refused);
    }
}

#endif
