/* SPDX-License-Identifier: MIT */
/* Common parts of tune and untune: options, and the table of what was done. */
#ifndef CMD_TUNE_H
#define CMD_TUNE_H

#include "cmd/command.h"
#include "engine/option.h"
#include "settings/snapshot.h"
#include "settings/tuned.h"

#define SHOWN_MAX 28 /* largest number of characters of a value that are shown; CPU masks can have 2 KiB */

struct tune_options {
    struct option_cpus cpus;
    char snapshot[1024];
    bool dry_run, quiet, help;
};

#define TUNE_SNAPSHOT_ROW                                                                                              \
    {                                                                                                                  \
        OPTION("snapshot", 0, struct tune_options, snapshot,                                                           \
               "file that keeps the old state, instead of one in /run or /dev/shm"),                                   \
            OPTION_WORD("FILE")                                                                                        \
    }
#define TUNE_COMMON_ROWS                                                                                               \
    {OPTION("quiet", 'q', struct tune_options, quiet, "print only errors")}, COMMAND_HELP_ROW(struct tune_options)

/* Returns where tune keeps the old values: in the file of --snapshot, or in the default one. */
struct snapshot_place tune_place(const struct tune_options *options);

/* A line of the table, for consecutive files with the same result. See tune_table.c. */

struct line {
    char item[24], path[200], was[SHOWN_MAX + 4], now[SHOWN_MAX + 4], result[120];
    bool failed, managed; /* managed: refused because the kernel manages the interrupt itself; no failure */
    unsigned more;        /* number of files of the line besides the one in `path` */
    size_t order, number; /* order: index of the item in settings_list; number: index of the line */
};

struct outcome {
    const struct command *command;
    const struct setting_writes *plan; /* what tune writes; NULL: untune */
    bool dry_run;
    struct line *line;
    size_t n, capacity;
    size_t changed, failed;
    bool incomplete; /* out of memory: lines are missing in the table, nothing else is wrong */
};

/* Formats a value for the table, shortened to SHOWN_MAX characters. buf has room for SHOWN_MAX + 4 bytes. */
void tune_show_value(const char *value, char *buf);
/* Sets the line's item: the setting with that index in settings_list, by which the lines are sorted too. */
void tune_name_line(struct line *line, size_t setting);
void tune_put_line(struct outcome *outcome, const struct line *line);
/* Callback of snapshot_apply() and snapshot_restore(), whose context is a struct outcome: adds a file's line to the
 * table. */
void tune_put_report(void *context, const struct snapshot_report *report);
/* Prints the table and the summary; with quiet only the failures, on standard error. Frees the lines. Returns 0, or an
 * exit status when the table could not be printed. */
int tune_finish(struct outcome *outcome, bool quiet, const char *summary);
const char *tune_plural(size_t n);

#endif
