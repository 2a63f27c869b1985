/* SPDX-License-Identifier: MIT */
/* Parts of jitbench run: commands and descriptors, combinations of parameters, and the comparison in pairs. */
#ifndef CMD_RUN_H
#define CMD_RUN_H

#include "bench/command.h"
#include "cmd/cmd.h"
#include "sys/process.h"

#define COMMANDS_MAX 64u

/* Name of a measured command, which is the value of the column `test` in its rows. */
struct name {
    char text[sizeof(((struct row *)0)->test)];
};

struct run_options {
    struct command_params command;   /* must be first, because the option table fills it */
    struct name names[COMMANDS_MAX]; /* names of the commands, for the column `test` */
    bool opened;                     /* the descriptors below were set; those not open are -1 */
    int image_fd, fds[3];
    /* where each command's --cleanup command is in the shared memory of image_fd, in bytes; size 0: it has none */
    size_t cleanup_offset[COMMANDS_MAX], cleanup_size[COMMANDS_MAX];
    bool keeps;    /* this process has created the file of --keep-output */
    bool children; /* this process had children before its exec, which it must not end */
};

/* A parameter of --parameter-list or --parameter-scan, and its values. */
struct parameter {
    char name[COMMAND_PARAMETER_NAME], *value[COMMANDS_MAX];
    size_t n;
    bool used; /* a command contains {NAME} */
};

/* The commands to be measured, while the plan is made. All functions below that take this struct and return an int
 * return 0, or -1 with a line in `error`. They end the program when out of memory. */
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
    /* Argument vectors of the commands to be measured: of each typed one, with each combination of its parameters'
     * values. */
    char **argv[COMMANDS_MAX];
    /* typed_of: index in `typed` of the command that this one was made from */
    size_t n, typed_of[COMMANDS_MAX];
    const char *value_of[COMMANDS_MAX][COMMAND_PARAMETERS_MAX]; /* NULL: the command lacks the parameter */
    char **env;
    struct text images;
};

/* In run_commands.c: */
/* Formats a line into c->error and returns -1. */
#define run_wrong(c, ...) fail_because(-1, (c)->error, (c)->error_size, __VA_ARGS__)
/* Splits the words after the first "--" into commands. */
int run_split_commands(struct commands *c);
/* Sets c->env to the environment for the commands: that of this process without the variable that jitbench adds as
 * padding; with --clean-env only PATH. */
void run_choose_env(struct commands *c);
/* Finds the index of the command that --reference names; it is measured first. */
int run_find_reference(struct commands *c, size_t *first);
/* Runs the commands of --cleanup. Reports failures on standard error. Returns 128 + N when signal N ended them, else
 * 0. */
int run_clean_up(const struct run_options *options);
/* Packs command i as bytes for the worker processes that execute it, and formats it as a line for the table. */
int run_pack_command(struct commands *c, size_t i, struct command_params *params);
/* Sets name to the program's name without directories. shell: word is a command line, and its first word counts. */
void run_name_after_program(const char *word, bool shell, struct name *name);
/* Names the commands by --name, otherwise by their programs. */
int run_name_commands(struct commands *c);
/* The next three functions open the descriptors that the workers inherit: the commands' standard input; their standard
 * output; shared memory with the packed commands. */
int run_open_input(struct commands *c);
int run_open_output(struct commands *c);
int run_open_image(struct commands *c);

/* In run_scan.c: */
/* Reads --parameter-list and --parameter-scan, and makes a command for each combination of values. With --aa adds the
 * only command a second time, so that it is compared with itself. */
int run_combine(struct commands *c);
void run_free_parameters(struct commands *c);

/* In run_pairs.c: */
/* Checks that --fail-on can find something. */
int run_check_fail_on(struct commands *c);
/* Implements enough() of struct plan: returns whether there are enough samples to compare the commands. */
bool run_enough(struct plan_item *items, size_t n, const struct plan_samples *samples);
/* Returns the exit status of --fail-on, with a line on standard error for each command that fails. */
int run_fail(const struct measure *m, const void *options);

#endif
