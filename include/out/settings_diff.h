/* SPDX-License-Identifier: MIT */
/* The settings in which the runs of two sides differ. */
#ifndef OUT_SETTINGS_DIFF_H
#define OUT_SETTINGS_DIFF_H

#include "engine/text.h"
#include "out/rows.h"

/* Appends "thp always -> never; autogroup 1 -> 0": every item of the columns settings and scratch_disk (called
 * scratch_mount, ...), and the pages that a test got (called "bandwidth pages"), whose values differ between the sides.
 * Several values of a side have " or " between. What one side has not recorded, as in files of earlier versions, is no
 * difference. Texts are as in the rows: sanitize them before. Nothing when nothing differs; out of memory shows
 * in out->failed. */
void settings_diff(const struct row_set *base, const struct row_set *changed, struct text *out);

#endif
