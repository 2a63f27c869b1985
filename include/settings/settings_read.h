/* SPDX-License-Identifier: MIT */
/* Shared by the files that implement settings.h. */
#ifndef SETTINGS_SETTINGS_READ_H
#define SETTINGS_SETTINGS_READ_H

#include "settings/settings.h"

/* Reads the word in brackets of "always [madvise] never". Returns 0; -EILSEQ when there is none, or -errno; buf is
 * then "". */
int setting_read_choice(const char *path, char *buf, size_t size);
/* The list may be empty or "(null)". Returns 0; -EILSEQ when it is none, or -errno. */
int setting_read_cpus(const char *path, struct cpuset *out);

/* Appends a word with ", ", or "..." when it does not fit. */
void setting_append(char *list, size_t size, const char *word);
/* Returns true also when the kernel's version is not known. */
bool setting_kernel_is(const struct machine *machine, unsigned major, unsigned minor);
static inline bool setting_disjoint(const struct cpuset *a, const struct cpuset *b)
{
    struct cpuset both = *a;
    cpuset_intersect(&both, b);
    return cpuset_is_empty(&both);
}

#endif
