/* SPDX-License-Identifier: MIT */
/* Option tables. One row is an option: parsing, range, help text and the man page check read the row, and
 * nothing else knows it. Values land in plain structs that can be handed to a worker as bytes. */
#ifndef ENGINE_OPTION_H
#define ENGINE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/cpuset.h"

enum option_type {
    OPTION_FLAG,        /* bool; takes no value; presets write it "yes" or "no" */
    OPTION_COUNT,       /* uint64_t; decimal, suffix K, M or G for 10^3, 10^6, 10^9 ("1M experiments"); T as well */
    OPTION_INT,         /* int64_t; decimal, may be negative */
    OPTION_SIZE,        /* uint64_t bytes; suffix K, M, G for 2^10, 2^20, 2^30; T as well */
    OPTION_DURATION,    /* uint64_t ns; "250ms", "1.5s", "2m", "100us", "50ns", "1h"; a bare number is seconds */
    OPTION_DURATION_US, /* the same, but a bare number is microseconds */
    OPTION_PERCENT,     /* double; "2", "2.5" or "2%" */
    OPTION_CHOICE,      /* int: the index in choices */
    OPTION_TEXT,        /* char[size]; longer values are refused */
    OPTION_SWEEP,       /* struct option_sweep: "22", "10:46:4" or "10:46" (step 1); suffixes as COUNT */
    OPTION_COUNTS,      /* struct option_counts: "1,2,4"; suffixes as COUNT */
    OPTION_NAMES,       /* uint64_t: bit i is set when choices[i] (64 at most) is named; "burn,ring", case ignored */
    OPTION_CPUS,        /* struct option_cpus: a CPU list, or one of choices ("all", "quiet") */
};

struct option_sweep {
    uint64_t first, last, step; /* last >= first; step >= 1; a single value has first == last */
};

#define OPTION_COUNTS_MAX 32
struct option_counts {
    uint64_t n, value[OPTION_COUNTS_MAX];
};

struct option_cpus {
    int choice; /* index in choices, or -1 when a list was given */
    struct cpuset set;
};

/* The presets that change defaults: --quick and --classic. */
enum option_preset { PRESET_DEFAULT, PRESET_QUICK, PRESET_CLASSIC, PRESET_COUNT };

/* A word of another program or an old habit, without its dashes, and what an error line says of it behind "; ". */
struct option_foreign {
    const char *word, *hint;
};

struct option {
    const char *name;    /* long name without dashes */
    char letter;         /* 0 when it has none */
    const char *aliases; /* other long names, space between; NULL for none */
    enum option_type type;
    const char *value_name;     /* as help shows it: "N", "LIST", "FILE"; NULL for flags */
    const char *optional;       /* the text used when the value is left out ("--fifo"); NULL: a value is required */
    double min, max;            /* of numbers, in the base unit (ns, bytes, first and last of a sweep,
                                   each number of a list); both 0: no range */
    const char *above;          /* why max is the most, for the error line; NULL: nothing to say */
    const char *const *choices; /* NULL-ended, for CHOICE, NAMES and CPUS */
    const struct option_foreign *foreign; /* values that are no choices; ends with word NULL; NULL: none */
    const char *preset[PRESET_COUNT];     /* default values as a user would type them; preset[0] NULL: unset (zeroed);
                                             preset[QUICK] or [CLASSIC] NULL: as preset[0] */
    const char *help;                     /* one line, no full stop; the default and the range are added by help */
    size_t offset, size; /* where in the struct it lands; size is for TEXT, and checked for the others */
};

/* offset and size in one: OPTION_AT(struct prime_params, limit) */
#define OPTION_AT(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)

/* A default of one command for a row that others share with another one: under all presets. */
struct option_default {
    const char *name, *value;
};

/* A table with the struct it fills. given[i] says that the user named row i. */
#define OPTION_ROWS_MAX 48
struct option_table {
    const char *heading; /* in help: "Options common to all that measure" */
    const struct option *rows;
    size_t n;
    const struct option_default *defaults; /* in place of rows' own; ends with name NULL; NULL: none */
    const struct option_foreign *foreign;  /* options that there are not; ends with word NULL; NULL: none */
    void *target;
    bool given[OPTION_ROWS_MAX];
    bool shortened[OPTION_ROWS_MAX]; /* named by a beginning of its name */
};

/* Parses argv[1..argc-1] against n tables, options and operands mixed, "--" ends options. Long options may be
 * shortened to an unambiguous beginning; "--name=value" and "--name value", "-n5" and "-n 5" are equal; letters of
 * flags combine. An optional value is only taken from "--name=value" or "-nVALUE". Operands are moved, in order, to the
 * front of operands[] (room for argc pointers). The last of several wins, but COUNTS and NAMES append on repetition
 * ("-c 1 -c 2"). Values are parsed straight into the targets; option_defaults() has been called before, or is called
 * after with the preset now known: it leaves given rows alone. Returns the number of operands, or -1 with one line in
 * error that names option, value and range. */
int option_parse(int argc, char *const argv[], struct option_table *tables, size_t n, const char **operands,
                 char *error, size_t error_size);

/* Sets each row that was not given to its default under the preset. A default text that does not parse is a
 * programming error: returns -1 with the row named in error. */
int option_defaults(struct option_table *tables, size_t n, enum option_preset preset, char *error, size_t error_size);

/* Parses one value for a row into target. 0, or -1 with the line in error. */
int option_set(const struct option *row, const char *value, void *target, bool append, char *error, size_t error_size);

/* True when the user named the row of that long name in any table. */
bool option_given(const struct option_table *tables, size_t n, const char *name);

/* Help for a table as text, wrapped at width columns: letter, name, value, help, range and default. */
struct text;
void option_help(const struct option_table *table, unsigned width, struct text *out);

#endif
