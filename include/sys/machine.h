/* SPDX-License-Identifier: MIT */
/* The machine: its properties, activity and limits. */
#ifndef SYS_MACHINE_H
#define SYS_MACHINE_H

#include "sys/cpu.h"

/* From /proc and /sys. A value that cannot be read is 'not known' (empty text, -1 or 0), never an error. */

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
    uint64_t huge_page_bytes, huge_free_bytes;           /* of reserved pages */
    double cpu_quota;            /* of the process's cgroups, in CPUs: 0.2 is 20 ms in 100 ms; 0: no quota */
    uint64_t memory_limit_bytes; /* of the process's cgroups; 0: none */
    uint64_t cache_llc_bytes;    /* sum of all last-level caches; 0 when not known */
    double load1;                /* of the last minute; -1 when not known */
};
void machine_read(struct machine *out);

/* Reads only memory. */
void machine_read_memory(struct machine *out);

/* Writes at most max CPUs of allowed in the order in which threads are bound one by one: one CPU of each core before
 * any SMT sibling, with the boot CPU's core (of the lowest online CPU) last in each round. Returns their number.
 * Without /sys each CPU counts as a core. */
size_t machine_cpu_order(const struct cpuset *allowed, unsigned *order, size_t max);

/* Finds the CPUs of this CPU's physical core, itself included. Returns false when not known (out then holds only
 * this CPU). */
bool machine_core_cpus(unsigned cpu, struct cpuset *out);

/* Returns a number that CPUs of one kind share: the kernel's cpu_capacity; or 1 for the small cores of a hybrid x86
 * CPU. 0 when nothing is known. */
unsigned machine_core_type(unsigned cpu);

/* Returns the level of the CPU's last data cache, and the CPUs that share it (itself included); 0 when not known. */
unsigned machine_last_cache(unsigned cpu, struct cpuset *shared);

/* Reads the sizes in bytes (0: not known) of the caches that hold the CPU's data, first level first. Returns the
 * number of levels. */
size_t machine_data_caches(unsigned cpu, uint64_t *bytes, size_t most);

/* Counters since boot, summed over a set of CPUs; -1: not known. irqs: all interrupts, the architecture's own too;
 * timer, resched (another CPU asks this one to reschedule), ipi (others between processors) and device are parts of
 * it. steal_ns has the resolution of clock ticks. throttled_ns belongs to a control group: trials fill it in. */
struct machine_counters {
    int64_t irqs, softirqs, steal_ns;
    int64_t timer, resched, ipi, device, throttled_ns;
};
/* Reads the counters of n sets of CPUs, all from one reading of the files. */
void machine_read_counters_of(const struct cpuset *sets, size_t n, struct machine_counters *out);

/* Read the counters of one CPU repeatedly, through open descriptors: 40 us with 2 CPUs, no allocation unless the
 * files grow. machine_watch_open() returns NULL when out of memory. Not thread-safe. */
struct machine_watch;
struct machine_watch *machine_watch_open(unsigned cpu);
void machine_watch_read(struct machine_watch *watch, struct machine_counters *out);
void machine_watch_close(struct machine_watch *watch);

/* Activity of the whole system since boot, from /proc/stat; -1 when not known. */
struct machine_activity {
    int64_t ctx_switches, interrupts, steal_ns, busy_ns, idle_ns;
};
void machine_read_activity(struct machine_activity *out);

/* 0 when not known */
uint64_t machine_resident_bytes(void);

/* cpufreq's scaling_cur_freq, else /proc/cpuinfo; 0 when not known. */
uint64_t machine_cpu_khz(unsigned cpu);

/* Of the hottest CPU sensor; NAN when not known. May interrupt CPUs. */
double machine_celsius(void);

/* Keeps idle CPUs out of deep idle states (PM QoS: wake-up within 0 us) until the returned descriptor is closed, or
 * -errno. */
int machine_hold_latency(void);

/* Writes the type of the file system that a path is in ("ext4"); its magic number in hex where /proc does not tell; ""
 * when the path cannot be read. */
void machine_fs_name(const char *path, char *buf, size_t size);

/* Asks the CPU itself, without /proc. The functions write a text ("" when not known) and return 0, or -1 when the
 * CPU cannot be asked or does not say. */

int arch_cpu_model(char *buf, size_t size);

/* "kvm", "vmware", "hyperv", ... or "yes" when only its presence is known */
int arch_hypervisor(char *buf, size_t size);

/* Limits that control groups (v1 and v2) set for this process. */

/* Returns the smallest memory limit in bytes of the process's group and of all groups above it that can be seen; 0:
 * none. */
uint64_t cgroup_memory_limit(void);

/* Returns how many bytes the process may still allocate before such a limit, without file cache that the kernel would
 * reclaim first (inactive_file); UINT64_MAX: no limit. */
uint64_t cgroup_memory_available(void);
/* Of such a group (of_group) if it has less, or the machine's is not known. */
uint64_t machine_memory_left(bool *of_group);

/* Reads the CPUs that the groups allow. Returns false when none restricts them. */
bool cgroup_cpus(struct cpuset *out);

/* Reads the CPUs of isolated cpuset partitions (v2): of all partitions if the topmost group can be seen, otherwise
 * of those that the process is in. */
void cgroup_isolated_cpus(struct cpuset *out);

/* Writes the path of the group whose CPU time a task ("self" or its number) shares. Returns false when it is gone. */
bool cgroup_of(const char *task, char *out, size_t size);

/* deeper nesting with quotas has never been seen */
#define CGROUP_QUOTAS 8
/* The quotas of CPU time of the process's group and of all groups above it that can be seen. */
struct cgroup_quota {
    double cpus; /* the smallest quota, in CPUs: 0.2 is 20 ms in 100 ms; 0: none */
    int fd[CGROUP_QUOTAS];
    unsigned n;
};
/* Finds the quotas, and opens the files cpu.stat that tell how long tasks were stopped by them. */
void cgroup_quota_open(struct cgroup_quota *out);
void cgroup_quota_close(struct cgroup_quota *quota);

/* Since the groups were made: periods in which the quota was used up, and for how long it stopped CPUs, added up. */
struct cgroup_throttled {
    int64_t periods, ns;
};
/* Takes some microseconds. Returns false without a quota, or when a group was removed. */
bool cgroup_throttled(const struct cgroup_quota *quota, struct cgroup_throttled *out);

/* CPU time of a group. */
struct cgroup_cpu {
    uint64_t weight; /* 1 to 10000, usually 100; 0: unchanged */
    double limit;    /* CPUs; 0: none */
};
/* Finds the directory of the nearest group in which one can be made. Returns 0, or -1 with a reason. */
int cgroup_cpu_parent(char *folder, size_t size, struct error *why);
/* For a new group in there: sets what is wanted, and reads it back. These return 0 or -errno. */
int cgroup_cpu_begin(const char *folder, const struct cgroup_cpu *wanted, struct cgroup_cpu *got);
int cgroup_write(const char *folder, const char *file, double number, const char *more);

/* Kinds of the lines of /proc/interrupts, on any architecture. */

enum interrupt_kind {
    INTERRUPT_OTHER,   /* errors, thermal, performance monitoring ... */
    INTERRUPT_TIMER,   /* the scheduler tick and all other timers */
    INTERRUPT_RESCHED, /* another CPU asks this one to reschedule */
    INTERRUPT_IPI,     /* all other inter-processor interrupts */
    INTERRUPT_DEVICE,
    INTERRUPT_NONE, /* not counted by CPU, or counted in other lines too */
};

/* label: text before the colon; text: after the counts, to the end of the line. Sources: arch_show_interrupts() of
 * each architecture, show_interrupts() of kernel/irq/proc.c. */
enum interrupt_kind interrupt_kind(const char *label, const char *text);

/* Memory nodes (NUMA) without libnuma. Files "online" and "has_memory" of NODE_FOLDER are lists like those of CPUs. */

#define NODE_FOLDER     "/sys/devices/system/node"
#define NODE_CPUS(node) PROCFS_PATH(NODE_FOLDER "/node%u/cpulist", node)

/* Binds a range to a node (mbind). No page may have been touched yet. Returns 0 or -errno. */
int memory_node_bind(void *start, size_t bytes, unsigned node);
/* Counts those of at most `most` pages, evenly spread over the range, that are on that node (move_pages). Pages must
 * have been touched. Returns how many were inspected, or -errno. */
int memory_node_count(void *start, size_t bytes, unsigned node, unsigned most, unsigned *on_node);

/* How much memory is in transparent huge pages: programs request them with madvise(), but the kernel may refuse. */

struct huge_pages {
    uint64_t huge_bytes;
    uint64_t possible_bytes; /* size of the aligned huge pages that fit into the mappings */
};

/* Reads /proc/self/smaps for the mappings that contain the n addresses, each once
 * and as a whole, since the kernel merges neighbours. Returns 0, or -1 when file or page size are not known. The
 * kernel walks all pages for this: not during a measurement. */
int huge_pages_read(const void *const *addresses, size_t n, struct huge_pages *out);

/* Describes the file system and the disk of a directory. */

/* Writes what affects the speed of files as setting items:
 * "mount=rw+relatime;disk=virtual+rotational;scheduler=mq-deadline". mount: options without paths; disk: virtual
 * when a hypervisor or the kernel emulates it. What is not known or missing (tmpfs has no disk) is left out. */
void storage_describe(const char *folder, char *buf, size_t size);

/* The CSV columns settings and scratch_disk: items "name=value" separated by ';'. Values contain no comma, semicolon
 * or space: '+' separates elements of lists, '_' replaces a space; in the item cmdline (the kernel's command line)
 * '|' separates words. */

#define SETTING_NAME  64
#define SETTING_VALUE 512
/* Could not be read: treated like a missing item. */
#define SETTING_UNKNOWN_VALUE "-"

/* Appends an item; characters that would damage the list are replaced. A value longer than `most` bytes (less than
 * SETTING_VALUE) is cut to that and ends in '~' and a checksum of the whole. An item without a value is left out,
 * and so is one that does not fit, since half a value could be read as another. */
void setting_items_add(char *buf, size_t size, const char *name, const char *value, size_t most);

/* Files of older versions had spaces and commas in values, and both settings of transparent huge pages in one item:
 * name and value are returned in today's form. */
struct setting_items {
    const char *at;
    bool any, has_cmdline, of_run;
    char name[SETTING_NAME + 8], value[SETTING_VALUE];
};
/* of_run: the column settings, not scratch_disk, whose names get the prefix "scratch_". There, items without an item
 * cmdline mean that no word of the kernel's command line affects speed or noise; the iterator then ends with an item
 * cmdline that says so. */
void setting_items_begin(struct setting_items *items, const char *text, bool of_run);
/* Returns false at the end. Skips items without a name or a known value. */
bool setting_items_next(struct setting_items *items);

#endif
