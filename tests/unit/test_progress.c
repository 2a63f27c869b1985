/* SPDX-License-Identifier: MIT */
/* cmocka needs these four first. */
#include "../test.h"

#include "bench/command.h"
#include "cmd/cmd.h"

/* Samples of 1 s planned that take pace s each, after a start of 2 s. Returns the time left that is said last. */
static double run_through(double pace, double planned_s)
{
    const int n = 60;
    double left = -1;

    for (int k = 0; k < n; k++) {
        double now = progress_left((double)k / n, 2 + pace * k, planned_s, left);
        if (left > 1)
            assert_true(now <= 1.5 * left);
        left = now;
    }
    return left;
}

TEST(test_progress_time_left_does_not_rise_by_half)
{
    static const double paces[] = {0.3, 1, 1.3, 4, 20};

    for (size_t i = 0; i < COUNT(paces); i++) {
        double last = run_through(paces[i], 60), unplanned = run_through(paces[i], 0);
        assert_true(last > 0.5 * paces[i] && last < 2 * paces[i] + 1);
        assert_true(unplanned > 0.5 * paces[i] && unplanned < 2 * paces[i]);
    }
}

TEST(test_progress_begins_with_the_plan)
{
    assert_true(progress_left(0, 0, 60, -1) >= 60 && progress_left(0, 0, 60, -1) <= 60);
    assert_true(progress_left(0, 3, 0, -1) < 0); /* no plan: too early */
    assert_true(progress_left(1, 50, 60, 1) <= 0);
}

static const char *line_of(uint64_t least_ns, uint64_t most_ns, bool unknown)
{
    static char line[64];
    struct text out = {0};
    const struct plan_time time = {.least_ns = least_ns, .most_ns = most_ns, .unknown = unknown};

    progress_time(&time, &out);
    text_copy(line, sizeof(line), out.data);
    text_free(&out);
    return line;
}

TEST(test_progress_time_is_a_range)
{
    const uint64_t s = 1000000000;

    assert_string_equal(line_of(12 * s, 12 * s, false), "about 12 s");
    assert_string_equal(line_of(10 * s, 30 * s, false), "10 s to 30 s");
    assert_string_equal(line_of(0, 60 * s, false), "at most about 1 min");
    assert_string_equal(line_of(10 * s, 10 * s, true), "at least 10 s");
    assert_string_equal(line_of(155 * s, 155 * s, false), "about 2.6 min");
    assert_string_equal(line_of(27760 * s, 27760 * s, false), "about 7.7 h");
    assert_string_equal(line_of(10 * s + s / 4, 10 * s + s / 4, false), "about 10 s");
    assert_string_equal(line_of(s / 4, s / 4, false), "about 250 ms");
    assert_string_equal(line_of(0, 0, true), "as long as the work takes");
}

static const char *plan_of(struct sampling a, struct sampling b)
{
    static char line[160];
    static const struct bench bench = {.name = "made up"};
    struct plan plan = {0};
    struct text out = {0};

    plan_add(&plan, &bench, "")->sampling = a;
    plan_add(&plan, &bench, "")->sampling = b;
    const struct plan_time time = plan_time(&plan);
    progress_plan(&plan, &time, &out);
    text_copy(line, sizeof(line), out.data);
    text_free(&out);
    plan_free(&plan);
    return line;
}

TEST(test_progress_plan_says_what_and_how_long)
{
    const struct sampling fixed = {.min_samples = 2, .max_samples = 2, .time_ns = 4000000000, .max_ns = 9000000000};
    const struct sampling open = {.min_samples = 10, .time_ns = 250000000, .max_ns = 6000000000};
    const struct sampling work = {.min_samples = 3, .max_samples = 3, .max_ns = 1000000000};

    assert_string_equal(plan_of(fixed, fixed), "2 measurements, 2 samples of 4 s each, about 17 s");
    assert_string_equal(plan_of(open, open), "2 measurements, 10 samples or more of 250 ms each, 8 s to 12 s");
    assert_string_equal(plan_of(work, work), "2 measurements, 3 samples each, as long as the work takes");
    assert_string_equal(plan_of(work, fixed), "2 measurements, 2 samples or more each, at least 8.3 s");
}
