/* SPDX-License-Identifier: MIT */
/* jitbench unix: which tests run with which words of a command line, their indices, and its tables of made-up rows. */
#include "suite_fixture.h"

#include "cmd/unix.h"
#include "golden_fixture.h"
#include "row_fixture.h"

#define W(text) ((char *)(text))

/* --- The plan. --- */

/* A line for each number of copies: "test", with "-" when it is not in the index. */
static void expect_plan(char *const *words, const char *operand, unsigned cpus, const char *expected)
{
    struct suite_plan *s = suite_options(&suite_unix, words, cpus, BIND_ONE);
    struct text out = {0};

    if (operand) {
        memset(s->m.selected, 0, sizeof(s->m.selected));
        s->m.operands_given = true;
        assert_int_equal(unix_select(&s->m, operand), 0);
    }
    suite_make_plan(s, &suite_unix);
    if (s->failed)
        fail_msg("%s", s->error);
    for (size_t i = 0; i < s->plan.n; i++) {
        const struct plan_item *item = &s->plan.items[i];
        if (!i || item->copies != item[-1].copies)
            text_printf(&out, "%s%u copies, phase %u:", i ? "\n" : "", item->copies, item->phase);
        text_printf(&out, " %s%s", item->no_index ? "-" : "", item->test);
        assert_int_equal(item->calibrated_by, -1);
    }
    expect_golden(&out, expected);
    suite_plan_free(s, &suite_unix);
}

static void test_unix_plan_of_groups(void **state)
{
    static const char *const groups[][2] = {
        {"index", "1 copies, phase 0: dhry2reg whetstone execl fcopy1024 fcopy256 fcopy4096 pipe context1-same spawn "
                  "shell1 shell8 syscall"},
        {"cpu", "1 copies, phase 0: dhry2reg whetstone -hanoi"},
        {"file", "1 copies, phase 0: fcopy1024 fcopy256 fcopy4096 -fwrite1024 -fwrite256 -fwrite4096 -fread1024 "
                 "-fread256 -fread4096"},
        {"process", "1 copies, phase 0: execl pipe -context1 context1-same -context1-two spawn syscall -sysexec "
                    "-sysclose -sysgetpid"},
        {"arith", "1 copies, phase 0: -short -int -long -float -double -arithoh"},
        {"shell", "1 copies, phase 0: shell1 shell8 -shell16"},
        {"misc", "1 copies, phase 0: -hanoi -sysexec -sysclose -sysgetpid"},
        {"oldsystem", "1 copies, phase 0: execl fcopy1024 fcopy256 fcopy4096 pipe context1-same spawn syscall"},
        {"fsdisk", "1 copies, phase 0: fcopy4096"},
    };

    for (size_t i = 0; i < COUNT(groups); i++)
        expect_plan(WORDS(NULL), groups[i][0], 1, groups[i][1]);
}

static void test_unix_plan_of_copies(void **state)
{
    expect_plan(WORDS(NULL), NULL, 4,
                "1 copies, phase 0: dhry2reg whetstone execl fcopy1024 fcopy256 fcopy4096 pipe -context1 context1-same "
                "-context1-two spawn shell1 shell8 syscall\n"
                "4 copies, phase 1: dhry2reg whetstone execl fcopy1024 fcopy256 fcopy4096 pipe -context1 context1-same "
                "-context1-two spawn shell1 shell8 syscall");
    expect_plan(WORDS(W("--quick")), "pipe", 4, "1 copies, phase 0: pipe");
    expect_plan(WORDS(W("--classic")), "index", 1,
                "1 copies, phase 0: dhry2reg whetstone execl fcopy1024 fcopy256 fcopy4096 pipe context1 spawn shell1 "
                "shell8 syscall");
    expect_plan(WORDS(W("-c"), W("3,2")), "pipe", 4,
                "3 copies, phase 0: pipe\n"
                "2 copies, phase 1: pipe");
    expect_plan(WORDS(W("--all-tests")), NULL, 1,
                "1 copies, phase 0: dhry2reg whetstone execl fcopy1024 fcopy256 fcopy4096 pipe -context1 context1-same "
                "-context1-two spawn shell1 shell8 syscall "
                "-fwrite1024 -fwrite256 -fwrite4096 -fread1024 -fread256 -fread4096 -short -int -long -float -double "
                "-arithoh -hanoi -sysexec -shell16 -sysclose -sysgetpid");
}

static void test_unix_plan_needs_the_test_that_pairs_place(void **state)
{
    struct suite_plan *s = suite_options(&suite_unix, WORDS(W("--pairs"), W("near")), 2, BIND_ONE);

    memset(s->m.selected, 0, sizeof(s->m.selected));
    s->m.operands_given = true;
    assert_int_equal(unix_select(&s->m, "pipe"), 0);
    assert_int_equal(unix_select(&s->m, "pip"), -1);
    suite_make_plan(s, &suite_unix);
    assert_int_equal(s->failed, -1);
    assert_string_equal(s->error, "--pairs places context1-two, which is not among the tests: name it");
    suite_plan_free(s, &suite_unix);
}

/* A sample lasts at least 40 ms for each copy of a CPU; in the classic protocol short tests have a third of the passes.
 */
static void expect_sampling(char *const *words, const char *operand, uint64_t time_ns, uint64_t samples,
                            uint64_t pause_ns)
{
    struct suite_plan *s = suite_options(&suite_unix, words, 2, BIND_ONE);

    memset(s->m.selected, 0, sizeof(s->m.selected));
    s->m.operands_given = true;
    assert_int_equal(unix_select(&s->m, operand), 0);
    suite_make_plan(s, &suite_unix);
    assert_int_equal(s->failed, 0);
    const struct sampling *sampling = &s->plan.items[s->plan.n - 1].sampling;
    if (sampling->time_ns != time_ns || sampling->min_samples != samples || sampling->pause_ns != pause_ns)
        fail_msg("%s: %llu ns, %llu samples, pause %llu ns", operand, (unsigned long long)sampling->time_ns,
                 (unsigned long long)sampling->min_samples, (unsigned long long)sampling->pause_ns);
    suite_plan_free(s, &suite_unix);
}

static void test_unix_plan_sampling(void **state)
{
    expect_sampling(WORDS(W("-c"), W("200"), W("--time"), W("50ms")), "pipe", 50000000, 10, 0);
    expect_sampling(WORDS(W("-c"), W("201")), "pipe", 101 * 40000000ull, 10, 0);
    expect_sampling(WORDS(W("--classic"), W("--samples"), W("7")), "pipe", 10000000000, 7, 3000000000);
    expect_sampling(WORDS(W("--classic"), W("--samples"), W("7")), "execl", 30000000000, 2, 3000000000);
    expect_sampling(WORDS(W("--classic"), W("--samples"), W("4")), "execl", 30000000000, 1, 3000000000);
}

/* --- Indices and tables. --- */

enum { ROWS_MAX = 16 };
static struct row_run run;
static struct row rows[ROWS_MAX];
static size_t n_rows;

static struct row *add_row(const char *test, uint64_t copies, const char *metric, double value, double index)
{
    struct row *row = &rows[n_rows++];

    assert_true(n_rows <= ROWS_MAX);
    *row = ROW(&run, value, .suite = "unix", .test = test, .metric = metric, .unit = "lps");
    row->copies = copies;
    row->index = index;
    row->stats.rsd_pct = index / 100;
    return row;
}

static int begin(void **state)
{
    n_rows = 0;
    row_run_init(&run);
    return 0;
}

/* 200 and 800 have the geometric mean 400. With the core free the one that is bound to it is half as fast again, 300;
 * the file test has no such rate, and counts as it is. */
static void test_unix_index_is_the_geometric_mean(void **state)
{
    const struct table_rows *all = &(const struct table_rows){.rows = rows};
    struct table_rows some = *all;
    uint64_t counts[OPTION_COUNTS_MAX];
    size_t n = 9;

    assert_true(isnan(unix_system_index(&some, 1, &n)));
    assert_int_equal(n, 0);
    (void)add_row("pipe", 1, "rate", 1000, 200);
    (void)add_row("fcopy1024", 1, "rate", 5000, 800);
    (void)add_row("hanoi", 1, "rate", 7, (double)NAN);
    (void)add_row("pipe", 4, "rate", 3000, 600);
    some.n = n_rows;
    assert_true(fabs(unix_system_index(&some, 1, &n) - 400) < 1e-9);
    assert_int_equal(n, 2);
    assert_true(fabs(unix_system_index(&some, 4, &n) - 600) < 1e-9);
    assert_int_equal(n, 1);
    assert_true(isnan(unix_system_index(&some, 2, &n)));
    assert_true(isnan(unix_alone_index(&some, 1))); /* the rate with the core free is not known */
    (void)add_row("pipe", 1, "rate_alone", 1500, (double)NAN);
    some.n = n_rows;
    assert_true(fabs(unix_alone_index(&some, 1) - sqrt(300.0 * 800)) < 1e-9);
    assert_true(isnan(unix_alone_index(&some, 4)));
    assert_int_equal(unix_copy_counts(&some, counts), 2);
    assert_true(counts[0] == 1 && counts[1] == 4);
}

static void test_unix_tables(void **state)
{
    struct table_rows all = {.rows = rows, .alone = true, .width = 100, .table_width = 0};
    static double samples[] = {990.04, 1010};
    struct text out = {0};

    struct row *row = add_row("pipe", 1, "rate", 1000.04, 200.04);
    row->n_samples = 2;
    row->samples = samples;
    text_copy(row->core_share, sizeof(row->core_share), "0.755");
    (void)add_row("pipe", 1, "rate_alone", 1500, (double)NAN);
    row = add_row("hanoi", 1, "rate", 7.06, (double)NAN);
    row->status = ROW_UNSTABLE;
    text_copy(row->reason, sizeof(row->reason), "it varies");
    row = add_row("fcopy1024", 1, "rate", 5000, 800);
    text_copy(row->scratch_fs, sizeof(row->scratch_fs), "tmpfs");
    (void)add_row("pipe", 4, "rate", 3000, 600);
    (void)add_row("index", 4, "scaling", 2.345, (double)NAN);
    all.n = n_rows;
    suite_unix.print(&all, &out);
    expect_golden(&out, "1 parallel copy of tests, stable protocol\n"
                        "\n"
                        "System Benchmarks Partial Index                BASELINE         RESULT           INDEX  RSD % "
                        " Core %        Alone\n"
                        "Pipe Throughput                                 12440.0         1000.0  lps      200.0    2.0 "
                        "     76       1500.0\n"
                        "Recursion Test -- Tower of Hanoi                      -            7.1  lps          -      - "
                        "      -            -  unstable\n"
                        "File Copy 1024 bufsize 2000 maxblocks            3960.0         5000.0  lps      800.0    8.0 "
                        "      -            -            tmpfs\n"
                        "                                                                              ========\n"
                        "System Benchmarks Index Score (Partial Only)           stable protocol           400.0\n"
                        "                                                    with the core free           489.9\n"
                        "\n"
                        "4 parallel copies of tests, stable protocol\n"
                        "\n"
                        "System Benchmarks Partial Index                BASELINE         RESULT           INDEX  RSD % "
                        " Core %        Alone\n"
                        "Pipe Throughput                                 12440.0         3000.0  lps      600.0    6.0 "
                        "      -            -\n"
                        "                                                                              ========\n"
                        "System Benchmarks Index Score (Partial Only)           stable protocol           600.0\n"
                        "\n"
                        "Scaling: the index of 4 copies is 2.35 times that of 1 (stable protocol)\n"
                        "unstable: it varies (hanoi)\n"
                        "tmpfs is not a disk: its files are in memory (fcopy1024); --dir names another directory\n");
    all.verbose = true;
    for (size_t i = 0; i < n_rows; i++)
        set_params(&rows[i], "protocol=classic");
    all.n = 2;
    suite_unix.print(&all, &out);
    expect_golden(&out, "1 parallel copy of tests, classic protocol\n"
                        "\n"
                        "System Benchmarks Partial Index                BASELINE         RESULT           INDEX  RSD % "
                        " Core %        Alone\n"
                        "Pipe Throughput                                 12440.0         1000.0  lps      200.0    2.0 "
                        "     76       1500.0\n"
                        "    pass 1                                                       990.0  lps\n"
                        "    pass 2                                                      1010.0  lps\n"
                        "                                                                              ========\n"
                        "System Benchmarks Index Score (Partial Only)          classic protocol           200.0\n"
                        "                                                    with the core free           300.0\n"
                        "\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unix_plan_of_groups),
        cmocka_unit_test(test_unix_plan_of_copies),
        cmocka_unit_test(test_unix_plan_needs_the_test_that_pairs_place),
        cmocka_unit_test(test_unix_plan_sampling),
        cmocka_unit_test_setup(test_unix_index_is_the_geometric_mean, begin),
        cmocka_unit_test_setup(test_unix_tables, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
