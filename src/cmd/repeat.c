/* SPDX-License-Identifier: MIT */
/* --runs and --interleave: a process and a file for each run. */
#include <sys/prctl.h>
#include <sys/wait.h>

#include "cmd/cmd.h"
#include "out/compare.h"

struct side {
    enum { AS_IS, PROGRAM, SETTINGS, OPTIONS, SCHEDULER } kind;
    char file[1024]; /* or options, behind a word as of a program; of a scheduler one */
};

struct repeat {
    struct measure *m;
    int argc;
    char **argv;
    struct side side[2];
    unsigned sides;
    uint64_t runs;
    char name[1024]; /* the number of the run goes before its ending */
};

/* --- The command line. --- */

/* Not for each run, but for all; the first run keeps --start-at. */
static const char *const of_all[] = {"start-at", "runs", "interleave", "nagios", "output", NULL};

static int wrong(const char *file, const char *why)
{
    return usage_error("--interleave '%.900s': %.300s", file, why);
}

static int take_side(struct repeat *r, struct side *side, const char *text)
{
    FREED_BY(words_free) struct words words = {0};
    char begin[5] = "";
    const char *error = NULL;
    struct error why;

    TEXT_SET(side->file, text);
    procfs_read(text, begin, sizeof(begin));
    side->kind = !text[0] || !strcmp(text, "none") ? AS_IS
                 : text[0] == '-'                  ? OPTIONS
                 : starts_with(text, "with:")      ? SCHEDULER
                 : !strcmp(begin, "\177ELF")       ? PROGRAM
                                                   : SETTINGS;
    if (side->kind == SCHEDULER) {
        TEXT_PRINT(side->file, "--with=%s", text + strlen("with:"));
        return with_check();
    }
    if (side->kind == OPTIONS) {
        TEXT_PRINT(side->file, "jitbench %s", text);
        error = words_of_command(side->file, true, &words);
        const int n = (int)words.n;
        if (!error && option_without(n, words.word, r->m->tables, r->m->n_tables, of_all, words.word) + 1 < n)
            error = "--start-at, --runs, --interleave, --nagios and --output are of both sides";
    } else if (side->kind == PROGRAM)
        error = access(text, X_OK) ? strerror(errno) : NULL;
    else if (side->kind == SETTINGS)
        error = r->m->options.tuned            ? "settings and --tuned exclude each other"
                : tuned_check_file(text, &why) ? why.text
                                               : NULL;
    return error ? wrong(text, error) : 0;
}

/* "B" or "A,B". */
static int take_sides(struct repeat *r)
{
    const char *both = r->m->options.interleave, *comma = strchr(both, ',');
    char first[sizeof(r->m->options.interleave)];

    if (!both[0])
        return 0;
    r->sides = 2;
    text_copy(first, comma ? (size_t)(comma - both) + 1 : 1, both);
    const int status = take_side(r, &r->side[0], first);
    return status ? status : take_side(r, &r->side[1], comma ? comma + 1 : both);
}

/* side: a letter or 0. number 0: an asterisk. */
static void put_name(const struct repeat *r, char side, uint64_t number, struct text *out)
{
    const char *ending = text_ending(r->name);
    const int width = (int)strlen(TEXT_LINE("%" PRIu64, r->runs));

    text_append(out, r->name, (size_t)(ending - r->name));
    text_printf(out, side ? "-%c" : "-", side);
    text_printf(out, "%s%s", number ? TEXT_LINE("%0*" PRIu64, width, number) : "*", ending);
}

/* --- A run. --- */

static void execute(const struct side *side, char **argv, pid_t parent, bool printed)
{
    signals_restore();
    prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    if (getppid() != parent)
        _exit(128 + SIGTERM);
    const int null = printed ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0)
        dup2(null, 1);
    setenv(MEASURE_AGAIN, "1", 1);
    if (side->kind == PROGRAM)
        argv[0] = (char *)side->file;
    const int error =
        side->kind == PROGRAM ? sys_result(execve(side->file, argv, environ)) : process_exec_self(argv, environ);
    message_print("jitbench: cannot run %s: %s\n", side->kind == PROGRAM ? side->file : "itself", strerror(-error));
    _exit(EXIT_ROW_FAILED);
}

/* Passes on a signal that asked for the end. Returns the exit status. */
static int wait_for(pid_t pid)
{
    int status = 0, passed = 0;
    pid_t ended;

    while ((ended = waitpid(pid, &status, WNOHANG)) == 0) {
        sigsuspend(signals_wait_mask());
        if (signals_stop_wanted())
            signals_stop();
        if (!passed && (passed = signals_pending()))
            kill(pid, passed);
    }
    if (ended < 0)
        return EXIT_ROW_FAILED;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Returns the exit status. */
static int run_side(const struct side *side, char **argv, bool printed)
{
    const pid_t parent = getpid(), pid = fork();

    if (pid == 0)
        execute(side, argv, parent, printed);
    if (pid < 0)
        command_complain(strerror(errno), 0);
    return pid < 0 ? EXIT_ROW_FAILED : wait_for(pid);
}

/* With its own --output; tasks of latency do the work that the first run was calibrated to. The caller frees them. */
static char **make_args(const struct repeat *r, const struct side *side, const struct words *more, bool first,
                        const char *output)
{
    static char loops[sizeof(r->name) + 32];
    char **args = memory_get((size_t)r->argc + more->n + 8, sizeof(*args));
    FREED_BY(text_free) struct text calibrated = {0};
    int options = 1;

    while (options < r->argc && strcmp(r->argv[options], "--"))
        options++;
    args[0] = (char *)"jitbench";
    args[1] = r->argv[0];
    int n = 2 + option_without(options, r->argv, r->m->tables, r->m->n_tables, of_all + first, args + 2);
    args[n++] = (char *)"--output";
    args[n++] = (char *)output;
    if (!first && !strcmp(command_now->name, "latency") && !measure_given(r->m, "loops-per-ms") &&
        !measure_given(r->m, "calibrate")) {
        put_name(r, r->sides == 2 ? 'a' : 0, 1, &calibrated);
        TEXT_PRINT(loops, "--loops-per-ms=%s", calibrated.data);
        args[n++] = loops;
    }
    if (side->kind == SCHEDULER)
        args[n++] = (char *)side->file;
    for (size_t i = 1; i < more->n; i++)
        args[n++] = more->word[i];
    memcpy(args + n, r->argv + options, (size_t)(r->argc - options) * sizeof(*args));
    return args;
}

/* number, path: of the last run and its file. Returns the exit status. */
static int report_signal(const struct repeat *r, uint64_t number, const char *path, int status)
{
    const int caught = signals_pending() ? signals_pending() : status - 128;
    char how[120];
    struct stat st;

    TEXT_PRINT(how, "was ended by %s", signals_name(caught));
    if (!signals_pending())
        signals_describe_kill(caught, how, sizeof(how));
    return command_fail(128 + caught, "run %" PRIu64 " of %" PRIu64 " %s; %s'%.1000s'", number, r->runs, how,
                        stat(path, &st) ? "it made no file " : "what was finished is in ", path);
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
           a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* *ends: wrong command line, a signal, settings not set or not restored, or no file. Returns the exit status. */
static int run_once(const struct repeat *r, unsigned of, uint64_t number, bool first, bool *ends)
{
    const struct side *side = &r->side[of];
    const bool settings = side->kind == SETTINGS;
    const bool may_leave = r->m->options.tuned && !tuned_has_snapshot();
    const char letter = r->sides == 2 ? (char)('a' + of) : 0;
    struct error why;
    FREED_BY(text_free) struct text output = {0}, path = {0}, line = {0};
    FREED_BY(words_free) struct words more = {0};
    struct stat before, after;
    int status = EXIT_ROW_FAILED;

    put_name(r, letter, number, &path);
    for (const char *c = path.failed ? "" : path.data; *c; c++)
        text_printf(&output, *c == '%' ? "%%%%" : "%c", *c);
    text_printf(&line, "Run %" PRIu64 " of %" PRIu64 ": %s\n", number, r->runs, path.failed ? "" : path.data);
    if (output.failed || path.failed)
        memory_out();
    if (side->kind == OPTIONS)
        (void)words_of_command(side->file, true, &more);
    FREED char **args = make_args(r, side, &more, first, output.data);
    const bool existed = !stat(path.data, &before);
    *ends = false;
    if (!r->m->options.quiet)
        command_output(1, false, &line);
    if (settings && tuned_begin_file(side->file, &why)) {
        command_complain(why.text, 0);
    } else {
        status = run_side(side, args, r->m->options.verbose);
        *ends = signals_pending() || status == EXIT_USAGE || status > 128;
    }
    const int left = settings ? tuned_end() : may_leave && tuned_has_snapshot() ? -1 : 0;
    if (left) {
        *ends = true;
        command_fail(0, "run %" PRIu64 " of %" PRIu64 " %s, so no further run begins%s", number, r->runs,
                     left < 0 ? "left settings that are not restored" : "had other settings for a part of the time",
                     left < 0 ? "; run 'jitbench untune'" : "");
        if (status <= 128 && !signals_pending())
            return EXIT_ROW_FAILED;
    }
    const bool made = !stat(path.data, &after) && (!existed || !is_same_file(&before, &after));
    /* the next run would fail, too, or have this scheduler; why is said by this one, if it is one of jitbench */
    if (!*ends && (!made || (side->kind == SCHEDULER && !with_none()))) {
        *ends = true;
        return made || (status && side->kind != PROGRAM)
                   ? status
                   : command_fail(EXIT_ROW_FAILED, "--interleave '%.900s': made no file '%.900s' (exit status %d)%s",
                                  side->file, path.data, status, side->kind == PROGRAM ? "; is it a jitbench?" : "");
    }
    return *ends && status != EXIT_USAGE ? report_signal(r, number, path.data, status) : status;
}

/* Says how to compare the sides, which are to differ in what else forbids a comparison; for `latency` does it. */
static void show_comparison(const struct repeat *r)
{
    static const char *const across[] = {[PROGRAM] = "build",
                                         [SETTINGS] = "scheduler",
                                         [OPTIONS] = "scheduler,policy,beside",
                                         [SCHEDULER] = "scheduler"};
    const char *of_a = across[r->side[0].kind], *of_b = across[r->side[1].kind];
    const char *differ = of_a && of_b && strcmp(of_a, of_b) ? "build,scheduler,policy,beside" : of_b ? of_b : of_a;
    char *args[8] = {(char *)"jitbench", (char *)"compare"};
    size_t n = 2;
    FREED_BY(text_free) struct text a = {0}, b = {0};
    struct text line = {0};

    put_name(r, 'a', 0, &a);
    put_name(r, 'b', 0, &b);
    if (a.failed || b.failed)
        return;
    if (differ) {
        args[n++] = (char *)"--across";
        args[n++] = (char *)differ;
    }
    args[n++] = a.data;
    args[n++] = (char *)"--";
    args[n++] = b.data;
    text_printf(&line, "Compare them: ");
    words_quote(args, n, &line);
    text_append(&line, "\n", 1);
    command_output(1, false, &line);
    const pid_t pid = strcmp(command_now->name, "latency") ? -1 : fork();
    if (pid == 0) {
        signals_restore();
        process_exec_self(args, environ);
        _exit(EXIT_ROW_FAILED);
    }
    if (pid > 0)
        wait_for(pid);
}

/* Whether the options of a side are wrong, before a run of the other one. */
static bool options_wrong(const struct repeat *r, const struct side *side)
{
    FREED_BY(words_free) struct words words = {0};

    if (side->kind != OPTIONS || words_of_command(side->file, true, &words))
        return false;
    FREED char **args = memory_get(words.n + 3, sizeof(*args));
    memcpy(args + 1, words.word, words.n * sizeof(*args));
    args[0] = args[1];
    args[1] = r->argv[0];
    args[words.n + 1] = (char *)"--help";
    return run_side(side, args, false) == EXIT_USAGE;
}

int measure_repeat(struct measure *m, int argc, char **argv)
{
    struct repeat r = {.m = m, .argc = argc, .argv = argv, .sides = 1, .runs = m->options.runs};
    const char *template = m->options.output[0] ? m->options.output : "jitbench-%h-%t.csv";
    struct error error;
    int worst = take_sides(&r);

    if (worst)
        return worst;
    if (m->options.no_csv || !strcmp(m->options.output, "-") || m->options.series[0])
        return usage_error("--runs and --interleave make files, and exclude --no-csv, --series and -o -");
    if (names_expand("--output", template, &m->run, 1, r.name, sizeof(r.name), &error))
        return usage_error("%s", error.text);
    for (unsigned i = 0; i < r.sides; i++)
        if (options_wrong(&r, &r.side[i]))
            return EXIT_USAGE;
    if (r.sides == 2 && !measure_given(m, "runs"))
        r.runs = RUNS_ADVISED;
    for (uint64_t k = 0; k < r.runs; k++)
        for (unsigned i = 0; i < r.sides; i++) {
            /* A B B A: slow drift affects both sides equally */
            bool ends;
            const int status = run_once(&r, r.sides == 2 && k % 2 ? 1 - i : i, k + 1, k == 0 && i == 0, &ends);
            worst = status > worst ? status : worst;
            if (ends)
                return status;
        }
    if (r.sides == 2 && !m->options.quiet)
        show_comparison(&r);
    return worst;
}
