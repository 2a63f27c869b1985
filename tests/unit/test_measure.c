/* SPDX-License-Identifier: MIT */
/* A measuring session from its command line to its exit status, with a suite that is made up: its items are skipped,
 * and its rows come from conclude(), so that nothing is measured. */
#include "fixture.h"

#include "cmd/cmd.h"
#include "row_fixture.h"
#include "tree_fixture.h"

static char dir[] = "/tmp/test_measure_XXXXXX";

static struct {
    bool prints, plan_fails, header;
    enum row_status status;
    int finish;
    size_t rows;
} made;
/* As given to the suite. */
static struct {
    unsigned ended, ended_unused, finished;
    bool selected[3], operands_given;
    struct sampling sampling;
    uint64_t counts[OPTION_COUNTS_MAX], named_cpus;
    size_t n_counts;
} seen;

struct made_options {
    bool own;
};
static const struct option made_rows[] = {
    {.name = "own", .type = OPTION_FLAG, OPTION_AT(struct made_options, own), .help = "an option of its own"}};

static const struct metric made_metrics[] = {
    {.id = "value", .unit = "ns", .better = "lower", .value = VALUE_MEAN, .headline = true}};
static const struct bench made_bench = {.name = "made",
                                        .suite = "made",
                                        .metrics = made_metrics,
                                        .n_metrics = 1,
                                        .n_shared_metrics = 1,
                                        .sampling = {[PRESET_DEFAULT] = {.min_samples = 5,
                                                                         .max_samples = 50,
                                                                         .precision_pct = 3,
                                                                         .max_ns = 7000000000,
                                                                         .time_ns = 1000000},
                                                     [PRESET_QUICK] = {.min_samples = 2, .max_samples = 2}}};

static int plan(struct measure *m, void *options)
{
    struct plan *out = m->plan;

    m->brief = !made.header;
    m->prints = made.prints;
    memcpy(seen.selected, m->selected, sizeof(seen.selected));
    seen.operands_given = m->operands_given;
    seen.sampling = measure_sampling(m, &made_bench);
    seen.named_cpus = measure_named_cpus(m);
    if (made.plan_fails)
        return usage_error("the plan is impossible");
    measure_add(m, &made_bench, NULL, 1, 0);
    for (seen.n_counts = 0; seen.n_counts < out->n; seen.n_counts++)
        seen.counts[seen.n_counts] = out->items[seen.n_counts].copies;
    for (size_t i = 0; i < out->n; i++)
        out->items[i].skip = "made up";
    return 0;
}

static void conclude(struct measure *m)
{
    static double samples[] = {3, 1, 5, 2, 4};

    for (size_t i = 0; i < made.rows; i++) {
        struct row row = ROW(&m->run, (double)i, .suite = "made", .test = "t", .metric = "value", .unit = "ns");
        row.status = ROW_OK;
        row.samples = samples;
        row.n_samples = COUNT(samples);
        row.stats = (struct stats_summary){.n = COUNT(samples), .mean = 3, .ci95_lo = 1, .ci95_hi = 5};
        measure_put_row(m, &row);
    }
    m->worst = made.status;
}

static int finish(const struct measure *m, const void *options)
{
    seen.finished++;
    return made.finish;
}

static int end(void *options, bool unused)
{
    seen.ended++;
    seen.ended_unused += unused;
    return 0;
}

static const char *const made_tests[] = {"first", "second", "third", NULL};

static const struct suite made_suite;
static const struct suite made_suite = {.command = {.name = "made",
                                                    .title = "is made up",
                                                    .operands = "",
                                                    .description = "Is made up.",
                                                    .suite = &made_suite,
                                                    .run = measure_main},
                                        .seconds = {7, 5, 9},
                                        .options_size = sizeof(struct made_options),
                                        .options = {{SUITE_ROWS(made_rows)}, SUITE_TIMED, SUITE_COPIES, SUITE_SERIES},
                                        .tests = made_tests,
                                        .series_header = "# the header\n",
                                        .plan = plan,
                                        .conclude = conclude,
                                        .finish = finish,
                                        .end = end};

/* Runs the command with these words in the scratch directory. Returns its exit status; what it prints on both
 * descriptors is then in the texts. */
static char texts[2][8192];
static bool without_stdin;

static int run_in_child(const char *const *words)
{
    char *argv[16] = {(char *)"made"};
    int argc = 1;

    for (; words[argc - 1]; argc++)
        argv[argc] = (char *)words[argc - 1];
    for (int fd = 1; fd <= 2; fd++) {
        const int file = open(fd == 1 ? "stdout" : "stderr", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (file < 0 || dup2(file, fd) != fd)
            return 100;
        (void)close(file);
    }
    if (without_stdin)
        (void)close(0);
    command_now = &made_suite.command;
    const int status = measure_main(argc, argv);
    FILE *file = fopen("seen", "w");
    return file && fwrite(&seen, sizeof(seen), 1, file) == 1 && !fclose(file) ? status : 101;
}

static void read_all(const char *name, char *to, size_t size)
{
    FILE *file = fopen(name, "r");

    assert_non_null(file);
    to[fread(to, 1, size - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
}

static int run_made(const char *const *words)
{
    (void)fflush(NULL);
    memset(&seen, 0, sizeof(seen));
    const pid_t child = fork();
    if (child == 0)
        _exit(run_in_child(words));
    const int status = fixture_wait(child);
    assert_true(WIFEXITED(status));
    read_all("stdout", texts[0], sizeof(texts[0]));
    read_all("stderr", texts[1], sizeof(texts[1]));
    FILE *file = fopen("seen", "r");
    assert_non_null(file);
    assert_int_equal(fread(&seen, sizeof(seen), 1, file), 1);
    assert_int_equal(fclose(file), 0);
    return WEXITSTATUS(status);
}
#define RUN(...) run_made((const char *const[]){__VA_ARGS__, NULL})

static int begin(void **state)
{
    static char directory[sizeof(dir)];

    memset(&made, 0, sizeof(made));
    without_stdin = false;
    (void)snprintf(directory, sizeof(directory), "%s", dir);
    return mkdtemp(directory) ? chdir(directory) : -1;
}

static int finish_test(void **state)
{
    static const char *const names[] = {"stdout", "stderr", "seen", "series", "out.csv", "full"};
    char here[256];

    for (size_t i = 0; i < COUNT(names); i++)
        (void)unlink(names[i]);
    return getcwd(here, sizeof(here)) && !chdir("/") ? rmdir(here) : -1;
}

/* The worst row decides, then what finish() says. */
TEST_WITH(test_measure_exit_status, begin, finish_test)
{
    static const struct {
        enum row_status worst;
        int finish;
        const char *strict;
        int expected;
    } cases[] = {{ROW_OK, 0, NULL, 0},
                 {ROW_OK, 4, NULL, 4},
                 {ROW_OK, 0, "--strict", 0},
                 {ROW_UNSTABLE, 0, NULL, 0},
                 {ROW_UNSTABLE, 0, "--strict", 3},
                 {ROW_SKIPPED, 4, "--strict", 3},
                 {ROW_SKIPPED, 4, NULL, 4},
                 {ROW_FAILED, 0, NULL, 1},
                 {ROW_FAILED, 4, "--strict", 1}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        made.status = cases[i].worst;
        made.finish = cases[i].finish;
        const int status = RUN("--quiet", "--no-csv", "--core-probe", "off", cases[i].strict);
        if (status != cases[i].expected)
            fail_msg("case %zu: %d", i, status);
    }
}

/* What would narrow a wide interval: where the number of samples is fixed, more time would not. The plan is printed if
 * the suite takes more than five seconds as it is usually run. */
TEST_WITH(test_measure_says_how_to_get_more_samples, begin, finish_test)
{
    static const struct {
        const char *words[2], *more;
        bool plan;
    } cases[] = {{{NULL}, "(--max-time)", true},
                 {{"--samples", "5"}, "(--samples)", false},
                 {{"--quick"}, "(--samples)", false},
                 {{"--classic"}, "(--samples)", true},
                 {{"--classic", "--own"}, "(--samples)", false},
                 {{"--classic", "third"}, "(--samples)", false}};

    made.rows = 1;
    for (size_t i = 0; i < COUNT(cases); i++) {
        (void)RUN("--no-csv", "--core-probe", "off", cases[i].words[0], cases[i].words[1]);
        if (!strstr(texts[0], cases[i].more) || !strstr(texts[0], "\nPlan      0 measurements\n") == cases[i].plan)
            fail_msg("case %zu: %s", i, texts[0]);
    }
}

/* What the kernel counts while the header looks at it for 0.2 s. */
void __wrap_clock_sleep_ns(uint64_t ns);
void __wrap_clock_sleep_ns(uint64_t ns)
{
    if (ns == 200000000)
        tree_put("/proc/stat", "cpu  110 5 12 360 50 2 1 23\nctxt 1500\nintr 900 1\n");
}

TEST_WITH(test_measure_says_how_quiet_it_is, begin, finish_test)
{
    made.header = true;
    assert_int_equal(tree_make(state), 0);
    tree_put("/proc/stat", "cpu  100 0 10 300 50 0 0 20\nctxt 1000\nintr 700 1\n");
    tree_put("/proc/loadavg", "0.75 9 9 1/1 1\n");
    assert_int_equal(RUN("--no-csv", "--core-probe", "off"), 0);
    if (!strstr(texts[0],
                "\nQuiet?    in the 0.2 s before: 25 % busy, 2500 switches/s, 1000 interrupts/s, 30 ms stolen; "
                "load 0.75\nCheck     1 of 4 settings noisy (jitbench check --cpus "))
        fail_msg("%s", texts[0]);
    assert_int_equal(tree_remove(state), 0);
}

/* The file of --series has its header; it is removed when nothing will be measured, also if it has descriptor 0. */
TEST_WITH(test_measure_series_file, begin, finish_test)
{
    char text[64];

    assert_int_equal(RUN("--quiet", "--no-csv", "--core-probe", "off", "--series", "series"), 0);
    read_all("series", text, sizeof(text));
    assert_string_equal(text, "# the header\n");
    assert_int_equal(RUN("--quiet", "--no-csv", "--core-probe", "off", "--series", "series"), 2);
    assert_int_equal(access("series", F_OK), 0);
    assert_int_equal(unlink("series"), 0);
    for (unsigned i = 0; i < 2; i++) {
        without_stdin = i;
        assert_int_equal(RUN("--quiet", "--series", "series", "--output", "/nowhere/at/all.csv"), 2);
        assert_int_equal(access("series", F_OK), -1);
        assert_int_equal(seen.ended, 1);
        assert_int_equal(seen.ended_unused, 1);
    }
}

TEST_WITH(test_measure_refuses, begin, finish_test)
{
    static const struct {
        const char *words[4], *error;
    } cases[] = {
        {{"--quick", "--classic"}, "jitbench made: --quick and --classic exclude each other"},
        {{"--no-csv", "--output", "out.csv"}, "jitbench made: --no-csv and --output exclude each other"},
        {{"--output="}, "jitbench made: --output needs a value, not ''"},
        {{"secnd"}, "did you mean 'second'?"},
        {{"--series", "/nowhere/at/all"}, "jitbench made: --series '/nowhere/at/all': "},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *const *w = cases[i].words;
        assert_int_equal(RUN(w[0], w[1], w[2]), 2);
        if (!strstr(texts[1], cases[i].error) || texts[0][0])
            fail_msg("'%s', expected '%s'", texts[1], cases[i].error);
        assert_int_equal(seen.ended_unused, 1);
    }
    made.plan_fails = true;
    assert_int_equal(RUN("--quiet"), 2);
    assert_string_equal(texts[1], "jitbench made: the plan is impossible\n");
}

TEST_WITH(test_measure_copies_and_cpus, begin, finish_test)
{
    assert_int_equal(RUN("--quiet", "--no-csv", "--core-probe", "off"), 0);
    assert_int_equal(seen.n_counts, 1);
    assert_int_equal(seen.counts[0], 1);
    assert_int_equal(seen.named_cpus, 1);
    assert_int_equal(RUN("--quiet", "--no-csv", "--core-probe", "off", "--copies", "1,2,4"), 0);
    assert_int_equal(seen.n_counts, 3);
    assert_int_equal(seen.counts[0], 1);
    assert_int_equal(seen.counts[1], 2);
    assert_int_equal(seen.counts[2], 4);
}

/* The smaller of what is available and the container's limit, as far as they are known, and half of the address space
 * at most. */
TEST(test_measure_memory_that_arrays_may_use)
{
    static const struct {
        uint64_t available, limit, expected;
    } cases[] = {{100, 0, 100},
                 {100, 50, 50},
                 {100, 200, 100},
                 {0, 50, 50},
                 {0, 0, SIZE_MAX / 2},
                 {SIZE_MAX / 2 - 1, 0, SIZE_MAX / 2 - 1},
                 {SIZE_MAX, 0, SIZE_MAX / 2},
                 {UINT64_MAX, UINT64_MAX, SIZE_MAX / 2}};
    static struct measure m;

    for (size_t i = 0; i < COUNT(cases); i++) {
        m.machine.memory_available_bytes = cases[i].available;
        m.machine.memory_limit_bytes = cases[i].limit;
        assert_true(measure_memory(&m) == cases[i].expected);
    }
}

/* --dir, then $TMPDIR where that can be written, then the current directory. */
TEST(test_measure_scratch_directory)
{
    static struct measure m;

    assert_int_equal(unsetenv("TMPDIR"), 0);
    assert_string_equal(measure_dir(&m), ".");
    assert_int_equal(setenv("TMPDIR", "", 1), 0);
    assert_string_equal(measure_dir(&m), ".");
    assert_int_equal(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
    assert_string_equal(measure_dir(&m), ".");
    assert_int_equal(setenv("TMPDIR", "/tmp", 1), 0);
    assert_string_equal(measure_dir(&m), "/tmp");
    text_copy(m.options.dir, sizeof(m.options.dir), "/nowhere/given");
    assert_string_equal(measure_dir(&m), "/nowhere/given");
    assert_int_equal(unsetenv("TMPDIR"), 0);
}
