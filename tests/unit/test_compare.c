/* SPDX-License-Identifier: MIT */
/* Comparisons of made-up samples: order of the rows by effect, drift, means of suites and hosts. */

#include "analysis/compare.h"
#include "memory_fixture.h"
#include "row_fixture.h"

enum { PAIRS_MAX = 12, RUNS_MAX = 6, SAMPLES = 10, SAMPLES_MAX = 12 };
static struct row_run runs[PAIRS_MAX][2][RUNS_MAX];
static struct row rows[PAIRS_MAX][2][RUNS_MAX];
static const struct row *sides[PAIRS_MAX][2][RUNS_MAX];
static double samples[PAIRS_MAX][2][RUNS_MAX][SAMPLES_MAX];
static struct pair pair[PAIRS_MAX];
static struct pairs pairs;
static struct compared compared;

static int begin(void **state)
{
    memset(rows, 0, sizeof(rows));
    memset(pair, 0, sizeof(pair));
    pairs = (struct pairs){.pair = pair};
    return 0;
}

static int end(void **state)
{
    compared_free(&compared);
    return allocations_live != 0;
}

/* A pair of so many runs a side, whose samples are about these levels, with a spread of 0.1 % or so. */
static struct pair *add_pair(const char *suite, const char *better, size_t n_runs, double before, double after)
{
    const size_t i = pairs.n++;

    assert_true(i < PAIRS_MAX);
    for (size_t side = 0; side < 2; side++)
        for (size_t r = 0; r < n_runs; r++) {
            row_run_init(&runs[i][side][r]);
            (void)snprintf(runs[i][side][r].run_id, sizeof(runs[0][0][0].run_id), "%zu-%zu", side, r);
            (void)snprintf(runs[i][side][r].host, sizeof(runs[0][0][0].host), "here");
            rows[i][side][r] = ROW(&runs[i][side][r], 0, .suite = suite, .test = "t", .metric = "m", .better = better);
            rows[i][side][r].samples = samples[i][side][r];
            rows[i][side][r].n_samples = SAMPLES;
            for (size_t s = 0; s < SAMPLES_MAX; s++)
                samples[i][side][r][s] = (side ? after : before) * (1 + 0.001 * ((double)((s * 7 + r) % 5) - 2));
            sides[i][side][r] = &rows[i][side][r];
        }
    pair[i] =
        (struct pair){.about = &rows[i][1][0], .side = {{sides[i][0], n_runs}, {sides[i][1], n_runs}}, .reason = -1};
    return &pair[i];
}

static const struct metrics_metric headline = {.id = "m", .better = "lower", .headline = true}, aside = {.id = "m"};
static const struct metrics_test tests_of[] = {{.suite = "s", .metric = &headline, .n = 1},
                                               {.suite = "other", .metric = &headline, .n = 1},
                                               {.suite = "alone", .metric = &headline, .n = 1},
                                               {.suite = "w", .metric = &headline, .n = 1},
                                               {.suite = "side", .metric = &aside, .n = 1}};
static const struct metrics metrics = {.test = tests_of, .n_tests = sizeof(tests_of) / sizeof(tests_of[0])};

static void make(bool all)
{
    compared_make(&pairs, &metrics, all, 0.01, &compared);
}

static const struct comparison *comparison_of(size_t row)
{
    return compared.row[row].of;
}

static void expect_near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.12g, expected %.12g", got, expected);
}

/* The greatest effect first, up or down; from or to 0 is greater than any other, and equal ones stay in order. */
TEST_WITH(test_compared_rows_by_effect, begin, end)
{
    static const struct {
        double before, after, ratio;
    } of[] = {{100, 110, 1.1}, {100, 50, 0.5}, {100, 100, 1}, {0, 1, NAN}, {100, 300, 3}, {0, 0, NAN}, {100, 110, 1.1}};
    static const size_t order[] = {3, 4, 1, 0, 6, 2, 5};

    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
        (void)add_pair("s", "", 1, of[i].before, of[i].after);
    make(false);
    assert_int_equal(compared.n_rows, 7);
    assert_int_equal(compared.n_means, 0);
    assert_int_equal(compared.n_judged, 0);
    for (size_t i = 0; i < 7; i++) {
        assert_ptr_equal(compared.row[i].pair, &pair[order[i]]);
        assert_ptr_equal(compared.row[i].of, &compared.comparison[order[i]]);
        assert_true(compared.row[i].judged && !compared.row[i].by_hosts);
        if (!isnan(of[order[i]].ratio))
            expect_near(comparison_of(i)->ratio, of[order[i]].ratio);
    }
}

/* Half of a run against the other half. */
TEST_WITH(test_compared_drift_and_fewest_samples, begin, end)
{
    static const struct {
        size_t side, run;
        double factor, expected;
    } cases[] = {{0, 0, 1.5, 50}, {1, 1, 0.75, 25}, {0, 2, 1.04, 4}, {1, 0, 1.02, 0}};

    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        (void)begin(state);
        (void)add_pair("s", "lower", 3, 100, 100);
        double *drifting = samples[0][cases[c].side][cases[c].run];
        for (size_t s = 0; s < SAMPLES; s++)
            drifting[s] = (s < SAMPLES / 2 ? 100 : 100 * cases[c].factor) * (1 + 1e-5 * (double)(s % 5));
        rows[0][1][2].n_samples = 8;
        make(false);
        assert_int_equal(compared.row[0].few, 8);
        const double pct = row_drift_pct(&rows[0][cases[c].side][cases[c].run]);
        if (!(fabs(pct - cases[c].expected) < 1e-6))
            fail_msg("case %zu: %g", c, pct);
        compared_free(&compared);
    }
    /* Too few samples for it; a middle one belongs to neither half. */
    (void)begin(state);
    (void)add_pair("s", "lower", 1, 100, 100);
    for (size_t s = 0; s < SAMPLES; s++)
        samples[0][0][0][s] = s < 4 ? 100 : s == 4 ? 1000 : 150;
    rows[0][0][0].n_samples = 9;
    expect_near(row_drift_pct(&rows[0][0][0]), 50);
    rows[0][0][0].n_samples = 7;
    samples[0][0][0][3] = samples[0][0][0][4] = 100;
    make(false);
    assert_true(row_drift_pct(&rows[0][0][0]) == 0);
    assert_int_equal(compared.row[0].few, 7);
}

/* Commands of one file ran in turns, so their samples are pairs; other alternatives of one run decide nothing. */
TEST_WITH(test_compared_commands_of_one_run_are_pairs, begin, end)
{
    for (unsigned i = 0; i < 4; i++) {
        struct pair *of = add_pair("s", "lower", 1, 100, 110);
        of->within = i & 1;
        if (i & 2)
            set_params(&rows[i][1][0], "command=true");
        rows[i][0][0].n_samples = rows[i][1][0].n_samples = 12;
    }
    make(false);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(compared.comparison[i].tested, i == 3 ? TESTED_PAIRS : TESTED_WITHIN);
}

/* Six pairs of one sign are significant, but not where it was looked at them after each few of a hundred. */
TEST_WITH(test_compared_commands_that_may_end_early, begin, end)
{
    for (unsigned i = 0; i < 2; i++) {
        add_pair("s", "lower", 1, 100, 110)->within = true;
        set_params(&rows[i][1][0], i ? "planned=100 command=true" : "command=true");
        rows[i][0][0].n_samples = rows[i][1][0].n_samples = 12;
        pairs = (struct pairs){.pair = &pair[i], .n = 1};
        make(false);
        assert_int_equal(compared.comparison[0].change, i ? CHANGE_NONE : CHANGE_HIGHER);
        compared_free(&compared);
        pairs = (struct pairs){.pair = pair, .n = 1};
    }
}

/* Runs are pairs if the kth of both sides are next to each other in time. */
TEST_WITH(test_compared_runs_that_alternate, begin, end)
{
    static const struct {
        const char *seconds[2][RUNS_MAX]; /* of the base's runs and of the others */
        size_t n[2];
        const char *host;
        bool pairs;
    } cases[] = {{{{"01", "04", "05"}, {"02", "03", "06"}}, {3, 3}, "here", true},   /* A B B A A B */
                 {{{"01", "03", "05"}, {"02", "04", "06"}}, {3, 3}, "here", true},   /* A B A B A B */
                 {{{"01", "02", "03"}, {"01", "02", "03"}}, {3, 3}, "here", true},   /* within a second */
                 {{{"01", "02", "03"}, {"04", "05", "06"}}, {3, 3}, "here", false},  /* A A A B B B */
                 {{{"01", "02", "05"}, {"03", "04", "06"}}, {3, 3}, "here", false},  /* A A B B A B */
                 {{{"01", "01", "01"}, {"01", "01", "01"}}, {3, 3}, "here", false},  /* the order is not known */
                 {{{"01", "04", "05"}, {"02", "03", "06"}}, {3, 3}, "there", false}, /* of two machines */
                 {{{"01", "04", "05", "08"}, {"02", "03", "06"}}, {4, 3}, "here", false}};

    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        (void)begin(state);
        struct pair *of = add_pair("s", "lower", RUNS_MAX, 100, 110);
        of->side[0].n = cases[c].n[0];
        of->side[1].n = cases[c].n[1];
        for (size_t side = 0; side < 2; side++)
            for (size_t r = 0; r < cases[c].n[side]; r++)
                (void)snprintf(runs[0][side][r].utc, sizeof(runs[0][0][0].utc), "2026-11-21T08:00:%sZ",
                               cases[c].seconds[side][r]);
        (void)snprintf(runs[0][1][0].host, sizeof(runs[0][0][0].host), "%s", cases[c].host);
        make(false);
        if (compared.comparison[0].tested != (cases[c].pairs ? TESTED_PAIRS : TESTED_RUNS))
            fail_msg("case %zu: %d", c, (int)compared.comparison[0].tested);
        compared_free(&compared);
    }
    /* Alternatives of the same runs are pairs, whatever the times. */
    (void)begin(state);
    (void)add_pair("s", "lower", 3, 100, 110);
    for (size_t r = 0; r < 3; r++)
        rows[0][1][r].run = rows[0][0][r].run;
    make(false);
    assert_int_equal(compared.comparison[0].tested, TESTED_PAIRS);
}

/* Above 1 is better: a rate that doubles, and a time of an eighth, have the mean 4. Rows without a direction, a single
 * row of a suite, and other hosts are not in it. */
TEST_WITH(test_compared_means, begin, end)
{
    (void)add_pair("s", "higher", 1, 100, 200);
    (void)add_pair("s", "lower", 1, 80, 10);
    (void)add_pair("s", "", 1, 100, 900);
    (void)add_pair("alone", "lower", 1, 100, 200);
    (void)snprintf(add_pair("s", "lower", 1, 100, 200)->host, 8, "n1");
    (void)snprintf(add_pair("s", "lower", 1, 100, 200)->host, 8, "n1");
    add_pair("w", "lower", 1, 100, 200)->within = true;
    add_pair("w", "lower", 1, 100, 200)->within = true;
    make(false);
    assert_int_equal(compared.n_rows, 8);
    assert_int_equal(compared.n_means, 2);
    static const struct {
        const char *host;
        double ratio;
    } expected[] = {{"", 4}, {"n1", 0.5}};
    for (size_t i = 0; i < 2; i++) {
        const struct compared_row *mean = &compared.row[compared.n_rows + i];
        const struct comparison *c = mean->of;
        assert_string_equal(mean->pair->about->suite, "s");
        assert_string_equal(mean->pair->host, expected[i].host);
        assert_int_equal(mean->mean, 2);
        assert_int_equal(c->tested, TESTED_WITHIN);
        expect_near(c->ratio, expected[i].ratio);
        expect_near(c->changed, expected[i].ratio);
        assert_true(c->base == 1 && c->low < c->ratio && c->ratio < c->high && c->low > 0.99 * c->ratio);
    }
    assert_int_equal(compared.n_judged, 0);
    assert_int_equal(compared.n_hosts, 1);
    assert_string_equal(compared.host[0].host, "n1");
    expect_near(compared.host[0].ratio, 0.5);
}

/* With three runs a side, the scores of the runs are tested: each the geometric mean of its rows over the base. */
TEST_WITH(test_compared_means_of_runs, begin, end)
{
    static const double levels[2][RUNS_MAX] = {{100, 101, 99, 0}, {200, 204, 196, 0}};

    for (size_t k = 0; k < 2; k++) {
        (void)add_pair("s", k ? "lower" : "higher", 3, 1, 1);
        for (size_t side = 0; side < 2; side++)
            for (size_t r = 0; r < 3; r++)
                for (size_t s = 0; s < SAMPLES; s++)
                    samples[k][side][r][s] = k ? 1e4 / levels[side][r] : levels[side][r];
    }
    (void)add_pair("s", "", 3, 100, 700); /* these are not in its mean */
    (void)add_pair("other", "lower", 3, 100, 700);
    make(false);
    const struct comparison *c = compared.row[compared.n_rows].of;
    assert_int_equal(compared.n_means, 1);
    assert_int_equal(c->tested, TESTED_RUNS);
    assert_int_equal(c->n_base, 3);
    assert_int_equal(c->n_new, 3);
    assert_true(fabs(c->base - 1) < 1e-6 && fabs(c->ratio - 2) < 1e-3);
    expect_near(c->changed, c->base * c->ratio);
    compared_free(&compared);
    /* A run that lacks a row has no score; two runs are too few. */
    pair[1].side[1].n = 2;
    make(false);
    c = compared.row[compared.n_rows].of;
    assert_int_equal(c->tested, TESTED_WITHIN);
}

/* The host whose ratio is far from the others' stands out by the rules of fleet, if by more than the least effect,
 * among at least four. */
TEST_WITH(test_compared_hosts, begin, end)
{
    static const struct {
        double after[5];
        size_t n;
        int stands_out; /* -1: none */
    } cases[] = {{{100, 100.1, 100.2, 150, 99.9}, 5, 3},
                 {{100, 100.1, 100.2, 60, 99.9}, 5, 3},
                 {{100, 101, 102, 150, 99}, 5, -1}, /* not enough hosts for so wide a spread */
                 {{100, 100, 100, 100.9, 100}, 5, -1},
                 {{100, 100, 100, 120, 100}, 5, 3},
                 {{100, 150}, 2, -1},
                 {{100, 100, 150}, 3, -1},
                 {{100, 110, 120, 130, 140}, 5, -1}};

    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        (void)begin(state);
        for (size_t h = 0; h < cases[c].n; h++)
            (void)snprintf(add_pair("s", "lower", 1, 100, cases[c].after[h])->host, 8, "n%zu", h);
        make(false);
        assert_int_equal(compared.n_hosts, cases[c].n);
        for (size_t i = 0; i < compared.n_hosts; i++) {
            const int number = compared.host[i].host[1] - '0';
            expect_near(compared.host[i].ratio, 100 / cases[c].after[number]);
            if (compared.host[i].stands_out != (number == cases[c].stands_out))
                fail_msg("case %zu: host %d", c, number);
            if (i)
                assert_true(!compared.host[i].stands_out || compared.host[i - 1].stands_out);
        }
        compared_free(&compared);
    }
}

/* A time that goes with one over the share of the core, of which one side had half as much: at the same share nothing
 * changed, and as measured it doubled or halved. Alternatives of the same files, and hosts, are taken as measured. The
 * mean of the suite is at the same share as well; its first row has no shares. */
TEST_WITH(test_compared_at_the_same_share, begin, end)
{
    static const double of[] = {0.98, 0.9, 0.8, 0.95, 0.85};
    static const struct {
        bool halved, within, hosts;
    } cases[] = {{false, false, false}, {true, false, false}, {false, true, false}, {false, false, true}};

    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        (void)begin(state);
        (void)add_pair("s", "lower", 5, 100, 100);
        add_pair("s", "lower", 5, 1, 1)->within = cases[c].within;
        for (size_t k = 0; k < 20; k++) {
            const size_t i = k / 10, side = k / 5 % 2, r = k % 5;
            const double share = of[r] / (side == cases[c].halved ? 1 : 2);
            for (size_t s = 0; i && s < SAMPLES; s++)
                samples[i][side][r][s] *= 100 / share;
            (void)snprintf(runs[i][side][r].host, sizeof(runs[0][0][0].host), "h%zu", cases[c].hosts ? r : 0);
            if (i)
                (void)snprintf(rows[i][side][r].core_share, sizeof(rows[0][0][0].core_share), "0.%03u",
                               (unsigned)(1000 * share + 0.5) % 1000);
        }
        make(false);
        const bool at_share = !cases[c].within && !cases[c].hosts;
        const double measured = cases[c].halved ? 0.5 : 2;
        const struct compared_row *row = &compared.row[compared.row[0].of == &compared.comparison[1] ? 0 : 1];
        assert_ptr_equal(row->pair, &pair[1]);
        assert_ptr_equal(row->raw, at_share ? &pair[1] : NULL);
        assert_int_equal(compared.comparison[1].share > 0, at_share);
        assert_true(fabs(compared.comparison[1].ratio - (at_share ? 1 : measured)) < 0.01);
        if (at_share) {
            assert_true(fabs(row->of_raw.ratio - measured) < 0.01);
            assert_int_equal(row->of_raw.change, cases[c].halved ? CHANGE_LOWER : CHANGE_HIGHER);
            assert_int_equal(compared.n_means, 1);
            assert_true(fabs(compared.comparison[2].changed / compared.comparison[2].base - 1) < 0.01);
        }
        compared_free(&compared);
    }
}

/* The errors of two rows, 0.1 % of spread in ten samples a side, are one: the square root of half of their squares, of
 * twice the degrees of freedom, as both are equal. From five rows on the spread of their ratios counts if it is more:
 * the standard deviation of -0.2 ... 0.2 is 0.158114, over the square root of 5. */
TEST_WITH(test_compared_errors_of_means, begin, end)
{
    (void)add_pair("s", "higher", 1, 100, 200);
    (void)add_pair("s", "lower", 1, 80, 10);
    make(false);
    const struct comparison *mean = compared.row[compared.n_rows].of, *row = compared.comparison;
    expect_near(mean->error, row->error / sqrt(2));
    expect_near(mean->df, 36);
    assert_true(fabs(log(mean->high / mean->ratio) / mean->error - 2.028094) < 1e-5); /* Student's t */
    assert_true(fabs(log(mean->ratio / mean->low) / mean->error - 2.028094) < 1e-5);
    assert_true(mean->n_base == 1 && mean->n_new == 1);
    assert_true(isnan(mean->p) && isnan(mean->p_t) && isnan(mean->p_permutation));
    compared_free(&compared);
    for (size_t n = 4; n <= 5; n++) {
        (void)begin(state);
        for (size_t i = 0; i < n; i++)
            (void)add_pair("s", "higher", 1, 100, 100 * exp(0.1 * (double)i - 0.2));
        make(false);
        mean = compared.row[compared.n_rows].of;
        assert_int_equal(compared.row[compared.n_rows].mean, n);
        assert_true(n == 5 ? fabs(mean->error - 0.0707107) < 1e-6 : mean->error < 0.001);
        if (n == 5) {
            assert_true(mean->df == 4);
            expect_near(mean->ratio, 1);
            assert_true(fabs(log(mean->high) - 2.776445 * 0.0707107) < 1e-6);
            assert_true(fabs(log(mean->low) + 2.776445 * 0.0707107) < 1e-6);
        }
        compared_free(&compared);
    }
}

static int make_some(void)
{
    memory_exits("compare");
    make(false);
    compared_free(&compared);
    return 0;
}

TEST_WITH(test_compared_without_memory_fails, begin, end)
{
    assert_true(memory_needed_or_end(make_some) > 3); /* no rows */
    for (size_t h = 0; h < 4; h++)
        (void)snprintf(add_pair("s", "lower", 3, 100, 110)->host, 8, "n%zu", h / 2);
    assert_true(memory_needed_or_end(make_some) > 20);
}
