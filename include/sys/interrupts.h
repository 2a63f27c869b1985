/* SPDX-License-Identifier: MIT */
/* Kinds of the lines of /proc/interrupts, on any architecture. */
#ifndef SYS_INTERRUPTS_H
#define SYS_INTERRUPTS_H

enum interrupt_kind {
    INTERRUPT_OTHER,   /* errors, thermal, performance monitoring ... */
    INTERRUPT_TIMER,   /* the scheduler tick and all other timers */
    INTERRUPT_RESCHED, /* another CPU asks this one to reschedule */
    INTERRUPT_IPI,     /* all other inter-processor interrupts */
    INTERRUPT_DEVICE,
    INTERRUPT_NONE, /* not counted by CPU, or counted in other lines too */
};

/* label: text before the colon; text: after the counts, to the end of the line. Sources: arch_show_interrupts() of
 * each architecture, show_interrupts() of kernel/irq/proc.c. */
enum interrupt_kind interrupt_kind(const char *label, const char *text);

#endif
