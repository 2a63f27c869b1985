/* SPDX-License-Identifier: MIT */
/* The STREAM-style bandwidth: the size of its arrays, its self-check, and rates from times. */
#include "bench/memory.h"
#include "bench_fixture.h"

#include "made_up_trial.h"
#include "memory_fixture.h"

/* --- A clock that is made up here: each reading is as much later than the one before. Off, it is the real one. --- */

static struct {
    bool on, no_kernels;
    uint64_t now_ns, step_ns;
    unsigned failed;
    struct made_slice {
        const void *record;
        double count, cost;
        uint64_t start_ns;
    } slice[64]; /* those with a core probe */
    uint64_t expected_ns[16];
    unsigned n_slices, n_begun;
    unsigned maps_left;                /* before one is refused; 0: none is */
    size_t reserved_bytes, free_bytes; /* mapped last; what can be */
    size_t page_bytes, unmapped_bytes;
} made;

static uint64_t made_clock(void)
{
    return made.on ? made.now_ns += made.step_ns : clock_raw_ns();
}

static void made_core_begin(struct core_meter *meter, uint64_t expected_ns)
{
    if (made.on)
        made.expected_ns[made.n_begun++] = expected_ns;
    else
        core_begin(meter, expected_ns);
}

static void made_core_slice(struct core_meter *meter, double count, double cost, uint64_t start_ns)
{
    if (!made.on)
        core_slice(meter, count, cost, start_ns);
    else if (meter->probe)
        made.slice[made.n_slices++] = (struct made_slice){meter->record, count, cost, start_ns};
}

static const struct stream_kernels *const no_kernels[] = {NULL};

static void *made_map(size_t bytes, int advice)
{
    if (advice == PAGES_RESERVED) {
        made.reserved_bytes = bytes;
        errno = ENOMEM;
        return bytes <= made.free_bytes ? pages_map(bytes, MADV_NOHUGEPAGE) : NULL;
    }
    assert_int_equal(advice, MADV_HUGEPAGE);
    errno = EAGAIN;
    return made.maps_left && --made.maps_left == 0 ? NULL : pages_map(bytes, advice);
}

/* As of huge pages. */
static int made_unmap(void *map, size_t bytes)
{
    assert_int_equal(bytes % made.page_bytes, 0);
    made.unmapped_bytes = bytes;
    return munmap(map, bytes);
}

static void made_memory(struct machine *machine)
{
    machine->huge_page_bytes = made.page_bytes;
}

static void made_results_fail(struct results *results)
{
    made.failed++;
    assert_null(results);
}

/* The same source, with that clock. */
#define clock_raw_ns        made_clock
#define core_begin          made_core_begin
#define core_slice          made_core_slice
#define stream_kernels_all  (made.no_kernels ? no_kernels : stream_kernels_all)
#define results_fail        made_results_fail
#define pages_map           made_map
#define machine_read_memory made_memory
#define munmap              made_unmap
#include "../../src/bench/bandwidth.c"
#undef clock_raw_ns
#undef core_begin
#undef core_slice
#undef stream_kernels_all
#undef results_fail
#undef pages_map
#undef machine_read_memory
#undef munmap

static const struct bench *const registry[] = {&bench_bandwidth, NULL};

enum { KERNELS = N_KERNELS, METRICS = 3 * KERNELS };

#define MIB (1ull << 20)
#define GIB (1ull << 30)

/* --- The size. --- */

static void check_size(uint64_t cache, uint64_t memory, uint64_t expected, const char *expected_bound)
{
    char bounded[64] = "rubbish";

    assert_int_equal(bandwidth_array_bytes(cache, memory, bounded, sizeof(bounded)), expected);
    assert_string_equal(bounded, expected_bound);
}

TEST(test_bandwidth_arrays_are_four_times_the_caches)
{
    check_size(32 * MIB, 16 * GIB, 128 * MIB, "");
    check_size(2 * MIB, 16 * GIB, 8 * MIB, "");
    check_size(1 * MIB, 16 * GIB, 8000000, ""); /* a million elements at the least */
    check_size(0, 16 * GIB, 256 * MIB, "");     /* not known */
    check_size(32 * MIB, 0, 128 * MIB, "");     /* memory not known */
}

/* Three arrays in half of the memory. */
TEST(test_bandwidth_arrays_are_bounded_by_memory)
{
    check_size(32 * MIB, 768 * MIB, 128 * MIB, "");
    check_size(32 * MIB, 600 * MIB, 100 * MIB, "arrays bounded by memory; the rule asks for 128 MiB");
    check_size(1 * MIB, 6 * MIB, 1 * MIB, "arrays bounded by memory; the rule asks for 7.63 MiB");
}

TEST(test_bandwidth_non_temporal_where_there_is_a_kernel)
{
    struct bandwidth_params params = {.array_bytes = 4096, .repetitions = 2, .nontemporal = true};
    struct error why = {""};

    assert_int_equal(
        bench_bandwidth.supported(&(const struct bench_case){.bench = &bench_bandwidth, .params = &params}, &why),
        stream_kernels_choose(true) ? 0 : -1);
    assert_string_equal(why.text, stream_kernels_choose(true) ? "" : "no non-temporal stores on this architecture");
}

/* --- A run. --- */

/* The benchmark's own state begins with the three arrays, a, b and c. */
static double *array_of(const struct fixture_party *p, unsigned which)
{
    return ((double *const *)p->context.state)[which];
}

static void run_all(struct fixture_party *p, const struct bandwidth_params *params)
{
    fixture_party_begin(p, &bench_bandwidth, params);
    assert_int_equal(p->party->setup(&p->context), 0);
    assert_true(p->context.expected_ns >= params->repetitions * 1000000);
    assert_int_equal(p->party->run(&p->context), 0);
}

static const struct check *verified(struct fixture_party *p)
{
    assert_int_equal(p->party->verify(&p->context), 0);
    return checks_wrong(p->context.recorder[RECORD_VALID]);
}

static void check_damage(unsigned which, size_t at, double value, const char *name, double error)
{
    const struct bandwidth_params params = {.array_bytes = 1024, .repetitions = 2};
    struct fixture_party p;

    run_all(&p, &params);
    array_of(&p, which)[at] = value;
    const struct check *wrong = verified(&p);
    assert_non_null(wrong);
    assert_string_equal(wrong->name, name);
    if (isnan(error))
        assert_true(isnan(wrong->got));
    else
        fixture_assert_near(wrong->got, error);
    assert_true(wrong->expected == 0);
    fixture_party_end(&p);
}

TEST(test_bandwidth_finds_wrong_elements)
{
    check_damage(0, 0, 450, "largest relative error in a", 1);
    check_damage(0, 127, (double)NAN, "largest relative error in a", (double)NAN);
    check_damage(1, 64, 0, "largest relative error in b", 1);
    check_damage(2, 127, -90, "largest relative error in c", 2.5);
    check_damage(2, 5, 60.0625, "largest relative error in c", 0.0625 / 60);
}

/* From 262 repetitions on their numbers would be infinite. */
TEST(test_bandwidth_fills_its_arrays_again)
{
    static const uint64_t repetitions[] = {200, 201, 10000};

    for (size_t i = 0; i < COUNT(repetitions); i++) {
        const struct bandwidth_params params = {.array_bytes = 512, .repetitions = repetitions[i]};
        struct fixture_party p;
        run_all(&p, &params);
        assert_null(verified(&p));
        assert_true(i == 1 ? array_of(&p, 0)[0] == 15 : array_of(&p, 0)[0] > 1e235);
        assert_int_equal(((struct slices *)p.context.recorder[RECORD_TIMES])->n, repetitions[i] * KERNELS);
        fixture_party_end(&p);
    }
}

TEST(test_bandwidth_on_reserved_pages)
{
    const struct bandwidth_params params = {.array_bytes = 1024, .repetitions = 2, .reserved = true};
    const struct clock_info clock = {.name = "x"};
    const struct bench_case of = {&bench_bandwidth, &params, &clock, 2};
    struct row_params described = {.n = 0};
    struct fixture_party p;
    struct error why = {""};

    /* A copy has 64 elements, 512 bytes: each of its arrays is in a page of its own. */
    made.page_bytes = 8192;
    made.free_bytes = 6 * 8192 - 1;
    assert_int_equal(bench_bandwidth.supported(&of, &why), -1);
    assert_string_equal(why.text, "no reserved huge pages for three arrays of 1 KiB: Cannot allocate memory");
    made.free_bytes++;
    assert_int_equal(bench_bandwidth.supported(&of, &why), 0);
    assert_int_equal(made.unmapped_bytes, 6 * 8192);
    run_all(&p, &params);
    assert_int_equal(made.reserved_bytes, 1024);
    assert_null(verified(&p));
    fixture_party_end(&p);
    bench_bandwidth.describe(&of, &described);
    assert_non_null(strstr(described.text, " huge=reserved"));
    made.free_bytes = 0;
    fixture_party_begin(&p, &bench_bandwidth, &params);
    assert_int_equal(p.party->setup(&p.context), -1);
    assert_string_equal(p.reason, "no memory for three arrays of 1024 bytes: Cannot allocate memory");
    fixture_party_end(&p);
}

/* Thousands of copies of the usual few repetitions fit into memory. */
TEST(test_bandwidth_memory_grows_with_repetitions)
{
    struct bandwidth_params params = {.array_bytes = 1024, .repetitions = 10};
    const struct trial_spec spec = {.bench = &bench_bandwidth, .params = &params, .copies = 4096};
    const uint64_t few = trial_memory_bytes(&spec);

    params.repetitions = 10000;
    assert_int_equal(trial_memory_bytes(&spec) - few, 4096ull * 9990 * KERNELS * sizeof(struct slice));
}

TEST(test_bandwidth_fails_without_memory)
{
    const struct bandwidth_params params = {.array_bytes = UINT64_MAX / 8, .repetitions = 2};
    struct fixture_party p;

    fixture_party_begin(&p, &bench_bandwidth, &params);
    assert_int_equal(p.party->setup(&p.context), -1);
    assert_memory_equal(p.reason, "no memory for three arrays of", 29);
    fixture_party_end(&p);
    for (unsigned refused = 1; refused <= 3; refused++) {
        const struct bandwidth_params small = {.array_bytes = 1024, .repetitions = 2};
        fixture_party_begin(&p, &bench_bandwidth, &small);
        made.maps_left = refused;
        assert_int_equal(p.party->setup(&p.context), -1);
        assert_string_equal(p.reason, "no memory for three arrays of 1024 bytes: Resource temporarily unavailable");
        made.maps_left = 0;
        fixture_party_end(&p);
    }
}

/* --- Slices with core probes between them. --- */

static const struct core_probe any_probe;

static void begin_on_clock(struct fixture_party *p, const struct bandwidth_params *params, uint64_t step_ns)
{
    memset(&made, 0, sizeof(made));
    made.on = true;
    made.step_ns = step_ns;
    fixture_party_begin(p, &bench_bandwidth, params);
    p->context.core_probe = &any_probe;
    assert_int_equal(p->party->setup(&p->context), 0);
    assert_int_equal(p->party->run(&p->context), 0);
}

/* Whole arrays of 8,192 elements take 3 ms, as the clock is read four times, so that in the second repetition 1.5 ms
 * are 4,095 elements, in whole 64s 4,032. With three slices it takes 7 ms, and 1.5 ms are 1,755 elements. The first
 * repetition has no probes. */
TEST(test_bandwidth_slices_last_as_long_as_planned)
{
    static const double elements[] = {4032, 4032, 128, 1728, 1728, 1728, 1728, 1280};
    static const double bytes[KERNELS] = {16, 16, 24, 24};
    const struct bandwidth_params params = {.array_bytes = 8192 * 8, .repetitions = 3};
    struct fixture_party p;

    begin_on_clock(&p, &params, 1000000);
    assert_int_equal(p.context.expected_ns, 6000000); /* 1 ms for the first touch, another one, three times */
    assert_int_equal(made.n_slices, KERNELS * COUNT(elements));
    for (unsigned k = 0; k < KERNELS; k++)
        for (unsigned i = 0; i < COUNT(elements); i++) {
            const struct made_slice *slice = &made.slice[i < 3 ? k * 3 + i : 12 + k * 5 + i - 3];
            assert_ptr_equal(slice->record, p.context.recorder[RECORD_CORES + k]);
            assert_true(slice->count == elements[i] * bytes[k]);
            assert_true(slice->cost == 1000000);
        }
    const struct slices *times = p.context.recorder[RECORD_TIMES];
    assert_int_equal(made.n_begun, 3 * KERNELS);
    for (unsigned i = 0; i < 3 * KERNELS; i++) {
        assert_int_equal(times->slice[i].end_ns - times->slice[i].start_ns, 3000000 + i / KERNELS * 4000000);
        assert_int_equal(made.expected_ns[i], i / KERNELS == 0 ? 0 : i / KERNELS == 1 ? 36000000 : 84000000);
    }
    assert_null(verified(&p));
    fixture_party_end(&p);
    made.on = false;
}

/* At least 64 elements, and at most all 128. */
TEST(test_bandwidth_slices_are_of_some_elements_and_not_of_more)
{
    const struct bandwidth_params params = {.array_bytes = 1024, .repetitions = 2};
    struct fixture_party p;

    begin_on_clock(&p, &params, UINT64_C(1000000000000));
    assert_int_equal(made.n_slices, 2 * KERNELS);
    assert_true(made.slice[0].count == 64 * 16 && made.slice[7].count == 64 * 24);
    fixture_party_end(&p);
    begin_on_clock(&p, &params, 1);
    assert_int_equal(made.n_slices, KERNELS);
    assert_true(made.slice[0].count == 128 * 16 && made.slice[3].count == 128 * 24);
    fixture_party_end(&p);
    made.on = false;
}

TEST(test_bandwidth_copies_share_the_arrays)
{
    static const struct {
        uint64_t bytes;
        unsigned copies;
        size_t n;
    } cases[] = {{100000, 1, 12480}, {100000, 3, 4160}, {4096, 4, 128}, {4095, 4, 64}, {512, 9, 64}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct bandwidth_params params = {.array_bytes = cases[i].bytes, .repetitions = 2};
        struct fixture_party p;
        fixture_party_begin(&p, &bench_bandwidth, &params);
        p.context.copies = cases[i].copies;
        assert_int_equal(p.party->setup(&p.context), 0);
        assert_int_equal(((const struct arrays *)p.context.state)->n, cases[i].n);
        assert_true(array_of(&p, 0)[cases[i].n - 1] == 1 && array_of(&p, 1)[cases[i].n - 1] == 2);
        assert_true(array_of(&p, 2)[cases[i].n - 1] == 0);
        fixture_party_end(&p);
    }
}

/* --- Rows. --- */

static struct fixture_rows rows;

/* The best rate is the bytes over the least time: 16, 16, 24 and 24 an element, of all copies. */
static void check_rows(unsigned copies, double elements)
{
    static const struct {
        const char *rate, *time;
        double bytes;
    } kernel[KERNELS] = {{"copy_rate", "copy_time", 16},
                         {"scale_rate", "scale_time", 16},
                         {"add_rate", "add_time", 24},
                         {"triad_rate", "triad_time", 24}};
    const struct bandwidth_params params = {.array_bytes = 100000, .repetitions = 4};

    assert_int_equal(fixture_one_trial(&bench_bandwidth, &params, copies, &rows), ROW_OK);
    assert_int_equal(rows.n, METRICS);
    for (size_t k = 0; k < KERNELS; k++) {
        const struct row *rate = fixture_find(&rows, kernel[k].rate, ""),
                         *time = fixture_find(&rows, kernel[k].time, "");
        assert_int_equal(rate->headline, 1);
        assert_string_equal(rate->unit, "MB/s");
        assert_string_equal(rate->better, "higher");
        assert_string_equal(time->unit, "ns");
        assert_int_equal(time->stats.n, 3); /* without the first */
        assert_true(time->stats.min > 0 && time->stats.mean >= time->stats.min && time->stats.max >= time->stats.mean);
        fixture_assert_near(rate->value, kernel[k].bytes * elements * copies / time->stats.min * 1e3);
        assert_int_equal(rate->copies, copies);
    }
    fixture_free_rows(&rows);
}

TEST(test_bandwidth_rates_follow_from_times)
{
    check_rows(1, 12480); /* 12,500 elements, in whole 64s */
    check_rows(2, 6208);  /* 6,250 each */
}

/* Two copies, of which one begins first and the other ends last: a repetition is from the one's start to the other's
 * end. */
TEST(test_bandwidth_repetition_is_from_first_start_to_last_end)
{
    const struct bandwidth_params params = {.array_bytes = 2 * 64 * sizeof(double), .repetitions = 3};
    struct made_up_trial trial = {.spec = {.bench = &bench_bandwidth, .params = &params, .copies = 2}};
    struct slices *copy[2];
    const double pages[2][3] = {{1, 3, 4}, {1, 0, 5}};

    for (unsigned c = 0; c < 2; c++) {
        size_t n = 3 * KERNELS;
        copy[c] = calloc(1, sizeof(*copy[c]) + n * sizeof(copy[c]->slice[0]));
        assert_non_null(copy[c]);
        copy[c]->n = copy[c]->capacity = n;
        for (size_t i = 0; i < n; i++) /* each 10 us from the one before; the second repetition is the slowest */
            copy[c]->slice[i] =
                (struct slice){.count = 1,
                               .start_ns = 10000 * (i + 1) + 100 * c,
                               .end_ns = 10000 * (i + 1) + 1900 + 100 * c + (i / KERNELS == 1 ? 500 : 0)};
        trial.recorder[c][RECORD_TIMES] = copy[c];
        trial.recorder[c][RECORD_PAGES] = pages[c];
    }
    made_up_reduce(&trial);
    assert_true(trial.pages[0] == 3 && trial.pages[1] == 9); /* of both copies */
    assert_int_equal(made.failed, 0);
    for (unsigned k = 0; k < KERNELS; k++) {
        double bytes = (k < 2 ? 16 : 24) * 64.0 * 2;
        fixture_assert_near(trial.sample[0][3 * k], bytes / 2000 * 1e3);      /* of the faster one that counts */
        fixture_assert_near(trial.sample[0][3 * k + 2], (2500 + 2000) / 2.0); /* without the first */
    }
    allocations_before_refusal = 0;
    made_up_reduce(&trial);
    allocations_before_refusal = UINT_MAX;
    assert_int_equal(made.failed, 1);
    assert_true(isnan(trial.sample[0][0]));
    free(copy[0]);
    free(copy[1]);
}

int main(int argc, char **argv)
{
    trial_worker_main(argc, argv, registry, no_loads);
    process_init();
    signals_init();
    return run_all_tests();
}
