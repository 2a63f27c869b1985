/* SPDX-License-Identifier: MIT */
/* jitbench show: the tables of a run's file are, byte for byte, those that the run printed; broken files are shown as
 * far as they go. */

#include "cli.h"

/* Files that older versions wrote. Tests run in the top directory. */
static char prime_csv[CLI_PATH], unix_csv[CLI_PATH], latency_csv[CLI_PATH];

static int group_setup(void **state)
{
    if (!realpath("tests/consumers/prime.csv", prime_csv) || !realpath("tests/consumers/unix_a.csv", unix_csv) ||
        !realpath("tests/consumers/latency.csv", latency_csv))
        return -1;
    return cli_group_setup(state);
}

static void show(void **state, const char *const *args, int status, struct cli_result *result)
{
    const struct cli_run run = {.args = args};

    cli_expect(&run, status, result);
}

/* Runs a measurement of each suite, and compares what it prints with what show prints of its file. */
CLI_TEST(test_show_prints_what_the_run_printed)
{
    const struct {
        int status;
        const char *const *args, *const *show;
    } cases[] = {
        {0, ARGS("prime", "-q", "-o", "a.csv", "-n", "200", "-i", "2", "--limit", "10:22:12"),
         ARGS("show", "-q", "a.csv")},
        {0, ARGS("stream", "-qv", "-o", "a.csv", "-n", "100", "-i", "2", "--sizes", "25", "array"),
         ARGS("show", "-qv", "a.csv")},
        {0, ARGS("noise", "-qv", "-o", "a.csv", "-t", "10ms"), ARGS("show", "-qv", "a.csv")},
        {0, ARGS("unix", "-q", "-o", "a.csv", "-t", "10ms", "-i", "1", "-c", "1,2", "sysgetpid", "pipe"),
         ARGS("show", "-q", "a.csv")},
        {0, ARGS("latency", "-qv", "-o", "a.csv", "-t", "100ms", "-i", "1", "-l", "100000", "-w", "none", "x"),
         ARGS("show", "-qv", "a.csv")},
        {1,
         ARGS("run", "-q", "-o", "a.csv", "-i", "1", "--", "/bin/echo", "a  b", "--", "sh", "-c", "exit 3", "--",
              "true"),
         ARGS("show", "-q", "a.csv")},
        {0, ARGS("run", "-qS", "-o", "a.csv", "-i", "1", "-n", "one,true", "--", "true 1", "--", "true; true"),
         ARGS("show", "-q", "a.csv")},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct cli_run run = {.args = cases[i].args};
        struct cli_result live, shown;
        cli_expect(&run, cases[i].status, &live);
        show(state, cases[i].show, 0, &shown);
        assert_true(live.out_size > 0);
        assert_string_equal(shown.out, live.out);
        assert_int_equal(remove(cli_path("%s/a.csv", cli->work)), 0);
    }
}

/* Whether it is a table's line: its cells have two blanks or more between them. Titles and remarks are prose. */
static bool is_of_a_table(const char *line, size_t length)
{
    const char *gap = strstr(line, "  ");

    return gap && gap < line + length;
}

/* Fails where a table is wider than it may be, or has the column that is left out, which is said once. */
static void expect_fits(const char *file, const char *text, size_t width, const char *left_out)
{
    static const char *const pictures[] = {"Histogram of", "Lost time", "Detours of CPU", "Latency, log scale"};
    const char *end = text + strlen(text), *said = strstr(text, "Left out: ");

    for (size_t i = 0; i < COUNT(pictures); i++) {
        const char *picture = strstr(text, pictures[i]);
        end = picture && picture < end ? picture : end;
    }
    for (const char *at = text; at < end; at += strspn(at, "\r\n")) {
        size_t length = strcspn(at, "\r\n");
        if (is_of_a_table(at, length) && length > width)
            fail_msg("%s: a line of %zu columns, not %zu: %.*s", file, length, width, (int)length, at);
        at += length;
    }
    if (!said || strstr(said + 1, "Left out: ") || strstr(text, left_out))
        fail_msg("%s: %s is left out at %zu columns, which is said once: %s", file, left_out, width, text);
}

/* At most 100 columns, and as many as the terminal has when it is narrower; with -v all. */
CLI_TEST(test_show_tables_fit_the_terminal)
{
    static const unsigned short terminals[] = {0, 80, 100, 140}; /* 0: a pipe */
    const struct cli_run noise = {.args = ARGS("noise", "-q", "-o", "noise.csv", "-t", "10ms")};
    const struct {
        const char *file, *left_out;
    } cases[] = {{prime_csv, "Divisions"}, {latency_csv, "Timer Max"}, {"noise.csv", "Migrated"}};
    struct cli_result result;

    cli_expect(&noise, 0, &result);
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t k = 0; k < COUNT(terminals); k++) {
            const struct cli_run run = {.args = ARGS("show", "-q", cases[i].file),
                                        .out = terminals[k] ? CLI_TERMINAL : CLI_DEFAULT,
                                        .columns = terminals[k]};
            cli_expect(&run, 0, &result);
            expect_fits(cases[i].file, terminals[k] ? result.terminal : result.out, terminals[k] == 80 ? 80 : 100,
                        cases[i].left_out);
        }
        show(state, ARGS("show", "-qv", cases[i].file), 0, &result);
        cli_expect_text(result.out, cases[i].left_out);
        cli_expect_no_text(result.out, "Left out");
    }
}

static int as_nobody(void *context)
{
    (void)context;
    return cli_become_nobody();
}

/* Reasons lose their commas on the way to the CSV. */
CLI_TEST(test_show_prints_the_reasons_that_the_run_printed)
{
    char binary[CLI_PATH];
    struct cli_result live, shown;

    cli_copy_binary(binary);
    const struct cli_run run = {.program = binary,
                                .args = ARGS("prime", "-q", "-o", "a.csv", "-n", "200", "-i", "1", "--nice", "-5"),
                                .prepare = as_nobody};
    cli_expect(&run, 0, &live);
    cli_expect_text(live.out, "nice -5 refused: ");
    show(state, ARGS("show", "-q", "a.csv"), 0, &shown);
    assert_string_equal(shown.out, live.out);
}

CLI_TEST(test_show_of_several_runs_and_files)
{
    struct cli_result result;
    char *one = cli_read_file(prime_csv, NULL), *two = cli_read_file(unix_csv, NULL);
    char *both = malloc(strlen(one) + strlen(two) + 1);

    assert_non_null(both);
    strcpy(both, one);
    strcat(both, two);
    cli_write_file(cli->work, "both.csv", both);
    show(state, ARGS("show", "both.csv"), 0, &result);
    const char *prime = strstr(result.out, "Prime loop"), *index = strstr(result.out, "parallel cop");
    assert_true(prime && index && prime < index);
    show(state, ARGS("show", unix_csv, prime_csv), 0, &result);
    prime = strstr(result.out, "Prime loop");
    index = strstr(result.out, "parallel cop");
    assert_true(prime && index && index < prime);
    free(both);
}

CLI_TEST(test_show_of_broken_files)
{
    struct cli_result result;
    size_t size;
    char *text = cli_read_file(unix_csv, &size);

    text[size * 2 / 3] = '\0';
    cli_write_file(cli->work, "half.csv", text);
    show(state, ARGS("show", "-q", "half.csv"), 0, &result);
    cli_expect_text(result.err, "half.csv: 1 damaged line left out\n");
    cli_expect_text(result.out, "Pipe Throughput ");
}

GROUP(group_setup, NULL);
