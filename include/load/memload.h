/* SPDX-License-Identifier: MIT */
/* The load memload: its state, and its memory guard, which prevents machines without swap from running out of
 * memory. */
#ifndef LOAD_MEMLOAD_H
#define LOAD_MEMLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory reserved for the rest of the machine: this much, or 5 % of all memory if that is more. */
#define MEMLOAD_LEAST_SPARE (UINT64_C(256) << 20)

/* Returns the number of bytes that may still be allocated, by the machine's and the control groups' current figures. 0
 * also when these are not known. */
uint64_t memload_room(const char *root);

#define MEMLOAD_PIECE_BYTES ((size_t)16 << 20)
/* Memory touched between two updates of the counts. */
#define MEMLOAD_STEP_BYTES ((size_t)1 << 20)

/* State of the process. */
struct memload {
    char **pieces;
    size_t n, max;
    size_t page_bytes;
    uint64_t due_ns;                          /* time of the next update of the counts */
    uint64_t start_ns;                        /* start of the run */
    uint64_t patience_ns;                     /* time limit of the first fill */
    uint64_t (*room_bytes)(const char *root); /* the memory guard: memload_room() */
    bool proved;
};

#endif
