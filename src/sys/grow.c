/* SPDX-License-Identifier: MIT */
/* Arrays that grow. */
#include "sys/grow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY_FIRST 16u

bool grow_array(void *array, size_t *capacity, size_t wanted, size_t size)
{
    size_t larger = *capacity ? *capacity : CAPACITY_FIRST;
    void *at;

    if (wanted < *capacity)
        return true;
    while (larger <= wanted)
        if (__builtin_mul_overflow(larger, (size_t)2, &larger))
            return false;
    memcpy(&at, array, sizeof(at));
    at = larger <= SIZE_MAX / size ? realloc(at, larger * size) : NULL;
    if (!at)
        return false;
    memcpy(array, &at, sizeof(at));
    *capacity = larger;
    return true;
}
