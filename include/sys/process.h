/* SPDX-License-Identifier: MIT */
/* The program's own file; shared memory that survives exec; random bytes. */
#ifndef SYS_PROCESS_H
#define SYS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the path of the program's own file, for use without /proc/self/exe (AT_EXECFN made absolute): before any
 * chdir. */
void process_init(void);

/* Returns whether the program's file gave privileges that the user lacks: set-user-ID, set-group-ID or file
 * capabilities. A security module's change of domain (AT_SECURE alone) does not count. */
bool process_has_rights_of_file(void);

/* Returns -errno on failure. */
int process_exec_self(char *const argv[], char *const envp[]);
/* If not, workers are only forked, without an exec. */
bool process_can_exec_self(void);

/* Writes the linker's build ID in hex; "" when it has none. */
void process_build_id(char *buf, size_t size);

bool process_is_static(void);

/* "glibc 2.36" or "musl" */
void process_libc(char *buf, size_t size);

/* Anonymous shared memory whose descriptor is inherited by exec: memfd_create, else an unlinked O_EXCL file in
 * /dev/shm, $TMPDIR, /tmp or the current directory. Returns the descriptor or -errno. */
int process_shared_memory(size_t size);

/* getrandom, else AT_RANDOM mixed with the clock */
void process_random(void *buf, size_t size);

/* Writes "JITBENCH_PAD=xxx...", of random length, which pads the environment and so moves the stack in each sample. */
#define PROCESS_PAD_MAX  4096u
#define PROCESS_PAD_NAME "JITBENCH_PAD="
void process_random_pad(char pad[PROCESS_PAD_MAX]);

/* Closes descriptors from `first` on. Only system calls: a child may call it before its exec. */
void process_close_from(int first);

#endif
