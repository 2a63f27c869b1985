/* SPDX-License-Identifier: MIT */
/* All readers of /proc and /sys, run in the world's files, for fuzz targets. */
#ifndef FUZZ_READERS_H
#define FUZZ_READERS_H

/* What the machine is: machine_read() and what it is made of. */
void readers_machine(void);
/* What it does: counters, activity, frequency. */
void readers_counters(void);
/* Every setting: looked at, described, planned, written, and restored. */
void readers_settings(void);

#endif
