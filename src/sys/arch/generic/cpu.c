/* SPDX-License-Identifier: MIT */
/* User space cannot ask the CPU on this architecture: names come from /proc and /sys only. */
#include "sys/arch_cpu.h"

#include <stdio.h>

int arch_cpu_model(char *buf, size_t size)
{
    snprintf(buf, size, "%s", "");
    return -1;
}

int arch_hypervisor(char *buf, size_t size)
{
    snprintf(buf, size, "%s", "");
    return -1;
}
