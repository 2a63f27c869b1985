/* SPDX-License-Identifier: MIT */
/* Output that nobody takes, files that others have put into a directory, and texts that others have written: nothing
 * hangs, no half of a file is left, and no control character reaches a terminal or a spreadsheet. */

#include "../refuse.h"
#include "cli.h"

#define FAST "prime", "-q", "-n", "1000", "-i", "1"

#define CSV_HEADER \
    "run_id,utc,host,suite,test,metric,unit,better,n,value,index,status,copies,wall_s,comment,samples,hist,series\n"
/* Texts of another machine: text is in most of its text columns. */
#define CSV_ROW(id, text) \
    "a" id ",2026-01-0" id "T00:00:00Z,h" text ",unix," text "pipe" text ",rate,lps,higher,3,7,11,ok,2,10," text \
    "c,5;7;9,,\n" \
    "a" id ",2026-01-0" id "T00:00:00Z,h" text ",noise,noise,lost,%,lower,1,5,,ok,2,10," text "c,5,,\n" \
    "a" id ",2026-01-0" id "T00:00:00Z,h" text \
    ",noise,noise,detour,ns,lower,1,5000000,,ok,2,10,,,4980736:100,5000000:100\n"
/* ESC, the C1 form of ESC [, RIGHT-TO-LEFT OVERRIDE, POP DIRECTIONAL ISOLATE and RIGHT-TO-LEFT MARK. */
#define HOSTILE "=1\x1b]0;\x07\xc2\x9b\xe2\x80\xae\xe2\x81\xa9\xe2\x80\x8f"

/* --- Files of others. --- */

CLI_TEST(test_output_reads_regular_files_of_a_directory_only)
{
    const char *const *const readers[] = {
        ARGS("show", "others"),
        ARGS("show", "others/*.csv"),
        ARGS("history", "others"),
        ARGS("fleet", "others"),
        ARGS("compare", "others", "others"),
        ARGS("project", "others"),
        ARGS("report", "others"),
        ARGS("export", "others"),
    };
    char folder[200], path[260];
    struct cli_result result;

    (void)snprintf(folder, sizeof(folder), "%s/others", cli->work);
    assert_int_equal(mkdir(folder, 0755), 0);
    cli_write_file(folder, "b.csv", CSV_HEADER CSV_ROW("1", "") CSV_ROW("2", ""));
    (void)snprintf(path, sizeof(path), "%s/a.csv", folder);
    assert_int_equal(mkfifo(path, 0644), 0);
    (void)snprintf(path, sizeof(path), "%s/c.csv", folder);
    assert_int_equal(symlink("/dev/zero", path), 0);
    (void)snprintf(path, sizeof(path), "%s/d.csv", folder);
    assert_int_equal(symlink("b.csv", path), 0);
    for (size_t i = 0; i < COUNT(readers); i++) {
        const struct cli_run run = {.args = readers[i], .limit_s = 5};
        struct cli_child child;
        cli_start(&run, &child);
        cli_wait(&child, &result);
        cli_expect_text(result.err, "others/a.csv: not a regular file: left out\n");
        cli_expect_text(result.err, "others/c.csv: not a regular file: left out\n");
        cli_expect_no_text(result.err, "d.csv: not");
        if (strcmp(readers[i][0], "compare") != 0)
            assert_int_equal(result.status, 0);
    }
    /* A pipe that is named is read. */
    const struct cli_run shell = {
        .program = "sh", .args = ARGS("-c", "cat others/b.csv | \"$0\" show -q /dev/stdin", cli_binary), .limit_s = 5};
    cli_expect(&shell, 0, &result);
    cli_expect_text(result.out, "\nPipe Throughput  ");
}

/* Fails if the text has a control character other than a line end and, in colours of our own, none; or one of the
 * hostile text. */
static void expect_clean(const char *command, const char *text)
{
    static const char *const bad[] = {"\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa9", "\xe2\x80\x8f"};

    for (const char *at = text; *at; at++)
        if ((*at > 0 && *at < ' ' && *at != '\n' && *at != '\r') || *at == 0x7f)
            fail_msg("%s: a control character: %.60s", command, at);
    for (size_t i = 0; i < COUNT(bad); i++)
        if (strstr(text, bad[i]))
            fail_msg("%s: a character that changes the direction: %.60s", command, strstr(text, bad[i]));
}

CLI_TEST(test_output_has_no_control_characters_of_others)
{
    const char *const *const readers[] = {
        ARGS("show", "-v", "a.csv"),
        ARGS("report", "a.csv"),
        ARGS("history", "-v", "a.csv"),
        ARGS("fleet", "-v", "a.csv"),
        ARGS("fleet", "-q", "-o", "-", "a.csv"),
        ARGS("project", "-v", "a.csv"),
        ARGS("project", "-o", "-", "a.csv"),
        ARGS("compare", "-v", "a.csv", "b.csv"),
        ARGS("compare", "-q", "-o", "-", "a.csv", "b.csv"),
        ARGS("export", "-f", "json", "a.csv"),
        ARGS("export", "-f", "pyperf", "a.csv"),
        ARGS("export", "-f", "hyperfine-json", "a.csv"),
        ARGS("export", "-f", "gbench", "a.csv"),
        ARGS("export", "-f", "openmetrics", "a.csv"),
        ARGS("export", "-f", "unixbench", "a.csv"),
        ARGS("export", "-f", "unixbench-csv", "a.csv"),
    };
    struct cli_result result;

    cli_write_file(cli->work, "a.csv", CSV_HEADER CSV_ROW("1", HOSTILE) CSV_ROW("2", HOSTILE));
    cli_write_file(cli->work, "b.csv", CSV_HEADER CSV_ROW("3", HOSTILE));
    for (size_t i = 0; i < COUNT(readers); i++) {
        const struct cli_run run = {.args = readers[i]};
        struct cli_child child;
        char name[64];
        cli_start(&run, &child);
        cli_wait(&child, &result);
        (void)snprintf(name, sizeof(name), "%s %s", readers[i][0], readers[i][2]);
        assert_true(result.out[0] || result.err[0]);
        expect_clean(name, result.out);
        expect_clean(name, result.err);
        if (strchr(name, 'u') && strstr(name, "-csv"))
            cli_expect_text(result.out, "Concurrency,'=1");
    }
}

/* --- Outputs that take nothing. --- */

/* A pipe that takes not a byte more. Nobody reads end[0]. */
static void full_pipe(int end[2])
{
    char block[4096] = "";

    assert_int_equal(pipe2(end, O_CLOEXEC | O_NONBLOCK), 0);
    while (write(end[1], block, sizeof(block)) > 0)
        ;
    assert_int_equal(fcntl(end[1], F_SETFL, 0), 0);
}

CLI_TEST(test_output_drops_messages_that_nobody_takes)
{
    const struct {
        const char *const *args;
        int status;
    } cases[] = {
        {ARGS("show", "missing", "missing-too"), 2},
        {ARGS("report", "a.csv", "-o", "a.html"), 1}, /* 0 with its message */
        {ARGS("report", "a.csv", "-o", "-"), 0},      /* no message */
    };
    int end[2];

    full_pipe(end);
    cli_write_file(cli->work, "a.csv", CSV_HEADER CSV_ROW("1", ""));
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct cli_run run = {.args = cases[i].args, .err = end[1], .limit_s = 8};
        cli_expect(&run, cases[i].status, NULL);
    }
    assert_int_equal(close(end[0]), 0);
    assert_int_equal(close(end[1]), 0);
}

/* Starts the run, sends SIGTERM after a while, and expects that it ends by that. */
static void expect_ends(const struct cli_run *run, struct cli_result *result)
{
    struct cli_child child;

    cli_start(run, &child);
    cli_sleep_ms(700);
    assert_false(cli_ended(child.pid));
    (void)kill(child.pid, SIGTERM);
    assert_true(cli_ends(&child, 3, result));
}

CLI_TEST(test_output_to_a_pipe_without_a_reader_can_be_ended)
{
    char path[200];
    struct cli_result result;

    (void)snprintf(path, sizeof(path), "%s/p", cli->work);
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_ends(&(const struct cli_run){.args = ARGS(FAST, "-o", "p")}, &result);
    assert_int_equal(result.status, 128 + SIGTERM);
    assert_string_equal(result.err, "jitbench prime: -o 'p': a pipe that no process reads from\n");
    /* It waits for a reader that comes later. */
    const struct cli_run late = {.program = "sh",
                                 .args = ARGS("-c",
                                              "(sleep 0.3; head -1 p) & \"$0\" prime -q -n 1000 -i 1 -o p >/dev/null; "
                                              "wait",
                                              cli_binary)};
    cli_expect(&late, 0, &result);
    cli_expect_text(result.out, "schema,run_id,");
}

/* A terminal that was stopped (Ctrl-S) takes a part of a large write, and then nothing. */
CLI_TEST(test_output_to_a_stopped_terminal_can_be_ended)
{
    const struct cli_run run = {.args = ARGS("prime", "-n", "1000", "-i", "1", "--limit", "10:40", "-o", "-"),
                                .in = CLI_TERMINAL,
                                .out = CLI_TERMINAL,
                                .err = CLI_TERMINAL};
    struct cli_child child;
    struct cli_result result;

    cli_start(&run, &child);
    assert_int_equal(write(child.terminal, "\x13", 1), 1);
    cli_sleep_ms(1500);
    assert_false(cli_ended(child.pid));
    (void)kill(child.pid, SIGTERM);
    assert_true(cli_ends(&child, 5, &result));
}

/* --- Files that cannot be completed. --- */

/* context: whether files without a name are refused, as by old kernels and some file systems. */
static int limit_files(void *context)
{
    const struct rlimit most = {.rlim_cur = 4096, .rlim_max = 4096};
    const struct refusal nameless = {REFUSE_FLAG, SYS_openat, 2, O_TMPFILE, O_TMPFILE, EOPNOTSUPP};

    return *(const bool *)context && refuse_one(&nameless) ? -1 : setrlimit(RLIMIT_FSIZE, &most);
}

CLI_TEST(test_output_file_too_large_leaves_nothing)
{
    struct cli_result result;

    cli_write_file(cli->work, "a.csv", CSV_HEADER CSV_ROW("1", ""));
    cli_write_file(cli->work, "kept.html", "kept");
    for (int i = 0; i < 4; i++) {
        const bool force = i % 2, refused = i / 2;
        const char *path = force ? "kept.html" : "new.html";
        const struct cli_run run = {.args = force ? ARGS("report", "a.csv", "--force", "-o", path)
                                                  : ARGS("report", "a.csv", "-o", path),
                                    .prepare = limit_files,
                                    .context = (void *)&refused};
        char message[100];
        cli_expect(&run, 1, &result);
        (void)snprintf(message, sizeof(message), "jitbench report: %s cannot be written: File too large\n", path);
        assert_string_equal(result.err, message);
        cli_expect_files(cli->work, 2);
    }
    char kept[200];
    (void)snprintf(kept, sizeof(kept), "%s/kept.html", cli->work);
    char *text = cli_read_file(kept, &(size_t){0});
    assert_string_equal(text, "kept");
}

/* --- Limits of the process. --- */

static int limit_data(void *context)
{
    const struct rlimit most = {.rlim_cur = *(const rlim_t *)context, .rlim_max = *(const rlim_t *)context};

    return setrlimit(RLIMIT_DATA, &most);
}

static int limit_stack(void *context)
{
    const struct rlimit most = {.rlim_cur = *(const rlim_t *)context, .rlim_max = *(const rlim_t *)context};

    return setrlimit(RLIMIT_STACK, &most);
}

/* With ever less memory a run works, or says that it has none and leaves no file without a row. Below some 250 KiB the
 * C library ends before main(). */
CLI_TEST(test_output_little_memory_is_said)
{
    size_t refused = 0;

    for (rlim_t kib = 280; kib < 1200; kib += 60) {
        rlim_t bytes = kib << 10;
        const struct cli_run run = {.args = ARGS(FAST, "-o", "m.csv"), .prepare = limit_data, .context = &bytes};
        struct cli_child child;
        struct cli_result result;
        char path[200];
        cli_start(&run, &child);
        cli_wait(&child, &result);
        (void)snprintf(path, sizeof(path), "%s/m.csv", cli->work);
        char *csv = access(path, F_OK) ? NULL : cli_read_file(path, &(size_t){0});
        const char *header_end = csv ? strstr(csv, "\r\n") : NULL;
        if (result.status) {
            assert_int_equal(result.status, 1);
            if (!csv)
                cli_expect_text(result.err, "memory");
            refused++;
        }
        assert_true(!csv || (header_end && header_end[2]));
        (void)unlink(path);
    }
    assert_true(refused > 1);
}

CLI_TEST(test_output_small_stack_is_said)
{
    rlim_t bytes = 64 << 10;
    const struct cli_run small = {
        .args = ARGS("run", "--samples", "2", "--", "true"), .prepare = limit_stack, .context = &bytes};
    struct cli_result result;

    cli_expect(&small, 1, &result);
    assert_string_equal(result.err, "jitbench: the stack is limited to less than 256 KiB (ulimit -s)\n");
    bytes = 256 << 10;
    cli_expect(&small, 0, &result);
}
