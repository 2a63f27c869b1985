/* SPDX-License-Identifier: MIT */
/* What all commands that read result files have in common. */
#ifndef CMD_FILES_H
#define CMD_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/option.h"
#include "out/rows.h"

/* An operand is a file, "-" (standard input), a folder (its files *.csv, sorted), or a pattern with *, ? or [ in its
 * last part where no file has that very name (what matches, sorted). */

/* Reads the files of all operands (n at least 1; "-" once) into the set, with a line on standard error for what was
 * passed over in each, and sorts them as tables show them (row_set_sort()). 0; EXIT_USAGE with a line on standard error
 * when an operand names no file, when a file cannot be opened or read, or none of them has a row. */
int files_read(const char *command, const char *const *operands, size_t n, unsigned wanted, struct row_set *set);

/* The same, but what cannot be read is passed over, with its line, and all else is read: EXIT_USAGE with rows in the
 * set when only some of it could be read. */
int files_read_most(const char *command, const char *const *operands, size_t n, unsigned wanted, struct row_set *set);

/* Reads rows one after the other and hands each to take(), which may keep nothing of it but a copy. What cannot be
 * read, or holds damaged lines, is a line on standard error, and the others are read. 0; or EXIT_USAGE with a line on
 * standard error when no operand gave a row. take() returns 0, or -1 when out of memory, which ends the reading with
 * EXIT_ROW_FAILED. n_files (may be NULL) is how many files had rows. */
int files_each(const char *command, const char *const *operands, size_t n, unsigned wanted,
               int (*take)(void *context, const struct row *row), void *context, size_t *n_files);

/* The option --force of commands that have -o, and what it does before the file is made: removes a plain file of that
 * name. 0, also for "-" and ""; or EXIT_USAGE with a line on standard error. */
#define FILES_FORCE_ROW(struct_)                                                                                       \
    {                                                                                                                  \
        .name = "force", .type = OPTION_FLAG, OPTION_AT(struct_, force),                                               \
        .help = "replace the file that -o names; never through a symbolic link"                                        \
    }
int files_clear(const char *command, const char *path);

/* Writes the text whole to the file that -o names (as csv_create(): never over a regular file; "-" is standard output)
 * and frees it. 0; EXIT_USAGE when the file cannot be made, 1 when it cannot be written (a file that was made is
 * removed), each with a line on standard error. A reader of standard output that has gone is no error. */
struct text;
int files_write(const char *command, const char *path, struct text *text);

/* The same for what is better not held in memory whole: files_begin(), and when that returns 0, any number of
 * files_put(), which empties the text, and files_end(), which returns the status of all. */
struct files_output {
    const char *command, *path;
    int fd, status;
    bool unnamed; /* it has its name only when it is whole: who is killed leaves no half of it */
    bool created, unread;
};
int files_begin(const char *command, const char *path, struct files_output *out);
void files_put(struct files_output *out, struct text *text);
int files_end(struct files_output *out);

#endif
