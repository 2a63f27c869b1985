/* SPDX-License-Identifier: MIT */
#include "rows/rows.h"

const char *const detour_cause_names[DETOUR_CAUSES] = {
    [DETOUR_QUOTA] = "quota",       [DETOUR_PREEMPTED] = "preempted", [DETOUR_FAULT] = "fault",
    [DETOUR_MIGRATED] = "migrated", [DETOUR_INTERRUPT] = "interrupt", [DETOUR_STEAL] = "steal",
    [DETOUR_PERIODIC] = "periodic", [DETOUR_SHARED] = "core_shared",  [DETOUR_UNEXPLAINED] = "unexplained",
};
