/* SPDX-License-Identifier: MIT */
/* Accounting of detours on made-up clocks: every tick goes to one cause, and the figures are exact. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/detour.h"

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

/* Ticks of all causes together. */
static uint64_t lost_ticks(const struct detour_account *a)
{
    uint64_t ticks = 0;

    for (unsigned c = 0; c < DETOUR_CAUSES; c++)
        ticks += a->sum[c].ticks;
    return ticks;
}

static void assert_sum(enum detour_cause cause, uint64_t n, uint64_t ticks)
{
    if (run.a.sum[cause].n != n || run.a.sum[cause].ticks != ticks)
        fail_msg("%s: %llu detours of %llu ticks, not %llu of %llu", detour_cause_names[cause],
                 (unsigned long long)run.a.sum[cause].n, (unsigned long long)run.a.sum[cause].ticks,
                 (unsigned long long)n, (unsigned long long)ticks);
}

static void finish(uint64_t stolen_ns)
{
    detour_end(&run.a, START + LENGTH, stolen_ns);
}

/* --- Causes. --- */

static void test_detour_causes_are_told_by_what_the_kernel_counts(void **state)
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

static void test_detour_interrupts_explain_the_shortest_first(void **state)
{
    static const uint64_t ticks[] = {1900, 1200, 5000, 1300, 1150, 1700};

    begin();
    for (size_t i = 0; i < 6; i++)
        add(10000 * (i + 1), ticks[i]);
    run.seen.faults++;
    add(90000, 1101); /* has a cause already */
    detour_window(&run.a, 4, false);
    assert_sum(DETOUR_INTERRUPT, 4, 1150 + 1200 + 1300 + 1700);
    assert_sum(DETOUR_UNEXPLAINED, 2, 1900 + 5000);
    assert_sum(DETOUR_FAULT, 1, 1101);
    /* More interrupts than detours: no credit for the next window. */
    add(110000, 1400);
    detour_window(&run.a, 100, false);
    add(120000, 1410);
    detour_window(&run.a, 0, false);
    finish(0);
    assert_sum(DETOUR_INTERRUPT, 5, 5350 + 1400);
    assert_sum(DETOUR_UNEXPLAINED, 3, 6900 + 1410);
    assert_int_equal(lost_ticks(&run.a), 6750 + 8310 + 1101);
}

/* However many interrupts there were: they are left for those that are long enough. */
static void test_detour_what_is_too_short_is_no_interrupt(void **state)
{
    const uint64_t least = DETOUR_INTERRUPT_MIN_NS / 2; /* in ticks */

    begin_with(2);
    for (uint64_t i = 0; i < 2 * DETOUR_WINDOW_MAX; i++)
        add(1000 * (i + 1), least - 1 - i % 100);
    add(9000000, 20000);
    add(9100000, least);
    detour_window(&run.a, 3 * DETOUR_WINDOW_MAX, false);
    assert_sum(DETOUR_INTERRUPT, 2, 20000 + least);
    assert_int_equal(run.a.sum[DETOUR_UNEXPLAINED].n, 2 * DETOUR_WINDOW_MAX);
    add(9200000, least - 1);
    add(9300000, 30000);
    detour_window(&run.a, 1, false);
    finish(0);
    assert_sum(DETOUR_INTERRUPT, 3, 50000 + least);
    assert_int_equal(run.a.sum[DETOUR_UNEXPLAINED].n, 2 * DETOUR_WINDOW_MAX + 1);
    assert_int_equal(run.hist.n, 2 * DETOUR_WINDOW_MAX + 4); /* all of them are detours */
}

/* A switch and a move take an interrupt each, of their own window; a fault takes none. */
static void test_detour_switches_take_their_interrupts(void **state)
{
    begin();
    run.seen.switches += 5; /* one detour, and one interrupt at least */
    add(10000, 3000);
    run.seen.cpu = 4;
    add(20000, 3000);
    run.seen.faults++;
    add(30000, 3000);
    add(40000, 800);
    add(50000, 700);
    detour_window(&run.a, 3, false);
    assert_sum(DETOUR_INTERRUPT, 1, 700);
    assert_sum(DETOUR_UNEXPLAINED, 1, 800);
    /* More switches than interrupts: the rest is no debt of the next window, nor is any carried over. */
    for (uint64_t i = 0; i < 3; i++) {
        run.seen.switches++;
        add(60000 + 5000 * i, 2000);
    }
    detour_window(&run.a, 2, true);
    add(80000, 900);
    add(90000, 1000);
    detour_window(&run.a, 1, false);
    finish(0);
    assert_sum(DETOUR_INTERRUPT, 2, 1600);
    assert_sum(DETOUR_UNEXPLAINED, 2, 1800);
    assert_sum(DETOUR_PREEMPTED, 4, 9000);
    assert_sum(DETOUR_MIGRATED, 1, 3000);
}

/* The interrupt that met the reading may have been counted by it already. */
static void test_detour_an_interrupt_of_the_reading_is_carried_over(void **state)
{
    begin();
    detour_window(&run.a, 5, true);
    add(1000, 600);
    add(2000, 700);
    detour_window(&run.a, 0, false);
    assert_sum(DETOUR_INTERRUPT, 1, 600);
    assert_sum(DETOUR_UNEXPLAINED, 1, 700);
    detour_window(&run.a, 0, true); /* there is none to carry */
    add(3000, 650);
    finish(0);
    assert_sum(DETOUR_INTERRUPT, 1, 600);
    assert_sum(DETOUR_UNEXPLAINED, 2, 1350);
}

/* --- Bounded memory. --- */

/* Twice as many as are told apart, in an order that is neither rising nor falling, a short one last: lengths 1001 to
 * 3048. */
static void fill_window(void)
{
    for (uint64_t i = 0; i < 2 * DETOUR_WINDOW_MAX; i++)
        add(1000 * (i + 1), 1001 + (i * 1021 + 1100) % (2 * DETOUR_WINDOW_MAX));
}

static uint64_t sum_of(uint64_t first, uint64_t n)
{
    return n * first + n * (n - 1) / 2;
}

static void test_detour_window_keeps_the_longest_apart(void **state)
{
    const uint64_t half = DETOUR_WINDOW_MAX;

    begin();
    fill_window();
    detour_window(&run.a, half + 10, false); /* all of the sum, and ten of the others */
    assert_sum(DETOUR_INTERRUPT, half + 10, sum_of(1001, half + 10));
    assert_sum(DETOUR_UNEXPLAINED, half - 10, sum_of(1001 + half + 10, half - 10));
    assert_int_equal(lost_ticks(&run.a), sum_of(1001, 2 * half));
    assert_int_equal(run.hist.n, 2 * half);
}

/* The shares of detours that are only known as a sum are estimated, and still add up to the whole. */
static void test_detour_window_shares_what_it_summed_up(void **state)
{
    const uint64_t half = DETOUR_WINDOW_MAX, all = sum_of(1001, half);

    begin();
    fill_window();
    detour_window(&run.a, half / 4, false);
    assert_int_equal(run.a.sum[DETOUR_INTERRUPT].n, half / 4);
    assert_true(llabs((long long)run.a.sum[DETOUR_INTERRUPT].ticks - (long long)(all / 4)) <= 1);
    assert_int_equal(run.a.sum[DETOUR_UNEXPLAINED].n, 2 * half - half / 4);
    assert_int_equal(lost_ticks(&run.a), sum_of(1001, 2 * half));
}

static uint64_t next_random(uint64_t *x)
{
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    return *x >> 33;
}

/* A long and lively run: what was lost is the sum of what was added, tick by tick, and so are the counts. */
/* One tick is a nanosecond here; classes are octaves of it. */
static void test_detour_classes_are_octaves(void **state)
{
    static const uint64_t lengths[] = {600, 1023, 1024, 70000, UINT64_C(1) << 40};
    uint64_t at = 0;

    begin();
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
        add(at += lengths[i] + 1, lengths[i]);
    finish(0);
    const struct detour_sum *classes = run.a.by_class[DETOUR_UNEXPLAINED];
    assert_int_equal(classes[9].n, 2);
    assert_int_equal(classes[9].ticks, 1623);
    assert_int_equal(classes[10].n, 1);
    assert_int_equal(classes[16].ticks, 70000);
    assert_int_equal(classes[DETOUR_CLASSES - 1].n, 1);
}

static void test_detour_causes_add_up_exactly(void **state)
{
    uint64_t x = 1, total = 0, n = 0, at = 0, counted = 0;

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
        detour_window(&run.a, next_random(&x) % 3000, next_random(&x) % 2);
    }
    finish(20000000);
    for (unsigned c = 0; c < DETOUR_CAUSES; c++) {
        assert_true(run.a.sum[c].n > 0);
        counted += run.a.sum[c].n;
        struct detour_sum classes = {0};
        for (unsigned k = 0; k < DETOUR_CLASSES; k++) {
            classes.n += run.a.by_class[c][k].n;
            classes.ticks += run.a.by_class[c][k].ticks;
        }
        assert_int_equal(classes.n, run.a.sum[c].n);
        assert_int_equal(classes.ticks, run.a.sum[c].ticks);
    }
    assert_int_equal(counted, n);
    assert_int_equal(lost_ticks(&run.a), total);
    assert_int_equal(run.hist.n, n);
    assert_int_equal(run.series.n, n);
    assert_true(fabs(hist_mean(&run.hist) * (double)n - (double)total) <= 1e-6 * (double)total);
}

/* --- Steal. --- */

static void test_detour_steal_takes_the_longest_until_it_is_reached(void **state)
{
    begin();
    add(1000000, 400000);
    add(2000000, 200000);
    add(3000000, 300000);
    detour_window(&run.a, 2, false); /* 200000 and 300000 are interrupts so far */
    run.seen.switches++;
    add(9000000, 5000000);
    add(9500000, 99999);
    finish(650000);
    assert_sum(DETOUR_STEAL, 2, 700000);
    assert_sum(DETOUR_INTERRUPT, 1, 200000);
    assert_sum(DETOUR_UNEXPLAINED, 1, 99999);
    assert_sum(DETOUR_PREEMPTED, 1, 5000000);
}

/* The kernel counts steal in ticks of 10 ms, which may be more than what was lost here. */
static void test_detour_steal_leaves_short_ones_alone(void **state)
{
    begin_with(2); /* ns a tick */
    add(1000000, 50000);
    add(2000000, 49999);
    finish(10000000);
    assert_sum(DETOUR_STEAL, 1, 50000);
    assert_sum(DETOUR_UNEXPLAINED, 1, 49999);
}

static void test_detour_no_steal_changes_nothing(void **state)
{
    begin();
    add(1000000, 400000);
    finish(0);
    assert_sum(DETOUR_STEAL, 0, 0);
    assert_sum(DETOUR_UNEXPLAINED, 1, 400000);
}

/* More than are kept: the longest of all windows are there. */
static void test_detour_steal_finds_the_longest_of_all_windows(void **state)
{
    const uint64_t most = 2 * DETOUR_KEPT_MAX;

    begin_with(1e-3);
    for (uint64_t i = 0; i < most; i++) {
        add(1000000000000 * (i + 1), 200000000 + i * 631 % most); /* of 200 us each, and a little */
        detour_window(&run.a, 0, false);
    }
    finish(10 * 200000);
    assert_sum(DETOUR_STEAL, 10, 10 * 200000000 + sum_of(most - 10, 10));
    assert_int_equal(run.a.sum[DETOUR_UNEXPLAINED].n, most - 10);
}

/* --- The sampler's own steps. --- */

static void test_detour_usual_steps_are_blind_time(void **state)
{
    begin();
    add(50000, 200);
    assert_int_equal(detour_added(&run.a, &run.adding, USUAL, false), 0);
    assert_int_equal(detour_added(&run.a, &run.adding, 600, false), 0);
    assert_int_equal(detour_read(&run.a, &run.reading, 1500), 0); /* cold caches */
    assert_int_equal(run.a.blind, 3100);
    finish(0);
    assert_int_equal(detour_observed(&run.a), LENGTH - 3100);
    assert_int_equal(lost_ticks(&run.a), 200);
}

static void test_detour_beyond_the_usual_is_a_detour(void **state)
{
    begin();
    add(50000, 200);
    assert_int_equal(detour_added(&run.a, &run.adding, 9000, false), 8000);
    assert_int_equal(run.a.blind, 1000);
    add(59000, 8000);
    assert_int_equal(detour_read(&run.a, &run.reading, 3001), 2001);
    assert_int_equal(run.a.blind, 2000);
    finish(0);
    assert_sum(DETOUR_UNEXPLAINED, 2, 8200);
}

/* Twice as long is not much when a step takes next to nothing. */
static void test_detour_beyond_the_usual_is_above_the_threshold(void **state)
{
    begin();
    run.adding.usual = 40;
    add(50000, 200);
    assert_int_equal(detour_added(&run.a, &run.adding, 40 + THRESHOLD, true), 0);
    assert_int_equal(detour_added(&run.a, &run.adding, 41 + THRESHOLD, true), THRESHOLD + 1);
}

/* Whatever the few are that were met by a detour. */
static void test_detour_usual_follows_the_median(void **state)
{
    begin();
    for (unsigned i = 0; i < 300; i++)
        (void)detour_added(&run.a, &run.adding, i % 4 ? 2900 + i % 7 : 500000, false);
    assert_in_range(run.adding.usual, 2800, 3100);
    for (unsigned i = 0; i < 300; i++)
        (void)detour_added(&run.a, &run.adding, 300, false);
    assert_in_range(run.adding.usual, 280, 320);
}

static void test_detour_chains_do_not_count_as_usual(void **state)
{
    begin();
    for (unsigned i = 0; i < 300; i++)
        (void)detour_added(&run.a, &run.adding, 10, true);
    assert_int_equal(run.adding.usual, USUAL);
}

/* An interrupt of 600 ticks, and while it was looked at another task ran for a while. */
static void test_detour_what_was_counted_late_belongs_to_the_longer_one(void **state)
{
    begin();
    run.seen.switches++;
    add(50000, 600);
    uint64_t beyond = detour_added(&run.a, &run.adding, 91000, false);
    assert_int_equal(beyond, 90000);
    add(141000, beyond);
    assert_int_equal(detour_added(&run.a, &run.adding, USUAL, true), 0);
    detour_window(&run.a, 2, false);
    assert_sum(DETOUR_PREEMPTED, 1, 90000);
    assert_sum(DETOUR_INTERRUPT, 1, 600);
    /* And the other way round. */
    run.seen.switches++;
    add(300000, 70000);
    beyond = detour_added(&run.a, &run.adding, 3500, false);
    add(303500, beyond);
    finish(0);
    assert_sum(DETOUR_PREEMPTED, 2, 160000);
    assert_sum(DETOUR_UNEXPLAINED, 1, beyond);
}

static void test_detour_unwatched_steps_are_blind_unless_somebody_ran(void **state)
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
static void test_detour_unwatched_steps_within_the_threshold_are_blind(void **state)
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

static void test_detour_series_tells_when_and_how_long(void **state)
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

static void test_detour_cells_share_a_long_one(void **state)
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
        if (run.a.cell[cell] != expected)
            fail_msg("cell %u has %llu ticks, not %llu", cell, (unsigned long long)run.a.cell[cell],
                     (unsigned long long)expected);
    }
}

/* A length that no cell divides: still every tick is in one. */
static void test_detour_cells_cover_the_run(void **state)
{
    uint64_t sum = 0;

    begin();
    detour_begin(&run.a, START, 12345, THRESHOLD, 1, &run.seen);
    for (uint64_t end = 5; end <= 12345; end += 5)
        detour_add(&run.a, START + end, 5, &run.seen);
    detour_end(&run.a, START + 12345, 0);
    for (unsigned cell = 0; cell < DETOUR_CELLS; cell++) {
        assert_in_range(run.a.cell[cell], 123, 124);
        sum += run.a.cell[cell];
    }
    assert_int_equal(sum, 12345);
    assert_int_equal(lost_ticks(&run.a), 12345);
}

static void test_detour_the_last_reading_is_of_the_run(void **state)
{
    begin();
    detour_window(&run.a, 3, true);
    add(LENGTH, 4000);
    finish(0);
    assert_sum(DETOUR_INTERRUPT, 1, 4000);
    assert_int_equal(run.a.end, START + LENGTH);
}

/* --- The loop. --- */

static void assert_loop(const uint64_t *gaps, size_t n, uint64_t least, uint64_t mode)
{
    uint64_t got_least, got_mode;

    detour_loop(gaps, n, &got_least, &got_mode);
    assert_int_equal(got_least, least);
    assert_int_equal(got_mode, mode);
}

static void test_detour_loop_has_a_least_and_a_mode(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_detour_causes_are_told_by_what_the_kernel_counts),
        cmocka_unit_test(test_detour_interrupts_explain_the_shortest_first),
        cmocka_unit_test(test_detour_what_is_too_short_is_no_interrupt),
        cmocka_unit_test(test_detour_switches_take_their_interrupts),
        cmocka_unit_test(test_detour_an_interrupt_of_the_reading_is_carried_over),
        cmocka_unit_test(test_detour_window_keeps_the_longest_apart),
        cmocka_unit_test(test_detour_window_shares_what_it_summed_up),
        cmocka_unit_test(test_detour_classes_are_octaves),
        cmocka_unit_test(test_detour_causes_add_up_exactly),
        cmocka_unit_test(test_detour_steal_takes_the_longest_until_it_is_reached),
        cmocka_unit_test(test_detour_steal_leaves_short_ones_alone),
        cmocka_unit_test(test_detour_no_steal_changes_nothing),
        cmocka_unit_test(test_detour_steal_finds_the_longest_of_all_windows),
        cmocka_unit_test(test_detour_usual_steps_are_blind_time),
        cmocka_unit_test(test_detour_beyond_the_usual_is_a_detour),
        cmocka_unit_test(test_detour_beyond_the_usual_is_above_the_threshold),
        cmocka_unit_test(test_detour_usual_follows_the_median),
        cmocka_unit_test(test_detour_chains_do_not_count_as_usual),
        cmocka_unit_test(test_detour_what_was_counted_late_belongs_to_the_longer_one),
        cmocka_unit_test(test_detour_unwatched_steps_are_blind_unless_somebody_ran),
        cmocka_unit_test(test_detour_unwatched_steps_within_the_threshold_are_blind),
        cmocka_unit_test(test_detour_series_tells_when_and_how_long),
        cmocka_unit_test(test_detour_cells_share_a_long_one),
        cmocka_unit_test(test_detour_cells_cover_the_run),
        cmocka_unit_test(test_detour_the_last_reading_is_of_the_run),
        cmocka_unit_test(test_detour_loop_has_a_least_and_a_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
