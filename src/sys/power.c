/* SPDX-License-Identifier: MIT */
/* Powers off or restarts the machine, and tells whether this process is the first one on it. */
#include "sys/power.h"

#include <errno.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <unistd.h>

bool power_is_first_process(void)
{
    return getpid() == 1 && reboot(RB_DISABLE_CAD) == 0;
}

int power_end(enum power_end how)
{
    sync();
    switch (how) {
    case POWER_OFF:
        (void)reboot(RB_POWER_OFF);
        break;
    case POWER_RESTART:
        (void)reboot(RB_AUTOBOOT);
        break;
    case POWER_HALT:
        (void)reboot((int)RB_HALT_SYSTEM);
        break;
    }
    return -errno;
}

int power_protect_root(void)
{
    return mount(NULL, "/", NULL, MS_REMOUNT | MS_RDONLY, NULL) ? -errno : 0;
}
