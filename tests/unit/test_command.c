/* SPDX-License-Identifier: MIT */
/* Any program as a benchmark: its words as bytes, where it is placed, how it is described, how long it may take. */
#include <math.h>
#include <sched.h>

#include "engine_fixture.h"

#include "bench/command.h"
#include "made_up_trial.h"
#include "rows/row.h"

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

static void test_command_words_come_back(void **state)
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
static void test_command_bytes_that_are_cut_off_are_refused(void **state)
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

    bench_command.place(&params, request, 0, copy, &placement);
    (void)cpuset_format(&placement.cpus, text, sizeof(text));
    assert_string_equal(text, cpus);
    assert_int_equal(placement.policy, policy);
    assert_int_equal(placement.refused[0] != 0, refused);
}

static void test_command_may_use_all_cpus_named(void **state)
{
    struct place_request request;

    make_request(&request, false);
    assert_placed(&request, 0, "1,3,5", SCHED_OTHER, false);
    assert_placed(&request, 1, "1,3,5", SCHED_OTHER, false);
    request.bind = BIND_ONE;
    assert_placed(&request, 1, "1", SCHED_OTHER, false);
    request.bind = BIND_NONE;
    assert_placed(&request, 1, "", SCHED_OTHER, false);
}

static void test_command_real_time_leaves_a_cpu_to_others(void **state)
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

static void test_command_gives_the_only_cpu_to_the_engine_to_judge(void **state)
{
    struct place_request request;

    for (int bind = BIND_ONE; bind <= BIND_NONE; bind++) {
        memset(&request, 0, sizeof(request));
        request.order[request.n_order++] = 0;
        cpuset_add(&request.cpus, 0);
        cpuset_add(&request.online, 0);
        request.fifo = true;
        request.fifo_priority = 7;
        request.bind = (enum bind_mode)bind;
        assert_placed(&request, 0, bind == BIND_NONE ? "" : "0", SCHED_FIFO, false);
    }
}

/* --- Words about it. --- */

static void test_command_is_described_by_what_is_not_as_usual(void **state)
{
    struct command_params params = {.line = "make -j2"};
    struct row_params out = {.n = 0};

    bench_command.describe(&params, NULL, &out);
    assert_string_equal(out.text, "command=make -j2");
    params.shell = params.clean_env = params.show_output = true;
    params.warmup = 3;
    text_copy(params.input_line, sizeof(params.input_line), "in");
    text_copy(params.prepare_line, sizeof(params.prepare_line), "sync");
    out = (struct row_params){.n = 0};
    bench_command.describe(&params, NULL, &out);
    assert_string_equal(out.text, "shell=yes env=clean output=shown warmup=3 input=in prepare=sync command=make -j2");
}

/* The longest description fits a row. */
static void test_command_description_fits(void **state)
{
    struct command_params params = {.shell = true, .clean_env = true, .show_output = true, .warmup = 1000};
    struct row_params out = {.n = 0};

    memset(params.line, 'x', sizeof(params.line) - 1);
    memset(params.input_line, 'x', sizeof(params.input_line) - 1);
    memset(params.prepare_line, 'x', sizeof(params.prepare_line) - 1);
    bench_command.describe(&params, NULL, &out);
    assert_true(strlen(out.text) < sizeof(out.text) - 1);
    assert_non_null(strstr(out.text, "command=xxx"));
}

static void test_command_has_time_to_get_ready(void **state)
{
    struct command_params params = {.timeout_ns = 10};
    const uint64_t own = 60000000000u;

    assert_true(bench_command.setup_limit_ns(&params) == own);
    params.prepare[0] = 'x';
    assert_true(bench_command.setup_limit_ns(&params) == own + 10);
    params.warmup = 4;
    assert_true(bench_command.setup_limit_ns(&params) == own + 90);
    params.warmup = 1000;
    params.timeout_ns = 96 * 3600 * 1000000000ull; /* the most that the options take */
    assert_true(bench_command.setup_limit_ns(&params) > 2001 * params.timeout_ns);
}

/* --- Figures. --- */

/* The recorder of each copy: user time, system time, peak memory, exit code. */
static const double numbers_of_copies[3][4] = {{1, 10, 3000, 2}, {2, 20, 7000, 130}, {4, 40, 5000, 0}};

/* Three copies that start at 2, 1 and 4 ms and end at 500, 700 and 600 ms. wall is from the first start to the last
 * end, user and system are sums, max_rss and exit_code are the highest. */
static void test_command_figures_are_of_all_copies(void **state)
{
    static const uint64_t start_ms[] = {2, 1, 4}, end_ms[] = {500, 700, 600};
    static const double expected[COMMAND_N_METRICS] = {
        [COMMAND_WALL] = 0.699,    [COMMAND_USER] = 7,         [COMMAND_SYSTEM] = 70,     [COMMAND_MAX_RSS] = 7000,
        [COMMAND_EXIT_CODE] = 130, [COMMAND_START_SPREAD] = 3, [COMMAND_END_SPREAD] = 200};
    struct made_up_trial trial = {.spec = {.bench = &bench_command, .copies = 3}};

    for (unsigned copy = 0; copy < 3; copy++) {
        trial.recorder[copy][0] = numbers_of_copies[copy];
        trial.party[copy] = (struct trial_party){.start_ns = start_ms[copy] * MS, .end_ns = end_ms[copy] * MS};
    }
    assert_int_equal(made_up_reduce(&trial), 0);
    for (unsigned metric = 0; metric < COMMAND_N_METRICS; metric++)
        if (!(fabs(trial.sample[0][metric] - expected[metric]) <= 1e-9 * expected[metric]))
            fail_msg("%s is %.17g, not %.17g", bench_command.own_metrics[metric].id, trial.sample[0][metric],
                     expected[metric]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_command_figures_are_of_all_copies),
        cmocka_unit_test(test_command_words_come_back),
        cmocka_unit_test(test_command_bytes_that_are_cut_off_are_refused),
        cmocka_unit_test(test_command_may_use_all_cpus_named),
        cmocka_unit_test(test_command_real_time_leaves_a_cpu_to_others),
        cmocka_unit_test(test_command_gives_the_only_cpu_to_the_engine_to_judge),
        cmocka_unit_test(test_command_is_described_by_what_is_not_as_usual),
        cmocka_unit_test(test_command_description_fits),
        cmocka_unit_test(test_command_has_time_to_get_ready),
    };
    return cmocka_run_group_tests_name("command", tests, NULL, NULL);
}
