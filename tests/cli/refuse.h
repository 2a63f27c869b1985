/* SPDX-License-Identifier: MIT */
/* A kernel that lacks a system call, or a container that forbids it: a seccomp filter that refuses one. */
#ifndef TESTS_REFUSE_H
#define TESTS_REFUSE_H

#include <stdbool.h>
#include <stdint.h>

/* One call, or only where an argument (0: the first) has a value in some of its lowest 32 bits: a flag, an option. */
struct refusal {
    long number;
    bool some; /* only some of the calls, by the next three; otherwise all but an execve() of spared */
    unsigned argument;
    uint32_t mask, value;
    int error; /* the errno that it fails with */
    const char *spared;
};

/* For cli_run.prepare, the context being a struct refusal: for this process and all that come from it. 0, or -1 with
 * errno: this kernel has no filters. */
int refuse(void *context);

/* No call of a new kernel can be refused where the program runs in an emulator: the emulator would be. */
bool refuse_reaches(const char *program);

#endif
