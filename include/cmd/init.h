/* SPDX-License-Identifier: MIT */
/* jitbench as the first process of a machine (init): reads its orders from the kernel's command line, decides whether
 * this process is to act as init, and carries the orders out. */
#ifndef CMD_INIT_H
#define CMD_INIT_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/option.h"
#include "rows/text.h"
#include "sys/command_line.h"

enum init_end { INIT_STAY, INIT_POWEROFF, INIT_REBOOT, INIT_SHELL, INIT_HALT };

/* Values of the options of jitbench init. Each option --NAME VALUE can also be given on the kernel's command line, as
 * an order: jitbench.NAME=VALUE. */
struct init_orders {
    char run[4096];
    char out[1024];
    char scratch[1024];
    char modules[256];
    int end, tune; /* end: enum init_end; tune: 0 or 1 */
    bool help;
};

#define INIT_RUN_DEFAULT "all"

extern const struct option init_rows[];
extern const size_t init_n_rows;

/* Reads the orders of init (words jitbench.NAME=VALUE), and the command to run. kernel_line: the kernel's command line;
 * NULL when it cannot be read, "" when it is meant for another process. argv: the arguments of the process, without its
 * own name, which include the words after "--" of the kernel's line. Orders may be in both; if NAME is given more than
 * once, the last one counts, and argv comes after the line. The command to run begins at the first other word of argv
 * that was not meant for the kernel (that is, not before the "--" of the kernel's line; if there is no line, at the
 * first name of a jitbench command), and extends to the end of argv, except for orders in it. Its words are stored in
 * words (*n_words of them, room for argc). Appends to `wrong` what is wrong, separated by "; ", and reads everything
 * else. */
void init_orders_read(const char *kernel_line, int argc, char *const *argv, struct init_orders *orders,
                      const char **words, size_t *n_words, struct text *wrong);

/* Makes the argument vector of the command to run: "jitbench", then the n words, or if n is 0 those of orders->run. If
 * orders->tune is set, --tuned is inserted after the command's name. Appends to `wrong`, as init_orders_read() does,
 * why the command cannot be run (argv is NULL then), and that orders->out is not of the form DEVICE:PATH, or
 * orders->scratch not of the form DEVICE:/DIR. The caller frees with init_command_free(). */
struct init_command {
    struct words words;
    char **argv;
};
void init_command_make(const struct init_orders *orders, const char *const *words, size_t n_words,
                       struct init_command *command, struct text *wrong);
void init_command_free(struct init_command *command);

/* Returns whether this process, started under that name, is to act as init: PID 1 of the machine always, because it
 * must never exit; PID 1 of a container or PID namespace only when the program's file is called init. */
bool init_chosen(const char *name);

/* Runs as init. Returns the exit status, but does not return as PID 1 of the machine. argv[0] is the program's name. */
int init_boot(int argc, char **argv);

#endif
