/* SPDX-License-Identifier: MIT */
/* Numbers names in the order of their first appearance, by a hash table (open addressing; FNV-1a of Fowler, Noll,
 * Vo). */
#ifndef ROWS_INDEX_H
#define ROWS_INDEX_H

#include <stddef.h>
#include <stdint.h>

/* All zero is an empty index; index_free() frees it. */
struct index {
    char **name; /* names in the order of their numbers */
    size_t n, capacity;
    uint32_t *slot; /* hash table: the number of a name + 1, or 0 for an empty slot */
    size_t slots;
};

/* Returns the number of the name, from 0 on; a new name is copied and gets the next number. Ends the program when out
 * of memory, so only commands that read files may call it. */
size_t index_enter(struct index *index, const char *name);
void index_free(struct index *index);
uint64_t index_hash(const char *name);

#endif
