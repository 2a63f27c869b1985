/* SPDX-License-Identifier: MIT */
/* The commands of jitbench run: their words, programs, names and descriptors, checked before anything runs. */
#include "cmd/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/command.h"
#include "cmd/words.h"
#include "sys/directory.h"
#include "sys/process.h"
#include "sys/program.h"

#define SHELL "/bin/sh"

/* Limits of execve(2): a word has at most MAX_ARG_STRLEN (32 pages); all words together have at most a quarter of the
 * stack limit and three quarters of 8 MiB, but 32 pages are always allowed. */
#define WORD_PAGES 32u
#define WORDS_MAX  (6u << 20)

/* --- The commands. --- */

int run_wrong(const struct commands *c, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(c->error, c->error_size, format, arguments);
    va_end(arguments);
    return -1;
}

int run_split_commands(struct commands *c)
{
    const struct measure *m = c->m;
    const char *separator = c->options->command.separator;
    bool begins = true;

    c->words = calloc(m->n_words + 1, sizeof(*c->words));
    c->argv = calloc(m->n_words + 2, sizeof(*c->argv)); /* --aa adds one */
    if (!c->words || !c->argv)
        return run_wrong(c, "out of memory");
    for (size_t i = 0; i < m->n_words; i++) {
        if (!strcmp(m->words[i], separator)) {
            if (begins)
                return run_wrong(c, "no command before '%.40s'", separator);
            begins = true;
            continue;
        }
        if (begins)
            c->argv[c->n++] = &c->words[i];
        c->words[i] = m->words[i];
        begins = false;
    }
    if (!c->n)
        return run_wrong(c, "no command; it follows '--': jitbench run [OPTION...] -- COMMAND [ARG...]");
    if (begins)
        return run_wrong(c, "no command after the last '%.40s'", separator);
    return c->n <= COMMANDS_MAX ? 0 : run_wrong(c, "%zu commands; at most %u", c->n, COMMANDS_MAX);
}

int run_twice(struct commands *c)
{
    if (!c->options->command.aa)
        return 0;
    if (c->n > 1)
        return run_wrong(c, "--aa runs one command against itself, and %zu are given", c->n);
    c->argv[c->n++] = c->argv[0];
    return 0;
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
        return run_wrong(
            c, "%s'%.100s' is one word and not a program; did you mean --shell '%.100s', or the words without quotes?",
            what, name, name);
    if (error == -ENOENT)
        return run_wrong(c, "%s'%.100s' is not found%s", what, name, strchr(name, '/') ? "" : " in PATH");
    return error ? run_wrong(c, "%s'%.100s' cannot be executed: %s", what, name, strerror(-error)) : 0;
}

int run_read_prepare(struct commands *c)
{
    const char *line = c->options->command.prepare;
    const char *error = words_of_command(line, true, &c->prepare);

    if (error)
        return run_wrong(c, "--prepare '%.100s': %s", line, error);
    if (!line[0])
        return 0;
    if (!c->prepare.n)
        return run_wrong(c, "--prepare '%.100s': no command", line);
    if (!c->options->command.shell)
        return find_program(c, "--prepare: ", c->prepare.word[0], c->prepare_path, sizeof(c->prepare_path));
    free(c->prepare.word);
    c->prepare.word = calloc(4, sizeof(*c->prepare.word));
    if (!c->prepare.word)
        return run_wrong(c, "out of memory");
    c->prepare.word[0] = (char *)"sh";
    c->prepare.word[1] = (char *)"-c";
    c->prepare.word[2] = c->options->command.prepare;
    return find_program(c, "--shell: ", SHELL, c->prepare_path, sizeof(c->prepare_path));
}

int run_choose_env(struct commands *c)
{
    size_t n = 0;

    c->env = calloc(list_length(environ) + 1, sizeof(*c->env));
    if (!c->env)
        return run_wrong(c, "out of memory");
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
            return run_wrong(c, "a word of %zu bytes; the kernel takes at most %zu", size - 1, most - 1);
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
        return run_wrong(c, "command line and environment are %zu bytes; the kernel takes at most %zu", total, most);
    return 0;
}

int run_pack_command(struct commands *c, size_t i, struct command_params *params)
{
    char path[4096], *shell[] = {(char *)"sh", (char *)"-c", NULL, NULL};
    struct command_image image = {
        .path = path, .prepare_path = c->prepare_path, .argv = c->argv[i], .prepare = c->prepare.word, .env = c->env};
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
        (void)run_wrong(c, "out of memory");
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
        status = run_wrong(c, "out of memory");
out:
    text_free(&line);
    text_free(&joined);
    return status;
}

/* --- Names. --- */

void run_name_after_program(const char *word, bool shell, struct name *name)
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

int run_name_commands(struct commands *c)
{
    const char *given = c->options->command.name;
    size_t n = 0;

    const size_t typed = c->options->command.aa ? 1 : c->n;
    for (size_t i = 0; i < c->n; i++)
        run_name_after_program(c->argv[i][0], c->options->command.shell, &c->options->names[i]);
    if (!measure_given(c->m, "name"))
        return 0;
    for (;; given++) {
        size_t length = strcspn(given, ",");
        if (!length || length >= sizeof(struct name))
            return run_wrong(c, "--name: '%.*s': a name has 1 to %zu bytes", (int)length, given,
                             sizeof(struct name) - 1);
        if (n < typed)
            (void)snprintf(c->options->names[n].text, sizeof(struct name), "%.*s", (int)length, given);
        n++;
        given += length;
        if (!*given)
            break;
    }
    if (c->options->command.aa)
        c->options->names[1] = c->options->names[0];
    return n == typed ? 0
                      : run_wrong(c, "--name: %zu name%s for %zu command%s", n, n == 1 ? "" : "s", typed,
                                  typed == 1 ? "" : "s");
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
        return run_wrong(c, "--input '%.200s': %s", c->options->command.input, strerror(EISDIR));
    return 0;
}

int run_open_input(struct commands *c)
{
    struct run_options *o = c->options;
    struct command_params *params = &o->command;

    if (!params->input[0])
        return 0;
    if (!strcmp(params->input, "-")) {
        if (isatty(0))
            return run_wrong(c,
                             "--input '-': standard input is a terminal, from which background processes cannot read");
        if (check_input(c, 0))
            return -1;
        o->fds[0] = inherit(0);
        return o->fds[0] < 0 ? run_wrong(c, "--input '-': %s", strerror(errno)) : 0;
    }
    int fd = open(params->input, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return run_wrong(c, "--input '%.200s': %s", params->input, strerror(errno));
    int status = check_input(c, fd);
    (void)close(fd);
    return status;
}

int run_open_output(struct commands *c)
{
    struct run_options *o = c->options;
    const char *keep = o->command.keep_output;

    if (o->command.show_output) {
        if (keep[0])
            return run_wrong(c, "--show-output and --keep-output exclude each other");
        if (!strcmp(c->m->options.output, "-"))
            return run_wrong(c, "--show-output and --output '-' exclude each other");
        o->fds[1] = inherit(1);
        o->fds[2] = inherit(2);
        return o->fds[1] < 0 || o->fds[2] < 0 ? run_wrong(c, "--show-output: %s", strerror(errno)) : 0;
    }
    if (!keep[0])
        return 0;
    int fd = directory_create(keep);
    if (fd < 0)
        return run_wrong(c, "--keep-output '%.200s': %s", keep, directory_why_not(fd));
    o->fds[1] = inherit(fd);
    o->fds[2] = inherit(fd);
    bool both = o->fds[1] >= 0 && o->fds[2] >= 0;
    if (!both)
        directory_remove(keep, fd);
    (void)close(fd);
    o->keeps = both;
    return both ? 0 : run_wrong(c, "--keep-output: %s", strerror(errno));
}

int run_open_image(struct commands *c)
{
    struct run_options *o = c->options;

    o->image_fd = process_shared_memory(c->images.length);
    if (o->image_fd < 0)
        return run_wrong(c, "no memory to pass on the command line: %s", strerror(-o->image_fd));
    for (size_t at = 0; at < c->images.length;) {
        ssize_t n = pwrite(o->image_fd, c->images.data + at, c->images.length - at, (off_t)at);
        if (n <= 0 && errno != EINTR)
            return run_wrong(c, "no memory to pass on the command line: %s", n ? strerror(errno) : "full");
        at += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* --- The plan. --- */
