/* SPDX-License-Identifier: MIT */
/* Reads a file from disk repeatedly, uncached. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "load/load.h"
#include "rows/text.h"
#include "sys/clock.h"

/* Flushes after each of the first blocks, to notice a slow disk early, and after every DISK_SYNC_BYTES. */
static int write_block(struct party_context *context)
{
    const struct disk *disk = context->state;
    int error = disk_write(context);

    if (error || (disk->at_bytes > DISK_LEAST_BYTES && disk->at_bytes % DISK_SYNC_BYTES))
        return error;
    return disk_sync(disk);
}

/* Truncates the file to at_bytes, flushes it, and goes to its start. why: it is smaller than planned, which degrades
 * the row. */
static int end_file(struct party_context *context, const char *why)
{
    struct disk *disk = context->state;
    char size[32], wanted[32];

    if (disk->at_bytes < disk->size_bytes) {
        text_bytes(disk->at_bytes, size, sizeof(size));
        text_bytes(disk->size_bytes, wanted, sizeof(wanted));
        party_degraded(context, "the file to be read has %s, not %s: %s", size, wanted, why);
    }
    disk->size_bytes = disk->at_bytes;
    disk->at_bytes = disk->moved_bytes = 0;
    int error = ftruncate(disk->fd, (off_t)disk->size_bytes) ? -errno : disk_sync(disk);
    return error ? disk_fail(context, "write", error) : 0;
}

static int fill_file(struct party_context *context)
{
    struct disk *disk = context->state;
    uint64_t start_ns = clock_raw_ns();

    for (;;) {
        int error = write_block(context);
        if (disk_is_full(error) && disk->at_bytes >= DISK_SYNC_BYTES) {
            /* Half of the space is for others. */
            disk->at_bytes -= disk->at_bytes / 2 / DISK_BLOCK_BYTES * DISK_BLOCK_BYTES;
            return end_file(context, strerror(-error));
        }
        if (error)
            return disk_fail(context, "write", error);
        switch (disk_fill(disk->at_bytes, disk->size_bytes, clock_raw_ns() - start_ns)) {
        case DISK_GROWS:
            break;
        case DISK_FILLED:
            return end_file(context, "writing it took too long");
        case DISK_TOO_SLOW:
            return party_fail(context, "the disk is too slow to make a file to be read");
        }
    }
}

int load_read_setup(struct party_context *context)
{
    return disk_setup(context, "reads") || fill_file(context) ? -1 : 0;
}

int load_read_run(struct party_context *context)
{
    struct disk *disk = context->state;

    disk_count(context, LOAD_READ);
    while (!party_stopped(context)) {
        /* Some file systems accept O_DIRECT and read through the cache all the same. */
        if (disk->at_bytes == 0)
            posix_fadvise(disk->fd, 0, 0, POSIX_FADV_DONTNEED);
        int error = disk_read(context);
        if (error)
            return disk_fail(context, "read", error);
        if (disk->at_bytes >= disk->size_bytes)
            disk->at_bytes = 0;
        disk_count(context, LOAD_READ);
        party_proved(context);
    }
    return 0;
}

static const struct party parties[] = {LOAD_READ_PARTY};

const struct load load_read = {
    LOAD("read", "Reading a file from disk"),
    LOAD_DISK,
    BENCH_PARTIES(parties),
    .least = {[LOAD_READ] = LOAD_DISK_LEAST},
    .describe = disk_describe,
};
