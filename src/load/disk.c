/* SPDX-License-Identifier: MIT */
/* Loads write, read and compile: a scratch file past the page cache. */
#include "bench/unix.h"
#include "load/load.h"
#include "sys/file.h"

#define FILL_NS      10000000000u
#define FILL_SLOW_NS 15000000000u /* for writing even DISK_LEAST_BYTES */
#define FREE_BYTES   (2 * DISK_SYNC_BYTES)
#define PACE_NS      100000000u

/* In whole blocks, at least DISK_LEAST_BYTES. */
static uint64_t file_bytes(const struct load_params *params)
{
    return larger(params->file_bytes - params->file_bytes % DISK_BLOCK_BYTES, DISK_LEAST_BYTES);
}

const char *disk_is_not(const char *fs_name)
{
    static const struct {
        const char *names, *why;
    } others[] = {
        {"tmpfs ramfs devtmpfs hugetlbfs", "its files are in memory"},
        {"overlay overlayfs aufs ecryptfs", "its files are in another file system"},
        {"fuse", "its files are with another program"},
        {"nfs cifs smb3 ceph lustre 9p virtiofs", "its files are on another machine"},
    };

    for (size_t i = 0; i < COUNT(others); i++)
        if (text_has_word(others[i].names, fs_name))
            return others[i].why;
    return NULL;
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

/* Reports why (-errno) `what` ("write") failed. Returns -1. */
static int disk_fail(struct party_context *context, const char *what, int error)
{
    const struct load_params *params = context->params;

    return party_fail(context, "cannot %s a scratch file in '%.100s': %s", what, params->dir, strerror(-error));
}

/* Degrades the row without a disk or O_DIRECT. Returns 0, or -1 with the reason. */
static int disk_setup(struct party_context *context, const char *what)
{
    const struct load_params *params = context->params;
    struct disk *disk = context->state;
    char fs[32];
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
    machine_fs_name(params->dir, fs, sizeof(fs));
    const char *why = disk_is_not(fs);
    if (why)
        party_degraded(context, "%s is not a disk: %s", fs, why);
    go_direct(context, true);
    return 0;
}

static void disk_teardown(struct party_context *context)
{
    struct disk *disk = context->state;

    fd_close(&disk->fd);
    free(disk->block);
}

int disk_move(struct party_context *context, bool writes)
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

void disk_count(struct party_context *context, enum load_count moved)
{
    const struct load_params *params = context->params;
    const uint64_t now_ns = clock_raw_ns();
    struct disk *disk = context->state;
    uint64_t read_bytes, written_bytes;

    if (!load_due(&disk->due_ns, now_ns))
        return;
    load_set(context, moved, (double)disk->moved_bytes);
    load_set(context, LOAD_PACED, (double)params->rate * (double)(now_ns - disk->start_ns) * 1e-9);
    load_set(context, LOAD_CPU, task_process_cpu_s());
    const bool known = !task_read_io(&read_bytes, &written_bytes);
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

static void disk_describe(const void *params, struct row_params *out)
{
    const struct load_params *p = params;

    load_describe_size(out, "file", file_bytes(p));
    if (p->rate)
        row_param_count(out, PARAM_WORK, "disk_rate", p->rate);
}

static const char *disk_scratch_dir(const void *params)
{
    return ((const struct load_params *)params)->dir;
}

static int disk_supported(const void *params, struct error *why)
{
    return unix_dir_supported(disk_scratch_dir(params), FREE_BYTES, why);
}

#define DISK_PARTY(name_) \
    LOAD_PARTY(#name_), .state_size = sizeof(struct disk), .setup = name_##_setup, .run = name_##_run, \
                        .teardown = disk_teardown
#define LOAD_DISK .scratch_dir = disk_scratch_dir, .supported = disk_supported
/* A load that moves fewer bytes a second is practically none. */
#define LOAD_DISK_LEAST ((double)DISK_BLOCK_BYTES)

/* "WHAT 3 MiB OF 8 MiB: WHY": the size that the file has, and the planned one. */
static void degrade_size(struct party_context *context, const char *what, const char *of, const char *why)
{
    const struct disk *disk = context->state;

    party_degraded(context, "%s %s%s %s: %s", what, TEXT_BYTES(disk->at_bytes), of, TEXT_BYTES(disk->size_bytes), why);
}

static int write_setup(struct party_context *context)
{
    return disk_setup(context, "writes");
}

static int begin_again(struct disk *disk)
{
    disk->at_bytes = 0;
    return sys_result(ftruncate(disk->fd, 0));
}

static int write_some(struct party_context *context)
{
    struct disk *disk = context->state;
    int error = disk_move(context, true);

    /* Without O_DIRECT, flushes now and then: what is cached at the truncation would never reach the disk. */
    if (!error && !disk->direct && (disk->at_bytes % DISK_SYNC_BYTES == 0 || disk->at_bytes >= disk->size_bytes))
        error = disk_sync(disk);
    if (disk_is_full(error) && disk->at_bytes >= DISK_SYNC_BYTES) {
        degrade_size(context, "the file gets no larger than", " of", strerror(-error));
        error = begin_again(disk);
        return error ? error : disk_sync(disk); /* the disk may report the space as free only then */
    }
    return error || disk->at_bytes < disk->size_bytes ? error : begin_again(disk);
}

/* Being behind by more than PACE_NS is not made up for. */
static void keep_pace(struct disk *disk, uint64_t rate)
{
    const uint64_t now_ns = clock_raw_ns();

    disk->pace_ns = larger(disk->pace_ns, now_ns - PACE_NS) + (uint64_t)DISK_BLOCK_BYTES * 1000000000u / rate;
    if (disk->pace_ns > now_ns)
        clock_sleep_ns(disk->pace_ns - now_ns);
}

/* some() returns 0 or -errno. */
static int go_on(struct party_context *context, const char *what, enum load_count moved,
                 int (*some)(struct party_context *))
{
    const struct load_params *params = context->params;
    struct disk *disk = context->state;

    disk->pace_ns = disk->start_ns = clock_raw_ns();
    disk_count(context, moved);
    while (!party_stopped(context)) {
        const int error = some(context);
        if (error)
            return disk_fail(context, what, error);
        disk_count(context, moved);
        party_proved(context);
        if (params->rate)
            keep_pace(disk, params->rate);
    }
    return 0;
}

static int write_run(struct party_context *context)
{
    return go_on(context, "write", LOAD_WRITTEN, write_some);
}

const struct load load_write = {
    LOAD("write", "Streaming a file to disk"),
    LOAD_DISK,
    BENCH_PARTY(DISK_PARTY(write)),
    .least = {[LOAD_WRITTEN] = LOAD_DISK_LEAST},
    .describe = disk_describe,
};

/* Truncates the file to at_bytes, flushes it, and goes to its start. why: it is smaller than planned, which degrades
 * the row. */
static int end_file(struct party_context *context, const char *why)
{
    struct disk *disk = context->state;

    if (disk->at_bytes < disk->size_bytes)
        degrade_size(context, "the file to be read has", ", not", why);
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
        int error = disk_move(context, true);
        /* after each of the first blocks, to notice a slow disk early */
        if (!error && (disk->at_bytes <= DISK_LEAST_BYTES || disk->at_bytes % DISK_SYNC_BYTES == 0))
            error = disk_sync(disk);
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

static int read_setup(struct party_context *context)
{
    return disk_setup(context, "reads") || fill_file(context) ? -1 : 0;
}

static int read_some(struct party_context *context)
{
    struct disk *disk = context->state;

    /* Some file systems accept O_DIRECT and read through the cache all the same. */
    if (disk->at_bytes == 0)
        posix_fadvise(disk->fd, 0, 0, POSIX_FADV_DONTNEED);
    const int error = disk_move(context, false);
    if (disk->at_bytes >= disk->size_bytes)
        disk->at_bytes = 0;
    return error;
}

static int read_run(struct party_context *context)
{
    return go_on(context, "read", LOAD_READ, read_some);
}

const struct load load_read = {
    LOAD("read", "Reading a file from disk"),
    LOAD_DISK,
    BENCH_PARTY(DISK_PARTY(read)),
    .least = {[LOAD_READ] = LOAD_DISK_LEAST},
    .describe = disk_describe,
};

static void describe_compile(const void *params, struct row_params *out)
{
    row_param_count(out, PARAM_WORK, "threads", ((const struct load_params *)params)->threads);
    disk_describe(params, out);
}

static const struct party parties_compile[] = {{LOAD_BURN_PARTY}, {DISK_PARTY(write)}, {DISK_PARTY(read)}};

/* Resembles a parallel build: one computes, one writes, one reads. */
const struct load load_compile = {
    LOAD("compile", "Burn, write and read together"),
    LOAD_DISK,
    BENCH_PARTIES(parties_compile),
    .least = {[LOAD_CPU] = 0.05, [LOAD_WRITTEN] = LOAD_DISK_LEAST, [LOAD_READ] = LOAD_DISK_LEAST},
    .describe = describe_compile,
};
