/* SPDX-License-Identifier: MIT */
/* A kernel that lacks system calls, or a container that forbids them: seccomp filters that refuse some. */
#ifndef TESTS_REFUSE_H
#define TESTS_REFUSE_H

#include <stdbool.h>
#include <stdint.h>

enum refusal_kind {
    REFUSE_CALL = 1, /* all calls of the number, but an execve() of spared */
    REFUSE_FLAG,     /* those whose argument (0: the first) has the value in the bits of the mask */
    REFUSE_ABOVE,    /* all numbers above this one: what came to the kernel later */
};

struct refusal {
    enum refusal_kind kind;
    long number;
    unsigned argument;
    uint32_t mask, value;
    const char *spared; /* NULL: nothing is */
    int error;          /* the errno that a refused call fails with */
};

/* For cli_run.prepare, the context being an array that a kind of 0 ends: for this process and all that come from it. 0,
 * or -1 with errno: this kernel has no filters. */
int refuse(void *context);

/* False when the program runs in an emulator here, whose calls these would be. */
bool refuse_reaches(const char *program);

#endif
