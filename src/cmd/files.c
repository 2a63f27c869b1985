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

int files_read(const char *command, const char *const *paths, size_t n, unsigned wanted, struct row_set *set)
{
    char message[4352], error[4352];
    bool standard_input = false;

    for (size_t i = 0; i < n; i++) {
        if (!strcmp(paths[i], "-") && standard_input)
            return command_complain(command, "standard input ('-') can be read only once", EXIT_USAGE);
        standard_input = standard_input || !strcmp(paths[i], "-");
        if (row_set_read(set, paths[i], wanted, message, sizeof(message), error, sizeof(error)))
            return command_complain(command, error, EXIT_USAGE);
        if (message[0])
            (void)command_complain(command, message, 0);
    }
    return set->n ? 0 : command_complain(command, "no rows to work on", EXIT_USAGE);
}

/* --- One row after the other. --- */

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
        (void)command_complain(command, message, 0);
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
        (void)command_complain(command, row_reader_error(r), 0);
    row_reader_describe(r, path, n, message, sizeof(message));
    if (message[0])
        (void)command_complain(command, message, 0);
    row_reader_close(r);
    return n;
}

int files_each(const char *command, const char *const *operands, size_t n, unsigned wanted,
               int (*take)(void *context, const struct row *row), void *context, size_t *n_files)
{
    struct names names = {0};
    char error[4352];
    size_t with_rows = 0;
    int status = 0;

    for (size_t i = 0; i < n; i++) {
        size_t before = names.n;
        int result = add_operand(&names, operands[i]);
        if (result || names.n == before) {
            (void)snprintf(error, sizeof(error), "%.4000s: %s", operands[i],
                           result ? strerror(errno) : "no such files");
            (void)command_complain(command, error, 0);
        }
    }
    for (size_t i = 0; i < names.n && !status; i++) {
        size_t rows = read_each(command, names.name[i], wanted, take, context);
        if (rows == SIZE_MAX)
            status = command_complain(command, "out of memory", EXIT_ROW_FAILED);
        else
            with_rows += rows > 0;
    }
    if (!status && !with_rows)
        status = command_complain(command, "no rows to work on", EXIT_USAGE);
    for (size_t i = 0; i < names.n; i++)
        free(names.name[i]);
    free(names.name);
    if (n_files)
        *n_files = with_rows;
    return status;
}

int files_write(const char *command, const char *path, struct text *text)
{
    char error[4352];
    bool created = false, standard_output = !strcmp(path, "-");
    int status = 0;

    if (text->failed) {
        text_free(text);
        return command_complain(command, "out of memory", EXIT_ROW_FAILED);
    }
    int fd = standard_output ? 1 : csv_create(path, &created, error, sizeof(error));
    if (fd < 0) {
        text_free(text);
        return command_complain(command, error, EXIT_USAGE);
    }
    (void)signal(SIGPIPE, SIG_IGN); /* a reader that has seen enough is no error */
    bool whole = signals_write(fd, text->data, text->length) == text->length;
    text_free(text);
    if (!whole && !(standard_output && errno == EPIPE)) {
        (void)snprintf(error, sizeof(error), "%.4000s cannot be written: %s",
                       standard_output ? "standard output" : path, strerror(errno));
        status = command_complain(command, error, EXIT_ROW_FAILED);
    }
    if (!standard_output && close(fd) && !status) {
        (void)snprintf(error, sizeof(error), "%.4000s cannot be written: %s", path, strerror(errno));
        status = command_complain(command, error, EXIT_ROW_FAILED);
    }
    if (status && created)
        (void)unlink(path);
    return status;
}
