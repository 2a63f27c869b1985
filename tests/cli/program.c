/* SPDX-License-Identifier: MIT */
/* Reads the architecture and C library that the program under test was built for. */
#include "program.h"

#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

int program_machine(const char *path)
{
    unsigned char head[offsetof(Elf32_Ehdr, e_machine) + 2];
    const size_t at = sizeof(head) - 2;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head));

    if (fd >= 0)
        (void)close(fd);
    if (n != (ssize_t)sizeof(head) || memcmp(head, ELFMAG, SELFMAG) != 0)
        return -1;
    return head[EI_DATA] == ELFDATA2MSB ? head[at] << 8 | head[at + 1] : head[at + 1] << 8 | head[at];
}

bool program_emulated(const char *path)
{
    int own = program_machine("/proc/self/exe"), program = program_machine(path);

    return program != own && !(own == EM_X86_64 && program == EM_386) && !(own == EM_AARCH64 && program == EM_ARM);
}

bool program_clock_is_coarse(const char *path)
{
    return program_emulated(path) && program_machine(path) == EM_AARCH64;
}

static bool read_header(const char *path, Elf64_Ehdr *header)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool whole = fd >= 0 && read(fd, header, sizeof(*header)) == (ssize_t)sizeof(*header);

    if (fd >= 0)
        (void)close(fd);
    return whole && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0;
}

bool program_has_our_calls(const char *path)
{
    Elf64_Ehdr theirs, ours;

    return read_header(path, &theirs) && read_header("/proc/self/exe", &ours) && theirs.e_machine == ours.e_machine &&
           theirs.e_ident[EI_CLASS] == ours.e_ident[EI_CLASS];
}

bool program_has_nontemporal_stores(const char *path)
{
    int machine = program_machine(path);

    return machine == EM_X86_64 || machine == EM_386 || machine == EM_AARCH64;
}
