/* SPDX-License-Identifier: MIT */
/* The arithmetic tests compute their sums, and find wrong ones. */
#include "cpu_fixture.h"

/* Python: sum(i*i/(i*i-1) for i in range(2, 102)), with / and with //. */
static const struct {
    const struct bench *bench;
    double sum, tolerance;
} sums[] = {
    {&bench_short, 100, 0},
    {&bench_int, 100, 0},
    {&bench_long, 100, 0},
    {&bench_float, 100.7401475441662, 1e-3},
    {&bench_double, 100.7401475441662, 1e-11},
};
enum { N_SUMS = COUNT(sums) };

/* Runs a benchmark's callbacks and returns its only check. */
static struct check checked(const struct bench *bench, uint64_t first, uint64_t second)
{
    tested = &bench->parties[0];
    struct party_context context = started();
    const struct checks *checks = context.recorder[UNIX_CHECKS];

    assert_int_equal(tested->work(&context, first), 0);
    assert_int_equal(tested->work(&context, second), 0);
    const char *wrong = verified(&context);
    assert_int_equal(checks->n, 1);
    struct check check = checks->check[0];
    assert_true(!wrong[0] == (fabs(check.got - check.expected) <= check.tolerance));
    ended(&context);
    return check;
}

TEST(test_arith_sums_are_right)
{
    for (size_t i = 0; i < N_SUMS; i++) {
        struct check check = checked(sums[i].bench, 1, 3);
        assert_true(fabs(check.got - sums[i].sum) <= sums[i].tolerance);
        assert_true(fabs(check.expected - sums[i].sum) <= 1e-11);
        assert_true(fabs(check.got - check.expected) <= check.tolerance);
    }
}

/* One term less is 99 or 99.74. */
TEST(test_arith_checks_notice_a_missing_term)
{
    for (size_t i = 0; i < N_SUMS; i++)
        assert_true(checked(sums[i].bench, 1, 0).tolerance < 0.5);
}

TEST(test_arith_no_sum_is_wrong)
{
    for (size_t i = 0; i < N_SUMS; i++) {
        struct check check = checked(sums[i].bench, 0, 0);
        assert_true(check.got == 0);
        assert_true(fabs(check.got - check.expected) > check.tolerance);
    }
}

TEST(test_arith_arithoh_turns_a_hundred_times)
{
    struct check check = checked(&bench_arithoh, 3, 4);
    assert_true(check.got == 700);
    assert_true(check.expected == 700);
}

TEST(test_arith_is_outside_the_index)
{
    for (size_t i = 0; i < N_SUMS; i++)
        assert_true(bench_metric(sums[i].bench, UNIX_RATE)->baseline == 0);
}
