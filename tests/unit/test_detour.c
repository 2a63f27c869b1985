/* SPDX-License-Identifier: MIT */
/* Accounting of detours on made-up clocks: every tick goes to one cause, and the figures are exact. */

#include "../test.h"
#include "bench/noise.h"

#define START     1000000ull
#define LENGTH    100000000ull /* of the run; a cell is a million ticks */
#define CELL      (LENGTH / DETOUR_CELLS)
#define THRESHOLD 100u
#define USUAL     1000u

static struct {
    struct detour_account a;
    struct hist hist;
    struct series series;
    struct detour_seen seen; /* what the kernel counts */
    struct detour_cost adding, reading;
} run;

static void begin_with(double ns_per_tick)
{
    memset(&run, 0, sizeof(run));
    hist_init(&run.hist, 0);
    series_init(&run.series);
    run.seen = (struct detour_seen){.switches = 7, .faults = 90, .cpu = 3};
    run.adding.usual = run.reading.usual = USUAL;
    run.a.hist = &run.hist;
    run.a.series = &run.series;
    detour_begin(&run.a, START, LENGTH, THRESHOLD, ns_per_tick, &run.seen);
}

static void begin(void)
{
    begin_with(1);
}

/* A detour that ended at that tick of the run. */
static void add(uint64_t end, uint64_t ticks)
{
    detour_add(&run.a, START + end, ticks, &run.seen);
}

/* The detours that are only known by the level of the core probes. */
static struct detour_sum brief(const struct detour_account *a)
{
    struct detour_sum sum = a->since_probe;

    for (unsigned level = 0; level < DETOUR_LEVELS; level++) {
        sum.n += a->sums.brief[level].n;
        sum.ns += a->sums.brief[level].ns;
    }
    return sum;
}

/* Ticks of all causes together. */
static uint64_t lost_ticks(const struct detour_account *a)
{
    double ns = brief(a).ns;

    for (unsigned c = 0; c < DETOUR_CAUSES; c++)
        ns += a->sums.lost[c].ns;
    return (uint64_t)llround(ns / a->ns_per_tick);
}

/* Brief ones are unexplained as long as it is not known which level is free. */
static void assert_sum(enum detour_cause cause, uint64_t n, uint64_t ticks)
{
    struct detour_sum sum = run.a.sums.lost[cause],
                      more = cause == DETOUR_UNEXPLAINED ? brief(&run.a) : (struct detour_sum){0};

    const double got = (sum.ns + more.ns) / run.a.ns_per_tick;
    if (sum.n + more.n != (double)n || llround(got) != (long long)ticks)
        fail_msg("%s: %g detours of %g ticks, not %llu of %llu", detour_cause_names[cause], sum.n + more.n, got,
                 (unsigned long long)n, (unsigned long long)ticks);
}

static void finish_with(int64_t timer, uint64_t stolen_ns)
{
    detour_window(&run.a, START + LENGTH, timer, stolen_ns);
    detour_end(&run.a, START + LENGTH);
}

static void finish(uint64_t stolen_ns)
{
    finish_with(0, stolen_ns);
}

/* --- Causes. --- */

/* The quota takes a part of one detour, all of the next, of which it counted more, and none of one with a page fault.
 */
TEST(test_detour_quota_is_a_part_of_those_that_waited)
{
    begin_with(2);
    run.seen.switches++;
    add(1000, 200);
    assert_true(detour_waited(&run.a));
    detour_throttled(&run.a, 300); /* ns: 150 ticks */
    run.seen.switches++;
    add(2000, 300);
    detour_throttled(&run.a, 900);
    run.seen.faults++;
    add(3000, 500);
    assert_false(detour_waited(&run.a));
    run.seen.cpu = 4;
    add(4000, 70);
    assert_true(detour_waited(&run.a));
    finish(0);
    assert_sum(DETOUR_QUOTA, 2, 450);
    assert_sum(DETOUR_PREEMPTED, 0, 50);
    assert_sum(DETOUR_FAULT, 1, 500);
    assert_sum(DETOUR_MIGRATED, 1, 70);
    assert_int_equal(lost_ticks(&run.a), 1070);
}

TEST(test_detour_causes_are_told_by_what_the_kernel_counts)
{
    begin();
    run.seen.switches++;
    add(1000, 200);
    run.seen.faults += 3;
    add(2000, 300);
    run.seen.cpu = 4;
    add(3000, 400);
    run.seen.faults++;
    run.seen.switches++; /* the greater cause */
    add(4000, 500);
    run.seen.cpu = 3;
    run.seen.switches += 2;
    add(5000, 600);
    add(6000, 700); /* nothing new */
    finish(0);
    assert_sum(DETOUR_PREEMPTED, 2, 700);
    assert_sum(DETOUR_FAULT, 1, 300);
    assert_sum(DETOUR_MIGRATED, 2, 1000);
    assert_sum(DETOUR_INTERRUPT, 0, 0);
    assert_sum(DETOUR_STEAL, 0, 0);
    assert_sum(DETOUR_UNEXPLAINED, 1, 700);
    assert_int_equal(lost_ticks(&run.a), 2700);
}

static uint64_t next_random(uint64_t *x)
{
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    return *x >> 33;
}

/* --- The timer, and what else is periodic. --- */

/* A tick is 1,000 ns in these tests, and the run takes 100 s: detours every `period` ticks from `first` on, while the
 * time is below `end`. Returns how many. */
static uint64_t add_every(uint64_t first, uint64_t period, uint64_t end, uint64_t ticks)
{
    uint64_t n = 0;

    for (uint64_t at = first; at < end; at += period, n++)
        add(at, ticks);
    return n;
}

/* Two series. Other timers are counted, too, but a CPU has one tick. */
TEST(test_detour_timer_is_the_series_of_the_rate_that_was_counted)
{
    for (int64_t more = 0; more <= 800; more += 400) {
        int64_t n = 0;
        begin_with(1000);
        for (uint64_t at = 0; at < 4000000; at += 4000) { /* 250 and 100 times a second */
            add(at + 1000, 40);
            n++;
            if (at % 20000 == 0)
                add(at + 1500, 30);
            if (at % 20000 == 8000)
                add(at + 3500, 30);
        }
        detour_window(&run.a, START + 4000000, n + more, 0);
        detour_end(&run.a, START + 4000000);
        assert_sum(DETOUR_INTERRUPT, 1000, 40000);
        assert_sum(DETOUR_PERIODIC, 400, 12000);
        assert_sum(DETOUR_UNEXPLAINED, 0, 0);
        assert_true(run.a.sums.periodic[0].hz == 100 && run.a.sums.periodic[0].sum.n == 400 &&
                    run.a.sums.periodic[0].sum.ns == 12e6);
        assert_true(run.a.sums.periodic[1].hz == 0);
    }
}

/* All rates that a kernel is configured with, on clocks that are off by 200 ppm. */
TEST(test_detour_timer_of_all_rates)
{
    static const double rates[] = {24, 48, 64, 100, 128, 200, 250, 256, 300, 500, 512, 1000, 1024, 1200};

    for (size_t i = 0; i < COUNT(rates); i++)
        for (int drift = -200; drift <= 200; drift += 200) {
            uint64_t n = 0;
            begin_with(1000);
            for (double at = 0; at < 4000000; at += 1e6 / rates[i] * (1 + 1e-6 * drift), n++)
                add((uint64_t)at + 100, 40);
            detour_window(&run.a, START + 4000000, (int64_t)n, 0);
            detour_end(&run.a, START + 4000000);
            assert_sum(DETOUR_INTERRUPT, n, 40 * n);
        }
}

/* Ticks that are late for long, because the kernel held interrupts off, are not known for what they are. */
TEST(test_detour_timer_deferred_is_not_known)
{
    uint64_t late = 0;

    begin_with(1000);
    for (uint64_t k = 0; k < 1000; k++) {
        late += k % 7 == 3;
        add(4000 * k + 1000 + (k % 7 == 3 ? 400 + 313 * k % 2000 : 0), 40);
    }
    detour_window(&run.a, START + 4000000, 1000, 0);
    detour_end(&run.a, START + 4000000);
    assert_sum(DETOUR_INTERRUPT, 1000 - late, 40 * (1000 - late));
    assert_sum(DETOUR_PERIODIC, 0, 0);
    assert_sum(DETOUR_UNEXPLAINED, late, 40 * late);
}

/* A CPU that has its tick for some of the time only: for all that is known, the series may be of another origin. */
TEST(test_detour_timer_that_is_switched_off_at_times_is_not_known)
{
    uint64_t n = 0;

    begin_with(1000);
    for (uint64_t k = 0; k < 1000; k++)
        if (k % 100 < 70) {
            add(4000 * k + 1000, 40);
            n++;
        }
    detour_window(&run.a, START + 4000000, (int64_t)n, 0);
    detour_end(&run.a, START + 4000000);
    assert_sum(DETOUR_INTERRUPT, 0, 0);
    assert_int_equal(lost_ticks(&run.a), 40 * n);
}

/* While the hypervisor has the CPU for 30 ms, one tick comes of seven: the rate is that of the other time. */
TEST(test_detour_timer_loses_ticks_while_the_cpu_is_stolen)
{
    uint64_t n = 0;

    begin_with(1000);
    for (uint64_t k = 0; k < 1000; k++, n++) {
        add(4000 * k + 1000, 40);
        if (k % 50 == 20) {
            add(4000 * (k + 7) + 2000, 28100);
            k += 7;
        }
    }
    detour_window(&run.a, START + 4000000, (int64_t)n + 20, 560000000);
    detour_end(&run.a, START + 4000000);
    assert_sum(DETOUR_INTERRUPT, n, 40 * n);
    assert_sum(DETOUR_STEAL, 20, 20 * 28100);
}

/* The count is missing for a third of the time, as while a CPU is offline: the rate is that of the rest. */
TEST(test_detour_timer_is_counted_where_its_count_is_known)
{
    begin_with(1000);
    for (uint64_t window = 0; window < 4000000; window += 100000) {
        (void)add_every(window + 1000, 4000, window + 100000, 40);
        detour_window(&run.a, START + window + 100000, window / 100000 % 3 ? 25 : -1, 0);
    }
    detour_end(&run.a, START + 4000000);
    assert_sum(DETOUR_INTERRUPT, 1000, 40000);
}

/* What was counted and stolen before the CPU changed is not counted again, and what follows is one search, though each
 * of its windows has too few ticks for one. */
TEST(test_detour_timer_is_searched_anew_on_another_cpu)
{
    begin_with(1000);
    add(20000, 2000);
    run.seen.cpu++;
    add(30000, 500);
    detour_window(&run.a, START + 100000, 0, 2000000);
    add(150000, 2000);
    for (uint64_t window = 200000; window < 4000000; window += 100000) {
        (void)add_every(window + 1000, 4000, window + 100000, 40);
        detour_window(&run.a, START + window + 100000, 25, 0);
    }
    detour_end(&run.a, START + 4000000);
    assert_sum(DETOUR_MIGRATED, 1, 500);
    assert_sum(DETOUR_STEAL, 1, 2000);
    assert_sum(DETOUR_UNEXPLAINED, 1, 2000);
    assert_sum(DETOUR_INTERRUPT, 950, 38000);
}

/* Two series may be the tick's by their rates. It is that of 100 Hz where this one comes in time after multiples of 10
 * ms in CLOCK_MONOTONIC, or is going on then (the other one is 2.5 ms late then); where neither does, and where that
 * clock is not known, that of 250 Hz, which is tried first. */
TEST(test_detour_timer_comes_at_its_time)
{
    static const struct {
        int64_t after_us;
        bool known, of_100_hz;
    } cases[] = {{0, true, true},   {100, true, true},  {295, true, true},   {305, true, false},
                 {-35, true, true}, {-45, true, false}, {100, false, false}, {5000, true, false}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin_with(1000);
        for (uint64_t at = 0; at < 4000000; at += 2000) { /* from 960 us on, and from 2,460 us on */
            if (at % 4000 == 0)
                add(at + 1000, 40);
            if (at % 10000 == 0)
                add(at + 2500, 40);
        }
        /* The run began so long after a multiple of 10 ms and of 4 ms. */
        const int64_t began_us = 100 * 1000000 + 10000 - 2460 + cases[i].after_us;
        if (cases[i].known)
            detour_clock(&run.a, START + 4000000, (uint64_t)(began_us + 4000000) * 1000);
        else
            detour_clock(&run.a, START + 2400, 0);
        detour_window(&run.a, START + 4000000, 1100, 0);
        detour_end(&run.a, START + 4000000);
        assert_sum(DETOUR_INTERRUPT, cases[i].of_100_hz ? 400 : 1000, cases[i].of_100_hz ? 16000 : 40000);
        assert_sum(DETOUR_PERIODIC, cases[i].of_100_hz ? 1000 : 400, cases[i].of_100_hz ? 40000 : 16000);
    }
}

/* A host's tick of 1000 Hz, with which the guest's of 250 Hz comes: the kernel counted it, and knows its time. */
TEST(test_detour_timer_comes_with_a_faster_series)
{
    begin_with(1000);
    for (uint64_t at = 500; at < 4000000; at += 1000)
        add(at + 40, 40);
    detour_clock(&run.a, START + 4000000, 4000000000 - 2400000); /* the third of four is the guest's */
    detour_window(&run.a, START + 4000000, 1000, 0);
    detour_end(&run.a, START + 4000000);
    assert_sum(DETOUR_INTERRUPT, 1000, 40000);
    assert_sum(DETOUR_PERIODIC, 3000, 120000);
}

/* 100 millionths too slow for the tick's: seen where the loop's clock was compared with the kernel's twice. */
TEST(test_detour_timer_has_the_period_of_the_kernels_clock)
{
    for (unsigned twice = 0; twice < 2; twice++) {
        begin_with(1000);
        for (uint64_t i = 0; i < 990; i++)
            add(4000 * i + 4 * i / 10 + 140, 40);
        if (twice)
            detour_clock(&run.a, START, 100000000);
        detour_clock(&run.a, START + 4000000, 100000000 + 4000000000ull);
        detour_window(&run.a, START + 4000000, 1000, 0);
        detour_end(&run.a, START + 4000000);
        assert_sum(twice ? DETOUR_PERIODIC : DETOUR_INTERRUPT, 990, 39600);
    }
}

/* Where a tick is late, lost, or has another cause already, the others are still the timer's. */
TEST(test_detour_timer_with_gaps)
{
    uint64_t n = 0, x = 5;

    begin_with(1000);
    for (uint64_t at = 0; at < 4000000; at += 4000) {
        bool switched = next_random(&x) % 3 == 0, lost = next_random(&x) % 7 == 0;
        run.seen.switches += switched && !lost;
        if (!lost)
            add(at + 1000 + next_random(&x) % 40, 40);
        n += !lost && !switched;
    }
    detour_window(&run.a, START + 4000000, 1000, 0);
    detour_end(&run.a, START + 4000000);
    assert_in_range(run.a.sums.lost[DETOUR_INTERRUPT].n, n * 98 / 100, n);
    assert_int_equal(run.a.sums.lost[DETOUR_INTERRUPT].n + run.a.sums.lost[DETOUR_PERIODIC].n +
                         run.a.sums.lost[DETOUR_UNEXPLAINED].n + run.a.sums.lost[DETOUR_PREEMPTED].n,
                     run.hist.n);
}

TEST(test_detour_at_random_is_unexplained)
{
    uint64_t at = 0, x = 3;

    begin_with(1000);
    while ((at += 1 + next_random(&x) % 3000) < 4000000)
        add(at, 1 + next_random(&x) % 90);
    detour_window(&run.a, START + 4000000, 1000, 0);
    detour_end(&run.a, START + 4000000);
    assert_sum(DETOUR_INTERRUPT, 0, 0);
    assert_sum(DETOUR_PERIODIC, 0, 0);
    assert_int_equal(run.a.sums.lost[DETOUR_UNEXPLAINED].n, run.hist.n);
}

/* --- Brief ones. --- */

TEST(test_detour_brief_ones_go_to_the_higher_level_around)
{
    begin();
    add(1000, 150);
    add(2000, DETOUR_EVENT_NS - 1);
    add(3000, DETOUR_EVENT_NS);
    detour_probed(&run.a, 75);
    add(5000, 200);
    detour_probed(&run.a, 80);
    add(6000, 300);
    detour_probed(&run.a, 76);
    add(7000, 400);
    add(8000, 500);
    detour_probed(&run.a, DETOUR_LEVELS + 5);
    add(9000, 600);
    finish(0);
    assert_int_equal(run.a.sums.brief[75].n, 2); /* before the first probe */
    assert_int_equal(run.a.sums.brief[75].ns, 150 + DETOUR_EVENT_NS - 1);
    assert_int_equal(run.a.sums.brief[80].n, 2);
    assert_int_equal(run.a.sums.brief[80].ns, 500);
    assert_int_equal(run.a.sums.brief[76].n, 0);
    assert_int_equal(run.a.sums.brief[DETOUR_LEVELS - 1].n, 3);
    assert_sum(DETOUR_UNEXPLAINED, 8, lost_ticks(&run.a));
}

/* --- Bounded memory. --- */

/* More than are kept: causes are searched for when half of the room is used up, and what has no room is unexplained. */
TEST(test_detour_more_than_are_kept)
{
    uint64_t at = 0;

    begin_with(1000);
    for (unsigned window = 0; window < 40; window++) {
        for (unsigned i = 0; i < 1000; i++)
            add(at += 1000, 40);
        detour_window(&run.a, START + at, 1000, 0);
    }
    assert_true(run.a.n_events < DETOUR_EVENTS / 2 + 1000);
    detour_end(&run.a, START + at);
    assert_sum(DETOUR_INTERRUPT, 40000, 1600000);
    begin();
    for (unsigned i = 0; i < DETOUR_EVENTS + 10; i++)
        add(2000 * (i + 1), 1500);
    finish(0);
    assert_int_equal(run.hist.n, DETOUR_EVENTS + 10);
    assert_int_equal(lost_ticks(&run.a), 1500 * (DETOUR_EVENTS + 10));
}

/* A long and lively run: what was lost is the sum of what was added, tick by tick, and so are the counts. */
TEST(test_detour_causes_add_up_exactly)
{
    uint64_t x = 1, total = 0, n = 0, at = 0;
    double counted = 0;

    begin();
    for (unsigned window = 0; window < 60; window++) {
        uint64_t many = next_random(&x) % 3000;
        for (uint64_t i = 0; i < many; i++) {
            uint64_t ticks = 1 + next_random(&x) % (i % 100 ? 3000 : 400000);
            run.seen.switches += next_random(&x) % 10 == 0;
            run.seen.faults += next_random(&x) % 20 == 0;
            run.seen.cpu = next_random(&x) % 50 == 0 ? 5 : 3;
            add(at += ticks + 1, ticks);
            total += ticks;
            n++;
        }
        detour_window(&run.a, START + at, (int64_t)(next_random(&x) % 3000), 1000000);
    }
    finish(20000000);
    for (unsigned c = 0; c < DETOUR_CAUSES; c++) {
        counted += run.a.sums.lost[c].n;
        struct detour_sum classes = {0};
        for (unsigned k = 0; k < DETOUR_CLASSES; k++) {
            classes.n += run.a.sums.by_class[c][k].n;
            classes.ns += run.a.sums.by_class[c][k].ns;
        }
        assert_int_equal(classes.n, run.a.sums.lost[c].n);
        assert_int_equal(classes.ns, run.a.sums.lost[c].ns);
    }
    assert_true(run.a.sums.lost[DETOUR_STEAL].n > 0 && run.a.sums.lost[DETOUR_MIGRATED].n > 0 &&
                run.a.sums.lost[DETOUR_FAULT].n > 0);
    assert_true(counted + brief(&run.a).n == (double)n);
    assert_int_equal(lost_ticks(&run.a), total);
    assert_int_equal(run.hist.n, n);
    assert_int_equal(run.series.n, n);
    assert_true(fabs(hist_mean(&run.hist) * (double)n - (double)total) <= 1e-6 * (double)total);
}

/* --- Steal. --- */

TEST(test_detour_steal_takes_the_longest_until_it_is_reached)
{
    begin();
    add(1000000, 400000);
    add(2000000, 200000);
    add(3000000, 300000);
    detour_window(&run.a, START + 3100000, 2, 0);
    run.seen.switches++;
    add(9000000, 5000000);
    add(9500000, 99999);
    finish(650000);
    assert_sum(DETOUR_STEAL, 2, 700000);
    assert_sum(DETOUR_UNEXPLAINED, 2, 299999);
    assert_sum(DETOUR_PREEMPTED, 1, 5000000);
}

/* A tick that came when the CPU was given back: its usual length is the timer's, the rest is stolen. */
TEST(test_detour_steal_leaves_the_tick_its_usual_length)
{
    begin_with(1000);
    for (uint64_t at = 0; at < 4000000; at += 4000) {
        uint64_t ticks = at % 40000 == 8000 ? 540 : 40;
        add(at + 1000 + ticks, ticks);
    }
    detour_window(&run.a, START + 4000000, 1000, 20 * 500000);
    detour_end(&run.a, START + 4000000);
    assert_sum(DETOUR_INTERRUPT, 1000, 1000 * 40 + 80 * 500);
    assert_sum(DETOUR_STEAL, 0, 20 * 500);
}

/* --- The sampler's own steps. --- */

TEST(test_detour_usual_steps_are_blind_time)
{
    begin();
    add(50000, 200);
    assert_int_equal(detour_added(&run.a, &run.adding, USUAL, false), 0);
    assert_int_equal(detour_added(&run.a, &run.adding, 600, false), 0);
    assert_int_equal(detour_step(&run.a, &run.reading, 1500), 0); /* cold caches */
    assert_int_equal(run.a.blind, 3100);
    finish(0);
    assert_int_equal(detour_observed(&run.a), LENGTH - 3100);
    assert_int_equal(lost_ticks(&run.a), 200);
}

TEST(test_detour_beyond_the_usual_is_a_detour)
{
    begin();
    add(50000, 200);
    assert_int_equal(detour_added(&run.a, &run.adding, 9000, false), 8000);
    assert_int_equal(run.a.blind, 1000);
    add(59000, 8000);
    assert_int_equal(detour_step(&run.a, &run.reading, 3001), 2001);
    assert_int_equal(run.a.blind, 2000);
    finish(0);
    assert_sum(DETOUR_UNEXPLAINED, 2, 8200);
}

/* Whatever the few are that were met by a detour. */
TEST(test_detour_usual_follows_the_median)
{
    begin();
    for (unsigned i = 0; i < 300; i++)
        (void)detour_added(&run.a, &run.adding, i % 4 ? 2900 + i % 7 : 500000, false);
    assert_in_range(run.adding.usual, 2800, 3100);
    for (unsigned i = 0; i < 300; i++)
        (void)detour_added(&run.a, &run.adding, 300, false);
    assert_in_range(run.adding.usual, 280, 320);
}

/* An interrupt of 600 ticks, and while it was looked at another task ran for a while. */
TEST(test_detour_what_was_counted_late_belongs_to_the_longer_one)
{
    begin();
    run.seen.switches++;
    add(50000, 600);
    uint64_t beyond = detour_added(&run.a, &run.adding, 91000, false);
    assert_int_equal(beyond, 90000);
    add(141000, beyond);
    assert_int_equal(detour_added(&run.a, &run.adding, USUAL, true), 0);
    detour_window(&run.a, START + 150000, 2, 0);
    assert_sum(DETOUR_PREEMPTED, 1, 90000);
    assert_sum(DETOUR_UNEXPLAINED, 1, 600);
    /* And the other way round. */
    run.seen.switches++;
    add(300000, 70000);
    beyond = detour_added(&run.a, &run.adding, 3500, false);
    add(303500, beyond);
    finish(0);
    assert_sum(DETOUR_PREEMPTED, 2, 160000);
    assert_sum(DETOUR_UNEXPLAINED, 2, 600 + beyond);
}

TEST(test_detour_unwatched_steps_are_blind_unless_somebody_ran)
{
    begin();
    detour_unwatched(&run.a, START + 10000, 5000, &run.seen);
    assert_int_equal(run.a.blind, 5000);
    run.seen.switches++;
    detour_unwatched(&run.a, START + 90000, 60000, &run.seen);
    assert_int_equal(run.a.blind, 5000);
    finish(0);
    assert_sum(DETOUR_PREEMPTED, 1, 60000);
}

/* An event seen in such a step is not the cause of the next detour. */
TEST(test_detour_unwatched_steps_within_the_threshold_are_blind)
{
    begin();
    run.seen.switches++;
    detour_unwatched(&run.a, START + 10000, THRESHOLD, &run.seen);
    assert_int_equal(run.a.blind, THRESHOLD);
    add(50000, 200);
    finish(0);
    assert_sum(DETOUR_PREEMPTED, 0, 0);
    assert_sum(DETOUR_UNEXPLAINED, 1, 200);
}

/* --- Where in the run. --- */

TEST(test_detour_series_tells_when_and_how_long)
{
    struct series_point points[SERIES_FIRST + SERIES_LARGEST];

    begin_with(0.5);
    add(20000, 8000);
    add(90001, 20001);
    finish(0);
    assert_int_equal(series_points(&run.series, points), 2);
    assert_int_equal(points[0].at, 6); /* from 12,000 ticks on: 6 us */
    assert_int_equal(points[0].value, 4000);
    assert_int_equal(points[1].at, 35);
    assert_int_equal(points[1].value, 10001);
    assert_int_equal(run.hist.min, 4000);
    assert_int_equal(run.hist.max, 10001);
}

TEST(test_detour_cells_share_a_long_one)
{
    begin();
    add(CELL / 2, 700);
    add(5 * CELL / 2, CELL + CELL / 4); /* from 1.25 to 2.5 */
    add(10 * CELL, 2 * CELL);           /* from 8 to 10 */
    add(LENGTH + 3 * CELL, 4 * CELL);   /* beyond the end */
    finish(0);
    for (unsigned cell = 0; cell < DETOUR_CELLS; cell++) {
        uint64_t expected = cell == 0                              ? 700
                            : cell == 1                            ? 3 * CELL / 4
                            : cell == 2                            ? CELL / 2
                            : cell == 8 || cell == 9 || cell == 99 ? CELL
                                                                   : 0;
        if (run.a.sums.cell[cell] != expected)
            fail_msg("cell %u has %g ns, not %llu", cell, run.a.sums.cell[cell], (unsigned long long)expected);
    }
}

/* A length that no cell divides: still every tick is in one. */
TEST(test_detour_cells_cover_the_run)
{
    double sum = 0;

    begin();
    detour_begin(&run.a, START, 12345, THRESHOLD, 1, &run.seen);
    for (uint64_t end = 5; end <= 12345; end += 5)
        detour_add(&run.a, START + end, 5, &run.seen);
    detour_end(&run.a, START + 12345);
    for (unsigned cell = 0; cell < DETOUR_CELLS; cell++) {
        assert_in_range(run.a.sums.cell[cell], 123, 124);
        sum += run.a.sums.cell[cell];
    }
    assert_true(sum == 12345);
    assert_int_equal(lost_ticks(&run.a), 12345);
}

TEST(test_detour_classes_are_powers_of_two)
{
    static const struct {
        uint64_t ns;
        unsigned expected;
    } cases[] = {
        {0, 0},          {1, 0}, {2, 1}, {3, 1}, {4, 2}, {(UINT64_C(1) << 35) - 1, 34}, {UINT64_C(1) << 35, 35},
        {UINT64_MAX, 35}};

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(detour_class(cases[i].ns), cases[i].expected);
}

/* --- The loop. --- */

static void assert_loop(const uint64_t *gaps, size_t n, uint64_t least, uint64_t mode)
{
    uint64_t got_least, got_mode;

    detour_loop(gaps, n, &got_least, &got_mode);
    assert_int_equal(got_least, least);
    assert_int_equal(got_mode, mode);
}

TEST(test_detour_loop_has_a_least_and_a_mode)
{
    static const uint64_t plain[] = {25, 24, 25, 18, 26, 25, 24, 9000, 25}, coarse[] = {0, 0, 42, 0, 0, 41, 0},
                          ticks[] = {0, 1, 0, 0, 2}, still[] = {0, 0}, slow[] = {6000, 5000, 7000},
                          back[] = {30, (uint64_t)-3, 30};
    uint64_t scaled[100]; /* 26 ticks at a time, as an EPYC's under a hypervisor */

    assert_loop(plain, 9, 18, 25);
    assert_loop(coarse, 7, 41, 0); /* a clock whose steps take longer than the loop's turns */
    assert_loop(ticks, 5, 1, 0);
    assert_loop(still, 2, 1, 0);
    assert_loop(slow, 3, 5000, 5000);
    assert_loop(back, 3, 30, 30);
    for (size_t i = 0; i < 100; i++)
        scaled[i] = i % 25 == 1 ? 1 : i % 25 == 2 ? 25 : 26;
    assert_loop(scaled, 100, 26, 26);
    scaled[0] = 1; /* one in ten is no rounding */
    for (size_t i = 3; i < 8; i++)
        scaled[i] = 1;
    assert_loop(scaled, 100, 1, 26);
}
