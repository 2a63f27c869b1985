/* SPDX-License-Identifier: MIT */
/* Lists the settings in which the runs of two sides differ. */
#ifndef ANALYSIS_COMPARE_SETTINGS_H
#define ANALYSIS_COMPARE_SETTINGS_H

#include "rows/rows.h"
#include "rows/text.h"

/* Appends "thp always -> never; autogroup 1 -> 0": every item of the columns settings and scratch_disk (named
 * scratch_mount, ...), and the pages given to a test (named "bandwidth pages"), whose values differ between the sides.
 * Several values of a side are joined by " or ". An item that one side has not recorded, as in files of earlier
 * versions, is no difference. Texts are copied from the rows, so control characters must be replaced before. Appends
 * nothing when there is no difference. */
void settings_diff(const struct row_set *base, const struct row_set *changed, struct text *out);

#endif
