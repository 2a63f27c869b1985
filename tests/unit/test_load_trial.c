/* SPDX-License-Identifier: MIT */
/* The engine with dummy loads beside dummy benchmarks: their counts, their failures, and the control process. */

#include "plan_fixture.h"

#include "engine/trial.h"

/* --- The loads. --- */

enum fault {
    FAULT_NONE,
    FAULT_SETUP,
    FAULT_SETUP_SILENT,
    FAULT_BEFORE_GATE,
    FAULT_RUN,
    FAULT_KILL_BEFORE_GATE,
    FAULT_KILL,
    FAULT_EXIT,
};

struct dummy_params {
    enum fault fault;
    bool degraded, litter;
    int nice;
};

/* The parent has read what was counted before the gate when so much time has gone by, and reads again long after. */
enum { SETTLED_MS = 80, TRIAL_MS = 200, COUNTED_BEFORE = 1000 };

static int dummy_setup(struct party_context *context)
{
    const struct dummy_params *params = context->params;

    load_set(context, LOAD_WRITTEN, COUNTED_BEFORE);
    if (params->fault == FAULT_SETUP_SILENT)
        return -1;
    return params->fault == FAULT_SETUP ? party_fail(context, "no luck: %d", 42) : 0;
}

static double own_oom_score(void)
{
    FILE *file = fopen("/proc/self/oom_score_adj", "r");
    double score = -1;

    if (file && fscanf(file, "%lf", &score) != 1)
        score = -1;
    if (file)
        (void)fclose(file);
    return score;
}

static int leave_child(void)
{
    pid_t child = fork();

    while (child == 0)
        pause();
    return (int)child;
}

/* The counts are known by what they are used for here, not by their names. */
#define COUNT_WORK      LOAD_WRITTEN
#define COUNT_PROVED_AT LOAD_READ
#define COUNT_PID       LOAD_MOVED
#define COUNT_CHILD     LOAD_BURSTS
#define COUNT_OOM       LOAD_WAKEUPS

static void count_what_was_seen(struct party_context *context, double proved_at)
{
    const struct dummy_params *params = context->params;

    load_add(context, COUNT_WORK, 7);
    load_set(context, LOAD_CPU, 0.25);
    load_set(context, COUNT_PROVED_AT, proved_at);
    load_set(context, COUNT_PID, getpid());
    load_set(context, COUNT_OOM, own_oom_score());
    if (params->litter)
        load_set(context, COUNT_CHILD, leave_child());
}

/* It is killed. */
static int wait_for_the_end(void)
{
    while (pause()) {
    }
    return 0;
}

static int dummy_run(struct party_context *context)
{
    const struct dummy_params *params = context->params;

    if (params->degraded) {
        party_degraded(context, "only %d of %s", 3, "four");
        party_degraded(context, "a second thought");
    }
    if (params->fault == FAULT_KILL_BEFORE_GATE)
        (void)raise(SIGKILL);
    if (params->fault == FAULT_BEFORE_GATE)
        return party_fail(context, "cannot begin");
    clock_sleep_ns(20 * MS);
    double proved_at = (double)clock_raw_ns();
    party_proved(context);
    while (!__atomic_load_n(&context->head->started, __ATOMIC_ACQUIRE))
        clock_sleep_ns(MS);
    clock_sleep_ns(SETTLED_MS * MS);
    if (params->fault == FAULT_KILL)
        (void)raise(SIGKILL);
    if (params->fault == FAULT_EXIT)
        _exit(3);
    if (params->fault == FAULT_RUN)
        return party_fail(context, "lost its way");
    count_what_was_seen(context, proved_at);
    return wait_for_the_end();
}

#define DUMMY_PARTY \
    { \
        PARTY_IS("dummy", {RECORD_NUMBERS, LOAD_COUNTS}), .role = ROLE_LOAD, .kind = PARTY_PROCESS, .stop = STOP_KILL, \
                                                          .before_gate = true, .setup = dummy_setup, .run = dummy_run \
    }
static const struct party dummy_parties[] = {DUMMY_PARTY, DUMMY_PARTY, DUMMY_PARTY};

static void dummy_place(const struct place_of *of, struct placement *placement)
{
    place_copy(of->request, 0, placement);
    placement->nice_given = true;
    placement->nice = ((const struct dummy_params *)of->params)->nice;
}

#define DUMMY_LOAD(name_, parties_, n_) \
    { \
        .name = name_, .parties = parties_, .n_parties = n_, .params_size = sizeof(struct dummy_params) \
    }
static const struct load load_dummy = DUMMY_LOAD("dummy", dummy_parties, 1);
static const struct load load_three = DUMMY_LOAD("three", dummy_parties, 3);
static const struct load load_unlisted = DUMMY_LOAD("unlisted", dummy_parties, 1);
static const struct load load_placed = {.name = "placed",
                                        .parties = dummy_parties,
                                        .n_parties = 1,
                                        .params_size = sizeof(struct dummy_params),
                                        .place = dummy_place};
static const struct load *const loads[] = {&load_dummy, &load_three, &load_placed, NULL};

/* --- The benchmarks. --- */

/* All zero, and larger than a load's options: code that reads these instead finds wrong values. */
#define BENCH_PARAMS_SIZE 128

static int idle_run(struct party_context *context)
{
    while (!party_stopped(context))
        clock_sleep_ns(MS);
    return 0;
}

/* The load goes on until it has returned. */
static int slow_verify(struct party_context *context)
{
    (void)context;
    clock_sleep_ns(SETTLED_MS * MS);
    return 0;
}

static int degraded_run(struct party_context *context)
{
    party_degraded(context, "%s was not there", "half of it");
    party_degraded(context, "and neither was the rest");
    return 0;
}

/* Policy of the process that started this one. */
enum { WATCH_POLICY, WATCH_PRIORITY, WATCH_OWN_POLICY, WATCH_NUMBERS };

static int watch_run(struct party_context *context)
{
    double *number = context->recorder[0];
    struct sched_param param;

    number[WATCH_POLICY] = sched_getscheduler(getppid()) & ~SCHED_RESET_ON_FORK;
    number[WATCH_PRIORITY] = sched_getparam(getppid(), &param) ? -1 : param.sched_priority;
    number[WATCH_OWN_POLICY] = sched_getscheduler(0);
    return 0;
}

#define DUMMY_BENCH(name_, verify_) \
    static const struct bench bench_##name_ = {DUMMY(#name_), .shared_size = 8, .params_size = BENCH_PARAMS_SIZE, \
                                               BENCH_PARTY(PARTY_IS(#name_, {RECORD_NUMBERS, WATCH_NUMBERS}), \
                                                           .role = ROLE_MEASURED, .stop = STOP_FLAG, \
                                                           .run = name_##_run, .verify = verify_)}
DUMMY_BENCH(idle, slow_verify);
DUMMY_BENCH(degraded, NULL);
static const struct party watch_parties[] = {
    {PARTY_IS("watch", {RECORD_NUMBERS, WATCH_NUMBERS}), .role = ROLE_MEASURED, .run = watch_run}};
static const struct bench bench_watch = {DUMMY("watch"), BENCH_PARTIES(watch_parties), .control_fifo = true,
                                         .params_size = BENCH_PARAMS_SIZE};
static const struct bench bench_watch_only = {DUMMY("watch-only"), BENCH_PARTIES(watch_parties),
                                              .params_size = BENCH_PARAMS_SIZE};
static const struct bench *const benches[] = {&bench_watch_only, &bench_idle, &bench_degraded, &bench_watch, NULL};

static struct place_request place;

static struct trial_spec spec_of(const struct bench *bench, const struct load *load, const struct dummy_params *params,
                                 uint64_t time_ns)
{
    static const struct dummy_params plain;
    static const char zeros[BENCH_PARAMS_SIZE];

    fixture_place(&place);
    return (struct trial_spec){.bench = bench,
                               .params = zeros,
                               .load = load,
                               .load_params = params ? params : &plain,
                               .copies = 1,
                               .time_ns = time_ns,
                               .place = &place,
                               .clock = &fixture_clock,
                               .series_fd = -1};
}

static struct trial *run_done(const struct trial_spec *spec)
{
    int fds = fixture_count_fds();
    struct trial *trial = trial_run(spec);

    assert_non_null(trial);
    if (trial->outcome != TRIAL_DONE)
        print_error("%s\n", trial->reason);
    assert_int_equal(trial->outcome, TRIAL_DONE);
    fixture_assert_no_children();
    assert_in_range(fixture_count_fds(), fds, fds + 1); /* the shm is open until the trial is freed */
    return trial;
}

/* --- What it counts. --- */

TEST(test_load_counts_are_of_the_run_alone_and_of_all_its_processes)
{
    struct trial_spec spec = spec_of(&bench_idle, &load_three, NULL, TRIAL_MS * MS);
    struct trial *trial = run_done(&spec);

    assert_true(trial->load_s > (double)trial->wall_ns * 1e-9);
    assert_true(trial->load_count[COUNT_WORK] == 7 * 3); /* without what was done before the gate */
    assert_true(trial->load_count[LOAD_CPU] == 0.25 * 3);
    assert_true(trial->load_count[LOAD_DISK_READ] == 0);
    if (own_oom_score() >= 0) /* there is a /proc: loads go first when memory runs out */
        assert_true(trial->load_count[COUNT_OOM] == 1000 * 3);
    /* The gate opened when the load had said that it is there. */
    assert_true(trial->load_count[COUNT_PROVED_AT] > 0);
    assert_true(trial->load_count[COUNT_PROVED_AT] < 3 * (double)trial->gate_ns);
    trial_free(trial);
}

/* --- What becomes of it. --- */

TEST(test_load_that_is_degraded_goes_on_and_leaves_nothing_behind)
{
    const struct dummy_params params = {.litter = true, .degraded = true};
    struct trial_spec spec = spec_of(&bench_idle, &load_dummy, &params, TRIAL_MS * MS);
    const struct trial_slot *measured, *load;

    struct trial *trial = run_done(&spec);
    assert_true(trial->load_count[COUNT_PID] > 1);
    assert_true(trial->load_count[COUNT_CHILD] > 1);
    assert_true(fixture_process_ended((pid_t)trial->load_count[COUNT_PID]));
    assert_true(fixture_process_ended((pid_t)trial->load_count[COUNT_CHILD]));
    /* It went on, though something was not as it should be. The first reason counts. */
    measured = trial_party(trial, 0, 0);
    load = trial_party(trial, 0, trial->spec.copies);
    assert_string_equal(load->refused, "only 3 of four");
    assert_string_equal(measured->refused, "");
    trial_free(trial);
}

TEST(test_load_is_placed_by_itself)
{
    const struct dummy_params params = {.nice = 6};
    struct trial_spec spec = spec_of(&bench_idle, &load_placed, &params, 5 * MS);
    const struct trial_slot *measured, *load;

    struct trial *trial = run_done(&spec);
    measured = trial_party(trial, 0, 0);
    load = trial_party(trial, 0, trial->spec.copies);
    assert_int_equal(load->seen.nice, 6);
    assert_true(measured->seen.nice != 6);
    assert_true(load->seen.fresh_exec);
    assert_string_equal(load->refused, "");
    trial_free(trial);
}

TEST(test_load_that_fails_names_itself_and_the_reason)
{
    static const struct {
        enum fault fault;
        const char *reason;
    } cases[] = {
        {FAULT_SETUP, "the load dummy: no luck: 42"},
        {FAULT_SETUP_SILENT, "the load dummy: the set-up of dummy failed"},
        {FAULT_BEFORE_GATE, "the load dummy: cannot begin"},
        {FAULT_KILL_BEFORE_GATE, "the load dummy was killed by signal 9 (Killed): perhaps out of memory"},
        {FAULT_RUN, "the load dummy: lost its way"},
        {FAULT_KILL, "the load dummy was killed by signal 9 (Killed): perhaps out of memory"},
        {FAULT_EXIT, "the load dummy ended early with exit status 3"},
    };
    int fds = fixture_count_fds();

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct dummy_params params = {.fault = cases[i].fault};
        struct trial_spec spec = spec_of(&bench_idle, &load_dummy, &params, 10000 * MS);
        struct trial *trial = trial_run(&spec);
        assert_non_null(trial);
        assert_int_equal(trial->outcome, TRIAL_FAILED);
        assert_string_equal(trial->reason, cases[i].reason);
        fixture_assert_no_children();
        trial_free(trial);
    }
    assert_int_equal(fixture_count_fds(), fds);
}

TEST(test_load_that_the_worker_does_not_know_fails)
{
    struct trial_spec spec = spec_of(&bench_idle, &load_unlisted, NULL, 10000 * MS);

    struct trial *trial = trial_run(&spec);
    assert_non_null(trial);
    assert_int_equal(trial->outcome, TRIAL_FAILED);
    assert_non_null(
        strstr(trial->reason, "ended early: it is not the program that started it (was the file replaced?)"));
    fixture_assert_no_children();
    trial_free(trial);
}

/* --- What is not as it should be. --- */

TEST(test_trial_that_is_degraded_is_done)
{
    struct trial_spec spec = spec_of(&bench_degraded, NULL, NULL, 0);
    const struct trial_slot *measured;

    struct trial *trial = run_done(&spec);
    measured = trial_party(trial, 0, 0);
    assert_string_equal(measured->refused, "half of it was not there");
    trial_free(trial);
    place.nice_given = true; /* what was refused before is the first reason */
    place.nice = 20;
    trial = run_done(&spec);
    measured = trial_party(trial, 0, 0);
    assert_non_null(strstr(measured->refused, "nice 20 refused"));
    assert_null(strstr(measured->refused, "half"));
    trial_free(trial);
}

/* --- Control. --- */

static int try_fifo(void)
{
    return task_set_policy(SCHED_FIFO, 98) ? 1 : 0;
}

TEST(test_trial_control_is_real_time_while_it_runs)
{
    struct trial_spec spec = spec_of(&bench_watch, NULL, NULL, 0);
    bool allowed = fixture_in_child(try_fifo) == 0;
    int policy[2], priority[2];
    struct rlimit limit[2];

    assert_int_equal(task_get_policy(&policy[0], &priority[0]), 0);
    assert_int_equal(getrlimit(RLIMIT_RTTIME, &limit[0]), 0);
    struct trial *trial = run_done(&spec);
    assert_int_equal(task_get_policy(&policy[1], &priority[1]), 0);
    assert_int_equal(getrlimit(RLIMIT_RTTIME, &limit[1]), 0);
    const double *number = trial_recorder(trial, 0, 0, 0);
    if (allowed) {
        assert_string_equal(trial->control_refused, "");
        assert_true(number[WATCH_POLICY] == SCHED_FIFO);
        assert_true(number[WATCH_PRIORITY] == 98);
    } else {
        print_message("SCHED_FIFO is refused here\n");
        assert_non_null(strstr(trial->control_refused, "control: SCHED_FIFO 98 refused: "));
        assert_true(number[WATCH_POLICY] == policy[0]);
    }
    assert_true(number[WATCH_OWN_POLICY] == SCHED_OTHER); /* workers do not inherit it */
    assert_int_equal(policy[0], policy[1]);
    assert_int_equal(priority[0], priority[1]);
    assert_int_equal(limit[1].rlim_max, limit[0].rlim_max);
    assert_int_equal(limit[1].rlim_cur, limit[0].rlim_max);
    trial_free(trial);
}

static int control_of_batch(void)
{
    struct trial_spec spec = spec_of(&bench_watch, NULL, NULL, 0);
    int policy, priority;

    CHECK(task_set_policy(SCHED_BATCH, 0) == 0);
    struct trial *trial = trial_run(&spec);
    CHECK(trial && trial->outcome == TRIAL_DONE);
    trial_free(trial);
    CHECK(task_get_policy(&policy, &priority) == 0);
    CHECK(policy == SCHED_BATCH && priority == 0);
    return 0;
}

TEST(test_trial_control_gets_back_what_it_had)
{
    assert_int_equal(fixture_in_child(control_of_batch), 0);
}

/* Rights made up for this process: SCHED_FIFO up to this priority, as by ulimit -r; 0: what the kernel says. */
static int allowed_priority;

int __real_task_set_policy(int policy, int rt_priority);
int __wrap_task_set_policy(int policy, int rt_priority);
int __wrap_task_set_policy(int policy, int rt_priority)
{
    if (allowed_priority && policy == SCHED_FIFO && rt_priority > allowed_priority)
        return -EPERM;
    return __real_task_set_policy(policy, rt_priority);
}

int __real_task_realtime_limit(void);
int __wrap_task_realtime_limit(void);
int __wrap_task_realtime_limit(void)
{
    return allowed_priority ? allowed_priority : __real_task_realtime_limit();
}

/* With a party of that SCHED_FIFO priority (0: a normal one) beside a CPU that stays free. */
static int control_beside(const struct bench *bench, int party_priority, int allowed, int expected, const char *refused)
{
    struct trial_spec spec = spec_of(bench, NULL, NULL, 0);

    allowed_priority = 0;
    if (try_fifo() || task_set_policy(SCHED_OTHER, 0))
        return CANNOT;
    allowed_priority = allowed;
    place.fifo = party_priority > 0;
    place.fifo_priority = party_priority;
    cpuset_add(&place.online, CPUSET_MAX - 1);
    struct trial *trial = trial_run(&spec);
    CHECK(trial && trial->outcome == TRIAL_DONE);
    CHECK(trial->control == expected);
    CHECK(strcmp(trial->control_refused, refused) == 0);
    if (expected)
        CHECK(((const double *)trial_recorder(trial, 0, 0, 0))[WATCH_PRIORITY] == expected);
    trial_free(trial);
    return 0;
}

/* A lower limit is enough as long as no party is above it: a CPU is free, and there the parent is woken at once. */
static int control_by_lower_limit(void)
{
    int failed = control_beside(&bench_watch, 0, 40, 40, "");

    failed = failed ? failed : control_beside(&bench_watch, 40, 40, 40, "");
    return failed ? failed
                  : control_beside(&bench_watch, 41, 40, 0, "control: SCHED_FIFO 98 refused: Operation not permitted");
}

TEST(test_trial_control_takes_what_the_limit_allows)
{
    assert_int_equal(fixture_in_child(control_by_lower_limit), 0);
}

/* A benchmark that does not ask for it. */
static int control_of_fifo(void)
{
    int failed = control_beside(&bench_watch_only, 0, 0, 0, "");

    return failed ? failed : control_beside(&bench_watch_only, 10, 0, 98, "");
}

TEST(test_trial_with_a_fifo_party_has_fifo_control)
{
    assert_int_equal(fixture_in_child(control_of_fifo), 0);
}

int main(int argc, char **argv)
{
    trial_worker_main(argc, argv, benches, loads);
    process_init();
    signals_init();
    return run_all_tests();
}
