/* SPDX-License-Identifier: MIT */
/* jitbench compare on small files of tests/cli/compare, whose truth is known: base1 and same1 are the same machine; in
 * slow1 prime is 5 % slower, syscall 30 %, audio 50 %, pipe 20 % faster, and nice is 19. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

#define DONE    0
#define FAILED  1
#define USAGE   2
#define FINDING 4

static char folder[CLI_PATH];

static int find_files(void **state)
{
    char here[CLI_PATH - 32];

    if (!getcwd(here, sizeof(here)))
        return -1;
    (void)snprintf(folder, sizeof(folder), "%s/tests/cli/compare", here);
    return cli_group_setup(state);
}

/* --- helpers --- */

#define ARGS_MAX 24

/* Words with blanks between; those that end in .csv and have no folder are files of tests/cli/compare. */
struct words {
    char text[ARGS_MAX][CLI_PATH + 64];
    const char *args[ARGS_MAX + 1];
};

static const char *const *words_of(const char *line, struct words *words)
{
    size_t n = 0, length;

    for (const char *at = line; *at; at += length) {
        at += strspn(at, " ");
        length = strcspn(at, " ");
        if (!length)
            break;
        const bool ours = length > 4 && !strncmp(at + length - 4, ".csv", 4) && !memchr(at, '/', length);
        assert_true(n < ARGS_MAX);
        (void)snprintf(words->text[n], sizeof(words->text[n]), "%s%s%.*s", ours ? folder : "", ours ? "/" : "",
                       (int)length, at);
        words->args[n] = words->text[n];
        n++;
    }
    words->args[n] = NULL;
    return words->args;
}

static void compare(const struct cli *cli, const char *line, int status, struct cli_result *result)
{
    static struct words words;

    cli_expect_args(cli, words_of(line, &words), status, result);
}

/* Its CSV, on standard output. */
static void compare_csv(const struct cli *cli, const char *line, struct cli_csv *csv)
{
    struct cli_result result;
    char whole[4 * CLI_PATH];

    (void)snprintf(whole, sizeof(whole), "%s --format csv", line);
    compare(cli, whole, DONE, &result);
    cli_csv_parse(result.out, csv);
    cli_result_free(&result);
}

static size_t row_of(const struct cli_csv *csv, const char *test, const char *param)
{
    for (size_t row = 0; row < csv->n_rows; row++)
        if (!strcmp(cli_cell(csv, row, "test"), test) && strstr(cli_cell(csv, row, "param"), param))
            return row;
    fail_msg("no row %s %s", test, param);
    return 0;
}

static void expect_verdict(const struct cli_csv *csv, const char *test, const char *param, const char *verdict)
{
    const char *got = cli_cell(csv, row_of(csv, test, param), "verdict");

    if (strcmp(got, verdict) != 0)
        fail_msg("%s %s: '%s' is not '%s'", test, param, got, verdict);
}

static void expect_error(const struct cli *cli, const char *line, const char *message)
{
    struct cli_result result;

    compare(cli, line, USAGE, &result);
    assert_string_equal(result.err, message);
    assert_string_equal(result.out, "");
    cli_result_free(&result);
}

/* --- settings --- */

#define SETTINGS_TRIED 12u

/* The file with one item of the settings changed, in all rows. */
static void write_changed(const struct cli *cli, const char *text, const char *item, size_t name, size_t length)
{
    char *out = calloc(2, strlen(text) + 64), *end = out;

    assert_non_null(out);
    for (const char *at = text; *at;) {
        if (strncmp(at, item, length) != 0 || (at > text && at[-1] != ',' && at[-1] != ';')) {
            *end++ = *at++;
            continue;
        }
        end += sprintf(end, "%.*s=other", (int)name, item);
        at += length;
    }
    cli_write_file(cli->work, "changed.csv", out);
    free(out);
}

/* Changes the first items of the settings in a copy of a real run's file, one at a time. */
CLI_TEST(test_compare_names_each_setting_that_differs)
{
    const struct cli *cli = *state;
    const struct cli_run measure = {
        .args = ARGS("prime", "-q", "-i", "2", "-n", "100", "--limit", "10", "--cpus", cli_cpu, "-o", "-")};
    const struct cli_run comparison = {.args =
                                           ARGS("compare", "-v", "--across", "scheduler", "run.csv", "changed.csv")};
    struct cli_result measured, result;
    struct cli_csv csv;
    unsigned tried = 0;

    cli_expect(cli, &measure, DONE, &measured);
    cli_write_file(cli->work, "run.csv", measured.out);
    cli_csv_parse(measured.out, &csv);
    const char *settings = cli_cell(&csv, 0, "settings");
    assert_null(strpbrk(settings, ", \""));
    for (const char *item = settings; *item && tried < SETTINGS_TRIED; item += strspn(item, ";"), tried++) {
        const size_t length = strcspn(item, ";"), name = strcspn(item, "=");
        char expected[900];
        if (item[name + 1] == '-' && length == name + 2) { /* not known, as good as not recorded */
            item += length;
            continue;
        }
        write_changed(cli, measured.out, item, name, length);
        (void)snprintf(expected, sizeof(expected), "\nSettings differ: %.*s %.*s -> other\n", (int)name, item,
                       (int)(length - name - 1), item + name + 1);
        cli_expect(cli, &comparison, DONE, &result);
        cli_expect_text(result.out, expected);
        cli_result_free(&result);
        item += length;
    }
    assert_true(tried >= 4);
    cli_csv_free(&csv);
    cli_result_free(&measured);
}

CLI_TEST(test_compare_files_without_settings_differ_in_none)
{
    struct cli_result result;

    compare(*state, "compare base1.csv slow1.csv", DONE, &result);
    cli_expect_no_text(result.out, "Settings differ");
    cli_result_free(&result);
}

/* --- verdicts --- */

/* One file a side: by how much, within the runs, and the least change; whether the machine drifted is not known. */
CLI_TEST(test_compare_of_one_file_a_side_decides_nothing)
{
    struct cli_result result;
    struct cli_csv csv;

    compare_csv(*state, "compare base1.csv slow1.csv", &csv);
    cli_expect_all(&csv, "verdict", "not decided");
    cli_expect_all(&csv, "tested", "within");
    cli_expect_all(&csv, "p_holm", "");
    const size_t row = row_of(&csv, "syscall", "");
    assert_true(cli_number(&csv, row, "ratio_ci95_lo") < 0.7 && cli_number(&csv, row, "ratio_ci95_hi") > 0.69);
    assert_true(cli_number(&csv, row, "least_change_pct") < 2);
    assert_int_equal(cli_number(&csv, row, "n_new"), 12);
    cli_csv_free(&csv);
    compare(*state, "compare base1.csv slow1.csv --fail-on slower,changed", DONE, &result);
    cli_expect_text(result.out, "Not decided: the drift between runs cannot be seen in fewer than three runs a side.");
    cli_expect_text(result.out, "repeat both sides with --runs 10\n");
    cli_result_free(&result);
    compare(*state, "compare base1.csv slow1.csv --fail-on not-comparable", FINDING, &result);
    cli_result_free(&result);
}

/* Ten times the file as ten runs, which began two minutes apart, the first after so many minutes. */
#define RUNS 10u
static void write_runs(const struct cli *cli, const char *file, const char *name, unsigned minute)
{
    static const char time[] = "T08:00:00Z", id[] = "\n1,00";
    char path[CLI_PATH + 32], number[3];
    size_t size;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, file);
    char *text = cli_read_file(path, &size), *out = calloc(RUNS, size + 1);
    assert_non_null(out);
    for (unsigned run = 0; run < RUNS; run++) {
        (void)snprintf(number, sizeof(number), "%02u", 2 * run + minute);
        char *copy = strdup(text), *at;
        assert_non_null(copy);
        for (at = copy; (at = strstr(at, time)); at++)
            memcpy(at + 5, number, 2);
        for (at = copy; (at = strstr(at, id)); at++)
            memcpy(at + 3, number, 2);
        (void)strcat(out, run ? strchr(copy, '\n') + 1 : copy);
        free(copy);
    }
    cli_write_file(cli->work, name, out);
    free(out);
    free(text);
}

/* Writes ten runs a side that alternate: ./base and ./slow. */
static void write_sides(const struct cli *cli)
{
    write_runs(cli, "base1.csv", "base", 0);
    write_runs(cli, "slow1.csv", "slow", 1);
}

CLI_TEST(test_compare_says_what_changed)
{
    struct cli_csv csv;

    write_sides(*state);
    compare_csv(*state, "compare ./base ./slow", &csv);
    expect_verdict(&csv, "prime", "limit=22", "slower");
    expect_verdict(&csv, "prime", "limit=46", "slower");
    expect_verdict(&csv, "syscall", "", "slower");
    expect_verdict(&csv, "pipe", "", "faster");
    expect_verdict(&csv, "audio", "", "slower"); /* its param says other loops_per_ms and load_cpu_s */
    expect_verdict(&csv, "dhry2reg", "", "no change seen");
    expect_verdict(&csv, "whetstone", "", "no change seen");
    const size_t row = row_of(&csv, "syscall", "");
    assert_true(cli_number(&csv, row, "ratio") < 0.701 && cli_number(&csv, row, "ratio") > 0.698);
    assert_true(cli_number(&csv, row, "p_permutation") * 1024 == 2);
    assert_string_equal(cli_cell(&csv, row, "tested"), "pairs");
    assert_int_equal(cli_number(&csv, row, "n_new"), RUNS);
    cli_csv_free(&csv);
}

CLI_TEST(test_compare_sees_nothing_where_nothing_changed)
{
    struct cli_csv csv;

    compare_csv(*state,
                "compare base-run0.csv base-run1.csv base-run2.csv -- same-run0.csv same-run1.csv same-run2.csv", &csv);
    cli_expect_all(&csv, "verdict", "no change seen");
    cli_expect_all(&csv, "tested", "runs");
    cli_expect_all(&csv, "n_base", "3");
    cli_csv_free(&csv);
    /* The same files on both sides. */
    write_sides(*state);
    compare_csv(*state, "compare ./base ./base -v", &csv);
    cli_expect_all(&csv, "verdict", "no change seen");
    cli_expect_all(&csv, "tested", "pairs");
    cli_csv_free(&csv);
    compare_csv(*state, "compare base1.csv base1.csv -v", &csv);
    assert_string_equal(cli_cell(&csv, row_of(&csv, "syscall", ""), "ratio"), "1");
    cli_csv_free(&csv);
}

/* 0 is the end of 10, but a different value. */
CLI_TEST(test_compare_names_each_value_that_differs)
{
    const struct cli *cli = *state;
    struct cli_result result;

    cli_write_file(cli->work, "before",
                   "run_id,suite,test,metric,copies,better,nice,samples\n"
                   "a,s,t,m,1,lower,10,1;2;3\nb,s,t,m,1,lower,0,1;2;4\n");
    cli_write_file(cli->work, "after",
                   "run_id,suite,test,metric,copies,better,nice,samples\n"
                   "c,s,t,m,1,lower,10,1;2;3\n");
    compare(cli, "compare before after", DONE, &result);
    cli_expect_text(result.out, "Differs: nice: 10;0 against 10\n");
    cli_result_free(&result);
}

CLI_TEST(test_compare_prints_the_greatest_effect_first_and_why)
{
    struct cli_result result;

    write_sides(*state);
    compare(*state, "compare ./base ./slow", DONE, &result);
    cli_expect_text(result.out, "Differs: nice: 0 against 19\n");
    cli_expect_text(result.out, "Differs: kernel: 6.18.5 #1 SMP against 6.19.0 #1 SMP\n");
    cli_expect_no_text(result.out, "Differs: host");
    cli_expect_text(result.out, "Tested: pairs of runs as measured, since those of both sides alternate in time\n");
    const char *audio = strstr(result.out, "\nlatency audio burn "), *syscall = strstr(result.out, "\nunix syscall ");
    const char *prime = strstr(result.out, "\nprime limit=22 ");
    assert_true(audio && syscall && prime && audio < syscall && syscall < prime);
    cli_expect_text(syscall, "slower: preempted 48.0 % of the time (base 0.1 %)\n");
    cli_expect_no_text(result.out, "faster: preempted");
    cli_expect_text(audio, " latency      51.82 us      78.30 us  1.5111 worse  ");
    cli_expect_text(result.out, "2.160 M lps  1.2016 better  ");
    cli_expect_text(result.out, "Geometric means");
    cli_expect_text(result.out, "\nunix   4 rows ");
    cli_expect_no_text(result.out, "clock_cost");
    cli_expect_no_text(result.out, "\033");
    assert_string_equal(result.err, "");
    cli_result_free(&result);
    compare(*state, "compare ./base ./slow --all", DONE, &result);
    cli_expect_text(result.out, "  clock_cost ");
    cli_result_free(&result);
    compare(*state, "compare ./base ./slow -q", DONE, &result);
    assert_memory_equal(result.out, "Test ", 5);
    cli_expect_no_text(result.out, "Differs");
    cli_result_free(&result);
}

/* clock_cost of prime has a direction, but is not what prime is judged by. */
CLI_TEST(test_compare_all_metrics_leave_the_means_alone)
{
    struct cli_csv few, all;
    size_t n = 0;

    compare_csv(*state, "compare base1.csv slow1.csv", &few);
    compare_csv(*state, "compare base1.csv slow1.csv -v", &all);
    assert_int_equal(cli_count(&few, "prime", "clock_cost"), 0);
    assert_string_equal(cli_cell(&all, cli_row(&all, "prime", "clock_cost", 0), "better"), "lower");
    assert_int_equal(cli_count(&all, NULL, "geometric_mean"), cli_count(&few, NULL, "geometric_mean"));
    for (; n < cli_count(&few, NULL, "geometric_mean"); n++) {
        const size_t a = cli_row(&few, NULL, "geometric_mean", n), b = cli_row(&all, NULL, "geometric_mean", n);
        assert_string_equal(cli_cell(&all, b, "suite"), cli_cell(&few, a, "suite"));
        assert_string_equal(cli_cell(&all, b, "ratio"), cli_cell(&few, a, "ratio"));
    }
    assert_true(n >= 3);
    cli_csv_free(&few);
    cli_csv_free(&all);
}

/* The CSV names the cause of a change as the table does. */
CLI_TEST(test_compare_csv_has_the_reason)
{
    struct cli_csv csv;

    write_sides(*state);
    compare_csv(*state, "compare ./base ./slow", &csv);
    assert_string_equal(cli_cell(&csv, row_of(&csv, "syscall", ""), "reason"),
                        "preempted 48.0 % of the time (base 0.1 %)");
    assert_string_equal(cli_cell(&csv, row_of(&csv, "pipe", ""), "reason"), "");
    cli_csv_free(&csv);
}

#define COMMAND_ROW(run, test, command, samples) \
    run ",run," test ",commands=1 command=" command ",1,wall,s,lower," samples ",ok\n"
#define COMMAND_HEAD "run_id,suite,test,param,copies,metric,unit,better,samples,status\n"
#define FAST_SAMPLES "0.0100;0.0101;0.0102;0.0100;0.0103;0.0101;0.0102;0.0100;0.0101;0.0102;0.0101;0.0102"
#define SLOW_SAMPLES "0.0130;0.0131;0.0132;0.0130;0.0133;0.0131;0.0132;0.0130;0.0131;0.0132;0.0131;0.0132"

/* The same program in two directories, like builds before and after a change. */
CLI_TEST(test_compare_of_commands_in_two_paths)
{
    const struct cli *cli = *state;
    struct cli_result result;

    cli_write_file(cli->work, "old.csv", COMMAND_HEAD COMMAND_ROW("r1", "prog", "d1/prog -x", FAST_SAMPLES));
    cli_write_file(cli->work, "new.csv", COMMAND_HEAD COMMAND_ROW("r2", "prog", "d2/prog -x", SLOW_SAMPLES));
    cli_write_file(cli->work, "named.csv", COMMAND_HEAD COMMAND_ROW("r3", "other", "d2/prog -x", SLOW_SAMPLES));
    compare(cli, "compare ./old.csv ./new.csv", FAILED, &result);
    cli_expect_text(result.out, "1 row, other work: command=d1/prog against command=d2/prog (--across command compares "
                                "them): run prog wall\n");
    cli_result_free(&result);
    compare(cli, "compare ./old.csv ./new.csv --across command", DONE, &result);
    cli_expect_text(result.out, "Differs: command: d1/prog -x against d2/prog -x\n");
    cli_expect_text(result.out, "\nrun prog  wall    10.10 ms  13.10 ms  1.2963 worse  ");
    cli_expect_text(result.out, "  not decided: least change ");
    cli_result_free(&result);
    compare(cli, "compare ./old.csv ./named.csv --across command", FAILED, &result);
    cli_expect_text(result.out, "only in NEW: commands belong together by their --name, with --across command");
    cli_result_free(&result);
}

/* Samples that were taken in turns are pairs. */
CLI_TEST(test_compare_within_one_file)
{
    const struct cli *cli = *state;
    struct cli_result result;
    struct cli_csv csv;

    cli_write_file(cli->work, "both.csv",
                   COMMAND_HEAD COMMAND_ROW("r1", "b", "b -x", FAST_SAMPLES)
                       COMMAND_ROW("r1", "a", "a -x", SLOW_SAMPLES) COMMAND_ROW("r1", "c", "c -x", FAST_SAMPLES));
    compare(cli, "compare --within ./both.csv", DONE, &result);
    cli_expect_text(result.out, "\nTested: pairs of samples, since commands were measured in turns");
    cli_expect_text(result.out, "\nrun a against run b  wall    10.10 ms  13.10 ms  1.2963 worse  ");
    cli_expect_text(result.out, "\nrun c against run b  wall    10.10 ms  10.10 ms  1.0000         ");
    cli_expect_no_text(result.out, "Geometric means");
    cli_result_free(&result);
    compare_csv(cli, "compare --within ./both.csv", &csv);
    assert_int_equal(csv.n_rows, 2);
    assert_string_equal(cli_cell(&csv, row_of(&csv, "a", ""), "against"), "run b");
    assert_string_equal(cli_cell(&csv, row_of(&csv, "a", ""), "verdict"), "slower");
    assert_string_equal(cli_cell(&csv, row_of(&csv, "a", ""), "tested"), "pairs");
    assert_string_equal(cli_cell(&csv, row_of(&csv, "a", ""), "n_new"), "6");
    cli_csv_free(&csv);
    compare(cli, "compare --within ./both.csv --fail-on slower", FINDING, &result);
    cli_result_free(&result);
}

/* One sample says nothing of its spread, however far it is; and of a doubt it says which. */
CLI_TEST(test_compare_says_why_it_does_not_judge)
{
    const struct cli *cli = *state;
    struct cli_result result;
    struct cli_csv csv;

    cli_write_file(cli->work, "one.csv",
                   "run_id,suite,test,metric,copies,unit,better,value,samples\n"
                   "r1,s,single,m,1,ns,lower,,100\nr1,s,value,m,1,ns,lower,100,\nr1,s,few,m,1,ns,lower,,100;101;102\n"
                   "r1,s,more,m,1,ns,lower,,100;101;102\n");
    cli_write_file(cli->work, "two.csv",
                   "run_id,suite,test,metric,copies,unit,better,value,samples\n"
                   "r2,s,single,m,1,ns,lower,,200\nr2,s,value,m,1,ns,lower,200,\nr2,s,few,m,1,ns,lower,,106;113;109\n"
                   "r2,s,more,m,1,ns,lower,,100;102;101\n");
    compare(cli, "compare ./one.csv ./two.csv --all", DONE, &result);
    cli_expect_text(result.out, "  not decided: one value on a side; repeat with --runs 10\n");
    cli_expect_text(result.out, "  not decided: least change ");
    cli_expect_text(result.out, "Warning: 2 rows are not decided: one value does not show their spread\n");
    cli_result_free(&result);
    compare_csv(cli, "compare ./one.csv ./two.csv --all", &csv);
    assert_string_equal(cli_cell(&csv, row_of(&csv, "single", ""), "verdict"), "not decided");
    assert_string_equal(cli_cell(&csv, row_of(&csv, "single", ""), "reason"),
                        "one value on a side; repeat with --runs 10");
    cli_csv_free(&csv);
    compare(cli, "compare ./one.csv ./two.csv --all --fail-on not-comparable", FINDING, &result);
    cli_result_free(&result);
}

CLI_TEST(test_compare_least_effect)
{
    struct cli_result result;
    struct cli_csv csv;

    write_sides(*state);
    compare_csv(*state, "compare ./base ./slow --min-effect 10", &csv);
    expect_verdict(&csv, "prime", "limit=22", "no change seen");
    assert_string_equal(cli_cell(&csv, row_of(&csv, "prime", "limit=22"), "reason"), "above 10 %");
    expect_verdict(&csv, "syscall", "", "slower");
    cli_csv_free(&csv);
    compare(*state, "compare ./base ./slow --min-effect 10", DONE, &result);
    cli_expect_text(strstr(result.out, "\nprime limit=22 "), "no change seen above 10 %\n");
    cli_result_free(&result);
}

/* --- what cannot be compared --- */

CLI_TEST(test_compare_refuses_what_differs_in_kind)
{
    static const struct {
        const char *files, *why, *across;
    } kinds[] = {
        {"base1.csv other-build.csv",
         "9 rows, other build of jitbench: 0.1 aaaa build 0001 against 0.2 bbbb build 0002 (--across build",
         "--across build"},
        {"base1.csv other-cpu.csv", "9 rows, other CPU model: CPU 3000 against CPU 9000 (--across cpu", "--across cpu"},
        {"base1.csv fifo.csv", "9 rows, other scheduling policy: other against fifo (--across policy",
         "--across policy"},
    };
    struct cli_result result;
    char line[256];

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        (void)snprintf(line, sizeof(line), "compare %s", kinds[i].files);
        compare(*state, line, FAILED, &result);
        cli_expect_text(result.out, kinds[i].why);
        cli_expect_no_text(result.out, "Verdict");
        assert_string_equal(result.err, "jitbench compare: no row can be compared\n");
        cli_result_free(&result);
        (void)snprintf(line, sizeof(line), "compare %s %s", kinds[i].files, kinds[i].across);
        compare(*state, line, DONE, &result);
        cli_expect_text(result.out, "Verdict");
        cli_expect_no_text(result.out, "Not comparable");
        if (strstr(kinds[i].across, "cpu"))
            cli_expect_text(result.out, "Differs: CPU model: CPU 3000 against CPU 9000\n");
        cli_result_free(&result);
    }
}

#define OF_SCHEDULER(id, name, value) \
    "run_id,settings,suite,test,metric,unit,better,value,status,samples\n" id ",smt=off;scheduler=" name \
    ",unix,pipe,rate,lps,higher," value ",ok," value ";" value ";" value "\n"

/* Two schedulers are not compared unless asked for; one that is not known is no other. */
CLI_TEST(test_compare_schedulers)
{
    const struct cli *cli = *state;
    struct cli_result result;

    cli_write_file(cli->work, "eevdf.csv", OF_SCHEDULER("r1", "EEVDF", "900"));
    cli_write_file(cli->work, "ext.csv", OF_SCHEDULER("r2", "sched_ext_lavd", "800"));
    cli_write_file(cli->work, "unknown.csv", OF_SCHEDULER("r3", "-", "700"));
    compare(cli, "compare ./eevdf.csv ./ext.csv", FAILED, &result);
    cli_expect_text(result.out,
                    "1 row, other scheduler: EEVDF against sched_ext_lavd (--across scheduler compares them)");
    cli_result_free(&result);
    compare(cli, "compare ./eevdf.csv ./ext.csv --across scheduler", DONE, &result);
    cli_expect_text(result.out, "scheduler EEVDF -> sched_ext_lavd\n");
    cli_expect_text(result.out, "Verdict");
    cli_result_free(&result);
    compare(cli, "compare ./eevdf.csv ./unknown.csv", DONE, &result);
    cli_expect_no_text(result.out, "scheduler");
    cli_expect_text(result.out, "Verdict");
    cli_result_free(&result);
}

#define INDEX_ROWS(id, protocol, value) \
    "run_id,suite,test,param,copies,metric,unit,better,value,status\n" id ",unix,index,protocol=" protocol \
    ",1,index,ratio,higher," value ",ok\n" id ",unix,pipe,,1,rate,lps,higher," value ",ok\n"

/* An index is named with its protocol, and that of the other protocol is refused. */
CLI_TEST(test_compare_refuses_the_index_of_another_protocol)
{
    const struct cli *cli = *state;
    struct cli_result result;

    cli_write_file(cli->work, "one.csv", INDEX_ROWS("r1", "stable context1=same", "900"));
    cli_write_file(cli->work, "two.csv", INDEX_ROWS("r2", "stable context1=same", "990"));
    cli_write_file(cli->work, "classic.csv", INDEX_ROWS("r3", "classic context1=free", "990"));
    compare(cli, "compare ./one.csv ./two.csv", DONE, &result);
    cli_expect_text(result.out, "\nunix index (stable protocol)  index   ");
    cli_expect_text(result.out, "  1.1000 better  ");
    cli_expect_no_text(result.out, "another index");
    cli_result_free(&result);
    compare(cli, "compare ./one.csv ./classic.csv --across build,cpu,degraded --fail-on not-comparable", FINDING,
            &result);
    cli_expect_text(result.out, "1 row, another index: stable protocol against classic protocol: "
                                "unix index (classic protocol) index\n");
    cli_expect_no_text(result.out, "(stable protocol)  index");
    cli_result_free(&result);
}

CLI_TEST(test_compare_names_rows_without_figures_or_partner)
{
    struct cli_result result;
    struct cli_csv csv;

    compare(*state, "compare base1.csv degraded.csv", DONE, &result);
    cli_expect_text(result.out, "1 row, degraded in NEW: SCHED_FIFO refused (--across degraded compares them): prime");
    cli_expect_text(result.out, "1 row, skipped in NEW: seccomp: unix syscall rate\n");
    cli_result_free(&result);
    compare(*state, "compare base1.csv limit.csv", DONE, &result);
    cli_expect_text(result.out, "1 row, only in BASE: noise x2 CPU 1 lost\n");
    cli_expect_text(result.out, "1 row, other work: limit=46 against limit=100: prime");
    cli_result_free(&result);
    compare_csv(*state, "compare base1.csv degraded.csv --across degraded", &csv);
    expect_verdict(&csv, "prime", "limit=22", "not decided");
    expect_verdict(&csv, "syscall", "", "not comparable");
    cli_csv_free(&csv);
}

CLI_TEST(test_compare_fail_on)
{
    static const struct {
        const char *line;
        int status;
    } cases[] = {
        {"compare ./base ./slow", DONE},
        {"compare ./base ./slow --fail-on slower", FINDING},
        {"compare ./base ./same --fail-on slower,changed,not-comparable", DONE},
        {"compare ./base ./slow --fail-on slower --min-effect 100", DONE},
        {"compare base1.csv limit.csv --fail-on changed", DONE},
        {"compare ./base ./limit --fail-on not-comparable", FINDING},
        {"compare base1.csv other-cpu.csv --fail-on slower", FAILED},
        {"compare ./base ./slow --fail-on worse", FINDING},
        {"compare ./base ./same --fail-on worse,faster,undecided", DONE},
        {"compare ./base ./slow --fail-on slower:1000,FASTER:19", FINDING},
        {"compare ./base ./slow --fail-on faster:21", DONE},
        {"compare ./base ./slow --fail-on changed:1", FINDING},
        {"compare ./base ./slow --fail-on changed:1000", DONE},
        {"compare ./base ./limit --fail-on undecided", FINDING},
        {"compare ./base ./same --fail-on undecided:50", DONE},
        {"compare ./base ./slow --fail-on slower --fail-on undecided:50 --min-effect 60", FINDING},
        {"compare ./base ./slow --fail-on slower --fail-on undecided:52 --min-effect 60", DONE},
    };
    struct cli_result result;

    write_sides(*state);
    write_runs(*state, "base1.csv", "same", 1);
    write_runs(*state, "limit.csv", "limit", 1);

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        compare(*state, cases[i].line, cases[i].status, &result);
        cli_result_free(&result);
    }
}

/* --- requirements --- */

/* Figures of a file pass and fail, alone, beside another file and within. */
CLI_TEST(test_compare_require)
{
    const struct cli *cli = *state;
    static const struct {
        const char *line;
        int status;
        const char *shown;
    } cases[] = {
        {"compare ./a.csv --require noise/detour.max<20us", FINDING,
         "Requirements: 0 passed, 1 failed\n"
         "Requirement            Figure  Off the limit  Verdict\n"
         "noise/detour.max<20us   41 us    105 % above  failed; 1 of 2 rows; worst: CPU 1\n"},
        {"compare ./a.csv --require noise/detour.max<=41us --require prime/cycles<500", DONE, "2 passed, 0 failed"},
        {"compare ./a.csv --require latency/desired_cpu>1 --require video/latency<1s", USAGE, ""},
        {"compare ./a.csv --require video/latency<1s", FINDING, "failed: skipped: no right to real time"},
        {"compare ./a.csv --require dhry2reg/rate>1", FINDING, "failed: the test was not measured"},
        {"compare ./a.csv --require prime/cycles.p99<500", FINDING, "failed: p99 needs 100 values, and there are 10"},
        {"compare ./a.csv --require quantum/flips>3", DONE, "1 passed"}, /* unknown to this version */
        {"compare ./a.csv ./b.csv --require prime/cycles<500", FINDING, "600 cycles     20 % above  failed"},
        {"compare ./b.csv ./a.csv --require prime/cycles<500", DONE, "1 passed"},
        {"compare ./a.csv -- ./a.csv ./b.csv --require prime/cycles<500", FINDING,
         "failed; 1 of 2 rows; worst: CPU 1, beta"},
        {"compare ./a.csv --require prime/cycles<500 --format markdown", DONE, "| prime/cycles\\<500 | 416 cycles |"},
    };
    static const char header[] =
        "schema,run_id,host,suite,test,metric,unit,better,n,value,max,status,reason,cpus,samples";
    static const char rest[] = "2,1,alpha,noise,noise,detour,ns,lower,50,5000,7000,ok,,0,1;2\n"
                               "2,1,alpha,noise,noise,detour,ns,lower,50,5000,41000,ok,,1,1;2\n"
                               "2,1,alpha,latency,video,,,,,,,skipped,no right to real time,,\n"
                               "2,1,alpha,new,quantum,flips,1/s,higher,1,5,5,ok,,,\n";
    char text[2000];
    struct cli_result result;

    (void)snprintf(text, sizeof(text), "%s\n2,1,alpha,prime,prime,cycles,cycles,lower,10,416,900,ok,,1,415;417\n%s",
                   header, rest);
    cli_write_file(cli->work, "a.csv", text);
    (void)snprintf(text, sizeof(text), "%s\n2,2,beta,prime,prime,cycles,cycles,lower,10,600,900,ok,,1,599;601\n",
                   header);
    cli_write_file(cli->work, "b.csv", text);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        compare(cli, cases[i].line, cases[i].status, &result);
        cli_expect_text(result.out, cases[i].shown);
        cli_result_free(&result);
    }
    /* The CSV of a comparison stays a CSV. */
    compare(cli, "compare ./b.csv ./a.csv --require prime/cycles<500 --format csv", DONE, &result);
    cli_expect_no_text(result.out, "Requirement");
    cli_expect_text(result.err, "1 passed, 0 failed");
    cli_result_free(&result);
    expect_error(cli, "compare ./a.csv --require prime/cycles<500 -o x.csv",
                 "jitbench compare: --output: one file is not compared\n");
    expect_error(
        cli, "compare ./a.csv --require quantum/flops>3",
        "jitbench compare: --require 'quantum/flops>3': unknown metric of test 'quantum': 'flops'; did you mean "
        "'flips'?\n");
}

/* --- hosts --- */

CLI_TEST(test_compare_by_host_shows_who_stands_out)
{
    struct cli_result result;

    compare(*state, "compare base1.csv -- host-alpha.csv host-beta.csv host-gamma.csv host-delta.csv --by host", DONE,
            &result);
    cli_expect_text(result.out, "\nunix dhry2reg on gamma ");
    const char *hosts = strstr(result.out, "\nHosts by the geometric mean");
    assert_non_null(hosts);
    assert_ptr_equal(strstr(hosts, "stands out"), strstr(strstr(hosts, "gamma"), "stands out"));
    assert_null(strstr(strstr(hosts, "stands out") + 1, "stands out"));
    cli_result_free(&result);
    compare(*state, "compare base1.csv -- host-alpha.csv host-beta.csv host-gamma.csv host-delta.csv", DONE, &result);
    cli_expect_no_text(result.out, "stands out");
    cli_expect_text(result.out, "New   4 runs on 4 hosts\n");
    cli_result_free(&result);
}

/* --- formats --- */

CLI_TEST(test_compare_markdown)
{
    struct cli_result result;

    compare(*state, "compare base1.csv slow1.csv --format markdown", DONE, &result);
    assert_memory_equal(result.out, "| Test | Metric | Base | New | Ratio |", 37);
    cli_expect_text(result.out, "\n| --- | --- | ---: |");
    cli_expect_text(result.out, "\n| prime limit=22 | cycles | ");
    cli_expect_no_text(result.out, "Differs");
    cli_result_free(&result);
}

CLI_TEST(test_compare_writes_a_file_and_never_over_one)
{
    const struct cli *cli = *state;
    struct cli_result result;
    struct cli_csv csv;
    char path[CLI_PATH + 32];
    size_t size;

    write_sides(cli);
    compare(cli, "compare ./base ./slow -o ./out", DONE, &result);
    cli_expect_text(result.out, "Verdict");
    cli_result_free(&result);
    (void)snprintf(path, sizeof(path), "%s/out", cli->work);
    char *text = cli_read_file(path, &size);
    cli_csv_parse(text, &csv);
    free(text);
    expect_verdict(&csv, "syscall", "", "slower");
    cli_csv_free(&csv);
    compare(cli, "compare ./base ./slow -o ./out", USAGE, &result);
    assert_string_equal(result.err,
                        "jitbench compare: -o './out': the file exists; jitbench never overwrites without --force\n");
    cli_result_free(&result);
    compare(cli, "compare ./base ./slow -o -", DONE, &result);
    cli_csv_parse(result.out, &csv);
    cli_expect_text(result.err, "Verdict");
    cli_csv_free(&csv);
    cli_result_free(&result);
}

CLI_TEST(test_compare_full_disk_and_closed_output)
{
    static struct words words;
    struct cli_result result;
    write_sides(*state);
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC), ends[2];

    if (full < 0)
        cli_skip("no /dev/full");
    const struct cli_run lost = {.args = words_of("compare base1.csv slow1.csv", &words), .out = full};
    cli_expect(*state, &lost, FAILED, &result);
    assert_string_equal(result.err, "jitbench compare: standard output cannot be written: No space left on device\n");
    cli_result_free(&result);
    (void)close(full);
    const struct cli_run none = {.args = words_of("compare base1.csv slow1.csv", &words), .out = CLI_CLOSED};
    cli_expect(*state, &none, FAILED, &result);
    assert_string_equal(result.err, "jitbench compare: standard output cannot be written: Bad file descriptor\n");
    cli_result_free(&result);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    (void)close(ends[0]);
    const struct cli_run closed = {.args = words_of("compare ./base ./slow --fail-on slower", &words), .out = ends[1]};
    cli_expect(*state, &closed, FINDING, &result);
    assert_string_equal(result.err, "");
    cli_result_free(&result);
    (void)close(ends[1]);
}

CLI_TEST(test_compare_of_patterns)
{
    struct cli_csv csv;
    char line[3 * CLI_PATH];

    (void)snprintf(line, sizeof(line), "compare %s/base-run* -- %s/same-run?.csv", folder, folder);
    compare_csv(*state, line, &csv);
    cli_expect_all(&csv, "tested", "runs");
    cli_expect_all(&csv, "n_base", "3");
    cli_expect_all(&csv, "n_new", "3");
    cli_csv_free(&csv);
}

CLI_TEST(test_compare_colors_a_terminal_only)
{
    static const char *const plain[] = {"PATH=/bin:/usr/bin", "NO_COLOR=1", "TERM=xterm", NULL};
    static const char *const color[] = {"PATH=/bin:/usr/bin", "TERM=xterm", NULL};
    static struct words words;
    struct cli_result result;

    write_sides(*state);
    for (int with = 0; with < 2; with++) {
        const struct cli_run run = {.args = words_of("compare ./base ./slow", &words),
                                    .out = CLI_TERMINAL,
                                    .env = with ? color : plain,
                                    .columns = 160};
        cli_expect(*state, &run, DONE, &result);
        cli_expect_text(result.terminal, "Verdict");
        if (with) {
            cli_expect_text(result.terminal, "\033[31mslower");
            cli_expect_text(result.terminal, "\033[32mfaster\033[0m");
        } else {
            cli_expect_no_text(result.terminal, "\033[3");
        }
        cli_result_free(&result);
    }
}

/* --- files --- */

CLI_TEST(test_compare_reads_standard_input)
{
    static struct words words;
    struct cli_result result;
    char path[CLI_PATH + 32];

    write_sides(*state);
    (void)snprintf(path, sizeof(path), "%s/base", ((const struct cli *)*state)->work);
    int in = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(in >= 0);
    const struct cli_run run = {.args = words_of("compare - ./slow --fail-on slower", &words), .in = in};
    cli_expect(*state, &run, FINDING, &result);
    cli_result_free(&result);
    (void)close(in);
}

/* Ten runs of a test whose ten samples are about the rate, with a share of the core and a rate with the core free;
 * without them if share is "". */
static void write_shared(const struct cli *cli, const char *name, double rate, const char *share, double alone)
{
    char text[8192] = "schema,run_id,host,suite,test,copies,metric,unit,better,value,samples,status,core_share\n";

    for (unsigned row = 0; row < RUNS * (*share ? 2 : 1); row++) {
        const bool is_alone = row >= RUNS;
        const double level = is_alone ? alone : rate;
        size_t at = strlen(text);
        at += (size_t)sprintf(text + at, "2,%s%u,n1,unix,pipe,1,rate%s,lps,higher,%g,", name, row % RUNS,
                              is_alone ? "_alone" : "", level);
        for (unsigned s = 0; s < 10; s++)
            at += (size_t)sprintf(text + at, "%s%g", s ? ";" : "", level * (1 + (s * 7 % 10) / 1e4));
        (void)sprintf(text + at, ",ok,%s\n", share);
        assert_true(strlen(text) < sizeof(text) - 200);
    }
    cli_write_file(cli->work, name, text);
}

/* A neighbour took 40 % of the core: no change is seen, and the neighbour is named. Where a side does not know the rate
 * with the core free, as files of earlier versions, the rates as measured are compared. */
CLI_TEST(test_compare_with_the_core_free)
{
    const struct cli *cli = *state;
    struct cli_result result;

    write_shared(cli, "./base.csv", 1000, "1.000", 1000);
    write_shared(cli, "./new.csv", 700, "0.600", 1000.1);
    write_shared(cli, "./slow.csv", 700, "1.000", 700);
    write_shared(cli, "./old.csv", 700, "", 0);
    compare(cli, "compare --fail-on changed ./base.csv ./new.csv", DONE, &result);
    cli_expect_text(result.out, "Metrics with _alone: without other users of the core, as both sides know it; Raw is "
                                "the ratio as measured\n");
    cli_expect_text(result.out, "0.7000  no change seen above 1 %; raw -30.0 %, by core share 60 % (base 100 %)\n");
    cli_expect_text(result.out, "unix pipe  rate_alone  ");
    cli_result_free(&result);
    compare(cli, "compare --fail-on slower ./base.csv ./slow.csv", FINDING, &result);
    cli_expect_text(result.out, "0.7000  slower\n");
    cli_result_free(&result);
    for (unsigned turned = 0; turned < 2; turned++) {
        compare(cli, turned ? "compare ./old.csv ./base.csv" : "compare ./base.csv ./old.csv", DONE, &result);
        cli_expect_text(result.out, turned ? " faster\n" : " slower\n");
        cli_expect_text(result.out, "unix pipe  rate  ");
        cli_expect_no_text(result.out, "_alone");
        cli_result_free(&result);
    }
}

/* Six runs whose rate goes with the square root of their share of the core, between low and low + 0.5. */
static void write_neighbours(const struct cli *cli, const char *name, double rate, double low)
{
    char text[2048] = "schema,run_id,host,suite,test,copies,metric,unit,better,value,samples,status,core_share\n";

    for (unsigned run = 0; run < 6; run++) {
        const double share = low + run * 5 % 6 * 0.1, value = rate * (1 + run * 0.0005) * sqrt(share);
        (void)sprintf(text + strlen(text), "2,%s%u,n1,unix,pipe,1,rate,lps,higher,%g,%g;%g,ok,%.3f\n", name, run, value,
                      value * 0.999, value * 1.001, share);
    }
    cli_write_file(cli->work, name, text);
}

/* Six runs of one side whose rate goes with their share of the core, which is about `share`. Every hour one; those of
 * the two sides are half an hour apart, or with days, that many days. */
static void write_order(const struct cli *cli, const char *name, double rate, double share, unsigned half, unsigned day)
{
    char text[2048] =
        "schema,run_id,utc,host,suite,test,copies,metric,unit,better,value,samples,status,core_share,core_mhz\n";

    for (unsigned run = 0; run < 6; run++) {
        const double of = share * (1 + run * 5 % 6 * 0.02), value = rate * (1 + run * 7 % 6 * 0.001) * of / share;
        (void)sprintf(text + strlen(text),
                      "2,%s%u,2026-11-%02uT%02u:%02u:00Z,n1,unix,pipe,1,rate,lps,higher,%g,%g;%g,ok,%.3f,%d\n", name,
                      run, day, run, half, value, value * 0.999, value * 1.001, of,
                      strstr(name, "clock") ? 3300 : 3700);
    }
    cli_write_file(cli->work, name, text);
}

/* The change itself takes a fifth of the core and of the rate. In turns that is found, and the page says that the
 * shares differ; apart, neighbours may be the reason as well, and it is not comparable. A lower clock frequency is
 * named, and the figure as measured is judged. */
CLI_TEST(test_compare_by_the_order_of_the_runs)
{
    const struct cli *cli = *state;
    struct cli_result result;

    write_order(cli, "./base.csv", 1000, 0.9, 0, 1);
    write_order(cli, "./turns.csv", 800, 0.72, 30, 1);
    write_order(cli, "./apart.csv", 800, 0.72, 30, 2);
    write_order(cli, "./clock.csv", 890, 0.8, 30, 2);
    compare(cli, "compare --fail-on slower ./base.csv ./turns.csv", FINDING, &result);
    cli_expect_text(result.out, "Tested: pairs of runs as measured, since those of both sides alternate in time\n"
                                "The sides had 94 % and 76 % of the core. They were measured in turns, so the change "
                                "itself may be why\n");
    cli_expect_text(result.out, "  0.8000 worse   ");
    cli_expect_text(result.out, "slower: core share 76 % (base 94 %)\n");
    cli_result_free(&result);
    compare(cli, "compare --fail-on slower ./base.csv ./apart.csv", DONE, &result);
    cli_expect_text(result.out, "not comparable: the sides had 94 % and 76 % of the core; measure in turns\n");
    cli_result_free(&result);
    compare(cli, "compare --fail-on undecided ./base.csv ./apart.csv", FINDING, &result);
    cli_result_free(&result);
    compare(cli, "compare --fail-on slower ./base.csv ./clock.csv", FINDING, &result);
    cli_expect_text(result.out, "  0.8900 worse   ");
    cli_expect_text(result.out, "slower: core share 84 % (base 94 %), CPU at 3300 MHz (base 3700)\n");
    cli_result_free(&result);
}

/* Five runs of a test and of the index, which has no placement of its own, on some CPUs. */
static void write_index(const struct cli *cli, const char *name, double rate, const char *cpus, const char *fs)
{
    char text[4096] = "schema,run_id,host,suite,test,param,copies,metric,unit,better,value,samples,status,policy,cpus,"
                      "bind,scratch_fs\n";

    for (unsigned run = 0; run < 5; run++) {
        const double value = rate * (1 + run * 0.001);
        (void)sprintf(text + strlen(text),
                      "2,%s%u,n1,unix,pipe,,1,rate,lps,higher,%g,%g;%g,ok,other,%s,range,\n"
                      "2,%s%u,n1,unix,fcopy,,1,rate,KB/s,higher,%g,%g;%g,ok,other,%s,range,%s\n"
                      "2,%s%u,n1,unix,index,tests=2 of=12,1,index,ratio,higher,%g,,ok,,,,\n",
                      name, run, value, value, value, cpus, name, run, value, value, value, cpus, fs, name, run, value);
    }
    cli_write_file(cli->work, name, text);
}

CLI_TEST(test_compare_refuses_an_index_with_its_tests)
{
    const struct cli *cli = *state;
    struct cli_result result;

    write_index(cli, "./base.csv", 1000, "0-1", "ext4");
    write_index(cli, "./cpus.csv", 755, "0", "ext4");
    write_index(cli, "./fs.csv", 755, "0-1", "tmpfs");
    write_index(cli, "./same.csv", 755, "0-1", "ext4");
    cli_expect_args(cli, ARGS("compare", "--fail-on", "slower", "./base.csv", "./cpus.csv"), 1, &result);
    cli_expect_text(result.out, "  3 rows, other placement: 2 CPUs, bind range against 1 CPU, bind range");
    cli_expect_text(result.out, "unix index index");
    cli_expect_no_text(result.out, "slower");
    cli_result_free(&result);
    compare(cli, "compare --fail-on undecided ./base.csv ./fs.csv", FINDING, &result);
    cli_expect_text(result.out, "  2 rows, other file system: ext4 against tmpfs (--across fs compares them): ");
    cli_result_free(&result);
    compare(cli, "compare --fail-on slower --across fs ./base.csv ./fs.csv", FINDING, &result);
    cli_expect_text(result.out, "unix index  index");
    cli_result_free(&result);
    compare(cli, "compare --fail-on slower ./base.csv ./same.csv", FINDING, &result);
    cli_expect_text(result.out, "unix index  index");
    cli_result_free(&result);
}

/* Neighbours took more of the core on one side: no change is seen at the same share; what is slower is found. */
CLI_TEST(test_compare_at_the_same_share)
{
    const struct cli *cli = *state;
    struct cli_result result;

    write_neighbours(cli, "./base.csv", 1000, 0.5);
    write_neighbours(cli, "./new.csv", 1000, 0.3);
    write_neighbours(cli, "./slow.csv", 950, 0.3);
    compare(cli, "compare --fail-on changed ./base.csv ./new.csv", DONE, &result);
    cli_expect_text(result.out,
                    "Rows with a Raw ratio: figures at the same share of the core; Raw is the ratio as measured\n");
    cli_expect_no_text(result.out, "Metrics with _alone");
    cli_expect_text(result.out, "  1.0000 ");
    cli_expect_text(result.out, "no change seen");
    cli_result_free(&result);
    compare(cli, "compare --fail-on slower ./base.csv ./slow.csv", FINDING, &result);
    cli_expect_text(result.out, "unix pipe  rate  ");
    cli_expect_text(result.out, "  0.9500 worse   ");
    cli_expect_text(result.out, "slower\n");
    cli_expect_no_text(result.out, "core share");
    cli_result_free(&result);
    compare(cli, "compare --format csv ./base.csv ./slow.csv", DONE, &result);
    cli_expect_text(result.out, "raw_ratio,core_share,core_share_slope\r\n");
    cli_result_free(&result);
}

CLI_TEST(test_compare_hostile_files)
{
    const struct cli *cli = *state;
    struct cli_result result;
    char path[CLI_PATH + 32];
    size_t size;

    (void)snprintf(path, sizeof(path), "%s/slow1.csv", folder);
    char *text = cli_read_file(path, &size);
    /* Cut off anywhere: never a crash, and never a row that is not whole. */
    for (size_t cut = 0; cut < size; cut += 211) {
        char saved = text[cut];
        static struct words words;
        struct cli_child child;
        text[cut] = '\0';
        cli_write_file(cli->work, "cut", text);
        text[cut] = saved;
        const struct cli_run run = {.args = words_of("compare base1.csv ./cut", &words)};
        cli_start(cli, &run, &child);
        cli_wait(&child, &result);
        if (result.status != DONE && result.status != FAILED && result.status != USAGE)
            cli_expect_status(&result, DONE);
        cli_result_free(&result);
    }
    free(text);
    /* Values that no arithmetic likes, names that a terminal would obey, and the columns in another order. */
    cli_write_file(cli->work, "odd",
                   "metric,samples,test,suite,better,unit\r\n"
                   "a,0;0;0;0;0,zero,x,lower,ns\r\n"
                   "a,1e308;1e308;1e308;1e308;1e308;-1e308,huge,x,lower,ns\r\n"
                   "a,nan;inf;1;;x,few,x,lower,ns\r\n"
                   "a,-1;-2;-3;-4;-5,below,x,higher,ns\r\n"
                   "a\033[2J|*_,5;6;7;5;6,\"\033]0;gotcha\007\",x,,n\ts\r\n"
                   "a,,none,x,lower,ns\r\n");
    for (int i = 0; i < 3; i++) {
        static const char *const lines[] = {"compare ./odd ./odd -v", "compare ./odd ./odd --format markdown",
                                            "compare ./odd ./odd --format csv"};
        compare(cli, lines[i], DONE, &result);
        if (i < 2)
            cli_expect_no_text(result.out, "\033");
        else
            cli_expect_no_text(result.out, "inf");
        cli_expect_no_text(result.out, "faster");
        cli_expect_no_text(result.out, "slower");
        cli_result_free(&result);
    }
    cli_write_file(cli->work, "empty", "");
    compare(cli, "compare base1.csv ./empty", USAGE, &result);
    assert_string_equal(result.err, "jitbench compare: ./empty: no rows\n");
    cli_result_free(&result);
}

/* The same file twice on a side is one run. */
CLI_TEST(test_compare_counts_a_run_once)
{
    struct cli_result result;
    struct cli_csv csv;

    compare_csv(*state, "compare base1.csv base1.csv base1.csv -- same1.csv", &csv);
    cli_expect_all(&csv, "tested", "within");
    assert_int_equal(cli_number(&csv, row_of(&csv, "syscall", ""), "n_base"), 12);
    cli_csv_free(&csv);
    compare(*state, "compare base1.csv base1.csv -- same1.csv", DONE, &result);
    cli_expect_text(result.out, "Warning: 10 rows occur twice and are counted once\n");
    cli_expect_text(result.out, "Base  1 run on alpha\n");
    cli_result_free(&result);
}

CLI_TEST(test_compare_wrong_command_lines)
{
    expect_error(*state, "compare",
                 "jitbench compare: needs a file before and a file after (BASE NEW, or BASE... -- NEW...)\n");
    expect_error(*state, "compare base1.csv",
                 "jitbench compare: needs a file before and a file after (BASE NEW, or BASE... -- NEW...)\n");
    expect_error(*state, "compare --within base1.csv -- same1.csv",
                 "jitbench compare: --within takes one or more files, without '--'\n");
    expect_error(*state, "compare --within base1.csv --by host",
                 "jitbench compare: --within and --by host exclude each other\n");
    expect_error(*state, "compare base1.csv --",
                 "jitbench compare: needs a file before and a file after (BASE NEW, or BASE... -- NEW...)\n");
    expect_error(*state, "compare base1.csv same1.csv slow1.csv",
                 "jitbench compare: 3 files: put '--' between those before and those after (BASE... -- NEW...)\n");
    expect_error(*state, "compare base1.csv -- same1.csv -- slow1.csv",
                 "jitbench compare: '--' is given once, between the files from before and those from after\n");
    expect_error(*state, "compare - -", "jitbench compare: standard input ('-') can be read only once\n");
    expect_error(*state, "compare a b --min-effect x",
                 "jitbench compare: --min-effect: 'x' is not a percentage (0 % to 1000 %)\n");
    expect_error(*state, "compare a b --fail-on slower:5,fastre",
                 "jitbench compare: --fail-on: 'fastre' is not one of slower, worse, faster, changed or undecided; "
                 "did you mean 'faster'?\n");
    expect_error(*state, "compare a b --fail-on slower:5,faster:1001%",
                 "jitbench compare: --fail-on: 'slower:5,faster:1001%' is out of range (0 % to 1000 %)\n");
    expect_error(*state, "compare /nonexistent base1.csv",
                 "jitbench compare: /nonexistent: No such file or directory\n");
}

GROUP(find_files, NULL);
