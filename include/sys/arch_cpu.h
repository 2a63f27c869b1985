/* SPDX-License-Identifier: MIT */
/* Asks the CPU itself, without /proc, for its name and for the hypervisor: src/sys/arch/ARCH/cpu.c. */
#ifndef SYS_ARCH_CPU_H
#define SYS_ARCH_CPU_H

#include <stddef.h>

/* The two functions below write a NUL-terminated text, empty when the answer is not known. They return 0, or -1 when
 * the CPU cannot be asked or does not say. */

/* Writes the CPU's model name. */
int arch_cpu_model(char *buf, size_t size);

/* Writes the hypervisor of this machine: "kvm", "vmware", "hyperv", ... or "yes" when only its presence is known. */
int arch_hypervisor(char *buf, size_t size);

#endif
