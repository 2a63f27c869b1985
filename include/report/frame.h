/* SPDX-License-Identifier: MIT */
/* Prints a CSV between two marker lines, for consoles, which carry text only and change line ends. */
#ifndef REPORT_FRAME_H
#define REPORT_FRAME_H

#include <stddef.h>

#include "rows/text.h"

#define FRAME_BEGIN "-----BEGIN JITBENCH CSV"
#define FRAME_END   "-----END JITBENCH CSV"

/* Appends a marker line with the file's name, the CSV, and a marker line with the two numbers printed by cksum. Lines
 * end in LF only, because a terminal turns that into CRLF. The two numbers are those of the CSV with CRLF line ends, as
 * RFC 4180 and csv.h have them. */
void frame_csv(const char *name, const char *csv, size_t length, struct text *out);

#endif
