/* SPDX-License-Identifier: MIT */
/* The end of a machine, and whether this process is its first. */
#ifndef SYS_POWER_H
#define SYS_POWER_H

#include <stdbool.h>

/* Whether this process is PID 1 of the machine itself, not of a container or another PID namespace: only there, since
 * Linux 3.4, are commands of reboot(2) accepted that do not end it. As a side effect Ctrl-Alt-Del is then SIGINT for
 * this process and no longer restarts the machine at once. */
bool power_is_first_process(void);

enum power_end { POWER_OFF, POWER_RESTART, POWER_HALT };
/* Flushes all file systems and ends the machine; as PID 1 of a namespace, that. Returns -errno when it is refused. */
int power_end(enum power_end how);

/* Makes the root file system read-only, which leaves it clean. 0 or -errno. */
int power_protect_root(void);

#endif
