/* SPDX-License-Identifier: MIT */
/* A scratch file that is written and read past the page cache: common code of the loads write and read. */
#ifndef LOAD_DISK_H
#define LOAD_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/params.h"

/* Size of one read or write. A file consists of whole blocks, at least four. */
#define DISK_BLOCK_BYTES ((size_t)1 << 20)
#define DISK_LEAST_BYTES (4 * DISK_BLOCK_BYTES)
/* Cached data is flushed to the disk after this many bytes. The load fails if the disk is full before so many bytes of
 * the file are written. */
#define DISK_SYNC_BYTES (8 * DISK_BLOCK_BYTES)

/* State of a process that writes or reads the file. */
struct disk {
    int fd;
    bool direct;          /* O_DIRECT is in use; false: it was refused, so cached data has to be dropped */
    const char *what;     /* "writes" or "reads" */
    unsigned char *block; /* aligned, filled with varied bytes */
    uint64_t at_bytes;    /* position of the next block */
    uint64_t size_bytes;  /* size of the complete file */
    uint64_t moved_bytes; /* bytes written or read in this run */
    uint64_t due_ns;      /* time of the next update of the load's counts, CLOCK_MONOTONIC_RAW */
};

/* Creates the file and the state. what: "writes" or "reads", for messages. Marks the result row as degraded when the
 * directory is not on a disk or O_DIRECT is refused. Returns 0, or -1 with the reason. */
int disk_setup(struct party_context *context, const char *what);
void disk_teardown(struct party_context *context);

/* Write or read one block at at_bytes, and advance at_bytes by it. If the file system refuses O_DIRECT only now, both
 * functions go on through the cache. Return 0 or -errno. */
int disk_write(struct party_context *context);
int disk_read(struct party_context *context);
/* Flushes cached data to the disk and drops it from the cache. Returns 0 or -errno. */
int disk_sync(const struct disk *disk);
/* Returns whether the error means that there is no space left: a full disk, a quota, or a file size limit. */
bool disk_is_full(int error);
/* Fails: reports that `what` ("write") cannot be done with a scratch file, for the reason `error` (-errno). Returns
 * -1. */
int disk_fail(struct party_context *context, const char *what, int error);

/* Updates the load's counts (enum load_count) if an update is due; the count `moved` gets moved_bytes. Counts taken
 * from the kernel are NAN where it does not provide them. */
void disk_count(struct party_context *context, enum load_count moved);

/* Returns why a file system of that name ("tmpfs") is not on a disk, or NULL if it may be. */
const char *disk_is_not(const char *fs_name);

/* Decides whether the file to be read is large enough, from its size and the time spent writing it. DISK_GROWS: go on
 * writing; DISK_FILLED: it has the size wanted, or at least DISK_LEAST_BYTES after 10 s; DISK_TOO_SLOW: it does not
 * have even those after 15 s. */
enum disk_fill { DISK_GROWS, DISK_FILLED, DISK_TOO_SLOW };
enum disk_fill disk_fill(uint64_t bytes, uint64_t wanted_bytes, uint64_t elapsed_ns);

/* Implement struct load's describe, scratch_dir and supported for the loads write and read. */
void disk_describe(const void *params, struct row_params *out);
const char *disk_scratch_dir(const void *params);
int disk_supported(const void *params, char *why, size_t why_size);
#define LOAD_DISK .scratch_dir = disk_scratch_dir, .supported = disk_supported
/* Minimum number of bytes per second: a load that moves less is practically no load. */
#define LOAD_DISK_LEAST ((double)DISK_BLOCK_BYTES)

#endif
