/* SPDX-License-Identifier: MIT */
/* Parses /proc/self/mountinfo, the mounts that a process sees. */
#ifndef SYS_MOUNTINFO_H
#define SYS_MOUNTINFO_H

#include <stdbool.h>

/* One mount; a field that its line lacks is "". */
struct mountinfo {
    unsigned long id;
    unsigned major, minor;                     /* device number of the file system */
    const char *root, *point;                  /* directory within the file system that is mounted, and the mount
                                                * point */
    const char *options;                       /* mount options, separated by commas */
    const char *type, *source, *super_options; /* type, device and options of the file system */
};

/* Parses the next line of *rest, the text of the file, which is modified; the fields point into it. *rest may be NULL.
 * Skips lines without a device number. Returns false at the end. */
bool mountinfo_next(char **rest, struct mountinfo *out);

/* Returns whether a word is in a list that is separated by commas. */
bool mountinfo_has(const char *list, const char *word);

#endif
