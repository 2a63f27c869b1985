/* SPDX-License-Identifier: MIT */
/* This program as a file and a process: where its own executable is, shared memory that outlives an exec. */
#ifndef SYS_PROCESS_H
#define SYS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Finds the program's own file, before any chdir: /proc/self/exe, else AT_EXECFN made absolute. */
void process_init(void);

/* Whether the program's file gave this process rights that its user does not have: set-user-ID, set-group-ID or file
 * capabilities. A security module's change of domain (AT_SECURE alone) gives none. */
bool process_has_rights_of_file(void);

/* Executes the program again with these arguments. Returns -errno when neither path works. */
int process_exec_self(char *const argv[], char *const envp[]);
/* False when the program's own file cannot be found (then workers are plain forks). */
bool process_can_exec_self(void);

/* The linker's build id of this program in hex, from its own program headers; "" when it has none. */
void process_build_id(char *buf, size_t size);

/* Whether this program was linked statically (it has no interpreter). */
bool process_is_static(void);

/* "glibc 2.36" or "musl". */
void process_libc(char *buf, size_t size);

/* Anonymous shared memory behind a descriptor that is inherited by exec: memfd_create, else an unlinked O_EXCL
 * file in /dev/shm, $TMPDIR, /tmp or the current directory. Returns the descriptor or -errno. */
int process_shared_memory(size_t size);

/* Fills buf with random bytes: getrandom, else AT_RANDOM mixed with the clock. */
void process_random(void *buf, size_t size);

/* A layout of its own for each sample: an environment of random length moves the stack's contents; the kernel moves the
 * rest. "JITBENCH_PAD=xxx...", to stand in the environment of what is executed. */
#define PROCESS_PAD_MAX  4096u
#define PROCESS_PAD_NAME "JITBENCH_PAD="
void process_random_pad(char pad[PROCESS_PAD_MAX]);

#endif
