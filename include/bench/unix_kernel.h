/* SPDX-License-Identifier: MIT */
/* Common to the UNIX suite's tests of the kernel. */
#ifndef BENCH_UNIX_KERNEL_H
#define BENCH_UNIX_KERNEL_H

#include <sys/types.h>

#include "bench/unix.h"

/* --classic: UnixBench's passes: ten of 10 s, three of 30 s, shell scripts three of 60 s. */
#define UNIX_SHORT_SAMPLING UNIX_SAMPLING(10, 250, 5500, 100, 1500, 10, 10)
#define UNIX_LONG_SAMPLING  UNIX_SAMPLING(10, 250, 5500, 100, 1500, 3, 30)
#define UNIX_SHELL_SAMPLING UNIX_SAMPLING(5, 500, 5500, 200, 1500, 3, 60)

/* describe(): with --classic also "footprint=dynamic", for tests that call unix_take_footprint(). */
void unix_describe_footprint(const void *params, const struct clock_info *clock, struct row_params *out);
/* With --classic, maps the file at path (at least footprint_file_bytes()) as a dynamic process would. Degrades the
 * row if that fails. */
void unix_take_footprint(struct party_context *context, const char *path);

/* unix_dir_supported(): `dir` is writable and, as far as known, has `bytes` free. Returns 0, or -1 with the reason
 * in why. */
const char *unix_scratch_dir(const void *params);
int unix_dir_supported(const char *dir, uint64_t bytes, char *why, size_t why_size);

/* The child must exit with status 0. Returns 0, or -1 with "WHAT ended with status 1". */
int unix_wait(struct party_context *context, pid_t child, const char *what);
/* fork() failed, by errno. Returns -1. */
int unix_no_child(struct party_context *context);

#endif
