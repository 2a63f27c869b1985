/* SPDX-License-Identifier: MIT */
/* A session: one execution of a measuring command. For the files that implement measure.h. */
#ifndef CMD_SESSION_H
#define CMD_SESSION_H

#include "cmd/measure.h"

/* Functions that return a status print a line on standard error if it is not 0. */
struct session {
    struct measure m;
    const struct command *command;
    const struct suite *const *suites;
    size_t n_suites;
    void *options[TABLES_MAX];     /* options struct of each suite */
    struct plan plans[TABLES_MAX]; /* plan of each suite */
    bool alone;                    /* no other rank of a parallel job was started with the same arguments */
    int finish_status;
};

/* In measure.c: */
/* Returns whether any planned test works on large arrays, for which it asks for huge pages. */
bool session_uses_memory(const struct session *s);

/* In measure_options.c: */
/* Prints the error. Returns EXIT_USAGE. */
#define session_fail(s, ...)          command_fail((s)->command->name, EXIT_USAGE, __VA_ARGS__)
#define session_usage_error(s, error) session_fail(s, "%s", error)
/* Parses the command line. Returns 0; EXIT_USAGE; -1 when help was printed, EXIT_ROW_FAILED when it could not be
 * printed. */
int session_parse(struct session *s, int argc, char **argv);
/* Sets suite i's own options to their defaults. Called for the command `all`, which accepts only common options. */
int session_default_options(struct session *s, size_t i);
/* Decides on which CPUs and with which policy the tests run. */
int session_resolve_place(struct session *s);

/* In repeat.c: */
/* Returns whether --runs or --interleave asks for several runs. */
bool session_repeats(const struct session *s);
/* Executes the runs that --runs or --interleave asks for, each in a process of its own. Stops after the first run that
 * a signal ended, whose command line is wrong, or of another program that made no file, and returns its exit status;
 * otherwise returns the highest exit status of all runs. */
int session_repeat(struct session *s, int argc, char **argv);

/* In measure_header.c: */
/* Returns the expected duration of suite i in s; 0: not known. */
double session_likely_seconds(const struct session *s, size_t i);
/* session_put_header() prints what will be measured and how; session_print_suite() the tables of the suite that has
 * ended; session_put_summary() the requirements that were judged, the warnings, and the path of the CSV. */
void session_put_header(struct session *s);
void session_print_suite(struct session *s);
void session_put_summary(struct session *s);

#endif
