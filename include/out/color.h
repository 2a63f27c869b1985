/* SPDX-License-Identifier: MIT */
/* Colours of statuses and verdicts, on a terminal only. */
#ifndef OUT_COLOR_H
#define OUT_COLOR_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/row.h"
#include "engine/text.h"

enum color { COLOR_NONE, COLOR_GREEN, COLOR_YELLOW, COLOR_RED };

/* The option --color of commands that print them; the member color of the struct is an int. */
extern const char *const color_choices[]; /* auto, always, never */
#define COLOR_ROW(struct_)                                                                                             \
    {                                                                                                                  \
        .name = "color", .type = OPTION_CHOICE, .value_name = "auto|always|never", .choices = color_choices,           \
        .preset = {"auto"}, OPTION_AT(struct_, color), .help = "colours of statuses and verdicts; auto: on a terminal" \
    }

/* Whether the text for the descriptor is to have colours (its member color). auto: a terminal that is not "dumb", and
 * the environment has no NO_COLOR. choice: index in color_choices. */
bool color_wanted(int choice, int fd);

/* Appends the first bytes of s, in that colour where the text is to have colours. */
void color_put(struct text *out, enum color color, const char *s, size_t length);

enum color color_of_status(enum row_status status);

#endif
