/* SPDX-License-Identifier: MIT */
/* Unit tests of the recorders: slices that are joined, series that keep the first and the largest, checks. */

#include "../test.h"
#include "engine/engine.h"

/* Full of rubbish, with a guard behind it. */
enum { GUARD = 64, RUBBISH = 0xa5 };

static void *rubbish(const struct recorder_spec *spec)
{
    char *recorder = malloc(recorder_size(spec) + GUARD);

    assert_non_null(recorder);
    memset(recorder, RUBBISH, recorder_size(spec) + GUARD);
    return recorder;
}

static void *make(enum recorder_kind kind, size_t capacity)
{
    const struct recorder_spec spec = {kind, capacity};
    void *recorder = rubbish(&spec);

    recorder_init(&spec, recorder);
    return recorder;
}

static void assert_guarded(enum recorder_kind kind, size_t capacity, const void *recorder)
{
    const struct recorder_spec spec = {kind, capacity};
    const unsigned char *guard = (const unsigned char *)recorder + recorder_size(&spec);

    for (size_t i = 0; i < GUARD; i++)
        assert_int_equal(guard[i], RUBBISH);
}

TEST(test_recorder_sizes_hold_the_capacity)
{
    assert_int_equal(recorder_size(&(struct recorder_spec){RECORD_NUMBERS, 0}), 0);
    assert_int_equal(recorder_size(&(struct recorder_spec){RECORD_NUMBERS, 7}), 56);
    assert_int_equal(recorder_size(&(struct recorder_spec){RECORD_SLICES, 10}), sizeof(struct slices) + 240);
    assert_int_equal(recorder_size(&(struct recorder_spec){RECORD_HIST, 99}), sizeof(struct hist));
    assert_int_equal(recorder_size(&(struct recorder_spec){RECORD_SERIES, 0}), sizeof(struct series));
    assert_int_equal(recorder_size(&(struct recorder_spec){RECORD_CHECKS, 3}),
                     sizeof(struct checks) + 3 * sizeof(struct check));
}

TEST(test_recorder_capacity_of_slices_grows_with_a_parameter)
{
    const uint64_t params[] = {9, 5};
    const struct party party = {PARTY_IS("party", {RECORD_SLICES, 2}, {RECORD_CHECKS, 2}), .slices = sizeof(*params)},
                       once = {PARTY_IS("once", {RECORD_SLICES, 2})};

    assert_int_equal(party_recorder(&party, 0, params).capacity, 10);
    assert_int_equal(party_recorder(&party, 1, params).capacity, 2);
    assert_int_equal(party_recorder(&once, 0, NULL).capacity, 2);
}

TEST(test_recorder_init_makes_all_kinds_empty)
{
    double *numbers = make(RECORD_NUMBERS, 3);
    struct slices *slices = make(RECORD_SLICES, 5);
    struct hist *hist = make(RECORD_HIST, 0);
    struct series *series = make(RECORD_SERIES, 0);
    struct checks *checks = make(RECORD_CHECKS, 2);

    assert_true(numbers[0] == 0 && numbers[1] == 0 && numbers[2] == 0);
    assert_guarded(RECORD_NUMBERS, 3, numbers);
    assert_int_equal(slices->n, 0);
    assert_int_equal(slices->capacity, 5);
    assert_int_equal(slices->stride, 1);
    assert_int_equal(slices->pending, 0);
    assert_int_equal(slices->slice[4].end_ns, 0); /* every byte: no page is new behind the gate */
    assert_guarded(RECORD_SLICES, 5, slices);
    assert_int_equal(hist->n, 0);
    hist_add(hist, 3);
    assert_int_equal(hist->min, 3);
    assert_int_equal(hist->max, 3);
    assert_guarded(RECORD_HIST, 0, hist);
    assert_int_equal(series->n, 0);
    assert_int_equal(series->threshold, 0);
    assert_guarded(RECORD_SERIES, 0, series);
    assert_int_equal(checks->n, 0);
    assert_int_equal(checks->capacity, 2);
    assert_null(checks_wrong(checks));
    assert_guarded(RECORD_CHECKS, 2, checks);
    free(numbers);
    free(slices);
    free(hist);
    free(series);
    free(checks);
}

/* --- Slices. --- */

/* Number i (from 1) counts i and lasts from 10 (i - 1) to 10 i. */
static void add_slices(struct slices *slices, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i <= to; i++)
        slices_add(slices, i, 10 * (i - 1), 10 * i);
}

static void assert_slices(const struct slices *slices, const struct slice *expected, size_t n)
{
    assert_int_equal(slices->n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(slices->slice[i].count, expected[i].count);
        assert_int_equal(slices->slice[i].start_ns, expected[i].start_ns);
        assert_int_equal(slices->slice[i].end_ns, expected[i].end_ns);
    }
}

TEST(test_recorder_slices_are_kept_while_there_is_room)
{
    static const struct slice expected[] = {{1, 0, 10}, {2, 10, 20}, {3, 20, 30}, {4, 30, 40}};
    struct slices *slices = make(RECORD_SLICES, 4);

    add_slices(slices, 1, 4);
    assert_slices(slices, expected, COUNT(expected));
    assert_int_equal(slices->stride, 1);
    assert_guarded(RECORD_SLICES, 4, slices);
    free(slices);
}

TEST(test_recorder_slices_join_neighbours_when_full)
{
    static const struct slice after_5[] = {{3, 0, 20}, {7, 20, 40}, {5, 40, 50}};
    static const struct slice after_10[] = {{10, 0, 40}, {26, 40, 80}, {19, 80, 100}};
    struct slices *slices = make(RECORD_SLICES, 4);

    add_slices(slices, 1, 5);
    assert_slices(slices, after_5, COUNT(after_5));
    assert_int_equal(slices->stride, 2);
    add_slices(slices, 6, 10);
    assert_slices(slices, after_10, COUNT(after_10));
    assert_int_equal(slices->stride, 4);
    assert_guarded(RECORD_SLICES, 4, slices);
    free(slices);
}

/* Whatever the room, nothing is lost, there is no gap, and no slice but the last is shorter than another. */
TEST(test_recorder_slices_lose_nothing)
{
    for (size_t capacity = 2; capacity <= 9; capacity++) {
        struct slices *slices = make(RECORD_SLICES, capacity);
        uint64_t total = 0;
        add_slices(slices, 1, 1000);
        assert_in_range(slices->n, 2, capacity);
        for (size_t i = 0; i < slices->n; i++) {
            assert_int_equal(slices->slice[i].start_ns, i ? slices->slice[i - 1].end_ns : 0);
            if (i + 1 < slices->n)
                assert_int_equal(slices->slice[i].end_ns - slices->slice[i].start_ns, 10 * slices->stride);
            total += slices->slice[i].count;
        }
        assert_int_equal(total, 500500);
        assert_int_equal(slices->slice[slices->n - 1].end_ns, 10000);
        assert_guarded(RECORD_SLICES, capacity, slices);
        free(slices);
    }
}

TEST(test_recorder_slices_without_room_write_nowhere)
{
    for (size_t capacity = 0; capacity < 2; capacity++) {
        struct slices *slices = make(RECORD_SLICES, capacity);
        add_slices(slices, 1, 5);
        assert_true(slices->n <= capacity);
        assert_guarded(RECORD_SLICES, capacity, slices);
        free(slices);
    }
}

TEST(test_recorder_slices_completed_cuts_in_proportion)
{
    struct slices *slices = make(RECORD_SLICES, 4);

    assert_true(slices_completed(slices, 0, UINT64_MAX) == 0);
    slices_add(slices, 100, 1000, 1010);
    slices_add(slices, 200, 1010, 1030);
    slices_add(slices, 50, 1040, 1050); /* behind a pause */
    assert_true(slices_completed(slices, 0, UINT64_MAX) == 350);
    assert_true(slices_completed(slices, 1000, 1030) == 300);
    assert_true(slices_completed(slices, 1005, 1020) == 150);
    assert_true(slices_completed(slices, 1012, 1013) == 10);
    assert_true(slices_completed(slices, 1030, 1040) == 0);
    assert_true(slices_completed(slices, 1025, 1042) == 60);
    assert_true(slices_completed(slices, 1020, 1020) == 0);
    assert_true(slices_completed(slices, 1020, 1005) == 0);
    assert_true(slices_completed(slices, 1050, 2000) == 0);
    free(slices);
}

/* --- Series. --- */

/* 10007 is a prime number, so that i * 7919 modulo 10007 takes every value from 1 to 10006 once. */
enum { MANY = 10006, LEAST_KEPT = MANY - (int)SERIES_LARGEST + 1 };

static uint64_t value_at(uint64_t at)
{
    return (at + 1) * 7919 % 10007;
}

static struct series *series_from_to(uint64_t from, uint64_t to)
{
    struct series *series = make(RECORD_SERIES, 0);

    for (uint64_t at = from; at < to; at++)
        series_add(series, at - from, value_at(at));
    return series;
}

/* The first 500 and the 2,000 largest; 2,399 of them are different (counted by python3). */
static void assert_many_points(const struct series *series)
{
    struct series_point *points = calloc(SERIES_FIRST + SERIES_LARGEST, sizeof(*points));
    size_t n = series_points(series, points);

    assert_int_equal(series->n, MANY);
    assert_int_equal(n, 2399);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(points[i].value, value_at(points[i].at));
        assert_true(points[i].at < SERIES_FIRST || points[i].value >= LEAST_KEPT);
        assert_true(i == 0 || points[i].at > points[i - 1].at);
    }
    free(points);
}

TEST(test_recorder_series_keeps_the_first_and_the_largest)
{
    struct series *series = series_from_to(0, MANY);

    assert_int_equal(series->threshold, LEAST_KEPT + 1);
    assert_many_points(series);
    assert_guarded(RECORD_SERIES, 0, series);
    free(series);
}

TEST(test_recorder_series_keeps_all_of_a_few)
{
    struct series_point points[SERIES_FIRST + SERIES_LARGEST];
    struct series *series = series_from_to(0, 3);

    assert_int_equal(series_points(series, points), 3);
    assert_int_equal(series->n, 3);
    assert_int_equal(series->threshold, 0);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(points[i].at, i);
        assert_int_equal(points[i].value, 7919 * (i + 1) % 10007);
    }
    series_init(series);
    assert_int_equal(series_points(series, points), 0);
    assert_int_equal(series->n, 0);
    free(series);
}

TEST(test_recorder_series_appended_are_one)
{
    static const uint64_t cuts[] = {1, 300, 500, 2000, 4000, MANY - 1};

    for (size_t i = 0; i < COUNT(cuts); i++) {
        struct series *series = series_from_to(0, cuts[i]), *rest = series_from_to(cuts[i], MANY);
        series_append(series, rest, cuts[i]);
        assert_many_points(series);
        assert_int_equal(series->threshold, LEAST_KEPT + 1);
        series_add(series, MANY, LEAST_KEPT + 1); /* goes on as one */
        assert_int_equal(series->n, MANY + 1);
        free(series);
        free(rest);
    }
}

/* --- Checks. --- */

TEST(test_recorder_checks_find_the_first_wrong_one)
{
    struct checks *checks = make(RECORD_CHECKS, 4);

    checks_add(checks, "right", 5, 5, 0);
    checks_add(checks, "at the edge", 10.5, 10, 0.5);
    assert_null(checks_wrong(checks));
    checks_add(checks, "low", 9.25, 10, 0.5);
    checks_add(checks, "high", 11, 10, 0.5);
    const struct check *wrong = checks_wrong(checks);
    assert_non_null(wrong);
    assert_string_equal(wrong->name, "low");
    assert_true(wrong->got == 9.25 && wrong->expected == 10 && wrong->tolerance == 0.5);
    free(checks);
}

TEST(test_recorder_checks_hold_nan_and_infinity_for_wrong)
{
    static const struct {
        double got, expected, tolerance;
    } wrong[] = {{(double)NAN, 1, 1e300}, {1, (double)NAN, 1e300}, {1, 1, (double)NAN},
                 {HUGE_VAL, 1, 1e300},    {HUGE_VAL, HUGE_VAL, 0}, {1, 1, -1}};

    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct checks *checks = make(RECORD_CHECKS, 1);
        checks_add(checks, "", wrong[i].got, wrong[i].expected, wrong[i].tolerance);
        assert_non_null(checks_wrong(checks));
        free(checks);
    }
}
