/* SPDX-License-Identifier: MIT */
/* Common parts of HTML pages: escaping, start and end of the page, style. A page is one file without scripts and
 * external resources. It follows the reader's light or dark mode, and can be printed. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <stddef.h>

#include "rows/text.h"

/* Appends text for HTML and SVG, usable in elements and attributes: escapes & < > " ', and replaces invalid UTF-8 and
 * control characters other than tab and line feed by U+FFFD. html_escape() takes the first `length` bytes of a string.
 */
void html_escape(struct text *out, const char *s, size_t length);
/* Appends markup: the format as it is, with the texts of %s escaped. Knows %s, %.24s, %.*s, %c, %zu, %.1f, %+.1f and
 * %%. %f is for coordinates: it writes one decimal, or none if that is 0, and limits the number to -1e6 to 1e6; a
 * number that is not finite becomes 0. */
void html_put(struct text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Append the page's start up to <main>, and its end from </main> on. */
void html_begin(struct text *out, const char *title);
void html_end(struct text *out);

/* Number of colours for series in the style: classes s0 to s7. They are the palette of Okabe and Ito ('Color Universal
 * Design', 2008), which people with the common kinds of colour blindness can distinguish, darker or lighter where
 * contrast with the page would be too low. Classes q0 to q7 are one colour from faint to strong, for strips and heat
 * maps. */
#define HTML_COLOURS 8
#define HTML_LEVELS  8

#endif
