/* SPDX-License-Identifier: MIT */
/* Writes values as JSON (RFC 8259). */
#include "out/out.h"

#include <math.h>
#include <string.h>

static void put_text(struct text *out, const char *s, size_t length)
{
    text_append(out, "\"", 1);
    for (size_t bytes; length; s += bytes, length -= bytes) {
        bytes = text_utf8_length(s);
        if (!bytes)
            text_append(out, "\xef\xbf\xbd", 3);
        else if (*s == '"' || *s == '\\')
            text_printf(out, "\\%c", *s);
        else if ((unsigned char)*s < 0x20)
            text_printf(out, "\\u%04x", (unsigned)*s);
        else
            text_append(out, s, bytes);
        bytes += !bytes;
    }
    text_append(out, "\"", 1);
}

void json_text(struct text *out, const char *s)
{
    put_text(out, s, strlen(s));
}

void json_number(struct text *out, double value)
{
    if (isfinite(value))
        text_real(out, value);
    else
        text_append(out, "null", 4);
}

void json_put(struct text *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text_put(out, put_text, json_number, format, args);
    va_end(args);
}

void json_numbers(struct text *out, const double *values, size_t n)
{
    text_append(out, "[", 1);
    for (size_t i = 0; i < n; i++)
        json_put(out, i ? ", %f" : "%f", values[i]);
    text_append(out, "]", 1);
}

void json_name(struct text *out, const char *name)
{
    json_put(out, "%s: ", name);
}
