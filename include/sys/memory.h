/* SPDX-License-Identifier: MIT */
/* Allocates memory, frees it at the end of a scope, and decides what happens when there is none. Commands that only
 * read files can simply end: they call memory_exits(), memory_get() and memory_grow(). Commands that measure or change
 * settings (tune, untune, init) have results to write or settings to restore: their calls return an error instead. */
#ifndef SYS_MEMORY_H
#define SYS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Prints "jitbench COMMAND: out of memory" on standard error and exits with status 1. */
void memory_out(void) __attribute__((noreturn));
/* Sets the command that memory_out() names. From now on grow_array(), and with it the growing texts of rows/text.h,
 * calls memory_out() when out of memory. */
void memory_exits(const char *command);

/* Written before the declaration of a local variable: the compiler calls the function with the variable's address at
 * the end of its scope, however that is left. The variable must be initialised before the first return:
 * FREED_BY(text_free) struct text out = {0}; */
#define FREED_BY(function) __attribute__((cleanup(function)))
/* For FREED_BY() and a variable that is a pointer from malloc() and its like: frees what it points to. */
void memory_free(void *pointer);
/* For FREED_BY() and a variable that is a descriptor: closes it unless it is negative. Preserves errno. */
void fd_close(const int *fd);

/* Returns zeroed memory for n elements of size bytes, which the caller frees. Calls memory_out() when there is none. */
void *memory_get(size_t n, size_t size);

/* Makes room for element number `wanted` of an array that has room for *capacity elements of size bytes each, by
 * doubling. array points to the pointer to the array, which may be NULL: grow_array(&set->rows, &set->capacity, set->n,
 * sizeof(*set->rows)). The contents of new elements are undefined. Returns false, and changes nothing, when out of
 * memory. */
bool grow_array(void *array, size_t *capacity, size_t wanted, size_t size);
/* As grow_array(), but always calls memory_out() when out of memory. */
void memory_grow(void *array, size_t *capacity, size_t wanted, size_t size);

#endif
