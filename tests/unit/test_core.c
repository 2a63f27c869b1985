/* SPDX-License-Identifier: MIT */
/* Shared cores, on made-up probes: when a core counts as free, what the records keep, and what the figure with the core
 * free says where its truth is known. */

#include "engine/core.h"
#include "engine/trial.h"
#include "fixture.h"
#include "made_up_clock.h"

#define FREE 66u
#define HALF 132u
#define MS   1000000u

static struct core_session *session;
static char why[160];

/* Units of 33.25 cycles and 15 blocks: level 66 is 4.1 additions a cycle. */
static int make_session(void **state)
{
    session = calloc(1, sizeof(*session));
    assert_non_null(session);
    session->probe = (struct core_probe){.blocks = 15, .unit = 33.25};
    for (unsigned cpu = 0; cpu < 8; cpu++)
        session->core[cpu] = cpu;
    return 0;
}

static int free_session(void **state)
{
    free(session);
    return 0;
}

static void see(unsigned cpu, unsigned level, unsigned times)
{
    uint32_t probes[CORE_LEVELS] = {0};

    probes[level] = times;
    core_learn(session, cpu, probes);
}

/* --- When a core is free. --- */

TEST_WITH(test_another_cpu_of_the_type_shows_what_is_free, make_session, free_session)
{
    see(0, 80, 5000); /* 3.4 a cycle */
    assert_true(core_free_level(session, 0, why, sizeof(why)) > 0);
    see(1, FREE, 5000);
    assert_int_equal(core_free_level(session, 0, why, sizeof(why)), 0);
    assert_non_null(strstr(why, "on another CPU"));
    assert_true(core_free_level(session, 1, why, sizeof(why)) > 0);
    session->type[1] = 1024; /* a core of another kind says nothing */
    assert_true(core_free_level(session, 0, why, sizeof(why)) > 0);
}

/* --- Records. --- */

static struct core_record record;

static void begin_record(void)
{
    memset(&record, 0, sizeof(record));
}

static void enter(unsigned before, unsigned after, double count, double cost, uint64_t start_ns)
{
    const struct core_reading first = {.level = before, .cycles_per_tick = 9}, second = {after, after * 0.5, 0};

    core_enter(&record, &first, &second, count, cost, start_ns);
}

/* --- The figure with the core free. --- */

#define TRIALS 10u
#define SLICES 160u

/* A neighbour on the core at times; factor by which it slows the work down (0: not at all). */
struct made_up {
    uint64_t seed;
    double slower, noise, free_share;
    double drift; /* of what no probe shows, from trial to trial */
};

static double uniform(uint64_t *seed)
{
    return (double)(stats_random(seed) >> 11) * 0x1p-53;
}

static double normal(uint64_t *seed)
{
    double u = uniform(seed), v = uniform(seed);
    return sqrt(-2 * log(u + 1e-300)) * cos(6.283185307179586 * v);
}

/* Enters TRIALS trials of SLICES slices whose rate with the core free is 1. raw: the mean of each. */
static void run(struct made_up *m, struct core_notes *notes, double raw[TRIALS])
{
    for (uint32_t t = 0; t < TRIALS; t++) {
        double sum = 0, drift = 1 + m->drift * normal(&m->seed);
        bool is_free = uniform(&m->seed) < m->free_share;
        begin_record();
        record.block_ns = SLICES * 1500000u / CORE_BLOCKS + 1;
        for (unsigned i = 0; i < SLICES; i++) {
            if (uniform(&m->seed) < 0.05)
                is_free = uniform(&m->seed) < m->free_share;
            double rate = drift * (1 + m->noise * normal(&m->seed)) * (is_free ? 1 : 1 - m->slower);
            unsigned level = is_free ? FREE + (unsigned)(stats_random(&m->seed) % 3) : 90;
            enter(level, level, rate * 1.5e6, 1.5e6, (uint64_t)i * 1500000u);
            sum += rate;
        }
        raw[t] = sum / SLICES;
        core_learn(session, 0, record.probes);
        assert_int_equal(core_notes_add(notes, &record, t, 0, core_highest(session, 0)), 0);
    }
}

/* The truth in how many of 1,000 intervals. */
static unsigned held(struct made_up *m, struct stats_running *explained)
{
    unsigned n = 0;

    for (unsigned i = 0; i < 1000; i++) {
        struct core_notes notes = {.n = 0};
        struct core_alone alone;
        double raw[TRIALS], samples[TRIALS];
        run(m, &notes, raw);
        assert_int_equal(core_alone_find(&notes, session, false, TRIALS, samples, &alone), 0);
        n += alone.low <= 1 && 1 <= alone.high;
        double pct = core_explained_pct(raw, samples, TRIALS);
        if (!isnan(pct))
            stats_add(explained, pct);
        core_notes_free(&notes);
    }
    return n;
}

TEST_WITH(test_the_truth_is_in_its_interval, make_session, free_session)
{
    struct made_up m = {.seed = 20261122, .slower = 0.15, .noise = 0.01, .free_share = 0.4};
    struct stats_running explained = {.n = 0};

    assert_in_range(held(&m, &explained), 930, 970);
    assert_true(explained.mean > 90);
}

TEST_WITH(test_too_few_slices_are_no_figure, make_session, free_session)
{
    struct core_notes notes = {.n = 0};
    struct core_alone alone;
    double samples[2];

    see(0, FREE, 100);
    for (uint32_t trial = 0; trial < 2; trial++) {
        begin_record();
        record.block_ns = 10 * MS;
        for (unsigned i = 0; i < (trial ? 9 : 20); i++)
            enter(FREE, FREE, 3, 2, (uint64_t)i * 1500000u);
        for (unsigned i = 0; i < 50; i++)
            enter(90, 90, 1, 2, (uint64_t)i * 1500000u);
        assert_int_equal(core_notes_add(&notes, &record, trial, 0, core_highest(session, 0)), 0);
    }
    assert_int_equal(core_alone_find(&notes, session, false, 2, samples, &alone), 0);
    assert_true(isnan(alone.value) && isnan(samples[1]));
    assert_float_equal(samples[0], 1.5, 1e-9);
    assert_int_equal(alone.slices, 29);
    assert_int_equal(notes.slices, 129);
    begin_record();
    record.block_ns = MS;
    enter(FREE, FREE, 3, 2, 0);
    assert_int_equal(core_notes_add(&notes, &record, 1, 0, core_highest(session, 0)), 0);
    assert_int_equal(core_alone_find(&notes, session, false, 2, samples, &alone), 0);
    assert_float_equal(alone.value, 1.5, 1e-9);
    assert_float_equal(samples[0], 1.5, 1e-9);
    assert_float_equal(samples[1], 1.5, 1e-9);
    assert_int_equal(core_alone_find(&notes, session, true, 2, samples, &alone), 0);
    assert_true(fabs(alone.value - 2 / 3.0) < 1e-12);
    core_notes_free(&notes);
}

/* --- Whose neighbour? --- */

static const struct party pair[] = {{.name = "measured", .role = ROLE_MEASURED},
                                    {.name = "partner", .role = ROLE_PARTNER}};
static const struct party parent[] = {{.name = "parent", .role = ROLE_MEASURED, .children = CHILDREN_NORMAL}};

static bool shares(const struct bench *bench, unsigned copies, const unsigned *cpus)
{
    static struct place_request place;
    struct trial_slot slots[4];
    struct trial_spec spec = {.bench = bench, .copies = copies, .place = &place, .core = session};

    memset(&place, 0, sizeof(place));
    memset(slots, 0, sizeof(slots));
    for (unsigned cpu = 0; cpu < 4; cpu++)
        cpuset_add(&place.online, cpu);
    for (unsigned i = 0; i < copies * bench->n_parties; i++) {
        slots[i].party = i % bench->n_parties;
        slots[i].copy = i / bench->n_parties;
        if (cpus[i] != CPUSET_NONE)
            cpuset_add(&slots[i].placement.cpus, cpus[i]);
    }
    return parties_share_core(&spec, slots, copies * bench->n_parties);
}

/* Two cores of two threads: CPUs 0 and 2, 1 and 3. */
TEST_WITH(test_own_parties_on_a_core_are_no_neighbours, make_session, free_session)
{
    const struct bench alone = {.parties = pair, .n_parties = 1}, two = {BENCH_PARTIES(pair)},
                       forks = {BENCH_PARTIES(parent)};
    const unsigned apart[] = {0, 1}, together[] = {0, 2}, same[] = {0, 0}, anywhere[] = {CPUSET_NONE, CPUSET_NONE};

    assert_false(shares(&two, 1, together)); /* no threads to be seen */
    session->threads = true;
    for (unsigned cpu = 0; cpu < 4; cpu++)
        session->core[cpu] = cpu % 2;
    assert_false(shares(&alone, 1, apart));
    assert_false(shares(&alone, 1, anywhere));
    assert_false(shares(&alone, 2, apart));
    assert_true(shares(&alone, 2, together));
    assert_true(shares(&alone, 2, anywhere));
    assert_false(shares(&two, 1, apart));
    assert_false(shares(&two, 1, same));
    assert_true(shares(&two, 1, together));
    assert_false(shares(&forks, 1, apart));
    assert_true(shares(&forks, 1, anywhere));
}

/* --- Shares and notes. --- */

/* Levels up to 2.4 times the free one count, by their number; level 0 is none. */
TEST_WITH(test_share_is_the_mean_of_all_probes_that_count, make_session, free_session)
{
    static uint64_t probes[CORE_LEVELS];

    assert_true(isnan(core_share(probes, FREE)));
    probes[0] = 1000;
    probes[159] = 5000; /* above 158.4 */
    probes[CORE_LEVELS - 1] = 7000;
    assert_true(isnan(core_share(probes, FREE)));
    probes[1] = 2;
    probes[FREE] = 3;
    probes[FREE + 1] = 5;
    probes[HALF] = 8;
    probes[158] = 4;
    const double sum = 5 + 5 * 66 / 67.0 + 8 * 0.5 + 4 * 66 / 158.0;
    assert_true(fabs(core_share(probes, FREE) - sum / 22) < 1e-12);
}

/* Cells up to the highest level, with where they are from. 70 records make the list grow. */
TEST_WITH(test_notes_are_the_cells_up_to_a_level, make_session, free_session)
{
    enum { RECORDS = 70, HIGHEST = 9 };
    static const struct {
        unsigned block, level;
    } cells[] = {{0, 0}, {0, HIGHEST}, {3, 4}, {CORE_BLOCKS - 1, 1}},
      beyond[] = {{0, HIGHEST + 1}, {2, CORE_CELLS - 1}};
    static struct core_record noted;
    struct core_notes notes = {.n = 0};

    noted.slices = 11;
    for (unsigned i = 0; i < COUNT(cells); i++)
        noted.cell[cells[i].block][cells[i].level] = (struct core_cell){.count = 10 + i, .cost = 20 + i, .n = 30 + i};
    for (unsigned i = 0; i < COUNT(beyond); i++)
        noted.cell[beyond[i].block][beyond[i].level] = (struct core_cell){.count = 1, .cost = 1, .n = 1};
    for (unsigned r = 0; r < RECORDS; r++)
        assert_int_equal(core_notes_add(&notes, &noted, 100 + r, 200 + r, HIGHEST), 0);
    assert_int_equal(notes.slices, 11 * RECORDS);
    assert_int_equal(notes.n, COUNT(cells) * RECORDS);
    for (unsigned i = 0; i < notes.n; i++) {
        const struct core_note *note = &notes.note[i];
        unsigned c = i % COUNT(cells), r = i / COUNT(cells);
        assert_int_equal(note->trial, 100 + r);
        assert_int_equal(note->cpu, 200 + r);
        assert_int_equal(note->block, cells[c].block);
        assert_int_equal(note->level, cells[c].level);
        assert_true(note->cell.count == 10 + c && note->cell.cost == 20 + c && note->cell.n == 30 + c);
    }
    core_notes_free(&notes);
    assert_true(!notes.note && !notes.n && !notes.capacity && !notes.slices);
    /* No level is too high. */
    assert_int_equal(core_notes_add(&notes, &noted, 0, 0, 2 * CORE_CELLS), 0);
    assert_int_equal(notes.n, COUNT(cells) + COUNT(beyond));
    core_notes_free(&notes);
}

/* The first and the last level are none; CPUs beyond the last are ignored. */
TEST_WITH(test_learns_the_lowest_level, make_session, free_session)
{
    static uint32_t probes[CORE_LEVELS];

    probes[0] = probes[CORE_LEVELS - 1] = 1000;
    core_learn(session, 3, probes);
    assert_int_equal(session->lowest[3], 0);
    probes[CORE_LEVELS - 2] = 1000;
    core_learn(session, 3, probes);
    assert_int_equal(session->lowest[3], CORE_LEVELS - 2);
    probes[1] = 1000;
    core_learn(session, 3, probes);
    assert_int_equal(session->lowest[3], 1);
    core_learn(session, CPUSET_MAX, probes);
    for (unsigned cpu = 0; cpu < CPUSET_MAX; cpu++)
        assert_true(cpu == 3 || !session->lowest[cpu]);
    assert_int_equal(core_highest(session, 3) - core_highest(session, 4), 1);
    assert_int_equal(core_highest(session, CPUSET_MAX), 0);
}

/* Widths of 270.7 additions a cycle divided by the level: more than 3.1 of some CPU are free, and at least 0.93 of
 * the widest. Three is what half of a core does that can do six. */
TEST_WITH(test_free_is_wide_enough_and_nearly_the_widest, make_session, free_session)
{
    static const struct {
        unsigned level, other, free_level; /* other: lowest level of another CPU; 0: none */
    } cases[] = {{FREE, 0, 70},  {87, 0, 91},   {88, 0, 0},     {88, 90, 0}, {90, 87, 94},
                 {70, FREE, 74}, {71, FREE, 0}, {FREE, 71, 70}, {1, 0, 5}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        memset(session->lowest, 0, sizeof(session->lowest));
        see(2, cases[i].level, 3);
        if (cases[i].other)
            see(CPUSET_MAX - 1, cases[i].other, 3);
        assert_int_equal(core_free_level(session, 2, why, sizeof(why)), cases[i].free_level);
    }
    assert_int_equal(core_free_level(session, CPUSET_MAX, why, sizeof(why)), 0);
    assert_string_equal(why, "no core probe was taken");
}

/* Level 0 and the last one are left out. */
TEST_WITH(test_free_share_of_the_probes, make_session, free_session)
{
    static uint64_t probes[CORE_LEVELS];

    probes[0] = probes[CORE_LEVELS - 1] = 1000;
    assert_true(isnan(core_free(probes, FREE)));
    probes[1] = 2;
    probes[FREE] = 3;
    assert_true(core_free(probes, FREE) == 1);
    probes[FREE + 1] = 4;
    probes[CORE_LEVELS - 2] = 1;
    assert_true(core_free(probes, FREE) == 0.5);
    assert_true(core_free(probes, 0) == 0);
}

/* --- A look at the cores: probes of made-up levels, at made-up times. --- */

static struct {
    bool on;
    int get_error, set_error;
    unsigned level[CPUSET_MAX], cpu[64], n_cpus; /* cpu: those that the look was bound to */
    const unsigned *took_ns;                     /* by sleep: what each reading of the clock takes after it */
    unsigned n_sleeps, restored, level_now;
} look;

int __real_task_get_affinity(struct cpuset *cpus);
int __wrap_task_get_affinity(struct cpuset *cpus);
int __wrap_task_get_affinity(struct cpuset *cpus)
{
    if (!look.on)
        return __real_task_get_affinity(cpus);
    cpuset_clear(cpus);
    cpuset_add(cpus, 17);
    cpuset_add(cpus, 18);
    return look.get_error;
}

int __real_task_set_affinity(const struct cpuset *cpus);
int __wrap_task_set_affinity(const struct cpuset *cpus);
int __wrap_task_set_affinity(const struct cpuset *cpus)
{
    if (!look.on)
        return __real_task_set_affinity(cpus);
    const unsigned cpu = cpuset_next(cpus, 0);
    if (cpuset_count(cpus) == 2 && cpu == 17 && cpuset_has(cpus, 18)) {
        look.restored++;
        return 0;
    }
    assert_int_equal(cpuset_count(cpus), 1);
    assert_int_equal(look.restored, 0);
    look.cpu[look.n_cpus++] = cpu;
    look.level_now = look.level[cpu];
    return look.set_error;
}

void __real_clock_sleep_ns(uint64_t ns);
void __wrap_clock_sleep_ns(uint64_t ns);
void __wrap_clock_sleep_ns(uint64_t ns)
{
    if (!look.on) {
        __real_clock_sleep_ns(ns);
        return;
    }
    assert_int_equal(ns, MS / 2);
    made_up_clock.now_ns += ns;
    made_up_clock.step_ns = look.took_ns ? look.took_ns[look.n_sleeps] : 0;
    look.n_sleeps++;
}

void __wrap_core_probe_take(const struct core_probe *probe, struct core_reading *reading);
void __wrap_core_probe_take(const struct core_probe *probe, struct core_reading *reading)
{
    assert_ptr_equal(probe, &session->probe);
    reading->level = look.level_now;
}

static void look_at_cpus(unsigned first, unsigned n, unsigned each, uint64_t ns, struct core_sight *sight)
{
    struct cpuset cpus = {{0}};

    for (unsigned i = 0; i < n; i++)
        cpuset_add(&cpus, first + i * each);
    look.n_cpus = look.n_sleeps = look.restored = 0;
    made_up_clock.now_ns = 5000000;
    made_up_clock.step_ns = 0;
    made_up_clock.on = look.on = true;
    core_look(session, &cpus, ns, sight);
    made_up_clock.on = look.on = false;
}

static int begin_look(void **state)
{
    memset(&look, 0, sizeof(look));
    if (make_session(state))
        return -1;
    session->probe = (struct core_probe){.blocks = 1, .unit = CORE_BLOCK_ADDS / (4 * (double)FREE)};
    return 0;
}

/* Two CPUs for 2 ms each, and for what the readings of the clock take: four probes each, until that time and not
 * longer. The first CPU has half of its core. */
TEST_WITH(test_look_probes_each_cpu_for_its_time, begin_look, free_session)
{
    static const unsigned took_ns[] = {4000, 1000, 2500, 3000, 2000, 2000, 2000, 3750};
    struct core_sight sight;

    look.took_ns = took_ns;
    look.level[3] = HALF;
    look.level[5] = FREE;
    look_at_cpus(3, 2, 2, 2 * (2 * MS + 28500), &sight);
    assert_int_equal(look.n_sleeps, COUNT(took_ns));
    assert_true(look.n_cpus == 2 && look.cpu[0] == 3 && look.cpu[1] == 5);
    assert_int_equal(look.restored, 1);
    assert_string_equal(sight.why, "");
    assert_true(fabs(sight.us - 1) < 1e-12 && fabs(sight.free - 0.5) < 1e-12);
    assert_true(session->lowest[3] == HALF && session->lowest[5] == FREE && session->lowest[4] == 0);
}

/* At most 16 CPUs share the time: 32 ms are four probes for each of them. */
TEST_WITH(test_look_probes_at_most_16_cpus, begin_look, free_session)
{
    struct core_sight sight;

    for (unsigned cpu = 0; cpu < 20; cpu++)
        look.level[cpu] = FREE;
    look_at_cpus(0, 20, 1, 32 * MS, &sight);
    assert_int_equal(look.n_cpus, 16);
    assert_int_equal(look.n_sleeps, 64);
    assert_true(session->lowest[15] == FREE && session->lowest[16] == 0);
    assert_true(sight.free == 1);
}

/* --- What a slice is worth. --- */

/* The block is that of its start; the probe after it is counted in any case. */
TEST_WITH(test_a_slice_counts_where_it_began, make_session, free_session)
{
    static const struct {
        unsigned before, after;
        uint64_t start_ns;
        unsigned block, level; /* where it is counted; CORE_CELLS: nowhere */
    } slices[] = {
        {5, 7, 1000, 0, 7},
        {9, 8, 1099, 0, 9},
        {1, 2, 1100, 1, 2},
        {CORE_CELLS - 1, 3, 900, 0, CORE_CELLS - 1}, /* before the record begins */
        {CORE_CELLS, 3, 1700, 7, CORE_CELLS},
        {3, 3, 1799, 7, 3},
    };

    for (size_t i = 0; i < COUNT(slices); i++) {
        begin_record();
        record.start_ns = 1000;
        record.block_ns = 100;
        enter(slices[i].before, slices[i].after, 11, 13, slices[i].start_ns);
        unsigned n = 0;
        for (unsigned b = 0; b < CORE_BLOCKS; b++)
            for (unsigned level = 0; level < CORE_CELLS; level++)
                n += record.cell[b][level].n;
        assert_int_equal(n, slices[i].level < CORE_CELLS);
        if (n) {
            const struct core_cell *cell = &record.cell[slices[i].block][slices[i].level];
            assert_true(cell->n == 1 && cell->count == 11 && cell->cost == 13);
        }
        assert_int_equal(record.probes[slices[i].after], 1);
        assert_int_equal(record.slices, 1);
        assert_true(record.cycles_per_tick == slices[i].after * 0.5);
        assert_int_equal(record.block_ns, 100);
    }
}

/* A run that is longer than expected: each pair of blocks becomes one of twice the length, and again. */
TEST_WITH(test_blocks_are_joined_in_pairs, make_session, free_session)
{
    begin_record();
    record.block_ns = 100;
    for (unsigned i = 0; i < CORE_BLOCKS; i++)
        enter(4, 4, 1 << i, 1 << 2 * i, 100 * i);
    enter(5, 5, 1000, 1, 800);
    assert_true(fabs(record.cycles_per_tick - (CORE_BLOCKS * 2 + 2.5) / (CORE_BLOCKS + 1)) < 1e-12);
    assert_int_equal(record.block_ns, 200);
    static const double pairs[] = {3, 12, 48, 192, 0, 0, 0, 0}, costs[] = {5, 80, 1280, 20480, 0, 0, 0, 0};
    for (unsigned i = 0; i < CORE_BLOCKS; i++) {
        assert_true(record.cell[i][4].count == pairs[i] && record.cell[i][4].cost == costs[i]);
        assert_int_equal(record.cell[i][4].n, i < 4 ? 2 : 0);
        assert_int_equal(record.cell[i][5].n, i == 4);
    }
    enter(6, 6, 1, 1, 6399); /* by three more */
    assert_int_equal(record.block_ns, 800);
    assert_true(record.cell[0][4].count == 255 && record.cell[1][5].count == 1000 && record.cell[7][6].n == 1);
}

/* --- The interval, over blocks of time. --- */

/* Enters trials of CORE_BLOCKS blocks, of 30 slices each, whose counts repeat these. Returns the width of the interval
 * in relation to the value. */
static double width_of_interval(uint32_t trials, const double *counts, unsigned n, unsigned used_blocks)
{
    struct core_notes notes = {.n = 0};
    struct core_alone alone;
    unsigned at = 0;

    see(0, FREE, 100);
    for (uint32_t t = 0; t < trials; t++) {
        begin_record();
        for (unsigned b = 0; b < used_blocks; b++)
            record.cell[b][FREE] = (struct core_cell){.count = counts[at++ % n], .cost = 30, .n = 30};
        assert_int_equal(core_notes_add(&notes, &record, t, 0, FREE), 0);
    }
    assert_int_equal(core_alone_find(&notes, session, false, trials, NULL, &alone), 0);
    core_notes_free(&notes);
    assert_true(!isnan(alone.value));
    if (!isnan(alone.low))
        assert_true(fabs(alone.high + alone.low - 2 * alone.value) < 1e-12);
    return (alone.high - alone.low) / alone.value;
}

/* Neighbouring blocks that make up for each other: above 40 blocks pairs are joined, from 8 trials on whole trials;
 * then nothing varies. Five blocks are enough; empty ones do not count. */
TEST_WITH(test_interval_is_over_blocks_that_are_long_enough, make_session, free_session)
{
    static const double turns[] = {20, 40}, pairs[] = {20, 20, 40, 40},
                        of_trials[] = {20, 20, 20, 20, 20, 20, 20, 20, //
                                       40, 40, 40, 40, 40, 40, 40, 40};
    static const double five[] = {10, 20, 30, 40, 50};

    assert_true(width_of_interval(5, turns, 2, CORE_BLOCKS) > 0.1);
    assert_true(width_of_interval(6, turns, 2, CORE_BLOCKS) < 1e-9);
    assert_true(width_of_interval(7, pairs, 4, CORE_BLOCKS) > 0.1);
    assert_true(width_of_interval(8, turns, 2, CORE_BLOCKS) < 1e-9);
    assert_true(width_of_interval(8, of_trials, 16, CORE_BLOCKS) > 0.1);
    assert_true(isnan(width_of_interval(4, five, 5, 1)));
    /* Of 1 to 5, times ten: 2 * 2.776445 * sqrt(2.5) / sqrt(5) / 3; 1,000 resamples estimate it within 2 % or so. */
    assert_true(fabs(width_of_interval(5, five, 5, 1) - 1.30883) < 0.05);
}

TEST_WITH(test_explained_is_of_variances_relative_to_the_means, make_session, free_session)
{
    static const double raw[] = {8, 9, 10, 11, 12, 1000}, alone[] = {18, 19, 20, 21, 22, (double)NAN};
    static const double same[] = {7, 7, 7, 7, 7}, wider[] = {1, 9, 10, 11, 19};

    assert_true(fabs(core_explained_pct(raw, alone, 6) - 75) < 1e-9);
    assert_true(core_explained_pct(raw, same, 5) == 100);
    assert_true(core_explained_pct(raw, wider, 5) == 0);
    assert_true(isnan(core_explained_pct(same, alone, 5)));
    assert_true(isnan(core_explained_pct(raw, alone, 4)));
    assert_true(isnan(core_explained_pct(alone, raw, 4)));
    assert_true(isnan(core_explained_pct(raw + 1, alone + 1, 5))); /* one is not known */
}
