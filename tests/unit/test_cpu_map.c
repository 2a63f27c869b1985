/* SPDX-License-Identifier: MIT */
/* The square of made-up pairs of CPUs. */

#include "../test.h"
#include "analysis/analysis.h"

static struct row pair(const char *metric, int from, int to, double value)
{
    struct row row = {.suite = "memory", .test = "cores", .value = value};

    (void)snprintf(row.metric, sizeof(row.metric), "%s", metric);
    if (from >= 0)
        row_param_add(&row.param, PARAM_WORK, "from", "%d", from);
    if (to >= 0)
        row_param_add(&row.param, PARAM_WORK, "to", "%d", to);
    return row;
}

TEST(test_cpu_map_is_the_same_both_ways)
{
    const struct row rows[] = {pair("store", 0, 4, 50), pair("store", 0, 6, 90), pair("store", 4, 6, 70)};
    static struct cpu_map map;

    for (size_t i = 0; i < 3; i++)
        cpu_map_add(&map, &rows[i], "store", CPU_MAP_MOST);
    assert_int_equal(map.n, 3);
    assert_int_equal(map.left_out, 0);
    assert_true(map.cpu[0] == 0 && map.cpu[1] == 4 && map.cpu[2] == 6);
    assert_true(map.row[0][1] == &rows[0] && map.row[1][0] == &rows[0]);
    assert_true(map.row[2][0] == &rows[1] && map.row[1][2] == &rows[2]);
    for (size_t i = 0; i < 3; i++)
        assert_null(map.row[i][i]);
}

TEST(test_cpu_map_takes_only_figures_of_pairs)
{
    struct row other = pair("store", 0, 1, 50);
    const struct row rows[] = {pair("swap", 0, 1, 50), pair("store", 0, 1, (double)NAN), pair("store", -1, 1, 50),
                               pair("store", 0, -1, 50), pair("store", 0, 1, 0)};
    static struct cpu_map map;

    (void)snprintf(other.suite, sizeof(other.suite), "latency");
    cpu_map_add(&map, &other, "store", CPU_MAP_MOST);
    for (size_t i = 0; i < 5; i++)
        cpu_map_add(&map, &rows[i], "store", CPU_MAP_MOST);
    assert_int_equal(map.n, 0);
    assert_int_equal(map.left_out, 0);
}

/* Pairs of the CPUs that have a place are entered even when others had none. */
TEST(test_cpu_map_counts_pairs_without_room)
{
    const struct row rows[] = {pair("store", 0, 1, 50), pair("store", 0, 2, 50), pair("store", 2, 3, 50),
                               pair("store", 1, 0, 60)};
    static struct cpu_map map;

    for (size_t i = 0; i < 4; i++)
        cpu_map_add(&map, &rows[i], "store", 2);
    assert_int_equal(map.n, 2);
    assert_int_equal(map.left_out, 2);
    assert_ptr_equal(map.row[0][1], &rows[3]);
}
