/* SPDX-License-Identifier: MIT */
/* Simulated interactive tasks: the accounting on made-up clocks, the rows made of it, and real trials. */
#include <pthread.h>

#include "bench_fixture.h"

#include "bench/sim.h"
#include "made_up_clock.h"
#include "memory_fixture.h"

/* --- One account, and what is to come of it. --- */

/* All times in the tests are since this one. */
#define START 1000000ull

static struct {
    struct sim_account a;
    struct hist latency, total, classic;
    struct series series;
    struct sim_ring ring;
    uint64_t posted, limit;
    bool sweep;
} sim;

static void begin(uint64_t interval)
{
    memset(&sim, 0, sizeof(sim));
    hist_init(&sim.latency, 0);
    hist_init(&sim.total, 0);
    hist_init(&sim.classic, 0);
    series_init(&sim.series);
    sim.a = (struct sim_account){.start_ns = START,
                                 .interval_ns = interval,
                                 .late_after_ns = 25,
                                 .latency = &sim.latency,
                                 .total = &sim.total,
                                 .classic = &sim.classic,
                                 .series = &sim.series};
    sim.limit = UINT64_MAX;
}

/* The timing thread runs. */
static void timer_at(uint64_t t)
{
    sim.posted = sim_timer(START, sim.a.interval_ns, sim.posted, sim.limit, START + t, &sim.ring);
}

/* It runs whenever it is due, so much late, up to that time. */
static void timer_until(uint64_t t, uint64_t late)
{
    while (sim.posted * sim.a.interval_ns + late <= t)
        timer_at(sim.posted * sim.a.interval_ns + late);
}

static uint64_t task_at(uint64_t t)
{
    return sim_begin(&sim.a, START + t, sim.posted, &sim.ring);
}

static void done_at(uint64_t t, uint64_t busy)
{
    sim_end(&sim.a, START + t, sim.sweep && busy >= sim.a.interval_ns);
}

/* With a timing thread that is always in time: the task runs at from, works, and is done at to. */
static uint64_t turn(uint64_t from, uint64_t to, uint64_t busy)
{
    timer_until(from, 0);
    uint64_t number = task_at(from);
    done_at(to, busy);
    return number;
}

static int rising(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void assert_close(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-12 * fmax(1, fabs(expected))))
        fail_msg("%.17g is not %.17g", got, expected);
}

/* Expects these values in any order, and no others. */
static void assert_values(const struct hist *h, const uint64_t *values, size_t n)
{
    uint64_t *sorted = malloc((n + 1) * sizeof(*sorted));
    struct hist_bin bin;
    size_t position = 0, i = 0;

    assert_non_null(sorted);
    memcpy(sorted, values, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), rising);
    while (hist_next(h, &position, &bin))
        for (uint64_t count = 0; count < bin.count; count++, i++)
            if (i >= n || bin.mean != (double)sorted[i])
                fail_msg("value %zu of %zu is %.17g", i, n, bin.mean);
    assert_int_equal(i, n);
    free(sorted);
}
#define VALUES(h, ...) \
    assert_values(h, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void assert_series(const struct series_point *points, size_t n)
{
    static struct series_point got[SERIES_FIRST + SERIES_LARGEST];

    assert_int_equal(sim.series.n, n);
    assert_int_equal(series_points(&sim.series, got), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(got[i].at, points[i].at);
        assert_int_equal(got[i].value, points[i].value);
    }
}
#define SERIES(...) \
    assert_series((const struct series_point[]){__VA_ARGS__}, \
                  sizeof((const struct series_point[]){__VA_ARGS__}) / sizeof(struct series_point))

static void assert_counts(uint64_t done, uint64_t missed, uint64_t met, uint64_t unmet)
{
    assert_int_equal(sim.a.burns_done, done);
    assert_int_equal(sim.a.burns_missed, missed);
    assert_int_equal(sim.a.deadlines_met, met);
    assert_int_equal(sim.a.deadlines_missed, unmet);
}

/* --- Stalls of whole periods. --- */

/* 125 ms late at 50 ms. */
TEST(test_sim_stall_counts_once_for_each_wake_up_that_it_swallowed)
{
    begin(50 * MS);
    assert_int_equal(turn(125 * MS, 128 * MS, 3 * MS), 2);
    VALUES(&sim.latency, 125 * MS, 75 * MS, 25 * MS);
    SERIES({0, 125 * MS}, {1, 75 * MS}, {2, 25 * MS});
    /* The work of two periods is lost; that of the third is late, but met. */
    assert_counts(1, 2, 1, 2);
    assert_int_equal(turn(151 * MS, 154 * MS, 3 * MS), 3);
    VALUES(&sim.latency, 125 * MS, 75 * MS, 25 * MS, MS);
    SERIES({0, 125 * MS}, {1, 75 * MS}, {2, 25 * MS}, {3, MS});
    assert_counts(2, 2, 2, 2);
}

/* --- Longer than the timing thread's times are kept. --- */

static void check_long_stall(uint64_t periods, uint64_t forgotten)
{
    static uint64_t values[4 * SIM_RING]; /* an interval so short that all are exact in the histogram */
    const uint64_t now = periods * 15 + 10;

    begin(15);
    timer_until(now, 7);
    assert_int_equal(sim.posted, periods + 1);
    assert_int_equal(task_at(now), periods);
    for (uint64_t k = 0; k <= periods; k++)
        values[k] = now - k * 15 - (k < forgotten ? 0 : 7);
    assert_values(&sim.latency, values, (size_t)periods + 1);
    done_at(now + 3, 3);
    assert_counts(1, periods, 1, periods);
}

TEST(test_sim_stall_longer_than_the_ring)
{
    check_long_stall(SIM_RING + 36, 37);
    check_long_stall(4 * SIM_RING - 1, 3 * SIM_RING);
}

/* --- The timing thread goes on while the task reads its times. --- */

/* The task sees backlog wake-ups announced; before it reads their times, further ones are announced. */
static void check_overwritten(uint64_t backlog, uint64_t further, uint64_t timer_late)
{
    static uint64_t values[SIM_RING];
    const uint64_t now = backlog * 15;

    begin(15);
    timer_until(now - 1, timer_late);
    assert_int_equal(sim.posted, backlog);
    timer_until(now - 1 + further * 15, timer_late);
    assert_int_equal(sim.posted, backlog + further);
    assert_int_equal(sim_begin(&sim.a, START + now, backlog, &sim.ring), backlog - 1);
    for (uint64_t k = 0; k < backlog; k++)
        values[k] = now - k * 15 - (k + SIM_RING < backlog + further ? 0 : timer_late);
    assert_values(&sim.latency, values, (size_t)backlog);
}

TEST(test_sim_times_overwritten_while_they_are_read)
{
    check_overwritten(SIM_RING, 0, 7);
    check_overwritten(SIM_RING, 1, 7);
    check_overwritten(SIM_RING, 36, 0);
    check_overwritten(SIM_RING - 24, 24, 7);
    check_overwritten(SIM_RING - 24, 60, 7);
    check_overwritten(SIM_RING / 2, 2 * SIM_RING, 7);
}

/* The timing thread is held up between its claim and the announcement, with some of its times written. */
TEST(test_sim_times_claimed_but_not_announced)
{
    static uint64_t values[SIM_RING];
    const uint64_t now = SIM_RING * 15;

    begin(15);
    timer_until(now - 1, 7);
    sim.ring.claimed = SIM_RING + 36;
    for (uint64_t k = 0; k < 20; k++)
        sim.ring.woke_ns[k] = START + now + 540;
    assert_int_equal(task_at(now), SIM_RING - 1);
    for (uint64_t k = 0; k < SIM_RING; k++)
        values[k] = now - k * 15 - (k < 36 ? 0 : 7);
    assert_values(&sim.latency, values, SIM_RING);
}

/* --- A timing thread that is late itself. --- */

TEST(test_sim_timer_goes_round_the_ring)
{
    struct sim_ring ring = {0};
    const uint64_t n = 3 * SIM_RING + 5;

    assert_int_equal(sim_timer(START, 10, 0, UINT64_MAX, START + (n - 1) * 10 + 9, &ring), n);
    for (uint64_t k = 0; k < SIM_RING; k++)
        assert_int_equal(ring.woke_ns[k], START + (n - 1) * 10 + 9);
    assert_int_equal(sim_timer(START, 10, n, UINT64_MAX, START + n * 10 + 1, &ring), n + 1);
    for (uint64_t k = 0; k < SIM_RING; k++)
        assert_int_equal(ring.woke_ns[k], START + (k == n % SIM_RING ? n * 10 + 1 : (n - 1) * 10 + 9));
}

/* The timing thread's own lateness is not part of the task's latency. */
TEST(test_sim_latency_begins_when_the_timing_thread_woke)
{
    begin(100);
    timer_at(30);
    (void)task_at(42);
    done_at(60, 18);
    timer_at(100);
    (void)task_at(101);
    done_at(119, 18);
    VALUES(&sim.latency, 12, 1);
    VALUES(&sim.total, 42, 1); /* what cyclictest's users see */
    assert_int_equal(sim.a.n_late, 1);
    assert_counts(2, 0, 2, 0);
}

/* --- Work that takes too long. --- */

TEST(test_sim_overrun_of_a_third_of_a_period)
{
    begin(100);
    (void)turn(0, 130, 60);
    assert_counts(1, 0, 0, 1);
    assert_int_equal(turn(130, 190, 60), 1);
    VALUES(&sim.latency, 0, 30);
    assert_counts(2, 0, 1, 1);
    assert_int_equal(turn(208, 268, 60), 2); /* it was asleep again */
    VALUES(&sim.latency, 0, 30, 8);
    SERIES({0, 0}, {1, 30}, {2, 8});
    assert_counts(3, 0, 2, 1);
}

/* Late work, but the timing thread is later still: the task did sleep. */
TEST(test_sim_overrun_before_the_announcement_is_a_wake_up)
{
    begin(100);
    timer_at(0);
    (void)task_at(0);
    done_at(130, 60);
    timer_at(150);
    (void)task_at(159);
    done_at(190, 31);
    VALUES(&sim.latency, 0, 9);
    assert_counts(2, 0, 1, 1);
}

/* --- X. --- */

TEST(test_sim_x_was_not_asleep_after_a_full_window)
{
    begin(1000);
    sim.sweep = true;
    (void)turn(10, 1010, 1000);
    (void)turn(1010, 1510, 500);
    VALUES(&sim.latency, 10);
    SERIES({0, 10});
    (void)turn(2020, 2320, 300);
    VALUES(&sim.latency, 10, 20);
    SERIES({0, 10}, {2, 20});
    assert_counts(3, 0, 2, 1);
}

/* 5 ms at each wake-up that there is, over a whole sweep: from 96 % on the work is late itself, and the next begins at
 * once. */
TEST(test_sim_x_over_a_sweep_of_constant_lateness)
{
    static uint64_t latency[101];
    uint64_t free_at = 0;

    begin(100);
    sim.sweep = true;
    for (uint64_t k = 0; k <= 100; k++) {
        uint64_t from = free_at > k * 100 ? free_at : k * 100 + 5;
        (void)turn(from, from + k, k);
        free_at = from + k;
        latency[k] = k == 97 ? 1 : k == 99 ? 3 : k == 100 ? 2 : 5;
    }
    assert_values(&sim.latency, latency, 101);
    assert_close(hist_mean(&sim.latency), 496.0 / 101);
    assert_counts(101, 0, 97, 4);
}

/* From nothing to all of its interval; in one window half of it. */
TEST(test_sim_x_covers_nothing_to_all_in_any_time)
{
    static const struct {
        uint64_t k, time_ms, busy_ms;
    } turns[] = {{0, 0, 0},   {100, 0, 100}, {101, 0, 0},   {0, 100, 50},     {0, 199, 50},
                 {0, 10, 50}, {1, 299, 100}, {9, 10000, 9}, {99, 10000, 100}, {100, 30000, 100}};

    for (size_t i = 0; i < COUNT(turns); i++) {
        const uint64_t busy_ns = sim_turn(&sim_x, turns[i].k, turns[i].time_ms * 1000000).busy_ns;
        if (busy_ns / 1000000 != turns[i].busy_ms)
            fail_msg("turn %zu: %llu ns", i, (unsigned long long)busy_ns);
    }
}

/* --- Gaming. --- */

TEST(test_sim_bursts_are_late_by_what_they_took_too_long)
{
    static const uint64_t took[] = {100, 101, 99, 350, 0, 100};

    begin(0);
    for (uint64_t i = 0; i < COUNT(took); i++)
        sim_burst(&sim.a, i, 100, took[i]);
    VALUES(&sim.latency, 0, 1, 0, 250, 0, 0);
    VALUES(&sim.classic, 0, 1, 0, 250, 0, 0);
    SERIES({0, 0}, {1, 1}, {2, 0}, {3, 250}, {4, 0}, {5, 0});
    assert_counts(6, 0, 0, 0);
}

/* --- Interbench's turns. --- */

/* One turn of the simulated task, and what happens to it. */
struct classic_turn {
    uint64_t run_ns;       /* CPU time asked for; the rule itself never uses it, burn_ns says what it took */
    uint64_t interval_ns;  /* added to the deadline by this turn; 0: the turn does not sleep afterwards */
    uint64_t shift_ns;     /* added to the deadline that came back from this turn, before the next (X: i ms) */
    uint64_t overslept_ns; /* how much the timing thread oversleeps in the sleep before this turn */
    uint64_t late_ns;      /* time from the timing thread's wake-up until the task runs */
    uint64_t burn_ns;      /* how long the burn really takes; not used if the turn is lost before any work */
};

static uint64_t turn_clock;

static void begin_turns(uint64_t period)
{
    begin(period);
    sim.a.deadline_ns = sim.a.asked_ns = START;
    turn_clock = START;
}

/* Returns whether the turn's work was done. */
static bool take_turn(const struct classic_turn *t)
{
    const struct sim_turn turn = {.busy_ns = t->run_ns, .interval_ns = t->interval_ns, .shift_ns = t->shift_ns};
    uint64_t woke = 0;

    if (sim.a.asked_ns) {
        assert_true(sim.a.asked_ns >= turn_clock); /* it never sleeps to a time that is over */
        woke = sim.a.asked_ns + t->overslept_ns;
        turn_clock = woke + t->late_ns;
    }
    if (!sim_turn_woken(&sim.a, &turn, turn_clock, woke))
        return false;
    turn_clock += t->burn_ns;
    sim_turn_done(&sim.a, &turn, turn_clock);
    return true;
}

/* Late after the wake-up, then busy. */
static bool plain_turn(uint64_t late, uint64_t burn)
{
    const struct classic_turn t = {.interval_ns = sim.a.interval_ns, .late_ns = late, .burn_ns = burn};

    return take_turn(&t);
}

/* The stall is counted twice, and the work of the time that is left is not begun. */
TEST(test_sim_turn_lost_before_its_work)
{
    begin_turns(50 * MS);
    assert_false(plain_turn(125 * MS, 3 * MS));
    VALUES(&sim.classic, 225 * MS);
    VALUES(&sim.latency, 125 * MS, 75 * MS, 25 * MS);
    assert_counts(0, 2, 0, 2);
    assert_int_equal(sim.a.asked_ns, START + 150 * MS);
    assert_true(plain_turn(MS, 3 * MS));
    VALUES(&sim.classic, 225 * MS, MS);
    VALUES(&sim.latency, 125 * MS, 75 * MS, 25 * MS, MS);
    SERIES({0, 125 * MS}, {1, 75 * MS}, {2, 25 * MS}, {3, MS});
    assert_counts(1, 2, 1, 2);
}

TEST(test_sim_turn_late_by_a_whole_interval_is_not_lost)
{
    begin_turns(50);
    assert_true(plain_turn(50, 0)); /* begun and done on its deadline */
    VALUES(&sim.classic, 50);
    assert_counts(1, 0, 1, 0);
    begin_turns(50);
    assert_false(plain_turn(51, 0));
    VALUES(&sim.classic, 101);
    VALUES(&sim.latency, 51, 1);
    assert_counts(0, 1, 0, 1);
}

TEST(test_sim_turn_does_not_count_what_the_timing_thread_overslept)
{
    const struct classic_turn overslept = {.interval_ns = 100, .overslept_ns = 60, .late_ns = 12, .burn_ns = 20},
                              lost = {.interval_ns = 100, .overslept_ns = 130, .late_ns = 1, .burn_ns = 20};

    begin_turns(100);
    assert_true(take_turn(&overslept));
    assert_false(take_turn(&lost)); /* but it may lose the turn */
    VALUES(&sim.classic, 12, 101);
    VALUES(&sim.latency, 12, 1, 31);
    VALUES(&sim.total, 72, 131, 31);
    assert_counts(1, 1, 1, 1);
}

/* Turn k of x, late by so much at its wake-up, in a window of 100. */
static bool x_turn(uint64_t k, uint64_t late)
{
    const struct classic_turn t = {.run_ns = k, .interval_ns = 100 - k, .shift_ns = k, .late_ns = late, .burn_ns = k};

    return take_turn(&t);
}

/* Lateness that is less than the work before does not show; what shows is that the work does not fit any more. */
TEST(test_sim_turn_of_x_over_a_sweep_of_constant_lateness)
{
    static uint64_t latency[106], classic[101] = {5, 5, 4, 3, 2, 1, [95] = 5, 4, 6, 6, 6};
    static const uint64_t skipped[] = {1, 2, 3, 4, 5};

    begin_turns(100);
    for (uint64_t k = 0; k <= 100; k++) {
        assert_true(x_turn(k, 5));
        latency[k] = 5;
    }
    memcpy(latency + 101, skipped, sizeof(skipped)); /* one window each, though 1 + 1 + 2 + 3 + 6 deadlines */
    assert_values(&sim.classic, classic, 101);
    assert_values(&sim.latency, latency, 106);
    /* The work of 97 to 99 % missed several deadlines at once; that of 100 % neither met nor missed one. */
    assert_counts(101, 2 + 3 + 6, 95, 1 + 1 + 2 + 3 + 6);
    assert_int_equal(sim.a.asked_ns, 0);
}

/* --- What the descriptors say. --- */

/* CPUs 1, 2 and 5 of 0 to 7; 5 is the first of the order. */
static void request_of(struct place_request *request)
{
    memset(request, 0, sizeof(*request));
    for (unsigned cpu = 0; cpu < 8; cpu++)
        cpuset_add(&request->online, cpu);
    request->order[0] = 5;
    request->order[1] = 2;
    request->order[2] = 1;
    request->n_order = 3;
    for (size_t i = 0; i < request->n_order; i++)
        cpuset_add(&request->cpus, request->order[i]);
    request->bind = BIND_ONE;
}

static struct placement placed(const struct sim_params *params, const struct place_request *request, unsigned party,
                               const char *cpus, enum bind_mode bind)
{
    struct placement placement;
    char text[64];

    memset(&placement, 0xff, sizeof(placement));
    sim_place(&(struct place_of){params, request, party, 0}, &placement);
    (void)cpuset_format(&placement.cpus, text, sizeof(text));
    assert_string_equal(text, cpus);
    assert_int_equal(placement.bind, bind);
    return placement;
}

/* After a whole window it does not sleep, and its deadline is the window behind now. */
TEST(test_sim_turn_of_x_without_a_sleep)
{
    begin_turns(100);
    assert_true(x_turn(100, 30));
    assert_int_equal(turn_clock, START + 130);
    assert_int_equal(sim.a.asked_ns, 0);
    assert_int_equal(sim.a.deadline_ns, START + 230);
    assert_true(x_turn(0, 9)); /* 9 is not used */
    assert_int_equal(turn_clock, START + 130);
    assert_int_equal(sim.a.asked_ns, START + 330);
    VALUES(&sim.classic, 30, 0);
    VALUES(&sim.latency, 30);
    assert_counts(2, 0, 1, 0);
}

TEST(test_sim_runs_on_all_cpus_named_unless_told_otherwise)
{
    struct place_request request;

    for (unsigned party = SIM_TASK; party <= SIM_TIMER; party++) {
        struct sim_params params = sim_audio;
        request_of(&request);
        (void)placed(&params, &request, party, "1-2,5", BIND_RANGE);
        request.bind_given = true;
        (void)placed(&params, &request, party, "5", BIND_ONE);
        request.bind = BIND_NONE;
        (void)placed(&params, &request, party, "", BIND_NONE);
        params.single_cpu = true;
        (void)placed(&params, &request, party, "5", BIND_ONE);
    }
}

TEST(test_sim_timing_thread_is_real_time_in_every_mode)
{
    struct place_request request;
    struct placement timer, task;

    request_of(&request);
    request.nice_given = true;
    request.nice = 7;
    timer = placed(&sim_audio, &request, SIM_TIMER, "1-2,5", BIND_RANGE);
    task = placed(&sim_audio, &request, SIM_TASK, "1-2,5", BIND_RANGE);
    assert_int_equal(timer.policy, SCHED_FIFO);
    assert_int_equal(timer.rt_priority, 96);
    assert_false(timer.nice_given);
    assert_false(timer.lock_memory);
    assert_string_equal(timer.refused, "");
    assert_int_equal(task.policy, SCHED_OTHER);
    assert_int_equal(task.rt_priority, 0);
    assert_true(task.nice_given && task.nice == 7);
    assert_false(task.lock_memory);
    assert_true(bench_audio.control_fifo);
    assert_true(timer.rt_priority < TASK_FIFO_MAX); /* the priority of control */
}

TEST(test_sim_real_time_mode_is_below_the_timing_thread)
{
    struct sim_params params = sim_audio;
    struct place_request request;
    struct placement task;

    request_of(&request);
    params.real_time = true;
    task = placed(&params, &request, SIM_TASK, "1-2,5", BIND_RANGE);
    assert_int_equal(task.policy, SCHED_FIFO);
    assert_int_equal(task.rt_priority, 95);
    assert_true(task.lock_memory);
    assert_int_equal(placed(&params, &request, SIM_TIMER, "1-2,5", BIND_RANGE).rt_priority, 96);
    request.fifo = true; /* the user's own priority counts, with -r or without */
    request.fifo_priority = 40;
    assert_int_equal(placed(&params, &request, SIM_TASK, "1-2,5", BIND_RANGE).rt_priority, 40);
    params.real_time = false;
    task = placed(&params, &request, SIM_TASK, "1-2,5", BIND_RANGE);
    assert_int_equal(task.rt_priority, 40);
    assert_true(task.lock_memory);
}

/* --- Rows, of a task that only pretends. --- */

static void record_to(const struct party_context *context)
{
    sim.a.latency = context->recorder[SIM_LATENCY];
    sim.a.total = context->recorder[SIM_TOTAL];
    sim.a.late_after_ns = ((const struct sim_params *)context->params)->late_after_ns;
    sim.a.classic = context->recorder[SIM_CLASSIC];
    sim.a.series = context->recorder[SIM_SERIES];
}

static int pretend_timer_run(struct party_context *context)
{
    for (uint64_t late = 1000; late <= 5000; late += 1000)
        hist_add(context->recorder[TIMER_LATENCY], late * late / 1000);
    return 0;
}

static int pretend_bursts_run(struct party_context *context)
{
    begin(0);
    record_to(context);
    for (uint64_t i = 0; i < 4; i++)
        sim_burst(&sim.a, i, 100 * MS, 100 * MS + 10 * i * MS);
    ((double *)context->recorder[SIM_NUMBERS])[SIM_LATE] = (double)sim.a.n_late;
    return 0;
}

/* Each recorder and each number has a different value. */
static int pretend_run(struct party_context *context)
{
    static const double numbers[SIM_N_NUMBERS] = {[SIM_BURNS_DONE] = 9,
                                                  [SIM_BURNS_MISSED] = 1,
                                                  [SIM_DEADLINES_MET] = 3,
                                                  [SIM_DEADLINES_MISSED] = 2,
                                                  [SIM_LATE] = 1};

    for (uint64_t i = 1; i <= 4; i++)
        hist_add(context->recorder[SIM_LATENCY], i * MS);
    for (uint64_t i = 1; i <= 3; i++)
        hist_add(context->recorder[SIM_TOTAL], 100 * i * MS);
    hist_add(context->recorder[SIM_CLASSIC], 7000 * MS);
    memcpy(context->recorder[SIM_NUMBERS], numbers, sizeof(numbers));
    return 0;
}

static struct party pretend_parties[2], pretend_burst_parties[1];
static struct bench bench_pretend, bench_pretend_bursts;

static void make_pretenders(void)
{
    memcpy(pretend_parties, sim_parties, sizeof(pretend_parties));
    memcpy(pretend_burst_parties, sim_parties, sizeof(pretend_burst_parties));
    pretend_parties[SIM_TASK].setup = NULL;
    pretend_parties[SIM_TASK].run = pretend_run;
    pretend_parties[SIM_TIMER].run = pretend_timer_run;
    pretend_burst_parties[SIM_TASK].setup = NULL;
    pretend_burst_parties[SIM_TASK].run = pretend_bursts_run;
    bench_pretend = bench_audio;
    bench_pretend.name = "pretend";
    bench_pretend.parties = pretend_parties;
    bench_pretend_bursts = bench_gaming;
    bench_pretend_bursts.name = "pretend-bursts";
    bench_pretend_bursts.parties = pretend_burst_parties;
    /* The test may lack the rights for SCHED_FIFO and for placement. */
    bench_pretend.control_fifo = bench_pretend_bursts.control_fifo = false;
    bench_pretend.place = bench_pretend_bursts.place = NULL;
}

static struct fixture_rows rows;

static const struct row *metric_row(const char *metric)
{
    const struct row *row = fixture_find(&rows, metric, "");

    assert_string_equal(row->suite, "latency");
    return row;
}

static void assert_row(const char *metric, const char *unit, double value, size_t n, double max)
{
    const struct row *row = metric_row(metric);

    assert_string_equal(row->unit, unit);
    assert_close(row->value, value);
    assert_int_equal(row->stats.n, n);
    assert_close(row->stats.max, max);
}

TEST(test_sim_rows_are_each_of_their_own_recorder)
{
    struct sim_params params = sim_audio;

    params.classic = true;
    assert_int_equal(fixture_one_trial(&bench_pretend, &params, 1, &rows), ROW_OK);
    assert_row("latency", "ns", 2.5 * MS, 4, 4 * MS);
    assert_row("total", "ns", 200 * MS, 3, 300 * MS);
    assert_row("latency_classic", "ns", 7000 * MS, 1, 7000 * MS);
    assert_row("timer_latency", "ns", 9000, 5, 25000);
    assert_row("desired_cpu", "%", 90, 1, 90);
    assert_row("deadlines_met", "%", 60, 1, 60);
    assert_row("late", "%", 25, 1, 25);
    assert_true(metric_row("latency")->samples[0] == 2.5 * MS && metric_row("total")->samples[0] == 200 * MS);
    fixture_free_rows(&rows);
}

TEST(test_sim_rows_of_bursts)
{
    struct sim_params params = sim_gaming;

    assert_int_equal(fixture_one_trial(&bench_pretend_bursts, &sim_gaming, 1, &rows), ROW_OK);
    assert_int_equal(rows.n, SIM_METRIC_DEADLINES - 1);
    assert_row("latency", "ns", 15 * MS, 4, 30 * MS);
    assert_row("late", "%", 75, 1, 75); /* 10, 20 and 30 ms are above 7 */
    assert_int_equal(metric_row("latency")->n_series, 4);
    assert_row("desired_cpu", "%", 100 * 100.0 / 115, 1, 100 * 100.0 / 115);
    fixture_free_rows(&rows);
    params.classic = true;
    assert_int_equal(fixture_one_trial(&bench_pretend_bursts, &params, 1, &rows), ROW_OK);
    assert_int_equal(rows.n, SIM_METRIC_DEADLINES);
    assert_row("latency_classic", "ns", 15 * MS, 4, 30 * MS);
    assert_row("desired_cpu", "%", 100 * 100.0 / 115, 1, 100 * 100.0 / 115);
    fixture_free_rows(&rows);
}

/* --- The threads one after the other, with a made-up clock that only sleeps move on. --- */

static uint64_t shared[SIM_SHARED_SIZE / sizeof(uint64_t)];

/* Begins a party of those of a task or of a load. */
static void begin_party(struct fixture_party *p, const struct party *party, const struct sim_params *params,
                        uint64_t time_ns)
{
    const struct bench bench = {.parties = party, .n_parties = 1};

    fixture_party_begin(p, &bench, params);
    p->context.shared = shared;
    p->context.time_ns = time_ns;
    p->head->event_fd = -1;
}

static void start_clock(const int64_t *late_ns, size_t n)
{
    memset(shared, 0, sizeof(shared));
    made_up_clock_start(5000 * MS, 0);
    made_up_clock.late_ns = late_ns;
    made_up_clock.n_late = n;
}

/* Ten wake-ups: that at 2 ms comes at 4.3 ms, together with those at 3 and 4 ms; that at 8 ms when the one at 9 ms is
 * due. The task has no CPU until 9.4 ms. */
TEST(test_sim_threads_account_for_all_wake_ups)
{
    static const int64_t late_ns[] = {0, 200000, 2300000, 0, 50000, 900000, 1000000};
    const struct sim_params params = {
        .interval_ns = MS, .busy_ns = MS / 10, .late_after_ns = 5 * MS, .loops_per_ms = 1};
    struct fixture_party task, timer;

    start_clock(late_ns, COUNT(late_ns));
    begin_party(&timer, &sim_parties[SIM_TIMER], &params, 10 * MS);
    party_stop_all(&timer.context); /* a run of planned length goes on to its end */
    assert_int_equal(timer.party->run(&timer.context), 0);
    assert_int_equal(made_up_clock.slept, 7);
    assert_int_equal(made_up_clock.now_ns, 5010 * MS);
    VALUES((const struct hist *)timer.context.recorder[TIMER_LATENCY], 0, 200000, 2300000, 1300000, 300000, 0, 50000,
           900000, 1000000, 0);
    begin_party(&task, &sim_parties[SIM_TASK], &params, 10 * MS);
    assert_int_equal(task.party->setup(&task.context), 0);
    made_up_clock.now_ns += 400000;
    assert_int_equal(task.party->run(&task.context), 0);
    made_up_clock.on = false;
    VALUES((const struct hist *)task.context.recorder[SIM_LATENCY], 9400000, 8200000, 5100000, 5100000, 5100000,
           4400000, 3350000, 1500000, 400000, 400000);
    VALUES((const struct hist *)task.context.recorder[SIM_TOTAL], 9400000, 8400000, 7400000, 6400000, 5400000, 4400000,
           3400000, 2400000, 1400000, 400000);
    const double *n = task.context.recorder[SIM_NUMBERS];
    assert_true(n[SIM_BURNS_DONE] == 1 && n[SIM_BURNS_MISSED] == 9 && n[SIM_LATE] == 5);
    assert_true(n[SIM_DEADLINES_MET] == 1 && n[SIM_DEADLINES_MISSED] == 9);
    fixture_party_end(&task);
    fixture_party_end(&timer);
}

/* As many as fit in, but at least one; without a planned length until it is stopped. */
TEST(test_sim_timing_thread_knows_its_last_wake_up)
{
    static const struct {
        uint64_t time_ns, stop_ns, wakeups;
    } cases[] = {{3 * MS - 1, 0, 2}, {3 * MS, 0, 3}, {MS / 2, 0, 1}, {0, 3500000, 5}};
    const struct sim_params params = {.interval_ns = MS, .loops_per_ms = 1};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fixture_party timer;
        start_clock(NULL, 0);
        begin_party(&timer, &sim_parties[SIM_TIMER], &params, cases[i].time_ns);
        made_up_clock.stops = cases[i].stop_ns ? &timer.context : NULL;
        made_up_clock.stop_ns = 5001 * MS + cases[i].stop_ns;
        assert_int_equal(timer.party->run(&timer.context), 0);
        made_up_clock.on = false;
        const struct hist *hist = timer.context.recorder[TIMER_LATENCY];
        assert_true(hist->n == cases[i].wakeups && hist->max == 0);
        assert_int_equal(made_up_clock.slept, cases[i].wakeups);
        fixture_party_end(&timer);
    }
}

static void *run_timer(void *argument)
{
    struct fixture_party *timer = argument;

    return timer->party->run(&timer->context) ? argument : NULL;
}

/* The timing thread sleeps for each of ten turns, and the task is awake as soon as it wakes it. */
TEST(test_sim_classic_thread_sleeps_for_the_task)
{
    static const int64_t late_ns[] = {0, 100000, 200000, 300000, 400000, 500000, 600000, 700000, 800000, 900000};
    const struct sim_params params = {.interval_ns = MS, .late_after_ns = 450000, .loops_per_ms = 1, .classic = true};
    struct fixture_party task, timer;
    pthread_t thread;
    void *failed;

    start_clock(late_ns, COUNT(late_ns));
    begin_party(&timer, &sim_parties[SIM_TIMER], &params, 10 * MS);
    begin_party(&task, &sim_parties[SIM_TASK], &params, 10 * MS);
    assert_int_equal(pthread_create(&thread, NULL, run_timer, &timer), 0);
    assert_int_equal(task.party->run(&task.context), 0);
    assert_int_equal(pthread_join(thread, &failed), 0);
    made_up_clock.on = false;
    assert_null(failed);
    VALUES((const struct hist *)timer.context.recorder[TIMER_LATENCY], 0, 100000, 200000, 300000, 400000, 500000,
           600000, 700000, 800000, 900000);
    VALUES((const struct hist *)task.context.recorder[SIM_TOTAL], 0, 100000, 200000, 300000, 400000, 500000, 600000,
           700000, 800000, 900000);
    VALUES((const struct hist *)task.context.recorder[SIM_LATENCY], 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    VALUES((const struct hist *)task.context.recorder[SIM_CLASSIC], 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    const double *n = task.context.recorder[SIM_NUMBERS];
    assert_true(n[SIM_BURNS_DONE] == 10 && n[SIM_BURNS_MISSED] == 0 && n[SIM_LATE] == 5);
    assert_true(n[SIM_DEADLINES_MET] == 10 && n[SIM_DEADLINES_MISSED] == 0);
    fixture_party_end(&task);
    fixture_party_end(&timer);
}

/* A load has no planned length, counts its bursts, and opens the gate with the first. */
TEST(test_sim_load_counts_its_bursts)
{
    const struct sim_params params = {.interval_ns = MS, .loops_per_ms = 1};
    struct fixture_party task, timer;

    start_clock(NULL, 0);
    begin_party(&timer, &sim_load_parties[SIM_TIMER], &params, 2 * MS);
    made_up_clock.stops = &timer.context;
    made_up_clock.stop_ns = 5001 * MS + 7 * MS;
    assert_int_equal(timer.party->run(&timer.context), 0);
    assert_int_equal(made_up_clock.slept, 8);
    assert_int_equal(timer.head->slot[0].state, STATE_READY);
    begin_party(&task, &sim_load_parties[SIM_TASK], &params, 2 * MS);
    assert_int_equal(task.party->setup(&task.context), 0);
    assert_int_equal(task.head->slot[0].state, STATE_STARTING);
    assert_int_equal(task.party->run(&task.context), 0);
    assert_true(((const double *)task.context.recorder[0])[LOAD_BURSTS] == 1); /* seven were missed */
    assert_true(((const double *)task.context.recorder[0])[LOAD_CPU] > 0);
    assert_int_equal(task.head->slot[0].state, STATE_READY);
    fixture_party_end(&task);
    made_up_clock.on = false;
    fixture_party_end(&timer);
}

static const struct bench *const registry[] = {&bench_pretend, &bench_pretend_bursts, NULL};

int main(int argc, char **argv)
{
    make_pretenders();
    trial_worker_main(argc, argv, registry, no_loads);
    process_init();
    signals_init();
    return run_all_tests();
}
