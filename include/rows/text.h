/* SPDX-License-Identifier: MIT */
/* Small text helpers: similar names, growing texts, formatted numbers and durations. */
#ifndef ROWS_TEXT_H
#define ROWS_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/memory.h"

/* Returns the number of edits (insert, delete, change, swap of neighbours) from a to b, ignoring case: Damerau 1964,
 * restricted. */
unsigned text_distance(const char *a, const char *b);

/* Returns the candidate most similar to word, or NULL when none is similar: at most a third of its letters or one
 * letter differ and some letter is in common, or one is a prefix of the other. Of equally similar ones a prefix is
 * preferred, then the first. */
const char *text_nearest(const char *word, const char *const *candidates, size_t n);

/* A growing text. All zero is an empty text; text_free() frees it. failed is set when memory runs out, and stays
 * set. */
struct text {
    char *data;
    size_t length, size;
    int failed;
    bool color; /* the output is a terminal that shows colours: out/color.h */
};
void text_append(struct text *t, const char *data, size_t length);
void text_printf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a number with 17 significant digits and '.' in every locale; nothing when it is not finite. */
void text_real(struct text *t, double value);
/* Appends a format as it is, with %s and %f written by these functions. Knows %s, %.24s, %.*s, %c, %zu, %f, %.1f and
 * %+.1f, of which those with a precision are as in printf(), and %%. For html_put() and json_put(). */
void text_put(struct text *t, void (*put_text)(struct text *t, const char *s, size_t length),
              void (*put_number)(struct text *t, double value), const char *format, va_list args);
void text_free(struct text *t);

/* Writes "1.5 s", "250 ms", "2 min": the largest unit that leaves a number of at least 1, with at most three
 * significant digits. Needs at most 32 bytes. Returns buf; TEXT_DURATION() one that lasts until the end of the block,
 * for the arguments of a printf(). */
char *text_duration(uint64_t ns, char *buf, size_t size);
#define TEXT_DURATION(ns) text_duration(ns, (char[32]){0}, 32)
/* As text_duration(), for a number of bytes: "384 MiB". */
void text_bytes(uint64_t bytes, char *buf, size_t size);

/* Returns whether word is one of words, which are separated by spaces; words may be NULL. */
bool text_has_word(const char *words, const char *word);
/* As text_has_word(), for the first length bytes of word. */
bool text_has_word_of(const char *words, const char *word, size_t length);

/* Returns the length of the UTF-8 character at s (Unicode 15, table 3-7), or 0 when the bytes are none. The
 * terminating zero counts as a character. */
size_t text_utf8_length(const char *s);
/* Returns whether the character of so many bytes is a control character: C0, DEL or C1. */
bool text_is_control(const char *s, size_t length);

/* Reads a decimal number of up to 15 digits without an exponent, in every locale: numbers that a double holds
 * exactly, or that need one division by a power of ten, with the same result as strtod() (Clinger 1990) in a tenth
 * of the time. *at moves behind it. Returns false, and changes nothing, for all other texts. */
bool text_short_decimal(const char **at, double *value);

/* Returns the number of columns of a UTF-8 text without wide characters. */
size_t text_width(const char *s);

/* Returns how many bytes of s fit into a line of at most `width` columns: up to a blank if there is one. */
size_t text_break(const char *s, size_t width);

/* Appends lines of at most `width` columns, broken between words. Lines after the first begin with `indent` blanks; the
 * first one is shorter by as much, since the caller has begun it. Appends nothing for "". */
void text_wrap(struct text *out, const char *s, size_t indent, size_t width);

/* Formats a text, cut to size. Returns buf; TEXT_LINE() one of 512 bytes that lasts until the end of the block, for the
 * arguments of other functions. */
char *text_line(char *buf, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define TEXT_LINE(...) text_line((char[512]){0}, 512, __VA_ARGS__)

/* Copies a text; cuts it to size and always terminates it. */
void text_copy(char *to, size_t size, const char *from);
/* Appends to a text; what does not fit is cut. */
void text_add(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Replaces control characters, which could move a terminal's cursor, and bytes that are not UTF-8 by '?'. For texts
 * from other people's files. */
void text_sanitize(char *s);

#endif
