/* SPDX-License-Identifier: MIT */
/* The comparison of commands that took turns, and the lines below the table of `jitbench run`. */

#include "memory_fixture.h"
#include "out/compare_commands.h"
#include "row_fixture.h"

#define ROWS 4

/* Runs of a command, each `level` but for the drift of the machine, which neighbours share, and a little of their own.
 */
static void make_row(struct row *row, const char *test, uint64_t copies, double level, size_t n)
{
    static const double own[] = {-0.001, 0.002, 0, 0.001, -0.002, 0.0005, 0.0015};

    *row = ROW(NULL, NAN, .test = test, .metric = "wall", .better = "lower");
    row->copies = copies;
    row->wall_s = level * (double)n;
    row->samples = malloc((n + 1) * sizeof(*row->samples));
    assert_non_null(row->samples);
    for (size_t i = 0; i < n; i++)
        row->samples[row->n_samples++] =
            level * (1 + 0.2 * sin((double)(i / 2)) + own[(i + (size_t)(100 * level)) % 7]);
}

static void free_rows(struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        row_free(&rows[i]);
}

static void compare(const struct row *rows, size_t n, struct command_comparison *compared)
{
    assert_int_equal(run_compare(rows, n, 0, compared), 0);
}

/* Rows are of one command if all of these agree. */
TEST(test_compare_commands_of_one_command)
{
    for (unsigned differing = 0; differing < 6; differing++) {
        struct row a = ROW(NULL, 1, .test = "A", .metric = "wall", .param = "command=A 1"), b = a;
        a.copies = b.copies = 2;
        a.item = b.item = 3;
        b.item += differing == 1;
        b.copies += differing == 2;
        b.test[0] = differing == 3 ? 'B' : 'A';
        if (differing == 4)
            set_params(&b, "command=A 2");
        b.metric[0] = differing == 5 ? 'x' : 'w';
        assert_int_equal(run_same_command(&a, &b), differing == 0 || differing == 5);
        assert_int_equal(run_same_command(&b, &a), differing == 0 || differing == 5);
    }
}

/* As many decimals as the interval needs; both ends in the order of their sizes; from a factor of 2 on, times. */
TEST(test_compare_commands_says_how_much)
{
    static const struct {
        enum command_verdict verdict;
        double low, centre, high;
        size_t pairs;
        double seconds;
        const char *text;
    } cases[] = {
        {COMMAND_ALIKE, -0.02, 0, 0.01, 24, 31,
         "B: no difference larger than 2.1 %, 48 runs of each, in 24 blocks, 31 s\n"},
        {COMMAND_ALIKE, -0.01, 0, 0.02, 1, 0.25,
         "B: no difference larger than 2.1 %, 2 runs of each, in 1 block, 250 ms\n"},
        {COMMAND_ALIKE, -0.003, 0, 0.001, 2, 1,
         "B: no difference larger than 0.4 %, 4 runs of each, in 2 blocks, 1 s\n"},
        {COMMAND_ALIKE, -0.001, 0, 0.002, 2, 1,
         "B: no difference larger than 0.21 %, 4 runs of each, in 2 blocks, 1 s\n"},
        {COMMAND_ALIKE, -0.0002, 0, 0.0001, 2, 1,
         "B: no difference larger than 0.021 %, 4 runs of each, in 2 blocks, 1 s\n"},
        {COMMAND_ALIKE, -0.0295, 0, 0.01, 7, 0.3,
         "B: no difference larger than 3.0 %, 14 runs of each, in 7 blocks, 300 ms\n"},
        {COMMAND_ALIKE, -0.0297, 0, 0.01, 7, 0.3,
         "B: not decided (only differences above 3 % could be seen in 300 ms)\n"},
        {COMMAND_ALIKE, -0.1, 0, 0.6, 7, 1, "B: not decided (only differences above 82 % could be seen in 1 s)\n"},
        {COMMAND_ALIKE, -0.1, 0, 0.7, 7, 1, "B: not decided (only differences above 101 % could be seen in 1 s)\n"},
        {COMMAND_SLOWER, 0.02, 0.03, 0.04, 7, 1,
         "B is slower by 3.0 % (2.0 to 4.1), 14 runs of each, in 7 blocks, 1 s\n"},
        {COMMAND_FASTER, -0.04, -0.03, -0.02, 7, 1,
         "B is faster by 3.0 % (2.0 to 3.9), 14 runs of each, in 7 blocks, 1 s\n"},
        {COMMAND_SLOWER, 0.0295, 0.03, 0.0305, 7, 1,
         "B is slower by 3.05 % (2.99 to 3.10), 14 runs of each, in 7 blocks, 1 s\n"},
        {COMMAND_FASTER, -0.03005, -0.03, -0.02995, 7, 1,
         "B is faster by 2.955 % (2.951 to 2.960), 14 runs of each, in 7 blocks, 1 s\n"},
        {COMMAND_SLOWER, 0.6, 0.694, 0.8, 7, 1,
         "B takes 2 times as long (1.82 to 2.23), 14 runs of each, in 7 blocks, 1 s\n"},
        {COMMAND_SLOWER, 0.6, 0.693, 0.8, 7, 1,
         "B is slower by 100.0 % (82.2 to 122.6), 14 runs of each, in 7 blocks, 1 s\n"},
        {COMMAND_FASTER, -0.8, -0.694, -0.6, 7, 1,
         "B takes 0.5 times as long (0.449 to 0.549), 14 runs of each, in 7 blocks, 1 s\n"},
        {COMMAND_FASTER, -0.8, -0.693, -0.6, 7, 1,
         "B is faster by 50.0 % (45.1 to 55.1), 14 runs of each, in 7 blocks, 1 s\n"},
        {COMMAND_FEW, 0, 0, 0, 1, 1, "B: not decided, 1 pair, at least 6 needed (--samples 12)\n"},
        {COMMAND_FEW, 0, 0, 0, 0, 1, "B: not decided, 0 pairs, at least 6 needed (--samples 12)\n"},
    };
    struct row rows[2] = {ROW(NULL, NAN, .test = "A"), ROW(NULL, NAN, .test = "B", .param = "command=x")};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct command_comparison compared[2] = {{.verdict = COMMAND_NO_VERDICT},
                                                 {.verdict = cases[i].verdict, .base = &rows[0], .least = 6}};
        struct text out = {0};
        compared[1].seconds = cases[i].seconds;
        compared[1].difference.each = 1;
        compared[1].difference.logs = (struct inference_shift){
            .n = cases[i].pairs, .low = cases[i].low, .centre = cases[i].centre, .high = cases[i].high};
        run_put_verdicts(rows, 2, compared, &out);
        assert_string_equal(out.data, cases[i].text);
        text_free(&out);
    }
}

/* Looks that claim nothing make the interval wider, as long as there are enough pairs for one: it is never lost. */
TEST(test_compare_commands_intervals_after_looks)
{
    static const size_t runs[] = {16, 20, 24, 40};
    struct row rows[ROWS];
    struct command_comparison plain[ROWS], compared[ROWS];
    bool wider = false;

    for (size_t i = 0; i < COUNT(runs); i++)
        for (unsigned planned = 8; planned < 80; planned += 3) {
            char param[32];
            make_row(&rows[0], "A", 1, 1, runs[i]);
            make_row(&rows[1], "B", 1, 1, runs[i]);
            for (size_t k = 0; k < runs[i]; k++)
                rows[1].samples[k] *= k % 4 < 2 ? 1.01 + 1e-4 * (double)k : 0.99 - 1e-4 * (double)k;
            compare(rows, 2, plain);
            (void)snprintf(param, sizeof(param), "planned=%u", planned);
            set_params(&rows[1], param);
            compare(rows, 2, compared);
            const struct inference_shift *a = &plain[1].difference.logs, *b = &compared[1].difference.logs;
            assert_true(a->low < a->high);
            if (!(b->low <= a->low && b->high >= a->high))
                fail_msg("%zu runs of %u: %g to %g, not %g to %g", runs[i], planned, b->low, b->high, a->low, a->high);
            wider |= b->low < a->low && b->high > a->high;
            assert_int_equal(compared[1].verdict, COMMAND_ALIKE);
            free_rows(rows, 2);
        }
    assert_true(wider);
}

/* Relative to a margin, 3 % are less than 5 % and more than 1 %. */
TEST(test_compare_commands_with_a_margin)
{
    struct row rows[ROWS];
    struct command_comparison compared[ROWS];

    make_row(&rows[0], "A", 1, 1, 20);
    make_row(&rows[1], "B", 1, 1.03, 20);
    assert_int_equal(run_compare(rows, 2, log(1.05), compared), 0);
    assert_int_equal(compared[1].verdict, COMMAND_FASTER);
    assert_int_equal(run_compare(rows, 2, log(1.01), compared), 0);
    assert_int_equal(compared[1].verdict, COMMAND_SLOWER);
    assert_true(fabs(compared[1].difference.logs.centre - log(1.03)) < 0.001);
    free_rows(rows, 2);
}

/* 10,000 runs are 400 pairs or fewer, of several blocks each, whose looks are those of the pairs. */
TEST(test_compare_commands_joins_blocks)
{
    struct row rows[ROWS];
    struct command_comparison compared[ROWS];

    make_row(&rows[0], "A", 1, 1, 10000);
    make_row(&rows[1], "B", 1, 1.03, 10000);
    compare(rows, 2, compared);
    assert_int_equal(compared[1].difference.each, 13);
    assert_int_equal(compared[1].difference.logs.n, 384);
    free_rows(rows, 2);
    assert_false(commands_look(9, 5000));
    assert_false(commands_look(8, 5000));
    assert_true(commands_look(8 * 13, 5000));
    assert_true(commands_look(8, 400));
    assert_true(commands_look(5000, 5000) && commands_look(5001, 5000));
}

/* Of more than 400 blocks a pair has several, and takes as many times longer: 13 blocks of 4 s. */
TEST(test_compare_commands_with_itself_joins_blocks)
{
    struct row rows[ROWS];
    struct command_comparison compared[ROWS];
    struct text out = {0};

    make_row(&rows[0], "A", 1, 1, 10000);
    make_row(&rows[1], "A", 1, 1, 10000);
    for (size_t i = 0; i < 10000; i++)
        rows[1].samples[i] *= exp(0.02 * sin(1.7 * (double)i));
    set_params(&rows[1], "aa=yes command=A 2");
    compare(rows, 2, compared);
    run_put_verdicts(rows, 2, compared, &out);
    assert_non_null(strstr(out.data, "\n       5 %      6  5.21 min"));
    text_free(&out);
    free_rows(rows, 2);
}

static int compare_and_print(void)
{
    struct row rows[2];
    struct command_comparison compared[2];

    const unsigned refused = allocations_before_refusal;
    allocations_before_refusal = UINT_MAX;
    make_row(&rows[0], "A", 1, 1, 20);
    make_row(&rows[1], "B", 1, 1.03, 20);
    set_params(&rows[1], "planned=50");
    allocations_before_refusal = refused;
    const int result = run_compare(rows, 2, 0, compared);
    const unsigned left = allocations_before_refusal;
    free_rows(rows, 2);
    allocations_before_refusal = left;
    return result;
}

TEST(test_compare_commands_out_of_memory)
{
    assert_true(memory_needed(compare_and_print) > 5);
}
