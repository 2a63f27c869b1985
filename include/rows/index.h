/* SPDX-License-Identifier: MIT */
/* Numbers names in the order of their first appearance, by a hash table (open addressing; FNV-1a of Fowler, Noll,
 * Vo). */
#ifndef ROWS_INDEX_H
#define ROWS_INDEX_H

#include <stddef.h>
#include <stdint.h>

/* All zero: empty. */
struct index {
    char **name; /* by number */
    size_t n, capacity;
    uint32_t *slot; /* the number of a name + 1, or 0 for an empty slot */
    size_t slots;
};

/* Returns the name's number, from 0 on; a new name is copied. Ends the program when out of memory. */
size_t index_enter(struct index *index, const char *name);
void index_free(struct index *index);
uint64_t index_hash(const char *name);

#endif
