/* SPDX-License-Identifier: MIT */
/* Whetstone gives its published results, finds wrong ones, and calls the mathematical functions as often as it should.
 */
#include "cpu_fixture.h"

/* Values as published with the method. */
TEST(test_whetstone_first_pass_gives_the_published_results)
{
    static const double published[WHETSTONE_SECTIONS] = {
        -1.12398255667391900, -1.12187079889284425, 1, 12,
        0.49902937281518261,  0.99999987890802811,  3, 0.75100163018458665};

    struct party_context context = started();
    const struct whetstone *w = context.state;
    const struct checks *checks = context.recorder[UNIX_CHECKS];
    for (int i = 0; i < WHETSTONE_SECTIONS; i++)
        assert_true(fabs(w->result[i] - published[i]) <= 1e-9);
    assert_int_equal(checks->n, WHETSTONE_SECTIONS);
    assert_null(checks_wrong(checks));
    ended(&context);
}

/* N1, N2 and N5 with t and 1 - t in turn: values by Python. */
TEST(test_whetstone_later_passes_alternate)
{
    static const double odd[] = {-1.1323949930313597, -1.1302710247847498, 0.4990293728151826};
    static const double even[] = {-1.1342723934985584, -1.136404352841872, 0.5009730373148028};

    for (uint64_t passes = 1; passes <= 4; passes++) {
        struct party_context context = started();
        const struct whetstone *w = context.state;
        const double *expected = passes % 2 ? even : odd; /* the pass of setup is the first */
        assert_int_equal(tested->work(&context, passes), 0);
        assert_true(fabs(w->result[0] - expected[0]) <= 1e-9);
        assert_true(fabs(w->result[1] - expected[1]) <= 1e-9);
        assert_true(fabs(w->result[4] - expected[2]) <= 1e-9);
        assert_string_equal(verified(&context), "");
        assert_int_equal(((struct checks *)context.recorder[UNIX_CHECKS])->n, 2 * WHETSTONE_SECTIONS);
        ended(&context);
    }
}

TEST(test_whetstone_wrong_constant_is_found)
{
    static const struct {
        size_t offset;
        double wrong;
        const char *found;
    } table[] = {
        {offsetof(struct whetstone, t), 0.4999, "N1 of an even pass"},
        {offsetof(struct whetstone, t2), 2.0001, "N2 of an even pass"},
        {offsetof(struct whetstone, t1), 0.5001, "N6 of an even pass"},
        {offsetof(struct whetstone, t0), 0.4999, "N6 of an even pass"},
    };

    for (size_t i = 0; i < COUNT(table); i++) {
        struct party_context context = started();
        memcpy((char *)context.state + table[i].offset, &table[i].wrong, sizeof(double));
        tested->work(&context, 1);
        assert_string_equal(verified(&context), table[i].found);
        ended(&context);
    }
}

TEST(test_whetstone_every_wrong_result_is_found)
{
    static const double off[WHETSTONE_SECTIONS] = {2e-6, 2e-6, 1, 1, 2e-6, 2e-6, 1, 2e-9};

    for (int i = 0; i < WHETSTONE_SECTIONS; i++) {
        struct party_context context = started();
        tested->work(&context, 2);
        ((struct whetstone *)context.state)->result[i] += off[i];
        const char *name = verified(&context);
        assert_int_equal(name[0], 'N');
        assert_int_equal(name[1], '1' + i);
        ended(&context);
    }
}

/* As far off as -ffast-math may be, and not more. */
TEST(test_whetstone_rounding_is_tolerated)
{
    static const double off[WHETSTONE_SECTIONS] = {0.9e-6, 0.9e-6, 0, 0, 0.9e-6, 0.9e-6, 0, 0.9e-9};

    struct party_context context = started();
    tested->work(&context, 2);
    for (int i = 0; i < WHETSTONE_SECTIONS; i++)
        ((struct whetstone *)context.state)->result[i] += off[i];
    assert_string_equal(verified(&context), "");
    ended(&context);
}

/* If the run has no pass of its own, the results are those of the first pass. */
TEST(test_whetstone_without_a_pass_is_wrong)
{
    struct party_context context = started();
    assert_string_not_equal(verified(&context), "");
    ended(&context);
}

/* Each turn multiplies log(x) by 1 / (2 t1). With t1 far from a half 9300 turns would end at 0 or 1. */
TEST(test_whetstone_n8_value)
{
    for (int i = -2; i <= 2; i++) {
        struct whetstone w = {.t1 = 0.5 + i * 1e-5};
        whetstone_n8(&w);
        assert_true(fabs(w.result[7] - exp(log(0.75) * pow(2 * w.t1, -9300))) <= 1e-11);
    }
}

int main(void)
{
    tested = &bench_whetstone.parties[0];
    return run_all_tests();
}
