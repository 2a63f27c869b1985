/* SPDX-License-Identifier: MIT */
/* Tests of jitbench run: what a command inherits, its figures, the order of commands, and that none of their processes
 * is left. */

#include "../refuse.h"
#include "cli.h"
#include "program.h"

#define FAILED  1
#define USAGE   2
#define FINDING 4

/* --- Helpers. --- */

static void need_commands(void)
{
    cli_need_commands();
}

/* Runs it quietly with the CSV to standard output. */
static void run_csv(const char *const *args, int status, struct cli_csv *csv)
{
    const char *all[64] = {"run", "-q", "-o", "-"};
    struct cli_result result;

    need_commands();
    for (size_t i = 0; args[i]; i++)
        all[i + 4] = args[i];
    cli_expect_args(all, status, &result);
    cli_csv_parse(result.out, csv);
}

/* Returns the commands' output, with these options and words. */
static char *printed(const char *const *args)
{
    const char *all[64] = {"run", "-q", "--no-csv", "--show-output"};
    struct cli_result result;

    need_commands();
    for (size_t i = 0; args[i]; i++)
        all[i + 4] = args[i];
    cli_expect_args(all, 0, &result);
    return result.out;
}

static void expect_printed(const char *const *args, const char *expected)
{
    assert_string_equal(printed(args), expected);
}

static void expect_error(const char *const *args, const char *message)
{
    cli_expect_error(args, message);
    cli_expect_files(cli->work, 0);
}

/* --- What a row says. --- */

CLI_TEST(test_run_rows_are_all_metrics_of_the_command)
{
    struct cli_csv csv;

    run_csv(ARGS("-i", "3", "--", "sleep", "0.02"), 0, &csv);
    assert_int_equal(csv.n_rows, cli_metrics("command") - 1); /* without instructions */
    cli_expect_all(&csv, "suite", "run");
    cli_expect_all(&csv, "test", "sleep");
    cli_expect_all(&csv, "param", "command=sleep 0.02");
    cli_expect_all(&csv, "bind", "range");
    size_t wall = cli_row(&csv, "sleep", "wall", 0);
    assert_int_equal(cli_items(cli_cell(&csv, wall, "samples")), 3);
    assert_true(cli_number(&csv, wall, "min") >= 0.02);
    assert_true(cli_number(&csv, wall, "wall_s") >= 0.06);
    /* Counters are the command's: it slept, and was not on a CPU meanwhile. */
    assert_true(cli_number(&csv, wall, "ctx_voluntary") >= 3);
    assert_true(cli_number(&csv, wall, "faults_minor") >= 3);
    assert_true(cli_number(&csv, wall, "cpu_s") < cli_number(&csv, wall, "wall_s"));
    assert_true(cli_number(&csv, cli_row(&csv, "sleep", "exit_code", 0), "value") == 0);
    assert_true(cli_number(&csv, cli_row(&csv, "sleep", "max_rss", 0), "value") >= 4096);
}

CLI_TEST(test_run_counts_time_and_memory_of_children)
{
    struct cli_csv csv;

    run_csv(ARGS("-i", "1", "--", "sh", "-c", "dd if=/dev/zero of=/dev/null bs=64M count=3 2>/dev/null; exit 0"), 0,
            &csv);
    double peak = cli_number(&csv, cli_row(&csv, "sh", "max_rss", 0), "value");
    assert_true(peak >= 64.0 * (1 << 20) && peak < 72.0 * (1 << 20));
    double system = cli_number(&csv, cli_row(&csv, "sh", "system", 0), "value");
    double user = cli_number(&csv, cli_row(&csv, "sh", "user", 0), "value");
    size_t wall = cli_row(&csv, "sh", "wall", 0);
    assert_true(system + user > 0);
    assert_true(system + user < 1.1 * cli_number(&csv, wall, "value"));
    double difference = system + user - cli_number(&csv, wall, "cpu_s");
    assert_true(difference < 1e-6 && difference > -1e-6);
}

/* A shell that counts is at work in user mode; one that reads zeros is nearly all of the time in the kernel. */
CLI_TEST(test_run_tells_user_from_system_time)
{
    struct cli_csv csv;

    run_csv(ARGS("-i", "1", "--name", "counts,reads", "--", "sh", "-c",
                 "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done", "--", "dd", "if=/dev/zero", "of=/dev/null",
                 "bs=1M", "count=3000"),
            0, &csv);
    assert_true(cli_number(&csv, cli_row(&csv, "counts", "user", 0), "value") >
                cli_number(&csv, cli_row(&csv, "counts", "system", 0), "value"));
    assert_true(cli_number(&csv, cli_row(&csv, "reads", "system", 0), "value") >
                cli_number(&csv, cli_row(&csv, "reads", "user", 0), "value"));
}

CLI_TEST(test_run_failure_is_a_failed_row)
{
    static const struct {
        const char *script, *reason;
    } ends[] = {
        {"exit 3", "exit status 3"},
        {"kill -SEGV $$", "killed by signal 11 (Segmentation fault)"},
    };
    struct cli_csv csv;

    for (size_t i = 0; i < COUNT(ends); i++) {
        run_csv(ARGS("-i", "2", "--", "sh", "-c", ends[i].script, "--", "true"), FAILED, &csv);
        size_t row = cli_row(&csv, "sh", NULL, 0);
        assert_int_equal(cli_count(&csv, "sh", NULL), 1);
        assert_string_equal(cli_cell(&csv, row, "status"), "failed");
        assert_string_equal(cli_cell(&csv, row, "reason"), ends[i].reason);
        /* The other one goes on. */
        assert_true(cli_number(&csv, cli_row(&csv, "true", "wall", 0), "n") == 2);
    }
}

CLI_TEST(test_run_failure_that_is_ignored_is_a_metric)
{
    struct cli_csv csv;

    run_csv(ARGS("-i", "2", "--ignore-failure", "--name", "three,term", "--", "sh", "-c", "exit 3", "--", "sh", "-c",
                 "kill -TERM $$"),
            0, &csv);
    assert_true(cli_number(&csv, cli_row(&csv, "three", "exit_code", 0), "value") == 3);
    assert_true(cli_number(&csv, cli_row(&csv, "term", "exit_code", 0), "value") == 128 + SIGTERM);
    assert_true(cli_number(&csv, cli_row(&csv, "three", "wall", 0), "n") == 2);
}

/* The table's ratio is that of the verdict, whatever that is on a busy machine. If all runs of the second took
 * longer than all of the first, which they do unless the machine is very busy, the verdict says so, and --fail-on. */
CLI_TEST(test_run_table_has_a_line_each_and_ratios)
{
    const struct cli_run run = {.args = ARGS("run", "-q", "-o", "-", "-i", "12", "--fail-on", "slower:100", "--name",
                                             "a,b", "--", "sleep", "0.01", "--", "sleep", "0.06")};
    struct cli_child child;
    struct cli_result result;
    struct cli_csv csv;

    need_commands();
    cli_start(&run, &child);
    cli_wait(&child, &result);
    cli_csv_parse(result.out, &csv);
    size_t a = cli_row(&csv, "a", "wall", 0), b = cli_row(&csv, "b", "wall", 0);
    cli_expect_text(result.err, "times in ms; ratio to the first\n");
    cli_expect_text(result.err, "\na ");
    const char *line = strstr(result.err, "\nb ");
    assert_non_null(line);
    double ratio = 0, expected = 0;
    assert_int_equal(sscanf(line + strlen("\nb "), "%*d %*f %*f %*f %*f %*f %*f %*f %*f %*f %lf", &ratio), 1);
    const char *verdict = strstr(line + 1, "\nb");
    assert_non_null(verdict);
    const bool slower = cli_number(&csv, b, "min") > 2 * cli_number(&csv, a, "max");
    if (slower) {
        assert_int_equal(sscanf(verdict, "\nb takes %lf times as long (", &expected), 1);
        if (!(fabs(ratio / expected - 1) <= 0.006)) /* three digits */
            fail_msg("the ratio is %g, that of the verdict is %g", ratio, expected);
        cli_expect_text(verdict, "), 12 runs of each, in 6 blocks, ");
        cli_expect_text(result.err, "jitbench run: --fail-on: b is slower by more than 100 %\n");
    }
    if (strstr(result.err, "--fail-on"))
        cli_expect_status(&result, FINDING);
    else
        cli_expect_status(&result, 0);
}

/* A command against itself has two rows, of which the second says so; the same verdict is in the CSV. */
CLI_TEST(test_run_aa_takes_turns_with_itself)
{
    const struct cli_run run = {
        .args = ARGS("run", "-q", "-o", "aa.csv", "--aa", "--quick", "--name", "x", "--", "sleep", "0.001")};
    const struct cli_run show = {.args = ARGS("show", "-q", "aa.csv")};
    struct cli_result result, shown;
    struct cli_csv csv;

    need_commands();
    cli_expect(&run, 0, &result);
    cli_expect_text(result.out, ", 12 runs of each, in 6 blocks, "); /* one in twenty differs from itself */
    cli_expect_text(result.out, "\nThe least difference that is found in 80 % of such measurements: ");
    cli_expect_text(result.out, "\nDifference ");
    cli_expect(&show, 0, &shown);
    cli_expect_text(shown.out, strstr(result.out, "\nThe least difference"));
    cli_csv_only(cli->work, &csv);
    assert_string_equal(cli_cell(&csv, cli_row(&csv, "x", "wall", 1), "param"), "command=sleep 0.001");
    assert_string_equal(cli_cell(&csv, cli_row(&csv, "x", "wall", 0), "param"), "aa=yes command=sleep 0.001");
    assert_int_equal(cli_number(&csv, cli_row(&csv, "x", "wall", 1), "n"), 12);
}

/* Three builds of a side in turns with those of the other, whatever their order on the command line; one fails, and its
 * side has too few for a verdict. Builds of one side only have a spread. */
CLI_TEST(test_run_builds_of_sides)
{
    struct cli_result result, shown;
    struct cli_csv csv;

    need_commands();
    for (int fails = 0; fails < 2; fails++) {
        const struct cli_run run = {.args = ARGS("run", "-q", "-o", fails ? "2.csv" : "1.csv", "-i", "3", "--name",
                                                 "base,base,base,head,head,head", "--", "sh", "-c", "sleep .01", "--",
                                                 "sh", "-c", "sleep .01 1", "--", "sh", "-c", "sleep .01; :", "--",
                                                 "sh", "-c", "sleep 0.05", "--", "sh", "-c", "sleep 0.050", "--", "sh",
                                                 "-c", fails ? "exit 3" : "sleep 0.0500")};
        cli_expect(&run, fails ? FAILED : 0, &result);
        cli_expect_text(result.out, "Command  Build ");
        cli_expect_text(result.out, "; builds of one side differ by ");
        cli_expect_text(result.out, fails ? "\nhead: not decided, 3 and 2 builds with a figure, at least 3"
                                          : "(layout), 3 and 3 builds, 3 runs of each, ");
        cli_expect_no_text(result.out, "jitbench-run(1)");
        cli_expect(&(struct cli_run){.args = ARGS("show", "-q", fails ? "2.csv" : "1.csv")}, 0, &shown);
        cli_expect_text(shown.out, strstr(result.out, "\nhead"));
    }
    run_csv(ARGS("-i", "1", "--reference", "4", "--name", "b,b,a,a", "--", "sh", "-c", ":", "--", "sh", "-c", ": ",
                 "--", "sh", "-c", ":  ", "--", "sh", "-c", ":   "),
            0, &csv);
    static const char *const order[] = {"a 1", "b 1", "b 2", "a 2"};
    for (size_t i = 0; i < 4; i++) {
        const size_t row = cli_row(&csv, (const char[]){order[i][0], '\0'}, "wall", (size_t)(order[i][2] - '1'));
        assert_int_equal(cli_number(&csv, row, "item"), i + 1);
        cli_expect_text(cli_cell(&csv, row, "param"), (const char[]){'b', 'u', 'i', 'l', 'd', '=', order[i][2], '\0'});
    }
    cli_expect(&(struct cli_run){.args = ARGS("run", "-q", "--no-csv", "-i", "1", "--name", "a,a", "--", "sh", "-c",
                                              ":", "--", "sh", "-c", ": ")},
               0, &result);
    cli_expect_text(result.out, "\na: builds of one side differ by ");
    cli_expect_text(result.out, "(layout), 2 builds, 1 runs of each, ");
}

CLI_TEST(test_run_refuses_builds_that_are_none)
{
    char link[CLI_PATH];

    cli_write_file(cli->work, "one", "#!/bin/sh\n");
    cli_write_file(cli->work, "copy", "#!/bin/sh\n");
    (void)snprintf(link, sizeof(link), "%s/link", cli->work);
    assert_int_equal(symlink("one", link), 0);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(chmod(cli_path("%s/%s", cli->work, i ? "copy" : "one"), 0755), 0);
    }
    static const char *const same[][2] = {{"./one", "./link"}, {"./copy", "./one"}};
    for (size_t i = 0; i < COUNT(same); i++) {
        char message[200];
        (void)snprintf(message, sizeof(message),
                       "jitbench run: --name: commands 1 and 2, '%s' and '%s', are the same build\n", same[i][0],
                       same[i][1]);
        cli_expect_error(ARGS("run", "--name", "a,a", "--", same[i][0], "x", "--", same[i][1], "x"), message);
    }
}

/* --- What is judged. --- */

/* The shell that touches 64 MiB needs more memory than the one that does not; --fail-on judges that, too. */
CLI_TEST(test_run_judges_what_is_asked_for)
{
    struct cli_result result;

    need_commands();
    const struct cli_run run = {.args = ARGS("run", "-q", "-o", "a.csv", "-i", "12", "--judge", "rss", "--fail-on",
                                             "slower:5", "--name", "few,much", "--", "dd", "if=/dev/zero",
                                             "of=/dev/null", "bs=1M", "count=1", "--", "dd", "if=/dev/zero",
                                             "of=/dev/null", "bs=64M", "count=1")};
    cli_expect(&run, FINDING, &result);
    cli_expect_text(result.out, "; ratio of peak memory to the first\n");
    cli_expect_text(result.out, "\nmuch: peak memory is ");
    cli_expect_text(result.out, " times as much (");
    cli_expect_text(result.err, "jitbench run: --fail-on: much: peak memory is higher by more than 5 %\n");
    cli_expect(&(struct cli_run){.args = ARGS("show", "-q", "a.csv")}, 0, &result);
    cli_expect_text(result.out, "\nmuch: peak memory is ");
}

/* Two runs each are enough where instructions are counted; elsewhere the wall-clock time is judged, and two lines say
 * so and how long it takes. */
CLI_TEST(test_run_judges_instructions_or_says_why_not)
{
    const struct cli_run run = {.args = ARGS("run", "-q", "-o", "a.csv", "--judge", "instructions", "--max-time", "2s",
                                             "--name", "few,many", "--", "sh", "-c", "", "--", "sh", "-c",
                                             "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done")};
    struct cli_result result;
    struct cli_csv csv;

    need_commands();
    cli_expect(&run, 0, &result);
    cli_csv_only(cli->work, &csv);
    if (strstr(result.err, "no such counter")) {
        assert_int_equal(strncmp(result.err, "jitbench run: --judge instructions: no such counter (", 53), 0);
        cli_expect_text(result.err, "), so wall-clock time is judged\njitbench run: wall-clock time takes some ");
        cli_expect_text(result.err, " for +-0.5 % (--precision), and 4 s at most (--max-time)\n");
        assert_int_equal(cli_count(&csv, "few", "instructions"), 0);
    } else {
        cli_expect_text(result.out, "\nmany: instructions is ");
        assert_int_equal(cli_items(cli_cell(&csv, cli_row(&csv, "few", "instructions", 0), "samples")), 2);
    }
}

CLI_TEST(test_run_refuses_words_that_the_kernel_would_not_take)
{
    char *word = malloc(90001);

    assert_non_null(word);
    memset(word, 'x', 90000);
    word[90000] = 0;
    /* Each of them may be as long, but not both as one. */
    expect_printed(ARGS("-i", "1", "--", "sh", "-c", "echo ${#1}", "sh", word), "90000\n");
    expect_error(ARGS("run", "--shell", "--", "echo", word, word),
                 "jitbench run: a word of 180006 bytes; the kernel takes at most 131071\n");
    free(word);
}

/* --- What the command gets. --- */

CLI_TEST(test_run_hands_words_on_as_they_are)
{
    expect_printed(ARGS("-i", "1", "--", "printf", "<%s>", "a  b", "$HOME;*", "", "'", "-i"),
                   "<a  b><$HOME;*><><'><-i>");
    expect_printed(ARGS("-i", "1", "--shell", "--", "x=1;", "echo", "$x", "|", "tr 1 2"), "2\n");
    expect_printed(ARGS("-i", "1", "--shell", "--", "echo a; echo b", "echo c d"), "a\nb\nc d\n");
    expect_printed(ARGS("-i", "1", "--separator", ":", "--", "echo", "--", "-i", ":", "echo", "second"),
                   "-- -i\nsecond\n");
}

CLI_TEST(test_run_discards_or_keeps_what_is_printed)
{
    const char *const command[] = {"sh", "-c", "echo out; echo err >&2"};
    const struct cli_run silent = {
        .args = ARGS("run", "-q", "--no-csv", "-i", "2", "--", command[0], command[1], command[2])};
    const struct cli_run shown = {
        .args = ARGS("run", "-q", "--no-csv", "-i", "2", "--show-output", "--", command[0], command[1], command[2])};
    struct cli_result result;
    char path[CLI_PATH];

    need_commands();
    cli_expect(&silent, 0, &result);
    cli_expect_no_text(result.out, "\nout\n");
    assert_string_equal(result.err, "");
    cli_expect(&shown, 0, &result);
    assert_string_equal(result.out, "out\nout\n");
    assert_int_equal(strncmp(result.err, "err\nerr\nCommands, ", 18), 0);
    (void)snprintf(path, sizeof(path), "%s/kept", cli->work);
    const struct cli_run kept = {.args = ARGS("run", "-q", "--no-csv", "-i", "2", "--keep-output", "kept", "--",
                                              command[0], command[1], command[2])};
    cli_expect(&kept, 0, &result);
    char *text = cli_read_file(path, NULL);
    assert_string_equal(text, "out\nerr\nout\nerr\n");
    /* Never over a file that is there, and none that was made is left when nothing runs. */
    cli_expect(&kept, USAGE, &result);
    assert_string_equal(result.err, "jitbench run: --keep-output 'kept': the file exists; jitbench never overwrites\n");
    const struct cli_run unused = {.args = ARGS("run", "--keep-output", "new", "-o", "kept", "--", "true")};
    cli_expect(&unused, USAGE, &result);
    cli_expect_files(cli->work, 1);
}

CLI_TEST(test_run_input_is_opened_for_each_run)
{
    struct cli_result result;

    expect_printed(ARGS("-i", "2", "--", "wc", "-c"), "0\n0\n");
    cli_write_file(cli->work, "in", "three");
    expect_printed(ARGS("-i", "2", "--input", "in", "--", "wc", "-c"), "5\n5\n");
    int in = open(cli_path("%s/in", cli->work), O_RDONLY | O_CLOEXEC);
    assert_true(in > 2);
    const struct cli_run own = {
        .args = ARGS("run", "-q", "--no-csv", "--show-output", "-i", "2", "--input", "-", "--", "cat"), .in = in};
    cli_expect(&own, 0, &result);
    assert_string_equal(result.out, "three");
    (void)close(in);
    const struct cli_run terminal = {.args = ARGS("run", "--no-csv", "--input", "-", "--", "true"),
                                     .in = CLI_TERMINAL,
                                     .out = CLI_TERMINAL,
                                     .err = CLI_TERMINAL};
    cli_expect(&terminal, USAGE, &result);
    cli_expect_text(result.terminal, "--input '-': standard input is a terminal");
}

/* Reads the length of the padding from each run's output of env, and checks whether there are other variables. */
static size_t pads(const char *text, size_t lengths[16])
{
    size_t n = 0;

    for (const char *at = text; (at = strstr(at, "JITBENCH_PAD=")); at++)
        lengths[n++] = strcspn(at + strlen("JITBENCH_PAD="), "\n");
    return n;
}

CLI_TEST(test_run_environment_is_padded_cleaned_or_left)
{
    static const char *const env[] = {"PATH=/usr/bin:/bin", "FOO=bar", "JITBENCH_PAD=mine", NULL};
    const struct cli_run usual = {.args = ARGS("run", "-q", "--no-csv", "--show-output", "-i", "8", "--", "env"),
                                  .env = env};
    const struct cli_run clean = {
        .args = ARGS("run", "-q", "--no-csv", "--show-output", "-i", "1", "--clean-env", "--", "env"), .env = env};
    const struct cli_run fixed = {
        .args = ARGS("run", "-q", "--no-csv", "--show-output", "-i", "1", "--layout", "fixed", "--", "env"),
        .env = env};
    struct cli_result result;
    size_t lengths[16] = {0}, differ = 0;

    need_commands();
    cli_expect(&usual, 0, &result);
    assert_int_equal(pads(result.out, lengths), 8);
    for (size_t i = 1; i < 8; i++)
        differ += lengths[i] != lengths[0];
    assert_true(differ > 0);
    cli_expect_text(result.out, "FOO=bar\n");
    cli_expect_no_text(result.out, "mine");
    cli_expect(&clean, 0, &result);
    assert_int_equal(pads(result.out, lengths), 1);
    cli_expect_text(result.out, "PATH=/usr/bin:/bin\n");
    cli_expect_no_text(result.out, "FOO");
    cli_expect(&fixed, 0, &result);
    assert_string_equal(result.out, "PATH=/usr/bin:/bin\nFOO=bar\n");
}

/* The command, and what it starts. */
CLI_TEST(test_run_placement_is_seen_by_the_command)
{
    cli_need_cpus(2);
    expect_printed(ARGS("-i", "1", "--cpus", "1", "--nice", "7", "--", "sh", "-c",
                        "nice; grep -h Cpus_allowed_list /proc/$$/status /proc/self/status"),
                   "7\nCpus_allowed_list:\t1\nCpus_allowed_list:\t1\n");
    expect_printed(ARGS("-i", "2", "--bind", "one", "--copies", "1", "--", "sh", "-c",
                        "grep -c 'Cpus_allowed_list:.[0-9]*$' /proc/self/status"),
                   "1\n1\n");
    if (access("/proc/self/personality", R_OK) == 0)
        expect_printed(ARGS("-i", "1", "--layout", "fixed", "--", "cat", "/proc/self/personality"), "00040000\n");
}

CLI_TEST(test_run_layout_fixed_is_the_same_in_each_run)
{
    /* The stack's line of the map. */
    const char *const command[] = {"grep", "stack", "/proc/self/maps"};
    char *out = printed(ARGS("-i", "2", "--layout", "fixed", "--", command[0], command[1], command[2]));
    char *end = strchr(out, '\n');

    assert_non_null(end);
    assert_int_equal(strncmp(out, end + 1, (size_t)(end + 1 - out)), 0);
    out = printed(ARGS("-i", "2", "--", command[0], command[1], command[2]));
    end = strchr(out, '\n');
    assert_non_null(end);
    assert_int_not_equal(strncmp(out, end + 1, (size_t)(end + 1 - out)), 0);
}

CLI_TEST(test_run_real_time_is_inherited_and_ended)
{
    struct cli_csv csv;

    need_commands();
    cli_need_fifo();
    cli_need_cpus(2);
    /* Real-time priority and policy (SCHED_FIFO is 1) of the command, and of a child of it. */
    expect_printed(ARGS("-i", "1", "--cpus", "1", "--fifo=7", "--", "sh", "-c",
                        "cut -d ' ' -f 40,41 /proc/$$/stat; cut -d ' ' -f 40,41 /proc/self/stat"),
                   "7 1\n7 1\n");
    run_csv(ARGS("-i", "1", "--cpus", "1", "--fifo", "--nice", "-3", "--", "true"), 0, &csv);
    cli_expect_all(&csv, "policy", "fifo");
    cli_expect_all(&csv, "rt_priority", "50");
    cli_expect_all(&csv, "nice", "-3");
    cli_expect_all(&csv, "status", "ok");
    /* It never sleeps, so tasks of lower priority do not get its CPU. */
    run_csv(ARGS("-i", "1", "--cpus", "1", "--fifo", "--timeout", "200ms", "--", "sh", "-c", "while :; do :; done"),
            FAILED, &csv);
    cli_expect_text(cli_cell(&csv, 0, "reason"), "still running after 200 ms (--timeout); killed");
}

CLI_TEST(test_run_copies_start_together)
{
    struct cli_csv csv;
    unsigned copies = 0;

    run_csv(ARGS("-i", "2", "--copies", "1,6", "--", "sleep", "0.2"), 0, &csv);
    for (size_t i = 0; i < 2; i++) {
        size_t wall = cli_row(&csv, "sleep", "wall", i);
        copies |= (unsigned)cli_number(&csv, wall, "copies");
        assert_true(cli_number(&csv, wall, "min") >= 0.2);
        assert_true(cli_number(&csv, wall, "min") < 1); /* not one behind the other */
    }
    assert_int_equal(copies, 1 | 6);
}

static int become_nobody(void *context)
{
    (void)context;
    return cli_become_nobody();
}

CLI_TEST(test_run_without_rights_is_degraded)
{
    char program[CLI_PATH];
    struct cli_result result;
    struct cli_csv csv;

    need_commands();
    cli_need_root();
    cli_copy_binary(program);
    const struct cli_run run = {.program = program,
                                .args = ARGS("run", "-q", "-o", "-", "-i", "1", "--nice", "-5", "--", "true"),
                                .directory = "/",
                                .prepare = become_nobody};
    cli_expect(&run, 0, &result);
    cli_csv_parse(result.out, &csv);
    cli_expect_all(&csv, "status", "degraded");
    cli_expect_all(&csv, "nice", "0");
    cli_expect_text(cli_cell(&csv, 0, "reason"), "nice -5 refused");
}

static int hide_proc(void *context)
{
    (void)context;
    return cli_own_mounts() || mount("none", "/proc", "tmpfs", 0, NULL) ? -1 : 0;
}

CLI_TEST(test_run_without_proc)
{
    struct cli_result result;
    struct cli_csv csv;

    need_commands();
    cli_need_mount_namespace();
    const struct cli_run run = {.args = ARGS("run", "-q", "-o", "-", "-i", "2", "--", "sleep", "0.01"),
                                .prepare = hide_proc};
    cli_expect(&run, 0, &result);
    cli_csv_parse(result.out, &csv);
    size_t wall = cli_row(&csv, "sleep", "wall", 0);
    assert_true(cli_number(&csv, wall, "min") >= 0.01);
    assert_string_equal(cli_cell(&csv, wall, "run_delay_ms"), "");
}

/* A system call of Linux that no kernel lacks, but emulators do. */
CLI_TEST(test_run_without_shared_memory_is_skipped)
{
    struct refusal refusals[] = {{.kind = REFUSE_FLAG,
                                  .number = SYS_clone,
                                  .argument = 0,
                                  .mask = CLONE_VM | CLONE_THREAD,
                                  .value = CLONE_VM,
                                  .error = EINVAL},
                                 {.kind = 0}};
    bool emulated = program_emulated(cli_binary);
    const struct cli_run run = {.args = ARGS("run", "-q", "-o", "-", "-i", "2", "--", "true"),
                                .prepare = emulated ? NULL : refuse,
                                .context = refusals};
    struct cli_result result;
    struct cli_csv csv;

    if (!emulated && !program_has_our_calls(cli_binary))
        cli_skip("the program's system calls have other numbers than the test's");
    cli_expect(&run, 0, &result);
    cli_csv_parse(result.out, &csv);
    assert_true(csv.n_rows >= 1);
    cli_expect_all(&csv, "status", "skipped");
    cli_expect_text(cli_cell(&csv, 0, "reason"), "clone with CLONE_VM: Invalid argument");
}

/* --- Order. --- */

CLI_TEST(test_run_order_is_a_b_b_a_with_its_preparations)
{
    const struct cli_run run = {.args = ARGS("run", "-q", "--no-csv", "-i", "4", "-w", "1", "--prepare",
                                             "sh -c 'printf p >>log'", "--", "sh", "-c", "printf A >>log", "--", "sh",
                                             "-c", "printf B >>log")};

    need_commands();
    cli_expect(&run, 0, NULL);
    char *log = cli_read_file(cli_path("%s/log", cli->work), NULL);
    /* Each one's warm-up comes before its first sample. */
    assert_string_equal(log, "pApA"
                             "pBpB"
                             "pBpA"
                             "pApB"
                             "pBpA");
}

CLI_TEST(test_run_preparation_is_not_timed_and_is_once_for_all_copies)
{
    struct cli_csv csv;

    run_csv(ARGS("-i", "2", "--copies", "2", "--shell", "--prepare", "echo p >>log; sleep 0.3", "--", "true"), 0, &csv);
    assert_true(cli_number(&csv, cli_row(&csv, "true", "wall", 0), "min") < 0.3);
    char *log = cli_read_file(cli_path("%s/log", cli->work), NULL);
    assert_string_equal(log, "p\np\n");
    run_csv(ARGS("-i", "2", "--prepare", "sh -c 'exit 5'", "--", "true"), FAILED, &csv);
    assert_string_equal(cli_cell(&csv, 0, "reason"), "the prepare command: exit status 5");
}

/* The line is named as it was given, whatever words the preparation has. */
CLI_TEST(test_run_preparation_may_look_like_a_command)
{
    const struct cli_run run = {.args = ARGS("run", "-i", "1", "-q", "-o", "r.csv", "--prepare",
                                             "printf command=x 'it'\"'\"'s' input=y", "--", "sleep", "0.001")};
    struct cli_result result;
    struct cli_csv csv;

    cli_expect(&run, 0, &result);
    cli_expect_text(result.out, "\nsleep 0.001 ");
    cli_csv_only(cli->work, &csv);
    assert_string_equal(cli_cell(&csv, 0, "test"), "sleep");
    cli_expect_text(cli_cell(&csv, 0, "param"), " command=sleep 0.001");
    cli_expect_text(cli_cell(&csv, 0, "param"), "prepare='printf command=x ");
}

/* --- Parameters. --- */

/* Each value is a command with a row that names it; setups come before the first run of each, and what cleans up after
 * the last run of all, also when a command fails. */
CLI_TEST(test_run_parameters_are_commands_with_setup_and_cleanup)
{
    const struct cli_run run = {.args = ARGS("run", "-q", "-o", "p.csv", "-v", "-i", "2", "-L", "n", "1,b c", "-s",
                                             "sh -c 'printf s{n} >>log'", "--cleanup", "sh -c 'printf c{n} >>log'",
                                             "--name", "x{n}", "--reference", "xb c", "--", "sh", "-c",
                                             "printf $0 >>log", "{n}")};
    struct cli_result result;
    struct cli_csv csv;
    char path[CLI_PATH];

    need_commands();
    cli_expect(&run, 0, &result);
    cli_expect_text(result.out, " n  Runs ");
    cli_expect_text(result.out, "\nx1 n=1 ");
    cli_expect_text(result.out, "\nxb c n='b c' ");
    /* The reference is the first. */
    cli_expect_text(result.out, "\nx1: not decided, 1 pair, at least 6 needed (--samples 12)\n");
    cli_expect_no_text(result.out, "\nxb c: not decided");
    (void)snprintf(path, sizeof(path), "%s/log", cli->work);
    char *log = cli_read_file(path, NULL);
    /* Of the two words that the shell makes of "b c", printf prints the first. */
    assert_string_equal(log, "sbbs111bc1cb");
    assert_int_equal(unlink(path), 0);
    cli_csv_only(cli->work, &csv);
    cli_expect_text(cli_cell(&csv, cli_row(&csv, "xb c", "wall", 0), "param"), "{n}='b c' command=sh -c ");
    cli_expect_text(cli_cell(&csv, cli_row(&csv, "x1", "wall", 0), "param"), "{n}=1 command=sh -c ");
}

/* One line says which command failed, and why. */
CLI_TEST(test_run_reports_a_failed_cleanup_once)
{
    static const struct {
        const char *args[20], *error;
    } cases[] = {
        {{"run", "-q", "--no-csv", "-i", "1", "-S", "--cleanup", "exit 3", "--", "true"},
         "jitbench run: the cleanup command 'exit 3': exit status 3\n"},
        {{"run", "-q", "--no-csv", "-i", "1", "-L", "n", "4,0,5", "--cleanup", "sh -c 'exit {n}'", "--", "true", "{n}"},
         "jitbench run: the cleanup command 'sh -c 'exit 4'': exit status 4 (for 2 of 3 commands)\n"},
    };
    struct cli_result result;

    need_commands();
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct cli_run run = {.args = cases[i].args};
        cli_expect(&run, 0, &result);
        assert_string_equal(result.err, cases[i].error);
    }
}

/* --- Nothing is left. --- */

/* Waits until n processes run: jitbench, its worker, the guard, the shell, and its children. */
static void start_tree(const char *script, unsigned n, struct cli_child *child)
{
    const struct cli_run run = {.args = ARGS("run", "-q", "--no-csv", "--", "sh", "-c", script)};
    const uint64_t until = cli_deadline(10);

    cli_start(&run, child);
    while (cli_living(getpid()) < n && cli_now_ns() < until)
        cli_sleep_ms(5);
    assert_true(cli_living(getpid()) >= n);
}

CLI_TEST(test_run_interrupted_or_killed_leaves_nothing)
{
    static const struct {
        int signal, status;
        const char *script;
    } ends[] = {
        {SIGINT, 128 + SIGINT, "setsid sleep 77 & sleep 78; true"},
        {SIGTERM, 128 + SIGTERM, "sleep 77 & sleep 78; true"},
        {SIGKILL, -SIGKILL, "sleep 77 & sleep 78; true"},
        /* The worker is left to find those in a session of their own. */
        {SIGKILL, -SIGKILL, "setsid sleep 77 & sleep 78; true"},
    };

    need_commands();
    for (size_t i = 0; i < COUNT(ends); i++) {
        struct cli_child child;
        struct cli_result result;
        start_tree(ends[i].script, 6, &child);
        assert_int_equal(kill(child.pid, ends[i].signal), 0);
        cli_wait(&child, &result);
        cli_expect_all_gone(ends[i].script);
        cli_expect_status(&result, ends[i].status);
    }
}

/* The command of --cleanup has a child, too, when the signal comes. */
CLI_TEST(test_run_cleanup_ends_with_jitbench)
{
    static const struct {
        int signal, status;
    } ends[] = {{SIGINT, 128 + SIGINT}, {SIGHUP, 128 + SIGHUP}, {SIGKILL, -SIGKILL}};

    need_commands();
    for (size_t i = 0; i < COUNT(ends); i++) {
        struct cli_child child;
        struct cli_result result;
        const struct cli_run run = {.args = ARGS("run", "-q", "--no-csv", "-i", "1", "--cleanup",
                                                 "sh -c 'sleep 77 & sleep 78; true'", "--", "true"),
                                    .err = CLI_DEFAULT};
        cli_start(&run, &child);
        for (int tries = 0; cli_living(child.pid) < 4 && tries < 2000; tries++)
            cli_sleep_ms(5);
        cli_sleep_ms(100);
        assert_int_equal(kill(child.pid, ends[i].signal), 0);
        assert_true(cli_ends(&child, 5, &result)); /* it would take 77 s */
        cli_expect_all_gone("the cleanup command");
        cli_expect_status(&result, ends[i].status);
    }
}

CLI_TEST(test_run_too_long_is_killed_with_all_it_started)
{
    struct cli_csv csv;

    run_csv(ARGS("-i", "1", "--timeout", "100ms", "--", "sh", "-c", "setsid sleep 77 & sleep 78; true"), FAILED, &csv);
    assert_string_equal(cli_cell(&csv, 0, "reason"), "still running after 100 ms (--timeout); killed");
    cli_expect_all_gone("the command");
}

CLI_TEST(test_run_what_is_left_running_is_killed_and_said)
{
    struct cli_csv csv;

    run_csv(ARGS("-i", "1", "--", "sh", "-c", "setsid sleep 77 & sleep 78 & exit 0"), 0, &csv);
    cli_expect_all(&csv, "status", "degraded");
    cli_expect_text(cli_cell(&csv, 0, "reason"), "the command left 2 processes running; killed");
    cli_expect_all_gone("the command");
    /* Processes that a preparation leaves behind live on for the command. */
    run_csv(ARGS("-i", "1", "--prepare", "sh -c 'sleep 77 & exit 0'", "--", "sleep", "0.01"), 0, &csv);
    cli_expect_all(&csv, "status", "ok");
    cli_expect_all_gone("the preparation");
}

/* A shell that has a child becomes jitbench, and that child is none of ours. */
CLI_TEST(test_run_leaves_children_alone_that_it_was_born_with)
{
    struct cli_result result;

    need_commands();
    const struct cli_run run = {.program = "sh",
                                .args = ARGS("-c", "sleep 79 >/dev/null 2>&1 & echo $!; exec \"$@\"", "sh", cli_binary,
                                             "run", "-q", "--no-csv", "-i", "1", "--", "true"),
                                .err = CLI_DEFAULT};
    cli_expect(&run, 0, &result);
    pid_t child = (pid_t)strtol(result.out, NULL, 10);
    assert_true(child > 1);
    assert_true(cli_parent_of(child) > 0);
    assert_int_equal(kill(child, SIGKILL), 0);
    cli_expect_all_gone("the shell's child");
}

CLI_TEST(test_run_command_gets_no_descriptors_of_ours)
{
    const char *const list[] = {"sh", "-c", "echo /proc/self/fd/*"};
    struct cli_result result;

    /* The same program, started the same way, by us. */
    const struct cli_run plain = {.program = "sh", .args = ARGS("-c", list[2])};
    cli_expect(&plain, 0, &result);
    expect_printed(ARGS("-i", "1", "--", list[0], list[1], list[2]), result.out);
}

CLI_TEST(test_run_notes_numbers_of_runs_as_hyperfine_has_them)
{
    struct cli_result result;

    cli_expect_args(ARGS("run", "-q", "-u", "second", "-N", "-m", "5", "-r", "2", "-o", "a.csv", "--", "true"), 0,
                    &result);
    cli_expect_text(result.err, "-u is ignored: the table chooses the unit, and the CSV is in seconds\n");
    cli_expect_text(result.err, "--comment (-m) '5' is the text of a comment; '--samples 5' takes so many runs\n");
    cli_expect_text(result.out, "      2  ");
    cli_expect_args(ARGS("run", "-q", "--runs", "2", "--quick", "-u", "s", "-o", "b.csv", "--", "true"), 0, &result);
    assert_string_equal(result.err, /* once, not in each run */
                        "jitbench run: -u is ignored: the table chooses the unit, and the CSV is in seconds\n"
                        "jitbench run: --runs 2 measures all of it so often, with a CSV each; '--samples 2' takes so "
                        "many runs\n");
}
