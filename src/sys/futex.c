/* SPDX-License-Identifier: MIT */
#include "sys/cpu.h"

#include <limits.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Operations of futex(2); musl lacks the kernel's header. Not the private variants: processes share the word. */
#define OPERATION_WAIT 0
#define OPERATION_WAKE 1

void futex_wait(uint32_t *word, uint32_t value)
{
    (void)syscall(SYS_futex, word, OPERATION_WAIT, value, NULL, NULL, 0);
}

void futex_wake_all(uint32_t *word)
{
    (void)syscall(SYS_futex, word, OPERATION_WAKE, INT_MAX, NULL, NULL, 0);
}
