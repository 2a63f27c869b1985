/* SPDX-License-Identifier: MIT */
#include "counter.h"

#include <cpuid.h>
#include <stdio.h>
#include <sys/prctl.h>

/* Constants of prctl(2); headers may lack them. */
#define PRCTL_GET_TSC    25
#define PRCTL_TSC_ENABLE 1

#define LEAF_EXTENDED           0x80000001u
#define EXTENDED_EDX_RDTSCP     (1u << 27)
#define LEAF_POWER              0x80000007u
#define POWER_EDX_INVARIANT_TSC (1u << 8)

static unsigned cpuid_edx(unsigned leaf)
{
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(leaf, &eax, &ebx, &ecx, &edx) ? edx : 0;
}

int counter_usable(char *why, size_t why_size)
{
    const char *reason = "";
    int mode = 0;
    /* Fails: taken to be the default, which allows reading. */
    if (prctl(PRCTL_GET_TSC, (unsigned long)&mode, 0, 0, 0) != 0)
        mode = PRCTL_TSC_ENABLE;
    if (!(cpuid_edx(LEAF_EXTENDED) & EXTENDED_EDX_RDTSCP))
        reason = "the CPU has no rdtscp";
    else if (!(cpuid_edx(LEAF_POWER) & POWER_EDX_INVARIANT_TSC))
        reason = "the TSC is not invariant";
    else if (mode != PRCTL_TSC_ENABLE)
        reason = "this process may not read the TSC";
    snprintf(why, why_size, "%s", reason);
    return reason[0] ? -1 : 0;
}
