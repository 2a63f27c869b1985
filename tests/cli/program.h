/* SPDX-License-Identifier: MIT */
/* Reads what the program under test was built for from the head of its ELF file: it may be of another architecture than
 * the test, and run under an emulator. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include <stdbool.h>

/* e_machine, as EM_X86_64; -1 when it is no ELF file. */
int program_machine(const char *path);

/* The kernel does not run it by itself. */
bool program_emulated(const char *path);

/* It is emulated with a counter of coarse steps: qemu-user has cntvct go on by a microsecond at a time. */
bool program_clock_is_coarse(const char *path);

/* Its system calls have the test's numbers and reach the kernel as they are: a filter of refuse.h meets them. Not so in
 * an emulator, whose own calls these would be. */
bool program_has_our_calls(const char *path);

/* Its architecture has non-temporal stores that `jitbench stream` uses. */
bool program_has_nontemporal_stores(const char *path);

#endif
