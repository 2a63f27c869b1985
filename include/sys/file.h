/* SPDX-License-Identifier: MIT */
/* Files, directories, devices and mounts. */
#ifndef SYS_FILE_H
#define SYS_FILE_H

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/base.h"

/* Creates files that did not exist before. Functions return -errno on failure. folder is an open directory. */

/* Opens it for reading and writing, with further flags of open(). Never follows a link. -EEXIST when the name
 * exists. */
int new_file(int folder, const char *name, int flags, mode_t mode);

/* Random names tried before -EEXIST. */
#define NAME_TRIES         16
#define NEW_FILE_NAME_SIZE sizeof(".jitbench-0123456789abcdef")
/* As new_file(), under a random name. */
int new_file_with_random_name(int folder, char name[NEW_FILE_NAME_SIZE], int flags, mode_t mode);

/* Creates a file for reading and writing (close-on-exec) that gets its name by new_file_publish() when complete:
 * nameless, and hidden is "", else of the random name in hidden, which the caller removes if it is not published. */
int new_file_hidden(int folder, mode_t mode, char hidden[NEW_FILE_NAME_SIZE]);
/* Never replaces another file. */
int new_file_publish(int fd, int folder, const char hidden[NEW_FILE_NAME_SIZE], const char *name);

/* Calls memfd_create() with flags | newer, or with flags alone when the kernel does not know those in newer. */
int new_file_in_memory(unsigned flags, unsigned newer);

int new_file_write(int fd, const void *data, size_t size);

/* Opens directories and files where other users may write: links planted by them are not followed. Functions return
 * -errno on failure. */

/* Opens a directory with O_PATH, close-on-exec. A symbolic link in a world-writable directory is followed only when
 * it is ours or the directory owner's, as with fs.protected_symlinks; else -ELOOP. */
int directory_open(const char *path);

/* Enters the components of a path from the directory fd (or -errno), which is closed. Returns the descriptor of the
 * last one, or -errno; enter() does so for one of them. */
int directory_walk(int fd, const char *path, int (*enter)(int at, const char *name, void *context), void *context);

/* Opens the directory that contains the path's last component, name. -EISDIR for a path that ends in '/'. */
int directory_open_parent(const char *path, const char **name);

/* Makes a new file, mode 0644 minus the umask, open for appending and reading, close-on-exec. Follows no link;
 * -EEXIST when the name exists. */
int directory_create(const char *path);

/* Removes a regular file, so that directory_create() can make another one; leaves anything else. Returns 0, also
 * when nothing was removed. */
int directory_clear(const char *path);

/* Opens an existing pipe, terminal or character device for appending, and waits until a pipe has a reader. A link is
 * followed when it is ours or root's and nobody else could have put it there. -ENXIO after a signal that asks the
 * program to end, -EEXIST for a regular file or a dangling link, -ENOTBLK, -ELOOP for a link not followed, -EACCES
 * for another user's pipe in a world-writable directory. */
int directory_open_existing(const char *path);

static inline bool directory_is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Returns the message for an error of a function declared here. */
const char *directory_why_not(int error);

/* Writes the line for a file of -o that could not be opened for this reason (-errno). Returns -1. */
int directory_refused(const char *path, int reason, char *error, size_t error_size);

/* Otherwise a new file's name may be lost in a power cut. Returns 0 or -errno. */
int directory_flush(const char *path);

/* Removes a file of directory_create(), unless another one has its name by now. Returns 0 or -errno, and preserves
 * errno. */
int directory_remove(const char *path, int fd);

/* Scratch files and directories that are removed however the program ends. Functions return -errno on failure, and
 * open directories as directory_open() does. */

/* Makes a file without a name in dir, for reading and writing (close-on-exec). */
int scratch_file(const char *dir);

/* Makes a directory, mode 0700, with a random name in dir; path gets its name, "" on failure. */
int scratch_folder(const char *dir, char *path, size_t size);
/* Removes a directory and the files in it (no subdirectories; follows no links). */
int scratch_remove(const char *path);

/* A directory that is removed when its owner, the process that asked for it, ends, even killed: by the keeper, a
 * process that waits for end of file on the owner's pipe. Its name is in memory that all processes of a trial share,
 * in case the keeper is killed too. */
#define SCRATCH_PATH_MAX 600
struct scratch_note {
    char path[SCRATCH_PATH_MAX]; /* "": no directory */
    dev_t device;                /* of the directory, once known; it is empty before */
    ino_t inode;
};
struct scratch_keeper {
    /* Set by the caller: where to store the name, in shared memory; what the keeper calls when the owner was killed. */
    struct scratch_note *note;
    void (*orphaned)(void *context);
    void *context;
    /* Set by scratch_kept_folder(). */
    pid_t pid;
    int fd;
    int folder; /* to be used instead of the path: the parent directory's owner can replace what is there */
};
/* Starts the keeper and makes the directory in dir; its path is in keeper->note. -EPERM when another user replaced
 * it at once, or the file system reports another owner. */
int scratch_kept_folder(const char *dir, struct scratch_keeper *keeper);
/* Removes the directory, then ends the keeper, if there is one. */
void scratch_keeper_end(struct scratch_keeper *keeper);
/* Removes the directory in the note, if it still exists. Retries for seconds: killed processes may still write into
 * it. */
void scratch_remove_noted(const struct scratch_note *note);

/* For an unprivileged user: 1 when full, 0 when not known. */
uint64_t scratch_free_bytes(const char *dir);

/* Makes a copy of this program with an inode of its own, padded with zeros to least_bytes: a memfd, else an unlinked
 * file in dir ("": not tried). Returns a descriptor (close-on-exec) for scratch_exec(); -EACCES when dir is mounted
 * noexec. */
int scratch_own_image(const char *dir, uint64_t least_bytes);
/* It needs execveat (Linux 3.19; may be forbidden) or /proc. */
bool scratch_can_exec(int fd);
/* Executes the copy in this process: by execveat, else through /proc/self/fd. */
int scratch_exec(int fd, char *const argv[], char *const envp[]);

/* Reads text files that are not the kernel's: lists that a user names, and snapshots. */

/* Returns the whole text, which the caller frees; NULL with the reason in why: not a regular file, a NUL byte,
 * larger than 64 MiB, no memory. streams: a pipe, FIFO or terminal is also read to its end, unless a signal asks the
 * program to end. */
char *text_file_read(const char *path, bool streams, const char **why);
/* From an open file. */
char *text_file_rest(int fd, bool streams, const char **why);

/* Unpacks gzip data (RFC 1952, RFC 1951), for /proc/config.gz. */

/* Returns the content of one gzip member with the kernel's short header as a text that the caller frees. The length
 * is verified, the checksum is not. NULL with errno EILSEQ (damaged or another format), EFBIG (more than `most`
 * bytes) or ENOMEM. */
char *inflate_gzip(const unsigned char *data, size_t size, size_t most);

/* Writes a file to a block device that is mounted only while it is written. */

struct device_file {
    const char *device; /* "/dev/sdb1" */
    const char *path;   /* in the device's file system; name is appended when it ends in '/' or is a directory */
    const char *name;   /* if it exists, -2, -3 and so on are inserted before its '.' */
    const char *at;     /* empty directory to mount on */
};

/* Mounts, writes the new file, flushes and unmounts. Never overwrites, and follows no link to another file system.
 * Returns 0 with the file's path in written and "" or a remark in error; or -1 with the reason, and no file is left
 * unless it says so. */
int device_file_write(const struct device_file *file, const char *data, size_t length, char *written,
                      size_t written_size, char *error, size_t error_size);

/* Writes the nth name (from 1) to try: "a.csv", "a-2.csv". Returns false when it does not fit. */
int device_file_choice(const char *name, unsigned n, char *buf, size_t size);

/* Mounts block devices, and unmounts them with all data on disk. Functions return 0 or -errno unless they say
 * otherwise. */

/* Splits "DEVICE:PATH" at its first colon, for buffers of size bytes. A device without '/' in front is in /dev; path
 * gets a leading '/'. Returns -1 when a part is missing or too long, or path has a component "..". */
int device_split(const char *text, char *device, char *path, size_t size);

/* -ENOTBLK when it is no block device. */
int device_check(const char *device);

struct device_mount {
    char place[PATH_MAX]; /* no '/' at its end unless it is the root */
    bool mounted;         /* device_mount() has mounted it */
    /* It was read-only, and device_unmount() makes it so again: flags to repeat in that remount, since one that is
     * omitted would be lost. 0: it was not. */
    unsigned long flags;
};

/* Mounts the device for writing on the empty directory `at` with the first file system type that fits; flags are
 * further ones of mount(2). One mounted read-only is remounted read-write in place or, if only that mount point is
 * read-only, mounted a second time. -EMEDIUMTYPE: no type fits. */
int device_mount(const char *device, const char *at, unsigned long flags, struct device_mount *mounted);

/* Undoes device_mount(); waits up to three seconds for a device in use. detached: it still is; its data are flushed,
 * and the kernel unmounts it later. */
int device_unmount(const struct device_mount *mounted, bool *detached);
#define DEVICE_DETACHED ": still in use by other processes: flushed, and unmounted when they end"

/* Makes the directory and missing ones above it (mode 0755 minus the umask) in the file system mounted at `place`,
 * following no symbolic link. -EXDEV when the path leads to another file system, -ENOTDIR for a link or file. */
int device_folder(const char *place, const char *path);

/* Returns the message for an error of a function declared here. */
const char *device_why_not(int error);

/* Converts f_flag of statvfs(3) to the flags of mount(2) that a remount must repeat: all but read-only. */
unsigned long mount_flags_of_statvfs(unsigned long statvfs_flags);

/* Parses /proc/self/mountinfo. */

/* A field that the line lacks is "". */
struct mountinfo {
    unsigned long id;
    unsigned major, minor;                     /* device number of the file system */
    const char *root, *point;                  /* directory within the file system, and mount point */
    const char *options;                       /* mount options, separated by commas */
    const char *type, *source, *super_options; /* type, device and options of the file system */
};

/* Parses the next line of *rest, which is modified and may be NULL; the fields point into it. Skips lines without a
 * device number. Returns false at the end. */
bool mountinfo_next(char **rest, struct mountinfo *out);

/* Returns whether a word is in a list with commas. */
bool mountinfo_has(const char *list, const char *word);

/* Mounts the file systems that a bare machine lacks: /proc, /sys, /dev, /dev/shm, /tmp. */

#define MOUNTS_MAX 5

/* In the order of mounting. */
struct mounts {
    struct mounts_one {
        const char *path; /* NULL: was there */
        bool folder;      /* the mount point was created too */
        int error;        /* -errno: could not be mounted */
    } of[MOUNTS_MAX];
};

/* Mounts those that are missing, and makes their directories: /dev without a null device, /dev/shm and /tmp when not
 * writable count as missing too. */
void mounts_make(struct mounts *mounts);

/* Moves this process to a mount namespace of its own, which ends with it and its children. Returns 0 or -errno. */
int mounts_for_oneself(void);

/* Unmounts what mounts_make() mounted, and removes the directories it made. */
void mounts_undo(const struct mounts *mounts);

/* Loads all modules of the directory (NAME.ko; .ko.gz, .xz, .zst where the kernel unpacks them); without a '/', those
 * of these names ("nvme,ext4") from /lib/modules. Returns how many could not be loaded, with the reason of one in
 * error, or -errno when the directory cannot be read. */
int modules_load(const char *folder, struct error *error);

#endif
