/* SPDX-License-Identifier: MIT */
/* Colours of statuses and verdicts, on terminals only. */
#ifndef OUT_COLOR_H
#define OUT_COLOR_H

#include <stdbool.h>
#include <stddef.h>

#include "rows/row.h"
#include "rows/text.h"

enum color { COLOR_NONE, COLOR_GREEN, COLOR_YELLOW, COLOR_RED };

/* Values of the option --color; the option's target is an int. */
extern const char *const color_choices[]; /* auto, always, never */
#define COLOR_ROW(struct_)                                                                                             \
    {                                                                                                                  \
        OPTION("color", 0, struct_, color, "colours of statuses and verdicts; auto: on a terminal"),                   \
            OPTION_ONE_OF("auto|always|never", color_choices), .preset[0] = "auto"                                     \
    }

/* Returns whether text for the descriptor gets colours. choice is an index in color_choices. auto: yes on a terminal
 * that is not "dumb", unless NO_COLOR is set in the environment. */
bool color_wanted(int choice, int fd);

/* Appends the first `length` bytes of s, in the colour if out has colours switched on. */
void color_put(struct text *out, enum color color, const char *s, size_t length);

enum color color_of_status(enum row_status status);

#endif
