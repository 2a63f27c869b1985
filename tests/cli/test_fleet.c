/* SPDX-License-Identifier: MIT */
/* jitbench fleet: from the result files of many machines to the one that stands out. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

#define HEADER \
    "schema,run_id,host,rank,kernel,arch,cpu_model,cpus_online,settings,suite,test,load,param,copies,metric,unit," \
    "better,value,status,nice\n"
#define TESTS 12

struct host {
    const char *name, *kernel;
    unsigned number, cpus; /* number: its file, and its run */
    double slow;
};

/* Twelve rates that differ by some thousandths from host to host. */
static void write_host(const struct cli *cli, const struct host *host)
{
    char name[32], text[8192] = HEADER;

    for (unsigned test = 0; test < TESTS; test++) {
        size_t at = strlen(text);
        unsigned noise = (host->number * 7 + test * 5 + host->number * test) % 11;
        (void)snprintf(text + at, sizeof(text) - at,
                       "1,r%u,%s,%u,%s,x86_64,Model,%u,governor=performance,unix,t%u,,,1,rate,lps,higher,%g,ok,0\n",
                       host->number, host->name, host->number, host->kernel, host->cpus, test,
                       1000 * (1 + noise / 2000.) * (1 - host->slow));
    }
    (void)snprintf(name, sizeof(name), "r-%02u.csv", host->number);
    cli_write_file(cli->work, name, text);
}

/* n1, n2, ...; the third one is that much slower. */
static void write_fleet(const struct cli *cli, unsigned n, double slow)
{
    char name[16];

    for (unsigned i = 1; i <= n; i++) {
        (void)snprintf(name, sizeof(name), "n%u", i);
        write_host(cli, &(struct host){name, "6.1", i, 8, i == 3 ? slow : 0});
    }
}

CLI_TEST(test_fleet_slow_host_is_the_first_line)
{
    const struct cli *cli = *state;
    struct cli_result result;

    write_fleet(cli, 4, 0.05);
    cli_expect_args(cli, ARGS("fleet", "r-*.csv"), 0, &result);
    assert_memory_equal(cli_line(result.out, 1), "n3 ", 3);
    cli_expect_text(result.out, "WORSE: the worst of all in 12 of 12 figures, by 5.");
    cli_expect_text(result.out, "4 hosts, 12 figures judged: 1 stands out.");
    assert_string_equal(result.err, "");
    cli_result_free(&result);
    cli_expect_exit(cli, ARGS("fleet", ".", "--fail-on", "outlier"), 4);
    cli_expect_exit(cli, ARGS("fleet", ".", "--fail-on", "outlier", "--min-effect", "20"), 0);
    cli_expect_exit(cli, ARGS("fleet", ".", "--fail-on", "worse:4,faster"), 4);
    cli_expect_exit(cli, ARGS("fleet", ".", "--fail-on", "changed:20"), 0);
    cli_expect_exit(cli, ARGS("fleet", ".", "--fail-on", "faster"), 0);
}

CLI_TEST(test_fleet_equal_hosts_are_ok)
{
    const struct cli *cli = *state;
    struct cli_result result;

    write_fleet(cli, 30, 0);
    cli_expect_args(cli, ARGS("fleet", ".", "--fail-on=difference"), 0, &result);
    cli_expect_text(result.out, "30 hosts, 12 figures judged: 0 stand out.");
    cli_expect_text(result.out, "(10 more without findings: -v shows them)");
    cli_result_free(&result);
    cli_expect_args(cli, ARGS("fleet", ".", "-v"), 0, &result);
    cli_expect_no_text(result.out, "more without findings");
    cli_result_free(&result);
}

/* The index of another protocol has no place in the column, and is not judged with it. */
CLI_TEST(test_fleet_indices_of_two_protocols)
{
    static const char *const contents[] = {"protocol=stable context1=same", "protocol=classic context1=free",
                                           "protocol=stable"};
    const struct cli *cli = *state;
    struct cli_result result;

    for (unsigned i = 0; i < 7; i++) {
        char name[32], text[1024];
        (void)snprintf(name, sizeof(name), "r-%u.csv", i);
        (void)snprintf(text, sizeof(text),
                       HEADER "1,r%u,n%u,%u,6.1,x86_64,Model,8,,unix,index,,%s tests=12 of=12,1,index,ratio,higher,"
                              "%u,ok,0\n",
                       i, i, i,
                       contents[i == 2   ? 1
                                : i == 4 ? 2
                                         : 0],
                       900 + i);
        cli_write_file(cli->work, name, text);
    }
    cli_expect_args(cli, ARGS("fleet", "."), 0, &result);
    cli_expect_text(result.out, "Host  unix index, stable protocol  Verdict\n");
    cli_expect_text(result.out, "\nn2                              -  not judged");
    cli_expect_text(result.out, "\nn3                            903  ok\n");
    cli_expect_text(result.out, "\nn4                              -  not judged");
    cli_expect_text(result.out, "\nunix index, stable protocol: not comparable with the index of 1 host: "
                                "protocol=classic context1=free tests=12 of=12\n"
                                "unix index, stable protocol: not comparable with the index of 1 host: "
                                "protocol=stable tests=12 of=12\n");
    cli_expect_text(result.out, "7 hosts, 1 figure judged");
    cli_result_free(&result);
}

#define SHARED_HOSTS 20

/* Twenty hosts run four tests; the seventh had 60 % of its core, so its rates are a quarter lower than with the core
 * free. The last n_alone hosts know these. */
static void write_shared(const struct cli *cli, unsigned n_alone, double alone_of_seventh)
{
    for (unsigned host = 1; host <= SHARED_HOSTS; host++) {
        char name[32], text[4096] = "schema,run_id,host,suite,test,copies,metric,unit,better,value,status,core_share\n";
        for (unsigned row = 0; row < 8; row++) {
            const unsigned test = row / 2, noise = (host * 7 + test * 5 + host * test) % 11;
            const bool alone = row % 2, seventh = host == 7;
            const double factor = !seventh ? 1 : alone ? alone_of_seventh : 0.75 * alone_of_seventh;
            const size_t at = strlen(text);
            if (!alone || host + n_alone > SHARED_HOSTS)
                (void)snprintf(text + at, sizeof(text) - at, "2,r%u,n%u,unix,t%u,1,rate%s,lps,higher,%g,ok,%s\n", host,
                               host, test, alone ? "_alone" : "", 1000 * (1 + noise / 2000.) * factor,
                               seventh    ? "0.600"
                               : host % 2 ? "0.997"
                                          : "1.000");
        }
        (void)snprintf(name, sizeof(name), "r-%02u.csv", host);
        cli_write_file(cli->work, name, text);
    }
}

/* It is named for its share, and not as slow. */
CLI_TEST(test_fleet_host_with_a_neighbour)
{
    const struct cli *cli = *state;
    struct cli_result result;
    struct cli_csv csv;

    write_shared(cli, SHARED_HOSTS, 1);
    cli_expect_args(cli, ARGS("fleet", ".", "-v", "--fail-on", "outlier"), 4, &result);
    cli_expect_text(result.out, "Host  core %  Verdict\n"
                                "n7        60  SHARED: core share -39.");
    cli_expect_text(cli_line(result.out, 2), "        core share: 0.6000, the fleet's median 0.99");
    cli_expect_no_text(result.out, "rate");
    cli_expect_no_text(result.out, "WORSE");
    cli_expect_text(result.out, "20 hosts, 5 figures judged: 1 stands out.\n"
                                "4 figures are judged with the core free (_alone), which all hosts know.\n");
    cli_result_free(&result);
    cli_expect_args(cli, ARGS("fleet", ".", "-o", "-"), 0, &result);
    cli_csv_parse(result.out, &csv);
    assert_int_equal(csv.n_rows, 9 * SHARED_HOSTS);
    for (size_t row = 0; row < csv.n_rows; row++) {
        const char *metric = cli_cell(&csv, row, "metric");
        assert_int_equal(*cli_cell(&csv, row, "median") == '\0', !strcmp(metric, "rate"));
        if (!strcmp(cli_cell(&csv, row, "host"), "n7") && !strcmp(metric, "share"))
            assert_true(cli_number(&csv, row, "effect_pct") < -39);
    }
    cli_csv_free(&csv);
    cli_result_free(&result);
}

/* A host that is slow with the core free too is named as slow, with its share; where few hosts know the rate with the
 * core free, hosts are judged by the rates as measured. */
CLI_TEST(test_fleet_host_with_a_neighbour_that_is_slow_or_not_known)
{
    const struct cli *cli = *state;
    struct cli_result result;

    write_shared(cli, SHARED_HOSTS, 0.9);
    cli_expect_args(cli, ARGS("fleet", "."), 0, &result);
    cli_expect_text(result.out, "n7        60  WORSE: the worst of all in 5 of 5 figures, by ");
    cli_expect_text(result.out, " rate_alone -");
    cli_expect_text(result.out, " %; core share 60 %, the median 100 %\n");
    cli_result_free(&result);
    write_shared(cli, 5, 1);
    cli_expect_args(cli, ARGS("fleet", "."), 0, &result);
    cli_expect_text(result.out, "n7        60  WORSE: the worst of all in 5 of 5 figures, by ");
    cli_expect_text(result.out, " rate -2");
    cli_expect_text(result.out, "20 hosts, 5 figures judged: 1 stands out.\nA host");
    cli_result_free(&result);
}

CLI_TEST(test_fleet_setting_that_differs)
{
    const struct cli *cli = *state;
    struct cli_result result;

    write_fleet(cli, 5, 0);
    write_host(cli, &(struct host){"n6", "5.10", 6, 8, 0});
    cli_expect_args(cli, ARGS("fleet", ".", "--fail-on", "difference"), 4, &result);
    assert_memory_equal(cli_line(result.out, 1), "n6 ", 3);
    cli_expect_text(result.out, "ok; differs: kernel=5.10 (most have 6.1)");
    cli_result_free(&result);
    cli_expect_exit(cli, ARGS("fleet", ".", "--fail-on", "outlier"), 0);
}

CLI_TEST(test_fleet_csv)
{
    const struct cli *cli = *state;
    struct cli_result result;
    struct cli_csv csv;
    char path[256];

    write_fleet(cli, 4, 0.05);
    cli_expect_args(cli, ARGS("fleet", "r-*.csv", "-o", "-"), 0, &result);
    cli_expect_text(result.err, "n3 ");
    cli_csv_parse(result.out, &csv);
    assert_int_equal(csv.n_rows, 4 * TESTS);
    assert_string_equal(cli_cell(&csv, 0, "host"), "n3");
    assert_string_equal(cli_cell(&csv, 0, "verdict"), "outlier");
    assert_true(cli_number(&csv, 0, "effect_pct") < -4 && cli_number(&csv, 0, "distance") < 0);
    assert_string_equal(cli_cell(&csv, TESTS, "verdict"), "ok");
    cli_csv_free(&csv);
    cli_result_free(&result);
    cli_expect_exit(cli, ARGS("fleet", "r-*.csv", "-o", "out.txt"), 0);
    (void)snprintf(path, sizeof(path), "%s/out.txt", cli->work);
    cli_csv_read(path, &csv);
    assert_int_equal(csv.n_rows, 4 * TESTS);
    cli_csv_free(&csv);
    cli_expect_args(cli, ARGS("fleet", "r-*.csv", "-o", "out.txt"), 2, &result);
    cli_expect_text(result.err, "never overwrites");
    cli_result_free(&result);
}

/* Files of another schema, half of a file, a file given twice and a file that is not a result are named; the rest is
 * judged. */
CLI_TEST(test_fleet_bad_files)
{
    const struct cli *cli = *state;
    struct cli_result result;

    write_fleet(cli, 5, 0.05);
    cli_write_file(cli->work, "r-90.csv",
                   "schema,host,suite,test,metric,better,value,status\n99,n9,unix,t1,rate,,1,ok\n");
    cli_write_file(cli->work, "r-91.csv", HEADER "1,r91,n7,,6.1,x86_64,Model,8,,unix,t1,,,1,rate,lps,hig");
    cli_write_file(cli->work, "r-92.csv", "What is this?\n");
    cli_write_file(cli->work, "r-93.csv", "");
    cli_write_file(cli->work, "r-94.csv", "test,suite,value,metric,better,host,new\nt1,unix,1000,rate,higher,n8,x\n");
    cli_expect_args(cli, ARGS("fleet", "r-*.csv", "r-01.csv", "gone.csv"), 0, &result);
    assert_memory_equal(cli_line(result.out, 1), "n3 ", 3);
    cli_expect_text(result.err, "r-90.csv: 1 row of a newer version left out; no rows");
    cli_expect_text(result.err, "r-91.csv: 1 damaged line left out; no rows");
    cli_expect_text(result.err, "r-92.csv: no rows");
    cli_expect_text(result.err, "r-93.csv: no rows");
    cli_expect_text(result.err, "gone.csv: No such file");
    cli_expect_text(result.err, "12 rows came twice, and count once");
    cli_expect_text(result.out, "\nn8 ");
    cli_expect_text(result.out, "not judged");
    cli_result_free(&result);
}

CLI_TEST(test_fleet_two_machines_of_one_name)
{
    const struct cli *cli = *state;
    struct cli_result result;

    write_fleet(cli, 5, 0);
    write_host(cli, &(struct host){"n1", "6.1", 6, 16, 0.2});
    cli_expect_args(cli, ARGS("fleet", "."), 0, &result);
    assert_memory_equal(cli_line(result.out, 1), "n1 (2) ", 7);
    cli_expect_text(result.err, "have the same name; they are called here: 'n1 (2)'");
    cli_result_free(&result);
}

CLI_TEST(test_fleet_by_rank)
{
    const struct cli *cli = *state;
    struct cli_result result;

    for (unsigned i = 0; i < 4; i++)
        write_host(cli, &(struct host){"n1", "6.1", i, 8, i == 2 ? 0.3 : 0});
    cli_write_file(cli->work, "one.csv", "suite,test,value,metric,better,host,rank\nunix,t1,1000,rate,higher,n1,one\n");
    cli_expect_args(cli, ARGS("fleet", "r-*.csv"), 0, &result);
    cli_expect_text(result.out, "1 host, 0 figures judged: too few to judge figures. 'fleet' needs 4 hosts.\n");
    cli_expect_text(result.out, "'--by rank' judges each rank by itself");
    cli_result_free(&result);
    cli_expect_args(cli, ARGS("fleet", "--fail-on=outlier", "r-*.csv"), 1, &result); /* no judgement is no pass */
    cli_expect_text(result.err, "--fail-on: there is no figure to judge by");
    cli_result_free(&result);
    cli_expect_args(cli, ARGS("fleet", "--by", "rank", "r-*.csv", "one.csv"), 0, &result);
    assert_memory_equal(cli_line(result.out, 1), "n1/2 ", 5);
    cli_expect_text(result.err, "1 row without a rank number: judged by host");
    cli_result_free(&result);
}

/* Among two or three hosts there are no outliers; settings and failed tests are still shown. */
CLI_TEST(test_fleet_of_two_or_three_hosts)
{
    const struct cli *cli = *state;
    struct cli_result result;

    write_fleet(cli, 2, 0);
    write_host(cli, &(struct host){"n2", "6.2", 2, 8, 0});
    cli_expect_args(cli, ARGS("fleet", "."), 0, &result);
    cli_expect_text(result.out,
                    "2 hosts, 0 figures judged: too few to judge figures. 'fleet' needs 4 hosts; for two use "
                    "'jitbench compare A.csv B.csv'. Failed tests and settings that differ are shown.\n");
    cli_expect_text(result.out, "Settings: kernel differs: n1 has 6.1, n2 has 6.2.\n");
    cli_result_free(&result);
    write_host(cli, &(struct host){"n3", "6.1", 3, 8, 0});
    cli_expect_args(cli, ARGS("fleet", "."), 0, &result);
    cli_expect_text(result.out, "\nn2    not judged; differs: kernel=6.2 (most have 6.1)\n");
    cli_expect_text(result.out, "needs 4 hosts; two at a time can be compared with 'jitbench compare A.csv B.csv'.");
    cli_result_free(&result);
}

CLI_TEST(test_fleet_tests_that_failed)
{
    const struct cli *cli = *state;
    struct cli_result result;

    write_fleet(cli, 6, 0);
    cli_write_file(cli->work, "r-91.csv",
                   HEADER "1,r5b,n5,,6.1,x86_64,Model,8,,unix,t1,,,1,rate,lps,higher,,failed,0\n");
    cli_expect_args(cli, ARGS("fleet", ".", "--fail-on", "outlier"), 4, &result);
    assert_memory_equal(cli_line(result.out, 1), "n5 ", 3);
    cli_expect_text(result.out, "BROKEN: 1 row failed");
    cli_result_free(&result);
}

/* Control characters in a file do not reach the terminal. */
CLI_TEST(test_fleet_hostile_files)
{
    const struct cli *cli = *state;
    const size_t size = 2 << 20;
    char *text = malloc(size + 1024);
    struct cli_result result;

    assert_non_null(text);
    write_fleet(cli, 4, 0);
    cli_write_file(cli->work, "r-90.csv",
                   HEADER "1,r90,\x1b]0;x\x07,,\x1b[31m6.1,x86_64,M,8,\x1b[1m=\x1b[2m,unix,t1\x1b,,,1,rate,"
                          "l\x1bs,higher,1,failed,0\n"
                          "1,r90,n7,,6,x86_64,M,8,,unix,t1,,,1,rate,lps,higher,NaN,ok,0\n"
                          "1,r90,n7,,6,x86_64,M,8,,unix,t1,,,1,rate,lps,higher,1e999,ok,0\n"
                          "1,r90,n7,,6,x86_64,M,8,,unix,t1,,,1,rate,lps,higher,1e308,ok,0\n"
                          "1,r90,n7,,6,x86_64,M,99999999999999999999999,,unix,t1,,,-1,rate,lps,higher,-5,ok,0\n");
    size_t at = (size_t)snprintf(text, 1024, HEADER "1,r91,");
    memset(text + at, 'h', size);
    (void)snprintf(text + at + size, 512, ",,6.1,x86_64,Model,8,,unix,t1,,,1,rate,lps,higher,1000,ok,0\n");
    cli_write_file(cli->work, "r-91.csv", text);
    free(text);
    cli_expect_args(cli, ARGS("fleet", ".", "-v", "-o", "out.txt"), 0, &result);
    for (const char *c = result.out; *c; c++)
        assert_true((unsigned char)*c >= 0x20 || *c == '\n');
    cli_expect_text(result.out, "?]0;x?");
    cli_expect_text(result.out, "hhhhhhhh");
    cli_expect_no_text(result.out, "inf");
    cli_expect_no_text(result.out, "nan");
    cli_result_free(&result);
}

CLI_TEST(test_fleet_wrong_command_lines)
{
    static const char *const wrong[][2] = {
        {"--min-effect=0", "--min-effect"}, {"--by=cpu", "--by"}, {"--fail-on=x", "--fail-on"}, {"--bogus", "--bogus"}};
    const struct cli *cli = *state;
    struct cli_result result;

    write_fleet(cli, 4, 0);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        cli_expect_args(cli, ARGS("fleet", wrong[i][0], "r-01.csv"), 2, &result);
        cli_expect_text(result.err, wrong[i][1]);
        assert_ptr_equal(strchr(result.err, '\n') + 1, result.err + strlen(result.err));
        assert_string_equal(result.out, "");
        cli_result_free(&result);
    }
    cli_expect_args(cli, ARGS("fleet"), 2, &result);
    cli_expect_text(result.err, "needs a FILE");
    cli_result_free(&result);
    cli_expect_args(cli, ARGS("fleet", "x*.csv"), 2, &result);
    cli_expect_text(result.err, "no such files");
    cli_result_free(&result);
}

CLI_TEST(test_fleet_closed_output)
{
    const struct cli *cli = *state;
    struct cli_result result;
    int ends[2];

    write_fleet(cli, 4, 0.1);
    cli_expect(cli, &(struct cli_run){.args = ARGS("fleet", "."), .out = CLI_CLOSED}, 1, &result);
    cli_expect_text(result.err, "jitbench fleet: standard output cannot be written: Bad file descriptor\n");
    cli_result_free(&result);
    cli_expect(cli, &(struct cli_run){.args = ARGS("fleet", ".", "-o", "../f"), .out = CLI_CLOSED}, 0, &result);
    cli_result_free(&result);
    assert_int_equal(pipe(ends), 0);
    (void)close(ends[0]);
    cli_expect(cli, &(struct cli_run){.args = ARGS("fleet", ".", "-o", "-", "--fail-on=outlier"), .out = ends[1]}, 4,
               &result);
    (void)close(ends[1]);
    cli_result_free(&result);
    cli_expect_files(cli->work, 4);
}
