/* SPDX-License-Identifier: MIT */
/* File copy, write and read through a buffer on small scratch files of its own. A count is one KiB. */

#include "bench/unix.h"
#include "sys/file.h"

#define KIB             1024u
#define BUFFER_MAX      4096u /* a multiple of every buffer size */
#define FREE_MARGIN     (1u << 20)
#define CLASSIC_PART_NS 2000000000u

/* KiB a second of the classic protocol's parts. */
enum { NUMBER_WRITE_RATE, NUMBER_READ_RATE };

struct kind {
    size_t buffer_bytes;
    uint64_t file_bytes;
    bool reads, writes;
};

struct files {
    const struct kind *kind;
    int from, to;   /* -1: not used */
    uint64_t owed;  /* bytes moved beyond those requested: a buffer may be larger than the rest of a KiB */
    uint64_t moved; /* bytes, warm-up included */
    uint64_t buffer[BUFFER_MAX / sizeof(uint64_t)];
};

/* By the position in the file: a block elsewhere is noticed. */
static void fill_pattern(uint64_t *buffer, size_t bytes, uint64_t offset)
{
    for (size_t i = 0; i < bytes / sizeof(*buffer); i++)
        buffer[i] = (offset / sizeof(*buffer) + i + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static int io_failed(struct party_context *context, const char *what, ssize_t n)
{
    const struct unix_params *params = context->params;
    const char *why = n < 0 ? strerror(errno) : "short write: no space left, or a limit on file sizes";

    return party_fail(context, "cannot %s a scratch file in '%.100s': %s", what, params->dir, why);
}

static int rewind_file(struct party_context *context, int fd)
{
    return lseek(fd, 0, SEEK_SET) == 0 ? 0 : io_failed(context, "rewind", -1);
}

/* --- The three kinds of work move at least so many bytes. --- */

/* writes: copies what was read. */
ALWAYS_INLINE int read_bytes(struct party_context *context, struct files *files, uint64_t bytes, const bool writes)
{
    const size_t size = files->kind->buffer_bytes;
    uint64_t done = 0;

    while (done < bytes) {
        ssize_t n = read(files->from, files->buffer, size);
        if (n == 0) {
            if (rewind_file(context, files->from) || (writes && rewind_file(context, files->to)))
                return -1;
            continue;
        }
        if (n != (ssize_t)size)
            return io_failed(context, "read", n);
        if (writes && (n = write(files->to, files->buffer, size)) != (ssize_t)size)
            return io_failed(context, "write", n);
        done += size;
    }
    files->moved += done;
    return 0;
}

static int write_bytes(struct party_context *context, struct files *files, uint64_t bytes)
{
    const size_t size = files->kind->buffer_bytes;
    uint64_t done = 0, left = files->kind->file_bytes - files->moved % files->kind->file_bytes;

    while (done < bytes) {
        ssize_t n = write(files->to, files->buffer, size);
        if (n != (ssize_t)size)
            return io_failed(context, "write", n);
        done += size;
        left -= size;
        if (left)
            continue;
        left = files->kind->file_bytes;
        if (rewind_file(context, files->to))
            return -1;
    }
    files->moved += done;
    return 0;
}

static int move_bytes(struct party_context *context, struct files *files, uint64_t bytes)
{
    if (!files->kind->reads)
        return write_bytes(context, files, bytes);
    return files->kind->writes ? read_bytes(context, files, bytes, true) : read_bytes(context, files, bytes, false);
}

static int work(struct party_context *context, uint64_t count)
{
    struct files *files = context->state;
    uint64_t wanted = count * KIB, before = files->moved;

    if (files->owed >= wanted) {
        files->owed -= wanted;
        return 0;
    }
    wanted -= files->owed;
    if (move_bytes(context, files, wanted))
        return -1;
    files->owed = files->moved - before - wanted;
    return 0;
}

/* A full disk is noticed before the measurement. */
static int write_pattern(struct party_context *context, struct files *files, int fd)
{
    if (rewind_file(context, fd))
        return -1;
    for (uint64_t at = 0; at < files->kind->file_bytes; at += BUFFER_MAX) {
        const size_t size = (size_t)smaller(files->kind->file_bytes - at, BUFFER_MAX);
        fill_pattern(files->buffer, size, at);
        ssize_t n = write(fd, files->buffer, size);
        if (n != (ssize_t)size)
            return io_failed(context, "write", n);
    }
    return rewind_file(context, fd);
}

static void settle(unsigned second_pause_s)
{
    sync();
    clock_sleep_ns(2000000000u);
    sync();
    clock_sleep_ns(second_pause_s * UINT64_C(1000000000));
}

static int timed_part(struct party_context *context, struct files *files, bool writes)
{
    struct kind part = *files->kind;
    const struct kind *kind = files->kind;
    double *numbers = context->recorder[UNIX_NUMBERS];
    uint64_t start, now;
    int to = files->to, error;

    part.reads = !writes;
    part.writes = writes;
    files->kind = &part;
    files->to = files->from; /* both parts use one file */
    files->moved = 0;
    settle(2);
    error = rewind_file(context, files->from);
    start = now = clock_raw_ns();
    while (!error && now - start < CLASSIC_PART_NS) {
        error = move_bytes(context, files, part.buffer_bytes * 64);
        now = clock_raw_ns();
    }
    numbers[writes ? NUMBER_WRITE_RATE : NUMBER_READ_RATE] = (double)files->moved / KIB * 1e9 / (double)(now - start);
    files->moved = 0;
    files->to = to;
    files->kind = kind;
    return error;
}

/* Write and read, two seconds each, with which UnixBench's copy begins. */
static int classic_parts(struct party_context *context, struct files *files)
{
    fill_pattern(files->buffer, BUFFER_MAX, 0);
    if (timed_part(context, files, true) || timed_part(context, files, false) ||
        write_pattern(context, files, files->from))
        return -1;
    settle(1);
    return 0;
}

static int open_file(struct party_context *context, int *fd)
{
    const struct unix_params *params = context->params;

    *fd = scratch_file(params->dir);
    if (*fd >= 0)
        return 0;
    errno = -*fd;
    return io_failed(context, "make", -1);
}

static int setup(struct party_context *context)
{
    const struct unix_params *params = context->params;
    struct files *files = context->state;
    const struct kind *kind = context->bench->test;

    files->kind = kind;
    files->from = files->to = -1;
    signal(SIGXFSZ, SIG_IGN); /* a file size limit becomes an error of write() */
    if ((kind->reads && open_file(context, &files->from)) || (kind->writes && open_file(context, &files->to)))
        return -1;
    if (kind->reads && write_pattern(context, files, files->from))
        return -1;
    if (params->classic && kind->reads && kind->writes && classic_parts(context, files))
        return -1;
    if (params->classic && !(kind->reads && kind->writes))
        settle(2);
    fill_pattern(files->buffer, kind->buffer_bytes, 0);
    return 0;
}

/* Adds the wrong ones of the first `length` bytes to the checks. Returns 0, or -1 with a reason when the file cannot
 * be read. */
static int check_file(struct party_context *context, const char *name, bool repeated, int fd, uint64_t length)
{
    const struct kind *kind = ((const struct files *)context->state)->kind;
    uint64_t got[BUFFER_MAX / sizeof(uint64_t)], expected[BUFFER_MAX / sizeof(uint64_t)], wrong = 0;

    for (uint64_t at = 0; at < length; at += BUFFER_MAX) {
        const size_t size = (size_t)smaller(length - at, BUFFER_MAX);
        ssize_t n;
        while ((n = pread(fd, got, size, (off_t)at)) < 0 && errno == EINTR) {
        }
        if (n < 0)
            return io_failed(context, "verify", n);
        if (n != (ssize_t)size) {
            wrong += length - at;
            break;
        }
        /* repeated: written from one buffer */
        const size_t part = repeated ? kind->buffer_bytes : BUFFER_MAX;
        for (size_t i = 0; i < BUFFER_MAX; i += part)
            fill_pattern(expected + i / sizeof(*expected), part, repeated ? 0 : at);
        for (size_t i = 0; i < size; i++)
            wrong += ((const unsigned char *)got)[i] != ((const unsigned char *)expected)[i];
    }
    checks_add(context->recorder[UNIX_CHECKS], name, (double)wrong, 0, 0);
    return 0;
}

static int verify(struct party_context *context)
{
    const struct files *files = context->state;
    struct checks *checks = context->recorder[UNIX_CHECKS];
    const struct kind *kind = files->kind;
    const uint64_t written = smaller(files->moved, kind->file_bytes);
    uint64_t expected[BUFFER_MAX / sizeof(uint64_t)];

    if (kind->reads && check_file(context, "wrong bytes in the file read", false, files->from, kind->file_bytes))
        return -1;
    if (kind->writes) {
        if (check_file(context, "wrong bytes in the file written", !kind->reads, files->to, written))
            return -1;
        checks_add(checks, "length of the file written", (double)lseek(files->to, 0, SEEK_END), (double)written, 0);
    }
    if (kind->reads && files->moved && kind->file_bytes) {
        /* The last buffer read has its position's pattern. */
        fill_pattern(expected, kind->buffer_bytes, (files->moved - kind->buffer_bytes) % kind->file_bytes);
        checks_add(checks, "last buffer read is right", memcmp(files->buffer, expected, kind->buffer_bytes) ? 0 : 1, 1,
                   0);
    }
    return 0;
}

static void teardown(struct party_context *context)
{
    const struct files *files = context->state;

    fd_close(&files->from);
    fd_close(&files->to);
}

static void describe(const struct bench_case *of, struct row_params *out)
{
    const struct kind *kind = of->bench->test;

    row_param_add(out, PARAM_WORK, "bufsize", "%zu", kind->buffer_bytes);
    row_param_count(out, PARAM_WORK, "maxblocks", kind->file_bytes / KIB);
    unix_describe(of, out);
}

static int supported(const struct bench_case *of, struct error *why)
{
    const struct kind *kind = of->bench->test;

    return unix_dir_supported(unix_scratch_dir(of->params),
                              (uint64_t)(kind->reads + kind->writes) * kind->file_bytes + FREE_MARGIN, why);
}

#define FILE_BENCH(name_, what_, old_name_, buffer_, blocks_, reads_, writes_, baseline_) \
    const struct bench bench_##name_##buffer_ = { \
        UNIX_BENCH(#name_ #buffer_, "File " what_ " " #buffer_ " bufsize " #blocks_ " maxblocks", "KBps", 1, \
                   baseline_, .state_size = sizeof(struct files), .setup = setup, .work = work, .verify = verify, \
                   .teardown = teardown), \
        .test = \
            &(const struct kind){ \
                .buffer_bytes = buffer_, .file_bytes = blocks_ * KIB, .reads = reads_, .writes = writes_}, \
        .groups = (reads_) && (writes_) ? UNIX_INDEX | UNIX_FILES | UNIX_OLDSYSTEM : UNIX_FILES, \
        .old_names = UNIX_OLD_NAMES(old_name_), \
        .sampling = UNIX_LONG_SAMPLING, \
        .place = unix_place, \
        .describe = describe, \
        .scratch_dir = unix_scratch_dir, \
        .supported = supported, \
    }

FILE_BENCH(fcopy, "Copy", "fstime", 1024, 2000, true, true, 3960);
FILE_BENCH(fcopy, "Copy", "fsbuffer", 256, 500, true, true, 1655);
FILE_BENCH(fcopy, "Copy", "fsdisk", 4096, 8000, true, true, 5800);
FILE_BENCH(fwrite, "Write", "fstime-w", 1024, 2000, false, true, 0);
FILE_BENCH(fwrite, "Write", "fsbuffer-w", 256, 500, false, true, 0);
FILE_BENCH(fwrite, "Write", "fsdisk-w", 4096, 8000, false, true, 0);
FILE_BENCH(fread, "Read", "fstime-r", 1024, 2000, true, false, 0);
FILE_BENCH(fread, "Read", "fsbuffer-r", 256, 500, true, false, 0);
FILE_BENCH(fread, "Read", "fsdisk-r", 4096, 8000, true, false, 0);
