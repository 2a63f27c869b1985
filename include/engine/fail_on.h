/* SPDX-License-Identifier: MIT */
/* --fail-on: what makes a command end with the status of a finding, each word with an optional limit; the same in
 * every command that judges. */
#ifndef ENGINE_FAIL_ON_H
#define ENGINE_FAIL_ON_H

#include <stdbool.h>

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
#define FAIL_ON_ROW(struct_, member_)                                                                                  \
    {                                                                                                                  \
        OPTION("fail-on", 0, struct_, member_,                                                                         \
               "exit 4 when a figure is slower (worse), faster, changed in either "                                    \
               "direction, or undecided; by more than PCT %"),                                                         \
            OPTION_NUMBER(OPTION_FAIL_ON, "WORD[:PCT],...", 0, 1000), .choices = fail_on_words                         \
    }

#endif
