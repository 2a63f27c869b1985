/* SPDX-License-Identifier: MIT */
/* Parameters of a result row: "key=value" words, each of a kind. */
#ifndef ROWS_PARAM_H
#define ROWS_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum row_param_kind {
    PARAM_WORK,      /* the work itself */
    PARAM_CPU,       /* a property of the CPU */
    PARAM_BUILD,     /* a property of the build */
    PARAM_PLACEMENT, /* policy and CPUs of the other parties */
    PARAM_OUTCOME,   /* a result, which differs from run to run: calibration, what a load did */
    PARAM_COMMAND,   /* the user's input, preparation, values of "{NAME}" in the command line, and that line, each
                      * quoted as one shell word; the command line comes last and extends to the end */
};

#define ROW_PARAM_SIZE 512
#define ROW_PARAMS_MAX 24 /* the last one includes all further words of a damaged file */

struct row_param {
    uint16_t at, length; /* position in the text, and length, of "key=value", in bytes */
    uint8_t key, kind;   /* length of the key; an enum row_param_kind */
};

/* All zero: no parameters. */
struct row_params {
    char text[ROW_PARAM_SIZE]; /* as in the CSV: separated by spaces, and without commas except in the command */
    struct row_param of[ROW_PARAMS_MAX];
    uint8_t n;
};

/* Appends a parameter; cuts it when there is no room. */
void row_param_add(struct row_params *params, enum row_param_kind kind, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Appends all parameters of more. */
void row_params_append(struct row_params *params, const struct row_params *more);
/* Finds the parameters in a text that was read. Their kinds follow from their keys. */
void row_params_read(struct row_params *params);

/* Finds the value of a key, with its length in *length. Returns NULL when the key is missing. */
const char *row_param(const struct row_params *params, const char *key, size_t *length);
/* Returns whether the key has this value. */
bool row_param_is(const struct row_params *params, const char *key, const char *value);
/* Returns a key's value as a number; NAN when the key is missing. */
double row_param_number(const struct row_params *params, const char *key);

/* Parameters of the command line that were given several values (run --parameter-list, --parameter-scan) have the key
 * "{NAME}". Appends those keys that are not in the list of n yet, as far as there is room. Returns their number. */
#define ROW_VARIED_MAX  4u
#define ROW_VARIED_SIZE 34u
size_t row_params_varied(const struct row_params *params, char keys[ROW_VARIED_MAX][ROW_VARIED_SIZE], size_t n);

/* Returns the text from the first parameter of kind PARAM_COMMAND to the end. NULL when there is none. */
const char *row_command(const struct row_params *params);
/* Returns the command line alone. NULL when there is none. */
const char *row_command_line(const struct row_params *params);

/* Writes "stable protocol" or "classic protocol" (an index of suite unix, latency under --classic); "" when there is no
 * protocol. */
enum { ROW_PROTOCOL_SIZE = 32 };
void row_protocol(const struct row_params *params, char buf[ROW_PROTOCOL_SIZE]);

/* Iterates over words: a command has several, all other parameters have one. word is all zero at first. Returns false
 * after the last. */
struct row_word {
    const char *text;
    size_t length;
    const struct row_param *of;
};
bool row_next_word(const struct row_params *params, struct row_word *word);

#endif
