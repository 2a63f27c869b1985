/* SPDX-License-Identifier: MIT */
/* jitbench all: runs every suite. */
#include "cmd/suites.h"

/* Quiet suites before noisy ones, because those that measure noise must not run just after those that make it. */
const struct suite *const suite_list[] = {&suite_noise,  &suite_wakeup, &suite_prime,   &suite_memory,
                                          &suite_stream, &suite_unix,   &suite_latency, NULL};

static int run(const struct command *command, int argc, char **argv)
{
    size_t n = 0;

    while (suite_list[n])
        n++;
    return measure_main(command, suite_list, n, argc, argv);
}

const struct command command_all = {
    .name = "all",
    .operands = "",
    .title = "runs every suite in a few minutes; --quick: within a minute; --classic: as the originals",
    .description =
        "Runs every suite with its default options, the quietest suite first, and prints a summary at the end.",
    .run = run,
    .tables = measure_tables,
};
