/* SPDX-License-Identifier: MIT */
/* Sets settings for low noise and restores them: for `tune`, and for commands that measure with --tuned. */
#ifndef SETTINGS_TUNED_H
#define SETTINGS_TUNED_H

#include <stdbool.h>
#include <stddef.h>

#include "settings/settings.h"
#include "sys/cpuset.h"

/* Returns in words why a file could not be read or written. error is -errno; where its text is not specific, the reason
 * is explained. */
const char *tuned_refusal(const char *path, int error);

/* Returns whether the file is about an interrupt that the kernel manages itself, so that it cannot be moved: found from
 * the path and from the error (-errno) of writing the file. */
bool tuned_is_managed(const char *path, int error);

/* Sets all settings that `tune` writes without being named. Returns 0 when all are set, except for interrupts managed
 * by the kernel, with "" or a line for the output's header in message; -1 when some are not, with a line that names
 * them. huge_advised: the measured work requests huge pages, which then stay available on request. tuned_end() must
 * follow in both cases. If the process is killed, `untune` restores the settings. */
int tuned_begin(const struct cpuset *bench, bool huge_advised, char *message, size_t size);
/* Sets the settings listed in a file, as tuned_begin() does: lines PATH=VALUE with files below /proc/sys, /proc/irq or
 * /sys; lines that are empty or begin with '#' are left out. tuned_check_file() only checks the file. Both return -1
 * with a message when the file cannot be read or has any other line. */
int tuned_begin_file(const char *file, char *message, size_t size);
int tuned_check_file(const char *file, char *message, size_t size);
/* Restores the settings. Returns 0, also when nothing was changed; -1 with lines on standard error when some could not
 * be restored. */
int tuned_end(void);
/* Returns whether there is a snapshot of `tune` or tuned_begin() in its default place. */
bool tuned_has_snapshot(void);

#endif
