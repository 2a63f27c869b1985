/* SPDX-License-Identifier: MIT */
/* Subcommands. A command is a descriptor; the list of them is the only registry. */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/option.h"

/* Exit statuses, as documented in jitbench(1). A signal N gives 128+N. */
enum exit_status { EXIT_DONE = 0, EXIT_ROW_FAILED = 1, EXIT_USAGE = 2, EXIT_STRICT = 3, EXIT_FINDING = 4 };

#define TABLES_MAX 6

struct suite;
struct command;

/* What a command's operands are, for completion and for what an unknown one was meant to be. */
enum operands_kind {
    OPERANDS_NONE,
    OPERANDS_WORDS, /* those that word gives */
    OPERANDS_FILES,
    OPERANDS_FOLDERS,
    OPERANDS_COMMAND, /* the command line of another program: from the first operand on nothing is ours */
};
struct operand_word {
    const char *name, *help; /* help: one line, NULL for none */
    bool old;                /* another name for one of the others: understood, but not offered */
};
struct operands {
    enum operands_kind kind;
    unsigned most;    /* how many there may be; 0: any number */
    const char *noun; /* of words: "test" */
    /* The ith word; false behind the last. */
    bool (*word)(const struct command *command, size_t i, struct operand_word *out);
};

struct command {
    const char *name;
    const char *operands;      /* as the usage line shows them: "[TEST...]"; "" for none */
    const char *title;         /* one line */
    const char *description;   /* a paragraph for help; NULL for none */
    const struct suite *suite; /* of commands that measure one */
    int (*run)(const struct command *command, int argc, char **argv); /* argv[0] is the command's name */
    /* The option tables (without targets): for help and the man page check. Returns how many. NULL for none. */
    size_t (*tables)(const struct command *command, struct option_table *tables);
    /* What the operands are. NULL: the suite's tests when it has any, otherwise as the usage line says: FILE (or .csv),
     * DIR or COMMAND stands in it, or nothing that is known. */
    const struct operands *takes;
};

/* command->takes, or what stands for it. Never NULL. */
const struct operands *command_operands(const struct command *command);
/* What the first known word of a usage line or of a value's name stands for: "FILE|-" is OPERANDS_FILES. OPERANDS_NONE
 * when none is known. */
enum operands_kind operands_named(const char *shown);
/* command_unknown() for a word that is none of the command's. */
int command_unknown_operand(const struct command *command, const char *word);

/* The name of one of our commands. */
extern const struct operands command_names;

extern const struct command *const command_list[]; /* ends with NULL */

const struct command *command_find(const char *name);

/* Prints "jitbench: unknown WHAT 'WORD'; did you mean 'NEAREST'?" on standard error and returns EXIT_USAGE. */
int command_unknown(const char *what, const char *word, const char *const *candidates, size_t n);

/* The same for a word that stands where a command should. */
int command_unknown_command(const char *word);

/* Prints "jitbench COMMAND: MESSAGE" on standard error (command NULL: "jitbench: MESSAGE"), one line whatever stands in
 * it: control characters of arguments and file names become '?'. Returns status. */
int command_complain(const char *command, const char *message, int status);

/* Writes the text to standard output (or error) beside something else that is done, and frees it. EXIT_DONE, also when
 * that is closed or a signal ends the writing; or EXIT_ROW_FAILED with one line on standard error. */
struct text;
int command_print(int fd, struct text *text);

/* Writes what the command is for to standard output (or error), and frees it. EXIT_DONE; or EXIT_ROW_FAILED with a line
 * on standard error when it could not be written, or memory ran out. A reader that has gone has seen enough: no error.
 * Neither is one that was closed from the start, where the command has done something else too (only: it has not). */
int command_output(const struct command *command, int fd, bool only, struct text *text);

/* The columns of the terminal that the descriptor is, of most at most; otherwise when it is none. */
unsigned command_width(int fd, unsigned otherwise, unsigned most);
/* How many bytes of the text go on a line of that width, broken between words where that is possible. */
size_t command_break(const char *s, size_t width);

/* Parses the command's tables, whose targets are set, sets the defaults of what was not named, and prints help when
 * that was asked for (help: the target's flag). operands has room for argc pointers. 0 with the number of operands;
 * EXIT_USAGE (EXIT_ROW_FAILED: help could not be printed) with a line on standard error; or -1 when help was printed.
 */
int command_parse(const struct command *command, struct option_table *tables, size_t n, const bool *help, int argc,
                  char **argv, const char **operands, size_t *n_operands);

/* The help of a command as text. */
void command_help(const struct command *command, struct text *out);

/* For the help of a suite's command (NULL: of all suites): how many samples there are of what length under each preset.
 */
void help_sampling(const struct suite *suite, struct text *out);

/* "0.1 3f2a9c81b2d4 build 5c0f..". */
void version_build(char *buf, size_t size);

#endif
