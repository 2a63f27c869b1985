/* SPDX-License-Identifier: MIT */
/* The memory that the parties of a trial share: its size and layout, what the parties find in it, and which of them are
 * real-time. */
#include "engine_fixture.h"

#include "engine/trial.h"

/* --- Size and layout. --- */

static const struct party laid_out_parties[] = {
    {PARTY_IS("process", {RECORD_NUMBERS, 9}, {RECORD_SLICES, 3})},
    {PARTY_IS("thread", {RECORD_CHECKS, 1}), .kind = PARTY_THREAD},
};
static const struct party laid_out_load_parties[] = {
    {PARTY_IS("load", {RECORD_NUMBERS, LOAD_COUNTS}), .role = ROLE_LOAD},
    {PARTY_IS("its thread", {RECORD_NUMBERS, 1}), .role = ROLE_LOAD, .kind = PARTY_THREAD},
};
static const struct bench laid_out = {
    .name = "laid out", .params_size = 70, BENCH_PARTIES(laid_out_parties), .shared_size = 65};
static const struct load laid_out_load = {
    .name = "beside", .params_size = 9, BENCH_PARTIES(laid_out_load_parties), .shared_size = 100};
static const char params[70] = "of the benchmark", load_params[9] = "the load";
enum { COPIES = 3, SLOTS = 2 * COPIES + 2, RANGES_MAX = 64 };

static struct place_request place;
static struct trial_spec spec;
static struct trial trial;

static int begin(void **state)
{
    fixture_place_of_three(&place, BIND_ONE, true);
    place.n_order = 2;
    spec = (struct trial_spec){.bench = &laid_out,
                               .params = params,
                               .load = &laid_out_load,
                               .load_params = load_params,
                               .copies = COPIES,
                               .sample = 17,
                               .time_ns = 5,
                               .place = &place,
                               .clock = &fixture_clock,
                               .series_fd = 77};
    return 0;
}

static const struct trial_head *make(void)
{
    trial = (struct trial){.spec = spec, .n_slots = spec.copies * spec.bench->n_parties};
    trial.n_slots += spec.load ? spec.load->n_parties : 0;
    assert_int_equal(trial_make_shm(&trial), 0);
    return trial.head;
}

static void unmake(void)
{
    if (trial.head->shm_fd >= 0)
        (void)close(trial.head->shm_fd);
    assert_int_equal(munmap(trial.head, trial.head->size), 0);
}

static struct {
    size_t from, to;
} range[RANGES_MAX];
static size_t n_ranges;

/* Checks that the range is aligned and meets no other one. */
static void take(size_t from, size_t size)
{
    assert_true(from % 64 == 0 && size > 0);
    for (size_t i = 0; i < n_ranges; i++)
        assert_true(from + size <= range[i].from || range[i].to <= from);
    range[n_ranges].from = from;
    range[n_ranges++].to = from + size;
}

TEST_WITH(test_shm_has_room_for_everything_once, begin, NULL)
{
    const struct trial_head *head = make();
    size_t end = 0;

    n_ranges = 0;
    take(0, sizeof(*head) + SLOTS * sizeof(head->slot[0]));
    take(head->params_offset, sizeof(params));
    take(head->load_params_offset, sizeof(load_params));
    for (unsigned i = 0; i < SLOTS; i++) {
        const struct trial_slot *slot = &head->slot[i];
        const struct party *party = party_in_shm(slot, &laid_out, &laid_out_load);
        if (slot->party == 0)
            take(slot->shared, slot->of_load ? 100 : 65);
        else
            assert_int_equal(slot->shared, head->slot[i - 1].shared);
        for (unsigned r = 0; r < party->n_recorders; r++)
            take(slot->recorder[r], recorder_size(&party->recorders[r]));
    }
    assert_int_equal(n_ranges, 3 + COPIES * (1 + 3) + 1 + 2);
    for (size_t i = 0; i < n_ranges; i++)
        end = range[i].to > end ? range[i].to : end;
    assert_true(end <= head->size && head->size - end <= 256);
    assert_memory_equal((const char *)head + head->params_offset, params, sizeof(params));
    assert_memory_equal((const char *)head + head->load_params_offset, load_params, sizeof(load_params));
    /* 256 KiB for each process, of which the load has one. */
    assert_int_equal(trial_memory_bytes(&spec), head->size + (COPIES + 1) * (256 << 10));
    unmake();
    spec.load = NULL;
    head = make();
    assert_int_equal(trial_memory_bytes(&spec), head->size + COPIES * (256 << 10));
    assert_string_equal(head->load, "");
    assert_int_equal(head->load_params_offset, 0);
    unmake();
}

/* Copies one after the other, then the load. */
TEST_WITH(test_shm_slots_say_whose_they_are, begin, NULL)
{
    const struct trial_head *head = make();

    for (unsigned i = 0; i < SLOTS; i++) {
        const struct trial_slot *slot = &head->slot[i];
        assert_int_equal(slot->of_load, i >= 6);
        assert_int_equal(slot->copy, i < 6 ? i / 2 : 0);
        assert_int_equal(slot->party, i % 2);
        assert_int_equal(slot->state, STATE_STARTING);
        for (unsigned p = 0; p < PIPES_MAX; p++)
            assert_true(slot->pipes[p][0] == -1 && slot->pipes[p][1] == -1);
        /* CPUs 5 and 1 in turn; the load is on the first. */
        assert_true(cpuset_has(&slot->placement.cpus, i / 2 == 1 ? 1 : 5));
        assert_int_equal(cpuset_count(&slot->placement.cpus), 1);
    }
    assert_int_equal(head->magic, SHM_MAGIC);
    assert_int_equal(head->parent, getpid());
    assert_string_equal(head->bench, "laid out");
    assert_string_equal(head->load, "beside");
    assert_true(head->copies == COPIES && head->n_slots == SLOTS && head->sample == 17 && head->time_ns == 5);
    assert_int_equal(head->clock, CLOCK_KIND_GETTIME);
    assert_int_equal(head->series_fd, 77);
    assert_int_equal(head->core_probe.blocks, 0);
    assert_false(head->fixed_layout);
    unmake();
}

static uint64_t set_up_in_7_s(const void *its_params)
{
    assert_ptr_equal(its_params, params);
    return 7000 * MS;
}

/* A minute for the set-up or what the benchmark says, and a second for each further copy on a CPU. */
TEST_WITH(test_shm_has_what_the_trial_asks_for, begin, NULL)
{
    static struct core_session session = {.probe = {.blocks = 3, .unit = 2}};
    static const struct {
        unsigned copies;
        bool own_limit;
        uint64_t limit_s;
        bool counters, switches, counted;
    } cases[] = {{1, false, 60, false, false, true},
                 {2, false, 60, false, true, false},
                 {3, false, 61, true, true, true},
                 {5, true, 9, true, false, true}};
    struct bench bench = laid_out;

    spec.bench = &bench;
    spec.core = &session;
    place.layout_fixed = true;
    for (size_t i = 0; i < COUNT(cases); i++) {
        bench.setup_limit_ns = cases[i].own_limit ? set_up_in_7_s : NULL;
        bench.switches = cases[i].switches;
        spec.counters = cases[i].counters;
        spec.copies = cases[i].copies;
        const struct trial_head *head = make();
        assert_int_equal(head->setup_limit_ns, cases[i].limit_s * 1000 * MS);
        assert_int_equal(head->counted, cases[i].counted);
        assert_true(head->core_probe.blocks == 3 && head->core_probe.unit == 2);
        assert_true(head->fixed_layout);
        unmake();
    }
}

/* --- One CPU stays free of real-time work. --- */

static void on_cpu_3(const struct place_of *of, struct placement *out)
{
    assert_ptr_equal(of->params, load_params);
    place_one(of->request, 0, 3, out);
}

TEST_WITH(test_shm_leaves_a_cpu_free_of_real_time_work, begin, NULL)
{
    static const struct party measured[] = {{.role = ROLE_MEASURED}}, asleep[] = {{.sleeps = true}},
                              with_timer[] = {{.role = ROLE_MEASURED}, {.role = ROLE_TIMER}},
                              with_partner[] = {{.role = ROLE_MEASURED}, {.role = ROLE_PARTNER}},
                              heirs[] = {{.children = CHILDREN_INHERIT}}, children[] = {{.children = CHILDREN_NORMAL}};
    static const struct load any = {BENCH_PARTIES(measured)}, third = {BENCH_PARTIES(measured), .place = on_cpu_3};
    static const struct {
        const struct party *parties;
        unsigned n, copies;
        const struct load *load;
        enum bind_mode bind;
        bool more_cpus;       /* than 1, 3 and 5 */
        const char *policies; /* by slot: f: SCHED_FIFO, o: given up */
    } cases[] = {
        {measured, 1, 3, NULL, BIND_ONE, false, "ffo"},      {measured, 1, 4, NULL, BIND_ONE, true, "ffff"},
        {with_timer, 2, 3, NULL, BIND_ONE, false, "ffffof"}, {with_partner, 2, 3, NULL, BIND_ONE, false, "ffffoo"},
        {asleep, 1, 3, NULL, BIND_ONE, false, "fff"},        {heirs, 1, 1, NULL, BIND_RANGE, false, "o"},
        {heirs, 1, 1, NULL, BIND_RANGE, true, "f"},          {children, 1, 3, NULL, BIND_RANGE, false, "ffo"},
        {measured, 1, 2, &any, BIND_ONE, false, "fff"},      {measured, 1, 2, &third, BIND_ONE, false, "ffo"},
        {measured, 1, 1, &third, BIND_ONE, false, "ff"},
    };
    struct trial_slot slots[8];

    for (size_t k = 0; k < 2 * COUNT(cases); k++) {
        const size_t i = k / 2;
        const int policy = k % 2 ? SCHED_RR : SCHED_FIFO;
        const struct bench bench = {.parties = cases[i].parties, .n_parties = cases[i].n};
        const unsigned of_bench = cases[i].copies * cases[i].n, n = of_bench + (cases[i].load != NULL);
        fixture_place_of_three(&place, cases[i].bind, cases[i].more_cpus);
        place.fifo = true;
        place.fifo_priority = 9;
        place.policy = k % 2 ? SCHED_RR : SCHED_OTHER;
        spec.bench = &bench;
        spec.load = cases[i].load;
        spec.copies = cases[i].copies;
        memset(slots, 0, sizeof(slots));
        for (unsigned s = 0; s < n; s++) {
            slots[s].of_load = s >= of_bench;
            slots[s].copy = slots[s].of_load ? 0 : s / cases[i].n;
            slots[s].party = slots[s].of_load ? 0 : s % cases[i].n;
        }
        trial_place(&spec, slots, n);
        assert_int_equal(strlen(cases[i].policies), n);
        for (unsigned s = 0; s < n; s++) {
            const struct placement *placement = &slots[s].placement;
            const bool fifo = cases[i].policies[s] == 'f';
            if (placement->policy != (fifo ? policy : SCHED_OTHER))
                fail_msg("case %zu, slot %u", i, s);
            assert_int_equal(placement->rt_priority, fifo ? 9 : 0);
            assert_int_equal(placement->refused[0] == 0, fifo);
        }
        if (cases[i].load == &third)
            assert_true(slots[of_bench].placement.bind == BIND_ONE && cpuset_has(&slots[of_bench].placement.cpus, 3));
    }
}

/* What the party itself asks for, beside what the user did. */
TEST_WITH(test_shm_places_as_the_party_asks, begin, NULL)
{
    static const struct party asks[] = {{.lock_memory = true, .timer_slack_ns = 55}, {.name = "does not"}};
    const struct bench bench = {BENCH_PARTIES(asks)};
    struct trial_slot slots[2] = {{.party = 0}, {.party = 1}};

    spec.bench = &bench;
    spec.load = NULL;
    spec.copies = 1;
    trial_place(&spec, slots, 2);
    assert_true(slots[0].placement.lock_memory && slots[0].placement.timer_slack_ns == 55);
    assert_true(!slots[1].placement.lock_memory && slots[1].placement.timer_slack_ns == 0);
}

int main(void)
{
    process_init();
    return run_all_tests();
}
