/* SPDX-License-Identifier: MIT */
/* The guard of memload, which keeps a machine without swap alive, and its state. */
#ifndef LOAD_MEMLOAD_H
#define LOAD_MEMLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So much is left to the rest of the machine, or 5 % of its memory if that is more. */
#define MEMLOAD_LEAST_SPARE (UINT64_C(256) << 20)

/* Bytes that may still be taken, as the machine and the control groups see it now. 0 also when that is not known. */
uint64_t memload_room(const char *root);

#define MEMLOAD_PIECE_BYTES ((size_t)16 << 20)
/* Between two updates of the counts. */
#define MEMLOAD_STEP_BYTES ((size_t)1 << 20)

/* A party's state. */
struct memload {
    char **pieces;
    size_t n, max;
    size_t page_bytes;
    uint64_t due_ns;                          /* when the counts are to be brought up to date */
    uint64_t start_ns;                        /* of the run */
    uint64_t patience_ns;                     /* a first fill that takes longer is not waited for */
    uint64_t (*room_bytes)(const char *root); /* the guard: memload_room() */
    bool proved;
};

#endif
