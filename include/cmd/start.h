/* SPDX-License-Identifier: MIT */
/* --start-at: a time at which several machines begin to measure, by their own clocks. */
#ifndef CMD_START_H
#define CMD_START_H

#include <stddef.h>
#include <stdint.h>

#define START_DAY_NS ((uint64_t)86400 * 1000000000u)

/* Parses a time and converts it to ns of CLOCK_REALTIME: "+30" or "+2m" from now_ns, "@1700000000" or "@1700000000.5"
 * (seconds since 1970), or "14:30:00", the nearest one in local time, less than 12 hours before or after now_ns. It may
 * have passed; it is at most a day away. Returns 0; or -1 with a line in error. */
int start_parse(const char *text, uint64_t now_ns, uint64_t *at_ns, char *error, size_t error_size);

#endif
