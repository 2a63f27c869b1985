/* SPDX-License-Identifier: MIT */
/* Plans of a trivial benchmark: the order of trials, when an item ends, what becomes of those that fail. */
#include "bench_fixture.h"
#include "tree_fixture.h"

static const struct bench bench_tick;
static const struct bench *const registry[] = {&bench_tick, NULL};
static const struct load load_beside, load_bare;
static const struct load *const loads[] = {&load_beside, &load_bare, NULL};

/* A sample is base - swing in even trials and base + swing in odd ones. */
struct tick_params {
    char id;
    double base, swing;
    uint64_t fail_at; /* the trial that fails, from 1; 0: none */
    uint64_t sleep_ns;
    bool unsupported;
};

/* Record of the parent's callbacks, in order. */
static struct {
    char trials[256]; /* ids of those that succeeded */
    uint64_t gate_ns[256];
    size_t n;
    bool warms; /* the made-up CPU, by 10 degrees a trial */
} seen;

static void put_celsius(uint64_t celsius)
{
    char text[16];

    (void)snprintf(text, sizeof(text), "%llu000\n", (unsigned long long)celsius);
    tree_put("/sys/class/hwmon/hwmon0/name", "k10temp\n");
    tree_put("/sys/class/hwmon/hwmon0/temp1_input", text);
}

static int tick_run(struct party_context *context)
{
    const struct tick_params *params = context->params;

    if (params->fail_at && context->sample + 1 == params->fail_at)
        return party_fail(context, "trial %llu of %c failed", (unsigned long long)context->sample + 1, params->id);
    if (params->sleep_ns)
        clock_sleep_ns(params->sleep_ns);
    if (context->series_fd >= 0 && write(context->series_fd, &params->id, 1) != 1)
        return party_fail(context, "series");
    ((double *)context->recorder[0])[0] = params->base + (context->sample % 2 ? params->swing : -params->swing);
    return 0;
}

static void tick_reduce(const struct trial *trial, struct results *results)
{
    const struct tick_params *params = trial->spec.params;
    const double *number = trial_recorder(trial, 0, 0, 0);

    seen.gate_ns[seen.n] = trial->gate_ns;
    seen.trials[seen.n++] = params->id;
    results_sample(results, 0, 0, number[0]);
    results_sample(results, 0, 1, trial->spec.copies);
    if (seen.warms)
        put_celsius(40 + 10 * seen.n);
}

static void tick_calibrate(void *params, double value)
{
    ((struct tick_params *)params)->base += 2 * value; /* so that a second call would show */
}

static int tick_supported(const struct bench_case *of, struct error *why)
{
    return ((const struct tick_params *)of->params)->unsupported ? error_set(why, "not on this machine") : 0;
}

static void tick_describe(const struct bench_case *of, struct row_params *out)
{
    const struct tick_params *p = of->params;

    (void)snprintf(out->text, sizeof(out->text), "%c base=%g clock=%s", p->id, p->base, of->clock->name);
    row_params_read(out);
}

static const struct party tick_parties[] = {
    {PARTY_IS("tick", {RECORD_NUMBERS, 1}), .role = ROLE_MEASURED, .run = tick_run},
};
static const struct metric tick_metrics[] = {
    {.id = "value", .unit = "count", .better = "lower", .value = VALUE_MEAN, .headline = true},
    {.id = "copies", .unit = "count", .better = "", .value = VALUE_MEAN},
};
static const struct bench bench_tick = {DUMMY("tick"),
                                        .params_size = sizeof(struct tick_params),
                                        BENCH_PARTIES(tick_parties),
                                        .own_metrics = tick_metrics,
                                        .n_metrics = 2,
                                        .describe = tick_describe,
                                        .supported = tick_supported,
                                        .calibrate = tick_calibrate,
                                        .reduce = tick_reduce};

/* --- Loads. --- */

struct beside_params {
    char id;
    double base;
    bool fails, unsupported;
};

/* The nice value shows the placement's request. */
static void beside_place(const struct place_of *of, struct placement *placement)
{
    place_copy(of->request, 0, placement);
    placement->nice_given = true;
    placement->nice = (int)((const struct beside_params *)of->params)->base;
}

static int beside_run(struct party_context *context)
{
    const struct beside_params *params = context->params;

    if (params->fails)
        return party_fail(context, "%c is not to be had", params->id);
    party_proved(context);
    while (!party_stopped(context))
        clock_sleep_ns(MS);
    return 0;
}

static void beside_calibrate(void *params, double value)
{
    ((struct beside_params *)params)->base += value;
}

static int beside_supported(const void *params, struct error *why)
{
    if (!((const struct beside_params *)params)->unsupported)
        return 0;
    return error_set(why, "no room for a load");
}

static void beside_describe(const void *params, struct row_params *out)
{
    const struct beside_params *p = params;
    const char id[] = {p->id, '\0'};

    row_param_add(out, PARAM_WORK, id, "%g", p->base);
}

static const char *beside_scratch_dir(const void *params)
{
    (void)params;
    return "/";
}

static const struct party beside_parties[] = {
    {PARTY_IS("beside", {RECORD_NUMBERS, LOAD_COUNTS}), .role = ROLE_LOAD, .kind = PARTY_PROCESS, .stop = STOP_KILL,
     .before_gate = true, .run = beside_run},
};
static const struct load load_beside = {.name = "beside",
                                        BENCH_PARTIES(beside_parties),
                                        .params_size = sizeof(struct beside_params),
                                        .describe = beside_describe,
                                        .scratch_dir = beside_scratch_dir,
                                        .supported = beside_supported,
                                        .place = beside_place,
                                        .calibrate = beside_calibrate};
static const struct load load_bare = {.name = "bare"};

/* --- A plan to work with. --- */

static struct place_request place;
static struct fixture_rows rows;
static struct plan plan;
static struct plan_run how;

static int begin(void **state)
{
    memset(&seen, 0, sizeof(seen));
    memset(&plan, 0, sizeof(plan));
    how = fixture_run(&place, &rows);
    return 0;
}

static int end(void **state)
{
    fixture_free_rows(&rows);
    plan_free(&plan);
    return 0;
}

/* An item of exactly so many samples around 100. */
static struct plan_item *add(char id, uint64_t samples)
{
    const struct tick_params params = {.id = id, .base = 100, .swing = 1};
    struct plan_item *item = plan_add(&plan, &bench_tick, &params);

    assert_non_null(item);
    item->sampling =
        (struct sampling){.min_samples = samples, .max_samples = samples, .max_ns = 60000 * MS, .precision_pct = 2};
    return item;
}

static struct tick_params *params_of(struct plan_item *item)
{
    return item->params;
}

static void execute(int expected)
{
    int fds = fixture_count_fds();

    assert_int_equal(plan_execute(&plan, &how), expected);
    fixture_assert_no_children();
    assert_int_equal(fixture_count_fds(), fds);
}

static const struct row *value_row(const char *param)
{
    return fixture_find(&rows, "value", param);
}

/* --- The order of trials. --- */

TEST_WITH(test_plan_sequence_ends_one_item_before_the_next, begin, end)
{
    add('A', 2);
    add('B', 3);
    add('C', 1);
    plan.schedule = SCHEDULE_SEQUENCE;
    execute(ROW_OK);
    assert_string_equal(seen.trials, "AABBBC");
    assert_int_equal(rows.n, 6); /* two metrics each */
    assert_string_equal(rows.row[0].param.text, "A base=100 clock=clock_gettime");
    assert_string_equal(rows.row[2].param.text, "B base=100 clock=clock_gettime");
    assert_string_equal(rows.row[4].param.text, "C base=100 clock=clock_gettime");
}

TEST_WITH(test_plan_abba_goes_forwards_and_backwards, begin, end)
{
    add('A', 4);
    add('B', 4);
    add('C', 3);
    plan.schedule = SCHEDULE_ABBA;
    execute(ROW_OK);
    assert_string_equal(seen.trials, "ABCCBAABCBA");
}

static struct {
    unsigned calls;
    size_t ended_at, n;
    uint64_t limit_ns;
    bool missing;
} together;

static bool enough_together(struct plan_item *items, size_t n, const struct plan_samples *samples)
{
    (void)items;
    together.calls++;
    together.n = samples->n;
    together.limit_ns = samples->limit_ns;
    together.missing = false;
    for (size_t i = 0; i < n; i++)
        together.missing |= !samples->of[i];
    assert_true(samples->spent_ns > 0);
    return samples->n >= together.ended_at;
}

/* Adds an item without an exact number of samples. */
static struct plan_item *add_open(char id)
{
    struct plan_item *item = add(id, 2);

    item->sampling.max_samples = 0;
    item->sampling.max_ns = 7;
    return item;
}

/* Items end after the same block, whatever time each has taken; the callee is asked after each block. */
TEST_WITH(test_plan_items_end_together, begin, end)
{
    memset(&together, 0, sizeof(together));
    together.ended_at = 6;
    add_open('A');
    add_open('B');
    plan.schedule = SCHEDULE_ABBA;
    plan.enough = enough_together;
    execute(ROW_OK);
    assert_string_equal(seen.trials, "ABBAABBAABBA");
    assert_int_equal(together.calls, 3);
    assert_int_equal(together.limit_ns, 14);
    assert_false(together.missing);
}

/* Trials in which a signal stopped a process, by their order: '1'. NULL: as it was. */
static const char *stopped;
static unsigned n_asked;

bool __real_trial_stopped(const struct trial *trial);
bool __wrap_trial_stopped(const struct trial *trial);
bool __wrap_trial_stopped(const struct trial *trial)
{
    if (!stopped)
        return __real_trial_stopped(trial);
    assert_true(n_asked < strlen(stopped));
    return stopped[n_asked++] == '1';
}

/* A trial in which a process was stopped is repeated at once, and what it wrote to the file of --series goes; but only
 * three trials of an item. */
TEST_WITH(test_plan_repeats_trials_that_a_signal_stopped, begin, end)
{
    static const char reason[] = "stopped by signals repeatedly: %u samples, of which 3 were repeated";
    static const struct {
        const char *stopped, *trials;
        unsigned n_stopped; /* of A; 0: not more than three */
    } cases[] = {
        {"0100", "ABA", 0}, {"1110000", "ABA", 0}, {"01001", "ABA", 0}, {"1111001", "ABA", 4}, {"11111011", "ABA", 5},
    };
    char expected[128] = "";

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(end(state), 0);
        assert_int_equal(begin(state), 0);
        add('A', 2);
        add('B', 1);
        plan.schedule = SCHEDULE_INTERLEAVED;
        how.series_fd = fixture_file();
        assert_int_equal(fcntl(how.series_fd, F_SETFL, O_APPEND), 0);
        assert_int_equal(write(how.series_fd, "> ", 2), 2);
        stopped = cases[i].stopped;
        n_asked = 0;
        const int status = plan_execute(&plan, &how);
        stopped = NULL;
        assert_int_equal(status, cases[i].n_stopped ? ROW_DEGRADED : ROW_OK);
        assert_string_equal(seen.trials, cases[i].trials);
        char *text = fixture_read_file(how.series_fd);
        assert_string_equal(text, "> ABA");
        free(text);
        (void)close(how.series_fd);
        if (cases[i].n_stopped)
            (void)snprintf(expected, sizeof(expected), reason, cases[i].n_stopped);
        assert_string_equal(value_row("A")->reason, expected);
        assert_string_equal(value_row("B")->reason, "");
    }
}

/* Trials that have to be taken again, by their order: '1'. NULL: none. */
static const char *again;

bool __wrap_results_take_again(struct results *results, const struct trial *trial);
bool __wrap_results_take_again(struct results *results, const struct trial *trial)
{
    (void)results;
    (void)trial;
    return again && *again && *again++ == '1';
}

/* A trial that waited for a CPU is repeated at once, and what it wrote to the file of --series goes. */
TEST_WITH(test_plan_repeats_trials_that_waited, begin, end)
{
    add('A', 2);
    add('B', 1);
    plan.schedule = SCHEDULE_INTERLEAVED;
    how.series_fd = fixture_file();
    assert_int_equal(fcntl(how.series_fd, F_SETFL, O_APPEND), 0);
    again = "10101";
    execute(ROW_OK);
    assert_string_equal(again, "");
    again = NULL;
    assert_string_equal(seen.trials, "ABA");
    char *text = fixture_read_file(how.series_fd);
    assert_string_equal(text, "ABA");
    free(text);
    (void)close(how.series_fd);
    assert_int_equal(value_row("A")->n_samples, 2);
}

static struct {
    unsigned calls;
    int64_t late_ns;
} started;

static void note_start(void *context, int64_t late_ns)
{
    assert_ptr_equal(context, &started);
    assert_int_equal(rows.n, 0);
    started.calls++;
    started.late_ns = late_ns;
}

/* Of the first trial only, and when a time was asked for: here five seconds ago. */
TEST_WITH(test_plan_tells_when_it_started, begin, end)
{
    memset(&started, 0, sizeof(started));
    how.started = note_start;
    how.started_context = &started;
    add('A', 2);
    execute(ROW_OK);
    assert_int_equal(started.calls, 0);
    fixture_free_rows(&rows);
    const uint64_t asked_ns = clock_realtime_ns() - 5000 * MS;
    how.start_at_ns = asked_ns;
    execute(ROW_OK);
    assert_int_equal(started.calls, 1);
    assert_in_range(started.late_ns, 5000 * MS, clock_realtime_ns() - asked_ns);
}

/* A trial takes its time and 150 ms, beside a load 200 ms more; without an exact number at least the fewest trials, at
 * most the time cap. */
TEST_WITH(test_plan_time_of_an_item, begin, end)
{
    static const struct {
        struct sampling sampling; /* min_samples, max_samples, time_ns, max_ns */
        bool load, skip;
        uint64_t least_ms, most_ms;
        bool unknown;
    } cases[] = {
        {{3, 3, 10 * MS, 90000 * MS, 2, false, 0}, false, false, 480, 480, false},
        {{3, 3, 10 * MS, 90000 * MS, 2, false, 0}, true, false, 1080, 1080, false},
        {{3, 3, 10 * MS, 90000 * MS, 2, false, 0}, true, true, 0, 0, false},
        {{3, 0, 10 * MS, 90000 * MS, 2, false, 0}, false, false, 480, 90000, false},
        {{3, 0, 10 * MS, 479 * MS, 2, false, 0}, false, false, 480, 480, false},
        {{3, 0, 0, 700 * MS, 2, false, 0}, false, false, 0, 700, false},
        {{3, 3, 0, 700 * MS, 2, false, 0}, false, false, 0, 0, true},
        {{0, 1, 10 * MS, 700 * MS, 2, false, 0}, false, false, 160, 160, false},
        {{0, 2, 10 * MS, 700 * MS, 2, false, 0}, false, false, 160, 700, false},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct plan_item *item = add('A', 1);
        item->sampling = cases[i].sampling;
        item->skip = cases[i].skip ? "not here" : NULL;
        if (cases[i].load)
            plan_set_load(item, &load_bare, "");
        const struct plan_time time = plan_time(&plan);
        assert_int_equal(time.least_ns, cases[i].least_ms * MS);
        assert_int_equal(time.most_ns, cases[i].most_ms * MS);
        assert_int_equal(time.unknown, cases[i].unknown);
        plan_free(&plan);
    }
    for (size_t i = 3; i < COUNT(cases); i++)
        add('A', 1)->sampling = cases[i].sampling;
    const struct plan_time time = plan_time(&plan);
    assert_int_equal(time.least_ns, (480 + 480 + 160 + 160) * MS);
    assert_int_equal(time.most_ns, (90000 + 480 + 700 + 160 + 700) * MS);
    assert_true(time.unknown);
}

TEST_WITH(test_plan_phases_come_one_after_the_other, begin, end)
{
    add('A', 2)->phase = 7;
    add('B', 2)->phase = 0;
    add('C', 2)->phase = 7;
    add('D', 2)->phase = 0;
    add('E', 1)->phase = 3;
    plan.schedule = SCHEDULE_INTERLEAVED;
    execute(ROW_OK);
    assert_string_equal(seen.trials, "BDBDEACAC");
}

/* --- Calibration. --- */

/* In whatever order the items come: the calibration is first. */
TEST_WITH(test_plan_calibration_hands_a_value_on, begin, end)
{
    for (int interleaved = 0; interleaved < 2; interleaved++) {
        assert_int_equal(end(state), 0);
        assert_int_equal(begin(state), 0);
        struct plan_item *calibration = add('A', 3), *item = add('B', 2);
        params_of(calibration)->swing = 8; /* 92, 108, 92 */
        item->calibrated_by = 0;
        plan.schedule = interleaved ? SCHEDULE_INTERLEAVED : SCHEDULE_SEQUENCE;
        execute(ROW_UNSTABLE);
        assert_string_equal(seen.trials, "AAABB");
        assert_true(fabs(value_row("B")->value - 284) < 1e-9); /* 100, and twice the median */
        assert_string_equal(value_row("B")->param.text, "B base=284 clock=clock_gettime");
    }
}

TEST_WITH(test_plan_calibration_that_found_nothing_fails_the_item, begin, end)
{
    params_of(add('A', 3))->fail_at = 1;
    add('B', 2)->calibrated_by = 0;
    add('C', 1);
    execute(ROW_FAILED);
    assert_string_equal(seen.trials, "C");
    assert_int_equal(value_row("B")->status, ROW_FAILED);
    assert_string_equal(value_row("B")->reason, "the calibration before it failed: trial 1 of A failed");
    assert_int_equal(value_row("C")->status, ROW_OK);
}

/* --- What is not run. --- */

TEST_WITH(test_plan_skipped_items_say_why, begin, end)
{
    add('A', 1)->skip = "no such thing here";
    params_of(add('B', 1))->unsupported = true;
    add('C', 1);
    execute(ROW_SKIPPED);
    assert_string_equal(seen.trials, "C");
    assert_int_equal(rows.n, 4); /* one for each that did not run */
    assert_int_equal(value_row("A")->status, ROW_SKIPPED);
    assert_string_equal(value_row("A")->reason, "no such thing here");
    assert_true(isnan(value_row("A")->value));
    assert_int_equal(value_row("B")->status, ROW_SKIPPED);
    assert_string_equal(value_row("B")->reason, "not on this machine");
    assert_int_equal(value_row("B")->n_samples, 0);
    assert_int_equal(value_row("C")->status, ROW_OK);
}

/* --- Memory. --- */

static void put_meminfo(uint64_t available_kib)
{
    char text[128];

    (void)snprintf(text, sizeof(text), "MemTotal: 8388608 kB\nMemAvailable: %llu kB\n",
                   (unsigned long long)available_kib);
    tree_put("/proc/meminfo", text);
}

static void put_group(uint64_t limit_kib, uint64_t used_kib)
{
    char text[32];

    tree_put("/proc/self/cgroup", "0::/\n");
    tree_put("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    (void)snprintf(text, sizeof(text), "%llu\n", (unsigned long long)limit_kib << 10);
    tree_put("/sys/fs/cgroup/memory.max", text);
    (void)snprintf(text, sizeof(text), "%llu\n", (unsigned long long)used_kib << 10);
    tree_put("/sys/fs/cgroup/memory.current", text);
}

static void expect_skipped_for_memory(const char *reason)
{
    plan_free(&plan);
    fixture_free_rows(&rows);
    add('A', 1)->copies = 512;
    execute(ROW_SKIPPED);
    assert_int_equal(rows.n, 1);
    assert_string_equal(rows.row[0].reason, reason);
    assert_string_equal(seen.trials, ""); /* no process was started */
}

/* 512 workers take 256 KiB each, and the memory that they share. */
TEST_WITH(test_plan_skips_what_memory_cannot_hold, begin, end)
{
    const struct tick_params params = {.base = 1};
    const struct trial_spec spec = {.bench = &bench_tick, .params = &params, .copies = 512};

    assert_in_range(trial_memory_bytes(&spec), 512 * (256 << 10), 512 * (264 << 10));
    assert_int_equal(tree_make(state), 0);
    put_meminfo(1 << 22);
    put_group(160 << 10, 60 << 10);
    expect_skipped_for_memory("512 copies need 130 MiB of memory, and the memory cgroup has 100 MiB left");
    put_group(1 << 22, 0);
    put_meminfo(10 << 10);
    expect_skipped_for_memory("512 copies need 130 MiB of memory, and the machine has 10 MiB left");
    put_meminfo(0); /* not known */
    put_group(160 << 10, 60 << 10);
    expect_skipped_for_memory("512 copies need 130 MiB of memory, and the memory cgroup has 100 MiB left");
    put_group(1 << 22, 0);
    put_meminfo(100);
    plan_free(&plan);
    fixture_free_rows(&rows);
    add('A', 1);
    execute(ROW_SKIPPED);
    assert_non_null(strstr(rows.row[0].reason, "1 copy needs "));
    assert_non_null(strstr(rows.row[0].reason, " of memory, and the machine has 100 KiB left"));
    put_meminfo(1 << 22);
    plan_free(&plan);
    fixture_free_rows(&rows);
    add('A', 1);
    execute(ROW_OK);
    assert_int_equal(tree_remove(state), 0);
}

/* --- What fails. --- */

TEST_WITH(test_plan_failed_item_does_not_stop_the_others, begin, end)
{
    add('A', 2);
    params_of(add('B', 3))->fail_at = 2;
    add('C', 2);
    execute(ROW_FAILED);
    assert_string_equal(seen.trials, "AABCC");
    assert_int_equal(rows.n, 5);
    assert_int_equal(value_row("A")->status, ROW_OK);
    assert_int_equal(value_row("B")->status, ROW_FAILED);
    assert_string_equal(value_row("B")->reason, "trial 2 of B failed");
    assert_true(isnan(value_row("B")->value));
    assert_int_equal(value_row("B")->n_samples, 0);
    assert_int_equal(value_row("C")->status, ROW_OK);
    assert_int_equal(value_row("C")->n_samples, 2);
}

/* --- The rows' identity. --- */

TEST_WITH(test_plan_rows_carry_names_and_copies, begin, end)
{
    struct plan_item *item = add('A', 1);

    item->copies = 2;
    item->test = "other-name";
    plan_set_load(item, &load_bare, "");
    add('B', 1);
    execute(ROW_OK);
    assert_string_equal(value_row("A")->test, "other-name");
    assert_string_equal(value_row("A")->load, "bare");
    assert_int_equal(value_row("A")->copies, 2);
    assert_true(fixture_find(&rows, "copies", "A")->value == 2);
    assert_string_equal(value_row("B")->test, "tick");
    assert_string_equal(value_row("B")->load, "");
    assert_string_equal(value_row("B")->suite, "dummy");
    assert_string_equal(value_row("B")->run->host, "here");
    assert_int_equal(value_row("B")->copies, 1);
}

/* Each before its first trial and after its last, in turns too. */
TEST_WITH(test_plan_rows_carry_temperatures, begin, end)
{
    assert_int_equal(tree_make(state), 0);
    tree_put("/proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\n");
    put_celsius(40);
    seen.warms = true;
    add('A', 2);
    add('B', 1);
    plan_add(&plan, &bench_tick, params_of(add('C', 1)))->skip = "made up";
    plan.schedule = SCHEDULE_INTERLEAVED;
    execute(ROW_SKIPPED);
    assert_string_equal(seen.trials, "ABCA");
    assert_true(value_row("A")->temp_begin_c == 40 && value_row("A")->temp_end_c == 80);
    assert_true(value_row("B")->temp_begin_c == 50 && value_row("B")->temp_end_c == 60);
    const struct row *skipped = &rows.row[0];
    while (skipped->status != ROW_SKIPPED)
        skipped++;
    assert_true(isnan(skipped->temp_begin_c) && isnan(skipped->temp_end_c));
    assert_int_equal(tree_remove(state), 0);
}

/* --- Loads beside the items. --- */

static struct beside_params *add_load(struct plan_item *item)
{
    struct beside_params params = {.id = 'Y', .base = 3};

    plan_set_load(item, &load_beside, &params);
    params.id = 'X'; /* the item has a copy */
    return item->load_params;
}

TEST_WITH(test_plan_load_runs_with_params_of_its_own, begin, end)
{
    char fs[32];

    (void)add_load(add('A', 2));
    add('B', 1);
    execute(ROW_OK);
    assert_string_equal(value_row("A")->load, "beside");
    assert_string_equal(value_row("A")->param.text, "A base=100 clock=clock_gettime Y=3 load=other:3");
    assert_int_equal(value_row("A")->n_samples, 2);
    assert_true(value_row("A")->nice != 3);
    machine_fs_name("/", fs, sizeof(fs));
    assert_string_equal(value_row("A")->scratch_fs, fs);
    assert_string_equal(value_row("B")->param.text, "B base=100 clock=clock_gettime");
    assert_string_equal(value_row("B")->scratch_fs, "");
}

TEST_WITH(test_plan_load_that_cannot_run_here_skips_the_item, begin, end)
{
    add_load(add('A', 1))->unsupported = true;
    add('B', 1);
    struct plan_item *both = add('C', 1);
    add_load(both)->unsupported = true;
    params_of(both)->unsupported = true;
    execute(ROW_SKIPPED);
    assert_string_equal(seen.trials, "B");
    assert_int_equal(value_row("A")->status, ROW_SKIPPED);
    assert_string_equal(value_row("A")->reason, "no room for a load");
    assert_string_equal(value_row("A")->load, "beside");
    assert_string_equal(value_row("C")->reason, "not on this machine"); /* the benchmark's comes first */
}

/* --- Progress and rest. --- */

static struct {
    char items[64];
    uint64_t sample[64];
    double done[64];
    size_t n;
} progress;

static void note_progress(void *context, const struct plan_item *item, uint64_t sample, double done)
{
    assert_ptr_equal(context, &progress);
    progress.items[progress.n] = ((const struct tick_params *)item->params)->id;
    progress.sample[progress.n] = sample;
    progress.done[progress.n++] = done;
}

/* An item counts by the time that it is expected to take: between the least and the most, a second when that is not
 * known, nothing when it is skipped. One without an exact number is never done before its end. */
TEST_WITH(test_plan_progress_is_by_expected_times, begin, end)
{
    static const double expected[] = {0,
                                      0.155 / 20,
                                      0.31 / 20,
                                      1.31 / 20,
                                      (1.31 + 18.69 / 4) / 20,
                                      (1.31 + 18.69 / 2) / 20,
                                      (1.31 + 18.69 * 0.75) / 20,
                                      (1.31 + 18.69 * 0.99) / 20};

    memset(&progress, 0, sizeof(progress));
    how.progress = note_progress;
    how.progress_context = &progress;
    add('A', 2)->sampling.time_ns = 5 * MS; /* 0.31 s */
    add('B', 1);                            /* not known */
    struct plan_item *open = add('C', 4);
    open->sampling.max_samples = 5;
    open->sampling.max_ns = 37380 * MS; /* 0 to 37.38 s */
    open->sampling.precision_pct = 0;
    add('D', 3)->skip = "not here";
    (void)plan_execute(&plan, &how);
    assert_string_equal(progress.items, "AABCCCCC");
    for (size_t i = 0; i < COUNT(expected); i++)
        assert_true(fabs(progress.done[i] - expected[i]) < 1e-9);
}

TEST_WITH(test_plan_settles_before_the_next_gate, begin, end)
{
    const uint64_t settle_ns = 20 * MS;

    how.settle_ns = settle_ns;
    params_of(add('A', 1))->sleep_ns = 4 * settle_ns;
    add('B', 1);
    execute(ROW_OK);
    assert_int_equal(rows.n, 4);
    assert_true(seen.gate_ns[1] - rows.at_ns[1] >= settle_ns);
}

/* Set in tests that want to know how long it sleeps, in ns. */
static char *sleeps;

void __real_signals_sleep_ns(uint64_t ns);
void __wrap_signals_sleep_ns(uint64_t ns);
void __wrap_signals_sleep_ns(uint64_t ns)
{
    if (sleeps)
        (void)snprintf(sleeps + strlen(sleeps), 32, "%u ", (unsigned)ns);
    else
        __real_signals_sleep_ns(ns);
}

/* A pause before each sample by the classic rule, and one after each item. */
TEST_WITH(test_plan_pauses_before_classic_samples_and_after_items, begin, end)
{
    char text[256] = "";

    how.settle_ns = 7; /* far less than a quarter of what any trial takes */
    add('A', 2)->sampling.pause_ns = 50000;
    add('B', 2)->sampling.pause_ns = 60000;
    plan.items[1].sampling.classic = true;
    add('C', 1)->skip = "not here";
    sleeps = text;
    execute(ROW_SKIPPED);
    sleeps = NULL;
    assert_string_equal(text, "7 60000 60000 7 ");
}

/* --- A signal in the middle. --- */

static struct {
    char item;
    uint64_t sample;
} signal_at;

static void send_signal(void *context, const struct plan_item *item, uint64_t sample, double done)
{
    (void)context;
    (void)done;
    if (((const struct tick_params *)item->params)->id == signal_at.item && sample == signal_at.sample)
        (void)kill(getpid(), SIGTERM);
}

static int check_interrupted(enum schedule schedule)
{
    plan.schedule = schedule;
    how.progress = send_signal;
    CHECK(plan_execute(&plan, &how) == -SIGTERM);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    return 0;
}

static int interrupted_sequence_body(void)
{
    int failed = check_interrupted(SCHEDULE_SEQUENCE);

    if (failed)
        return failed;
    CHECK(strcmp(seen.trials, "AAABB") == 0);
    CHECK(rows.n == 5);
    CHECK(value_row("A")->status == ROW_OK && value_row("A")->n_samples == 3);
    CHECK(value_row("B")->status == ROW_DEGRADED && value_row("B")->n_samples == 2);
    CHECK(value_row("B")->samples[0] == 99 && value_row("B")->samples[1] == 101);
    CHECK(value_row("B")->value == 100);
    CHECK(strncmp(value_row("B")->reason, "ended by SIGTERM after 2 samples, ", 34) == 0);
    CHECK(value_row("C")->status == ROW_SKIPPED);
    CHECK(strcmp(value_row("C")->reason, "ended by SIGTERM before the first sample") == 0);
    return 0;
}

TEST_WITH(test_plan_interrupted_keeps_what_was_measured, begin, end)
{
    add('A', 3);
    add('B', 3);
    add('C', 3);
    signal_at.item = 'B';
    signal_at.sample = 2;
    assert_int_equal(fixture_in_child(interrupted_sequence_body), 0);
}

static int interrupted_turns_body(void)
{
    int failed = check_interrupted(SCHEDULE_INTERLEAVED);

    if (failed)
        return failed;
    CHECK(strcmp(seen.trials, "ABA") == 0);
    CHECK(rows.n == 4);
    CHECK(value_row("A")->status == ROW_DEGRADED && value_row("A")->n_samples == 2);
    CHECK(value_row("B")->status == ROW_DEGRADED && value_row("B")->n_samples == 1);
    CHECK(strncmp(value_row("A")->reason, "ended by SIGTERM after 2 samples, ", 34) == 0);
    return 0;
}

TEST_WITH(test_plan_interrupted_keeps_all_unfinished_items, begin, end)
{
    add('A', 3);
    add('B', 3);
    signal_at.item = 'B';
    signal_at.sample = 1;
    assert_int_equal(fixture_in_child(interrupted_turns_body), 0);
}

int main(int argc, char **argv)
{
    trial_worker_main(argc, argv, registry, loads);
    process_init();
    fixture_default_signals();
    signals_init();
    return run_all_tests();
}
