/* SPDX-License-Identifier: MIT */
/* The towers of Hanoi: every solution takes its 1023 moves and ends on the third peg. */
#include "cpu_fixture.h"

enum { FIRST_PEG, SECOND_PEG, THIRD_PEG, MOVES, N_CHECKS };

static struct party_context run(uint64_t first, uint64_t second)
{
    struct party_context context = started();
    const struct checks *checks = context.recorder[UNIX_CHECKS];

    assert_int_equal(tested->work(&context, first), 0);
    assert_int_equal(tested->work(&context, second), 0);
    (void)verified(&context);
    assert_int_equal(checks->n, N_CHECKS);
    return context;
}

TEST(test_hanoi_solution_is_1023_moves_to_the_third_peg)
{
    struct party_context context = run(1, 0);
    const struct checks *checks = context.recorder[UNIX_CHECKS];

    assert_null(checks_wrong(checks));
    assert_true(checks->check[FIRST_PEG].got == 0);
    assert_true(checks->check[SECOND_PEG].got == 0);
    assert_true(checks->check[THIRD_PEG].got == 10);
    assert_true(checks->check[MOVES].got == 1023);
    ended(&context);
}

TEST(test_hanoi_count_is_a_solution)
{
    struct party_context context = run(3, 4);
    const struct checks *checks = context.recorder[UNIX_CHECKS];

    assert_null(checks_wrong(checks));
    assert_true(checks->check[MOVES].got == 7161);
    assert_true(checks->check[MOVES].expected == 7161);
    ended(&context);
}

TEST(test_hanoi_no_solution_is_wrong)
{
    struct party_context context = run(0, 0);
    const struct checks *checks = context.recorder[UNIX_CHECKS];

    assert_ptr_equal(checks_wrong(checks), &checks->check[THIRD_PEG]);
    ended(&context);
}

int main(void)
{
    tested = &bench_hanoi.parties[0];
    return run_all_tests();
}
