/* SPDX-License-Identifier: MIT */
/* Counters in rows: a made-up kernel raises each counter before the run, at the gate, during the run and after it, by
 * amounts that are all different. Checks that each column of a row holds the rise of its own counter during the run.
 * And a worker by itself, at made-up times: what it does, in which order, and how much work it asks for. */

#include "plan_fixture.h"

#include "engine/trial.h"
#include "made_up_clock.h"
#include "row_fixture.h"

/* Set in the worker by itself: writes down what it calls. */
static char *trace;

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- Made-up counters of a thread. tests/Makefile redirects the worker's calls to these functions. --- */

/* The party that runs in this worker, and its progress. */
static const struct party_context *self;
static bool has_run, is_verified;

/* Migrations and run delay are read from /proc before the wait at the gate: the wait adds nothing to them here. */
static const struct task_counters of_setup = {.cpu_ns = 1000000007,
                                              .ctx_voluntary = 1009,
                                              .ctx_involuntary = 2003,
                                              .migrations = 3001,
                                              .faults_minor = 4001,
                                              .faults_major = 5003,
                                              .run_delay_ns = 6000000011};
static const struct task_counters of_gate = {
    .cpu_ns = 70001, .ctx_voluntary = 307, .ctx_involuntary = 401, .faults_minor = 503, .faults_major = 601};
static const struct task_counters of_run = {.cpu_ns = 1500000000,
                                            .ctx_voluntary = 2,
                                            .ctx_involuntary = 3,
                                            .migrations = 5,
                                            .faults_minor = 7,
                                            .faults_major = 11,
                                            .run_delay_ns = 13000000};
static const struct task_counters of_verify = {.cpu_ns = 90000001,
                                               .ctx_voluntary = 10007,
                                               .ctx_involuntary = 20011,
                                               .migrations = 30011,
                                               .faults_minor = 40009,
                                               .faults_major = 50021,
                                               .run_delay_ns = 60000000029};

static void add(struct task_counters *sum, const struct task_counters *more)
{
    sum->cpu_ns += more->cpu_ns;
    sum->ctx_voluntary += more->ctx_voluntary;
    sum->ctx_involuntary += more->ctx_involuntary;
    sum->migrations += more->migrations;
    sum->faults_minor += more->faults_minor;
    sum->faults_major += more->faults_major;
    sum->run_delay_ns += more->run_delay_ns;
}

static bool gate_is_open(void)
{
    const struct trial_head *head = self->head;

    return __atomic_load_n(&head->started, __ATOMIC_ACQUIRE) && clock_raw_ns() >= head->start_ns;
}

/* Multiples of of_run that are added: 1 and 2 by the copies, a thousand by the partner. */
static int64_t share(void)
{
    return self->slot->party ? 1000 : self->copy + 1;
}

static struct task_counters counted(void)
{
    struct task_counters sum = of_setup;

    if (gate_is_open())
        add(&sum, &of_gate);
    for (int64_t i = 0; has_run && i < share(); i++)
        add(&sum, &of_run);
    if (is_verified)
        add(&sum, &of_verify);
    return sum;
}

void __wrap_task_read_counters(struct task_counters *out);
void __wrap_task_read_counters(struct task_counters *out)
{
    *out = counted();
    if (trace && !has_run)
        made_up_clock.step_ns = 100; /* until the start, for which it spins */
}

void __wrap_task_read_usage(struct task_counters *out);
void __wrap_task_read_usage(struct task_counters *out)
{
    const int64_t migrations = out->migrations, run_delay_ns = out->run_delay_ns;

    made_up_clock.step_ns = 0;
    *out = counted();
    out->migrations = migrations;
    out->run_delay_ns = run_delay_ns;
}

/* --- A machine below a root of its own. --- */

static char root[] = "/tmp/test_worker_XXXXXX";

/* Increase of the counters during the run on the first CPU; on the second one it is a thousand times as much. */
enum {
    TIMER = 101,
    RESCHED = 11,
    CALLS = 7,
    FLUSHES = 2,
    DEVICE = 31,
    OTHER = 5,
    SOFT = 53,
    SOFT_TOO = 17,
    STEAL = 13
};
enum { IRQS = TIMER + RESCHED + CALLS + FLUSHES + DEVICE + OTHER };
enum { SECOND = 1000 };

static void put_file(const char *in, const char *name, const char *text)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "%s/proc/%s", in, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file))
        abort();
}

static void put_line(struct text *out, const char *label, uint64_t rise, unsigned times, const char *name)
{
    text_printf(out, "%s: %" PRIu64 " %" PRIu64 " %s\n", label, 100000 + rise * times, 200000 + rise * times * SECOND,
                name);
}

/* Writes the files with all counters raised so many times above what they had at boot. */
static void put_machine(const char *in, const unsigned cpus[2], unsigned times, unsigned mhz)
{
    struct text out = {0};

    text_printf(&out, " CPU%u CPU%u\n", cpus[0], cpus[1]);
    put_line(&out, " 24", DEVICE, times, "IR-PCI-MSIX-0000:04:00.0 1-edge nvme0q1");
    put_line(&out, "NMI", OTHER, times, "Non-maskable interrupts");
    put_line(&out, "LOC", TIMER, times, "Local timer interrupts");
    put_line(&out, "RES", RESCHED, times, "Rescheduling interrupts");
    put_line(&out, "CAL", CALLS, times, "Function call interrupts");
    put_line(&out, "TLB", FLUSHES, times, "TLB shootdowns");
    put_file(in, "interrupts", out.data);
    text_free(&out);
    text_printf(&out, " CPU%u CPU%u\n", cpus[0], cpus[1]);
    put_line(&out, "HI", SOFT, times, "");
    put_line(&out, "TIMER", SOFT_TOO, times, "");
    put_file(in, "softirqs", out.data);
    text_free(&out);
    text_printf(&out, "cpu 1 2 3 4 5 6 7 8 0 0\n");
    for (unsigned i = 0; i < 2; i++)
        text_printf(&out, "cpu%u 9%u 8%u 7%u 6%u 5%u 4%u 3%u %u 0 0\n", cpus[i], times, times, times, times, times,
                    times, times, 300000 + STEAL * times * (i ? SECOND : 1));
    put_file(in, "stat", out.data);
    text_free(&out);
    text_printf(&out, "processor : %u\ncpu MHz : %u.000\n\nprocessor : %u\ncpu MHz : %u.000\n", cpus[0], mhz, cpus[1],
                2 * mhz);
    put_file(in, "cpuinfo", out.data);
    text_free(&out);
}

static double steal_ms(unsigned ticks)
{
    return ticks * 1000.0 / (double)sysconf(_SC_CLK_TCK);
}

/* --- A benchmark that only raises the counters. --- */

struct params {
    char root[64];
    unsigned cpus[2];
};

enum { MHZ_BEFORE = 500, MHZ = 1000 };

static int begin_party(struct party_context *context)
{
    const struct params *p = context->params;

    self = context;
    if (context->copy == 0 && context->slot->party == 0)
        put_machine(p->root, p->cpus, 1, MHZ_BEFORE);
    return 0;
}

static int run_party(struct party_context *context)
{
    const struct params *p = context->params;

    if (context->copy == 0 && context->slot->party == 0)
        put_machine(p->root, p->cpus, 2, MHZ * (1 + 2 * (unsigned)context->sample));
    has_run = true;
    return 0;
}

static int verify_party(struct party_context *context)
{
    is_verified = true;
    return 0;
}

static void reduce(const struct trial *trial, struct results *results)
{
    for (unsigned group = 0; group < results->n_groups; group++)
        results_sample(results, group, 0, 1);
}

/* The partner is on the second CPU, if there is one. */
static void place_parties(const struct place_of *of, struct placement *out)
{
    place_copy(of->request, of->copy, out);
    if (of->party) {
        cpuset_clear(&out->cpus);
        cpuset_add(&out->cpus, ((const struct params *)of->params)->cpus[1]);
    }
}

#define CALLBACKS .setup = begin_party, .run = run_party, .verify = verify_party
static const struct party parties[] = {
    {.name = "measured", .role = ROLE_MEASURED, CALLBACKS},
    {.name = "partner", .role = ROLE_PARTNER, CALLBACKS},
};
static const struct metric metrics[] = {{.id = "one", .unit = "", .better = "", .headline = true}};
#define CHARGED(name_, parties_, per_copy) \
    { \
        .name = name_, .suite = "dummy", .parties = parties, .n_parties = parties_, .metrics = metrics, \
        .n_shared_metrics = 1, .n_metrics = 1, .params_size = sizeof(struct params), .group_per_copy = per_copy, \
        .place = place_parties, .reduce = reduce \
    }
static const struct bench bench_charged = CHARGED("charged", 2, false);
static const struct bench bench_charged_each = CHARGED("charged-each", 1, true);
static const struct bench *const registry[] = {&bench_charged, &bench_charged_each, NULL};

/* --- The rows. --- */

static struct place_request place;
static struct fixture_rows rows;

/* Runs trials and makes rows of them. */
static void run_trials(const struct bench *bench, unsigned copies, unsigned trials)
{
    struct plan_run how = fixture_run(&place, &rows);
    const struct plan_item item = {.bench = bench, .copies = copies, .calibrated_by = -1};
    struct params params = {.cpus = {place.order[0], place.n_order > 1 ? place.order[1] : place.order[0] + 1}};
    struct results results;

    (void)snprintf(params.root, sizeof(params.root), "%s", root);
    assert_int_equal(results_init(&results, &item, &how), 0);
    for (unsigned sample = 0; sample < trials; sample++) {
        const struct trial_spec spec = {.bench = bench,
                                        .params = &params,
                                        .copies = copies,
                                        .sample = sample,
                                        .place = &place,
                                        .clock = &fixture_clock,
                                        .series_fd = -1};
        put_machine(root, params.cpus, 0, MHZ_BEFORE);
        struct trial *trial = BELOW(root, trial_run(&spec));
        procfs_root = "";
        assert_non_null(trial);
        assert_string_equal(trial->reason, "");
        assert_int_equal(trial->outcome, TRIAL_DONE);
        assert_int_equal(results_enter(&results, trial), 0);
        trial_free(trial);
    }
    assert_int_equal(results_rows(&results, ROW_OK, ""), ROW_OK);
    results_free(&results);
}

static void near(double got, double expected, const char *column)
{
    if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%s is %.17g, not %.17g", column, got, expected);
}

#define NEAR(row, column, expected) near((row)->column, expected, #column)

/* Checks each column: the thread's counters rose so many times, those of the CPUs machine_times. */
static void assert_charged(const struct row *row, double times, double machine_times)
{
    NEAR(row, cpu_s, 1.5 * times);
    NEAR(row, ctx_voluntary, 2 * times);
    NEAR(row, ctx_involuntary, 3 * times);
    NEAR(row, migrations, 5 * times);
    NEAR(row, faults_minor, 7 * times);
    NEAR(row, faults_major, 11 * times);
    NEAR(row, run_delay_ms, 13 * times);
    NEAR(row, irqs, IRQS * machine_times);
    NEAR(row, softirqs, (SOFT + SOFT_TOO) * machine_times);
    NEAR(row, steal_ms, steal_ms(STEAL) * machine_times);
}

static void assert_causes(const struct row *row, double times, double machine_times)
{
    char expected[512];

    (void)snprintf(expected, sizeof(expected),
                   "preempted:%g;steal:%.10g;timer=%.10g;resched=%.10g;ipi=%.10g;device=%.10g;softirq=%.10g;"
                   "fault=%g;migrated=%g;involuntary=%g",
                   13 * times, steal_ms(STEAL) * machine_times, TIMER * machine_times, RESCHED * machine_times,
                   (CALLS + FLUSHES) * machine_times, DEVICE * machine_times, (SOFT + SOFT_TOO) * machine_times,
                   (7 + 11) * times, 5 * times, 3 * times);
    assert_string_equal(causes_of(row), expected);
}

/* Two trials. Set-up, gate, verification, the partner and its CPU do not count. The CPU runs at 1 GHz after the first
 * trial and at 3 GHz after the second: the row has the mean. */
TEST(test_worker_row_is_charged_with_its_run_alone)
{
    run_trials(&bench_charged, 1, 2);
    assert_int_equal(rows.n, 1);
    assert_charged(&rows.row[0], 2, 2);
    assert_causes(&rows.row[0], 2, 2);
    NEAR(&rows.row[0], freq_khz, 2e6);
    fixture_free_rows(&rows);
}

/* Each copy has a row of its own, with the counters of its own CPU. */
TEST(test_worker_row_of_a_copy_is_charged_with_that_copy)
{
    run_trials(&bench_charged_each, 2, 1);
    if (place.n_order < 2) {
        fixture_free_rows(&rows);
        skip_because("copies on CPUs of their own need two CPUs");
    }
    assert_int_equal(rows.n, 2);
    for (unsigned copy = 0; copy < 2; copy++) {
        assert_charged(&rows.row[copy], 1 + copy, copy ? SECOND : 1);
        assert_causes(&rows.row[copy], 1 + copy, copy ? SECOND : 1);
        NEAR(&rows.row[copy], freq_khz, (1 + copy) * MHZ * 1000.0);
    }
    fixture_free_rows(&rows);
}

/* Copies that share a row: the sum of both, and of both CPUs where they have two. */
TEST(test_worker_row_of_all_copies_is_charged_with_their_sum)
{
    static struct bench together;

    together = bench_charged_each;
    together.group_per_copy = false;
    run_trials(&together, 2, 1);
    assert_int_equal(rows.n, 1);
    assert_charged(&rows.row[0], 3, place.n_order > 1 ? 1 + SECOND : 1);
    fixture_free_rows(&rows);
}

/* The start was asked for five seconds before the trial. */
TEST(test_worker_gate_is_late_by_what_has_passed)
{
    const uint64_t asked_ns = clock_realtime_ns() - 5000 * MS;
    struct params params = {.cpus = {0, 1}};
    struct trial_spec spec = {.bench = &bench_charged,
                              .params = &params,
                              .copies = 1,
                              .place = &place,
                              .clock = &fixture_clock,
                              .start_at_ns = asked_ns,
                              .series_fd = -1};

    fixture_place(&place);
    (void)snprintf(params.root, sizeof(params.root), "%s", root);
    struct trial *trial = BELOW(root, trial_run(&spec));
    procfs_root = "";
    assert_non_null(trial);
    assert_int_equal(trial->outcome, TRIAL_DONE);
    assert_in_range(trial->late_ns, 5000 * MS, clock_realtime_ns() - asked_ns);
    trial_free(trial);
}

/* --- A worker by itself. --- */

enum { TRACE_BYTES = 512, CALLS_MAX = 80, SLICES_MAX = 16 };
enum { OWN_SLICES, OWN_CORE };
enum { PROBE_NS = 100000 };
#define TICKS_A_LEVEL 1e25 /* so many that what a probe really takes is nothing */

/* The memory that it shares: the trial's with one slot, what it leaves, and slices. */
enum { OWN_AT = 1 << 15, SLICES_AT = 1 << 17, OWN_BYTES = 1 << 18 };
static struct trial_head *head;
static struct trial_slot *slot;
static struct own {
    char trace[TRACE_BYTES];
    uint64_t count[CALLS_MAX]; /* by call of work() */
    uint32_t state[CALLS_MAX];
    unsigned calls, told;
    uint64_t realtime_limit_us;
    double rate; /* found by run() */
    struct core_record core;
} * own;
static struct slices *slices;

/* What happens in it. */
static struct {
    const unsigned *cost_us; /* by call: time of a unit of work; the last of n_costs is repeated */
    size_t n_costs;
    bool of_call;         /* cost_us is that of the whole call */
    unsigned stop_at;     /* the call after which the parent says stop */
    const char *fails;    /* the callback that fails */
    uint64_t expected_ns; /* set by the set-up */
    unsigned last_cpu;
    int pipe[2];
} course;

static void note(const char *format, ...)
{
    const size_t n = strlen(trace);
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(trace + n, TRACE_BYTES - n, format, arguments);
    va_end(arguments);
}

#define WRAPPED(result, name, parameters, arguments, ...) \
    result __real_##name parameters; \
    result __wrap_##name parameters; \
    result __wrap_##name parameters \
    { \
        if (trace) \
            note(__VA_ARGS__); \
        __real_##name arguments; \
    }
WRAPPED(void, counters_start, (void), (), "start ")
WRAPPED(void, counters_stop, (void), (), "stop ")
WRAPPED(void, counters_read, (const struct counters *c, struct counters_reading *out), (c, out), "read ")
WRAPPED(void, counters_close, (struct counters * c), (c), "close ")
WRAPPED(void, counters_none, (struct counters * c, int error), (c, error), "none %d ", error == -ECANCELED)
WRAPPED(void, task_offer_to_oom_killer, (void), (), "oom ")

void __real_counters_open(struct counters *c, bool inherited, bool at_exec);
void __wrap_counters_open(struct counters *c, bool inherited, bool at_exec);
void __wrap_counters_open(struct counters *c, bool inherited, bool at_exec)
{
    if (!trace) {
        __real_counters_open(c, inherited, at_exec);
        return;
    }
    note("open %d %d ", inherited, at_exec);
    __real_counters_none(c, -EPERM);
}

void __real_clock_sleep_ns(uint64_t ns);
void __wrap_clock_sleep_ns(uint64_t ns);
void __wrap_clock_sleep_ns(uint64_t ns)
{
    if (trace)
        note("sleep %" PRIu64 " ", ns);
    if (trace)
        made_up_clock.now_ns += ns;
    else
        __real_clock_sleep_ns(ns);
}

void __real_place_apply_policy(const struct placement *placement, uint64_t limit_us, char *refused, size_t size);
void __wrap_place_apply_policy(const struct placement *placement, uint64_t limit_us, char *refused, size_t size);
void __wrap_place_apply_policy(const struct placement *placement, uint64_t limit_us, char *refused, size_t size)
{
    if (trace)
        own->realtime_limit_us = limit_us;
    else
        __real_place_apply_policy(placement, limit_us, refused, size);
}

unsigned __real_task_current_cpu(void);
unsigned __wrap_task_current_cpu(void);
unsigned __wrap_task_current_cpu(void)
{
    return trace ? course.last_cpu : __real_task_current_cpu();
}

void __real_core_probe_take(const struct core_probe *probe, struct core_reading *reading);
void __wrap_core_probe_take(const struct core_probe *probe, struct core_reading *reading);
void __wrap_core_probe_take(const struct core_probe *probe, struct core_reading *reading)
{
    made_up_clock.now_ns += trace ? PROBE_NS : 0;
    if (trace)
        *reading = (struct core_reading){66, 1.25, 0};
    else
        __real_core_probe_take(probe, reading);
}

static int own_callback(struct party_context *context, const char *name)
{
    self = context;
    note("%s ", name);
    return course.fails && !strcmp(course.fails, name) ? -1 : 0;
}

static int own_setup(struct party_context *context)
{
    context->expected_ns = course.expected_ns;
    return own_callback(context, "setup");
}

static int own_work(struct party_context *context, uint64_t count)
{
    const bool runs = head->started;
    const size_t last = course.n_costs - 1;

    own->count[own->calls] = count;
    own->state[own->calls] = slot->state;
    made_up_clock.now_ns +=
        course.cost_us[own->calls < last ? own->calls : last] * (course.of_call ? 1000 : 1000 * count);
    has_run |= runs;
    head->stop = ++own->calls == course.stop_at;
    if (own->calls == CALLS_MAX)
        abort();
    return course.fails && !strcmp(course.fails, runs ? "slice" : "work") ? -1 : 0;
}

static uint64_t own_counts(const void *params)
{
    return 3000;
}

static int own_run(struct party_context *context)
{
    own->rate = context->rate;
    has_run = true;
    return own_callback(context, "run");
}

static int own_verify(struct party_context *context)
{
    return own_callback(context, "verify");
}

static void own_teardown(struct party_context *context)
{
    (void)own_callback(context, "teardown");
}

static const struct party own_party = {
    PARTY_IS("own", [OWN_SLICES] = {RECORD_SLICES, SLICES_MAX}, [OWN_CORE] = {RECORD_CORE, 0}), .setup = own_setup,
    .run = own_run, .verify = own_verify, .teardown = own_teardown};
static struct party party; /* as the test has it */

static int run_own(void)
{
    const struct bench bench = {.name = "own", .parties = &party, .n_parties = 1};

    head->parent = getppid();
    head->event_fd = course.pipe[1];
    trace = own->trace;
    made_up_clock.now_ns = 1000000;
    made_up_clock.on = true;
    return worker_run(head, 0, &bench, NULL);
}

/* Runs the party in a worker of its own, and checks its exit status. */
static void assert_own(int status)
{
    char bytes[16];

    own->calls = 0;
    own->trace[0] = 0;
    head->stop = head->started = head->arrived = 0;
    slot->state = STATE_STARTING;
    slot->reason[0] = slot->refused[0] = 0;
    assert_int_equal(pipe2(course.pipe, O_NONBLOCK), 0);
    assert_int_equal(fixture_in_child(run_own), status);
    assert_int_equal(slot->state, status ? STATE_FAILED : STATE_DONE);
    const ssize_t told = read(course.pipe[0], bytes, sizeof(bytes));
    own->told = told > 0 ? (unsigned)told : 0;
    (void)close(course.pipe[0]);
    (void)close(course.pipe[1]);
}

static int begin_own(void **state)
{
    head = fixture_shared(OWN_BYTES);
    slot = head->slot;
    own = (void *)((char *)head + OWN_AT);
    slices = (void *)((char *)head + SLICES_AT);
    assert_true(sizeof(*head) + sizeof(*slot) <= OWN_AT && sizeof(*own) <= SLICES_AT - OWN_AT);
    __real_counters_none(&slot->events, -EPERM);
    head->n_slots = head->copies = head->to_arrive = 1;
    head->gate = GATE_OPEN;
    head->counted = true;
    head->lead_ns = 300;
    head->setup_limit_ns = head->limit_ns = 60000 * MS;
    head->core_probe = (struct core_probe){.blocks = 1};
    slot->recorder[OWN_SLICES] = SLICES_AT;
    slot->recorder[OWN_CORE] = OWN_AT + offsetof(struct own, core);
    memset(&course, 0, sizeof(course));
    course.last_cpu = CPUSET_NONE;
    party = own_party;
    return 0;
}

static int end_own(void **state)
{
    return munmap(head, OWN_BYTES);
}

/* Blocks of 5 ms at least, of which three in a row differ by at most 1 %, within 250 ms. */
TEST_WITH(test_worker_warms_up_until_the_rate_is_steady, begin_own, end_own)
{
    static const unsigned one_ms[] = {1000}, five_ms[] = {5000}, half[] = {2500},
                          turns[] = {10000, 20000, 10000, 20000, 10000, 20000, 10000, 20000, 10000,
                                     20000, 10000, 20000, 10000, 20000, 10000, 20000, 10000},
                          steady[] = {10000, 10050, 10100}, off[] = {10000, 10050, 10102, 10102},
                          rises[] = {10102, 10000, 10050, 10050}, falls[] = {10000, 10102, 10050, 10050};
    static const struct {
        const unsigned *cost_us;
        size_t n_costs;
        unsigned calls, counts[4]; /* counts: of the first calls; later ones repeat the last */
        double rate;
    } cases[] = {
        {one_ms, COUNT(one_ms), 6, {1, 2, 4, 8}, 1000},
        {five_ms, COUNT(five_ms), 3, {1}, 200},
        {half, COUNT(half), 4, {1, 2}, 400},
        {turns, COUNT(turns), 17, {1}, 100},
        {steady, COUNT(steady), 3, {1}, 1e6 / 10100},
        {off, COUNT(off), 4, {1}, 1e6 / 10102},
        {rises, COUNT(rises), 4, {1}, 1e6 / 10050},
        {falls, COUNT(falls), 4, {1}, 1e6 / 10050},
    };

    party.work = own_work;
    for (size_t i = 0; i < COUNT(cases); i++) {
        party.counts = i ? own_counts : NULL;
        course.cost_us = cases[i].cost_us;
        course.n_costs = cases[i].n_costs;
        assert_own(0);
        assert_int_equal(own->calls, cases[i].calls);
        for (unsigned call = 0, last = 0; call < own->calls; call++) {
            last = call < 4 && cases[i].counts[call] ? cases[i].counts[call] : last;
            assert_int_equal(own->count[call], last);
        }
        near(own->rate, cases[i].rate, "rate");
        near(slot->rate, cases[i].rate, "rate");
        near((double)slot->expected_ns, i ? floor(3e12 / cases[i].rate) : 0, "expected time");
    }
}

/* Blocks that stay short however much work they have: 250 ms are not too long, but the next block is the last one. */
TEST_WITH(test_worker_warms_up_for_a_limited_time, begin_own, end_own)
{
    unsigned cost_us[CALLS_MAX];

    for (unsigned i = 0; i < CALLS_MAX; i++)
        cost_us[i] = i < 61 ? 4000 : 3000;
    party.work = own_work;
    course.cost_us = cost_us;
    course.n_costs = COUNT(cost_us);
    course.of_call = true;
    assert_own(0);
    assert_int_equal(own->calls, 64);
    assert_true(own->count[63] == (uint64_t)1 << 63);
    near(own->rate, 0x1p63 / 3e6 * 1e9, "rate");
}

/* Slices of the smallest number of units that takes 1.5 ms; it changes only when one takes more than twice or less than
 * half of that. */
TEST_WITH(test_worker_runs_slices_of_one_length, begin_own, end_own)
{
    /* The warm-up has eight blocks of up to 32 units: 5,000 a second. */
    static const unsigned cost_us[] = {200, 200, 200, 200, 200, 200, 200, 200, 200, 375, 500, 250, 249, 200, 428, 429};
    static const unsigned counts[] = {8, 8, 8, 3, 3, 7, 7, 7};
    uint64_t at_ns = 0;

    party.work = own_work;
    party.run = NULL;
    course.cost_us = cost_us;
    course.n_costs = COUNT(cost_us);
    course.stop_at = COUNT(cost_us);
    head->time_ns = 16000;
    assert_own(0);
    assert_int_equal(slices->n, COUNT(counts));
    for (size_t i = 0; i < slices->n; i++) {
        const struct slice *slice = &slices->slice[i];
        assert_int_equal(slice->count, counts[i]);
        assert_int_equal(slice->start_ns, (i ? at_ns : slot->start_ns) + PROBE_NS);
        at_ns = slice->start_ns + counts[i] * 1000 * cost_us[8 + i];
        assert_int_equal(slice->end_ns, at_ns);
    }
    assert_int_equal(slot->end_ns, at_ns + PROBE_NS);
    assert_string_equal(own->trace, "setup open 0 0 start stop read close verify teardown ");
}

/* One that the others need before the gate is ready after its first slice, and tells so; others before their first. */
TEST_WITH(test_worker_is_ready_after_a_slice_before_the_gate, begin_own, end_own)
{
    static const unsigned cost_us[] = {5000};

    party.work = own_work;
    party.run = NULL;
    course.cost_us = cost_us;
    course.n_costs = COUNT(cost_us);
    course.stop_at = 3 + 3;
    for (unsigned i = 0; i < 2; i++) {
        party.before_gate = i;
        assert_own(0);
        assert_int_equal(own->calls, 6);
        for (unsigned call = 0; call < 6; call++)
            assert_int_equal(own->state[call], call < 3   ? STATE_STARTING
                                               : !i       ? STATE_RUNNING
                                               : call < 4 ? STATE_STARTING
                                                          : STATE_READY);
        assert_int_equal(own->told, i ? 2 : 3); /* that it is ready, that all have started, that it is done */
        assert_int_equal(head->arrived, !i);
    }
}

/* CPU time of a real-time party: twice what is planned or expected, the larger of them, and two seconds. */
TEST_WITH(test_worker_limits_the_time_of_a_real_time_party, begin_own, end_own)
{
    static const struct {
        uint64_t time_ns, expected_ns, limit_us;
    } cases[] = {{0, 0, 2000000}, {3000 * MS, 5000 * MS, 12000000}, {7000 * MS, 5000 * MS, 16000000}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        head->time_ns = cases[i].time_ns;
        course.expected_ns = cases[i].expected_ns;
        assert_own(0);
        assert_int_equal(own->realtime_limit_us, cases[i].limit_us);
        assert_int_equal(slot->expected_ns, cases[i].expected_ns);
    }
}

/* Before and after each slice a probe, whose time belongs to none; only in a measured party, on a machine with probes.
 */
TEST_WITH(test_worker_probes_its_core_around_slices, begin_own, end_own)
{
    static const unsigned cost_us[] = {200};
    struct core_record *record = &own->core;

    party.work = own_work;
    party.run = NULL;
    course.cost_us = cost_us;
    course.n_costs = COUNT(cost_us);
    course.stop_at = 8 + 5;
    head->time_ns = 16 * MS;
    for (unsigned i = 0; i < 3; i++) {
        party.role = i == 1 ? ROLE_PARTNER : ROLE_MEASURED;
        head->core_probe.blocks = i != 2;
        assert_own(0);
        assert_int_equal(slices->n, 5);
        if (i) {
            assert_int_equal(record->slices, 0);
            assert_true(record->cycles_per_tick == 0);
            continue;
        }
        assert_int_equal(record->slices, 5);
        assert_int_equal(record->probes[66], 5);
        assert_int_equal(record->start_ns, slot->start_ns);
        assert_int_equal(record->block_ns, 2 * MS + 1);
        assert_true(record->cycles_per_tick == 1.25);
        for (unsigned slice = 0; slice < 5; slice++) { /* at 0.1, 1.8, 3.5, 5.2 and 6.9 ms */
            static const unsigned blocks[] = {0, 0, 1, 2, 3};
            const struct core_cell *cell = &record->cell[blocks[slice]][66];
            assert_true(cell->count == 8 * cell->n && cell->cost == 1.6e6 * cell->n);
            assert_int_equal(cell->n, blocks[slice] ? 1 : 2);
        }
    }
}

/* The start is so long after the last one has come. It sleeps when there is time, and spins for the last 100 us. */
TEST_WITH(test_worker_waits_for_the_common_start, begin_own, end_own)
{
    static const struct {
        uint64_t lead_ns;
        const char *trace;
    } cases[] = {{300, ""}, {200100, ""}, {200200, "sleep 100100 "}, {5000000, "sleep 4899900 "}};
    char expected[TRACE_BYTES];

    for (size_t i = 0; i < COUNT(cases); i++) {
        head->lead_ns = cases[i].lead_ns;
        assert_own(0);
        (void)snprintf(expected, sizeof(expected), "setup open 0 0 %sstart run stop read close verify teardown ",
                       cases[i].trace);
        assert_string_equal(own->trace, expected);
        assert_int_equal(head->start_ns, 1000000 + cases[i].lead_ns);
        assert_int_equal(slot->start_ns, head->start_ns + 100); /* of the reading that saw it */
        assert_int_equal(slot->baton.start_ns, slot->start_ns);
        assert_int_equal(slot->end_ns, slot->start_ns);
        assert_int_equal(own->told, 3); /* that it is ready, that all have started, that it is done */
        assert_true(head->arrived == 1 && head->started == 1);
    }
}

/* Events are those of a measured party and of its children: with those that inherit its policy, theirs alone. */
TEST_WITH(test_worker_counts_the_events_of_its_role, begin_own, end_own)
{
    static const struct {
        enum role role;
        enum party_children children;
        bool counted;
        const char *begin, *end;
    } cases[] = {
        {ROLE_MEASURED, CHILDREN_NONE, true, "setup open 0 0 start ", "stop read "},
        {ROLE_MEASURED, CHILDREN_NORMAL, true, "setup open 1 0 start ", "stop read "},
        {ROLE_MEASURED, CHILDREN_INHERIT, true, "setup open 1 1 read ", "read "},
        {ROLE_MEASURED, CHILDREN_NONE, false, "setup none 1 start ", "stop read "},
        {ROLE_PARTNER, CHILDREN_NONE, true, "setup none 1 start ", "stop read "},
        {ROLE_LOAD, CHILDREN_NONE, true, "oom setup none 1 start ", "stop read "},
    };
    char expected[TRACE_BYTES];

    for (size_t i = 0; i < COUNT(cases); i++) {
        party.role = cases[i].role;
        party.children = cases[i].children;
        head->counted = cases[i].counted;
        assert_own(0);
        (void)snprintf(expected, sizeof(expected), "%srun %sclose verify teardown ", cases[i].begin, cases[i].end);
        assert_string_equal(own->trace, expected);
    }
}

/* What failed ends the party; its teardown is called in any case. */
TEST_WITH(test_worker_goes_no_further_than_what_failed, begin_own, end_own)
{
    static const struct {
        const char *fails, *trace, *reason;
    } cases[] = {
        {"setup", "setup teardown ", "the set-up of own failed"},
        {"work", "setup open 0 0 teardown ", ""},
        {"run", "setup open 0 0 start run stop read close teardown ", ""},
        {"verify", "setup open 0 0 start run stop read close verify teardown ", ""},
        {"slice", "setup open 0 0 start stop read close teardown ", ""},
    };
    static const unsigned cost_us[] = {5000};

    course.cost_us = cost_us;
    course.n_costs = COUNT(cost_us);
    for (size_t i = 0; i < COUNT(cases); i++) {
        course.fails = cases[i].fails;
        party.work = !strcmp(course.fails, "work") || !strcmp(course.fails, "slice") ? own_work : NULL;
        party.run = !strcmp(course.fails, "slice") ? NULL : own_run;
        assert_own(1);
        assert_string_equal(own->trace, cases[i].trace);
        assert_string_equal(slot->reason, cases[i].reason);
    }
    course.fails = NULL;
    party.work = NULL;
    party.run = own_run;
    head->gate = GATE_ABORTED;
    assert_own(1);
    assert_string_equal(own->trace, "setup open 0 0 teardown ");
    assert_string_equal(slot->reason, "ended before the gate opened");
}

/* The image after party_exec() goes on behind the gate, with the counters, the rate and the recorders of the first. */
TEST_WITH(test_worker_goes_on_after_exec, begin_own, end_own)
{
    slot->baton.execs = 1;
    slot->baton.image_fd = 77;
    slot->start_ns = 5;
    slot->rate = 123;
    slot->counters = of_setup;
    slot->placement.nice_given = true;
    slot->placement.nice = 99; /* would be refused */
    slices->n = 4;
    head->gate = GATE_CLOSED;
    party.work = own_work; /* is not called */
    assert_own(0);
    assert_string_equal(own->trace, "setup run stop read close verify teardown ");
    assert_true(own->rate == 123);
    assert_int_equal(own->calls, 0);
    assert_true(slot->start_ns == 5 && slot->baton.image_fd == 77 && slices->n == 4);
    assert_memory_equal(&slot->counters, &of_run, sizeof(of_run));
    assert_string_equal(slot->refused, "");
}

/* The kernel moves it when the last of its CPUs goes offline. */
TEST_WITH(test_worker_says_when_it_ended_on_another_cpu, begin_own, end_own)
{
    char cpus[48], expected[160];
    struct cpuset mine;

    assert_int_equal(task_get_affinity(&mine), 0);
    (void)cpuset_format(&mine, cpus, sizeof(cpus));
    (void)snprintf(expected, sizeof(expected),
                   "taken off CPU %s in mid-run, and ended on CPU 8191: was it put offline?", cpus);
    const unsigned last[] = {CPUSET_NONE, cpuset_next(&mine, 0), CPUSET_MAX - 1};
    for (size_t i = 0; i < COUNT(last); i++) {
        course.last_cpu = last[i];
        assert_own(0);
        assert_int_equal(slot->last_cpu, last[i]);
        assert_string_equal(slot->refused, i == 2 ? expected : "");
    }
}

static int make_root(void **state)
{
    char path[64];

    if (!mkdtemp(root))
        return -1;
    (void)snprintf(path, sizeof(path), "%s/proc", root);
    return chmod(root, 0755) || mkdir(path, 0777);
}

static int remove_root(void **state)
{
    char command[64];

    (void)snprintf(command, sizeof(command), "rm -r %s", root);
    return system(command);
}

GROUP(make_root, remove_root);

int main(int argc, char **argv)
{
    trial_worker_main(argc, argv, registry, no_loads);
    process_init();
    fixture_default_signals();
    signals_init();
    return run_all_tests();
}
