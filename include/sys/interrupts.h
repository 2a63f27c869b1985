/* SPDX-License-Identifier: MIT */
/* Classifies the lines of /proc/interrupts by kind of interrupt, on any architecture. */
#ifndef SYS_INTERRUPTS_H
#define SYS_INTERRUPTS_H

enum interrupt_kind {
    INTERRUPT_OTHER,   /* errors, thermal, performance monitoring ... */
    INTERRUPT_TIMER,   /* the scheduler tick and all other timers */
    INTERRUPT_RESCHED, /* another CPU asks this one to reschedule */
    INTERRUPT_IPI,     /* all other inter-processor interrupts */
    INTERRUPT_DEVICE,
    INTERRUPT_NONE, /* the line does not count interrupts by CPU, or they are counted in other lines too */
};

/* Returns the kind of a line. label is the text before its colon; text is the text after its counts, up to the end
 * of the line. Sources: arch_show_interrupts() of each architecture, show_interrupts() of kernel/irq/proc.c. */
enum interrupt_kind interrupt_kind(const char *label, const char *text);

#endif
