/* SPDX-License-Identifier: MIT */
/* Parts of jitbench run: commands and descriptors (run_commands.c). */
#ifndef CMD_RUN_H
#define CMD_RUN_H

#include "bench/command.h"
#include "cmd/suites.h"
#include "sys/command_line.h"

#define COMMANDS_MAX 64u

/* Name of a command, which becomes the test of its rows. */
struct name {
    char text[sizeof(((struct row *)0)->test)];
};

struct run_options {
    struct command_params command;   /* must be first, because the option table fills it */
    struct name names[COMMANDS_MAX]; /* names of the commands, which become the tests of the rows */
    bool opened;                     /* the descriptors below are open */
    int image_fd, fds[3];
    /* each command's --cleanup command in the shared memory of image_fd, in bytes; size 0: none */
    size_t cleanup_offset[COMMANDS_MAX], cleanup_size[COMMANDS_MAX];
    bool keeps;           /* the file of --keep-output was created here */
    bool fails_on_slower; /* --fail-on was given */
    bool children;        /* this process had children before its exec, which it must not end */
};

/* A parameter of --parameter-list or --parameter-scan, and its values. */
struct parameter {
    char name[COMMAND_PARAMETER_NAME], *value[COMMANDS_MAX];
    size_t n;
    bool used; /* a command contains {NAME} */
};

/* The commands of a run, while the plan is made. All functions below that return an int return 0, or -1 with the
 * error. They end the program when out of memory. */
struct commands {
    const struct measure *m;
    struct run_options *options;
    char *error;
    size_t error_size;
    char **words;  /* all words after the first "--", with NULL in place of each separator */
    char ***typed; /* argument vector of each command as it was typed, pointing into words */
    size_t n_typed;
    struct parameter parameters[COMMAND_PARAMETERS_MAX];
    size_t n_parameters;
    /* The commands with all combinations of parameters. */
    char **argv[COMMANDS_MAX];
    /* typed_of: index in `typed` of the command that this one was made from */
    size_t n, typed_of[COMMANDS_MAX];
    const char *value_of[COMMANDS_MAX][COMMAND_PARAMETERS_MAX]; /* NULL: the command does not have the parameter */
    char **env;
    struct text images;
};

/* run_commands.c */
/* Writes the error and returns -1. */
#define run_wrong(c, ...) fail_because(-1, (c)->error, (c)->error_size, __VA_ARGS__)
/* Splits the words after the first "--" into commands. */
int run_split_commands(struct commands *c);
/* Copies the environment for the command, without jitbench's padding variable. --clean-env: PATH only. */
void run_choose_env(struct commands *c);
/* Finds the index of the command that --reference names; it is measured first. */
int run_find_reference(struct commands *c, size_t *first);
/* Runs the commands of --cleanup. Reports failures on standard error. */
void run_clean_up(const struct run_options *options);
/* Packs one command as bytes for the workers, and formats it as a line for the table. */
int run_pack_command(struct commands *c, size_t i, struct command_params *params);
/* Sets name to the program's name without directories. shell: word is a command line, and its first word counts. */
void run_name_after_program(const char *word, bool shell, struct name *name);
/* Names the commands by --name, otherwise by their programs. */
int run_name_commands(struct commands *c);
/* Open the descriptors that the workers inherit: the commands' standard input; their standard output; shared memory
 * with the packed commands. */
int run_open_input(struct commands *c);
int run_open_output(struct commands *c);
int run_open_image(struct commands *c);

/* run_scan.c */
/* Reads --parameter-list and --parameter-scan, and makes a command for each combination of values; --aa: twice. */
int run_combine(struct commands *c);
/* Returns a text with the values of a command in place of {NAME}, which the caller frees. */
char *run_substitute(const struct commands *c, size_t command, const char *text);
void run_free_parameters(struct commands *c);

/* run_pairs.c */
/* Reads --fail-on. Returns 0, or -1 with the error. */
int run_read_fail_on(struct commands *c);
/* The stop rule of several commands, for struct plan. */
bool run_enough(struct plan_item *items, size_t n, const struct plan_samples *samples);
/* Returns the exit status of --fail-on, with a line on standard error for each command that fails. */
int run_fail(const struct measure *m, const void *options);

#endif
