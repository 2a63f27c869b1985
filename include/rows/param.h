/* SPDX-License-Identifier: MIT */
/* The parameters of a measurement as a result row has them: words "key=value", each of one kind. */
#ifndef ROWS_PARAM_H
#define ROWS_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum row_param_kind {
    PARAM_WORK,      /* what the benchmark did: sizes, counts, method */
    PARAM_CPU,       /* follows from the CPU: cache sizes, chosen instructions, distance of CPUs */
    PARAM_BUILD,     /* follows from the build of jitbench: C library, linkage */
    PARAM_PLACEMENT, /* scheduling policy and CPUs of processes beside the measured ones: timer, load */
    PARAM_OUTCOME,   /* known only after the run, and different in each: calibration, work that a load did */
    PARAM_COMMAND,   /* of jitbench run: input, preparation, values of "{NAME}" in the command line, and the command
                      * line itself; each word is quoted as for a shell. The command line comes last and extends to the
                      * end */
};

#define ROW_PARAM_SIZE 512
#define ROW_PARAMS_MAX 24 /* maximum number; the last parameter includes all further words of a damaged file */

struct row_param {
    uint16_t at, length; /* position in row_params.text, and length, of "key=value", in bytes */
    uint8_t key, kind;   /* length of the key in bytes; an enum row_param_kind */
};

/* All zero: no parameters. */
struct row_params {
    char text[ROW_PARAM_SIZE]; /* the CSV column `param`: words separated by spaces, without commas except in the
                                * command line */
    struct row_param of[ROW_PARAMS_MAX];
    uint8_t n;
};

/* Appends the parameter "key=" with a value that is formatted as by printf(). What does not fit is cut. */
void row_param_add(struct row_params *params, enum row_param_kind kind, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Appends all parameters of `more`; what does not fit is cut. */
void row_params_append(struct row_params *params, const struct row_params *more);
/* Splits params->text, which was read from a file, into parameters. Their kinds follow from their keys. */
void row_params_read(struct row_params *params);

/* Returns the value of a key, a part of params->text of *length bytes. NULL when the key is missing. */
const char *row_param(const struct row_params *params, const char *key, size_t *length);
/* Returns whether the key has this value. */
bool row_param_is(const struct row_params *params, const char *key, const char *value);
/* Returns a key's value as a number; NAN when the key is missing. */
double row_param_number(const struct row_params *params, const char *key);

/* jitbench run replaces "{NAME}" in a command line by the values of --parameter-list or --parameter-scan. The values
 * are parameters with the key "{NAME}". row_params_varied() appends those keys that are not in the list of n keys yet,
 * as far as there is room, and returns the new number of keys. */
#define ROW_VARIED_MAX  4u
#define ROW_VARIED_SIZE 34u
size_t row_params_varied(const struct row_params *params, char keys[ROW_VARIED_MAX][ROW_VARIED_SIZE], size_t n);

/* Returns the part of params->text from the first parameter of kind PARAM_COMMAND to the end. NULL when there is
 * none. */
const char *row_command(const struct row_params *params);
/* Returns the value of "command", the command line, which extends to the end of params->text. NULL when there is
 * none. */
const char *row_command_line(const struct row_params *params);

/* Writes the value of the parameter "protocol" as "stable protocol" or "classic protocol"; "" when there is none. Rows
 * measured with --classic and the index rows of jitbench unix have it. */
enum { ROW_PROTOCOL_SIZE = 32 };
void row_protocol(const struct row_params *params, char buf[ROW_PROTOCOL_SIZE]);

/* row_next_word() sets word to the next word of the parameters: a command line has several, all other parameters have
 * one. word is all zero for the first call. It returns false after the last word. */
struct row_word {
    const char *text;
    size_t length;
    const struct row_param *of;
};
bool row_next_word(const struct row_params *params, struct row_word *word);

#endif
