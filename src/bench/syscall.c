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

static int work_mix(struct party_context *context, uint64_t count)
{
    struct answers *answers = context->state;
    long wrong = 0;

    for (uint64_t i = 0; i < count; i++) {
        wrong |= close(dup(0));
        wrong |= syscall(SYS_getpid) ^ answers->pid;
        wrong |= (long)getuid() ^ answers->uid;
        wrong |= (long)(umask(UMASK) ^ UMASK);
    }
    answers->wrong |= (uint64_t)wrong;
    return 0;
}

static int work_close(struct party_context *context, uint64_t count)
{
    struct answers *answers = context->state;
    int wrong = 0;

    for (uint64_t i = 0; i < count; i++)
        wrong |= close(dup(0));
    answers->wrong |= (uint64_t)wrong;
    return 0;
}

static int work_getpid(struct party_context *context, uint64_t count)
{
    struct answers *answers = context->state;
    long wrong = 0;

    for (uint64_t i = 0; i < count; i++)
        wrong |= syscall(SYS_getpid) ^ answers->pid;
    answers->wrong |= (uint64_t)wrong;
    return 0;
}

static int verify(struct party_context *context)
{
    const struct answers *answers = context->state;

    checks_add(context->recorder[UNIX_CHECKS], "wrong bits of dup, close, getpid, umask", (double)answers->wrong, 0, 0);
    return 0;
}

#define SYSCALL_BENCH(name_, title_, groups_, baseline_, work_) \
    const struct bench bench_##name_ = { \
        UNIX_BENCH(#name_, title_, "lps", 1, baseline_, .state_size = sizeof(struct answers), .setup = setup, \
                   .work = work_, .verify = verify), \
        .groups = groups_, \
        .sampling = UNIX_SHORT_SAMPLING, \
        .place = unix_place, \
        .describe = unix_describe, \
    }

SYSCALL_BENCH(syscall, "System Call Overhead", UNIX_INDEX | UNIX_PROCESS | UNIX_OLDSYSTEM | UNIX_CORE_BOUND, 15000,
              work_mix);
SYSCALL_BENCH(sysclose, "System Call Overhead: close(dup())", UNIX_PROCESS | UNIX_MISC, 0, work_close);
SYSCALL_BENCH(sysgetpid, "System Call Overhead: getpid", UNIX_PROCESS | UNIX_MISC, 0, work_getpid);
