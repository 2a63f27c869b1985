/* SPDX-License-Identifier: MIT */
/* How the slices of a UNIX microbenchmark become its figures: made-up trials, worked out by hand. */
#include "bench_fixture.h"

#include "bench/unix.h"
#include "made_up_trial.h"

#define GATE 5000000000ull
#define TIME (100 * MS)

struct made_up_slices {
    struct slices head;
    struct slice room[8];
};

static struct made_up_slices *make_slices(void)
{
    const struct recorder_spec spec = {RECORD_SLICES, 8};
    struct made_up_slices *slices = calloc(1, sizeof(*slices));

    assert_non_null(slices);
    assert_true(recorder_size(&spec) <= sizeof(*slices));
    recorder_init(&spec, slices);
    return slices;
}

/* Times in milliseconds since the gate. */
static void add_slice(struct made_up_slices *slices, uint64_t count, uint64_t from_ms, uint64_t to_ms)
{
    slices_add(&slices->head, count, GATE + from_ms * MS, GATE + to_ms * MS);
}

static struct trial_slot party_of(uint64_t start_us, uint64_t end_us)
{
    return (struct trial_slot){.start_ns = GATE + start_us * 1000, .end_ns = GATE + end_us * 1000};
}

/* The first copy does 40, 60 and then 300 of which a third is within the 100 ms; the second begins late and does 30
 * and 10 in time, and 1000 after it: 240 in 0.1 s are 2,400 a second, and in minutes 144,000. */
static void check_rate(double scale, double expected)
{
    const struct party party[] = {{UNIX_MEASURED("made up")}};
    const struct bench bench = {UNIX_BENCH_OF("made up", "", "lpm", scale, 0), BENCH_PARTIES(party)};
    struct made_up_trial trial = {.spec = {.bench = &bench, .copies = 2, .time_ns = TIME}, .gate_ns = GATE};
    struct made_up_slices *first = make_slices(), *second = make_slices();

    add_slice(first, 40, 0, 40);
    add_slice(first, 60, 40, 90);
    add_slice(first, 300, 90, 120);
    add_slice(second, 30, 10, 50);
    add_slice(second, 10, 50, 100);
    add_slice(second, 1000, 100, 150);
    trial.recorder[0][UNIX_SLICES] = first;
    trial.recorder[1][UNIX_SLICES] = second;
    trial.party[0] = party_of(0, 120000);
    trial.party[1] = party_of(9000, 150000);
    made_up_reduce(&trial);
    fixture_assert_near(trial.sample[0][UNIX_RATE], expected);
    assert_true(isnan(trial.sample[0][UNIX_ALONE])); /* found by the engine */
    free(first);
    free(second);
}

TEST(test_unix_rate_is_of_the_common_window)
{
    check_rate(1, 2400);
    check_rate(60, 144000);
}

/* Copies that start at 10, 3 and 7 us and end at 100, 130 and 190 us. */
TEST(test_unix_spreads_are_of_starts_and_of_ends)
{
    const struct party party[] = {{UNIX_MEASURED("made up")}};
    const struct bench bench = {UNIX_BENCH_OF("made up", "", "lps", 1, 0), BENCH_PARTIES(party)};
    struct made_up_trial trial = {.spec = {.bench = &bench, .copies = 3, .time_ns = TIME}, .gate_ns = GATE};
    struct made_up_slices *slices = make_slices();

    for (unsigned copy = 0; copy < 3; copy++)
        trial.recorder[copy][UNIX_SLICES] = slices;
    trial.party[0] = party_of(10, 100);
    trial.party[1] = party_of(3, 130);
    trial.party[2] = party_of(7, 190);
    made_up_reduce(&trial);
    fixture_assert_near(trial.sample[0][UNIX_START_SPREAD], 0.007);
    fixture_assert_near(trial.sample[0][UNIX_END_SPREAD], 0.09);
    assert_true(trial.sample[0][UNIX_RATE] == 0);
    free(slices);
}
