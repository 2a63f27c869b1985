/* SPDX-License-Identifier: MIT */
/* Tests of jitbench export: files and standard input as input, and where it goes. The formats are golden, and
 * the consumers (make consumers) read them. */

#include "cli.h"

/* File of a real run. Tests run in the top directory. */
static char unix_csv[CLI_PATH];

static int group_setup(void **state)
{
    if (!realpath("tests/consumers/unix_a.csv", unix_csv))
        return -1;
    return cli_group_setup(state);
}

static void expect(void **state, const char *const *args, int status, const char *out, const char *err)
{
    const struct cli_run run = {.args = args};
    struct cli_result result;

    cli_expect(&run, status, &result);
    cli_expect_text(result.out, out);
    assert_string_equal(result.err, err);
    if (!out[0])
        assert_string_equal(result.out, "");
}

CLI_TEST(test_export_is_json_unless_told)
{
    expect(state, ARGS("export", unix_csv), 0, "{\"rows\": [\n{\"schema\": 2, ", "");
}

CLI_TEST(test_export_reads_standard_input_and_damaged_files)
{
    cli_write_file(cli->work, "a.csv", "suite,test,metric,status\ns,t,first,ok\ns,t\ns,t,last,ok");
    int in = open(cli_path("%s/a.csv", cli->work), O_RDONLY | O_CLOEXEC);
    assert_true(in >= 0);
    const struct cli_run run = {.args = ARGS("export", "-"), .in = in};
    struct cli_result result;
    cli_expect(&run, 0, &result);
    cli_expect_text(result.out, "\"metric\": \"first\"");
    cli_expect_text(result.out, "\"metric\": \"last\"");
    cli_expect_text(result.err, "1 damaged line left out");
    (void)close(in);
}

CLI_TEST(test_export_makes_a_file_and_never_overwrites)
{
    char *text;
    size_t size;

    expect(state, ARGS("export", "-f", "openmetrics", "-o", "a.prom", unix_csv), 0, "", "");
    text = cli_read_file(cli_path("%s/a.prom", cli->work), &size);
    assert_string_equal(text + size - 6, "# EOF\n");
    expect(state, ARGS("export", "-o", "a.prom", unix_csv), 2, "",
           "jitbench export: -o 'a.prom': the file exists; jitbench never overwrites without --force\n");
}

GROUP(group_setup, NULL);
