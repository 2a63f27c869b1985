/* SPDX-License-Identifier: MIT */
/* Advice about the noisy settings that check has found: commands with the machine's own values filled in. */
#ifndef CMD_ADVICE_H
#define CMD_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/text.h"
#include "sys/settings.h"

/* The results of a check; the arrays are in the order of settings_list. */
struct advice_found {
    const struct settings_view *view;
    const bool *selected;
    const struct setting_state *state;
    bool all; /* no items were named: everything that would help is of interest */
};

struct advice {
    const char *about;   /* one word: "services" */
    struct text command; /* to be typed as it stands, or empty */
    struct text text;    /* a sentence or two */
};

#define ADVICE_MAX 6

/* Fills in the advice, most useful first, and returns how much there is: none where nothing that was looked at is
 * noisy. advice_free() ends each. */
size_t advice_make(const struct advice_found *found, struct advice advice[ADVICE_MAX]);
void advice_free(struct advice *advice, size_t n);

/* Appends "What to do" and the advice. Commands stay in one piece, so that they can be copied; the rest is broken at
 * the width. Nothing when there is none. */
void advice_print(const struct advice *advice, size_t n, size_t width, struct text *out);

#endif
