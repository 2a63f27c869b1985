/* SPDX-License-Identifier: MIT */
/* The accounting of wake-ups with made-up times, and the thread with a made-up clock. */
#include "bench_fixture.h"

#include "bench/noise.h"
#include "made_up_clock.h"
#include "made_up_trial.h"

#define US 1000u

/* Half a megabyte: too big for the stack. */
static struct hist hist;

/* Every millisecond, due at 5 ms first; overflows from 400 us on. */
static struct wakeup_account begin(void)
{
    hist_init_classes(&hist, WAKEUP_CLASS_NS);
    return (struct wakeup_account){
        .interval_ns = MS, .overflow_ns = 400 * US, .due_ns = 5 * MS, .end_ns = UINT64_MAX, .hist = &hist};
}

static uint64_t in_class(uint64_t us)
{
    return hist.linear[us];
}

TEST(test_wakeup_counts_lateness_in_classes)
{
    struct wakeup_account a = begin();

    assert_int_equal(wakeup_woke(&a, 5 * MS + 37999), 37999);
    assert_int_equal(a.due_ns, 6 * MS);
    assert_int_equal(wakeup_woke(&a, 6 * MS + 38000), 38000);
    assert_int_equal(wakeup_woke(&a, 7 * MS), 0);
    assert_int_equal(a.due_ns, 8 * MS);
    assert_int_equal(hist.n, 3);
    assert_int_equal(in_class(37), 1);
    assert_int_equal(in_class(38), 1);
    assert_int_equal(in_class(0), 1);
    assert_int_equal(a.missed, 0);
    assert_int_equal(a.overflows, 0);
}

/* The sleep was until 5 ms, and 6 ms, 7 ms and 8 ms passed meanwhile. */
TEST(test_wakeup_records_missed_ones)
{
    struct wakeup_account a = begin();

    assert_int_equal(wakeup_woke(&a, 8 * MS + 300 * US), 3 * MS + 300 * US);
    assert_int_equal(a.due_ns, 9 * MS);
    assert_int_equal(a.missed, 3);
    assert_int_equal(hist.n, 4);
    for (uint64_t ms = 0; ms < 4; ms++)
        assert_int_equal(in_class(1000 * ms + 300), 1);
    assert_int_equal(a.overflows, 3);
}

/* What is due at the very moment is missed too: its time has come. */
TEST(test_wakeup_at_the_next_one_misses_it)
{
    struct wakeup_account a = begin();

    (void)wakeup_woke(&a, 6 * MS);
    assert_int_equal(a.due_ns, 7 * MS);
    assert_int_equal(a.missed, 1);
    assert_int_equal(in_class(1000), 1);
    assert_int_equal(in_class(0), 1);
}

TEST(test_wakeup_overflows_from_the_end_on)
{
    struct wakeup_account a = begin();

    (void)wakeup_woke(&a, 5 * MS + 400 * US - 1);
    assert_int_equal(a.overflows, 0);
    (void)wakeup_woke(&a, 6 * MS + 400 * US);
    assert_int_equal(a.overflows, 1);
}

/* Who sleeps beyond the end has missed what was due until then, the end included. */
TEST(test_wakeup_misses_none_after_the_end)
{
    struct wakeup_account a = begin();

    a.end_ns = 7 * MS;
    assert_int_equal(wakeup_woke(&a, 9 * MS + 100 * US), 4 * MS + 100 * US);
    assert_int_equal(a.missed, 2);
    assert_int_equal(hist.n, 3);
    assert_int_equal(in_class(2100), 1);
    assert_true(a.due_ns > a.end_ns);
}

/* A clock that jumps by an hour: the first one and the last ones are recorded, and the schedule goes on. */
TEST(test_wakeup_bounds_what_a_jump_costs)
{
    struct wakeup_account a = begin();
    const uint64_t hour = 3600ull * 1000 * MS;

    assert_int_equal(wakeup_woke(&a, 5 * MS + hour), hour);
    assert_int_equal(a.missed, 3600000);
    assert_int_equal(a.due_ns, 6 * MS + hour);
    assert_int_equal(hist.n, 1 + WAKEUP_MISSED_MAX);
    assert_int_equal(hist.max, hour);
    assert_int_equal(hist.min, 0);
}

/* --- The thread, with a made-up clock whose readings take no time. --- */

static const struct wakeup_params params = {.interval_ns = MS, .histogram_us = 400};

/* Begins at 3 s; the sleeps end so much later than they were to. Returns what run() returned. */
static int run(struct fixture_party *p, const struct wakeup_params *with, uint64_t time_ns, const int64_t *late_ns,
               size_t n)
{
    fixture_party_begin(p, &bench_wakeup, with);
    p->context.time_ns = time_ns;
    made_up_clock_start(3000000000u, 0);
    made_up_clock.late_ns = late_ns;
    made_up_clock.n_late = n;
    const int result = p->party->run(&p->context);
    made_up_clock.on = false;
    return result;
}

static void expect_recorded(const struct fixture_party *p, uint64_t n, uint64_t max, double overflows, double missed)
{
    const struct hist *of = p->context.recorder[WAKEUP_HIST];
    const double *number = p->context.recorder[WAKEUP_NUMBERS];

    assert_int_equal(of->n, n);
    assert_int_equal(of->max, max);
    assert_true(number[WAKEUP_OVERFLOWS] == overflows && number[WAKEUP_MISSED] == missed);
}

/* 10 ms are ten wake-ups, the last of them at the end. That at 2 ms is 300 us late; that at 4 ms is 2.5 ms late, so
 * that two are missed (1.5 and 0.5 ms); that at 7 ms 400 us, just an overflow. */
TEST(test_wakeup_thread_sleeps_from_one_to_the_next)
{
    static const int64_t late_ns[] = {0, 300 * US, 20 * US, 2500 * US, 400 * US};
    struct fixture_party p;

    assert_int_equal(run(&p, &params, 10 * MS, late_ns, COUNT(late_ns)), 0);
    expect_recorded(&p, 10, 2500 * US, 4, 2);
    assert_int_equal(made_up_clock.slept, 8);
    assert_int_equal(made_up_clock.now_ns, 3000000000u + 10 * MS);
    const struct hist *of = p.context.recorder[WAKEUP_HIST];
    assert_int_equal(of->linear[0], 4);
    assert_int_equal(of->linear[20], 1);
    assert_int_equal(of->linear[300], 1);
    assert_int_equal(of->linear[400], 1);
    assert_int_equal(of->linear[500], 1);
    assert_int_equal(of->linear[1500], 1);
    assert_int_equal(of->linear[2500], 1);
    assert_true(((const double *)p.context.recorder[WAKEUP_NUMBERS])[WAKEUP_STOPPED_NS] == 0);
    assert_false(party_stopped(&p.context));
    fixture_party_end(&p);
}

/* A limit of 250 us: 250 us are not above it, 251 are. */
TEST(test_wakeup_thread_stops_at_one_that_is_too_late)
{
    static const int64_t late_ns[] = {100 * US, 250 * US, 251 * US, 0};
    struct wakeup_params stopping = params;
    struct fixture_party p;

    stopping.stop_ns = 250 * US;
    assert_int_equal(run(&p, &stopping, 10 * MS, late_ns, COUNT(late_ns)), 0);
    expect_recorded(&p, 3, 251 * US, 0, 0);
    assert_true(party_stopped(&p.context));
    assert_true(((const double *)p.context.recorder[WAKEUP_NUMBERS])[WAKEUP_STOPPED_NS] == 251 * US);
    fixture_party_end(&p);
}

TEST(test_wakeup_thread_fails_when_it_cannot_sleep)
{
    static const int64_t early_ns[] = {0, -17};
    struct fixture_party p;

    assert_int_equal(run(&p, &params, 10 * MS, early_ns, COUNT(early_ns)), -1);
    assert_string_equal(p.reason, "clock_nanosleep returned 17 ns too early");
    fixture_party_end(&p);
    fixture_party_begin(&p, &bench_wakeup, &params);
    p.context.time_ns = 10 * MS;
    made_up_clock_start(3000000000u, 0);
    made_up_clock.sleep_error = EINVAL;
    assert_int_equal(p.party->run(&p.context), -1);
    made_up_clock.on = false;
    assert_string_equal(p.reason, "cannot sleep: clock_nanosleep: Invalid argument");
    fixture_party_end(&p);
}

TEST(test_wakeup_is_real_time_with_a_priority)
{
    static const struct {
        int priority;
        bool lock;
        int policy;
        bool locked;
    } cases[] = {{0, false, SCHED_OTHER, false},
                 {0, true, SCHED_OTHER, true},
                 {80, false, SCHED_FIFO, true},
                 {1, true, SCHED_FIFO, true}};
    struct place_request request;

    fixture_place_of_three(&request, BIND_ONE, true);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct wakeup_params with = {.priority = cases[i].priority, .lock_memory = cases[i].lock};
        struct placement placement;
        bench_wakeup.place(&(struct place_of){&with, &request, 0, 1}, &placement);
        assert_int_equal(placement.policy, cases[i].policy);
        assert_int_equal(placement.rt_priority, cases[i].priority);
        assert_int_equal(placement.lock_memory, cases[i].locked);
        assert_true(cpuset_count(&placement.cpus) == 1 && cpuset_has(&placement.cpus, 1));
    }
}

/* Two threads, each with its own figures; the second one ended the run. */
TEST(test_wakeup_rows_are_each_of_their_own_thread)
{
    static struct hist of[2];
    double number[2][WAKEUP_N_NUMBERS] = {{[WAKEUP_MISSED] = 3, [WAKEUP_OVERFLOWS] = 2},
                                          {[WAKEUP_MISSED] = 7, [WAKEUP_OVERFLOWS] = 5}};
    struct made_up_trial trial = {.spec = {.bench = &bench_wakeup, .params = &params, .copies = 2},
                                  .recorder = {{&of[0], number[0]}, {&of[1], number[1]}}};

    for (unsigned copy = 0; copy < 2; copy++) {
        hist_init_classes(&of[copy], WAKEUP_CLASS_NS);
        for (unsigned i = 0; i < 5; i++)
            hist_add_class(&of[copy], (10 * copy + (i < 3 ? 1 : 9)) * US);
    }
    made_up_reduce(&trial);
    for (unsigned copy = 0; copy < 2; copy++) {
        fixture_assert_near(trial.sample[copy][WAKEUP_METRIC_LATENCY], hist_quantile(&of[copy], 0.5));
        assert_in_range(trial.sample[copy][WAKEUP_METRIC_LATENCY], (10 * copy + 1) * US, (10 * copy + 2) * US);
        assert_true(trial.sample[copy][WAKEUP_METRIC_OVERFLOWS] == (copy ? 5 : 2));
        assert_true(trial.sample[copy][WAKEUP_METRIC_MISSED] == (copy ? 7 : 3));
    }
    assert_int_equal(trial.remark[1].n, 0);
    /* --who was not asked for, or nobody could record it. */
    const struct wakeup_params who = {.who = true}, *const asked[] = {&params, &who};
    number[1][WAKEUP_STOPPED_NS] = 1234567;
    for (size_t i = 0; i < COUNT(asked); i++) {
        trial.spec.params = asked[i];
        made_up_reduce(&trial);
        assert_string_equal(trial.remark[1].text, "stopped_us=1234.567");
    }
}
