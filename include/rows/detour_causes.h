/* SPDX-License-Identifier: MIT */
/* Causes and length classes of detours: times in which the measured thread did not run its own code. jitbench noise has
 * a metric "lost_CAUSE" for each cause. */
#ifndef ROWS_DETOUR_CAUSES_H
#define ROWS_DETOUR_CAUSES_H

enum detour_cause {
    DETOUR_QUOTA,       /* the thread's control group had used up its quota of CPU time, and was stopped */
    DETOUR_PREEMPTED,   /* the kernel ran another task */
    DETOUR_FAULT,       /* a page fault */
    DETOUR_MIGRATED,    /* the thread was moved to another CPU */
    DETOUR_INTERRUPT,   /* a timer interrupt: the detours recur with the period of the timer interrupts that the kernel
                         * counted */
    DETOUR_STEAL,       /* the hypervisor ran something else: the longest detours for which no other cause was found,
                         * until their sum is the steal time that the kernel counted */
    DETOUR_PERIODIC,    /* the detours recur with another period; the kernel does not count what causes them */
    DETOUR_SHARED,      /* a short detour while another hardware thread used the core (sys/core_probe.h) */
    DETOUR_UNEXPLAINED, /* all other detours: hypervisor, firmware, anything that the kernel does not count */
    DETOUR_CAUSES
};
extern const char *const detour_cause_names[DETOUR_CAUSES]; /* names in metrics and columns: "preempted", ... */

/* Length classes: octaves of nanoseconds. Class k begins at 2^k ns; the last class has no upper limit. */
#define DETOUR_CLASSES 36u
#endif
