/* SPDX-License-Identifier: MIT */
/* The small-array copy: what it leaves in the arrays, its self-check, its rows. */
#include "bench/memory.h"
#include "experiment_fixture.h"

static unsigned maps_left; /* before one is refused; 0: none is */

static void *made_map(size_t bytes, int advice)
{
    assert_int_equal(advice, MADV_NOHUGEPAGE);
    return maps_left && --maps_left == 0 ? NULL : pages_map(bytes, advice);
}

#define pages_map made_map
#include "../../src/bench/array.c"
#undef pages_map

static const struct bench *const registry[] = {&bench_array, NULL};

/* The two arrays, a and c, follow the state of the experiments. */
static uint64_t *array_of(const struct fixture_party *p, unsigned which)
{
    const struct experiment *e = p->context.state;

    return ((uint64_t *const *)(const void *)(e + 1))[which];
}

static void begin(struct fixture_party *p, const struct array_params *params, enum clock_kind clock)
{
    fixture_party_begin(p, &bench_array, params);
    p->context.clock = clock;
    assert_int_equal(p->party->setup(&p->context), 0);
}

static const struct check *verified(struct fixture_party *p)
{
    assert_int_equal(p->party->verify(&p->context), 0);
    return checks_wrong(p->context.recorder[EXPERIMENT_CHECKS]);
}

/* c is a copy of a as it was before the last time; a is raised by one each time, from 1, 2, 3, ... */
static void check_run(uint64_t elements, uint64_t experiments, enum clock_kind clock)
{
    const struct array_params params = {.elements = elements, .experiments = experiments};
    struct fixture_party p;

    begin(&p, &params, clock);
    assert_int_equal(p.party->counts(&params), experiments);
    assert_int_equal(p.party->work(&p.context, 7), 0); /* warm-up: the run begins anew */
    assert_int_equal(p.party->run(&p.context), 0);
    const struct hist *hist = p.context.recorder[EXPERIMENT_HIST];
    assert_int_equal(hist->n, experiments);
    /* A clock of coarse steps may stand still during all but the longest. */
    assert_true(hist->max > 0 || elements < 12800);
    for (uint64_t j = 0; j < elements; j++) {
        assert_int_equal(array_of(&p, 0)[j], 1 + j + experiments);
        assert_int_equal(array_of(&p, 1)[j], j + experiments);
    }
    assert_null(verified(&p));
    fixture_party_end(&p);
}

TEST(test_array_copies_each_time)
{
    check_run(25, 1000, CLOCK_KIND_GETTIME);
    struct clock_info info;
    clock_choose(&info);
    check_run(25, 1000, info.kind);
    check_run(1, 1, info.kind);
    check_run(12800, 10, info.kind);
}

TEST(test_array_begins_with_what_was_published)
{
    const struct array_params params = {.elements = 4, .experiments = 1};
    struct fixture_party p;

    begin(&p, &params, CLOCK_KIND_GETTIME);
    for (uint64_t j = 0; j < 4; j++) {
        assert_int_equal(array_of(&p, 0)[j], 1 + j);
        assert_int_equal(array_of(&p, 1)[j], 2 + j);
    }
    fixture_party_end(&p);
}

static void check_damage(unsigned which, uint64_t at, uint64_t count)
{
    const struct array_params params = {.elements = 100, .experiments = 3};
    struct fixture_party p;

    begin(&p, &params, CLOCK_KIND_GETTIME);
    assert_int_equal(p.party->run(&p.context), 0);
    for (uint64_t j = 0; j < count; j++)
        array_of(&p, which)[at + j]++;
    const struct check *wrong = verified(&p);
    assert_non_null(wrong);
    assert_string_equal(wrong->name, "number of wrong array elements");
    assert_true(wrong->got == (double)count && wrong->expected == 0);
    fixture_party_end(&p);
}

TEST(test_array_finds_wrong_elements)
{
    check_damage(0, 0, 1);
    check_damage(0, 99, 1);
    check_damage(1, 0, 1);
    check_damage(1, 90, 10);
}

TEST(test_array_fails_without_memory)
{
    const struct array_params params = {.elements = UINT64_MAX / 64, .experiments = 1};
    struct fixture_party p;

    fixture_party_begin(&p, &bench_array, &params);
    assert_int_equal(p.party->setup(&p.context), -1);
    assert_string_equal(p.reason, "out of memory for two arrays of 288230376151711743 elements");
    fixture_party_end(&p);
    for (unsigned refused = 1; refused <= 2; refused++) {
        const struct array_params small = {.elements = 25, .experiments = 1};
        fixture_party_begin(&p, &bench_array, &small);
        maps_left = refused;
        assert_int_equal(p.party->setup(&p.context), -1);
        assert_string_equal(p.reason, "out of memory for two arrays of 25 elements");
        maps_left = 0;
        fixture_party_end(&p);
    }
}

static struct fixture_rows rows;

TEST(test_array_rows_of_a_trial)
{
    const struct array_params params = {.elements = 100, .experiments = 1000};

    experiment_run_two(&bench_array, &params, 1000, "elements=100 experiments=1000 clock=clock_gettime pages=small",
                       &rows);
    for (unsigned copy = 0; copy < 2; copy++) {
        const struct row *of_copy = &rows.row[copy * bench_array.n_metrics];
        assert_string_equal(of_copy[METRIC_OWN].metric, "array_bytes");
        assert_true(of_copy[METRIC_OWN].value == 800);
    }
    fixture_free_rows(&rows);
}

int main(int argc, char **argv)
{
    experiment_main(argc, argv, registry);
    return run_all_tests();
}
