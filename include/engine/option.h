/* SPDX-License-Identifier: MIT */
/* Options of the command line. */
#ifndef ENGINE_OPTION_H
#define ENGINE_OPTION_H

#include "sys/cpu.h"

/* --fail-on: what makes a command end with the status of a finding, each word with an optional limit; the same in
 * every command that judges. */

enum {
    FAIL_ON_SLOWER = 1,
    FAIL_ON_FASTER = 2,
    FAIL_ON_OTHER = 4,     /* changed, without a better direction */
    FAIL_ON_UNDECIDED = 8, /* not decided whether it changed */
    FAIL_ON_SETTINGS = 16, /* only fleet */
    FAIL_ON_KINDS = 5
};

struct fail_on {
    unsigned kinds;                /* asked for; 0: --fail-on was not given */
    double percent[FAIL_ON_KINDS]; /* of each kind; infinite: none */
};

extern const char *const fail_on_words[]; /* ends with NULL */

/* Adds a word, also of older versions, with its limit in % (NAN: none). Of several the least counts. Returns false
 * for no such word. */
bool fail_on_add(struct fail_on *fail_on, const char *word, double percent);

/* In %: negative: every difference counts, NAN: not asked for. */
double fail_on_limit(const struct fail_on *fail_on, unsigned kind);

/* Whether this kind is asked for when the difference is certainly larger than `by` %; FAIL_ON_UNDECIDED: when none
 * above `by` % is possible. NAN: not known, beyond every limit. */
bool fail_on_finds(const struct fail_on *fail_on, unsigned kind, double by);

/* The rest of an option's entry. */
#define FAIL_ON_ROW(struct_, member_) \
    { \
        OPTION("fail-on", 0, struct_, member_, \
               "exit 4 when a figure is slower (worse), faster, changed in either " \
               "direction, or undecided; by more than PCT %"), \
            OPTION_NUMBER(FAIL_ON, "WORD[:PCT],...", 0, 1000), .choices = fail_on_words \
    }

/* Option tables: one entry defines an option for parsing, range check, help text and the man page check. Values are
 * stored in plain structs that can be copied to a worker as bytes. */

enum option_type {
    OPTION_FLAG,        /* bool without a value; defaults "yes" or "no". The default type */
    OPTION_COUNT,       /* uint64_t; suffix K, M, G or T for 10^3 ... ("1M experiments") */
    OPTION_INT,         /* int64_t, may be negative */
    OPTION_SIZE,        /* uint64_t bytes; suffix K, M, G or T for 2^10 ... */
    OPTION_DURATION,    /* uint64_t ns; "250ms", "1.5s", "2m", "100us", "50ns", "1h"; a bare number is seconds */
    OPTION_DURATION_US, /* a bare number is microseconds */
    OPTION_PERCENT,     /* double; "2", "2.5" or "2%" */
    OPTION_CHOICE,      /* int: index in choices */
    OPTION_TEXT,        /* char[size]; longer values are refused */
    OPTION_LINES,       /* char[size]; values of repeated options, with a newline between */
    OPTION_SWEEP,       /* struct option_sweep: "22", "10:46:4" or "10:46" (step 1); suffixes as COUNT */
    OPTION_COUNTS,      /* struct option_counts: "1,2,4"; suffixes as COUNT */
    OPTION_DURATIONS,   /* struct option_counts in ns: "1ms,100us" */
    OPTION_NAMES,       /* uint64_t: bit i: choices[i] (64 at most); "burn,ring", case ignored */
    OPTION_FAIL_ON,     /* struct fail_on: "slower:5,undecided"; the range is the number's */
    OPTION_CPUS,        /* struct option_cpus: a list, or one of choices ("all", "quiet") */
};

struct option_sweep {
    uint64_t first, last, step; /* last >= first; step >= 1 */
};

#define OPTION_COUNTS_MAX 32
struct option_counts {
    uint64_t n, value[OPTION_COUNTS_MAX];
};

struct option_cpus {
    int choice; /* index in choices, or -1: a list */
    struct cpuset set;
};

#define OPTION_REST 512

enum option_preset { PRESET_DEFAULT, PRESET_QUICK, PRESET_CLASSIC, PRESET_THESIS, PRESET_COUNT };

/* In the stored text of several words: between words, and between repetitions of the option. */
#define OPTION_WORD_END '\x1f'
#define OPTION_USE_END  '\x1e'

/* What becomes of an option of another program. */
enum option_foreign_use {
    FOREIGN_REFUSED, /* an error; the hint follows it, also after an error in the value of our option with that letter
                      */
    FOREIGN_FLAG,    /* ignored; the hint says why in a note, NULL: without one, since nothing is different */
    FOREIGN_VALUE,   /* so is its value; no note for 0 */
    FOREIGN_MEANS,   /* the hint is the name of our option, which has a value */
};

/* Words that users know from another program, without dashes and with spaces between, and the hint that the error line
 * gives after "; ". */
struct option_foreign {
    const char *words, *hint;
    enum option_foreign_use use;
};

struct option {
    const char *name;    /* long, without dashes */
    char letter;         /* 0: none */
    const char *aliases; /* other long names, with spaces between; NULL: none */
    enum option_type type;
    unsigned words;         /* in a TEXT option's value ("-L n 1,2"), which may then be repeated; 0: one */
    const char *value_name; /* in help: "N", "LIST", "FILE"; NULL for flags */
    const char *optional;   /* text when the value is omitted ("--fifo"); NULL: required */
    bool follows;           /* the next argument, unless it begins with '-', is the optional value */
    double min, max;        /* range in the base unit (ns, bytes, first and last of a sweep, each number of a
                             * list); both 0: none */
    const char *above;      /* why there is this max, for the error line */
    /* numbers from max to this are taken as max, with a note; 0: none; foreign: typed as another program's */
    double capped, foreign_capped;
    const char *const *choices;           /* NULL-terminated; for CHOICE, NAMES, FAIL_ON and CPUS */
    size_t rest;                          /* NAMES: of char[OPTION_REST], for what follows "NAME:"; 0: none */
    const char *rated;                    /* NAMES: words whose rest is bytes a second */
    size_t rates;                         /* of their uint64_t[], by choice */
    const struct option_foreign *foreign; /* hints for values that are none; ends with words NULL */
    const char *preset[PRESET_COUNT];     /* as typed; preset[0] NULL: unset (zeroed); other ones NULL: as preset[0] */
    const char *help;                     /* without a full stop; help adds default and range */
    size_t offset, size; /* in the struct; size is the capacity for TEXT and LINES, else it has to match */
};

/* OPTION_AT(struct prime_params, limit) */
#define OPTION_AT(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
/* letter_ 0: none. */
#define OPTION(name_, letter_, type, member, help_) \
    .name = name_, .letter = letter_, .help = help_, OPTION_AT(type, member)

/* type_: without OPTION_. */
#define OPTION_NUMBER(type_, value_name_, min_, max_) \
    .type = OPTION_##type_, .value_name = value_name_, .min = min_, .max = max_
#define OPTION_ONE_OF(value_name_, choices_) .type = OPTION_CHOICE, .value_name = value_name_, .choices = choices_
/* The choices are listed here. */
#define OPTION_EITHER(value_name_, ...)       OPTION_ONE_OF(value_name_, ((const char *const[]){__VA_ARGS__, NULL}))
#define OPTION_SOME_OF(value_name_, choices_) .type = OPTION_NAMES, .value_name = value_name_, .choices = choices_
#define OPTION_WORD(value_name_)              .type = OPTION_TEXT, .value_name = value_name_

/* A command's own default for an option that it shares, under all presets. */
struct option_default {
    const char *name, *value;
};

/* given[i]: the user gave option i. */
#define OPTION_ROWS_MAX 48
struct option_table {
    const char *heading; /* in help: "Options common to all that measure" */
    const struct option *rows;
    size_t n;
    const struct option_default *defaults; /* instead of the entries'; ends with name NULL */
    const struct option_foreign *foreign;  /* hints for other programs' options; ends with words NULL */
    const char *taken;                     /* letters that another table of the command uses */
    bool differing;                        /* help leaves out what is as in the entries */
    bool separates;                        /* "--" is an operand among others, and does not end the options */
    void *target;
    bool given[OPTION_ROWS_MAX];
};

/* All entries of n tables. */
#define for_each_option(table_, row_, tables_, n_) \
    for (const struct option_table *table_ = (tables_); table_ < (tables_) + (n_); table_++) \
        for (const struct option *row_ = table_->rows; row_ < table_->rows + table_->n; row_++)

/* The struct in which the values are stored is target_. */
#define OPTION_TABLE(heading_, rows_, target_) .heading = heading_, .rows = rows_, .n = COUNT(rows_), .target = target_

/* Parses argv[1..argc-1] against n tables, options and operands mixed; "--" ends the options. Long options may be
 * unambiguous prefixes; letters of flags combine. An optional value is only taken from "--name=value" or "-nVALUE",
 * unless `follows` is set. Of a repeated option the last value wins, but COUNTS, NAMES, FAIL_ON and LINES append.
 * option_defaults() is called before, or after when the preset depends on the options. Returns the number of operands,
 * stored in order in operands[] (room for argc), with notes ("": none) in error, or -1 with a line in error. */
int option_parse(int argc, char *const argv[], struct option_table *tables, size_t n, const char **operands,
                 struct error *error);

/* Sets options that were not given to the preset's defaults. Returns -1 with an option's name in error when a
 * default does not parse, a programming error. */
int option_defaults(struct option_table *tables, size_t n, enum option_preset preset, struct error *error);

/* Parses a value into the struct target. append: adds it to an earlier one (COUNTS, NAMES, FAIL_ON and LINES).
 * Returns 0, or -1 with a line in error. */
int option_set(const struct option *row, const char *value, void *target, bool append, struct error *error);

/* By that name in any table, or by another entry for the same place. */
bool option_given(const struct option_table *tables, size_t n, const char *name);

/* For completion: the option that a word names, of letters the last, and of long names that begin so the first; marks
 * them as given. NULL: one is unknown. *value: in the same word; NULL: none. */
const struct option *option_of_word(struct option_table *tables, size_t n, const char *word, const char **value);

/* 0: none, or another table uses it (taken). */
char option_letter(const struct option_table *table, const struct option *row);

/* Copies argv[1..argc-1] to kept (room for argc) without the options in names (ends with NULL; no letters) and their
 * values; they have been parsed. Returns the number kept. */
int option_without(int argc, char *const argv[], struct option_table *tables, size_t n, const char *const *names,
                   char **kept);

/* Letter, name, value, help, range and default, wrapped at width columns (0: not). */
struct text;
void option_help(const struct option_table *table, unsigned width, struct text *out);

#endif
