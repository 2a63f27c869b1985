/* SPDX-License-Identifier: MIT */
/* Allocates memory, and decides what happens when there is none. Commands that only read files end: they call
 * memory_exits(), memory_get() and memory_grow(). Commands that measure or change settings have results to write or
 * settings to restore: their calls return an error. */
#ifndef SYS_MEMORY_H
#define SYS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Says "jitbench COMMAND: out of memory" and exits with status 1. */
void memory_out(void) __attribute__((noreturn));
/* Sets the command that memory_out() names. From now on grow_array(), and with it struct text, ends the program when
 * out of memory. */
void memory_exits(const char *command);

/* Before a local variable: at the end of its scope, however that is left, the function is called with its address.
 * It must be initialised before the first return: FREED_BY(text_free) struct text out = {0}; */
#define FREED_BY(function) __attribute__((cleanup(function)))
/* For a pointer from malloc(). */
void memory_free(void *pointer);
/* For a descriptor: closes it unless it is negative. Preserves errno. */
void fd_close(const int *fd);

/* Returns zeroed memory, which the caller frees. Ends the program when there is none. */
void *memory_get(size_t n, size_t size);

/* Makes room for element number `wanted` of an array of *capacity elements of size bytes by doubling; new ones are
 * undefined: grow_array(&set->rows, &set->capacity, set->n, sizeof(*set->rows)). Returns false, and changes nothing,
 * when out of memory. */
bool grow_array(void *array, size_t *capacity, size_t wanted, size_t size);
/* Ends the program when out of memory. */
void memory_grow(void *array, size_t *capacity, size_t wanted, size_t size);

#endif
