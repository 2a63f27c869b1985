/* SPDX-License-Identifier: MIT */
/* The subcommands of jitbench. Each is described by a struct command, and command_list lists them. */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/option.h"
#include "sys/fail.h"

/* Exit statuses, as documented in jitbench(1). A signal N gives 128+N. */
enum exit_status { EXIT_DONE = 0, EXIT_ROW_FAILED = 1, EXIT_USAGE = 2, EXIT_STRICT = 3, EXIT_FINDING = 4 };

#define TABLES_MAX 8

struct suite;
struct command;

/* Kinds of operands that a command takes: used to complete them in a shell, and to suggest a name for a misspelt
 * one. */
enum operands_kind {
    OPERANDS_NONE,
    OPERANDS_WORDS, /* a fixed set of words: those returned by word() of struct operands */
    OPERANDS_FILES,
    OPERANDS_FOLDERS,
    OPERANDS_COMMAND, /* the command line of another program: the first operand ends jitbench's own options */
};
struct operand_word {
    const char *name, *help; /* help: one line, NULL for none */
    bool old;                /* an alias of another word: accepted, but not offered */
};
struct operands {
    enum operands_kind kind;
    unsigned most;    /* maximum number of operands; 0: any number */
    const char *noun; /* what a word is called in messages: "test" */
    /* Fills in the ith word; returns false when there is none. */
    bool (*word)(const struct command *command, size_t i, struct operand_word *out);
};

/* A command line that was parsed. */
struct command_call {
    const struct command *command;
    void *options;             /* struct in which the values of the options are stored */
    struct option_table table; /* the table of the options, for option_given() */
    const char *const *operands;
    size_t n;
};

struct command {
    const char *name;
    const char *operands;      /* text in the usage line: "[TEST...]"; "" for none */
    const char *title;         /* one line */
    const char *description;   /* a paragraph for help; NULL for none */
    const struct suite *suite; /* the suite that the command measures; NULL for none */
    int (*run)(const struct command *command, int argc, char **argv); /* argv[0] is the command's name */
    /* Fills in the option tables, without the structs to store values in, for the help text and the check of the man
     * page. Returns their number. NULL: there are no tables. */
    size_t (*tables)(const struct command *command, struct option_table *tables);
    /* The next four are for commands with one table of options, which have command_main as run and command_table as
     * tables. options: the table. options_size: size of the struct that the values are stored in. needs: the error
     * message when there are no operands; NULL if none are needed. call: executes the command and returns its exit
     * status. */
    const struct option_table *options;
    size_t options_size;
    const char *needs;
    int (*call)(const struct command_call *call);
    /* The operands that the command takes. NULL: the names of the suite's tests if it has any; otherwise the kind is
     * derived from the usage line, which has FILE (or .csv), DIR or COMMAND. */
    const struct operands *takes;
};

/* Returns command->takes; if that is NULL, the operands derived from the suite or the usage line. Never NULL. */
const struct operands *command_operands(const struct command *command);
/* Returns the kind of operands that a usage line, or the name of an option's value, stands for, by its first word among
 * FILE, csv, DIR and COMMAND: OPERANDS_FILES for "FILE|-". OPERANDS_NONE when it has none of them. */
enum operands_kind operands_named(const char *shown);
/* Calls command_unknown() for a word that is not one of the command's operands. Returns EXIT_USAGE. */
int command_unknown_operand(const struct command *command, const char *word);

/* Operands that are the name of a jitbench command. */
extern const struct operands command_names;
/* Operands that are the name of a setting (settings_list). */
extern const struct operands setting_names;
/* Marks the settings that the operands name, by their index in settings_list. Returns 0, or EXIT_USAGE with a line on
 * standard error. */
int command_mark_settings(const struct command *command, const char *const *operands, size_t n, bool *marked);

extern const struct command *const command_list[]; /* ends with NULL */

/* Returns the command of that name, also __complete, which shell completion calls and which is not in the list. NULL
 * when there is none. */
const struct command *command_find(const char *name);

/* Prints "jitbench: unknown WHAT 'WORD'; did you mean 'NEAREST'?" on standard error and returns EXIT_USAGE. */
int command_unknown(const char *what, const char *word, const char *const *candidates, size_t n);

/* Calls command_unknown() for a word that was given in place of a command, with the commands as candidates. Returns
 * EXIT_USAGE. */
int command_unknown_command(const char *word);

/* Prints "jitbench COMMAND: MESSAGE" on standard error (command NULL: "jitbench: MESSAGE") as a single line: control
 * characters, which may come from arguments and file names, become '?'. Returns status. */
int command_fail(const char *command, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define command_complain(command, message, status) command_fail(command, status, "%s", message)

/* Writes text that accompanies the command's main output to fd (1 or 2), and frees it. Returns EXIT_DONE, also when fd
 * is closed, when the reader of a pipe is gone or when a signal ends the writing; or EXIT_ROW_FAILED with one line on
 * standard error. */
struct text;
int command_print(int fd, struct text *text);

/* Writes the command's main output to standard output (or error), and frees it. Returns EXIT_DONE; or EXIT_ROW_FAILED
 * with a line on standard error when it could not be written, or memory ran out. A closed pipe is no error. A
 * descriptor that was closed when the program started is an error only if `only` is set, because the command then has
 * no other output. */
int command_output(const struct command *command, int fd, bool only, struct text *text);

/* Returns the width for output in columns: $COLUMNS if it is a number of at least 40; else the width of the terminal
 * fd, at most `most`; `otherwise` if fd is not a terminal or has less than 40 columns. */
unsigned command_width(int fd, unsigned otherwise, unsigned most);

/* Parses the command line by n option tables, whose targets (the structs for the values) are set, sets the defaults of
 * options that were not given, and prints help if --help is given. operands has room for argc pointers. Returns 0 and
 * sets the number of operands; EXIT_USAGE (or EXIT_ROW_FAILED when help could not be printed) with a line on standard
 * error; or -1 when help was printed. */
int command_parse(const struct command *command, struct option_table *tables, size_t n, int argc, char **argv,
                  const char **operands, size_t *n_operands);

/* Runs a command with one table of options: parses the command line and calls it. Help is printed here. Returns the
 * exit status; EXIT_USAGE for a wrong command line. */
int command_main(const struct command *command, int argc, char **argv);
size_t command_table(const struct command *command, struct option_table *tables);

/* Initialises, in a struct command, the table of options and the size of the struct that their values are stored in. */
#define COMMAND_TABLE(struct_, rows_, ...)                                                                             \
    .tables = command_table, .options_size = sizeof(struct_), .options = &(const struct option_table)                  \
    {                                                                                                                  \
        .rows = rows_, .n = sizeof(rows_) / sizeof(rows_[0]), __VA_ARGS__                                              \
    }
/* Initialises the same as COMMAND_TABLE(), and the function that executes the command. */
#define COMMAND_CALLS(call_, ...) .run = command_main, .call = call_, COMMAND_TABLE(__VA_ARGS__)
/* The entry of the option --help in a table. */
#define COMMAND_HELP_ROW(struct_)                                                                                      \
    {                                                                                                                  \
        OPTION("help", 'h', struct_, help, "print this help")                                                          \
    }

/* Prints the help of a command. Returns the same as command_output(); `by` is the command that error messages name. */
int command_print_help(const struct command *by, const struct command *command);

/* Appends, for the help of a suite's command, how many samples are taken and how long they are: by default, with
 * --quick and with --classic. suite NULL: over all suites. */
void help_sampling(const struct suite *suite, struct text *out);

/* Formats version, commit and build id: "0.1 3f2a9c81b2d4 build 5c0f..". */
void version_build(char *buf, size_t size);

#endif
