/* SPDX-License-Identifier: MIT */
/* Prints the result of `jitbench history`. */
#ifndef OUT_HISTORY_H
#define OUT_HISTORY_H

#include "analysis/history.h"
#include "rows/text.h"

/* Appends the table of changes, at most `width` characters wide (0: no limit), and the summary. recent: shows only
 * changes in this number of the last runs; 0: all. verbose: shows the figures that did not change as well. */
void history_put(const struct history *h, size_t recent, bool verbose, unsigned width, struct text *out);

/* Returns whether the change is in one of the last `recent` runs; true if recent is 0. */
bool history_is_recent(const struct history *h, const struct history_change *change, size_t recent);

/* Formats the name of a figure (index in history.figure), with its parameters if another figure has the same name.
 * Returns buf. */
char *history_name(const struct history *h, size_t figure, char *buf, size_t size);
/* Formats the settings that differ between the runs before and after a change: "kernel: 6.1 -> 6.2; thp: madvise ->
 * never"; "" when there are none. Returns buf. */
char *history_settings(const struct history *h, const struct history_change *change, char *buf, size_t size);
const char *history_unit(const struct history *h, size_t figure);

#endif
