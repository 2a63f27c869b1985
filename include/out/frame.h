/* SPDX-License-Identifier: MIT */
/* A CSV between two marker lines, for a way that is text only and changes line ends: a console. */
#ifndef OUT_FRAME_H
#define OUT_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "engine/text.h"

#define FRAME_BEGIN "-----BEGIN JITBENCH CSV"
#define FRAME_END   "-----END JITBENCH CSV"

/* Appends the marker line with the file's name, the CSV, and the marker line with cksum's two numbers. Lines end in LF
 * alone: a terminal makes CRLF of it. The numbers are those of the file that is cut out with each line ended by CRLF,
 * as RFC 4180 and csv.h have it. */
void frame_csv(const char *name, const char *csv, size_t length, struct text *out);

#endif
