/* SPDX-License-Identifier: MIT */
/* Rows of many machines: as many as there may be, and values beyond all bounds; what is made of them is golden. */

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
