/* SPDX-License-Identifier: MIT */
/* Mounts the file systems that a bare machine lacks: /proc, /sys, /dev, /dev/shm, /tmp. */
#ifndef SYS_MOUNTS_H
#define SYS_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>

#define MOUNTS_MAX 5

struct mounts {
    const char *made[MOUNTS_MAX];    /* in the order of mounting */
    bool folder[MOUNTS_MAX];         /* the mount point was created too */
    const char *refused[MOUNTS_MAX]; /* missing, and could not be mounted */
    int error[MOUNTS_MAX];
    size_t n_made, n_refused;
};

/* Mounts those that are missing, and makes their directories: /proc and /sys without that type mounted, /dev without
 * a null device, /dev/shm and /tmp when not writable. */
void mounts_make(struct mounts *mounts);

/* Moves this process to a mount namespace of its own, which ends with it and its children. Returns 0, or -errno:
 * then it has no right to mount anything either. */
int mounts_for_oneself(void);

/* Unmounts what mounts_make() mounted, and removes the directories it made. */
void mounts_undo(const struct mounts *mounts);

#endif
