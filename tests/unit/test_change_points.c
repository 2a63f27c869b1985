/* SPDX-License-Identifier: MIT */
/* Change points: where they are found, and, in simulated histories, how often they are found where there is none, and
 * missed where there is one. `make history-sim` simulates 2000 histories of each kind; `make test` a part, from the
 * same seeds. */

#include "memory_fixture.h"
#include "normal_fixture.h"
#include "stats/stats.h"

#define RUNS     100u
#define ALPHA    0.04 /* HISTORY_ALPHA of analysis/history.h */
#define FIGURES  50.0 /* simulated steps are looked for with the alpha of a history of that many figures as well */
#define SEED     7u
#define DISTANCE 2u /* a step is found if it is at most that many runs off */

static size_t at[RUNS];

static size_t find(const double *values, size_t n, double alpha)
{
    const size_t found = change_points(values, n, alpha, SEED, at);

    for (size_t i = 0; i < found; i++) {
        assert_true(at[i] >= CHANGE_POINTS_SIDE && at[i] + CHANGE_POINTS_SIDE <= n);
        assert_true(i == 0 || at[i] >= at[i - 1] + CHANGE_POINTS_SIDE);
    }
    return found;
}

/* Values that hardly vary, with the given levels from these places on. */
static void make_levels(double *values, size_t n, const double *level, const size_t *from, size_t n_levels)
{
    for (size_t i = 0, k = 0; i < n; i++) {
        while (k + 1 < n_levels && i >= from[k + 1])
            k++;
        values[i] = level[k] + 0.1 * (double)(i * 7 % 5);
    }
}

TEST(test_change_points_are_at_the_steps)
{
    static const double level[] = {100, 130, 90, 100};
    static const size_t from[] = {0, 20, 33, 57};
    double values[RUNS];

    make_levels(values, 80, level, from, 4);
    assert_int_equal(find(values, 80, ALPHA), 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(at[i], from[i + 1]);
    make_levels(values, 80, level, from, 1);
    assert_int_equal(find(values, 80, ALPHA), 0);
}

/* The last three values are enough, whatever the unit and the sign. */
TEST(test_change_points_find_a_step_at_the_end)
{
    static const double level[] = {-1e-9, 5e-9};
    static const size_t from[] = {0, 57};
    double values[RUNS];

    for (size_t i = 0; i < 60; i++)
        values[i] = (i < from[1] ? level[0] : level[1]) + 1e-10 * (double)(i * 7 % 5);
    assert_int_equal(find(values, 60, ALPHA), 1);
    assert_int_equal(at[0], 57);
    values[57] = values[58] = values[0]; /* one is not: it might be an outlier */
    assert_int_equal(find(values, 60, ALPHA), 0);
}

TEST(test_change_points_need_values_that_differ)
{
    double values[RUNS] = {0};

    assert_int_equal(find(values, 0, ALPHA), 0);
    assert_int_equal(find(values, RUNS, ALPHA), 0);
    for (size_t i = 3; i < RUNS; i++)
        values[i] = 1;
    assert_int_equal(find(values, 6, 0.2), 1); /* two of twenty ways to put three ones side by side at an end */
    assert_int_equal(at[0], 3);
    assert_int_equal(find(values, 6, 0.05), 0);
    assert_int_equal(find(values, 5, 0.2), 0);
}

/* Values of a coarse clock that are mostly equal. */
TEST(test_change_points_of_values_that_are_mostly_equal)
{
    double values[RUNS];

    for (size_t i = 0; i < RUNS; i++)
        values[i] = 49 + (i % 9 == 0) + 1000 * (i == 11);
    assert_int_equal(find(values, RUNS, ALPHA), 0);
    for (size_t i = 60; i < RUNS; i++)
        values[i]++;
    assert_int_equal(find(values, RUNS, ALPHA), 1);
    assert_int_equal(at[0], 60);
}

/* 0.04 / 491 times its reciprocal is less than 1. */
TEST(test_change_points_with_a_limit_that_is_rounded)
{
    static const double level[] = {100, 130};
    static const size_t from[] = {0, 20};
    double values[RUNS];

    make_levels(values, 40, level, from, 2);
    assert_int_equal(find(values, 40, ALPHA / 491), 1);
    assert_int_equal(at[0], 20);
}

TEST(test_change_points_same_seed_same_result)
{
    double values[RUNS];
    size_t other[RUNS];

    seed = 11;
    for (size_t i = 0; i < RUNS; i++)
        values[i] = normal() + (i >= 40) + (i >= 70);
    const size_t n = find(values, RUNS, ALPHA);
    assert_true(n > 0);
    assert_int_equal(change_points(values, RUNS, ALPHA, SEED, other), n);
    assert_memory_equal(at, other, n * sizeof(*at));
}

TEST(test_change_points_without_memory)
{
    double values[RUNS] = {0};

    for (allocations_left = 0; allocations_left < 2;) {
        const unsigned left = allocations_left;
        assert_true(change_points(values, RUNS, ALPHA, SEED, at) == SIZE_MAX);
        allocations_left = left + 1;
    }
    allocations_left = UINT_MAX;
    assert_int_equal(allocations_live, 0);
}

/* --- Simulated histories. --- */

enum shape { NORMAL, SKEWED, OUTLIERS, COARSE, SHAPES };
static const char *const shape_names[] = {"normal", "lognormal", "with 3 % outliers", "of a coarse clock"};

static double draw(enum shape shape)
{
    const double z = normal();

    return shape == SKEWED                         ? exp(0.5 * z)
           : shape == OUTLIERS && uniform() < 0.03 ? 20 * fabs(z)
           : shape == COARSE                       ? floor(z)
                                                   : z;
}

static unsigned simulations(unsigned part)
{
    return getenv("JITBENCH_STATS") ? 2000 : part;
}

/* At most 5 % of n histories have a false point; of a part of them, with its seed, so many. */
static void assert_wrong(unsigned wrong, unsigned n, unsigned of_part)
{
    assert_true(getenv("JITBENCH_STATS") ? wrong <= n / 20 : wrong == of_part);
}

TEST(test_change_points_in_flat_histories)
{
    static const unsigned of_part[] = {0, 1, 1, 2};
    const unsigned n = simulations(40);
    double values[RUNS];

    seed = 20261123;
    for (enum shape shape = NORMAL; shape < SHAPES; shape++) {
        unsigned wrong = 0;
        for (unsigned i = 0; i < n; i++) {
            for (size_t j = 0; j < RUNS; j++)
                values[j] = draw(shape);
            wrong += find(values, RUNS, ALPHA) > 0;
        }
        print_message("flat, %s: a point in %u of %u histories\n", shape_names[shape], wrong, n);
        assert_wrong(wrong, n, of_part[shape]);
    }
}

/* An outlier at any place, of either sign, the ends included. */
TEST(test_change_points_ignore_a_single_outlier)
{
    const unsigned n = simulations(40);
    unsigned wrong = 0;
    double values[RUNS];

    seed = 20261128;
    for (unsigned i = 0; i < n; i++) {
        for (size_t j = 0; j < RUNS; j++)
            values[j] = normal();
        values[i % 5 ? (size_t)(uniform() * RUNS) : i % 2 ? 0 : RUNS - 1] += i % 7 ? 50 : -50;
        wrong += find(values, RUNS, ALPHA) > 0;
    }
    print_message("a single outlier: a point in %u of %u histories\n", wrong, n);
    assert_wrong(wrong, n, 3);
}

/* least: in % of steps of two standard deviations; of_part: number of smaller ones, of which not all are found. */
static void steps(enum shape shape, double alpha, unsigned least, unsigned of_part)
{
    const bool all = getenv("JITBENCH_STATS") != NULL;
    const unsigned n = simulations(24);
    unsigned found = 0, more = 0;
    double values[RUNS];

    seed = 20261125;
    for (unsigned i = 0; i < n; i++) {
        const size_t step = 20 + (size_t)(uniform() * 61);
        for (size_t j = 0; j < RUNS; j++)
            values[j] = draw(shape) + (j >= step) * (all ? 2 : 1.2);
        const size_t points = find(values, RUNS, alpha);
        bool near = false;
        for (size_t k = 0; k < points; k++)
            near = near || (at[k] + DISTANCE >= step && at[k] <= step + DISTANCE);
        found += near;
        more += points > 1;
    }
    print_message("step, %s, alpha %g: found within %u runs in %u of %u histories, %u with more points\n",
                  shape_names[shape], alpha, DISTANCE, found, n, more);
    assert_true(all ? 100 * found >= least * n : found == of_part);
}

TEST(test_change_points_find_a_step_of_two_standard_deviations)
{
    steps(NORMAL, ALPHA, 90, 20);
    steps(NORMAL, ALPHA / FIGURES, 90, 19);
    steps(OUTLIERS, ALPHA, 85, 14);
}
