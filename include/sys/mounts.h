/* SPDX-License-Identifier: MIT */
/* File systems that a bare machine lacks: /proc, /sys, /dev, /dev/shm, /tmp. */
#ifndef SYS_MOUNTS_H
#define SYS_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>

#define MOUNTS_MAX 5

struct mounts {
    const char *made[MOUNTS_MAX];    /* in this order */
    bool folder[MOUNTS_MAX];         /* its folder was made too */
    const char *refused[MOUNTS_MAX]; /* what is missing and could not be mounted */
    int error[MOUNTS_MAX];           /* -errno, by refused */
    size_t n_made, n_refused;
};

/* Mounts what is missing, and only that. Missing is /proc and /sys when nothing of their kind is mounted there, /dev
 * when it has no null device, /dev/shm and /tmp when they are no folder that can be written. Folders are made where
 * there is none. */
void mounts_make(struct mounts *mounts);

/* From now on what this process mounts is seen by it and its children alone, and gone with them. 0 or -errno: it may
 * not mount anything then either. */
int mounts_for_oneself(void);

/* Takes away what mounts_make() made. */
void mounts_undo(const struct mounts *mounts);

#endif
