/* SPDX-License-Identifier: MIT */
/* Functions shared by the source files behind option.h: names, defaults, and the texts of values in messages and
 * help. */
#ifndef ENGINE_OPTION_PARTS_H
#define ENGINE_OPTION_PARTS_H

#include "engine/option.h"
#include "sys/fail.h"

/* Size of an option's name, and of a value in a message. */
#define NAME_MAX_BYTES 64
#define SHOWN_SIZE     64
#define TWO_TO_64      18446744073709551616.0

/* Functions of option.c. */
/* Returns a long name of the option: index 0 is its name, the aliases follow. NULL after the last. */
const char *option_name_at(const struct option *row, unsigned index, size_t *length);
/* Returns the option's default under the preset, as a user would type it; NULL: unset. For presets other than the
 * first, NULL means that they have no default of their own. */
const char *option_preset_of(const struct option_table *table, const struct option *row, enum option_preset preset);

/* Functions of option_show.c. */
/* Returns a value as it is shown in an error line: on one line, and short enough that the range after it is still
 * visible. */
const char *option_show(const char *value, char shown[SHOWN_SIZE]);
/* Formats a number in the unit of the option's type. */
void option_show_number(enum option_type type, double value, char *buf, size_t size);
/* Returns whether the option has a range: an option whose limits are both zero has none. */
bool option_has_range(const struct option *row);
/* Writes "1 to 100" in the units of the option's type; "" when the option has no range. */
void option_show_range(const struct option *row, char *buf, size_t size);
/* Writes the choices as a list, "random, sorted or none", with an optional first item before them. */
void option_show_choices(const char *first, const char *const *choices, char *buf, size_t size);
/* Returns the hint for a word, or NULL. */
const char *option_foreign_hint(const struct option_foreign *list, const char *word, size_t length);

/* Functions of option_value.c. */
/* Writes a default, which is in the form that a user types, as a person reads it. */
void option_show_value(const struct option *row, const char *typed, char *buf, size_t size);

#endif
