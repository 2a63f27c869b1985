/* SPDX-License-Identifier: MIT */
/* Figures with their units as a person reads them: SI prefixes, four significant digits, '.' whatever the locale. */
#ifndef OUT_UNITS_H
#define OUT_UNITS_H

#include <stddef.h>

#define UNITS_SIZE 96 /* holds any text that these make, of units of up to 32 bytes */

/* What a figure is multiplied by, and what the unit is called then: {1e-3, "µs"} for 5000 "ns". */
struct units {
    double factor;
    char name[48];
};

/* The unit in which the magnitude has one to three digits before the point, for times, frequencies, bytes and
 * bandwidths ("ns", "us", "ms", "s", "Hz", "kHz", "bytes", "B", "KiB", "MB/s"); of all other units "k", "M", "G".. in
 * front, from 100,000 on ("M lps"; a unit of "" gives "M"). Not of "%". A magnitude that is no number, or 0, leaves the
 * unit as it is. */
struct units units_choose(const char *unit, double magnitude);

/* Fixed decimals (0 to 17), from 10,000 on with narrow blanks between the thousands; beyond 10^15 as "1.234e+20",
 * "1e+15"; a dash when it is not known or infinite. A true minus sign. */
void units_number(double value, int decimals, char *buf, size_t size);

/* How many decimals show four significant digits. None for a whole number below 10^5. */
int units_decimals(double value);

/* "155.4 ns", "1.603 s", "58.02 M lps", "73.8 %"; a dash when not known. The blank before the unit does not break. */
void units_value(double value, const char *unit, char *buf, size_t size);
/* "410.3 to 452.5 cycles": both in the unit of the larger. A dash when one is not known. */
void units_range(double low, double high, const char *unit, char *buf, size_t size);

/* Makes a text of the functions above plain ASCII, for tables on terminals and in files: "us", '-' for the minus and
 * the dash, no blanks between thousands. It gets no longer. */
void units_plain(char *text);

#endif
