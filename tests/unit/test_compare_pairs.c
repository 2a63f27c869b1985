/* SPDX-License-Identifier: MIT */
/* Pairs of rows: which rows are compared, why a comparison is refused, and what counts as a value. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare.h"
#include "memory_fixture.h"
#include "row_fixture.h"
#include "rows/text.h"

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

TEST_WITH(test_pairs_ignore_what_a_load_did, begin, end)
{
    add_row(&base, "busy_us=5 loops_per_ms=77 threads=4 load_cpu_s=1.5 load_bursts=3", 1);
    add_row(&changed, "busy_us=5 loops_per_ms=78 threads=4 load_cpu_s=1.25 load_disk_read=9", 1);
    expect_why("");
}

TEST_WITH(test_pairs_keep_the_loads_own_parameters, begin, end)
{
    add_row(&base, "load_interval_us=5", 1);
    add_row(&changed, "load_interval_us=6", 1);
    expect_why("other work: load_interval_us=5 against load_interval_us=6");
}

/* Whatever a user's command line looks like, its words say what ran. */
TEST_WITH(test_pairs_of_commands_whose_words_look_like_ours, begin, end)
{
    for (int i = 0; i < 2; i++) {
        add_row(i ? &changed : &base, "command=./sim load=5", 1);
        add_row(i ? &changed : &base, "command=./sim load=10", 2);
        add_row(i ? &changed : &base, "command=./sim load_read=1", 3);
        add_row(i ? &changed : &base, "command=./sim load_read=2", 4);
    }
    make(0);
    assert_int_equal(pairs.n, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(pairs.pair[i].why, "");
        assert_int_equal(pairs.pair[i].side[0].n, 1);
    }
}

TEST_WITH(test_pairs_of_commands_with_words_in_another_order, begin, end)
{
    add_row(&base, "command=copy a b", 1);
    add_row(&changed, "command=copy b a", 1);
    expect_why("other work: the same words in another order or number");
    assert_int_equal(pairs.pair[0].reason, ACROSS_COMMAND);
}

TEST_WITH(test_pairs_of_prepared_commands_with_words_in_another_order, begin, end)
{
    add_row(&base, "prepare=sync command=copy a b", 1);
    add_row(&changed, "prepare=sync command=copy b a", 1);
    expect_why("other work: the same words in another order or number");
}

TEST_WITH(test_pairs_of_other_loads_metrics_and_copies_stand_alone, begin, end)
{
    add_row(&base, "a=1", 1)->copies = 2;
    add_row(&changed, "a=1", 1)->copies = 4;
    text_copy(add_row(&changed, "a=1", 1)->load, 8, "burn");
    text_copy(add_row(&changed, "a=1", 1)->metric, 8, "other");
    make(0);
    assert_int_equal(pairs.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(pairs.pair[i].why, pairs.pair[i].side[0].n ? "only in BASE" : "only in NEW");
}

TEST_WITH(test_pairs_by_cpus_where_a_run_has_several, begin, end)
{
    for (int i = 0; i < 2; i++) {
        text_copy(add_row(i ? &changed : &base, "a=1", 1)->cpus, 8, "0");
        text_copy(add_row(i ? &changed : &base, "a=1", 1)->cpus, 8, "1");
    }
    make(0);
    assert_int_equal(pairs.n, 2);
    assert_true(pairs.pair[0].by_cpus && pairs.pair[1].by_cpus);
    assert_string_equal(pairs.pair[0].why, "");
    assert_string_equal(pairs.pair[1].side[1].row[0]->cpus, "1");
}

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

/* One row a run: which CPU it was does not matter, how many do. */
TEST_WITH(test_pairs_of_another_cpu_are_the_same, begin, end)
{
    text_copy(add_row(&base, "a=1", 1)->cpus, 8, "2");
    struct row *row = add_row(&changed, "a=1", 1);
    text_copy(row->cpus, 8, "3");
    expect_why("");
    text_copy(row->cpus, 8, "2-3");
    expect_why("other placement: 1 CPU, bind one against 2 CPUs, bind one");
    make(BIT(ACROSS_CPUS));
    assert_string_equal(pairs.pair[0].why, "");
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

/* An index of another protocol is refused by its name, even where other words agree; an older program's by its words.
 */
TEST_WITH(test_pairs_of_two_indices_are_refused, begin, end)
{
    struct row *row = add_row(&base, "protocol=stable tests=1 of=12", 1);
    add_row(&changed, "protocol=classic tests=1 of=12", 1);
    expect_why("another index: stable protocol against classic protocol");
    make(~UINT64_C(0));
    assert_string_equal(pairs.pair[0].why, "another index: stable protocol against classic protocol");
    set_params(row, "protocol=classic footprint=dynamic tests=1 of=12");
    expect_why("other work: footprint=dynamic against without");
}

TEST_WITH(test_pairs_across_a_build_with_what_follows_from_it, begin, end)
{
    add_row(&base, "flags=-O2 linkage=static libc=glibc resident=1", 1);
    add_row(&changed, "flags=-O3 linkage=static libc=musl resident=2", 1);
    text_copy(changed.run[0].build, 16, "build 2");
    expect_why("other work: flags=-O2 libc=glibc resident=1 against flags=-O3 libc=musl resident=2");
    make(BIT(ACROSS_BUILD));
    assert_string_equal(pairs.pair[0].why, "");
}

/* --- What differs in kind. --- */

TEST_WITH(test_pairs_name_what_differs, begin, end)
{
    add_row(&base, "a=1 timer=fifo:96 load=other", 1);
    struct row *row = add_row(&changed, "a=1 timer=fifo:96 load=other:5", 1);
    expect_why("other policy or CPUs of what ran beside it: timer=fifo:96 load=other against timer=fifo:96 "
               "load=other:5");
    make(BIT(ACROSS_BESIDE));
    assert_string_equal(pairs.pair[0].why, "");
    set_params(row, base.rows[0].param.text);
    text_copy(row->scratch_fs, 8, "tmpfs");
    expect_why(""); /* not known in the other: a file of an earlier version */
    text_copy(base.rows[0].scratch_fs, 8, "ext4");
    expect_why("other file system: ext4 against tmpfs");
    text_copy(row->unit, 8, "ms");
    expect_why("other unit: ns against ms");
    make(~UINT64_C(0));
    assert_string_equal(pairs.pair[0].why, "other unit: ns against ms");
}

TEST_WITH(test_pairs_within_a_side_must_be_of_a_kind_too, begin, end)
{
    add_row(&base, "a=1", 1);
    add_run(&base, "3", "here");
    text_copy(add_row(&base, "a=1", 1)->layout, 8, "fixed");
    text_copy(base.rows[0].layout, 8, "random");
    add_row(&changed, "a=1", 1);
    expect_why("other memory layout: random against fixed");
}

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

/* A value that one side does not know is no difference, except for the direction. */
TEST_WITH(test_pairs_ignore_what_is_not_known, begin, end)
{
    static const struct {
        bool in_run;
        size_t offset;
        const char *why;
    } of[] = {{false, offsetof(struct row, unit), ""},
              {false, offsetof(struct row, better), "other direction: 7 against none"},
              {true, offsetof(struct row_run, arch), ""},
              {true, offsetof(struct row_run, build), ""},
              {true, offsetof(struct row_run, cpu_model), ""},
              {false, offsetof(struct row, policy), ""},
              {false, offsetof(struct row, layout), ""},
              {false, offsetof(struct row, scratch_fs), ""}};

    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
        (void)begin(state);
        (void)add_row(&base, "a=1", 1);
        (void)add_row(&changed, "a=1", 2);
        text_copy((of[i].in_run ? (char *)&base.run[0] : (char *)&base.rows[0]) + of[i].offset, 2, "7");
        ((of[i].in_run ? (char *)&changed.run[0] : (char *)&changed.rows[0]) + of[i].offset)[0] = '\0';
        expect_why(of[i].why);
        (void)end(state);
    }
    (void)begin(state);
    /* A placement is unknown only if both the CPUs and the binding are missing. */
    (void)add_row(&base, "a=1", 1);
    (void)add_row(&changed, "a=1", 2);
    base.rows[0].cpus[0] = '\0';
    expect_why("other placement: CPUs , bind one against 1 CPU, bind one");
    text_copy(base.rows[0].cpus, sizeof(base.rows[0].cpus), "all");
    expect_why("other placement: CPUs all, bind one against 1 CPU, bind one");
    base.rows[0].cpus[0] = '\0';
    base.rows[0].bind[0] = '\0';
    expect_why("");
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

TEST_WITH(test_pairs_rows_of_one_run, begin, end)
{
    static struct row_run one = {.run_id = "1"}, same = {.run_id = "1"}, other = {.run_id = "2"}, none, unknown;
    static const struct {
        const struct row_run *a, *b;
        bool same;
    } of[] = {{&one, &one, true},   {&one, &same, true},      {&one, &other, false},
              {&none, &none, true}, {&none, &unknown, false}, {&one, &none, false}};

    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
        assert_int_equal(pair_same_run(&(struct row){.run = of[i].a}, &(struct row){.run = of[i].b}), of[i].same);
}

/* Where a side has no figures, its first row says why. */
TEST_WITH(test_pairs_say_why_a_side_has_no_figures, begin, end)
{
    static const struct {
        enum row_status status;
        const char *reason, *why;
        int across;
    } of[] = {{ROW_FAILED, "", "failed in ", -1},
              {ROW_SKIPPED, "no right to", "skipped in ", -1},
              {ROW_DEGRADED, "ended", "degraded in ", ACROSS_DEGRADED},
              {ROW_OK, "ignored", "no figures in ", -1},
              {ROW_UNSTABLE, "", "no figures in ", -1}};

    for (size_t i = 0; i < 2 * sizeof(of) / sizeof(of[0]); i++) {
        char why[320];
        (void)begin(state);
        struct row *rows[] = {add_row(&base, "a=1", 1), add_row(&changed, "a=1", 2)};
        struct row *row = rows[i % 2];
        row->status = of[i / 2].status;
        text_copy(row->reason, sizeof(row->reason), of[i / 2].reason);
        row->n_samples = 0;
        const bool said = row->reason[0] && row->status >= ROW_DEGRADED;
        (void)snprintf(why, sizeof(why), "%s%s%s%s", of[i / 2].why, i % 2 ? "NEW" : "BASE", said ? ": " : "",
                       said ? row->reason : "");
        expect_why(why);
        assert_int_equal(pairs.pair[0].reason, of[i / 2].across);
        assert_int_equal(pairs.pair[0].side[0].n, 1);
        assert_int_equal(pairs.pair[0].side[1].n, 1);
        assert_int_equal(pairs.degraded, 0);
        if (of[i / 2].status < ROW_DEGRADED) {
            row->value = 5; /* without samples, but with a value */
            expect_why("");
        }
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

TEST_WITH(test_pairs_settings_may_differ, begin, end)
{
    add_row(&base, "a=1", 1)->nice = 0;
    struct row *row = add_row(&changed, "a=1", 1);
    row->nice = 19;
    row->rt_priority = 5;
    text_copy(row->timer_latency_held, 8, "yes");
    text_copy(changed.run[0].kernel, 8, "7.0");
    text_copy(changed.run[0].host, 8, "there");
    expect_why("");
}

TEST_WITH(test_pairs_leave_out_what_has_no_figures, begin, end)
{
    struct row *row;

    add_row(&base, "a=1", 1);
    row = add_row(&changed, "a=1", 1);
    row->status = ROW_DEGRADED;
    text_copy(row->reason, sizeof(row->reason), "no right to");
    expect_why("degraded in NEW: no right to");
    make(BIT(ACROSS_DEGRADED));
    assert_string_equal(pairs.pair[0].why, "");
    add_run(&changed, "3", "here");
    add_row(&changed, "a=1", 1);
    expect_why("");
    assert_int_equal(pairs.pair[0].side[1].n, 1);
    assert_int_equal(pairs.degraded, 1);
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

TEST_WITH(test_pairs_take_a_row_once, begin, end)
{
    add_row(&base, "a=1", 1);
    add_row(&base, "a=1", 1);
    add_row(&base, "a=1", 1.5); /* more of the same run */
    add_row(&changed, "a=1", 1);
    expect_why("");
    assert_int_equal(pairs.pair[0].side[0].n, 2);
    assert_int_equal(pairs.doubles, 1);
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

TEST_WITH(test_compared_runs_without_an_id_are_runs, begin, end)
{
    struct compared compared;

    base.set.n_runs = changed.set.n_runs = 0;
    for (unsigned i = 0; i < 3; i++) {
        add_run(&base, "", "here");
        add_row(&base, "a=1", 100 + i);
        add_run(&changed, "", "here");
        add_row(&changed, "a=1", 100 + i);
    }
    make(0);
    compared_make(&pairs, NULL, false, 0.01, &compared);
    assert_int_equal(compared.comparison[0].tested, TESTED_RUNS);
    compared_free(&compared);
}

/* Turned so that above 1 is better: half the time and twice the rate are both 2; the row without samples is left out.
 */
TEST_WITH(test_compared_mean_of_a_suite, begin, end)
{
    struct compared compared;

    add_row(&base, "a=1", 100);
    add_row(&changed, "a=1", 50);
    text_copy(add_row(&base, "a=2", 10)->better, 8, "higher");
    text_copy(add_row(&changed, "a=2", 20)->better, 8, "higher");
    for (int i = 0; i < 2; i++) {
        struct row *index = add_row(i ? &changed : &base, "a=3", 1);
        index->n_samples = 0;
        index->value = i ? 1e6 : 1;
    }
    make(0);
    compared_make(&pairs, NULL, false, 0.01, &compared);
    assert_int_equal(compared.n_rows, 3);
    assert_int_equal(compared.n_means, 1);
    assert_int_equal(compared.row[compared.n_rows].mean, 2);
    const struct comparison *mean = compared.row[compared.n_rows].of;
    assert_true(fabs(mean->ratio - 2) < 1e-9 && mean->low > 1.9 && mean->high < 2.1);
    assert_int_equal(compared_verdict(mean, "higher"), VERDICT_UNDECIDED);
    compared_free(&compared);
}

/* --- Commands in other paths, and rows of the same files. --- */

/* Each run has its own folder. */
TEST_WITH(test_pairs_across_command_pool_commands_of_a_name, begin, end)
{
    add_row(&base, "files=1 command=/tmp/3/prog -x", 1);
    add_run(&base, "3", "here");
    add_row(&base, "files=1 command=/tmp/1/prog -x", 1);
    add_row(&changed, "files=1 command=/tmp/2/prog -x", 1);
    make(0);
    assert_int_equal(pairs.n, 3);
    make(BIT(ACROSS_COMMAND));
    assert_int_equal(pairs.n, 1);
    assert_string_equal(pairs.pair[0].why, "");
    assert_int_equal(pairs.pair[0].side[0].n, 2);
    assert_ptr_equal(pairs.pair[0].side[0].row[0], &base.rows[0]); /* in the order of the files */
    /* Rows that differ in more than the command are still refused. */
    set_params(&changed.rows[0], "files=2 command=/tmp/2/prog -x");
    base.set.n = 1;
    make(BIT(ACROSS_COMMAND));
    base.set.n = 2;
    assert_int_equal(pairs.n, 1);
    assert_string_equal(pairs.pair[0].why, "other work: files=1 against files=2");
    assert_int_equal(pairs.pair[0].reason, -1);
}

/* Two commands of the same name are not pooled: those with equal lines are paired first, then the remaining ones. */
TEST_WITH(test_pairs_across_command_keep_several_of_a_name_apart, begin, end)
{
    add_row(&base, "command=make -j1", 1);
    add_row(&base, "command=make -j2", 2);
    add_row(&changed, "command=make -j1", 1);
    add_row(&changed, "command=make -j4", 2);
    make(BIT(ACROSS_COMMAND));
    assert_int_equal(pairs.n, 2);
    for (size_t i = 0; i < pairs.n; i++) {
        assert_string_equal(pairs.pair[i].why, "");
        assert_int_equal(pairs.pair[i].side[0].n, 1);
        assert_int_equal(pairs.pair[i].side[1].n, 1);
        assert_int_equal(pairs.pair[i].side[0].row[0]->number, pairs.pair[i].side[1].row[0]->number);
    }
    make(0);
    assert_int_equal(pairs.pair[1].reason, ACROSS_COMMAND);
}

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

TEST_WITH(test_compared_with_the_core_free_on_one_side_only, begin, end)
{
    add_row(&base, "a=1", 1);
    add_row(&changed, "a=1", 1);
    add_alone(&base, "a=1", 1);
    expect_rows(false, 1, 0);
    add_alone(&changed, "a=2", 1); /* other work */
    expect_rows(false, 1, 0);
    add_alone(&changed, "a=1", 1);
    expect_rows(false, 1, 1);
    struct row *unknown = &changed.rows[changed.set.n - 1]; /* the core was never free */
    unknown->n_samples = 0;
    expect_rows(false, 1, 0);
    expect_rows(true, 1, 0);
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

TEST_WITH(test_compared_within_with_the_core_free, begin, end)
{
    for (unsigned copies = 1; copies <= 2; copies++) {
        add_row(&base, "a=1", copies)->copies = copies;
        add_alone(&base, "a=1", 3 * copies);
        base.rows[base.set.n - 1].copies = copies;
    }
    struct compared compared;
    pairs_make(&base.set, NULL, 0, false, &pairs);
    compared_make(&pairs, NULL, false, 0.01, &compared);
    assert_int_equal(compared.n_rows, 1);
    assert_int_equal(count_raw(&compared), 1);
    assert_float_equal(compared.comparison[0].base, 3, 1e-9);
    assert_float_equal(compared.comparison[0].changed, 6, 1e-9);
    compared_free(&compared);
}
