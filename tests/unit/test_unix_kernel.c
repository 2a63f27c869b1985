/* SPDX-License-Identifier: MIT */
/* The UNIX microbenchmarks that exercise the kernel: as trials, with this program as its own worker, and by their
 * callbacks. */
#include "engine_fixture.h"

#include "bench/unix.h"
#include "engine/trial.h"

static char dir[] = "/tmp/test_unix_kernel_XXXXXX";
static struct place_request place;

/* --- Partners of context1 that go wrong. --- */

static int answer_wrong(struct party_context *context)
{
    uint64_t number;

    party_proved(context); /* the warm-up may be over before the seventh */
    while (read(context->pipes[0][0], &number, sizeof(number)) == sizeof(number)) {
        number += number == 7;
        if (write(context->pipes[1][1], &number, sizeof(number)) != sizeof(number))
            return -1;
    }
    return 0;
}

static int die(struct party_context *context)
{
    uint64_t number;

    if (read(context->pipes[0][0], &number, sizeof(number)) == sizeof(number))
        (void)raise(SIGKILL);
    return 0;
}

static struct party wrong_parties[2], dying_parties[2];
static struct bench bench_wrong, bench_dying;

static void make_broken(struct bench *bench, const char *name, struct party *parties,
                        int (*run)(struct party_context *))
{
    *bench = bench_context1;
    memcpy(parties, bench_context1.parties, 2 * sizeof(*parties));
    parties[1].run = run;
    bench->name = name;
    bench->parties = parties;
}

static const struct bench *const registry[] = {&bench_wrong, &bench_dying, NULL};

static struct unix_params params_of_tests(void)
{
    struct unix_params params;

    memset(&params, 0, sizeof(params));
    (void)snprintf(params.dir, sizeof(params.dir), "%s", dir);
    return params;
}

static void assert_nothing_left(void)
{
    fixture_assert_no_children();
    assert_int_equal(fixture_count_files(dir), 0);
}

static struct trial *run_trial(const struct bench *bench, const struct unix_params *params)
{
    const struct trial_spec spec = {.bench = bench,
                                    .params = params,
                                    .copies = 1,
                                    .time_ns = 60 * MS,
                                    .place = &place,
                                    .clock = &fixture_clock,
                                    .series_fd = -1};
    struct trial *trial = trial_run(&spec);

    assert_non_null(trial);
    return trial;
}

static void assert_fails(const struct bench *bench, const char *reason)
{
    const struct unix_params params = params_of_tests();
    struct trial *trial = run_trial(bench, &params);

    assert_int_equal(trial->outcome, TRIAL_FAILED);
    assert_string_equal(trial->reason, reason);
    trial_free(trial);
    assert_nothing_left();
}

TEST(test_context1_sees_a_wrong_number)
{
    assert_fails(&bench_wrong, "self-check failed: number 7 came back as 8");
}

TEST(test_context1_whose_partner_dies_says_how)
{
    assert_fails(&bench_dying, "partner was killed by signal 9 (Killed): perhaps out of memory");
}

/* --- Placement. --- */

static void request_of(struct place_request *request, unsigned n)
{
    memset(request, 0, sizeof(*request));
    for (unsigned i = 0; i < n; i++) {
        cpuset_add(&request->cpus, 10 + i);
        request->order[i] = 10 + i;
    }
    request->online = request->cpus;
    request->n_order = n;
}

/* Where the copies of context1-two sit, as the command line has found out. */
static struct cpu_pair pairs_of_three[] = {
    {10, 11, CPUS_SAME_CORE}, {11, 12, CPUS_SAME_CACHE}, {12, 10, CPUS_SAME_CACHE}};

static void assert_placed(const struct bench *bench, int halves, const struct place_request *request, unsigned party,
                          unsigned copy, const char *cpus, enum bind_mode bind)
{
    struct unix_params params = params_of_tests();
    struct placement placement;
    char text[64];

    params.halves = halves;
    params.pairs = (struct cpu_pairs){.pair = pairs_of_three, .n = request->n_order == 3 ? 3 : 0};
    bench->place(&(struct place_of){&params, request, party, copy}, &placement);
    (void)cpuset_format(&placement.cpus, text, sizeof(text));
    assert_string_equal(text, cpus);
    assert_int_equal(placement.bind, bind);
    assert_string_equal(placement.refused, "");
}

TEST(test_context1_places_its_halves)
{
    struct place_request request;

    request_of(&request, 3);
    for (unsigned party = 0; party < 2; party++) {
        assert_placed(&bench_context1, HALVES_FREE, &request, party, 1, "10-12", BIND_RANGE);
        assert_placed(&bench_context1, HALVES_SAME, &request, party, 1, "11", BIND_ONE);
        assert_placed(&bench_context1, HALVES_SAME, &request, party, 3, "10", BIND_ONE);
    }
    assert_placed(&bench_context1, HALVES_TWO, &request, 0, 1, "11", BIND_ONE);
    assert_placed(&bench_context1, HALVES_TWO, &request, 1, 1, "12", BIND_ONE);
    assert_placed(&bench_context1, HALVES_TWO, &request, 0, 2, "12", BIND_ONE);
    assert_placed(&bench_context1, HALVES_TWO, &request, 1, 2, "10", BIND_ONE);
    request.bind = BIND_NONE;
    assert_placed(&bench_context1, HALVES_FREE, &request, 0, 1, "", BIND_NONE);
    assert_placed(&bench_context1, HALVES_TWO, &request, 1, 1, "12", BIND_ONE);
}

/* --- Callbacks. --- */

struct harness {
    struct unix_params params;
    struct party_context context;
    struct trial_head *head; /* with one slot, shared as in a trial */
    char reason[240];
    const struct party *party;
};

#define HEAD_SIZE (sizeof(struct trial_head) + sizeof(struct trial_slot))

static void harness_init(struct harness *h, const struct bench *bench)
{
    memset(h, 0, sizeof(*h));
    h->params = params_of_tests();
    h->party = &bench->parties[0];
    h->head = mmap(NULL, HEAD_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(h->head != MAP_FAILED);
    h->head->n_slots = 1;
    h->context = (struct party_context){.bench = bench,
                                        .params = &h->params,
                                        .head = h->head,
                                        .slot = h->head->slot,
                                        .copies = 1,
                                        .baton = &h->head->slot[0].baton,
                                        .series_fd = -1,
                                        .reason = h->reason,
                                        .reason_size = sizeof(h->reason)};
    for (unsigned i = 0; i < h->party->n_recorders; i++) {
        h->context.recorder[i] = malloc(recorder_size(&h->party->recorders[i]));
        assert_non_null(h->context.recorder[i]);
        recorder_init(&h->party->recorders[i], h->context.recorder[i]);
    }
    assert_int_equal(party_make_state(&h->context, h->party), 0);
}

static void harness_end(struct harness *h)
{
    if (h->party->teardown)
        h->party->teardown(&h->context);
    if (h->party->state_size)
        free(h->context.state);
    for (unsigned i = 0; i < h->party->n_recorders; i++)
        free(h->context.recorder[i]);
    assert_int_equal(munmap(h->head, HEAD_SIZE), 0);
}

static int next_fd(void)
{
    int fd = dup(0);

    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    return fd;
}

/* Descriptor of a scratch file: its directory's is opened first. */
static int next_file(void)
{
    return next_fd() + 1;
}

static void assert_check(struct harness *h, const char *name)
{
    assert_int_equal(h->party->verify(&h->context), 0);
    const struct check *wrong = checks_wrong(h->context.recorder[UNIX_CHECKS]);
    if (!name) {
        assert_null(wrong);
        return;
    }
    assert_non_null(wrong);
    assert_string_equal(wrong->name, name);
}

static void assert_damage_is_seen(const struct bench *bench, int which, const char *name)
{
    struct harness h;

    harness_init(&h, bench);
    int fd = next_file() + which;
    assert_int_equal(h.party->setup(&h.context), 0);
    assert_int_equal(h.party->work(&h.context, 9000), 0);
    assert_int_equal(pwrite(fd, "\1\1", 2, 300000), 2);
    assert_check(&h, name);
    harness_end(&h);
}

static void assert_context1_described(const struct unix_params *params, const char *begins)
{
    struct row_params out = {.n = 0};

    bench_context1.describe(&(const struct bench_case){&bench_context1, params, NULL, 1}, &out);
    if (strncmp(out.text, begins, strlen(begins)) != 0 || strncmp(out.text + strlen(begins), " linkage=", 9) != 0)
        fail_msg("'%s' does not begin with '%s'", out.text, begins);
}

TEST(test_context1_names_what_its_halves_share)
{
    struct unix_params params = params_of_tests();

    params.halves = HALVES_FREE;
    assert_context1_described(&params, "halves=free");
    params.halves = HALVES_TWO;
    params.pairs = (struct cpu_pairs){.pair = pairs_of_three, .n = 1};
    assert_context1_described(&params, "halves=two relation=same-core");
    params.pairs.n = 3;
    params.pairs_name = "near";
    assert_context1_described(&params, "halves=two pairs=near relation=same-core+same-cache");
}

TEST(test_fcopy_sees_damaged_files)
{
    assert_damage_is_seen(&bench_fcopy1024, 0, "wrong bytes in the file read");
    assert_damage_is_seen(&bench_fcopy1024, 1, "wrong bytes in the file written");
    assert_damage_is_seen(&bench_fwrite4096, 0, "wrong bytes in the file written");
    assert_damage_is_seen(&bench_fread256, 0, "wrong bytes in the file read");
}

TEST(test_fcopy_sees_a_file_that_lost_its_end)
{
    struct harness h;

    harness_init(&h, &bench_fcopy256);
    int to = next_file() + 1;
    assert_int_equal(h.party->setup(&h.context), 0);
    assert_int_equal(h.party->work(&h.context, 100), 0);
    assert_int_equal(ftruncate(to, 99 * 1024), 0);
    assert_check(&h, "wrong bytes in the file written");
    harness_end(&h);
}

TEST(test_pipe_sees_another_block)
{
    struct harness h;
    char block[512];

    harness_init(&h, &bench_pipe);
    int from = next_fd();
    assert_int_equal(h.party->setup(&h.context), 0);
    assert_int_equal(h.party->work(&h.context, 100), 0);
    assert_check(&h, NULL);
    memset(block, 0, sizeof(block));
    assert_int_equal(write(from + 1, block, sizeof(block)), sizeof(block)); /* in front of the next one */
    assert_int_equal(h.party->work(&h.context, 1), -1);
    assert_string_equal(h.reason, "self-check failed: the block read from the pipe is not the block written");
    harness_end(&h);
}

/* --- Calls that fail. --- */

static int wait_errors[4]; /* of the next calls; 0 ends them */

pid_t __real_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
    const int error = wait_errors[0];

    if (!error)
        return __real_waitpid(pid, status, options);
    memmove(wait_errors, wait_errors + 1, sizeof(wait_errors) - sizeof(wait_errors[0]));
    errno = error;
    return -1;
}

/* Interrupted twice; then the kernel has no such child. */
TEST(test_unix_kernel_waits_until_the_child_has_ended)
{
    static const struct bench *const all[] = {&bench_spawn, &bench_sysexec};
    static const char *const reasons[] = {"cannot wait for the child: No child processes",
                                          "cannot wait for /bin/true: No child processes"};

    for (size_t b = 0; b < COUNT(all); b++) {
        struct harness h;
        harness_init(&h, all[b]);
        wait_errors[0] = wait_errors[1] = EINTR;
        assert_int_equal(h.party->work(&h.context, 3), 0);
        fixture_assert_no_children();
        wait_errors[0] = EINTR;
        wait_errors[1] = ECHILD;
        assert_int_equal(h.party->work(&h.context, 3), -1);
        assert_string_equal(h.reason, reasons[b]);
        assert_true(waitpid(-1, NULL, 0) > 0); /* the one that it did not wait for */
        harness_end(&h);
    }
    assert_nothing_left();
}

/* The answers that are expected are the first two numbers of the state. */
static int wrong_answers(void)
{
    static const struct {
        const struct bench *bench;
        int answer; /* that is expected to be another */
        bool mask, no_input;
        bool wrong;
    } cases[] = {
        {&bench_syscall, -1, false, false, false},   {&bench_syscall, 0, false, false, true},
        {&bench_syscall, 1, false, false, true},     {&bench_syscall, -1, true, false, true},
        {&bench_sysgetpid, -1, false, false, false}, {&bench_sysgetpid, 0, false, false, true},
        {&bench_sysclose, 0, false, false, false},   {&bench_sysclose, -1, false, true, true},
        {&bench_syscall, -1, false, true, true},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct harness h;
        harness_init(&h, cases[i].bench);
        const int input = dup(0);
        CHECK(h.party->setup(&h.context) == 0);
        if (cases[i].answer >= 0)
            ((long *)h.context.state)[cases[i].answer] ^= 64;
        if (cases[i].mask)
            (void)umask(077);
        if (cases[i].no_input)
            CHECK(close(0) == 0);
        CHECK(h.party->work(&h.context, 0) == 0);
        CHECK(h.party->work(&h.context, 2) == 0);
        CHECK(h.party->work(&h.context, 0) == 0);
        CHECK(h.party->verify(&h.context) == 0);
        CHECK((checks_wrong(h.context.recorder[UNIX_CHECKS]) != NULL) == cases[i].wrong);
        CHECK(umask(022) == 022);
        CHECK(dup2(input, 0) == 0 && close(input) == 0);
        harness_end(&h);
    }
    return 0;
}

TEST(test_syscall_compares_each_answer)
{
    assert_int_equal(fixture_in_child(wrong_answers), 0);
}

static int prepare(void **state)
{
    fixture_place(&place);
    if (!mkdtemp(dir))
        return -1;
    return chmod(dir, 0777);
}

static int finish(void **state)
{
    return rmdir(dir);
}

GROUP(prepare, finish);

int main(int argc, char **argv)
{
    make_broken(&bench_wrong, "wrong", wrong_parties, answer_wrong);
    make_broken(&bench_dying, "dying", dying_parties, die);
    trial_worker_main(argc, argv, registry, no_loads);
    process_init();
    signals_init();
    return run_all_tests();
}
