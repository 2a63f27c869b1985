/* SPDX-License-Identifier: MIT */
/* The noise sampler: its threshold, its figures, and detours of known causes on a made-up clock. */
#include "bench_fixture.h"

#include "bench/noise.h"
#include "made_up_clock.h"
#include "made_up_trial.h"
#include "memory_fixture.h"
#include "row_fixture.h"

/* --- The threshold. --- */

TEST(test_noise_threshold_is_a_time_or_a_multiple_of_the_loop)
{
    static const struct {
        const char *text;
        uint64_t ns;
        double loops;
    } good[] = {{"8x", 0, 8},          {"2x", 0, 2},         {"2.5x", 0, 2.5}, {"1000000x", 0, 1e6},
                {"1ns", 1, 0},         {"300ns", 300, 0},    {"5us", 5000, 0}, {"1.5ms", 1500000, 0},
                {"1s", 1000000000, 0}, {"0.5", 500000000, 0}};
    struct error error = {""};

    for (size_t i = 0; i < COUNT(good); i++) {
        struct noise_params params = {.threshold_ns = 77, .threshold_loops = 77};
        text_copy(params.threshold, sizeof(params.threshold), good[i].text);
        assert_int_equal(noise_read_threshold(&params, &error), 0);
        assert_int_equal(params.threshold_ns, good[i].ns);
        assert_true(params.threshold_loops == good[i].loops);
    }
}

/* --- Rows. --- */

static int64_t counted_ns; /* by the kernel for the group in the made-up trial */

const struct machine_counters *__wrap_trial_machine(const struct trial *trial, unsigned copy);
const struct machine_counters *__wrap_trial_machine(const struct trial *trial, unsigned copy)
{
    static struct machine_counters counted;

    counted.throttled_ns = counted_ns;
    return &counted;
}

static const struct noise_params eight = {.threshold = "8x", .threshold_loops = 8};

TEST(test_noise_lost_share_is_that_of_all_causes)
{
    struct noise_record number = {.observed = 1e6};

    for (unsigned c = 0; c < DETOUR_CAUSES; c++)
        number.sums.lost[c].ns = 1000 * (c + 1);
    number.sums.brief[0].ns = 300;
    number.sums.brief[DETOUR_LEVELS - 1].ns = 100;
    fixture_assert_near(noise_lost_pct(&number), 4.54);
}

/* Recorders of a made-up trial. */
static struct {
    struct noise_record number;
    double levels[DETOUR_CELLS][CORE_LEVELS];
    struct hist hist;
    struct series series;
} recorded;

/* Resets the recorders and gives them to the trial. Returns the numbers: no frequency is known. */
static struct noise_record *made_up_recorders(struct made_up_trial *trial)
{
    memset(&recorded, 0, sizeof(recorded));
    hist_init(&recorded.hist, 0);
    for (unsigned cell = 0; cell < DETOUR_CELLS; cell++)
        recorded.number.mhz[cell] = (double)NAN;
    trial->recorder[0][NOISE_HIST] = &recorded.hist;
    trial->recorder[0][NOISE_SERIES] = &recorded.series;
    trial->recorder[0][NOISE_NUMBERS] = &recorded.number;
    trial->recorder[0][NOISE_LEVELS] = recorded.levels;
    return &recorded.number;
}

static void assert_points(struct made_up_trial *trial, unsigned metric, const struct series_point *expected, size_t n)
{
    static struct series_point points[SERIES_FIRST + SERIES_LARGEST];
    static struct series series;

    series_init(&series);
    trial->series = &series;
    trial->series_metric = metric;
    made_up_reduce(trial);
    assert_int_equal(series_points(&series, points), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(points[i].at, expected[i].at);
        assert_int_equal(points[i].value, expected[i].value);
    }
}
#define ASSERT_POINTS(trial, metric, ...) \
    assert_points(trial, metric, (const struct series_point[]){__VA_ARGS__}, \
                  COUNT(((const struct series_point[]){__VA_ARGS__})))

/* Brief detours belong to others of the core above the level at which it is free, and are unexplained where that is not
 * known; periods are remarked on. */
TEST(test_noise_brief_detours_and_periods)
{
    const struct noise_params params = {.threshold = "8x"};
    struct core_session *session = calloc(1, sizeof(*session));
    struct made_up_trial trial = {
        .spec = {.bench = &bench_noise, .params = &params, .copies = 1, .time_ns = 1000000000u}};
    struct noise_record *number = made_up_recorders(&trial);
    uint32_t probes[CORE_LEVELS] = {[50] = 3, [90] = 9};

    assert_non_null(session);
    number->observed = 1e9;
    number->sums.lost[DETOUR_UNEXPLAINED].ns = 1e6;
    for (unsigned level = 50; level <= 55; level += level == 50 ? 4 : 1) {
        number->sums.brief[level].n = 10;
        number->sums.brief[level].ns = 1e4 * level;
    }
    number->sums.periodic[0].hz = 100;
    number->sums.periodic[0].sum.n = 50;
    number->sums.periodic[0].sum.ns = 50 * 31250;
    number->sums.periodic[2].hz = 8;
    number->sums.periodic[2].sum.n = 8;
    number->sums.periodic[2].sum.ns = 8 * 2000;
    trial.party[0].last_cpu = 2;
    made_up_reduce(&trial);
    assert_true(row_param_is(&trial.remark[0], "periods", "10ms:31.2us;125ms:2us"));
    fixture_assert_near(trial.sample[0][NOISE_METRIC_LOST], 0.1 + 1e-3 * (50 + 54 + 55));
    fixture_assert_near(trial.sample[0][NOISE_METRIC_LOST_BY + DETOUR_SHARED], 0);
    fixture_assert_near(trial.sample[0][NOISE_METRIC_LOST_BY + DETOUR_UNEXPLAINED], trial.sample[0][NOISE_METRIC_LOST]);
    session->probe = (struct core_probe){.blocks = 16, .unit = 1};
    core_learn(session, 2, probes);
    trial.spec.core = session;
    assert_int_equal(core_free_level(session, 2, (char[160]){""}, 160), 54);
    made_up_reduce(&trial);
    fixture_assert_near(trial.sample[0][NOISE_METRIC_LOST_BY + DETOUR_SHARED], 1e-3 * 55);
    fixture_assert_near(trial.sample[0][NOISE_METRIC_LOST_BY + DETOUR_UNEXPLAINED], 0.1 + 1e-3 * (50 + 54));
    /* Ten of each level: their mean lengths are 50, 54 and 55 us: the first two are one class of lengths. */
    ASSERT_POINTS(&trial, NOISE_METRIC_LOST_BY + DETOUR_UNEXPLAINED, {52000, 20});
    ASSERT_POINTS(&trial, NOISE_METRIC_LOST_BY + DETOUR_SHARED, {55000, 10});
    free(session);
}

/* Probes at 54 and below found the core free, those above 2.4 times that were interrupted. Of 30 probes the mean share
 * is 0.75; 15 of 34 found the core free; of the time 3 % were lost, and more in gaps that others of the core caused.
 * The frequency is known in two parts of the run, which is the third sample: its times go on from those of the others.
 */
TEST(test_noise_share_and_frequency_of_the_core)
{
    const struct noise_params params = {.threshold = "8x"};
    struct core_session *session = calloc(1, sizeof(*session));
    struct made_up_trial trial = {
        .spec = {.bench = &bench_noise, .params = &params, .copies = 1, .sample = 2, .time_ns = 1000000000u}};
    struct noise_record *number = made_up_recorders(&trial);
    const double *sample = trial.sample[0];
    struct series_point cells[DETOUR_CELLS];
    uint32_t probes[CORE_LEVELS] = {[50] = 3, [90] = 9};

    assert_non_null(session);
    number->observed = 1e9;
    number->sums.lost[DETOUR_UNEXPLAINED].ns = 2e7;
    number->sums.brief[50].ns = 1e7;
    number->sums.brief[60].ns = 5e6;
    for (unsigned cell = 0; cell < DETOUR_CELLS; cell++) {
        number->sums.cell[cell] = 10 * cell + 0.4;
        cells[cell] = (struct series_point){2000000 + 10000 * cell, 10 * cell};
    }
    series_add(&recorded.series, 5, 4000);
    number->mhz[0] = 3000.4;
    number->mhz[7] = 3200;
    recorded.levels[0][54] = 10;
    recorded.levels[1][108] = 10;
    recorded.levels[2][50] = recorded.levels[2][108] = 5;
    recorded.levels[99][200] = 4;
    trial.party[0].last_cpu = 2;
    made_up_reduce(&trial);
    fixture_assert_near(sample[NOISE_METRIC_MHZ], 3100.2);
    assert_true(isnan(sample[NOISE_METRIC_SHARE]) && isnan(sample[NOISE_METRIC_FREE]) &&
                isnan(sample[NOISE_METRIC_SLOWER]) && isnan(sample[NOISE_METRIC_LOST_ALONE]));
    session->probe = (struct core_probe){.blocks = 16, .unit = 1};
    core_learn(session, 2, probes);
    trial.spec.core = session;
    assert_points(&trial, NOISE_METRIC_LOST, cells, DETOUR_CELLS);
    ASSERT_POINTS(&trial, NOISE_METRIC_DETOUR, {2000005, 4000});
    ASSERT_POINTS(&trial, NOISE_METRIC_MHZ, {2000000, 3000}, {2070000, 3200});
    ASSERT_POINTS(&trial, NOISE_METRIC_SHARE, {2000000, 100}, {2010000, 50}, {2020000, 75});
    fixture_assert_near(sample[NOISE_METRIC_SHARE], 75);
    fixture_assert_near(sample[NOISE_METRIC_FREE], 100 * 15 / 34.0);
    fixture_assert_near(sample[NOISE_METRIC_SLOWER], 100 * (1 - 0.97 * 0.75));
    fixture_assert_near(sample[NOISE_METRIC_LOST], 3.5);
    fixture_assert_near(sample[NOISE_METRIC_LOST_ALONE], 3);
    free(session);
}

/* In two observed seconds 500 timer interrupts are 250 a second, and 20 ms lost to faults are 1 %. Another 40 ms that
 * were not observed are 1.96 % of all 2,040 ms. */
TEST(test_noise_rates_are_those_of_a_second)
{
    const struct noise_params params = {.threshold = "8x"};
    struct made_up_trial trial = {
        .spec = {.bench = &bench_noise, .params = &params, .copies = 1, .time_ns = 2000000000u}};
    struct noise_record *number = made_up_recorders(&trial);

    for (unsigned i = 0; i < 7; i++)
        hist_add(&recorded.hist, 4000);
    number->observed = 2e9;
    number->blind = 40e6;
    number->sums.lost[DETOUR_FAULT].ns = 20e6;
    for (unsigned i = 0; i < NOISE_COUNTS; i++)
        number->counts[i] = 500 + 2 * i;
    made_up_reduce(&trial);
    for (unsigned i = 0; NOISE_METRIC_COUNTS + i < NOISE_METRIC_SLOWER; i++)
        fixture_assert_near(trial.sample[0][NOISE_METRIC_COUNTS + i], 250 + i);
    fixture_assert_near(trial.sample[0][NOISE_METRIC_DETOURS], 3.5);
    fixture_assert_near(trial.sample[0][NOISE_METRIC_DETOUR], 4000);
    fixture_assert_near(trial.sample[0][NOISE_METRIC_LOST], 1);
    fixture_assert_near(trial.sample[0][NOISE_METRIC_BLIND], 100 * 40e6 / 2040e6);
    fixture_assert_near(trial.sample[0][NOISE_METRIC_LOST_BY + DETOUR_FAULT], 1);
    assert_int_equal(trial.n_causes, DETOUR_CAUSES - 1);
    assert_int_equal(DETOUR_QUOTA, 0);
    for (unsigned c = 1; c < DETOUR_CAUSES; c++) {
        assert_string_equal(trial.cause[c - 1], detour_cause_names[c]);
        assert_true(trial.cause_ms[c - 1] == (c == DETOUR_FAULT ? 20 : 0));
    }
}

/* The kernel counted 30 ms for the group: what the samplers took for the quota beyond that is preempted. */
TEST(test_noise_quota_is_at_most_what_the_kernel_counted)
{
    const struct noise_params params = {.threshold = "8x"};
    struct made_up_trial trial = {
        .spec = {.bench = &bench_noise, .params = &params, .copies = 1, .time_ns = 2000000000u}};
    struct noise_record *number = made_up_recorders(&trial);

    counted_ns = 30000000;
    number->observed = 2e9;
    number->limited = 1;
    number->sums.lost[DETOUR_QUOTA].ns = 40e6;
    number->sums.lost[DETOUR_PREEMPTED].ns = 5e6;
    made_up_reduce(&trial);
    counted_ns = 0;
    assert_int_equal(trial.n_causes, DETOUR_CAUSES);
    assert_string_equal(trial.cause[0], "quota");
    fixture_assert_near(trial.cause_ms[0], 30);
    fixture_assert_near(trial.cause_ms[1], 15);
    fixture_assert_near(trial.sample[0][NOISE_METRIC_LOST_BY + DETOUR_QUOTA], 1.5);
    fixture_assert_near(trial.sample[0][NOISE_METRIC_LOST], 2.25);
}

/* --- With a made-up clock, whose readings take 100 ns each. --- */

#define START 9000000000ull
#define STEP  100u

/* The machine's counters rise by this at each reading. */
static const struct machine_counters each_look = {
    .irqs = 31, .softirqs = 7, .timer = 2, .resched = 3, .ipi = 5, .device = 11};

/* What takes the CPU at a time of the run, and what the kernel counts of it. */
struct disturbance {
    uint64_t at_ns, by_ns;
    int64_t voluntary, involuntary, minor, major;
    unsigned cpu;         /* on which the thread is from then on */
    int64_t throttled_ns; /* what of it the quota took; 0: it was not used up */
};
static struct {
    const struct disturbance *of;
    size_t n;
    uint64_t begun_ns; /* start of the run; 0: it has not begun */
    bool limited;      /* by a quota */
    int64_t steal_each_look_ns, look_ns;
    unsigned looks;
    unsigned (*probe_level)(uint64_t since_ns); /* of a probe, which takes 400 ns */
} made_up_run;
static const struct core_probe made_up_probe;

/* Returns how many disturbances there were so far. */
static size_t disturbances(void)
{
    size_t n = 0;

    while (made_up_run.begun_ns && n < made_up_run.n &&
           made_up_clock.now_ns >= made_up_run.begun_ns + made_up_run.of[n].at_ns)
        n++;
    return n;
}

void __wrap_machine_watch_read(struct machine_watch *watch, struct machine_counters *out);
void __wrap_machine_watch_read(struct machine_watch *watch, struct machine_counters *out)
{
    const int64_t n = 1000 + made_up_run.looks++;

    made_up_clock.now_ns += (uint64_t)made_up_run.look_ns;
    *out = (struct machine_counters){.irqs = n * each_look.irqs,
                                     .softirqs = n * each_look.softirqs,
                                     .timer = n * each_look.timer,
                                     .resched = n * each_look.resched,
                                     .ipi = n * each_look.ipi,
                                     .device = n * each_look.device,
                                     .steal_ns = n * made_up_run.steal_each_look_ns};
}

void __wrap_task_read_usage(struct task_counters *out);
void __wrap_task_read_usage(struct task_counters *out)
{
    *out = (struct task_counters){.ctx_voluntary = 1000, .ctx_involuntary = 2000, .faults_minor = 3000};
    for (size_t i = 0; i < disturbances(); i++) {
        out->ctx_voluntary += made_up_run.of[i].voluntary;
        out->ctx_involuntary += made_up_run.of[i].involuntary;
        out->faults_minor += made_up_run.of[i].minor;
        out->faults_major += made_up_run.of[i].major;
    }
}

unsigned __wrap_task_current_cpu(void);
unsigned __wrap_task_current_cpu(void)
{
    unsigned cpu = 3;

    for (size_t i = 0; i < disturbances(); i++)
        cpu = made_up_run.of[i].cpu ? made_up_run.of[i].cpu : cpu;
    return cpu;
}

void __wrap_cgroup_quota_open(struct cgroup_quota *out);
void __wrap_cgroup_quota_open(struct cgroup_quota *out)
{
    *out = (struct cgroup_quota){.fd = {-1}, .n = made_up_run.limited};
}

bool __wrap_cgroup_throttled(const struct cgroup_quota *quota, struct cgroup_throttled *out);
bool __wrap_cgroup_throttled(const struct cgroup_quota *quota, struct cgroup_throttled *out)
{
    *out = (struct cgroup_throttled){0};
    for (size_t i = 0; i < disturbances(); i++) {
        out->periods += made_up_run.of[i].throttled_ns > 0;
        out->ns += made_up_run.of[i].throttled_ns;
    }
    return quota->n > 0;
}

void __wrap_core_probe_take(const struct core_probe *probe, struct core_reading *reading);
void __wrap_core_probe_take(const struct core_probe *probe, struct core_reading *reading)
{
    made_up_clock.now_ns += 400;
    *reading = (struct core_reading){made_up_run.probe_level(made_up_clock.now_ns - made_up_run.begun_ns), 3.25, 0};
}

static void begin_made_up(struct fixture_party *p, const struct noise_params *params, uint64_t time_ns)
{
    made_up_run.n = 0;
    made_up_run.begun_ns = 0;
    fixture_party_begin(p, &bench_noise, params);
    p->context.time_ns = time_ns;
    made_up_clock_start(START, STEP);
}

/* The disturbances are in order of time. Returns the numbers. */
static const struct noise_record *run_made_up(struct fixture_party *p, const struct disturbance *of, size_t n,
                                              uint64_t stop_ns)
{
    static struct made_up_jump jumps[16];

    made_up_run.begun_ns = made_up_clock.now_ns + STEP; /* its first reading */
    made_up_run.of = of;
    made_up_run.n = n;
    assert_true(n <= COUNT(jumps));
    for (size_t i = 0; i < n; i++)
        jumps[i] = (struct made_up_jump){made_up_run.begun_ns + of[i].at_ns, of[i].by_ns};
    made_up_clock.jumps = jumps;
    made_up_clock.n_jumps = n;
    if (stop_ns) {
        made_up_clock.stops = &p->context;
        made_up_clock.stop_ns = made_up_run.begun_ns + stop_ns;
    }
    assert_int_equal(p->party->run(&p->context), 0);
    return p->context.recorder[NOISE_NUMBERS];
}

static void end_made_up(struct fixture_party *p)
{
    fixture_party_end(p);
    made_up_clock.on = false;
    memset(&made_up_run, 0, sizeof(made_up_run));
}

/* 250 ms are windows of 100, 100 and 50 ms. A turn of the loop takes 100 ns, and a gap of more than 800 ns is a
 * detour: what took the CPU for 700 ns is none, for 800 ns is one. Blind are 100 ns after each of the nine detours,
 * and 1,100 ns at the end of each window (twelve readings of the clock, the first of them that of the loop). */
TEST(test_noise_adds_up_what_took_the_cpu)
{
    static const struct disturbance of[] = {
        {11 * MS, 5000, .voluntary = 1},
        {21 * MS, 3000, .involuntary = 1},
        {31 * MS, 2000, .minor = 1},
        {41 * MS, 1500, .major = 1},
        {61 * MS, 900, .cpu = 0},
        {121 * MS, 7000, .cpu = 0},
        {131 * MS, 700, .cpu = 0},
        {132 * MS, 800, .cpu = 0},
        {142450000, 110000, .cpu = 0}, /* 50 us of it are in the 57th part of the run */
        {181 * MS, 6000, .cpu = 4, .voluntary = 1},
    };
    static const struct {
        enum detour_cause cause;
        double n, ns;
    } lost[] = {{DETOUR_PREEMPTED, 2, 8000},  {DETOUR_FAULT, 2, 3500},  {DETOUR_MIGRATED, 1, 6000},
                {DETOUR_STEAL, 1, 110000},    {DETOUR_INTERRUPT, 0, 0}, {DETOUR_PERIODIC, 0, 0},
                {DETOUR_UNEXPLAINED, 1, 7000}};
    static const struct series_point detours[] = {{11000, 5000}, {21000, 3000},    {31000, 2000},
                                                  {41000, 1500}, {61000, 900},     {121000, 7000},
                                                  {132000, 800}, {142450, 110000}, {181000, 6000}};
    static const struct {
        unsigned cell;
        double ns;
    } cells[] = {{4, 5000},  {8, 3000}, {12, 2000},  {16, 1500},  {24, 900},
                 {48, 7000}, {52, 800}, {56, 50000}, {57, 60000}, {72, 6000}};
    struct fixture_party p;
    double in_cells = 0;

    begin_made_up(&p, &eight, 250 * MS);
    made_up_run.steal_each_look_ns = 40000; /* 80 us in two windows, until the CPU changes */
    assert_int_equal(p.party->setup(&p.context), 0);
    const struct noise_record *number = run_made_up(&p, of, COUNT(of), 0);
    assert_true(number->loop == 100 && number->threshold == 800);
    assert_true(number->blind == 3 * 1100 + 9 * 100);
    assert_true(number->observed == 250001200 - 4200);
    for (size_t i = 0; i < COUNT(lost); i++) {
        assert_true(number->sums.lost[lost[i].cause].n == lost[i].n);
        assert_true(number->sums.lost[lost[i].cause].ns == lost[i].ns);
    }
    assert_true(number->sums.brief[0].n == 2 && number->sums.brief[0].ns == 1700);
    /* From 4,096 ns on, and from 2,048 ns on. */
    const struct detour_sum *classes = number->sums.by_class[DETOUR_PREEMPTED];
    assert_true(classes[12].n == 1 && classes[12].ns == 5000 && classes[11].n == 1 && classes[11].ns == 3000);
    for (size_t i = 0; i < COUNT(cells); i++)
        assert_true(number->sums.cell[cells[i].cell] == cells[i].ns);
    for (unsigned cell = 0; cell < DETOUR_CELLS; cell++) {
        in_cells += number->sums.cell[cell];
        assert_true(isnan(number->mhz[cell]));
    }
    assert_true(in_cells == 136200);
    /* The counters rose three times: what they show of the new CPU is not compared with the old one's. */
    assert_true(number->counts[NOISE_TIMER] == 3 * 2 && number->counts[NOISE_RESCHED] == 3 * 3 &&
                number->counts[NOISE_IPI] == 3 * 5);
    assert_true(number->counts[NOISE_DEVICE] == 3 * 11 && number->counts[NOISE_SOFTIRQ] == 3 * 7);
    const struct series *series = p.context.recorder[NOISE_SERIES];
    assert_int_equal(((const struct hist *)p.context.recorder[NOISE_HIST])->n, 9);
    assert_int_equal(series->n, 9);
    assert_memory_equal(series->first, detours, sizeof(detours));
    end_made_up(&p);
}

/* Free, then shared with another hardware thread. */
static unsigned shared_from_15_ms(uint64_t since_ns)
{
    return since_ns < 15 * MS ? 16 : 30;
}

/* Every 1.5 ms and 600 ns (the probe, and two readings of the clock): 20 probes in 30 ms, one in each fifth of a
 * hundred parts. Each but the first ends a slice. */
TEST(test_noise_probes_the_core_every_millisecond_and_a_half)
{
    struct fixture_party p;

    begin_made_up(&p, &eight, 30 * MS);
    made_up_run.probe_level = shared_from_15_ms;
    p.context.core_probe = &made_up_probe;
    assert_int_equal(p.party->setup(&p.context), 0);
    const struct noise_record *number = run_made_up(&p, NULL, 0, 0);
    const double *levels = p.context.recorder[NOISE_LEVELS];
    for (unsigned cell = 0; cell < DETOUR_CELLS; cell++) {
        for (unsigned level = 0; level < CORE_LEVELS; level++)
            assert_true(levels[cell * CORE_LEVELS + level] == (cell % 5 == 0 && level == (cell < 50 ? 16 : 30)));
        assert_true(cell % 5 ? isnan(number->mhz[cell]) : number->mhz[cell] == 3250);
    }
    assert_true(number->blind == 20 * 600 + 1100);
    const struct core_record *record = p.context.recorder[NOISE_CORE];
    assert_int_equal(record->slices, 19);
    assert_true(record->probes[16] == 9 && record->probes[30] == 10);
    end_made_up(&p);
}

/* Of two detours in which another task ran, the quota was used up in the first, and took most of it. */
TEST(test_noise_tells_what_the_quota_took)
{
    static const struct disturbance of[] = {
        {50 * MS, 40000000, .involuntary = 1, .throttled_ns = 39000000},
        {150 * MS, 5000, .involuntary = 1},
    };
    struct fixture_party p;

    begin_made_up(&p, &eight, 200 * MS);
    made_up_run.limited = true;
    assert_int_equal(p.party->setup(&p.context), 0);
    const struct noise_record *number = run_made_up(&p, of, COUNT(of), 0);
    assert_true(number->limited == 1);
    assert_true(number->sums.lost[DETOUR_QUOTA].ns == 39000000);
    assert_true(number->sums.lost[DETOUR_PREEMPTED].ns == 1000000 + 5000);
    end_made_up(&p);
}

/* The counters are read every 100 ms or, where that takes long, 1000 times as rarely, but each second. */
TEST(test_noise_windows_are_a_thousand_readings)
{
    static const struct {
        int64_t look_ns;
        double windows; /* of 1.25 s */
    } cases[] = {{0, 13}, {300000, 5}, {5000000, 2}};
    struct fixture_party p;

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin_made_up(&p, &eight, 1250 * MS);
        made_up_run.look_ns = cases[i].look_ns;
        assert_int_equal(p.party->setup(&p.context), 0);
        const struct noise_record *number = run_made_up(&p, NULL, 0, 0);
        if (number->counts[NOISE_TIMER] != 2 * cases[i].windows)
            fail_msg("case %zu: %g windows", i, number->counts[NOISE_TIMER] / 2);
        end_made_up(&p);
    }
}

/* Two turns of the loop are 200 ns. */
TEST(test_noise_threshold_is_of_the_shortest_turn)
{
    static const struct {
        struct noise_params params;
        double ns;
        const char *degraded;
    } cases[] = {
        {{.threshold = "199ns", .threshold_ns = 199},
         200,
         "the threshold 199ns is less than two turns of the loop: 200 ns is used instead"},
        {{.threshold = "200ns", .threshold_ns = 200}, 200, ""},
        {{.threshold = "5us", .threshold_ns = 5000}, 5000, ""},
        {{.threshold = "2.5x", .threshold_loops = 2.5}, 250, ""},
    };
    struct fixture_party p;

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin_made_up(&p, &cases[i].params, MS);
        assert_int_equal(p.party->setup(&p.context), 0);
        assert_true(run_made_up(&p, NULL, 0, 0)->threshold == cases[i].ns);
        assert_string_equal(p.context.slot->refused, cases[i].degraded);
        end_made_up(&p);
    }
    begin_made_up(&p, &eight, MS);
    allocations_left = 0;
    assert_int_equal(p.party->setup(&p.context), -1);
    allocations_left = UINT_MAX;
    assert_string_equal(p.reason, "out of memory");
    end_made_up(&p);
}
