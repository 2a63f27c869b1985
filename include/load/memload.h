/* SPDX-License-Identifier: MIT */
/* The load memload: its state, and its memory guard, which prevents machines without swap from running out of
 * memory. */
#ifndef LOAD_MEMLOAD_H
#define LOAD_MEMLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes reserved for the rest of the machine: this many, or 5 % of all memory if that is more. */
#define MEMLOAD_LEAST_SPARE (UINT64_C(256) << 20)

/* Returns the number of bytes that may still be allocated without touching the reserve (MEMLOAD_LEAST_SPARE), by the
 * machine's available memory and the limits of the control groups. 0 also when the machine's memory is not known. root:
 * directory before /proc and /sys, "" except in tests. */
uint64_t memload_room(const char *root);

#define MEMLOAD_PIECE_BYTES ((size_t)16 << 20)
/* Bytes touched or moved between two updates of the load's counts. */
#define MEMLOAD_STEP_BYTES ((size_t)1 << 20)

/* State of the load's process. */
struct memload {
    char **pieces;
    size_t n, max;
    size_t page_bytes;
    uint64_t due_ns;                          /* time of the next update of the load's count of CPU time */
    uint64_t start_ns;                        /* start of the run */
    uint64_t patience_ns;                     /* time limit for filling the memory; then the load counts as running */
    uint64_t (*room_bytes)(const char *root); /* the memory guard: memload_room() */
    bool proved;
};

#endif
