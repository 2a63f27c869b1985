/* SPDX-License-Identifier: MIT */
/* Gives advice on the noisy settings found by `jitbench check`: commands with the machine's own values filled in. */
#ifndef SETTINGS_ADVICE_H
#define SETTINGS_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "rows/text.h"
#include "settings/settings.h"

/* The results of a check; the arrays are in the order of settings_list. */
struct advice_found {
    const struct settings_view *view;
    const bool *selected;
    const struct setting_state *state;
    bool all; /* no items were named on the command line: give all advice */
};

struct advice {
    const char *about;   /* topic in one word: "services" */
    struct text command; /* ready to be typed, or empty */
    struct text text;    /* one or two sentences */
};

#define ADVICE_MAX 6

/* Fills in the advice, the most useful first, and returns the number of entries: 0 when no checked setting is noisy.
 * The caller calls advice_free() for each. */
size_t advice_make(const struct advice_found *found, struct advice advice[ADVICE_MAX]);
void advice_free(struct advice *advice, size_t n);

#endif
