/* SPDX-License-Identifier: MIT */
/* Unit tests of the warnings in words, with samples whose figures are worked out by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "out/out.h"
#include "row_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* A headline row whose interval and median give no cause for a warning. */
static struct row make_row(const double *samples, size_t n)
{
    struct row row = ROW(NULL, NAN, .test = "prime", .param = "limit=22 experiments=1000", .metric = "cycles",
                         .better = "lower", .cpus = "1");
    row.headline = 1;
    row.stats.mean = row.stats.median = 100;
    row.samples = malloc((n + 1) * sizeof(*samples));
    assert_non_null(row.samples);
    for (size_t i = 0; i < n; i++)
        row.samples[i] = samples[i];
    row.n_samples = n;
    return row;
}

/* Frees the rows. */
static void assert_warnings(struct row *rows, size_t n, const char *expected)
{
    struct text out = {0};

    warnings_collect(rows, n, "--samples", &out);
    assert_false(out.failed);
    assert_string_equal(out.length ? out.data : "", expected);
    text_free(&out);
    for (size_t i = 0; i < n; i++)
        row_free(&rows[i]);
}

#define MAKE(...) make_row((const double[]){__VA_ARGS__}, COUNT(((const double[]){__VA_ARGS__})))

TEST(test_warnings_none_for_quiet_rows)
{
    struct row rows[] = {MAKE(100, 101, 99, 100, 101, 99, 100, 100)};

    assert_warnings(rows, 1, "");
    assert_warnings(NULL, 0, "");
}

/* 80, 100, 120: mean 100, SD 20. */
TEST(test_warnings_spread)
{
    struct row rows[] = {MAKE(80, 100, 120)};

    assert_warnings(rows, 1, "Warning: prime limit=22: the samples spread by 20.0 % (RSD)\n");
}

TEST(test_warnings_spread_of_ten_per_cent_is_allowed)
{
    struct row rows[] = {MAKE(90, 100, 110), MAKE(5)};

    assert_warnings(rows, 2, "");
}

TEST(test_warnings_name_the_worst_and_count_the_others)
{
    struct row rows[] = {MAKE(80, 100, 120), MAKE(70, 100, 130), MAKE(85, 100, 115), MAKE(99, 100, 101)};

    text_copy(rows[1].test, sizeof(rows[1].test), "array");
    set_params(&rows[1], "elements=25");
    assert_warnings(rows, 4, "Warning: array elements=25: the samples spread by 30.0 % (RSD) (and 2 more like it)\n");
}

/* The rest: mean 100, SD sqrt(2/3). */
TEST(test_warnings_first_sample_slower)
{
    struct row lower[] = {MAKE(110, 100, 101, 99, 100)}, higher[] = {MAKE(90, 100, 101, 99, 100)};

    text_copy(higher[0].better, sizeof(higher[0].better), "higher");
    assert_warnings(lower, 1, "Warning: prime limit=22: the first sample is 10.0 % slower than the rest\n");
    assert_warnings(higher, 1, "Warning: prime limit=22: the first sample is 10.0 % slower than the rest\n");
}

TEST(test_warnings_first_sample_not_slower)
{
    struct row rows[] = {
        MAKE(90, 100, 101, 99, 100),    /* faster */
        MAKE(110, 100, 101, 99, 100),   /* faster: more is better */
        MAKE(102.5, 100, 101, 99, 100), /* slower, but by less than 3 % */
        MAKE(112, 106, 94, 106, 94),    /* within three times the rest's SD of 6.9 */
        MAKE(110, 100, 101, 99),        /* too few to say */
    };

    text_copy(rows[1].better, sizeof(rows[1].better), "higher");
    assert_warnings(rows, COUNT(rows), "");
}

/* Means 100 and 105, SD of each half sqrt(0.02/3): far more than chance. */
TEST(test_warnings_drift_between_the_halves)
{
    struct row even[] = {MAKE(100, 100.1, 99.9, 100, 105, 105.1, 104.9, 105)};
    struct row odd[] = {MAKE(105, 105.1, 104.9, 105, 104, 100, 100.1, 99.9, 100)};

    assert_warnings(even, 1,
                    "Warning: prime limit=22: the second half of the samples is 5.0 % away from the first: the machine "
                    "drifted\n");
    /* 5 of 105; the one in the middle belongs to neither. */
    assert_warnings(odd, 1,
                    "Warning: prime limit=22: the second half of the samples is 4.8 % away from the first: the machine "
                    "drifted\n");
}

TEST(test_warnings_no_drift)
{
    struct row rows[] = {
        MAKE(92, 108, 92, 108, 96, 112, 96, 112),            /* 4 % apart: t is 0.6, and would have to be 3.7 */
        MAKE(100, 100.1, 99.9, 100, 102, 102.1, 101.9, 102), /* sure, but 2 % only */
        MAKE(100, 100.1, 99.9, 105, 105.1, 104.9, 105),      /* halves of three are too few */
    };

    assert_warnings(rows, COUNT(rows), "");
}

TEST(test_warnings_wide_interval)
{
    struct row rows[] = {MAKE(100, 100), MAKE(100, 100), MAKE(100, 100)};

    rows[0].stats.ci95_lo = 97;
    rows[0].stats.ci95_hi = 103;
    rows[1].stats.ci95_lo = 98;
    rows[1].stats.ci95_hi = 102;
    assert_warnings(rows, COUNT(rows),
                    "Warning: prime limit=22: the mean is known to +-3.0 % only; more samples (--samples) would narrow "
                    "it\n");
}

TEST(test_warnings_coarse_clock)
{
    struct row rows[] = {MAKE(100, 100), MAKE(30)};

    rows[0].stats.median = 1000;
    rows[1].headline = 0;
    rows[1].value = 30;
    text_copy(rows[1].metric, sizeof(rows[1].metric), "clock_grain");
    assert_warnings(rows, 2, "Warning: prime limit=22: the clock's grain is 3.0 % of what it timed\n");
}

/* A grain that is fine, not known, or of another CPU, parameter or test. */
TEST(test_warnings_clock_of_another_row)
{
    struct row rows[] = {MAKE(100, 100), MAKE(1), MAKE(1), MAKE(1), MAKE(1)};

    for (size_t i = 1; i < COUNT(rows); i++) {
        text_copy(rows[i].metric, sizeof(rows[i].metric), "clock_grain");
        rows[i].value = 30;
        rows[i].headline = 0;
    }
    text_copy(rows[1].cpus, sizeof(rows[1].cpus), "2");
    set_params(&rows[2], "limit=26");
    text_copy(rows[3].test, sizeof(rows[3].test), "array");
    rows[4].value = 2; /* of 100: not above 2 % */
    assert_warnings(rows, COUNT(rows), "");
}

TEST(test_warnings_only_about_headline_rows_that_ran)
{
    struct row rows[] = {MAKE(10, 100, 1000), make_row(NULL, 0)};

    rows[0].headline = 0;
    rows[1].stats.ci95_lo = 0;
    rows[1].stats.ci95_hi = 200;
    assert_warnings(rows, COUNT(rows), "");
}

TEST(test_warnings_of_all_kinds_in_order)
{
    struct row rows[] = {MAKE(200, 100, 101, 99, 100, 100, 100, 100), MAKE(1)};

    rows[0].stats.ci95_lo = 50;
    rows[0].stats.ci95_hi = 150;
    set_params(&rows[0], "");
    rows[1].headline = 0;
    rows[1].value = 25;
    set_params(&rows[1], "");
    text_copy(rows[1].metric, sizeof(rows[1].metric), "clock_grain");
    /* Mean 112.5, SD 35.36: 31.4 %. */
    assert_warnings(rows, 2,
                    "Warning: prime: the samples spread by 31.4 % (RSD)\n"
                    "Warning: prime: the first sample is 100.0 % slower than the rest\n"
                    "Warning: prime: the mean is known to +-50.0 % only; more samples (--samples) would narrow it\n"
                    "Warning: prime: the clock's grain is 25.0 % of what it timed\n");
}

TEST(test_warnings_name_commands_by_their_lines)
{
    struct row rows[] = {MAKE(150, 50), MAKE(150, 50, 100)};

    text_copy(rows[0].test, sizeof(rows[0].test), "sh");
    set_params(&rows[0], "command=sh -c 'sleep 1'");
    assert_warnings(rows, 1, "Warning: sh (sh -c 'sleep 1'): the samples spread by 70.7 % (RSD)\n");
    /* The 40th byte is the first of the two of a letter. */
    text_copy(rows[1].test, sizeof(rows[1].test), "make");
    set_params(&rows[1], "prepare=x command=make 0123456789 0123456789 0123456789 1\xc3\xa4z");
    assert_warnings(&rows[1], 1,
                    "Warning: make (make 0123456789 0123456789 0123456789 1...): the samples spread by 50.0 % (RSD)\n");
}

/* A row of noise, which has no samples that could spread. */
static struct row make_blind(double pct, const char *cpu)
{
    return ROW(NULL, pct, .suite = "noise", .test = "noise", .param = "threshold=8x", .metric = "blind", .cpus = cpu);
}

#define BLIND_SENTENCE(cpu, pct)                                    \
    "Warning: noise: the sampler on CPU " cpu " was blind for " pct \
    " % of the time: it was reading its counters; detours in that time are not seen"

TEST(test_warnings_blind_sampler)
{
    struct row one[] = {make_blind(1, "0")};
    struct row rows[] = {make_blind(1.1, "2"), make_blind(2.06, "3"), make_blind(0.99, "4"), make_blind(0, "5")};

    assert_warnings(one, COUNT(one), BLIND_SENTENCE("0", "1.0") "\n");
    assert_warnings(rows, COUNT(rows), BLIND_SENTENCE("3", "2.1") " (and 1 more like it)\n");
}

/* Less than 1 %, not measured, or another metric or suite. */
TEST(test_warnings_no_blind_sampler)
{
    struct row rows[] = {make_blind(0.999, "0"), make_blind((double)NAN, "1"), make_blind(50, "2"),
                         make_blind(50, "3")};

    text_copy(rows[2].metric, sizeof(rows[2].metric), "lost_fault");
    text_copy(rows[3].suite, sizeof(rows[3].suite), "prime");
    assert_warnings(rows, COUNT(rows), "");
}
