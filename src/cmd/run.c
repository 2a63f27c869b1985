/* SPDX-License-Identifier: MIT */
/* jitbench run: the user's commands, checked before anything runs, and their table. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/command.h"
#include "cmd/foreign.h"
#include "cmd/suites.h"
#include "cmd/words.h"
#include "out/compare_commands.h"
#include "sys/folder.h"
#include "sys/process.h"
#include "sys/program.h"

#define SHELL "/bin/sh"
/* Limits of execve(2): a word has at most MAX_ARG_STRLEN (32 pages); all words together have at most a quarter of the
 * stack limit and three quarters of 8 MiB, but 32 pages are always allowed. */
#define WORD_PAGES   32u
#define WORDS_MAX    (6u << 20)
#define COMMANDS_MAX 64u

struct name {
    char text[sizeof(((struct row *)0)->test)];
};

struct run_options {
    struct command_params command;   /* must be first, because the option table fills it */
    struct name names[COMMANDS_MAX]; /* names of the commands, which become the tests of the rows */
    bool opened;                     /* the descriptors below are open */
    int image_fd, fds[3];
    bool keeps;    /* the file of --keep-output was created here */
    bool children; /* this process had children before its exec, which it must not end */
};

static size_t tables(void *options, struct option_table *out)
{
    out[0] = (struct option_table){.heading = "Options of run",
                                   .rows = bench_command.options,
                                   .n = bench_command.n_options,
                                   .foreign = foreign_hyperfine,
                                   .target = options};
    return 1;
}

/* --- The commands. --- */

struct commands {
    const struct measure *m;
    struct run_options *options;
    char *error;
    size_t error_size;
    char **words; /* all words, with NULL in place of each separator */
    char ***argv; /* argument vector of each command, pointing into words */
    size_t n;
    char **env, **prepare;
    char prepare_path[4096];
    struct text images;
};

static int wrong(const struct commands *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int wrong(const struct commands *c, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(c->error, c->error_size, format, arguments);
    va_end(arguments);
    return -1;
}

static int split_commands(struct commands *c)
{
    const struct measure *m = c->m;
    const char *separator = c->options->command.separator;
    bool begins = true;

    c->words = calloc(m->n_words + 1, sizeof(*c->words));
    c->argv = calloc(m->n_words + 1, sizeof(*c->argv));
    if (!c->words || !c->argv)
        return wrong(c, "out of memory");
    for (size_t i = 0; i < m->n_words; i++) {
        if (!strcmp(m->words[i], separator)) {
            if (begins)
                return wrong(c, "no command before '%.40s'", separator);
            begins = true;
            continue;
        }
        if (begins)
            c->argv[c->n++] = &c->words[i];
        c->words[i] = m->words[i];
        begins = false;
    }
    if (!c->n)
        return wrong(c, "no command; it follows '--': jitbench run [OPTION...] -- COMMAND [ARG...]");
    if (begins)
        return wrong(c, "no command after the last '%.40s'", separator);
    return c->n <= COMMANDS_MAX ? 0 : wrong(c, "%zu commands; at most %u", c->n, COMMANDS_MAX);
}

static size_t list_length(char *const *list)
{
    size_t n = 0;

    while (list[n])
        n++;
    return n;
}

/* Returns whether a word contains spaces and its first part is a program. */
static bool is_command_line(const char *name)
{
    char first[256], path[4096];
    size_t begin = strspn(name, " \t\n"), length = strcspn(name + begin, " \t\n");

    if (!length || !name[begin + length] || length >= sizeof(first))
        return false;
    text_copy(first, length + 1, name + begin);
    return program_find(first, getenv("PATH"), path, sizeof(path)) == 0;
}

static int find_program(const struct commands *c, const char *what, const char *name, char *path, size_t size)
{
    int error = program_find(name, getenv("PATH"), path, size);

    if (error == -ENOENT && is_command_line(name))
        return wrong(
            c, "%s'%.100s' is one word and not a program; did you mean --shell '%.100s', or the words without quotes?",
            what, name, name);
    if (error == -ENOENT)
        return wrong(c, "%s'%.100s' is not found%s", what, name, strchr(name, '/') ? "" : " in PATH");
    return error ? wrong(c, "%s'%.100s' cannot be executed: %s", what, name, strerror(-error)) : 0;
}

static int read_prepare(struct commands *c)
{
    const char *line = c->options->command.prepare, *error;
    size_t n;

    c->prepare = words_split(line, &n, &error);
    if (!c->prepare)
        return wrong(c, "--prepare '%.100s': %s", line, error);
    if (!line[0])
        return 0;
    if (!n)
        return wrong(c, "--prepare '%.100s': no command", line);
    if (!c->options->command.shell)
        return find_program(c, "--prepare: ", c->prepare[0], c->prepare_path, sizeof(c->prepare_path));
    free(c->prepare);
    c->prepare = calloc(4, sizeof(*c->prepare));
    if (!c->prepare)
        return wrong(c, "out of memory");
    c->prepare[0] = (char *)"sh";
    c->prepare[1] = (char *)"-c";
    c->prepare[2] = c->options->command.prepare;
    return find_program(c, "--shell: ", SHELL, c->prepare_path, sizeof(c->prepare_path));
}

/* Copies the environment for the command, without jitbench's padding variable. --clean-env: PATH only. */
static int choose_env(struct commands *c)
{
    size_t n = 0;

    c->env = calloc(list_length(environ) + 1, sizeof(*c->env));
    if (!c->env)
        return wrong(c, "out of memory");
    for (char **variable = environ; *variable; variable++) {
        bool path = !strncmp(*variable, "PATH=", strlen("PATH="));
        bool pad = !strncmp(*variable, PROCESS_PAD_NAME, strlen(PROCESS_PAD_NAME));
        if (!pad && (path || !c->options->command.clean_env))
            c->env[n++] = *variable;
    }
    return 0;
}

static int check_list(const struct commands *c, char *const *list, size_t *total)
{
    size_t most = WORD_PAGES * (size_t)sysconf(_SC_PAGESIZE);

    for (; *list; list++) {
        size_t size = strlen(*list) + 1;
        if (size > most)
            return wrong(c, "a word of %zu bytes; the kernel takes at most %zu", size - 1, most - 1);
        *total += size + sizeof(char *);
    }
    return 0;
}

/* Checks the size of a command, so that an exec that the kernel would refuse is reported here. */
static int check_size(const struct commands *c, char *const *argv)
{
    size_t most = WORDS_MAX, least = WORD_PAGES * (size_t)sysconf(_SC_PAGESIZE), total = PROCESS_PAD_MAX;
    struct rlimit stack;

    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur / 4 < most)
        most = stack.rlim_cur / 4 < least ? least : (size_t)stack.rlim_cur / 4;
    if (check_list(c, argv, &total) || check_list(c, c->env, &total))
        return -1;
    if (total > most)
        return wrong(c, "command line and environment are %zu bytes; the kernel takes at most %zu", total, most);
    return 0;
}

/* Packs one command as bytes, and as a line to be shown. */
static int pack_command(struct commands *c, size_t i, struct command_params *params)
{
    char path[4096], *shell[] = {(char *)"sh", (char *)"-c", NULL, NULL};
    struct command_image image = {
        .path = path, .prepare_path = c->prepare_path, .argv = c->argv[i], .prepare = c->prepare, .env = c->env};
    struct text line = {0}, joined = {0};
    size_t n = list_length(c->argv[i]);
    int status = -1;

    words_join(c->argv[i], n, &joined);
    words_quote(c->argv[i], n, &line);
    if (params->shell) {
        shell[2] = joined.data;
        image.argv = shell;
    }
    if (joined.failed || line.failed) {
        (void)wrong(c, "out of memory");
        goto out;
    }
    status =
        find_program(c, params->shell ? "--shell: " : "", params->shell ? SHELL : c->argv[i][0], path, sizeof(path));
    if (status || (status = check_size(c, image.argv)))
        goto out;
    words_shorten(params->shell ? joined.data : line.data, params->line, sizeof(params->line));
    params->image_offset = c->images.length;
    command_pack(&image, &c->images);
    params->image_size = c->images.length - params->image_offset;
    if (c->images.failed)
        status = wrong(c, "out of memory");
out:
    text_free(&line);
    text_free(&joined);
    return status;
}

/* --- Names. --- */

/* Uses the program's name without directories; for a shell's command line that of its first word. */
static void name_after_program(const char *word, bool shell, struct name *name)
{
    word += shell ? strspn(word, " \t\n") : 0;
    size_t length = shell ? strcspn(word, " \t\n;|&<>()") : strlen(word);
    const char *slash = memrchr(word, '/', length);

    if (slash && slash + 1 < word + length) {
        length -= (size_t)(slash + 1 - word);
        word = slash + 1;
    }
    (void)snprintf(name->text, sizeof(name->text), "%.*s", (int)length, length ? word : "command");
}

static int name_commands(struct commands *c)
{
    const char *given = c->options->command.name;
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++)
        name_after_program(c->argv[i][0], c->options->command.shell, &c->options->names[i]);
    if (!measure_given(c->m, "name"))
        return 0;
    for (;; given++) {
        size_t length = strcspn(given, ",");
        if (!length || length >= sizeof(struct name))
            return wrong(c, "--name: '%.*s': a name has 1 to %zu bytes", (int)length, given, sizeof(struct name) - 1);
        if (n < c->n)
            (void)snprintf(c->options->names[n].text, sizeof(struct name), "%.*s", (int)length, given);
        n++;
        given += length;
        if (!*given)
            break;
    }
    return n == c->n
               ? 0
               : wrong(c, "--name: %zu name%s for %zu command%s", n, n == 1 ? "" : "s", c->n, c->n == 1 ? "" : "s");
}

/* --- Descriptors. --- */

/* Duplicates a descriptor to one that workers inherit and that is not a standard one. */
static int inherit(int fd)
{
    return fcntl(fd, F_DUPFD, 3);
}

/* Rejects a directory: it opens like a file but cannot be read. */
static int check_input(const struct commands *c, int fd)
{
    struct stat st;

    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
        return wrong(c, "--input '%.200s': %s", c->options->command.input, strerror(EISDIR));
    return 0;
}

static int open_input(struct commands *c)
{
    struct run_options *o = c->options;
    struct command_params *params = &o->command;

    if (!params->input[0])
        return 0;
    if (!strcmp(params->input, "-")) {
        if (isatty(0))
            return wrong(c, "--input '-': standard input is a terminal, from which background processes cannot read");
        if (check_input(c, 0))
            return -1;
        o->fds[0] = inherit(0);
        return o->fds[0] < 0 ? wrong(c, "--input '-': %s", strerror(errno)) : 0;
    }
    int fd = open(params->input, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return wrong(c, "--input '%.200s': %s", params->input, strerror(errno));
    int status = check_input(c, fd);
    (void)close(fd);
    return status;
}

static int open_output(struct commands *c)
{
    struct run_options *o = c->options;
    const char *keep = o->command.keep_output;

    if (o->command.show_output) {
        if (keep[0])
            return wrong(c, "--show-output and --keep-output exclude each other");
        if (!strcmp(c->m->options.output, "-"))
            return wrong(c, "--show-output and --output '-' exclude each other");
        o->fds[1] = inherit(1);
        o->fds[2] = inherit(2);
        return o->fds[1] < 0 || o->fds[2] < 0 ? wrong(c, "--show-output: %s", strerror(errno)) : 0;
    }
    if (!keep[0])
        return 0;
    int fd = folder_create(keep);
    if (fd < 0)
        return wrong(c, "--keep-output '%.200s': %s", keep, folder_why_not(fd));
    o->fds[1] = inherit(fd);
    o->fds[2] = inherit(fd);
    bool both = o->fds[1] >= 0 && o->fds[2] >= 0;
    if (!both)
        folder_remove(keep, fd);
    (void)close(fd);
    o->keeps = both;
    return both ? 0 : wrong(c, "--keep-output: %s", strerror(errno));
}

static int open_image(struct commands *c)
{
    struct run_options *o = c->options;

    o->image_fd = process_shared_memory(c->images.length);
    if (o->image_fd < 0)
        return wrong(c, "no memory to pass on the command line: %s", strerror(-o->image_fd));
    for (size_t at = 0; at < c->images.length;) {
        ssize_t n = pwrite(o->image_fd, c->images.data + at, c->images.length - at, (off_t)at);
        if (n <= 0 && errno != EINTR)
            return wrong(c, "no memory to pass on the command line: %s", n ? strerror(errno) : "full");
        at += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* --- The plan. --- */

/* Formats the text as one quoted word, so that its end is unambiguous. It is shortened before quoting, more if the
 * quotes need room. "" for "". */
static void show_word(const char *word, char *buf, size_t size)
{
    struct text quoted = {0};
    char shortened[256];

    assert(size <= sizeof(shortened));
    text_copy(buf, size, "");
    for (size_t most = size; word[0] && !buf[0] && most > 16; most -= 4) {
        char *shown = shortened;
        words_shorten(word, shortened, most);
        quoted.length = 0;
        words_quote(&shown, 1, &quoted);
        if (!quoted.failed && quoted.length < size)
            text_copy(buf, size, quoted.data);
    }
    text_free(&quoted);
}

static void show_options(struct command_params *params)
{
    show_word(params->prepare, params->prepare_line, sizeof(params->prepare_line));
    show_word(params->input, params->input_line, sizeof(params->input_line));
}

static int add_commands(struct commands *c, struct plan *plan)
{
    struct run_options *o = c->options;
    struct command_params *each = calloc(c->n, sizeof(*each));
    int status = 0;

    if (!each)
        return wrong(c, "out of memory");

    for (size_t i = 0; i < c->n && !status; i++) {
        each[i] = o->command;
        status = pack_command(c, i, &each[i]);
    }
    if (!status)
        status = open_image(c);
    for (size_t i = 0; i < c->n && !status; i++) {
        size_t before = plan->n;
        each[i].image_fd = o->image_fd;
        memcpy(each[i].fds, o->fds, sizeof(each[i].fds));
        if (measure_add(c->m, plan, &bench_command, &each[i], 1, 0))
            status = wrong(c, "out of memory");
        for (size_t k = before; k < plan->n; k++)
            plan->items[k].test = o->names[i].text;
    }
    free(each);
    return status;
}

static int plan(const struct measure *m, void *options, struct plan *out, char *error, size_t error_size)
{
    struct run_options *o = options;
    struct commands c = {.m = m, .options = o, .error = error, .error_size = error_size};

    o->image_fd = o->fds[0] = o->fds[1] = o->fds[2] = -1;
    o->opened = true;
    o->children = program_has_children();
    o->command.fixed_layout = m->place.layout_fixed;
    show_options(&o->command);
    int status = split_commands(&c);
    if (!status)
        status = read_prepare(&c);
    if (!status)
        status = choose_env(&c);
    if (!status)
        status = name_commands(&c);
    if (!status)
        status = open_input(&c);
    if (!status)
        status = open_output(&c);
    if (!status)
        status = add_commands(&c, out);
    free(c.words);
    free(c.argv);
    free(c.env);
    free(c.prepare);
    text_free(&c.images);
    return status;
}

static bool prints(const void *options)
{
    return ((const struct run_options *)options)->command.show_output;
}

static void end(void *options, bool unused)
{
    struct run_options *o = options;

    if (!o->opened)
        return;
    if (!o->children)
        (void)program_end_orphans(0); /* ends what interrupted commands left running in sessions of their own */
    if (o->keeps && unused)
        folder_remove(o->command.keep_output, o->fds[1]);
    for (int i = 0; i < 3; i++)
        if (o->fds[i] >= 0)
            (void)close(o->fds[i]);
    if (o->image_fd >= 0)
        (void)close(o->image_fd);
}

/* --- The table. --- */

static bool is_wall(const struct row *row)
{
    return !strcmp(row->metric, "wall");
}

/* Sets the row's label: the name if the user gave one, otherwise the command line, which says more ('make -j2'). */
static void label(const struct row *row, struct row *out)
{
    const char *line = row_command_line(row->param);
    char word[sizeof(row->param)];
    struct name program = {""};
    size_t length;

    if (!line)
        return;
    const bool shell = row_param(row, "shell", &length) != NULL;
    words_first(line, word);
    name_after_program(shell ? line : word, shell, &program);
    if (!strcmp(program.text, row->test))
        words_shorten(line, out->test, sizeof(out->test));
}

/* Copies the rows (to be read only) with the commands' labels, followed by the ratios of the medians. */
static size_t shown_rows(const struct table_rows *r, const struct comparison *compared, struct row *rows)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n; i++, n++) {
        rows[n] = r->rows[i];
        label(&r->rows[i], &rows[n]);
    }
    for (size_t i = 0; i < r->n; i++) {
        const bool is_base = run_base(r->rows, r->n, &r->rows[i]) == &r->rows[i];
        if (!is_wall(&r->rows[i]) || (!is_base && !(compared[i].ratio > 0)))
            continue;
        rows[n] = rows[i];
        text_copy(rows[n].metric, sizeof(rows[n].metric), "ratio");
        rows[n].headline = 0;
        rows[n].value = is_base ? 1 : compared[i].ratio;
        n++;
    }
    return n;
}

struct shape {
    double scale; /* factor of times */
    unsigned decimals;
    const char *unit;
    bool copies, several, codes;
};

/* Returns whether two rows are of the same command. Files of older versions do not have its position on the command
 * line. */
static bool same_command(const struct row *a, const struct row *b)
{
    return a->item == b->item && a->copies == b->copies && !strcmp(a->test, b->test) && !strcmp(a->param, b->param);
}

static struct shape shape_of(const struct table_rows *r)
{
    struct shape shape = {.scale = 1, .decimals = 4, .unit = "s"};
    double least = HUGE_VAL;

    for (size_t i = 0; i < r->n; i++) {
        const struct row *row = &r->rows[i];
        shape.copies |= row->copies != 1;
        shape.several |= !same_command(row, &r->rows[0]);
        shape.codes |= !strcmp(row->metric, "exit_code") && row->stats.max > 0;
        if (is_wall(row) && row->stats.mean < least)
            least = row->stats.mean;
    }
    if (least < 1) {
        shape.scale = 1e3;
        shape.unit = "ms";
        shape.decimals = least < 0.01 ? 3 : least < 0.1 ? 2 : 1;
    } else if (least >= 10) {
        shape.decimals = 3;
    }
    return shape;
}

#define COLUMNS_MAX 16

struct columns {
    struct table_column column[COLUMNS_MAX];
    size_t n;
};

static void add_column(struct columns *c, const char *heading, const char *metric, enum table_field field,
                       unsigned decimals, double scale, unsigned rank)
{
    c->column[c->n++] = (struct table_column){
        .heading = heading, .metric = metric, .field = field, .decimals = decimals, .scale = scale, .rank = rank};
}

static void put_table(const struct shape *s, const struct row *rows, size_t n, unsigned width, struct text *out)
{
    struct columns c = {.n = 0};
    char title[160];

    add_column(&c, "Command", NULL, TABLE_TEST, 0, 0, 0);
    if (s->copies)
        add_column(&c, "Copies", NULL, TABLE_COPIES, 0, 0, 0);
    add_column(&c, "Runs", "wall", TABLE_N, 0, 0, 3);
    add_column(&c, "Mean", "wall", TABLE_MEAN, s->decimals, s->scale, 0);
    add_column(&c, "+-95%", "wall", TABLE_CI95_HALF, s->decimals, s->scale, 0);
    add_column(&c, "SD", "wall", TABLE_SD, s->decimals, s->scale, 4);
    add_column(&c, "Median", "wall", TABLE_MEDIAN, s->decimals, s->scale, 0);
    add_column(&c, "Min", "wall", TABLE_MIN, s->decimals, s->scale, 2);
    add_column(&c, "Max", "wall", TABLE_MAX, s->decimals, s->scale, 2);
    add_column(&c, "User", "user", TABLE_MEAN, s->decimals, s->scale, 1);
    add_column(&c, "System", "system", TABLE_MEAN, s->decimals, s->scale, 1);
    add_column(&c, "Peak MiB", "max_rss", TABLE_VALUE, 1, 1.0 / (1 << 20), 5);
    if (s->codes)
        add_column(&c, "Exit", "exit_code", TABLE_MAX, 0, 0, 0);
    if (s->several)
        add_column(&c, "Ratio", "ratio", TABLE_VALUE, 3, 0, 0);
    (void)snprintf(title, sizeof(title), "Commands, from exec to end: times in %s%s", s->unit,
                   s->several ? "; ratio of the medians to that of the first" : "");
    const struct table_layout layout = {.title = title, .columns = c.column, .n_columns = c.n};
    table_print(&layout, rows, n, width, out);
}

/* Prints the command lines that are too long for the table. */
static void put_long_lines(const struct row *rows, size_t n, struct text *out)
{
    const char *before = NULL;
    bool headed = false;

    for (size_t i = 0; i < n; i++) {
        const char *line = row_command_line(rows[i].param);
        if (!line || strlen(line) < sizeof(rows[i].test) || (before && !strcmp(before, line)))
            continue;
        char shown[sizeof(rows[i].param)];
        text_copy(shown, sizeof(shown), line);
        text_sanitize(shown);
        text_printf(out, "%s  %s\n", headed ? "" : "Command lines in full:\n", shown);
        headed = true;
        before = line;
    }
}

/* --verbose: prints a line for each run. */
static void put_runs(const struct shape *s, const struct row *rows, size_t n, struct text *out)
{
    struct columns c = {.n = 0};

    add_column(&c, "Command", "wall", TABLE_TEST, 0, 0, 0);
    add_column(&c, "Copies", "wall", TABLE_COPIES, 0, 0, 0);
    add_column(&c, "Wall", "wall", TABLE_SAMPLE, s->decimals, s->scale, 0);
    add_column(&c, "User", "user", TABLE_SAMPLE, s->decimals, s->scale, 0);
    add_column(&c, "System", "system", TABLE_SAMPLE, s->decimals, s->scale, 0);
    add_column(&c, "Peak MiB", "max_rss", TABLE_SAMPLE, 1, 1.0 / (1 << 20), 0);
    add_column(&c, "Exit", "exit_code", TABLE_SAMPLE, 0, 0, 0);
    const struct table_layout layout = {
        .title = "Each run", .columns = c.column, .n_columns = c.n, .per_sample = 1, .no_status = 1};
    table_print(&layout, rows, n, 0, out);
    text_append(out, "\n", 1);
}

static void print(const struct table_rows *r, struct text *out)
{
    struct row *rows = calloc(2 * r->n + 1, sizeof(*rows));
    struct comparison *compared = calloc(r->n + 1, sizeof(*compared));
    const struct shape shape = shape_of(r);

    if (rows && compared && !run_compare(r->rows, r->n, compared)) {
        size_t n = shown_rows(r, compared, rows);
        if (r->verbose)
            put_runs(&shape, rows, n, out);
        put_table(&shape, rows, n, r->table_width, out);
        put_long_lines(r->rows, r->n, out);
        run_put_verdicts(rows, r->n, compared, out);
    }
    free(compared);
    free(rows);
}

/* A command may have threads, so it may use all CPUs. */
static const struct option_default defaults[] = {{"bind", "range"}, {NULL, NULL}};

const struct suite suite_run = {
    .name = "run",
    .title = "any program, under controlled placement",
    .seconds = {[PRESET_DEFAULT] = 10, [PRESET_QUICK] = 3, [PRESET_CLASSIC] = 10},
    .options_size = sizeof(struct run_options),
    .tables = tables,
    .defaults = defaults,
    .copies = true,
    .commands = true,
    .schedule = SCHEDULE_ABBA,
    .plan = plan,
    .print = print,
    .prints = prints,
    .end = end,
};

const struct command command_run = {
    .name = "run",
    .operands = "-- COMMAND [ARG...] [-- COMMAND [ARG...]]...",
    .title = "measures any program, under controlled placement, with the same statistics",
    .description = "Executes the command again and again, each time from a fresh process that is placed as the options "
                   "say, and reports wall-clock, user and system time, peak memory and what disturbed it. Several "
                   "commands take turns: A B B A. No shell is used unless --shell is given, and the commands' output "
                   "is discarded unless an option keeps it.",
    .suite = &suite_run,
    .run = measure_suite_main,
    .tables = measure_tables,
};
