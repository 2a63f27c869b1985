/* SPDX-License-Identifier: MIT */
/* Causes and length classes of detours: times in which the measured thread did not run its own code. Metrics
 * "lost_CAUSE" of jitbench noise. */
#ifndef ROWS_DETOUR_CAUSES_H
#define ROWS_DETOUR_CAUSES_H

enum detour_cause {
    DETOUR_QUOTA,       /* a quota of CPU time stopped the thread's control group */
    DETOUR_PREEMPTED,   /* the kernel ran another task */
    DETOUR_FAULT,       /* a page fault */
    DETOUR_MIGRATED,    /* moved to another CPU */
    DETOUR_INTERRUPT,   /* recurs with the period of the timer interrupts that the kernel counted */
    DETOUR_STEAL,       /* the hypervisor ran something else: the longest detours without another cause, up to the
                         * steal time that the kernel counted */
    DETOUR_PERIODIC,    /* recurs with another period, that of nothing the kernel counts */
    DETOUR_SHARED,      /* short, while another hardware thread used the core (sys/core_probe.h) */
    DETOUR_UNEXPLAINED, /* hypervisor, firmware, anything that the kernel does not count */
    DETOUR_CAUSES
};
extern const char *const detour_cause_names[DETOUR_CAUSES]; /* "preempted", ... */

/* Octaves: class k begins at 2^k ns; the last has no upper limit. */
#define DETOUR_CLASSES 36u
#endif
