/* SPDX-License-Identifier: MIT */
/* What the CPU itself says of its name and of a hypervisor, without /proc: src/sys/arch/ARCH/cpu.c. */
#ifndef SYS_ARCH_CPU_H
#define SYS_ARCH_CPU_H

#include <stddef.h>

/* Both write a terminated text (empty when not known). Return 0, or -1 when the CPU cannot be asked or says nothing. */

/* The model's name. */
int arch_cpu_model(char *buf, size_t size);

/* The hypervisor under this machine: "kvm", "vmware", "hyperv", ... or "yes" when only its presence is known. */
int arch_hypervisor(char *buf, size_t size);

#endif
