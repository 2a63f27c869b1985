/* SPDX-License-Identifier: MIT */
/* Asks the CPU itself, without /proc. The functions write a text ("" when not known) and return 0, or -1 when the
 * CPU cannot be asked or does not say. */
#ifndef SYS_ARCH_CPU_H
#define SYS_ARCH_CPU_H

#include <stddef.h>

int arch_cpu_model(char *buf, size_t size);

/* "kvm", "vmware", "hyperv", ... or "yes" when only its presence is known */
int arch_hypervisor(char *buf, size_t size);

#endif
