/* SPDX-License-Identifier: MIT */
/* Clocks: frequencies from made-up pairs, and plausibility of the real clocks. */
#include <sys/time.h>

#include "../refuse.h"
#include "fixture.h"
#include "sys/clock.h"

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("%.9g is not %.9g", found, expected);
}

/* Returns the made-up time of the reading with this number; NULL: the real clock is read. */
static uint64_t (*made_up_ns)(size_t reading);
static size_t readings;

int __real_clock_gettime(clockid_t id, struct timespec *time);
int __wrap_clock_gettime(clockid_t id, struct timespec *time);
int __wrap_clock_gettime(clockid_t id, struct timespec *time)
{
    if (!made_up_ns)
        return __real_clock_gettime(id, time);
    const uint64_t ns = made_up_ns(readings++);
    *time = (struct timespec){.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
    return 0;
}

static void make_up(uint64_t (*ns)(size_t reading))
{
    if (sizeof(time_t) > sizeof(long))
        skip_because("clock_gettime has another name where times are longer than a long");
    readings = 0;
    made_up_ns = ns;
}

TEST(test_clock_hz_from_made_up_pairs)
{
    const struct clock_pair from = {.counter = 1000, .raw_ns = 5000000};
    const struct clock_pair after_1ms = {.counter = 1000 + 2445430, .raw_ns = 6000000};
    const struct clock_pair after_1s = {.counter = 1000 + 24000000, .raw_ns = 1005000000};
    assert_near(clock_hz(CLOCK_KIND_COUNTER, &from, &after_1ms), 2445430000.0, 1e-3);
    assert_near(clock_hz(CLOCK_KIND_COUNTER, &from, &after_1s), 24e6, 1e-6);
    /* A counter that is ahead of the clock. */
    const struct clock_pair ahead = {.counter = 5000000000, .raw_ns = 1000};
    const struct clock_pair later = {.counter = 5002400000, .raw_ns = 1001000};
    assert_near(clock_hz(CLOCK_KIND_COUNTER, &ahead, &later), 2.4e9, 1e-3);
}

TEST(test_clock_hz_refuses_short_or_reversed_spans)
{
    const struct clock_pair from = {.counter = 1000, .raw_ns = 5000000};
    const struct clock_pair soon = {.counter = 9000, .raw_ns = 5999999};
    const struct clock_pair before = {.counter = 9000, .raw_ns = 0}, just_before = {.counter = 9000, .raw_ns = 4999999};
    const struct clock_pair counter_back = {.counter = 999, .raw_ns = 9000000};
    assert_near(clock_hz(CLOCK_KIND_COUNTER, &from, &soon), 0, 0);
    assert_near(clock_hz(CLOCK_KIND_COUNTER, &from, &before), 0, 0);
    assert_near(clock_hz(CLOCK_KIND_COUNTER, &from, &just_before), 0, 0);
    assert_near(clock_hz(CLOCK_KIND_COUNTER, &from, &counter_back), 0, 0);
    assert_near(clock_hz(CLOCK_KIND_COUNTER, &from, &from), 0, 0);
}

#if defined(__x86_64__)
static int forbidden_counter(void)
{
    struct clock_info info;
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) != 0)
        return CANNOT;
    clock_choose(&info);
    CHECK(info.kind == CLOCK_KIND_GETTIME);
    CHECK(strcmp(info.why, "this process may not read the counter") == 0);
    CHECK(strcmp(info.name, "clock_gettime") == 0 && strcmp(info.unit, "ns") == 0);
    return 0;
}
#endif

TEST(test_clock_choose_falls_back_when_the_counter_is_forbidden)
{
#if defined(__x86_64__)
    /* On an older processor the reason would be another one. */
    if (arch_counter_refused()[0])
        skip_because("the counter is not usable here at all");
    assert_int_equal(
        fixture_in_child_or_skip(forbidden_counter, "this kernel does not forbid the counter (PR_SET_TSC)"), 0);
#else
    skip_because("only x86 can forbid its counter");
#endif
}

#if defined(__x86_64__)
/* The kernel does not say that reading the counter is forbidden, so it is found out by reading it. */
static int secretly_forbidden_counter(void)
{
    struct clock_info info;
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) != 0 || refuse_call(SYS_prctl, EINVAL))
        return CANNOT;
    clock_choose(&info);
    CHECK(info.kind == CLOCK_KIND_GETTIME);
    CHECK(strcmp(info.why, "reading the counter (" COUNTER_NAME ") is refused by a signal") == 0);
    CHECK(strcmp(info.name, "clock_gettime") == 0 && strcmp(info.unit, "ns") == 0);
    return 0;
}
#endif

TEST(test_clock_choose_tries_the_counter)
{
#if defined(__x86_64__)
    if (arch_counter_refused()[0])
        skip_because("the counter is not usable here at all");
    assert_int_equal(fixture_in_child(secretly_forbidden_counter), 0);
#else
    skip_because("only x86 can forbid its counter");
#endif
}

static uint64_t traps_as_illegal(void)
{
    raise(SIGILL);
    return 1;
}

/* Raises the signal synchronously, as an instruction does; if it is blocked, the process would end. */
static uint64_t traps_as_forbidden(void)
{
    const volatile uint64_t *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return *page;
}

static uint64_t does_not_trap(void)
{
    return clock_raw_ns();
}

TEST(test_clock_can_read_survives_what_cannot_be_read)
{
    struct sigaction before, after;
    sigset_t blocked, mask;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGILL);
    sigaddset(&blocked, SIGSEGV);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    sigaction(SIGILL, NULL, &before);
    assert_false(clock_can_read(traps_as_illegal));
    assert_false(clock_can_read(traps_as_forbidden));
    assert_true(clock_can_read(does_not_trap));
    sigaction(SIGILL, NULL, &after);
    assert_true(before.sa_handler == after.sa_handler);
    pthread_sigmask(SIG_UNBLOCK, &blocked, &mask);
    assert_true(sigismember(&mask, SIGILL) && sigismember(&mask, SIGSEGV) && !sigismember(&mask, SIGBUS));
}

TEST(test_clock_pair_lies_between_readings)
{
    struct clock_info info;
    struct clock_pair pair;
    clock_choose(&info);
    if (info.kind != CLOCK_KIND_COUNTER)
        skip_because("there is no counter to read");
    uint64_t raw = clock_raw_ns(), counter = clock_begin(CLOCK_KIND_COUNTER);
    clock_pair_read(CLOCK_KIND_COUNTER, &pair);
    assert_true(pair.raw_ns >= raw && pair.raw_ns <= clock_raw_ns());
    assert_true(pair.counter >= counter && pair.counter <= clock_end(CLOCK_KIND_COUNTER));
}

static uint64_t counter_at[2]; /* around the reading of the counter in the tightest try */

/* Of the tries, numbers 20 and 25 take 100 ns; the others take longer. */
static uint64_t tries_of_a_pair(size_t reading)
{
    const size_t number = reading / 2, end = reading % 2;
    if (number == 20)
        counter_at[end] = end ? clock_end(CLOCK_KIND_COUNTER) : clock_begin(CLOCK_KIND_COUNTER);
    return 10000 * number + end * (number == 20 || number == 25 ? 100 : 500 + number);
}

TEST(test_clock_pair_is_the_middle_of_the_tightest_try)
{
    struct clock_info info;
    struct clock_pair pair;
    clock_choose(&info);
    if (info.kind != CLOCK_KIND_COUNTER)
        skip_because("there is no counter to read");
    make_up(tries_of_a_pair);
    clock_pair_read(CLOCK_KIND_COUNTER, &pair);
    made_up_ns = NULL;
    assert_int_equal(readings, 2 * 32);
    assert_int_equal(pair.raw_ns, 200050);
    assert_true(pair.counter >= counter_at[0] && pair.counter <= counter_at[1]);
}

/* 1000 readings of the cost, from 10 to 1009 ns in a mixed order, but that the clock steps back in the first, which
 * would be 10; then 1000 intervals of 100, 110, ..., 160 ns. */
static uint64_t costs(size_t reading)
{
    const uint64_t number = reading / 2, start = 2000 + 10000 * number;
    if (reading % 2 == 0)
        return start;
    return number == 0 ? start - 5 : start + (number < 1000 ? number * 7 % 1000 + 10 : number % 7 * 10 + 100);
}

TEST(test_clock_cost_of_made_up_readings)
{
    struct clock_cost cost;
    make_up(costs);
    clock_cost_measure(CLOCK_KIND_GETTIME, &cost);
    made_up_ns = NULL;
    assert_int_equal(readings, 2 * 2000);
    assert_near(cost.min, 0, 0);
    assert_near(cost.median, 509.5, 0); /* of 0, 11, 12, ..., 1009 */
    assert_near(cost.grain, 10, 0);
}

#define COST_PAIRS 1000 /* of readings, from which a cost is found */

TEST(test_clock_grain_of_a_fine_counter)
{
    uint64_t fine[] = {30, 31, 33, 32, 34, 90, 35}, even[] = {20, 24, 22, 26, 60}, equal[] = {5, 5, 5};
    assert_true(clock_grain(fine, 7) == 1);
    assert_true(clock_grain(even, 5) == 2);
    assert_true(clock_grain(equal, 3) == 1);
    /* One half of the gaps is not most of them. */
    uint64_t half[] = {10, 11, 14}, more[] = {10, 11, 14, 15}, often[] = {5, 5, 6, 5, 7, 5, 12};
    assert_true(clock_grain(half, 3) == 3);
    assert_true(clock_grain(more, 4) == 1);
    assert_true(clock_grain(often, 7) == 1); /* equal ones have no gap */
    assert_true(clock_grain(half, 0) == 1 && clock_grain(half, 1) == 1);
}

static void on_alarm(int signal_number)
{
    (void)signal_number;
}

/* A sleep is never shorter than requested, however slow the machine is; this is not a measurement. */
TEST(test_clock_sleep_goes_on_after_signals)
{
    const struct itimerval every_ms = {.it_interval = {.tv_usec = 1000}, .it_value = {.tv_usec = 1000}};
    const struct itimerval off = {.it_value = {.tv_sec = 0}};
    struct sigaction action = {.sa_handler = on_alarm}, old;
    struct timespec begin, end;
    assert_int_equal(sigaction(SIGALRM, &action, &old), 0);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    assert_int_equal(setitimer(ITIMER_REAL, &every_ms, NULL), 0);
    clock_sleep_ns(20000000);
    assert_int_equal(setitimer(ITIMER_REAL, &off, NULL), 0);
    clock_gettime(CLOCK_MONOTONIC, &end);
    sigaction(SIGALRM, &old, NULL);
    assert_true((end.tv_sec - begin.tv_sec) * 1000000000LL + (end.tv_nsec - begin.tv_nsec) >= 20000000LL);
}
