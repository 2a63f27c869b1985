/* SPDX-License-Identifier: MIT */
/* Finds and executes the program's own file; makes shared memory that survives exec, and random bytes. */
#ifndef SYS_PROCESS_H
#define SYS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the path of the program's own file, for use when /proc/self/exe is missing: AT_EXECFN made absolute. Must be
 * called before any chdir. */
void process_init(void);

/* Returns whether the program's file gave this process privileges that its user lacks: set-user-ID, set-group-ID or
 * file capabilities. A security module's change of domain (AT_SECURE alone) does not count. */
bool process_has_rights_of_file(void);

/* Executes the program again with these arguments. Returns -errno on failure. */
int process_exec_self(char *const argv[], char *const envp[]);
/* Returns whether the program's own file can be executed again. If not, worker processes are only forked, without an
 * exec. */
bool process_can_exec_self(void);

/* Writes the linker's build ID of this program in hex, read from its own program headers; "" when it has none. */
void process_build_id(char *buf, size_t size);

/* Returns whether this program was linked statically (has no interpreter). */
bool process_is_static(void);

/* Writes name and version of the C library: "glibc 2.36" or "musl". */
void process_libc(char *buf, size_t size);

/* Makes anonymous shared memory whose descriptor is inherited by exec: memfd_create, else an unlinked O_EXCL file in
 * /dev/shm, $TMPDIR, /tmp or the current directory. Returns the descriptor or -errno. */
int process_shared_memory(size_t size);

/* Fills buf with random bytes: getrandom, else AT_RANDOM mixed with the clock. */
void process_random(void *buf, size_t size);

/* process_random_pad() writes "JITBENCH_PAD=xxx...", a variable of random length that only pads the environment: it
 * moves the contents of the stack in each sample. The kernel randomises the rest of the layout. */
#define PROCESS_PAD_MAX  4096u
#define PROCESS_PAD_NAME "JITBENCH_PAD="
void process_random_pad(char pad[PROCESS_PAD_MAX]);

/* Closes all descriptors from `first` on. Makes only system calls, so that a child may call it before its exec. */
void process_close_from(int first);

#endif
