/* SPDX-License-Identifier: MIT */
/* Maps names to numbers. */
#include "rows/index.h"

#include <stdlib.h>
#include <string.h>

uint64_t index_hash(const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return hash;
}

/* index_free() frees the names; gcc 12's analyzer does not follow them into the array. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

/* Returns the slot of the name, or the empty slot where it belongs. */
static size_t find_slot(const struct index *index, const char *name)
{
    size_t at = (size_t)index_hash(name) & (index->slots - 1);

    while (index->slot[at] && strcmp(index->name[index->slot[at] - 1], name) != 0)
        at = (at + 1) & (index->slots - 1);
    return at;
}

static int grow(struct index *index)
{
    size_t slots = index->slots ? 2 * index->slots : 64;
    char **name = realloc(index->name, slots / 2 * sizeof(*name));
    uint32_t *slot = calloc(slots, sizeof(*slot));

    if (name) {
        index->name = name;
        index->capacity = slots / 2;
    }
    if (!name || !slot) {
        free(slot);
        return -1;
    }
    free(index->slot);
    index->slot = slot;
    index->slots = slots;
    for (size_t i = 0; i < index->n; i++)
        index->slot[find_slot(index, index->name[i])] = (uint32_t)(i + 1);
    return 0;
}

size_t index_enter(struct index *index, const char *name)
{
    if (index->slots) {
        size_t at = find_slot(index, name);
        if (index->slot[at])
            return index->slot[at] - 1;
    }
    if (2 * index->n >= index->slots && grow(index))
        return SIZE_MAX;
    const size_t number = index->n, at = find_slot(index, name);
    char *copy = number < UINT32_MAX - 1 ? strdup(name) : NULL;
    if (!copy)
        return SIZE_MAX;
    index->n = number + 1;
    index->slot[at] = (uint32_t)(number + 1);
    index->name[number] = copy;
    return number;
}

void index_free(struct index *index)
{
    for (size_t i = 0; i < index->n; i++)
        free(index->name[i]);
    free(index->name);
    free(index->slot);
    memset(index, 0, sizeof(*index));
}
