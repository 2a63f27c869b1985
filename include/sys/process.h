/* SPDX-License-Identifier: MIT */
/* This program as a file and as a process: its own executable, shared memory that survives exec, random bytes. */
#ifndef SYS_PROCESS_H
#define SYS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the program's own file: /proc/self/exe, else AT_EXECFN made absolute. Call it before any chdir. */
void process_init(void);

/* Returns whether the program's file gave this process privileges that its user lacks: set-user-ID, set-group-ID or
 * file capabilities. A security module's change of domain (AT_SECURE alone) does not count. */
bool process_has_rights_of_file(void);

/* Executes the program again with these arguments. Returns -errno on failure. */
int process_exec_self(char *const argv[], char *const envp[]);
/* Returns false when the program's own file cannot be found (then workers are plain forks). */
bool process_can_exec_self(void);

/* Writes the linker's build ID of this program in hex, read from its own program headers; "" when it has none. */
void process_build_id(char *buf, size_t size);

/* Returns whether this program was linked statically (has no interpreter). */
bool process_is_static(void);

/* Writes "glibc 2.36" or "musl". */
void process_libc(char *buf, size_t size);

/* Makes anonymous shared memory whose descriptor is inherited by exec: memfd_create, else an unlinked O_EXCL file in
 * /dev/shm, $TMPDIR, /tmp or the current directory. Returns the descriptor or -errno. */
int process_shared_memory(size_t size);

/* Fills buf with random bytes: getrandom, else AT_RANDOM mixed with the clock. */
void process_random(void *buf, size_t size);

/* Padding of the environment, "JITBENCH_PAD=xxx...": a random length moves the contents of the stack in each sample;
 * the kernel randomises the rest of the layout. */
#define PROCESS_PAD_MAX  4096u
#define PROCESS_PAD_NAME "JITBENCH_PAD="
void process_random_pad(char pad[PROCESS_PAD_MAX]);

#endif
