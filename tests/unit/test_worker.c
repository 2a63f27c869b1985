/* SPDX-License-Identifier: MIT */
/* Counters in rows: a made-up kernel raises each counter before the run, at the gate, during the run and after it, by
 * amounts that are all different. Checks that each column of a row holds the rise of its own counter during the run. */
#include <inttypes.h>
#include <sys/stat.h>

#include "fixture.h"
#include "plan_fixture.h"

#include "engine/arena.h"
#include "engine/results.h"
#include "row_fixture.h"
#include "rows/text.h"

/* --- Made-up counters of a thread. The Makefile redirects the worker's calls to these functions. --- */

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
}

void __wrap_task_read_usage(struct task_counters *out);
void __wrap_task_read_usage(struct task_counters *out)
{
    const int64_t migrations = out->migrations, run_delay_ns = out->run_delay_ns;

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
static void place_parties(const void *params, const struct place_request *request, unsigned party, unsigned copy,
                          struct placement *out)
{
    place_copy(request, copy, out);
    if (party) {
        cpuset_clear(&out->cpus);
        cpuset_add(&out->cpus, ((const struct params *)params)->cpus[1]);
    }
}

#define CALLBACKS .setup = begin_party, .run = run_party, .verify = verify_party
static const struct party parties[] = {
    {.name = "measured", .role = ROLE_MEASURED, CALLBACKS},
    {.name = "partner", .role = ROLE_PARTNER, CALLBACKS},
};
static const struct metric metrics[] = {{.id = "one", .unit = "", .better = "", .headline = true}};
#define CHARGED(name_, parties_, per_copy)                                                                             \
    {                                                                                                                  \
        .name = name_, .suite = "dummy", .parties = parties, .n_parties = parties_, .metrics = metrics,                \
        .n_shared_metrics = 1, .n_metrics = 1, .params_size = sizeof(struct params), .group_per_copy = per_copy,       \
        .place = place_parties, .reduce = reduce                                                                       \
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
                                        .series_fd = -1,
                                        .proc_root = root};
        put_machine(root, params.cpus, 0, MHZ_BEFORE);
        struct trial *trial = trial_run(&spec);
        assert_non_null(trial);
        assert_string_equal(trial_reason(trial), "");
        assert_int_equal(trial_outcome(trial), TRIAL_DONE);
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
static void test_worker_row_is_charged_with_its_run_alone(void **state)
{
    run_trials(&bench_charged, 1, 2);
    assert_int_equal(rows.n, 1);
    assert_charged(&rows.row[0], 2, 2);
    assert_causes(&rows.row[0], 2, 2);
    NEAR(&rows.row[0], freq_khz, 2e6);
    fixture_free_rows(&rows);
}

/* Each copy has a row of its own, with the counters of its own CPU. */
static void test_worker_row_of_a_copy_is_charged_with_that_copy(void **state)
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
static void test_worker_row_of_all_copies_is_charged_with_their_sum(void **state)
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
static void test_worker_gate_is_late_by_what_has_passed(void **state)
{
    const uint64_t asked_ns = clock_realtime_ns() - 5000 * MS;
    struct params params = {.cpus = {0, 1}};
    struct trial_spec spec = {.bench = &bench_charged,
                              .params = &params,
                              .copies = 1,
                              .place = &place,
                              .clock = &fixture_clock,
                              .start_at_ns = asked_ns,
                              .series_fd = -1,
                              .proc_root = root};

    fixture_place(&place);
    (void)snprintf(params.root, sizeof(params.root), "%s", root);
    struct trial *trial = trial_run(&spec);
    assert_non_null(trial);
    assert_int_equal(trial_outcome(trial), TRIAL_DONE);
    assert_in_range(trial_late_ns(trial), 5000 * MS, clock_realtime_ns() - asked_ns);
    trial_free(trial);
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worker_row_is_charged_with_its_run_alone),
        cmocka_unit_test(test_worker_row_of_a_copy_is_charged_with_that_copy),
        cmocka_unit_test(test_worker_row_of_all_copies_is_charged_with_their_sum),
        cmocka_unit_test(test_worker_gate_is_late_by_what_has_passed),
    };

    trial_worker_main(argc, argv, registry, no_loads);
    process_init();
    fixture_default_signals();
    signals_init();
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
