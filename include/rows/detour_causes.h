/* SPDX-License-Identifier: MIT */
/* Causes and length classes of detours (times in which the measured thread did not run its own code). The noise test
 * has a metric lost_CAUSE for each cause. */
#ifndef ROWS_DETOUR_CAUSES_H
#define ROWS_DETOUR_CAUSES_H

enum detour_cause {
    DETOUR_PREEMPTED,   /* the kernel ran another task */
    DETOUR_FAULT,       /* a page fault */
    DETOUR_MIGRATED,    /* the thread was moved to another CPU */
    DETOUR_INTERRUPT,   /* the timer interrupt: the detours recur with the period of the timer interrupts that the
                         * kernel counted */
    DETOUR_STEAL,       /* the hypervisor ran something else: the longest detours without another cause, as many as the
                         * steal time explains */
    DETOUR_PERIODIC,    /* the detours recur with another period: something that the kernel does not count */
    DETOUR_SHARED,      /* a short detour while another user of the core was active (sys/core_probe.h) */
    DETOUR_UNEXPLAINED, /* the rest: hypervisor, firmware, anything that the kernel does not count */
    DETOUR_CAUSES
};
extern const char *const detour_cause_names[DETOUR_CAUSES]; /* "preempted", ... */

/* Length classes: octaves of nanoseconds. Class k begins at 2^k ns; the last class has no upper limit. */
#define DETOUR_CLASSES 36u
#endif
