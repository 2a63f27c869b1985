/* SPDX-License-Identifier: MIT */
/* Option tables: each type of value, the command line's forms, presets and help. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../test.h"
#include "engine/option.h"
#include "rows/text.h"

static const char *const orders[] = {"random", "sorted", "none", NULL};
static const char *const cpu_words[] = {"all", "quiet", NULL};

struct common {
    bool quiet, verbose;
    uint64_t experiments, time, size;
    int64_t nice, fifo;
    double target;
    int order;
    char output[8];
};
struct own {
    struct option_sweep rows;
    struct option_counts copies;
    struct option_cpus cpus;
    uint64_t limit, samples, series;
};

static const struct option common_rows[] = {
    {.name = "quiet", .letter = 'q', .type = OPTION_FLAG, .help = "print less", OPTION_AT(struct common, quiet)},
    {.name = "verbose",
     .letter = 'v',
     .type = OPTION_FLAG,
     .preset = {"no", "yes"},
     .help = "print more",
     OPTION_AT(struct common, verbose)},
    {.name = "experiments",
     .letter = 'n',
     .aliases = "passes iterations",
     .type = OPTION_COUNT,
     .value_name = "N",
     .min = 1,
     .max = 1e12,
     .preset = {"10", NULL, "1M"},
     .help = "experiments a sample",
     OPTION_AT(struct common, experiments)},
    {.name = "time",
     .letter = 't',
     .type = OPTION_DURATION,
     .value_name = "TIME",
     .min = 1e8,
     .max = 3.6e12,
     .preset = {"1", "250ms", "1"},
     .help = "seconds a sample",
     OPTION_AT(struct common, time)},
    {.name = "size",
     .type = OPTION_SIZE,
     .value_name = "SIZE",
     .min = 4096,
     .max = 1099511627776.0,
     .preset = {"64K"},
     .help = "working set",
     OPTION_AT(struct common, size)},
    {.name = "nice",
     .type = OPTION_INT,
     .value_name = "N",
     .min = -20,
     .max = 19,
     .help = "niceness",
     OPTION_AT(struct common, nice)},
    {.name = "fifo",
     .letter = 'f',
     .type = OPTION_INT,
     .value_name = "PRIO",
     .optional = "95",
     .min = 1,
     .max = 98,
     .help = "run under SCHED_FIFO",
     OPTION_AT(struct common, fifo)},
    {.name = "target",
     .type = OPTION_PERCENT,
     .value_name = "PERCENT",
     .min = 0.1,
     .max = 50,
     .preset = {"2%"},
     .help = "stop at this precision",
     OPTION_AT(struct common, target)},
    {.name = "order",
     .type = OPTION_CHOICE,
     .value_name = "ORDER",
     .choices = orders,
     .preset = {"sorted"},
     .help = "order of the list",
     OPTION_AT(struct common, order)},
    {.name = "output",
     .letter = 'o',
     .type = OPTION_TEXT,
     .value_name = "FILE",
     .help = "write there",
     OPTION_AT(struct common, output)},
};
static const struct option own_rows[] = {
    {.name = "rows",
     .type = OPTION_SWEEP,
     .value_name = "N|A:B:S",
     .min = 1,
     .max = 100,
     .preset = {"10:46:4"},
     .help = "rows of the matrix",
     OPTION_AT(struct own, rows)},
    {.name = "copies",
     .letter = 'c',
     .type = OPTION_COUNTS,
     .value_name = "LIST",
     .min = 1,
     .max = 4096,
     .preset = {"1,2"},
     .help = "copies at a time",
     OPTION_AT(struct own, copies)},
    {.name = "cpus",
     .type = OPTION_CPUS,
     .value_name = "LIST",
     .choices = cpu_words,
     .preset = {"quiet"},
     .help = "where it runs",
     OPTION_AT(struct own, cpus)},
    {.name = "limit", .type = OPTION_COUNT, .value_name = "N", .help = "no range", OPTION_AT(struct own, limit)},
    {.name = "samples", .type = OPTION_COUNT, .value_name = "N", .help = "samples", OPTION_AT(struct own, samples)},
    {.name = "series", .type = OPTION_COUNT, .value_name = "N", .help = "series", OPTION_AT(struct own, series)},
};
#define COMMON_N (sizeof(common_rows) / sizeof(common_rows[0]))
#define OWN_N    (sizeof(own_rows) / sizeof(own_rows[0]))

/* A command line's worth of state. */
struct run {
    struct common common;
    struct own own;
    struct option_table tables[2];
    const char *operands[16];
    struct error error;
};

static void begin(struct run *r)
{
    memset(r, 0, sizeof(*r));
    r->tables[0] = (struct option_table){.heading = "Common", .rows = common_rows, .n = COMMON_N, .target = &r->common};
    r->tables[1] = (struct option_table){.heading = "Own", .rows = own_rows, .n = OWN_N, .target = &r->own};
}

/* Splits a line at blanks and parses it, after what was parsed before. */
static int parse_more(struct run *r, const char *line)
{
    static char copy[1024];
    char *argv[16] = {"test"};
    int argc = 1;
    snprintf(copy, sizeof(copy), "%s", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    return option_parse(argc, argv, r->tables, 2, r->operands, &r->error);
}

static int parse(struct run *r, const char *line)
{
    begin(r);
    return parse_more(r, line);
}

static void refused(const char *line, const char *error)
{
    struct run r;
    assert_int_equal(parse(&r, line), -1);
    assert_string_equal(r.error.text, error);
}

/* In a child that is to fail an assertion. */
static void die_quietly(void)
{
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGABRT, SIG_DFL);
    close(STDERR_FILENO);
}

/* --- types */

TEST(test_option_count_takes_suffixes)
{
    static const struct {
        const char *line;
        uint64_t value;
    } cases[] = {
        {"--experiments 1", 1},
        {"--experiments=007", 7},
        {"-n 10K", 10000},
        {"-n3M", 3000000},
        {"-n100k", 100000},
        {"-n 2G", UINT64_C(2000000000)},
        {"-n 1T", UINT64_C(1000000000000)},
    };
    struct run r;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(parse(&r, cases[i].line), 0);
        assert_int_equal(r.common.experiments, cases[i].value);
    }
    assert_int_equal(parse(&r, "--limit 18446744073709551615"), 0);
    assert_int_equal(r.own.limit, UINT64_MAX);
    assert_int_equal(parse(&r, "--limit 0"), 0);
    assert_int_equal(r.own.limit, 0);
}

TEST(test_option_count_refuses_junk)
{
    static const char *const bad[] = {"10x", "x",   "-5", "+5",   "0x10", "nan", "inf",
                                      "1.5", "1KK", "K",  "10kk", "1e3",  "1,2", "99999999999999999999x"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char line[64], error[128];
        snprintf(line, sizeof(line), "--experiments %s", bad[i]);
        snprintf(error, sizeof(error), "--experiments: '%s' is not a count (1 to 1T, suffix K, M or G)", bad[i]);
        refused(line, error);
    }
    refused("--limit x", "--limit: 'x' is not a count (suffix K, M or G)");
}

TEST(test_option_count_refuses_outside_and_overflow)
{
    refused("--experiments 0", "--experiments: '0' is out of range (1 to 1T)");
    refused("--experiments 1001G", "--experiments: '1001G' is out of range (1 to 1T)");
    refused("--limit 18446744073709551616", "--limit: '18446744073709551616' is out of range");
    refused("--limit 99999999999999999999999", "--limit: '99999999999999999999999' is out of range");
    /* 18446744074G is the first whole G above 2^64. */
    refused("--limit 18446744074G", "--limit: '18446744074G' is out of range");
}

TEST(test_option_int_takes_negative_values)
{
    struct run r;
    assert_int_equal(parse(&r, "--nice -5"), 0);
    assert_int_equal(r.common.nice, -5);
    assert_int_equal(parse(&r, "--nice=-20"), 0);
    assert_int_equal(r.common.nice, -20);
    assert_int_equal(parse(&r, "--nice -0"), 0);
    assert_int_equal(r.common.nice, 0);
    assert_int_equal(parse(&r, "--nice 19"), 0);
    assert_int_equal(r.common.nice, 19);
}

TEST(test_option_int_refuses_bad_values)
{
    refused("--nice 40", "--nice: '40' is out of range (-20 to 19)");
    refused("--nice -21", "--nice: '-21' is out of range (-20 to 19)");
    refused("--nice 1K", "--nice: '1K' is not a whole number (-20 to 19)");
    refused("--nice --5", "--nice: '--5' is not a whole number (-20 to 19)");
    refused("--nice -", "--nice: '-' is not a whole number (-20 to 19)");
    refused("--nice +5", "--nice: '+5' is not a whole number (-20 to 19)");
    refused("--nice 18446744073709551617", "--nice: '18446744073709551617' is out of range (-20 to 19)");
}

TEST(test_option_int_reaches_both_ends)
{
    static const struct option row = {.name = "int", .type = OPTION_INT, .size = sizeof(int64_t)};
    int64_t value = 0;
    struct error error = {""};
    assert_int_equal(option_set(&row, "-9223372036854775808", &value, false, &error), 0);
    assert_true(value == INT64_MIN);
    assert_int_equal(option_set(&row, "9223372036854775807", &value, false, &error), 0);
    assert_true(value == INT64_MAX);
    assert_int_equal(option_set(&row, "9223372036854775808", &value, false, &error), -1);
    assert_int_equal(option_set(&row, "-9223372036854775809", &value, false, &error), -1);
    assert_string_equal(error.text, "--int: '-9223372036854775809' is out of range");
    assert_true(value == INT64_MAX);
}

TEST(test_option_size_is_binary)
{
    struct run r;
    assert_int_equal(parse(&r, "--size 4096"), 0);
    assert_int_equal(r.common.size, 4096);
    assert_int_equal(parse(&r, "--size 64K"), 0);
    assert_int_equal(r.common.size, 65536);
    assert_int_equal(parse(&r, "--size 3M"), 0);
    assert_int_equal(r.common.size, 3145728);
    assert_int_equal(parse(&r, "--size 1G"), 0);
    assert_int_equal(r.common.size, 1073741824);
    refused("--size 4095", "--size: '4095' is out of range (4 KiB to 1 TiB)");
    refused("--size 1.5M", "--size: '1.5M' is not a size (4 KiB to 1 TiB, suffix K, M or G)");
    refused("--size -1", "--size: '-1' is not a size (4 KiB to 1 TiB, suffix K, M or G)");
    /* 2^34 G are 2^64 bytes. */
    refused("--size 17179869184G", "--size: '17179869184G' is out of range (4 KiB to 1 TiB)");
}

TEST(test_option_duration_of_microseconds)
{
    static const struct option row = {
        .name = "i", .type = OPTION_DURATION_US, .min = 100e3, .max = 10e9, .size = sizeof(uint64_t)};
    static const struct {
        const char *text;
        uint64_t ns;
    } cases[] = {{"1000", 1000000}, {"1ms", 1000000}, {"250.5", 250500}, {"2s", 2000000000}, {"100us", 100000}};
    uint64_t ns;
    struct error error = {""};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(option_set(&row, cases[i].text, &ns, false, &error), 0);
        assert_int_equal(ns, cases[i].ns);
    }
    assert_int_equal(option_set(&row, "99", &ns, false, &error), -1);
    assert_string_equal(error.text, "--i: '99' is out of range (100 us to 10 s)");
    assert_int_equal(option_set(&row, "1x", &ns, false, &error), -1);
    assert_string_equal(error.text,
                        "--i: '1x' is not a duration (100 us to 10 s, unit ns, us, ms, s, m, h or d; us when there is "
                        "none)");
}

TEST(test_option_duration_takes_units)
{
    static const struct option row = {.name = "d", .type = OPTION_DURATION, .size = sizeof(uint64_t)};
    static const struct {
        const char *text;
        uint64_t ns;
    } cases[] = {
        {"50ns", 50},           {"100us", 100000},
        {"250ms", 250000000},   {"1.5s", 1500000000},
        {"2", 2000000000},      {".5", 500000000},
        {"0.1", 100000000},     {"2m", 120000000000},
        {"2min", 120000000000}, {"1.5h", 5400000000000},
        {"1d", 86400000000000}, {"0.4ns", 0},
        {"0.6ns", 1},           {"0", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t ns = 77;
        struct error error = {""};
        assert_int_equal(option_set(&row, cases[i].text, &ns, false, &error), 0);
        assert_int_equal(ns, cases[i].ns);
    }
}

TEST(test_option_duration_refuses_bad_values)
{
    static const char *const bad[] = {"x",   "s",    "1x", "1.",  ".",   "1.s", "-1",    "+1",      "1e3",
                                      "0x1", "1,5s", "1S", "1ss", "nan", "inf", "1.2.3", "infinity"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char line[64], error[128];
        snprintf(line, sizeof(line), "--time %s", bad[i]);
        snprintf(error, sizeof(error), "--time: '%s' is not a duration (100 ms to 1 h, unit ns, us, ms, s, m, h or d)",
                 bad[i]);
        refused(line, error);
    }
    refused("--time 99ms", "--time: '99ms' is out of range (100 ms to 1 h)");
    refused("--time 61m", "--time: '61m' is out of range (100 ms to 1 h)");
    /* 2^64 ns are 18446744073.7 s. */
    refused("--time 18446744074", "--time: '18446744074' is out of range (100 ms to 1 h)");
}

TEST(test_option_percent_takes_a_sign)
{
    struct run r;
    assert_int_equal(parse(&r, "--target 2"), 0);
    assert_true(r.common.target == 2.0);
    assert_int_equal(parse(&r, "--target 2.5%"), 0);
    assert_true(r.common.target == 2.5);
    refused("--target 51", "--target: '51' is out of range (0.1 % to 50 %)");
    refused("--target 2%%", "--target: '2%%' is not a percentage (0.1 % to 50 %)");
    refused("--target nan", "--target: 'nan' is not a percentage (0.1 % to 50 %)");
    refused("--target -1", "--target: '-1' is not a percentage (0.1 % to 50 %)");
    refused("--target %", "--target: '%' is not a percentage (0.1 % to 50 %)");
}

TEST(test_option_percent_refuses_infinite)
{
    static const struct option row = {.name = "p", .type = OPTION_PERCENT, .size = sizeof(double)};
    char digits[400];
    struct error error = {""};
    double value = 7;
    memset(digits, '9', sizeof(digits) - 1);
    digits[sizeof(digits) - 1] = '\0';
    assert_int_equal(option_set(&row, digits, &value, false, &error), -1);
    assert_non_null(strstr(error.text, "...' is out of range"));
    assert_true(value == 7.0);
}

TEST(test_option_choice_is_an_index)
{
    struct run r;
    assert_int_equal(parse(&r, "--order none"), 0);
    assert_int_equal(r.common.order, 2);
    refused("--order zzz", "--order: 'zzz' is not one of random, sorted or none");
    refused("--order sortd", "--order: 'sortd' is not one of random, sorted or none; did you mean 'sorted'?");
    refused("--order Random", "--order: 'Random' is not one of random, sorted or none; did you mean 'random'?");
}

TEST(test_option_text_refuses_longer_values)
{
    struct run r;
    assert_int_equal(parse(&r, "-o 1234567"), 0);
    assert_string_equal(r.common.output, "1234567");
    assert_int_equal(parse(&r, "--output -"), 0);
    assert_string_equal(r.common.output, "-");
    refused("-o 12345678", "--output: '12345678' is too long (at most 7 bytes)");
}

TEST(test_option_sweep_takes_one_or_a_range)
{
    struct run r;
    assert_int_equal(parse(&r, "--rows 22"), 0);
    assert_int_equal(r.own.rows.first, 22);
    assert_int_equal(r.own.rows.last, 22);
    assert_int_equal(r.own.rows.step, 1);
    assert_int_equal(parse(&r, "--rows 10:46:4"), 0);
    assert_int_equal(r.own.rows.first, 10);
    assert_int_equal(r.own.rows.last, 46);
    assert_int_equal(r.own.rows.step, 4);
    assert_int_equal(parse(&r, "--rows 1:100"), 0);
    assert_int_equal(r.own.rows.last, 100);
    assert_int_equal(r.own.rows.step, 1);
}

TEST(test_option_sweep_refuses_bad_values)
{
    static const char *const bad[] = {"x", "1:", ":5", "1:2:", "1:2:3:4", "1-5", "1::2", "1:2:x", "-1:5:1"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char line[64], error[128];
        snprintf(line, sizeof(line), "--rows %s", bad[i]);
        snprintf(error, sizeof(error), "--rows: '%s' is not a number or FIRST:LAST:STEP (1 to 100)", bad[i]);
        refused(line, error);
    }
    refused("--rows 46:10:4", "--rows: '46:10:4': the range is reversed");
    refused("--rows 10:46:0", "--rows: '10:46:0': the step is zero");
    refused("--rows 0:46:4", "--rows: '0:46:4' is out of range (1 to 100)");
    refused("--rows 10:101:4", "--rows: '10:101:4' is out of range (1 to 100)");
    refused("--rows 10:46:18446744073709551616", "--rows: '10:46:18446744073709551616' is out of range (1 to 100)");
}

TEST(test_option_counts_append_on_repetition)
{
    struct run r;
    begin(&r);
    /* A default set before is replaced, not appended to. */
    assert_int_equal(option_defaults(r.tables, 2, PRESET_DEFAULT, &r.error), 0);
    assert_int_equal(r.own.copies.n, 2);
    assert_int_equal(parse_more(&r, "-c 1K,2 --copies=4 -c8"), 0);
    assert_int_equal(r.own.copies.n, 4);
    assert_int_equal(r.own.copies.value[0], 1000);
    assert_int_equal(r.own.copies.value[1], 2);
    assert_int_equal(r.own.copies.value[2], 4);
    assert_int_equal(r.own.copies.value[3], 8);
}

TEST(test_option_lines_append_on_repetition)
{
    static const struct option row = {.name = "require", .type = OPTION_LINES, .offset = 0, .size = 16};
    char target[16] = "";
    struct error error = {""};
    struct option_table table = {.rows = &row, .n = 1, .target = target};
    const char *operands[8];
    char *words[] = {"test", "--require", "first", "--require=second", "--require", "abc", "--require", "d", NULL};

    assert_int_equal(option_parse(6, words, &table, 1, operands, &error), -1); /* 16 bytes and the end */
    assert_string_equal(error.text, "--require: 'abc' is too long (at most 15 bytes, together with those before it)");
    words[5] = "ab";
    table.given[0] = false;
    assert_int_equal(option_parse(6, words, &table, 1, operands, &error), 0);
    assert_string_equal(target, "first\nsecond\nab");
    assert_int_equal(option_parse(8, words, &table, 1, operands, &error), -1);
}

TEST(test_option_counts_refuse_bad_values)
{
    static const char *const bad[] = {",", "1,", ",1", "1,,2", "1;2", "1,x", "-1"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char line[64], error[128];
        snprintf(line, sizeof(line), "-c %s", bad[i]);
        snprintf(error, sizeof(error), "--copies: '%s' is not a list of counts (1 to 4096, comma between)", bad[i]);
        refused(line, error);
    }
    refused("-c 1,0", "--copies: '1,0' is out of range (1 to 4096)");
    refused("-c 1,5000", "--copies: '1,5000' is out of range (1 to 4096)");
    refused("-c 1,18446744073709551617", "--copies: '1,18446744073709551617' is out of range (1 to 4096)");
}

TEST(test_option_counts_hold_32)
{
    struct run r;
    /* 16 numbers, so that a second time fills it. */
    static const char half[] = "-c 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16";
    assert_int_equal(parse(&r, half), 0);
    assert_int_equal(parse_more(&r, half), 0);
    assert_int_equal(r.own.copies.n, 32);
    assert_int_equal(r.own.copies.value[31], 16);
    assert_int_equal(parse_more(&r, "-c 7"), -1);
    assert_string_equal(r.error.text, "--copies: '7': more than 32 numbers");
    assert_int_equal(r.own.copies.n, 32);
    assert_int_equal(parse(&r, half), 0);
    assert_int_equal(parse_more(&r, "-c 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"), -1);
    assert_int_equal(r.own.copies.n, 16);
}

static const char *const loads[] = {"none", "X", "burn", "burner", "ring", NULL};
static const struct option load_rows[] = {
    {.name = "load",
     .letter = 'w',
     .type = OPTION_NAMES,
     .value_name = "LIST",
     .choices = loads,
     .preset = {"none,burn", "none", NULL},
     .help = "loads beside it",
     .size = sizeof(uint64_t)},
};

/* Parses one or two arguments into *names, after what is there. Returns the error, or "". */
static const char *parse_names(struct option_table *table, uint64_t *names, char *one, char *two)
{
    static struct error error = {""};
    char *argv[] = {"test", one, two};
    const char *operands[3];
    table->rows = load_rows;
    table->n = 1;
    table->target = names;
    error.text[0] = '\0';
    int count = option_parse(two ? 3 : 2, argv, table, 1, operands, &error);
    assert_int_equal(count, error.text[0] ? -1 : 0);
    return error.text;
}

TEST(test_option_names_are_bits)
{
    static const struct {
        char *one, *two;
        uint64_t bits;
    } cases[] = {
        {"-w", "none", 0x01},      {"--load=burn", NULL, 0x04}, {"-wburner", NULL, 0x08},
        {"-wring,none", NULL, 17}, {"-w", "burn,burn", 0x04},   {"-w", "BURN,x,Ring", 0x16},
        {"-wburn", "-wring", 20},  {"-wburn,ring", NULL, 20},   {"-wring", "--load=burn,ring", 20},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct option_table table = {0};
        uint64_t names = 0;
        assert_string_equal(parse_names(&table, &names, cases[i].one, cases[i].two), "");
        assert_int_equal(names, cases[i].bits);
        assert_true(table.given[0]);
    }
}

TEST(test_option_names_refuse_bad_values)
{
    static char *const empty[] = {",", "burn,", ",burn", "burn,,ring"};
    struct option_table table = {0};
    uint64_t names = 0;
    for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++) {
        char error[128];
        snprintf(error, sizeof(error), "--load: '%s' is not a list of names (comma between)", empty[i]);
        assert_string_equal(parse_names(&table, &names, "-w", empty[i]), error);
    }
    assert_string_equal(parse_names(&table, &names, "-w", ""), "--load needs a value, not ''");
    /* The word is named, not the whole list. */
    assert_string_equal(parse_names(&table, &names, "-w", "none,brun,ring"),
                        "--load: 'brun' is not one of none, X, burn, burner or ring; did you mean 'burn'?");
    assert_string_equal(parse_names(&table, &names, "-w", "burn, ring"),
                        "--load: ' ring' is not one of none, X, burn, burner or ring; did you mean 'ring'?");
    /* No word of its own, nor the beginning or more than one. */
    assert_string_equal(parse_names(&table, &names, "-w", "all"),
                        "--load: 'all' is not one of none, X, burn, burner or ring");
    assert_string_equal(parse_names(&table, &names, "-w", "rin"),
                        "--load: 'rin' is not one of none, X, burn, burner or ring; did you mean 'ring'?");
    assert_string_equal(parse_names(&table, &names, "-w", "rings"),
                        "--load: 'rings' is not one of none, X, burn, burner or ring; did you mean 'ring'?");
    assert_int_equal(names, 0);
    assert_false(table.given[0]);
    /* A value that is refused leaves the names given before. */
    assert_string_equal(parse_names(&table, &names, "-w", "ring"), "");
    assert_string_not_equal(parse_names(&table, &names, "-w", "burn,x,zzz"), "");
    assert_int_equal(names, 0x10);
}

TEST(test_option_names_show_a_long_word_cut)
{
    struct option_table table = {0};
    uint64_t names = 0;
    char value[300];
    memset(value, 'a', sizeof(value));
    memcpy(value, "ring,", 5);
    value[sizeof(value) - 1] = '\0';
    const char *error = parse_names(&table, &names, "-w", value);
    assert_memory_equal(error, "--load: 'aaa", 12);
    assert_non_null(strstr(error, "aaa...' is not one of none, X, burn, burner or ring"));
    assert_true(strlen(error) < 140);
}

TEST(test_option_names_reach_the_last_of_64)
{
    static char words[65][4];
    static const char *choices[66];
    struct option row = {.name = "set", .type = OPTION_NAMES, .choices = choices, .size = sizeof(uint64_t)};
    uint64_t names = 0;
    struct error error = {""};
    int status;
    for (size_t i = 0; i < 64; i++) {
        snprintf(words[i], sizeof(words[i]), "w%zu", i);
        choices[i] = words[i];
    }
    assert_int_equal(option_set(&row, "w63,w0", &names, false, &error), 0);
    assert_true(names == (UINT64_C(1) << 63 | 1));
    /* One more has no bit. */
    choices[64] = "w64";
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        die_quietly();
        option_set(&row, "w0", &names, false, &error);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}

TEST(test_option_names_have_defaults)
{
    struct error error = {""};
    uint64_t names = 0xff;
    struct option_table table = {.rows = load_rows, .n = 1, .target = &names};
    assert_int_equal(option_defaults(&table, 1, PRESET_DEFAULT, &error), 0);
    assert_int_equal(names, 0x05);
    assert_int_equal(option_defaults(&table, 1, PRESET_QUICK, &error), 0);
    assert_int_equal(names, 0x01);
    assert_int_equal(option_defaults(&table, 1, PRESET_CLASSIC, &error), 0);
    assert_int_equal(names, 0x05);
    /* The first that is named replaces the default. */
    assert_string_equal(parse_names(&table, &names, "-wx", "-wring"), "");
    assert_int_equal(names, 0x12);
    assert_int_equal(option_defaults(&table, 1, PRESET_QUICK, &error), 0);
    assert_int_equal(names, 0x12);
}

TEST(test_option_fail_on)
{
    static const char *const wrong[] = {"slower:",       "slower:x",   "slower:5x",  "slower:-1",
                                        "slower:1000.1", "faster:nan", "slower:5%%", "slow",
                                        "undecided,",    ",",          ":5",         "slower5"};
    const struct option row[] = {{.name = "fail-on",
                                  .type = OPTION_FAIL_ON,
                                  .max = 1000,
                                  .choices = fail_on_words,
                                  .size = sizeof(struct fail_on)}};
    struct fail_on f = {0};
    struct error error = {""};

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        if (!option_set(row, wrong[i], &f, false, &error))
            fail_msg("'%s' is taken", wrong[i]);
    assert_int_equal(f.kinds, 0);
    assert_int_equal(option_set(row, "Faster:2.5%,undecided", &f, false, &error), 0);
    assert_int_equal(option_set(row, "worse:7,slower:9", &f, true, &error), 0);
    assert_int_equal(f.kinds, FAIL_ON_SLOWER | FAIL_ON_FASTER | FAIL_ON_UNDECIDED);
    assert_true(fail_on_limit(&f, FAIL_ON_SLOWER) == 7 && fail_on_limit(&f, FAIL_ON_FASTER) == 2.5);
    assert_true(fail_on_limit(&f, FAIL_ON_UNDECIDED) == INFINITY && isnan(fail_on_limit(&f, FAIL_ON_OTHER)));
    assert_int_equal(option_set(row, "difference", &f, false, &error), 0);
    assert_int_equal(f.kinds, FAIL_ON_SLOWER | FAIL_ON_FASTER | FAIL_ON_OTHER | FAIL_ON_SETTINGS);
}

TEST(test_option_names_are_in_help)
{
    const struct option_table table = {.rows = load_rows, .n = 1};
    struct text out = {0};
    option_help(&table, 0, &out);
    assert_string_equal(out.data, "  -w, --load LIST  loads beside it  (none, X, burn, burner or ring; default "
                                  "none,burn; --quick none)\n");
    text_free(&out);
}

TEST(test_option_defaults_of_a_command_replace_the_rows)
{
    static const struct option_default own[] = {{"other", "x"}, {"load", "X,ring"}, {NULL, NULL}};
    struct error error = {""};
    uint64_t names = 0;
    struct option_table table = {.rows = load_rows, .n = 1, .target = &names, .defaults = own};
    struct text out = {0};
    for (int preset = 0; preset < PRESET_COUNT; preset++) {
        names = 0;
        assert_int_equal(option_defaults(&table, 1, (enum option_preset)preset, &error), 0);
        assert_int_equal(names, 0x12);
    }
    option_help(&table, 0, &out);
    assert_string_equal(out.data,
                        "  -w, --load LIST  loads beside it  (none, X, burn, burner or ring; default X,ring)\n");
    text_free(&out);
}

TEST(test_option_cpus_take_a_list_or_a_word)
{
    struct run r;
    assert_int_equal(parse(&r, "--cpus 0,2-3"), 0);
    assert_int_equal(r.own.cpus.choice, -1);
    assert_int_equal(cpuset_count(&r.own.cpus.set), 3);
    assert_true(cpuset_has(&r.own.cpus.set, 3));
    assert_false(cpuset_has(&r.own.cpus.set, 1));
    /* The last wins, and leaves nothing of the first. */
    assert_int_equal(parse_more(&r, "--cpus quiet"), 0);
    assert_int_equal(r.own.cpus.choice, 1);
    assert_int_equal(cpuset_count(&r.own.cpus.set), 0);
}

TEST(test_option_cpus_refuse_bad_values)
{
    struct run r;
    refused("--cpus qiet", "--cpus: 'qiet' is not a CPU list, all or quiet; did you mean 'quiet'?");
    refused("--cpus -1", "--cpus: '-1' is not a CPU list, all or quiet");
    refused("--cpus 0-1\n", "--cpus: '0-1?' is not a CPU list");
    assert_int_equal(parse(&r, "--cpus 3-1"), -1);
    assert_memory_equal(r.error.text, "--cpus: '3-1': ", 15);
    assert_non_null(strstr(r.error.text, "reversed"));
    assert_int_equal(parse(&r, "--cpus 0,0"), -1);
    assert_memory_equal(r.error.text, "--cpus: '0,0': ", 15);
}

TEST(test_option_refused_value_leaves_the_target)
{
    struct run r;
    assert_int_equal(parse(&r, "-n 5 --rows 7 -c 3 --cpus 1 --time 2 -o abc --order none"), 0);
    const struct common common = r.common;
    const struct own own = r.own;
    static const char *const bad[] = {"-n 0",     "--rows 9:2",  "-c 4,0",   "--cpus 4-1",
                                      "--time 0", "-o 12345678", "--order x"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(parse_more(&r, bad[i]), -1);
    assert_memory_equal(&r.common, &common, sizeof(common));
    assert_memory_equal(&r.own, &own, sizeof(own));
}

TEST(test_option_error_shows_a_long_value_cut)
{
    struct run r;
    char line[300];
    memset(line, 'a', sizeof(line));
    memcpy(line, "--nice ", 7);
    line[sizeof(line) - 1] = '\0';
    assert_int_equal(parse(&r, line), -1);
    assert_non_null(strstr(r.error.text, "aaa...' is not a whole number (-20 to 19)"));
    assert_true(strlen(r.error.text) < 120);
    /* A letter of two bytes is not cut in half: 59 bytes before it, 60 are shown. */
    memcpy(line + 7 + 59, "\xc3\xa9", 2);
    assert_int_equal(parse(&r, line), -1);
    assert_non_null(strstr(r.error.text, "aaa...' is"));
    assert_null(strchr(r.error.text, '\xc3'));
}

/* --- the command line */

TEST(test_option_parse_mixes_operands)
{
    struct run r;
    assert_int_equal(parse(&r, "prime -q - --time 2 stream -n5 -- --quiet -- -x"), 6);
    static const char *const expected[] = {"prime", "-", "stream", "--quiet", "--", "-x"};
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(r.operands[i], expected[i]);
    assert_true(r.common.quiet);
    assert_int_equal(r.common.time, 2000000000);
    assert_int_equal(r.common.experiments, 5);
}

TEST(test_option_parse_takes_nothing)
{
    struct run r;
    assert_int_equal(parse(&r, ""), 0);
    assert_int_equal(parse(&r, "--"), 0);
    for (size_t i = 0; i < COMMON_N; i++)
        assert_false(r.tables[0].given[i]);
}

TEST(test_option_parse_keeps_an_empty_operand)
{
    struct run r;
    char *argv[] = {"test", ""};
    begin(&r);
    assert_int_equal(option_parse(2, argv, r.tables, 2, r.operands, &r.error), 1);
    assert_string_equal(r.operands[0], "");
}

TEST(test_option_parse_last_wins)
{
    struct run r;
    assert_int_equal(parse(&r, "-n 5 --experiments=6 -n7"), 0);
    assert_int_equal(r.common.experiments, 7);
}

TEST(test_option_abbreviations)
{
    struct run r;
    assert_int_equal(parse(&r, "--exp 5 --qui --sa=3 --se 4"), 0);
    assert_int_equal(r.common.experiments, 5);
    assert_true(r.common.quiet);
    assert_int_equal(r.own.samples, 3);
    assert_int_equal(r.own.series, 4);
    refused("--sa", "--samples needs a value");
}

TEST(test_option_ambiguous_abbreviation_names_all)
{
    refused("--s 1", "'--s' could be --size, --samples or --series");
    refused("--ti 1 --o=1", "'--o' could be --order or --output");
    /* An alias counts under its own name. */
    refused("--i 1 --n 1 --c 1", "'--c' could be --copies or --cpus");
}

TEST(test_option_exact_name_beats_a_longer_one)
{
    static const struct option rows[] = {
        {.name = "times", .type = OPTION_FLAG, .offset = 0, .size = sizeof(bool)},
        {.name = "time", .type = OPTION_FLAG, .offset = 1, .size = sizeof(bool)},
        {.name = "table", .aliases = "timing", .type = OPTION_FLAG, .offset = 2, .size = sizeof(bool)},
    };
    bool flags[3] = {false, false, false};
    struct option_table table = {.rows = rows, .n = 3, .target = flags};
    char *exact[] = {"test", "--time"}, *begins[] = {"test", "--tim"};
    const char *operands[2];
    struct error error = {""};
    assert_int_equal(option_parse(2, exact, &table, 1, operands, &error), 0);
    assert_false(flags[0]);
    assert_true(flags[1]);
    assert_int_equal(option_parse(2, begins, &table, 1, operands, &error), -1);
    assert_string_equal(error.text, "'--tim' could be --times, --time or --timing");
}

TEST(test_option_aliases)
{
    struct run r;
    assert_int_equal(parse(&r, "--passes 5"), 0);
    assert_int_equal(r.common.experiments, 5);
    assert_true(option_given(r.tables, 2, "experiments"));
    assert_int_equal(parse(&r, "--iterations=6"), 0);
    assert_int_equal(r.common.experiments, 6);
    assert_int_equal(parse(&r, "--pas 7"), 0);
    assert_int_equal(r.common.experiments, 7);
    refused("--passes 0", "--experiments: '0' is out of range (1 to 1T)");
}

TEST(test_option_letters_combine)
{
    struct run r;
    assert_int_equal(parse(&r, "-qv"), 0);
    assert_true(r.common.quiet && r.common.verbose);
    assert_int_equal(parse(&r, "-qn5"), 0);
    assert_true(r.common.quiet);
    assert_int_equal(r.common.experiments, 5);
    assert_int_equal(parse(&r, "-qvn 6 x"), 1);
    assert_int_equal(r.common.experiments, 6);
    assert_string_equal(r.operands[0], "x");
    /* Text that follows a letter that takes a value is the value, even when it is letters. */
    assert_int_equal(parse(&r, "-oqv"), 0);
    assert_string_equal(r.common.output, "qv");
    assert_false(r.common.quiet);
}

TEST(test_option_letters_refuse_unknown)
{
    refused("-x", "unknown option '-x'");
    refused("-qx5", "unknown option '-x'");
    refused("-5", "unknown option '-5'");
    refused("-\xc3\xa9", "unknown option '-\xc3\xa9'");
    refused("-limit", "unknown option '-limit'; did you mean '--limit'?");
    refused("-n", "--experiments needs a value (1 to 1T)");
    refused("-n=5", "--experiments: '=5' is not a count (1 to 1T, suffix K, M or G)");
}

TEST(test_option_optional_value_is_only_attached)
{
    struct run r;
    assert_int_equal(parse(&r, "--fifo"), 0);
    assert_int_equal(r.common.fifo, 95);
    assert_int_equal(parse(&r, "--fifo=50"), 0);
    assert_int_equal(r.common.fifo, 50);
    assert_int_equal(parse(&r, "--fifo 50"), 1);
    assert_int_equal(r.common.fifo, 95);
    assert_string_equal(r.operands[0], "50");
    assert_int_equal(parse(&r, "-f50"), 0);
    assert_int_equal(r.common.fifo, 50);
    assert_int_equal(parse(&r, "-qf 50"), 1);
    assert_int_equal(r.common.fifo, 95);
    refused("--fifo=99", "--fifo: '99' is out of range (1 to 98)");
    refused("--fifo=", "--fifo needs a value, not '' (1 to 98)");
}

TEST(test_option_needs_or_takes_no_value)
{
    refused("--limit", "--limit needs a value");
    refused("--limit=", "--limit needs a value, not ''");
    refused("--quiet=yes", "--quiet takes no value");
    refused("--qui=", "--quiet takes no value");
    refused("--limit --quiet", "--limit: '--quiet' is not a count (suffix K, M or G)");
}

TEST(test_option_refuses_an_empty_or_blank_value)
{
    struct run r;
    static char *const blanks[] = {" 5", "5 ", "\t5", "5\n"};
    char *argv[] = {"test", "--limit", ""};
    begin(&r);
    assert_int_equal(option_parse(3, argv, r.tables, 2, r.operands, &r.error), -1);
    assert_string_equal(r.error.text, "--limit needs a value, not ''");
    for (size_t i = 0; i < sizeof(blanks) / sizeof(blanks[0]); i++)
        for (int time = 0; time < 3; time++) {
            static char *const names[] = {"--limit", "--time", "--nice"};
            char *again[] = {"test", names[time], blanks[i]};
            assert_int_equal(option_parse(3, again, r.tables, 2, r.operands, &r.error), -1);
            assert_non_null(strstr(r.error.text, "' is not a "));
        }
}

TEST(test_option_unknown_suggests_the_nearest)
{
    refused("--limt 5", "unknown option '--limt'; did you mean '--limit'?");
    refused("--limt=5", "unknown option '--limt'; did you mean '--limit'?");
    refused("--quite", "unknown option '--quite'; did you mean '--quiet'?");
    refused("--timeout", "unknown option '--timeout'; did you mean '--time'?");
    refused("--iteratoins", "unknown option '--iteratoins'; did you mean '--iterations'?");
    refused("--zzzz", "unknown option '--zzzz'");
    refused("--=5", "unknown option '--'");
}

TEST(test_option_given_tells_what_was_named)
{
    struct run r;
    assert_int_equal(parse(&r, "--samples 5 -q"), 0);
    assert_true(option_given(r.tables, 2, "samples"));
    assert_true(option_given(r.tables, 2, "quiet"));
    assert_false(option_given(r.tables, 2, "series"));
    assert_false(option_given(r.tables, 2, "nothing"));
    assert_false(option_given(r.tables, 1, "samples"));
    assert_int_equal(parse(&r, "--samples x"), -1);
    assert_false(option_given(r.tables, 2, "samples"));
}

/* A command's own letters hide those of the shared table, in help too; long names stay. */
TEST(test_option_letters_of_a_table_may_be_taken)
{
    struct flags {
        bool first, second;
    } shared = {false}, own = {false};
    const struct option of_shared[] = {
        {.name = "first", .letter = 'a', .help = "one", OPTION_AT(struct flags, first)},
        {.name = "second", .letter = 'b', .help = "two", OPTION_AT(struct flags, second)}};
    const struct option of_own[] = {{.name = "third", .letter = 'a', .help = "three", OPTION_AT(struct flags, first)}};
    struct option_table tables[] = {{.rows = of_shared, .n = 2, .taken = "a", .target = &shared},
                                    {.rows = of_own, .n = 1, .target = &own}};
    char *argv[] = {(char *)"test", (char *)"-ab"};
    const char *operands[2];
    struct error error = {""};
    struct text help = {0};

    assert_int_equal(option_parse(2, argv, tables, 2, operands, &error), 0);
    assert_false(shared.first);
    assert_true(shared.second && own.first);
    assert_true(option_given(tables, 2, "third"));
    assert_false(option_given(tables, 2, "first"));
    option_help(&tables[0], 0, &help);
    assert_non_null(strstr(help.data, "      --first "));
    assert_non_null(strstr(help.data, "  -b, --second "));
    text_free(&help);
}

/* Two entries with one target: given is given by either, and the default of the other leaves the value alone. */
TEST(test_option_given_by_another_entry)
{
    int64_t value = 0;
    const struct option of_shared[] = {{.name = "first", .type = OPTION_INT, .size = sizeof(value)}};
    const struct option of_own[] = {
        {.name = "second", .type = OPTION_INT, .optional = "7", .follows = true, .size = sizeof(value)}};
    struct option_table tables[] = {{.rows = of_shared, .n = 1, .target = &value},
                                    {.rows = of_own, .n = 1, .target = &value}};
    char *argv[] = {(char *)"test", (char *)"--second", (char *)"5"};
    const char *operands[3];
    struct error error = {""};

    assert_int_equal(option_parse(3, argv, tables, 2, operands, &error), 0);
    assert_true(option_given(tables, 2, "first") && option_given(tables, 2, "second"));
    assert_int_equal(option_defaults(tables, 2, PRESET_DEFAULT, &error), 0);
    assert_int_equal(value, 5); /* its optional value followed */
    argv[2] = (char *)"--second";
    assert_int_equal(option_parse(3, argv, tables, 2, operands, &error), 0);
    assert_int_equal(value, 7);
}

TEST(test_option_too_many_rows_assert)
{
    static struct option rows[OPTION_ROWS_MAX + 1];
    static uint64_t target;
    for (size_t i = 0; i < OPTION_ROWS_MAX + 1; i++)
        rows[i] = (struct option){.name = "row", .type = OPTION_COUNT, .size = sizeof(target)};
    struct option_table table = {.rows = rows, .n = OPTION_ROWS_MAX, .target = &target};
    char *argv[] = {"test"};
    const char *operands[1];
    struct error error = {""};
    int status;
    assert_int_equal(option_parse(1, argv, &table, 1, operands, &error), 0);
    table.n++;
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        die_quietly();
        option_parse(1, argv, &table, 1, operands, &error);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}

/* --- presets */

TEST(test_option_defaults_follow_the_preset)
{
    struct run r;
    begin(&r);
    r.common.nice = 5;
    assert_int_equal(option_defaults(r.tables, 2, PRESET_DEFAULT, &r.error), 0);
    assert_int_equal(r.common.experiments, 10);
    assert_int_equal(r.common.time, 1000000000);
    assert_int_equal(r.common.size, 65536);
    assert_true(r.common.target == 2.0);
    assert_int_equal(r.common.order, 1);
    assert_false(r.common.verbose);
    assert_int_equal(r.own.rows.last, 46);
    assert_int_equal(r.own.copies.n, 2);
    assert_int_equal(r.own.cpus.choice, 1);
    /* Without a default: zero. */
    assert_int_equal(r.common.nice, 0);

    assert_int_equal(option_defaults(r.tables, 2, PRESET_QUICK, &r.error), 0);
    assert_int_equal(r.common.experiments, 10);
    assert_int_equal(r.common.time, 250000000);
    assert_true(r.common.verbose);

    assert_int_equal(option_defaults(r.tables, 2, PRESET_CLASSIC, &r.error), 0);
    assert_int_equal(r.common.experiments, 1000000);
    assert_int_equal(r.common.time, 1000000000);
    assert_false(r.common.verbose);
    assert_int_equal(r.own.copies.n, 2);
}

TEST(test_option_defaults_leave_given_rows)
{
    struct run r;
    assert_int_equal(parse(&r, "--time 3 --nice -5 -c 9 -o abc"), 0);
    assert_int_equal(option_defaults(r.tables, 2, PRESET_QUICK, &r.error), 0);
    assert_int_equal(r.common.time, 3000000000);
    assert_int_equal(r.common.nice, -5);
    assert_int_equal(r.own.copies.n, 1);
    assert_int_equal(r.own.copies.value[0], 9);
    assert_string_equal(r.common.output, "abc");
    assert_int_equal(r.common.experiments, 10);
}

TEST(test_option_defaults_report_a_bad_row)
{
    static const struct option rows[] = {
        {.name = "good", .type = OPTION_COUNT, .preset = {"1", "2x"}, .size = sizeof(uint64_t)},
        {.name = "flag", .type = OPTION_FLAG, .preset = {"no", "no", "maybe"}, .offset = 8, .size = sizeof(bool)},
    };
    uint64_t target[2] = {0, 0};
    struct option_table table = {.rows = rows, .n = 2, .target = target};
    struct error error = {""};
    assert_int_equal(option_defaults(&table, 1, PRESET_DEFAULT, &error), 0);
    assert_int_equal(option_defaults(&table, 1, PRESET_QUICK, &error), -1);
    assert_string_equal(error.text, "default of --good: '2x' is not a count (suffix K, M or G)");
    assert_int_equal(option_defaults(&table, 1, PRESET_CLASSIC, &error), -1);
    assert_string_equal(error.text, "default of --flag: 'maybe' is not yes or no");
}

/* --- help */

static const char common_help[] =
    "Common:\n"
    "  -q, --quiet           print less\n"
    "  -v, --verbose         print more  (default no; --quick yes)\n"
    "  -n, --experiments N   experiments a sample (also --passes, --iterations)  (1 to 1T; default 10; --classic "
    "1M)\n"
    "  -t, --time TIME       seconds a sample  (100 ms to 1 h; default 1 s; --quick 250 ms)\n"
    "      --size SIZE       working set  (4 KiB to 1 TiB; default 64 KiB)\n"
    "      --nice N          niceness  (-20 to 19)\n"
    "  -f, --fifo[=PRIO]     run under SCHED_FIFO  (1 to 98; without value 95)\n"
    "      --target PERCENT  stop at this precision  (0.1 % to 50 %; default 2 %)\n"
    "      --order ORDER     order of the list  (random, sorted or none; default sorted)\n"
    "  -o, --output FILE     write there\n";

TEST(test_option_help_aligns_two_columns)
{
    struct run r;
    struct text out = {0};
    begin(&r);
    option_help(&r.tables[0], 0, &out);
    assert_string_equal(out.data, common_help);
    out.length = 0;
    option_help(&r.tables[1], 120, &out);
    assert_string_equal(out.data, "Own:\n"
                                  "      --rows N|A:B:S  rows of the matrix  (1 to 100; default 10:46:4)\n"
                                  "  -c, --copies LIST   copies at a time  (1 to 4096; default 1,2)\n"
                                  "      --cpus LIST     where it runs  (CPU list, all or quiet; default quiet)\n"
                                  "      --limit N       no range\n"
                                  "      --samples N     samples\n"
                                  "      --series N      series\n");
    text_free(&out);
}

TEST(test_option_help_wraps_at_the_width)
{
    static const struct option rows[] = {
        {.name = "time",
         .letter = 't',
         .type = OPTION_DURATION,
         .value_name = "TIME",
         .min = 1e8,
         .max = 3.6e12,
         .preset = {"1", "250ms"},
         .help = "seconds a sample",
         .size = sizeof(uint64_t)},
        {.name = "a-name-beyond-the-column", .type = OPTION_COUNT, .help = "below", .size = sizeof(uint64_t)},
    };
    const struct option_table table = {.rows = rows, .n = 2};
    struct text out = {0};
    option_help(&table, 51, &out);
    /* The text begins at 19. A number and its unit stay together: "(100 ms to 1 h;" would end at 52. */
    assert_string_equal(out.data, "  -t, --time TIME  seconds a sample  (100 ms to\n"
                                  "                   1 h; default 1 s; --quick\n"
                                  "                   250 ms)\n"
                                  "      --a-name-beyond-the-column VALUE\n"
                                  "                   below\n");
    out.length = 0;
    option_help(&table, 52, &out);
    assert_memory_equal(out.data, "  -t, --time TIME  seconds a sample  (100 ms to 1 h;\n", 53);
    /* Narrower than is of use: 20 columns are left for the text. */
    out.length = 0;
    option_help(&table, 10, &out);
    assert_string_equal(out.data, "  -t, --time TIME  seconds a sample\n"
                                  "                   (100 ms to 1 h;\n"
                                  "                   default 1 s; --quick\n"
                                  "                   250 ms)\n"
                                  "      --a-name-beyond-the-column VALUE\n"
                                  "                   below\n");
    text_free(&out);
}

TEST(test_option_help_shows_the_words_of_counts)
{
    static const struct option rows[] = {
        {.name = "n",
         .type = OPTION_COUNT,
         .value_name = "N",
         .min = 1500,
         .max = 64000,
         .preset = {"2000000"},
         .help = "x",
         .size = sizeof(uint64_t)},
        {.name = "m",
         .type = OPTION_COUNT,
         .value_name = "N",
         .min = 1000,
         .max = 3e9,
         .preset = {"5G"},
         .help = "y",
         .size = sizeof(uint64_t)},
    };
    const struct option_table table = {.rows = rows, .n = 2};
    struct text out = {0};
    option_help(&table, 80, &out);
    assert_string_equal(out.data, "      --n N  x  (1500 to 64K; default 2M)\n"
                                  "      --m N  y  (1K to 3G; default 5G)\n");
    text_free(&out);
}

TEST(test_option_help_passes_on_failure)
{
    struct run r;
    struct text out = {.failed = 1};
    begin(&r);
    option_help(&r.tables[0], 80, &out);
    assert_int_equal(out.failed, 1);
    assert_null(out.data);
    text_free(&out);
}

/* Messages name our options and values for another program's, and explain a maximum. Shortened options are recorded. */
TEST(test_option_names_what_is_meant)
{
    static const struct option_foreign values[] = {{"prometheus", "did you mean 'none'?"}, {NULL, NULL}};
    static const struct option_foreign foreign[] = {
        {"D", "the length is --time"}, {"duration", "the length is --time"}, {NULL, NULL}};
    static const struct {
        int order;
        int64_t fifo;
    } zero = {0, 0};
    const struct option rows[] = {
        {.name = "order", .letter = 'O', .type = OPTION_CHOICE, .choices = orders, .foreign = values, .size = 4},
        {.name = "fifo",
         .type = OPTION_INT,
         .min = 1,
         .max = 95,
         .above = "99 is the kernel's",
         .offset = 8,
         .size = 8},
    };
    static const struct {
        const char *argument, *error;
    } cases[] = {
        {"-D", "unknown option '-D'; the length is --time"},
        {"-D5", "unknown option '-D'; the length is --time"},
        {"--duration=5", "unknown option '--duration'; the length is --time"},
        {"-o", "unknown option '-o'; did you mean '-O', --order?"},
        {"--order=prometheus", "--order: 'prometheus' is not one of random, sorted or none; did you mean 'none'?"},
        {"--fifo=99", "--fifo: '99' is out of range (1 to 95): 99 is the kernel's"},
        {"--fifo=0", "--fifo: '0' is out of range (1 to 95)"},
    };
    char target[sizeof(zero)];
    struct error error = {""};
    const char *operands[2];
    struct option_table table = {.rows = rows, .n = 2, .foreign = foreign, .target = target};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *argv[] = {"test", (char *)cases[i].argument};
        assert_int_equal(option_parse(2, argv, &table, 1, operands, &error), -1);
        assert_string_equal(error.text, cases[i].error);
    }
}

TEST(test_option_without_some)
{
    static const char *const names[] = {"size", "fifo", "experiments", NULL};
    static char *argv[] = {"run",    "a",    "--size",   "4K",  "-qv", "--output", "--size", "--siz=8K", "-o",
                           "--fifo", "--fi", "--passes", "100", "-t",  "1",        "--fifo", "b",        "--nice=3"};
    static const char *const kept[] = {"a", "-qv", "--output", "--size", "-o", "--fifo", "-t", "1", "b", "--nice=3"};
    enum { ARGC = sizeof(argv) / sizeof(argv[0]) };
    struct run r;
    const char *operands[ARGC];
    char *got[ARGC];
    struct error error = {""};

    begin(&r);
    assert_int_equal(option_parse(ARGC, argv, r.tables, 2, operands, &error), 2);
    assert_int_equal(option_without(ARGC, argv, r.tables, 2, names, got), sizeof(kept) / sizeof(kept[0]));
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        assert_string_equal(got[i], kept[i]);
}
