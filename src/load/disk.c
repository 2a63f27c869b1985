/* SPDX-License-Identifier: MIT */
#include "load/load.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/unix.h"
#include "sys/base.h"
#include "sys/clock.h"
#include "sys/cpu.h"
#include "sys/file.h"
#include "sys/machine.h"
#include "sys/process.h"

#define FILL_NS      10000000000u
#define FILL_SLOW_NS 15000000000u /* for writing even DISK_LEAST_BYTES */
#define FREE_BYTES   (2 * DISK_SYNC_BYTES)

/* In whole blocks, at least DISK_LEAST_BYTES. */
static uint64_t file_bytes(const struct load_params *params)
{
    uint64_t whole = params->file_bytes - params->file_bytes % DISK_BLOCK_BYTES;

    return whole > DISK_LEAST_BYTES ? whole : DISK_LEAST_BYTES;
}

const char *disk_is_not(const char *fs_name)
{
    static const char memory[] = "its files are in memory", layer[] = "its files are in another file system",
                      remote[] = "its files are on another machine", program[] = "its files are with another program";
    static const struct {
        const char *name, *why;
    } others[] = {
        {"tmpfs", memory},  {"ramfs", memory},    {"devtmpfs", memory}, {"hugetlbfs", memory},
        {"overlay", layer}, {"overlayfs", layer}, {"aufs", layer},      {"ecryptfs", layer},
        {"fuse", program},  {"nfs", remote},      {"cifs", remote},     {"smb2", remote},
        {"ceph", remote},   {"lustre", remote},   {"9p", remote},       {"virtiofs", remote},
    };

    for (size_t i = 0; i < COUNT(others); i++)
        if (!strcmp(others[i].name, fs_name))
            return others[i].why;
    return NULL;
}

static void look_at_folder(struct party_context *context)
{
    const struct load_params *params = context->params;
    char name[32];

    machine_fs_name(params->dir, name, sizeof(name));
    const char *why = disk_is_not(name);
    if (why)
        party_degraded(context, "%s is not a disk: %s", name, why);
}

static void go_direct(struct party_context *context, bool direct)
{
    struct disk *disk = context->state;
    const int flags = fcntl(disk->fd, F_GETFL);
    const bool set = fcntl(disk->fd, F_SETFL, direct ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
    const int error = set ? EINVAL : errno; /* EINVAL: a file system without O_DIRECT */

    disk->direct = set && direct;
    if (!disk->direct)
        party_degraded(context, "the file system refuses O_DIRECT%s%s: cached %s, dropped by fadvise",
                       error == EINVAL ? "" : ": ", error == EINVAL ? "" : strerror(error), disk->what);
}

int disk_setup(struct party_context *context, const char *what)
{
    const struct load_params *params = context->params;
    struct disk *disk = context->state;
    void *block;

    disk->what = what;
    disk->size_bytes = file_bytes(params);
    disk->fd = scratch_file(params->dir);
    if (disk->fd < 0)
        return disk_fail(context, "make", disk->fd);
    if (posix_memalign(&block, DISK_BLOCK_BYTES, DISK_BLOCK_BYTES))
        return party_fail(context, "out of memory");
    disk->block = block;
    process_random(disk->block, DISK_BLOCK_BYTES); /* a disk may store zeros faster */
    signal(SIGXFSZ, SIG_IGN);                      /* a file size limit becomes an error of write() */
    look_at_folder(context);
    go_direct(context, true);
    return 0;
}

void disk_teardown(struct party_context *context)
{
    struct disk *disk = context->state;

    if (disk->fd >= 0)
        close(disk->fd);
    free(disk->block);
}

static int move_block(struct party_context *context, bool writes)
{
    struct disk *disk = context->state;
    size_t done = 0;

    while (done < DISK_BLOCK_BYTES) {
        const size_t left = DISK_BLOCK_BYTES - done;
        const off_t at = (off_t)(disk->at_bytes + done);
        ssize_t n =
            writes ? pwrite(disk->fd, disk->block + done, left, at) : pread(disk->fd, disk->block + done, left, at);
        if (n > 0) {
            done += (size_t)n;
            continue;
        }
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EINVAL && disk->direct) {
            go_direct(context, false);
            continue;
        }
        return n < 0 ? -errno : writes ? -ENOSPC : -EIO;
    }
    disk->at_bytes += done;
    disk->moved_bytes += done;
    return 0;
}

int disk_write(struct party_context *context)
{
    return move_block(context, true);
}

int disk_read(struct party_context *context)
{
    return move_block(context, false);
}

int disk_sync(const struct disk *disk)
{
    if (fdatasync(disk->fd))
        return -errno;
    posix_fadvise(disk->fd, 0, 0, POSIX_FADV_DONTNEED);
    return 0;
}

bool disk_is_full(int error)
{
    return error == -ENOSPC || error == -EDQUOT || error == -EFBIG;
}

int disk_fail(struct party_context *context, const char *what, int error)
{
    const struct load_params *params = context->params;

    return party_fail(context, "cannot %s a scratch file in '%.100s': %s", what, params->dir, strerror(-error));
}

void disk_count(struct party_context *context, enum load_count moved)
{
    struct disk *disk = context->state;
    uint64_t read_bytes, written_bytes;
    bool known;

    if (!load_due(&disk->due_ns, clock_raw_ns()))
        return;
    load_set(context, moved, (double)disk->moved_bytes);
    load_set(context, LOAD_CPU, task_process_cpu_s());
    known = !task_read_io(&read_bytes, &written_bytes);
    load_set(context, LOAD_DISK_READ, known ? (double)read_bytes : NAN);
    load_set(context, LOAD_DISK_WRITTEN, known ? (double)written_bytes : NAN);
}

enum disk_fill disk_fill(uint64_t bytes, uint64_t wanted_bytes, uint64_t elapsed_ns)
{
    if (bytes >= wanted_bytes)
        return DISK_FILLED;
    if (bytes >= DISK_LEAST_BYTES)
        return elapsed_ns < FILL_NS ? DISK_GROWS : DISK_FILLED;
    return elapsed_ns < FILL_SLOW_NS ? DISK_GROWS : DISK_TOO_SLOW;
}

void disk_describe(const void *params, struct row_params *out)
{
    char text[32];

    load_size_text(file_bytes(params), text, sizeof(text));
    row_param_add(out, PARAM_WORK, "file", "%s", text);
}

const char *disk_scratch_dir(const void *params)
{
    return ((const struct load_params *)params)->dir;
}

int disk_supported(const void *params, char *why, size_t why_size)
{
    return unix_dir_supported(disk_scratch_dir(params), FREE_BYTES, why, why_size);
}
