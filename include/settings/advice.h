/* SPDX-License-Identifier: MIT */
/* Advice on the noisy settings that `jitbench check` found, with the machine's own values filled in. */
#ifndef SETTINGS_ADVICE_H
#define SETTINGS_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "rows/text.h"
#include "settings/settings.h"

/* The arrays are in the order of settings_list. */
struct advice_found {
    const struct settings_view *view;
    const bool *selected;
    const struct setting_state *state;
    bool all; /* no items were named: give all advice */
};

struct advice {
    const char *about;
    struct text command;
    struct text text; /* one or two sentences */
};

#define ADVICE_MAX 6

/* Fills in the advice, the most useful first, and returns the number of entries. The caller calls advice_free() for
 * each. */
size_t advice_make(const struct advice_found *found, struct advice advice[ADVICE_MAX]);
void advice_free(struct advice *advice, size_t n);

#endif
