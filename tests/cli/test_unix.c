/* SPDX-License-Identifier: MIT */
/* jitbench unix: its table, its rows, its groups and protocols, bad input, bad places, and signals in the middle.
 *
 * Relations between the rows of one run are checked exactly. Figures that depend on the machine's speed are not
 * checked here, so that other tests may run beside these; see test_rates.c. */
#include <dirent.h>
#include <glob.h>

#include "cli.h"
#include "program.h"

/* One copy, one short sample, the CSV on standard output and the table on standard error. */
#define CSV   "-q", "-o", "-"
#define SHORT "-t", "50ms", "--samples", "1"
#define ONCE  CSV, SHORT, "-c", "1"
/* Nothing that needs a scratch directory runs. */
#define NO_DIR "--dir", "/nonexistent"

enum scratch { NO_SCRATCH, SCRATCH };
enum cpus { ONE_CPU, ALL_CPUS };

/* In the table's order; the baselines are those of the published index, 0 outside that of the stable protocol. */
static const struct {
    const char *name;
    double baseline;
    const char *unit;
    enum cpus cpus;
    enum scratch scratch;
} tests[] = {
    {"dhry2reg", 116700, "lps", ONE_CPU, NO_SCRATCH},
    {"whetstone", 55, "MWIPS", ONE_CPU, NO_SCRATCH},
    {"execl", 43, "lps", ONE_CPU, NO_SCRATCH},
    {"fcopy1024", 3960, "KBps", ONE_CPU, SCRATCH},
    {"fcopy256", 1655, "KBps", ONE_CPU, SCRATCH},
    {"fcopy4096", 5800, "KBps", ONE_CPU, SCRATCH},
    {"pipe", 12440, "lps", ONE_CPU, NO_SCRATCH},
    {"context1", 0, "lps", ALL_CPUS, NO_SCRATCH},
    {"context1-same", 4000, "lps", ONE_CPU, NO_SCRATCH},
    {"context1-two", 0, "lps", ONE_CPU, NO_SCRATCH},
    {"spawn", 126, "lps", ALL_CPUS, NO_SCRATCH},
    {"shell1", 42.4, "lpm", ALL_CPUS, SCRATCH},
    {"shell8", 6, "lpm", ALL_CPUS, SCRATCH},
    {"syscall", 15000, "lps", ONE_CPU, NO_SCRATCH},
    {"fwrite1024", 0, "KBps", ONE_CPU, SCRATCH},
    {"fwrite256", 0, "KBps", ONE_CPU, SCRATCH},
    {"fwrite4096", 0, "KBps", ONE_CPU, SCRATCH},
    {"fread1024", 0, "KBps", ONE_CPU, SCRATCH},
    {"fread256", 0, "KBps", ONE_CPU, SCRATCH},
    {"fread4096", 0, "KBps", ONE_CPU, SCRATCH},
    {"short", 0, "lps", ONE_CPU, NO_SCRATCH},
    {"int", 0, "lps", ONE_CPU, NO_SCRATCH},
    {"long", 0, "lps", ONE_CPU, NO_SCRATCH},
    {"float", 0, "lps", ONE_CPU, NO_SCRATCH},
    {"double", 0, "lps", ONE_CPU, NO_SCRATCH},
    {"arithoh", 0, "lps", ONE_CPU, NO_SCRATCH},
    {"hanoi", 0, "lps", ONE_CPU, NO_SCRATCH},
    {"sysexec", 0, "lps", ALL_CPUS, NO_SCRATCH},
    {"shell16", 0, "lpm", ALL_CPUS, SCRATCH},
    {"sysclose", 0, "lps", ONE_CPU, NO_SCRATCH},
    {"sysgetpid", 0, "lps", ONE_CPU, NO_SCRATCH},
};
enum { N_METRICS = 4 };

/* --- Running. --- */

static void measure_as(struct cli_run run, int status, struct cli_result *result, struct cli_csv *csv)
{
    cli_expect(&run, status, result);
    cli_csv_parse(result->out, csv);
}

static void measure(const char *const *args, int status, struct cli_result *result, struct cli_csv *csv)
{
    measure_as((struct cli_run){.args = args}, status, result, csv);
}

static void expect_near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.17g, not %.17g", got, expected);
}

static void expect_rate(const struct cli_csv *csv, const char *test, const char *status, const char *reason)
{
    size_t row = cli_row(csv, test, "rate", 0);

    if (strcmp(cli_cell(csv, row, "status"), status) != 0 || !strstr(cli_cell(csv, row, "reason"), reason))
        fail_msg("%s is %s (%s), not %s (%s)", test, cli_cell(csv, row, "status"), cli_cell(csv, row, "reason"), status,
                 reason);
    if (strcmp(status, "ok") != 0)
        assert_string_equal(cli_cell(csv, row, "value"), "");
}

/* The rates of the CSV are those of the tests named, in that order. */
static void expect_tests(const struct cli_csv *csv, const char *const *names)
{
    size_t n = 0;

    for (; names[n]; n++)
        assert_string_equal(cli_cell(csv, cli_row(csv, NULL, "rate", n), "test"), names[n]);
    assert_int_equal(cli_count(csv, NULL, "rate"), n);
}

/* The CPUs that this process may use, as "0-1". */
static void allowed_cpus(char buf[256])
{
    char line[512];
    FILE *file = fopen("/proc/self/status", "re");

    assert_non_null(file);
    buf[0] = 0;
    while (fgets(line, sizeof(line), file) && !buf[0])
        (void)sscanf(line, "Cpus_allowed_list: %255s", buf);
    assert_int_equal(fclose(file), 0);
    assert_true(buf[0]);
}

static void expect_cpus(const struct cli_csv *csv, size_t row, enum cpus cpus, const char *bind)
{
    const char *cell = cli_cell(csv, row, "cpus");
    char all[256];

    allowed_cpus(all);
    bool right = cpus == ALL_CPUS ? !strcmp(cell, all) : *cell && strspn(cell, "0123456789") == strlen(cell);
    if (!right || strcmp(cli_cell(csv, row, "bind"), bind) != 0)
        fail_msg("%s is on CPUs '%s', bind %s", cli_cell(csv, row, "test"), cell, cli_cell(csv, row, "bind"));
    assert_string_equal(cli_cell(csv, row, "policy"), "other");
}

/* The system index, worked out anew from the rates. */
static double geometric_mean(const struct cli_csv *csv, const char *copies)
{
    double sum = 0;
    size_t n = 0;

    for (size_t row = 0; row < csv->n_rows; row++)
        if (!strcmp(cli_cell(csv, row, "metric"), "rate") && !strcmp(cli_cell(csv, row, "copies"), copies) &&
            *cli_cell(csv, row, "index")) {
            sum += log(cli_number(csv, row, "index"));
            n++;
        }
    assert_true(n > 0);
    return exp(sum / (double)n);
}

/* --- The run of all tests, which several tests look at: made by the first of them. --- */

static struct cli_csv whole_csv;
static char *whole_table;

/* Beside other work, none may be done in so short a sample. */
static bool has_idle_sample(const struct cli_csv *csv)
{
    for (size_t row = 0; row < csv->n_rows; row++)
        if (!strcmp(cli_cell(csv, row, "metric"), "rate") && !strcmp(cli_cell(csv, row, "value"), "0"))
            return true;
    return false;
}

/* Without the core probe, so that the columns of the table are the same on all machines. */
static void need_whole(void)
{
    struct cli_result result;
    /* An emulator needs longer for a whole count of the slowest. */
    const char *time = program_emulated(cli_binary) ? "500ms" : "10ms";

    cli_need_cpus(2); /* of context1's two other placements */
    if (whole_csv.text)
        return;
    for (unsigned tries = 0; tries < 5 && (!whole_table || has_idle_sample(&whole_csv)); tries++) {
        measure(ARGS("unix", "--all-tests", CSV, "-v", "-c", "1", "-t", time, "-i", "1", "--core-probe", "off"), 0,
                &result, &whole_csv);
        whole_table = result.err;
    }
}

/* --- The table. --- */

/* Outside the index there is no score. */
CLI_TEST(test_unix_table_without_index_has_no_score)
{
    struct cli_result result;
    struct cli_csv csv;

    measure(ARGS("unix", "sysgetpid", ONCE), 0, &result, &csv);
    cli_expect_text(result.err, "System Call Overhead: getpid");
    cli_expect_no_text(result.err, "=====");
    assert_int_equal(csv.n_rows, N_METRICS);
}

/* --- Rows. --- */

CLI_TEST(test_unix_rows_of_all_tests)
{
    need_whole();
    assert_int_equal(whole_csv.n_rows, COUNT(tests) * (N_METRICS - 1) + 1);
    cli_expect_all(&whole_csv, "status", "ok");
    cli_expect_all(&whole_csv, "suite", "unix");
    cli_expect_all(&whole_csv, "copies", "1");
    for (size_t t = 0; t < COUNT(tests); t++) {
        const size_t row = cli_row(&whole_csv, NULL, "rate", t);
        assert_string_equal(cli_cell(&whole_csv, row, "test"), tests[t].name);
        assert_string_equal(cli_cell(&whole_csv, row, "unit"), tests[t].unit);
        assert_true(cli_number(&whole_csv, row, "value") > 0);
        if (tests[t].baseline > 0)
            expect_near(cli_number(&whole_csv, row, "index"),
                        cli_number(&whole_csv, row, "value") / tests[t].baseline * 10);
        else
            assert_string_equal(cli_cell(&whole_csv, row, "index"), "");
        assert_int_equal(*cli_cell(&whole_csv, row, "scratch_fs") != 0, tests[t].scratch == SCRATCH);
        for (size_t metric = 0; metric < N_METRICS - 1; metric++)
            expect_cpus(&whole_csv, cli_row(&whole_csv, tests[t].name, NULL, metric), tests[t].cpus,
                        tests[t].cpus == ALL_CPUS ? "range" : "one");
    }
    const size_t row = cli_row(&whole_csv, "index", "index", 0);
    expect_near(cli_number(&whole_csv, row, "value"), geometric_mean(&whole_csv, "1"));
    assert_string_equal(cli_cell(&whole_csv, row, "param"),
                        "protocol=stable context1=same footprint=bare tests=12 of=12");
}

CLI_TEST(test_unix_bind_overrides)
{
    static const char *const modes[] = {"one", "range", "none"};
    struct cli_result result;
    struct cli_csv csv;

    cli_need_cpus(2);
    for (size_t m = 0; m < COUNT(modes); m++) {
        measure(ARGS("unix", "syscall", "context1", "spawn", "--bind", modes[m], ONCE), 0, &result, &csv);
        assert_int_equal(cli_count(&csv, NULL, "rate"), 3);
        for (size_t i = 0; i < 3; i++)
            expect_cpus(&csv, cli_row(&csv, NULL, "rate", i), m ? ALL_CPUS : ONE_CPU, modes[m]);
    }
}

/* A row for each kind of pairs, with what the halves share; a machine of one package has no far pair. */
CLI_TEST(test_unix_pairs_of_context1)
{
    static const char *const kinds[] = {"near", "far", "halves"};
    struct cli_result result;
    struct cli_csv csv;
    char word[32];

    cli_need_cpus(2);
    measure(ARGS("unix", "context1-two", "--pairs", "near,far", "--pairs", "halves", CSV, SHORT, "-c", "2"), 0, &result,
            &csv);
    for (size_t k = 0; k < COUNT(kinds); k++) {
        size_t found = 0;
        (void)snprintf(word, sizeof(word), "halves=two pairs=%s ", kinds[k]);
        for (size_t row = 0; row < csv.n_rows; row++) {
            bool skipped = !strcmp(cli_cell(&csv, row, "status"), "skipped");
            if (strcmp(cli_cell(&csv, row, "metric"), "rate") || !strstr(cli_cell(&csv, row, "param"), word))
                continue;
            found++;
            assert_int_equal(strstr(cli_cell(&csv, row, "param"), " relation=") == NULL, skipped);
            if (skipped) /* it names why, and only far ones can be missing */
                assert_true(k == 1 && strstr(cli_cell(&csv, row, "reason"), "different packages or NUMA nodes"));
        }
        assert_int_equal(found, 1);
    }
    /* Both halves on one CPU are not what the test's name says. */
    measure(ARGS("unix", "context1-two", "--cpus", "0", ONCE), 0, &result, &csv);
    assert_string_equal(cli_cell(&csv, cli_row(&csv, "context1-two", "rate", 0), "status"), "degraded");
}

/* A sample is as long as asked for: no shorter, that is. */
CLI_TEST(test_unix_time_is_the_length_of_a_sample)
{
    static const char *const times[] = {"50ms", "0.2"};
    struct cli_result result;
    struct cli_csv csv;

    for (size_t i = 0; i < 2; i++) {
        measure(ARGS("unix", "syscall", CSV, "-c", "1", "--samples", "1", i ? "--seconds" : "-t", times[i]), 0, &result,
                &csv);
        assert_true(cli_number(&csv, 0, "wall_s") >= (i ? 0.2 : 0.05));
    }
}

/* --- Copies. --- */

/* Two copies pinned one to one are on two CPUs. */
CLI_TEST(test_unix_copies_have_a_cpu_each)
{
    struct cli_result result;
    struct cli_csv csv;

    cli_need_cpus(2);
    measure(ARGS("unix", "syscall", "--cpus", "0-1", "-c", "2", CSV, SHORT), 0, &result, &csv);
    assert_string_equal(cli_cell(&csv, 0, "cpus"), "0-1");
    assert_string_equal(cli_cell(&csv, 0, "bind"), "one");
}

CLI_TEST(test_unix_many_copies)
{
    const struct cli_run run = {.args = ARGS("unix", "syscall", "-c", "130", CSV, "-t", "50ms", "--samples", "1"),
                                .limit_s = 60};
    struct cli_result result;
    struct cli_csv csv;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur < 512)
        cli_skip("needs 512 processes");
    measure_as(run, 0, &result, &csv);
    cli_expect_all(&csv, "status", "ok");
    size_t row = cli_row(&csv, "syscall", "rate", 0);
    assert_string_equal(cli_cell(&csv, row, "copies"), "130");
    assert_true(cli_number(&csv, row, "value") > 0);
    assert_true(cli_number(&csv, cli_row(&csv, "syscall", "start_spread", 0), "value") > 0);
    /* A good row has a value; that of the core free may be unknown, and says why. */
    for (row = 0; row < csv.n_rows; row++)
        if (!*cli_cell(&csv, row, "value") &&
            (strcmp(cli_cell(&csv, row, "metric"), "rate_alone") != 0 || !*cli_cell(&csv, row, "reason")))
            fail_msg("%s of %s is ok and has no value", cli_cell(&csv, row, "metric"), cli_cell(&csv, row, "test"));
}

/* --- The classic protocol. --- */

/* Geometric mean of those that are left without the worst third. */
static double classic_value(const char *samples)
{
    double value[3], worst = HUGE_VAL, product = 1;

    assert_int_equal(sscanf(samples, "%lf;%lf;%lf", &value[0], &value[1], &value[2]), 3);
    for (size_t i = 0; i < 3; i++) {
        product *= value[i];
        worst = value[i] < worst ? value[i] : worst;
    }
    return sqrt(product / worst);
}

/* Three passes, with 3 s of pause before each. */
CLI_TEST(test_unix_classic_protocol)
{
    struct cli_result result;
    struct cli_csv csv;

    cli_need_cpus(2);
    measure(ARGS("unix", "syscall", "--classic", "--seconds", "0.05", "--passes", "3", "-c", "1", CSV), 0, &result,
            &csv);
    cli_expect_text(result.err, "1 parallel copy of tests, classic protocol\n");
    cli_expect_text(result.err, "System Benchmarks Index Score (Partial Only)  ");
    cli_expect_text(strstr(result.err, "Partial Only"), "  classic protocol  ");
    assert_true(result.seconds > 9.1);
    size_t row = cli_row(&csv, "syscall", "rate", 0);
    const char *samples = cli_cell(&csv, row, "samples");
    assert_int_equal(cli_items(samples), 3);
    expect_near(cli_number(&csv, row, "value"), classic_value(samples));
    expect_near(cli_number(&csv, row, "index"), cli_number(&csv, row, "value") / 15000 * 10);
    expect_cpus(&csv, row, ALL_CPUS, "none");
}

/* --- The original's CSV. --- */

static void expected_line(const struct cli_csv *csv, const char *copies, char *out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "%s", copies);

    for (size_t row = 0; row < csv->n_rows; row++)
        if (!strcmp(cli_cell(csv, row, "metric"), "rate") && !strcmp(cli_cell(csv, row, "copies"), copies))
            n += (size_t)snprintf(out + n, size - n, ",%.1f", cli_number(csv, row, "value"));
    (void)snprintf(out + n, size - n, "\n");
}

CLI_TEST(test_unix_unixbench_csv)
{
    const struct cli_run run = {.args = ARGS("unix", "pipe", "syscall", "--copies", "1,2", CSV, SHORT),
                                .env = ARGS("TMPDIR=/tmp", "UB_OUTPUT_CSV=true")};
    char pattern[CLI_PATH], expected[1024], line[256];
    struct cli_result result;
    struct cli_csv csv;
    glob_t found;

    measure_as(run, 0, &result, &csv);
    (void)snprintf(pattern, sizeof(pattern), "%s/unixbench-*.csv", cli->work);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    (void)snprintf(expected, sizeof(expected), "Concurrency,Pipe Throughput,System Call Overhead\n");
    for (int copies = 1; copies <= 2; copies++) {
        expected_line(&csv, copies == 1 ? "1" : "2", line, sizeof(line));
        (void)strncat(expected, line, sizeof(expected) - strlen(expected) - 1);
    }
    char *text = cli_read_file(found.gl_pathv[0], NULL);
    assert_string_equal(text, expected);
    globfree(&found);

    const struct cli_run nowhere = {.args = ARGS("unix", "pipe", "--no-csv", SHORT),
                                    .env = ARGS("TMPDIR=/tmp", "UB_OUTPUT_CSV=true", "UB_RESULTDIR=/nonexistent")};
    cli_expect(&nowhere, 1, &result);

    const struct cli_run named = {
        .args = ARGS("unix", "pipe", "--no-csv", SHORT),
        .env = ARGS("TMPDIR=/tmp", "UB_OUTPUT_CSV=true", "UB_OUTPUT_FILE_NAME=mine", "UB_RESULTDIR=.")};
    cli_expect(&named, 0, &result);
    (void)snprintf(pattern, sizeof(pattern), "%s/mine", cli->work);
    text = cli_read_file(pattern, NULL);
    cli_expect_text(text, "Pipe Throughput");
    (void)snprintf(pattern, sizeof(pattern), "%s/mine.csv", cli->work);
    text = cli_read_file(pattern, NULL);
    cli_expect_text(text, "Concurrency,Pipe Throughput\n");
    cli_expect(&named, 2, &result); /* before anything is measured */
    cli_expect_text(result.err, "jitbench unix: UB_OUTPUT_FILE_NAME './mine': the file exists");
}

/* --- Bad places. --- */

CLI_TEST(test_unix_dir_missing)
{
    struct cli_result result;
    struct cli_csv csv;

    measure(ARGS("unix", "fcopy1024", "shell1", "fread256", "syscall", ONCE, NO_DIR), 0, &result, &csv);
    expect_rate(&csv, "fcopy1024", "skipped", "'/nonexistent': No such file");
    expect_rate(&csv, "shell1", "skipped", "'/nonexistent': No such file");
    expect_rate(&csv, "fread256", "skipped", "'/nonexistent': No such file");
    expect_rate(&csv, "syscall", "ok", "");
    /* The reason is given once. */
    const char *first = strstr(result.err, "\nskipped: ");
    assert_non_null(first);
    cli_expect_text(first,
                    "\nskipped: scratch directory '/nonexistent': No such file or directory (fcopy1024 and 2 more)\n");
    cli_expect_no_text(first + 1, "\nskipped: ");
    measure(ARGS("unix", "fcopy1024", "shell1", ONCE, "--dir", "/dev/null"), 0, &result, &csv);
    expect_rate(&csv, "fcopy1024", "skipped", "'/dev/null': Not a directory");
    expect_rate(&csv, "shell1", "skipped", "'/dev/null': Not a directory");
    const struct cli_run strict = {.args = ARGS("unix", "fcopy1024", ONCE, NO_DIR, "--strict")};
    cli_expect(&strict, 3, &result);
}

/* A mount namespace in which the scratch directory is another. */
struct mounted {
    const char *tmp;
    const char *options; /* of a tmpfs; NULL: the folder itself, read-only */
    unsigned long flags;
};

static int mount_tmp(void *context)
{
    const struct mounted *m = context;

    if (cli_own_mounts())
        return -1;
    if (m->options)
        return mount("none", m->tmp, "tmpfs", m->flags, m->options);
    return mount(m->tmp, m->tmp, NULL, MS_BIND, NULL) ||
                   mount(NULL, m->tmp, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL)
               ? -1
               : 0;
}

/* The directory is invisible outside, so the names of files left in it go to standard output. The CSV is in the work
 * directory. */
static void measure_mounted(struct mounted *mounted, const char *tests_and_options, int status, struct cli_csv *csv)
{
    char command[512], names[CLI_FILES][256];
    struct cli_result result;

    cli_need_mount_namespace();
    mounted->tmp = cli->tmp;
    (void)snprintf(
        command, sizeof(command),
        "\"$0\" unix %s -q -o rows.csv -t 50ms --samples 1 --dir \"$TMPDIR\" >/dev/null; status=$?; ls -A \"$TMPDIR\"; "
        "exit $status",
        tests_and_options);
    const struct cli_run run = {
        .program = "/bin/sh", .args = ARGS("-c", command, cli_binary), .prepare = mount_tmp, .context = mounted};
    cli_expect(&run, status, &result);
    assert_string_equal(result.out, "");
    assert_string_equal(result.err, "");
    assert_int_equal(cli_files(cli->work, names), 1);
    cli_csv_read(cli_path("%s/rows.csv", cli->work), csv);
}

/* A directory in memory is reported once, and for tests of files only. */
CLI_TEST(test_unix_dir_in_memory_is_named)
{
    static const char line[] =
        "\ntmpfs is not a disk: its files are in memory (fcopy256); --dir names another directory\n";
    struct mounted mounted = {.options = "mode=0777", .tmp = cli->tmp};
    struct cli_result result;
    const struct cli_run run = {.program = "/bin/sh",
                                .args = ARGS("-c", "exec \"$0\" \"$@\" --dir \"$TMPDIR\" 2>&1", cli_binary, "unix",
                                             "pipe", "fread256", "fcopy256", SHORT, "-c", "1", "-q", "--no-csv"),
                                .prepare = mount_tmp,
                                .context = &mounted};

    cli_need_mount_namespace();
    cli_expect(&run, 0, &result);
    const char *pipe = strstr(result.out, "\nPipe Throughput"), *copy = strstr(result.out, "\nFile Copy 256");
    assert_non_null(pipe);
    assert_non_null(copy);
    pipe = strchr(pipe + 1, '\n');
    copy = strchr(copy + 1, '\n');
    assert_memory_equal(copy - 7, "  tmpfs", 7);
    assert_memory_not_equal(pipe - 7, "  tmpfs", 7);
    cli_expect_text(result.out, line);
    cli_expect_no_text(strstr(result.out, line) + 1, "is not a disk: its files are in memory (fread");
}

CLI_TEST(test_unix_dir_read_only)
{
    struct mounted mounted = {.options = NULL};
    struct cli_csv csv;

    measure_mounted(&mounted, "fs shell1 execl syscall -c 1", 0, &csv);
    expect_rate(&csv, "fcopy256", "skipped", "Read-only file system");
    expect_rate(&csv, "fwrite1024", "skipped", "Read-only file system");
    expect_rate(&csv, "shell1", "skipped", "Read-only file system");
    expect_rate(&csv, "execl", "ok", "");
    expect_rate(&csv, "syscall", "ok", "");
}

/* The free space is looked at first. */
CLI_TEST(test_unix_dir_too_small)
{
    struct mounted mounted = {.options = "size=64k,mode=0777"};
    struct cli_csv csv;

    measure_mounted(&mounted, "fcopy1024 fread4096 shell1 execl syscall -c 1", 0, &csv);
    expect_rate(&csv, "fcopy1024", "skipped", " free; not ");
    expect_rate(&csv, "fread4096", "skipped", " free; not ");
    expect_rate(&csv, "shell1", "skipped", " free; not ");
    expect_rate(&csv, "execl", "ok", "");
    expect_rate(&csv, "syscall", "ok", "");
}

/* Room for one copy's two files of 8000 KiB, not for four copies'. */
CLI_TEST(test_unix_dir_full_in_mid_run)
{
    struct mounted mounted = {.options = "size=17m,mode=0777"};
    struct cli_csv csv;

    measure_mounted(&mounted, "fcopy4096 syscall -c 1 -c 4", 1, &csv);
    for (size_t row = 0; row < csv.n_rows; row++) {
        bool full = !strcmp(cli_cell(&csv, row, "test"), "fcopy4096") && !strcmp(cli_cell(&csv, row, "copies"), "4");
        assert_string_equal(cli_cell(&csv, row, "status"), full ? "failed" : "ok");
        if (full)
            cli_expect_text(cli_cell(&csv, row, "reason"), "No space left on device");
        if (!strcmp(cli_cell(&csv, row, "test"), "fcopy4096"))
            assert_string_equal(cli_cell(&csv, row, "scratch_fs"), "tmpfs");
    }
    assert_int_equal(cli_count(&csv, "fcopy4096", "rate"), 2);
}

/* The image of execl is in memory, and /bin/sh only reads its scripts. */
CLI_TEST(test_unix_dir_noexec)
{
    struct mounted mounted = {.options = "size=40m,mode=0777", .flags = MS_NOEXEC};
    struct cli_csv csv;

    measure_mounted(&mounted, "execl fcopy1024 shell1 shell8 -c 1", 0, &csv);
    cli_expect_all(&csv, "status", "ok");
    assert_string_equal(cli_cell(&csv, cli_row(&csv, "shell1", "rate", 0), "scratch_fs"), "tmpfs");
}

static int enter_root(void *context)
{
    return chroot(cli->root) || chdir("/work") ? -1 : 0;
}

/* Nothing but the binary: no /bin/sh, no /proc, no /dev. */
CLI_TEST(test_unix_no_shell)
{
    char binary[CLI_PATH];
    struct cli_result result;
    struct cli_csv csv;

    cli_need_root();
    cli_need_cpus(2);
    cli_copy_binary(binary);
    const struct cli_run run = {.program = "/bin/jitbench",
                                .args = ARGS("unix", "process", "index", ONCE),
                                .env = ARGS("TMPDIR=/tmp"),
                                .prepare = enter_root};
    measure_as(run, 0, &result, &csv);
    for (size_t row = 0; row < csv.n_rows; row++) {
        bool shell = !strncmp(cli_cell(&csv, row, "test"), "shell", 5);
        bool tool = shell || !strcmp(cli_cell(&csv, row, "test"), "sysexec");
        assert_string_equal(cli_cell(&csv, row, "status"), tool ? "skipped" : "ok");
        if (tool)
            cli_expect_text(cli_cell(&csv, row, "reason"), shell ? "/bin/sh" : "/bin/true");
    }
    expect_tests(&csv, ARGS("dhry2reg", "whetstone", "execl", "fcopy1024", "fcopy256", "fcopy4096", "pipe", "context1",
                            "context1-same", "context1-two", "spawn", "shell1", "shell8", "syscall", "sysexec",
                            "sysclose", "sysgetpid"));
    cli_expect_files(cli->tmp, 0);
}

/* The file of the footprint is opened by its path. */
CLI_TEST(test_unix_classic_footprint_needs_proc)
{
    char binary[CLI_PATH];
    struct cli_result result;
    struct cli_csv csv;

    cli_need_root();
    cli_copy_binary(binary);
    const struct cli_run run = {.program = "/bin/jitbench",
                                .args =
                                    ARGS("unix", "execl", "--classic", "-t", "50ms", "--passes", "1", CSV, "-c", "1"),
                                .env = ARGS("TMPDIR=/tmp"),
                                .prepare = enter_root};
    measure_as(run, 0, &result, &csv);
    const size_t row = cli_row(&csv, "execl", "rate", 0);
    assert_string_equal(cli_cell(&csv, row, "status"), "degraded");
    assert_string_equal(cli_cell(&csv, row, "reason"),
                        "without the footprint of a dynamically linked process: No such file or directory");
    assert_true(cli_number(&csv, row, "value") > 0);
}

/* Another file in the place of sort. */
struct replaced {
    char file[CLI_PATH];
};

static int replace_sort(void *context)
{
    static const char *const places[] = {"/usr/bin/sort", "/bin/sort"};
    const struct replaced *replaced = context;
    struct stat status, wanted;

    if (cli_own_mounts() || stat(replaced->file, &wanted))
        return -1;
    for (size_t i = 0; i < COUNT(places); i++) {
        if (lstat(places[i], &status) || status.st_ino == wanted.st_ino)
            continue;
        if (S_ISLNK(status.st_mode)) { /* of one program that is all tools */
            errno = EMLINK;
            return -1;
        }
        if (mount(replaced->file, places[i], NULL, MS_BIND, NULL))
            return -1;
    }
    return 0;
}

static void measure_replaced(const char *text, mode_t mode, const char *test, int status, struct cli_result *result,
                             struct cli_csv *csv)
{
    struct replaced replaced;

    cli_need_mount_namespace();
    cli_write_file(cli->root, "sort", text);
    (void)snprintf(replaced.file, sizeof(replaced.file), "%s/sort", cli->root);
    assert_int_equal(chmod(replaced.file, mode), 0);
    measure_as(
        (struct cli_run){.args = ARGS("unix", test, "syscall", ONCE), .prepare = replace_sort, .context = &replaced},
        status, result, csv);
    expect_rate(csv, "syscall", "ok", "");
    cli_expect_files(cli->tmp, 0);
}

CLI_TEST(test_unix_no_sort)
{
    struct cli_result result;
    struct cli_csv csv;

    measure_replaced("", 0644, "shell", 0, &result, &csv);
    expect_rate(&csv, "shell1", "skipped", "'sort'");
    expect_rate(&csv, "shell8", "skipped", "'sort'");
    expect_rate(&csv, "shell16", "skipped", "'sort'");
}

/* One that drops everything and says that all is well; one that fails. */
CLI_TEST(test_unix_wrong_sort)
{
    struct cli_result result;
    struct cli_csv csv;

    measure_replaced("#!/bin/sh\nexit 0\n", 0755, "shell1", 1, &result, &csv);
    expect_rate(&csv, "shell1", "failed", "self-check failed: lines that wc counted is 0; not 35");
    measure_replaced("#!/bin/sh\nexit 3\n", 0755, "shell1", 1, &result, &csv);
    expect_rate(&csv, "shell1", "failed", "the shell script ended early with exit status ");
}

static int few_processes(void *context)
{
    const struct rlimit limit = {20, 20};

    (void)context;
    return setrlimit(RLIMIT_NPROC, &limit) ? -1 : cli_become_nobody();
}

CLI_TEST(test_unix_too_few_processes)
{
    char binary[CLI_PATH];
    struct cli_result result;
    struct cli_csv csv;

    cli_need_root(); /* which itself is not bound by the limit */
    cli_copy_binary(binary);
    const struct cli_run run = {.program = binary,
                                .args = ARGS("unix", "syscall", "shell8", "-c", "64", "-c", "1", CSV, SHORT),
                                .prepare = few_processes};
    measure_as(run, 1, &result, &csv);
    size_t failed = 0;
    for (size_t row = 0; row < csv.n_rows; row++) {
        if (strcmp(cli_cell(&csv, row, "copies"), "64") != 0)
            continue;
        assert_string_equal(cli_cell(&csv, row, "status"), "failed");
        cli_expect_text(cli_cell(&csv, row, "reason"), "RLIMIT_NPROC");
        failed++;
    }
    assert_int_equal(failed, 2);
    cli_expect_text(result.err, "RLIMIT_NPROC");
    expect_rate(&csv, "syscall", "failed", " of 64");
    cli_expect_files(cli->tmp, 0);
}

/* --- Signals. --- */

static const char *const restless[] = {"shell8", "execl", "fcopy1024", "context1", "spawn"};

/* Starts two copies of a long sample, and returns in the middle of it. */
static void start_long(const char *test, struct cli_child *child)
{
    const struct cli_run run = {.args = ARGS("unix", test, CSV, "-c", "2", "-t", "60s", "--samples", "1")};

    cli_start(&run, child);
    (void)cli_wait_worker(child->pid);
    cli_sleep_ms(300); /* set-up and warm-up take a third of that */
    assert_true(cli_living(child->pid) >= 2);
}

CLI_TEST(test_unix_interrupted_leaves_nothing)
{
    for (size_t i = 0; i < COUNT(restless); i++) {
        struct cli_child child;
        struct cli_result result;
        struct cli_csv csv;
        start_long(restless[i], &child);
        assert_int_equal(kill(child.pid, SIGINT), 0);
        cli_wait(&child, &result);
        cli_expect_all_gone(restless[i]);
        cli_expect_status(&result, 128 + SIGINT);
        cli_csv_parse(result.out, &csv);
        expect_rate(&csv, restless[i], "skipped", "SIGINT");
    }
}

CLI_TEST(test_unix_killed_leaves_nothing)
{
    for (size_t i = 0; i < COUNT(restless); i++) {
        struct cli_child child;
        struct cli_result result;
        start_long(restless[i], &child);
        assert_int_equal(kill(child.pid, SIGKILL), 0);
        cli_wait(&child, &result);
        cli_expect_all_gone(restless[i]);
        cli_expect_status(&result, -SIGKILL);
    }
}

struct seen {
    size_t n;
    pid_t pid[32];
};

static bool is_seen(const struct seen *seen, pid_t pid)
{
    for (size_t i = 0; i < seen->n; i++)
        if (seen->pid[i] == pid)
            return true;
    return false;
}

/* Enters the children that have not been seen yet; one of them, 0 when there is none. */
static pid_t look_at_children(pid_t parent, struct seen *seen)
{
    DIR *proc = opendir("/proc");
    const struct dirent *entry;
    pid_t one = 0;

    assert_non_null(proc);
    while ((entry = readdir(proc))) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        /* A worker leads a group of its own; what a killed one leaves behind comes to its parent for a moment. */
        if (pid <= 0 || cli_parent_of(pid) != parent || getpgid(pid) != pid || is_seen(seen, pid))
            continue;
        assert_true(seen->n < COUNT(seen->pid));
        seen->pid[seen->n++] = one = pid;
    }
    (void)closedir(proc);
    return one;
}

static void kill_next_worker(pid_t parent, struct seen *seen)
{
    const uint64_t until = cli_deadline(10);
    pid_t worker;

    while (!(worker = look_at_children(parent, seen))) {
        if (cli_now_ns() > until)
            fail_msg("no further worker has come up");
        cli_sleep_ms(2);
    }
    cli_sleep_ms(300);
    (void)look_at_children(parent, seen); /* its partner */
    assert_int_equal(kill(worker, SIGKILL), 0);
}

CLI_TEST(test_unix_killed_worker_is_a_failed_row)
{
    static const char *const killed[] = {"execl", "fcopy1024", "context1", "spawn", "shell1"};
    const struct cli_run run = {.args = ARGS("unix", "execl", "fcopy1024", "context1", "spawn", "shell1", "syscall",
                                             CSV, "-c", "1", "-t", "2s", "--samples", "1")};
    struct seen seen = {.n = 0};
    struct cli_child child;
    struct cli_result result;
    struct cli_csv csv;

    cli_start(&run, &child);
    for (size_t i = 0; i < COUNT(killed); i++)
        kill_next_worker(child.pid, &seen);
    cli_wait(&child, &result);
    cli_expect_status(&result, 1);
    cli_csv_parse(result.out, &csv);
    for (size_t i = 0; i < COUNT(killed); i++)
        expect_rate(&csv, killed[i], "failed", "killed by signal 9");
    expect_rate(&csv, "syscall", "ok", "");
    cli_expect_all_gone("all");
}
