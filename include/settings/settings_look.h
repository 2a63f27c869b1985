/* SPDX-License-Identifier: MIT */
/* Functions that set a setting's state or read files, for the files that implement settings.h, and their look
 * functions, which read a setting and judge it. */
#ifndef SETTINGS_SETTINGS_LOOK_H
#define SETTINGS_SETTINGS_LOOK_H

#include <stddef.h>
#include <stdint.h>

#include "settings/settings.h"

/* Sets verdict and current value, and clears `why`. Functions that judge call this or setting_not_read(). */
void setting_say(struct setting_state *out, enum setting_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void setting_why(struct setting_state *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* For a counter since boot, of events or seconds: noisy when it rose from `before` to `after`. Read only once
 * (view->moment is NULL), both are equal, and the state is unknown unless they are 0. */
void setting_say_rise(const struct settings_view *view, double before, double after, int decimals, const char *unit,
                      struct setting_state *out);
/* After -errno from a file: n/a when it does not exist, otherwise unknown with the reason. */
void setting_not_read(const struct settings_view *view, const char *path, int error, struct setting_state *out);

/* The same if there is an error. Returns whether there is one. */
bool setting_failed(const struct settings_view *view, const char *path, int error, struct setting_state *out);

/* Reads the first line, with unprintable bytes replaced. Returns 0; -ENODATA when it is empty, or -errno. */
int setting_read_line(const char *root, const char *path, char *buf, size_t size);
/* Reads the word in brackets of "always [madvise] never". Returns 0; -EILSEQ when there is none, or -errno; buf is
 * then "". */
int setting_read_choice(const char *root, const char *path, char *buf, size_t size);
/* Returns 0; -EILSEQ when the file is not one decimal number, or -errno. */
int setting_read_number(const char *root, const char *path, int64_t *out);
/* The list may be empty or "(null)". Returns 0; -EILSEQ when it is none, or -errno. */
int setting_read_cpus(const char *root, const char *path, struct cpuset *out);

/* Judges a file that is one number: ok when it equals good. unit follows the value shown. */
void setting_look_number(const struct settings_view *view, const char *path, int64_t good, const char *unit,
                         struct setting_state *out);
/* Adds a write of good, unless the file holds it or cannot be read. Returns 0, or -1 when out of memory. */
int setting_write_number(const struct settings_view *view, const char *path, int64_t good, struct setting_writes *out);

/* Appends a word with ", ", or "..." when it does not fit. */
void setting_append(char *list, size_t size, const char *word);

/* Returns true also when the kernel's version is not known. */
bool setting_kernel_is(const struct machine *machine, unsigned major, unsigned minor);

/* The online CPUs, or the bench CPUs when those are not known. */
const struct cpuset *setting_cpus(const struct settings_view *view);
bool setting_disjoint(const struct cpuset *a, const struct cpuset *b);
/* out: members of a that are not in b. */
void setting_without(const struct cpuset *a, const struct cpuset *b, struct cpuset *out);

/* Value of one CPU. text: as shown; want: to be written; good: it is so already. */
struct setting_value {
    char text[48], want[24];
    bool good;
};
struct setting_of_cpus {
    const char *file; /* below the CPU's directory */
    /* Returns 0 or -errno. */
    int (*read)(const char *root, unsigned cpu, const char *file, struct setting_value *out);
    bool once_a_policy; /* CPUs that share cpufreq files need one write only */
};
void setting_look_cpus(const struct settings_view *view, const struct setting_of_cpus *of, struct setting_state *out);
int setting_write_cpus(const struct settings_view *view, const struct setting_of_cpus *of, struct setting_writes *out);
extern const struct setting_of_cpus setting_cpu_governor, setting_cpu_epp, setting_cpu_epb, setting_cpu_frequency;
setting_looker setting_look_turbo, setting_look_smt, setting_look_c_states, setting_look_throttling;
setting_writer setting_writes_turbo, setting_writes_smt;

setting_looker setting_look_numa, setting_look_caches, setting_look_siblings;

setting_looker setting_look_isolated, setting_look_nohz_full, setting_look_nohz_pstate, setting_look_rcu_nocbs,
    setting_look_timer_migration, setting_look_kthread_cpus, setting_look_irqaffinity, setting_look_irqs,
    setting_look_workqueues;
setting_writer setting_writes_timer_migration, setting_writes_irqs, setting_writes_workqueues;

setting_looker setting_look_ksm, setting_look_swappiness, setting_look_aslr, setting_look_thp, setting_look_watchdogs,
    setting_look_rt_throttling, setting_look_fair_server, setting_look_clocksource, setting_look_vulnerabilities;
setting_writer setting_writes_thp, setting_writes_watchdogs, setting_writes_rt_throttling;

setting_looker setting_look_config, setting_look_hz;

setting_looker setting_look_cpu_quota, setting_look_scheduler, setting_look_preempt, setting_look_base_slice,
    setting_look_os, setting_look_page_size, setting_look_hugetlb, setting_look_fault_around, setting_look_prefetchers,
    setting_look_dimms;

setting_looker setting_look_irqbalance, setting_look_daemons, setting_look_swap, setting_look_load,
    setting_look_pressure, setting_look_hypervisor, setting_look_steal, setting_look_power;

#endif
