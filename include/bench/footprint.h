/* SPDX-License-Identifier: MIT */
/* Mappings of a dynamically linked process that the same program linked statically lacks. */
#ifndef BENCH_FOOTPRINT_H
#define BENCH_FOOTPRINT_H

#include <stdint.h>

/* Size that footprint_map() needs its file to have, in bytes. */
uint64_t footprint_file_bytes(void);

/* Maps, protects and touches in this process what a dynamic loader and a shared C library would, with the same system
 * calls in the same order; path stands for their files. All of it stays mapped. 0, or -errno: -ENOEXEC when the file is
 * shorter than footprint_file_bytes(). */
int footprint_map(const char *path);

#endif
