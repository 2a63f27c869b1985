/* SPDX-License-Identifier: MIT */
/* Common code of all commands that read result files. */
#ifndef CMD_FILES_H
#define CMD_FILES_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "engine/option.h"
#include "rows/rows.h"
#include "sys/new_file.h"

/* An operand is a file, "-" (standard input), a directory (its regular files *.csv, sorted), or a pattern with *, ? or
 * [ in its last component (the regular files that match, sorted), unless a file has exactly that name. */

/* Reads the rows of all operands' files (n at least 1; "-" at most once) into the set, and sorts them as tables show
 * them (row_set_sort()). wanted: flags of enum rows_wanted, for the rows' long lists (samples and others) that are read
 * too. Prints a line on standard error if rows of a file are left out. Returns 0, or EXIT_USAGE with a line on standard
 * error when an operand matches no file, when a file cannot be opened or read, or when no file has a row. */
int files_read(const char *command, const char *const *operands, size_t n, unsigned wanted, struct row_set *set);

/* As files_read(), but continues after files that cannot be read, with a line for each. Returns EXIT_USAGE, with the
 * other files' rows in the set, when some could not be read. */
int files_read_most(const char *command, const char *const *operands, size_t n, unsigned wanted, struct row_set *set);

/* Reads the rows of all operands' files one after the other and passes each to take(), which must copy what it keeps.
 * Files that cannot be read or have damaged lines are reported on standard error, and reading continues. Returns 0; or
 * EXIT_USAGE with a line on standard error when there was no row. */
int files_each(const char *command, const char *const *operands, size_t n, unsigned wanted,
               void (*take)(void *context, const struct row *row), void *context);

/* Entry of an option table: --min-effect, which makes a command ignore small differences; with its least value, default
 * and help text. */
#define FILES_MIN_EFFECT_ROW(struct_, least_, preset_, help_)                                                          \
    {                                                                                                                  \
        OPTION("min-effect", 0, struct_, min_effect_pct, (help_)), OPTION_NUMBER(OPTION_PERCENT, "PCT", least_, 1000), \
            .preset[0] = preset_                                                                                       \
    }

/* Entry of an option table: --force, for commands that have -o FILE. With it they call files_clear(), which removes a
 * regular file at path before the output is created. Returns 0, also for "-" and ""; or EXIT_USAGE with a line on
 * standard error. */
#define FILES_FORCE_ROW(struct_)                                                                                       \
    {                                                                                                                  \
        OPTION("force", 0, struct_, force, "replace the file that -o names; never through a symbolic link")            \
    }
int files_clear(const char *command, const char *path);

/* Writes the whole text to the file given by -o (never over a regular file, unless `force` replaces it when the
 * new one is complete; an existing pipe, terminal or device is written to; "-" is standard output) and frees it.
 * Returns 0; EXIT_USAGE when the file cannot be created; 1 when it cannot be written (a new file is then removed); each
 * with a line on standard error. A closed pipe is no error. */
struct text;
int files_write(const char *command, const char *path, bool force, struct text *text);

/* Checks before measuring that a file can be created at path, and leaves none there. Returns 0, also for path "" (no
 * file is wanted); or -1 with one line in error that names the option. */
int files_check(const char *option, const char *path, char *error, size_t error_size);

/* As files_write(), for output too large for memory: call files_begin(); if it returns 0, call files_put() any number
 * of times, which empties the text; then call files_end(), which returns the status of the whole output. */
struct files_output {
    const char *command, *path;
    int fd, status;
    bool created; /* a new file, which gets its name only when it is complete */
    bool force, unread;
    int folder;                      /* directory of a new file */
    const char *name;                /* its name there */
    char hidden[NEW_FILE_NAME_SIZE]; /* its random name meanwhile; "" if it has none */
    sigset_t mask;                   /* signal mask before */
};
int files_begin(const char *command, const char *path, bool force, struct files_output *out);
void files_put(struct files_output *out, struct text *text);
int files_end(struct files_output *out);

#endif
