/* SPDX-License-Identifier: MIT */
/* Replaces the C library's clone3() in the statically linked program, so that threads are made by clone(), as before
 * Linux 5.3. The C library falls back to clone() only where clone3() is unknown (ENOSYS), but older container runtimes
 * forbid it with EPERM, and no thread could be made. The symbol is weak: a library's own definition is used instead.
 *
 * The name is glibc's own, since 2.34. An older glibc and musl make threads by clone() and call no function of this
 * name, and a dynamically linked program does not either: the linker drops it. Should a later glibc rename the
 * function, threads are made by clone3() again wherever that is allowed, and tests/cli/test_old.c, which forbids it,
 * fails. */
#include <errno.h>
#include <stddef.h>

struct clone_args;
int __clone3(struct clone_args *args, size_t size, int (*start)(void *), void *argument);

__attribute__((weak)) int __clone3(struct clone_args *args, size_t size, int (*start)(void *), void *argument)
{
    (void)args;
    (void)size;
    (void)start;
    (void)argument;
    errno = ENOSYS;
    return -1;
}
