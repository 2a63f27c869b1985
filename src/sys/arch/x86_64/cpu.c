/* SPDX-License-Identifier: MIT */
#include "sys/clock.h"
#include "sys/machine.h"

#include <cpuid.h>

#define LEAF_BRAND              0x80000002u /* this leaf and the next two hold the CPU's name */
#define LEAF_EXTENDED           0x80000001u
#define EXTENDED_EDX_RDTSCP     (1u << 27)
#define LEAF_POWER              0x80000007u
#define POWER_EDX_INVARIANT_TSC (1u << 8)
#define LEAF_FEATURES           1u
#define FEATURES_ECX_HYPERVISOR (1u << 31)
#define LEAF_HYPERVISOR         0x40000000u
/* KVM's and Xen's own signature when they present themselves as Hyper-V in the first leaf. */
#define LEAF_HYPERVISOR_SECOND 0x40000100u

int arch_cpu_model(char *buf, size_t size)
{
    unsigned regs[12];
    char brand[sizeof regs + 1];
    snprintf(buf, size, "%s", "");
    for (unsigned i = 0; i < 3; i++) {
        unsigned *r = &regs[i * 4];
        if (!__get_cpuid(LEAF_BRAND + i, &r[0], &r[1], &r[2], &r[3]))
            return -1;
    }
    memcpy(brand, regs, sizeof regs);
    brand[sizeof regs] = '\0';
    size_t length = strlen(brand);
    while (length > 0 && brand[length - 1] == ' ')
        brand[--length] = '\0';
    const char *start = brand + strspn(brand, " ");
    snprintf(buf, size, "%s", start);
    return *start ? 0 : -1;
}

static const char *signature_name(unsigned leaf)
{
    static const struct {
        char signature[13];
        const char *name;
    } known[] = {
        {"KVMKVMKVM", "kvm"},           {"Linux KVM Hv", "kvm"},       {"VMwareVMware", "vmware"},
        {"Microsoft Hv", "hyperv"},     {"XenVMMXenVMM", "xen"},       {"TCGTCGTCGTCG", "qemu"},
        {"VBoxVBoxVBox", "virtualbox"}, {"bhyve bhyve ", "bhyve"},     {"ACRNACRNACRN", "acrn"},
        {" lrpepyh  vr", "parallels"},  {"prl hyperv  ", "parallels"}, {"Jailhouse", "jailhouse"},
        {"QNXQVMBSQG", "qnx"},          {"SRESRESRESRE", "sre"},
    };
    unsigned eax;
    unsigned regs[3];
    char signature[sizeof regs + 1];
    /* __get_cpuid() rejects the hypervisor's leaves. */
    __cpuid(leaf, eax, regs[0], regs[1], regs[2]);
    memcpy(signature, regs, sizeof regs);
    signature[sizeof regs] = '\0';
    for (size_t i = 0; i < COUNT(known); i++) {
        if (!strcmp(signature, known[i].signature))
            return known[i].name;
    }
    return NULL;
}

int arch_hypervisor(char *buf, size_t size)
{
    unsigned eax, ebx, ecx, edx;
    snprintf(buf, size, "%s", "");
    if (!__get_cpuid(LEAF_FEATURES, &eax, &ebx, &ecx, &edx) || !(ecx & FEATURES_ECX_HYPERVISOR))
        return -1;
    const char *name = signature_name(LEAF_HYPERVISOR);
    if (name && !strcmp(name, "hyperv")) {
        const char *second = signature_name(LEAF_HYPERVISOR_SECOND);
        name = second ? second : name;
    }
    snprintf(buf, size, "%s", name ? name : "yes");
    return 0;
}

static unsigned cpuid_edx(unsigned leaf)
{
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(leaf, &eax, &ebx, &ecx, &edx) ? edx : 0;
}

const char *arch_counter_refused(void)
{
    if (!(cpuid_edx(LEAF_EXTENDED) & EXTENDED_EDX_RDTSCP))
        return "the CPU has no rdtscp";
    return cpuid_edx(LEAF_POWER) & POWER_EDX_INVARIANT_TSC ? "" : "the TSC is not invariant";
}
