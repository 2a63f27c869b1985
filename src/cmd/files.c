/* SPDX-License-Identifier: MIT */
/* Expands operands to result files, reads these files, and writes output files. */
#include "cmd/files.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/command.h"
#include "rows/csv.h"
#include "rows/text.h"
#include "sys/directory.h"
#include "sys/fail.h"
#include "sys/memory.h"
#include "sys/scratch.h"
#include "sys/signals.h"

/* --- Operands. --- */

struct names {
    char **name;
    size_t n, capacity;
};

static void add_name(struct names *names, const char *folder, const char *name)
{
    const char *slash = folder[0] && folder[strlen(folder) - 1] != '/' ? "/" : "";

    memory_grow(&names->name, &names->capacity, names->n, sizeof(*names->name));
    if (asprintf(&names->name[names->n++], "%s%s%s", folder, slash, name) < 0)
        memory_out();
}

/* Adds the matching names in a directory. Returns -1 with errno on failure. */
static int add_matching(struct names *names, const char *folder, const char *pattern)
{
    FREED_BY(memory_free) struct dirent **entries = NULL;
    const int n = scandir(folder[0] ? folder : ".", &entries, NULL, alphasort);

    for (int i = 0; i < n; i++) {
        if (!fnmatch(pattern, entries[i]->d_name, FNM_PERIOD))
            add_name(names, folder, entries[i]->d_name);
        free(entries[i]);
    }
    return n < 0 ? -1 : 0;
}

static int add_operand(struct names *names, const char *operand)
{
    struct stat st = {.st_mode = 0};
    const char *slash = strrchr(operand, '/'), *last = slash ? slash + 1 : operand;
    bool there = !strcmp(operand, "-") || !stat(operand, &st);

    if (!there && errno != ENOENT && errno != ENOTDIR)
        return -1;
    if (there && strcmp(operand, "-") && S_ISDIR(st.st_mode))
        return add_matching(names, operand, "*.csv");
    if (there || !last[strcspn(last, "*?[")]) {
        add_name(names, "", operand);
        return 0;
    }
    FREED_BY(memory_free) char *folder = strndup(operand, (size_t)(last - operand));
    return folder ? add_matching(names, folder, last) : -1;
}

static void names_free(struct names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->name[i]);
    free(names->name);
}

/* Expands all operands. Returns the number that matched no file, each with a line on standard error. */
static size_t add_operands(struct names *names, const char *command, const char *const *operands, size_t n)
{
    size_t wrong = 0;

    memory_exits(command);
    for (size_t i = 0; i < n; i++) {
        size_t before = names->n;
        int result = add_operand(names, operands[i]);
        if (!result && names->n > before)
            continue;
        (void)command_fail(command, 0, "%.4000s: %s", operands[i], result ? strerror(errno) : "no such files");
        wrong++;
    }
    return wrong;
}

/* Reports that the files have no rows. Of a single file this is known from its own line, unless rows were not chosen.
 * Returns EXIT_USAGE. */
static int no_rows(const char *command, const struct names *names, bool chosen)
{
    return names->n < 2 && !chosen ? EXIT_USAGE : command_complain(command, "no rows to read", EXIT_USAGE);
}

/* --- Reading all rows at once. --- */

/* Reads all files. whole: stops at the first file that cannot be read. Returns 0, or EXIT_USAGE when one could not be
 * read. */
static int read_all(const char *command, const struct names *names, bool whole, unsigned wanted, struct row_set *set)
{
    char message[4352], error[4352];
    bool standard_input = false;
    int status = 0;

    for (size_t i = 0; i < names->n && !(status && whole); i++) {
        const char *path = names->name[i];
        if (!strcmp(path, "-") && standard_input)
            return command_complain(command, "standard input ('-') can be read only once", EXIT_USAGE);
        standard_input = standard_input || !strcmp(path, "-");
        if (row_set_read(set, path, wanted, message, sizeof(message), error, sizeof(error)))
            status = command_complain(command, error, EXIT_USAGE);
        if (message[0] && !(status && whole))
            (void)command_complain(command, message, 0);
    }
    return status;
}

static int read_operands(const char *command, const char *const *operands, size_t n, bool whole, unsigned wanted,
                         struct row_set *set)
{
    FREED_BY(names_free) struct names names = {0};
    int status = add_operands(&names, command, operands, n) ? EXIT_USAGE : 0;

    if (!(status && whole) && read_all(command, &names, whole, wanted, set))
        status = EXIT_USAGE;
    if (!status && !set->n)
        status = no_rows(command, &names, set->choose != NULL);
    if (!(status && whole))
        row_set_sort(set);
    return status;
}

int files_read(const char *command, const char *const *operands, size_t n, unsigned wanted, struct row_set *set)
{
    return read_operands(command, operands, n, true, wanted, set);
}

int files_read_most(const char *command, const char *const *operands, size_t n, unsigned wanted, struct row_set *set)
{
    return read_operands(command, operands, n, false, wanted, set);
}

/* --- Reading one row after the other, without keeping them. --- */

/* Passes each row of a file to take(). Returns the number of rows. */
static size_t read_each(const char *command, const char *path, unsigned wanted,
                        void (*take)(void *context, const struct row *row), void *context)
{
    char message[4352];
    struct row_reader *r = row_reader_open(path, wanted, message, sizeof(message));
    struct row row;
    size_t n = 0;
    int more;

    if (!r) {
        (void)command_complain(command, message, 0);
        return 0;
    }
    while ((more = row_reader_next(r, &row)) == 1) {
        take(context, &row);
        row_free(&row);
        n++;
    }
    if (more < 0)
        (void)command_complain(command, row_reader_error(r), 0);
    row_reader_describe(r, path, n, message, sizeof(message));
    if (message[0])
        (void)command_complain(command, message, 0);
    row_reader_close(r);
    return n;
}

int files_each(const char *command, const char *const *operands, size_t n, unsigned wanted,
               void (*take)(void *context, const struct row *row), void *context)
{
    FREED_BY(names_free) struct names names = {0};
    bool any = false;

    (void)add_operands(&names, command, operands, n);
    for (size_t i = 0; i < names.n; i++)
        any |= read_each(command, names.name[i], wanted, take, context) > 0;
    return any ? 0 : no_rows(command, &names, false);
}

static void cannot_write(struct files_output *out, const char *why)
{
    out->status = command_fail(out->command, EXIT_ROW_FAILED, "%.4000s cannot be written: %s",
                               out->fd == 1 ? "standard output" : out->path, why);
}

int files_clear(const char *command, const char *path)
{
    const int why = path[0] && strcmp(path, "-") != 0 ? directory_clear(path) : 0;

    return why ? command_fail(command, EXIT_USAGE, "-o '%.4000s': %s", path, directory_why_not(why)) : 0;
}

int files_check(const char *option, const char *path, char *error, size_t error_size)
{
    if (!path[0])
        return 0;
    int fd = scratch_unnamed(path);
    const bool named = fd < 0 && fd != -EEXIST;
    if (named) /* without support for unnamed files: creates the file under its name */
        fd = directory_create(path);
    if (fd < 0)
        return fail_because(-1, error, error_size, "%s '%.200s': %s", option, path, directory_why_not(fd));
    if (named)
        directory_remove(path, fd);
    (void)close(fd);
    return 0;
}

/* The output file that has its name already but is not complete; NULL: none. */
static const struct files_output *partial;

/* Removes an incomplete output file. Called at exit, for example when memory runs out. */
static void remove_partial(void)
{
    if (partial)
        directory_remove(partial->path, partial->fd);
}

int files_begin(const char *command, const char *path, bool force, struct files_output *out)
{
    char error[4352];

    if (force && files_clear(command, path))
        return EXIT_USAGE;
    *out = (struct files_output){.command = command, .path = path, .fd = 1};
    if (strcmp(path, "-") != 0) {
        /* without support for unnamed files, or if the name exists, the file is created under its name */
        out->fd = scratch_unnamed(path);
        out->unnamed = out->fd >= 0;
        if (!out->unnamed)
            out->fd = csv_create(path, &out->created, error, sizeof(error));
    }
    if (out->fd < 0)
        return command_complain(command, error, EXIT_USAGE);
    if (out->created && !atexit(remove_partial))
        partial = out;
    (void)signal(SIGPIPE, SIG_IGN); /* a closed pipe is no error */
    return 0;
}

void files_put(struct files_output *out, struct text *text)
{
    errno = ENOMEM;
    if (!out->status && !out->unread &&
        (text->failed || signals_write(out->fd, text->data, text->length) != text->length)) {
        out->unread = !text->failed && out->fd == 1 && errno == EPIPE;
        if (!out->unread)
            cannot_write(out, strerror(errno));
    }
    text->length = 0;
}

int files_end(struct files_output *out)
{
    if (!out->status && (out->unnamed || out->created) && fsync(out->fd))
        cannot_write(out, strerror(errno));
    if (!out->status && out->unnamed) {
        int error = scratch_give_name(out->fd, out->path);
        if (error)
            cannot_write(out, directory_why_not(error));
    }
    if (out->status && out->created)
        directory_remove(out->path, out->fd);
    partial = NULL;
    if (out->fd != 1)
        (void)close(out->fd);
    return out->status;
}

int files_write(const char *command, const char *path, bool force, struct text *text)
{
    struct files_output out;
    int status = files_begin(command, path, force, &out);

    if (!status) {
        files_put(&out, text);
        status = files_end(&out);
    }
    text_free(text);
    return status;
}
