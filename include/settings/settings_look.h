/* SPDX-License-Identifier: MIT */
/* Shared by the files behind settings.h: functions for writing a setting's state and for reading files, and the look
 * functions, which read a setting and judge it. */
#ifndef SETTINGS_SETTINGS_LOOK_H
#define SETTINGS_SETTINGS_LOOK_H

#include <stddef.h>
#include <stdint.h>

#include "settings/settings.h"

/* Sets the verdict and the current value, and clears why. Every look function ends in this or in setting_not_read(). */
void setting_say(struct setting_state *out, enum setting_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void setting_why(struct setting_state *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Sets the state after an error -errno from a file: n/a when the file does not exist, otherwise unknown with the
 * reason. */
void setting_not_read(const struct settings_view *view, const char *path, int error, struct setting_state *out);

/* Calls setting_not_read() when there is an error. Returns whether there is one. */
bool setting_failed(const struct settings_view *view, const char *path, int error, struct setting_state *out);

/* Reads the first line with unprintable bytes replaced. Returns 0; -ENODATA when it is empty, or -errno. */
int setting_read_line(const char *root, const char *path, char *buf, size_t size);
/* Reads a file that is one decimal number. Returns 0; -EILSEQ when it is not, or -errno. */
int setting_read_number(const char *root, const char *path, int64_t *out);
/* Reads a file that is a CPU list, which may be empty or "(null)". Returns 0; -EILSEQ when it is none, or -errno. */
int setting_read_cpus(const char *root, const char *path, struct cpuset *out);

/* Judges a file that is one number: ok when it is good, else noisy. unit is appended to the value shown. */
void setting_look_number(const struct settings_view *view, const char *path, int64_t good, const char *unit,
                         struct setting_state *out);
/* Adds a write of that number to the file, unless the file holds it already or cannot be read. Returns 0, or -1 when
 * out of memory. */
int setting_write_number(const struct settings_view *view, const char *path, int64_t good, struct setting_writes *out);

/* Appends a word to a list separated by ", "; or "..." when it does not fit. */
void setting_append(char *list, size_t size, const char *word);

/* Returns the CPUs to look at: the online CPUs, or the bench CPUs when the online CPUs are not known. */
const struct cpuset *setting_cpus(const struct settings_view *view);
/* Sets out to the members of a that are not in b. */
void setting_without(const struct cpuset *a, const struct cpuset *b, struct cpuset *out);

/* settings_cpu.c: frequencies, idle states */

/* A setting that each CPU has in a file of its own. */
struct setting_of_cpus {
    const char *file; /* below the CPU's directory */
    /* Reads the value of a CPU as text; *good is whether it is as it should be. Returns 0 or -errno. */
    int (*read)(const char *root, unsigned cpu, const char *file, char *text, size_t size, bool *good);
    const char *value;  /* the good value, written where the present one is not good */
    bool once_a_policy; /* CPUs that share cpufreq files need one write */
};
void setting_look_cpus(const struct settings_view *view, const struct setting_of_cpus *of, struct setting_state *out);
int setting_write_cpus(const struct settings_view *view, const struct setting_of_cpus *of, struct setting_writes *out);
extern const struct setting_of_cpus setting_cpu_governor, setting_cpu_epp, setting_cpu_epb, setting_cpu_frequency;
int setting_writes_frequency(const struct settings_view *view, struct setting_writes *out);
void setting_look_turbo(const struct settings_view *view, struct setting_state *out);
int setting_writes_turbo(const struct settings_view *view, struct setting_writes *out);
void setting_look_smt(const struct settings_view *view, struct setting_state *out);
int setting_writes_smt(const struct settings_view *view, struct setting_writes *out);
void setting_look_c_states(const struct settings_view *view, struct setting_state *out);
void setting_look_throttling(const struct settings_view *view, struct setting_state *out);

/* settings_topology.c: hardware that the bench CPUs share with others */
void setting_look_numa(const struct settings_view *view, struct setting_state *out);
void setting_look_caches(const struct settings_view *view, struct setting_state *out);
void setting_look_siblings(const struct settings_view *view, struct setting_state *out);

/* settings_isolation.c: isolation of the bench CPUs from kernel work */
void setting_look_isolated(const struct settings_view *view, struct setting_state *out);
void setting_look_nohz_full(const struct settings_view *view, struct setting_state *out);
void setting_look_nohz_pstate(const struct settings_view *view, struct setting_state *out);
void setting_look_rcu_nocbs(const struct settings_view *view, struct setting_state *out);
void setting_look_timer_migration(const struct settings_view *view, struct setting_state *out);
int setting_writes_timer_migration(const struct settings_view *view, struct setting_writes *out);
void setting_look_kthread_cpus(const struct settings_view *view, struct setting_state *out);
void setting_look_irqaffinity(const struct settings_view *view, struct setting_state *out);
void setting_look_irqs(const struct settings_view *view, struct setting_state *out);
int setting_writes_irqs(const struct settings_view *view, struct setting_writes *out);
void setting_look_workqueues(const struct settings_view *view, struct setting_state *out);
int setting_writes_workqueues(const struct settings_view *view, struct setting_writes *out);

/* settings_kernel.c: periodic activity of the kernel */
void setting_look_ksm(const struct settings_view *view, struct setting_state *out);
int setting_writes_ksm(const struct settings_view *view, struct setting_writes *out);
void setting_look_swappiness(const struct settings_view *view, struct setting_state *out);
int setting_writes_swappiness(const struct settings_view *view, struct setting_writes *out);
void setting_look_aslr(const struct settings_view *view, struct setting_state *out);
void setting_look_thp(const struct settings_view *view, struct setting_state *out);
int setting_writes_thp(const struct settings_view *view, struct setting_writes *out);
void setting_look_watchdogs(const struct settings_view *view, struct setting_state *out);
int setting_writes_watchdogs(const struct settings_view *view, struct setting_writes *out);
void setting_look_rt_throttling(const struct settings_view *view, struct setting_state *out);
int setting_writes_rt_throttling(const struct settings_view *view, struct setting_writes *out);
void setting_look_fair_server(const struct settings_view *view, struct setting_state *out);
void setting_look_clocksource(const struct settings_view *view, struct setting_state *out);
void setting_look_vulnerabilities(const struct settings_view *view, struct setting_state *out);
void setting_look_page_faults(const struct settings_view *view, struct setting_state *out);

/* settings_config.c: build options of the kernel */
void setting_look_hardening(const struct settings_view *view, struct setting_state *out);
void setting_look_config(const struct settings_view *view, struct setting_state *out);
void setting_look_context_tracking(const struct settings_view *view, struct setting_state *out);
void setting_look_tick(const struct settings_view *view, struct setting_state *out);

/* settings_around.c: other activity on the machine and around it */
void setting_look_irqbalance(const struct settings_view *view, struct setting_state *out);
void setting_look_daemons(const struct settings_view *view, struct setting_state *out);
void setting_look_swap(const struct settings_view *view, struct setting_state *out);
void setting_look_load(const struct settings_view *view, struct setting_state *out);
void setting_look_pressure(const struct settings_view *view, struct setting_state *out);
void setting_look_hypervisor(const struct settings_view *view, struct setting_state *out);
void setting_look_steal(const struct settings_view *view, struct setting_state *out);
void setting_look_power(const struct settings_view *view, struct setting_state *out);
void setting_look_network(const struct settings_view *view, struct setting_state *out);
void setting_look_temperature(const struct settings_view *view, struct setting_state *out);

#endif
