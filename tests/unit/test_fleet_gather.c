/* SPDX-License-Identifier: MIT */
/* Rows of many machines: which machine they are of, which result, and what they differ in. */

#include "analysis/analysis.h"
#include "memory_fixture.h"
#include "row_fixture.h"

static struct row_run run_of(const char *host)
{
    static unsigned number;
    struct row_run run;

    row_run_init(&run);
    text_copy(run.host, sizeof(run.host), host);
    (void)snprintf(run.run_id, sizeof(run.run_id), "%032x", ++number);
    text_copy(run.cpu_model, sizeof(run.cpu_model), "Model");
    text_copy(run.arch, sizeof(run.arch), "x86_64");
    text_copy(run.kernel, sizeof(run.kernel), "6.1");
    run.cpus_online = 8;
    return run;
}

static struct row row_of(const struct row_run *run, double value)
{
    struct row row =
        ROW(run, value, .suite = "prime", .test = "prime", .metric = "cycles", .unit = "cycles", .better = "lower");
    row.copies = 1;
    return row;
}

static void enter(struct gather *g, const struct row_run *run, double value)
{
    const struct row row = row_of(run, value);

    gather_row(g, &row);
}

TEST(test_gather_pools_the_rows_of_a_machine)
{
    struct gather g = {0};
    struct row_run a = run_of("a"), b = run_of("b");
    struct row row = row_of(&a, 30);

    enter(&g, &a, 10);
    enter(&g, &b, 50);
    text_copy(row.cpus, sizeof(row.cpus), "1");
    gather_row(&g, &row);
    a = run_of("a"); /* another run of it */
    enter(&g, &a, 50);
    gather_finish(&g);
    assert_int_equal(g.machines.n, 2);
    assert_int_equal(g.results.n, 1);
    assert_int_equal(g.n_values, 2);
    assert_true(fabs(gather_value(&g, 0, 0) - 30) < 1e-12);
    assert_true(gather_value(&g, 0, 1) == 50);
    assert_true(isnan(gather_value(&g, 0, 2)));
    assert_int_equal(g.machine[0].runs, 2);
    assert_int_equal(g.doubles, 0);
    gather_free(&g);
}

/* Each has the same name, and none of the numbers behind it is looked for from the beginning. */
TEST(test_gather_many_machines_of_one_name)
{
    struct gather g = {0};
    struct row_run run = run_of("n");

    for (unsigned i = 0; i < 50000; i++) {
        run.cpus_online = i + 1;
        enter(&g, &run, i);
    }
    gather_finish(&g);
    assert_int_equal(g.machines.n, 50000);
    assert_string_equal(g.machines.name[49999], "n (50000)");
    gather_free(&g);
}

static const char *setting_of(const struct gather *g, const char *name, size_t machine)
{
    for (size_t s = 0; s < g->settings.n; s++)
        if (!strcmp(g->settings.name[s], name))
            return machine == SIZE_MAX ? gather_majority(g, s) : gather_setting(g, s, machine);
    return NULL;
}

TEST(test_gather_hostile_rows)
{
    struct gather g = {0};
    struct row_run run = run_of("k\xc3\xa9");
    struct row row = row_of(&run, 1);

    for (unsigned i = 0; i < 2000; i++) { /* thousands of settings and results */
        struct row_run many = run_of("b");
        (void)snprintf(many.settings, sizeof(many.settings), "s%u=1;t%u=2", i, i);
        struct row other = row_of(&many, 1e99);
        (void)snprintf(other.test, sizeof(other.test), "t%u", i);
        gather_row(&g, &other);
    }
    row.value = INFINITY;
    gather_row(&g, &row);
    row.value = NAN;
    gather_row(&g, &row);
    row.value = 1e308;
    gather_row(&g, &row);
    row.value = 1;
    row.stats.sd = 1e308;
    row.stats.mean = 1e-308;
    gather_row(&g, &row);
    gather_finish(&g);
    assert_string_equal(g.machines.name[1], "k\xc3\xa9");
    assert_int_equal(g.results.n, 2001);
    assert_string_equal(g.result[0].test, "t0");
    assert_null(gather_setting(&g, GATHER_SETTINGS_MAX, 0));
    assert_non_null(gather_setting(&g, GATHER_SETTINGS_MAX - 1, 0));
    assert_true(gather_value(&g, 2000, 1) == 1);
    gather_free(&g);
}

/* With a statistic that the user names, only rows over the whole time count, by it, and the share of the core does not;
 * the disk of other rows has nothing to do with it. */
TEST(test_gather_by_a_statistic)
{
    const struct row_column *mean = row_columns;

    while (strcmp(mean->name, "mean") != 0)
        mean++;
    for (int by_stat = 0; by_stat < 2; by_stat++) {
        struct gather g = {.stat = by_stat ? mean : NULL};
        for (unsigned i = 0; i < 6; i++) {
            struct row_run run = run_of(i % 3 ? "b" : "a");
            struct row row = row_of(&run, 10 + i);
            row.stats.mean = i == 5 ? (double)NAN : 100 + i;
            text_copy(row.core_share, sizeof(row.core_share), "0.5");
            text_copy(row.scratch_disk, sizeof(row.scratch_disk), "disk=solid");
            if (i == 4)
                text_copy(row.metric, sizeof(row.metric), "cycles_alone");
            gather_row(&g, &row);
        }
        gather_finish(&g);
        const double expected[2][2] = {{11.5, 38 / 3.0},
                                       {101.5, 101.5}}; /* rows 0 and 3; 1, 2 and 5, which has no mean */
        assert_int_equal(g.results.n, by_stat ? 1 : 3);
        assert_int_equal(g.share, by_stat ? 0 : 1);
        for (size_t m = 0; m < 2; m++)
            assert_true(fabs(gather_value(&g, !by_stat, m) - expected[by_stat][m]) < 1e-9);
        assert_int_equal(g.machine[1].rows, by_stat ? 2 : 4);
        for (size_t m = 0; m < 2 && !by_stat; m++) {
            assert_true(fabs(gather_value(&g, 0, m) - 0.5) < 1e-9);
            assert_int_equal(g.values[m].rows, 2 + m); /* without row 4 */
        }
        gather_free(&g);
    }
}

/* --- Each column. --- */

#define IN_RUN(name) \
    { \
        true, #name, offsetof(struct row_run, name) \
    }
#define IN_ROW(name) \
    { \
        false, #name, offsetof(struct row, name) \
    }

/* A text column that differs between two rows that are otherwise equal. */
struct differing {
    bool in_run;
    const char *name;
    size_t offset;
};

static void make_two(const struct differing *in, struct row_run *runs, struct row *rows)
{
    for (size_t i = 0; i < 2; i++) {
        runs[i] = run_of("a");
        text_copy(runs[i].run_id, sizeof(runs[i].run_id), "id");
        rows[i] = row_of(&runs[i], 1);
        char *field = in->in_run ? (char *)&runs[i] + in->offset : (char *)&rows[i] + in->offset;
        field[0] = (char)(i ? '8' : '7');
        field[1] = '\0';
    }
}

/* Rows are the same row only if all of these agree; the others may differ in a copy of the file. */
TEST(test_gather_rows_that_are_no_doubles)
{
    static const struct differing of[] = {IN_RUN(run_id), IN_RUN(host), IN_ROW(suite),  IN_ROW(test),
                                          IN_ROW(load),   IN_ROW(cpus), IN_ROW(metric), IN_ROW(param)};
    static const struct differing same[] = {IN_RUN(utc), IN_RUN(kernel), IN_RUN(build), IN_ROW(policy), IN_ROW(unit)};
    struct row_run runs[2];
    struct row rows[2];

    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]) + sizeof(same) / sizeof(same[0]) + 2; i++) {
        const bool differ = i < sizeof(of) / sizeof(of[0]);
        const size_t k = i - sizeof(of) / sizeof(of[0]);
        const struct differing *in = differ ? &of[i] : k < sizeof(same) / sizeof(same[0]) ? &same[k] : &same[3];
        struct gather g = {0};
        make_two(in, runs, rows);
        rows[1].copies += k == sizeof(same) / sizeof(same[0]);
        rows[1].value += k == sizeof(same) / sizeof(same[0]) + 1 ? 0.5 : 0;
        const bool expected = !differ && k < sizeof(same) / sizeof(same[0]);
        gather_row(&g, &rows[0]);
        gather_row(&g, &rows[1]);
        if (g.doubles != expected)
            fail_msg("%zu doubles of rows that differ in %s", (size_t)g.doubles, in->name);
        gather_free(&g);
    }
}

/* Names of machines: known by all columns, by one of them, or by none. */
TEST(test_gather_a_machine_is_known_by_any_column)
{
    for (unsigned known = 0; known < 8; known++) {
        struct gather g = {0};
        struct row_run vague = run_of("n"), other = run_of("n");
        vague.cpu_model[known & 1 ? 5 : 0] = vague.arch[known & 2 ? 6 : 0] = '\0';
        vague.cpus_online = known & 4 ? 8 : 0;
        other.cpus_online = 16;
        enter(&g, &other, 1);
        enter(&g, &vague, 2);
        assert_int_equal(g.machines.n, known ? 2 : 1);
        if (known) {
            assert_string_equal(g.machines.name[1], "n (2)");
            assert_true(g.machine[1].namesake && !g.machine[0].namesake);
        }
        gather_free(&g);
        /* The vague one first: the next is taken for it, and the third is another one. */
        struct gather first = {0};
        enter(&first, &vague, 1);
        enter(&first, &other, 2);
        other.cpus_online = 32;
        enter(&first, &other, 3);
        assert_int_equal(first.machines.n, known ? 3 : 2);
        assert_int_equal(first.machine[0].rows, known ? 1 : 2);
        gather_free(&first);
    }
}

/* Values that arrive in any order, of three machines and three results: none, one and several each. */
TEST(test_gather_values_by_result_and_machine)
{
    static const struct {
        char machine, test;
        double value;
    } rows[] = {{'c', 'x', 7}, {'a', 'x', 1},  {'b', 'y', 10}, {'a', 'x', 2}, {'c', 'x', 8},
                {'a', 'x', 6}, {'c', 'y', 30}, {'b', 'y', 16}, {'d', 'z', 5}, {'a', 'z', -3}};
    static const double expected[3][4] = {{7.5, 3, NAN, NAN}, {30, NAN, 13, NAN}, {NAN, -3, NAN, 5}}; /* c, a, b, d */
    static const size_t numbers[3] = {2, 2, 2}, firsts[3] = {0, 2, 4};
    struct gather g = {0};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct row_run run = run_of((const char[]){rows[i].machine, '\0'});
        struct row row = row_of(&run, rows[i].value);
        row.test[0] = rows[i].test;
        row.test[1] = '\0';
        gather_row(&g, &row);
    }
    gather_finish(&g);
    assert_int_equal(g.n_values, 6);
    for (size_t f = 0; f < 3; f++) {
        assert_int_equal(g.result[f].n, numbers[f]);
        assert_int_equal(g.result[f].first, firsts[f]);
        for (size_t m = 0; m < 4; m++) {
            const double got = gather_value(&g, f, m);
            if (isnan(expected[f][m]) ? !isnan(got) : fabs(got - expected[f][m]) > 1e-12)
                fail_msg("figure %zu of machine %zu: %g, expected %g", f, m, got, expected[f][m]);
        }
    }
    assert_int_equal(g.values[0].rows, 2);
    assert_int_equal(g.values[1].rows, 3);
    assert_int_equal(g.machine[1].rows, 4);
    gather_free(&g);
}

/* The standard error of a row, and that of several: the largest that is known. */
TEST(test_gather_errors)
{
    static const struct {
        double sd, n, mean, expected;
    } of[] = {{2, 4, 10, 0.1},    {2, 16, -10, 0.05}, {NAN, 4, 10, NAN}, {2, 0, 10, NAN},
              {1e40, 1, 1, 1e30}, {1e100, 1, 1, NAN}, {0, 4, 0, NAN},    {0, 4, 2, 0}};
    static const struct {
        double of[3], expected;
    } pooled[] = {{{0.1, 0.3, 0.2}, 0.3}, {{NAN, 0.1, NAN}, 0.1}, {{0.2, NAN, 0.1}, 0.2}, {{NAN, NAN, NAN}, NAN}};
    struct row_run run = run_of("a");

    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
        struct gather g = {0};
        struct row row = row_of(&run, 1);
        row.stats = (struct stats_summary){.sd = of[i].sd, .n = (uint64_t)of[i].n, .mean = of[i].mean};
        gather_row(&g, &row);
        const double got = (double)g.values[0].error;
        if (isnan(of[i].expected) ? !isnan(got) : !(fabs(got - of[i].expected) <= 1e-6 * of[i].expected))
            fail_msg("error %zu: %g, expected %g", i, got, of[i].expected);
        gather_free(&g);
    }
    for (size_t i = 0; i < sizeof(pooled) / sizeof(pooled[0]); i++) {
        struct gather g = {0};
        for (size_t k = 0; k < 3; k++) {
            struct row row = row_of(&run, (double)k);
            row.stats = (struct stats_summary){.sd = pooled[i].of[k], .n = 1, .mean = 1};
            gather_row(&g, &row);
        }
        gather_finish(&g);
        const double got = (double)g.values[0].error;
        if (isnan(pooled[i].expected) ? !isnan(got) : !(fabs(got - pooled[i].expected) < 1e-6))
            fail_msg("pooled %zu: %g, expected %g", i, got, pooled[i].expected);
        gather_free(&g);
    }
}

/* Five machines that have the value "a", "b" or none: which value is the majority. */
TEST(test_gather_majorities)
{
    static const struct {
        const char *values, *expected; /* a letter for each machine; '-': none */
    } cases[] = {{"aaaaa", "a"}, {"aabbb", "b"},  {"babab", "b"},  {"bbaaa", "a"}, {"ab---", NULL}, {"-----", NULL},
                 {"--b--", "b"}, {"aabb-", NULL}, {"abcde", NULL}, {"aabba", "a"}, {"abcaa", "a"},  {"abcab", NULL}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct gather g = {0};
        for (unsigned m = 0; m < 5; m++) {
            struct row_run run = run_of((const char[]){(char)('p' + m), '\0'});
            const char value = cases[i].values[m];
            /* Settings before and behind it must not be counted. */
            (void)snprintf(run.settings, sizeof(run.settings), "aa=x;%s%czz=x",
                           value == '-' ? "" : "mid=", value == '-' ? ';' : value);
            if (value != '-')
                (void)snprintf(run.settings, sizeof(run.settings), "aa=x;mid=%c;zz=x", value);
            enter(&g, &run, 1);
        }
        gather_finish(&g);
        const char *got = setting_of(&g, "mid", SIZE_MAX);
        if (!got != !cases[i].expected || (got && strcmp(got, cases[i].expected) != 0))
            fail_msg("%s: %s", cases[i].values, got ? got : "none");
        assert_string_equal(setting_of(&g, "zz", SIZE_MAX), "x");
        for (unsigned m = 0; m < 5 && strcmp(cases[i].values, "-----") != 0; m++) {
            const char *one = setting_of(&g, "mid", m);
            if (cases[i].values[m] == '-')
                assert_null(one);
            else
                assert_int_equal(one[0], cases[i].values[m]);
        }
        gather_free(&g);
    }
}

/* The last of three runs has the setting, on each of three machines, and nothing between is left. */
TEST(test_gather_the_last_of_many_runs_has_the_settings)
{
    struct gather g = {0};

    for (unsigned i = 0; i < 9; i++) {
        struct row_run run = run_of((const char[]){(char)('a' + i % 3), '\0'});
        (void)snprintf(run.settings, sizeof(run.settings), "one=%u;two=%u", i, 10 * i);
        enter(&g, &run, 1);
    }
    gather_finish(&g);
    assert_int_equal(g.settings.n, 6); /* with kernel, cpu, cpus and a command line without options */
    for (unsigned m = 0; m < 3; m++) {
        char one[8], two[8];
        (void)snprintf(one, sizeof(one), "%u", 6 + m);
        (void)snprintf(two, sizeof(two), "%u", 10 * (6 + m));
        assert_string_equal(setting_of(&g, "one", m), one);
        assert_string_equal(setting_of(&g, "two", m), two);
        assert_string_equal(setting_of(&g, "cpus", m), "8");
    }
    gather_free(&g);
}

/* --- Memory. --- */

/* More than the first 16 of everything that grows. */
static int gather_forty(void)
{
    struct gather g = {0};

    for (unsigned i = 0; i < 40; i++) {
        struct row_run run;
        row_run_init(&run);
        (void)snprintf(run.host, sizeof(run.host), "h%u", i);
        (void)snprintf(run.run_id, sizeof(run.run_id), "%u", i);
        (void)snprintf(run.settings, sizeof(run.settings), "s%u=%u", i, i);
        struct row row = row_of(&run, i);
        (void)snprintf(row.test, sizeof(row.test), "t%u", i);
        text_copy(row.scratch_disk, sizeof(row.scratch_disk), "disk=solid");
        row.nice = i;
        gather_row(&g, &row);
    }
    gather_finish(&g);
    gather_free(&g);
    return 0;
}

TEST(test_gather_without_memory_fails)
{
    assert_true(memory_needed_or_end(gather_forty) > 200);
}
