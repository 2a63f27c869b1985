/* SPDX-License-Identifier: MIT */
/* Checks that all unit tests share; tests/Makefile has these calls of all of them come here.
 *
 * Memory: a write outside of a block fails the test, and so does a block that it does not free.
 * qsort(): its comparison is asked whether it is one at all: nothing comes before itself, and of two neighbours either
 * one comes first, whichever is asked for. Some C libraries sort right with one that is wrong. */

#include "memory_fixture.h"

unsigned allocations_left = UINT_MAX, allocations_before_refusal = UINT_MAX;
size_t allocations_live;

/* AddressSanitizer tells where a guard is touched. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, size)   ((void)(at))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at))
#endif

enum { GUARD = 64, FILL = 0xa5, UNMAPPED = 32 << 20 };

/* In front of a block. The guard is a multiple of 16: the block keeps the alignment of malloc(). */
struct head {
    size_t size, unused;
    unsigned char guard[GUARD];
};

void *__real_malloc(size_t size);
void __real_free(void *block);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *block, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *block);

/* Fills the block from an offset on. */
static void *allocate(size_t size, size_t from)
{
    const bool refused = !size || !allocations_left || !allocations_before_refusal || size > SIZE_MAX / 2;
    struct head *head = refused ? NULL : __real_malloc(sizeof(*head) + size + GUARD);

    allocations_before_refusal -= size && allocations_before_refusal != UINT_MAX;
    if (!head)
        return NULL;
    allocations_left -= allocations_left != UINT_MAX;
    (void)__atomic_add_fetch(&allocations_live, 1, __ATOMIC_RELAXED);
    head->size = size;
    memset(head->guard, FILL, GUARD);
    /* A block that is read before it was written gives no valid pointer or figure. */
    memset((unsigned char *)(head + 1) + from, FILL, size - from + GUARD);
    ASAN_POISON_MEMORY_REGION(head->guard, GUARD);
    ASAN_POISON_MEMORY_REGION((unsigned char *)(head + 1) + size, GUARD);
    return head + 1;
}

/* No block for a size of 0, as the C standard allows. */
void *__wrap_malloc(size_t size)
{
    return allocate(size, 0);
}

void *__wrap_calloc(size_t n, size_t size)
{
    size_t all;
    void *block = __builtin_mul_overflow(n, size, &all) ? NULL : __wrap_malloc(all);

    return block ? memset(block, 0, all) : NULL;
}

static bool is_guard(const unsigned char *at)
{
    return at[0] == FILL && !memcmp(at, at + 1, GUARD - 1);
}

/* Blocks of the C library, as open_memstream() gives, are freed by the program too. These have the allocator's own
 * figures in front of them. */
__attribute__((no_sanitize("address"))) static bool is_ours(const void *block)
{
    const unsigned char *before = (const unsigned char *)block - 16;

    for (unsigned i = 0; i < 16; i++)
        if (before[i] != FILL)
            return false;
    return true;
}

/* Returns the head of a block whose guards are untouched. */
static struct head *checked(void *block)
{
    struct head *head = (struct head *)block - 1;

    ASAN_UNPOISON_MEMORY_REGION(head->guard, GUARD);
    ASAN_UNPOISON_MEMORY_REGION((unsigned char *)block + head->size, GUARD);
    if (!is_guard(head->guard) || !is_guard((const unsigned char *)block + head->size))
        fail_msg("a write outside a block of %zu bytes", head->size);
    return head;
}

void __wrap_free(void *block)
{
    if (!block)
        return;
    if (!is_ours(block)) {
        __real_free(block);
        return;
    }
    struct head *head = checked(block);
    (void)__atomic_sub_fetch(&allocations_live, 1, __ATOMIC_RELAXED);
    /* A larger one has a mapping of its own (mallopt(3)), and is not there any more. */
    memset(head, 0, sizeof(*head) + (head->size > UNMAPPED ? 0 : head->size));
    __real_free(head);
}

/* Always moves the block, so that a pointer to the old one is not used unnoticed. */
void *__wrap_realloc(void *block, size_t size)
{
    if (block && !is_ours(block))
        return __real_realloc(block, size);
    const size_t before = block ? checked(block)->size : 0, kept = before < size ? before : size;
    void *moved = allocate(size, kept);
    if (!moved || !block)
        return moved;
    memcpy(moved, block, kept);
    __wrap_free(block);
    return moved;
}

char *__wrap_strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = __wrap_malloc(size);

    return copy ? memcpy(copy, text, size) : NULL;
}

/* --- qsort(). --- */

void __real_qsort(void *base, size_t n, size_t size, int (*compare)(const void *a, const void *b));
void __wrap_qsort(void *base, size_t n, size_t size, int (*compare)(const void *a, const void *b));

static int order_sign(int order)
{
    return (order > 0) - (order < 0);
}

static void order_check(const char *base, size_t n, size_t size, int (*compare)(const void *a, const void *b))
{
    for (size_t i = 0; i < n; i++) {
        const char *a = base + i * size, *b = base + (i + 1 < n ? i + 1 : i) * size;
        assert_int_equal(compare(a, a), 0);
        assert_int_equal(order_sign(compare(a, b)), -order_sign(compare(b, a)));
    }
}

void __wrap_qsort(void *base, size_t n, size_t size, int (*compare)(const void *a, const void *b))
{
    order_check(base, n, size, compare);
    __real_qsort(base, n, size, compare);
    order_check(base, n, size, compare);
}

/* --- Blocks that a test does not free. --- */

int __real__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t n,
                                   CMFixtureFunction group_setup, CMFixtureFunction group_teardown);
int __wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t n,
                                   CMFixtureFunction group_setup, CMFixtureFunction group_teardown);

/* The program keeps the table that the first call makes. NULL: the test does not link it. */
const struct metrics *metrics_table(void) __attribute__((weak));

/* The next test, and how many blocks there were before the present one. */
static const struct CMUnitTest *test;
static size_t live_before;

static int before_test(void **state)
{
    test++;
    live_before = allocations_live;
    return test[-1].setup_func ? test[-1].setup_func(state) : 0;
}

static int after_test(void **state)
{
    const int error = test[-1].teardown_func ? test[-1].teardown_func(state) : 0;

    if (allocations_live <= live_before)
        return error;
    print_error("%s: %zu blocks were not freed\n", test[-1].name, allocations_live - live_before);
    return -1;
}

int __wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t n,
                                   CMFixtureFunction group_setup, CMFixtureFunction group_teardown)
{
    struct CMUnitTest *with = __real_malloc(n * sizeof(*with));

    assert_non_null(with);
    for (size_t i = 0; i < n; i++) {
        with[i] = tests[i];
        with[i].setup_func = before_test;
        with[i].teardown_func = after_test;
    }
    test = tests;
    if (metrics_table)
        (void)metrics_table();
    const int failed = __real__cmocka_run_group_tests(name, with, n, group_setup, group_teardown);
    __real_free(with);
    return failed;
}
