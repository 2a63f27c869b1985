/* SPDX-License-Identifier: MIT */
/* What kind of interrupt a line of /proc/interrupts counts, on any architecture. */
#ifndef SYS_INTERRUPTS_H
#define SYS_INTERRUPTS_H

enum interrupt_kind {
    INTERRUPT_OTHER,   /* errors, thermal, performance monitoring ... */
    INTERRUPT_TIMER,   /* the tick and all that waits for a time */
    INTERRUPT_RESCHED, /* another CPU asks this one to look whom to run */
    INTERRUPT_IPI,     /* the other calls between CPUs */
    INTERRUPT_DEVICE,
    INTERRUPT_NONE, /* no count by CPU, or one of interrupts that other lines count too */
};

/* label is what stands before the colon that ends it, text what follows the counts up to the end of the line or of the
 * text. Sources: arch_show_interrupts() of each architecture, show_interrupts() of kernel/irq/proc.c. */
enum interrupt_kind interrupt_kind(const char *label, const char *text);

#endif
