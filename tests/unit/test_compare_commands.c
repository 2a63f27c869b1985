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

static void expect(struct row *rows, size_t n, const char *text)
{
    struct command_comparison compared[ROWS];
    struct text out = {0};

    compare(rows, n, compared);
    run_put_verdicts(rows, n, compared, &out);
    assert_string_equal(out.length ? out.data : "", text);
    text_free(&out);
    free_rows(rows, n);
}

/* The machine's drift of 20 % is that of both of a pair. */
TEST(test_compare_commands_of_a_difference_and_of_none)
{
    struct row rows[ROWS];

    make_row(&rows[0], "A", 1, 1.00, 20);
    make_row(&rows[1], "B", 1, 1.03, 20);
    make_row(&rows[2], "C", 1, 1.00, 20);
    make_row(&rows[3], "D", 1, 9.81, 20);
    expect(rows, 4,
           "B is slower by 3.03 % (2.92 to 3.10), 20 runs of each, in 10 blocks, 40.6 s\n"
           "C: no difference larger than 0.0 %, 20 runs of each, in 10 blocks, 40 s\n"
           "D takes 9.81 times as long (9.8 to 9.82), 20 runs of each, in 10 blocks, 3.6 min\n");
}

/* One pair, equal or not; a time of 0; commands that fail in some of their runs, or in all. */
TEST(test_compare_commands_not_decided)
{
    struct row rows[ROWS];

    make_row(&rows[0], "A", 1, 1, 3);
    make_row(&rows[1], "B", 1, 1.5, 3);
    make_row(&rows[2], "C", 1, 1.5, 1);
    expect(rows, 3,
           "B: not decided, 1 pair, at least 7 needed (--samples 14)\n"
           "C: not decided, 0 pairs, at least 7 needed (--samples 14)\n");
    make_row(&rows[0], "A", 1, 1, 3);
    make_row(&rows[1], "B", 1, 1.5, 3);
    expect(rows, 2, "B: not decided, 1 pair, at least 6 needed (--samples 12)\n");
    make_row(&rows[0], "A", 1, 1, 20);
    make_row(&rows[1], "B", 1, 1.5, 20);
    rows[1].samples[7] = rows[1].samples[6] = 0;
    expect(rows, 2, "B: not decided, a run took no time by the clock\n");
    for (int all = 0; all < 2; all++) {
        make_row(&rows[0], "A", 1, 1, 20);
        make_row(&rows[1], "B", 1, 1.5, 20);
        rows[2] = ROW(NULL, 3, .test = "B", .metric = "exit_code");
        rows[2].copies = 1;
        rows[2].stats.min = all ? 3 : 0;
        rows[2].stats.max = 3;
        expect(rows, 3,
               all ? "B is slower by 50.00 % (49.90 to 50.13), 20 runs of each, in 10 blocks, 50 s\n"
                   : "B: not decided, some runs failed and others did not\n");
    }
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

/* With looks in between the difference has to be clearer: after 8 of 100 blocks 0.4 % is spent, and p is 0.8 %. */
TEST(test_compare_commands_allows_for_looks)
{
    struct row rows[ROWS];
    struct command_comparison compared[ROWS];

    for (int planned = 0; planned < 2; planned++) {
        make_row(&rows[0], "A", 1, 1, 16);
        make_row(&rows[1], "B", 1, 1.03, 16);
        if (planned)
            set_params(&rows[1], "planned=100");
        compare(rows, 2, compared);
        assert_int_equal(compared[1].verdict, planned ? COMMAND_ALIKE : COMMAND_SLOWER);
        free_rows(rows, 2);
    }
    make_row(&rows[0], "A", 1, 1, 24);
    make_row(&rows[1], "B", 1, 1.03, 24);
    set_params(&rows[1], "planned=100");
    compare(rows, 2, compared);
    assert_int_equal(compared[1].verdict, COMMAND_SLOWER);
    free_rows(rows, 2);
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

/* The base of a row is the first wall-clock time of as many copies. Of the runs of both, as many are compared as the
 * shorter one has; one that failed in some of its runs decides nothing, be it the base or the other. */
TEST(test_compare_commands_bases_and_fields)
{
    struct row rows[6];
    struct command_comparison compared[6];

    make_row(&rows[0], "A", 2, 1, 20);
    make_row(&rows[1], "A", 1, 1, 20);
    rows[2] = ROW(NULL, 0, .test = "A", .metric = "exit_code");
    rows[2].copies = 1;
    make_row(&rows[3], "B", 1, 1.5, 15);
    make_row(&rows[4], "C", 1, 1.5, 24);
    rows[4].status = ROW_SKIPPED;
    make_row(&rows[5], "D", 1, 1.5, 24);
    for (int mixed = 0; mixed < 2; mixed++) {
        static const size_t bases[] = {0, 1, 1, 1, 1, 1};
        rows[2].stats.min = 0;
        rows[2].stats.max = mixed;
        compare(rows, 6, compared);
        for (size_t i = 0; i < 6; i++) {
            const bool judged = i == 3 || i == 5;
            assert_ptr_equal(compared[i].base, &rows[bases[i]]);
            assert_int_equal(compared[i].verdict, !judged ? COMMAND_NO_VERDICT
                                                  : mixed ? COMMAND_MIXED
                                                          : COMMAND_SLOWER);
            assert_int_equal(compared[i].least, judged ? 7 : 0); /* two comparisons */
            assert_int_equal(compared[i].difference.logs.n, i == 3 ? 7 : i == 5 ? 10 : 0);
        }
        assert_true(fabs(compared[3].seconds - (20 + 15 * 1.5)) < 1e-9);
    }
    free_rows(rows, 6);
}

/* Three comparisons have to be right together, so that each needs a smaller p. */
TEST(test_compare_commands_shares_the_error)
{
    struct row rows[ROWS];
    struct command_comparison compared[ROWS];

    for (size_t n = 2; n <= 4; n += 2) {
        for (size_t i = 0; i < n; i++)
            make_row(&rows[i], "A", 1, i ? 1.03 : 1, 12);
        compare(rows, n, compared);
        assert_int_equal(compared[1].verdict, n == 2 ? COMMAND_SLOWER : COMMAND_FEW); /* p is 1/32 */
        free_rows(rows, n);
    }
    assert_int_equal(commands_pairs_least(0), 6);
    assert_int_equal(commands_pairs_least(1), 6); /* 2 / 2^6 is 3.1 % */
    assert_int_equal(commands_pairs_least(2), 7);
    assert_int_equal(commands_pairs_least(3), 7); /* 2 / 2^7 is 1.56 %, of 1.67 */
    assert_int_equal(commands_pairs_least(4), 8);
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

/* A command against itself: what such a measurement would find, and how long that takes. */
TEST(test_compare_commands_with_itself)
{
    struct row rows[ROWS];
    struct command_comparison compared[ROWS];
    struct text out = {0};

    make_row(&rows[0], "A", 1, 1, 40);
    make_row(&rows[1], "A", 1, 1.01 / 1.01, 40);
    for (size_t i = 0; i < 40; i++)
        rows[1].samples[i] *= exp(0.02 * sin(1.7 * (double)i));
    set_params(&rows[1], "aa=yes command=A 2");
    compare(rows, 2, compared);
    run_put_verdicts(rows, 2, compared, &out);
    const char *least = strstr(out.data, "\nThe least difference that is found in 80 % of such measurements: ");
    assert_non_null(least);
    const double percent = strtod(strchr(least, ':') + 1, NULL);
    assert_true(percent > 0.4 && percent < 2);
    /* One of 5 % is found in the least number of pairs there is, of which one takes 4 s. */
    assert_non_null(strstr(least, "\nDifference  Pairs "));
    assert_non_null(strstr(least, "\n       5 %      6"));
    assert_non_null(strstr(least, " 24 s\n"));
    assert_non_null(strstr(least, "\n     0.5 %  "));
    text_free(&out);
    free_rows(rows, 2);
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

/* What is printed of a command against itself, whose 20 times of 1 s differ by so much, with these parameters. */
static void put_itself(double spread, const char *param, struct text *out)
{
    struct row rows[2];
    struct command_comparison compared[2];

    for (size_t i = 0; i < 2; i++) {
        make_row(&rows[i], "A", 1, 1, 20);
        for (size_t k = 0; k < 20; k++)
            rows[i].samples[k] = i ? exp(spread * sin(1.7 * (double)k)) : 1;
    }
    set_params(&rows[1], param);
    compare(rows, 2, compared);
    run_put_verdicts(rows, 2, compared, out);
    free_rows(rows, 2);
}

static double least_of(const char *param)
{
    struct text out = {0};

    put_itself(0.004, param, &out);
    const char *least = strstr(out.data, "measurements: ");
    assert_non_null(least);
    const double percent = strtod(strchr(least, ':') + 1, NULL);
    text_free(&out);
    return percent;
}

/* Of ten pairs. Looks in between cost a little; twice as many pairs show less; but a measurement that may end at an
 * interval of any width finds more only. What cannot have been planned does not count. */
TEST(test_compare_commands_with_itself_as_planned)
{
    const double least = least_of("aa=yes"), many = least_of("aa=yes planned=20");

    assert_true(least_of("aa=yes planned=10") > least);
    assert_float_equal(least_of("aa=yes planned=9"), least, 0);
    assert_float_equal(least_of("aa=yes planned=1000000000"), least, 0);
    assert_true(many < least);
    assert_true(least_of("aa=yes planned=20 precision=50") > 1.1 * many);
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
