/* SPDX-License-Identifier: MIT */
/* A disk that is made up: the Makefile sends what the loads ask of their file here. It writes down each call, and
 * answers as the test says. While it is off, the calls go on as ever. */
#ifndef TESTS_UNIT_MADE_UP_DISK_H
#define TESTS_UNIT_MADE_UP_DISK_H

#include "disk_fixture.h"
#include "made_up_clock.h"

static struct {
    bool on;
    struct disk_party *d;
    char log[512];         /* "w3 ": block 3 written; "r": read; "w3+300 ": the rest of it, from its byte 300 KiB on */
    const int64_t *answer; /* by write or read: bytes moved, or -errno; those behind n_answers move all */
    size_t n_answers;
    uint64_t room_bytes;     /* what can be written; 0: all */
    uint64_t each_ns;        /* time of a write or read */
    unsigned calls, stop_at; /* writes and reads; the one after which the load is stopped */
    int sync_error, cut_error;
} made_up_disk;

static void disk_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void disk_note(const char *format, ...)
{
    const size_t n = strlen(made_up_disk.log);
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(made_up_disk.log + n, sizeof(made_up_disk.log) - n, format, arguments);
    va_end(arguments);
}

static ssize_t disk_moves(char how, size_t size, off_t at)
{
    const unsigned call = made_up_disk.calls++;

    if (call == 0)
        made_up_disk.d->p.head->slot[0].refused[0] = 0; /* what was said of the real file */
    disk_note(size == DISK_BLOCK_BYTES ? "%c%u " : "%c%u+%u ", how, (unsigned)(at / (off_t)MIB),
              (unsigned)(at % (off_t)MIB / 1024));
    assert_int_equal((uint64_t)at % MIB + size, MIB);
    made_up_clock.now_ns += made_up_disk.each_ns;
    made_up_disk.d->p.head->stop = made_up_disk.calls == made_up_disk.stop_at;
    int64_t answer = call < made_up_disk.n_answers ? made_up_disk.answer[call] : (int64_t)size;
    if (how == 'w' && made_up_disk.room_bytes && (uint64_t)at + size > made_up_disk.room_bytes)
        answer = -ENOSPC;
    errno = answer < 0 ? (int)-answer : 0;
    return answer < 0 ? -1 : (ssize_t)answer;
}

static int disk_answers(const char *what, int error)
{
    disk_note("%s ", what);
    errno = error;
    return error ? -1 : 0;
}

static int disk_cut(off_t size)
{
    char what[16];

    (void)snprintf(what, sizeof(what), "cut%u", (unsigned)((uint64_t)size / MIB));
    assert_int_equal((uint64_t)size % MIB, 0);
    return disk_answers(what, made_up_disk.cut_error);
}

/* The C library has some of them under two names, or one of both. */
#define DISK_CALL(result, name, parameters, arguments, answer) \
    result __real_##name parameters __attribute__((weak)); \
    result __wrap_##name parameters; \
    result __wrap_##name parameters \
    { \
        return made_up_disk.on ? (answer) : __real_##name arguments; \
    }
#define DISK_WRITE(name) \
    DISK_CALL(ssize_t, name, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at), \
              disk_moves('w', size, at))
#define DISK_READ(name) \
    DISK_CALL(ssize_t, name, (int fd, void *bytes, size_t size, off_t at), (fd, bytes, size, at), \
              disk_moves('r', size, at))
#define DISK_CUT(name) DISK_CALL(int, name, (int fd, off_t size), (fd, size), disk_cut(size))
#define DISK_ADVICE(name) \
    DISK_CALL(int, name, (int fd, off_t at, off_t size, int advice), (fd, at, size, advice), \
              disk_answers(at == 0 && size == 0 && advice == POSIX_FADV_DONTNEED ? "drop" : "advice", 0))
DISK_WRITE(pwrite)
DISK_WRITE(pwrite64)
DISK_READ(pread)
DISK_READ(pread64)
DISK_CUT(ftruncate)
DISK_CUT(ftruncate64)
DISK_ADVICE(posix_fadvise)
DISK_ADVICE(posix_fadvise64)
DISK_CALL(int, fdatasync, (int fd), (fd), disk_answers("sync", made_up_disk.sync_error))

/* The load's party, in the folder /tmp, with a file of so many bytes whose state is as after the setup. */
static void made_up_disk_begin(struct disk_party *d, const struct load *load, uint64_t file_bytes)
{
    disk_party_begin(d, load, "/tmp", file_bytes);
    *(struct disk *)d->p.context.state = (struct disk){.fd = -1, .size_bytes = file_bytes, .what = "writes"};
    memset(&made_up_disk, 0, sizeof(made_up_disk));
    made_up_disk.d = d;
}

/* Calls run, or another of the party's functions. Returns its result. */
static int made_up_disk_call(int (*call)(struct party_context *context))
{
    made_up_clock.now_ns = 1000000000;
    made_up_clock.on = made_up_disk.on = true;
    const int result = call(&made_up_disk.d->p.context);
    made_up_clock.on = made_up_disk.on = false;
    return result;
}

/* The log of a flush, and of blocks. */
#define DISK_SYNC "sync drop "
#define W_0_TO_3  "w0 w1 w2 w3 "
#define W_4_TO_7  "w4 w5 w6 w7 "
#define W_8_TO_11 "w8 w9 w10 w11 "

#endif
