/* SPDX-License-Identifier: MIT */
/* Programs' results given to commands that read them, for fuzz targets. */
#ifndef FUZZ_TABLES_H
#define FUZZ_TABLES_H

#include "fuzz.h"

/* Runs `jitbench WORD...` (words end with NULL) in the world, and returns its exit status, which is one that jitbench
 * has: 0, 1 with a line on standard error, 2 likewise, or 4. What it prints is printable text in lines. */
int tables_run(const char *const *words);

#endif
