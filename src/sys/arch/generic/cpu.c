/* SPDX-License-Identifier: MIT */
/* User space cannot ask the CPU. */
#include "sys/clock.h"
#include "sys/machine.h"

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

const char *arch_counter_refused(void)
{
    return "";
}
