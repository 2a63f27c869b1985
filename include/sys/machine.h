/* SPDX-License-Identifier: MIT */
/* Reads the properties and the activity of this machine from /proc and /sys, below a directory root that is "" except
 * in tests. A value that cannot be read is 'not known' (empty text, -1 or 0), never an error. */
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
    struct cpuset online; /* online CPUs from /sys/devices/system/cpu/online, else from /proc/stat; empty when not
                           * known */
    unsigned cpus_online; /* number of online CPUs; 0 when not known */
    char hypervisor[32];  /* "kvm", "vmware", ...; "yes" when the CPU says only that there is one; "" on bare metal or
                           * not known */
    char container[32];   /* kind of container: "docker", "lxc", "yes" ...; "" when none is detected */
    char governor[32];    /* cpufreq governor of the first online CPU; "" when there is none */
    char clocksource[32];
    int randomize_va_space;                              /* value of kernel.randomize_va_space; -1 when not known */
    uint64_t memory_total_bytes, memory_available_bytes; /* 0 when not known */
    uint64_t swap_total_bytes;                           /* 0 when there is none, or not known */
    double cpu_quota;            /* CPUs' time that the process's cgroups allow: 0.2 is 20 ms in 100 ms; 0: no quota */
    uint64_t memory_limit_bytes; /* smallest limit of the process's cgroups (v1 and v2); 0 when there is none */
    uint64_t cache_llc_bytes;    /* the sum of all last-level caches; 0 when not known */
    double load1;                /* load average of the last minute (/proc/loadavg); -1 when not known */
};
void machine_read(const char *root, struct machine *out);

/* Reads only the sizes of memory: total, available, swap. Leaves the other fields unchanged. */
void machine_read_memory(const char *root, struct machine *out);

/* Writes the CPUs of allowed to order, at most max of them, in the order in which threads are bound to CPUs one by one:
 * one CPU of each core before any SMT sibling, with the core of the boot CPU (the lowest online CPU) last in each
 * round. Returns how many were written. Without /sys each CPU counts as a core. */
size_t machine_cpu_order(const char *root, const struct cpuset *allowed, unsigned *order, size_t max);

/* Finds the CPUs (hardware threads) of this CPU's physical core, itself included. Returns false when they are not known
 * (then out holds only this CPU). */
bool machine_core_cpus(const char *root, unsigned cpu, struct cpuset *out);

/* Returns the type of a CPU's core: CPUs of one kind have the same number (the kernel's cpu_capacity; or 1 for the
 * small cores and 0 for the others of a hybrid x86 CPU). 0 when nothing is known. */
unsigned machine_core_type(const char *root, unsigned cpu);

/* Returns the level of the CPU's last data cache, with the CPUs that share it (itself included) in shared. 0 when
 * not known. */
unsigned machine_last_cache(const char *root, unsigned cpu, struct cpuset *shared);

/* Reads the sizes in bytes of the caches that hold the CPU's data, the first level first, at most `most` of them; 0:
 * not known. Returns the number of levels; 0 when nothing is known. */
size_t machine_data_caches(const char *root, unsigned cpu, uint64_t *bytes, size_t most);

/* Counters since boot, summed over a set of CPUs; -1 when not known. irqs is the number of all interrupts: it includes
 * the architecture's own lines of /proc/interrupts (timer, IPI) and excludes ERR, MIS and lines that sum up others.
 * timer, resched (another CPU asks this one to reschedule), ipi (other inter-processor interrupts) and device are parts
 * of it, by label and name of the lines; one that has no line is -1. steal_ns has the resolution of the kernel's clock
 * ticks. throttled_ns belongs to a control group, not to CPUs: it is always -1 here, and trials fill it in (see struct
 * cgroup_throttled). */
struct machine_counters {
    int64_t irqs, softirqs, steal_ns;
    int64_t timer, resched, ipi, device, throttled_ns;
};
/* Reads the counters of n sets of CPUs into out[0] to out[n - 1], all from one reading of the files. */
void machine_read_counters_of(const char *root, const struct cpuset *sets, size_t n, struct machine_counters *out);

/* Read the counters of one CPU repeatedly, through descriptors that stay open. A reading takes 40 us with 2 CPUs, and
 * allocates no memory unless the files grow. machine_watch_open() returns NULL when out of memory. Not thread-safe. */
struct machine_watch;
struct machine_watch *machine_watch_open(const char *root, unsigned cpu);
void machine_watch_read(struct machine_watch *watch, struct machine_counters *out);
void machine_watch_close(struct machine_watch *watch);

/* Activity of the whole system since boot, from /proc/stat. -1 when not known. */
struct machine_activity {
    int64_t ctx_switches, interrupts, forks, steal_ns, busy_ns, idle_ns;
};
void machine_read_activity(const char *root, struct machine_activity *out);

/* Returns the resident memory of this process in bytes; 0 when not known. */
uint64_t machine_resident_bytes(const char *root);

/* Returns the current frequency of the CPU in kHz: cpufreq's scaling_cur_freq, else /proc/cpuinfo; 0 when not known. */
uint64_t machine_cpu_khz(const char *root, unsigned cpu);

/* Keeps idle CPUs out of deep idle states (the kernel's PM QoS: wake-up within 0 us) until the returned descriptor is
 * closed. Returns -errno on failure. */
int machine_hold_latency(const char *root);

/* Writes the name of the file system of path ("ext4", "tmpfs", "overlay"), or its magic number in hex; "" when it
 * cannot be read. */
void machine_fs_name(const char *path, char *buf, size_t size);

#endif
