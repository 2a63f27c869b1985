/* SPDX-License-Identifier: MIT */
/* The task requests: each request is handed over, served and recorded once, whatever the number of threads. */

#include "bench_fixture.h"

#include "bench/tasks.h"

/* Ends the run after so many requests. */
#define SERVED 200

static struct fixture_party p;

static const double *numbers(void)
{
    return p.context.recorder[3];
}

static void *stop(void *argument)
{
    while (*(volatile const double *)numbers() < SERVED)
        clock_sleep_ns(1000000);
    party_stop_all(&p.context);
    return argument;
}

static void serve(uint64_t messengers, uint64_t workers, bool no_lock)
{
    const struct requests_params params = {
        .sim.workers = workers, .messengers = messengers, .operations = 2, .footprint_bytes = 1024, .no_lock = no_lock};
    pthread_t thread;

    fixture_party_begin(&p, &bench_requests, &params);
    assert_int_equal(p.party->setup(&p.context), 0);
    assert_int_equal(pthread_create(&thread, NULL, stop, NULL), 0);
    assert_int_equal(p.party->run(&p.context), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    const struct hist *latency = p.context.recorder[0], *whole = p.context.recorder[1];
    const struct series *series = p.context.recorder[2];
    const uint64_t served = (uint64_t)numbers()[0], threads = larger(workers, messengers);
    assert_true(served >= SERVED);
    assert_int_equal(latency->n, served);
    assert_int_equal(whole->n, served);
    assert_int_equal(series->n, served);
    assert_true(whole->min >= 200000 && latency->max <= whole->max); /* sleeps of 100 us before and after the work */
    assert_true(latency->sum < whole->sum + (double)whole->base);
    /* a worker's first request has no CPU before it */
    assert_true(numbers()[1] == (double)(served - threads) && numbers()[2] <= numbers()[1]);
    assert_true(numbers()[3] == 0 || (numbers()[3] == numbers()[1] && numbers()[2] <= numbers()[4]));
    assert_true(numbers()[5] > 0);
    assert_true(p.head->slot[0].stands_for);
    assert_true(p.head->slot[0].counters.ctx_voluntary >= (int64_t)served); /* of all threads */
    fixture_party_end(&p);
}

TEST(test_requests_are_served_once_each)
{
    serve(1, 1, false);
    serve(1, 5, false);
    serve(3, 7, true);
    serve(3, 1, false); /* a worker for each messenger */
}

int main(void)
{
    return run_all_tests();
}
