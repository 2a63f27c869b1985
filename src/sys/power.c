/* SPDX-License-Identifier: MIT */
#include "sys/process.h"

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
    static const int commands[] = {
        [POWER_OFF] = RB_POWER_OFF, [POWER_RESTART] = RB_AUTOBOOT, [POWER_HALT] = (int)RB_HALT_SYSTEM};

    sync();
    (void)reboot(commands[how]);
    return -errno;
}

int power_protect_root(void)
{
    return mount(NULL, "/", NULL, MS_REMOUNT | MS_RDONLY, NULL) ? -errno : 0;
}
