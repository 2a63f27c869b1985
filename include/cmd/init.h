/* SPDX-License-Identifier: MIT */
/* jitbench as the first process of a machine: its orders, and the decision whether it is one. */
#ifndef CMD_INIT_H
#define CMD_INIT_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/option.h"
#include "sys/command_line.h"

enum init_end { INIT_STAY, INIT_POWEROFF, INIT_REBOOT, INIT_SHELL, INIT_HALT };

/* Target of the option table: an order jitbench.NAME=VALUE is the option --NAME VALUE. */
struct init_orders {
    char run[4096];
    char out[1024];
    char scratch[1024];
    char modules[256];
    int end, tune; /* enum init_end; 0 or 1 */
    bool help;
};

#define INIT_RUN_DEFAULT "all"

extern const struct option init_rows[];
extern const size_t init_n_rows;

/* Reads orders. kernel_line: the kernel's command line, NULL when it cannot be read or is meant for another process.
 * argv: the arguments of the process, without its own name; they contain the words after "--" of that line. Words of
 * both that begin with "jitbench." are orders. The first other word of argv begins the command to run, unless it is one
 * of the kernel's own words (found before the "--"; without a line there is no command). The command extends to the end
 * of argv, except for orders in it: run is set to it, its words are stored in argv's order in *words (n of them, room
 * for argc), and words has precedence over run. Of several equal orders the last one counts, and argv comes after the
 * line. Returns 0; or -1 with one line in error that names everything that is wrong; all else has then been read. */
int init_orders_read(const char *kernel_line, int argc, char *const *argv, struct init_orders *orders,
                     const char **words, size_t *n_words, char *error, size_t error_size);

/* Makes the argument vector of the command: argv[0] is "jitbench"; --tuned is inserted after the command's name if tune
 * is set. words has precedence over orders->run. Returns 0; or -1 with one line in error, also when out is not
 * DEVICE:PATH, or scratch not DEVICE:/DIR. The caller frees with init_command_free(). */
struct init_command {
    struct words words;
    char **argv;
};
int init_command_make(const struct init_orders *orders, const char *const *words, size_t n_words,
                      struct init_command *command, char *error, size_t error_size);
void init_command_free(struct init_command *command);

/* Returns whether this process, started under that name, is to act as init: PID 1 of the machine always, because it
 * must never exit; PID 1 of a container or PID namespace only when the program's file is called init. */
bool init_chosen(const char *name);

/* Runs as init. Does not return as PID 1 of the machine. argv[0] is the program's name. */
int init_boot(int argc, char **argv);

#endif
