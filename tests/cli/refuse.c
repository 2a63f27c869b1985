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

#define LOAD(offset)         BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offset))
#define SKIP_UNLESS(k, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(k), 0, (skip))
#define SKIP_IF(k, skip)     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(k), (skip), 0)
#define ANSWER(action)       BPF_STMT(BPF_RET | BPF_K, (action))

static size_t low_half(unsigned argument)
{
    return offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t) +
           (__BYTE_ORDER == __BIG_ENDIAN ? sizeof(uint32_t) : 0);
}

int refuse(void *context)
{
    const struct refusal *refusal = context;
    const uint32_t refused = SECCOMP_RET_ERRNO | ((uint32_t)refusal->error & SECCOMP_RET_DATA);
    struct sock_filter some[] = {
        LOAD(offsetof(struct seccomp_data, nr)),
        SKIP_UNLESS(refusal->number, 4),
        LOAD(low_half(refusal->argument)),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, refusal->mask),
        SKIP_UNLESS(refusal->value, 1),
        ANSWER(refused),
        ANSWER(SECCOMP_RET_ALLOW),
    };
    /* What starts the program has to be let through; it is told by where the name of the program is in memory. */
    struct sock_filter all[] = {
        LOAD(offsetof(struct seccomp_data, nr)),
        SKIP_UNLESS(refusal->number, 3),
        LOAD(low_half(0)),
        SKIP_IF(refusal->spared ? (uint32_t)(uintptr_t)refusal->spared : 0, refusal->spared ? 1 : 0),
        ANSWER(refused),
        ANSWER(SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.filter = all, .len = sizeof(all) / sizeof(all[0])};

    if (refusal->some)
        filter = (struct sock_fprog){.filter = some, .len = sizeof(some) / sizeof(some[0])};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) ? -1 : 0;
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
