/* SPDX-License-Identifier: MIT */
/* jitbench project: from result files to what noise costs many ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "program.h"

/* A CPU that was observed for 10 s and lost 0.5 s of it to 100 detours of 5 ms. */
#define HEADER "host,suite,test,metric,unit,value,status,wall_s,hist,series\n"
#define NOISY \
    "n1,noise,noise,lost,%,5,ok,10,,\n" \
    "n1,noise,noise,detour,ns,5000000,ok,10,4980736:100,\n" \
    "n1,noise,noise,lost_preempted,%,5,ok,10,,5000000:100\n"

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

CLI_TEST(test_project_of_a_real_measurement)
{
    const struct cli *cli = *state;
    struct cli_result result;

    cli_expect_args(cli, ARGS("noise", "-q", "-t", "200ms", "-o", "n.csv"), 0, &result);
    cli_result_free(&result);
    cli_expect_args(cli, ARGS("project", "n.csv"), 0, &result);
    if (!program_clock_is_coarse(cli_binary)) /* shorter than its steps */
        cli_expect_text(result.out, "unexplained");
    cli_result_free(&result);
}

/* Nobody reads 49 columns. */
CLI_TEST(test_project_few_columns_of_ranks)
{
    static const struct {
        const char *word, *heading;
    } cases[] = {
        {"--ranks=16:70", "     Step        16        32        64        70\n"},
        {"--ranks=10:100", "     Step        10        20        40        80       100\n"},
        {"--ranks=10:2000", "     Step        10       100      1000      2000\n"},
        {"--ranks=10:999",
         "     Step        10        20        40        80       160       320       640       999\n"},
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
        cli_expect_args(cli, ARGS("project", "-v", "--step=1ms", cases[i].word, "a.csv"), 0, &result);
        cli_expect_text(result.out, cases[i].heading);
        cli_result_free(&result);
    }
}

#define THIRTY_TWO \
    "1us,2us,3us,4us,5us,6us,7us,8us,9us,10us,11us,12us,13us,14us,15us,16us,17us,18us,19us,20us,21us,22us,23us,24us," \
    "25us,26us,27us,28us,29us,30us,31us,32us"

CLI_TEST(test_project_wrong_command_lines)
{
    static const struct {
        const char *word, *says;
    } wrong[] = {{"--step=0", "--step"},    {"--step=1ms,x", "'1ms,x'"},
                 {"--step=", "--step"},     {"--ranks=0:10", "--ranks"},
                 {"--ranks=1:130:2", "64"}, {"--ranks=20000000", "--ranks"},
                 {"gone.csv", "gone.csv"},  {"--step=" THIRTY_TWO ",33us", "more than 32 numbers"}};
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
    /* As many as can be. */
    cli_expect_args(cli, ARGS("project", "a.csv", "--step=" THIRTY_TWO, "--ranks=1"), 0, &result);
    cli_expect_text(result.out, " 32 us  ");
    cli_result_free(&result);
    cli_expect_exit(cli, ARGS("project", "a.csv", "--step=1ms", "--ranks=1:128:2"), 0);
    cli_expect_args(cli, ARGS("project"), 2, &result);
    cli_expect_text(result.err, "needs a FILE");
    cli_result_free(&result);
    cli_expect_args(cli, ARGS("project", "a.csv", "-o", "a.csv"), 2, &result);
    cli_expect_text(result.err, "never overwrites");
    cli_result_free(&result);
}
