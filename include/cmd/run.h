/* SPDX-License-Identifier: MIT */
/* Parts of jitbench run: commands and descriptors (run_commands.c). */
#ifndef CMD_RUN_H
#define CMD_RUN_H

#include "bench/command.h"
#include "cmd/suites.h"
#include "sys/command_line.h"

#define COMMANDS_MAX 64u

/* The test of a row. */
struct name {
    char text[sizeof(((struct row *)0)->test)];
};

struct run_options {
    struct command_params command;   /* must be first, because the option table fills it */
    struct name names[COMMANDS_MAX]; /* names of the commands, which become the tests of the rows */
    bool opened;                     /* the descriptors below are open */
    int image_fd, fds[3];
    bool keeps;           /* the file of --keep-output was created here */
    bool fails_on_slower; /* --fail-on */
    bool children;        /* this process had children before its exec, which it must not end */
};

/* The commands of a run, while the plan is made. All functions below return 0, or -1 with the error. */
struct commands {
    const struct measure *m;
    struct run_options *options;
    char *error;
    size_t error_size;
    char **words; /* all words, with NULL in place of each separator */
    char ***argv; /* argument vector of each command, pointing into words */
    size_t n;
    char **env;
    struct words prepare;
    char prepare_path[4096];
    struct text images;
};

/* run_commands.c */
/* Writes the error and returns -1. */
int run_wrong(const struct commands *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Splits the words after the first "--" into commands. */
int run_split_commands(struct commands *c);
/* --aa: makes two commands of the one. */
int run_twice(struct commands *c);
/* Finds the program of --prepare and splits its words. */
int run_read_prepare(struct commands *c);
/* Copies the environment for the command, without jitbench's padding variable. --clean-env: PATH only. */
int run_choose_env(struct commands *c);
/* Packs one command as bytes, and as a line to be shown. */
int run_pack_command(struct commands *c, size_t i, struct command_params *params);
/* Uses the program's name without directories; for a shell's command line that of its first word. */
void run_name_after_program(const char *word, bool shell, struct name *name);
/* Names the commands by --name, otherwise by their programs. */
int run_name_commands(struct commands *c);
/* Open the descriptors that the commands inherit: standard input, standard output, the image of this program. */
int run_open_input(struct commands *c);
int run_open_output(struct commands *c);
int run_open_image(struct commands *c);

/* run_pairs.c */
/* Reads --fail-on. Returns 0, or -1 with the error. */
int run_read_fail_on(struct commands *c);
/* The stop rule of several commands, for struct plan. */
bool run_enough(struct plan_item *items, size_t n, const struct plan_samples *samples);
/* Returns the exit status of --fail-on, with a line on standard error for each command that fails. */
int run_fail(const struct measure *m, const struct run_options *options);

#endif
