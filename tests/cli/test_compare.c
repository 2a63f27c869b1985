/* SPDX-License-Identifier: MIT */
/* jitbench compare, but for its page, which is golden: files, descriptors and exit statuses, on the files of
 * tests/golden/in/compare. */

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
    (void)snprintf(folder, sizeof(folder), "%s/tests/golden/in/compare", here);
    return cli_group_setup(state);
}

/* --- helpers --- */

#define ARGS_MAX 24

/* Words with blanks between; those that end in .csv and have no folder are files of the folder. */
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

static void compare(const char *line, int status, struct cli_result *result)
{
    static struct words words;

    cli_expect_args(words_of(line, &words), status, result);
}

/* --- settings --- */

#define SETTINGS_TRIED 12u

/* The file with one item of the settings changed, in all rows. */
static void write_changed(const char *text, const char *item, size_t name, size_t length)
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
    const struct cli_run measure = {
        .args = ARGS("prime", "-q", "-i", "2", "-n", "100", "--limit", "10", "--cpus", cli_cpu, "-o", "-")};
    const struct cli_run comparison = {.args =
                                           ARGS("compare", "-v", "--across", "scheduler", "run.csv", "changed.csv")};
    struct cli_result measured, result;
    struct cli_csv csv;
    unsigned tried = 0;

    cli_expect(&measure, DONE, &measured);
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
        write_changed(measured.out, item, name, length);
        (void)snprintf(expected, sizeof(expected), "\nSettings differ: %.*s %.*s -> other\n", (int)name, item,
                       (int)(length - name - 1), item + name + 1);
        cli_expect(&comparison, DONE, &result);
        cli_expect_text(result.out, expected);
        item += length;
    }
    assert_true(tried >= 4);
}

CLI_TEST(test_compare_writes_a_file_and_never_over_one)
{
    struct cli_result result;
    struct cli_csv csv;
    char path[CLI_PATH + 32];

    compare("compare ten-base.csv ten-slow.csv -o ./out", DONE, &result);
    cli_expect_text(result.out, "Verdict");
    (void)snprintf(path, sizeof(path), "%s/out", cli->work);
    char *text = cli_read_file(path, NULL);
    cli_csv_parse(text, &csv);
    assert_string_equal(cli_cell(&csv, cli_row(&csv, "syscall", "rate", 0), "verdict"), "slower");
    compare("compare ten-base.csv ten-slow.csv -o -", DONE, &result);
    cli_csv_parse(result.out, &csv);
    cli_expect_text(result.err, "Verdict");
}

/* What else standard output may be: test_options. */
CLI_TEST(test_compare_that_nobody_reads_has_its_status)
{
    static struct words words;
    struct cli_result result;
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    (void)close(ends[0]);
    const struct cli_run closed = {.args = words_of("compare ten-base.csv ten-slow.csv --fail-on slower", &words),
                                   .out = ends[1]};
    cli_expect(&closed, FINDING, &result);
    assert_string_equal(result.err, "");
    (void)close(ends[1]);
}

CLI_TEST(test_compare_colors_a_terminal_only)
{
    static const char *const plain[] = {"PATH=/bin:/usr/bin", "NO_COLOR=1", "TERM=xterm", NULL};
    static const char *const color[] = {"PATH=/bin:/usr/bin", "TERM=xterm", NULL};
    static struct words words;
    struct cli_result result;

    for (int with = 0; with < 2; with++) {
        const struct cli_run run = {.args = words_of("compare ten-base.csv ten-slow.csv", &words),
                                    .out = CLI_TERMINAL,
                                    .env = with ? color : plain,
                                    .columns = 160};
        cli_expect(&run, DONE, &result);
        cli_expect_text(result.terminal, "Verdict");
        if (with) {
            cli_expect_text(result.terminal, "\033[31mslower");
            cli_expect_text(result.terminal, "\033[32mfaster\033[0m");
        } else {
            cli_expect_no_text(result.terminal, "\033[3");
        }
    }
}

/* --- files --- */

CLI_TEST(test_compare_reads_standard_input)
{
    static struct words words;
    char path[CLI_PATH + 32];

    (void)snprintf(path, sizeof(path), "%s/ten-base.csv", folder);
    int in = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(in >= 0);
    const struct cli_run run = {.args = words_of("compare - ten-slow.csv --fail-on slower", &words), .in = in};
    cli_expect(&run, FINDING, NULL);
    (void)close(in);
}

CLI_TEST(test_compare_hostile_files)
{
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
        cli_start(&run, &child);
        cli_wait(&child, &result);
        if (result.status != DONE && result.status != FAILED && result.status != USAGE)
            cli_expect_status(&result, DONE);
    }
}

GROUP(find_files, NULL);
