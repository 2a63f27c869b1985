/* SPDX-License-Identifier: MIT */
/* Processes, signals and messages; files of /proc and /sys. */
#ifndef SYS_PROCESS_H
#define SYS_PROCESS_H

#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sys/cpu.h"

/* Reads small files of /proc and /sys. The parsers accept any content. */

/* Stands before each path; "" except in tests. */
extern const char *procfs_root;

bool procfs_exists(const char *path);

/* One byte more than the kernel accepts, so that a path that is cut fails with ENAMETOOLONG. */
#define PROCFS_PATH_SIZE (PATH_MAX + 1)
/* Writes a path as printf() does and returns it. The buffer of PROCFS_PATH() lasts until the end of the block. */
const char *procfs_path(char path[PROCFS_PATH_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));
#define PROCFS_PATH(...)    procfs_path((char[PROCFS_PATH_SIZE]){0}, __VA_ARGS__)
#define CPU_FOLDER          "/sys/devices/system/cpu"
#define CPU_PATH(cpu, file) PROCFS_PATH(CPU_FOLDER "/cpu%u/%s", cpu, file)

/* Never blocks. Returns the descriptor or -errno. */
int procfs_open(const char *path);

/* Reads at most size - 1 bytes, NUL-terminated; "" on error. Returns the length or -errno. */
ssize_t procfs_read(const char *path, char *buf, size_t size);

/* Reads until buf is full, or to the end. Returns the number of bytes, or -errno. */
ssize_t procfs_read_fd(int fd, void *buf, size_t size);

/* Returns the whole file, NUL-terminated, which the caller frees; NULL, with errno, when unreadable or larger than
 * 64 MiB. */
char *procfs_read_all(const char *path);
/* The same from an open file's current position on. */
char *procfs_read_rest(int fd, size_t *length);

/* Reads the first line, cut to size, as procfs_copy() does. Returns 0; -ENODATA when it is empty, or -errno. */
int procfs_read_line(const char *path, char *buf, size_t size);
/* Into an array. */
#define READ_LINE(path, array) procfs_read_line(path, array, sizeof(array))

/* Returns false unless the file is one unsigned decimal number. */
bool procfs_read_u64(const char *path, uint64_t *out);

/* Returns false unless the file is a CPU list. */
bool procfs_read_cpus(const char *path, struct cpuset *out);

/* Returns a directory's names but those with a dot in front, in a NULL-terminated array, sorted with numbers by
 * value; the caller frees it by one free(). NULL with errno when it cannot be read. */
char **procfs_names(const char *path);

static inline bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Copies a text, cut to size, without white space around it and with unprintable bytes as '?'. Returns false (and
 * "") when nothing is left. */
bool procfs_copy(const char *text, size_t length, char *buf, size_t size);
/* The same with the word in brackets of "always [madvise] never". */
bool procfs_choice(const char *text, char *buf, size_t size);

/* Reads an unsigned decimal number after blanks, UINT64_MAX if larger. Returns the position after it, which is white
 * space or the end; NULL: no such number. */
const char *procfs_number(const char *text, uint64_t *out);

/* Returns NULL at the end of the text. */
const char *procfs_next_line(const char *text);

/* Copies the value of the first line "KEY: value" (blanks may precede the colon) as procfs_copy() does. Returns
 * false without one. */
bool procfs_value(const char *text, const char *key, char *buf, size_t size);

/* Returns the number at the start of that value; -1: none, or above INT64_MAX. */
int64_t procfs_count(const char *text, const char *key);

/* Finds the number of the first line "KEY NUMBER". */
bool procfs_number_after(const char *text, const char *key, uint64_t *out);

/* Returns the position after the first "KEY" and separator at the start of a line (blanks may precede a colon); NULL:
 * none. text may be NULL. */
const char *procfs_find(const char *text, const char *key, char separator);

/* The program's own file; shared memory that survives exec; random bytes. */

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

/* For reading. Returns the descriptor (close-on-exec) or -errno. */
int process_open_self(void);

/* Writes the linker's build ID in hex; "" when it has none. */
void process_build_id(char *buf, size_t size);

bool process_is_static(void);

/* "glibc 2.36" or "musl" */
void process_libc(char *buf, size_t size);

/* Anonymous shared memory whose descriptor is inherited by exec: memfd_create, else a file without a name in
 * /dev/shm, $TMPDIR, /tmp or the current directory. Returns the descriptor or -errno. */
int process_shared_memory(size_t size);

void process_random(void *buf, size_t size);

/* Writes "JITBENCH_PAD=xxx...", of random length, which pads the environment and so moves the stack in each sample. */
#define PROCESS_PAD_MAX  4096u
#define PROCESS_PAD_NAME "JITBENCH_PAD="
void process_random_pad(char pad[PROCESS_PAD_MAX]);

/* Closes descriptors from `first` on. Only system calls: a child may call it before its exec. */
void process_close_from(int first);

/* Waits until a child has ended, of whatever kind, and forgets it. */
void process_await(pid_t child);

/* For a process that waits for the end of another one: ignores what ends or interrupts the whole group. */
void process_ignore_ending(void);

/* Runs other programs without a shell and without copying the caller's memory, and reads the kernel's counters for
 * them. */

/* Finds a program as execvp() does, in the directories of path ("a:b"; NULL: the system's default). Returns 0 with
 * the file in buf; -ENOENT; -EACCES when files exist but none may be executed; -ENAMETOOLONG. */
int program_find(const char *name, const char *path, char *buf, size_t size);

struct program {
    const char *path; /* the kernel refuses a script without '#!' */
    char *const *argv, *const *envp;
    int fds[3]; /* standard input, output and error; -1: /dev/null */
    /* Called in the new process before the exec; may be NULL. It shares the caller's memory, and so may only make
     * system calls and write plain variables. An error (-errno) ends the process. */
    int (*prepare)(void *context);
    void *context;
    /* If not NULL, the program gets a process group, which this guard, started for group 0, ends. */
    struct program_guard *guard;
};

/* To be called once: the calling process becomes the parent of orphans (subreaper), and SIGCHLD and SIGTERM, for
 * which program_wait() waits, are blocked. */
void program_be_parent(void);

/* Returns 0 when a new process can share the caller's memory, as program_start() and program_guard() need; or -errno
 * (-EINVAL under qemu-user). */
int program_can_share(void);

/* Starts a program, which is killed when the calling thread ends. It has no descriptors but fds, and no signal is
 * blocked or handled; the rest is inherited. Returns its pid, with the time (CLOCK_MONOTONIC_RAW) just before the
 * exec; or -errno of the step that failed, and no process is left. */
pid_t program_start(const struct program *program, uint64_t *exec_ns);

/* Waits for the end without reaping. The caller has one thread and has blocked SIGCHLD. Times are
 * CLOCK_MONOTONIC_RAW. Returns 0, -ETIMEDOUT when it still runs at until_ns, -EINTR after a signal that asks the
 * caller to end (it stays pending), or -errno. */
int program_wait(pid_t pid, uint64_t until_ns, uint64_t *end_ns);

struct program_end {
    int status;          /* status as waitpid() gives it */
    struct rusage usage; /* of the process and all children it waited for */
    unsigned last_cpu;   /* CPUSET_NONE: not known */
    struct task_counters counters;
};
/* Reaps the process; kills it first when it still runs. Of end->counters, migrations and run_delay_ns are its main
 * thread's only, and -1 when other threads used a tenth of the CPU time or more. Returns 0 or -errno. */
int program_reap(pid_t pid, struct program_end *end);

/* Reaps children that have ended. Returns whether others still run. */
bool program_has_children(void);

/* Starts a guard: a process in a group of its own that kills this process group (0: none yet) if the caller ends
 * before program_unguard(). (The kernel kills only the caller's children, not theirs.) It shares the caller's
 * memory, and the struct holds its stack: it must not move, and is all zero at first. Returns 0 or -errno. */
#define PROGRAM_GUARD_STACK 16384
struct program_guard {
    pid_t pid, group;
    bool dismissed;
    int fd, life_fd, answer_fd;
    char stack[PROGRAM_GUARD_STACK] __attribute__((aligned(64)));
};
int program_guard(struct program_guard *guard, pid_t group);
void program_unguard(struct program_guard *guard); /* does nothing when guard is all zero */

/* Ends all orphans that the caller, who has reaped its own children, inherited as a subreaper, but those that end
 * within grace_ns. Returns how many were killed. */
unsigned program_end_orphans(uint64_t grace_ns);

/* Reads what runs on the machine from /proc. */

#define TASKS_NAME 32u

struct tasks_one {
    uint32_t tid, parent; /* the task, and the parent of its process */
    bool kernel;          /* a kernel thread */
    uint64_t cpu_ns;      /* CPU time so far; 0 where the kernel does not count it */
    char name[TASKS_NAME];
};

/* Returns false when there is no task with this number. */
bool tasks_read(uint32_t tid, struct tasks_one *out);

/* Splits a command line into words, without a shell. */

/* word[n] is NULL; the words point into text, which is allocated. All zero: no words. */
struct words {
    char *text;
    char **word;
    size_t n;
};

/* Splits as the kernel does (Documentation/admin-guide/kernel-parameters.rst): white space ends a word except
 * between double quotes; quotes around a whole word, or around the value after its first '=', are removed. No
 * escapes; a quote that is not closed extends to the end. Returns 0 or -ENOMEM. */
int words_of_kernel(const char *line, struct words *words);

/* Splits as a user types: white space ends a word except between single or double quotes, which are removed wherever
 * they stand. With escapes, a backslash takes the next character literally, except between single quotes. No
 * variables, no wildcards. Returns NULL; or a reason, and words is empty. */
const char *words_of_command(const char *line, bool escapes, struct words *words);

/* Copies the word at *at, which does not begin with a space, to *to without its quotes, NUL-terminated; the copy is
 * not longer. Moves both to the end. Returns as words_of_command(). */
const char *words_take(const char **at, char **to, bool escapes);

void words_free(struct words *words);

/* Job and rank of this process in a parallel job, from its launcher's environment variables. */

struct job {
    const char *launcher; /* "Slurm", "Open MPI", "PMI"; NULL: none */
    char id[40];          /* "" when not known */
    char rank[16];        /* decimal; "" when not known */
    uint64_t ranks;       /* 0: not known */
    char node[65];        /* the launcher's name of this node; "" when not given */
    char wrong[120];      /* message about a variable that should be a number and is not; "": none */
};

/* Of nested launchers the inner one counts: first Open MPI, then PMI, then Slurm
 * (only within a job step: a rank has no meaning outside), then PMIx. */
void job_read(struct job *out);

/* The signals that ask the program to end or stop. They are blocked except while it waits, so that no step is
 * interrupted half-way. */

/* Blocks and catches SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP and SIGCHLD; ignores SIGPIPE and SIGXFSZ. One that
 * was ignored at program start (nohup) stays ignored. */
void signals_init(void);
/* For ppoll() and the like: unblocks what signals_init() blocks. */
const sigset_t *signals_wait_mask(void);
/* Returns the first signal, also a pending one, that asked the program to end (SIGINT, SIGTERM, SIGHUP, SIGQUIT), or
 * 0. */
int signals_pending(void);
/* Returns whether Ctrl-Z (SIGTSTP) came. A caller that waits with signals_wait_mask() and has other processes to
 * stop first checks this after each wait, then calls signals_stop(). Functions here that wait do both. */
bool signals_stop_wanted(void);
/* Stops as SIGTSTP does without a handler. Returns after SIGCONT. */
void signals_stop(void);
/* Also ends when a signal asks the program to end. */
void signals_sleep_ns(uint64_t ns);
/* "was killed by signal 9 (Killed): perhaps out of memory" */
void signals_describe_kill(int number, char *buf, size_t size);
/* "SIGINT", or "a signal" for others than the ending ones. (strsignal() says "Interrupt", which could be taken for
 * the hardware's.) */
const char *signals_name(int number);
/* Writes all, and returns how many bytes: fewer on an error (errno), or when a signal asked the program to end while
 * a pipe or terminal accepts no data (EINTR; write() could not be interrupted, since the signals are blocked). A
 * regular file gets a single write() as long as the kernel takes all of it. */
size_t signals_write(int fd, const char *data, size_t length);
/* In a child between fork and exec: restores mask and actions of the program's start. */
void signals_restore(void);

/* Messages to the user on standard error, which may be a pipe or terminal that accepts nothing. */

/* Drops the message when standard error accepts nothing for a second, or when a signal asks the program to end. */
void message_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* For progress: dropped unless standard error accepts it now. */
void message_hint(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Returns whether message_print() has dropped a message because standard error stalled. */
bool message_lost(void);

/* The machine's console (/dev/console). */

/* Opens it as standard input, output and error. blocking: writes may hang while it accepts no data (cable pulled). */
void console_take(bool blocking);

/* In a child: starts a session whose controlling terminal is standard input, so that Ctrl-C reaches it. */
void console_own_session(void);

/* Returns whether kernel messages may come between the output to fd: a terminal that is not a pseudo-terminal. */
bool console_is_shared(int fd);

/* Turns kernel messages but emergencies off or on. Has no effect without root. */
void console_quiet(bool quiet);

/* Writes all, unless fd accepts nothing for stall_ns or stop() returns anything but 0 (called ten times a second; NULL:
 * never). Returns 0; -ETIMEDOUT after a stall, -EINTR after stop(), or another -errno. */
int console_write(int fd, const char *data, size_t length, uint64_t stall_ns, int (*stop)(void));

/* Waits until all output is transmitted, or none for stall_ns. */
void console_drain(int fd, uint64_t stall_ns);

/* Powers off or restarts the machine, if this process is the first one on it. */

/* Returns whether this process is PID 1 of the machine itself, not of a container: by a command of reboot(2) that
 * since Linux 3.4 is accepted only there and ends nothing. Ctrl-Alt-Del then sends SIGINT to this process instead of
 * restarting the machine at once. */
bool power_is_first_process(void);

enum power_end { POWER_OFF, POWER_RESTART, POWER_HALT };
/* Flushes all file systems first; PID 1 of a namespace ends only that. Returns -errno when refused. */
int power_end(enum power_end how);

/* Remounts the root read-only, so that it needs no check at the next start. Returns 0 or -errno. */
int power_protect_root(void);

#endif
