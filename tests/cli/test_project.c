/* SPDX-License-Identifier: MIT */
/* jitbench project: from result files to what noise costs many ranks. */

#include "cli.h"
#include "program.h"

/* A CPU that was observed for 10 s and lost 0.5 s of it to 100 detours of 5 ms. */
#define HEADER "host,suite,test,metric,unit,value,status,wall_s,hist,series\n"
#define NOISY \
    "n1,noise,noise,lost,%,5,ok,10,,\n" \
    "n1,noise,noise,detour,ns,5000000,ok,10,4980736:100,\n" \
    "n1,noise,noise,lost_preempted,%,5,ok,10,,5000000:100\n"

static void read_csv(const char *name, struct cli_csv *csv)
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
    struct cli_csv csv;

    cli_write_file(cli->work, "a.csv", HEADER NOISY);
    cli_expect_args(ARGS("project", "a.csv", "--step", "1ms", "--ranks", "1:100000", "-o", "p.csv"), 0, NULL);
    read_csv("p.csv", &csv);
    assert_int_equal(csv.n_rows, 6);
    for (size_t row = 0; row < csv.n_rows; row++) {
        double got = cli_number(&csv, row, "slowdown"), right = expected(cli_number(&csv, row, "ranks"));
        if (!(fabs(got - right) < 0.002 * right))
            fail_msg("%g ranks: %g, and arithmetic says %g", cli_number(&csv, row, "ranks"), got, right);
    }
}

CLI_TEST(test_project_of_a_real_measurement)
{
    struct cli_result result;

    cli_expect_args(ARGS("noise", "-q", "-t", "200ms", "-o", "n.csv"), 0, &result);
    cli_expect_args(ARGS("project", "n.csv"), 0, &result);
    if (!program_clock_is_coarse(cli_binary)) /* shorter than its steps */
        cli_expect_text(result.out, "unexplained");
}
