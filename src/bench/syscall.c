/* SPDX-License-Identifier: MIT */
/* close(dup(0)), getpid, getuid, umask(022) in a loop, and two of them alone; raw where a C library may cache. */
#include <sys/stat.h>
#include <sys/syscall.h>

#include "bench/unix.h"

#define UMASK 022

/* Results that getpid and getuid must return; wrong bits are collected, without branches in the loops. */
struct answers {
    long pid, uid;
    uint64_t wrong;
};

static int setup(struct party_context *context)
{
    struct answers *answers = context->state;

    answers->pid = getpid();
    answers->uid = (long)getuid();
    umask(UMASK);
    int copy = dup(0);
    if (copy < 0)
        return party_fail(context, "cannot duplicate standard input: %s", strerror(errno));
    close(copy);
    return 0;
}

#define WORK(name_, type_, wrong_) \
    static int work_##name_(struct party_context *context, uint64_t count) \
    { \
        struct answers *answers = context->state; \
        type_ wrong = 0; \
        for (uint64_t i = 0; i < count; i++) \
            wrong |= wrong_; \
        answers->wrong |= (uint64_t)wrong; \
        return 0; \
    }

WORK(sysclose, int, close(dup(0)))
WORK(sysgetpid, long, syscall(SYS_getpid) ^ answers->pid)
WORK(syscall, long,
     close(dup(0)) | (syscall(SYS_getpid) ^ answers->pid) | ((long)getuid() ^ answers->uid) |
         (long)(umask(UMASK) ^ UMASK))

static int verify(struct party_context *context)
{
    const struct answers *answers = context->state;

    checks_add(context->recorder[UNIX_CHECKS], "wrong bits of dup, close, getpid, umask", (double)answers->wrong, 0, 0);
    return 0;
}

#define SYSCALL_BENCH(name_, title_, groups_, baseline_) \
    const struct bench bench_##name_ = { \
        UNIX_BENCH(#name_, title_, "lps", 1, baseline_, .state_size = sizeof(struct answers), .setup = setup, \
                   .work = work_##name_, .verify = verify), \
        .groups = groups_, \
        .sampling = UNIX_SHORT_SAMPLING, \
        .place = unix_place, \
        .describe = unix_describe, \
    }

SYSCALL_BENCH(syscall, "System Call Overhead", UNIX_INDEX | UNIX_PROCESS | UNIX_OLDSYSTEM | UNIX_CORE_BOUND, 15000);
SYSCALL_BENCH(sysclose, "System Call Overhead: close(dup())", UNIX_PROCESS | UNIX_MISC, 0);
SYSCALL_BENCH(sysgetpid, "System Call Overhead: getpid", UNIX_PROCESS | UNIX_MISC, 0);
