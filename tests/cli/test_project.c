/* SPDX-License-Identifier: MIT */
/* jitbench project: from result files to what noise costs many ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "program.h"

/* A CPU that was observed for 10 s and lost 0.5 s of it to 100 detours of 5 ms, and one that lost nothing. */
#define HEADER "host,suite,test,metric,unit,value,status,wall_s,hist,series\n"
#define NOISY \
    "n1,noise,noise,lost,%,5,ok,10,,\n" \
    "n1,noise,noise,detour,ns,5000000,ok,10,4980736:100,\n" \
    "n1,noise,noise,lost_preempted,%,5,ok,10,,5000000:100\n"
#define QUIET \
    "n2,noise,noise,lost,%,0,ok,10,,\n" \
    "n2,noise,noise,detour,ns,,ok,10,,\n"

static void read_csv(const struct cli *cli, const char *name, struct cli_csv *csv)
{
    char path[256];

    (void)snprintf(path, sizeof(path), "%s/%s", cli->work, name);
    cli_csv_read(path, csv);
}

/* 100 detours of 5.01 ms (the middle of their bin) in 9.5 s of work: the number of them in a step of 1 ms has a Poisson
 * distribution. */
static double expected(double ranks)
{
    double number = 100 / 9.5e9 * 1e6, p = exp(-number), below = p, sum = 0;

    for (int k = 0; k < 60; k++) {
        sum += -expm1(ranks * log(below < 1 ? below : 1));
        p *= number / (k + 1);
        below += p;
    }
    return 1 + sum * (4980736 + 32768) / 1e6;
}

CLI_TEST(test_project_is_what_arithmetic_says)
{
    const struct cli *cli = *state;
    struct cli_result result;
    struct cli_csv csv;

    cli_write_file(cli->work, "a.csv", HEADER NOISY);
    cli_expect_args(cli, ARGS("project", "a.csv", "--step", "1ms", "--ranks", "1:100000", "-o", "p.csv"), 0, &result);
    cli_expect_text(result.out, "n1    noise   5.013");
    cli_expect_text(result.out,
                    "\nWhat costs most: slowdown of 100000 ranks with all detours -> without those of the line\n");
    cli_expect_text(result.out, "1 ms .. 10 ms    preempted");
    cli_expect_text(result.out, "Computed from 9.5 s of one CPU's time");
    read_csv(cli, "p.csv", &csv);
    assert_int_equal(csv.n_rows, 6);
    for (size_t row = 0; row < csv.n_rows; row++) {
        double got = cli_number(&csv, row, "slowdown"), right = expected(cli_number(&csv, row, "ranks"));
        if (!(fabs(got - right) < 0.002 * right))
            fail_msg("%g ranks: %g, and arithmetic says %g", cli_number(&csv, row, "ranks"), got, right);
    }
    cli_csv_free(&csv);
    cli_result_free(&result);
}

CLI_TEST(test_project_hosts_and_all_of_them)
{
    const struct cli *cli = *state;
    struct cli_result result;
    struct cli_csv csv;

    cli_write_file(cli->work, "n1.csv", HEADER NOISY);
    cli_write_file(cli->work, "n2.csv", HEADER QUIET);
    cli_expect_args(cli, ARGS("project", "n*.csv", "--step=1ms", "--ranks=1000:1000", "-o", "-"), 0, &result);
    cli_expect_text(result.err, "all   noise");
    assert_true(strstr(result.err, "\nn1 ") < strstr(result.err, "\nn2 ")); /* the slowest first */
    cli_write_file(cli->tmp, "p.csv", result.out);
    char path[256];
    (void)snprintf(path, sizeof(path), "%s/p.csv", cli->tmp);
    cli_csv_read(path, &csv);
    assert_int_equal(csv.n_rows, 3);
    assert_true(fabs(cli_number(&csv, 0, "slowdown") - expected(1000)) < 0.01);
    assert_true(fabs(cli_number(&csv, 1, "slowdown") - 1) < 1e-9);
    /* Half of the ranks run on the noisy one. */
    assert_string_equal(cli_cell(&csv, 2, "host"), "");
    assert_true(fabs(cli_number(&csv, 2, "slowdown") - expected(500)) < 0.01);
    cli_csv_free(&csv);
    cli_result_free(&result);
    cli_expect_args(cli, ARGS("project", "."), 0, &result); /* the folder's *.csv */
    cli_result_free(&result);
    assert_int_equal(remove(path), 0);
}

/* On half of a core the work takes twice as long. Files that do not know the share have no column of it. */
CLI_TEST(test_project_with_a_share_of_the_core)
{
    const struct cli *cli = *state;
    struct cli_result result;
    struct cli_csv csv;

    cli_write_file(cli->work, "old.csv", HEADER QUIET);
    cli_write_file(cli->work, "new.csv",
                   "host,suite,test,metric,unit,value,status,wall_s,core_share\n"
                   "n3,noise,noise,lost,%,0,ok,10,0.500\n"
                   "n3,noise,noise,detour,ns,,ok,10,0.500\n");
    cli_expect_args(cli, ARGS("project", "old.csv", "--step=1ms", "--ranks=1000:1000"), 0, &result);
    cli_expect_text(result.out, "Slowdown (1.00: no noise) of a step");
    cli_expect_no_text(result.out, "Core %");
    cli_result_free(&result);
    cli_expect_args(cli, ARGS("project", "old.csv", "new.csv", "--step=1ms", "--ranks=1000:1000", "-o", "p.csv"), 0,
                    &result);
    cli_expect_text(result.out, "Slowdown (1.00: no noise, and the core to itself) of a step");
    cli_expect_text(result.out, "Host  From   Lost %  Core %     Step");
    cli_expect_text(result.out, "\n-                core share ");
    read_csv(cli, "p.csv", &csv);
    assert_int_equal(csv.n_rows, 3);
    for (size_t row = 0; row < csv.n_rows; row++) {
        const bool known = strcmp(cli_cell(&csv, row, "host"), "n2") != 0; /* the job has a rank on n3 */
        assert_true(fabs(cli_number(&csv, row, "slowdown") - (known ? 2 : 1)) < 1e-3);
        assert_string_equal(cli_cell(&csv, row, "core_share"), known ? "0.5" : "");
    }
    cli_csv_free(&csv);
    cli_result_free(&result);
}

CLI_TEST(test_project_of_a_real_measurement)
{
    const struct cli *cli = *state;
    struct cli_result result;

    cli_expect_args(cli, ARGS("noise", "-q", "-t", "200ms", "-o", "n.csv"), 0, &result);
    cli_result_free(&result);
    /* Experiments that last longer than the steps of any clock. */
    cli_expect_args(cli,
                    ARGS("prime", "-q", "--samples", "1", "--experiments", "1000", "--limit", "1000", "-o", "p.csv"), 0,
                    &result);
    cli_result_free(&result);
    cli_expect_args(cli, ARGS("project", "n.csv"), 0, &result);
    cli_expect_text(result.out, " noise ");
    if (!program_clock_is_coarse(cli_binary)) /* shorter than its steps */
        cli_expect_text(result.out, "unexplained");
    cli_result_free(&result);
    cli_expect_args(cli, ARGS("project", "p.csv"), 0, &result);
    cli_expect_text(result.out, " prime ");
    cli_result_free(&result);
}

CLI_TEST(test_project_what_cannot_be_used_is_said)
{
    const struct cli *cli = *state;
    struct cli_result result;

    cli_write_file(cli->work, "a.csv", HEADER NOISY "n3,unix,pipe,rate,lps,5,ok,10,,\nn1,noise,noi");
    cli_expect_args(cli, ARGS("project", "a.csv", "gone.csv", "x*.csv"), 0, &result);
    cli_expect_text(result.err, "n3 has no rows of noise or prime: left out");
    cli_expect_text(result.err, "a.csv: 1 damaged line left out");
    cli_expect_text(result.err, "gone.csv: ");
    cli_expect_text(result.err, "x*.csv: no such files");
    cli_result_free(&result);
}

/* Nobody reads 49 columns. */
CLI_TEST(test_project_few_columns_of_ranks)
{
    static const struct {
        const char *word, *heading;
    } cases[] = {
        {"--ranks=16:64", "     Step        16        32        64\n"},
        {"--ranks=16:70", "     Step        16        32        64        70\n"},
        {"--ranks=10:100", "     Step        10        20        40        80       100\n"},
        {"--ranks=10:2000", "     Step        10       100      1000      2000\n"},
        {"--ranks=10:1000", "     Step        10       100      1000\n"},
        {"--ranks=10:999",
         "     Step        10        20        40        80       160       320       640       999\n"},
        {"--ranks=2:4", "     Step         2         3         4\n"},
        {"--ranks=10:17",
         "     Step        10        11        12        13        14        15        16        17\n"},
        {"--ranks=10:18", "     Step        10        18\n"},
        {"--ranks=16:48:16", "     Step        16        32        48\n"},
        {"--ranks=512", "     Step       512\n"},
    };
    const struct cli *cli = *state;
    struct cli_result result;

    cli_write_file(cli->work, "a.csv", HEADER NOISY);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cli_expect_args(cli, ARGS("project", "-v", cases[i].word, "a.csv"), 0, &result);
        cli_expect_text(result.out, cases[i].heading);
        cli_result_free(&result);
    }
}

#define SIXTEEN "1us,2us,3us,4us,5us,6us,7us,8us,9us,10us,11us,12us,13us,14us,15us,16us"

CLI_TEST(test_project_wrong_command_lines)
{
    static const struct {
        const char *word, *says;
    } wrong[] = {{"--step=0", "--step"},    {"--step=1ms,x", "'x'"},
                 {"--step=", "--step"},     {"--ranks=0:10", "--ranks"},
                 {"--ranks=1:130:2", "64"}, {"--ranks=20000000", "--ranks"},
                 {"gone.csv", "gone.csv"},  {"--step=" SIXTEEN ",17us", "--step: at most 16 of them"}};
    const struct cli *cli = *state;
    struct cli_result result;

    cli_write_file(cli->work, "a.csv", HEADER NOISY);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        const char *file = wrong[i].word[0] == '-' ? "a.csv" : "gone.csv";
        cli_expect_args(cli, ARGS("project", wrong[i].word, file), 2, &result);
        cli_expect_text(result.err, wrong[i].says);
        assert_string_equal(result.out, "");
        cli_result_free(&result);
    }
    cli_expect_args(cli, ARGS("project", "a.csv", "--step=" SIXTEEN, "--ranks=1:128:2"), 0,
                    &result); /* as many as can be */
    cli_expect_text(result.out, " 16 us  ");
    cli_result_free(&result);
    cli_expect_args(cli, ARGS("project"), 2, &result);
    cli_expect_text(result.err, "needs a FILE");
    cli_result_free(&result);
    cli_expect_args(cli, ARGS("project", "a.csv", "-o", "a.csv"), 2, &result);
    cli_expect_text(result.err, "never overwrites");
    cli_result_free(&result);
}
