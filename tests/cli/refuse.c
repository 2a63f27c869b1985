/* SPDX-License-Identifier: MIT */
/* Refuses a system call by a seccomp filter (seccomp(2), classic BPF). */
#include "refuse.h"

#include <elf.h>
#include <endian.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define LOAD(offset)              BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offset))
#define ONLY(bits)                BPF_STMT(BPF_ALU | BPF_AND | BPF_K, (bits))
#define SKIP(how, value, yes, no) BPF_JUMP(BPF_JMP | (how) | BPF_K, (uint32_t)(value), (yes), (no))
#define ANSWER(action)            BPF_STMT(BPF_RET | BPF_K, (action))
#define FILTER(statements)                                                                                             \
    ((struct sock_fprog){.filter = (statements), .len = sizeof(statements) / sizeof((statements)[0])})

static size_t low_half(unsigned argument)
{
    return offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t) +
           (__BYTE_ORDER == __BIG_ENDIAN ? sizeof(uint32_t) : 0);
}

/* Filters add up. */
static int install(struct sock_fprog filter)
{
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static int refuse_one(const struct refusal *refusal)
{
    const uint32_t refused = SECCOMP_RET_ERRNO | ((uint32_t)refusal->error & SECCOMP_RET_DATA);
    /* What starts the program is let through; where the program's name is in memory tells it from later ones. */
    const uint32_t spared = (uint32_t)(uintptr_t)refusal->spared;
    struct sock_filter call[] = {
        LOAD(offsetof(struct seccomp_data, nr)),
        SKIP(BPF_JEQ, refusal->number, 0, 3),
        LOAD(low_half(0)),
        SKIP(BPF_JEQ, spared, refusal->spared ? 1 : 0, 0),
        ANSWER(refused),
        ANSWER(SECCOMP_RET_ALLOW),
    };
    struct sock_filter flag[] = {
        LOAD(offsetof(struct seccomp_data, nr)),
        SKIP(BPF_JEQ, refusal->number, 0, 4),
        LOAD(low_half(refusal->argument)),
        ONLY(refusal->mask),
        SKIP(BPF_JEQ, refusal->value, 0, 1),
        ANSWER(refused),
        ANSWER(SECCOMP_RET_ALLOW),
    };
    struct sock_filter above[] = {
        LOAD(offsetof(struct seccomp_data, nr)),
        SKIP(BPF_JGT, refusal->number, 0, 1),
        ANSWER(refused),
        ANSWER(SECCOMP_RET_ALLOW),
    };

    switch (refusal->kind) {
    case REFUSE_FLAG:
        return install(FILTER(flag));
    case REFUSE_ABOVE:
        return install(FILTER(above));
    default:
        return install(FILTER(call));
    }
}

int refuse(void *context)
{
    int error = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);

    for (const struct refusal *refusal = context; refusal->kind && !error; refusal++)
        error = refuse_one(refusal);
    return error ? -1 : 0;
}

static bool read_header(const char *path, Elf64_Ehdr *header)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool whole = fd >= 0 && read(fd, header, sizeof(*header)) == (ssize_t)sizeof(*header);

    if (fd >= 0)
        (void)close(fd);
    return whole && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0;
}

bool refuse_reaches(const char *program)
{
    Elf64_Ehdr theirs, ours;

    return read_header(program, &theirs) && read_header("/proc/self/exe", &ours) &&
           theirs.e_machine == ours.e_machine && theirs.e_ident[EI_CLASS] == ours.e_ident[EI_CLASS];
}
