/* SPDX-License-Identifier: MIT */
/* The task frame: its accounting on made-up times, and the rows made of it and of audio-period. */
#include "bench_fixture.h"

#include "bench/tasks.h"

#define MS 1000000ull

static struct frame_account a;
static struct hist times;
static struct series series;
static uint64_t now;

static void begin(uint64_t period)
{
    hist_init_classes(&times, 1000);
    series_init(&series);
    memset(&a, 0, sizeof(a));
    a.period_ns = period;
    a.times = &times;
    a.series = &series;
    now = 5000 * MS;
    frame_shown(&a, now);
}

static void show(unsigned n, uint64_t took)
{
    for (unsigned i = 0; i < n; i++)
        frame_shown(&a, now += took);
}

TEST(test_frame_is_shown_at_the_blank_after_it_is_ready)
{
    begin(10);
    assert_int_equal(frame_blank(&a, 0, 5), 1);
    assert_int_equal(frame_blank(&a, 0, 10), 1); /* in time */
    assert_int_equal(a.missed, 0);
    assert_int_equal(frame_blank(&a, 0, 11), 2);
    assert_int_equal(a.missed, 1);
    assert_int_equal(frame_blank(&a, 2, 55), 6); /* due at 3; not at 3, 4 and 5 */
    assert_int_equal(a.missed, 4);
}

TEST(test_frame_stutters_above_twice_the_median)
{
    begin(0);
    show(9, 10 * MS);
    show(1, 100 * MS); /* nine have no median yet */
    assert_int_equal(a.stutters, 0);
    show(1, 20 * MS);
    assert_int_equal(a.stutters, 0);
    show(1, 20 * MS + 1);
    assert_int_equal(a.stutters, 1);
    assert_int_equal(times.n, 12);
    assert_int_equal(series.n, 12);
    assert_int_equal(a.shown_ns - a.first_ns, 230 * MS + 1);
    begin(0);
    show(5, 10 * MS);
    show(5, 30 * MS);
    show(1, 50 * MS); /* of an even number the upper one */
    assert_int_equal(a.stutters, 0);
}

/* After frames of 10 ms others of 25 ms: the first are stutters; after a second those before are forgotten. */
TEST(test_frame_median_is_of_the_second_before)
{
    begin(0);
    show(200, 10 * MS);
    show(1, 25 * MS);
    assert_int_equal(a.stutters, 1);
    show(45, 25 * MS);
    assert_true(a.stutters > 10 && a.stutters < 40);
    const uint64_t settled = a.stutters;
    show(1, 45 * MS);
    assert_int_equal(a.stutters, settled);
    show(1, 51 * MS);
    assert_int_equal(a.stutters, settled + 1);
}

/* More frames in a second than are kept: 1,024 of a sixteenth of a millisecond, after which all were slower. */
TEST(test_frame_window_keeps_the_last)
{
    begin(0);
    show(2000, MS / 16);
    show(600, MS / 8);
    assert_int_equal(a.n, FRAME_WINDOW);
    assert_int_equal(a.stutters, 0);
    show(1, MS / 4);
    assert_int_equal(a.stutters, 0); /* the median is that of the 600 */
    show(1, MS / 4 + 1);
    assert_int_equal(a.stutters, 1);
}

/* --- Rows. --- */

/* 990 of 1,000 frames took 10 ms, five 30 ms and five 50 ms, in half a minute with three stutters and four missed. */
static int pretend_run(struct party_context *context)
{
    static const double numbers[] = {3, 4, 0.5};
    static const double wakes[] = {40, 10, 20, 15};
    const struct frame_params *params = context->params;

    for (uint64_t i = 0; i < params->sim.workers; i++)
        hist_add_class(context->recorder[0], i < 5 ? 30 * MS : i < 10 ? 50 * MS : 10 * MS);
    memcpy(context->recorder[TASKS_OWN_RECORDER], numbers, sizeof(numbers));
    memcpy(context->recorder[TASKS_WAKES], wakes, sizeof(wakes));
    return 0;
}

static struct party pretend_party;
static struct bench bench_pretend;
static struct fixture_rows rows;

static void pretend(uint64_t n, int rate)
{
    const struct frame_params params = {.sim.workers = n, .rate = rate};

    assert_int_equal(fixture_one_trial(&bench_pretend, &params, 1, &rows), ROW_OK);
}

static void assert_value(const char *metric, double value)
{
    const struct row *row = fixture_find(&rows, metric, "");

    /* times are known to a microsecond */
    if (!(fabs(row->value - value) <= 2e-4 * value))
        fail_msg("%s is %.17g, not %.17g", metric, row->value, value);
}

TEST(test_frame_rows_by_hand)
{
    pretend(1000, FRAMES_60);
    assert_value("frame_time", 10.3 * MS);
    assert_value("frame_rate", 1e3 / 10.3);
    assert_value("low1_mean", 1e3 / 40);  /* the mean of 30 and 50 */
    assert_value("low1_p99", 1e3 / 10.2); /* 99 % of the way from the 990th to the 991st, which is 30 */
    assert_value("stutters", 6);
    assert_value("missed_vblanks", 8);
    assert_value("same_cpu", 25);
    assert_value("same_cache", 75);
    const struct row *row = fixture_find(&rows, "frame_time", "");
    assert_true(fabs(row->stats.p99 - 10.2 * MS) < 2000 && isnan(row->stats.p999));
    assert_true(row->headline && !strcmp(row->unit, "ns"));
    fixture_free_rows(&rows);
}

/* Fewer than ten are above the 99th percentile. */
TEST(test_frame_rows_leave_out_percentiles_that_are_not_known)
{
    pretend(999, FRAMES_UNLOCKED);
    const struct row *row = fixture_find(&rows, "frame_time", "");
    assert_true(isnan(row->stats.p99) && row->stats.p90 > 0);
    assert_true(isnan(fixture_find(&rows, "low1_mean", "")->value));
    assert_true(isnan(fixture_find(&rows, "low1_p99", "")->value));
    for (size_t i = 0; i < rows.n; i++)
        assert_string_not_equal(rows.row[i].metric, "missed_vblanks"); /* no display */
    assert_null(strstr(row->param.text, "frame_rate=60"));
    fixture_free_rows(&rows);
}

/* Six of 1,000 periods of 20 ms were too long, four nearly so long: 20 s in all. */
static int pretend_sound_run(struct party_context *context)
{
    for (unsigned i = 0; i < 1000; i++)
        hist_add_class(context->recorder[0], i < 4    ? 20 * MS - 2000
                                             : i < 9  ? 20 * MS + 2000
                                             : i < 10 ? 90 * MS
                                                      : 5 * MS);
    return 0;
}

static struct party pretend_sound_party;
static struct bench bench_pretend_sound;

TEST(test_audio_period_rows_by_hand)
{
    const struct sim_params params = {.interval_ns = 20 * MS};

    assert_int_equal(fixture_one_trial(&bench_pretend_sound, &params, 1, &rows), ROW_OK);
    assert_value("xruns", 18);
    assert_value("latency", 5.22 * MS); /* 990 times 5, nine times 20, 90 */
    assert_true(fixture_find(&rows, "latency_p99", "")->value > 5 * MS);
    for (size_t i = 0; i < rows.n; i++)
        assert_string_not_equal(rows.row[i].metric, "same_cache"); /* no wake-up was counted */
    fixture_free_rows(&rows);
}

static const struct bench *const registry[] = {&bench_pretend, &bench_pretend_sound, NULL};

static void pretend_of(const struct bench *bench, int (*run)(struct party_context *), const char *name,
                       struct party *party, struct bench *out)
{
    *party = bench->parties[0];
    party->setup = NULL;
    party->run = run;
    *out = *bench;
    out->name = name;
    out->parties = party;
    out->place = NULL;
}

int main(int argc, char **argv)
{
    pretend_of(&bench_frame, pretend_run, "pretend", &pretend_party, &bench_pretend);
    pretend_of(&bench_audio_period, pretend_sound_run, "sound", &pretend_sound_party, &bench_pretend_sound);
    trial_worker_main(argc, argv, registry, no_loads);
    process_init();
    signals_init();
    return run_all_tests();
}
