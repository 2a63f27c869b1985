/* SPDX-License-Identifier: MIT */
/* Memory that runs out. Commands that only read files lose nothing by ending then, and call the functions that end the
 * program. Measuring, tune, untune and init, where rows or a restore are at stake, get an error. */
#ifndef SYS_MEMORY_H
#define SYS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Prints "jitbench COMMAND: out of memory" on standard error and exits with status 1. */
void memory_out(void) __attribute__((noreturn));
/* Sets the command in that line. From now on grow_array() ends the program too, and with it the growing texts of
 * rows/text.h. */
void memory_exits(const char *command);

/* Returns zeroed memory, which the caller frees. Calls memory_out() when there is none. */
void *memory_get(size_t n, size_t size);

/* Makes room for element number `wanted` of an array of *capacity elements of that size, by doubling. array points to
 * the pointer to the array, which may be NULL: grow_array(&set->rows, &set->capacity, set->n, sizeof(*set->rows)). The
 * contents of new elements are undefined. Returns false, and changes nothing, when out of memory. */
bool grow_array(void *array, size_t *capacity, size_t wanted, size_t size);
/* The same; calls memory_out() when out of memory. */
void memory_grow(void *array, size_t *capacity, size_t wanted, size_t size);

#endif
