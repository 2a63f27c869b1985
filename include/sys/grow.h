/* SPDX-License-Identifier: MIT */
/* Arrays that grow. */
#ifndef SYS_GROW_H
#define SYS_GROW_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for element number `wanted` of an array of *capacity elements of that size, by doubling. array points to
 * the pointer to the array, which may be NULL: grow_array(&set->rows, &set->capacity, set->n, sizeof(*set->rows)). The
 * contents of new elements are undefined. Returns false, and changes nothing, when out of memory. */
bool grow_array(void *array, size_t *capacity, size_t wanted, size_t size);

#endif
