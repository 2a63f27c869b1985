/* SPDX-License-Identifier: MIT */
/* Functions shared by the files option*.c: names, defaults, and the texts of values in messages and help. */
#ifndef ENGINE_OPTION_PARTS_H
#define ENGINE_OPTION_PARTS_H

#include "engine/option.h"
#include "sys/fail.h"

/* Size of an option's name, and of a value that a message quotes, in bytes with the terminating zero. */
#define NAME_MAX_BYTES 64
#define SHOWN_SIZE     64
#define TWO_TO_64      18446744073709551616.0

/* Functions of option.c. */
/* Returns a long name of the option, with its length, since the next alias may follow: index 0 is the option's name,
 * higher ones are its aliases. NULL after the last. */
const char *option_name_at(const struct option *row, unsigned index, size_t *length);
/* Returns the option's default under the preset, as a user would type it; NULL: unset. For presets other than
 * PRESET_DEFAULT, NULL means that they have no default of their own. */
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
/* Returns the hint for an option or value of another program; NULL when it is not in the list. */
const char *option_foreign_hint(const struct option_foreign *list, const char *word, size_t length);

/* Functions of option_value.c. */
/* Formats a default for the help text: "250ms", as a user types it, becomes "250 ms". */
void option_show_value(const struct option *row, const char *typed, char *buf, size_t size);

#endif
