/* SPDX-License-Identifier: MIT */
/* Small text helpers: similar names, growing texts, numbers and durations as text. */
#ifndef ROWS_TEXT_H
#define ROWS_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/memory.h"

/* Returns the number of edits (a letter inserted, deleted or changed, or two neighbours swapped) that turn a into b,
 * ignoring case: the restricted distance of Damerau 1964. */
unsigned text_distance(const char *a, const char *b);

/* Returns the candidate most similar to word, for suggestions after a typing error; NULL when none is similar. Similar
 * means: one is a prefix of the other; or at most one letter, or a third of word's letters, must be edited, and they
 * have a letter in common. Of equally similar ones a prefix is preferred, then the first. */
const char *text_nearest(const char *word, const char *const *candidates, size_t n);

/* A text that grows. All zero is an empty text; text_free() frees it. failed is set when memory runs out, and stays
 * set. */
struct text {
    char *data;
    size_t length, size;
    int failed;
    bool color; /* for out/color.h: the text will be printed on a terminal that shows colours */
};
void text_append(struct text *t, const char *data, size_t length);
void text_printf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a number with up to 17 significant digits and '.' in every locale; appends nothing when it is not finite. */
void text_real(struct text *t, double value);
/* Appends a text like printf(), but for HTML or JSON: arguments of %s and %f are written by put_text and put_number,
 * everything else as it is. Knows %s, %.24s, %.*s, %c, %zu, %f, %.1f and %+.1f, of which %f with a precision is as in
 * printf(), and %%. */
void text_put(struct text *t, void (*put_text)(struct text *t, const char *s, size_t length),
              void (*put_number)(struct text *t, double value), const char *format, va_list args);
void text_free(struct text *t);

/* Writes "1.5 s", "250 ms", "2 min": in the largest unit that leaves a number of at least 1, with at most three
 * significant digits. Needs at most 32 bytes. Returns buf. TEXT_DURATION() provides a buffer that lasts until the end
 * of the block, for the arguments of a printf(). */
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
/* Returns whether the UTF-8 character at s, of length bytes, is a control character: C0, DEL or C1, a separator of
 * lines or paragraphs, or one that changes the direction in which text is shown. */
bool text_is_control(const char *s, size_t length);

/* Reads a short decimal number at *at: at most 15 digits, without an exponent, with '.' in every locale. A double holds
 * the digits exactly, so that one division by a power of ten gives the same result as strtod() (Clinger 1990), in a
 * tenth of the time. Moves *at behind the number. Returns false, and changes nothing, for all other texts. */
bool text_short_decimal(const char **at, double *value);

/* Returns the number of terminal columns of a UTF-8 text. Wide characters count as one. */
size_t text_width(const char *s);

/* Returns how many bytes of s fit into a line of at most `width` columns, broken at a blank if there is one. */
size_t text_break(const char *s, size_t width);

/* Appends a text as lines of at most `width` columns, broken between words. Lines after the first begin with `indent`
 * blanks; the first one is shorter by that number, since the caller has written its beginning. Appends nothing for
 * "". */
void text_wrap(struct text *out, const char *s, size_t indent, size_t width);

/* Formats a text like printf(), cut to size. Returns buf. TEXT_LINE() provides a buffer of 512 bytes that lasts until
 * the end of the block, for the arguments of other functions. */
char *text_line(char *buf, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define TEXT_LINE(...) text_line((char[512]){0}, 512, __VA_ARGS__)

/* Copies a text; cuts it to size and always terminates it. */
void text_copy(char *to, size_t size, const char *from);
/* Appends to the text in `to`, like printf(); what does not fit into size bytes is cut. */
void text_add(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Replaces control characters (text_is_control()), which could move a terminal's cursor, and bytes that are not UTF-8
 * by '?', in place. All texts of rows pass through it, by row_text_to_csv(). */
void text_sanitize(char *s);
/* As text_sanitize(), for a name that others chose (of a task, a file, an interrupt) and that becomes part of a list:
 * also replaces the separators of lists and quotes by '_', and a first character that makes spreadsheets compute the
 * cell. */
void text_sanitize_name(char *s);

#endif
