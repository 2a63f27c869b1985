/* SPDX-License-Identifier: MIT */
/* Unit tests of result rows. */

#include "../test.h"
#include "row_fixture.h"

TEST(test_row_reasons_that_repeat)
{
    assert_true(row_reason_repeats("no rights", "no rights"));
    assert_true(row_reason_repeats("no rights; the core was free in 3 of 9 slices", "no rights"));
    assert_false(row_reason_repeats("no rights", "no rights; the core was free in 3 of 9 slices"));
    assert_false(row_reason_repeats("no rightsman", "no rights"));
    assert_false(row_reason_repeats("ended", "no rights"));
}

TEST(test_row_copy_is_deep)
{
    struct row from, to;
    row_init(&from, NULL);
    strcpy(from.test, "pipe");
    from.n_samples = 2;
    from.samples = calloc(2, sizeof *from.samples);
    from.n_hist = 1;
    from.hist = calloc(1, sizeof *from.hist);
    from.n_series = 1;
    from.series = calloc(1, sizeof *from.series);
    assert_true(from.samples != NULL && from.hist != NULL && from.series != NULL);
    from.samples[1] = 2.5;
    from.hist[0] = (struct stats_point){.at = 3, .value = 4};
    from.series[0] = (struct stats_point){.at = 5, .value = 6};
    assert_int_equal(row_copy(&to, &from), 0);
    row_free(&from);
    assert_string_equal(to.test, "pipe");
    assert_int_equal(to.n_samples, 2);
    assert_true(to.samples[1] == 2.5);
    assert_true(to.hist[0].at == 3 && to.hist[0].value == 4);
    assert_true(to.series[0].at == 5 && to.series[0].value == 6);
    row_free(&to);
}

TEST(test_row_copy_without_memory_leaves_nothing)
{
    double sample = 1;
    struct row from, to;
    row_init(&from, NULL);
    strcpy(from.test, "pipe");
    from.samples = &sample;
    from.n_samples = SIZE_MAX / 4; /* more bytes than can be counted */
    assert_int_equal(row_copy(&to, &from), -1);
    assert_null(to.samples);
    assert_int_equal(to.n_samples, 0);
    assert_string_equal(to.test, "");
    assert_true(isnan(to.value));
}

/* A difference in any of these is another measurement; another metric is not. */
TEST(test_row_measurements_are_the_same)
{
    static struct row_run runs[2];
    const struct row row = ROW(&runs[0], 1, .suite = "s", .test = "t", .load = "l", .param = "a=1", .cpus = "2",
                               .metric = "m", .unit = "ns", .policy = "other");
    struct row others[8];

    for (size_t i = 0; i < 8; i++)
        others[i] = row;
    others[0].run = &runs[1];
    others[1].item = 1;
    others[2].copies = 1;
    strcpy(others[3].suite, "x");
    strcpy(others[4].test, "x");
    strcpy(others[5].load, "x");
    strcpy(others[6].param.text, "a=2");
    strcpy(others[7].cpus, "x");
    for (size_t i = 0; i < 8; i++)
        assert_false(row_same_measurement(&row, &others[i]) || row_same_measurement(&others[i], &row));
    others[0] = ROW(&runs[0], 2, .suite = "s", .test = "t", .load = "l", .param = "a=1", .cpus = "2", .metric = "n",
                    .unit = "%", .policy = "fifo", .better = "lower");
    assert_true(row_same_measurement(&row, &others[0]));
}

TEST(test_row_with_the_core_free)
{
    static const char *const metrics[] = {"rate", "rate_alone", "_alone", "rate_alones", "alone", "rat_alone"};
    static const size_t expected[] = {0, 4, 0, 0, 0, 3};
    struct row rows[6];

    for (size_t i = 0; i < 6; i++) {
        rows[i] = ROW(NULL, 1, .suite = "s", .metric = metrics[i]);
        assert_int_equal(row_is_alone(&rows[i]), expected[i]);
    }
    assert_ptr_equal(row_alone_of(rows, 6, &rows[0]), &rows[1]);
    assert_null(row_alone_of(rows, 1, &rows[0]));
    assert_null(row_alone_of(rows, 6, &rows[1]));
    rows[1].copies = 2;
    assert_null(row_alone_of(rows, 6, &rows[0]));
}

TEST(test_row_share_of_the_core)
{
    static const struct {
        const char *text;
        double share;
    } of[] = {{"0.755", 0.755}, {"1.000", 1},   {"0.001", 0.001}, {"own", NAN},
              {"", NAN},        {"0.000", NAN}, {"1.001", NAN},   {"-0.5", NAN}};
    struct row row;

    row_init(&row, NULL);
    for (size_t i = 0; i < COUNT(of); i++) {
        strcpy(row.core_share, of[i].text);
        const double share = row_core_share(&row);
        if (!(isnan(of[i].share) ? isnan(share) : share == of[i].share))
            fail_msg("'%s' is %g", of[i].text, share);
    }
}

/* Commas of the user's own words stay; others become semicolons, or blanks between CPUs of a setting. */
TEST(test_row_commas_of_the_csv)
{
    static const struct {
        const char *column, *text, *to, *from;
    } cases[] = {
        {"cpus", "0,2-5,", "0;2-5;", "0,2-5,"},
        {"cpus", "0;2;", "0;2;", "0,2,"},
        {"layout", "random stack,heap", "random stack;heap", "random stack;heap"},
        {"layout", "a;b", "a;b", "a;b"},
        {"settings", "isolated=2,3;thp=a, b,", "isolated=2 3;thp=a b ", "isolated=2 3;thp=a b "},
        {"comment", "a, b", "a, b", "a, b"},
        {"comment", "=1,\x1b[2J\xed \xe2\x80\xaex", "=1,?[2J? ???x", "=1,?[2J? ???x"},
        {"cpus", "0,\n2", "0;?2", "0,?2"},
        {"test", "a,b", "a,b", "a,b"},
        {"load", "a,b", "a,b", "a,b"},
        {"param", "a,b", "a,b", "a,b"},
        {"reason", ",", ";", ";"},
        {"reason", "", "", ""},
    };
    char text[64];

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct row_column *column = row_columns;
        while (strcmp(column->name, cases[i].column) != 0)
            column++;
        row_text_to_csv(column, strcpy(text, cases[i].text));
        assert_string_equal(text, cases[i].to);
        row_text_from_csv(column, strcpy(text, cases[i].text));
        assert_string_equal(text, cases[i].from);
    }
}
