/* SPDX-License-Identifier: MIT */
/* jitbench unix: which tests run with which words of a command line, and their indices. */
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
        assert_int_equal(suite_unix.select(&s->m, operand), 0);
    }
    suite_make_plan(s, &suite_unix);
    if (s->failed)
        fail_msg("%s", said.text);
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

TEST(test_unix_plan_of_groups)
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

/* On one CPU there are no pairs; each choice has a row of its own, which says why it is skipped. */
TEST(test_unix_plan_of_pairs)
{
    struct suite_plan *s =
        suite_options(&suite_unix, WORDS(W("--pairs"), W("near,far,halves"), W("--dir"), W("/tmp")), 1, BIND_ONE);
    struct text out = {0};

    memset(s->m.selected, 0, sizeof(s->m.selected));
    s->m.operands_given = true;
    assert_int_equal(suite_unix.select(&s->m, "process"), 0);
    suite_make_plan(s, &suite_unix);
    assert_int_equal(s->failed, 0);
    for (size_t i = 0; i < s->plan.n; i++) {
        const struct plan_item *item = &s->plan.items[i];
        const struct unix_params *params = item->params;
        assert_string_equal(params->dir, "/tmp");
        assert_false(params->classic || item->sampling.classic);
        if (item->bench == &bench_context1)
            text_printf(&out, "%s: %d %s, %zu pairs: %s\n", item->test, params->halves,
                        params->pairs_name ? params->pairs_name : "-", params->pairs.n, item->skip ? item->skip : "-");
        else
            assert_true(params->halves == HALVES_FREE && !params->pairs_name && !item->skip && !params->pairs.n);
    }
    char expected[600];
    (void)snprintf(expected, sizeof(expected),
                   "context1: %d -, 0 pairs: -\n"
                   "context1-same: %d -, 0 pairs: -\n"
                   "context1-two: %d near, 0 pairs: there is only one CPU to measure on\n"
                   "context1-two: %d far, 0 pairs: no two of the CPUs are known to be in different packages or NUMA "
                   "nodes\n"
                   "context1-two: %d halves, 0 pairs: there is only one CPU to measure on\n",
                   HALVES_FREE, HALVES_SAME, HALVES_TWO, HALVES_TWO, HALVES_TWO);
    expect_golden(&out, expected);
    suite_plan_free(s, &suite_unix);
}

TEST(test_unix_plan_of_copies)
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

/* --- Indices. --- */

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

/* A sample lasts at least 40 ms for each copy of a CPU; in the classic protocol short tests have a third of the passes.
 */
static void expect_sampling(char *const *words, const char *operand, uint64_t time_ns, uint64_t samples,
                            uint64_t pause_ns)
{
    struct suite_plan *s = suite_options(&suite_unix, words, 2, BIND_ONE);

    memset(s->m.selected, 0, sizeof(s->m.selected));
    s->m.operands_given = true;
    assert_int_equal(suite_unix.select(&s->m, operand), 0);
    suite_make_plan(s, &suite_unix);
    assert_int_equal(s->failed, 0);
    const struct sampling *sampling = &s->plan.items[s->plan.n - 1].sampling;
    if (sampling->time_ns != time_ns || sampling->min_samples != samples || sampling->pause_ns != pause_ns)
        fail_msg("%s: %llu ns, %llu samples, pause %llu ns", operand, (unsigned long long)sampling->time_ns,
                 (unsigned long long)sampling->min_samples, (unsigned long long)sampling->pause_ns);
    suite_plan_free(s, &suite_unix);
}

TEST(test_unix_plan_sampling)
{
    expect_sampling(WORDS(W("-c"), W("200"), W("--time"), W("50ms")), "pipe", 50000000, 10, 0);
    expect_sampling(WORDS(W("-c"), W("201")), "pipe", 101 * 40000000ull, 10, 0);
    expect_sampling(WORDS(W("--classic"), W("--samples"), W("7")), "pipe", 10000000000, 7, 3000000000);
    expect_sampling(WORDS(W("--classic"), W("--samples"), W("7")), "execl", 30000000000, 2, 3000000000);
    expect_sampling(WORDS(W("--classic"), W("--samples"), W("4")), "execl", 30000000000, 1, 3000000000);
}

/* 200 and 800 have the geometric mean 400. With the core free the one that is bound to it is half as fast again, 300;
 * the file test has no such rate, and counts as it is. */
TEST_WITH(test_unix_index_is_the_geometric_mean, begin, NULL)
{
    const struct table_rows *all = &(const struct table_rows){.rows = rows};
    struct table_rows some = *all;
    uint64_t counts[OPTION_COUNTS_MAX];

    assert_true(isnan(unix_index_of(&some, 1).all));
    assert_int_equal(unix_index_of(&some, 1).tests, 0);
    (void)add_row("pipe", 1, "rate", 1000, 200);
    (void)add_row("fcopy1024", 1, "rate", 5000, 800);
    (void)add_row("hanoi", 1, "rate", 7, (double)NAN);
    (void)add_row("pipe", 4, "rate", 3000, 600);
    some.n = n_rows;
    assert_true(fabs(unix_index_of(&some, 1).all - 400) < 1e-9);
    assert_int_equal(unix_index_of(&some, 1).tests, 2);
    assert_true(fabs(unix_index_of(&some, 4).all - 600) < 1e-9);
    assert_int_equal(unix_index_of(&some, 4).tests, 1);
    assert_true(isnan(unix_index_of(&some, 2).all));
    assert_true(isnan(unix_index_of(&some, 1).alone)); /* the rate with the core free is not known */
    (void)add_row("pipe", 1, "rate_alone", 1500, (double)NAN);
    some.n = n_rows;
    assert_true(fabs(unix_index_of(&some, 1).alone - sqrt(300.0 * 800)) < 1e-9);
    assert_true(isnan(unix_index_of(&some, 4).alone));
    assert_int_equal(unix_copy_counts(&some, counts), 2);
    assert_true(counts[0] == 1 && counts[1] == 4);
}

/* A session with these rows and without a CSV. */
static struct measure *session_of_rows(enum option_preset preset)
{
    static struct measure m;
    struct error message, error;

    memset(&m, 0, sizeof(m));
    m.preset = preset;
    text_copy(m.run.host, sizeof(m.run.host), "n1");
    text_copy(m.run.run_id, sizeof(m.run.run_id), "0123456789abcdef");
    m.csv = csv_open(&(const struct csv_target){.none = 1}, &message, &error);
    assert_non_null(m.csv);
    for (size_t i = 0; i < n_rows; i++)
        measure_put_row(&m, &rows[i]);
    return &m;
}

static void end_session(struct measure *m)
{
    for (size_t i = 0; i < m->n_rows; i++)
        row_free(&m->rows[i]);
    free(m->rows);
    assert_int_equal(csv_close(m->csv), 0);
}

static void expect_conclusion(enum option_preset preset, const char *expected)
{
    struct measure *m = session_of_rows(preset);
    struct text out = {0};

    suite_unix.conclude(m);
    for (size_t i = n_rows; i < m->n_rows; i++) {
        const struct row *row = &m->rows[i];
        text_printf(&out, "%s %s %llu: %.1f, %s\n", row->test, row->metric, (unsigned long long)row->copies, row->value,
                    row->param.text);
        assert_string_equal(row->suite, "unix");
        assert_string_equal(row->unit, "ratio");
        assert_string_equal(row->better, "higher");
        assert_string_equal(row->cpus, "");
        assert_ptr_equal(row->run, &m->run);
        assert_int_equal(row->number, i);
        assert_int_equal(row->item, 0);
    }
    expect_golden(&out, expected);
    end_session(m);
}

/* Geometric means: of 200 and 800, 400; of 600 and 2400, 1200, which is three times that; of two copies there is one
 * test, which is no measure of scaling; of eight no index is known. */
TEST_WITH(test_unix_index_of_each_number_of_copies, begin, NULL)
{
    (void)add_row("pipe", 1, "rate", 1000, 200);
    (void)add_row("fcopy1024", 1, "rate", 5000, 800);
    (void)add_row("pipe", 1, "rate_alone", 1500, (double)NAN);
    (void)add_row("pipe", 4, "rate", 3000, 600);
    (void)add_row("fcopy1024", 4, "rate", 15000, 2400);
    (void)add_row("pipe", 2, "rate", 1500, 300);
    (void)add_row("hanoi", 8, "rate", 7, (double)NAN);
    expect_conclusion(PRESET_DEFAULT,
                      "index index 1: 400.0, protocol=stable context1=same footprint=bare tests=2 of=12\n"
                      "index index_alone 1: 489.9, protocol=stable context1=same footprint=bare tests=2 of=12\n"
                      "index index 4: 1200.0, protocol=stable context1=same footprint=bare tests=2 of=12\n"
                      "index scaling 4: 3.0, protocol=stable context1=same footprint=bare over=1\n"
                      "index index 2: 300.0, protocol=stable context1=same footprint=bare tests=1 of=12\n");
    n_rows = 1;
    expect_conclusion(PRESET_CLASSIC,
                      "index index 1: 200.0, protocol=classic context1=free footprint=dynamic tests=1 of=12\n");
    n_rows = 0;
    expect_conclusion(PRESET_DEFAULT, "");
}
