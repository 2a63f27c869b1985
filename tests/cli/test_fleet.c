/* SPDX-License-Identifier: MIT */
/* jitbench fleet, but for its tables, which are golden: files of many machines, bad ones, and where the output goes. */

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
static void write_host(const struct host *host)
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
static void write_fleet(unsigned n, double slow)
{
    char name[16];

    for (unsigned i = 1; i <= n; i++) {
        (void)snprintf(name, sizeof(name), "n%u", i);
        write_host(&(struct host){name, "6.1", i, 8, i == 3 ? slow : 0});
    }
}

CLI_TEST(test_fleet_csv)
{
    struct cli_result result;
    struct cli_csv csv;
    char path[256];

    write_fleet(4, 0.05);
    cli_expect_args(ARGS("fleet", "r-*.csv", "-o", "-"), 0, &result);
    cli_expect_text(result.err, "n3 ");
    cli_csv_parse(result.out, &csv);
    assert_int_equal(csv.n_rows, 4 * TESTS);
    cli_expect_args(ARGS("fleet", "r-*.csv", "-o", "out.txt"), 0, NULL);
    (void)snprintf(path, sizeof(path), "%s/out.txt", cli->work);
    cli_csv_read(path, &csv);
    assert_int_equal(csv.n_rows, 4 * TESTS);
    cli_expect_error_with(ARGS("fleet", "r-*.csv", "-o", "out.txt"), "never overwrites");
}

/* Files of another schema, half of a file, a file given twice and a file that is not a result are named; the rest is
 * judged. */
CLI_TEST(test_fleet_bad_files)
{
    struct cli_result result;

    write_fleet(5, 0.05);
    cli_write_file(cli->work, "r-90.csv",
                   "schema,host,suite,test,metric,better,value,status\n99,n9,unix,t1,rate,,1,ok\n");
    cli_write_file(cli->work, "r-91.csv", HEADER "1,r91,n7,,6.1,x86_64,Model,8,,unix,t1,,,1,rate,lps,hig");
    cli_write_file(cli->work, "r-92.csv", "What is this?\n");
    cli_write_file(cli->work, "r-93.csv", "");
    cli_write_file(cli->work, "r-94.csv", "test,suite,value,metric,better,host,new\nt1,unix,1000,rate,higher,n8,x\n");
    cli_expect_args(ARGS("fleet", "r-*.csv", "r-01.csv", "gone.csv"), 0, &result);
    assert_memory_equal(cli_line(result.out, 1), "n3 ", 3);
    cli_expect_text(result.err, "r-90.csv: 1 row of a newer jitbench left out; no rows");
    cli_expect_text(result.err, "r-91.csv: 1 damaged line left out; no rows");
    cli_expect_text(result.err, "r-92.csv: no rows");
    cli_expect_text(result.err, "r-93.csv: empty");
    cli_expect_text(result.err, "gone.csv: No such file");
    cli_expect_text(result.err, "12 rows came twice, and count once");
    cli_expect_text(result.out, "\nn8 ");
    cli_expect_text(result.out, "not judged");
}

/* A name of 2 MiB. */
CLI_TEST(test_fleet_long_name)
{
    const size_t size = 2 << 20;
    char *text = malloc(size + 1024);
    struct cli_result result;

    assert_non_null(text);
    write_fleet(4, 0);
    size_t at = (size_t)snprintf(text, 1024, HEADER "1,r91,");
    memset(text + at, 'h', size);
    (void)snprintf(text + at + size, 512, ",,6.1,x86_64,Model,8,,unix,t1,,,1,rate,lps,higher,1000,ok,0\n");
    cli_write_file(cli->work, "r-91.csv", text);
    free(text);
    cli_expect_args(ARGS("fleet", ".", "-v", "-o", "out.txt"), 0, &result);
    cli_expect_text(result.out, "hhhhhhhh");
}

CLI_TEST(test_fleet_closed_output)
{
    struct cli_result result;
    int ends[2];

    write_fleet(4, 0.1);
    cli_expect(&(struct cli_run){.args = ARGS("fleet", ".", "-o", "../f"), .out = CLI_CLOSED}, 0, &result);
    assert_int_equal(pipe(ends), 0);
    (void)close(ends[0]);
    cli_expect(&(struct cli_run){.args = ARGS("fleet", ".", "-o", "-", "--fail-on=outlier"), .out = ends[1]}, 4,
               &result);
    (void)close(ends[1]);
    cli_expect_files(cli->work, 4);
}
