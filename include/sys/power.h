/* SPDX-License-Identifier: MIT */
/* Powers off or restarts the machine, and tells whether this process is the first one on it. */
#ifndef SYS_POWER_H
#define SYS_POWER_H

#include <stdbool.h>

/* Returns whether this process is PID 1 of the machine itself, not of a container or another PID namespace. It finds
 * out by a command of reboot(2) that does not end the machine, which since Linux 3.4 is accepted only in the PID
 * namespace of the machine itself. Side effect: Ctrl-Alt-Del then sends SIGINT to this process and no longer restarts
 * the machine immediately. */
bool power_is_first_process(void);

enum power_end { POWER_OFF, POWER_RESTART, POWER_HALT };
/* Flushes all file systems, and powers off, restarts or halts the machine; PID 1 of a namespace ends only the
 * namespace. Returns -errno when refused. */
int power_end(enum power_end how);

/* Remounts the root file system read-only, so that it needs no check at the next start. Returns 0 or -errno. */
int power_protect_root(void);

#endif
