/* SPDX-License-Identifier: MIT */
/* Causes and length classes of detours: what the noise test's rows have in their metrics lost_CAUSE. */
#ifndef ROWS_DETOUR_CAUSES_H
#define ROWS_DETOUR_CAUSES_H

enum detour_cause {
    DETOUR_PREEMPTED,   /* the kernel ran another task */
    DETOUR_FAULT,       /* a page fault */
    DETOUR_MIGRATED,    /* the thread was moved to another CPU */
    DETOUR_INTERRUPT,   /* the timer's interrupt: at the times of a comb of the rate that the kernel counted */
    DETOUR_STEAL,       /* the longest without another cause, up to the steal time */
    DETOUR_PERIODIC,    /* comes back with another period, of something that the kernel does not count */
    DETOUR_SHARED,      /* a short one while somebody else used the core (sys/core_probe.h) */
    DETOUR_UNEXPLAINED, /* the rest: hypervisor, firmware, anything that the kernel does not count */
    DETOUR_CAUSES
};
extern const char *const detour_cause_names[DETOUR_CAUSES]; /* "preempted", ... */

/* Length classes: octaves of nanoseconds. Class k begins at 2^k ns; the last class has no upper limit. */
#define DETOUR_CLASSES 36u
#endif
