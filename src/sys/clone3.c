/* SPDX-License-Identifier: MIT */
/* Takes the place of the C library's clone3() in the static program, so that threads come from clone(), as everywhere
 * before Linux 5.3. The C library turns to clone() by itself only where clone3() is unknown, but container runtimes
 * older than it forbid it (EPERM), and then no thread could be made. Weak: a library that brings its own wins. */
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
