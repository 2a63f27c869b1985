/* SPDX-License-Identifier: MIT */
/* jitbench history: exit statuses and wrong command lines; its tables are golden. */
#include <limits.h>
#include <stdlib.h>

#include "cli.h"

static char nights[CLI_PATH - 32];

static int find_files(void **state)
{
    return realpath("tests/golden/in/nights", nights) ? cli_group_setup(state) : -1;
}

static const char *file(const char *name)
{
    static char path[2][CLI_PATH];
    static unsigned turn;

    turn = !turn;
    (void)snprintf(path[turn], sizeof(path[turn]), "%s/%s", nights, name);
    return path[turn];
}

CLI_TEST(test_history_exit_status)
{
    static const struct {
        const char *file, *option, *value, *recent;
        int status;
    } cases[] = {
        {"worse.csv", "--fail-on", "change", "--recent=8", 4},
        {"worse.csv", "--fail-on", "slower:1", NULL, 4},
        {"worse.csv", "--fail-on", "slower:9,faster,undecided", NULL, 0},
        {"better.csv", "--fail-on", "changed", NULL, 4},
        {"better.csv", "--fail-on", "faster:9", NULL, 0},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        cli_expect_exit(*state, ARGS("history", file(cases[i].file), cases[i].option, cases[i].value, cases[i].recent),
                        cases[i].status);
}

CLI_TEST(test_history_wrong_command_lines)
{
    cli_expect_error_with(*state, ARGS("history", file("worse.csv"), "--stat", "average"), "average");
    cli_expect_error_with(*state, ARGS("history"), "needs a FILE");
}

GROUP(find_files, NULL);
