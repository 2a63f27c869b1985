/* SPDX-License-Identifier: MIT */
/* Option tables: each type of value, the command line's forms, presets and help. */

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
    {OPTION("quiet", 'q', struct common, quiet, "print less")},
    {OPTION("verbose", 'v', struct common, verbose, "print more"), .preset = {"no", "yes"}},
    {OPTION("experiments", 'n', struct common, experiments, "experiments a sample"), OPTION_NUMBER(COUNT, "N", 1, 1e12),
     .aliases = "passes iterations", .preset = {"10", NULL, "1M"}},
    {OPTION("time", 't', struct common, time, "seconds a sample"), OPTION_NUMBER(DURATION, "TIME", 1e8, 3.6e12),
     .preset = {"1", "250ms", "1"}},
    {OPTION("size", 0, struct common, size, "working set"), OPTION_NUMBER(SIZE, "SIZE", 4096, 1099511627776.0),
     .preset = {"64K"}},
    {OPTION("nice", 0, struct common, nice, "niceness"), OPTION_NUMBER(INT, "N", -20, 19)},
    {OPTION("fifo", 'f', struct common, fifo, "run under SCHED_FIFO"), OPTION_NUMBER(INT, "PRIO", 1, 98),
     .optional = "95"},
    {OPTION("target", 0, struct common, target, "stop at this precision"), OPTION_NUMBER(PERCENT, "PERCENT", 0.1, 50),
     .preset = {"2%"}},
    {OPTION("order", 0, struct common, order, "order of the list"), OPTION_ONE_OF("ORDER", orders),
     .preset = {"sorted"}},
    {OPTION("output", 'o', struct common, output, "write there"), OPTION_WORD("FILE")},
};
static const struct option own_rows[] = {
    {OPTION("rows", 0, struct own, rows, "rows of the matrix"), OPTION_NUMBER(SWEEP, "N|A:B:S", 1, 100),
     .preset = {"10:46:4"}},
    {OPTION("copies", 'c', struct own, copies, "copies at a time"), OPTION_NUMBER(COUNTS, "LIST", 1, 4096),
     .preset = {"1,2"}},
    {OPTION("cpus", 0, struct own, cpus, "where it runs"), .type = OPTION_CPUS, .value_name = "LIST",
     .choices = cpu_words, .preset = {"quiet"}},
    {OPTION("limit", 0, struct own, limit, "no range"), OPTION_NUMBER(COUNT, "N", 0, 0)},
    {OPTION("samples", 0, struct own, samples, "samples"), OPTION_NUMBER(COUNT, "N", 0, 0)},
    {OPTION("series", 0, struct own, series, "series"), OPTION_NUMBER(COUNT, "N", 0, 0)},
};
#define COMMON_N (COUNT(common_rows))
#define OWN_N    (COUNT(own_rows))

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

/* --- types; what they refuse is golden (tests/golden/in/each) */

TEST(test_option_numbers_with_suffixes_and_units)
{
    static const struct {
        enum option_type type;
        const char *text;
        uint64_t value;
    } cases[] = {
        {OPTION_COUNT, "1", 1},
        {OPTION_COUNT, "007", 7},
        {OPTION_COUNT, "10K", 10000},
        {OPTION_COUNT, "100k", 100000},
        {OPTION_COUNT, "3M", 3000000},
        {OPTION_COUNT, "2G", UINT64_C(2000000000)},
        {OPTION_COUNT, "1T", UINT64_C(1000000000000)},
        {OPTION_COUNT, "18446744073709551615", UINT64_MAX},
        {OPTION_COUNT, "0", 0},
        {OPTION_SIZE, "4096", 4096},
        {OPTION_SIZE, "64K", 65536},
        {OPTION_SIZE, "3M", 3145728},
        {OPTION_SIZE, "1G", 1073741824},
        {OPTION_DURATION_US, "1000", 1000000},
        {OPTION_DURATION_US, "1ms", 1000000},
        {OPTION_DURATION_US, "250.5", 250500},
        {OPTION_DURATION_US, "2s", 2000000000},
        {OPTION_DURATION, "50ns", 50},
        {OPTION_DURATION, "100us", 100000},
        {OPTION_DURATION, "250ms", 250000000},
        {OPTION_DURATION, "1.5s", 1500000000},
        {OPTION_DURATION, "2", 2000000000},
        {OPTION_DURATION, ".5", 500000000},
        {OPTION_DURATION, "0.1", 100000000},
        {OPTION_DURATION, "2m", 120000000000},
        {OPTION_DURATION, "2min", 120000000000},
        {OPTION_DURATION, "1.5h", 5400000000000},
        {OPTION_DURATION, "1d", 86400000000000},
        {OPTION_DURATION, "0.4ns", 0},
        {OPTION_DURATION, "0.6ns", 1},
        {OPTION_DURATION, "0", 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct option row = {.name = "o", .type = cases[i].type, .size = sizeof(uint64_t)};
        uint64_t value = 77;
        struct error error = {""};
        assert_int_equal(option_set(&row, cases[i].text, &value, false, &error), 0);
        assert_int_equal(value, cases[i].value);
    }
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

TEST(test_option_percent_takes_a_sign)
{
    struct run r;
    assert_int_equal(parse(&r, "--target 2"), 0);
    assert_true(r.common.target == 2.0);
    assert_int_equal(parse(&r, "--target 2.5%"), 0);
    assert_true(r.common.target == 2.5);
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
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct option_table table = {0};
        uint64_t names = 0;
        assert_string_equal(parse_names(&table, &names, cases[i].one, cases[i].two), "");
        assert_int_equal(names, cases[i].bits);
        assert_true(table.given[0]);
    }
}

/* A rate after the names that take one; the text after another reaches to the end. */
TEST(test_option_names_with_rates)
{
    struct rated {
        uint64_t bits, rates[5];
        char rest[OPTION_REST];
    };
    static const char *const names[] = {"none", "write", "read", "ring", "cmd", NULL};
    const struct option row = {OPTION("load", 'w', struct rated, bits, ""), OPTION_SOME_OF("LOAD,...", names),
                               .rest = offsetof(struct rated, rest), .rated = "write read",
                               .rates = offsetof(struct rated, rates)};
    static const struct {
        const char *text;
        uint64_t bits, write, read;
        const char *rest, *error;
    } cases[] = {
        {"write:20M", 2, 20 << 20, 0, "", ""},
        {"ring,WRITE:20MB/s,read:3145728,none", 15, 20 << 20, 3 << 20, "", ""},
        {"read:1TB/s,cmd:make -j8, write:x", 20, 0, 1ull << 40, "make -j8, write:x", ""},
        {"write:2M,write", 2, 2 << 20, 0, "", ""},
        {"write:5M,read:5M,write:50M", 0, 5 << 20, 5 << 20, "",
         "--load: 'write:5M,read:5M,write:50M': two rates of one load"},
        {"ring:20M", 8, 0, 0, "20M", ""}, /* the command refuses it */
        {"write:2047K", 0, 0, 0, "", "--load: '2047K' is out of range (2 MiB to 1 TiB)"},
        {"write:1025G", 0, 0, 0, "", "--load: '1025G' is out of range (2 MiB to 1 TiB)"},
        {"none,read:,ring", 0, 0, 0, "", "--load: '' is not a size (2 MiB to 1 TiB, suffix K, M or G)"},
        {"write:20MB", 0, 0, 0, "", "--load: '20MB' is not a size (2 MiB to 1 TiB, suffix K, M or G)"},
        {"write:B/s", 0, 0, 0, "", "--load: 'B/s' is not a size (2 MiB to 1 TiB, suffix K, M or G)"},
        {"write:20M,", 0, 20 << 20, 0, "", "--load: 'write:20M,' is not a list of names (comma between)"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rated into = {0};
        struct error error = {""};
        assert_int_equal(option_set(&row, cases[i].text, &into, false, &error), cases[i].error[0] ? -1 : 0);
        assert_string_equal(error.text, cases[i].error);
        assert_int_equal(into.bits, cases[i].bits);
        assert_int_equal(into.rates[1], cases[i].write);
        assert_int_equal(into.rates[2], cases[i].read);
        assert_string_equal(into.rest, cases[i].rest);
    }
}

TEST(test_option_fail_on)
{
    const struct option row[] = {{.name = "fail-on",
                                  .type = OPTION_FAIL_ON,
                                  .max = 1000,
                                  .choices = fail_on_words,
                                  .size = sizeof(struct fail_on)}};
    struct fail_on f = {0};
    struct error error = {""};

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
