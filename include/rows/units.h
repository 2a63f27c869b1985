/* SPDX-License-Identifier: MIT */
/* Values with units for people: SI prefixes, four significant digits, '.' in every locale. */
#ifndef ROWS_UNITS_H
#define ROWS_UNITS_H

#include <stdbool.h>
#include <stddef.h>

#define UNITS_SIZE 96 /* suffices here, for units of up to 32 bytes */

/* Factor to multiply a value by, and the unit it then has: {1e-3, "µs"} for 5000 "ns". */
struct units {
    double factor;
    char name[48];
};

/* Chooses the unit with one to three digits before the point, for times, frequencies, bytes and bandwidths ("ns",
 * "us", "ms", "s", "Hz", "kHz", "bytes", "B", "KiB", "MB/s"). Others but "%" get a prefix "k", "M", "G" or "T" from
 * 100,000 on ("M lps"). 0 or NAN leaves the unit. Plain numbers ("ratio", "bool", "code", "count", NULL) have the
 * unit "". */
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

/* "155.4 ns", "1.603 s", "58.02 M lps", "73.8 %", with a non-breaking space; a dash when not known. Returns buf. */
char *units_value(double value, const char *unit, char *buf, size_t size);
/* Both ends in the unit of the larger one: "410.3 to 452.5 cycles". A dash when one is not known. Returns buf. */
char *units_range(double low, double high, const char *unit, char *buf, size_t size);
/* The buffer lasts until the end of the block. */
#define UNITS_VALUE(value, unit)     units_value(value, unit, (char[UNITS_SIZE]){0}, UNITS_SIZE)
#define UNITS_RANGE(low, high, unit) units_range(low, high, unit, (char[UNITS_SIZE]){0}, UNITS_SIZE)

/* Converts to ASCII, in place, for terminals and files: "us" for "µs", '-' for the minus sign and the dash, no
 * spaces between thousands. Returns text. */
char *units_plain(char *text);

#endif
