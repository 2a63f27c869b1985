/* SPDX-License-Identifier: MIT */
/* Maps names to numbers in order of first appearance: a hash table (open addressing; FNV-1a of Fowler, Noll, Vo). */
#ifndef ROWS_INDEX_H
#define ROWS_INDEX_H

#include <stddef.h>
#include <stdint.h>

/* All zero is an empty index; index_free() frees it. */
struct index {
    char **name; /* the names, by number */
    size_t n, capacity;
    uint32_t *slot; /* number of a name + 1, or 0 for an empty slot */
    size_t slots;
};

/* Returns the number of the name, which is added when it is new. Ends the program when out of memory: only for
 * commands that read files. */
size_t index_enter(struct index *index, const char *name);
void index_free(struct index *index);
uint64_t index_hash(const char *name);

#endif
