/* SPDX-License-Identifier: MIT */
/* Compares the output, line by line, with the texts of tests/cli/golden.
 *
 * Help and lists are compared as they are; JITBENCH_GOLDEN=update writes them anew. In the texts of tables
 *   #      stands for a whole number, #.## for one with two decimals,
 *   ~      for the same or a "-", where a value may be not known,
 *   *      for any text,
 * two blanks or more for two blanks or more, blanks at the beginning of a line for any number of them, and a line that
 * begins with "? " may be missing. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "program.h"

#define GOLDEN "tests/cli/golden"
#define CELLS  32

static char golden_folder[CLI_PATH / 2];

/* --- Matching. --- */

static size_t digits(const char *s)
{
    return strspn(s, "0123456789");
}

/* The length of the number at s that has as many decimals as the wildcard at pattern, whose length is put in *wild. */
static size_t number_length(const char *pattern, const char *s, size_t *wild)
{
    size_t decimals = pattern[1] == '.' ? strspn(pattern + 2, "#") : 0, n = digits(s);

    *wild = 1 + (decimals ? 1 + decimals : 0);
    if (*pattern == '~' && s[0] == '-' && !isdigit((unsigned char)s[1]))
        return 1;
    if (!n || !decimals)
        return n;
    return s[n] == '.' && digits(s + n + 1) == decimals ? n + 1 + decimals : 0;
}

static bool matches(const char *pattern, const char *s, bool at_start)
{
    for (; *pattern; at_start = false) {
        size_t blanks = strspn(pattern, " "), there = strspn(s, " "), wild = 1, n;
        switch (*pattern) {
        case ' ':
            if (!at_start && (blanks == 1 ? there != 1 : there < 2))
                return false;
            pattern += blanks;
            s += there;
            break;
        case '*':
            for (n = 1; n <= strlen(s); n++)
                if (matches(pattern + 1, s + n, false))
                    return true;
            return false;
        case '#':
        case '~':
            if (!(n = number_length(pattern, s, &wild)))
                return false;
            pattern += wild;
            s += n;
            break;
        default:
            if (*pattern++ != *s++)
                return false;
        }
    }
    return !*s;
}

/* The next line of a text, terminated; NULL at its end. */
static char *next_line(char **at)
{
    char *line = *at, *end;

    if (!*line)
        return NULL;
    end = strchr(line, '\n');
    *at = end ? end + 1 : line + strlen(line);
    if (end)
        *end = 0;
    return line;
}

static void expect_lines(const char *name, char *golden, char *text)
{
    char *line = next_line(&text), *pattern;
    unsigned number = 0;

    while ((pattern = next_line(&golden))) {
        bool optional = !strncmp(pattern, "? ", 2);
        number++;
        if (line && matches(pattern + (optional ? 2 : 0), line, true))
            line = next_line(&text);
        else if (!optional)
            fail_msg("%s, line %u:\n  expected: %s\n  printed:  %s", name, number, pattern, line ? line : "(nothing)");
    }
    if (line)
        fail_msg("%s: a line too many: %s", name, line);
}

static void golden_path(const char *name, char path[CLI_PATH])
{
    (void)snprintf(path, CLI_PATH, "%s/%.64s.txt", golden_folder, name);
}

static void expect_wild(const char *name, const char *text)
{
    char path[CLI_PATH], *copy = strdup(text);
    size_t size;

    golden_path(name, path);
    char *golden = cli_read_file(path, &size);
    assert_non_null(copy);
    expect_lines(name, golden, copy);
    free(golden);
    free(copy);
}

static void expect_exact(const char *name, const char *text)
{
    const char *mode = getenv("JITBENCH_GOLDEN");
    char path[CLI_PATH];
    size_t size;

    golden_path(name, path);
    if (mode && !strcmp(mode, "update")) {
        char file[128];
        (void)snprintf(file, sizeof(file), "%s.txt", name);
        cli_write_file(golden_folder, file, text);
    }
    char *golden = cli_read_file(path, &size);
    if (strcmp(golden, text))
        fail_msg("%s has changed (if it should have: JITBENCH_GOLDEN=update); printed is:\n%s", path, text);
    free(golden);
}

/* --- Alignment. --- */

struct cell {
    size_t begin, end;
};

/* Cells have two blanks or more between them. */
static size_t split(const char *line, struct cell cells[CELLS])
{
    size_t n = 0, at = strspn(line, " ");

    while (line[at] && n < CELLS) {
        size_t end = at;
        while (line[end] && strncmp(line + end, "  ", 2))
            end++;
        cells[n++] = (struct cell){at, end};
        at = end + strspn(line + end, " ");
    }
    return n;
}

/* Under each heading of the table whose head line matches the pattern: text (under a heading "CPU", "CPUs" or
 * "Function") on the left edge, numbers on the right one. Returns how many lines it has. */
static size_t expect_aligned(const char *text, const char *head)
{
    struct cell headings[CELLS], cells[CELLS];
    char *copy = strdup(text), *at = copy, *line, *head_line = NULL;
    size_t n = 0, lines = 0;

    assert_non_null(copy);
    while (!head_line && (line = next_line(&at)))
        if (matches(head, line + strspn(line, " "), false))
            head_line = line;
    if (!head_line)
        fail_msg("no table with the heading '%s' in: %.2000s", head, text);
    n = split(head_line, headings);
    for (; (line = next_line(&at)) && *line && split(line, cells) >= n; lines++)
        for (size_t i = 0; i < n; i++) {
            const char *heading = head_line + headings[i].begin;
            bool left = !strncmp(heading, "CPU", 3) || !strncmp(heading, "Function", 8);
            if (left ? cells[i].begin != headings[i].begin : cells[i].end != headings[i].end)
                fail_msg("column %zu is not aligned:\n%s\n%s", i + 1, head_line, line);
        }
    free(copy);
    return lines;
}

/* --- Help, list, version. --- */

static void expect_output(const struct cli *cli, const char *const *args, const char *golden, bool wild)
{
    struct cli_result result;

    cli_expect_args(cli, args, 0, &result);
    assert_string_equal(result.err, "");
    if (wild)
        expect_wild(golden, result.out);
    else
        expect_exact(golden, result.out);
    cli_result_free(&result);
}

CLI_TEST(test_layout_help)
{
    expect_output(*state, ARGS("help"), "help", false);
    expect_output(*state, ARGS("help", "all"), "help-all", false);
    expect_output(*state, ARGS("help", "prime"), "help-prime", false);
    expect_output(*state, ARGS("help", "stream"), "help-stream", false);
    expect_output(*state, ARGS("help", "latency"), "help-latency", false);
    expect_output(*state, ARGS("help", "list"), "help-list", false);
    expect_output(*state, ARGS("help", "help"), "help-help", false);
    expect_output(*state, ARGS("help", "version"), "help-version", false);
}

CLI_TEST(test_layout_list)
{
    expect_output(*state, ARGS("list"), "list", false);
    expect_output(*state, ARGS("list", "--metrics"), "list-metrics", false);
}

CLI_TEST(test_layout_version)
{
    expect_output(*state, ARGS("version"), "version", true);
}

/* Help is broken for the terminal it is shown on. */
CLI_TEST(test_layout_help_fits_the_terminal)
{
    static const unsigned short widths[] = {70, 80, 110};
    /* NULL: the list of all commands. */
    static const char *const commands[] = {NULL,    "all",  "prime", "stream",  "noise",  "unix",   "latency", "run",
                                           "check", "tune", "fleet", "compare", "report", "export", "project", "list"};
    size_t least = 0;

    for (size_t c = 0; c < sizeof(commands) / sizeof(commands[0]); c++)
        for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
            const struct cli_run run = {.args = commands[c] ? ARGS("help", commands[c]) : ARGS("help"),
                                        .out = CLI_TERMINAL,
                                        .columns = widths[i]};
            struct cli_result result;
            size_t longest = 0;
            cli_expect(*state, &run, 0, &result);
            for (const char *at = result.terminal; *at; at += strspn(at, "\r\n")) {
                size_t length = strcspn(at, "\r\n");
                if (strncmp(at, "Usage: ", 7) != 0) /* stays one line, to be copied; at most 80 columns */
                    longest = length > longest ? length : longest;
                at += length;
            }
            if (longest > widths[i])
                fail_msg("help %s is %zu columns wide on a terminal of %u", commands[c] ? commands[c] : "", longest,
                         widths[i]);
            assert_true(i == 0 || longest >= least);
            least = longest;
            cli_result_free(&result);
        }
}

static size_t widest_line_of_help(const struct cli *cli, const char *columns)
{
    const struct cli_run run = {.args = ARGS("help", "prime"), .env = (const char *const[]){columns, NULL}};
    struct cli_result result;
    size_t longest = 0;

    cli_expect(cli, &run, 0, &result);
    for (const char *at = result.out; *at; at += strspn(at, "\n")) {
        size_t length = strcspn(at, "\n");
        if (strncmp(at, "Usage: ", 7) != 0)
            longest = length > longest ? length : longest;
        at += length;
    }
    cli_result_free(&result);
    return longest;
}

/* COLUMNS is ignored unless it is a number of at least 40. */
CLI_TEST(test_layout_columns_are_those_of_the_environment)
{
    static const char *const none[] = {"COLUMNS=",    "COLUMNS=39",  "COLUMNS=-60",
                                       "COLUMNS=60x", "COLUMNS= 60", "COLUMNS=99999999999999999999"};
    const size_t preset = widest_line_of_help(*state, "COLUMN=60");

    assert_in_range(preset, 61, 80);
    assert_in_range(widest_line_of_help(*state, "COLUMNS=60"), 50, 60);
    assert_in_range(widest_line_of_help(*state, "COLUMNS=130"), preset + 1, 130);
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        assert_int_equal(widest_line_of_help(*state, none[i]), preset);
}

/* --- Tables. --- */

/* All columns, whatever the numbers' widths are. */
static const char *const wide[] = {"COLUMNS=400", "TMPDIR=tmp", NULL};

CLI_TEST(test_layout_prime)
{
    const struct cli *cli = *state;
    const struct cli_run run = {
        .args = ARGS("prime", "-n", "1000", "-i", "1", "--limit", "10:46:36", "--cpus", cli_cpu, "--core-probe", "off"),
        .env = wide};
    struct cli_result result;

    cli_need_cpus(1); /* the table names it */
    cli_expect(cli, &run, 0, &result);
    assert_string_equal(result.err, "");
    expect_wild("prime", result.out);
    assert_int_equal(expect_aligned(result.out, "Limit  Experiments  Mean  *"), 2);
    assert_int_equal(expect_aligned(result.out, "Limit  *  Median  *"), 2);
    assert_int_equal(expect_aligned(result.out, "Limit  Copies  CPU  >400 mean  *"), 2);
    cli_result_free(&result);
}

/* A line a run, in the order of the runs. */
CLI_TEST(test_layout_prime_has_a_line_a_run)
{
    const struct cli *cli = *state;
    const struct cli_run run = {.args = ARGS("prime", "-q", "-n", "100", "-i", "3", "--cpus", cli_cpu)};
    struct cli_result result;

    cli_expect(cli, &run, 0, &result);
    assert_int_equal(expect_aligned(result.out, "Limit  Mean  *"), 3);
    assert_int_equal(expect_aligned(result.out, "Limit  *  Median  *"), 1);
    cli_result_free(&result);
}

CLI_TEST(test_layout_stream)
{
    const struct cli *cli = *state;
    const bool nontemporal = program_has_nontemporal_stores(cli_binary);
    const struct cli_run run = {.args = ARGS("stream", "-n", "1000", "-i", "1", "--sizes", "25,12800", "-k", "3",
                                             "--core-probe", "off", "--array-size", "1M", "--cpus", cli_cpu),
                                .env = nontemporal ? wide : NULL};
    struct cli_result result;

    cli_need_cpus(1); /* the table names it */
    cli_expect(cli, &run, 0, &result);
    assert_string_equal(result.err, "");
    expect_wild(nontemporal ? "stream" : "stream-ordinary", result.out);
    assert_int_equal(expect_aligned(result.out, nontemporal ? "Elements  Experiments  Mean  *" : "Elements  Mean  *"),
                     2);
    assert_int_equal(expect_aligned(result.out, "Elements  *  Median  *"), 2);
    assert_int_equal(expect_aligned(result.out, "Elements  Copies  CPU  >400 mean  *"), 2);
    if (nontemporal) /* a skipped line has no CPU, and its state where the others end */
        assert_int_equal(expect_aligned(result.out, "Function  Best Rate MB/s  *"), 8);
    cli_result_free(&result);
}

/* One of the two tests is only its own table. */
CLI_TEST(test_layout_stream_tests_alone)
{
    const struct cli *cli = *state;
    const struct cli_run array = {.args = ARGS("stream", "array", "-q", "-n", "100", "-i", "1", "--sizes", "25")};
    const struct cli_run bandwidth = {.args = ARGS("stream", "bandwidth", "-q", "-i", "1", "--array-size", "64K")};
    struct cli_result result;

    cli_expect(cli, &array, 0, &result);
    assert_memory_equal(result.out, "Array copy, each run", 20);
    cli_expect_no_text(result.out, "bandwidth");
    cli_result_free(&result);
    cli_expect(cli, &bandwidth, 0, &result);
    assert_memory_equal(result.out, "STREAM-style bandwidth", 22);
    cli_expect_no_text(result.out, "Array copy");
    cli_result_free(&result);
}

/* A table for each task, with a line for each load. */
CLI_TEST(test_layout_latency)
{
    const struct cli *cli = *state;
    const struct cli_run run = {
        .args = ARGS("latency", "audio", "gaming", "video", "--load", "none,burn", "-t", "100ms", "--cpus", "0-1"),
        .env = wide};
    struct cli_result result;

    cli_need_cpus(2);
    cli_need_fifo(); /* whose refusal would be in the table */
    cli_expect(cli, &run, 0, &result);
    assert_string_equal(result.err, "");
    expect_wild("latency", result.out);
    assert_int_equal(expect_aligned(result.out, "Load  Latency  *  Max  % Done  % Late"), 2);
    assert_int_equal(expect_aligned(result.out, "Load  Latency  *  % Met  Timer  Timer Max  Total  Total Max"), 2);
    cli_result_free(&result);
}

/* Microseconds, then. */
CLI_TEST(test_layout_latency_real_time)
{
    const struct cli *cli = *state;
    const struct cli_run run = {
        .args = ARGS("latency", "audio", "-r", "--load", "none", "-t", "100ms", "-q", "-l", "100000"), .env = wide};
    struct cli_result result;

    cli_need_fifo();
    cli_expect(cli, &run, 0, &result);
    expect_wild("latency-real-time", result.out);
    cli_result_free(&result);
}

/* The figures that the original gave. */
CLI_TEST(test_layout_latency_classic)
{
    const struct cli *cli = *state;
    const struct cli_run run = {
        .args = ARGS("latency", "x", "--classic", "--load", "none", "-t", "100ms", "-q", "-l", "100000"), .env = wide};
    struct cli_result result;

    cli_expect(cli, &run, 0, &result);
    cli_expect_text(result.out, "Simulated X under each load, counted as Interbench did (metric latency_classic)\n");
    (void)expect_aligned(result.out, "Load  Latency  *  % Deadlines Met  *");
    cli_result_free(&result);
}

/* Status behind the line, the reason below the table, once. */
CLI_TEST(test_layout_degraded)
{
    const struct cli *cli = *state;
    const struct cli_run run = {
        .args = ARGS("prime", "-q", "-n", "1000", "-i", "1", "--cpus", "all", "--fifo", "--limit", "10:14:4")};
    struct cli_result result;
    unsigned reasons = 0;

    cli_need_fifo(); /* its refusal would be another reason */
    cli_need_cpus((unsigned)sysconf(_SC_NPROCESSORS_ONLN));
    cli_expect(cli, &run, 0, &result);
    (void)expect_aligned(result.out, "Limit  *  Median  *");
    for (const char *at = result.out; (at = strstr(at, "\ndegraded: ")); at++)
        reasons++;
    cli_expect_text(result.out, "  degraded\n");
    assert_int_equal(reasons, 1);
    cli_result_free(&result);
}

CLI_TEST(test_layout_csv_header)
{
    const struct cli *cli = *state;
    const struct cli_run run = {.args = ARGS("prime", "-n", "10", "-i", "1", "-o", "-")};
    struct cli_result result;

    cli_expect(cli, &run, 0, &result);
    char *end = strstr(result.out, "\r\n");
    assert_non_null(end);
    end[0] = '\n';
    end[1] = 0;
    expect_exact("csv-header", result.out);
    cli_result_free(&result);
}

/* --- Terminals. --- */

CLI_TEST(test_layout_histogram_on_a_terminal)
{
    const struct cli *cli = *state;
    const struct cli_run run = {.args = ARGS("prime", "-n", "1000", "-i", "1"), .out = CLI_TERMINAL, .columns = 120};
    struct cli_result result;

    cli_expect(cli, &run, 0, &result);
    cli_expect_text(result.terminal, "Prime loop: all runs together");
    cli_expect_text(result.terminal, "Histogram of limit=22 ");
    assert_string_equal(result.err, "");
    cli_result_free(&result);
}

/* A picture of the latencies, a line a pair. */
CLI_TEST(test_layout_latency_on_a_terminal)
{
    const struct cli *cli = *state;
    const struct cli_run run = {.args = ARGS("latency", "audio", "--load", "none,burn", "-t", "100ms", "-l", "100000"),
                                .out = CLI_TERMINAL,
                                .columns = 120};
    struct cli_result result;

    cli_expect(cli, &run, 0, &result);
    const char *picture = strstr(result.terminal, "Latency, log scale");
    assert_non_null(picture);
    cli_expect_text(picture, "\naudio   none ");
    cli_expect_text(picture, "\naudio   burn ");
    cli_result_free(&result);
}

CLI_TEST(test_layout_progress_on_a_terminal)
{
    const struct cli *cli = *state;
    const char *const loud[] = {"prime", "-n", "100", "-i", "3", NULL};
    const char *const quiet[] = {"prime", "-n", "100", "-i", "3", "-q", NULL};

    for (unsigned i = 0; i < 2; i++) {
        const struct cli_run run = {.args = i ? quiet : loud, .err = CLI_TERMINAL};
        struct cli_result result;
        cli_expect(cli, &run, 0, &result);
        if (i) {
            assert_string_equal(result.terminal, "");
        } else {
            size_t length = strlen(result.terminal);
            cli_expect_text(result.terminal, "prime limit=22, sample 1: 0 %");
            /* It is wiped off at the end. */
            assert_true(length > 4);
            assert_string_equal(result.terminal + length - 4, "\r\033[K");
        }
        cli_result_free(&result);
    }
}

/* A command may run for hours: the line says that it does. Tests of delays are not disturbed for that. */
CLI_TEST(test_layout_progress_within_a_long_command)
{
    const struct cli *cli = *state;
    const struct cli_run run = {.args = ARGS("run", "-i", "1", "--", "sleep", "1.3"), .err = CLI_TERMINAL};
    struct cli_result result;

    cli_need_commands();
    cli_expect(cli, &run, 0, &result);
    cli_expect_text(result.terminal, "\r\033[Ksleep, sample 1: 0 % (running for 1 s)");
    cli_expect_no_text(result.terminal, "for 2 s");
    cli_result_free(&result);
}

static int find_golden(void **state)
{
    char *path = realpath(GOLDEN, NULL);

    if (!path || strlen(path) >= sizeof(golden_folder)) {
        print_error("%s: %s: start the test from the top folder\n", GOLDEN, strerror(errno));
        return -1;
    }
    memcpy(golden_folder, path, strlen(path) + 1);
    free(path);
    return cli_group_setup(state);
}

GROUP(find_golden, NULL);
