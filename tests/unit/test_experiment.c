/* SPDX-License-Identifier: MIT */
/* Common code of prime and array: recording, every event as text, and M. Kot's figures from made-up cycles. */

#include "bench_fixture.h"

#include "bench/experiment.h"
#include "memory_fixture.h"

/* Of a clock whose cost is known, or of this machine's. */
static const struct clock_cost *known_cost;
static uint64_t begun_ns; /* how long the last run with core probes was expected to take */

static void made_cost_measure(enum clock_kind kind, struct clock_cost *out)
{
    if (known_cost)
        *out = *known_cost;
    else
        clock_cost_measure(kind, out);
}

static void made_core_begin(struct core_meter *meter, uint64_t expected_ns)
{
    begun_ns = expected_ns;
    core_begin(meter, expected_ns);
}

/* TSC_AUX: node and CPU of the next reading. */
static uint32_t made_aux;
static unsigned made_cpu;

static void made_read_cpu(uint32_t *cpu)
{
    *cpu = made_aux;
}

static unsigned made_current_cpu(void)
{
    return made_cpu;
}

#undef COUNTER_CPU
#undef counter_read_cpu
#define COUNTER_CPU        0xfffu
#define counter_read_cpu   made_read_cpu
#define task_current_cpu   made_current_cpu
#define clock_cost_measure made_cost_measure
#define core_begin         made_core_begin
#include "../../src/bench/prime.c"
#undef counter_read_cpu
#undef task_current_cpu
#undef clock_cost_measure
#undef core_begin

static const struct bench bench_made_up;
static const struct bench *const registry[] = {&bench_made_up, NULL};

/* Number of experiments, and cycles of each; 0 experiments end the list. */
struct made_up_params {
    struct {
        uint64_t count, ticks;
    } part[8];
    uint64_t base;
    double migrated;
};

static int made_up_run(struct party_context *context)
{
    const struct made_up_params *params = context->params;
    double *number = context->recorder[EXPERIMENT_NUMBERS];
    struct experiment e = {.hist = context->recorder[EXPERIMENT_HIST],
                           .series = context->recorder[EXPERIMENT_SERIES],
                           .apart = UINT64_MAX,
                           .fd = -1};

    hist_init(e.hist, params->base);
    for (size_t i = 0; i < COUNT(params->part); i++)
        for (uint64_t k = 0; k < params->part[i].count; k++)
            experiment_record(&e, params->part[i].ticks + context->copy, 0);
    number[NUMBER_COST_MEDIAN] = 24;
    number[NUMBER_GRAIN] = 2;
    number[NUMBER_MIGRATED] = params->migrated;
    return 0;
}

static const struct party made_up_parties[] = {
    {EXPERIMENT_PARTY("made up"), .role = ROLE_MEASURED, .run = made_up_run},
};
static const struct bench bench_made_up = {DUMMY("made up"),
                                           .params_size = sizeof(struct made_up_params),
                                           BENCH_PARTIES(made_up_parties),
                                           .metrics = experiment_metrics,
                                           .n_shared_metrics = METRIC_OWN,
                                           .n_metrics = METRIC_OWN,
                                           .group_per_copy = true,
                                           .reduce = experiment_reduce};

static struct fixture_rows rows;

static int end(void **state)
{
    fixture_free_rows(&rows);
    return 0;
}

static double value(const char *metric)
{
    return fixture_find(&rows, metric, "")->value;
}

/* --- The figures. --- */

/* Mean 1031.2; the delays above it are 268.8, 968.8, 3968.8 and 18968.8 (worked out by python3). */
static const struct made_up_params typical = {.migrated = 3,
                                              .part = {{990, 1000}, {4, 1300}, {3, 2000}, {2, 5000}, {1, 20000}}};

TEST_WITH(test_experiment_figures_of_a_run, NULL, end)
{
    assert_int_equal(fixture_one_trial(&bench_made_up, &typical, 1, &rows), ROW_OK);
    const struct row *cycles = fixture_find(&rows, "cycles", "");
    assert_int_equal(cycles->stats.n, 1000);
    fixture_assert_near(cycles->value, 1000);
    fixture_assert_near(cycles->stats.mean, 1031.2);
    fixture_assert_near(cycles->stats.max, 20000);
    fixture_assert_near(cycles->samples[0], 1031.2);
    assert_int_equal(cycles->n_hist, 5);
    assert_int_equal(cycles->n_series, 1000);
    assert_int_equal(cycles->headline, 1);
    assert_string_equal(cycles->unit, "ns"); /* of this test's clock */
    fixture_assert_near(value("cycles_sd"), 629.1123447702662);
    fixture_assert_near(value("cycles_ci90"), 32.72317719248658);
    fixture_assert_near(value("delays_a"), 4);
    fixture_assert_near(value("delays_a_size"), 268.8);
    fixture_assert_near(value("delays_b"), 3);
    fixture_assert_near(value("delays_b_size"), 968.8);
    fixture_assert_near(value("delays_c"), 2);
    fixture_assert_near(value("delays_c_size"), 3968.8);
    fixture_assert_near(value("delays_d"), 1);
    fixture_assert_near(value("delays_d_size"), 18968.8);
    fixture_assert_near(value("delayed_400"), 29812.8 / 10312);
    fixture_assert_near(value("delayed_2000"), 26906.4 / 10312);
    fixture_assert_near(value("delayed_400_median"), 30000 / 10312.0);
    fixture_assert_near(value("delayed_2000_median"), 27000 / 10312.0);
    fixture_assert_near(value("buckets_exact"), 1);
    fixture_assert_near(value("clock_cost"), 24);
    fixture_assert_near(value("clock_grain"), 2);
    fixture_assert_near(value("clock_hz"), 1e9);
    fixture_assert_near(value("migrated"), 3);
    fixture_assert_near(value("time"), 1000);
    assert_string_equal(fixture_find(&rows, "time", "")->unit, "ns");
}

/* Mean 1000; delays of exactly 150, 400, 2000 and 6000 belong to the class below. */
TEST_WITH(test_experiment_classes_end_at_their_limits, NULL, end)
{
    static const struct made_up_params params = {.part = {{95, 910}, {1, 1150}, {1, 1400}, {1, 3000}, {1, 7000}}};

    assert_int_equal(fixture_one_trial(&bench_made_up, &params, 1, &rows), ROW_OK);
    fixture_assert_near(fixture_find(&rows, "cycles", "")->stats.mean, 1000);
    fixture_assert_near(value("delays_a"), 1);
    fixture_assert_near(value("delays_a_size"), 400);
    fixture_assert_near(value("delays_b"), 1);
    fixture_assert_near(value("delays_b_size"), 2000);
    fixture_assert_near(value("delays_c"), 1);
    fixture_assert_near(value("delays_c_size"), 6000);
    assert_true(value("delays_d") == 0);
    assert_true(isnan(value("delays_d_size")));
}

/* Mean and median are apart, 700 and 500. Above 400 from the mean there is none, from the median 40. */
TEST_WITH(test_experiment_delays_from_two_levels, NULL, end)
{
    static const struct made_up_params params = {.part = {{40, 1000}, {60, 500}}};

    assert_int_equal(fixture_one_trial(&bench_made_up, &params, 1, &rows), ROW_OK);
    assert_true(value("delayed_400") == 0);
    fixture_assert_near(value("delayed_400_median"), 100.0 * 40 * 500 / 70000);
    assert_true(value("delayed_2000_median") == 0);
}

/* --- Recording. --- */

static struct experiment *set_up(struct fixture_party *p, int series_fd, uint64_t size)
{
    static const struct made_up_params none;
    struct experiment *e = calloc(1, sizeof(*e));

    assert_non_null(e);
    fixture_party_begin(p, &bench_made_up, &none);
    p->context.series_fd = series_fd;
    p->context.state = e;
    assert_int_equal(experiment_setup(&p->context, size), 0);
    return e;
}

static void tear_down(struct fixture_party *p)
{
    experiment_teardown(&p->context);
    free(p->context.state);
    fixture_party_end(p);
}

/* Works that record known values. */
static int record_from_801(struct party_context *context, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        experiment_record(context->state, 801 + i, 0);
    return 0;
}

static int record_thousands(struct party_context *context, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        experiment_record(context->state, 1000 + i % 7, 0);
    return 0;
}

TEST_WITH(test_experiment_run_forgets_the_warm_up, NULL, end)
{
    struct fixture_party p;
    struct experiment *e = set_up(&p, -1, 0);

    assert_null(e->buffer); /* nobody wants the text */
    experiment_record(e, 900, 0);
    experiment_record(e, 800, 0);
    experiment_record(e, 70000, 0);
    assert_int_equal(e->number, 3);
    assert_int_equal(experiment_run(&p.context, 2, 0, record_from_801), 0);
    assert_int_equal(e->number, 2);
    assert_int_equal(e->hist->base, 700); /* an eighth below the least */
    assert_int_equal(e->hist->n, 2);
    assert_int_equal(e->hist->min, 801);
    assert_int_equal(e->series->n, 2);
    assert_int_equal(e->series->first[1].at, 1);
    assert_int_equal(e->series->first[1].value, 802);
    tear_down(&p);
}

/* An experiment on each of these CPUs, of two nodes. */
static const uint32_t aux[] = {0x1003, 0x1003, 0x2007, 0x2007, 0x1003, 0x1004, 0x1004};

static int record_cpus(struct party_context *context, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        experiment_record(context->state, 800, made_aux = aux[i]);
    }
    made_cpu = made_aux & 0xfff;
    return 0;
}

static int record_unset(struct party_context *context, uint64_t count)
{
    (void)record_cpus(context, count);
    made_cpu = 5;
    return 0;
}

/* Counted by the counter's register, if it says at both ends what the kernel does. */
TEST_WITH(test_experiment_counts_changes_of_the_cpu, NULL, end)
{
    static const struct clock_cost cost = {.median = 24};
    static const struct {
        enum clock_kind clock;
        uint32_t aux;
        unsigned cpu;
        int (*work)(struct party_context *, uint64_t count);
        double migrated;
    } cases[] = {
        {CLOCK_KIND_COUNTER, 0x1003, 3, record_cpus, 3},
        {CLOCK_KIND_COUNTER, 0x2007, 7, record_cpus, 4}, /* before the first */
        {CLOCK_KIND_COUNTER, 0x1003, 0x1003, record_cpus, 3},
        {CLOCK_KIND_COUNTER, 0x1003, 4, record_cpus, NAN},
        {CLOCK_KIND_COUNTER, 0x1003, 3, record_unset, NAN},
        {CLOCK_KIND_GETTIME, 0x1003, 3, record_cpus, NAN},
    };

    known_cost = &cost;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fixture_party p;
        (void)set_up(&p, -1, 0);
        p.context.clock = cases[i].clock;
        made_aux = cases[i].aux;
        made_cpu = cases[i].cpu;
        assert_int_equal(experiment_run(&p.context, COUNT(aux), 0, cases[i].work), 0);
        const double migrated = ((double *)p.context.recorder[EXPERIMENT_NUMBERS])[NUMBER_MIGRATED];
        assert_true(isnan(cases[i].migrated) ? isnan(migrated) : migrated == cases[i].migrated);
        tear_down(&p);
    }
    known_cost = NULL;
}

static struct {
    unsigned calls;
    double counts[8], costs[8]; /* of each call */
    double count, cost;
    uint64_t start_ns;
} sliced;

void __real_core_slice(struct core_meter *meter, double count, double cost, uint64_t start_ns);
void __wrap_core_slice(struct core_meter *meter, double count, double cost, uint64_t start_ns);
void __wrap_core_slice(struct core_meter *meter, double count, double cost, uint64_t start_ns)
{
    if (sliced.calls < COUNT(sliced.counts)) {
        sliced.counts[sliced.calls] = count;
        sliced.costs[sliced.calls] = cost;
    }
    sliced.calls++;
    sliced.count += count;
    sliced.cost += cost;
    sliced.start_ns = start_ns;
    __real_core_slice(meter, count, cost, start_ns);
}

static uint64_t slice_that_fails;

static int record_or_fail(struct party_context *context, uint64_t count)
{
    return slice_that_fails-- == 0 ? party_fail(context, "made up") : record_from_801(context, count);
}

/* 21,000 events a second are 31.5 in 1.5 ms, and so 32 in a slice; a slice cannot be longer than the run. 801 to 832
 * are 26,128, and 801 to 804 are 3,210. */
TEST_WITH(test_experiment_slices_last_as_long_as_planned, NULL, end)
{
    static const struct core_probe probe = {.blocks = 1, .chain = 1, .unit = 1};
    static const struct {
        double rate;
        uint64_t fails;
        unsigned slices;
        double first, cost_of_first, last, cost_of_last;
    } cases[] = {
        {21000, UINT64_MAX, 4, 32, 26128, 4, 3210},
        {21000, 2, 2, 32, 26128, 32, 26128},
        {21000, 0, 0, 0, 0, 0, 0},
        {1e9, UINT64_MAX, 1, 100, 85050, 100, 85050},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fixture_party p;
        (void)set_up(&p, -1, 0);
        memset(&sliced, 0, sizeof(sliced));
        begun_ns = 0;
        p.context.core_probe = &probe;
        p.context.rate = cases[i].rate;
        p.context.expected_ns = 77000;
        slice_that_fails = cases[i].fails;
        assert_int_equal(experiment_run(&p.context, 100, 0, record_or_fail), cases[i].fails == UINT64_MAX ? 0 : -1);
        assert_int_equal(begun_ns, 77000);
        assert_int_equal(sliced.calls, cases[i].slices);
        const unsigned last = cases[i].slices ? cases[i].slices - 1 : 0;
        assert_true(sliced.counts[0] == cases[i].first && sliced.costs[0] == cases[i].cost_of_first);
        assert_true(sliced.counts[last] == cases[i].last && sliced.costs[last] == cases[i].cost_of_last);
        tear_down(&p);
    }
}

/* Each of 1 to 10006 once, scattered. */
static int record_scattered(struct party_context *context, uint64_t count)
{
    struct experiment *e = context->state;

    for (uint64_t i = 0; i < count; i++)
        experiment_record(e, (e->number + 1) * 7919 % 10007, 0);
    return 0;
}

/* The 2,000 largest are those of the whole run, before and behind the window. */
TEST_WITH(test_experiment_window_begins_where_asked, NULL, end)
{
    enum { ALL = 10006, FROM = 4000, LEAST_KEPT = ALL - (int)SERIES_LARGEST + 1 };
    struct fixture_party p;
    const struct series *series = set_up(&p, -1, 0)->series;
    bool before = false;

    memset(&sliced, 0, sizeof(sliced));
    assert_int_equal(experiment_run(&p.context, ALL, FROM, record_scattered), 0);
    assert_true(sliced.calls == 2 && sliced.counts[0] == FROM && sliced.counts[1] == ALL - FROM);
    assert_int_equal(series->n, ALL);
    assert_int_equal(series->n_first, SERIES_FIRST);
    for (uint64_t i = 0; i < SERIES_FIRST; i++) {
        assert_int_equal(series->first[i].at, FROM + i);
        assert_int_equal(series->first[i].value, (FROM + i + 1) * 7919 % 10007);
    }
    assert_int_equal(series->n_largest, SERIES_LARGEST);
    for (size_t i = 0; i < SERIES_LARGEST; i++) {
        assert_true(series->largest[i].value >= LEAST_KEPT);
        before |= series->largest[i].at < FROM;
    }
    assert_true(before);
    assert_int_equal(series->threshold, LEAST_KEPT + 1);
    tear_down(&p);
}

/* Delays at every ninth experiment, and a step of the level at number 300,000. */
static int record_step(struct party_context *context, uint64_t count)
{
    struct experiment *e = context->state;

    for (uint64_t i = 0; i < count; i++)
        experiment_record(e, (e->number < 300000 ? 880 : 1040) + (e->number % 9 ? e->number % 3 : 70000), 0);
    return 0;
}

/* Blocks of 8192 experiments, of which number 36 has the step; 576 experiments are left out (worked out by python3). */
TEST_WITH(test_experiment_blocks_show_a_step_of_the_level, NULL, end)
{
    struct fixture_party p;
    const struct experiment *e = set_up(&p, -1, 0);

    assert_int_equal(record_step(&p.context, 10000), 0); /* warm-up */
    assert_int_equal(e->floors->n, 0);
    assert_int_equal(experiment_run(&p.context, 1000000, 0, record_step), 0);
    assert_int_equal(e->floors->n, 122);
    assert_int_equal(e->levels->n, 122);
    for (uint64_t i = 0; i < 122; i++) {
        assert_int_equal(e->floors->first[i].at, 8192 * i);
        assert_int_equal(e->levels->first[i].at, 8192 * i);
        assert_int_equal(e->floors->first[i].value, i <= 36 ? 880 : 1040);
        assert_int_equal(e->levels->first[i].value, i < 36 ? 881 : i == 36 ? 882 : 1041);
    }
    tear_down(&p);
}

/* The blocks are so long that there are at most 128, and so many experiments are compared. */
TEST_WITH(test_experiment_blocks_of_few_and_of_many, NULL, end)
{
    static const struct {
        uint64_t counts, blocks, last; /* last: where the last one begins */
    } cases[] = {{63, 0, 0}, {64, 1, 0}, {8255, 64, 8064}, {8192, 128, 8128}, {16384, 128, 16256}, {1, 0, 0}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fixture_party p;
        const struct experiment *e = set_up(&p, -1, 0);
        assert_int_equal(experiment_run(&p.context, cases[i].counts, 0, record_from_801), 0);
        assert_int_equal(e->floors->n, cases[i].blocks);
        if (cases[i].blocks) {
            assert_int_equal(e->floors->first[cases[i].blocks - 1].at, cases[i].last);
            assert_int_equal(e->floors->first[cases[i].blocks - 1].value, 801 + cases[i].last);
        }
        tear_down(&p);
    }
}

enum { LINES = 10000 }; /* more than the buffer holds */

TEST_WITH(test_experiment_writes_every_event, NULL, end)
{
    struct fixture_party p;
    struct text expected = {0};
    int fd = fixture_file();
    struct experiment *e = set_up(&p, fd, 22);

    experiment_record(e, 5, 0); /* warm-up */
    for (uint64_t i = 0; i < LINES; i++)
        text_printf(&expected, "22,0,0,%llu,%llu\n", (unsigned long long)i, (unsigned long long)(1000 + i % 7));
    assert_int_equal(experiment_run(&p.context, LINES, 0, record_thousands), 0);
    char *text = fixture_read_file(fd);
    assert_int_equal(strlen(text), expected.length);
    assert_string_equal(text, expected.data);
    free(text);
    text_free(&expected);
    (void)close(fd);
    tear_down(&p);
}

TEST_WITH(test_experiment_without_memory_for_the_text, NULL, end)
{
    static const struct made_up_params none;
    struct experiment e = {.number = 0};
    struct fixture_party p;

    fixture_party_begin(&p, &bench_made_up, &none);
    p.context.state = &e;
    p.context.series_fd = 0;
    allocations_before_refusal = 0;
    assert_int_equal(experiment_setup(&p.context, 1), -1);
    allocations_before_refusal = UINT_MAX;
    assert_string_equal(p.reason, "out of memory");
    fixture_party_end(&p);
}

TEST_WITH(test_experiment_run_measures_the_clock, NULL, end)
{
    struct fixture_party p;
    (void)set_up(&p, -1, 0);
    const double *number = p.context.recorder[EXPERIMENT_NUMBERS];

    assert_int_equal(experiment_run(&p.context, 1, 0, record_thousands), 0);
    assert_true(number[NUMBER_COST_MEDIAN] >= 0);
    assert_true(number[NUMBER_GRAIN] > 0);
    known_cost = &(const struct clock_cost){.min = 3, .median = 5, .grain = 2};
    assert_int_equal(experiment_run(&p.context, 1, 0, record_thousands), 0);
    known_cost = NULL;
    assert_true(number[NUMBER_COST_MEDIAN] == 5 && number[NUMBER_GRAIN] == 2);
    tear_down(&p);
}

int main(int argc, char **argv)
{
    trial_worker_main(argc, argv, registry, no_loads);
    process_init();
    signals_init();
    return run_all_tests();
}
