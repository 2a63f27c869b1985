/* SPDX-License-Identifier: MIT */
/* The prime loop: its work against known numbers, its self-check, its rows. */
#include "experiment_fixture.h"

static const struct bench *const registry[] = {&bench_prime, NULL};

enum { NUMBER_DIVISIONS = NUMBER_OWN, NUMBER_PRIMES };

static void check_work(uint64_t limit, double divisions, double primes)
{
    const struct prime_params params = {.limit = limit, .experiments = 1};
    struct fixture_party p;

    fixture_party_begin(&p, &bench_prime, &params);
    assert_int_equal(p.party->setup(&p.context), 0);
    const double *number = p.context.recorder[EXPERIMENT_NUMBERS];
    const struct checks *checks = p.context.recorder[EXPERIMENT_CHECKS];
    assert_true(number[NUMBER_DIVISIONS] == divisions);
    assert_true(number[NUMBER_PRIMES] == primes);
    /* The engine fails the row when the two ways of counting do not agree. */
    assert_int_equal(checks->n, 2);
    assert_string_equal(checks->check[0].name, "number of divisions");
    assert_true(checks->check[0].expected == divisions && checks->check[0].got == divisions);
    assert_string_equal(checks->check[1].name, "number of primes");
    assert_true(checks->check[1].expected == primes && checks->check[1].got == primes);
    assert_true(checks->check[0].tolerance == 0 && checks->check[1].tolerance == 0);
    assert_null(checks_wrong(checks));
    fixture_party_end(&p);
}

/* The published table, and a few more from python3. */
TEST(test_prime_counts_divisions_and_primes)
{
    static const struct {
        uint64_t limit;
        double divisions, primes;
    } known[] = {
        {10, 18, 4},   {14, 42, 6},     {18, 62, 7},        {22, 84, 8},
        {26, 112, 9},  {30, 144, 10},   {34, 178, 11},      {38, 220, 12},
        {42, 264, 13}, {46, 310, 14},   {3, 1, 1},          {4, 3, 2},
        {5, 4, 2},     {100, 1157, 25}, {1000, 78189, 168}, {10000, 5776451, 1229},
    };

    for (size_t i = 0; i < COUNT(known); i++)
        check_work(known[i].limit, known[i].divisions, known[i].primes);
}

/* A clock of coarse steps (a counter of 1 MHz, or one that an emulator makes up) may stand still during a short
 * experiment, but not during a lasting one. */
static void check_run(enum clock_kind clock, uint64_t limit, uint64_t experiments, bool lasting)
{
    const struct prime_params params = {.limit = limit, .experiments = experiments};
    struct fixture_party p;

    fixture_party_begin(&p, &bench_prime, &params);
    p.context.clock = clock;
    assert_int_equal(p.party->setup(&p.context), 0);
    assert_int_equal(p.party->counts(&params), experiments);
    assert_int_equal(p.party->work(&p.context, experiments / 5), 0); /* warm-up */
    const struct hist *hist = p.context.recorder[EXPERIMENT_HIST];
    const struct series *series = p.context.recorder[EXPERIMENT_SERIES];
    assert_int_equal(hist->n, experiments / 5);
    assert_int_equal(p.party->run(&p.context), 0);
    assert_int_equal(hist->n, experiments);
    assert_int_equal(series->n, experiments);
    assert_true(hist->max > 0);
    assert_true(hist->min > 0 || !lasting);
    assert_true(hist->base > 0 || !lasting);
    assert_string_equal(p.reason, "");
    fixture_party_end(&p);
}

TEST(test_prime_runs_as_many_experiments_as_asked)
{
    check_run(CLOCK_KIND_GETTIME, 22, 5000, false);
    check_run(CLOCK_KIND_GETTIME, 1000, 20, true);
    struct clock_info info;
    clock_choose(&info);
    check_run(info.kind, 22, 5000, false);
    check_run(info.kind, 1000, 20, true);
}

TEST(test_prime_finds_a_wrong_result)
{
    const struct prime_params params = {.limit = 22, .experiments = 10};
    struct fixture_party p;

    fixture_party_begin(&p, &bench_prime, &params);
    assert_int_equal(p.party->setup(&p.context), 0);
    ((double *)p.context.recorder[EXPERIMENT_NUMBERS])[NUMBER_PRIMES]++; /* as if the loop had found one less */
    assert_int_equal(p.party->run(&p.context), -1);
    assert_string_equal(p.reason, "self-check failed: an experiment found another number of primes");
    fixture_party_end(&p);
}

static struct fixture_rows rows;

TEST(test_prime_rows_of_a_trial)
{
    const struct prime_params params = {.limit = 22, .experiments = 2000};
    double events = 0;

    experiment_run_two(&bench_prime, &params, 2000, "limit=22 experiments=2000 clock=clock_gettime", &rows);
    for (unsigned copy = 0; copy < 2; copy++) {
        const struct row *of_copy = &rows.row[copy * bench_prime.n_metrics];
        assert_true(of_copy[METRIC_OWN].value == 84);
        assert_string_equal(of_copy[METRIC_OWN].metric, "divisions");
        assert_true(of_copy[METRIC_OWN + 1].value == 8);
        assert_string_equal(of_copy[METRIC_OWN + 1].metric, "primes");
        assert_string_equal(of_copy[METRIC_CYCLES].suite, "prime");
    }
    for (size_t i = 0; i < rows.row[METRIC_CYCLES].n_hist; i++)
        events += rows.row[METRIC_CYCLES].hist[i].value;
    assert_true(events == 2000);
    fixture_free_rows(&rows);
}

int main(int argc, char **argv)
{
    experiment_main(argc, argv, registry);
    return run_all_tests();
}
