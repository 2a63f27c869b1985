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

/* --- help */

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
