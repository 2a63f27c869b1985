/* SPDX-License-Identifier: MIT */
/* Pairs of rows: which rows are compared, why a comparison is refused, and what counts as a value. */

#include "analysis/compare.h"
#include "memory_fixture.h"
#include "row_fixture.h"

#define ROWS_MAX    64
#define RUNS_MAX    16
#define BIT(across) (UINT64_C(1) << (across))

/* One side: its runs, and rows that the test fills in. */
struct made_side {
    struct row_run run[RUNS_MAX], *runs[RUNS_MAX];
    struct row rows[ROWS_MAX];
    struct row_set set;
};
static struct made_side base, changed;
static struct pairs pairs;

static struct row *add_row(struct made_side *side, const char *param, double level)
{
    static const double around[] = {-0.02, 0.01, 0, 0.02, -0.01};
    struct row *row = &side->rows[side->set.n];

    assert_true(side->set.n < ROWS_MAX && side->set.n_runs > 0);
    *row = ROW(side->runs[side->set.n_runs - 1], NAN, .suite = "suite", .test = "test", .param = param,
               .metric = "metric", .unit = "ns", .better = "lower", .policy = "other", .cpus = "1", .bind = "one");
    row->samples = malloc(sizeof(around));
    assert_non_null(row->samples);
    for (size_t i = 0; i < 5; i++)
        row->samples[row->n_samples++] = level * (1 + around[i]);
    row->number = side->set.n++;
    return row;
}

static void add_run(struct made_side *side, const char *id, const char *host)
{
    struct row_run *run = &side->run[side->set.n_runs];

    assert_true(side->set.n_runs < RUNS_MAX);
    text_copy(run->run_id, sizeof(run->run_id), id);
    text_copy(run->host, sizeof(run->host), host);
    text_copy(run->build, sizeof(run->build), "build 1");
    text_copy(run->cpu_model, sizeof(run->cpu_model), "CPU 1");
    side->runs[side->set.n_runs++] = run;
}

static void begin_side(struct made_side *side, const char *id)
{
    memset(side, 0, sizeof(*side));
    side->set.rows = side->rows;
    side->set.runs = side->runs;
    add_run(side, id, "here");
}

static int begin(void **state)
{
    begin_side(&base, "1");
    begin_side(&changed, "2");
    memset(&pairs, 0, sizeof(pairs));
    return 0;
}

static int end(void **state)
{
    pairs_free(&pairs);
    for (size_t i = 0; i < base.set.n; i++)
        row_free(&base.rows[i]);
    for (size_t i = 0; i < changed.set.n; i++)
        row_free(&changed.rows[i]);
    return 0;
}

static void make(uint64_t across)
{
    pairs_free(&pairs);
    pairs_make(&base.set, &changed.set, across, false, &pairs);
}

static void expect_why(const char *why)
{
    make(0);
    assert_int_equal(pairs.n, 1);
    assert_string_equal(pairs.pair[0].why, why);
}

/* --- The same measurement. --- */

/* Several rows of a run have to be of different CPUs; those of different sides do not tell, even if of the same run. */
TEST_WITH(test_pairs_by_cpus_of_one_run_and_side_only, begin, end)
{
    for (int same_run = 0; same_run < 2; same_run++) {
        (void)begin(state);
        text_copy(changed.run[0].run_id, 8, same_run ? "1" : "2");
        for (int i = 0; i < 4; i++)
            text_copy(add_row(i / 2 ? &changed : &base, "a=1", 1 + i)->cpus, 8, i / 2 ? "0" : "1");
        make(0);
        assert_int_equal(pairs.n, 1);
        assert_false(pairs.pair[0].by_cpus);
        assert_int_equal(pairs.pair[0].side[0].n, 2);
        assert_int_equal(pairs.pair[0].side[1].n, 2);
        (void)end(state);
    }
    (void)begin(state);
}

TEST_WITH(test_pairs_left_over_are_joined_when_there_is_one_a_side, begin, end)
{
    add_row(&base, "limit=22 clock=rdtscp", 1);
    add_row(&base, "limit=46 clock=rdtscp", 1);
    add_row(&changed, "limit=22 clock=rdtscp", 1);
    add_row(&changed, "limit=46 clock=clock_gettime", 1);
    make(0);
    assert_int_equal(pairs.n, 2);
    assert_string_equal(pairs.pair[1].why, "other work: clock=rdtscp against clock=clock_gettime");
    add_row(&changed, "limit=99 clock=clock_gettime", 1); /* now it could be either */
    make(0);
    assert_int_equal(pairs.n, 4);
    /* The same under a load, after these four. */
    text_copy(add_row(&base, "w=1", 1)->load, 8, "burn");
    text_copy(add_row(&changed, "w=2", 1)->load, 8, "burn");
    make(0);
    assert_int_equal(pairs.n, 5);
    assert_string_equal(pairs.pair[4].why, "other work: w=1 against w=2");
}

/* --- What differs in kind. --- */

/* Each property, in the order in which they are named; of several differences the first is named. */
TEST_WITH(test_pairs_each_property_is_compared, begin, end)
{
    static const struct {
        bool in_run;
        size_t offset;
        const char *why;
        int across;
    } of[] = {
        {false, offsetof(struct row, unit), "other unit: 7 against 8", -1},
        {false, offsetof(struct row, better), "other direction: 7 against 8", -1},
        {true, offsetof(struct row_run, arch), "other architecture: 7 against 8", ACROSS_BUILD},
        {true, offsetof(struct row_run, build), "other build of jitbench: 7 against 8", ACROSS_BUILD},
        {true, offsetof(struct row_run, cpu_model), "other CPU model: 7 against 8", ACROSS_CPU},
        {false, offsetof(struct row, policy), "other scheduling policy: 7 against 8", ACROSS_POLICY},
        {false, offsetof(struct row, bind), "other placement: 1 CPU, bind 7 against 1 CPU, bind 8", ACROSS_CPUS},
        {false, offsetof(struct row, layout), "other memory layout: 7 against 8", ACROSS_LAYOUT},
        {false, offsetof(struct row, scratch_fs), "other file system: 7 against 8", ACROSS_FS},
    };
    char *before = NULL, *after = NULL;

    (void)add_row(&base, "a=1", 1);
    (void)add_row(&changed, "a=1", 2);
    for (size_t i = sizeof(of) / sizeof(of[0]); i-- > 0;) {
        /* The fields after this one in the table differ already. */
        before = (of[i].in_run ? (char *)&base.run[0] : (char *)&base.rows[0]) + of[i].offset;
        after = (of[i].in_run ? (char *)&changed.run[0] : (char *)&changed.rows[0]) + of[i].offset;
        text_copy(before, 2, "7");
        text_copy(after, 2, "8");
        make(0);
        assert_string_equal(pairs.pair[0].why, of[i].why);
        assert_int_equal(pairs.pair[0].reason, of[i].across);
        make(of[i].across < 0 ? ~UINT64_C(0) : ~UINT64_C(0) & ~BIT(of[i].across));
        if (of[i].across >= 0)
            assert_string_equal(pairs.pair[0].why, of[i].why);
    }
}

/* Whichever row of a side differs from the first one of the base, and of several the first. */
TEST_WITH(test_pairs_look_at_all_rows_of_both_sides, begin, end)
{
    for (size_t odd = 1; odd < 6; odd++) {
        (void)begin(state);
        for (size_t i = 0; i < 6; i++) {
            struct made_side *side = i < 3 ? &base : &changed;
            char id[8];
            (void)snprintf(id, sizeof(id), "id%zu", i);
            if (i % 3)
                add_run(side, id, "here");
            struct row *row = add_row(side, "a=1", (double)i + 1);
            (void)snprintf(row->layout, sizeof(row->layout), "%s%zu", i < odd ? "same" : "other", i < odd ? 0 : i);
        }
        char why[64];
        (void)snprintf(why, sizeof(why), "other memory layout: same0 against other%zu", odd);
        expect_why(why);
        assert_int_equal(pairs.pair[0].reason, ACROSS_LAYOUT);
        assert_ptr_equal(pairs.pair[0].about, &changed.rows[0]);
        assert_int_equal(pairs.pair[0].side[0].n, 3);
        assert_int_equal(pairs.pair[0].side[1].n, 3);
        make(BIT(ACROSS_LAYOUT));
        assert_string_equal(pairs.pair[0].why, "");
        (void)end(state);
    }
    (void)begin(state);
}

static int make_both(void)
{
    memory_exits("compare");
    pairs_make(&base.set, &changed.set, BIT(ACROSS_COMMAND), true, &pairs);

    pairs_free(&pairs);
    return 0;
}

static int make_within(void)
{
    memory_exits("compare");
    pairs_make(&base.set, NULL, 0, false, &pairs);

    pairs_free(&pairs);
    return 0;
}

TEST_WITH(test_pairs_without_memory_fail, begin, end)
{
    for (size_t i = 0; i < 3; i++) {
        char word[8];
        (void)snprintf(word, sizeof(word), "a=%zu", i);
        text_copy(add_row(&base, word, 1)->load, 8, i == 2 ? "burn" : "");
        (void)add_row(&changed, word, 2);
    }
    assert_true(memory_needed_or_end(make_both) >= 10);
    assert_true(memory_needed_or_end(make_within) >= 6);
    base.set.n = 0;
    changed.set.n = 0;
    assert_int_equal(make_both(), 0);
    assert_int_equal(make_within(), 0);
    base.set.n = changed.set.n = 3;
}

/* By time, and in the order of the files where that is equal. */
TEST_WITH(test_pairs_have_their_rows_by_time, begin, end)
{
    static const char *const seconds[] = {"05", "01", "04", "01"};
    static const size_t order[] = {1, 3, 2, 0};

    base.set.n_runs = 0;
    for (size_t i = 0; i < 4; i++) {
        add_run(&base, (char[]){(char)('a' + i), '\0'}, "here");
        (void)snprintf(base.run[i].utc, sizeof(base.run[i].utc), "2026-11-21T08:00:%sZ", seconds[i]);
        add_row(&base, "a=1", 1);
    }
    add_row(&changed, "a=1", 1);
    expect_why("");
    assert_int_equal(pairs.pair[0].side[0].n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_ptr_equal(pairs.pair[0].side[0].row[i], &base.rows[order[i]]);
}

/* --- What is compared. --- */

TEST_WITH(test_compared_pools_runs_by_host, begin, end)
{
    struct compared compared;
    char id[8];

    base.set.n_runs = changed.set.n_runs = 0;
    for (unsigned i = 0; i < 6; i++) {
        char host[8];
        (void)snprintf(host, sizeof(host), "host%u", i / 2);
        (void)snprintf(id, sizeof(id), "b%u", i);
        add_run(&base, id, host);
        add_row(&base, "a=1", 100 + i);
        (void)snprintf(id, sizeof(id), "c%u", i);
        add_run(&changed, id, host);
        add_row(&changed, "a=1", 200 + i);
    }
    make(0);
    compared_make(&pairs, NULL, false, 0.01, &compared);
    const struct comparison *c = compared.row[0].of;
    assert_true(compared.row[0].by_hosts);
    assert_int_equal(c->tested, TESTED_RUNS);
    assert_int_equal(c->n_base, 3);
    assert_true(fabs(c->base - 102.5) < 0.1); /* the mean of 102 and 103 is that of the second host */
    assert_int_equal(compared_verdict(c, "lower"), VERDICT_SLOWER);
    assert_int_equal(compared_verdict(c, "higher"), VERDICT_FASTER);
    assert_int_equal(compared_verdict(c, ""), VERDICT_HIGHER);
    compared_free(&compared);
}

/* --- Commands in other paths, and rows of the same files. --- */

/* The first by its position in the run, and where that is equal or not known, in the file. */
TEST_WITH(test_pairs_within_take_the_first_for_the_base, begin, end)
{
    add_row(&base, "command=b", 1);
    text_copy(add_row(&base, "command=a", 2)->test, sizeof(base.rows[1].test), "other");
    add_row(&base, "command=c", 3);
    base.rows[2].copies = base.rows[0].copies + 1;
    pairs_make(&base.set, NULL, 0, false, &pairs);
    assert_int_equal(pairs.n, 1); /* the other number of copies has no base */
    assert_true(pairs.pair[0].within);
    assert_ptr_equal(pairs.pair[0].side[0].row[0], &base.rows[0]);
    assert_ptr_equal(pairs.pair[0].side[1].row[0], &base.rows[1]);
    assert_string_equal(pairs.pair[0].why, "");
    pairs_free(&pairs);

    base.rows[0].item = 2; /* the first on the command line ended last */
    base.rows[1].item = 1;
    pairs_make(&base.set, NULL, 0, false, &pairs);
    assert_int_equal(pairs.n, 1);
    assert_ptr_equal(pairs.pair[0].side[0].row[0], &base.rows[1]);
    assert_ptr_equal(pairs.pair[0].side[1].row[0], &base.rows[0]);
}

/* Loads, copies and CPUs are alternatives of a test, other tests are not; runs of several files are pooled. */
TEST_WITH(test_pairs_within_compare_loads_and_cpus_of_a_test, begin, end)
{
    for (int run = 0; run < 2; run++) {
        if (run)
            add_run(&base, "3", "here");
        add_row(&base, "control=fifo:98", 1);
        text_copy(add_row(&base, "load=other control=fifo:98", 2)->load, sizeof(base.rows[0].load), "burn");
        text_copy(add_row(&base, "", 3)->test, sizeof(base.rows[0].test), "noise");
        struct row *row = add_row(&base, "", 4);
        text_copy(row->test, sizeof(row->test), "noise");
        text_copy(row->cpus, sizeof(row->cpus), "2");
    }
    pairs_make(&base.set, NULL, 0, false, &pairs);
    assert_int_equal(pairs.n, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(pairs.pair[i].why, "");
        assert_int_equal(pairs.pair[i].side[0].n, 2);
        assert_int_equal(pairs.pair[i].side[1].n, 2);
        assert_int_equal(pairs.pair[i].side[1].row[0]->number, pairs.pair[i].side[0].row[0]->number + 1);
    }
}

/* --- Figures with the core free. --- */

static void add_alone(struct made_side *side, const char *param, double level)
{
    text_copy(add_row(side, param, level)->metric, sizeof(side->rows[0].metric), "metric_alone");
}

/* Compares both sides; the caller frees. */
static struct compared compare_all(bool all)
{
    struct compared compared;

    make(0);
    compared_make(&pairs, NULL, all, 0.01, &compared);
    return compared;
}

static size_t count_raw(const struct compared *compared)
{
    size_t n = 0;

    for (size_t i = 0; i < compared->n_rows; i++)
        n += compared->row[i].raw != NULL;
    return n;
}

static void expect_rows(bool all, size_t n, size_t n_alone)
{
    struct compared compared = compare_all(all);

    assert_int_equal(compared.n_rows, n);
    assert_int_equal(count_raw(&compared), n_alone);
    compared_free(&compared);
}

/* A neighbour made it slower by a third, on CPU 1 only; the program did not change. */
TEST_WITH(test_compared_with_the_core_free, begin, end)
{
    for (size_t side = 0; side < 2; side++)
        for (size_t cpu = 0; cpu < 2; cpu++)
            for (size_t alone = 0; alone < 2; alone++) {
                struct row *row = add_row(side ? &changed : &base, "a=1", side && cpu && !alone ? 1.5 : 1);
                row->cpus[0] = (char)('0' + cpu);
                if (alone)
                    text_copy(row->metric, sizeof(row->metric), "metric_alone");
            }
    struct compared compared = compare_all(false);
    assert_int_equal(compared.n_rows, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct compared_row *row = &compared.row[i];
        assert_true(row->judged);
        assert_string_equal(row->pair->about->metric, "metric_alone");
        assert_string_equal(row->raw->about->metric, "metric");
        assert_string_equal(row->raw->about->cpus, row->pair->about->cpus);
        assert_float_equal(row->of->ratio, 1, 1e-9);
        assert_float_equal(row->of_raw.ratio, row->raw->about->cpus[0] == '1' ? 1.5 : 1, 1e-9);
        assert_int_equal(row->of_raw.change, row->raw->about->cpus[0] == '1' ? CHANGE_HIGHER : CHANGE_NONE);
    }
    assert_int_equal(compared.n_means, 1);
    assert_float_equal(compared.row[compared.n_rows].of->ratio, 1, 1e-9);
    compared_free(&compared);
    compared = compare_all(true); /* each row once, those as measured for information only */
    assert_int_equal(compared.n_rows, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(compared.row[i].judged, !strcmp(compared.row[i].pair->about->metric, "metric_alone"));
    compared_free(&compared);
}

/* Runs without such a figure would be left out. */
TEST_WITH(test_compared_with_the_core_free_in_some_runs, begin, end)
{
    for (unsigned i = 0; i < 4; i++) {
        char id[] = {(char)('a' + i), '\0'};
        add_run(&base, id, "here");
        add_row(&base, "a=1", 1);
        if (i != 2)
            add_alone(&base, "a=1", 1);
    }
    add_row(&changed, "a=1", 1);
    add_alone(&changed, "a=1", 1);
    expect_rows(false, 1, 0);
    add_run(&base, "c", "here");
    add_alone(&base, "a=1", 1);
    expect_rows(false, 1, 1);
}
