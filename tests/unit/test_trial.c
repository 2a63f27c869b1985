/* SPDX-License-Identifier: MIT */
/* The engine with dummy benchmarks: this program is its own worker. */
#include <poll.h>
#include <sys/prctl.h>
#include <sys/time.h>

#include "engine_fixture.h"

#include "engine/trial.h"
#include "made_up_clock.h"

static const struct bench *const registry[];

static struct place_request place;

/* A request of its own for tests that change it. */
static struct trial_spec spec_of(const struct bench *bench, unsigned copies, uint64_t time_ns)
{
    static const char zeros[64];

    assert_true(bench->params_size <= sizeof(zeros));
    fixture_place(&place);
    return (struct trial_spec){.bench = bench,
                               .params = zeros,
                               .copies = copies,
                               .time_ns = time_ns,
                               .place = &place,
                               .clock = &fixture_clock,
                               .series_fd = -1};
}

static struct trial *run_done(const struct trial_spec *spec)
{
    struct trial *trial = trial_run(spec);

    assert_non_null(trial);
    if (trial->outcome != TRIAL_DONE)
        print_error("%s\n", trial->reason);
    assert_int_equal(trial->outcome, TRIAL_DONE);
    assert_string_equal(trial->reason, "");
    fixture_assert_no_children();
    return trial;
}

static void assert_failed(const struct trial_spec *spec, const char *reason)
{
    struct trial *trial = trial_run(spec);

    assert_non_null(trial);
    assert_int_equal(trial->outcome, TRIAL_FAILED);
    assert_string_equal(trial->reason, reason);
    fixture_assert_no_children();
    trial_free(trial);
}

/* A party that a signal stopped spoils every trial; a parent that was late, one that failed. */
TEST(test_trial_stopped_whatever_came_of_it)
{
    static const enum trial_outcome outcomes[] = {TRIAL_DONE, TRIAL_FAILED, TRIAL_INTERRUPTED};

    for (size_t i = 0; i < COUNT(outcomes); i++) {
        const bool failed = outcomes[i] == TRIAL_FAILED;
        assert_true(trial_stopped(&(const struct trial){.outcome = outcomes[i], .stopped = true}));
        assert_true(trial_stopped(&(const struct trial){.outcome = outcomes[i], .stopped = true, .late = true}));
        assert_int_equal(trial_stopped(&(const struct trial){.outcome = outcomes[i], .late = true}), failed);
        assert_false(trial_stopped(&(const struct trial){.outcome = outcomes[i]}));
    }
}

static void sleep_ms(unsigned ms)
{
    clock_sleep_ns(ms * MS);
}

/* --- Two parties and two pipes: a counter goes there and back. --- */

enum { ASKER_SLICES, ASKER_NUMBERS };
enum { ANSWERER_NUMBERS, ANSWERER_CHECKS };
enum { SLICES_SMALL = 8 }; /* so few that neighbours are joined */

struct asker {
    uint64_t asked;
};

/* Each must close the ends that it does not use: an end of file is seen when the last writer is gone. */
static int asker_setup(struct party_context *context)
{
    struct asker *asker = context->state = calloc(1, sizeof(*asker));

    if (!asker)
        return party_fail(context, "out of memory");
    (void)close(context->pipes[0][0]);
    (void)close(context->pipes[1][1]);
    return 0;
}

/* In warm-up too the answerer is needed: it runs before the gate. */
static int asker_work(struct party_context *context, uint64_t count)
{
    struct asker *asker = context->state;
    int to = context->pipes[0][1], from = context->pipes[1][0];

    for (uint64_t i = 0; i < count; i++) {
        uint64_t sent = asker->asked++, got = 0;
        if (write(to, &sent, sizeof(sent)) != sizeof(sent) || read(from, &got, sizeof(got)) != sizeof(got))
            return party_fail(context, "the pipe broke");
        if (got != ~sent)
            return party_fail(context, "%llu came back as %llu", (unsigned long long)sent, (unsigned long long)got);
    }
    return 0;
}

static int asker_verify(struct party_context *context)
{
    ((double *)context->recorder[ASKER_NUMBERS])[0] = (double)((struct asker *)context->state)->asked;
    return 0;
}

static void free_state(struct party_context *context)
{
    free(context->state);
}

static int answerer_setup(struct party_context *context)
{
    (void)close(context->pipes[0][1]);
    (void)close(context->pipes[1][0]);
    return 0;
}

static int answerer_run(struct party_context *context)
{
    double *number = context->recorder[ANSWERER_NUMBERS];
    uint64_t expected = 0, got;
    ssize_t n;

    party_proved(context);
    while ((n = read(context->pipes[0][0], &got, sizeof(got))) == sizeof(got)) {
        if (got != expected++)
            return party_fail(context, "out of sequence");
        got = ~got;
        if (write(context->pipes[1][1], &got, sizeof(got)) != sizeof(got))
            return party_fail(context, "cannot answer");
    }
    number[0] = (double)expected;
    checks_add(context->recorder[ANSWERER_CHECKS], "end of file", (double)n, 0, 0);
    return 0;
}

static const struct party ping_parties[] = {
    {PARTY_IS("asker", [ASKER_SLICES] = {RECORD_SLICES, SLICES_SMALL}, [ASKER_NUMBERS] = {RECORD_NUMBERS, 1}),
     .role = ROLE_MEASURED, .stop = STOP_FLAG, .setup = asker_setup, .work = asker_work, .verify = asker_verify,
     .teardown = free_state},
    {PARTY_IS("answerer", [ANSWERER_NUMBERS] = {RECORD_NUMBERS, 1}, [ANSWERER_CHECKS] = {RECORD_CHECKS, 1}),
     .role = ROLE_PARTNER, .stop = STOP_SELF, .before_gate = true, .setup = answerer_setup, .run = answerer_run},
};
static const struct bench bench_ping = {DUMMY("ping"), BENCH_PARTIES(ping_parties), .n_pipes = 2,
                                        .group_per_copy = true};

static void check_ping_copy(const struct trial *trial, unsigned copy)
{
    const struct slices *slices = trial_recorder(trial, 0, copy, ASKER_SLICES);
    const double *asked = trial_recorder(trial, 0, copy, ASKER_NUMBERS);
    const double *answered = trial_recorder(trial, 1, copy, ANSWERER_NUMBERS);
    const struct checks *checks = trial_recorder(trial, 1, copy, ANSWERER_CHECKS);
    const struct trial_slot *asker = trial_party(trial, 0, copy);
    uint64_t total = 0;

    assert_in_range(slices->n, 1, SLICES_SMALL);
    for (size_t i = 0; i < slices->n; i++) {
        assert_true(slices->slice[i].count > 0);
        assert_true(slices->slice[i].start_ns >= (i ? slices->slice[i - 1].end_ns : asker->start_ns));
        assert_true(slices->slice[i].end_ns > slices->slice[i].start_ns);
        total += slices->slice[i].count;
    }
    assert_true(slices->slice[slices->n - 1].end_ns <= asker->end_ns);
    assert_true(total > 0);
    assert_true(asked[0] > (double)total); /* warm-up is not recorded */
    assert_true(answered[0] == asked[0]);
    assert_int_equal(checks->n, 1);
    assert_null(checks_wrong(checks));
}

static void run_ping(unsigned copies, uint64_t time_ns)
{
    int fds = fixture_count_fds();
    struct trial_spec spec = spec_of(&bench_ping, copies, time_ns);
    struct trial *trial = run_done(&spec);
    uint64_t last_start = 0, first_end = UINT64_MAX, last_end = 0;

    for (unsigned copy = 0; copy < copies; copy++) {
        const struct trial_slot *asker = trial_party(trial, 0, copy);
        check_ping_copy(trial, copy);
        assert_true(asker->start_ns >= trial->gate_ns);
        assert_true(asker->seen.fresh_exec);
        last_start = asker->start_ns > last_start ? asker->start_ns : last_start;
        first_end = asker->end_ns < first_end ? asker->end_ns : first_end;
        last_end = asker->end_ns > last_end ? asker->end_ns : last_end;
    }
    assert_true(last_start < trial->gate_ns + time_ns); /* counts of all copies in the common window */
    assert_true(first_end >= trial->gate_ns + time_ns);
    assert_int_equal(trial->wall_ns, last_end - trial->gate_ns);
    assert_ptr_equal(trial->spec.bench, &bench_ping);
    trial_free(trial);
    assert_int_equal(fixture_count_fds(), fds);
}

TEST(test_trial_measures_two_parties_in_slices)
{
    run_ping(1, 150 * MS);
}

TEST(test_trial_releases_copies_together)
{
    run_ping(4, 200 * MS);
}

/* --- How parties are stopped. --- */

enum { STOP_PARTY_MEASURED, STOP_PARTY_FLAG, STOP_PARTY_KILL, STOP_PARTY_COUNT };

/* Is still at work for a while when the others have been told to stop. */
static int stopped_measured_run(struct party_context *context)
{
    while (context->time_ns && !party_stopped(context))
        sleep_ms(1);
    sleep_ms(30);
    return 0;
}

static int stopped_by_flag_run(struct party_context *context)
{
    while (!party_stopped(context))
        sleep_ms(1);
    ((double *)context->recorder[0])[0] = 1;
    return 0;
}

/* With a child, that goes with the group. */
static int stopped_by_kill_run(struct party_context *context)
{
    double *number = context->recorder[0];
    pid_t child = fork();

    if (child < 0)
        return party_fail(context, "fork");
    if (child > 0) {
        number[0] = getpid();
        number[1] = child;
    }
    for (;;)
        pause();
}

static const struct party stop_parties[] = {
    [STOP_PARTY_MEASURED] = {.name = "measured", .role = ROLE_MEASURED, .run = stopped_measured_run},
    [STOP_PARTY_FLAG] = {PARTY_IS("flag", {RECORD_NUMBERS, 1}), .role = ROLE_LOAD, .stop = STOP_FLAG,
                         .run = stopped_by_flag_run},
    [STOP_PARTY_KILL] = {PARTY_IS("kill", {RECORD_NUMBERS, 2}), .role = ROLE_LOAD, .stop = STOP_KILL,
                         .run = stopped_by_kill_run},
};
static const struct bench bench_stop = {DUMMY("stop"), .parties = stop_parties, .n_parties = STOP_PARTY_COUNT};

static void run_stop(unsigned copies, uint64_t time_ns)
{
    int fds = fixture_count_fds();
    struct trial_spec spec = spec_of(&bench_stop, copies, time_ns);
    struct trial *trial = run_done(&spec);

    for (unsigned copy = 0; copy < copies; copy++) {
        const double *flag = trial_recorder(trial, STOP_PARTY_FLAG, copy, 0);
        const double *killed = trial_recorder(trial, STOP_PARTY_KILL, copy, 0);
        assert_true(flag[0] == 1);
        assert_true(killed[0] > 0 && killed[1] > 0);
        assert_int_equal(kill((pid_t)killed[0], 0), -1);
        assert_true(fixture_process_ended((pid_t)killed[1]));
    }
    trial_free(trial);
    assert_int_equal(fixture_count_fds(), fds);
}

TEST(test_trial_stops_each_party_its_way)
{
    run_stop(1, 0);
    run_stop(3, 0);
}

/* --- The barrier. --- */

enum { ROUNDS = 1000 };

static int barrier_run(struct party_context *context)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t before = clock_raw_ns();
        party_barrier(context);
        slices_add(context->recorder[0], 1, before, clock_raw_ns());
        /* Not always the same is the last. */
        if (round % 100 == context->copy * 30)
            clock_sleep_ns(200000);
    }
    return 0;
}

static const struct party barrier_parties[] = {
    {PARTY_IS("barrier", {RECORD_SLICES, ROUNDS}), .role = ROLE_MEASURED, .run = barrier_run},
};
static const struct bench bench_barrier = {DUMMY("barrier"), BENCH_PARTIES(barrier_parties)};

/* No party leaves a round before all have reached it. */
static void run_barrier(unsigned copies)
{
    struct trial_spec spec = spec_of(&bench_barrier, copies, 0);
    struct trial *trial = run_done(&spec);

    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t last_come = 0, first_left = UINT64_MAX;
        for (unsigned copy = 0; copy < copies; copy++) {
            const struct slices *slices = trial_recorder(trial, 0, copy, 0);
            assert_int_equal(slices->n, ROUNDS);
            if (slices->slice[round].start_ns > last_come)
                last_come = slices->slice[round].start_ns;
            if (slices->slice[round].end_ns < first_left)
                first_left = slices->slice[round].end_ns;
        }
        assert_true(last_come <= first_left);
    }
    trial_free(trial);
}

TEST(test_trial_barrier_holds_all_copies)
{
    run_barrier(3);
}

/* --- What goes wrong. --- */

enum fault {
    FAULT_NONE,
    FAULT_SETUP,
    FAULT_SETUP_SILENT,
    FAULT_WARM_UP,
    FAULT_RUN,
    FAULT_VERIFY,
    FAULT_CHECK,
    FAULT_CHECK_NAN,
    FAULT_KILL,
    FAULT_SEGV,
    FAULT_ALARM,
    FAULT_CPU_LIMIT,
    FAULT_EXIT_IN_SETUP,
    FAULT_EXIT,
    FAULT_EXIT_0,
    FAULT_STOP_EARLY,
};
struct fault_params {
    enum fault fault;
    unsigned copy; /* in which it happens */
};

static enum fault fault_here(const struct party_context *context)
{
    const struct fault_params *params = context->params;
    return context->copy == params->copy ? params->fault : FAULT_NONE;
}

static int fault_setup(struct party_context *context)
{
    enum fault fault = fault_here(context);

    if (fault == FAULT_SETUP)
        return party_fail(context, "no luck: %d", 42);
    if (fault == FAULT_SETUP_SILENT)
        return -1;
    if (fault == FAULT_EXIT_IN_SETUP)
        _exit(9);
    return 0;
}

static int fault_work(struct party_context *context, uint64_t count)
{
    (void)count;
    sleep_ms(6);
    return fault_here(context) == FAULT_WARM_UP ? party_fail(context, "cold") : 0;
}

static int end_by(int number)
{
    if (number == SIGSEGV)
        (void)signal(number, SIG_DFL); /* a sanitizer catches it */
    (void)raise(number);
    return 0;
}

static int fault_run(struct party_context *context)
{
    struct checks *checks = context->recorder[0];

    switch (fault_here(context)) {
    case FAULT_RUN:
        return party_fail(context, "the run went wrong");
    case FAULT_CHECK:
        checks_add(checks, "sum", 1, 1, 0);
        checks_add(checks, "answer", 41, 42, 0.5);
        break;
    case FAULT_CHECK_NAN:
        checks_add(checks, "answer", (double)NAN, 42, 1e300);
        break;
    case FAULT_KILL:
        return end_by(SIGKILL);
    case FAULT_SEGV:
        return end_by(SIGSEGV);
    case FAULT_ALARM:
        return end_by(SIGALRM);
    case FAULT_CPU_LIMIT:
        return end_by(SIGXCPU);
    case FAULT_EXIT:
        _exit(7);
    case FAULT_EXIT_0:
        _exit(0);
    default:
        break;
    }
    return 0;
}

static int fault_verify(struct party_context *context)
{
    return fault_here(context) == FAULT_VERIFY ? party_fail(context, "not as it should be") : 0;
}

static const struct party fault_parties[] = {
    {PARTY_IS("faulty", {RECORD_CHECKS, 2}), .role = ROLE_MEASURED, .setup = fault_setup, .work = fault_work,
     .run = fault_run, .verify = fault_verify},
    {PARTY_IS("other", {RECORD_NUMBERS, 1}), .role = ROLE_LOAD, .stop = STOP_FLAG, .run = stopped_by_flag_run},
};
static const struct bench bench_fault = {DUMMY("fault"), .params_size = sizeof(struct fault_params),
                                         .parties = fault_parties, .n_parties = 1};
static const struct bench bench_fault_of_two = {DUMMY("fault of two"), .params_size = sizeof(struct fault_params),
                                                BENCH_PARTIES(fault_parties)};

TEST(test_trial_fails_with_the_reason)
{
    static const struct {
        enum fault fault;
        const char *reason;
    } cases[] = {
        {FAULT_SETUP, "no luck: 42"},
        {FAULT_WARM_UP, "cold"},
        {FAULT_RUN, "the run went wrong"},
        {FAULT_VERIFY, "not as it should be"},
        {FAULT_CHECK, "self-check failed: answer is 41, not 42"},
        {FAULT_CHECK_NAN, "self-check failed: answer is nan, not 42"},
        {FAULT_KILL, "the worker was killed by signal 9 (Killed): perhaps out of memory"},
        {FAULT_SEGV, "the worker was killed by signal 11 (Segmentation fault)"},
        {FAULT_ALARM, "the worker was ended by its watchdog: it ran far longer than planned"},
        {FAULT_CPU_LIMIT, "the worker was ended by its limit of real-time CPU time (RLIMIT_RTTIME)"},
        {FAULT_EXIT_IN_SETUP, "the worker ended early with exit status 9"},
        {FAULT_EXIT, "the worker ended early with exit status 7"},
        {FAULT_EXIT_0, "the worker ended early with exit status 0"},
    };
    int fds = fixture_count_fds();

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fault_params params = {.fault = cases[i].fault};
        struct trial_spec spec = spec_of(&bench_fault, 1, 0);
        spec.params = &params;
        assert_failed(&spec, cases[i].reason);
    }
    assert_int_equal(fixture_count_fds(), fds);
}

/* --- While the gate is awaited. --- */

static void stay(int number)
{
    (void)number;
    for (;;)
        (void)pause();
}

/* A signal 20 ms after the set-up: the party is killed, or never comes to the gate. */
static int later_setup(struct party_context *context)
{
    const struct itimerspec soon = {.it_value = {.tv_nsec = 20 * MS}};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    timer_t timer;

    (void)signal(SIGUSR1, fault_here(context) == FAULT_KILL ? SIG_DFL : stay);
    return timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &soon, NULL);
}

static int later_run(struct party_context *context)
{
    (void)context;
    sleep_ms(1000);
    return 0;
}

static uint64_t later_limit_ns(const void *params)
{
    (void)params;
    return 2000 * MS;
}

static const struct party later_parties[] = {
    {.name = "later", .role = ROLE_MEASURED, .setup = later_setup, .run = later_run}};
static const struct bench bench_fault_later = {DUMMY("fault later"), .params_size = sizeof(struct fault_params),
                                               BENCH_PARTIES(later_parties), .setup_limit_ns = later_limit_ns};

/* The start is an hour away: the trial ends at once when a party does. */
TEST(test_trial_that_fails_does_not_wait_for_the_time_of_day)
{
    struct fault_params params = {.fault = FAULT_KILL};
    struct trial_spec spec = spec_of(&bench_fault_later, 1, 0);

    spec.params = &params;
    spec.start_at_ns = clock_realtime_ns() + 3600 * 1000 * MS;
    assert_failed(&spec, "the worker was killed by signal 10 (User defined signal 1)");
}

TEST(test_trial_whose_party_does_not_come_to_the_gate_fails)
{
    struct fault_params params = {.fault = FAULT_NONE};
    struct trial_spec spec = spec_of(&bench_fault_later, 1, 0);

    spec.params = &params;
    spec.start_at_ns = clock_realtime_ns() + 100 * MS; /* the signal comes before the gate opens */
    assert_failed(&spec, "not started within 2 s; killed");
}

static int paused_setup(struct party_context *context)
{
    (void)context;
    sleep_ms(20);
    (void)kill(getppid(), SIGUSR1);
    sleep_ms(20);
    return 0;
}

static int paused_run(struct party_context *context)
{
    (void)context;
    return 0;
}

static uint64_t paused_limit_ns(const void *params)
{
    (void)params;
    return 2000 * MS;
}

static const struct party paused_parties[] = {
    {.name = "paused", .role = ROLE_MEASURED, .setup = paused_setup, .run = paused_run}};
static const struct bench bench_paused = {DUMMY("paused"), BENCH_PARTIES(paused_parties),
                                          .setup_limit_ns = paused_limit_ns};

static void pass_three_seconds(int number)
{
    (void)number;
    made_up_clock.now_ns += 3000 * MS;
}

/* The machine is paused for longer than the set-up may take: its time begins anew. */
TEST(test_trial_goes_on_after_a_pause_beyond_its_deadline)
{
    const struct trial_spec spec = spec_of(&bench_paused, 1, 0);
    bool late = false; /* the pause may come before the parent waits */
    sigset_t blocked;

    (void)sigemptyset(&blocked);
    (void)sigaddset(&blocked, SIGUSR1);
    assert_int_equal(sigprocmask(SIG_BLOCK, &blocked, NULL), 0); /* only while it waits */
    (void)signal(SIGUSR1, pass_three_seconds);
    while (!late) {
        made_up_clock_start(clock_raw_ns(), 0);
        struct trial *trial = run_done(&spec);
        made_up_clock.on = false;
        late = trial->late;
        trial_free(trial);
    }
    (void)signal(SIGUSR1, SIG_DFL);
    assert_int_equal(sigprocmask(SIG_UNBLOCK, &blocked, NULL), 0);
}

TEST(test_trial_names_the_copy_and_party_that_died)
{
    struct fault_params params = {.fault = FAULT_EXIT, .copy = 1};
    int fds = fixture_count_fds();

    struct trial_spec spec = spec_of(&bench_fault, 3, 0);
    spec.params = &params;
    assert_failed(&spec, "copy 1 ended early with exit status 7");
    spec.bench = &bench_fault_of_two;
    assert_failed(&spec, "faulty of copy 1 ended early with exit status 7");
    spec.copies = 1;
    params.copy = 0;
    assert_failed(&spec, "faulty ended early with exit status 7");
    assert_int_equal(fixture_count_fds(), fds);
}

/* One copy never comes to the gate: the others, which wait behind it, are ended. */
TEST(test_trial_ends_those_that_wait_for_one_that_failed)
{
    struct fault_params params = {.fault = FAULT_SETUP, .copy = 2};
    struct trial_spec spec = spec_of(&bench_fault_of_two, 3, 0);

    spec.params = &params;
    assert_failed(&spec, "no luck: 42");
}

static int thread_fails_run(struct party_context *context)
{
    return party_fail(context, "the thread went wrong");
}

static const struct party bad_thread_parties[] = {
    {PARTY_IS("process", {RECORD_NUMBERS, 1}), .role = ROLE_MEASURED, .stop = STOP_FLAG, .run = stopped_by_flag_run},
    {.name = "thread", .role = ROLE_TIMER, .kind = PARTY_THREAD, .run = thread_fails_run},
};
static const struct bench bench_bad_thread = {DUMMY("bad thread"), BENCH_PARTIES(bad_thread_parties)};

TEST(test_trial_fails_when_a_thread_fails)
{
    struct trial_spec spec = spec_of(&bench_bad_thread, 1, 0);

    assert_failed(&spec, "the thread went wrong");
}

static const struct bench bench_unlisted = {DUMMY("unlisted"), BENCH_PARTIES(barrier_parties)};

TEST(test_trial_fails_when_the_worker_does_not_know_the_benchmark)
{
    struct trial_spec spec = spec_of(&bench_unlisted, 1, 0);

    assert_failed(&spec, "the worker ended early: it is not the program that started it (was the file replaced?)");
}

/* --- What a worker leaves behind. --- */

static int litter_run(struct party_context *context)
{
    pid_t child = fork();

    if (child < 0)
        return party_fail(context, "fork");
    while (child == 0)
        pause();
    ((double *)context->recorder[0])[0] = child;
    return 0;
}

static const struct party litter_parties[] = {
    {PARTY_IS("litter", {RECORD_NUMBERS, 1}), .role = ROLE_MEASURED, .run = litter_run},
};
static const struct bench bench_litter = {DUMMY("litter"), BENCH_PARTIES(litter_parties)};

TEST(test_trial_ends_what_a_worker_left_behind)
{
    struct trial_spec spec = spec_of(&bench_litter, 2, 0);
    int fds = fixture_count_fds();

    struct trial *trial = run_done(&spec);
    for (unsigned copy = 0; copy < 2; copy++) {
        const double *number = trial_recorder(trial, 0, copy, 0);
        assert_true(number[0] > 0);
        assert_true(fixture_process_ended((pid_t)number[0]));
    }
    trial_free(trial);
    assert_int_equal(fixture_count_fds(), fds);
}

/* --- What a worker finds. --- */

enum {
    FOUND_SAMPLE,
    FOUND_COPY,
    FOUND_COPIES,
    FOUND_TIME,
    FOUND_PARAM,
    FOUND_STDIN,
    FOUND_STDOUT,
    FOUND_ENVIRONMENT,
    FOUND_PAD,
    FOUND_SESSION_LEADER,
    FOUND_WATCHDOG_S,
    FOUND_REALTIME_US,
    FOUND_BLOCKED,
    FOUND_LOCKED,
    FOUND_SERIES,
    FOUND_SETUP_WATCHDOG_S,
    FOUND_RECORDERS,
    FOUND_LIMIT_NS,
    FOUND_LEAD_NS,
    FOUND_INHERITABLE, /* descriptors that programs started by the party would get */
    FOUND_COUNT,
};
struct found_params {
    uint64_t expected_ns, word;
};

static double watchdog_s(void)
{
    struct itimerval timer;

    return getitimer(ITIMER_REAL, &timer) ? -1 : (double)timer.it_value.tv_sec + (double)timer.it_value.tv_usec * 1e-6;
}

static int found_setup(struct party_context *context)
{
    double *number = context->recorder[0];

    context->expected_ns = ((const struct found_params *)context->params)->expected_ns;
    number[FOUND_SETUP_WATCHDOG_S] = watchdog_s();
    return 0;
}

static int is_inheritable(int fd)
{
    return fd >= 0 && (fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0;
}

static bool is_null_device(int fd)
{
    struct stat found, null;
    return fstat(fd, &found) == 0 && stat("/dev/null", &null) == 0 && S_ISCHR(found.st_mode) &&
           found.st_rdev == null.st_rdev;
}

static double locked_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/status", "r");

    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "VmLck: %ld", &kib) == 1)
            break;
    if (file)
        (void)fclose(file);
    return (double)kib;
}

static int found_run(struct party_context *context)
{
    double *number = context->recorder[0];
    const char *pad = getenv("JITBENCH_PAD");
    struct rlimit limit;
    sigset_t blocked;

    number[FOUND_SAMPLE] = (double)context->sample;
    number[FOUND_LIMIT_NS] = (double)context->head->limit_ns;
    number[FOUND_LEAD_NS] = (double)context->head->lead_ns;
    number[FOUND_COPY] = context->copy;
    number[FOUND_COPIES] = context->copies;
    number[FOUND_TIME] = (double)context->time_ns;
    number[FOUND_PARAM] = (double)((const struct found_params *)context->params)->word;
    number[FOUND_STDIN] = is_null_device(0);
    number[FOUND_STDOUT] = is_null_device(1);
    for (char **variable = environ; *variable; variable++)
        number[FOUND_ENVIRONMENT]++;
    number[FOUND_PAD] = pad ? (double)strlen(pad) : -1;
    number[FOUND_SESSION_LEADER] = getpgrp() == getpid();
    number[FOUND_WATCHDOG_S] = watchdog_s();
    if (getrlimit(RLIMIT_RTTIME, &limit) == 0)
        number[FOUND_REALTIME_US] = limit.rlim_cur == RLIM_INFINITY ? -1 : (double)limit.rlim_cur;
    (void)sigprocmask(SIG_BLOCK, NULL, &blocked);
    number[FOUND_BLOCKED] = sigismember(&blocked, SIGTERM) || sigismember(&blocked, SIGCHLD);
    number[FOUND_LOCKED] = locked_kib();
    for (unsigned i = 0; i < RECORDERS_MAX; i++)
        number[FOUND_RECORDERS] += context->recorder[i] != NULL;
    number[FOUND_INHERITABLE] = is_inheritable(context->series_fd) + is_inheritable(context->head->shm_fd) +
                                is_inheritable(context->head->event_fd);
    number[FOUND_SERIES] = context->series_fd >= 0 ? (double)write(context->series_fd, "x\n", 2) : -1;
    return 0;
}

static const struct party found_parties[] = {
    {PARTY_IS("found", {RECORD_NUMBERS, FOUND_COUNT}), .role = ROLE_MEASURED, .setup = found_setup, .run = found_run},
};
static const struct party found_locked_parties[] = {
    {PARTY_IS("found", {RECORD_NUMBERS, FOUND_COUNT}), .role = ROLE_MEASURED, .lock_memory = true, .setup = found_setup,
     .run = found_run},
};
static const struct party found_early_parties[] = {
    {PARTY_IS("found", {RECORD_NUMBERS, FOUND_COUNT}), .role = ROLE_MEASURED, .setup = found_setup, .run = found_run},
    {PARTY_IS("early", {RECORD_NUMBERS, FOUND_COUNT}), .role = ROLE_PARTNER, .before_gate = true, .setup = found_setup,
     .run = found_run},
};
#define FOUND_BENCH(bench_name, its_parties) \
    { \
        .name = bench_name, .suite = "dummy", .params_size = sizeof(struct found_params), .parties = its_parties, \
        .n_parties = COUNT(its_parties) \
    }
static const struct bench bench_found = FOUND_BENCH("found", found_parties);
static const struct bench bench_found_early = FOUND_BENCH("found early", found_early_parties);
static const struct bench bench_found_locked = FOUND_BENCH("found locked", found_locked_parties);

TEST(test_trial_worker_finds_what_it_was_given)
{
    struct found_params params = {.word = 0x1234567890123};
    struct trial_spec spec = spec_of(&bench_found, 2, 0);
    char text[8];
    int ends[2], others[120]; /* so that descriptors have numbers of three digits */

    assert_int_equal(pipe(ends), 0);
    for (size_t i = 0; i < COUNT(others); i++)
        assert_true((others[i] = fcntl(0, F_DUPFD_CLOEXEC, 3)) >= 0);
    assert_int_equal(setenv("JITBENCH_TEST_LEAK", "1", 1), 0);
    int own_input = dup(0);
    assert_true(own_input >= 0 && dup2(ends[0], 0) == 0); /* something else than /dev/null */
    spec.params = &params;
    spec.sample = 17;
    spec.series_fd = ends[1];
    struct trial *trial = run_done(&spec);
    for (unsigned copy = 0; copy < 2; copy++) {
        const double *number = trial_recorder(trial, 0, copy, 0);
        assert_true(number[FOUND_SAMPLE] == 17);
        assert_true(number[FOUND_COPY] == copy);
        assert_true(number[FOUND_COPIES] == 2);
        assert_true(number[FOUND_TIME] == 0);
        assert_true(number[FOUND_PARAM] == (double)0x1234567890123);
        assert_true(number[FOUND_STDIN] == 1);
        assert_true(number[FOUND_STDOUT] == 1);
        assert_true(number[FOUND_ENVIRONMENT] == 1);
        assert_true(number[FOUND_PAD] >= 0 && number[FOUND_PAD] < 4096);
        assert_true(number[FOUND_SESSION_LEADER] == 1);
        assert_true(number[FOUND_BLOCKED] == 0);
        assert_true(number[FOUND_SERIES] == 2);
        assert_true(number[FOUND_RECORDERS] == 1);
        assert_true(number[FOUND_INHERITABLE] == 0);
    }
    trial_free(trial);
    assert_int_equal(read(ends[0], text, sizeof(text)), 4);
    assert_memory_equal(text, "x\nx\n", 4);
    for (size_t i = 0; i < COUNT(others); i++)
        (void)close(others[i]);
    (void)close(ends[0]);
    (void)close(ends[1]);
    assert_int_equal(unsetenv("JITBENCH_TEST_LEAK"), 0);
    assert_int_equal(dup2(own_input, 0), 0);
    (void)close(own_input);
}

/* The longest time: what the set-up promised, ten times over, and 10 s; the timer has whole seconds and one more. The
 * kernel takes up to a millisecond more or less for a timer. */
TEST(test_trial_watchdog_follows_what_was_promised)
{
    struct found_params params = {.expected_ns = 3000 * MS};
    struct trial_spec spec = spec_of(&bench_found, 1, 0);

    spec.params = &params;
    struct trial *trial = run_done(&spec);
    const double *number = trial_recorder(trial, 0, 0, 0);
    assert_true(number[FOUND_WATCHDOG_S] > 35 && number[FOUND_WATCHDOG_S] < 41.1);
    assert_true(number[FOUND_LIMIT_NS] == 40e9);
    assert_true(number[FOUND_LEAD_NS] == 120e3); /* 100 us, and 20 us for each party */
    trial_free(trial);

    spec.time_ns = 2000 * MS; /* twice what was asked for, and 10 s; and it ends before: the party is done at once */
    trial = run_done(&spec);
    number = trial_recorder(trial, 0, 0, 0);
    assert_true(number[FOUND_TIME] == 2e9);
    assert_true(number[FOUND_WATCHDOG_S] > 10 && number[FOUND_WATCHDOG_S] < 15.1);
    assert_true(number[FOUND_LIMIT_NS] == 14e9);
    trial_free(trial);

    /* Two copies on a CPU: each has its turn, and a second more. */
    place.n_order = 1;
    spec.copies = 2;
    for (unsigned i = 0; i < 2; i++) {
        spec.time_ns = i ? 0 : 2000 * MS;
        trial = run_done(&spec);
        number = trial_recorder(trial, 0, 1, 0);
        assert_true(number[FOUND_LIMIT_NS] == (i ? 71e9 : 15e9));
        assert_true(number[FOUND_LEAD_NS] == 140e3);
        trial_free(trial);
    }
}

static void assert_watchdog(const double *number, double setup_s, double run_s)
{
    /* Whole seconds and one more. A busy machine may take two until the party looks. */
    if (!(number[FOUND_SETUP_WATCHDOG_S] > setup_s - 2 && number[FOUND_SETUP_WATCHDOG_S] < setup_s + 1.1))
        fail_msg("%g s in the set-up, not %g", number[FOUND_SETUP_WATCHDOG_S], setup_s);
    if (!(number[FOUND_WATCHDOG_S] > run_s - 2 && number[FOUND_WATCHDOG_S] < run_s + 1.1))
        fail_msg("%g s in the run, not %g", number[FOUND_WATCHDOG_S], run_s);
}

static uint64_t set_up_in_7_s(const void *params)
{
    (void)params;
    return 7000 * MS;
}

/* The set-up has its own limit. A party that does not wait at the gate has one for all: twice that of the set-up, and
 * twice the planned time or, when none is planned, a day. */
TEST(test_trial_watchdog_of_the_set_up_and_before_the_gate)
{
    static const struct {
        uint64_t time_ns;
        double early_s;
    } cases[] = {{0, 14 + 86400}, {3000 * MS, 14 + 2 * 3}};
    static struct bench early;

    early = bench_found_early;
    early.setup_limit_ns = set_up_in_7_s;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct found_params params = {.expected_ns = 0};
        struct trial_spec spec = spec_of(&early, 1, cases[i].time_ns);
        spec.params = &params;
        struct trial *trial = run_done(&spec);
        assert_watchdog(trial_recorder(trial, 1, 0, 0), cases[i].early_s, cases[i].early_s);
        const double *gated = trial_recorder(trial, 0, 0, 0);
        assert_watchdog(gated, 7, floor(gated[FOUND_WATCHDOG_S]));
        trial_free(trial);
    }
}

/* Ignored and blocked signals are inherited; the watchdog must work even then. */
static int deaf_body(void)
{
    struct fault_params params = {.fault = FAULT_ALARM};
    struct trial_spec spec = spec_of(&bench_fault, 1, 0);
    sigset_t alarm_alone;

    (void)signal(SIGALRM, SIG_IGN);
    (void)sigemptyset(&alarm_alone);
    (void)sigaddset(&alarm_alone, SIGALRM);
    CHECK(sigprocmask(SIG_BLOCK, &alarm_alone, NULL) == 0);
    spec.params = &params;
    struct trial *trial = trial_run(&spec);
    CHECK(trial && trial->outcome == TRIAL_FAILED);
    CHECK(strstr(trial->reason, "was ended by its watchdog"));
    trial_free(trial);
    return 0;
}

TEST(test_trial_watchdog_bites_where_alarms_are_ignored)
{
    assert_int_equal(fixture_in_child(deaf_body), 0);
}

/* --- Placement. --- */

static int try_fifo(void)
{
    if (task_set_policy(SCHED_FIFO, 10))
        return CANNOT;
    return 0;
}

static unsigned reaped, reaped_as_fifo;
pid_t __real_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
    int policy = SCHED_OTHER, priority;

    (void)task_get_policy(&policy, &priority);
    reaped++;
    reaped_as_fifo += policy == SCHED_FIFO;
    return __real_waitpid(pid, status, options);
}

/* The parent has a higher one, but not while it reaps. */
TEST(test_trial_reads_fifo_back_and_always_limits_it)
{
    struct trial_spec spec = spec_of(&bench_found, 1, 0);
    struct found_params params = {.expected_ns = 3000 * MS};
    const struct trial_slot *found;

    assert_int_equal(fixture_in_child(try_fifo), 0); /* needs the right to real-time priority: skipped without */
    fixture_spare_cpu(&place);
    spec.params = &params;
    place.fifo = true;
    place.fifo_priority = 10;
    reaped = reaped_as_fifo = 0;
    struct trial *trial = run_done(&spec);
    assert_true(trial->control == 98 && reaped && !reaped_as_fifo);
    found = trial_party(trial, 0, 0);
    assert_int_equal(found->seen.policy, SCHED_FIFO);
    assert_int_equal(found->seen.rt_priority, 10);
    assert_string_equal(found->refused, "");
    /* Twice the 3 s that it promised, and 2 s. */
    assert_true(((const double *)trial_recorder(trial, 0, 0, 0))[FOUND_REALTIME_US] == 8e6);
    trial_free(trial);
}

TEST(test_trial_reports_what_was_refused)
{
    struct trial_spec spec = spec_of(&bench_found, 1, 0);
    struct found_params params = {.word = 0};
    struct cpuset all = place.cpus;
    const struct trial_slot *found;

    spec.params = &params;
    place.order[0] = CPUSET_MAX - 1; /* no machine here has it */
    place.nice_given = true;
    place.nice = 20;
    place.fifo = true;
    place.fifo_priority = TASK_FIFO_MAX + 1;
    struct trial *trial = run_done(&spec);
    found = trial_party(trial, 0, 0);
    assert_string_equal(found->refused,
                        "CPU affinity refused: Invalid argument (CPU 8191 offline?); nice 20 "
                        "refused: Invalid argument (needs root, "
                        "CAP_SYS_NICE or ulimit -e); SCHED_FIFO 99 refused: Invalid argument (needs root, "
                        "CAP_SYS_NICE or ulimit -r; a cpu cgroup may forbid it)");
    assert_true(cpuset_equal(&found->seen.cpus, &all));
    assert_int_equal(found->seen.policy, SCHED_OTHER);
    trial_free(trial);
}

static int try_lock(void)
{
    return task_lock_memory() ? CANNOT : 0;
}

TEST(test_trial_locks_memory_for_a_party_that_asks)
{
    struct trial_spec spec = spec_of(&bench_found, 1, 0);
    struct found_params params = {.word = 0};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip_because("the sanitizers' shadow memory cannot be locked, and they answer mlockall themselves");
#endif
    assert_int_equal(fixture_in_child(try_lock), 0);
    spec.params = &params;
    struct trial *trial = run_done(&spec);
    assert_true(((const double *)trial_recorder(trial, 0, 0, 0))[FOUND_LOCKED] == 0);
    trial_free(trial);
    spec.bench = &bench_found_locked;
    trial = run_done(&spec);
    assert_true(((const double *)trial_recorder(trial, 0, 0, 0))[FOUND_LOCKED] > 100);
    trial_free(trial);
}

/* --- Waiting, at made-up times. --- */

static struct {
    uint64_t elapsed_ns;
    unsigned n;
} ticks;

static void note_tick(void *context, const struct trial *trial, uint64_t elapsed_ns)
{
    assert_non_null(trial);
    assert_ptr_equal(context, &ticks);
    ticks.elapsed_ns = elapsed_ns;
    ticks.n++;
}

/* It looks at the clock again after the wait: whether it woke up half a second late, and whether a tick is due. */
TEST(test_trial_wait_sees_a_late_wake_up_and_the_tick)
{
    static const struct {
        uint64_t now_ns, until_ns, tick_ns; /* tick_ns 0: none is wanted */
        bool late;
        uint64_t elapsed_ns, next_ns; /* elapsed_ns 0: no tick */
    } cases[] = {
        {1000, 2000, 0, false, 0, 0},
        {500002000, 2000, 0, false, 0, 0},
        {500002001, 2000, 0, true, 0, 0},
        {1999, 9000, 2000, false, 0, 2000},
        {2000, 9000, 2000, false, 1300, 1000002000},
        {2500, 9000, 2000, false, 1800, 1000002500},
    };
    static struct trial_head head;
    int ends[2];

    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    made_up_clock.on = true;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct trial trial = {.head = &head,
                              .event_read = ends[0],
                              .gate_ns = 700,
                              .tick_ns = cases[i].tick_ns,
                              .spec = {.tick = note_tick, .tick_context = &ticks}};
        memset(&ticks, 0, sizeof(ticks));
        assert_int_equal(write(ends[1], "xyz", 3), 3); /* wakes it */
        made_up_clock.now_ns = cases[i].now_ns;
        trial_wait_event(&trial, cases[i].until_ns, false);
        assert_int_equal(read(ends[0], &(char){0}, 1), -1); /* all of it was read */
        assert_int_equal(trial.late, cases[i].late);
        assert_int_equal(trial.stops, cases[i].late);
        assert_int_equal(ticks.n, cases[i].elapsed_ns > 0);
        assert_int_equal(ticks.elapsed_ns, cases[i].elapsed_ns);
        assert_int_equal(trial.tick_ns, cases[i].next_ns);
        assert_int_equal(trial.outcome, TRIAL_DONE);
        assert_false(trial_stopped(&trial));
        trial.outcome = TRIAL_FAILED; /* does not count when that may be why */
        assert_int_equal(trial_stopped(&trial), cases[i].late);
    }
    made_up_clock.on = false;
    (void)close(ends[0]);
    (void)close(ends[1]);
}

/* The second of three parties is stopped, continued, and stopped again. A process that is none of them does not count.
 */
TEST(test_trial_wait_sees_who_is_stopped_and_who_goes_on)
{
    static const int signals[] = {SIGSTOP, SIGCONT, SIGSTOP, SIGKILL};
    struct trial_head *head = calloc(1, sizeof(*head) + 3 * sizeof(head->slot[0]));
    pid_t pids[3] = {0};
    struct trial trial = {.head = head, .pids = pids, .event_read = -1};
    siginfo_t info;

    assert_non_null(head);
    const pid_t child = fork();
    while (!child && prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0)
        (void)pause();
    for (unsigned i = 0; i < COUNT(signals); i++) {
        assert_int_equal(kill(child, signals[i]), 0);
        assert_int_equal(waitid(P_PID, (id_t)child, &info, WSTOPPED | WCONTINUED | WEXITED | WNOWAIT), 0);
        head->slot[1].state = STATE_DONE;
        trial_wait_event(&trial, clock_raw_ns(), false);
        assert_int_equal(trial.halted, i >= 2);
        assert_int_equal(trial.stopped, i > 0);
        assert_int_equal(trial.stops, i < 3 ? i : 2);
        trial.n_slots = 3; /* from now on it is one of them */
        if (i == 0)
            pids[1] = child;
    }
    assert_int_equal(pids[1], 0);
    free(head);
}

TEST(test_trial_slots_have_reached_a_state_when_all_have)
{
    static const struct party some[] = {{.role = ROLE_PARTNER}, {.role = ROLE_MEASURED}};
    static const struct bench bench = {BENCH_PARTIES(some)};
    struct trial_head *head = calloc(1, sizeof(*head) + 3 * sizeof(head->slot[0]));
    struct trial trial = {.spec = {.bench = &bench}, .head = head, .n_slots = 3};

    assert_non_null(head);
    head->slot[1].party = head->slot[2].party = 1;
    assert_true(trial_slots_reached(&trial, STATE_STARTING, false));
    assert_false(trial_slots_reached(&trial, STATE_READY, true));
    for (int first = 1; first <= 2; first++) {
        head->slot[first].state = STATE_DONE;
        head->slot[3 - first].state = STATE_READY;
        assert_false(trial_slots_reached(&trial, STATE_DONE, true));
    }
    head->slot[1].state = head->slot[2].state = STATE_DONE;
    assert_true(trial_slots_reached(&trial, STATE_READY, true) && trial_slots_reached(&trial, STATE_DONE, true));
    assert_false(trial_slots_reached(&trial, STATE_READY, false));
    head->slot[0].state = STATE_READY;
    assert_true(trial_slots_reached(&trial, STATE_READY, false));
    assert_false(trial_slots_reached(&trial, STATE_DONE, false));
    free(head);
}

/* --- The worker's command line. --- */

static char worker_arguments[4][32];

static int worker_body(void)
{
    char *argv[] = {worker_arguments[0], worker_arguments[1], worker_arguments[2], worker_arguments[3], NULL};

    trial_worker_main(worker_arguments[3][0] ? 4 : 3, argv, registry, no_loads);
    return 2; /* it came back */
}

static int worker_status(const char *word, const char *fd, const char *slot)
{
    (void)snprintf(worker_arguments[0], sizeof(worker_arguments[0]), "jitbench");
    (void)snprintf(worker_arguments[1], sizeof(worker_arguments[1]), "%s", word);
    (void)snprintf(worker_arguments[2], sizeof(worker_arguments[2]), "%s", fd);
    (void)snprintf(worker_arguments[3], sizeof(worker_arguments[3]), "%s", slot);
    return fixture_in_child(worker_body);
}

static int worker_of(int fd, const struct trial_head *head, const char *slot)
{
    char number[16];

    (void)snprintf(number, sizeof(number), "%d", fd);
    assert_int_equal(pwrite(fd, head, sizeof(*head), 0), sizeof(*head));
    return worker_status("@worker", number, slot);
}

TEST(test_trial_worker_main_refuses_what_is_no_shm)
{
    static struct trial_head head;
    size_t size = sizeof(head) + 2 * sizeof(struct trial_slot);
    int fd = process_shared_memory(size), short_fd = process_shared_memory(16);
    char number[16];

    assert_true(fd >= 0 && short_fd >= 0);
    assert_int_equal(worker_status("@worker", "", "0"), 125);
    assert_int_equal(worker_status("@worker", "3x", "0"), 125);
    assert_int_equal(worker_status("@worker", "-1", "0"), 125);
    assert_int_equal(worker_status("@worker", "99999", "0"), 123); /* fstat */
    assert_int_equal(worker_status("@worker", "999999999999999999999", "0"), 125);
    (void)snprintf(number, sizeof(number), "%d", short_fd);
    assert_int_equal(worker_status("@worker", number, "0"), 125);
    assert_int_equal(worker_of(fd, &head, "0"), 125); /* all zero */

    head.magic = SHM_MAGIC;
    head.size = size;
    head.n_slots = 1;
    (void)snprintf(head.bench, sizeof(head.bench), "barrier");
    process_build_id(head.build, sizeof(head.build));
    assert_int_equal(worker_of(fd, &head, "0"), 1); /* good as far as it goes: but its parent is not process 0 */
    assert_int_equal(worker_of(fd, &head, "1"), 125);
    assert_int_equal(worker_of(fd, &head, "-1"), 125);
    assert_int_equal(worker_of(fd, &head, "0x"), 125);
    head.magic++;
    assert_int_equal(worker_of(fd, &head, "0"), 125);
    head.magic--;
    head.size--;
    assert_int_equal(worker_of(fd, &head, "0"), 125);
    head.size++;
    head.build[0] ^= 1;
    assert_int_equal(worker_of(fd, &head, "0"), 125);
    head.build[0] ^= 1;
    head.bench[0] = 'c';
    assert_int_equal(worker_of(fd, &head, "0"), 125);
    (void)close(fd);
    (void)close(short_fd);
}

static const struct bench *const registry[] = {
    &bench_ping,        &bench_stop,   &bench_barrier, &bench_fault,       &bench_fault_of_two,
    &bench_bad_thread,  &bench_litter, &bench_found,   &bench_found_early, &bench_found_locked,
    &bench_fault_later, &bench_paused, NULL,
};

int main(int argc, char **argv)
{
    trial_worker_main(argc, argv, registry, no_loads);
    process_init();
    fixture_default_signals();
    signals_init();
    return run_all_tests();
}
