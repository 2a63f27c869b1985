/* SPDX-License-Identifier: MIT */
/* Replaces the C library's clone3() in the statically linked program, so that threads are made by clone(), as before
 * Linux 5.3. The C library falls back to clone() only on ENOSYS, but older container runtimes forbid clone3() with
 * EPERM, and no thread could be made. The symbol is weak: a library's own definition wins. The name is glibc's since
 * 2.34; the linker drops the function where nothing calls it (musl, older glibc, dynamic linking). Should a later
 * glibc rename it, tests/cli/test_old.c fails. */
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
