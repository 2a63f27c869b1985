/* SPDX-License-Identifier: MIT */
/* Memory that runs out, and blocks that are checked when they are freed: a write behind the end of a block fails the
 * test. The Makefile has the allocations of a program with this file come here (MEMORY). */
#ifndef MEMORY_FIXTURE_H
#define MEMORY_FIXTURE_H

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Refused when none is left. */
static unsigned allocations_left = UINT_MAX;
/* Refused when it is 0; the following ones are not. */
static unsigned allocations_before_refusal = UINT_MAX;
/* Blocks that were not freed yet. */
static size_t allocations_live;

#define MEMORY_MAGIC UINT64_C(0x6d656d6f7279206f)
enum { MEMORY_GUARD = 64, MEMORY_FILL = 0xa5 };

struct memory_head {
    uint64_t magic;
    size_t size;
    unsigned char guard[MEMORY_GUARD]; /* a multiple of 16: the block keeps the alignment of malloc() */
};

void *__real_malloc(size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *block, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *block);

/* No block for a size of 0, as the C standard allows. */
void *__wrap_malloc(size_t size)
{
    const bool refused = !size || !allocations_left || !allocations_before_refusal;
    struct memory_head *head = refused ? NULL : __real_malloc(sizeof(*head) + size + MEMORY_GUARD);

    allocations_before_refusal -= size && allocations_before_refusal != UINT_MAX;
    if (!head)
        return NULL;
    allocations_left -= allocations_left != UINT_MAX;
    allocations_live++;
    head->magic = MEMORY_MAGIC;
    head->size = size;
    /* A block that is read before it was written gives no valid pointer or figure. */
    memset(head->guard, MEMORY_FILL, MEMORY_GUARD + size + MEMORY_GUARD);
    return head + 1;
}

void *__wrap_calloc(size_t n, size_t size)
{
    void *block = __wrap_malloc(n * size);

    return block ? memset(block, 0, n * size) : NULL;
}

static bool memory_is_guard(const unsigned char *at)
{
    return at[0] == MEMORY_FILL && !memcmp(at, at + 1, MEMORY_GUARD - 1);
}

/* False for a block of the C library's own, as open_memstream() gives: what is before it is not ours to look at. */
__attribute__((no_sanitize_address)) static bool memory_is_ours(const void *block)
{
    return ((const struct memory_head *)block - 1)->magic == MEMORY_MAGIC;
}

/* Returns the head of a block whose guards are untouched. */
static struct memory_head *memory_checked(void *block)
{
    struct memory_head *head = (struct memory_head *)block - 1;

    if (!memory_is_guard(head->guard) || !memory_is_guard((const unsigned char *)block + head->size))
        fail_msg("a write outside a block of %zu bytes", head->size);
    return head;
}

void __wrap_free(void *block)
{
    if (!block)
        return;
    if (!memory_is_ours(block)) {
        __real_free(block);
        return;
    }
    struct memory_head *head = memory_checked(block);
    head->magic = 0;
    allocations_live--;
    __real_free(head);
}

/* Always moves the block, so that a pointer to the old one is not used unnoticed. */
void *__wrap_realloc(void *block, size_t size)
{
    void *larger = __wrap_malloc(size);

    if (!larger || !block)
        return larger;
    const size_t before = memory_checked(block)->size;
    memcpy(larger, block, before < size ? before : size);
    memset(block, MEMORY_FILL, before);
    __wrap_free(block);
    return larger;
}

char *__wrap_strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = __wrap_malloc(size);

    return copy ? memcpy(copy, text, size) : NULL;
}

/* Calls attempt() with its first allocation refused, then with its second, ..., for which it must return an error
 * (below 0), until none is refused, for which it must return 0. It frees all it has got. Returns the number of its
 * allocations. */
static inline unsigned memory_needed(int (*attempt)(void))
{
    const size_t live = allocations_live;

    for (unsigned number = 0;; number++) {
        allocations_before_refusal = number;
        const int result = attempt();
        const bool refused = allocations_before_refusal > number; /* it went on to UINT_MAX and is not counted there */
        allocations_before_refusal = UINT_MAX;
        if (refused ? result >= 0 : result != 0)
            fail_msg("%d with allocation %u %s", result, number, refused ? "refused" : "not reached");
        assert_int_equal(allocations_live, live);
        if (!refused)
            return number;
    }
}

/* As memory_needed(), for code that may also end the program when memory runs out (sys/memory.h): a refusal must end it
 * with status 1, or make the attempt return an error. */
static inline unsigned memory_needed_or_end(int (*attempt)(void))
{
    const size_t live = allocations_live;
    const unsigned most = UINT_MAX - 1;

    allocations_before_refusal = most;
    assert_int_equal(attempt(), 0);
    const unsigned needed = most - allocations_before_refusal;
    allocations_before_refusal = UINT_MAX;
    assert_int_equal(allocations_live, live);
    (void)fflush(NULL); /* what is buffered is not written again by a child that ends */
    for (unsigned number = 0; number < needed; number++) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0) {
            (void)close(2);
            allocations_before_refusal = number;
            _exit(attempt() < 0 && allocations_live == live ? 1 : 2);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 1)
            fail_msg("status 0x%x with allocation %u refused", (unsigned)status, number);
    }
    return needed;
}

#endif
