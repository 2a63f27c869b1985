/* SPDX-License-Identifier: MIT */
/* All readers of /proc and /sys, run in the world's files, for fuzz targets. */
#ifndef FUZZ_READERS_H
#define FUZZ_READERS_H

/* Reads the description of the machine: machine_read() and its parts. */
void readers_machine(void);
/* Reads the machine's activity: counters, load, frequency. */
void readers_counters(void);
/* Every setting: looked at, described, planned, written, and restored. */
void readers_settings(void);

#endif
