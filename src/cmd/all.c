/* SPDX-License-Identifier: MIT */
/* jitbench all: runs every suite. */
#include "cmd/cmd.h"

/* Quiet suites first: those that measure noise must not run just after those that make it. */
const struct suite *const suite_list[] = {&suite_noise,  &suite_wakeup, &suite_prime,   &suite_memory,
                                          &suite_stream, &suite_unix,   &suite_latency, NULL};

const struct command command_all = {
    .name = "all",
    .operands = "",
    .title = "runs every suite in a few minutes; --quick: within a minute; --classic: as the originals",
    .description =
        "Runs every suite with its default options, the quietest suite first, and prints a summary at the end.",
    .run = measure_main,
    .tables = measure_tables,
};
