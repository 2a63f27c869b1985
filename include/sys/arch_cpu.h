/* SPDX-License-Identifier: MIT */
/* Name of the CPU and of the hypervisor as the CPU itself reports them, without /proc: src/sys/arch/ARCH/cpu.c. */
#ifndef SYS_ARCH_CPU_H
#define SYS_ARCH_CPU_H

#include <stddef.h>

/* Both functions write a terminated text, empty when the answer is not known. They return 0, or -1 when the CPU cannot
 * be asked or does not say. */

/* Writes the model's name. */
int arch_cpu_model(char *buf, size_t size);

/* Writes the hypervisor of this machine: "kvm", "vmware", "hyperv", ... or "yes" when only its presence is known. */
int arch_hypervisor(char *buf, size_t size);

#endif
