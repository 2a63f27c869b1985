/* SPDX-License-Identifier: MIT */
/* Takes the place of the C library's clone3() in the static program, so that threads come from clone(), as everywhere
 * before Linux 5.3. The C library turns to clone() by itself only where clone3() is unknown, but container runtimes
 * older than it forbid it (EPERM), and then no thread could be made. Weak: a library that brings its own wins.
 *
 * The name is glibc's own, since 2.34. An older glibc and musl make threads by clone() and call nothing of this name,
 * and in a dynamic program nothing does: the linker leaves it out. Should a later glibc name it otherwise, threads come
 * from clone3() wherever that is allowed, and tests/cli/test_old.c, which forbids it, fails. */
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
