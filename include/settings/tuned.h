/* SPDX-License-Identifier: MIT */
/* Sets settings for low noise and restores them: for `tune`, and for commands with --tuned. */
#ifndef SETTINGS_TUNED_H
#define SETTINGS_TUNED_H

#include <stdbool.h>
#include <stddef.h>

#include "settings/settings.h"
#include "sys/cpuset.h"

/* Returns in words why a file could not be read or written; error is -errno. */
const char *tuned_refusal(const char *path, int error);

/* Returns whether the file, by its path and the -errno of writing it, is about an interrupt that the kernel manages
 * itself: it cannot be moved. */
bool tuned_is_managed(const char *path, int error);

/* Sets all that `tune` writes by default. Returns 0 when all but managed interrupts are set, with "" or a line for
 * the output's header in message; -1 with a line that names the others. huge_advised: the measured work requests
 * huge pages, which then stay available. tuned_end() must follow in both cases; after a kill, `untune` restores. */
int tuned_begin(const struct cpuset *bench, bool huge_advised, char *message, size_t size);
/* Sets what a file lists (see snapshot_file.h), as tuned_begin() does; tuned_check_file() only checks the file. Both
 * return -1 with a message when it cannot be read or has any other line. */
int tuned_begin_file(const char *file, char *message, size_t size);
int tuned_check_file(const char *file, char *message, size_t size);
/* Returns 0, also when nothing was changed; -1 with lines on standard error when some could not be restored. */
int tuned_end(void);
/* Returns whether `tune` or tuned_begin() has left a snapshot in its default place. */
bool tuned_has_snapshot(void);

#endif
