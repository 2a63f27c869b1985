/* SPDX-License-Identifier: MIT */
#include "sys/machine.h"

#include <stdbool.h>
#include <string.h>

#include "sys/process.h"

static const struct {
    const char *label;
    enum interrupt_kind kind;
} labels[] = {
    {"LOC", INTERRUPT_TIMER},
    {"BCT", INTERRUPT_TIMER}, /* ppc64: broadcast for sleeping CPUs */
    {"HVS", INTERRUPT_TIMER}, /* timer of Hyper-V, where LOC does not count */
    {"CLK", INTERRUPT_TIMER}, /* s390: clock comparator */
    {"TMR", INTERRUPT_TIMER}, /* s390: CPU timer */
    {"RES", INTERRUPT_RESCHED},
    {"CAL", INTERRUPT_IPI},
    {"TLB", INTERRUPT_IPI},
    {"DBL", INTERRUPT_IPI}, /* ppc64: doorbell */
    {"EXC", INTERRUPT_IPI}, /* s390: external call */
    {"EMS", INTERRUPT_IPI}, /* s390: emergency signal */
    /* One number for the whole machine, which looks like a column when there is one CPU. */
    {"ERR", INTERRUPT_NONE},
    {"Err", INTERRUPT_NONE},
    {"MIS", INTERRUPT_NONE},
    /* s390: sums of lines that follow. */
    {"EXT", INTERRUPT_NONE},
    {"I/O", INTERRUPT_NONE},
    {"AIO", INTERRUPT_NONE},
    {"MSI", INTERRUPT_NONE},
};

/* "arch_timer", "riscv-timer", Xen's "timer0", or one that begins with one of `others`. */
static bool is_timer(const char *name)
{
    static const char *const others[] = {"hpet", "twd", "mct_tick"};
    static const char timer[] = "timer";
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strncmp(name, others[i], strlen(others[i])) == 0)
            return true;
    }
    while (length > 0 && name[length - 1] >= '0' && name[length - 1] <= '9')
        length--;
    return length >= sizeof timer - 1 && strncmp(name + length - (sizeof timer - 1), timer, sizeof timer - 1) == 0;
}

/* By the words after the counts: "IO-APIC 2-edge timer" is the controller, its own number, the trigger mode, the
 * name. */
static enum interrupt_kind kind_of_number(const char *words)
{
    const char *space = strrchr(words, ' '), *name = space ? space + 1 : words;
    if (is_timer(name))
        return INTERRUPT_TIMER;
    if (strncmp(name, "resched", 7) == 0) /* Xen and MIPS */
        return INTERRUPT_RESCHED;
    /* "IPI-0" on ppc64, "IPI call" on MIPS, "-ipi callfunc0" on Xen. */
    return strstr(words, " IPI") || strstr(words, " -ipi ") ? INTERRUPT_IPI : INTERRUPT_DEVICE;
}

static enum interrupt_kind kind_of_text(const char *label, const char *words)
{
    if (strstr(words, "Rescheduling"))
        return INTERRUPT_RESCHED;
    if (strstr(words, "Timer broadcast"))
        return INTERRUPT_TIMER;
    if (strncmp(label, "IPI", 3) == 0 || strstr(words, "Function call"))
        return INTERRUPT_IPI;
    /* device interrupts on s390 */
    return strstr(words, "[I/O]") || strstr(words, "[AIO]") ? INTERRUPT_DEVICE : INTERRUPT_OTHER;
}

enum interrupt_kind interrupt_kind(const char *label, const char *text)
{
    char words[256];
    size_t length = strcspn(label, ":");
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        if (strlen(labels[i].label) == length && memcmp(label, labels[i].label, length) == 0)
            return labels[i].kind;
    }
    procfs_copy(text, strcspn(text, "\n"), words, sizeof words);
    return length > 0 && strspn(label, "0123456789") == length ? kind_of_number(words) : kind_of_text(label, words);
}
