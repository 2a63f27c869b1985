/* SPDX-License-Identifier: MIT */
/* The benchmarks of suite memory, and the descriptors of all benchmarks and loads: figures of made-up trials, worked
 * out by hand; what is recorded by a run; and what identifies the work in a row. */
#include "bench_fixture.h"

#include "bench/memory.h"
#include "bench/noise.h"
#include "load/load.h"
#include "made_up_clock.h"
#include "made_up_trial.h"
#include "memory_fixture.h"

#define GATE 7000000000ull
#define MIB  (1024 * 1024ull)

/* --- Figures. --- */

enum { SLICES_MOST = 64 };

struct made_up_slices {
    struct slices head;
    struct slice room[SLICES_MOST];
};

static void add_slice(struct made_up_slices *slices, uint64_t count, uint64_t from, uint64_t to)
{
    slices->head.capacity = SLICES_MOST;
    slices_add(&slices->head, count, GATE + from, GATE + to);
}

/* 100 loads in 900, 1000 and 5000 ns: the median is 10 ns a load. */
static void add_loads(struct made_up_slices *slices)
{
    add_slice(slices, 100, 1000, 1900);
    add_slice(slices, 100, 2000, 3000);
    add_slice(slices, 100, 3000, 8000);
}

static const double pages[] = {1, 2097152, 4194304};

static void assert_pages(const struct made_up_trial *trial)
{
    assert_true(trial->pages[0] == 2097152 && trial->pages[1] == 4194304);
}

double __real_results_clock_hz(const struct results *results);
double __wrap_results_clock_hz(const struct results *results);
double __wrap_results_clock_hz(const struct results *results)
{
    return made_up ? 2e9 : __real_results_clock_hz(results);
}

TEST(test_benches_latency_is_of_the_median_slice)
{
    struct made_up_slices times = {.head = {.n = 0}};
    struct core_record core = {.cycles_per_tick = 0};
    struct made_up_trial trial = {.spec = {.bench = &bench_memory_latency, .copies = 1},
                                  .recorder = {{&times, &core, pages}}};

    add_loads(&times);
    made_up_reduce(&trial);
    fixture_assert_near(trial.sample[0][0], 10);
    for (unsigned metric = 1; metric < MADE_UP_SAMPLES; metric++) /* the number of cycles is not known */
        assert_true(isnan(trial.sample[0][metric]));
    assert_pages(&trial);
    core.cycles_per_tick = 1.5; /* of a clock of 2 GHz: 20 ticks, 30 cycles */
    made_up_reduce(&trial);
    fixture_assert_near(trial.sample[0][2], 30);
}

/* 4096 bytes are read in 2 us: 2,048 MB/s. */
TEST(test_benches_nodes_have_latency_and_bandwidth)
{
    struct made_up_slices times = {.head = {.n = 0}}, reads = {.head = {.n = 0}};
    struct made_up_trial trial = {.spec = {.bench = &bench_memory_nodes, .copies = 1},
                                  .recorder = {{&times, &reads, pages}}};

    add_loads(&times);
    add_slice(&reads, 4096, 0, 2000);
    made_up_reduce(&trial);
    fixture_assert_near(trial.sample[0][0], 10);
    fixture_assert_near(trial.sample[0][1], 2048);
    assert_pages(&trial);
}

/* The chase runs from 1 to 8 us. Of the others one reads 7,000 bytes just then, and one 8,000 bytes from 4 to 12 us, of
 * which half is meanwhile: 11,000 bytes in 7 us. */
TEST(test_benches_loaded_counts_what_the_others_read_meanwhile)
{
    struct made_up_slices times = {.head = {.n = 0}}, one = {.head = {.n = 0}}, other = {.head = {.n = 0}};
    struct made_up_trial trial = {.spec = {.bench = &bench_memory_loaded, .copies = 3},
                                  .recorder = {{&times, NULL, pages}, {&one}, {&other}}};

    add_loads(&times);
    add_slice(&one, 500, 0, 1000);
    add_slice(&one, 7000, 1000, 8000);
    add_slice(&other, 8000, 4000, 12000);
    made_up_reduce(&trial);
    fixture_assert_near(trial.sample[0][0], 10);
    fixture_assert_near(trial.sample[0][1], 11000 / 7.0);
    assert_pages(&trial);
    times.head.n = 0;
    made_up_reduce(&trial);
    assert_true(isnan(trial.sample[0][0]) && isnan(trial.sample[0][1]));
}

/* The first batch of each of the two methods does not count; the last sample is that of the last batch. */
TEST(test_benches_cores_leave_out_the_first_batch)
{
    static struct made_up_slices times;
    struct made_up_trial trial = {.spec = {.bench = &bench_memory_cores, .copies = 1}, .recorder = {{&times}}};

    add_slice(&times, 10, 0, 99999);
    made_up_reduce(&trial);
    assert_true(isnan(trial.sample[0][0]) && isnan(trial.sample[0][1]));
    for (unsigned batch = 1; batch < 31; batch++)
        add_slice(&times, 10, 0, 1000);
    add_slice(&times, 10, 0, 88888);
    made_up_reduce(&trial);
    fixture_assert_near(trial.sample[0][0], 100);
    assert_true(isnan(trial.sample[0][1]));
    for (unsigned batch = 1; batch < 31; batch++)
        add_slice(&times, 20, 0, 1000);
    assert_int_equal(times.head.n, 62);
    made_up_reduce(&trial);
    fixture_assert_near(trial.sample[0][0], 100);
    fixture_assert_near(trial.sample[0][1], 50);
}

/* Memory: 256 loads in 30.72 us, one time in five in 38.4 us, 46.08 us in the worst stretch. Cache: hundredths of a ns
 * a load. 64 KiB in 4.096 us. All are exact in the histograms. */
TEST(test_benches_steady_compares_probes_with_their_median)
{
    static struct hist cache, reload, memory, reading;
    static struct series series;
    double worst = 46080;
    struct made_up_trial trial = {.spec = {.bench = &bench_memory_steady, .copies = 1},
                                  .recorder = {{&cache, &reload, &memory, &reading, &series, &worst}}};
    const double *sample = trial.sample[0];

    hist_init(&cache, 0);
    hist_init(&reload, 0);
    hist_init(&memory, 0);
    hist_init(&reading, 0);
    series_init(&series);
    made_up_reduce(&trial);
    for (unsigned metric = 0; metric < MADE_UP_SAMPLES; metric++)
        assert_true(isnan(sample[metric]));
    for (unsigned i = 0; i < 100; i++) {
        hist_add(&memory, i % 5 ? 30720 : 38400);
        hist_add(&reading, i % 5 ? 4096 : 9000);
    }
    for (unsigned i = 0; i < 3; i++) {
        hist_add(&cache, 1650 + 10 * i);
        hist_add(&reload, 2500 + 1000 * i);
    }
    made_up_reduce(&trial);
    fixture_assert_near(sample[0], 120);
    fixture_assert_near(sample[1], 16.6);
    fixture_assert_near(sample[2], 35);
    fixture_assert_near(sample[3], 16000);
    fixture_assert_near(sample[4], 25);
    fixture_assert_near(sample[5], 50);
    worst = 0;
    made_up_reduce(&trial);
    assert_true(isnan(sample[5]) && !isnan(sample[4]));
}

/* --- What can be refused. --- */

static unsigned maps_before_refusal = UINT_MAX;

static bool map_is_refused(void)
{
    const bool refused = !maps_before_refusal;

    maps_before_refusal -= maps_before_refusal != UINT_MAX;
    return refused;
}

int __real_chase_map(struct chase *chase, size_t bytes, enum chase_pages pages);
int __wrap_chase_map(struct chase *chase, size_t bytes, enum chase_pages pages);
int __wrap_chase_map(struct chase *chase, size_t bytes, enum chase_pages kind)
{
    return map_is_refused() ? -1 : __real_chase_map(chase, bytes, kind);
}

void *__real_pages_map(size_t bytes, int advice);
void *__wrap_pages_map(size_t bytes, int advice);
void *__wrap_pages_map(size_t bytes, int advice)
{
    return map_is_refused() ? NULL : __real_pages_map(bytes, advice);
}

/* What the kernel says of the memory of a node, of which it gets the whole working set. */
static const struct node_answers {
    int bind, asked;
    unsigned there;
} all_there = {.asked = 256, .there = 256};
static const struct node_answers *nodes_made_up; /* NULL: the kernel is asked */
static struct {
    const void *memory;
    size_t bytes;
    unsigned node;
} bound;

int __real_memory_node_bind(void *memory, size_t bytes, unsigned node);
int __wrap_memory_node_bind(void *memory, size_t bytes, unsigned node);
int __wrap_memory_node_bind(void *memory, size_t bytes, unsigned node)
{
    bound.memory = memory;
    bound.bytes = bytes;
    bound.node = node;
    return nodes_made_up ? nodes_made_up->bind : __real_memory_node_bind(memory, bytes, node);
}

int __real_memory_node_count(const void *memory, size_t bytes, unsigned node, unsigned most, unsigned *there);
int __wrap_memory_node_count(const void *memory, size_t bytes, unsigned node, unsigned most, unsigned *there);
int __wrap_memory_node_count(const void *memory, size_t bytes, unsigned node, unsigned most, unsigned *there)
{
    if (!nodes_made_up)
        return __real_memory_node_count(memory, bytes, node, most, there);
    assert_ptr_equal(memory, bound.memory);
    assert_true(bytes <= bound.bytes && bytes + 2 * MIB > bound.bytes);
    assert_int_equal(node, bound.node);
    assert_int_equal(most, 256);
    *there = nodes_made_up->there;
    return nodes_made_up->asked;
}

/* --- Runs with a made-up clock. --- */

/* A load of a chase takes so long, by the size of its set, the time since the start, and the time since the last walk.
 * NULL: the clock only shows that it was read. */
static uint64_t (*load_ns)(size_t bytes, uint64_t since_ns, uint64_t pause_ns);
static struct {
    size_t bytes;
    uint64_t loads;
} walks[8]; /* the first walks on chases */
static unsigned n_walks;
static uint64_t walked_ns; /* end of the last walk */

void __real_chase_walk(struct chase *chase, uint64_t loads);
void __wrap_chase_walk(struct chase *chase, uint64_t loads);
void __wrap_chase_walk(struct chase *chase, uint64_t loads)
{
    if (!load_ns) {
        __real_chase_walk(chase, loads);
        return;
    }
    if (n_walks < COUNT(walks)) {
        walks[n_walks].bytes = chase->bytes;
        walks[n_walks].loads = loads;
    }
    n_walks++;
    made_up_clock.now_ns +=
        loads * load_ns(chase->bytes, made_up_clock.now_ns - GATE, made_up_clock.now_ns - walked_ns);
    walked_ns = made_up_clock.now_ns;
}

/* A reading of the clock takes so long, and the party is stopped after a time. */
static void start_clock(const struct fixture_party *p, uint64_t step_ns, uint64_t stop_after_ns)
{
    n_walks = 0;
    made_up_clock_start(GATE, step_ns);
    walked_ns = GATE;
    made_up_clock.stops = &p->context;
    made_up_clock.stop_ns = GATE + stop_after_ns;
}

static void end_clock(struct fixture_party *p)
{
    made_up_clock.on = false;
    load_ns = NULL;
    fixture_party_end(p);
}

/* Slices one after the other, each a reading of the clock after the one before. */
static void expect_slices(const struct fixture_party *p, unsigned recorder, size_t n, uint64_t count, uint64_t ns,
                          uint64_t between_ns)
{
    const struct slices *slices = p->context.recorder[recorder];

    assert_int_equal(slices->n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(slices->slice[i].count, count);
        assert_int_equal(slices->slice[i].end_ns - slices->slice[i].start_ns, ns);
        assert_true(!i || slices->slice[i].start_ns - slices->slice[i - 1].end_ns == between_ns);
    }
}

/* A reading of the clock takes 1.5 ms, and the loads take no time: the 4,096 loads of the warm-up, and 16, are a slice.
 */
TEST(test_benches_chases_are_timed_in_slices)
{
    const struct memory_latency_params latency_params = {.bytes = 100000, .chase = CHASE_SMALL};
    const struct memory_loaded_params loaded_params = {.bytes = 65536, .stream_bytes = 65536, .pause_ns = 0};
    const struct memory_nodes_params nodes_params = {.bytes = 2 * MIB, .memory_node = 6};
    const struct {
        const struct bench *bench;
        const void *params;
        uint64_t stop_ns;
        size_t n;
    } cases[] = {
        {&bench_memory_latency, &latency_params, 60000 * MS, 16},
        /* Three readings in the set-up and two a slice: the slice that ends at 40.5 ms is the last. */
        {&bench_memory_loaded, &loaded_params, 40 * MS, 12},
        {&bench_memory_nodes, &nodes_params, 60000 * MS, 16},
    };

    nodes_made_up = &all_there;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fixture_party p;
        fixture_party_begin(&p, cases[i].bench, cases[i].params);
        start_clock(&p, 1500000, cases[i].stop_ns);
        assert_int_equal(p.party->setup(&p.context), 0);
        assert_int_equal(p.party->run(&p.context), 0);
        expect_slices(&p, 0, cases[i].n, 4112, 1500000, 1500000);
        if (cases[i].bench == &bench_memory_nodes)
            expect_slices(&p, 1, 8, 2 * MIB, 1500000, 1500000);
        end_clock(&p);
    }
    nodes_made_up = NULL;
}

TEST(test_benches_nodes_need_their_node)
{
    static const struct {
        struct node_answers kernel;
        const char *reason;
    } cases[] = {
        {{-EPERM, 256, 256}, "mbind: Operation not permitted"},
        {{0, -ENOSYS, 0}, "move_pages: Function not implemented"},
        {{0, 256, 255}, "only 255 of 256 pages are on node 6"},
    };
    static const struct memory_nodes_params params = {.bytes = 2 * MIB, .memory_node = 6};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fixture_party p;
        nodes_made_up = &cases[i].kernel;
        fixture_party_begin(&p, &bench_memory_nodes, &params);
        assert_int_equal(p.party->setup(&p.context), -1);
        assert_string_equal(p.reason, cases[i].reason);
        fixture_party_end(&p);
    }
    nodes_made_up = NULL;
}

/* A block is read between two readings of the clock, 1 us: 1,500 blocks are a slice. With a pause of 10 us a block
 * takes 12 us (a reading after it, ten in the pause, and one after that): 125 blocks. */
TEST(test_benches_loaded_reads_blocks_in_slices)
{
    static const struct {
        uint64_t pause_ns, blocks;
    } cases[] = {{0, 1500}, {10000, 125}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct memory_loaded_params params = {
            .bytes = 65536, .stream_bytes = 65536, .step = 4, .pause_ns = cases[i].pause_ns};
        struct fixture_party p;
        fixture_party_begin(&p, &bench_memory_loaded, &params);
        p.context.copy = 1;
        assert_int_equal(p.party->setup(&p.context), 0);
        start_clock(&p, 1000, 4 * MS);
        assert_int_equal(p.party->run(&p.context), 0);
        expect_slices(&p, 0, 2, 4096 * cases[i].blocks, 1500000, 0);
        end_clock(&p);
    }
}

static void expect_all(const struct fixture_party *p, unsigned recorder, uint64_t n, uint64_t value)
{
    const struct hist *hist = p->context.recorder[recorder];

    assert_int_equal(hist->n, n);
    assert_int_equal(hist->min, value);
    assert_int_equal(hist->max, value);
}

/* A cache of 64 KiB with loads of 10 ns, but 25 ns after a pause of 2 ms; in memory 80 ns. */
static uint64_t cache_and_memory(size_t bytes, uint64_t since_ns, uint64_t pause_ns)
{
    (void)since_ns;
    return bytes != 65536 ? 80 : pause_ns >= 2 * MS ? 25 : 10;
}

/* A probe of the cache takes 2.1 ms, of which 0.096 ms are loads, and the next is due 0.87 ms after it: one in three
 * milliseconds, the first at the start, and there are probes of memory at the end of it and at the next millisecond. */
TEST(test_benches_steady_probes_the_cache_in_a_tenth_of_the_time)
{
    static const struct {
        size_t bytes;
        uint64_t loads;
    } expected[] = {{65536, 3072}, {65536, 1024}, {65536, 1024}, {MIB, 256}, {MIB, 256}};
    static const uint64_t at[] = {2000, 3000, 5000, 6000, 8000, 9000};
    const struct memory_steady_params params = {.cache_bytes = 65536, .memory_bytes = 2 * MIB};
    struct fixture_party p;

    fixture_party_begin(&p, &bench_memory_steady, &params);
    assert_int_equal(p.party->setup(&p.context), 0);
    load_ns = cache_and_memory;
    start_clock(&p, 1024, 9010000); /* during the probe at 9 ms */
    assert_int_equal(p.party->run(&p.context), 0);
    for (size_t i = 0; i < COUNT(expected); i++)
        assert_true(walks[i].bytes == expected[i].bytes && walks[i].loads == expected[i].loads);
    expect_all(&p, 0, 3, 1100); /* 11 ns a load, with one for the reading of the clock; in hundredths */
    expect_all(&p, 1, 3, 2600);
    expect_all(&p, 2, 6, 256 * 84);
    expect_all(&p, 3, 6, 1024);
    const struct series *series = p.context.recorder[4];
    assert_int_equal(series->n, COUNT(at));
    for (size_t i = 0; i < COUNT(at); i++)
        assert_true(series->first[i].at == at[i] && series->first[i].value == 256 * 84);
    end_clock(&p);
}

/* 80 ns a load, in the second stretch of 50 ms 120 ns and once 170 ns, in the third 90 ns. The fourth, which is much
 * slower, does not end. */
static uint64_t memory_by_stretch(size_t bytes, uint64_t since_ns, uint64_t pause_ns)
{
    static const uint64_t ns[] = {80, 120, 90, 1000};

    (void)bytes;
    (void)pause_ns;
    return since_ns / MS == 75 ? 170 : ns[since_ns / (50 * MS) % COUNT(ns)];
}

/* The mean of the second stretch: 49 probes of 31.744 us (256 loads and a reading of the clock), and one of 44.544 us.
 */
TEST(test_benches_steady_keeps_the_mean_of_the_worst_stretch)
{
    const struct memory_steady_params params = {.cache_bytes = 0, .memory_bytes = MIB};
    const struct made_up_jump late = {GATE + 20500000, 3500000};
    struct fixture_party p;

    fixture_party_begin(&p, &bench_memory_steady, &params);
    assert_int_equal(p.party->setup(&p.context), 0);
    load_ns = memory_by_stretch;
    start_clock(&p, 1024, 160 * MS);
    made_up_clock.jumps = &late; /* the probe of 21 ms comes at 24 ms, and those of 22 and 23 ms are left out */
    made_up_clock.n_jumps = 1;
    assert_int_equal(p.party->run(&p.context), 0);
    assert_true(*(const double *)p.context.recorder[5] == 32000);
    assert_int_equal(((const struct hist *)p.context.recorder[0])->n, 0); /* there is no probe of a cache */
    const struct series *series = p.context.recorder[4];
    assert_int_equal(series->n, 158);
    for (size_t i = 0; i < 158; i++)
        assert_int_equal(series->first[i].at, 1000 * (i < 21 ? i + 1 : i + 3));
    assert_int_equal(series->first[48 - 2].value, 21504);
    assert_int_equal(series->first[49 - 2].value, 31744);
    assert_int_equal(series->first[99 - 2].value, 24064);
    end_clock(&p);
}

/* --- Set-up that fails. --- */

/* Each mapping and each allocation of a set-up fails in turn. */
TEST(test_benches_without_memory_say_so)
{
    static const struct memory_latency_params latency_params = {.bytes = 100000, .chase = CHASE_HUGE};
    static const struct memory_loaded_params loaded_params = {.bytes = 70000, .stream_bytes = 80000};
    static const struct memory_nodes_params nodes_params = {.bytes = 90000, .memory_node = 6};
    static const struct memory_steady_params steady_params = {.cache_bytes = 65536, .memory_bytes = 200000};
    static const struct memory_steady_params without_cache = {.memory_bytes = 200000};
    static const struct {
        const struct bench *bench;
        const void *params;
        unsigned copy, maps, allocations;
        const char *reason;
    } table[] = {
        {&bench_memory_latency, &latency_params, 0, 1, 1, "out of memory for 100000 bytes"},
        {&bench_memory_loaded, &loaded_params, 0, 1, 1, "out of memory for 70000 bytes"},
        {&bench_memory_loaded, &loaded_params, 1, 1, 0, "out of memory for 80000 bytes"},
        {&bench_memory_nodes, &nodes_params, 0, 1, 1, "out of memory"},
        {&bench_memory_steady, &steady_params, 0, 3, 2, "out of memory for 265536 bytes"},
        {&bench_memory_steady, &without_cache, 0, 2, 1, "out of memory for 200000 bytes"},
    };

    nodes_made_up = &all_there;
    for (size_t i = 0; i < COUNT(table); i++)
        for (unsigned k = 0; k <= table[i].maps + table[i].allocations; k++) {
            struct fixture_party p;
            fixture_party_begin(&p, table[i].bench, table[i].params);
            p.context.copy = table[i].copy;
            if (k < table[i].maps)
                maps_before_refusal = k;
            else if (k < table[i].maps + table[i].allocations)
                allocations_before_refusal = k - table[i].maps;
            const int result = p.party->setup(&p.context);
            maps_before_refusal = allocations_before_refusal = UINT_MAX;
            assert_int_equal(result, k < table[i].maps + table[i].allocations ? -1 : 0);
            assert_string_equal(p.reason, result ? table[i].reason : "");
            fixture_party_end(&p);
        }
    nodes_made_up = NULL;
}

/* --- Two processes and their cache line. --- */

/* Answers for the other process, whenever this one has waited so long that it asks whether it is to stop. */
static struct {
    volatile uint64_t *line;
    uint64_t number, last; /* that it waits for, and that it answers last: then it ends */
    uint64_t saw;          /* what was there at last */
} other;

bool __real_party_stopped(const struct party_context *context);
bool __wrap_party_stopped(const struct party_context *context);
bool __wrap_party_stopped(const struct party_context *context)
{
    if (other.line) {
        other.saw = *other.line;
        if (other.saw == other.number && other.number <= other.last) {
            *other.line = other.number + 1;
            other.number += 2;
        } else {
            *other.line = UINT64_MAX;
        }
    }
    return __real_party_stopped(context);
}

/* Each replaces the other one's number by the next, until that ends or the trial is stopped. */
TEST(test_benches_cores_pass_a_number_to_and_fro)
{
    static uint64_t shared[2 * 65536 / sizeof(uint64_t)];
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)shared;
    volatile uint64_t *line = (void *)((char *)shared + (page - at % page) % page);
    static const struct memory_cores_params params = {.pair = {.first = 0, .second = 1}};

    for (unsigned party = 0; party < 2; party++)
        for (int stopped = 0; stopped < 2; stopped++) {
            struct bench bench = bench_memory_cores;
            struct fixture_party p;
            bench.parties = &bench_memory_cores.parties[party];
            fixture_party_begin(&p, &bench, &params);
            p.context.shared = shared;
            *line = party ? 0 : 77;
            if (p.party->setup)
                assert_int_equal(p.party->setup(&p.context), 0);
            assert_true(*line == 0 && (party || p.context.expected_ns == 100000000));
            if (stopped)
                party_stop_all(&p.context);
            other.line = line;
            other.number = party ? 0 : 1;
            other.last = party ? 10 : 11;
            assert_int_equal(p.party->run(&p.context), -1);
            assert_string_equal(p.reason, "the other CPU did not answer");
            assert_int_equal(other.saw, stopped ? 1 - party : 13 - party);
            assert_true(stopped || *line == UINT64_MAX);
            other.line = NULL;
            fixture_party_end(&p);
        }
}
