/* SPDX-License-Identifier: MIT */
/* Tests of jitbench report with files of real runs, and with malformed files. tests/browser tests the pages in a
 * browser. */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

#define DONE       0
#define ROW_FAILED 1
#define USAGE      2

#define EVIL "<script>alert(1)</script>\"'&"

/* --- helpers --- */

static const char *const header = "schema,run_id,host,suite,test,load,param,metric,unit,n,value,mean,min,median,max,"
                                  "p99,status,reason,causes,comment,samples,hist,series\r\n";

/* A run of the noise test and of two prime limits, with a comment that is markup. */
static void make_run(const struct cli *cli)
{
    const struct cli_run prime = {.args = ARGS("prime", "-i", "5", "-n", "2K", "--limit", "18:22:4", "-q",
                                               "--precision", "90%", "-m", EVIL, "-o", "prime.csv")};
    const struct cli_run noise = {
        .args = ARGS("noise", "-t", "200ms", "--samples", "1", "--max-time", "200ms", "-q", "-o", "noise.csv")};
    struct cli_result result;

    cli_expect(cli, &prime, DONE, &result);
    cli_result_free(&result);
    cli_expect(cli, &noise, DONE, &result);
    cli_result_free(&result);
}

static bool is_void(const char *name, size_t length)
{
    static const char *const names[] = {"meta", "link", "br", "!DOCTYPE"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i]) == length && !strncmp(names[i], name, length))
            return true;
    return false;
}

/* Each element that is opened is closed, in order; every attribute has its quotes; '&' begins an entity. */
static void expect_well_formed(const char *page)
{
    const char *open[64];
    size_t lengths[64], depth = 0;

    for (const char *at = strchr(page, '<'); at; at = strchr(at, '<')) {
        bool closing = at[1] == '/';
        const char *name = at + 1 + closing, *end = name;
        size_t length = strcspn(name, " >/");
        for (bool quoted = false; *end && (quoted || *end != '>'); end++)
            quoted ^= *end == '"';
        assert_int_equal(*end, '>');
        if (closing) {
            if (depth == 0 || lengths[depth - 1] != length || strncmp(open[depth - 1], name, length) != 0)
                fail_msg("closes what is not open: %.60s", at);
            depth--;
        } else if (end[-1] != '/' && !is_void(name, length)) {
            assert_true(depth < 64);
            open[depth] = name;
            lengths[depth++] = length;
        }
        at = end;
    }
    assert_int_equal(depth, 0);
    for (const char *at = strchr(page, '&'); at; at = strchr(at + 1, '&'))
        assert_true(at[1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyz#0123456789")] == ';');
}

static void expect_harmless(const char *page)
{
    static const char *const parts[] = {"<script",
                                        "http://",
                                        "https://",
                                        "nan\"",
                                        "inf ",
                                        "javascript:",
                                        " on"
                                        "click"};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        cli_expect_no_text(page, parts[i]);
}

static char *report(const struct cli *cli, const char *const *args, size_t *size)
{
    struct cli_result result;

    cli_expect_args(cli, args, DONE, &result);
    char *page = malloc(result.out_size + 1);
    assert_non_null(page);
    memcpy(page, result.out, result.out_size + 1);
    *size = result.out_size;
    cli_result_free(&result);
    return page;
}

/* A made-up run of one row. */
static void make_row(const struct cli *cli, const char *name, const char *run_id)
{
    char text[1024];

    (void)snprintf(text, sizeof(text),
                   "%s1,%s,h,prime,prime,,limit=22,cycles,cycles,3,5,5,4,5,6,,ok,,,,5;4;6,4:1;5:1;6:1,0:5;1:4;2:6\r\n",
                   header, run_id);
    cli_write_file(cli->work, name, text);
}

/* --- what it shows --- */

CLI_TEST(test_report_shows_the_figures_of_a_run_and_always_the_same)
{
    static const char *const parts[] = {
        "<!DOCTYPE html>",
        "id=\"summary\"",
        "The machine was <strong>",
        "Prime loop, median",
        "Machine and settings",
        "Time lost on each CPU",
        "Where it went",
        "First 500 experiments: limit 22",
        "Longest over the whole",
        "Distribution, all",
        "Mean against divisions",
        "Delays by size",
        "Time spent in delays",
        "preempted",
        "limit 18",
        "Warnings and statuses",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "95 % interval",
        "<desc>Across: ",
        "lost_interrupt",
        "Divisions in an",
        "Each took", /* (unit) where no delay made the scale logarithmic */
        "</html>",
    };
    const struct cli *cli = *state;
    size_t size, again;

    make_run(cli);
    char *page = report(cli, ARGS("report", "prime.csv", "noise.csv"), &size);
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof(cpus), &cpus) || CPU_COUNT(&cpus) > 1)
        cli_expect_text(page, "the noisiest");
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        cli_expect_text(page, parts[i]);
    assert_int_equal(strlen(page), size);
    expect_well_formed(page);
    expect_harmless(page);
    cli_sleep_ms(1100); /* no page says when it was made */
    char *second = report(cli, ARGS("report", "prime.csv", "noise.csv", "-o", "-"), &again);
    assert_int_equal(size, again);
    assert_memory_equal(page, second, size);
    free(page);
    free(second);
}

CLI_TEST(test_report_of_one_run_and_of_two)
{
    const struct cli *cli = *state;
    size_t size;

    make_row(cli, "prime.csv", "a");
    make_row(cli, "noise.csv", "b");
    char *one = report(cli, ARGS("report", "prime.csv"), &size);
    cli_expect_no_text(one, "class=\"runs\"");
    cli_expect_text(one, "class=\"tiles\"");
    free(one);
    char *two = report(cli, ARGS("report", "prime.csv", "noise.csv"), &size);
    cli_expect_text(two, "class=\"runs\"");
    cli_expect_text(two, "<i class=\"key s1\"></i>B");
    free(two);
}

/* As with fleet: the files of a folder, or those that match, in the order of their names. */
/* Each index names its protocol. */
CLI_TEST(test_report_names_the_protocol_of_an_index)
{
    static const char rows[] = "run_id,host,suite,test,param,copies,metric,unit,better,value,index,status\n"
                               "%s,h,unix,pipe,,1,rate,lps,higher,1244000,1000,ok\n"
                               "%s,h,unix,index,protocol=%s tests=1 of=12,1,index,ratio,higher,1000,,ok\n";
    const struct cli *cli = *state;
    char text[1024];
    size_t size;

    (void)snprintf(text, sizeof(text), rows, "r1", "r1", "stable");
    cli_write_file(cli->work, "stable.csv", text);
    (void)snprintf(text, sizeof(text), rows, "r2", "r2", "classic");
    cli_write_file(cli->work, "classic.csv", text);
    char *page = report(cli, ARGS("report", "stable.csv"), &size);
    cli_expect_text(page, "<span>UNIX index</span><b>1000</b><small>stable protocol</small>");
    cli_expect_text(page, "Index of each test: stable protocol");
    cli_expect_text(page, ">index, stable protocol<");
    free(page);
    page = report(cli, ARGS("report", "stable.csv", "classic.csv"), &size);
    cli_expect_text(page, "; stable protocol<");
    cli_expect_text(page, "; classic protocol<");
    cli_expect_text(page, "Index of each test: A: stable protocol, B: classic protocol");
    free(page);
}

/* The first sentence names what took most of the speed, if it is known and more than half: of the time that was lost,
 * and of the core. */
CLI_TEST(test_report_begins_with_the_main_cause)
{
    static const struct {
        const char *causes, *share, *text;
    } cases[] = {
        {"steal:180;interrupt:20", "1.000",
         "noisy</strong>: most of what it took went to <strong>the hypervisor (steal)</strong>. A program that only "
         "computes lost 2\xc2\xa0% of its time on CPU 1; it had 100 % of its core.</li>"},
        {"steal:180;interrupt:20", "",
         "noisy</strong>: most of what it took went to <strong>the hypervisor (steal)</strong>. A program that only "
         "computes lost 2\xc2\xa0% of its time on CPU 1.</li>"},
        {"steal:180;interrupt:20", "0.600",
         "very noisy</strong>: most of what it took went to <strong>another user of the same core (core "
         "shared)</strong>. A program that only computes lost 2\xc2\xa0% of its time on CPU 1; it had 60 % of its "
         "core.</li>"},
        {"steal:90;interrupt:20;preempted:90", "own",
         "noisy</strong>. A program that only computes lost 2\xc2\xa0% of its time on CPU 1.</li>"},
        {"steal:20;unexplained:180", "", "noisy</strong>. A program that only computes lost 2\xc2\xa0%"},
    };
    const struct cli *cli = *state;
    char text[1024];
    size_t size;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        (void)snprintf(text, sizeof(text),
                       "run_id,host,suite,test,metric,unit,better,value,status,cpus,wall_s,causes,core_share\n"
                       "r1,h,noise,noise,lost,%%,lower,2,ok,1,10,%s,%s\n",
                       cases[i].causes, cases[i].share);
        cli_write_file(cli->work, "noise.csv", text);
        char *page = report(cli, ARGS("report", "noise.csv"), &size);
        cli_expect_text(strstr(page, "<ul class=\"say\">\n<li>The machine was <strong>"), cases[i].text);
        free(page);
    }
}

/* Without the noise test. */
CLI_TEST(test_report_begins_with_a_shared_core)
{
    static const struct {
        const char *share;
        bool said;
    } cases[] = {{"0.610", true}, {"0.999", false}, {"own", false}, {"", false}};
    const struct cli *cli = *state;
    char text[512];
    size_t size;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        (void)snprintf(text, sizeof(text),
                       "run_id,host,suite,test,copies,metric,unit,better,value,status,wall_s,causes,core_share\n"
                       "r1,h,unix,pipe,1,rate,lps,higher,2,ok,10,preempted:5,%s\n",
                       cases[i].share);
        cli_write_file(cli->work, "unix.csv", text);
        char *page = report(cli, ARGS("report", "unix.csv"), &size);
        (cases[i].said ? cli_expect_text : cli_expect_no_text)(
            page, "<ul class=\"say\">\n<li>The tests had <strong>61 %</strong> of their core: most of what they lost "
                  "went to <strong>another user of the same core (core shared)</strong>.</li>");
        cli_expect_text(page, "<li>Most time went to <strong>other programs");
        free(page);
    }
}

/* The worst of the tasks that sleep is named; gaming does not. */
CLI_TEST(test_report_says_what_a_person_notices)
{
    static const char rows[] = "run_id,host,suite,test,load,metric,unit,better,value,status\n"
                               "r1,h,latency,audio,none,late,%%,lower,0,ok\n"
                               "r1,h,latency,video,burn,late,%%,lower,%s,ok\n"
                               "r1,h,latency,gaming,burn,late,%%,lower,90,ok\n";
    const struct cli *cli = *state;
    char text[512];
    size_t size;

    (void)snprintf(text, sizeof(text), rows, "12.5");
    cli_write_file(cli->work, "late.csv", text);
    char *page = report(cli, ARGS("report", "late.csv"), &size);
    cli_expect_text(page, " of the wake-ups of video beside the load 'burn' (late by more than 50 ms for audio");
    free(page);
    (void)snprintf(text, sizeof(text), rows, "0");
    cli_write_file(cli->work, "never.csv", text);
    page = report(cli, ARGS("report", "never.csv"), &size);
    cli_expect_text(page, "No wake-up was so late that a person would notice");
    free(page);
}

CLI_TEST(test_report_of_folders_and_patterns)
{
    const struct cli *cli = *state;
    const struct cli_run none = {.args = ARGS("report", "x*.csv", "prime.csv")};
    struct cli_result result;
    size_t size;

    make_row(cli, "prime.csv", "a");
    make_row(cli, "noise.csv", "b");
    char *named = report(cli, ARGS("report", "noise.csv", "prime.csv"), &size);
    char *folder = report(cli, ARGS("report", "."), &size), *pattern = report(cli, ARGS("report", "*i*e.csv"), &size);
    assert_string_equal(folder, named);
    assert_string_equal(pattern, named);
    free(named);
    free(folder);
    free(pattern);
    cli_expect(cli, &none, USAGE, &result);
    assert_string_equal(result.err, "jitbench report: x*.csv: no such files\n");
    assert_string_equal(result.out, "");
    cli_result_free(&result);
}

/* --- malformed files --- */

CLI_TEST(test_report_of_broken_rows)
{
    static const char *const rows[] = {
        "1,a," EVIL ",prime,prime,," EVIL ",cycles," EVIL ",5,1e308,-1e308,-1e308,0,1e308,nan,failed," EVIL "," EVIL
        "," EVIL ",,,\r\n",
        "1,a,h,prime,prime,,limit=22,cycles,cycles,5,,,,,,,skipped,why,,,,,\r\n",
        "1,a,h,prime,prime,,limit=22,cycles,cycles,1,5,5,5,5,5,5,ok,,,,5,5:1,0:5\r\n",
        "1,a,h,noise,noise,,,lost,%,1,1e308,,,,,,ok,,x:1e308;y:1e308;:;==;;;,,,,0:1e308;1:1e308;2:-1e308\r\n",
        "1,a,h,noise,noise,,,detour,ns,1,0,0,0,0,0,0,ok,,,,0,0:1;1e308:1e308,-1e308:0;1e308:1e308\r\n",
        "1,a,h,unheard,of,," EVIL ",thing,quarks,3,1,1,1,1,1,,ok,,,,1;1e308;-1e308,,\r\n",
        "1,a,h,unheard,of,,,other,,1,,,,,,,ok,,,,,,\r\n",
        "1,b,h,latency,audio,none,,latency,ns,0,,,0,0,0,,ok,,,,,,\r\n",
        "1,b,h,latency," EVIL "," EVIL ",,latency,ns,1,1,1,-1,1,1e308,1e308,ok,,,,1,,\r\n",
    };
    const struct cli *cli = *state;
    size_t size, length = strlen(header);
    char text[8192];

    (void)snprintf(text, sizeof(text), "%s", header);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        /* A quote is doubled in a quoted field; here it is within an unquoted one, which is read as it is. */
        (void)snprintf(text + length, sizeof(text) - length, "%s", rows[i]);
        length = strlen(text);
    }
    cli_write_file(cli->work, "broken.csv", text);
    char *page = report(cli, ARGS("report", "broken.csv"), &size);
    cli_expect_text(page, "unheard");
    cli_expect_text(page, "failed");
    cli_expect_text(page, "skipped");
    expect_well_formed(page);
    expect_harmless(page);
    free(page);
}

/* 20,000 rows of 12 runs with 100,000 bins in one of them and 100,000 points in another. */
CLI_TEST(test_report_says_none_only_of_no_warning)
{
    static const char *const skipped = "1,a,h,prime,prime,,limit=22,cycles,cycles,5,,,,,,,skipped,why,,,,,\r\n";
    static const char *const good = "1,a,h,prime,prime,,limit=22,cycles,cycles,1,5,5,5,5,5,5,ok,,,,5,5:1,0:5\r\n";
    const struct cli *cli = *state;
    char text[4096];
    size_t size;

    (void)snprintf(text, sizeof(text), "%s%s", header, good);
    cli_write_file(cli->work, "good.csv", text);
    (void)snprintf(text, sizeof(text), "%s%s%s", header, good, skipped);
    cli_write_file(cli->work, "skipped.csv", text);
    char *page = report(cli, ARGS("report", "good.csv"), &size);
    cli_expect_text(page, "<li>None.</li>");
    free(page);
    page = report(cli, ARGS("report", "skipped.csv"), &size);
    cli_expect_text(page, "<li><strong>skipped</strong>: why (");
    cli_expect_no_text(page, "<li>None.</li>");
    free(page);
}

CLI_TEST(test_report_is_of_bounded_size_and_quick)
{
    enum { ROWS = 20000, PAIRS = 100000, ROOM = 16 << 20 };
    const struct cli *cli = *state;
    char *text = malloc(ROOM);
    size_t size, length;

    assert_non_null(text);
    length = (size_t)snprintf(text, ROOM, "%s", header);
    for (unsigned i = 0; i < ROWS; i++)
        length += (size_t)snprintf(text + length, ROOM - length,
                                   "1,%u,h,%s,prime,,limit=%u,cycles,cycles,1,1,1,1,1,1,1,ok,,preempted:1,,1;2;3,,\r\n",
                                   i % 12, i % 3 ? "prime" : "more", i % 500);
    for (unsigned field = 0; field < 2; field++) {
        length +=
            (size_t)snprintf(text + length, ROOM - length,
                             "1,0,h,prime,prime,,limit=22,cycles,cycles,1,1,1,1,1,1,1,ok,,,,,%s", field ? "," : "");
        for (unsigned i = 0; i < PAIRS; i++)
            length += (size_t)snprintf(text + length, ROOM - length, "%u:%u;", i * 3, 1 + i * 7919 % 1000003);
        length += (size_t)snprintf(text + length, ROOM - length, "%s\r\n", field ? "" : ",");
    }
    assert_true(length + 1 < ROOM);
    cli_write_file(cli->work, "large.csv", text);
    free(text);
    char *page = report(cli, ARGS("report", "large.csv"), &size);
    if (size > 6000000)
        fail_msg("%zu bytes", size);
    cli_expect_text(page, "first 8 of 12 runs");
    cli_expect_text(page, "more are left out here");
    free(page);
}

/* --- many hosts, many ranks --- */

static const char *const fleet_header = "schema,run_id,host,kernel,suite,test,metric,unit,better,n,value,status,wall_s,"
                                        "hist,series\r\n";

/* Equal machines but for n0005, which is slow, and has another kernel; and n0009, which is fast at one thing. */
static void make_fleet(const struct cli *cli, const char *name, unsigned hosts)
{
    const size_t room = 256 + (size_t)hosts * 512;
    char *text = malloc(room);

    assert_non_null(text);
    size_t length = (size_t)snprintf(text, room, "%s", fleet_header);
    for (unsigned i = 0; i < hosts; i++) {
        double off = 1 + 0.01 * ((double)(i * 7919 % 101) / 101 - 0.5);
        length += (size_t)snprintf(text + length, room - length,
                                   "1,r%u,n%04u,%s,prime,prime,cycles,cycles,lower,3,%.6f,ok,,,\r\n"
                                   "1,r%u,n%04u,%s,stream,bandwidth,copy_rate,MB/s,higher,3,%.6f,ok,,,\r\n",
                                   i, i, i == 5 ? "6.2<b>" : "6.1", 400 * off * (i == 5 ? 1.5 : 1), i, i,
                                   i == 5 ? "6.2<b>" : "6.1", 9000 * (2 - off) * (i == 9 ? 1.5 : 1));
    }
    cli_write_file(cli->work, name, text);
    free(text);
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;

    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        n++;
    return n;
}

CLI_TEST(test_report_of_a_fleet_names_who_stands_out)
{
    static const char *const parts[] = {
        "<h2 id=\"fleet\">Fleet</h2>",
        "judged: 2 stand out.",
        "<td class=\"w bad\">WORSE: prime cycles +",
        "<td class=\"w\">BETTER: stream bandwidth copy_rate +",
        "kernel=6.2&lt;b&gt; (most have 6.1)",
        "<td class=\"w4 far g\" title=\"n0005, prime cycles: ",
        "<td class=\"b4 far g\" title=\"n0009, stream bandwidth copy_rate: ",
        ">n0005</text>",
        ">n0009</text>",
        "40 hosts, less is better",
        "40 hosts, more is better",
        "<a href=\"#fleet\">Fleet</a>",
    };
    const struct cli *cli = *state;
    size_t size;

    make_fleet(cli, "fleet.csv", 40);
    char *page = report(cli, ARGS("report", "fleet.csv"), &size);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        cli_expect_text(page, parts[i]);
    assert_true(strstr(page, "id=\"summary\"") < strstr(page, "id=\"fleet\""));
    assert_true(strstr(page, "id=\"fleet\"") < strstr(page, "id=\"machine\""));
    assert_int_equal(count(page, " far g\" title="), 2); /* nobody else, in nothing else */
    expect_well_formed(page);
    expect_harmless(page);
    free(page);
    make_fleet(cli, "few.csv", 3);
    page = report(cli, ARGS("report", "few.csv"), &size);
    cli_expect_no_text(page, "id=\"fleet\"");
    free(page);
}

CLI_TEST(test_report_of_a_large_fleet_is_bounded)
{
    enum { HOSTS = 3000 };
    const struct cli *cli = *state;
    size_t size;

    make_fleet(cli, "large.csv", HOSTS);
    char *page = report(cli, ARGS("report", "large.csv"), &size);
    cli_expect_text(page, "3000 hosts, ");
    cli_expect_text(page, "2940 more hosts, 0 of them with findings, are left out here");
    cli_expect_text(page, "first 8 of 3000 runs");
    assert_int_equal(count(page, "<tr><th title=\"n") + count(page, "<tr class=\"out\"><th title=\"n"), 60);
    if (size > 2000000)
        fail_msg("%zu bytes", size);
    expect_well_formed(page);
    free(page);
}

/* 100 detours of 5 ms in 10 s: every tenth step of 10 ms has one. */
CLI_TEST(test_report_says_what_noise_costs_at_scale)
{
    const struct cli *cli = *state;
    char text[2048];
    size_t size;

    (void)snprintf(
        text, sizeof(text),
        "%s1,a,n1,,noise,noise,lost,%%,lower,1,5,ok,10,,\r\n1,a,n1,,noise,noise,detour,ns,lower,1,5000000,ok,"
        "10,4980736:100,\r\n1,a,n1,,noise,noise,lost_preempted,%%,lower,1,5,ok,10,,5000000:100\r\n",
        fleet_header);
    cli_write_file(cli->work, "a.csv", text);
    char *page = report(cli, ARGS("report", "a.csv"), &size);
    cli_expect_text(page, "<h2 id=\"scale\">At scale</h2>");
    cli_expect_text(page, "Slow-down on many ranks");
    cli_expect_text(page, "Computed from 9.5 s of one CPU");
    cli_expect_text(page, "1 ms .. 10 ms</td><td>preempted</td>");
    cli_expect_text(page, "steps of 10 ms: 1.053<"); /* on one rank: 501 ms more in 9.5 s */
    cli_expect_text(page, "\xe2\x86\x92 1</td>");    /* without them nothing is left */
    cli_expect_no_text(page, "Run by run");
    expect_well_formed(page);
    expect_harmless(page);
    free(page);
    make_row(cli, "prime.csv", "a");
    page = report(cli, ARGS("report", "prime.csv"), &size);
    cli_expect_no_text(page, "id=\"scale\"");
    free(page);
}

/* The times of a command over the values of its parameter. */
CLI_TEST(test_report_draws_times_over_a_parameter)
{
    const struct cli *cli = *state;
    char text[2048];
    size_t used = (size_t)snprintf(text, sizeof(text), "%s", header), size;

    for (unsigned n = 1; n <= 4; n *= 2)
        used += (size_t)snprintf(text + used, sizeof(text) - used,
                                 "1,r,h,run,sort,,{n}=%u command=sort %u,wall,s,3,%u,%u,1,%u,9,,ok,,,,,,\r\n", n, n, n,
                                 n, n);
    cli_write_file(cli->work, "r.csv", text);
    char *page = report(cli, ARGS("report", "r.csv", "-o", "-"), &size);
    expect_well_formed(page);
    cli_expect_text(page, "<figcaption>Wall-clock time by n<");
    free(page);
}

/* --- where it goes --- */

CLI_TEST(test_report_wrong_command_lines)
{
    cli_expect_error_with(*state, ARGS("report"), "jitbench report: needs a FILE");
    cli_expect_error_with(*state, ARGS("report", "--outpt", "x"), "jitbench report: unknown option");
    cli_expect_error_with(*state, ARGS("report", "missing.csv"), "missing.csv");
    cli_expect_files(((const struct cli *)*state)->work, 0);
}

CLI_TEST(test_report_never_overwrites)
{
    const struct cli *cli = *state;
    const struct cli_run write = {.args = ARGS("report", "prime.csv", "-o", "page.html")};
    char path[CLI_PATH];
    struct cli_result result;
    size_t size;

    make_row(cli, "prime.csv", "a");
    cli_expect(cli, &write, DONE, &result);
    assert_string_equal(result.out, "");
    assert_string_equal(result.err, "Report: page.html\n");
    cli_result_free(&result);
    (void)snprintf(path, sizeof(path), "%s/page.html", cli->work);
    char *page = cli_read_file(path, &size);
    expect_well_formed(page);
    free(page);
    cli_write_file(cli->work, "page.html", "mine");
    cli_expect_error_with(cli, ARGS("report", "prime.csv", "-o", "page.html"), "page.html");
    page = cli_read_file(path, &size);
    assert_string_equal(page, "mine");
    free(page);
}

CLI_TEST(test_report_on_a_terminal_makes_a_file)
{
    const struct cli *cli = *state;
    const struct cli_run run = {.args = ARGS("report", "./prime.csv"), .out = CLI_TERMINAL};
    char path[CLI_PATH];
    struct cli_child child;
    struct cli_result result;
    size_t size;

    make_row(cli, "prime.csv", "a");
    cli_start(cli, &run, &child);
    cli_wait(&child, &result);
    assert_int_equal(result.status, DONE);
    cli_expect_text(result.err[0] ? result.err : result.terminal, "Report: prime.html");
    cli_expect_no_text(result.terminal, "DOCTYPE");
    cli_result_free(&result);
    (void)snprintf(path, sizeof(path), "%s/prime.html", cli->work);
    char *page = cli_read_file(path, &size);
    cli_expect_text(page, "</html>");
    free(page);
}

CLI_TEST(test_report_that_cannot_be_written)
{
    const struct cli *cli = *state;
    const struct cli_run full = {.args = ARGS("report", "prime.csv", "-o", "/dev/full")};
    const struct cli_run closed = {.args = ARGS("report", "prime.csv"), .out = CLI_CLOSED};
    struct cli_child child;
    struct cli_result result;

    make_row(cli, "prime.csv", "a");
    cli_expect(cli, &full, ROW_FAILED, &result);
    cli_expect_text(result.err, "/dev/full");
    cli_result_free(&result);
    cli_start(cli, &closed, &child);
    cli_wait(&child, &result);
    cli_expect_status(&result, ROW_FAILED);
    cli_expect_text(result.err, "jitbench report: standard output cannot be written: Bad file descriptor\n");
    cli_result_free(&result);
    cli_expect_files(cli->work, 1);
}
