/* SPDX-License-Identifier: MIT */
/* The text of a comparison, whose rows, means and hosts are made up: each verdict, name and reason, in each format. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden_fixture.h"
#include "memory_fixture.h"
#include "out/compare.h"
#include "row_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { ROWS_MAX = 24 };
#define APART "Measured apart: a drift between the sides cannot be told from the change; in turns (A B B A) it can\n"

static struct row_run run;
static struct row rows[ROWS_MAX][2]; /* base and new */
static const struct row *sides[ROWS_MAX][2];
static struct pair pairs[ROWS_MAX];
static struct compared_row compared_rows[ROWS_MAX + 4]; /* rows, then means */
static struct comparison comparisons[ROWS_MAX];
static struct pair mean_pairs[4];
static struct row mean_rows[4];
static struct compared_host hosts[4];
static const struct pair *apart[ROWS_MAX];
static struct compared compared;
static size_t n_pairs;

static int begin(void **state)
{
    memset(&compared, 0, sizeof(compared));
    compared = (struct compared){.row = compared_rows, .host = hosts, .not_comparable = apart, .n_judged = 7};
    n_pairs = 0;
    row_run_init(&run);
    return 0;
}

/* A pair with a sample on each side. */
static struct pair *add_pair(const struct row_words *words)
{
    static double sample = 1;
    const size_t i = n_pairs++;

    assert_true(i < ROWS_MAX);
    for (size_t side = 0; side < 2; side++) {
        rows[i][side] = row_of_words(&run, NAN, words);
        rows[i][side].copies = 1;
        rows[i][side].samples = &sample;
        rows[i][side].n_samples = 1;
        sides[i][side] = &rows[i][side];
    }
    pairs[i] = (struct pair){.about = &rows[i][1], .side = {{&sides[i][0], 1}, {&sides[i][1], 1}}, .reason = -1};
    return &pairs[i];
}

static struct pair *add_row(const struct comparison *comparison, const struct row_words *words)
{
    struct pair *pair = add_pair(words);
    const size_t i = compared.n_rows++;

    /* The comparisons are not in the order of the rows. */
    compared_rows[i] = (struct compared_row){.pair = pair, .of = &comparisons[ROWS_MAX - 5 - i]};
    comparisons[ROWS_MAX - 5 - i] = *comparison;
    return pair;
}

static void add_apart(const char *why, int reason, const struct row_words *words)
{
    struct pair *pair = add_pair(words);

    pair->reason = reason;
    (void)snprintf(pair->why, sizeof(pair->why), "%s", why);
    apart[compared.n_not_comparable++] = pair;
}

static void add_mean(const char *suite, const char *host, size_t n, const struct comparison *comparison)
{
    const size_t i = compared.n_means++;

    mean_rows[i] = ROW(NULL, NAN, .suite = suite, .metric = "geometric_mean", .unit = "ratio", .better = "higher");
    mean_pairs[i] = (struct pair){.about = &mean_rows[i], .reason = -1};
    text_copy(mean_pairs[i].host, sizeof(mean_pairs[i].host), host);
    comparisons[ROWS_MAX - 4 + i] = *comparison;
    compared_rows[compared.n_rows + i] =
        (struct compared_row){.pair = &mean_pairs[i], .of = &comparisons[ROWS_MAX - 4 + i], .mean = n};
}

#define WORDS(...) (&(const struct row_words){__VA_ARGS__})
#define TEST_WORDS(test_, better_) \
    WORDS(.suite = "s", .test = test_, .metric = "m-" test_, .unit = "ns", .better = better_)

static const struct comparison higher = {.tested = TESTED_RUNS,
                                         .n_base = 3,
                                         .n_new = 4,
                                         .base = 100,
                                         .changed = 150,
                                         .ratio = 1.5,
                                         .low = 1.25,
                                         .high = 1.75,
                                         .p_t = 0.001,
                                         .p_permutation = 0.002,
                                         .p_adjusted = 0.0123,
                                         .least = NAN,
                                         .change = CHANGE_HIGHER};
static const struct comparison lower = {.tested = TESTED_PAIRS,
                                        .n_base = 11,
                                        .n_new = 12,
                                        .base = -200,
                                        .changed = -100,
                                        .ratio = 0.5,
                                        .low = 0.4,
                                        .high = 0.6,
                                        .p_t = 0.0625,
                                        .p_permutation = NAN,
                                        .p_adjusted = 0.00001,
                                        .least = 0.05,
                                        .change = CHANGE_LOWER};
static const struct comparison nothing = {.base = 0,
                                          .changed = 1e9,
                                          .ratio = NAN,
                                          .low = NAN,
                                          .high = NAN,
                                          .p_t = NAN,
                                          .p_permutation = NAN,
                                          .p_adjusted = NAN,
                                          .least = NAN,
                                          .change = CHANGE_UNKNOWN};

static struct comparison doubtful(enum comparison_doubt doubt, double base, double low, double high)
{
    return (struct comparison){.tested = TESTED_RUNS,
                               .n_base = 5,
                               .n_new = 6,
                               .base = base,
                               .changed = base + 4,
                               .ratio = base > 0 ? (base + 4) / base : (double)NAN,
                               .low = low,
                               .high = high,
                               .p_t = 0.03125,
                               .p_permutation = 0.25,
                               .p_adjusted = 0.0001,
                               .least = 0.0345,
                               .change = CHANGE_NONE,
                               .doubt = doubt};
}

static void expect(enum compared_format format, bool verbose, bool color, const char *text)
{
    const struct compared_print how = {.format = format, .verbose = verbose, .min_effect = 0.025};
    struct text out = {.color = color};
    const size_t live = allocations_live;

    compared_put(&compared, &how, &out);
    expect_golden(&out, text);
    assert_int_equal(allocations_live, live);
}

/* Every verdict, with its reason. */
static void add_verdicts(void)
{
    const struct comparison small = doubtful(DOUBT_SMALL, 200, 1.01, 1.03),
                            no_base = doubtful(DOUBT_CHANCE, 0, NAN, NAN),
                            above = doubtful(DOUBT_CHANCE, 200, 1.01, 1.03),
                            below = doubtful(DOUBT_CHANCE, 200, 0.9, 0.99),
                            around = doubtful(DOUBT_CHANCE, 200, 1, 1.03), same = doubtful(DOUBT_NOT, 200, 0.9, 1.1);
    struct comparison equal = same, within = doubtful(DOUBT_NOT, 200, 1.01, 1.03), without = within;

    equal.ratio = 1;
    within.tested = without.tested = TESTED_WITHIN;
    within.change = without.change = CHANGE_UNKNOWN;
    within.p_adjusted = without.p_adjusted = NAN;
    within.least = 0.5;
    without.least = NAN;
    (void)add_row(&higher, TEST_WORDS("slower", "lower"));
    (void)add_row(&higher, TEST_WORDS("faster", "higher"));
    (void)add_row(&higher, TEST_WORDS("higher", ""));
    (void)add_row(&lower, TEST_WORDS("faster2", "lower"));
    (void)add_row(&lower, TEST_WORDS("slower2", "higher"));
    (void)add_row(&lower, TEST_WORDS("lower", ""));
    (void)add_row(&nothing, TEST_WORDS("samples", "lower"));
    (void)add_row(&within, TEST_WORDS("within", "lower"));
    (void)add_row(&without, TEST_WORDS("without", "lower"));
    (void)add_row(&small, TEST_WORDS("small", "lower"));
    (void)add_row(&no_base, TEST_WORDS("no base", "lower"));
    (void)add_row(&above, TEST_WORDS("above", "lower"));
    (void)add_row(&below, TEST_WORDS("below", "lower"));
    (void)add_row(&around, TEST_WORDS("around", "lower"));
    (void)add_row(&equal, TEST_WORDS("equal", "lower"));
}

TEST_WITH(test_verdicts_of_rows, begin, NULL)
{
    add_verdicts();
    expect(COMPARED_TABLE, false, false,
           "Test       Metric        Base      New          Ratio     95 % interval  p (Holm)  Verdict\n"
           "s slower   m-slower    100 ns   150 ns  1.5000 worse   1.2500 .. 1.7500    0.0123  slower\n"
           "s faster   m-faster    100 ns   150 ns  1.5000 better  1.2500 .. 1.7500    0.0123  faster\n"
           "s higher   m-higher    100 ns   150 ns  1.5000         1.2500 .. 1.7500    0.0123  higher\n"
           "s faster2  m-faster2  -200 ns  -100 ns  0.5000 better  0.4000 .. 0.6000   <0.0001  faster\n"
           "s slower2  m-slower2  -200 ns  -100 ns  0.5000 worse   0.4000 .. 0.6000   <0.0001  slower\n"
           "s lower    m-lower    -200 ns  -100 ns  0.5000         0.4000 .. 0.6000   <0.0001  lower\n"
           "s samples  m-samples     0 ns      1 s       -                        -         -  not decided: one value "
           "on a side; repeat with --runs 10\n"
           "s within   m-within    200 ns   204 ns  1.0200 worse   1.0100 .. 1.0300         -  not decided: least "
           "change 50 %\n"
           "s without  m-without   200 ns   204 ns  1.0200 worse   1.0100 .. 1.0300         -  not decided\n"
           "s small    m-small     200 ns   204 ns  1.0200 worse   1.0100 .. 1.0300    0.0001  no change seen above "
           "2.5 %\n"
           "s no base  m-no base     0 ns     4 ns       -                        -    0.0001  no change seen: least "
           "change 3.5 %\n"
           "s above    m-above     200 ns   204 ns  1.0200 worse   1.0100 .. 1.0300    0.0001  no change seen: not "
           "sure, p 0.0001 after correcting for 7 rows, least change 3.5 %\n"
           "s below    m-below     200 ns   204 ns  1.0200 worse   0.9000 .. 0.9900    0.0001  no change seen: not "
           "sure, p 0.0001 after correcting for 7 rows, least change 3.5 %\n"
           "s around   m-around    200 ns   204 ns  1.0200 worse   1.0000 .. 1.0300    0.0001  no change seen: least "
           "change 3.5 %\n"
           "s equal    m-equal     200 ns   204 ns  1.0000         0.9000 .. 1.1000    0.0001  no change seen\n");
}

TEST_WITH(test_verdicts_of_rows_in_color, begin, NULL)
{
    add_verdicts();
    compared.n_rows = 7;
    expect(COMPARED_TABLE, false, true,
           "Test       Metric        Base      New          Ratio     95 % interval  p (Holm)  Verdict\n"
           "s slower   m-slower    100 ns   150 ns  1.5000 worse   1.2500 .. 1.7500    0.0123  \33[31mslower\33[0m\n"
           "s faster   m-faster    100 ns   150 ns  1.5000 better  1.2500 .. 1.7500    0.0123  \33[32mfaster\33[0m\n"
           "s higher   m-higher    100 ns   150 ns  1.5000         1.2500 .. 1.7500    0.0123  \33[33mhigher\33[0m\n"
           "s faster2  m-faster2  -200 ns  -100 ns  0.5000 better  0.4000 .. 0.6000   <0.0001  \33[32mfaster\33[0m\n"
           "s slower2  m-slower2  -200 ns  -100 ns  0.5000 worse   0.4000 .. 0.6000   <0.0001  \33[31mslower\33[0m\n"
           "s lower    m-lower    -200 ns  -100 ns  0.5000         0.4000 .. 0.6000   <0.0001  \33[33mlower\33[0m\n"
           "s samples  m-samples     0 ns      1 s       -                        -         -  not decided: one value "
           "on a side; repeat with --runs 10\n");
}

TEST_WITH(test_verdicts_of_rows_as_csv, begin, NULL)
{
    add_verdicts();
    rows[0][1].copies = 4;
    rows[1][1].copies = 0;
    set_params(&rows[1][1], "a=1 b=\"2\"");
    (void)snprintf(rows[1][1].load, sizeof(rows[1][1].load), "burn, 2");
    (void)snprintf(rows[2][1].cpus, sizeof(rows[2][1].cpus), "2-3");
    (void)snprintf(rows[3][1].cpus, sizeof(rows[3][1].cpus), "2-3");
    pairs[3].by_cpus = true;
    (void)snprintf(pairs[4].host, sizeof(pairs[4].host), "there");
    pairs[5].within = true;
    (void)snprintf(rows[5][0].test, sizeof(rows[5][0].test), "the base");
    rows[5][0].copies = 2;
    add_mean("unix", "n1", 12, &higher);
    add_mean("latency", "", 1, &lower);
    add_apart("other unit: ns against ms", -1, TEST_WORDS("apart", "lower"));
    add_apart("other \"CPU\", model", ACROSS_CPU, TEST_WORDS("cpu", ""));
    pairs[n_pairs - 1].within = true;
    expect(
        COMPARED_CSV, false, false,
        "suite,test,load,param,copies,cpus,host,metric,unit,better,base,new,ratio,ratio_ci95_lo,ratio_ci95_hi,p_t,p_"
        "permutation,p_holm,tested,n_base,n_new,least_change_pct,verdict,reason,against,raw_base,raw_new,raw_ratio,"
        "core_share,core_share_slope\r\n"
        "s,slower,,,4,,,m-slower,ns,lower,100,150,1.5,1.25,1.75,0.001,0.002,0.0123,runs,3,4,,slower,,,,,,,\r\n"
        "s,faster,\"burn, 2\",\"a=1 "
        "b=\"\"2\"\"\",,,,m-faster,ns,higher,100,150,1.5,1.25,1.75,0.001,0.002,0.0123,runs,3,4,,faster,,,,,,,\r\n"
        "s,higher,,,1,,,m-higher,ns,,100,150,1.5,1.25,1.75,0.001,0.002,0.0123,runs,3,4,,higher,,,,,,,\r\n"
        "s,faster2,,,1,2-3,,m-faster2,ns,lower,-200,-100,0.5,0.40000000000000002,0.59999999999999998,0.0625,,1."
        "0000000000000001e-05,pairs,11,12,5,faster,,,,,,,\r\n"
        "s,slower2,,,1,,there,m-slower2,ns,higher,-200,-100,0.5,0.40000000000000002,0.59999999999999998,0.0625,,1."
        "0000000000000001e-05,pairs,11,12,5,slower,,,,,,,\r\n"
        "s,lower,,,1,,,m-lower,ns,,-200,-100,0.5,0.40000000000000002,0.59999999999999998,0.0625,,1.0000000000000001e-"
        "05,pairs,11,12,5,lower,,s the base x2,,,,,\r\n"
        "s,samples,,,1,,,m-samples,ns,lower,0,1000000000,,,,,,,,0,0,,not decided,one value on a side; repeat with "
        "--runs 10,,,,,,\r\n"
        "s,within,,,1,,,m-within,ns,lower,200,204,1.02,1.01,1.03,0.03125,0.25,,within,5,6,50,not decided,least change "
        "50 %,,,,,,\r\n"
        "s,without,,,1,,,m-without,ns,lower,200,204,1.02,1.01,1.03,0.03125,0.25,,within,5,6,,not decided,,,,,,,\r\n"
        "s,small,,,1,,,m-small,ns,lower,200,204,1.02,1.01,1.03,0.03125,0.25,0.0001,runs,5,6,3.4500000000000002,no "
        "change seen,above 2.5 %,,,,,,\r\n"
        "s,no base,,,1,,,m-no base,ns,lower,0,4,,,,0.03125,0.25,0.0001,runs,5,6,3.4500000000000002,no change "
        "seen,least change 3.5 %,,,,,,\r\n"
        "s,above,,,1,,,m-above,ns,lower,200,204,1.02,1.01,1.03,0.03125,0.25,0.0001,runs,5,6,3.4500000000000002,no "
        "change seen,\"not sure, p 0.0001 after correcting for 7 rows, least change 3.5 %\",,,,,,\r\n"
        "s,below,,,1,,,m-below,ns,lower,200,204,1.02,0.90000000000000002,0.98999999999999999,0.03125,0.25,0.0001,runs,"
        "5,6,3.4500000000000002,no change seen,\"not sure, p 0.0001 after correcting for 7 rows, least change 3.5 "
        "%\",,,,,,\r\n"
        "s,around,,,1,,,m-around,ns,lower,200,204,1.02,1,1.03,0.03125,0.25,0.0001,runs,5,6,3.4500000000000002,no "
        "change seen,least change 3.5 %,,,,,,\r\n"
        "s,equal,,,1,,,m-equal,ns,lower,200,204,1,0.90000000000000002,1.1000000000000001,0.03125,0.25,0.0001,runs,5,6,"
        "3.4500000000000002,no change seen,,,,,,,\r\n"
        "unix,,,,,,n1,geometric_mean,ratio,higher,100,150,1.5,1.25,1.75,0.001,0.002,0.0123,runs,3,4,,faster,,,,,,,\r\n"
        "latency,,,,,,,geometric_mean,ratio,higher,-200,-100,0.5,0.40000000000000002,0.59999999999999998,0.0625,,1."
        "0000000000000001e-05,pairs,11,12,5,slower,,,,,,,\r\n"
        "s,apart,,,1,,,m-apart,ns,lower,,,,,,,,,,,,,not comparable,other unit: ns against ms,,,,,,\r\n"
        "s,cpu,,,1,,,m-cpu,ns,,,,,,,,,,,,,,not comparable,\"other \"\"CPU\"\", model\",s cpu,,,,,\r\n");
}

/* A change that is explained by its cause, alone and with another reason. */
TEST_WITH(test_verdicts_with_a_cause, begin, NULL)
{
    const struct pair *pair = add_row(&higher, WORDS(.suite = "s", .test = "t", .metric = "m", .unit = "s",
                                                     .better = "lower", .causes = "preempted:700"));

    for (size_t side = 0; side < 2; side++)
        rows[pair - pairs][side].wall_s = 2;
    set_causes(&rows[pair - pairs][0], "preempted:0");
    expect(COMPARED_TABLE, false, false,
           "Test  Metric   Base    New          Ratio     95 % interval  p (Holm)  Verdict\n"
           "s t   m       100 s  150 s  1.5000 worse   1.2500 .. 1.7500    0.0123  slower: preempted 35.0 % of the "
           "time (base 0.0 %)\n");
    expect(COMPARED_CSV, false, false,
           "suite,test,load,param,copies,cpus,host,metric,unit,better,base,new,ratio,ratio_ci95_lo,ratio_ci95_hi,p_t,p_"
           "permutation,p_holm,tested,n_base,n_new,least_change_pct,verdict,reason,against,raw_base,raw_new,raw_ratio,"
           "core_share,core_share_slope\r\n"
           "s,t,,,1,,,m,s,lower,100,150,1.5,1.25,1.75,0.001,0.002,0.0123,runs,3,4,,slower,preempted 35.0 % of the time "
           "(base 0.0 %),,,,,,\r\n");
}

/* A figure with the core free: the ratio as measured stands beside it, and what explains that is named. */
TEST_WITH(test_verdicts_with_the_core_free, begin, NULL)
{
    struct comparison same = lower, raw = lower;
    struct pair *of_raw;

    same.change = CHANGE_NONE;
    same.doubt = DOUBT_CHANCE;
    same.ratio = same.low = same.high = 1;
    raw.base = 100;
    raw.changed = 70;
    raw.ratio = 0.7;
    (void)add_row(&higher, TEST_WORDS("other", "lower"));
    of_raw = add_pair(WORDS(.suite = "s", .test = "t", .metric = "m", .unit = "lps", .better = "higher"));
    (void)snprintf(rows[of_raw - pairs][0].core_share, 8, "1.000");
    (void)snprintf(rows[of_raw - pairs][1].core_share, 8, "0.600");
    (void)add_row(&same, WORDS(.suite = "s", .test = "t", .metric = "m_alone", .unit = "lps", .better = "higher"));
    compared_rows[1].raw = of_raw;
    compared_rows[1].of_raw = raw;
    expect(COMPARED_TABLE, false, false,
           "Test     Metric       Base       New          Ratio     95 % interval  p (Holm)     Raw  Verdict\n"
           "s other  m-other    100 ns    150 ns  1.5000 worse   1.2500 .. 1.7500    0.0123       -  slower\n"
           "s t      m_alone  -200 lps  -100 lps  1.0000         1.0000 .. 1.0000   <0.0001  0.7000  no change seen: "
           "least change 5.0 %; raw -30.0 %, by core share 60 % (base 100 %)\n");
    expect(
        COMPARED_CSV, false, false,
        "suite,test,load,param,copies,cpus,host,metric,unit,better,base,new,ratio,ratio_ci95_lo,ratio_ci95_hi,p_t,p_"
        "permutation,p_holm,tested,n_base,n_new,least_change_pct,verdict,reason,against,raw_base,raw_new,raw_ratio,"
        "core_share,core_share_slope\r\n"
        "s,other,,,1,,,m-other,ns,lower,100,150,1.5,1.25,1.75,0.001,0.002,0.0123,runs,3,4,,slower,,,,,,,\r\n"
        "s,t,,,1,,,m_alone,lps,higher,-200,-100,1,1,1,0.0625,,1.0000000000000001e-05,pairs,11,12,5,no change "
        "seen,\"least change 5.0 %; raw -30.0 %, by core share 60 % (base 100 %)\",,100,70,0.69999999999999996,,\r\n");
}

/* A figure that is slower at the same share of the core: the share is not the cause, only that of the ratio as
 * measured. */
TEST_WITH(test_verdicts_at_the_same_share, begin, NULL)
{
    struct comparison at_share = lower;
    struct pair *pair;

    at_share.share = 0.75;
    at_share.slope = 0.5;
    at_share.ratio = 0.5;
    pair = add_row(&at_share, WORDS(.suite = "s", .test = "t", .metric = "m", .unit = "lps", .better = "higher"));
    (void)snprintf(rows[pair - pairs][0].core_share, 8, "1.000");
    (void)snprintf(rows[pair - pairs][1].core_share, 8, "0.600");
    compared_rows[0].raw = pair;
    compared_rows[0].of_raw = lower;
    compared_rows[0].of_raw.ratio = 0.25;
    expect(COMPARED_TABLE, false, false,
           "Test  Metric      Base       New          Ratio     95 % interval  p (Holm)     Raw  Verdict\n"
           "s t   m       -200 lps  -100 lps  0.5000 worse   0.4000 .. 0.6000   <0.0001  0.2500  slower\n");
    expect(COMPARED_CSV, false, false,
           "suite,test,load,param,copies,cpus,host,metric,unit,better,base,new,ratio,ratio_ci95_lo,ratio_ci95_hi,p_t,p_"
           "permutation,p_holm,tested,n_base,n_new,least_change_pct,verdict,reason,against,raw_base,raw_new,raw_ratio,"
           "core_share,core_share_slope\r\n"
           "s,t,,,1,,,m,lps,higher,-200,-100,0.5,0.40000000000000002,0.59999999999999998,0.0625,,1.0000000000000001e-"
           "05,pairs,11,12,5,slower,,,-200,"
           "-100,0.25,0.75,0.5\r\n");
}

/* Names are as short as they can be, and clean. Each has something that no other name has. */
TEST_WITH(test_verdicts_names, begin, NULL)
{
    struct pair *pair;

    (void)add_row(&higher, WORDS(.suite = "alone", .test = "alone", .metric = "m"));
    (void)add_row(&higher, WORDS(.suite = "unix", .test = "pipe", .load = "burn", .metric = "m", .param = "size=1"));
    (void)add_row(&higher, WORDS(.suite = "unix", .test = "index", .metric = "m", .param = "protocol=classic"));
    (void)add_row(&higher, WORDS(.suite = "array", .test = "copy", .metric = "m", .param = "elements=100 clock=tsc"));
    (void)add_row(&higher, WORDS(.suite = "array", .test = "copy", .metric = "m", .param = "elements=200 clock=tsc"));
    (void)add_row(&higher, WORDS(.suite = "array", .test = "copy", .metric = "other", .param = "elements=300"));
    (void)add_row(&higher, WORDS(.suite = "run", .test = "sh", .metric = "m", .param = "command=sh -c 1"));
    (void)add_row(&higher, WORDS(.suite = "run", .test = "sh", .metric = "m", .param = "command=sh -c 2"));
    add_row(&higher, WORDS(.suite = "copies", .test = "two", .metric = "m\x1b"))->host[0] = 'h';
    rows[n_pairs - 1][1].copies = 2;
    pair = add_row(&higher, WORDS(.suite = "cpus", .test = "each\x01", .metric = "m|*_<\\", .cpus = "2"));
    pair->by_cpus = true;
    pair = add_row(&higher, WORDS(.suite = "within", .test = "t", .load = "burn", .metric = "m"));
    pair->within = true;
    rows[n_pairs - 1][0].load[0] = '\0';
    rows[n_pairs - 1][0].copies = 4;
    pair = add_row(&higher, WORDS(.suite = "words", .test = "t", .metric = "m", .param = "k=2"));
    pair->within = true;
    set_params(&rows[n_pairs - 1][0], "k=1 same=1 load_cpu_s=1 timer=fifo:2");
    set_params(&rows[n_pairs - 1][1], "k=2 same=1 load_cpu_s=2 timer=fifo:3");
    expect(COMPARED_TABLE, false, false,
           "Test                               Metric  Base  New          Ratio     95 % interval  p (Holm)  "
           "Verdict\n"
           "alone                              m        100  150  1.5000         1.2500 .. 1.7500    0.0123  "
           "higher\n"
           "unix pipe burn                     m        100  150  1.5000         1.2500 .. 1.7500    0.0123  "
           "higher\n"
           "unix index (classic protocol)      m        100  150  1.5000         1.2500 .. 1.7500    0.0123  "
           "higher\n"
           "array copy elements=100            m        100  150  1.5000         1.2500 .. 1.7500    0.0123  "
           "higher\n"
           "array copy elements=200            m        100  150  1.5000         1.2500 .. 1.7500    0.0123  "
           "higher\n"
           "array copy                         other    100  150  1.5000         1.2500 .. 1.7500    0.0123  "
           "higher\n"
           "run sh 1                           m        100  150  1.5000         1.2500 .. 1.7500    0.0123  "
           "higher\n"
           "run sh 2                           m        100  150  1.5000         1.2500 .. 1.7500    0.0123  "
           "higher\n"
           "copies two x2 on h                 m?       100  150  1.5000         1.2500 .. 1.7500    0.0123  "
           "higher\n"
           "cpus each? CPU 2                   m|*_<\\   100  150  1.5000         1.2500 .. 1.7500    0.0123  "
           "higher\n"
           "within t burn against within t x4  m        100  150  1.5000         1.2500 .. 1.7500    0.0123  "
           "higher\n"
           "words t k=2 against words t k=1    m        100  150  1.5000         1.2500 .. 1.7500    0.0123  "
           "higher\n");
    expect(COMPARED_MARKDOWN, false, false,
           "| Test | Metric | Base | New | Ratio | 95 % interval | p (Holm) | Verdict |\n"
           "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |\n"
           "| alone | m | 100 | 150 | 1.5000        | 1.2500 .. 1.7500 | 0.0123 | higher |\n"
           "| unix pipe burn | m | 100 | 150 | 1.5000        | 1.2500 .. 1.7500 | 0.0123 | higher |\n"
           "| unix index (classic protocol) | m | 100 | 150 | 1.5000        | 1.2500 .. 1.7500 | 0.0123 | higher |\n"
           "| array copy elements=100 | m | 100 | 150 | 1.5000        | 1.2500 .. 1.7500 | 0.0123 | higher |\n"
           "| array copy elements=200 | m | 100 | 150 | 1.5000        | 1.2500 .. 1.7500 | 0.0123 | higher |\n"
           "| array copy | other | 100 | 150 | 1.5000        | 1.2500 .. 1.7500 | 0.0123 | higher |\n"
           "| run sh 1 | m | 100 | 150 | 1.5000        | 1.2500 .. 1.7500 | 0.0123 | higher |\n"
           "| run sh 2 | m | 100 | 150 | 1.5000        | 1.2500 .. 1.7500 | 0.0123 | higher |\n"
           "| copies two x2 on h | m? | 100 | 150 | 1.5000        | 1.2500 .. 1.7500 | 0.0123 | higher |\n"
           "| cpus each? CPU 2 | m\\|\\*\\_\\<\\\\ | 100 | 150 | 1.5000        | 1.2500 .. 1.7500 | 0.0123 | higher "
           "|\n"
           "| within t burn against within t x4 | m | 100 | 150 | 1.5000        | 1.2500 .. 1.7500 | 0.0123 | "
           "higher |\n"
           "| words t k=2 against words t k=1 | m | 100 | 150 | 1.5000        | 1.2500 .. 1.7500 | 0.0123 | higher "
           "|\n");
}

TEST_WITH(test_verdicts_of_means_and_hosts, begin, NULL)
{
    add_mean("unix", "n1", 12, &higher);
    add_mean("latency", "", 1, &lower);
    add_mean("x\x1b", "", 2, &nothing);
    compared.n_judged = 1;
    const struct comparison chance = doubtful(DOUBT_CHANCE, 200, 1.01, 1.03);
    add_mean("chance", "", 3, &chance);
    hosts[0] = (struct compared_host){.host = "n1", .ratio = 1.25, .stands_out = true};
    hosts[1] = (struct compared_host){.host = "n2", .ratio = 0.75};
    compared.n_hosts = 2;
    expect(COMPARED_TABLE, false, false,
           "\n"
           "Geometric means of the ratios, inverted where less is better: above 1 is better\n"
           "Suite       Of                Mean     95 % interval  p (Holm)  Verdict\n"
           "unix on n1  12 rows  1.5000 better  1.2500 .. 1.7500    0.0123  faster\n"
           "latency     1 row    0.5000 worse   0.4000 .. 0.6000   <0.0001  slower\n"
           "x?          2 rows        -                        -         -  not decided: one value on a side; repeat "
           "with --runs 10\n"
           "chance      3 rows   1.0200 better  1.0100 .. 1.0300    0.0001  no change seen: not sure, p 0.0001 after "
           "correcting for 1 row, least change 3.5 %\n"
           "\n"
           "Hosts by the geometric mean of their ratios, above 1 is better\n"
           "  n1  1.2500  stands out\n"
           "  n2  0.7500\n");
    compared.n_hosts = 0;
    expect(COMPARED_MARKDOWN, false, false,
           "\n"
           "Geometric means of the ratios, inverted where less is better: above 1 is better\n"
           "\n"
           "| Suite | Of | Mean | 95 % interval | p (Holm) | Verdict |\n"
           "| --- | --- | ---: | ---: | ---: | --- |\n"
           "| unix on n1 | 12 rows | 1.5000 better | 1.2500 .. 1.7500 | 0.0123 | faster |\n"
           "| latency | 1 row | 0.5000 worse  | 0.4000 .. 0.6000 | \\<0.0001 | slower |\n"
           "| x? | 2 rows | -        | - | - | not decided: one value on a side; repeat with --runs 10 |\n"
           "| chance | 3 rows | 1.0200 better | 1.0100 .. 1.0300 | 0.0001 | no change seen: not sure, p 0.0001 "
           "after correcting for 1 row, least change 3.5 % |\n");
}

/* Grouped by their reasons, of which each has so many rows; the first three are named. */
TEST_WITH(test_verdicts_that_are_apart, begin, NULL)
{
    static const char *const tests[] = {"t0", "t1", "t2", "t3", "t4"};

    add_apart("z: the last", -1, WORDS(.suite = "s", .test = "t", .metric = "m"));
    for (size_t i = 0; i < 4; i++)
        add_apart("other CPU", ACROSS_CPU, WORDS(.suite = "s", .test = tests[i], .metric = "m"));
    for (size_t i = 0; i < 3; i++)
        add_apart("a", ACROSS_BUILD, WORDS(.suite = "s", .test = tests[i], .metric = "n"));
    expect(COMPARED_TABLE, false, false,
           "Not comparable\n"
           "  3 rows, a (--across build compares them): s t0 n, s t1 n, s t2 n\n"
           "  4 rows, other CPU (--across cpu compares them): s t0 m, s t1 m, s t2 m, ...\n"
           "  1 row, z: the last: s t m\n");
    expect(COMPARED_TABLE, true, false,
           "Not comparable\n"
           "  3 rows, a (--across build compares them): s t0 n, s t1 n, s t2 n\n"
           "  4 rows, other CPU (--across cpu compares them): s t0 m, s t1 m, s t2 m, s t3 m\n"
           "  1 row, z: the last: s t m\n");
    (void)add_row(&higher, TEST_WORDS("slower", "lower"));
    compared.n_not_comparable = 1;
    expect(COMPARED_TABLE, false, false,
           "Test      Metric      Base     New          Ratio     95 % interval  p (Holm)  Verdict\n"
           "s slower  m-slower  100 ns  150 ns  1.5000 worse   1.2500 .. 1.7500    0.0123  slower\n"
           "\n"
           "Not comparable\n"
           "  1 row, a (--across build compares them): s t0 n\n");
}

TEST_WITH(test_verdicts_of_nothing, begin, NULL)
{
    expect(COMPARED_TABLE, false, false, "");
    expect(COMPARED_MARKDOWN, false, false, "");
    expect(COMPARED_CSV, false, false,
           "suite,test,load,param,copies,cpus,host,metric,unit,better,base,new,ratio,ratio_ci95_lo,ratio_ci95_hi,p_t,p_"
           "permutation,p_holm,tested,n_base,n_new,least_change_pct,verdict,reason,against,raw_base,raw_new,raw_"
           "ratio,core_share,core_share_slope\r\n");
}

/* --- The page: what was compared, and warnings. --- */

/* What stands before the tables, and behind them. */
static void expect_page(const struct row_set *base, const struct row_set *changed, const struct pairs *all,
                        const char *before, const char *behind)
{
    const struct compared_print how = {.min_effect = 0.025};
    struct text page = {0}, expected = {0};

    text_printf(&expected, "%s", before);
    compared_put(&compared, &how, &expected);
    text_printf(&expected, "%s", behind);
    compared_put_page(&compared, all, base, changed, &how, &page);
    expect_golden(&page, expected.data);
    text_free(&expected);
}

static struct row_run other_run;
static struct row_run *runs_of[2][2] = {{&run, NULL}, {&other_run, NULL}};
static const struct row_set one[2] = {{.runs = runs_of[0], .n_runs = 1}, {.runs = runs_of[1], .n_runs = 1}};

/* Runs without a number are one each, and hosts without a name the same one. */
TEST_WITH(test_verdicts_count_runs_and_hosts, begin, NULL)
{
    static const struct {
        const char *id[4], *host[4];
        size_t n;
        const char *line;
    } cases[] = {
        {{"a"}, {"n1"}, 1, "Within 1 run on n1\n"},
        {{"a"}, {""}, 1, "Within 1 run on an unknown host\n"},
        {{"a", "b", "a"}, {"n1", "n1", "n1"}, 3, "Within 2 runs on n1\n"},
        {{"a", "b", "b", "c"}, {"n1", "n2", "n3", "n2"}, 4, "Within 3 runs on 3 hosts\n"},
        {{"", "", ""}, {"", "", ""}, 3, "Within 3 runs on an unknown host\n"},
        {{"a", "", "a"}, {"n1", "", "n1"}, 3, "Within 2 runs on 2 hosts\n"},
    };
    static const struct pairs none = {.n = 0};
    struct row_run runs[4], *list[4];
    char expected[200];

    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t k = 0; k < cases[i].n; k++) {
            row_run_init(&runs[k]);
            text_copy(runs[k].run_id, sizeof(runs[k].run_id), cases[i].id[k]);
            text_copy(runs[k].host, sizeof(runs[k].host), cases[i].host[k]);
            list[k] = &runs[k];
        }
        (void)snprintf(expected, sizeof(expected),
                       "%sBase  the first row of each test and metric; for `run`, the first command\n\n",
                       cases[i].line);
        expect_page(&(const struct row_set){.runs = list, .n_runs = cases[i].n}, NULL, &none, expected, "");
    }
    (void)add_row(&higher, TEST_WORDS("t", "lower"));
    expect_page(&one[0], NULL, &none,
                "Within 1 run on an unknown host\n"
                "Base  the first row of each test and metric; for `run`, the first command\n"
                "Tested: the means of the runs\n" APART
                "Least change: the smallest that 80 % of such comparisons would find\n"
                "\n",
                "");
}

/* Properties of which both sides have values, and not the same: at most four values of a side. */
TEST_WITH(test_verdicts_name_what_differs, begin, NULL)
{
    static const struct pairs none = {.n = 0};
    const struct row *many[6], *few[2];
    struct row of[6];
    struct pair *pair = add_row(&higher, TEST_WORDS("t", "lower"));

    row_run_init(&other_run);
    strcpy(run.host, "n1");
    strcpy(other_run.host, "n2");
    strcpy(run.kernel, "6.1");
    strcpy(other_run.kernel, "6.2");
    strcpy(run.cpu_model, "X");
    strcpy(other_run.cpu_model, "Y");
    strcpy(run.settings, "governor=a");
    strcpy(other_run.settings, "governor=b");
    run.cpus_online = 8;
    other_run.cpus_online = 16;
    for (size_t i = 0; i < 6; i++) {
        of[i] = rows[0][1];
        of[i].run = i < 2 ? &run : &other_run;
        many[i] = &of[i];
        of[i].nice = i < 2 ? 0 : (double)(5 - i);
        of[i].rt_priority = i < 2 ? (double)NAN : 50;
        strcpy(of[i].timer_latency_held, i < 2 ? "no" : "yes");
        set_params(&of[i], i < 2 ? "command=a 1" : "command=a 2");
    }
    few[0] = &of[0];
    few[1] = &of[1];
    *pair = (struct pair){.about = &of[2], .side = {{few, 2}, {&many[2], 4}}, .reason = -1};
    static const char tested[] =
        "Tested: the means of the runs\n" APART "Least change: the smallest that 80 % of such comparisons would find\n"
        "\n";
    char expected[600];
    (void)snprintf(expected, sizeof(expected),
                   "Base  1 run on n1\n"
                   "New   1 run on n2\n"
                   "Differs: host: n1 against n2\n"
                   "Differs: kernel: 6.1 against 6.2\n"
                   "Differs: CPU model: X against Y\n"
                   "Differs: command: a 1 against a 2\n"
                   "Differs: CPUs online: 8 against 16\n"
                   "Differs: nice: 0 against 3;2;1;0\n"
                   "Differs: idle CPUs kept awake: no against yes\n"
                   "Settings differ: governor a -> b\n"
                   "%s",
                   tested);
    expect_page(&one[0], &one[1], &none, expected, "");
    /* Real-time priorities of both sides, and five values of one. */
    row_run_init(&run);
    row_run_init(&other_run);
    pair->side[0] = (struct pair_side){many, 5};
    pair->side[1] = (struct pair_side){&many[5], 1};
    for (size_t i = 0; i < 6; i++) {
        of[i].nice = 0;
        of[i].rt_priority = (double)(10 + i);
        strcpy(of[i].timer_latency_held, "");
        set_params(&of[i], "a=1");
    }
    (void)snprintf(expected, sizeof(expected),
                   "Base  1 run on an unknown host\n"
                   "New   1 run on an unknown host\n"
                   "Differs: real-time priority: 10;11;12;13 against 15\n"
                   "%s",
                   tested);
    expect_page(&one[0], &one[1], &none, expected, "");
}

/* What was tested, by the rows. */
TEST_WITH(test_verdicts_say_what_was_tested, begin, NULL)
{
    static const char not_decided[] = "the drift between runs cannot be seen in fewer than three runs a side. Interval "
                                      "and\n       least change are those within the runs; repeat both sides with "
                                      "--runs 10\n",
                      least[] = "Least change: the smallest that 80 % of such comparisons would find\n",
                      raw[] =
                          ": without other users of the core, as both sides know it; Raw is the ratio as measured\n",
                      shares[] = ": figures at the same share of the core; Raw is the ratio as measured\n";
    enum { HOSTS = TESTED_PAIRS + 1, SAMPLES };
    static const struct {
        int tested[3]; /* TESTED_NOTHING ends them */
        size_t n_raw, n_share;
        const char *lines[7];
    } cases[] = {
        {{TESTED_NOTHING}, 0, 0, {""}},
        {{TESTED_RUNS, TESTED_RUNS}, 0, 0, {"Tested: the means of the runs\n", APART, least}},
        {{TESTED_RUNS, TESTED_WITHIN},
         0,
         0,
         {"Tested: the means of the runs, for rows with three or more a side\n", APART,
          "Not decided elsewhere: ", not_decided, least}},
        {{TESTED_WITHIN}, 0, 0, {"Not decided: ", not_decided, least}},
        {{HOSTS}, 0, 0, {"Tested: the means of the hosts\n", APART, least}},
        {{HOSTS, TESTED_RUNS},
         0,
         0,
         {"Tested: the means of the hosts, for rows with three or more a side\n",
          "Tested: the means of the runs, for rows with three or more a side\n", APART, least}},
        {{HOSTS, TESTED_WITHIN},
         0,
         0,
         {"Tested: the means of the hosts, for rows with three or more a side\n", APART,
          "Not decided elsewhere: ", not_decided, least}},
        {{TESTED_PAIRS},
         0,
         0,
         {"Tested: pairs of runs as measured, since those of both sides alternate in time\n", least}},
        {{TESTED_PAIRS, TESTED_WITHIN},
         0,
         0,
         {"Tested: pairs of runs as measured, since those of both sides alternate in time\n",
          "Not decided elsewhere: ", not_decided, least}},
        {{SAMPLES},
         0,
         0,
         {"Tested: pairs of samples, since commands were measured in turns and drift affects all of them equally\n",
          least}},
        {{SAMPLES, TESTED_WITHIN},
         0,
         0,
         {"Tested: pairs of samples, since commands were measured in turns and drift affects all of them equally\n",
          "Not decided elsewhere: ", not_decided, least}},
        {{TESTED_RUNS, TESTED_RUNS},
         2,
         0,
         {"Tested: the means of the runs\n", APART, "Metrics with _alone", raw, least}},
        {{TESTED_RUNS, TESTED_RUNS},
         2,
         2,
         {"Tested: the means of the runs\n", APART, "Rows with a Raw ratio", shares, least}},
        {{TESTED_RUNS, TESTED_RUNS},
         2,
         1,
         {"Tested: the means of the runs\n", APART, "Metrics with _alone", raw,
          "Rows with a Raw ratio and without _alone", shares, least}},
    };
    static const struct pairs none = {.n = 0};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct text expected = {0};
        (void)begin(state);
        row_run_init(&other_run);
        for (size_t k = 0; k < 3 && cases[i].tested[k] != TESTED_NOTHING; k++) {
            const int tested = cases[i].tested[k];
            struct comparison c = higher;
            c.tested = tested == HOSTS     ? TESTED_RUNS
                       : tested == SAMPLES ? TESTED_PAIRS
                                           : (enum comparison_tested)tested;
            c.share = k < cases[i].n_share ? 0.5 : 0;
            struct pair *pair = add_row(&c, TEST_WORDS("t", "lower"));
            if (tested == TESTED_PAIRS) { /* several runs a side */
                pair->side[0] = pair->side[1] = (struct pair_side){&sides[0][0], 2};
            }
            compared_rows[k].by_hosts = tested == HOSTS;
            if (k < cases[i].n_raw)
                compared_rows[k].raw = k < cases[i].n_share ? pair : &pairs[ROWS_MAX - 1];
        }
        text_printf(&expected, "Base  1 run on an unknown host\nNew   1 run on an unknown host\n");
        for (size_t k = 0; k < 7 && cases[i].lines[k]; k++)
            text_printf(&expected, "%s", cases[i].lines[k]);
        text_append(&expected, "\n", 1);
        expect_page(&one[0], &one[1], &none, expected.data, "");
        text_free(&expected);
    }
}

/* Rows are counted once, whichever of their sides is unstable. */
TEST_WITH(test_verdicts_warn_of_doubtful_rows, begin, NULL)
{
    static const char header[] = "Base  1 run on an unknown host\nNew   1 run on an unknown host\n";
    struct pairs all = {.doubles = 1, .degraded = 2};
    char expected[400];

    row_run_init(&other_run);
    (void)snprintf(expected, sizeof(expected), "%s\n", header);
    expect_page(&one[0], &one[1], &all, expected,
                "\n"
                "Warning: 1 row occurs twice and is counted once\n"
                "Warning: 2 degraded, skipped or failed rows are left out of their side\n");
    for (size_t i = 0; i < 4; i++)
        (void)add_row(i < 2 ? &nothing : &higher, TEST_WORDS("t", "lower"));
    rows[0][0].status = rows[0][1].status = rows[3][1].status = ROW_UNSTABLE;
    rows[2][0].status = ROW_DEGRADED;
    compared_rows[1].drift_pct = 2.5;
    compared_rows[3].drift_pct = 1.25;
    all = (struct pairs){.doubles = 2, .degraded = 1};
    (void)snprintf(expected, sizeof(expected),
                   "%sTested: the means of the runs\n" APART
                   "Least change: the smallest that 80 %% of such comparisons would find\n\n",
                   header);
    expect_page(&one[0], &one[1], &all, expected,
                "\n"
                "Warning: 2 rows are not decided: one value does not show their spread\n"
                "Warning: 2 rows are unstable: their samples spread by more than --max-rsd (5 % by default)\n"
                "Warning: the machine drifted during a run, by up to 2.5 %, in 2 rows\n"
                "Warning: 2 rows occur twice and are counted once\n"
                "Warning: 1 degraded, skipped or failed row is left out of its side\n");
    static const char *const single[] = {
        "Warning: 1 row is not decided: one value does not show its spread\n",
        "Warning: 1 row is unstable: its samples spread by more than --max-rsd (5 % by default)\n",
        "Warning: the machine drifted during a run, by up to 0.5 %, in 1 row\n"};
    all = (struct pairs){.n = 0};
    for (size_t i = 0; i < 3; i++) {
        (void)begin(state);
        (void)add_row(i ? &higher : &nothing, TEST_WORDS("t", "lower"));
        rows[0][0].status = i == 1 ? ROW_UNSTABLE : ROW_OK;
        compared_rows[0].drift_pct = i == 2 ? 0.5 : 0;
        (void)snprintf(expected, sizeof(expected), "%s%s\n", header,
                       i ? "Tested: the means of the runs\n" APART
                           "Least change: the smallest that 80 % of such comparisons would find\n"
                         : "");
        char line[200];
        (void)snprintf(line, sizeof(line), "\n%s", single[i]);
        expect_page(&one[0], &one[1], &all, expected, line);
    }
}
