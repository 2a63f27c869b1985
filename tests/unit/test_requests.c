/* SPDX-License-Identifier: MIT */
/* The task requests: each request is handed over, served and recorded once, whatever the number of threads and the way
 * of the hand-over; its times by a made-up clock; which caches workers run on; and when the rate is stable. Input
 * counts all events that came. */

#include "bench_fixture.h"
#include "made_up_clock.h"

#include "bench/tasks.h"

/* Ends the run after so many requests. */
#define SERVED 200

static struct fixture_party p;

static const double *numbers(void)
{
    return p.context.recorder[TASKS_OWN_RECORDER + 1];
}

static void *stop(void *argument)
{
    while (*(volatile const double *)numbers() < SERVED)
        usleep(1000);
    party_stop_all(&p.context);
    return argument;
}

static void serve(const struct requests_params *params, uint64_t threads)
{
    pthread_t thread;

    fixture_party_begin(&p, &bench_requests, params);
    assert_int_equal(p.party->setup(&p.context), 0);
    assert_int_equal(pthread_create(&thread, NULL, stop, NULL), 0);
    assert_int_equal(p.party->run(&p.context), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    const uint64_t served = (uint64_t)numbers()[0], chain = larger(params->chain, 1);
    const struct hist *latency = p.context.recorder[0], *whole = p.context.recorder[TASKS_OWN_RECORDER];
    const struct series *series = p.context.recorder[1], *whole_series = p.context.recorder[TASKS_OWN_RECORDER + 3];
    const double *wakes = p.context.recorder[TASKS_WAKES];
    assert_true(served >= SERVED);
    assert_int_equal(latency->n, served * chain);
    assert_int_equal(whole->n, served);
    assert_int_equal(series->n, served * chain);
    assert_int_equal(whole_series->n, served);
    /* each worker sleeps for 100 us before and after its work */
    assert_true(whole->min >= 200000 * chain && latency->max <= whole->max);
    assert_true(latency->sum < whole->sum + (double)whole->base);
    /* a worker's first request has no CPU before it */
    assert_true(wakes[WAKES_KNOWN] == (double)(served * chain - threads) &&
                wakes[WAKES_SAME_CPU] <= wakes[WAKES_KNOWN]);
    assert_true(wakes[WAKES_CACHE_KNOWN] == 0 ||
                (wakes[WAKES_CACHE_KNOWN] == wakes[WAKES_KNOWN] && wakes[WAKES_SAME_CPU] <= wakes[WAKES_SAME_CACHE]));
    assert_true(numbers()[1] > 0);
    assert_true(p.head->slot[0].stands_for);
    assert_true(p.head->slot[0].counters.ctx_voluntary >= (int64_t)served); /* of all threads */
    fixture_party_end(&p);
}

#define PARAMS(messengers_, workers_, ...) \
    &(const struct requests_params) \
    { \
        .sim.workers = workers_, .messengers = messengers_, .operations = 2, .footprint_bytes = 1024, __VA_ARGS__ \
    }

TEST(test_requests_are_served_once_each)
{
    serve(PARAMS(1, 1, .chain = 1), 1);
    serve(PARAMS(1, 5, .hand_over = HAND_OVER_PIPE), 5);
    serve(PARAMS(3, 7, .no_lock = true), 7);
    serve(PARAMS(3, 1, .hand_over = HAND_OVER_SOCKET), 3); /* a worker for each messenger */
    serve(PARAMS(1, 4, .chain = 3), 6);                    /* whole chains */
    serve(PARAMS(2, 1, .chain = 2, .hand_over = HAND_OVER_PIPE), 4);
}

/* A reading of the clock takes 1 us, and each other sleep ends 9 us late. Of a request: posted, 1 us later running;
 * 200 us of sleep, three readings and one lateness until it is done. In a chain of two the next one is posted 1 us
 * later. The least: the main thread reads the clock too, as the others begin. */
TEST(test_requests_times_by_a_made_up_clock)
{
    int64_t late_ns[4000];

    for (unsigned chain = 1; chain <= 2; chain++) {
        fixture_party_begin(&p, &bench_requests, PARAMS(1, 1, .chain = chain));
        assert_int_equal(p.party->setup(&p.context), 0);
        for (size_t i = 0; i < COUNT(late_ns); i++)
            late_ns[i] = i % 2 ? 9000 : 0;
        made_up_clock_start(1000000, 1000);
        made_up_clock.late_ns = late_ns;
        made_up_clock.n_late = COUNT(late_ns);
        made_up_clock.stops = &p.context;
        made_up_clock.stop_ns = 20000000;
        assert_int_equal(p.party->run(&p.context), 0);
        made_up_clock.on = false;
        assert_int_equal(((const struct hist *)p.context.recorder[0])->min, 1000);
        assert_int_equal(((const struct hist *)p.context.recorder[TASKS_OWN_RECORDER])->min,
                         chain == 1 ? 213000 : 427000);
        assert_int_equal(((const struct hist *)p.context.recorder[TASKS_OWN_RECORDER])->n, chain == 1 ? 89 : 45);
        fixture_party_end(&p);
    }
}

/* CPUs 0 and 1 share a cache, 2 and 3 another one, 5 and 6 a third one; of 4 none is known. */
TEST(test_requests_workers_share_caches)
{
    static const unsigned cache[] = {0, 0, 2, 2, CPUSET_NONE, 5, 5}, unknown[] = {CPUSET_NONE, CPUSET_NONE};
    static const char *const expected[] = {"1", "2-3", "5", "1"};
    struct cpuset allowed, cpus;
    struct error why;
    char list[16];

    assert_int_equal(cpuset_parse("1-5,9", &allowed, &why), 0);
    for (size_t i = 0; i < COUNT(expected); i++) {
        assert_int_equal(requests_cache_cpus(cache, COUNT(cache), &allowed, i, &cpus), 3);
        cpuset_format(&cpus, list, sizeof(list));
        assert_string_equal(list, expected[i]);
    }
    assert_int_equal(requests_cache_cpus(unknown, COUNT(unknown), &allowed, 3, &cpus), 0);
}

/* Slices of ten requests: 1 s each, but at first 1.5 s. */
TEST(test_requests_are_stable_after_the_last_change)
{
    struct slices *served = calloc(1, sizeof(*served) + REQUESTS_SLICES * sizeof(served->slice[0]));
    uint64_t now_ns = 5;

    assert_non_null(served);
    served->capacity = REQUESTS_SLICES;
    served->stride = 1;
    for (unsigned i = 0; i < 40; i++) {
        const uint64_t took_ns = (i < 12 ? 1500000000 : 1000000000) + i % 3;
        assert_true(isnan(requests_stable_s(served)) == (i < REQUESTS_SLICES / 2));
        slices_add(served, 10, now_ns, now_ns + took_ns);
        now_ns += took_ns;
    }
    assert_true(fabs(requests_stable_s(served) - 18) < 1e-6);
    for (unsigned i = 0; i < 12; i++)
        served->slice[i].end_ns = served->slice[i].start_ns + 1000000000 + i % 3;
    assert_true(requests_stable_s(served) == 0);
    free(served);
}

/* It would take minutes. */
TEST(test_requests_end_with_the_run)
{
    const struct requests_params params = {
        .sim.workers = 2, .messengers = 1, .operations = 1000000000, .footprint_bytes = 1024};

    fixture_party_begin(&p, &bench_requests, &params);
    assert_int_equal(p.party->setup(&p.context), 0);
    party_stop_all(&p.context);
    assert_int_equal(p.party->run(&p.context), 0);
    assert_int_equal(((const struct hist *)p.context.recorder[TASKS_OWN_RECORDER])->n, 2);
    fixture_party_end(&p);
}

/* The thread runs 100 ms after the first event, when its run has long been stopped. Events are 6 to 10 ms apart. */
TEST(test_input_counts_the_events_that_it_is_behind_with)
{
    const struct sim_params params = {.loops_per_ms = 100};
    const int64_t late_ns = 100000000;
    uint64_t due_ns = 2001000, random = 1, n = 0, sum_ns = 0;

    for (; due_ns <= 102001000; n++) {
        sum_ns += 102001000 - due_ns;
        due_ns += 6000000 + stats_random(&random) % 4000000;
    }
    fixture_party_begin(&p, &bench_input, &params);
    assert_int_equal(p.party->setup(&p.context), 0);
    made_up_clock_start(1000000, 1000);
    made_up_clock.late_ns = &late_ns;
    made_up_clock.n_late = 1;
    made_up_clock.stops = &p.context;
    made_up_clock.stop_ns = 50000000;
    assert_int_equal(p.party->run(&p.context), 0);
    made_up_clock.on = false;
    const struct hist *latency = p.context.recorder[TASKS_HIST];
    assert_int_equal(latency->n, n);
    assert_true(n > 10 && latency->max >= 100000000 && latency->max < 100100000);
    assert_true(fabs(hist_mean(latency) - (double)sum_ns / (double)n) < 100000);
    fixture_party_end(&p);
}

int main(void)
{
    return run_all_tests();
}
