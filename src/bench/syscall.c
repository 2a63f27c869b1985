/* SPDX-License-Identifier: MIT */
/* System call overhead: close(dup(0)), getpid, getuid, umask(022) in a loop, and two of these calls alone. Uses raw
 * system calls where a C library may cache the result. */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/unix_kernel.h"

#define UMASK 022

/* Collects wrong results as bits, so that the loops contain no branches. */
struct answers {
    long pid, uid;
    uint64_t wrong;
};

static int setup(struct party_context *context)
{
    struct answers *answers = context->state;

    answers->pid = getpid();
    answers->uid = (long)getuid();
    (void)umask(UMASK);
    int copy = dup(0);
    if (copy < 0)
        return party_fail(context, "cannot duplicate standard input: %s", strerror(errno));
    (void)close(copy);
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

#define PARTY(name_, work_)                                                                                            \
    {                                                                                                                  \
        {UNIX_MEASURED(name_), .state_size = sizeof(struct answers), .setup = setup, .work = work_, .verify = verify}, \
    }
static const struct party parties_mix[] = PARTY("syscall", work_mix);
static const struct party parties_close[] = PARTY("sysclose", work_close);
static const struct party parties_getpid[] = PARTY("sysgetpid", work_getpid);

static const struct metric metrics_mix[UNIX_N_METRICS] = UNIX_METRICS("lps", 1, 15000);
static const struct metric metrics_other[UNIX_N_METRICS] = UNIX_METRICS("lps", 1, 0);

const struct bench bench_syscall = {
    UNIX_BENCH("syscall", "System Call Overhead", parties_mix, metrics_mix),
    .groups = UNIX_INDEX | UNIX_PROCESS | UNIX_OLDSYSTEM | UNIX_CORE_BOUND,
    .sampling = UNIX_SHORT_SAMPLING,
    .place = unix_place,
    .describe = unix_describe_plain,
};

const struct bench bench_sysclose = {
    UNIX_BENCH("sysclose", "System Call Overhead: close(dup())", parties_close, metrics_other),
    .groups = UNIX_PROCESS | UNIX_MISC,
    .sampling = UNIX_SHORT_SAMPLING,
    .place = unix_place,
    .describe = unix_describe_plain,
};

const struct bench bench_sysgetpid = {
    UNIX_BENCH("sysgetpid", "System Call Overhead: getpid", parties_getpid, metrics_other),
    .groups = UNIX_PROCESS | UNIX_MISC,
    .sampling = UNIX_SHORT_SAMPLING,
    .place = unix_place,
    .describe = unix_describe_plain,
};
