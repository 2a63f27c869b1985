/* SPDX-License-Identifier: MIT */
/* Memory that runs out. All allocations of all unit tests come to checked.c, which also finds writes outside of a block
 * and blocks that are not freed. */
#ifndef MEMORY_FIXTURE_H
#define MEMORY_FIXTURE_H

#include "../test.h"

/* Allocations are refused when none is left. */
extern unsigned allocations_left;
/* An allocation is refused when it is 0; the following ones are not. */
extern unsigned allocations_before_refusal;
/* Blocks that were not freed yet. */
extern size_t allocations_live;

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

/* As memory_needed(), for code that may also end the program when memory runs out (sys/base.h): a refusal must end it
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
