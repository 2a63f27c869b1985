/* SPDX-License-Identifier: MIT */
/* Lines of /proc/self/mountinfo: the mounts that a process sees. */
#ifndef SYS_MOUNTINFO_H
#define SYS_MOUNTINFO_H

#include <stdbool.h>

/* A mount; "" for a field that the line lacks. */
struct mountinfo {
    unsigned long id;
    unsigned major, minor;                     /* number of the device */
    const char *root, *point;                  /* directory of the file system that is mounted, and the mount point */
    const char *options;                       /* of the mount, separated by commas */
    const char *type, *source, *super_options; /* of the file system */
};

/* Takes the next mount out of *rest, the text of the file, which is modified; the fields point into it. *rest may be
 * NULL. Leaves out lines without a device. Returns false at the end. */
bool mountinfo_next(char **rest, struct mountinfo *out);

/* Returns whether a word is in a list that is separated by commas. */
bool mountinfo_has(const char *list, const char *word);

#endif
