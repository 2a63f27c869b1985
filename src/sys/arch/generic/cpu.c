/* SPDX-License-Identifier: MIT */
/* Stubs for architectures on which user space cannot ask the CPU: names come from /proc and /sys only. */
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
