/* SPDX-License-Identifier: MIT */
/* Comparisons of made-up samples: commands of one run, and rows at the same share of the core. */

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

static const struct metrics_metric headline = {.id = "m", .better = "lower", .headline = true};
static const struct metrics_test tests_of[] = {{.suite = "s", .metric = &headline, .n = 1}};
static const struct metrics metrics = {.test = tests_of, .n_tests = COUNT(tests_of)};

static void make(bool all)
{
    compared_make(&pairs, &metrics, all, 0.01, &compared);
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

/* A time that goes with one over the share of the core, of which one side had half as much: at the same share nothing
 * changed, and as measured it doubled or halved. Alternatives of the same files, and hosts, are taken as measured. The
 * mean of the suite is at the same share as well; its first row has no shares. */
TEST_WITH(test_compared_at_the_same_share, begin, end)
{
    static const double of[] = {0.98, 0.9, 0.8, 0.95, 0.85};
    static const struct {
        bool halved, within, hosts;
    } cases[] = {{false, false, false}, {true, false, false}, {false, true, false}, {false, false, true}};

    for (size_t c = 0; c < COUNT(cases); c++) {
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
