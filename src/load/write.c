/* SPDX-License-Identifier: MIT */
/* Writes a file to disk repeatedly. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "load/load.h"
#include "rows/text.h"

int load_write_setup(struct party_context *context)
{
    return disk_setup(context, "writes");
}

static int begin_again(struct disk *disk)
{
    disk->at_bytes = 0;
    return sys_result(ftruncate(disk->fd, 0));
}

/* Truncates the file after the disk became full (`full`), and degrades the row. Flushes, because the disk may report
 * the space as free only then. Returns 0 or -errno. */
static int begin_again_when_full(struct party_context *context, int full)
{
    struct disk *disk = context->state;
    char size[32], wanted[32];

    text_bytes(disk->at_bytes, size, sizeof(size));
    text_bytes(disk->size_bytes, wanted, sizeof(wanted));
    party_degraded(context, "the file gets no larger than %s of %s: %s", size, wanted, strerror(-full));
    int error = begin_again(disk);
    return error ? error : disk_sync(disk);
}

/* Without O_DIRECT, flushes now and then: what is cached when the file is truncated would never reach the disk. */
static int write_block(struct party_context *context)
{
    const struct disk *disk = context->state;
    int error = disk_write(context);

    if (error || disk->direct || (disk->at_bytes % DISK_SYNC_BYTES && disk->at_bytes < disk->size_bytes))
        return error;
    return disk_sync(disk);
}

int load_write_run(struct party_context *context)
{
    struct disk *disk = context->state;

    disk_count(context, LOAD_WRITTEN);
    while (!party_stopped(context)) {
        int error = write_block(context);
        if (disk_is_full(error) && disk->at_bytes >= DISK_SYNC_BYTES)
            error = begin_again_when_full(context, error);
        else if (!error && disk->at_bytes >= disk->size_bytes)
            error = begin_again(disk);
        if (error)
            return disk_fail(context, "write", error);
        disk_count(context, LOAD_WRITTEN);
        party_proved(context);
    }
    return 0;
}

static const struct party parties[] = {LOAD_WRITE_PARTY};

const struct load load_write = {
    LOAD("write", "Streaming a file to disk"),
    LOAD_DISK,
    BENCH_PARTIES(parties),
    .least = {[LOAD_WRITTEN] = LOAD_DISK_LEAST},
    .describe = disk_describe,
};
