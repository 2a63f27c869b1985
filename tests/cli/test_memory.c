/* SPDX-License-Identifier: MIT */
/* Tests of jitbench memory with the real program: rows, levels, the pairs of CPUs, wrong options. */

#include "cli.h"

static void measure(struct cli_run run, struct cli_csv *csv)
{
    cli_expect(&run, 0, NULL);
    cli_csv_only(cli->work, csv);
}

/* From 4 to 64 KiB there are nine sizes; three kinds of pages from 16 KiB on, two below. A load takes a cycle or more.
 */
CLI_TEST(test_memory_curve_has_all_sizes)
{
    static struct cli_csv csv;

    measure((struct cli_run){.args = ARGS("memory", "latency", "-q", "--max-size", "64K")}, &csv);
    assert_int_equal(cli_count(&csv, NULL, "latency"), 9 * 2 + 5);
    assert_int_equal(cli_count(&csv, NULL, "latency_alone"), 9 * 2 + 5);
    for (size_t row = 0; row < csv.n_rows; row++) {
        if (strcmp(cli_cell(&csv, row, "metric"), "latency") != 0)
            continue;
        const double ns = cli_number(&csv, row, "value");
        assert_string_equal(cli_cell(&csv, row, "unit"), "ns");
        if (!(ns > 0.1 && ns < 1e5))
            fail_msg("%s: %g ns", cli_cell(&csv, row, "param"), ns);
    }
}

/* Each size in huge pages only. */
CLI_TEST(test_memory_quick_is_huge_pages)
{
    static struct cli_csv csv;

    measure((struct cli_run){.args = ARGS("memory", "latency", "--quick", "-q", "--max-size", "64K")}, &csv);
    assert_int_equal(cli_count(&csv, NULL, "latency"), 9);
    for (size_t row = 0; row < csv.n_rows; row++)
        if (!strcmp(cli_cell(&csv, row, "metric"), "latency"))
            assert_non_null(strstr(cli_cell(&csv, row, "param"), "chase=huge"));
}

/* Thirty batches of each method, and the export has the pair. */
CLI_TEST(test_memory_cores_are_exported_as_pairs)
{
    static struct cli_csv csv;
    struct cli_result result;

    cli_need_cpus(2);
    measure((struct cli_run){.args = ARGS("memory", "cores", "-q", "--cpus", "0,1", "-o", "cores.csv")}, &csv);
    assert_int_equal(csv.n_rows, 2);
    assert_non_null(strstr(cli_cell(&csv, 0, "param"), "from=0 to=1"));
    assert_string_equal(cli_cell(&csv, 0, "n"), "30");
    const double ns = cli_number(&csv, 1, "value");
    assert_string_equal(cli_cell(&csv, 1, "metric"), "swap");
    cli_expect(&(struct cli_run){.args = ARGS("export", "-f", "pairs", "cores.csv")}, 0, &result);
    double exported = 0;
    assert_int_equal(sscanf(result.out, "a,b,ns\n0,1,%lf\n", &exported), 1);
    assert_true(fabs(exported - ns) <= 0.051);
}

/* More is read with shorter pauses: in the last step, without any, more than in the second, with 20 us. */
CLI_TEST(test_memory_others_read_more_without_pauses)
{
    static struct cli_csv csv;
    double first = NAN, last = NAN;

    cli_need_cpus(2);
    measure((struct cli_run){.args = ARGS("memory", "loaded", "--quick", "-q", "--max-size", "4M")}, &csv);
    assert_int_equal(cli_count(&csv, NULL, "loaded_bandwidth"), 9);
    for (size_t row = 0; row < csv.n_rows; row++) {
        if (strcmp(cli_cell(&csv, row, "metric"), "loaded_bandwidth") != 0)
            continue;
        if (strstr(cli_cell(&csv, row, "param"), "others=idle"))
            assert_true(cli_number(&csv, row, "value") == 0);
        first = strstr(cli_cell(&csv, row, "param"), "pause_ns=20000 ") ? cli_number(&csv, row, "value") : first;
        last = strstr(cli_cell(&csv, row, "param"), "pause_ns=0 ") ? cli_number(&csv, row, "value") : last;
    }
    if (!(last > 2 * first))
        fail_msg("%g MB/s with pauses of 20 us, %g MB/s without", first, last);
}

CLI_TEST(test_memory_steady_looks_each_millisecond)
{
    static struct cli_csv csv;
    double spread = NAN, expected = NAN;

    /* While others have the CPU there may be fewer than the ten probes that a 90th percentile takes. */
    for (unsigned tries = 0;
         tries < 20 && (!csv.n_rows || cli_number(&csv, cli_row(&csv, NULL, "memory_probe", 0), "n") < 10); tries++) {
        measure((struct cli_run){.args = ARGS("memory", "steady", "--samples", "1", "-q", "--max-size", "4M", "-o",
                                              "steady.csv", "--force")},
                &csv);
    }
    for (size_t row = 0; row < csv.n_rows; row++) {
        if (!strcmp(cli_cell(&csv, row, "metric"), "memory_spread"))
            spread = cli_number(&csv, row, "value");
        if (strcmp(cli_cell(&csv, row, "metric"), "memory_probe") != 0)
            continue;
        expected = 100 * (cli_number(&csv, row, "p90") / cli_number(&csv, row, "median") - 1);
        assert_true(cli_number(&csv, row, "n") >= 1);
        assert_true(cli_number(&csv, row, "n") <= 1000 * cli_number(&csv, row, "wall_s") + 1);
        assert_true(strlen(cli_cell(&csv, row, "series")) > 20);
    }
    assert_int_equal(cli_count(&csv, "steady", "memory_spread"), 1);
    assert_true(fabs(spread - expected) < 0.001); /* of the P90 over the median */
    /* The first probe of the cache is at the start, so there are figures after a short sample too. */
    assert_int_equal(cli_count(&csv, "steady", "cache_latency"), 1);
    assert_int_equal(cli_count(&csv, "steady", "cache_reload"), 1);
}

CLI_TEST(test_memory_skips_what_is_not_here)
{
    static struct cli_csv csv;

    measure((struct cli_run){.args = ARGS("memory", "cores", "loaded", "-q", "--cpus", "0")}, &csv);
    assert_int_equal(csv.n_rows, 2);
    cli_expect_all(&csv, "status", "skipped");
    cli_expect_all(&csv, "reason", "there is only one CPU to measure on");
}

/* Returns the MiB of the first CPU's last cache; 0: not known. */
static unsigned last_cache_mib(void)
{
    unsigned kib = 0;
    char path[80];

    for (unsigned index = 0; index < 5; index++) {
        (void)snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%u/size", index);
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%uK", &kib) != 1)
            kib = 0;
        if (file)
            (void)fclose(file);
    }
    return kib / 1024;
}

/* Before tests that work on memory the header looks at it. */
CLI_TEST(test_memory_header_looks_at_memory)
{
    struct cli_result result;
    int end = 0;

    if (!last_cache_mib() || last_cache_mib() > 128)
        cli_skip("the last cache is not known, or too large for a look");
    cli_expect(&(struct cli_run){.args = ARGS("memory", "latency", "--quick", "--max-size", "64K", "--no-csv")}, 0,
               &result);
    const char *quiet = strstr(result.out, "\nQuiet?"), *memory = strstr(result.out, "; memory: P90 ");
    assert_non_null(quiet);
    assert_true(memory > quiet && memory < strstr(quiet + 1, "\n"));
    (void)sscanf(memory, "; memory: P90 %*u %% over the median%n", &end);
    assert_int_equal(memory[end], '\n');
    cli_expect(&(struct cli_run){.args = ARGS("prime", "-n", "1000", "--samples", "1", "--no-csv")}, 0, &result);
    assert_non_null(strstr(result.out, "\nQuiet?"));
    assert_null(strstr(result.out, "; memory"));
}
