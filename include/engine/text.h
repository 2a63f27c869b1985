/* SPDX-License-Identifier: MIT */
/* Small text helpers: near misses, text that grows, numbers and durations as a person reads them. */
#ifndef ENGINE_TEXT_H
#define ENGINE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Edits (insert, delete, change, swap of neighbours) from a to b, case ignored: Damerau 1964, restricted. */
unsigned text_distance(const char *a, const char *b);

/* The candidate nearest to word, or NULL when none is near enough to be meant (at most a third of its letters
 * or one letter differ and something is left in common, or one is the beginning of the other). Ties: a beginning,
 * then the first. */
const char *text_nearest(const char *word, const char *const *candidates, size_t n);

/* A text that grows. All zero is empty; text_free() ends it. failed is set once memory ran out, and stays. */
struct text {
    char *data;
    size_t length, size;
    int failed;
    bool color; /* it is for a terminal that shows colours: out/color.h */
};
void text_append(struct text *t, const char *data, size_t length);
void text_printf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A number with 17 significant digits and '.' whatever the locale; nothing when it is not finite. */
void text_real(struct text *t, double value);
void text_free(struct text *t);

/* "1.5 s", "250 ms", "2 min": the largest unit that leaves a number of 1 or more, at most three significant
 * digits. 32 bytes hold it. */
void text_duration(uint64_t ns, char *buf, size_t size);
/* "384 MiB", likewise. */
void text_bytes(uint64_t bytes, char *buf, size_t size);

/* Whether word is one of the words of a list with spaces between; words may be NULL. */
bool text_has_word(const char *words, const char *word);
/* The same for the first length bytes of word. */
bool text_has_word_of(const char *words, const char *word, size_t length);

/* Length of the UTF-8 character at s (Unicode 15, table 3-7), 0 when the bytes there are none; the end is a character.
 */
size_t text_utf8_length(const char *s);

/* Reads a decimal number of up to 15 digits and no exponent, whatever the locale: these a double holds, or the division
 * by a power of ten gives, as strtod() would (Clinger 1990), in a tenth of its time. *at moves behind it. False, and
 * nothing is changed, for all others and for what is none. */
bool text_short_decimal(const char **at, double *value);

/* Copies with truncation; always terminated. */
void text_copy(char *to, size_t size, const char *from);

/* What comes from other people's files and would move a terminal's cursor (control characters) or is not UTF-8 becomes
 * '?', byte by byte. */
void text_harmless(char *s);

#endif
