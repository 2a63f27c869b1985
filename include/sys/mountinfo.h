/* SPDX-License-Identifier: MIT */
/* Parses /proc/self/mountinfo. */
#ifndef SYS_MOUNTINFO_H
#define SYS_MOUNTINFO_H

#include <stdbool.h>

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

#endif
