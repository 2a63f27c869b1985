/* SPDX-License-Identifier: MIT */
/* Declares what the files that implement settings.h share: functions that set a setting's state or read files, and the
 * look functions, which read a setting and judge it. */
#ifndef SETTINGS_SETTINGS_LOOK_H
#define SETTINGS_SETTINGS_LOOK_H

#include <stddef.h>
#include <stdint.h>

#include "settings/settings.h"

#define CPU_FOLDER   "/sys/devices/system/cpu"
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Sets the verdict and the current value, and clears `why`. Functions that judge a setting call this or
 * setting_not_read(). */
void setting_say(struct setting_state *out, enum setting_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void setting_why(struct setting_state *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Sets the state of a setting that is judged by a counter since boot, of events or seconds: noisy when the counter rose
 * from `before` to `after`. If it was read only once (view->moment is NULL), the two are equal, and the state is
 * unknown unless they are 0. */
void setting_say_rise(const struct settings_view *view, double before, double after, int decimals, const char *unit,
                      struct setting_state *out);
/* Sets the state after an error -errno from a file: n/a when the file does not exist, otherwise unknown with the
 * reason. */
void setting_not_read(const struct settings_view *view, const char *path, int error, struct setting_state *out);

/* Calls setting_not_read() when there is an error. Returns whether there is one. */
bool setting_failed(const struct settings_view *view, const char *path, int error, struct setting_state *out);

/* Reads the first line with unprintable bytes replaced. Returns 0; -ENODATA when it is empty, or -errno. */
int setting_read_line(const char *root, const char *path, char *buf, size_t size);
/* Reads the word in brackets from a file such as "always [madvise] never". Returns 0; -EILSEQ when there is none, or
 * -errno; buf is then "". */
int setting_read_choice(const char *root, const char *path, char *buf, size_t size);
/* Reads a file that is one decimal number. Returns 0; -EILSEQ when it is not, or -errno. */
int setting_read_number(const char *root, const char *path, int64_t *out);
/* Reads a file that is a CPU list, which may be empty or "(null)". Returns 0; -EILSEQ when it is none, or -errno. */
int setting_read_cpus(const char *root, const char *path, struct cpuset *out);

/* Judges a file that is one number: ok when the number equals good, else noisy. unit is appended to the value shown. */
void setting_look_number(const struct settings_view *view, const char *path, int64_t good, const char *unit,
                         struct setting_state *out);
/* Adds a write of the number good to the file, unless the file holds it already or cannot be read. Returns 0, or -1
 * when out of memory. */
int setting_write_number(const struct settings_view *view, const char *path, int64_t good, struct setting_writes *out);

/* Appends a word to a list, separated by ", ". Appends "..." instead when the word does not fit. */
void setting_append(char *list, size_t size, const char *word);

/* Returns whether the kernel is at least of this version, or its version is not known. */
bool setting_kernel_is(const struct machine *machine, unsigned major, unsigned minor);

/* Returns the CPUs to consider: the online CPUs, or the CPUs to measure on when the online CPUs are not known. */
const struct cpuset *setting_cpus(const struct settings_view *view);
/* Returns whether no CPU is in both sets. */
bool setting_disjoint(const struct cpuset *a, const struct cpuset *b);
/* Sets out to the members of a that are not in b. */
void setting_without(const struct cpuset *a, const struct cpuset *b, struct cpuset *out);

/* settings_cpu.c: frequencies, idle states */

/* The value of one CPU. text: as shown; want: the good value, to be written; good: the value is good already. */
struct setting_value {
    char text[48], want[24];
    bool good;
};
/* A setting that each CPU has in a file of its own. */
struct setting_of_cpus {
    const char *file; /* below the CPU's directory */
    /* Reads the value of a CPU. Returns 0 or -errno. */
    int (*read)(const char *root, unsigned cpu, const char *file, struct setting_value *out);
    bool once_a_policy; /* CPUs that share cpufreq files (a policy) need one write only */
};
void setting_look_cpus(const struct settings_view *view, const struct setting_of_cpus *of, struct setting_state *out);
int setting_write_cpus(const struct settings_view *view, const struct setting_of_cpus *of, struct setting_writes *out);
extern const struct setting_of_cpus setting_cpu_governor, setting_cpu_epp, setting_cpu_epb, setting_cpu_frequency;
setting_looker setting_look_turbo, setting_look_smt, setting_look_c_states, setting_look_throttling;
setting_writer setting_writes_turbo, setting_writes_smt;

/* settings_topology.c: hardware that the bench CPUs share with others */
setting_looker setting_look_numa, setting_look_caches, setting_look_siblings;

/* settings_isolation.c: isolation of the bench CPUs from kernel work */
setting_looker setting_look_isolated, setting_look_nohz_full, setting_look_nohz_pstate, setting_look_rcu_nocbs,
    setting_look_timer_migration, setting_look_kthread_cpus, setting_look_irqaffinity, setting_look_irqs,
    setting_look_workqueues;
setting_writer setting_writes_timer_migration, setting_writes_irqs, setting_writes_workqueues;

/* settings_kernel.c: periodic activity of the kernel */
setting_looker setting_look_ksm, setting_look_swappiness, setting_look_aslr, setting_look_thp, setting_look_watchdogs,
    setting_look_rt_throttling, setting_look_fair_server, setting_look_clocksource, setting_look_vulnerabilities;
setting_writer setting_writes_thp, setting_writes_watchdogs, setting_writes_rt_throttling;

/* settings_config.c: build options of the kernel */
setting_looker setting_look_config, setting_look_hz;
/* Returns the kernel's configuration: /proc/config.gz, or the file that the distribution installs beside the kernel;
 * NULL when neither exists. The caller frees it. */
char *setting_read_config(const struct settings_view *view);
/* Returns whether CONFIG_key is y in a configuration. */
bool setting_config_has(const char *config, const char *key);

/* settings_reported.c: settings that are not judged, and the quota */
setting_looker setting_look_cpu_quota, setting_look_scheduler, setting_look_preempt, setting_look_base_slice,
    setting_look_os, setting_look_page_size, setting_look_hugetlb, setting_look_fault_around, setting_look_prefetchers,
    setting_look_dimms;

/* settings_around.c: other activity on the machine and around it */
setting_looker setting_look_irqbalance, setting_look_daemons, setting_look_swap, setting_look_load,
    setting_look_pressure, setting_look_hypervisor, setting_look_steal, setting_look_power;

#endif
