/* SPDX-License-Identifier: MIT */
/* A scratch file that is written and read past the page cache: what the loads write and read have in common. */
#ifndef LOAD_DISK_H
#define LOAD_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/params.h"

/* What is moved at once. A file is whole blocks, and no fewer than four. */
#define DISK_BLOCK_BYTES ((size_t)1 << 20)
#define DISK_LEAST_BYTES (4 * DISK_BLOCK_BYTES)
/* What is cached goes to the disk so often. A file that finds less room than this finds none. */
#define DISK_SYNC_BYTES (8 * DISK_BLOCK_BYTES)

/* A party's state. */
struct disk {
    int fd;
    bool direct;          /* O_DIRECT; false: refused, so that what is cached must be dropped */
    const char *what;     /* "writes" or "reads" */
    unsigned char *block; /* varied bytes, aligned */
    uint64_t at_bytes;    /* of the next block */
    uint64_t size_bytes;  /* of the file when it is whole */
    uint64_t moved_bytes; /* by the run */
    uint64_t due_ns;      /* when the counts are to be brought up to date */
};

/* Makes the file and the state, and says so when the folder is on no disk or O_DIRECT is refused. 0, or -1 with the
 * reason. */
int disk_setup(struct party_context *context, const char *what);
void disk_teardown(struct party_context *context);

/* Moves the block at at_bytes, and then at_bytes. A file system that refuses O_DIRECT only now makes it cached from
 * here on. 0 or -errno. */
int disk_write(struct party_context *context);
int disk_read(struct party_context *context);
/* Has written what is cached, and drops it. 0 or -errno. */
int disk_sync(const struct disk *disk);
/* Whether the error says that there is no more room: a full disk, a quota, a limit on file sizes. */
bool disk_is_full(int error);
/* "cannot write ...". Returns -1. */
int disk_fail(struct party_context *context, const char *what, int error);

/* Brings the counts up to date, of which moved_bytes is this one, when that is due. Those of the kernel are NAN where
 * it does not tell. */
void disk_count(struct party_context *context, enum load_count moved);

/* Why a file system of that name ("tmpfs") is no disk, or NULL. */
const char *disk_is_not(const char *fs_name);

/* Whether a file to be read that has grown so far in this time is to be left as it is. */
enum disk_fill { DISK_GROWS, DISK_FILLED, DISK_TOO_SLOW };
enum disk_fill disk_fill(uint64_t bytes, uint64_t wanted_bytes, uint64_t elapsed_ns);

/* For descriptors. */
void disk_describe(const void *params, char *buf, size_t size);
const char *disk_scratch_dir(const void *params);
int disk_supported(const void *params, char *why, size_t why_size);
#define LOAD_DISK .scratch_dir = disk_scratch_dir, .supported = disk_supported
/* A second of either that does less of it does next to nothing. */
#define LOAD_DISK_LEAST ((double)DISK_BLOCK_BYTES)

#endif
