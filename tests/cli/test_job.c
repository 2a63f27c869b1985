/* SPDX-License-Identifier: MIT */
/* Many at once: ranks of a job that were told one file name, and a moment at which all begin. */

#include "cli.h"

#define SHORT "prime", "-q", "--samples", "1", "--experiments", "1000"

static const char *const second_of_four[] = {"SLURM_JOB_ID=77", "SLURM_STEP_ID=0",    "SLURM_PROCID=1",
                                             "SLURM_NTASKS=4",  "SLURMD_NODENAME=n2", NULL};
static const char *const third_of_four[] = {"SLURM_JOB_ID=77", "SLURM_STEP_ID=0",    "SLURM_PROCID=2",
                                            "SLURM_NTASKS=4",  "SLURMD_NODENAME=n3", NULL};

static void run(const char *const *args, const char *const *env, int status, struct cli_result *result)
{
    cli_expect(&(struct cli_run){.args = args, .env = env}, status, result);
}

CLI_TEST(test_job_ranks_with_one_name_have_files_of_their_own)
{
    char names[CLI_FILES][256];
    struct cli_result result;

    run(ARGS(SHORT, "-o", "r.csv"), second_of_four, 0, &result);
    run(ARGS(SHORT, "-o", "r.csv"), third_of_four, 0, &result);
    run(ARGS(SHORT, "-o", "r.csv"), third_of_four, 2, &result); /* never overwritten */
    cli_expect_text(result.err, "r-2.csv");
    assert_int_equal(cli_files(cli->work, names), 2);
    assert_string_equal(names[0], "r-1.csv");
    assert_string_equal(names[1], "r-2.csv");
}

CLI_TEST(test_job_and_rank_are_in_every_row)
{
    struct cli_result result;
    struct cli_csv csv;

    run(ARGS(SHORT, "-o", "%j-%h-%r.csv"), second_of_four, 0, &result);
    cli_csv_only(cli->work, &csv);
    cli_expect_all(&csv, "job", "77");
    cli_expect_all(&csv, "rank", "1");
    cli_expect_all(&csv, "host", "n2");
    cli_expect_all(&csv, "start_late_us", "");
}

CLI_TEST(test_job_default_names_have_the_rank)
{
    char names[CLI_FILES][256];
    struct cli_result result;

    run(ARGS(SHORT), third_of_four, 0, &result);
    assert_int_equal(cli_files(cli->work, names), 1);
    assert_memory_equal(names[0], "jitbench-n3-", 12);
    assert_non_null(strstr(names[0], "Z-2.csv"));
}

CLI_TEST(test_job_rank_that_is_no_number)
{
    struct cli_result result;
    struct cli_csv csv;

    run(ARGS(SHORT), ((const char *const[]){"PMI_RANK=one", "PMI_SIZE=4", NULL}), 0, &result);
    cli_expect_text(result.err, "PMI_RANK='one' is not a number");
    cli_csv_only(cli->work, &csv);
    cli_expect_all(&csv, "rank", "");
}

/* The gate opens at the moment or after it, and the row says how long after. The kernel's two clocks are read one after
 * the other, so a few microseconds are their own. */
CLI_TEST(test_job_begins_at_the_moment)
{
    struct cli_result result;
    struct cli_csv csv;
    char moment[32];
    struct timespec before, after;

    (void)clock_gettime(CLOCK_REALTIME, &before);
    (void)snprintf(moment, sizeof(moment), "@%lld", (long long)before.tv_sec + 2);
    run(ARGS("stream", "array", "-q", "--samples", "2", "--experiments", "1000", "--start-at", moment), NULL, 0,
        &result);
    (void)clock_gettime(CLOCK_REALTIME, &after);
    cli_csv_only(cli->work, &csv);
    assert_true(csv.n_rows > 0);
    for (size_t row = 0; row < csv.n_rows; row++) {
        double late = cli_number(&csv, row, "start_late_us");
        assert_true(late > -50 && late < (double)(after.tv_sec - before.tv_sec) * 1e6);
    }
    assert_true(after.tv_sec >= before.tv_sec + 2);
}

CLI_TEST(test_job_moment_that_has_passed)
{
    struct cli_result result;
    struct cli_csv csv;

    run(ARGS(SHORT, "--start-at", "@1700000000"), NULL, 0, &result);
    cli_expect_text(result.err, "--start-at @1700000000 was ");
    cli_expect_text(result.err, "ago: begins at once");
    cli_csv_only(cli->work, &csv);
    assert_true(cli_number(&csv, 0, "start_late_us") > 1e6);
}

/* A signal ends the waiting as it ends the measuring. */
CLI_TEST(test_job_waiting_can_be_ended)
{
    struct cli_child child;
    struct cli_result result;

    cli_start(&(struct cli_run){.args = ARGS("prime", "--samples", "1", "--start-at", "+20m"),
                                .out = CLI_TERMINAL,
                                .in = CLI_TERMINAL,
                                .err = CLI_TERMINAL},
              &child);
    cli_wait_shown(&child, "Start     at +20m");
    assert_int_equal(kill(child.pid, SIGINT), 0);
    cli_wait(&child, &result);
    cli_expect_status(&result, 130);
}
