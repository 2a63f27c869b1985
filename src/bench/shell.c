/* SPDX-License-Identifier: MIT */
/* A count is an outer script that runs the work script 1, 8 or 16 times at once and waits. That sorts a text, dumps
 * it, searches it and counts, with /bin/sh, sort, od, grep, tee, wc and rm. */

#include "bench/unix.h"
#include "sys/file.h"

/* --- The text: first the length and words of each line, then the words. --- */

enum { SHORTEST = 1, MEDIAN = 18, LONGEST = 82, LOWER = SHELL_TEXT_LINES / 2, UPPER = SHELL_TEXT_LINES - LOWER };
enum { MATCH_LENGTH = 18 }; /* has room for "the" and another word */

struct line {
    int length, words;
    bool match;
};

/* Below `below`, from the better upper 16 bits of the 32-bit generator of Numerical Recipes. */
static unsigned draw(uint32_t *state, unsigned below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 16) % below;
}

/* The lower half rises from the shortest to the median, the upper on to the longest, steeper towards its end.
 * Remaining bytes are spread over the upper half, one at a time. */
static void choose_lengths(struct line *lines)
{
    int left = SHELL_TEXT_BYTES - SHELL_TEXT_LINES;

    for (int i = 0; i < LOWER; i++)
        lines[i].length = SHORTEST + (MEDIAN - SHORTEST) * i / (LOWER - 1);
    for (int i = 0; i < UPPER; i++)
        lines[LOWER + i].length = MEDIAN + (LONGEST - MEDIAN) * i / (UPPER - 1) * i / (UPPER - 1) * i / (UPPER - 1);
    for (int i = 0; i < SHELL_TEXT_LINES; i++)
        left -= lines[i].length;
    /* The median and the longest line stay. */
    for (int i = 1; left != 0; i = i % (UPPER - 2) + 1) {
        int *length = &lines[LOWER + i].length;
        if (*length < LONGEST) {
            (*length)++;
            left--;
        }
    }
}

static void choose_words(struct line *lines)
{
    int left = SHELL_TEXT_WORDS;

    for (int i = 0; i < SHELL_TEXT_LINES; i++) {
        lines[i].words = 1 + lines[i].length / 9;
        left -= lines[i].words;
    }
    /* To lines with room for three letters a word on average. */
    for (int i = 0; left != 0; i = (i + 1) % SHELL_TEXT_LINES) {
        int *words = &lines[i].words;
        if ((*words + 1) * 4 <= lines[i].length) {
            (*words)++;
            left--;
        }
    }
}

static void shuffle(struct line *lines, uint32_t *state)
{
    for (unsigned i = SHELL_TEXT_LINES - 1; i > 0; i--) {
        unsigned other = draw(state, i + 1);
        struct line line = lines[i];
        lines[i] = lines[other];
        lines[other] = line;
    }
}

/* About every fifth with room for "the". */
static void choose_matches(struct line *lines)
{
    int left = SHELL_TEXT_MATCHES;

    for (int i = 0; left > 0; i = (i + 5) % SHELL_TEXT_LINES)
        if (lines[i].length >= MATCH_LENGTH && lines[i].words >= 2 && !lines[i].match) {
            lines[i].match = true;
            left--;
        }
}

/* Alternating consonants and vowels without h: no "the" by chance. */
static char *put_word(char *at, int length, uint32_t *state)
{
    static const char consonants[] = "bcdfgklmnprstvw", vowels[] = "aeiou";

    for (int i = 0; i < length; i++)
        *at++ = i % 2 ? vowels[draw(state, sizeof(vowels) - 1)] : consonants[draw(state, sizeof(consonants) - 1)];
    return at;
}

static char *put_line(char *at, const struct line *line, uint32_t *state)
{
    int words = line->words, letters = line->length - (words - 1);
    int the = line->match ? (int)draw(state, (unsigned)words) : -1;

    if (line->match)
        letters -= 3;
    int others = line->match ? words - 1 : words;
    for (int i = 0; i < words; i++) {
        if (i)
            *at++ = ' ';
        if (i == the) {
            at = mempcpy(at, "the", 3);
            continue;
        }
        /* An even share of the letters, varied at random, that leaves one for each later word. */
        int share = letters / others, spare = share / 2;
        int length = others == 1 ? letters : share - spare + (int)draw(state, (unsigned)(2 * spare + 1));
        at = put_word(at, length, state);
        letters -= length;
        others--;
    }
    *at++ = '\n';
    return at;
}

void shell_text(char buf[SHELL_TEXT_BYTES + 1])
{
    struct line lines[SHELL_TEXT_LINES];
    uint32_t state = 362;
    char *at = buf;

    memset(lines, 0, sizeof(lines));
    choose_lengths(lines);
    choose_words(lines);
    shuffle(lines, &state);
    choose_matches(lines);
    for (int i = 0; i < SHELL_TEXT_LINES; i++)
        at = put_line(at, &lines[i], &state);
    *at = 0;
}

void shell_text_matches(const char *text, struct shell_text_count *out)
{
    memset(out, 0, sizeof(*out));
    while (*text) {
        size_t length = strcspn(text, "\n");
        const char *found = strstr(text, "the");
        if (found && found < text + length) {
            out->lines++;
            for (size_t i = 0; i < length; i++)
                out->words += text[i] != ' ' && (i + 1 == length || text[i + 1] == ' ');
            out->bytes += length + 1;
        }
        text += length + (text[length] == '\n');
    }
}

/* --- The scripts. --- */

#define SHELL "/bin/sh"
/* Whatever the user's environment. */
#define TOOL_PATH       "/usr/bin:/bin"
#define FREE_BYTES_EACH (128u << 10) /* for one work script, with some reserve */

/* $1 tells apart the files of scripts at once. */
#define SCRIPT_BODY \
    "sort text >sorted.$1\n" \
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

static int setup(struct party_context *context)
{
    const struct unix_params *params = context->params;
    struct shell *shell = context->state;

    TEXT_PRINT(shell->number, "%u", *(const unsigned *)context->bench->test);
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
static int run_script(struct party_context *context, const char *script)
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
    return unix_wait(context, child, "the shell script");
}

static int work(struct party_context *context, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (run_script(context, "outer"))
            return -1;
    return 0;
}

/* Compares the three numbers of its wc. */
static int verify(struct party_context *context)
{
    const struct shell *shell = context->state;
    struct checks *checks = context->recorder[UNIX_CHECKS];
    unsigned long long got[3];
    char text[128] = "";
    struct shell_text_count expected;

    if (run_script(context, "check"))
        return -1;
    shell_text_matches(shell->text, &expected);
    FREED_BY(fd_close) int fd = openat(shell->keeper.folder, "count.check", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    const ssize_t length = fd < 0 ? -errno : procfs_read_fd(fd, text, sizeof(text) - 1);
    if (length < 0)
        return party_fail(context, "the shell script left no result: %s", strerror((int)-length));
    if (sscanf(text, "%llu %llu %llu", &got[0], &got[1], &got[2]) != 3)
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

static int supported(const struct bench_case *of, struct error *why)
{
    static const char *const tools[] = {"sort", "od", "grep", "tee", "wc", "rm"};
    char path[64];

    if (access(SHELL, X_OK))
        return errno == ENOENT ? error_set(why, "no " SHELL " here")
                               : error_set(why, SHELL " cannot be executed: %s", strerror(errno));
    for (size_t i = 0; i < COUNT(tools); i++)
        if (program_find(tools[i], TOOL_PATH, path, sizeof(path)))
            return error_set(why, "no program '%s' in " TOOL_PATH, tools[i]);
    return unix_dir_supported(unix_scratch_dir(of->params), FREE_BYTES_EACH * *(const unsigned *)of->bench->test, why);
}

#define SHELL_BENCH(number_, groups_, baseline_) \
    const struct bench bench_shell##number_ = { \
        UNIX_BENCH("shell" #number_, "Shell Scripts (" #number_ " concurrent)", "lpm", 60, baseline_, \
                   .children = CHILDREN_NORMAL, .state_size = sizeof(struct shell), .setup = setup, .work = work, \
                   .verify = verify, .teardown = teardown), \
        .test = &(const unsigned){number_}, \
        .groups = groups_, \
        .switches = true, \
        .sampling = UNIX_SHELL_SAMPLING, \
        .describe = unix_describe, \
        .scratch_dir = unix_scratch_dir, \
        .supported = supported, \
        .place = unix_place_range, \
    }

SHELL_BENCH(1, UNIX_INDEX | UNIX_SHELL, 42.4);
SHELL_BENCH(8, UNIX_INDEX | UNIX_SHELL, 6.0);
SHELL_BENCH(16, UNIX_SHELL, 0);
