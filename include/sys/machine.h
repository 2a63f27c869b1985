/* SPDX-License-Identifier: MIT */
/* What this machine is and what it is doing: readers of /proc and /sys, all under a root directory that is "" in
 * use and a made-up tree in tests. What cannot be read is 'not known' (empty text, -1 or 0), never an error. */
#ifndef SYS_MACHINE_H
#define SYS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sys/cpuset.h"

/* Reads at most size-1 bytes of root+path and terminates them. Returns the length or -errno. */
ssize_t machine_read_file(const char *root, const char *path, char *buf, size_t size);

struct machine {
    char host[65], kernel[160], arch[65];
    char cpu_model[128];
    bool have_proc, have_sys;
    struct cpuset online; /* /sys/devices/system/cpu/online, else from /proc/stat; empty when not known */
    unsigned cpus_online; /* 0 when not known */
    char hypervisor[32];  /* "kvm", "vmware", ...; "yes" when only the CPU's bit is known; "" on bare metal or not known
                           */
    char container[32];   /* "docker", "lxc", "yes" ...; "" when none is seen */
    char governor[32];    /* of the first online CPU; "" when there is no cpufreq */
    char clocksource[32];
    int randomize_va_space;                              /* -1 when not known */
    uint64_t memory_total_bytes, memory_available_bytes; /* 0 when not known */
    uint64_t swap_total_bytes;                           /* 0 when there is none, or not known */
    uint64_t memory_limit_bytes; /* of the process's cgroup (v1 and v2, nearest limit up the tree); 0 when none */
    uint64_t cache_llc_bytes;    /* the sum of all last-level caches; 0 when not known */
    double load1;                /* /proc/loadavg; -1 when not known */
};
void machine_read(const char *root, struct machine *out);

/* Only the sizes of memory: total, available, swap. The others are left as they are. */
void machine_read_memory(const char *root, struct machine *out);

/* One physical core's CPUs in a row: core[i] is a number equal for SMT siblings. Order for one-to-one binding:
 * one CPU of each core before any sibling, the core of the boot CPU (the lowest of all online CPUs) last in each
 * round. Writes at most max CPUs of allowed to order, returns how many. Works without /sys (each CPU its own core). */
size_t machine_cpu_order(const char *root, const struct cpuset *allowed, unsigned *order, size_t max);

/* The CPUs of the physical core of this one, which is among them. False when it is not known (and then it is alone). */
bool machine_core_cpus(const char *root, unsigned cpu, struct cpuset *out);

/* A number equal for CPUs of a kind (the kernel's cpu_capacity, or the hybrid CPUs' lists); 0 when all are or nothing
 * is known. */
unsigned machine_core_type(const char *root, unsigned cpu);

/* The level of the CPU's last data cache and the CPUs that share it, this one among them. 0 when it is not known. */
unsigned machine_last_cache(const char *root, unsigned cpu, struct cpuset *shared);

/* Sums over the CPUs of cpus; -1 where not known. irqs includes the architecture's own (timer, IPI) lines, excludes
 * ERR, MIS and what sums up other lines. Of what irqs counts, timer, resched (another CPU asks this one to look whom to
 * run), ipi (the other calls between CPUs) and device are told apart by the label and the name of a line of
 * /proc/interrupts; where a machine has no line of a kind, that one is not known. steal in nanoseconds (the kernel
 * counts it in ticks). */
struct machine_counters {
    int64_t irqs, softirqs, steal_ns;
    int64_t timer, resched, ipi, device;
};
/* Reads them for n sets of CPUs from one look. */
void machine_read_counters_of(const char *root, const struct cpuset *sets, size_t n, struct machine_counters *out);

/* Reads the counters of one CPU again and again, from descriptors that it keeps: 40 us with 2 CPUs, and nothing is
 * allocated as long as the texts do not grow. NULL when out of memory. For one thread at a time. */
struct machine_watch;
struct machine_watch *machine_watch_open(const char *root, unsigned cpu);
void machine_watch_read(struct machine_watch *watch, struct machine_counters *out);
void machine_watch_close(struct machine_watch *watch);

/* System-wide, from /proc/stat: to say how quiet the machine is. -1 when not known. */
struct machine_activity {
    int64_t ctx_switches, interrupts, forks, steal_ns, busy_ns, idle_ns;
};
void machine_read_activity(const char *root, struct machine_activity *out);

/* Memory of this process that is resident; 0 when not known. */
uint64_t machine_resident_bytes(const char *root);

/* The frequency of the CPU now, in kHz: cpufreq's scaling_cur_freq, else /proc/cpuinfo; 0 when not known. */
uint64_t machine_cpu_khz(const char *root, unsigned cpu);

/* Keeps idle CPUs from sleeping deeply (the kernel's PM QoS: a wake-up within 0 us) for as long as the returned
 * descriptor is open. -errno when that cannot be had. */
int machine_hold_latency(const char *root);

/* The name of the file system that holds path ("ext4", "tmpfs", "overlay"), or its magic in hex. */
void machine_fs_name(const char *path, char *buf, size_t size);

#endif
