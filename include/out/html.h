/* SPDX-License-Identifier: MIT */
/* What HTML pages have in common: escaping, the page around, its style. A page is one file: no script, nothing from
 * elsewhere, light or dark as the reader's system is, and fit to be printed. */
#ifndef OUT_HTML_H
#define OUT_HTML_H

#include <stddef.h>

#include "engine/text.h"

/* Text for HTML and SVG, within elements and attributes: & < > " ' are escaped; what is not UTF-8, and control
 * characters but for tab and line feed, are U+FFFD. */
void html_escape(struct text *out, const char *s, size_t length);
void html_text(struct text *out, const char *s);
/* The same of a formatted text; what stands in format is not markup either. */
void html_printf(struct text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Up to and with <main>, and from </main> on. */
void html_begin(struct text *out, const char *title);
void html_end(struct text *out);

/* How many colours of series the style has: classes s0 to s7. Those of the palette of Okabe and Ito ('Color Universal
 * Design', 2008), which people with the common kinds of colour blindness tell apart, darker or lighter where they would
 * not stand out from the page. Further classes: q0 to q7, one colour from faint to strong, for strips and heat maps. */
#define HTML_COLOURS 8
#define HTML_LEVELS  8

#endif
