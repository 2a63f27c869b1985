/* SPDX-License-Identifier: MIT */
/* Tests of jitbench report with files of real runs and large ones, and where the page goes. Pages of made-up files are
 * golden; tests/browser tests them in a browser. */

#include "cli.h"

#define DONE       0
#define ROW_FAILED 1
#define USAGE      2

#define EVIL "<script>alert(1)</script>\"'&"

/* --- helpers --- */

static const char *const header = "schema,run_id,host,suite,test,load,param,metric,unit,n,value,mean,min,median,max,"
                                  "p99,status,reason,causes,comment,samples,hist,series\r\n";

/* A run of the noise test and of two prime limits, with a comment that is markup. */
static void make_run(void)
{
    const struct cli_run prime = {.args = ARGS("prime", "-i", "5", "-n", "2K", "--limit", "18:22:4", "-q",
                                               "--precision", "90%", "-m", EVIL, "-o", "prime.csv")};
    const struct cli_run noise = {
        .args = ARGS("noise", "-t", "200ms", "--samples", "1", "--max-time", "200ms", "-q", "-o", "noise.csv")};

    cli_expect(&prime, DONE, NULL);
    cli_expect(&noise, DONE, NULL);
}

static bool is_void(const char *name, size_t length)
{
    static const char *const names[] = {"meta", "link", "br", "!DOCTYPE"};

    for (size_t i = 0; i < COUNT(names); i++)
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
    for (size_t i = 0; i < COUNT(parts); i++)
        cli_expect_no_text(page, parts[i]);
}

static char *report(const char *const *args, size_t *size)
{
    struct cli_result result;

    cli_expect_args(args, DONE, &result);
    *size = result.out_size;
    return result.out;
}

/* A made-up run of one row. */
static void make_row(const char *name, const char *run_id)
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
        "<strong>Steadiness</strong>: ",
        "Prime loop, median",
        "Machine and settings",
        "Time lost on each CPU",
        "Where it went",
        "500 experiments in a row: limit 22, from 0",
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
    size_t size, again;

    make_run();
    char *page = report(ARGS("report", "prime.csv", "noise.csv"), &size);
    for (size_t i = 0; i < COUNT(parts); i++)
        cli_expect_text(page, parts[i]);
    assert_int_equal(strlen(page), size);
    expect_well_formed(page);
    expect_harmless(page);
    cli_sleep_ms(1100); /* no page says when it was made */
    char *second = report(ARGS("report", "prime.csv", "noise.csv", "-o", "-"), &again);
    assert_int_equal(size, again);
    assert_memory_equal(page, second, size);
}

CLI_TEST(test_report_of_folders_and_patterns)
{
    const struct cli_run none = {.args = ARGS("report", "x*.csv", "prime.csv")};
    struct cli_result result;
    size_t size;

    make_row("prime.csv", "a");
    make_row("noise.csv", "b");
    char *named = report(ARGS("report", "noise.csv", "prime.csv"), &size);
    char *folder = report(ARGS("report", "."), &size), *pattern = report(ARGS("report", "*i*e.csv"), &size);
    assert_string_equal(folder, named);
    assert_string_equal(pattern, named);
    cli_expect(&none, USAGE, &result);
    assert_string_equal(result.err, "jitbench report: x*.csv: no file has such a name\n");
    assert_string_equal(result.out, "");
}

/* Minimum and median of 100 blocks of 10,000 experiments, which from number 300,000 on are higher by `step`. */
static void make_blocks(const char *name, unsigned step)
{
    static const char *const metrics[] = {"cycles_floor", "cycles_level"};
    char text[8192];
    size_t length = (size_t)snprintf(text, sizeof(text), "%s", header);

    for (unsigned m = 0; m < COUNT(metrics); m++) {
        length += (size_t)snprintf(text + length, sizeof(text) - length,
                                   "1,%s,%s,prime,prime,,limit=22,%s,cycles,1,880,880,880,880,880,,ok,,,,880,,", name,
                                   name, metrics[m]);
        for (unsigned i = 0; i < 100; i++)
            length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%u:%u", i ? ";" : "", 10000 * i,
                                       880 + (i < 30 ? 0 : step));
        length += (size_t)snprintf(text + length, sizeof(text) - length, "\r\n");
    }
    assert_true(length < sizeof(text));
    cli_write_file(cli->work, name, text);
}

struct place {
    double x, y; /* pixels; y downwards */
};

/* The 100 points of the line with this class in the figure with this title. */
static void read_line(const char *page, const char *title, const char *class, struct place *points)
{
    char start[128];
    size_t n = 0;

    (void)snprintf(start, sizeof(start), "<figcaption>%s<", title);
    const char *at = strstr(page, start);
    assert_non_null(at);
    (void)snprintf(start, sizeof(start), "<g class=\"%s\">", class);
    at = strstr(at, start);
    assert_non_null(at);
    at = strstr(at, " d=\"");
    assert_non_null(at);
    for (at += 4; *at == (n ? 'L' : 'M') && n < 100; n++) {
        char *end;
        points[n].x = strtod(at + 1, &end);
        points[n].y = strtod(end, &end);
        at = end;
    }
    assert_int_equal(n, 100);
    assert_int_equal(*at, '"');
}

CLI_TEST(test_report_shows_a_step_in_the_line_of_the_system_that_has_one)
{
    static const char *const titles[] = {"Median over the whole run: limit 22", "Minimum over the whole run: limit 22"};
    size_t size;

    make_blocks("even", 0);
    make_blocks("steps", 160);
    char *page = report(ARGS("report", "even", "steps"), &size);
    for (size_t t = 0; t < COUNT(titles); t++) {
        struct place even[100], steps[100];
        read_line(page, titles[t], "s0", even);
        read_line(page, titles[t], "s1", steps);
        for (size_t i = 0; i < 100; i++) {
            assert_true(even[i].y == even[0].y);
            assert_true(i < 30 ? steps[i].y == even[0].y : steps[i].y < even[0].y - 50);
        }
        const double share = (steps[30].x - steps[0].x) / (steps[99].x - steps[0].x);
        assert_true(share > 0.29 && share < 0.32);
    }
}

CLI_TEST(test_report_without_delays_has_no_logarithmic_axis)
{
    char text[1024];
    size_t size;

    (void)snprintf(text, sizeof(text),
                   "%s1,a,h,prime,prime,,limit=22,cycles,cycles,3,5,5,4,5,6,,ok,,,,5;4;6,4:1;5:1;6:1,0:5;1:4;2:6\r\n"
                   "1,a,h,prime,prime,,limit=22,delays_a,events,3,0,0,0,0,0,,ok,,,,0;0;0,,\r\n",
                   header);
    cli_write_file(cli->work, "none.csv", text);
    char *page = report(ARGS("report", "none.csv"), &size);
    const char *figure = strstr(page, "<figcaption>Delays by size");
    assert_non_null(figure);
    char *end = strstr(figure, "</figure>");
    assert_non_null(end);
    *end = '\0';
    cli_expect_text(figure, "no delays");
    cli_expect_no_text(figure, "log scale");
}

/* 20,000 rows of 12 runs with 100,000 bins in one of them and 100,000 points in another. */
CLI_TEST(test_report_is_of_bounded_size_and_quick)
{
    enum { ROWS = 20000, PAIRS = 100000, ROOM = 16 << 20 };
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
    char *page = report(ARGS("report", "large.csv"), &size);
    if (size > 6000000)
        fail_msg("%zu bytes", size);
    cli_expect_text(page, "first 8 of 12 runs");
    cli_expect_text(page, "more are left out here");
}

/* --- many hosts, many ranks --- */

static const char *const fleet_header = "schema,run_id,host,kernel,suite,test,metric,unit,better,n,value,status,wall_s,"
                                        "hist,series\r\n";

/* Equal machines but for n0005, which is slow, and has another kernel; and n0009, which is fast at one thing. */
static void make_fleet(const char *name, unsigned hosts)
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

CLI_TEST(test_report_of_a_large_fleet_is_bounded)
{
    enum { HOSTS = 3000 };
    size_t size;

    make_fleet("large.csv", HOSTS);
    char *page = report(ARGS("report", "large.csv"), &size);
    cli_expect_text(page, "3000 hosts, ");
    cli_expect_text(page, "2940 more hosts, 0 of them with findings, are left out here");
    cli_expect_text(page, "first 8 of 3000 runs");
    assert_int_equal(count(page, "<tr><th title=\"n") + count(page, "<tr class=\"out\"><th title=\"n"), 60);
    if (size > 2000000)
        fail_msg("%zu bytes", size);
    expect_well_formed(page);
}

/* --- where it goes --- */

CLI_TEST(test_report_never_overwrites)
{
    const struct cli_run write = {.args = ARGS("report", "prime.csv", "-o", "page.html")};
    char path[CLI_PATH];
    struct cli_result result;

    make_row("prime.csv", "a");
    cli_expect(&write, DONE, &result);
    assert_string_equal(result.out, "");
    assert_string_equal(result.err, "Report: page.html\n");
    (void)snprintf(path, sizeof(path), "%s/page.html", cli->work);
    char *page = cli_read_file(path, NULL);
    expect_well_formed(page);
    cli_write_file(cli->work, "page.html", "mine");
    cli_expect_error_with(ARGS("report", "prime.csv", "-o", "page.html"), "page.html");
    page = cli_read_file(path, NULL);
    assert_string_equal(page, "mine");
}

CLI_TEST(test_report_on_a_terminal_makes_a_file)
{
    const struct cli_run run = {.args = ARGS("report", "./prime.csv"), .out = CLI_TERMINAL};
    struct cli_child child;
    struct cli_result result;

    make_row("prime.csv", "a");
    cli_start(&run, &child);
    cli_wait(&child, &result);
    assert_int_equal(result.status, DONE);
    cli_expect_text(result.err[0] ? result.err : result.terminal, "Report: prime.html");
    cli_expect_no_text(result.terminal, "DOCTYPE");
    char *page = cli_read_file(cli_path("%s/prime.html", cli->work), NULL);
    cli_expect_text(page, "</html>");
}

CLI_TEST(test_report_that_cannot_be_written)
{
    const struct cli_run full = {.args = ARGS("report", "prime.csv", "-o", "/dev/full")};
    struct cli_result result;

    make_row("prime.csv", "a");
    cli_expect(&full, ROW_FAILED, &result);
    cli_expect_text(result.err, "/dev/full");
    cli_expect_files(cli->work, 1);
}
