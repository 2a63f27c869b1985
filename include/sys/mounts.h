/* SPDX-License-Identifier: MIT */
/* Mounts the file systems that a bare machine lacks: /proc, /sys, /dev, /dev/shm, /tmp. */
#ifndef SYS_MOUNTS_H
#define SYS_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>

#define MOUNTS_MAX 5

struct mounts {
    const char *made[MOUNTS_MAX];    /* mount points, in the order of mounting */
    bool folder[MOUNTS_MAX];         /* for each entry of made: its mount point was created too */
    const char *refused[MOUNTS_MAX]; /* mount points of file systems that are missing and could not be mounted */
    int error[MOUNTS_MAX];           /* -errno of the mount, for each entry of refused */
    size_t n_made, n_refused;
};

/* Mounts those of the file systems that are missing. /proc and /sys are missing when nothing of that type is mounted
 * there, /dev when it has no null device, /dev/shm and /tmp when they are no writable directories. Makes missing
 * directories. */
void mounts_make(struct mounts *mounts);

/* Moves this process to a mount namespace of its own: what it mounts from now on is visible only to itself and its
 * children, and is unmounted when these have ended. Returns 0, or -errno: then the process has no right to mount
 * anything either. */
int mounts_for_oneself(void);

/* Undoes mounts_make(): unmounts what it mounted, and removes the directories that it made. */
void mounts_undo(const struct mounts *mounts);

#endif
