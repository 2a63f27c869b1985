/* SPDX-License-Identifier: MIT */
/* Names and their numbers, in the order in which they came: a hash table (open addressing; FNV-1a of Fowler, Noll, Vo).
 */
#ifndef ENGINE_INDEX_H
#define ENGINE_INDEX_H

#include <stddef.h>
#include <stdint.h>

/* All zero is empty; index_free() ends it. */
struct index {
    char **name; /* by number */
    size_t n, capacity;
    uint32_t *slot; /* number + 1, or 0 */
    size_t slots;
};

/* The number of the name, which is entered when it is not there. SIZE_MAX when out of memory. */
size_t index_enter(struct index *index, const char *name);
void index_free(struct index *index);

#endif
