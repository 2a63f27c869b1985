/* SPDX-License-Identifier: MIT */
/* The towers of Hanoi: every solution takes its 1023 moves and ends on the third peg. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/unix.h"

enum { FIRST_PEG, SECOND_PEG, THIRD_PEG, MOVES, N_CHECKS };

struct run {
    struct party_context context;
    struct checks *checks;
};

static struct run run(uint64_t first, uint64_t second)
{
    const struct party *party = &bench_hanoi.parties[0];
    struct run r;

    memset(&r, 0, sizeof(r));
    r.checks = malloc(recorder_size(&party->recorders[UNIX_CHECKS]));
    assert_non_null(r.checks);
    recorder_init(&party->recorders[UNIX_CHECKS], r.checks);
    r.context.recorder[UNIX_CHECKS] = r.checks;
    assert_int_equal(party->setup(&r.context), 0);
    assert_int_equal(party->work(&r.context, first), 0);
    assert_int_equal(party->work(&r.context, second), 0);
    assert_int_equal(party->verify(&r.context), 0);
    party->teardown(&r.context);
    assert_null(r.context.state);
    assert_int_equal(r.checks->n, N_CHECKS);
    return r;
}

static void test_hanoi_solution_is_1023_moves_to_the_third_peg(void **state)
{
    struct run r = run(1, 0);
    assert_null(checks_wrong(r.checks));
    assert_true(r.checks->check[FIRST_PEG].got == 0);
    assert_true(r.checks->check[SECOND_PEG].got == 0);
    assert_true(r.checks->check[THIRD_PEG].got == 10);
    assert_true(r.checks->check[MOVES].got == 1023);
    free(r.checks);
}

static void test_hanoi_count_is_a_solution(void **state)
{
    struct run r = run(3, 4);
    assert_null(checks_wrong(r.checks));
    assert_true(r.checks->check[MOVES].got == 7161);
    assert_true(r.checks->check[MOVES].expected == 7161);
    free(r.checks);
}

static void test_hanoi_no_solution_is_wrong(void **state)
{
    struct run r = run(0, 0);
    assert_ptr_equal(checks_wrong(r.checks), &r.checks->check[THIRD_PEG]);
    free(r.checks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hanoi_solution_is_1023_moves_to_the_third_peg),
        cmocka_unit_test(test_hanoi_count_is_a_solution),
        cmocka_unit_test(test_hanoi_no_solution_is_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
