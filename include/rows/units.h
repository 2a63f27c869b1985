/* SPDX-License-Identifier: MIT */
/* Formats values with their units for people: SI prefixes, four significant digits, '.' in every locale. */
#ifndef ROWS_UNITS_H
#define ROWS_UNITS_H

#include <stdbool.h>
#include <stddef.h>

#define UNITS_SIZE 96 /* size in bytes that suffices for the texts formatted here, for units of up to 32 bytes */

/* How to show a value: the factor to multiply it by, and the unit that it then has: {1e-3, "µs"} for 5000 "ns". */
struct units {
    double factor;
    char name[48];
};

/* Chooses the unit in which a value of this magnitude has one to three digits before the point, for times, frequencies,
 * bytes and bandwidths ("ns", "us", "ms", "s", "Hz", "kHz", "bytes", "B", "KiB", "MB/s"). Other units get a prefix "k",
 * "M", "G" or "T" from 100,000 on ("M lps"; "M" for the unit ""), but not "%". A magnitude of 0 or NAN leaves the unit
 * unchanged. Plain numbers ("ratio", "bool", "code", "count", NULL) have the unit "". */
struct units units_choose(const char *unit, double magnitude);

/* Finds the factor that converts a value in a unit that a person typed ("us", "GB", "M", "M lps") to `unit` ("ns",
 * "bytes", "lps"). Both must be times, frequencies, bytes or bandwidths; for other units, `typed` is a prefix k, M, G
 * or T, alone or before `unit`. If typed is "" the factor is 1. Returns false when it cannot be converted. */
bool units_factor(const char *typed, const char *unit, double *factor);

/* Formats a value with this number of decimals (0 to 17), a typographic minus sign, and narrow spaces between the
 * thousands from 10,000 on; from 10^15 on, or with more than 9 decimals, as "1.234e+20", "1e+15"; as a dash when it is
 * not known or infinite. */
void units_number(double value, int decimals, char *buf, size_t size);

/* Returns the number of decimals that gives four significant digits: 0 for a whole number below 10^5. */
int units_decimals(double value);

/* Formats a value with its unit: "155.4 ns", "1.603 s", "58.02 M lps", "73.8 %"; as a dash when it is not known. The
 * space before the unit is a non-breaking one. Returns buf. */
char *units_value(double value, const char *unit, char *buf, size_t size);
/* Formats a range, both ends in the unit of the larger one: "410.3 to 452.5 cycles". A dash when one is not known.
 * Returns buf. */
char *units_range(double low, double high, const char *unit, char *buf, size_t size);
/* As units_value() and units_range(), with a buffer that lasts until the end of the block, for the arguments of a
 * printf(). */
#define UNITS_VALUE(value, unit)     units_value(value, unit, (char[UNITS_SIZE]){0}, UNITS_SIZE)
#define UNITS_RANGE(low, high, unit) units_range(low, high, unit, (char[UNITS_SIZE]){0}, UNITS_SIZE)

/* Converts a text made by the functions above to ASCII, in place, for tables on terminals and in files: "us" for "µs",
 * '-' for the minus sign and the dash, no spaces between thousands. Returns text. */
char *units_plain(char *text);

#endif
