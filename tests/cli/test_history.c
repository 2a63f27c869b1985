/* SPDX-License-Identifier: MIT */
/* jitbench history: from the result files of many nights to the night that made a difference. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

#define HEADER \
    "schema,run_id,utc,host,kernel,arch,cpu_model,cpus_online,settings,suite,test,load,param,copies,metric,unit," \
    "better,value,mean,status,comment\r\n"

/* One night's file; its name says nothing of the order. Two rates, of which the first is 5 % less from `step` on. */
static void write_night(const struct cli *cli, unsigned night, unsigned step, const char *host)
{
    char name[32], text[2048] = HEADER;

    for (unsigned test = 0; test < 2; test++) {
        const double value = (test || night < step ? 1000 : 950) * (1 + (double)(night * 7 % 5) / 1000);
        const size_t at = strlen(text);
        (void)snprintf(text + at, sizeof(text) - at,
                       "2,r%u,2026-11-%02uT03:00:00Z,%s,%s,x86_64,Model,8,thp=madvise,unix,t%u,,,1,rate,lps,higher,%g,"
                       "%g,ok,c%u\r\n",
                       night, night + 1, host, night < step ? "6.1" : "6.2", test, value, test ? value : 1000, night);
    }
    (void)snprintf(name, sizeof(name), "n%02u.csv", night * 7 % 29);
    cli_write_file(cli->work, name, text);
}

static void write_nights(const struct cli *cli, unsigned n, unsigned step)
{
    for (unsigned night = 0; night < n; night++)
        write_night(cli, night, step, "a");
}

CLI_TEST(test_history_names_the_night)
{
    const struct cli *cli = *state;
    struct cli_result result;

    write_nights(cli, 28, 20);
    cli_expect_args(cli, ARGS("history", "."), 0, &result);
    assert_string_equal(
        result.out,
        "Since             Run  Figure          Before      After  Change %  From %  To %  Verdict  Comment\n"
        "2026-11-21 03:00   21  unix t0 rate  1002 lps  951.9 lps      -5.0    -5.2  -4.8  WORSE    c20\n"
        "                  changed around run 21: kernel: 6.1 -> 6.2\n"
        "\n"
        "28 runs of a (Model, x86_64), 2026-11-01 03:00 to 2026-11-28 03:00: 2 figures judged, 1 change found.\n"
        "Changes below 1 % are left out. Chance alone finds one in 1 of 25 histories of independent runs without any "
        "change.\n");
    assert_string_equal(result.err, "");
    cli_result_free(&result);
    cli_expect_args(cli, ARGS("history", "-v", "n*.csv", "n00.csv", "--min-effect=6%"), 0, &result);
    cli_expect_text(result.out, "unix t0 rate  1001 lps      -         -  same\n");
    cli_expect_text(result.out, "unix t1 rate  1002 lps      -         -  same\n");
    cli_expect_text(result.out, "0 changes found");
    cli_expect_text(result.err, "jitbench history: 2 rows came twice, and count once\n");
    cli_result_free(&result);
}

CLI_TEST(test_history_exit_status)
{
    const struct cli *cli = *state;
    struct cli_result result;

    write_nights(cli, 28, 20);
    cli_expect_exit(cli, ARGS("history", ".", "--fail-on", "worse"), 4);
    cli_expect_exit(cli, ARGS("history", ".", "--fail-on", "change", "--recent", "8"), 4);
    cli_expect_args(cli, ARGS("history", ".", "--fail-on", "change", "--recent", "7"), 0, &result);
    cli_expect_no_text(result.out, "Since");
    cli_expect_text(result.out, "1 change found, 0 of them in the last 7 runs.");
    cli_result_free(&result);
    cli_expect_exit(cli, ARGS("history", ".", "--fail-on", "worse", "--stat", "mean"), 0);
    cli_expect_exit(cli, ARGS("history", ".", "--fail-on", "slower:1"), 4);
    cli_expect_exit(cli, ARGS("history", ".", "--fail-on", "slower:9,faster,undecided"), 0);
    cli_expect_args(cli, ARGS("history", ".", "--stat", "average"), 2, &result);
    cli_expect_text(result.err, "average");
    cli_result_free(&result);
    cli_expect_args(cli, ARGS("history"), 2, &result);
    cli_expect_text(result.err, "needs a FILE");
    cli_result_free(&result);
}

/* --fail-on worse passes when a figure got better. */
CLI_TEST(test_history_that_gets_better)
{
    const struct cli *cli = *state;
    struct cli_result result;

    for (unsigned night = 0; night < 28; night++)
        write_night(cli, night, night < 14 ? 0 : 28, "a");
    cli_expect_args(cli, ARGS("history", ".", "--fail-on", "worse"), 0, &result);
    cli_expect_text(result.out, " BETTER   c14\n");
    cli_result_free(&result);
    cli_expect_exit(cli, ARGS("history", ".", "--fail-on", "changed"), 4);
    cli_expect_exit(cli, ARGS("history", ".", "--fail-on", "faster:1"), 4);
    cli_expect_exit(cli, ARGS("history", ".", "--fail-on", "faster:9"), 0);
}

CLI_TEST(test_history_refuses_two_machines)
{
    const struct cli *cli = *state;
    struct cli_result result;

    write_nights(cli, 10, 20);
    write_night(cli, 11, 20, "b");
    cli_expect_args(cli, ARGS("history", "."), 2, &result);
    assert_string_equal(result.out, "");
    assert_string_equal(result.err, "jitbench history: the files are of different machines, a (Model, x86_64) and b "
                                    "(Model, x86_64): a history is of one; 'fleet' compares many\n");
    cli_result_free(&result);
}

/* One run, runs of one time, a run without a time, and half of a file. */
CLI_TEST(test_history_bad_files)
{
    static const char cut[] = HEADER
        "2,r90,2026-11-29T03:00:00Z,a,6.2,x86_64,Model,8,thp=madvise,unix,t1,,,1,rate,lps,higher,1001,1001,ok,c90\r\n"
        "2,r90,2026-11-29T03:00:00Z,a,6.2,x86_64,Model,8,thp=ma";
    static const char timeless[] =
        HEADER "2,r91,,a,6.2,x86_64,Model,8,thp=madvise,unix,t1,,,1,rate,lps,higher,5,5,ok,c91\r\n";
    static const char twin[] =
        HEADER "2,r92,2026-11-28T03:00:00Z,a,6.2,x86_64,Model,8,,unix,t1,,,1,rate,lps,higher,1001,1001,ok,c92\r\n";
    const struct cli *cli = *state;
    struct cli_result result;

    cli_write_file(cli->work, "timeless.csv", timeless);
    cli_expect_args(cli, ARGS("history", "timeless.csv"), 2, &result);
    cli_expect_text(result.err, "jitbench history: 1 row left out: the time of their run is not known\n"
                                "jitbench history: no run to judge\n");
    cli_result_free(&result);
    write_night(cli, 0, 20, "a");
    cli_expect_args(cli, ARGS("history", "n00.csv"), 0, &result);
    assert_string_equal(result.out, "1 run of a (Model, x86_64), 2026-11-01 03:00 to 2026-11-01 03:00: 0 figures "
                                    "judged, 0 changes found.\n"
                                    "Too few runs for any change to be found: 2 figures.\n");
    cli_result_free(&result);
    cli_expect_args(cli, ARGS("history", "n00.csv", "--fail-on", "worse"), 1, &result);
    cli_expect_text(result.err, "there is no figure to judge by");
    cli_result_free(&result);
    write_nights(cli, 28, 20);
    cli_write_file(cli->work, "cut.csv", cut);
    cli_write_file(cli->work, "twin.csv", twin);
    cli_expect_args(cli, ARGS("history", ".", "gone.csv"), 0, &result);
    cli_expect_text(result.err, "gone.csv");
    cli_result_free(&result);
    cli_expect_args(cli, ARGS("history", "."), 0, &result);
    cli_expect_text(result.out, "30 runs of a");
    cli_expect_text(result.out, "2026-11-21 03:00   21  unix t0 rate");
    cli_expect_text(result.err, "cut.csv: 1 damaged line left out");
    cli_expect_text(result.err, "1 run began in the same second as the one before");
    cli_expect_text(result.err, "1 row left out: the time");
    cli_result_free(&result);
}

/* The report of the same files has the table and the figures; one of two machines has neither. */
CLI_TEST(test_history_in_the_report)
{
    const struct cli *cli = *state;
    struct cli_result result;

    write_nights(cli, 28, 20);
    cli_expect_args(cli, ARGS("report", "."), 0, &result);
    cli_expect_text(result.out, "<h2 id=\"history\">History</h2>");
    cli_expect_text(result.out, "2 figures judged, 1 change found");
    cli_expect_text(result.out, "changed around run 21: kernel: 6.1 -&gt; 6.2");
    cli_expect_text(result.out, "<figcaption>unix t0 rate<small>28 runs, more is better; 1 change</small>");
    cli_expect_text(result.out, "<figcaption>unix t1 rate<small>28 runs, more is better; 0 changes</small>");
    cli_result_free(&result);
    write_night(cli, 28, 20, "b");
    cli_expect_args(cli, ARGS("report", "."), 0, &result);
    cli_expect_no_text(result.out, "id=\"history\"");
    cli_result_free(&result);
}

/* Sixteen runs; in the last six a neighbour takes more of the core, or the rate is lower, which all runs know and only
 * eight know with the core free. */
static void write_step(const struct cli *cli, const char *name, double rate, double share)
{
    char text[8192] = "schema,run_id,utc,host,suite,test,copies,metric,unit,better,value,status,core_share\n";

    for (unsigned run = 0; run < 16; run++)
        for (unsigned alone = 0; alone < 1 + run % 2; alone++) {
            const double factor = run >= 10 && !alone ? rate : 1, noise = 1 + run * 7 % 16 * 0.0001;
            (void)sprintf(text + strlen(text),
                          "2,r%u,2026-11-%02uT00:00:00Z,box,unix,pipe,1,rate%s,lps,higher,%g,ok,%.3f\n", run, run + 1,
                          alone ? "_alone" : "", 1000 * factor * noise, 0.9 * noise * (run >= 10 ? share : 1));
        }
    cli_write_file(cli->work, name, text);
}

CLI_TEST(test_history_gate)
{
    const struct cli *cli = *state;
    struct cli_result result;

    write_step(cli, "shared.csv", 1, 0.6);
    write_step(cli, "slower.csv", 0.7, 1);
    cli_expect_args(cli, ARGS("history", "shared.csv", "--fail-on", "slower"), 0, &result);
    cli_expect_text(result.out, "core share");
    cli_result_free(&result);
    cli_expect_args(cli, ARGS("history", "slower.csv", "--fail-on", "slower"), 4, &result);
    cli_expect_text(result.out, "unix pipe rate ");
    cli_result_free(&result);
}
