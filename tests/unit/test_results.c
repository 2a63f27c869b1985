/* SPDX-License-Identifier: MIT */
/* Rows from samples: figures worked out by hand, placement and counters from trials of a dummy benchmark. */

#include "plan_fixture.h"

#include "engine/trial.h"
#include "row_fixture.h"

static const struct bench bench_sheet, bench_copies, bench_quiet, bench_timed, bench_core, bench_tail;
static const struct bench *const registry[] = {&bench_sheet, &bench_copies, &bench_quiet, &bench_timed,
                                               &bench_core,  &bench_tail,   NULL};
static const struct load load_pace;
static const struct load *const loads[] = {&load_pace, NULL};

enum { NAPS = 10 };

static int nap_run(struct party_context *context)
{
    for (int i = 0; i < NAPS; i++)
        clock_sleep_ns(1000000);
    ((double *)context->recorder[0])[0] = 100 + context->copy;
    return 0;
}

/* Enters one sample for each copy into the first metric. */
static void nap_reduce(const struct trial *trial, struct results *results)
{
    const struct trial_spec *spec = &trial->spec;

    for (unsigned copy = 0; copy < spec->copies; copy++) {
        const double *number = trial_recorder(trial, 0, copy, 0);
        results_sample(results, spec->bench->group_per_copy ? copy : 0, 0, number[0]);
    }
}

static const struct party nap_parties[] = {
    {PARTY_IS("nap", {RECORD_NUMBERS, 1}), .role = ROLE_MEASURED, .run = nap_run},
    {PARTY_IS("partner", {RECORD_NUMBERS, 1}), .role = ROLE_PARTNER, .run = nap_run},
};

enum { SHEET_MEDIAN, SHEET_MEAN, SHEET_NUMBER, SHEET_MIN, SHEET_MAX, SHEET_COUNT };

static const struct metric shared_metrics[] = {
    {.id = "median", .unit = NULL, .better = "lower", .value = VALUE_MEDIAN, .headline = true},
    {.id = "mean", .unit = "ns", .better = "lower", .value = VALUE_MEAN},
};
static const struct metric own_metrics[] = {
    {.id = "number", .unit = "events", .better = "", .value = VALUE_MEAN},
    {.id = "min", .unit = "ns", .better = "lower", .value = VALUE_MIN},
    {.id = "max", .unit = "ns", .better = "higher", .value = VALUE_MAX, .baseline = 50},
};
#define SHEET(bench_name, per_copy) \
    { \
        .name = bench_name, .suite = "dummy", BENCH_PARTIES(nap_parties), .metrics = shared_metrics, \
        .own_metrics = own_metrics, .n_shared_metrics = COUNT(shared_metrics), .n_metrics = SHEET_COUNT, \
        .group_per_copy = per_copy, .reduce = nap_reduce \
    }
static const struct bench bench_sheet = SHEET("sheet", false);
static const struct bench bench_copies = SHEET("copies", true);
/* A test without metrics of its own and without a headline metric. */
static const struct bench bench_quiet = {
    DUMMY("quiet"),        .parties = nap_parties, .n_parties = 1,      .metrics = shared_metrics + 1,
    .n_shared_metrics = 1, .n_metrics = 1,         .reduce = nap_reduce};

/* Runs as long as requested, beside a timing thread. */
static int timed_run(struct party_context *context)
{
    while (!party_stopped(context))
        clock_sleep_ns(MS);
    return 0;
}

/* Behind its counts the load pace has another number: 1 when it has set them. */
#define PACE_DONE LOAD_COUNTS

/* As timed_run(), and until the load has set its counts, which the engine reads when this party has ended. */
static int measured_run(struct party_context *context)
{
    (void)timed_run(context);
    for (unsigned i = 0; i < context->head->n_slots; i++) {
        const struct trial_slot *slot = &context->head->slot[i];
        const volatile double *numbers = (const void *)((const char *)context->head + slot->recorder[0]);
        while (slot->of_load && slot->party == 0 && numbers[PACE_DONE] == 0)
            clock_sleep_ns(MS);
    }
    return 0;
}

static const struct party timed_parties[] = {
    {PARTY_IS("nap", {RECORD_NUMBERS, 1}), .role = ROLE_MEASURED, .stop = STOP_FLAG, .run = measured_run},
    {.name = "timer", .role = ROLE_TIMER, .kind = PARTY_THREAD, .stop = STOP_FLAG, .run = timed_run},
};
static const struct bench bench_timed = {DUMMY("timed"),
                                         BENCH_PARTIES(timed_parties),
                                         .metrics = shared_metrics,
                                         .n_shared_metrics = COUNT(shared_metrics),
                                         .n_metrics = COUNT(shared_metrics),
                                         .reduce = nap_reduce};

/* Fills its record of the core: each of eight blocks of time has five slices in which the core was free, and one in
 * which it was not; another record is empty. The rate rises with each trial, the one with the core free by less. */
enum { FREE = 66, HALF = 132, CORE_RATE = 0, CORE_RATE_ALONE, CORE_COST, CORE_COST_ALONE, CORE_METRICS };

static int core_run(struct party_context *context)
{
    struct core_record *record = context->recorder[1];

    record->cycles_per_tick = 1.33;
    record->slices = 48;
    record->probes[FREE] = 40;
    record->probes[HALF] = 8;
    for (unsigned block = 0; block < CORE_BLOCKS; block++) {
        record->cell[block][FREE] = (struct core_cell){.count = 18 + (double)context->sample, .cost = 1000, .n = 5};
        record->cell[block][FREE + 5] = (struct core_cell){.count = 1, .cost = 1000, .n = 1};
    }
    ((double *)context->recorder[0])[0] = 8 + (double)context->sample;
    return 0;
}

static void core_reduce(const struct trial *trial, struct results *results)
{
    const double *number = trial_recorder(trial, 0, 0, 0);

    results_sample(results, 0, CORE_RATE, number[0]);
    results_sample(results, 0, CORE_COST, 1 / number[0]);
}

static const struct party core_parties[] = {
    {PARTY_IS("core", {RECORD_NUMBERS, 1}, {RECORD_CORE, 0}, {RECORD_CORE, 0}), .role = ROLE_MEASURED, .run = core_run},
};
static const struct metric core_metrics[] = {
    [CORE_RATE] = {.id = "rate", .unit = "1/s", .better = "higher", .headline = true},
    [CORE_RATE_ALONE] = {.id = "rate_alone",
                         .unit = "1/s",
                         .better = "higher",
                         .alone = true,
                         .of = CORE_RATE,
                         .recorder = 1,
                         .scale = 2},
    [CORE_COST] = {.id = "cost", .unit = "ns", .better = "lower"},
    [CORE_COST_ALONE] =
        {.id = "cost_alone", .unit = "ns", .better = "lower", .alone = true, .of = CORE_COST, .recorder = 1},
};
static const struct bench bench_core = {DUMMY("core"),
                                        BENCH_PARTIES(core_parties),
                                        .metrics = core_metrics,
                                        .n_shared_metrics = CORE_METRICS,
                                        .n_metrics = CORE_METRICS,
                                        .reduce = core_reduce};

/* Each trial has the events 1 to 1000, the late ones spread over its time. */
static void tail_reduce(const struct trial *trial, struct results *results)
{
    struct hist *hist = malloc(sizeof(*hist));
    struct series *series = malloc(sizeof(*series));

    (void)trial;
    hist_init(hist, 0);
    series_init(series);
    for (uint64_t i = 0; i < 1000; i++) {
        hist_add(hist, i * 901 % 1000 + 1);
        series_add(series, i, i * 901 % 1000 + 1);
    }
    results_hist(results, 0, 0, hist);
    results_series(results, 0, 0, series);
    results_sample(results, 0, 0, hist_mean(hist));
    free(hist);
    free(series);
}

static const struct metric tail_metrics[] = {
    {.id = "events", .unit = "ns", .better = "lower", .headline = true},
    {.id = "p99", .unit = "ns", .better = "lower", .quantile = 0.99, .above = 10},
    {.id = "p999", .unit = "ns", .better = "lower", .quantile = 0.999, .above = 10, .optional = true},
    {.id = "longest", .unit = "ns", .better = "lower", .quantile = 1},
};
static const struct bench bench_tail = {.name = "tail",
                                        .suite = "dummy",
                                        .parties = nap_parties,
                                        .n_parties = 2,
                                        .metrics = tail_metrics,
                                        .n_shared_metrics = 4,
                                        .n_metrics = 4,
                                        .reduce = tail_reduce};

/* A load that counts what it is told to, and its thread. */
struct pace_params {
    double count[LOAD_COUNTS];
    bool degraded, thread_degraded, elsewhere;
    int nice;
    uint64_t rate;
};

static int pace_run(struct party_context *context)
{
    const struct pace_params *params = context->params;

    if (params->degraded)
        party_degraded(context, "out of step");
    party_proved(context);
    /* The engine reads the counts from before the run first, and then tells the measured party to stop. */
    while (!__atomic_load_n(&context->head->stop, __ATOMIC_ACQUIRE))
        clock_sleep_ns(MS);
    for (int c = 0; c < LOAD_COUNTS; c++)
        load_set(context, (enum load_count)c, params->count[c]);
    load_set(context, (enum load_count)PACE_DONE, 1);
    while (!party_stopped(context))
        clock_sleep_ns(MS);
    return 0;
}

static int pace_thread_run(struct party_context *context)
{
    if (((const struct pace_params *)context->params)->thread_degraded)
        party_degraded(context, "limping");
    party_proved(context);
    while (!party_stopped(context))
        clock_sleep_ns(MS);
    return 0;
}

static void pace_place(const struct place_of *of, struct placement *placement)
{
    const struct pace_params *p = of->params;

    place_copy(of->request, p->elsewhere && of->request->n_order > 1, placement);
    placement->nice_given = p->nice > 0;
    placement->nice = p->nice;
}

static void pace_describe(const void *params, struct row_params *out)
{
    const struct pace_params *p = params;

    row_param_add(out, PARAM_WORK, "stride", "2");
    if (p->rate)
        row_param_count(out, PARAM_WORK, "disk_rate", p->rate);
}

#define PACE_PARTY .role = ROLE_LOAD, .stop = STOP_KILL, .before_gate = true
static const struct party pace_parties[] = {
    {PARTY_IS("pace", {RECORD_NUMBERS, LOAD_COUNTS + 1}), PACE_PARTY, .run = pace_run},
    {.name = "pace's thread", PACE_PARTY, .kind = PARTY_THREAD, .run = pace_thread_run},
};
static const struct load load_pace = {.name = "pace",
                                      BENCH_PARTIES(pace_parties),
                                      .params_size = sizeof(struct pace_params),
                                      .describe = pace_describe,
                                      .place = pace_place};

static struct place_request place;
static struct fixture_rows rows;
static struct plan_run how;
static struct plan_item item;
static struct results results;

/* What results_take_again() is told of the last copy's measured party; the others never wait. took_ms 0: the truth. */
static struct {
    double waited_ms, took_ms;
    unsigned copies, cpus;
} waiting;

static void begin_with(const struct bench *bench, unsigned copies)
{
    how = fixture_run(&place, &rows);
    item = (struct plan_item){.bench = bench, .copies = copies, .calibrated_by = -1};
    assert_int_equal(results_init(&results, &item, &how), 0);
}

static int begin(void **state)
{
    begin_with(&bench_sheet, 1);
    return 0;
}

static int end(void **state)
{
    results_free(&results);
    fixture_free_rows(&rows);
    return 0;
}

static void enter(unsigned group, unsigned metric, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        results_sample(&results, group, metric, values[i]);
    assert_false(results.failed);
}

#define ENTER(group, metric, ...) \
    enter(group, metric, (const double[]){__VA_ARGS__}, COUNT(((const double[]){__VA_ARGS__})))

static void assert_near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.17g is not %.17g", got, expected);
}

static const struct row *metric_row(const char *metric)
{
    return fixture_find(&rows, metric, "");
}

/* --- Figures. --- */

TEST_WITH(test_results_value_as_the_metric_says, begin, end)
{
    for (unsigned m = 0; m < SHEET_COUNT; m++)
        ENTER(0, m, 1, 2, 4, 8, 10);
    (void)results_rows(&results, ROW_OK, "");
    assert_int_equal(rows.n, SHEET_COUNT);
    assert_near(metric_row("median")->value, 4);
    assert_near(metric_row("mean")->value, 5);
    assert_near(metric_row("number")->value, 5);
    assert_near(metric_row("min")->value, 1);
    assert_near(metric_row("max")->value, 10);
}

TEST_WITH(test_results_unknown_samples_count_for_nothing, begin, end)
{
    ENTER(0, SHEET_MEAN, 1, (double)NAN, 3);
    (void)results_rows(&results, ROW_OK, "");
    const struct row *row = metric_row("mean");
    assert_int_equal(row->stats.n, 2);
    assert_near(row->value, 2);
    assert_int_equal(row->n_samples, 3);
    assert_near(row->samples[0], 1);
    assert_true(isnan(row->samples[1]));
    assert_near(row->samples[2], 3);
}

TEST_WITH(test_results_optional_metric_without_samples_has_no_row, begin, end)
{
    static const struct metric metrics[] = {{.id = "headline", .unit = "ns", .better = "lower", .headline = true},
                                            {.id = "optional", .unit = "ns", .better = "lower", .optional = true}};
    static const struct bench bench = {DUMMY("optional"), .metrics = metrics, .n_shared_metrics = 2, .n_metrics = 2};

    for (unsigned entered = 0; entered < 2; entered++) {
        results_free(&results);
        begin_with(&bench, 1);
        ENTER(0, 0, 1);
        if (entered)
            ENTER(0, 1, NAN);
        assert_int_equal(results_rows(&results, ROW_OK, ""), ROW_OK);
        assert_int_equal(rows.n, 1 + entered);
        assert_non_null(metric_row("headline"));
        if (entered)
            assert_non_null(metric_row("optional"));
        fixture_free_rows(&rows);
    }
}

TEST_WITH(test_results_index_against_the_baseline, begin, end)
{
    ENTER(0, SHEET_MAX, 100, 75);
    ENTER(0, SHEET_MIN, 100, 75);
    (void)results_rows(&results, ROW_OK, "");
    assert_near(metric_row("max")->index, 20); /* ten times 100 of 50 */
    assert_true(isnan(metric_row("min")->index));
}

/* The headline's value is the geometric mean without the worst third, rounded down: of 2, 4, 8 and 16. */
TEST_WITH(test_results_classic_value_leaves_the_worst_third_out, begin, end)
{
    item.sampling.classic = true;
    (void)results_rows(&results, ROW_OK, "");
    assert_true(isnan(metric_row("median")->value));
    fixture_free_rows(&rows);
    ENTER(0, SHEET_MEDIAN, 2, 16, (double)NAN, 1, 8, 4);
    ENTER(0, SHEET_MEAN, 2, 16, 1, 8, 4);
    (void)results_rows(&results, ROW_OK, "");
    assert_near(metric_row("median")->value, 5.656854249492381); /* 1024^0.25 */
    assert_near(metric_row("mean")->value, 6.2);
}

/* --- Histogram and series. --- */

static void enter_hist(unsigned metric, uint64_t base, const uint64_t *values, size_t n)
{
    struct hist *hist = malloc(sizeof(*hist));

    assert_non_null(hist);
    hist_init(hist, base);
    for (size_t i = 0; i < n; i++)
        hist_add(hist, values[i]);
    results_hist(&results, 0, metric, hist);
    assert_false(results.failed);
    free(hist);
}

TEST_WITH(test_results_histograms_of_all_trials_are_one, begin, end)
{
    static const uint64_t first[] = {30, 10, 10}, second[] = {50};

    enter_hist(SHEET_MEAN, 5, first, COUNT(first));
    enter_hist(SHEET_MEAN, 20, second, COUNT(second));
    ENTER(0, SHEET_MEAN, 16, 17, 18, 19, 20);
    (void)results_rows(&results, ROW_OK, "");
    const struct row *row = metric_row("mean");
    assert_int_equal(row->stats.n, 4);
    assert_near(row->value, 25);
    assert_near(row->stats.median, 20);
    assert_near(row->stats.min, 10);
    assert_near(row->stats.max, 50);
    assert_near(row->stats.sd, 19.148542155126762); /* sqrt(1100 / 3) */
    assert_near(row->stats.rsd_pct, 76.59416862050705);
    /* The interval is that of the trials' means: 18 -+ 2.776445 sqrt(2.5) / sqrt(5). */
    assert_true(fabs(row->stats.ci95_lo - 16.0367569) < 1e-5);
    assert_true(fabs(row->stats.ci95_hi - 19.9632431) < 1e-5);
    assert_int_equal(row->n_samples, 5);
    assert_int_equal(row->n_hist, 3);
    assert_near(row->hist[0].at, 10);
    assert_near(row->hist[0].value, 2);
    assert_near(row->hist[1].at, 30);
    assert_near(row->hist[1].value, 1);
    assert_near(row->hist[2].at, 50);
    assert_near(row->hist[2].value, 1);
}

static void check_percentiles(unsigned n, bool p90, bool p99, bool p999)
{
    uint64_t *values = malloc(n * sizeof(*values));

    assert_non_null(values);
    for (unsigned i = 0; i < n; i++)
        values[i] = 1000 + i;
    enter_hist(SHEET_MEAN, 0, values, n);
    free(values);
    (void)results_rows(&results, ROW_OK, "");
    const struct row *row = metric_row("mean");
    assert_int_equal(isnan(row->stats.p90) == 0, p90);
    assert_int_equal(isnan(row->stats.p99) == 0, p99);
    assert_int_equal(isnan(row->stats.p999) == 0, p999);
    if (p999)
        assert_near(row->stats.p999, 1000 + 0.999 * (n - 1));
    fixture_free_rows(&rows);
    results_free(&results);
    assert_int_equal(results_init(&results, &item, &how), 0);
}

TEST_WITH(test_results_percentiles_need_events, begin, end)
{
    check_percentiles(9, false, false, false);
    check_percentiles(10, true, false, false);
    check_percentiles(99, true, false, false);
    check_percentiles(100, true, true, false);
    check_percentiles(999, true, true, false);
    check_percentiles(1000, true, true, true);
}

TEST_WITH(test_results_series_go_on_from_trial_to_trial, begin, end)
{
    struct series *series = calloc(1, sizeof(*series));

    assert_non_null(series);
    for (uint64_t i = 0; i < 5000; i++)
        series_add(series, i, 10000 - i);
    results_series(&results, 0, SHEET_MEAN, series);
    series_init(series);
    series_add(series, 0, 20000);
    series_add(series, 1, 20001);
    results_series(&results, 0, SHEET_MEAN, series);
    assert_false(results.failed);
    free(series);
    (void)results_rows(&results, ROW_OK, "");
    const struct row *row = metric_row("mean");
    assert_int_equal(row->n_series, 2000);
    assert_int_equal(row->series_left_out, 3002);
    assert_near(row->series[0].value, 10000);
    assert_true(row->series[0].at == 0);
    assert_near(row->series[1997].at, 1997);
    assert_near(row->series[1998].at, 5000);
    assert_near(row->series[1998].value, 20000);
    assert_near(row->series[1999].at, 5001);
}

TEST_WITH(test_results_scaled_metric_repeats_another, begin, end)
{
    static const uint64_t values[] = {10, 10, 30, 50};

    enter_hist(SHEET_MEDIAN, 0, values, COUNT(values));
    ENTER(0, SHEET_MEDIAN, 20, 20, 30, 30, 25);
    results_scaled(&results, SHEET_MEAN, SHEET_MEDIAN, 0.5);
    (void)results_rows(&results, ROW_OK, "");
    const struct row *of = metric_row("median"), *row = metric_row("mean");
    assert_near(of->value, 20);
    assert_int_equal(of->n_hist, 3);
    assert_near(row->value, 12.5);
    assert_near(row->stats.median, 10);
    assert_near(row->stats.min, 5);
    assert_near(row->stats.max, 25);
    assert_near(row->stats.sd, of->stats.sd / 2);
    assert_near(row->stats.rsd_pct, of->stats.rsd_pct);
    assert_near(row->stats.mad, of->stats.mad / 2);
    assert_near(row->stats.ci95_lo, of->stats.ci95_lo / 2);
    assert_near(row->stats.ci95_hi, of->stats.ci95_hi / 2);
    assert_int_equal(row->n_samples, 5);
    assert_near(row->samples[4], 12.5);
}

/* --- Precision. --- */

/* 98 to 102: SD sqrt(2.5), half-width 2.776445 sqrt(2.5) / sqrt(5) of 100. */
TEST_WITH(test_results_precision_of_the_headline, begin, end)
{
    assert_true(isnan(results_precision_pct(&results)));
    ENTER(0, SHEET_MEDIAN, 98, 99, 100, 101);
    ENTER(0, SHEET_MEAN, 1, 100, 3, 1000, 5); /* not the headline's */
    assert_true(isnan(results_precision_pct(&results)));
    ENTER(0, SHEET_MEDIAN, 102);
    assert_true(fabs(results_precision_pct(&results) - 1.9632431) < 1e-5);
}

TEST_WITH(test_results_precision_of_the_worst_group, begin, end)
{
    results_free(&results);
    begin_with(&bench_copies, 3);
    ENTER(0, SHEET_MEDIAN, 98, 99, 100, 101, 102);
    ENTER(1, SHEET_MEDIAN, 96, 98, 100, 102, 104);
    ENTER(2, SHEET_MEDIAN, 100, 100, 100, 100);
    assert_true(isnan(results_precision_pct(&results)));
    ENTER(2, SHEET_MEDIAN, 100);
    assert_true(fabs(results_precision_pct(&results) - 3.9264862) < 1e-5);
}

/* Enters one more sample, as a trial would, and asks. */
static bool enough_after(double sample)
{
    ENTER(0, SHEET_MEDIAN, sample);
    results.n_trials++;
    return results_sampled_enough(&results);
}

/* A sample that lies far off after the precision was reached: it has to be reached anew, and then held. */
TEST_WITH(test_results_precision_has_to_hold, begin, end)
{
    uint64_t n = 0, again = 0;

    item.sampling = (struct sampling){.min_samples = 5, .max_ns = UINT64_MAX / 2, .precision_pct = 2};
    while (n < 15)
        assert_false(enough_after(100 + (double)(n++ % 2)));
    assert_int_equal(results.precise_from, 5);
    assert_false(enough_after(130));
    assert_int_equal(results.precise_from, 0);
    while (!enough_after(100))
        again = results.precise_from;
    assert_true(again > 16);
    assert_int_equal(results.n_trials, again + 10 + again / 4);
}

/* Without any sample the precision is not known, so only the numbers and the times decide. */
TEST_WITH(test_results_enough_by_number_and_time, begin, end)
{
    static const struct {
        uint64_t min, max, n, spent_ns, max_ns;
        bool enough;
    } cases[] = {
        {0, 0, 0, 0, 0, false}, /* at least one, however little time there is */
        {0, 0, 1, 1, 0, true},     {3, 0, 2, 900, 1, false},   {3, 0, 3, 900, 1, true},
        {1, 4, 3, 0, 1000, false}, {1, 4, 4, 0, 1000, true},   {4, 4, 3, 900, 1, false},
        {4, 4, 4, 0, 1000, true},  {1, 0, 4, 400, 500, false}, /* one more of 100 just fits */
        {1, 0, 4, 401, 500, true}, {1, 0, 4, 400, 499, true},  {1, 0, 1000000, 0, 1, false},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        item.sampling = (struct sampling){
            .min_samples = cases[i].min, .max_samples = cases[i].max, .max_ns = cases[i].max_ns, .precision_pct = 2};
        results.n_trials = cases[i].n;
        results.spent_ns = cases[i].spent_ns;
        if (results_sampled_enough(&results) != cases[i].enough)
            fail_msg("case %zu", i);
        assert_int_equal(results.precise_from, 0);
    }
}

/* --- Status. --- */

TEST_WITH(test_results_unstable_when_the_headline_spreads, begin, end)
{
    ENTER(0, SHEET_MEDIAN, 93, 100, 107); /* RSD 7 % */
    ENTER(0, SHEET_MEAN, 50, 100, 150);
    assert_int_equal(results_rows(&results, ROW_OK, ""), ROW_UNSTABLE);
    assert_int_equal(metric_row("median")->status, ROW_UNSTABLE);
    assert_string_equal(metric_row("median")->reason, "the samples spread by more than 5 % (RSD)");
    assert_int_equal(metric_row("mean")->status, ROW_OK);
}

static void check_without_values(enum row_status status)
{
    ENTER(0, SHEET_MEDIAN, 93, 100, 107);
    ENTER(0, SHEET_MAX, 100);
    assert_int_equal(results_rows(&results, status, "because"), status);
    assert_int_equal(rows.n, 1);
    assert_string_equal(rows.row[0].metric, "median");
    assert_int_equal(rows.row[0].status, status);
    assert_string_equal(rows.row[0].reason, "because");
    assert_true(isnan(rows.row[0].value));
    assert_int_equal(rows.row[0].n_samples, 0);
    assert_int_equal(rows.row[0].stats.n, 0);
}

/* Without a headline metric it is the row of the first, else that of the headline wherever it is. */
TEST_WITH(test_results_failed_row_is_of_the_headline, begin, end)
{
    static const struct metric without[] = {{.id = "first", .better = ""}, {.id = "second", .better = ""}};
    static const struct metric last[] = {{.id = "first", .better = ""},
                                         {.id = "second", .better = "", .headline = true}};

    for (unsigned i = 0; i < 2; i++) {
        const struct bench bench = {DUMMY("b"), .metrics = i ? last : without, .n_shared_metrics = 2, .n_metrics = 2};
        results_free(&results);
        begin_with(&bench, 1);
        assert_int_equal(results_rows(&results, ROW_FAILED, "because"), ROW_FAILED);
        assert_int_equal(rows.n, 1);
        assert_string_equal(rows.row[0].metric, i ? "second" : "first");
        fixture_free_rows(&rows);
        results_free(&results);
        begin_with(&bench_sheet, 1);
    }
}

/* The first trouble is told: what was refused, what could not be applied, too many stops by signals. */
TEST_WITH(test_results_degraded_by_the_first_of_several_reasons, begin, end)
{
    static const struct {
        const char *refused, *degraded;
        uint64_t n_stopped;
        const char *reason;
    } cases[] = {
        {"refused", "not applied", 9, "refused"},
        {"", "not applied", 9, "not applied"},
        {"", NULL, 4, "stopped by signals repeatedly: 4 samples, of which 3 were repeated"},
        {"", "", 3, ""},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        strcpy(results.group[0].refused, cases[i].refused);
        how.degraded = cases[i].degraded;
        results.n_stopped = cases[i].n_stopped;
        const enum row_status status = cases[i].reason[0] ? ROW_DEGRADED : ROW_OK;
        assert_int_equal(results_rows(&results, ROW_OK, ""), status);
        assert_string_equal(metric_row("mean")->reason, cases[i].reason);
        fixture_free_rows(&rows);
    }
    strcpy(results.group[0].refused, "refused"); /* does not count for what has not run */
    (void)results_rows(&results, ROW_SKIPPED, "skipped");
    assert_int_equal(rows.row[0].status, ROW_SKIPPED);
    assert_string_equal(rows.row[0].reason, "skipped");
}

TEST_WITH(test_results_failed_has_one_row_without_values, begin, end)
{
    check_without_values(ROW_FAILED);
}

/* --- Trials. --- */

static struct trial *run_trial(void)
{
    const struct trial_spec spec = {.bench = item.bench,
                                    .params = "",
                                    .copies = item.copies,
                                    .sample = results.n_trials,
                                    .place = how.place,
                                    .clock = how.clock,
                                    .series_fd = -1};
    struct trial *trial = trial_run(&spec);

    assert_non_null(trial);
    assert_int_equal(trial->outcome, TRIAL_DONE);
    return trial;
}

/* A trial in which a measured process waited for a CPU for more than half of its time is taken again. If that one
 * waited too, it counts, its rows are degraded, and no further trial is taken again: it is always so. */
static const struct {
    const char *name;
    double took_ms;
    const char *waited; /* of each of the trials: in tenths of took_ms */
    const char *again;  /* what is said of each */
    const char *reason;
    unsigned copies, cpus;
    bool switches, ends_early, load, counts;
} waits[] = {
    {"never", 200, "055", "...", "", 1, 2, .load = false},
    {"once", 200, "0900", ".1..", "", 1, 2, .load = false},
    {"several times", 200, "90808", "1.1.1", "", 1, 2, .load = false},
    {"always", 205, "999", "1..", "a sample waited for a CPU for more than half of its time", 1, 2, .load = false},
    {"twice, then once", 100, "6709", "1...", "a sample waited for a CPU for more than half of its time", 1, 2,
     .load = false},
    {"in the second copy", 100, "66", "1.", "a sample waited for a CPU for more than half of its time", 2, 4,
     .load = false},
    {"more parties than CPUs", 200, "99", "..", "", 2, 3, .load = false},
    {"work that is switching", 200, "99", "..", "", 1, 2, .switches = true},
    {"what measures the waiting", 200, "99", "..", "", 1, 2, .ends_early = true},
    {"with a load", 200, "99", "..", "", 1, 2, .load = true},
    {"experiments, whose delays are the figure", 200, "99", "..", "", 1, 2, .counts = true},
    {"a short sample", 99, "99", "..", "", 1, 2, .load = false},
};

static uint64_t one_count(const void *params)
{
    return 1;
}

TEST_WITH(test_results_takes_again_what_waited_for_a_cpu, begin, end)
{
    for (size_t i = 0; i < COUNT(waits); i++) {
        struct bench bench = bench_copies;
        bench.switches = waits[i].switches;
        bench.ends_early = waits[i].ends_early;
        struct party parties[4];
        assert_in_range(bench.n_parties, 1, COUNT(parties));
        memcpy(parties, bench.parties, bench.n_parties * sizeof(parties[0]));
        parties[0].counts = waits[i].counts ? one_count : NULL;
        bench.parties = parties;
        results_free(&results);
        begin_with(&bench_copies, waits[i].copies);
        struct trial *trial = run_trial();
        item.bench = &bench;
        item.load = waits[i].load ? &load_pace : NULL;
        for (const char *waited = waits[i].waited; *waited; waited++) {
            waiting.took_ms = waits[i].took_ms;
            waiting.waited_ms = waits[i].took_ms * (*waited - '0') / 10;
            waiting.copies = waits[i].copies;
            waiting.cpus = waits[i].cpus;
            const bool again = results_take_again(&results, trial);
            waiting.took_ms = 0;
            if (again != (waits[i].again[waited - waits[i].waited] == '1'))
                fail_msg("%s: trial %d", waits[i].name, (int)(waited - waits[i].waited));
        }
        trial_free(trial);
        for (unsigned copy = 0; copy < waits[i].copies; copy++)
            assert_string_equal(results.group[copy].refused, copy + 1 == waits[i].copies ? waits[i].reason : "");
        item.load = NULL;
        results_free(&results);
        begin_with(&bench_sheet, 1);
    }
}

const struct trial_slot *__real_trial_party(const struct trial *trial, unsigned party, unsigned copy);
const struct trial_slot *__wrap_trial_party(const struct trial *trial, unsigned party, unsigned copy);
const struct trial_slot *__wrap_trial_party(const struct trial *trial, unsigned party, unsigned copy)
{
    static struct trial_slot changed[4][16];
    struct trial_slot *const out = &changed[party][copy];
    assert_true(party < 4 && copy < 16);
    *out = *__real_trial_party(trial, party, copy);
    if (!(waiting.took_ms > 0))
        return out;
    cpuset_clear(&out->seen.cpus);
    for (unsigned cpu = 0; cpu < waiting.cpus; cpu++)
        cpuset_add(&out->seen.cpus, cpu);
    out->end_ns = out->start_ns + (uint64_t)(waiting.took_ms * 1e6);
    out->counters.cpu_ns = 0;
    out->counters.run_delay_ns = party || copy + 1 < waiting.copies ? 0 : (int64_t)(waiting.waited_ms * 1e6);
    return out;
}

static double enter_trial(void)
{
    struct trial *trial = run_trial();
    double wall_s = (double)trial->wall_ns * 1e-9;

    assert_int_equal(results_enter(&results, trial), 0);
    trial_free(trial);
    return wall_s;
}

/* Of 2,000 events P99 is known to ranks 1971 to 1990, which is 0.5 %; of 1,000 not so well. */
TEST_WITH(test_results_percentile_of_all_events, begin, end)
{
    results_free(&results);
    begin_with(&bench_tail, 1);
    item.sampling = (struct sampling){.min_samples = 1, .max_ns = UINT64_MAX / 2, .precision_pct = 0.5};
    do
        (void)enter_trial();
    while (!results_sampled_enough(&results));
    assert_int_equal(results.n_trials, 2);
    (void)results_rows(&results, ROW_OK, "");
    assert_int_equal(rows.n, 3); /* ten events are above P99, two above P99.9 */
    const struct row *row = metric_row("p99");
    assert_near(row->value, 990.01);
    assert_near(row->stats.ci95_lo, 986);
    assert_near(row->stats.ci95_hi, 995);
    assert_int_equal(row->n_samples, 1);
    assert_near(row->samples[0], row->value);
    assert_near(metric_row("longest")->value, 1000);
    assert_true(isnan(metric_row("longest")->stats.ci95_lo));
}

/* The counters and the causes in rows: test_worker.c. */
TEST_WITH(test_results_enter_counts_all_trials_and_copies, begin, end)
{
    item.copies = 2;
    how.timer_latency_held = true;
    double wall_s = enter_trial();
    wall_s += enter_trial();
    assert_int_equal(results.n_trials, 2);
    assert_int_equal(results_rows(&results, ROW_OK, ""), ROW_OK);
    const struct row *row = metric_row("median");
    assert_int_equal(row->n_samples, 4);
    assert_near(row->samples[0], 100);
    assert_near(row->samples[1], 101);
    assert_near(row->wall_s, wall_s);
    /* Counts of two trials and two copies, without the partner: with it they would be twice as much. (On a busy CPU
     * a nap may be over before it has begun.) */
    assert_in_range(row->ctx_voluntary, 2 * NAPS + 1, 8 * NAPS - 1);
    assert_true(row->cpu_s > 0 && row->cpu_s < wall_s * 2);
    assert_string_equal(row->policy, "other");
    int own_nice;
    assert_int_equal(task_get_nice(&own_nice), 0);
    assert_true(row->rt_priority == 0 && row->nice == own_nice);
    assert_string_equal(row->bind, "one");
    assert_string_equal(row->timer_latency_held, "yes");
    assert_string_equal(row->layout, task_layout_fixed() ? "random env (ASLR is off)" : "random stack,heap");
    char text[256];
    struct cpuset cpus = {.word = {0}};
    cpuset_add(&cpus, place.order[0]);
    cpuset_add(&cpus, place.order[1 % place.n_order]);
    (void)cpuset_format(&cpus, text, sizeof(text));
    assert_string_equal(row->cpus, text);
}

TEST_WITH(test_results_unknown_counters_stay_unknown, begin, end)
{
    (void)BELOW("/nonexistent", enter_trial());
    procfs_root = "";
    (void)enter_trial();
    (void)results_rows(&results, ROW_OK, "");
    const struct row *row = metric_row("median");
    assert_true(isnan(row->irqs));
    assert_true(isnan(row->softirqs));
    assert_true(isnan(row->steal_ms));
    assert_null(strstr(causes_of(row), "steal"));
    assert_null(strstr(causes_of(row), "timer"));
    assert_true(row->ctx_voluntary > NAPS);
}

TEST_WITH(test_results_causes_of_the_benchmarks_own, begin, end)
{
    results_free(&results);
    begin_with(&bench_copies, 2);
    (void)enter_trial();
    (void)enter_trial();
    results_cause(&results, 1, "interrupt", 1.5);
    results_cause(&results, 1, "interrupt", 0.25);
    (void)results_rows(&results, ROW_OK, "");
    const struct row *second = &rows.row[SHEET_COUNT];
    assert_int_equal(strncmp(causes_of(second), "interrupt:1.75;", 15), 0);
    assert_null(strstr(causes_of(second), "preempted"));
    assert_null(strstr(causes_of(second), "steal"));
    for (int i = 1; i < CAUSES_OWN; i++)
        results_cause(&results, 1, "abcdefgh" + i, 1);
    assert_false(results.failed);
    results_cause(&results, 1, "one more", 1);
    assert_true(results.failed);
}

TEST_WITH(test_results_refused_placement_degrades_all_rows, begin, end)
{
    place.nice_given = true;
    place.nice = 20;
    (void)enter_trial();
    ENTER(0, SHEET_MEDIAN, 20, 30); /* that it spreads as well is the lesser trouble */
    assert_int_equal(results_rows(&results, ROW_OK, ""), ROW_DEGRADED);
    assert_int_equal(rows.n, SHEET_COUNT);
    for (size_t i = 0; i < rows.n; i++) {
        assert_int_equal(rows.row[i].status, ROW_DEGRADED);
        assert_string_equal(rows.row[i].reason,
                            "nice 20 refused: Invalid argument (needs root, CAP_SYS_NICE or ulimit -e)");
    }
    assert_near(metric_row("median")->value, 30); /* of 100, 20 and 30 */
}

static int try_fifo(void)
{
    return task_set_policy(SCHED_FIFO, 10) ? CANNOT : 0;
}

TEST_WITH(test_results_policy_that_changed_is_mixed, begin, end)
{
    assert_int_equal(fixture_in_child(try_fifo), 0);
    fixture_spare_cpu(&place);
    place.fifo = true;
    place.fifo_priority = 10;
    (void)enter_trial();
    (void)results_rows(&results, ROW_OK, "");
    assert_string_equal(metric_row("median")->policy, "fifo");
    assert_true(metric_row("median")->rt_priority == 10);
    fixture_free_rows(&rows);
    place.fifo = false;
    (void)enter_trial();
    (void)results_rows(&results, ROW_OK, "");
    assert_string_equal(metric_row("median")->policy, "mixed");
}

static void assert_layout(const char *expected)
{
    results.n_trials = 1;
    (void)results_rows(&results, ROW_OK, "");
    assert_string_equal(metric_row("median")->layout, expected);
    fixture_free_rows(&rows);
}

TEST_WITH(test_results_layout_is_what_was_seen, begin, end)
{
    struct placement_seen *seen = &results.group[0].seen;

    assert_layout("inherited (plain fork)");
    seen->fresh_exec = true;
    assert_layout("random stack,heap");
    seen->layout_fixed = true;
    assert_layout("random env (ASLR is off)"); /* as under setarch -R */
    place.layout_fixed = true;
    assert_layout("fixed");
    seen->layout_fixed = false;
    assert_layout("random (fixed was refused)");
    assert_int_equal(results_rows(&results, ROW_OK, ""), ROW_DEGRADED);
    assert_int_equal(metric_row("mean")->status, ROW_DEGRADED);
    assert_string_equal(metric_row("mean")->reason, "fixed memory layout refused (personality)");
}

/* A group that a trial found: it shows its own CPUs and samples, and has the rest of the first group. */
TEST_WITH(test_results_group_that_a_trial_found, begin, end)
{
    struct cpuset cpus = {{0}};
    struct row_params remarks = {.n = 0};

    (void)BELOW("/nonexistent", enter_trial());
    procfs_root = "";
    cpuset_add(&cpus, 11);
    assert_int_equal(results_group(&results, &cpus), 1);
    cpuset_add(&cpus, 12);
    assert_int_equal(results_group(&results, &cpus), 2);
    row_param_add(&remarks, PARAM_WORK, "found", "%d", 5);
    results_remark(&results, 1, &remarks);
    ENTER(1, SHEET_MEAN, 3, 5);
    results_scaled(&results, SHEET_MAX, SHEET_MEAN, 10);
    results.group[0].control = 42;
    (void)results_rows(&results, ROW_OK, "");
    assert_int_equal(rows.n, 3 * SHEET_COUNT);
    const struct row *first = &rows.row[0], *found = &rows.row[SHEET_COUNT], *last = &rows.row[2 * SHEET_COUNT];
    assert_string_equal(found->cpus, "11");
    assert_string_equal(last->cpus, "11-12");
    assert_string_equal(first->param.text, "control=fifo:42");
    assert_string_equal(found->param.text, "control=fifo:42 found=5");
    assert_near(found->wall_s, first->wall_s);
    assert_true(first->n_samples == 1 && found->n_samples == 0);
    assert_near(found[SHEET_MEAN].value, 4);
    assert_near(found[SHEET_MAX].value, 50);
    assert_near(found[SHEET_MAX].samples[0], 30);
}

/* --- With the core free. --- */

/* Enters five trials, with a core that is free up to level 70 but for other (0: none) of a neighbour. */
static struct core_session *enter_core_trials(void)
{
    struct core_session *session = calloc(1, sizeof(*session));

    assert_non_null(session);
    results_free(&results);
    begin_with(&bench_core, 1);
    session->probe = (struct core_probe){.blocks = 15, .unit = 33.25};
    how.core = session;
    how.max_rsd_pct = 0;
    for (int i = 0; i < 5; i++)
        (void)enter_trial();
    return session;
}

static void rows_with_core(enum row_status expected)
{
    fixture_free_rows(&rows);
    assert_int_equal(results_rows(&results, ROW_OK, ""), expected);
    for (unsigned m = CORE_RATE_ALONE; m < CORE_METRICS; m += 2) { /* so that the rows can be made again */
        free(results.group[0].metric[m].samples);
        results.group[0].metric[m].samples = NULL;
    }
}

/* Rates of 8 to 12, and of 18 to 22 in a millionth of a second with the core free; costs are the reverse. */
TEST_WITH(test_results_with_the_core_free, begin, end)
{
    struct core_session *session = enter_core_trials();

    rows_with_core(ROW_OK);
    assert_int_equal(rows.n, CORE_METRICS);
    const struct row *rate = metric_row("rate"), *alone = metric_row("rate_alone"), *cost = metric_row("cost_alone");
    assert_near(rate->value, 10);
    assert_near(rate->explained_pct, 75); /* 2.5 of 10^2, and of 20^2 */
    assert_near(rate->core_mhz, 1330);
    assert_string_equal(rate->core_share, "0.922"); /* 40 of 48, and 8 of 70 / 132 */
    assert_near(alone->value, 4e7);                 /* times 2 */
    assert_near(alone->stats.mean, 4e7);
    assert_int_equal(alone->stats.n, 200);
    assert_near(alone->stats.median, 4e7);
    assert_near(alone->explained_pct, 75);
    assert_string_equal(alone->reason, "the core was free in 200 of 240 slices");
    assert_int_equal(alone->n_samples, 5);
    assert_near(alone->samples[0], 3.6e7);
    assert_near(alone->samples[4], 4.4e7);
    assert_true(alone->stats.ci95_lo > 3.9e7 && alone->stats.ci95_lo < 4e7);
    assert_near(alone->stats.ci95_lo + alone->stats.ci95_hi, 8e7);
    assert_near(cost->value, 50);
    assert_near(cost->samples[1], 1000 / 19.0);
    assert_int_equal(metric_row("cost")->n_samples, 5);
    how.max_rsd_pct = 5; /* of 15.8 % and 7.9 % */
    rows_with_core(ROW_UNSTABLE);
    assert_string_equal(metric_row("rate_alone")->reason,
                        "the core was free in 200 of 240 slices; the samples spread even while the core was free");
    assert_int_equal(metric_row("rate_alone")->status, ROW_OK);
    how.max_rsd_pct = 7.91;
    item.copies = 2; /* rates of copies that share a row add up */
    rows_with_core(ROW_UNSTABLE);
    assert_near(metric_row("rate_alone")->value, 8e7);
    assert_near(metric_row("rate_alone")->samples[0], 7.2e7);
    assert_near(metric_row("cost_alone")->value, 50);
    assert_string_equal(metric_row("rate_alone")->reason, "the core was free in 200 of 240 slices");
    item.copies = 1;
    free(session);
}

static void assert_alone_unknown(const char *reason, const char *share)
{
    for (unsigned m = CORE_RATE_ALONE; m < CORE_METRICS; m += 2) {
        const struct row *row = &rows.row[m];
        assert_true(isnan(row->value) && isnan(row->explained_pct));
        assert_int_equal(row->n_samples, 0);
        assert_string_equal(row->reason, reason);
        assert_string_equal(row->core_share, share);
    }
    assert_true(isnan(rows.row[CORE_RATE].explained_pct));
    assert_near(rows.row[CORE_RATE].value, 10);
}

TEST_WITH(test_results_with_the_core_free_are_not_always_known, begin, end)
{
    struct core_session *session = enter_core_trials();
    struct group_values *group = &results.group[0];
    const unsigned cpu = group->core_cpu;

    group->core_own = true;
    rows_with_core(ROW_OK);
    assert_alone_unknown("other parties of the run can be on the same core", "own");
    group->core_own = false;
    session->lowest[cpu] = HALF;
    rows_with_core(ROW_OK);
    assert_alone_unknown("the core was never surely free: 2.1 additions a cycle at most, as half of a wider core does",
                         "");
    session->lowest[cpu] = FREE;
    for (unsigned m = CORE_RATE_ALONE; m < CORE_METRICS; m += 2)
        for (size_t i = 0; i < group->metric[m].core.n; i++)
            group->metric[m].core.note[i].cell.n = group->metric[m].core.note[i].trial == 1; /* 8 slices */
    rows_with_core(ROW_OK);
    assert_alone_unknown("the core was free in 8 of 240 slices", "0.922");
    memset(group->core_probes, 0, sizeof(group->core_probes));
    group->core_probes[CORE_LEVELS - 1] = 240; /* all probes were interrupted */
    rows_with_core(ROW_OK);
    assert_alone_unknown("the core was free in 8 of 240 slices", "");
    group->core_cpu = CPUSET_NONE;
    how.core = NULL;
    rows_with_core(ROW_OK);
    assert_int_equal(rows.n, 2);
    how.core = session;
    item.sampling.classic = true;
    rows_with_core(ROW_OK);
    assert_int_equal(rows.n, 2);
    free(session);
}

static void check_copy_in_param(enum bind_mode bind, unsigned copies, const char *expected)
{
    results_free(&results);
    begin_with(&bench_copies, copies);
    place.bind = bind;
    place.n_order = 2;
    (void)results_rows(&results, ROW_OK, "");
    assert_string_equal(rows.row[SHEET_COUNT * (copies - 1)].param.text, expected);
    fixture_free_rows(&rows);
}

TEST_WITH(test_results_copies_on_the_same_cpus_are_numbered, begin, end)
{
    check_copy_in_param(BIND_ONE, 2, "");
    check_copy_in_param(BIND_ONE, 3, "copy=2");
    check_copy_in_param(BIND_RANGE, 2, "copy=1");
    check_copy_in_param(BIND_NONE, 2, "copy=1");
    check_copy_in_param(BIND_NONE, 1, "");
}

/* --- Loads. --- */

static struct trial *run_beside(struct pace_params *params, uint64_t time_ns)
{
    results_free(&results);
    begin_with(&bench_timed, 1);
    item.load = &load_pace;
    item.load_params = params;
    const struct trial_spec spec = {.bench = item.bench,
                                    .params = "",
                                    .load = item.load,
                                    .load_params = params,
                                    .copies = 1,
                                    .time_ns = time_ns,
                                    .place = how.place,
                                    .clock = how.clock,
                                    .series_fd = -1};
    struct trial *trial = trial_run(&spec);
    assert_non_null(trial);
    assert_int_equal(trial->outcome, TRIAL_DONE);
    return trial;
}

/* Adds one trial n times and makes the rows. */
static void enter_beside(struct pace_params *params, uint64_t time_ns, int times)
{
    struct trial *trial = run_beside(params, time_ns);

    for (int i = 0; i < times; i++)
        assert_int_equal(results_enter(&results, trial), 0);
    trial_free(trial);
    (void)results_rows(&results, ROW_OK, "");
}

/* ":5" where the tests themselves run niced by 5, else "": parties inherit it. */
static const char *own_nice(void)
{
    static char suffix[16];
    int nice_value = getpriority(PRIO_PROCESS, 0);

    suffix[0] = '\0';
    if (nice_value)
        (void)snprintf(suffix, sizeof(suffix), ":%d", nice_value);
    return suffix;
}

TEST_WITH(test_results_say_how_the_others_ran_and_what_the_load_did, begin, end)
{
    char param[128];

    struct pace_params params = {
        .count = {[LOAD_CPU] = 0.125, [LOAD_READ] = 3e10, [LOAD_DISK_READ] = (double)NAN, [LOAD_WAKEUPS] = 7}};

    enter_beside(&params, 5 * MS, 2);
    assert_string_equal(metric_row("mean")->load, "pace");
    (void)snprintf(param, sizeof(param),
                   "stride=2 timer=other%s load=other%s load_cpu_s=0.25 load_read=60000000000 load_wakeups=14",
                   own_nice(), own_nice());
    assert_string_equal(metric_row("mean")->param.text, param);
    assert_int_equal(metric_row("mean")->status, ROW_OK); /* so short a run says nothing of what it does in a second */
}

static void assert_all_degraded(const char *reason)
{
    assert_int_equal(rows.n, COUNT(shared_metrics));
    for (size_t i = 0; i < rows.n; i++) {
        assert_int_equal(rows.row[i].status, ROW_DEGRADED);
        assert_string_equal(rows.row[i].reason, reason);
    }
}

TEST_WITH(test_results_degraded_load_degrades_all_rows, begin, end)
{
    struct pace_params params = {.degraded = true, .thread_degraded = true};

    enter_beside(&params, 5 * MS, 1);
    assert_all_degraded("load: out of step");
    fixture_free_rows(&rows);
    params.degraded = false;
    enter_beside(&params, 5 * MS, 1);
    assert_all_degraded("the load's thread: limping");
}

/* The least of a load is that of a second: a little less, then a little more than it did. */
TEST_WITH(test_results_load_that_did_next_to_nothing, begin, end)
{
    struct pace_params params = {.count = {[LOAD_WAKEUPS] = 900}};
    struct load pace = load_pace;
    char reason[128];

    struct trial *trial = run_beside(&params, 550 * MS);
    trial->load_s = 0.55;
    const double of_a_second = 900 / trial->load_s;
    item.load = &pace;
    pace.least[LOAD_WAKEUPS] = 0.99 * of_a_second;
    assert_int_equal(results_enter(&results, trial), 0);
    (void)results_rows(&results, ROW_OK, "");
    assert_int_equal(metric_row("mean")->status, ROW_OK);
    fixture_free_rows(&rows);
    pace.least[LOAD_WAKEUPS] = 1.01 * of_a_second;
    assert_int_equal(results_enter(&results, trial), 0);
    (void)results_rows(&results, ROW_OK, "");
    (void)snprintf(reason, sizeof(reason), "the load pace did next to nothing: load_wakeups is 900 in %.1f s",
                   trial->load_s);
    assert_all_degraded(reason);
    trial_free(trial);
}

/* Bytes that the load claims to have written, against the kernel's count; half of them is enough, since the run's
 * ends are not exact. */
TEST_WITH(test_results_load_whose_bytes_were_not_on_the_disk, begin, end)
{
    struct pace_params params = {.count = {[LOAD_WRITTEN] = 100 * 0x1p20, [LOAD_DISK_WRITTEN] = 50 * 0x1p20}};

    enter_beside(&params, 5 * MS, 1);
    assert_int_equal(metric_row("mean")->status, ROW_OK);
    fixture_free_rows(&rows);
    params.count[LOAD_DISK_WRITTEN] = 49 * 0x1p20;
    enter_beside(&params, 5 * MS, 1);
    assert_all_degraded("load: of 100 MiB written only 49 MiB went to or came from the disk");
    fixture_free_rows(&rows);
    params.count[LOAD_DISK_WRITTEN] = 0;
    enter_beside(&params, 5 * MS, 1);
    assert_all_degraded("load: of 100 MiB written only 0 MiB went to or came from the disk");
    fixture_free_rows(&rows);
    params.count[LOAD_DISK_WRITTEN] = (double)NAN; /* not known */
    params.count[LOAD_READ] = 0x1p40;
    params.count[LOAD_DISK_READ] = 0x1p20;
    enter_beside(&params, 5 * MS, 1);
    assert_all_degraded("load: of 1048576 MiB read only 1 MiB went to or came from the disk");
}

/* Bytes that a rate asks for; nine tenths are enough. What was reached is a parameter, on the same base of time. */
TEST_WITH(test_results_load_that_does_not_keep_its_rate, begin, end)
{
    struct pace_params params = {.count = {[LOAD_PACED] = 100 * 0x1p20,
                                           [LOAD_WRITTEN] = 90 * 0x1p20,
                                           [LOAD_DISK_WRITTEN] = (double)NAN,
                                           [LOAD_DISK_READ] = (double)NAN},
                                 .rate = 20000000};

    enter_beside(&params, 5 * MS, 2);
    const struct row *row = metric_row("mean");
    assert_int_equal(row->status, ROW_OK);
    assert_true(row_param_number(&row->param, "load_rate") == 18000000);
    fixture_free_rows(&rows);
    params.count[LOAD_WRITTEN] = 0;
    params.count[LOAD_READ] = 89 * 0x1p20;
    enter_beside(&params, 5 * MS, 1);
    assert_all_degraded("load: of 100 MiB by its rate only 89 MiB went to or came from the disk");
}

int main(int argc, char **argv)
{
    trial_worker_main(argc, argv, registry, loads);
    process_init();
    signals_init();
    return run_all_tests();
}
