/* SPDX-License-Identifier: MIT */
/* Option tables. One entry defines an option: parsing, range check, help text and the man page check all read it.
 * Values are stored in plain structs that can be copied to a worker as bytes. */
#ifndef ENGINE_OPTION_H
#define ENGINE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/fail_on.h"
#include "sys/cpuset.h"

enum option_type {
    OPTION_FLAG,        /* bool; takes no value; defaults are written "yes" or "no". The type of an entry that names
                         * none */
    OPTION_COUNT,       /* uint64_t; decimal, suffix K, M or G for 10^3, 10^6, 10^9 ("1M experiments"); T as well */
    OPTION_INT,         /* int64_t; decimal, may be negative */
    OPTION_SIZE,        /* uint64_t bytes; suffix K, M, G for 2^10, 2^20, 2^30; T as well */
    OPTION_DURATION,    /* uint64_t ns; "250ms", "1.5s", "2m", "100us", "50ns", "1h"; a bare number is seconds */
    OPTION_DURATION_US, /* the same as OPTION_DURATION, but a bare number is microseconds */
    OPTION_PERCENT,     /* double; "2", "2.5" or "2%" */
    OPTION_CHOICE,      /* int: the index in choices */
    OPTION_TEXT,        /* char[size]; longer values are refused */
    OPTION_LINES,       /* char[size]: as TEXT, but the values of repeated options are all kept, with a newline
                         * between */
    OPTION_SWEEP,       /* struct option_sweep: "22", "10:46:4" or "10:46" (step 1); suffixes as COUNT */
    OPTION_COUNTS,      /* struct option_counts: "1,2,4"; suffixes as COUNT */
    OPTION_NAMES,       /* uint64_t: bit i is set when choices[i] (64 at most) is named; "burn,ring", case ignored */
    OPTION_FAIL_ON, /* struct fail_on: "slower:5,undecided"; choices are the words, the range is that of the number */
    OPTION_CPUS,    /* struct option_cpus: a CPU list, or one of choices ("all", "quiet") */
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

/* Separators in the stored text of an option whose value is several words: between the words, and between the
 * repetitions of the option. */
#define OPTION_WORD_END '\x1f'
#define OPTION_USE_END  '\x1e'

/* An option or value that users know from another program, without its dashes, and the hint that the error line gives
 * for it, after "; ". */
struct option_foreign {
    const char *word, *hint;
};

struct option {
    const char *name;    /* long name of the option, without dashes */
    char letter;         /* one-letter form; 0: none */
    const char *aliases; /* other long names, separated by spaces; NULL: none */
    enum option_type type;
    unsigned words;             /* number of words in the value of a TEXT option ("-L n 1,2"), which may then be
                                 * repeated; 0: one */
    const char *value_name;     /* placeholder shown in help: "N", "LIST", "FILE"; NULL for flags */
    const char *optional;       /* text used when the value is omitted ("--fifo"); NULL: a value is required */
    bool follows;               /* the next argument is taken as the optional value, unless it begins with '-' */
    double min, max;            /* range of numbers, in the base unit (ns, bytes, first and last of a sweep, each
                                 * number of a list); both 0: no range */
    const char *above;          /* why there is this max, for the error line; NULL: nothing is added */
    const char *const *choices; /* allowed values, NULL-terminated; for CHOICE, NAMES, FAIL_ON and CPUS */
    const struct option_foreign *foreign; /* values that are not choices, with the hints for them; ends with word NULL;
                                           * NULL: none */
    const char *preset[PRESET_COUNT];     /* default values as a user would type them; preset[0] NULL: unset (zeroed);
                                             preset[QUICK] or [CLASSIC] NULL: as preset[0] */
    const char *help;                     /* one line without a full stop; help adds the default and the range */
    size_t offset, size; /* where the value is stored in the struct; for TEXT and LINES size is the capacity, for other
                          * types it only has to match */
};

/* Initialises offset and size: OPTION_AT(struct prime_params, limit). */
#define OPTION_AT(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
/* Initialises the members that every option sets: its name, its letter (0: none), where its value is stored, and its
 * help. */
#define OPTION(name_, letter_, type, member, help_)                                                                    \
    .name = name_, .letter = letter_, .help = help_, OPTION_AT(type, member)

/* Initialise the type of an option and the members that belong to it: the placeholder, the range of a number, the words
 * to choose from. */
#define OPTION_NUMBER(type_, value_name_, min_, max_) .type = type_, .value_name = value_name_, .min = min_, .max = max_
#define OPTION_ONE_OF(value_name_, choices_)          .type = OPTION_CHOICE, .value_name = value_name_, .choices = choices_
#define OPTION_SOME_OF(value_name_, choices_)         .type = OPTION_NAMES, .value_name = value_name_, .choices = choices_
#define OPTION_WORD(value_name_)                      .type = OPTION_TEXT, .value_name = value_name_

/* A default that a command sets for an option that it shares with others; it applies under all presets. */
struct option_default {
    const char *name, *value;
};

/* A table of options, and the struct in which their values are stored. given[i] says that the user gave option i. */
#define OPTION_ROWS_MAX 48
struct option_table {
    const char *heading; /* heading in help: "Options common to all that measure" */
    const struct option *rows;
    size_t n;
    const struct option_default *defaults; /* defaults that replace those of the entries; ends with name NULL; NULL:
                                            * none */
    const struct option_foreign *foreign;  /* options of other programs, with the hints for them; ends with word NULL;
                                            * NULL: none */
    const char *taken; /* letters that do not select entries of this table, since another table of the command uses
                        * them; NULL: none */
    void *target;
    bool given[OPTION_ROWS_MAX];
    bool shortened[OPTION_ROWS_MAX]; /* shortened[i]: the user abbreviated the name of option i */
};

/* Initialises a table: its heading, the array of its options, and the struct in which their values are stored. */
#define OPTION_TABLE(heading_, rows_, target_)                                                                         \
    .heading = heading_, .rows = rows_, .n = sizeof(rows_) / sizeof((rows_)[0]), .target = target_

/* Parses argv[1..argc-1] against n tables, options and operands mixed; "--" ends the options. Long options may be
 * shortened to an unambiguous prefix; "--name=value" and "--name value", "-n5" and "-n 5" are equal; letters of flags
 * combine. An optional value is only taken from "--name=value" or "-nVALUE", unless the option's `follows` is set.
 * Operands are stored in operands[] in order (room for argc pointers). When an option is repeated the last value wins,
 * but COUNTS, NAMES, FAIL_ON and LINES append ("-c 1 -c 2"). Values are written straight into the targets. Call
 * option_defaults() before, or after when the preset depends on the options: it does not change options that the user
 * gave. Returns the number of operands, or -1 with one line in error that names option, value and range. */
int option_parse(int argc, char *const argv[], struct option_table *tables, size_t n, const char **operands,
                 char *error, size_t error_size);

/* Sets each option that was not given to its default under the preset. Returns -1 with the option's name in error
 * when a default text does not parse, which is a programming error. */
int option_defaults(struct option_table *tables, size_t n, enum option_preset preset, char *error, size_t error_size);

/* Parses one value of an option into the struct target. append: adds it to an earlier value (COUNTS, NAMES, FAIL_ON and
 * LINES). Returns 0, or -1 with one line in error. */
int option_set(const struct option *row, const char *value, void *target, bool append, char *error, size_t error_size);

/* Returns whether the user gave the option of that long name in any table, or another entry that stores its value in
 * the same place. */
bool option_given(const struct option_table *tables, size_t n, const char *name);

/* Returns the letter by which the user can give the option; 0: none, or another table uses it (taken). */
char option_letter(const struct option_table *table, const struct option *row);

/* Copies the arguments argv[1..argc-1] to kept (room for argc pointers), except for the options in names (ends with
 * NULL) and their values. The arguments must have been parsed before, and these options must not have letters. Returns
 * the number of arguments that were kept. */
int option_without(int argc, char *const argv[], struct option_table *tables, size_t n, const char *const *names,
                   char **kept);

/* Appends the help of a table to out, wrapped at width columns (0: not wrapped): letter, name, value, help, range and
 * default. */
struct text;
void option_help(const struct option_table *table, unsigned width, struct text *out);

#endif
