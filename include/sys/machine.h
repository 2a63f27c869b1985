/* SPDX-License-Identifier: MIT */
/* Properties and activity of this machine from /proc and /sys, below a directory root that is "" except in tests. A
 * value that cannot be read is 'not known' (empty text, -1 or 0), never an error. */
#ifndef SYS_MACHINE_H
#define SYS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/cpuset.h"

struct machine {
    char host[65], kernel[160], arch[65];
    char cpu_model[128];
    bool have_proc, have_sys;
    struct cpuset online; /* empty when not known */
    unsigned cpus_online; /* 0 when not known */
    char hypervisor[32];  /* "kvm", "vmware", ...; "yes": only known that there is one; "" on bare metal or not known */
    char container[32];   /* "docker", "lxc", "yes" ...; "": none detected */
    char governor[32];    /* cpufreq governor of the first online CPU; "": none */
    char clocksource[32];
    int randomize_va_space;                              /* kernel.randomize_va_space; -1 when not known */
    uint64_t memory_total_bytes, memory_available_bytes; /* 0 when not known */
    uint64_t swap_total_bytes;                           /* 0: none, or not known */
    double cpu_quota;            /* of the process's cgroups, in CPUs: 0.2 is 20 ms in 100 ms; 0: no quota */
    uint64_t memory_limit_bytes; /* of the process's cgroups; 0: none */
    uint64_t cache_llc_bytes;    /* sum of all last-level caches; 0 when not known */
    double load1;                /* of the last minute; -1 when not known */
};
void machine_read(const char *root, struct machine *out);

/* Reads only memory total, available and swap. */
void machine_read_memory(const char *root, struct machine *out);

/* Writes at most max CPUs of allowed in the order in which threads are bound one by one: one CPU of each core before
 * any SMT sibling, with the boot CPU's core (of the lowest online CPU) last in each round. Returns their number.
 * Without /sys each CPU counts as a core. */
size_t machine_cpu_order(const char *root, const struct cpuset *allowed, unsigned *order, size_t max);

/* Finds the CPUs of this CPU's physical core, itself included. Returns false when not known (out then holds only
 * this CPU). */
bool machine_core_cpus(const char *root, unsigned cpu, struct cpuset *out);

/* Returns a number that CPUs of one kind share: the kernel's cpu_capacity; or 1 for the small cores of a hybrid x86
 * CPU. 0 when nothing is known. */
unsigned machine_core_type(const char *root, unsigned cpu);

/* Returns the level of the CPU's last data cache, and the CPUs that share it (itself included); 0 when not known. */
unsigned machine_last_cache(const char *root, unsigned cpu, struct cpuset *shared);

/* Reads the sizes in bytes (0: not known) of the caches that hold the CPU's data, first level first. Returns the
 * number of levels. */
size_t machine_data_caches(const char *root, unsigned cpu, uint64_t *bytes, size_t most);

/* Counters since boot, summed over a set of CPUs; -1 when not known. irqs: all interrupts, with the architecture's
 * own lines of /proc/interrupts (timer, IPI), without ERR, MIS and lines that sum up others; timer, resched (another
 * CPU asks this one to reschedule), ipi (others between processors) and device are parts of it, -1 without a line.
 * steal_ns has the resolution of clock ticks. throttled_ns belongs to a control group: -1 here, trials fill it in
 * (struct cgroup_throttled). */
struct machine_counters {
    int64_t irqs, softirqs, steal_ns;
    int64_t timer, resched, ipi, device, throttled_ns;
};
/* Reads the counters of n sets of CPUs, all from one reading of the files. */
void machine_read_counters_of(const char *root, const struct cpuset *sets, size_t n, struct machine_counters *out);

/* Read the counters of one CPU repeatedly, through open descriptors: 40 us with 2 CPUs, no allocation unless the
 * files grow. machine_watch_open() returns NULL when out of memory. Not thread-safe. */
struct machine_watch;
struct machine_watch *machine_watch_open(const char *root, unsigned cpu);
void machine_watch_read(struct machine_watch *watch, struct machine_counters *out);
void machine_watch_close(struct machine_watch *watch);

/* Activity of the whole system since boot, from /proc/stat; -1 when not known. */
struct machine_activity {
    int64_t ctx_switches, interrupts, forks, steal_ns, busy_ns, idle_ns;
};
void machine_read_activity(const char *root, struct machine_activity *out);

/* 0 when not known */
uint64_t machine_resident_bytes(const char *root);

/* cpufreq's scaling_cur_freq, else /proc/cpuinfo; 0 when not known. */
uint64_t machine_cpu_khz(const char *root, unsigned cpu);

/* Keeps idle CPUs out of deep idle states (PM QoS: wake-up within 0 us) until the returned descriptor is closed, or
 * -errno. */
int machine_hold_latency(const char *root);

/* Writes the file system's name ("ext4"), or its magic number in hex; "" when it cannot be read. */
void machine_fs_name(const char *path, char *buf, size_t size);

#endif
