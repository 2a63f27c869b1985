/* SPDX-License-Identifier: MIT */
/* Has nothing to do with the index of `jitbench unix`. */
#include "rows/text.h"

#include <stdlib.h>
#include <string.h>

#include "sys/base.h"

uint64_t index_hash(const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return hash;
}

/* gcc 12's analyzer does not see that names are stored in the array, and warns of a leak. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

/* Position of the name, or of the empty slot where it belongs. */
static size_t find_slot(const struct index *index, const char *name)
{
    size_t at = (size_t)index_hash(name) & (index->slots - 1);

    while (index->slot[at] && strcmp(index->name[index->slot[at] - 1], name) != 0)
        at = (at + 1) & (index->slots - 1);
    return at;
}

static void add_slots(struct index *index)
{
    index->slots = index->slots ? 2 * index->slots : 64;
    free(index->slot);
    index->slot = memory_get(index->slots, sizeof(*index->slot));
    for (size_t i = 0; i < index->n; i++)
        index->slot[find_slot(index, index->name[i])] = (uint32_t)(i + 1);
}

size_t index_enter(struct index *index, const char *name)
{
    const size_t number = index->n, size = strlen(name) + 1;

    if (index->slots) {
        size_t at = find_slot(index, name);
        if (index->slot[at])
            return index->slot[at] - 1;
    }
    if (2 * number >= index->slots)
        add_slots(index);
    if (number >= UINT32_MAX - 1)
        memory_out();
    memory_grow(&index->name, &index->capacity, number, sizeof(*index->name));
    index->name[number] = memory_get(size, 1);
    memcpy(index->name[number], name, size);
    index->slot[find_slot(index, name)] = (uint32_t)(number + 1);
    index->n++;
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
