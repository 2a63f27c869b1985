/* SPDX-License-Identifier: MIT */
/* Any program as a benchmark: its words as bytes, where it is placed, how it is described, how long it may take. */

#include "bench_fixture.h"

#include "bench/command.h"
#include "made_up_trial.h"
#include "memory_fixture.h"

/* --- A system that is made up here: programs that never run, and calls that fail. --- */

static struct {
    char log[2048];    /* the calls, a word each */
    const char *fails; /* the call that returns `error`: of those with this name the one with this number, from 0 */
    unsigned at;
    int error;
    struct command_params *params; /* tells which descriptors were given */
    int starts;                    /* the programs have the pids 100, 101, ..., and start at pid * 1,000 ns */
    int status[8];                 /* of each program's end */
    bool children, fixed;
    unsigned left;
    int policy, priority, policy_error, nice_error;
} made;

/* Adds a call to the log: its name, and behind a ':' its arguments. Returns the error with which it is to fail, or 0.
 */
static int note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int note(const char *format, ...)
{
    char words[128];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(words, sizeof(words), format, arguments);
    va_end(arguments);
    text_add(made.log, sizeof(made.log), "%s%s", made.log[0] ? " " : "", words);
    words[strcspn(words, ":")] = 0;
    return made.fails && !strcmp(words, made.fails) && made.at-- == 0 ? made.error : 0;
}

static void made_be_parent(void)
{
    (void)note("parent");
}

static int made_guard(struct program_guard *guard, pid_t group)
{
    return note("guard%s", group == getpgrp() ? "" : " of others");
}

static void made_unguard(struct program_guard *guard)
{
    (void)note("unguard");
}

static bool made_has_children(void)
{
    (void)note("children");
    return made.children;
}

static unsigned made_end_orphans(uint64_t grace_ns)
{
    (void)note("orphans:%llu", (unsigned long long)grace_ns);
    return made.left;
}

static int made_can_share(void)
{
    return note("share");
}

static void made_barrier(struct party_context *context)
{
    (void)note("barrier");
}

/* Notes the path, the last argument, the number of variables, and of each descriptor whether it is
 * /dev/null, given or opened. */
static pid_t made_start(const struct program *program, uint64_t *exec_ns)
{
    unsigned last = 0, variables = 0;
    char files[4] = "";

    while (program->argv[last + 1])
        last++;
    while (program->envp[variables])
        variables++;
    assert_int_equal(!strncmp(program->envp[0], PROCESS_PAD_NAME, strlen(PROCESS_PAD_NAME)), variables == 3);
    for (int i = 0; i < 3; i++) {
        assert_true(program->fds[i] == -1 || fcntl(program->fds[i], F_GETFD) >= 0);
        files[i] = program->fds[i] == -1 ? 'n' : program->fds[i] == made.params->fds[i] ? 'g' : 'o';
    }
    int error = note("start:%s:%s:%u:%s", program->path, program->argv[last], variables, files);
    if (program->prepare)
        assert_int_equal(program->prepare(program->context), 0);
    pid_t pid = 100 + made.starts++;
    *exec_ns = 1000 * (uint64_t)pid;
    return error ? error : pid;
}

static int made_wait(pid_t pid, uint64_t until_ns, uint64_t *end_ns)
{
    *end_ns = 1000 * (uint64_t)pid + 700;
    return note("wait:%d+%lld", (int)pid, (long long)until_ns - 1000 * pid);
}

static int made_reap(pid_t pid, struct program_end *end)
{
    *end = (struct program_end){.status = made.status[pid - 100], .last_cpu = 5, .counters = {.cpu_ns = 42}};
    end->usage.ru_utime = (struct timeval){.tv_sec = 3, .tv_usec = 250000};
    end->usage.ru_stime = (struct timeval){.tv_sec = 1, .tv_usec = 500000};
    end->usage.ru_maxrss = 7;
    return note("reap:%d", (int)pid);
}

static int made_get_policy(int *policy, int *priority)
{
    *policy = made.policy;
    *priority = made.priority;
    return note("get_policy");
}

static int made_set_policy(int policy, int priority)
{
    return note("set_policy:%d:%d", policy, priority);
}

static int made_get_nice(int *nice_value)
{
    *nice_value = -4;
    return note("get_nice");
}

static int made_set_policy_inherited(int policy, int priority)
{
    (void)note("inherit:%d:%d", policy, priority);
    return made.policy_error;
}

static int made_set_nice(int nice_value)
{
    (void)note("nice:%d", nice_value);
    return made.nice_error;
}

static bool made_layout_fixed(void)
{
    return made.fixed;
}

static int made_fix_layout(void)
{
    return note("fix_layout");
}

static void made_read_back(struct placement_seen *out)
{
    (void)note("read_back");
    out->nice = 11;
}

/* The same source, on that system. */
#define program_be_parent         made_be_parent
#define program_guard(a, b)       made_guard(a, b)
#define program_unguard           made_unguard
#define program_has_children      made_has_children
#define program_end_orphans       made_end_orphans
#define program_can_share         made_can_share
#define party_barrier             made_barrier
#define program_start             made_start
#define program_wait              made_wait
#define program_reap              made_reap
#define task_get_policy           made_get_policy
#define task_set_policy           made_set_policy
#define task_get_nice             made_get_nice
#define task_set_policy_inherited made_set_policy_inherited
#define task_set_nice             made_set_nice
#define task_layout_fixed         made_layout_fixed
#define task_fix_layout           made_fix_layout
#define place_read_back           made_read_back
#include "../../src/bench/command.c"

static char *const argv[] = {(char *)"make", (char *)"-j2", (char *)"", NULL};
static char *const prepare[] = {(char *)"rm", (char *)"-r", NULL};
static char *const env[] = {(char *)"A=1", (char *)"B=", NULL};
static char *const nothing[] = {NULL};

static void assert_list(char *const *got, char *const *expected)
{
    for (; *expected; got++, expected++)
        assert_string_equal(*got, *expected);
    assert_null(*got);
}

TEST(test_command_words_come_back)
{
    const struct command_image
        image = {.path = "/usr/bin/make", .prepare_path = "/bin/rm", .argv = argv, .prepare = prepare, .env = env},
        plain = {.path = "x", .prepare_path = "", .argv = argv, .prepare = nothing, .env = nothing};
    struct command_image got;
    struct text bytes = {0};

    command_pack(&image, &bytes);
    size_t first = bytes.length;
    command_pack(&plain, &bytes);
    void *block = command_unpack(bytes.data, first, &got);
    assert_non_null(block);
    assert_string_equal(got.path, "/usr/bin/make");
    assert_string_equal(got.prepare_path, "/bin/rm");
    assert_list(got.argv, argv);
    assert_list(got.prepare, prepare);
    assert_list(got.env, env);
    assert_null(got.env[-1]); /* room for the padding */
    free(block);
    block = command_unpack(bytes.data + first, bytes.length - first, &got);
    assert_non_null(block);
    assert_string_equal(got.prepare_path, "");
    assert_list(got.argv, argv);
    assert_list(got.prepare, nothing);
    assert_list(got.env, nothing);
    free(block);
    text_free(&bytes);
}

/* A worker looks at memory that others can write. */
TEST(test_command_bytes_that_are_cut_off_are_refused)
{
    const struct command_image image = {.path = "p", .prepare_path = "", .argv = argv, .prepare = nothing, .env = env};
    struct command_image got;
    struct text bytes = {0};

    command_pack(&image, &bytes);
    for (size_t size = 0; size < bytes.length; size++) {
        char *copy = malloc(size + 1); /* of exactly that size: a sanitizer sees what reads on */
        assert_non_null(copy);
        memcpy(copy, bytes.data, size);
        assert_null(command_unpack(copy, size, &got));
        free(copy);
    }
    memset(bytes.data, 0xff, 4);
    assert_null(command_unpack(bytes.data, bytes.length, &got));
    assert_null(command_unpack(NULL, bytes.length, &got));
    text_free(&bytes);
}

/* --- Placement. --- */

static void make_request(struct place_request *request, bool more_cpus)
{
    fixture_place_of_three(request, BIND_RANGE, more_cpus);
    request->fifo_priority = 7;
}

static void assert_placed(const struct place_request *request, unsigned copy, const char *cpus, int policy,
                          bool refused)
{
    const struct command_params params = {.warmup = 0};
    struct placement placement;
    char text[64];

    bench_command.place(&(struct place_of){&params, request, 0, copy}, &placement);
    (void)cpuset_format(&placement.cpus, text, sizeof(text));
    assert_string_equal(text, cpus);
    assert_int_equal(placement.policy, policy);
    assert_int_equal(placement.refused[0] != 0, refused);
}

TEST(test_command_real_time_leaves_a_cpu_to_others)
{
    struct place_request request;

    make_request(&request, true);
    request.fifo = true;
    assert_placed(&request, 0, "1,3,5", SCHED_FIFO, false);
    make_request(&request, false);
    request.fifo = true;
    assert_placed(&request, 0, "1,5", SCHED_FIFO, true);
    assert_placed(&request, 7, "1,5", SCHED_FIFO, true);
    request.bind = BIND_ONE;
    assert_placed(&request, 0, "5", SCHED_FIFO, false);
    request.bind = BIND_NONE;
    assert_placed(&request, 0, "1,5", SCHED_FIFO, true);
}

/* --- Commands that do not run: which calls are made, and what is said of those that fail. Those that run:
 * cli/test_run.c. --- */

static const struct command_params no_files = {.fds = {-1, -1, -1}};

static struct {
    struct fixture_party party;
    struct command_params params;
    int given[3];
} worker;

static size_t pack_one(struct text *bytes, const char *path, const char *prepare_path)
{
    char *const words[] = {(char *)"name", (char *)path, NULL};
    char *const before[] = {(char *)"name", (char *)prepare_path, NULL};
    const struct command_image image = {
        .path = path, .prepare_path = prepare_path, .argv = words, .prepare = before, .env = env};
    size_t from = bytes->length;

    command_pack(&image, bytes);
    return bytes->length - from;
}

/* A worker on the made-up system, for the command /c with a warm-up, the setup command /s and the prepare command /p
 * ("": none). Its descriptors are given if so asked for. */
static void begin(const char *prepare_path, bool with_files)
{
    struct command_params *params = &worker.params;
    struct text bytes = {0};

    memset(&made, 0, sizeof(made));
    *params = no_files;
    params->warmup = 1;
    params->timeout_ns = 1500 * MS;
    params->setup_size = pack_one(&bytes, "/s", "");
    params->image_offset = bytes.length;
    params->image_size = pack_one(&bytes, "/c", prepare_path);
    params->image_fd = process_shared_memory(bytes.length);
    assert_int_equal(pwrite(params->image_fd, bytes.data, bytes.length, 0), bytes.length);
    text_free(&bytes);
    for (int i = 0; i < 3; i++) {
        worker.given[i] = fixture_file();
        params->fds[i] = with_files ? worker.given[i] : -1;
    }
    fixture_party_begin(&worker.party, &bench_command, params);
    made.params = params;
}

/* None of the descriptors that were opened is left, and those that were given are still open. */
static void end(void)
{
    fixture_party_end(&worker.party);
    for (int i = 0; i < 3; i++)
        assert_int_equal(close(worker.given[i]), 0);
    assert_int_equal(close(worker.params.image_fd), 0);
}

static int set_up(void)
{
    return worker.party.party->setup(&worker.party.context);
}

static int run_once(void)
{
    return worker.party.party->run(&worker.party.context);
}

static void assert_log(const char *expected)
{
    assert_string_equal(made.log, expected);
    made.log[0] = 0;
}

TEST(test_command_calls_in_their_order)
{
    const int before = fixture_count_fds();

    begin("/p", true);
    assert_int_equal(set_up(), 0);
    assert_log("parent guard barrier start:/s:/s:2:ngg wait:100+1500000000 reap:100 barrier "
               "barrier start:/p:/p:2:ngg wait:101+1500000000 reap:101 barrier "
               "start:/c:/c:3:ggg read_back wait:102+1500000000 reap:102 "
               "barrier start:/p:/p:2:ngg wait:103+1500000000 reap:103 barrier unguard children guard");
    assert_true(worker.party.context.expected_ns == 1500 * MS);
    assert_int_equal(run_once(), 0);
    assert_log("get_policy get_nice start:/c:/c:3:ggg read_back wait:104+1500000000 reap:104");
    made.left = 1;
    end();
    assert_log("unguard orphans:20000000");
    assert_int_equal(fixture_count_fds(), before);
    /* Without files, prepare and random layout. */
    begin("", false);
    worker.params.fixed_layout = true;
    assert_int_equal(set_up(), 0);
    assert_log("parent guard barrier start:/s:/s:2:nnn wait:100+1500000000 reap:100 barrier "
               "start:/c:/c:2:nnn fix_layout read_back wait:101+1500000000 reap:101");
    made.fixed = true;
    assert_int_equal(run_once(), 0);
    assert_log("get_policy get_nice start:/c:/c:2:nnn read_back wait:102+1500000000 reap:102");
    end();
    assert_int_equal(fixture_count_fds(), before);
}

/* Setup and warm-ups come before the first sample only, and the first copy prepares for all. */
TEST(test_command_later_samples_and_copies_are_only_prepared)
{
    begin("/p", false);
    worker.party.context.sample = 1;
    assert_int_equal(set_up(), 0);
    assert_log("parent guard barrier start:/p:/p:2:nnn wait:100+1500000000 reap:100 barrier unguard children guard");
    end();
    begin("/p", false);
    worker.party.context.copies = 2;
    worker.party.context.copy = 1;
    assert_int_equal(set_up(), 0);
    assert_log("parent guard barrier barrier barrier barrier start:/c:/c:3:nnn read_back wait:100+1500000000 reap:100 "
               "barrier barrier unguard children guard");
    end();
}

TEST(test_command_figures_are_those_of_its_end)
{
    const struct trial_slot *slot;

    begin("", false);
    assert_int_equal(set_up(), 0);
    assert_int_equal(run_once(), 0);
    const double *numbers = worker.party.context.recorder[0];
    assert_true(numbers[NUMBER_USER_S] == 3.25 && numbers[NUMBER_SYSTEM_S] == 1.5);
    assert_true(numbers[NUMBER_MAX_RSS] == 7168 && numbers[NUMBER_EXIT_CODE] == 0);
    slot = worker.party.context.slot;
    assert_true(slot->start_ns == 102000 && slot->end_ns == 102700);
    assert_int_equal(slot->last_cpu, 5);
    assert_int_equal(slot->counters.cpu_ns, 42);
    assert_int_equal(slot->seen.nice, 11);
    end();
}

/* The programs are /s, /p, /c as a warm-up, /p and /c. What fails is the last that is done, and the reason names it. */
TEST(test_command_says_which_call_failed)
{
    static const char *const whats[] = {
        "the setup command: ", "the prepare command: ", "a warm-up run: ", "the prepare command: ", ""};
    static const char *const paths[] = {"/s", "/p", "/c", "/p", "/c"};
    static const struct {
        const char *call;
        int error, status;
        const char *reason, *behind; /* with the path between them, unless behind is NULL */
    } cases[] = {
        {"start", -ENOENT, 0, "cannot execute '", "': No such file or directory"},
        {"wait", -ETIMEDOUT, 0, "still running after 1.5 s (--timeout); killed", NULL},
        {"wait", -EINVAL, 0, "cannot be waited for: Invalid argument", NULL},
        {"reap", -EACCES, 0, "cannot be waited for: Permission denied", NULL},
        {NULL, 0, 3 << 8, "exit status 3", NULL},
        {NULL, 0, SIGTERM, "killed by signal 15 (Terminated)", NULL},
    };
    const int before = fixture_count_fds();

    for (size_t i = 0; i < COUNT(cases); i++)
        for (unsigned nth = 0; nth < COUNT(paths); nth++) {
            char expected[160];
            begin("/p", false);
            made.fails = cases[i].call;
            made.at = nth;
            made.error = cases[i].error;
            made.status[nth] = cases[i].status;
            (void)snprintf(expected, sizeof(expected), "%s%s%s%s", whats[nth], cases[i].reason,
                           cases[i].behind ? paths[nth] : "", cases[i].behind ? cases[i].behind : "");
            assert_int_equal(set_up(), nth < 4 ? -1 : 0);
            assert_int_equal(nth < 4 ? -1 : run_once(), -1);
            assert_string_equal(worker.party.reason, expected);
            assert_int_equal(made.starts, nth + 1);
            end();
            assert_int_equal(fixture_count_fds(), before);
        }
}

TEST(test_command_that_cannot_be_guarded_does_not_run)
{
    for (unsigned nth = 0; nth < 2; nth++) {
        begin("/p", false);
        made.fails = "guard";
        made.at = nth;
        made.error = -EPERM;
        assert_int_equal(set_up(), -1);
        assert_string_equal(worker.party.reason,
                            "cannot start a guard for the command's processes: Operation not permitted");
        assert_int_equal(made.starts, nth ? 4 : 0);
        end();
    }
}

/* A failure that is to be ignored is the command's own. */
TEST(test_command_failure_is_ignored_of_the_command_only)
{
    for (unsigned nth = 0; nth < 5; nth++) {
        const bool of_command = nth == 2 || nth == 4;
        begin("/p", false);
        worker.params.ignore_failure = true;
        made.status[nth] = 9 << 8;
        assert_int_equal(set_up(), of_command ? 0 : -1);
        if (of_command) {
            assert_int_equal(run_once(), 0);
            assert_true(((double *)worker.party.context.recorder[0])[NUMBER_EXIT_CODE] == (nth == 4 ? 9 : 0));
        }
        end();
    }
}

/* Bytes of the setup command or of the command that are no words. */
TEST(test_command_bytes_that_are_no_words_do_not_run)
{
    begin("", false);
    worker.params.setup_size = 4;
    assert_int_equal(set_up(), -1);
    assert_string_equal(worker.party.reason, "out of memory");
    assert_log("parent guard");
    end();
    begin("", false);
    worker.params.image_size = 4;
    assert_int_equal(set_up(), -1);
    assert_string_equal(worker.party.reason, "cannot read the command line: out of memory");
    end();
}

/* The worker's policy is the command's, and it can still kill a command that never sleeps. */
TEST(test_command_gets_the_policy_of_its_worker)
{
    static const struct {
        int policy, priority, policy_error, nice_error;
        const char *fails, *before, *within, *refused;
    } cases[] = {
        {SCHED_OTHER, 0, -EPERM, -EPERM, "", "", "", ""},
        {SCHED_BATCH, 0, -EPERM, -EPERM, "", "", "", ""},
        {SCHED_FIFO, 50, 0, 0, "", " set_policy:1:51", " inherit:1:50 nice:-4", ""},
        {SCHED_FIFO, 97, 0, 0, "get_nice", " set_policy:1:98", " inherit:1:97 nice:0", ""},
        {SCHED_RR, 98, -EPERM, -EACCES, "", "", " inherit:2:98 nice:-4",
         "SCHED_RR 98 refused to the command: Operation not permitted"},
        {SCHED_FIFO, 7, -EPERM, 0, "", " set_policy:1:8", " inherit:1:7 nice:-4",
         "SCHED_FIFO 7 refused to the command: Operation not permitted"},
        {SCHED_FIFO, 7, 0, -EACCES, "", " set_policy:1:8", " inherit:1:7 nice:-4",
         "nice -4 refused to the command: Permission denied"},
        {SCHED_FIFO, 7, 0, 0, "get_policy", "", "", ""},
    };
    char expected[256];

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin("", false);
        assert_int_equal(set_up(), 0);
        made.log[0] = 0;
        made.fails = cases[i].fails;
        made.error = -EINVAL;
        made.policy = cases[i].policy;
        made.priority = cases[i].priority;
        made.policy_error = cases[i].policy_error;
        made.nice_error = cases[i].nice_error;
        assert_int_equal(run_once(), 0);
        (void)snprintf(expected, sizeof(expected),
                       "get_policy get_nice%s start:/c:/c:3:nnn%s read_back wait:102+1500000000 reap:102",
                       cases[i].before, cases[i].within);
        assert_log(expected);
        assert_string_equal(worker.party.context.slot->refused, cases[i].refused);
        end();
    }
}

/* The limit of real-time CPU time ends a real-time command only. */
TEST(test_command_tells_a_limit_from_a_signal)
{
    for (int real_time = 0; real_time < 2; real_time++) {
        begin("", false);
        assert_int_equal(set_up(), 0);
        made.policy = real_time ? SCHED_FIFO : SCHED_OTHER;
        made.status[2] = SIGXCPU;
        assert_int_equal(run_once(), -1);
        if (real_time)
            assert_string_equal(worker.party.reason,
                                "ended by its limit of real-time CPU time (RLIMIT_RTTIME; see --timeout)");
        else
            assert_memory_equal(worker.party.reason, "killed by signal ", 17);
        assert_true(((double *)worker.party.context.recorder[0])[NUMBER_EXIT_CODE] == 128 + SIGXCPU);
        end();
    }
}

/* What the prepare command has left running is none of the command's. */
TEST(test_command_is_blamed_for_what_it_left)
{
    static const struct {
        const char *prepare_path;
        bool children;
        unsigned left;
        const char *refused;
    } cases[] = {
        {"", true, 0, ""},
        {"", true, 1, "the command left 1 process running, killed: the figures do not include them"},
        {"/p", false, 2, "the command left 2 processes running, killed: the figures do not include them"},
        {"/p", true, 2, ""},
    };
    static struct party ended;

    for (size_t i = 0; i < COUNT(cases); i++) {
        char refused[256];
        begin(cases[i].prepare_path, false);
        made.children = cases[i].children;
        made.left = cases[i].left;
        assert_int_equal(set_up(), 0);
        assert_int_equal(run_once(), 0);
        worker.party.party->teardown(&worker.party.context);
        text_copy(refused, sizeof(refused), worker.party.context.slot->refused);
        assert_string_equal(refused, cases[i].refused);
        ended = *worker.party.party;
        ended.teardown = NULL;
        worker.party.party = &ended;
        end();
    }
}

/* --- Figures. --- */

/* The recorder of each copy: user time, system time, peak memory, exit code. */
static const double numbers_of_copies[3][4] = {{1, 10, 3000, 2}, {2, 20, 7000, 130}, {4, 40, 5000, 0}};

/* Three copies that start at 2, 1 and 4 ms and end at 500, 700 and 600 ms. wall is from the first start to the last
 * end, user and system are sums, max_rss and exit_code are the highest. */
TEST(test_command_figures_are_of_all_copies)
{
    static const uint64_t start_ms[] = {2, 1, 4}, end_ms[] = {500, 700, 600};
    static const double expected[COMMAND_N_METRICS] = {
        [COMMAND_WALL] = 0.699,    [COMMAND_USER] = 7,         [COMMAND_SYSTEM] = 70,     [COMMAND_MAX_RSS] = 7000,
        [COMMAND_EXIT_CODE] = 130, [COMMAND_START_SPREAD] = 3, [COMMAND_END_SPREAD] = 200};
    static const struct command_params params = {.judge = JUDGED_WALL};
    struct made_up_trial trial = {.spec = {.bench = &bench_command, .params = &params, .copies = 3}};

    for (unsigned copy = 0; copy < 3; copy++) {
        trial.recorder[copy][0] = numbers_of_copies[copy];
        trial.party[copy] = (struct trial_slot){.start_ns = start_ms[copy] * MS, .end_ns = end_ms[copy] * MS};
    }
    made_up_reduce(&trial);
    for (unsigned metric = 0; metric < COMMAND_INSTRUCTIONS; metric++)
        if (!(fabs(trial.sample[0][metric] - expected[metric]) <= 1e-9 * expected[metric]))
            fail_msg("%s is %.17g, not %.17g", bench_command.own_metrics[metric].id, trial.sample[0][metric],
                     expected[metric]);
}
