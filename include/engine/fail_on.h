/* SPDX-License-Identifier: MIT */
/* --fail-on: the words for what makes a command end with the status of a finding, each with an optional limit. Every
 * command that judges figures has the same words. */
#ifndef ENGINE_FAIL_ON_H
#define ENGINE_FAIL_ON_H

#include <stdbool.h>

/* What a command can find, as bits. */
enum {
    FAIL_ON_SLOWER = 1,    /* a figure is worse */
    FAIL_ON_FASTER = 2,    /* a figure is better */
    FAIL_ON_OTHER = 4,     /* a figure without a better direction changed */
    FAIL_ON_UNDECIDED = 8, /* it could not be decided whether a figure changed */
    FAIL_ON_SETTINGS = 16, /* settings differ; only fleet finds this */
    FAIL_ON_KINDS = 5
};

struct fail_on {
    unsigned kinds;                /* what was asked for; 0: --fail-on was not given */
    double percent[FAIL_ON_KINDS]; /* the limit of each, in %; infinite when none was given */
};

extern const char *const fail_on_words[]; /* ends with NULL */

/* Adds a word of --fail-on with its limit in % (NAN: none), or a word that older versions had. Of a kind's several
 * limits the least counts. Returns false when there is no such word. */
bool fail_on_add(struct fail_on *fail_on, const char *word, double percent);

/* Returns the limit of one kind in %: negative when every difference counts, NAN when the kind was not asked for. */
double fail_on_limit(const struct fail_on *fail_on, unsigned kind);

/* Returns whether --fail-on asks for this kind of finding when the difference is certainly larger than `by` %; for
 * FAIL_ON_UNDECIDED, when no difference above `by` % is possible. by NAN: not known, which is beyond every limit. */
bool fail_on_finds(const struct fail_on *fail_on, unsigned kind, double by);

/* Initialises the rest of an option table's entry, after its braces are opened. */
#define FAIL_ON_ROW(struct_, member_)                                                                                  \
    {                                                                                                                  \
        OPTION("fail-on", 0, struct_, member_,                                                                         \
               "exit 4 when a figure is slower (worse), faster, changed in either "                                    \
               "direction, or undecided; by more than PCT %"),                                                         \
            OPTION_NUMBER(OPTION_FAIL_ON, "WORD[:PCT],...", 0, 1000), .choices = fail_on_words                         \
    }

#endif
