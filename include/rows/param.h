/* SPDX-License-Identifier: MIT */
/* The parameters of a measurement: words "key=value", each of one kind. */
#ifndef ROWS_PARAM_H
#define ROWS_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum row_param_kind {
    PARAM_WORK,      /* what the benchmark did: sizes, counts, method */
    PARAM_CPU,       /* of the CPU: cache sizes, chosen instructions, distance of CPUs */
    PARAM_BUILD,     /* of the build: C library, linkage */
    PARAM_PLACEMENT, /* policy and CPUs of other processes than the measured: timer, load */
    PARAM_OUTCOME,   /* known only after the run: calibration, work that a load did */
    PARAM_COMMAND,   /* of jitbench run: input, preparation, values of "{NAME}", and last the command line, to the
                      * end; each word is quoted as for a shell */
};

#define ROW_PARAM_SIZE 512
#define ROW_PARAMS_MAX 24 /* the last one has all further words of a damaged file */

struct row_param {
    uint16_t at, length; /* of "key=value" in row_params.text, in bytes */
    uint8_t key, kind;   /* length of the key; enum row_param_kind */
};

/* All zero: none. */
struct row_params {
    char text[ROW_PARAM_SIZE]; /* CSV column `param`: words with spaces between, no commas but in the command line */
    struct row_param of[ROW_PARAMS_MAX];
    uint8_t n;
};

/* The value is as by printf(); what does not fit is cut. */
void row_param_add(struct row_params *params, enum row_param_kind kind, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Cuts what does not fit. */
void row_params_append(struct row_params *params, const struct row_params *more);
/* Splits params->text, read from a file. Kinds follow from keys. */
void row_params_read(struct row_params *params);

/* Returns the value within params->text; NULL when the key is missing. */
const char *row_param(const struct row_params *params, const char *key, size_t *length);
bool row_param_is(const struct row_params *params, const char *key, const char *value);
/* NAN when the key is missing. */
double row_param_number(const struct row_params *params, const char *key);

/* Values of --parameter-list and --parameter-scan, which replace "{NAME}" in a command line, are parameters with the
 * key "{NAME}". Appends those keys that are not in the list of n yet, as far as there is room, and returns their new
 * number. */
#define ROW_VARIED_MAX  4u
#define ROW_VARIED_SIZE 34u
size_t row_params_varied(const struct row_params *params, char keys[ROW_VARIED_MAX][ROW_VARIED_SIZE], size_t n);

/* Returns params->text from the first PARAM_COMMAND on; NULL: none. */
const char *row_command(const struct row_params *params);
/* Returns "command", which extends to the end of params->text; NULL: none. */
const char *row_command_line(const struct row_params *params);

/* "stable protocol" or "classic protocol"; "" without the parameter "protocol", which rows of --classic and the
 * index rows of unix have. */
enum { ROW_PROTOCOL_SIZE = 32 };
void row_protocol(const struct row_params *params, char buf[ROW_PROTOCOL_SIZE]);

/* row_next_word() goes through the words: a command line has several, other parameters have one. word is all zero at
 * first. Returns false after the last. */
struct row_word {
    const char *text;
    size_t length;
    const struct row_param *of;
};
bool row_next_word(const struct row_params *params, struct row_word *word);

#endif
