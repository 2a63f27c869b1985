/* SPDX-License-Identifier: MIT */
/* Result files as operands, and texts as files. */
#include "cmd/files.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/command.h"
#include "engine/signals.h"
#include "engine/text.h"
#include "out/csv.h"
#include "sys/folder.h"
#include "sys/scratch.h"

static int complain(const char *command, const char *error, int status)
{
    (void)fprintf(stderr, "jitbench %s: %s\n", command, error);
    return status;
}

/* --- Which files are meant. --- */

struct names {
    char **name;
    size_t n, capacity;
};

static int add_name(struct names *names, const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;

    if (names->n == names->capacity) {
        size_t capacity = names->capacity ? 2 * names->capacity : 64;
        char **grown = realloc(names->name, capacity * sizeof(*grown));
        if (!grown)
            return -1;
        names->name = grown;
        names->capacity = capacity;
    }
    char *copy = malloc(size);
    if (!copy)
        return -1;
    (void)snprintf(copy, size, "%s%s%s", folder, folder[0] && folder[strlen(folder) - 1] != '/' ? "/" : "", name);
    names->name[names->n++] = copy;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in the folder that match. -1 with errno. */
static int add_matching(struct names *names, const char *folder, const char *pattern)
{
    DIR *directory = opendir(folder[0] ? folder : ".");
    size_t before = names->n;
    int result = 0;

    if (!directory)
        return -1;
    for (struct dirent *entry; !result && (entry = readdir(directory));)
        if (!fnmatch(pattern, entry->d_name, FNM_PERIOD))
            result = add_name(names, folder, entry->d_name);
    (void)closedir(directory);
    if (names->n > before)
        qsort(names->name + before, names->n - before, sizeof(*names->name), by_name);
    return result;
}

static int add_operand(struct names *names, const char *operand)
{
    struct stat st = {.st_mode = 0};
    const char *slash = strrchr(operand, '/'), *last = slash ? slash + 1 : operand;
    bool there = !strcmp(operand, "-") || !stat(operand, &st);

    if (there && strcmp(operand, "-") && S_ISDIR(st.st_mode))
        return add_matching(names, operand, "*.csv");
    if (there || !last[strcspn(last, "*?[")])
        return add_name(names, "", operand);
    char *folder = strndup(operand, (size_t)(last - operand));
    int result = folder ? add_matching(names, folder, last) : -1;
    free(folder);
    return result;
}

static void free_names(struct names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->name[i]);
    free(names->name);
}

/* Those of all operands; what names no file is said on standard error. How many did not. */
static size_t add_operands(struct names *names, const char *command, const char *const *operands, size_t n)
{
    char error[4352];
    size_t wrong = 0;

    for (size_t i = 0; i < n; i++) {
        size_t before = names->n;
        int result = add_operand(names, operands[i]);
        if (!result && names->n > before)
            continue;
        (void)snprintf(error, sizeof(error), "%.4000s: %s", operands[i], result ? strerror(errno) : "no such files");
        (void)complain(command, error, 0);
        wrong++;
    }
    return wrong;
}

/* --- All rows. --- */

static int read_all(const char *command, const struct names *names, unsigned wanted, struct row_set *set)
{
    char message[4352], error[4352];
    bool standard_input = false;

    for (size_t i = 0; i < names->n; i++) {
        const char *path = names->name[i];
        if (!strcmp(path, "-") && standard_input)
            return complain(command, "standard input ('-') can be read only once", EXIT_USAGE);
        standard_input = standard_input || !strcmp(path, "-");
        if (row_set_read(set, path, wanted, message, sizeof(message), error, sizeof(error)))
            return complain(command, error, EXIT_USAGE);
        if (message[0])
            (void)complain(command, message, 0);
    }
    return set->n ? 0 : complain(command, "no rows to work on", EXIT_USAGE);
}

int files_read(const char *command, const char *const *operands, size_t n, unsigned wanted, struct row_set *set)
{
    struct names names = {0};
    int status = add_operands(&names, command, operands, n) ? EXIT_USAGE : read_all(command, &names, wanted, set);

    free_names(&names);
    return status;
}

/* --- One row after the other. --- */

/* How many rows came; SIZE_MAX when out of memory. */
static size_t read_each(const char *command, const char *path, unsigned wanted,
                        int (*take)(void *context, const struct row *row), void *context)
{
    char message[4352];
    struct row_reader *r = row_reader_open(path, wanted, message, sizeof(message));
    struct row row;
    size_t n = 0;
    int more;

    if (!r) {
        (void)complain(command, message, 0);
        return 0;
    }
    while ((more = row_reader_next(r, &row)) == 1) {
        int result = take(context, &row);
        row_free(&row);
        if (result) {
            row_reader_close(r);
            return SIZE_MAX;
        }
        n++;
    }
    if (more < 0)
        (void)complain(command, row_reader_error(r), 0);
    row_reader_describe(r, path, n, message, sizeof(message));
    if (message[0])
        (void)complain(command, message, 0);
    row_reader_close(r);
    return n;
}

int files_each(const char *command, const char *const *operands, size_t n, unsigned wanted,
               int (*take)(void *context, const struct row *row), void *context, size_t *n_files)
{
    struct names names = {0};
    size_t with_rows = 0;
    int status = 0;

    (void)add_operands(&names, command, operands, n);
    for (size_t i = 0; i < names.n && !status; i++) {
        size_t rows = read_each(command, names.name[i], wanted, take, context);
        if (rows == SIZE_MAX)
            status = complain(command, "out of memory", EXIT_ROW_FAILED);
        else
            with_rows += rows > 0;
    }
    if (!status && !with_rows)
        status = complain(command, "no rows to work on", EXIT_USAGE);
    free_names(&names);
    if (n_files)
        *n_files = with_rows;
    return status;
}

/* Into a file that has its name only when it is whole: who is killed leaves no half of it. 1 where there is no such
 * way, or the name is taken; 0 or -errno. */
static int write_unnamed(const char *path, const struct text *text)
{
    int fd = scratch_unnamed(path), code = 0;

    if (fd < 0)
        return 1;
    if (signals_write(fd, text->data, text->length) != text->length || fsync(fd))
        code = -errno;
    else if (scratch_give_name(fd, path))
        code = 1;
    (void)close(fd);
    return code;
}

static int write_named(const char *command, const char *path, const struct text *text)
{
    char error[4352];
    bool created = false, standard_output = !strcmp(path, "-");
    int status = 0;

    int fd = standard_output ? 1 : csv_create(path, &created, error, sizeof(error));
    if (fd < 0)
        return complain(command, error, EXIT_USAGE);
    (void)signal(SIGPIPE, SIG_IGN); /* a reader that has seen enough is no error */
    bool whole = signals_write(fd, text->data, text->length) == text->length;
    if (!whole && !(standard_output && errno == EPIPE)) {
        (void)snprintf(error, sizeof(error), "%.4000s cannot be written: %s",
                       standard_output ? "standard output" : path, strerror(errno));
        status = complain(command, error, EXIT_ROW_FAILED);
    }
    if (!status && created && fsync(fd)) {
        (void)snprintf(error, sizeof(error), "%.4000s cannot be written: %s", path, strerror(errno));
        status = complain(command, error, EXIT_ROW_FAILED);
    }
    if (status && created)
        folder_remove(path, fd);
    if (!standard_output)
        (void)close(fd);
    return status;
}

int files_write(const char *command, const char *path, struct text *text)
{
    char error[4352];
    int status = 0, code;

    if (text->failed) {
        text_free(text);
        return complain(command, "out of memory", EXIT_ROW_FAILED);
    }
    code = strcmp(path, "-") ? write_unnamed(path, text) : 1;
    if (code > 0) {
        status = write_named(command, path, text);
    } else if (code < 0) {
        (void)snprintf(error, sizeof(error), "%.4000s cannot be written: %s", path, strerror(-code));
        status = complain(command, error, EXIT_ROW_FAILED);
    }
    text_free(text);
    return status;
}
