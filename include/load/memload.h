/* SPDX-License-Identifier: MIT */
/* The load memload, and its guard, which keeps machines without swap from running out of memory. */
#ifndef LOAD_MEMLOAD_H
#define LOAD_MEMLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reserve for the rest of the machine: so many bytes, or 5 % of all memory if more. */
#define MEMLOAD_LEAST_SPARE (UINT64_C(256) << 20)

/* Returns the bytes that may be allocated without touching the reserve, by available memory and control groups; 0
 * also when not known. root: directory before /proc and /sys, "" except in tests. */
uint64_t memload_room(const char *root);

#define MEMLOAD_PIECE_BYTES ((size_t)16 << 20)
/* Touched or moved between two updates of the counts. */
#define MEMLOAD_STEP_BYTES ((size_t)1 << 20)

struct memload {
    char **pieces;
    size_t n, max;
    size_t page_bytes;
    uint64_t due_ns; /* next update of the count of CPU time */
    uint64_t start_ns;
    uint64_t patience_ns;                     /* for filling the memory; then the load counts as running */
    uint64_t (*room_bytes)(const char *root); /* memload_room(), except in tests */
    bool proved;
};

#endif
