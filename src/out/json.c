/* SPDX-License-Identifier: MIT */
/* Values as JSON (RFC 8259). */
#include "out/json.h"

#include <math.h>

/* Returns the number of bytes before the next one that is not plain ASCII or must be escaped. */
static size_t plain_length(const char *s)
{
    size_t n = 0;

    while ((unsigned char)s[n] >= 0x20 && (unsigned char)s[n] < 0x80 && s[n] != '"' && s[n] != '\\')
        n++;
    return n;
}

void json_text(struct text *out, const char *s)
{
    text_append(out, "\"", 1);
    for (;;) {
        size_t plain = plain_length(s);
        text_append(out, s, plain);
        s += plain;
        if (!*s)
            break;
        size_t length = text_utf8_length(s);
        if (!length)
            text_append(out, "\xef\xbf\xbd", 3);
        else if (*s == '"' || *s == '\\')
            text_printf(out, "\\%c", *s);
        else if ((unsigned char)*s < 0x20)
            text_printf(out, "\\u%04x", (unsigned)*s);
        else
            text_append(out, s, length);
        s += length ? length : 1;
    }
    text_append(out, "\"", 1);
}

void json_number(struct text *out, double value)
{
    if (isfinite(value))
        text_real(out, value);
    else
        text_append(out, "null", 4);
}

void json_numbers(struct text *out, const double *values, size_t n)
{
    text_append(out, "[", 1);
    for (size_t i = 0; i < n; i++) {
        text_append(out, ", ", i ? 2 : 0);
        json_number(out, values[i]);
    }
    text_append(out, "]", 1);
}

void json_name(struct text *out, const char *name)
{
    json_text(out, name);
    text_append(out, ": ", 2);
}
