/* SPDX-License-Identifier: MIT */
/* The two rates of the tests of jitbench unix, over all of the time and with the core free, agree: they may differ by a
 * factor of 2. Other tests do not run beside this one. */

#include "cli.h"

/* Time lost between two free probes counts in both, so a sample lasts for many slices. Whatever else the machine does
 * only takes away from the mean rate. One that computes all the time loses the share of the time in which it did not
 * run, and no more than a factor of 2 to neighbours on its core. */
static void expect_rates_agree(const struct cli_csv *csv, const char *test, bool computes)
{
    size_t row = cli_row(csv, test, "rate", 0), alone = cli_row(csv, test, "rate_alone", 0);
    double mean = cli_number(csv, row, "value");

    assert_true(mean > 0);
    assert_string_not_equal(cli_cell(csv, alone, "reason"), "");
    if (!*cli_cell(csv, alone, "value"))
        return; /* the core was never free, which the reason says */
    double free_core = cli_number(csv, alone, "value");
    double share = computes ? cli_number(csv, row, "cpu_s") / cli_number(csv, row, "wall_s") : 0;
    if (!(free_core > 0 && mean < 2 * free_core && mean > free_core * share / 2))
        fail_msg("%s: %g, and %g with the core free, with %g of the CPU's time", test, mean, free_core, share);
}

CLI_TEST(test_rates_over_all_time_and_with_the_core_free_agree)
{
    static const char *const computing[] = {"dhry2reg", "whetstone", "pipe", "syscall"};
    const struct cli_run run = {.args = ARGS("unix", "-q", "-o", "-", "-c", "1", "-t", "150ms", "--samples", "1")};
    struct cli_result result;
    struct cli_csv csv;

    cli_need_cpus(2); /* of context1's two other placements */
    cli_expect(&run, 0, &result);
    cli_csv_parse(result.out, &csv);
    for (size_t i = 0; i < cli_count(&csv, NULL, "rate"); i++) {
        const char *test = cli_cell(&csv, cli_row(&csv, NULL, "rate", i), "test");
        bool computes = false;
        for (size_t k = 0; k < COUNT(computing); k++)
            computes = computes || !strcmp(test, computing[k]);
        /* Free halves run ten times as fast once the kernel has put them on one CPU, and it may do so halfway. */
        if (strcmp(test, "context1") != 0)
            expect_rates_agree(&csv, test, computes);
    }
    assert_int_equal(cli_count(&csv, NULL, "rate"), 14);
}
