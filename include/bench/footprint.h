/* SPDX-License-Identifier: MIT */
/* The mappings that a dynamically linked process has in addition to those of the same program linked statically. */
#ifndef BENCH_FOOTPRINT_H
#define BENCH_FOOTPRINT_H

#include <stdint.h>

/* Returns the minimum size in bytes of the file passed to footprint_map(). */
uint64_t footprint_file_bytes(void);

/* Maps, protects and touches memory in this process with the system calls of a dynamic loader and a shared C library,
 * in their order. The file `path` is mapped in place of their files. The mappings are kept. Returns 0, or -errno:
 * -ENOEXEC when the file is smaller than footprint_file_bytes(). */
int footprint_map(const char *path);

#endif
