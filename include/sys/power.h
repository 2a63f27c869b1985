/* SPDX-License-Identifier: MIT */
/* Powers off or restarts the machine, if this process is the first one on it. */
#ifndef SYS_POWER_H
#define SYS_POWER_H

#include <stdbool.h>

/* Returns whether this process is PID 1 of the machine itself, not of a container: by a command of reboot(2) that
 * since Linux 3.4 is accepted only there and ends nothing. Ctrl-Alt-Del then sends SIGINT to this process instead of
 * restarting the machine at once. */
bool power_is_first_process(void);

enum power_end { POWER_OFF, POWER_RESTART, POWER_HALT };
/* Flushes all file systems first; PID 1 of a namespace ends only that. Returns -errno when refused. */
int power_end(enum power_end how);

/* Remounts the root read-only, so that it needs no check at the next start. Returns 0 or -errno. */
int power_protect_root(void);

#endif
