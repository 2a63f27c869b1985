/* SPDX-License-Identifier: MIT */
/* Shared by the files option*.c. */
#ifndef ENGINE_OPTION_PARTS_H
#define ENGINE_OPTION_PARTS_H

#include "engine/option.h"
#include "sys/base.h"

/* With the terminating zero: a name, and a value in a message. */
#define NAME_MAX_BYTES 64
#define SHOWN_SIZE     64
#define TWO_TO_64      18446744073709551616.0

/* Returns a long name and its length, since the next alias may follow: index 0 the name, then aliases; NULL after
 * the last. */
const char *option_name_at(const struct option *row, unsigned index, size_t *length);
/* As a user would type it; NULL: unset, or, but for PRESET_DEFAULT, none of its own. */
const char *option_preset_of(const struct option_table *table, const struct option *row, enum option_preset preset);

/* As shown in an error line: one line, so short that the range after it is visible. */
const char *option_show(const char *value, char shown[SHOWN_SIZE]);
/* In the unit of the option's type. */
void option_show_number(enum option_type type, double value, char *buf, size_t size);
/* None when both limits are zero. */
bool option_has_range(const struct option *row);
/* "1 to 100" in the option's units; "" without a range. */
void option_show_range(const struct option *row, char *buf, size_t size);
/* "random, sorted or none", with an optional first item. */
void option_show_choices(const char *first, const char *const *choices, char *buf, size_t size);
/* NULL when it is not in the list. */
const char *option_foreign_hint(const struct option_foreign *list, const char *word, size_t length);

/* For help: "250ms", as typed, becomes "250 ms". */
void option_show_value(const struct option *row, const char *typed, char *buf, size_t size);

#endif
