/* SPDX-License-Identifier: MIT */
/* `jitbench all --quick` as a user runs it, whole: the time that it measures, the length of its tables, and its CSV. Of
 * `make smoke`. */

#include "cli.h"
#include "payload_util.h"
#include "program.h"

/* How long starting and reading take besides depends on the machine. */
#define ALL_QUICK_S     55
#define LINES_MOST      100
#define CHARACTERS_MOST 80

/* Options of all reach every suite, and what is measured takes less than a minute. Rows made of rows were placed
 * nowhere, nor were skipped ones. */
static void expect_options(const char *name)
{
    static const char *const measurement[] = {"suite", "test", "load", "param"};
    struct cli_csv csv;
    char path[CLI_PATH + 16];
    double measured_s = 0;

    (void)snprintf(path, sizeof(path), "%.1000s/%s", payload_scratch, name);
    cli_csv_read(path, &csv);
    for (size_t row = 0; row < csv.n_rows; row++) {
        bool same = row > 0;
        for (size_t i = 0; i < sizeof(measurement) / sizeof(measurement[0]) && same; i++)
            same = !strcmp(cli_cell(&csv, row, measurement[i]), cli_cell(&csv, row - 1, measurement[i]));
        measured_s += same ? 0 : strtod(cli_cell(&csv, row, "wall_s"), NULL);
        if (!cli_is_made_of_rows(cli_cell(&csv, row, "test")) && strcmp(cli_cell(&csv, row, "status"), "skipped"))
            assert_string_equal(cli_cell(&csv, row, "nice"), "1");
    }
    assert_true(measured_s > 20 && measured_s < ALL_QUICK_S);
    cli_expect_all(&csv, "comment", "x");
    assert_int_equal(cli_count(&csv, "array", "array_bytes"), 10);
    assert_int_equal(cli_count(&csv, "bandwidth", "triad_rate"), 2);
    assert_int_equal(cli_count(&csv, "dhry2reg", "rate"), 1);
    assert_string_equal(cli_cell(&csv, cli_row(&csv, "fcopy256", "rate", 0), "scratch_fs"), "tmpfs");
    assert_int_equal(cli_count(&csv, "index", "index"), 1);
    assert_int_equal(cli_count(&csv, "calibrate", "loops_per_ms"), 1);
    assert_int_equal(cli_count(&csv, "audio", "latency"), 4);
    assert_int_equal(cli_count(&csv, "gaming", "latency"), 2);
}

/* Of UTF-8; a byte 10xxxxxx goes on with a character. */
static void expect_short(const char *text)
{
    unsigned lines = 0, width = 0;

    for (const char *at = text; *at; at++) {
        width = *at == '\n' ? 0 : width + ((*at & 0xc0) != 0x80);
        lines += *at == '\n';
        assert_in_range(width, 0, CHARACTERS_MOST);
    }
    assert_in_range(lines, 1, LINES_MOST);
}

TEST(test_smoke_all_quick_takes_under_a_minute)
{
    char rows[sizeof(payload_top) + 32];

    payload_need("python3");
    (void)snprintf(rows, sizeof(rows), "%s/tests/cli/rows.py", payload_top);
    if (program_emulated(payload_program))
        skip_because("an emulator is slower than a processor");
    assert_int_equal(PAYLOAD_RUN(NULL, "all", "env", "COLUMNS=80", payload_program, "all", "--quick", "--nice", "1",
                                 "--comment", "x", "--dir", "/dev/shm", "-o", "all.csv"),
                     0);
    char *text = payload_read("all");
    assert_non_null(text);
    assert_non_null(strstr(text, "Prime loop"));
    assert_non_null(strstr(text, "Small-array copy"));
    assert_non_null(strstr(text, "STREAM-style bandwidth"));
    assert_non_null(strstr(text, "In short"));
    assert_non_null(strstr(text, "all.csv"));
    expect_short(text);
    free(text);
    expect_options("all.csv");
    assert_int_equal(PAYLOAD_RUN(NULL, NULL, "python3", rows, "columns", "all.csv"), 0);
    assert_int_equal(PAYLOAD_RUN(NULL, NULL, "python3", rows, "suites", "all.csv", "noise", "wakeup", "prime", "memory",
                                 "stream", "unix", "latency"),
                     0);
}

GROUP(payload_setup, payload_teardown);
