/* SPDX-License-Identifier: MIT */
/* Made-up fleets, from rows to the machines that stand out. */

#include "analysis/analysis.h"
#include "memory_fixture.h"
#include "normal_fixture.h"
#include "row_fixture.h"

#define LEAST_EFFECT 0.02

static struct row_run run_of(size_t host)
{
    struct row_run run;

    row_run_init(&run);
    (void)snprintf(run.host, sizeof(run.host), "n%04zu", host);
    (void)snprintf(run.run_id, sizeof(run.run_id), "%zu", host);
    text_copy(run.kernel, sizeof(run.kernel), "6.1");
    return run;
}

/* A rate: less is worse. */
static void enter(struct gather *g, const struct row_run *run, size_t test, double value, enum row_status status)
{
    struct row row = ROW(run, value, .suite = "unix", .metric = "rate", .unit = "lps", .better = "higher");

    (void)snprintf(row.test, sizeof(row.test), "t%zu", test);
    row.status = status;
    row.stats.n = 10;
    row.stats.mean = value;
    row.stats.sd = 0.01 * value;
    gather_row(g, &row);
}

/* Values with a spread of 1 %; that share is missing from those of the last host. */
static void judge_fleet(struct gather *g, struct judgement *j, size_t hosts, size_t tests, double slow)
{
    memset(g, 0, sizeof(*g));
    for (size_t host = 0; host < hosts; host++) {
        struct row_run run = run_of(host);
        for (size_t test = 0; test < tests; test++)
            enter(g, &run, test, 1000 * (1 + 0.01 * normal()) * (host + 1 == hosts ? 1 - slow : 1), ROW_OK);
    }
    gather_finish(g);
    judge(j, g, LEAST_EFFECT);
}

static size_t named(const struct judgement *j)
{
    size_t n = 0;

    for (size_t m = 0; m < j->g->machines.n; m++)
        n += judge_stands_out(&j->judged[m]);
    assert_int_equal(judge_count_out(j), n);
    return n;
}

static void end(struct gather *g, struct judgement *j)
{
    judge_free(j);
    gather_free(g);
}

/* At most one in a hundred fleets; half of that is expected. */
TEST(test_judge_equal_machines_are_not_named)
{
    static const struct {
        size_t hosts, tests, fleets;
    } sizes[] = {{1000, 5, 300}, {16, 12, 400}, {4, 12, 400}};
    struct gather g;
    struct judgement j;

    seed = 20261121;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        size_t accused = 0;
        for (size_t fleet = 0; fleet < sizes[i].fleets; fleet++) {
            judge_fleet(&g, &j, sizes[i].hosts, sizes[i].tests, 0);
            accused += named(&j) > 0;
            end(&g, &j);
        }
        if (accused > sizes[i].fleets / 100)
            fail_msg("%zu equal machines: somebody was named in %zu of %zu fleets", sizes[i].hosts, accused,
                     sizes[i].fleets);
    }
}

/* Four of two hundred machines have results that the others lack: each of the four is by chance the worst in a quarter
 * of them, and the spread of four values is less certain than that of two hundred, however small the effect. */
TEST(test_judge_results_of_few_machines)
{
    struct judgement j;
    size_t accused = 0;

    seed = 99;
    for (size_t fleet = 0; fleet < 100; fleet++) {
        struct gather g = {0};
        for (size_t host = 0; host < 200; host++) {
            struct row_run run = run_of(host);
            for (size_t test = 0; test < (host < 4 ? 20 : 2); test++)
                enter(&g, &run, test, 1000 * (1 + 0.01 * normal()), ROW_OK);
        }
        gather_finish(&g);
        judge(&j, &g, 1e-6);
        accused += named(&j) > 0;
        end(&g, &j);
    }
    assert_true(accused <= 1);
}

/* One machine whose samples are all over the place does not hide behind them. */
TEST(test_judge_a_noisy_machine_does_not_widen_the_spread)
{
    struct gather g = {0};
    struct judgement j;

    for (size_t host = 0; host < 40; host++) {
        struct row_run run = run_of(host);
        struct row row = ROW(&run, NAN, .suite = "unix", .test = "pipe", .metric = "rate", .better = "higher");
        row.value = row.stats.mean = host == 7 ? 500 : 1000 + (double)(host % 5);
        row.stats.n = 10;
        row.stats.sd = host == 7 ? 100000 : 1;
        gather_row(&g, &row);
    }
    gather_finish(&g);
    judge(&j, &g, LEAST_EFFECT);
    assert_string_equal(j.judged[0].name, "n0007");
    assert_true(j.judged[0].far && j.judged[0].effect > 0.49);
    assert_int_equal(named(&j), 1);
    end(&g, &j);
}

/* --- Worked out by hand. --- */

/* One result of machines n0000, n0001, ...; NAN: the machine lacks it. */
struct made_result {
    double value[6];
    bool higher_is_better;
};

static void judge_made(struct gather *g, struct judgement *j, const struct made_result *results, size_t n)
{
    memset(g, 0, sizeof(*g));
    for (size_t host = 0; host < 6; host++) {
        struct row_run run = run_of(host);
        for (size_t k = 0; k < n; k++) {
            struct row row = ROW(&run, results[k].value[host], .suite = "made up", .metric = "m",
                                 .better = results[k].higher_is_better ? "higher" : "lower");
            (void)snprintf(row.test, sizeof(row.test), "t%zu", k);
            gather_row(g, &row);
        }
    }
    gather_finish(g);
    judge(j, g, LEAST_EFFECT);
}

static const struct judged *judged_of(const struct judgement *j, size_t machine)
{
    for (size_t m = 0; m < j->g->machines.n; m++)
        if (j->judged[m].machine == machine)
            return &j->judged[m];
    fail_msg("machine %zu is missing", machine);
    return NULL;
}

static void expect_near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9))
        fail_msg("%.12g, expected %.12g", got, expected);
}

/* --- The core's share, and results with the core free. --- */

enum { SHARED_HOSTS = 8, SHARED_TESTS = 3 };
struct shared {
    double share, raw, alone; /* of the last host; of all others 1 */
    unsigned n_alone;         /* hosts that have results with the core free, the last ones */
    bool last_lacks;          /* but the last host has none */
    bool no_share;            /* no host knows its share */
};

/* Rates that differ by some thousandths. */
static void judge_shared(struct gather *g, struct judgement *j, const struct shared *of)
{
    memset(g, 0, sizeof(*g));
    for (size_t host = 0; host < SHARED_HOSTS; host++) {
        const bool last = host + 1 == SHARED_HOSTS;
        const bool has_alone = host + of->n_alone >= SHARED_HOSTS && !(last && of->last_lacks);
        struct row_run run = run_of(host);
        for (size_t k = 0; k < 2 * SHARED_TESTS; k++) {
            const bool alone = k >= SHARED_TESTS;
            const double around = 1 + (double)((host * 3 + k * 5) % 7) / 2000;
            struct row row = ROW(&run,
                                 around * (!last   ? 1
                                           : alone ? of->alone
                                                   : of->raw),
                                 .suite = "s", .metric = alone ? "m_alone" : "m", .better = "higher");
            (void)snprintf(row.test, sizeof(row.test), "t%zu", k % SHARED_TESTS);
            if (!of->no_share)
                (void)snprintf(row.core_share, sizeof(row.core_share), "%.3f", last ? of->share : 1);
            if (!alone || has_alone)
                gather_row(g, &row);
        }
    }
    gather_finish(g);
    judge(j, g, LEAST_EFFECT);
}

TEST(test_judge_by_results_with_the_core_free)
{
    static const struct {
        struct shared of;
        size_t n_results, n_alone, n_far; /* n_far: of the last host */
        const char *metric;               /* of its worst result */
        bool shared;
    } cases[] = {
        {{0.6, 0.7, 1, 8, false, false}, 4, 3, 1, "share", true},
        {{0.6, 0.7, 1, 8, false, true}, 6, 3, 3, "m", false},
        {{1, 0.7, 1, 8, false, false}, 7, 3, 3, "m", false}, /* something else took the time */
        {{1, 0.99, 1, 8, false, false}, 4, 3, 0, NULL, false},
        {{1, 1.5, 1, 8, false, false}, 4, 3, 0, NULL, false}, /* better than with the core free */
        {{1, 1, 0.9, 8, false, false}, 4, 3, 3, "m_alone", false},
        {{0.6, 0.7, 0.9, 8, false, false}, 4, 3, 4, "m_alone", false}, /* slow as well: the share is not what is named
                                                                        */
        {{0.6, 0.7, 1, 7, false, false}, 4, 0, 4, "m", false},         /* one of eight does not know them */
        {{0.6, 0.7, 1, 8, true, false}, 4, 0, 4, "m", false},
        {{1, 0.7, 1, 0, false, true}, 3, 0, 3, "m", false},    /* an earlier version */
        {{1.0, 0.7, 1, 3, false, false}, 4, 0, 3, "m", false}, /* too few to be judged at all */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct gather g;
        struct judgement j;
        judge_shared(&g, &j, &cases[i].of);
        const struct judged *judged = judged_of(&j, SHARED_HOSTS - 1);
        const char *metric = judged->far ? g.result[judged->result].metric : NULL;
        size_t measured = 0;
        for (size_t k = 0; k < g.results.n; k++)
            measured += j.metric[k].n > 0;
        assert_int_equal(measured, cases[i].n_results);
        if (j.n_results != cases[i].n_results || j.n_alone != cases[i].n_alone || judged->n_far != cases[i].n_far ||
            named(&j) != (cases[i].n_far > 0) || judge_is_shared(&j, judged) != cases[i].shared ||
            (metric ? !cases[i].metric || strcmp(metric, cases[i].metric) != 0 : cases[i].metric != NULL))
            fail_msg("case %zu: %zu figures, %zu alone, %zu far, worst %s, %zu named", i, j.n_results, j.n_alone,
                     judged->n_far, metric ? metric : "none", named(&j));
        end(&g, &j);
    }
}

/* The last result is of three machines only, which is too few. The median of the first is 102.5, of the second 100. */
TEST(test_judge_results_and_effects)
{
    static const struct made_result results[] = {
        {{100, 101, 102, 103, 104, 105}, false},
        {{98, NAN, 99, 100, 101, 102}, true},
        {{1, 2, 3, NAN, NAN, NAN}, false},
    };
    static const size_t n_results[] = {2, 1, 2, 2, 2, 2};
    static const double first[] = {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5}, second[] = {2, NAN, 1, 0, -1, -2};
    struct gather g;
    struct judgement j;

    judge_made(&g, &j, results, 3);
    assert_int_equal(j.n_results, 2);
    assert_int_equal(j.n_machines, 6);
    assert_int_equal(j.metric[0].n, 6);
    assert_int_equal(j.metric[1].n, 5);
    assert_int_equal(j.metric[2].n, 0);
    expect_near(j.metric[0].median, 102.5);
    expect_near(j.metric[1].median, 100);
    expect_near(j.threshold[0], outlier_threshold(6, 11));
    expect_near(j.threshold[1], outlier_threshold(5, 11));
    assert_true(j.threshold[2] == 0);
    for (size_t m = 0; m < 6; m++) {
        const struct judged *judged = judged_of(&j, m);
        const double effects[] = {first[m] / 102.5, second[m] / 100};
        assert_string_equal(judged->name, g.machines.name[m]);
        assert_int_equal(judged->results, n_results[m]);
        expect_near(judged->median_effect, m != 1 ? (effects[0] + effects[1]) / 2 : effects[0]);
        assert_int_equal(judged->worst_count, m == 0 || m == 5);
        assert_int_equal(judged->n_far, 0);
        assert_false(judge_stands_out(judged));
    }
    expect_near(judge_worse_by(&j, 0, 205), 1);
    expect_near(judge_worse_by(&j, 1, 50), 0.5);
    end(&g, &j);
}

/* Which result is a machine's worst. Those of the other five are 98 to 102, so the spread is 1.5 % or so: 200 and 50
 * are far, the others are not. In all results less is better. */
TEST(test_judge_the_worst_result_of_a_machine)
{
    static const struct {
        double value[3];
        size_t result, n_far;
    } cases[] = {
        {{101, 101.5, 101.2}, 1, 0}, /* the farthest */
        {{99.9, 98.5, 100.5}, 2, 0}, /* a worse one before a better one that is farther */
        {{100.5, 98.5, 99.9}, 0, 0}, /* whichever is first */
        {{99.5, 99.5, 99.5}, 0, 0},  /* the first of equal ones */
        {{101, 50, 102}, 1, 1},      /* far comes before worse */
        {{50, 101, 102}, 0, 1},      /* whichever is first */
        {{50, 200, 101}, 1, 2},      /* worse among far ones */
        {{200, 50, 101}, 0, 2},      /* whichever is first */
        {{200, 30, 300}, 2, 3},      /* the farthest among these */
        {{300, 30, 200}, 0, 3},      /* whichever is first */
        {{99, 100, 99.5}, 0, 0},     /* the median itself is not worse than a better one */
        {{100, 99, 99.5}, 1, 0},     /* but nearer */
        {{100, 100, 100.1}, 2, 0},   /* and any worse one comes before it */
    };

    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        struct made_result results[3];
        struct gather g;
        struct judgement j;
        for (size_t k = 0; k < 3; k++)
            results[k] = (struct made_result){{98, 99, 100, 101, 102, cases[c].value[k]}, false};
        /* With the value's twin beside it 100 stays the median. */
        for (size_t k = 0; k < 3; k++)
            results[k].value[cases[c].value[k] > 100 ? 4 : 0] = 100;
        judge_made(&g, &j, results, 3);
        const struct judged *judged = judged_of(&j, 5);
        const double value = cases[c].value[cases[c].result];
        if (judged->result != cases[c].result || judged->n_far != cases[c].n_far || judged->far != (judged->n_far > 0))
            fail_msg("case %zu: figure %zu, %zu far", c, judged->result, judged->n_far);
        expect_near(j.metric[judged->result].median, 100);
        expect_near(judged->effect, value / 100 - 1);
        expect_near(judged->distance, fabs(outlier_distance(&j.metric[judged->result], value)));
        end(&g, &j);
    }
}

/* The spread is the measurement's own where that is larger than the machines'. Unknown errors count for nothing. */
TEST(test_judge_the_least_spread)
{
    static const struct {
        double errors[6], expected;
    } cases[] = {
        {{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, 0.35},
        {{0.1, NAN, NAN, 0.4, 0.5, NAN}, 0.4},
        {{NAN, NAN, NAN, NAN, NAN, NAN}, 0.002},
        {{0.001, 0.001, 0.001, 0.001, 0.001, 0.001}, 0.002},
    };

    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        struct gather g = {0};
        struct judgement j;
        for (size_t host = 0; host < 6; host++) {
            struct row_run run = run_of(host);
            struct row row = ROW(&run, 1000, .suite = "unix", .metric = "rate", .better = "higher");
            row.stats = (struct stats_summary){.n = 1, .mean = 1, .sd = cases[c].errors[host]};
            gather_row(&g, &row);
        }
        gather_finish(&g);
        judge(&j, &g, LEAST_EFFECT);
        if (!(fabs(j.metric[0].scale - cases[c].expected) < 1e-6))
            fail_msg("case %zu: %g, expected %g", c, j.metric[0].scale, cases[c].expected);
        end(&g, &j);
    }
}

/* A value just beyond the threshold is far, and one just short of it is not, on either side; an effect that is too
 * small is not. */
TEST(test_judge_far_is_beyond_threshold_and_least_effect)
{
    struct gather g;
    struct judgement j;

    judge_fleet(&g, &j, 20, 2, 0);
    const struct outlier_metric metric = {.median = 100, .scale = 0.01, .n = 20};
    j.metric[0] = j.metric[1] = metric;
    j.threshold[0] = 5;
    j.threshold[1] = 1;
    assert_true(judge_is_far(&j, 0, 0, 105.1) && judge_is_far(&j, 0, 0, 94.9));
    assert_false(judge_is_far(&j, 0, 0, 104.9) || judge_is_far(&j, 0, 0, 95.1));
    assert_true(judge_is_far(&j, 1, 0, 102.1) && judge_is_far(&j, 1, 0, 97.9));
    assert_false(judge_is_far(&j, 1, 0, 101.9) || judge_is_far(&j, 1, 0, 98.1));
    end(&g, &j);
}

/* Failures count unless half of the machines have them; differences are from the majority's settings. */
TEST(test_judge_failures_and_settings)
{
    static const struct {
        size_t failing, broke;
    } cases[] = {{0, 0}, {1, 1}, {2, 2}, {3, 0}, {6, 0}};

    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        struct gather g = {0};
        struct judgement j;
        size_t broke = 0;
        for (size_t host = 0; host < 6; host++) {
            struct row_run run = run_of(host);
            if (host == 2)
                text_copy(run.settings, sizeof(run.settings), "a=2;b=2;c=2");
            else
                text_copy(run.settings, sizeof(run.settings), host == 3 ? "a=1;b=1;c=3" : "a=1;b=1");
            enter(&g, &run, 0, 1000, ROW_OK);
            if (host < cases[c].failing)
                enter(&g, &run, 1, NAN, ROW_FAILED);
        }
        gather_finish(&g);
        judge(&j, &g, LEAST_EFFECT);
        for (size_t m = 0; m < 6; m++) {
            broke += judged_of(&j, m)->broke;
            assert_int_equal(judged_of(&j, m)->differences, m == 2 ? 2 : 0);
        }
        assert_int_equal(broke, cases[c].broke);
        end(&g, &j);
    }
}

/* A machine that is the worst in all of its results, and slow by more than the least effect in the median, is named by
 * the second rule, though no result is far. */
TEST(test_judge_often_the_worst)
{
    static const struct {
        double lag;
        bool often, twin; /* twin: the first machine is as slow, so that neither is the worst */
    } cases[] = {{0.03, true, false},
                 {LEAST_EFFECT, true, false},
                 {0.0199, false, false},
                 {-0.03, false, false},
                 {0.03, false, true}};
    static const double others[] = {1004, 1004, 1000, 1000, 0, 996}; /* with the slow one the median is 1000 */

    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        struct gather g = {0};
        struct judgement j;
        for (size_t host = 0; host < 6; host++) {
            struct row_run run = run_of(host);
            for (size_t test = 0; test < 12; test++)
                enter(&g, &run, test, host == 4 || (!host && cases[c].twin) ? 1000 - 1000 * cases[c].lag : others[host],
                      ROW_OK);
        }
        gather_finish(&g);
        judge(&j, &g, LEAST_EFFECT);
        const struct judged *judged = judged_of(&j, 4);
        assert_int_equal(judged->worst_count, cases[c].lag > 0 && !cases[c].twin ? 12 : 0);
        assert_int_equal(judged_of(&j, 0)->worst_count, 0);
        if (judged->often != cases[c].often)
            fail_msg("%g: %d", cases[c].lag, judged->often);
        end(&g, &j);
    }
}

static struct gather some;

static int judge_some(void)
{
    struct judgement j;
    judge(&j, &some, LEAST_EFFECT);
    judge_free(&j);
    return 0;
}

TEST(test_judge_without_memory_ends_the_program)
{
    for (size_t host = 0; host < 5; host++) {
        struct row_run run = run_of(host);
        for (size_t test = 0; test < 2; test++)
            enter(&some, &run, test, 1000 + (double)host, ROW_OK);
    }
    gather_finish(&some);
    assert_true(memory_needed_or_end(judge_some) >= 7);
    gather_free(&some);
    assert_int_equal(allocations_live, 0);
}
