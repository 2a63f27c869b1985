/* SPDX-License-Identifier: MIT */
/* Reads the files of settings and judges what they hold, for the files that implement settings.h. */
#ifndef SETTINGS_SETTINGS_READ_H
#define SETTINGS_SETTINGS_READ_H

#include <stddef.h>
#include <stdint.h>

#include "settings/settings.h"

/* A setting that is being read: its looker judges it, and adds the files to write if they are wanted. */
struct setting_reading {
    const struct settings_view *view;
    const struct machine *machine; /* this and the next one are the view's */
    const struct cpuset *bench;
    const struct setting *setting;
    struct setting_state *state;
    struct setting_writes *writes; /* NULL: not wanted */
    bool failed;                   /* out of memory */
};

#define NOISY_IF(condition) ((condition) ? SETTING_NOISY : SETTING_OK)
/* Sets verdict and current value, and clears `why`. Lookers call this or setting_not_read(). */
void setting_judge(struct setting_reading *r, enum setting_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void setting_explain(struct setting_reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* After -errno from a file: n/a when it does not exist, otherwise unknown with the reason. */
void setting_not_read(struct setting_reading *r, const char *path, int error);
/* The same if there is an error. Returns whether there is one. */
static inline bool setting_failed(struct setting_reading *r, const char *path, int error)
{
    if (error)
        setting_not_read(r, path, error);
    return error != 0;
}
/* Judges and changes a file that is one number: ok when it equals good. unit follows the value shown. */
void setting_look_number(struct setting_reading *r, const char *path, int64_t good, const char *unit);
/* Adds a file to write. */
void setting_write(struct setting_reading *r, const char *path, const char *value);

/* Reads the word in brackets of "always [madvise] never". Returns 0; -EILSEQ when there is none, or -errno; buf is
 * then "". */
int setting_read_choice(const char *path, char *buf, size_t size);
/* Returns 0; -EILSEQ when the file is not one decimal number, or -errno. */
int setting_read_number(const char *path, int64_t *out);
/* The list may be empty or "(null)". Returns 0; -EILSEQ when it is none, or -errno. */
int setting_read_cpus(const char *path, struct cpuset *out);

/* Appends a word with ", ", or "..." when it does not fit. */
void setting_append(char *list, size_t size, const char *word);
/* Returns true also when the kernel's version is not known. */
bool setting_kernel_is(const struct machine *machine, unsigned major, unsigned minor);
/* The online CPUs, or the bench CPUs when those are not known. */
static inline const struct cpuset *setting_cpus(const struct settings_view *view)
{
    return cpuset_is_empty(&view->machine->online) ? view->bench : &view->machine->online;
}
static inline bool setting_disjoint(const struct cpuset *a, const struct cpuset *b)
{
    struct cpuset both = *a;
    cpuset_intersect(&both, b);
    return cpuset_is_empty(&both);
}
/* out: members of a that are not in b. */
static inline void setting_without(const struct cpuset *a, const struct cpuset *b, struct cpuset *out)
{
    for (size_t i = 0; i < CPUSET_WORDS; i++)
        out->word[i] = a->word[i] & ~b->word[i];
}

/* Of the machine around the bench CPUs: they are reported, or only the user can change them. */
setting_looker setting_look_aslr, setting_look_base_slice, setting_look_clocksource, setting_look_config,
    setting_look_cpu_quota, setting_look_dimms, setting_look_fault_around, setting_look_hugetlb,
    setting_look_hypervisor, setting_look_hz, setting_look_programs, setting_look_load, setting_look_os,
    setting_look_page_size, setting_look_power, setting_look_preempt, setting_look_prefetchers, setting_look_pressure,
    setting_look_scheduler, setting_look_steal, setting_look_swap, setting_look_throttling;

#endif
