/* SPDX-License-Identifier: MIT */
/* A count is an outer script that runs the work script 1, 8 or 16 times at once and waits. That sorts a text, dumps
 * it, searches it and counts, with /bin/sh, sort, od, grep, tee, wc and rm. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/unix.h"
#include "rows/text.h"
#include "sys/base.h"
#include "sys/file.h"
#include "sys/process.h"

#define SHELL "/bin/sh"
/* Whatever the user's environment. */
#define TOOL_PATH       "/usr/bin:/bin"
#define FREE_BYTES_EACH (128u << 10) /* for one work script, with some reserve */

/* $1 tells apart the files of scripts at once. */
#define SCRIPT_BODY                          \
    "sort text >sorted.$1\n"                 \
    "od sorted.$1 | sort -n -k 1 >dump.$1\n" \
    "grep the sorted.$1 | tee found.$1 | wc >count.$1\n"
static const char work_script[] = "set -e\nset -- $$\n" SCRIPT_BODY "rm sorted.$1 dump.$1 found.$1 count.$1\n";
/* Keeps its files, to be verified. */
static const char check_script[] = "set -e\nset -- check\n" SCRIPT_BODY;
/* Waits for each by ID: `wait` alone does not return exit statuses. */
static const char outer_script[] = "n=$1\nall=\nwhile [ $n -gt 0 ]; do\n" SHELL " work &\nall=\"$all $!\"\n"
                                   "n=$((n - 1))\ndone\nstatus=0\nfor each in $all; do wait $each || status=1; done\n"
                                   "exit $status\n";

struct shell {
    struct scratch_keeper keeper;
    char text[SHELL_TEXT_BYTES + 1];
    char number[24];
};

static int write_file(struct party_context *context, const char *name, const char *text)
{
    const struct shell *shell = context->state;
    int fd = new_file(shell->keeper.folder, name, O_CLOEXEC, 0600);

    if (fd < 0)
        return party_fail(context, "cannot make %s: %s", name, strerror(-fd));
    int error = new_file_write(fd, text, strlen(text));
    if (close(fd) && !error)
        error = -errno;
    return error ? party_fail(context, "cannot write %s: %s", name, strerror(-error)) : 0;
}

static int setup(struct party_context *context, unsigned concurrent)
{
    const struct unix_params *params = context->params;
    struct shell *shell = context->state;

    snprintf(shell->number, sizeof(shell->number), "%u", concurrent);
    /* The tools read each other's files, whatever the user's umask. */
    umask(077);
    int error = party_scratch_folder(context, params->dir, &shell->keeper);
    if (error)
        return party_fail(context, "cannot make a scratch directory: %s", strerror(-error));
    shell_text(shell->text);
    return write_file(context, "text", shell->text) || write_file(context, "work", work_script) ||
                   write_file(context, "check", check_script) || write_file(context, "outer", outer_script)
               ? -1
               : 0;
}

static int enter_folder(void *context)
{
    return fchdir(((const struct shell *)context)->keeper.folder) ? -errno : 0;
}

/* Discards the tools' messages: the exit status reports failures. */
static int run_script(struct party_context *context, const char *script, const char *what)
{
    struct shell *shell = context->state;
    char *argv[] = {(char *)"sh", (char *)script, shell->number, NULL};
    char *envp[] = {(char *)"PATH=" TOOL_PATH, (char *)"LC_ALL=C", NULL};
    const struct program program = {
        .path = SHELL, .argv = argv, .envp = envp, .fds = {-1, -1, -1}, .prepare = enter_folder, .context = shell};
    uint64_t exec_ns;
    const pid_t child = program_start(&program, &exec_ns);

    if (child < 0)
        return party_fail(context, "cannot execute " SHELL " in the scratch directory '%s': %s%s",
                          shell->keeper.note->path, strerror(-child),
                          child == -EAGAIN ? " (RLIMIT_NPROC or the pids cgroup)" : "");
    return unix_wait(context, child, what);
}

static int work(struct party_context *context, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (run_script(context, "outer", "the shell script"))
            return -1;
    return 0;
}

/* Compares the three numbers of its wc. */
static int verify(struct party_context *context)
{
    const struct shell *shell = context->state;
    struct checks *checks = context->recorder[UNIX_CHECKS];
    unsigned long long got[3] = {0, 0, 0};
    struct shell_text_count expected;

    if (run_script(context, "check", "the shell script"))
        return -1;
    shell_text_matches(shell->text, &expected);
    int fd = openat(shell->keeper.folder, "count.check", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
    if (!file) {
        if (fd >= 0)
            close(fd);
        return party_fail(context, "the shell script left no result: %s", strerror(errno));
    }
    int n = fscanf(file, "%llu %llu %llu", &got[0], &got[1], &got[2]), error = ferror(file) ? errno : 0;
    fclose(file);
    if (error)
        return party_fail(context, "the shell script's result cannot be read: %s", strerror(error));
    if (n != 3)
        return party_fail(context, "the shell script's result is not three numbers");
    checks_add(checks, "lines that wc counted", (double)got[0], (double)expected.lines, 0);
    checks_add(checks, "words that wc counted", (double)got[1], (double)expected.words, 0);
    checks_add(checks, "bytes that wc counted", (double)got[2], (double)expected.bytes, 0);
    return 0;
}

static void teardown(struct party_context *context)
{
    struct shell *shell = context->state;

    scratch_keeper_end(&shell->keeper);
}

static int find_tool(const char *tool)
{
    static const char *const folders[] = {"/usr/bin", "/bin"};
    char path[64];

    for (size_t i = 0; i < COUNT(folders); i++) {
        snprintf(path, sizeof(path), "%s/%s", folders[i], tool);
        if (access(path, X_OK) == 0)
            return 0;
    }
    return -1;
}

static int supported(const void *params, unsigned concurrent, char *why, size_t why_size)
{
    static const char *const tools[] = {"sort", "od", "grep", "tee", "wc", "rm"};
    const struct unix_params *p = params;

    if (access(SHELL, X_OK))
        return errno == ENOENT ? fail_because(-1, why, why_size, "no " SHELL " here")
                               : fail_because(-1, why, why_size, SHELL " cannot be executed: %s", strerror(errno));
    for (size_t i = 0; i < COUNT(tools); i++)
        if (find_tool(tools[i]))
            return fail_because(-1, why, why_size, "no program '%s' in " TOOL_PATH, tools[i]);
    return unix_dir_supported(p->dir, FREE_BYTES_EACH * concurrent, why, why_size);
}

#define SHELL_BENCH(number_, title_, groups_, baseline_)                                                   \
    static int setup_##number_(struct party_context *context)                                              \
    {                                                                                                      \
        return setup(context, number_);                                                                    \
    }                                                                                                      \
    static int supported_##number_(const void *params, char *why, size_t why_size)                         \
    {                                                                                                      \
        return supported(params, number_, why, why_size);                                                  \
    }                                                                                                      \
    static const struct party parties_##number_[] = {                                                      \
        {UNIX_MEASURED("shell" #number_), .children = CHILDREN_NORMAL, .state_size = sizeof(struct shell), \
         .setup = setup_##number_, .work = work, .verify = verify, .teardown = teardown},                  \
    };                                                                                                     \
    const struct bench bench_shell##number_ = {                                                            \
        UNIX_BENCH("shell" #number_, title_, parties_##number_, UNIX_METRICS("lpm", 60, baseline_)),       \
        .groups = groups_,                                                                                 \
        .switches = true,                                                                                  \
        .sampling = UNIX_SHELL_SAMPLING,                                                                   \
        .describe = unix_describe,                                                                         \
        .scratch_dir = unix_scratch_dir,                                                                   \
        .supported = supported_##number_,                                                                  \
        .place = unix_place_range,                                                                         \
    }

SHELL_BENCH(1, "Shell Scripts (1 concurrent)", UNIX_INDEX | UNIX_SHELL, 42.4);
SHELL_BENCH(8, "Shell Scripts (8 concurrent)", UNIX_INDEX | UNIX_SHELL, 6.0);
SHELL_BENCH(16, "Shell Scripts (16 concurrent)", UNIX_SHELL, 0);
