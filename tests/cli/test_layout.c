/* SPDX-License-Identifier: MIT */
/* What the terminal changes in help, tables and progress; the layout itself is in tests/golden. */

#include "cli.h"

/* Help is broken for the terminal it is shown on. */
CLI_TEST(test_layout_help_fits_the_terminal)
{
    static const unsigned short widths[] = {70, 80, 110};
    /* NULL: the list of all commands. */
    static const char *const commands[] = {NULL,    "all",  "prime", "stream",  "noise",  "unix",   "latency", "run",
                                           "check", "tune", "fleet", "compare", "report", "export", "project", "list"};
    size_t least = 0;

    for (size_t c = 0; c < COUNT(commands); c++)
        for (size_t i = 0; i < COUNT(widths); i++) {
            const struct cli_run run = {.args = commands[c] ? ARGS("help", commands[c]) : ARGS("help"),
                                        .out = CLI_TERMINAL,
                                        .columns = widths[i]};
            struct cli_result result;
            size_t longest = 0;
            cli_expect(&run, 0, &result);
            for (const char *at = result.terminal; *at; at += strspn(at, "\r\n")) {
                size_t length = strcspn(at, "\r\n");
                if (strncmp(at, "Usage: ", 7) != 0) /* stays one line, to be copied; at most 80 columns */
                    longest = length > longest ? length : longest;
                at += length;
            }
            if (longest > widths[i])
                fail_msg("help %s is %zu columns wide on a terminal of %u", commands[c] ? commands[c] : "", longest,
                         widths[i]);
            assert_true(i == 0 || longest >= least);
            least = longest;
        }
}

static size_t widest_line_of_help(const char *columns)
{
    const struct cli_run run = {.args = ARGS("help", "prime"), .env = (const char *const[]){columns, NULL}};
    struct cli_result result;
    size_t longest = 0;

    cli_expect(&run, 0, &result);
    for (const char *at = result.out; *at; at += strspn(at, "\n")) {
        size_t length = strcspn(at, "\n");
        if (strncmp(at, "Usage: ", 7) != 0)
            longest = length > longest ? length : longest;
        at += length;
    }
    return longest;
}

/* COLUMNS is ignored unless it is a number of at least 40. */
CLI_TEST(test_layout_columns_are_those_of_the_environment)
{
    static const char *const none[] = {"COLUMNS=",    "COLUMNS=39",  "COLUMNS=-60",
                                       "COLUMNS=60x", "COLUMNS= 60", "COLUMNS=99999999999999999999"};
    const size_t preset = widest_line_of_help("COLUMN=60");

    assert_in_range(preset, 61, 80);
    assert_in_range(widest_line_of_help("COLUMNS=60"), 50, 60);
    assert_in_range(widest_line_of_help("COLUMNS=130"), preset + 1, 130);
    for (size_t i = 0; i < COUNT(none); i++)
        assert_int_equal(widest_line_of_help(none[i]), preset);
}

/* Status behind the line, the reason below the table, once. */
CLI_TEST(test_layout_degraded)
{
    struct cli_result result;
    unsigned reasons = 0;

    cli_need_fifo(); /* its refusal would be another reason */
    cli_need_cpus((unsigned)sysconf(_SC_NPROCESSORS_ONLN));
    cli_expect_args(ARGS("prime", "-q", "-n", "1000", "-i", "1", "--cpus", "all", "--fifo", "--limit", "10:14:4"), 0,
                    &result);
    for (const char *at = result.out; (at = strstr(at, "\ndegraded: ")); at++)
        reasons++;
    cli_expect_text(result.out, "  degraded\n");
    assert_int_equal(reasons, 1);
}

/* --- Terminals. --- */

CLI_TEST(test_layout_histogram_on_a_terminal)
{
    const struct cli_run run = {.args = ARGS("prime", "-n", "1000", "-i", "1"), .out = CLI_TERMINAL, .columns = 120};
    struct cli_result result;

    cli_expect(&run, 0, &result);
    cli_expect_text(result.terminal, "Prime loop: all runs together");
    cli_expect_text(result.terminal, "Histogram of limit=22 ");
    assert_string_equal(result.err, "");
}

/* A picture of the latencies, a line a pair. */
CLI_TEST(test_layout_latency_on_a_terminal)
{
    const struct cli_run run = {.args = ARGS("latency", "audio", "--load", "none,burn", "-t", "100ms", "-l", "100000"),
                                .out = CLI_TERMINAL,
                                .columns = 120};
    struct cli_result result;

    cli_expect(&run, 0, &result);
    const char *picture = strstr(result.terminal, "Latency, log scale");
    assert_non_null(picture);
    cli_expect_text(picture, "\naudio   none ");
    cli_expect_text(picture, "\naudio   burn ");
}

CLI_TEST(test_layout_progress_on_a_terminal)
{
    const char *const loud[] = {"prime", "-n", "100", "-i", "3", NULL};
    const char *const quiet[] = {"prime", "-n", "100", "-i", "3", "-q", NULL};

    for (unsigned i = 0; i < 2; i++) {
        const struct cli_run run = {.args = i ? quiet : loud, .err = CLI_TERMINAL};
        struct cli_result result;
        cli_expect(&run, 0, &result);
        if (i) {
            assert_string_equal(result.terminal, "");
        } else {
            size_t length = strlen(result.terminal);
            cli_expect_text(result.terminal, "prime, sample 1: 0 %");
            /* It is wiped off at the end. */
            assert_true(length > 4);
            assert_string_equal(result.terminal + length - 4, "\r\033[K");
        }
    }
}

/* A command may run for hours: the line says that it does. Tests of delays are not disturbed for that. */
CLI_TEST(test_layout_progress_within_a_long_command)
{
    const struct cli_run run = {.args = ARGS("run", "-i", "1", "--", "sleep", "1.3"), .err = CLI_TERMINAL};
    struct cli_result result;

    cli_need_commands();
    cli_expect(&run, 0, &result);
    cli_expect_text(result.terminal, "\r\033[Krun sleep, sample 1: 0 % (running for 1 s)");
    cli_expect_no_text(result.terminal, "for 2 s");
}
