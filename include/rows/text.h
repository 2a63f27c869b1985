/* SPDX-License-Identifier: MIT */
/* Texts: growing, with units, numbered. */
#ifndef ROWS_TEXT_H
#define ROWS_TEXT_H

#include <inttypes.h>
#include <stdarg.h>

#include "sys/base.h"

/* Similar names, growing texts, numbers and durations as text. */

/* Edits (a letter inserted, deleted or changed, or two neighbours swapped) that turn a into b, ignoring case: the
 * restricted distance of Damerau 1964. */
unsigned text_distance(const char *a, const char *b);

/* Returns the candidate most similar to a mistyped word; NULL: none. One must be a prefix of the other; or at most
 * one letter, or a third of word's, is to be edited, with a letter in common. Of equals a prefix wins, then the
 * first. */
const char *text_nearest(const char *word, const char *const *candidates, size_t n);

/* All zero: empty; text_free() frees it. failed: memory ran out; it stays set. */
struct text {
    char *data;
    size_t length, size;
    int failed;
    bool color, left_out; /* printed with colours on a terminal; what does not fit: command_output() says so */
    bool summed_up;       /* a summary follows, which counts unstable rows */
    bool markdown;        /* tables are */
};
void text_append(struct text *t, const char *data, size_t length);
void text_printf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *t, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
/* With up to 17 significant digits; nothing when not finite. */
void text_real(struct text *t, double value);
/* Like printf() for HTML or JSON: put_text and put_number write arguments of %s and %f. Knows %s, %.24s, %.*s, %c,
 * %zu, %f, %.1f and %+.1f (precision: as in printf()) and %%. */
void text_put(struct text *t, void (*put_text)(struct text *t, const char *s, size_t length),
              void (*put_number)(struct text *t, double value), const char *format, va_list args);
/* Invalid UTF-8 becomes U+FFFD, and a character for which `shown` returns a text that text. buf: memory for it. */
void text_escape(struct text *t, const char *s, size_t length,
                 const char *(*shown)(const char *s, size_t bytes, char buf[8]));
void text_free(struct text *t);

/* "1.5 s", "250 ms", "2 min": the largest unit with at least 1, at most three significant digits, 32 bytes. Returns
 * buf, which TEXT_DURATION() provides until the end of the block. */
char *text_duration(uint64_t ns, char *buf, size_t size);
#define TEXT_DURATION(ns) text_duration(ns, (char[32]){0}, 32)
/* Bytes: "384 MiB". */
char *text_bytes(uint64_t bytes, char *buf, size_t size);
#define TEXT_BYTES(bytes) text_bytes(bytes, (char[32]){0}, 32)

/* words: separated by spaces, may be NULL. */
bool text_has_word(const char *words, const char *word);
/* For the first length bytes of word. */
bool text_has_word_of(const char *words, const char *word, size_t length);

/* Length of the UTF-8 character at s (Unicode 15, table 3-7), or 0 when it is none. The terminating zero counts. */
size_t text_utf8_length(const char *s);
/* C0, DEL or C1, a separator of lines or paragraphs, or a change of the text's direction. */
bool text_is_control(const char *s, size_t length);

/* Reads at most 15 digits, without an exponent, and moves *at behind them. A double holds them
 * exactly: one division by a power of ten gives what strtod() does (Clinger 1990), in a tenth of the time. Returns
 * false, and changes nothing, for other texts. */
bool text_short_decimal(const char **at, double *value);

/* Terminal columns of a UTF-8 text. Wide characters count as one. */
size_t text_width(const char *s);

/* Bytes of s that fit into `width` columns, broken at a blank if there is one, and not within single quotes. */
size_t text_break(const char *s, size_t width);

/* Appends lines of at most `width` columns, broken between words. The first one is shorter by `indent`, which the
 * caller has written; others begin with so many blanks. Nothing for "". */
void text_wrap(struct text *out, const char *s, size_t indent, size_t width);

/* Like printf(), cut to size. Returns buf, which TEXT_LINE() provides (512 bytes) until the end of the block. */
char *text_line(char *buf, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define TEXT_LINE(...) text_line((char[512]){0}, 512, __VA_ARGS__)
/* The last '.' of the file's name and what follows, unless it begins the name: "" then. */
const char *text_ending(const char *path);

/* For "%zu run%s". */
#define PLURAL(n) ((n) == 1 ? "" : "s")

/* Cut to size, always terminated. */
void text_copy(char *to, size_t size, const char *from);
/* Appends to `to` of size bytes, cut. */
void text_add(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Into an array, cut. */
#define TEXT_SET(array, from) text_copy(array, sizeof(array), from)
#define TEXT_ADD(array, ...)  text_add(array, sizeof(array), __VA_ARGS__)

/* '?' for control characters, which could move a terminal's cursor, and bytes that are not UTF-8. All texts of rows
 * pass through it, by row_text_to_csv(). */
void text_sanitize(char *s);
/* Also, for a name that others chose (task, file, interrupt) in a list: '_' for separators of lists, quotes, and a
 * first character that spreadsheets compute. */
void text_sanitize_name(char *s);

/* Values with units for people: SI prefixes, four significant digits. */

#define UNITS_SIZE 96 /* suffices here, for units of up to 32 bytes */

/* Factor to multiply a value by, and the unit it then has: {1e-3, "µs"} for 5000 "ns". */
struct units {
    double factor;
    char name[48];
};

/* Chooses the unit with one to three digits before the point, for times, frequencies, bytes and bandwidths. Others
 * but "%" get a prefix k, M, G or T from 100,000 on ("M lps"). 0 or NAN leaves the unit. Plain numbers ("ratio",
 * "bool", "code", "count", NULL) have the unit "". */
struct units units_choose(const char *unit, double magnitude);

/* Factor from a unit that a person typed ("us", "GB", "M", "M lps") to `unit` ("ns", "bytes", "lps"): both times,
 * frequencies, bytes or bandwidths; for other units `typed` is a prefix k, M, G or T, alone or before `unit`; "": 1.
 * Returns false when it cannot be converted. */
bool units_factor(const char *typed, const char *unit, double *factor);

/* With a typographic minus sign, and narrow spaces between thousands from 10,000 on; from 10^15 on, or with more
 * than 9 decimals (0 to 17), as "1.234e+20"; a dash when not known or infinite. */
void units_number(double value, int decimals, char *buf, size_t size);

/* Decimals for four significant digits: 0 for a whole number below 10^5. */
int units_decimals(double value);

#define TEXT_NO_BREAK "\xc2\xa0" /* U+00A0, a non-breaking space */
/* "155.4 ns", "1.603 s", "58.02 M lps", "73.8 %", with one; a dash when not known. Returns buf. */
char *units_value(double value, const char *unit, char *buf, size_t size);
/* Both ends in the unit of the larger one: "410.3 to 452.5 cycles". A dash when one is not known. Returns buf. */
char *units_range(double low, double high, const char *unit, char *buf, size_t size);
/* The buffer lasts until the end of the block. */
#define UNITS_VALUE(value, unit)     units_value(value, unit, (char[UNITS_SIZE]){0}, UNITS_SIZE)
#define UNITS_RANGE(low, high, unit) units_range(low, high, unit, (char[UNITS_SIZE]){0}, UNITS_SIZE)

/* Converts to ASCII, in place, for terminals and files: "us" for "µs", '-' for the minus sign and the dash, no
 * spaces between thousands. Returns text. */
char *units_plain(char *text);

/* Numbers names in the order of their first appearance, by a hash table (open addressing; FNV-1a of Fowler, Noll,
 * Vo). */

/* All zero: empty. */
struct index {
    char **name; /* by number */
    size_t n, capacity;
    uint32_t *slot; /* the number of a name + 1, or 0 for an empty slot */
    size_t slots;
};

/* Returns the name's number, from 0 on; a new name is copied. Ends the program when out of memory. */
size_t index_enter(struct index *index, const char *name);
/* SIZE_MAX: the name was not entered. */
size_t index_find(const struct index *index, const char *name);
void index_free(struct index *index);
uint64_t index_hash(const char *name);

#endif
