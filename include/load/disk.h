/* SPDX-License-Identifier: MIT */
/* A scratch file that the loads write and read use past the page cache. */
#ifndef LOAD_DISK_H
#define LOAD_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/params.h"

/* One read or write. A file has whole blocks, at least four. */
#define DISK_BLOCK_BYTES ((size_t)1 << 20)
#define DISK_LEAST_BYTES (4 * DISK_BLOCK_BYTES)
/* Cached data is flushed after so many bytes. The load fails if the disk is full before. */
#define DISK_SYNC_BYTES (8 * DISK_BLOCK_BYTES)

struct disk {
    int fd;
    bool direct;          /* false: O_DIRECT was refused, cached data has to be dropped */
    const char *what;     /* "writes" or "reads" */
    unsigned char *block; /* aligned, of varied bytes */
    uint64_t at_bytes;    /* of the next block */
    uint64_t size_bytes;  /* of the complete file */
    uint64_t moved_bytes; /* in this run */
    uint64_t due_ns;      /* next update of the load's counts, CLOCK_MONOTONIC_RAW */
};

/* Degrades the row when the directory is not on a disk or O_DIRECT is refused. Returns 0, or -1 with the reason. */
int disk_setup(struct party_context *context, const char *what);
void disk_teardown(struct party_context *context);

/* Move one block at at_bytes, and advance it; if O_DIRECT is refused only now, through the cache. Return 0 or
 * -errno. */
int disk_write(struct party_context *context);
int disk_read(struct party_context *context);
/* Flushes cached data and drops it. Returns 0 or -errno. */
int disk_sync(const struct disk *disk);
/* A full disk, a quota, or a file size limit. */
bool disk_is_full(int error);
/* Reports why (-errno) `what` ("write") failed. Returns -1. */
int disk_fail(struct party_context *context, const char *what, int error);

/* Updates the counts if due; the count `moved` gets moved_bytes. Those that the kernel does not provide are NAN. */
void disk_count(struct party_context *context, enum load_count moved);

/* Returns why a file system of that name ("tmpfs") is not on a disk, or NULL. */
const char *disk_is_not(const char *fs_name);

/* Whether the file is large enough, by its size and the time spent writing. DISK_FILLED: the size wanted, or
 * DISK_LEAST_BYTES after 10 s; DISK_TOO_SLOW: not even those after 15 s. */
enum disk_fill { DISK_GROWS, DISK_FILLED, DISK_TOO_SLOW };
enum disk_fill disk_fill(uint64_t bytes, uint64_t wanted_bytes, uint64_t elapsed_ns);

/* Functions of struct load for write and read. */
void disk_describe(const void *params, struct row_params *out);
const char *disk_scratch_dir(const void *params);
int disk_supported(const void *params, char *why, size_t why_size);
#define LOAD_DISK .scratch_dir = disk_scratch_dir, .supported = disk_supported
/* A load that moves fewer bytes a second is practically none. */
#define LOAD_DISK_LEAST ((double)DISK_BLOCK_BYTES)

#endif
