/* SPDX-License-Identifier: MIT */
/* jitbench run: commands, parameters, comparison in pairs. */
#ifndef CMD_RUN_H
#define CMD_RUN_H

#include "bench/command.h"
#include "cmd/cmd.h"

#define COMMANDS_MAX 64u

/* The column `test`. */
struct name {
    char text[sizeof(((struct row *)0)->test)];
};

struct run_options {
    struct command_params command; /* first: the option table fills it */
    struct name names[COMMANDS_MAX];
    bool opened; /* the descriptors below were set; -1: not open */
    int image_fd, fds[3];
    /* of each --cleanup command in image_fd, in bytes; size 0: none */
    size_t cleanup_offset[COMMANDS_MAX], cleanup_size[COMMANDS_MAX];
    bool keeps;    /* this process made the file of --keep-output */
    bool children; /* there were children before the exec, which must not be ended */
};

/* A parameter of --parameter-list or --parameter-scan. */
struct parameter {
    char name[COMMAND_PARAMETER_NAME], *value[COMMANDS_MAX];
    size_t n;
    bool used; /* a command contains {NAME} */
};

/* Functions that take this struct return 0, or not with a line on standard error, and end the program when out of
 * memory. */
struct commands {
    const struct measure *m;
    struct run_options *options;
    char **words;  /* after the first "--"; NULL in place of separators */
    char ***typed; /* of each command as typed, pointing into words */
    size_t n_typed;
    struct parameter parameters[COMMAND_PARAMETERS_MAX];
    size_t n_parameters;
    /* The words of each typed command with each combination of values. */
    char **argv[COMMANDS_MAX];
    /* index in `typed` */
    size_t n, typed_of[COMMANDS_MAX];
    unsigned build[COMMANDS_MAX]; /* number of the build of its side; 0: no side has several */
    const char *value_of[COMMANDS_MAX][COMMAND_PARAMETERS_MAX]; /* NULL: not in the command */
    char **env;
    struct text images;
};

/* plan() and end() of the suite. */
int run_plan(struct measure *m, void *options);
int run_end(void *options, bool unused);
/* Without directories. shell: the first word of a command line. */
void run_name_after_program(const char *word, bool shell, struct name *name);
/* With --aa the only command comes twice, to be compared with itself. */
int run_combine(struct commands *c);
void run_free_parameters(struct commands *c);

/* Commands of that name. */
size_t run_count_named(const struct commands *c, const char *name);

/* It must be able to find something. */
int run_check_fail_on(struct commands *c);
/* enough() of struct plan. */
bool run_enough(struct plan_item *items, size_t n, const struct plan_samples *samples);
/* Returns the exit status, with a line on standard error for each command that fails. */
int run_fail(const struct measure *m, const void *options);

#endif
