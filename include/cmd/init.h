/* SPDX-License-Identifier: MIT */
/* jitbench as the first process of a machine: its orders, and when it is that. */
#ifndef CMD_INIT_H
#define CMD_INIT_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/option.h"
#include "sys/command_line.h"

enum init_end { INIT_STAY, INIT_POWEROFF, INIT_REBOOT, INIT_SHELL, INIT_HALT };

/* The target of the option table: an order jitbench.NAME=VALUE is the option --NAME VALUE. */
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

/* Reads orders. kernel_line: the kernel's command line, NULL when it cannot be read or is another's. argv: the words
 * that the process was given, without its own name, which hold what follows "--" of that line. Words of both that begin
 * with "jitbench." are orders. The first other word of argv that is not one of the kernel's own (it stands before the
 * "--"; or, without a line, it is no command) begins the command to run, which goes to the end but for the orders in
 * it: run is set to it, its words are in argv's order in *words (n of them, room for argc), and words wins over run. Of
 * several orders the last wins, and argv comes after the line. 0; or -1 with one line in error that names all that is
 * wrong: then the rest has been read all the same. */
int init_orders_read(const char *kernel_line, int argc, char *const *argv, struct init_orders *orders,
                     const char **words, size_t *n_words, char *error, size_t error_size);

/* The command as an argument vector: argv[0] is "jitbench"; --tuned is put behind the command's name when tune is
 * ordered. words wins over orders->run. 0; or -1 with one line in error, which also says when out is not DEVICE:PATH,
 * or scratch not DEVICE:/DIR. The caller frees with init_command_free(). */
struct init_command {
    struct words words;
    char **argv;
};
int init_command_make(const struct init_orders *orders, const char *const *words, size_t n_words,
                      struct init_command *command, char *error, size_t error_size);
void init_command_free(struct init_command *command);

/* Whether this process, started under that name, is to be an init: PID 1 of the machine in any case, as it must never
 * end; PID 1 of a container or PID namespace when the program's file is called init. */
bool init_chosen(const char *name);

/* The whole of it. As PID 1 of the machine it does not return. argv[0] is the program's name. */
int init_boot(int argc, char **argv);

#endif
