/* SPDX-License-Identifier: MIT */
/* Common code of the UNIX microbenchmarks that exercise the kernel. */
#ifndef BENCH_UNIX_KERNEL_H
#define BENCH_UNIX_KERNEL_H

#include <sys/types.h>

#include "bench/unix.h"

/* Stop rules of the tests. With --classic they make as many passes as UnixBench: ten of 10 s, three of 30 s, or, for
 * shell scripts, three of 60 s. */
#define UNIX_SHORT_SAMPLING UNIX_SAMPLING(10, 250, 5500, 100, 1500, 10, 10)
#define UNIX_LONG_SAMPLING  UNIX_SAMPLING(10, 250, 5500, 100, 1500, 3, 30)
#define UNIX_SHELL_SAMPLING UNIX_SAMPLING(5, 500, 5500, 200, 1500, 3, 60)

/* Implements describe() of struct bench: adds the parameters of unix_describe() to the result row, and with --classic
 * "footprint=dynamic", for tests that call unix_take_footprint(). */
void unix_describe_footprint(const void *params, const struct clock_info *clock, struct row_params *out);
/* With --classic, gives this process the memory mappings (footprint) of a dynamically linked one, by mapping the file
 * at path, which must have at least footprint_file_bytes(). Marks the result row as degraded if that fails. */
void unix_take_footprint(struct party_context *context, const char *path);

/* unix_scratch_dir() returns the scratch directory of the params. unix_dir_supported() checks that the directory `dir`
 * is writable and, as far as known, has `bytes` bytes free; it returns 0, or -1 with the reason in why. */
const char *unix_scratch_dir(const void *params);
int unix_dir_supported(const char *dir, uint64_t bytes, char *why, size_t why_size);

/* Waits for the child process, which must exit with status 0. Returns 0, or -1 with the reason in context: "WHAT ended
 * with status 1". */
int unix_wait(struct party_context *context, pid_t child, const char *what);
/* Reports that fork() failed, with the meaning of errno as the reason. Returns -1. */
int unix_no_child(struct party_context *context);

#endif
