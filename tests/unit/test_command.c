/* SPDX-License-Identifier: MIT */
/* Any program as a benchmark: its words as bytes, where it is placed, how it is described, how long it may take. */
#include <math.h>
#include <sched.h>

#include "bench_fixture.h"

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

/* --- Commands that run. --- */

static struct fixture_rows rows;

/* A script that run_script() runs before all others; NULL: none. */
static const char *setup_script;

/* Runs a script once, by a worker. params->fds[1] gets what it prints. Returns the status of the rows. */
static int run_script(struct command_params *params, const char *script, const char *prepare_script)
{
    char *const words[] = {(char *)"sh", (char *)"-c", (char *)script, NULL};
    char *const before[] = {(char *)"sh", (char *)"-c", (char *)prepare_script, NULL};
    const struct command_image image = {.path = "/bin/sh",
                                        .prepare_path = prepare_script ? "/bin/sh" : "",
                                        .argv = words,
                                        .prepare = prepare_script ? before : nothing,
                                        .env = env};
    struct text bytes = {0};

    text_printf(&bytes, "%s", "unaligned"); /* other commands' bytes come before */
    params->image_offset = bytes.length;
    command_pack(&image, &bytes);
    params->image_size = bytes.length - params->image_offset;
    if (setup_script) {
        char *const at_first[] = {(char *)"sh", (char *)"-c", (char *)setup_script, NULL};
        const struct command_image setup = {
            .path = "/bin/sh", .prepare_path = "", .argv = at_first, .prepare = nothing, .env = env};
        params->setup_offset = bytes.length;
        command_pack(&setup, &bytes);
        params->setup_size = bytes.length - params->setup_offset;
    }
    params->image_fd = process_shared_memory(bytes.length);
    assert_true(params->image_fd >= 0);
    assert_int_equal(pwrite(params->image_fd, bytes.data, bytes.length, 0), bytes.length);
    text_free(&bytes);
    params->timeout_ns = params->timeout_ns ? params->timeout_ns : 20000 * MS;
    int status = fixture_one_trial(&bench_command, params, 1, &rows);
    (void)close(params->image_fd);
    return status;
}

static double figure(const char *metric)
{
    return fixture_find(&rows, metric, "")->value;
}

/* Expects what the command printed, and empties the file. */
static void assert_printed(int fd, const char *expected)
{
    char text[512] = "";

    assert_true(pread(fd, text, sizeof(text) - 1, 0) >= 0);
    assert_string_equal(text, expected);
    assert_int_equal(ftruncate(fd, 0), 0);
    (void)lseek(fd, 0, SEEK_SET);
}

static const struct command_params no_files = {.fds = {-1, -1, -1}};

static void test_command_gets_the_files_that_were_given(void **state)
{
    const int out = fixture_file(), errors = fixture_file(), in = fixture_file();
    struct command_params params = no_files;

    assert_int_equal(write(in, "from the descriptor\n", 20), 20);
    assert_int_equal(lseek(in, 0, SEEK_SET), 0);
    params.fds[0] = in;
    params.fds[1] = out;
    params.fds[2] = errors;
    assert_int_equal(run_script(&params, "cat; echo to the other >&2; echo $A$B$HOME", NULL), ROW_OK);
    fixture_free_rows(&rows);
    assert_printed(out, "from the descriptor\n1\n");
    assert_printed(errors, "to the other\n");
    /* Nothing is given: the null device. */
    params = no_files;
    params.fds[1] = out;
    assert_int_equal(run_script(&params, "readlink /proc/self/fd/0 /proc/self/fd/2", NULL), ROW_OK);
    fixture_free_rows(&rows);
    assert_printed(out, "/dev/null\n/dev/null\n");
    /* The command has the file as descriptor 1 only, and no memory of the engine or the suite. */
    assert_int_equal(run_script(&params,
                                "for f in /proc/$$/fd/*; do\n"
                                "[ $f -ef /proc/$$/fd/1 ] && echo ${f##*/}\n"
                                "case $(readlink $f) in *memfd*) echo $f; esac; done; true",
                                NULL),
                     ROW_OK);
    fixture_free_rows(&rows);
    assert_printed(out, "1\n");
    params = no_files;
    params.fds[2] = errors;
    assert_int_equal(run_script(&params, "x=$(readlink /proc/$$/fd/1); echo $x >&2", NULL), ROW_OK);
    fixture_free_rows(&rows);
    assert_printed(errors, "/dev/null\n");
    (void)close(in);
    (void)close(out);
    (void)close(errors);
}

static void test_command_reads_a_file(void **state)
{
    const int out = fixture_file();
    struct command_params params = no_files;
    char path[] = "/tmp/jitbench_command_XXXXXX";
    const int in = mkstemp(path);

    assert_int_equal(write(in, "from the file\n", 14), 14);
    (void)close(in);
    params.fds[1] = out;
    text_copy(params.input, sizeof(params.input), path);
    /* The prepare command does not get the input. */
    assert_int_equal(run_script(&params, "cat", "cat; echo first"), ROW_OK);
    fixture_free_rows(&rows);
    assert_printed(out, "first\nfrom the file\n");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(run_script(&params, "cat", NULL), ROW_FAILED);
    char expected[128];
    (void)snprintf(expected, sizeof(expected), "cannot read '%s': No such file or directory", path);
    assert_string_equal(rows.row[0].reason, expected);
    fixture_free_rows(&rows);
    assert_printed(out, "");
    (void)close(out);
}

static void test_command_is_warmed_up_and_prepared_each_time(void **state)
{
    const int out = fixture_file();
    struct command_params params = no_files;

    params.fds[1] = out;
    params.warmup = 2;
    assert_int_equal(run_script(&params, "echo run", "echo prepare"), ROW_OK);
    fixture_free_rows(&rows);
    assert_printed(out, "prepare\nrun\nprepare\nrun\nprepare\nrun\n");
    assert_int_equal(run_script(&params, "echo run; exit 3", NULL), ROW_FAILED);
    assert_string_equal(rows.row[0].reason, "a warm-up run: exit status 3");
    fixture_free_rows(&rows);
    assert_printed(out, "run\n");
    (void)close(out);
}

static void test_command_that_fails(void **state)
{
    static const struct {
        const char *script, *prepare, *reason;
        double code; /* with --ignore-failure; -1: fails then too */
    } cases[] = {
        {"exit 7", NULL, "exit status 7", 7},
        {"kill -TERM $$", NULL, "killed by signal 15 (Terminated)", 128 + 15},
        {"true", "exit 9", "the prepare command: exit status 9", -1},
        {"sleep 60", NULL, "still running after 150 ms (--timeout); killed", -1},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct command_params params = no_files;
        if (strstr(cases[i].reason, "--timeout"))
            params.timeout_ns = 150 * MS;
        assert_int_equal(run_script(&params, cases[i].script, cases[i].prepare), ROW_FAILED);
        assert_string_equal(rows.row[0].reason, cases[i].reason);
        fixture_free_rows(&rows);
        params.ignore_failure = true;
        assert_int_equal(run_script(&params, cases[i].script, cases[i].prepare),
                         cases[i].code < 0 ? ROW_FAILED : ROW_OK);
        if (cases[i].code >= 0)
            assert_true(figure("exit_code") == cases[i].code);
        fixture_free_rows(&rows);
    }
}

/* Neither a warm-up nor the command runs then. */
static void test_command_that_is_not_set_up_does_not_run(void **state)
{
    const int out = fixture_file();
    struct command_params params = no_files;

    params.fds[1] = out;
    params.warmup = 1;
    setup_script = "exit 4";
    assert_int_equal(run_script(&params, "echo run", NULL), ROW_FAILED);
    assert_string_equal(rows.row[0].reason, "the setup command: exit status 4");
    fixture_free_rows(&rows);
    assert_printed(out, "");
    setup_script = "true";
    assert_int_equal(run_script(&params, "echo run", NULL), ROW_OK);
    fixture_free_rows(&rows);
    assert_printed(out, "run\nrun\n");
    setup_script = NULL;
    (void)close(out);
    params.image_fd = -1;
    params.setup_size = 0;
    params.fds[1] = -1;
    assert_int_equal(fixture_one_trial(&bench_command, &params, 1, &rows), ROW_FAILED);
    assert_string_equal(rows.row[0].reason, "cannot read the command line: Bad file descriptor");
    fixture_free_rows(&rows);
}

static void test_command_that_leaves_a_process_running(void **state)
{
    struct command_params params = no_files;

    assert_int_equal(run_script(&params, "sleep 60 & exit 0", NULL), ROW_DEGRADED);
    assert_string_equal(fixture_find(&rows, "exit_code", "")->reason,
                        "the command left 1 process running, killed: the figures do not include them");
    fixture_free_rows(&rows);
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
    made_up_reduce(&trial);
    for (unsigned metric = 0; metric < COMMAND_N_METRICS; metric++)
        if (!(fabs(trial.sample[0][metric] - expected[metric]) <= 1e-9 * expected[metric]))
            fail_msg("%s is %.17g, not %.17g", bench_command.own_metrics[metric].id, trial.sample[0][metric],
                     expected[metric]);
}

static const struct bench *const registry[] = {&bench_command, NULL};

int main(int argc, char **argv_of_main)
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
        cmocka_unit_test(test_command_gets_the_files_that_were_given),
        cmocka_unit_test(test_command_reads_a_file),
        cmocka_unit_test(test_command_is_warmed_up_and_prepared_each_time),
        cmocka_unit_test(test_command_that_fails),
        cmocka_unit_test(test_command_that_is_not_set_up_does_not_run),
        cmocka_unit_test(test_command_that_leaves_a_process_running),
    };

    trial_worker_main(argc, argv_of_main, registry, no_loads);
    process_init();
    fixture_default_signals();
    signals_init();
    return cmocka_run_group_tests_name("command", tests, NULL, NULL);
}
