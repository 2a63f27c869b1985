/* SPDX-License-Identifier: MIT */
/* Simulates a kernel that lacks system calls, or a container that forbids them, with seccomp filters (seccomp(2),
 * classic BPF). */
#ifndef TESTS_REFUSE_H
#define TESTS_REFUSE_H

#include <endian.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>

enum refusal_kind {
    REFUSE_CALL = 1, /* all calls of the number */
    REFUSE_FLAG,     /* those whose argument (0: the first) has the value in the bits of the mask */
    REFUSE_ABOVE,    /* all numbers above this one: what came to the kernel later */
};

struct refusal {
    enum refusal_kind kind;
    long number;
    unsigned argument;
    uint32_t mask, value; /* 0 and 0, which every argument has, but for REFUSE_FLAG */
    int error;            /* the errno that a refused call fails with */
};

/* Installs one filter. Filters add up. */
static inline int refuse_one(const struct refusal *refusal)
{
    const size_t low_half = __BYTE_ORDER == __BIG_ENDIAN ? sizeof(uint32_t) : 0;
    const size_t argument = offsetof(struct seccomp_data, args) + refusal->argument * sizeof(uint64_t) + low_half;
    const uint16_t compare = refusal->kind == REFUSE_ABOVE ? BPF_JGT : BPF_JEQ;
    struct sock_filter statements[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | compare | BPF_K, (uint32_t)refusal->number, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)argument),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, refusal->mask),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refusal->value, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((uint32_t)refusal->error & SECCOMP_RET_DATA)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.filter = statements, .len = sizeof(statements) / sizeof(statements[0])};

    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

/* Refuses what an array of struct refusal names, which a kind of 0 ends, to this process and to all that come from it.
 * Returns 0, or -1 with errno: this kernel has no filters. Can be cli_run.prepare. */
static inline int refuse(void *context)
{
    int error = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);

    for (const struct refusal *refusal = context; refusal->kind && !error; refusal++)
        error = refuse_one(refusal);
    return error ? -1 : 0;
}

/* Refuses all calls of one number. */
static inline int refuse_call(long number, int error)
{
    struct refusal refusals[] = {{.kind = REFUSE_CALL, .number = number, .error = error}, {.kind = 0}};

    return refuse(refusals);
}

/* Refuses the calls of one number whose argument (0: the first) has the value in the bits of the mask. */
static inline int refuse_flag(long number, unsigned argument, uint32_t mask, uint32_t value, int error)
{
    struct refusal refusals[] = {
        {.kind = REFUSE_FLAG, .number = number, .argument = argument, .mask = mask, .value = value, .error = error},
        {.kind = 0}};

    return refuse(refusals);
}

#endif
