/* SPDX-License-Identifier: MIT */
/* Names, CPUs, memory, caches and settings; machine_counters.c reads the activity. */
#include "sys/machine.h"

#include <fnmatch.h>
#include <math.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "sys/file.h"
#include "sys/process.h"

static void read_names(struct machine *out)
{
    struct utsname names = {0};
    uname(&names);
    procfs_copy(names.machine, strlen(names.machine), out->arch, sizeof out->arch);
    if (procfs_root[0]) {
        READ_LINE("/proc/sys/kernel/hostname", names.nodename);
        READ_LINE("/proc/sys/kernel/osrelease", names.release);
        READ_LINE("/proc/sys/kernel/version", names.version);
    }
    procfs_copy(names.nodename, strlen(names.nodename), out->host, sizeof out->host);
    TEXT_PRINT(out->kernel, "%s %s", names.release, names.version);
    procfs_copy(out->kernel, strlen(out->kernel), out->kernel, sizeof out->kernel);
}

static void read_cpu_model(const char *cpuinfo, struct machine *out)
{
    static const char *const keys[] = {"model name", "cpu model", "Processor", "Hardware", "uarch", "cpu"};
    char implementer[16], part[16];
    for (size_t i = 0; i < COUNT(keys); i++) {
        if (procfs_value(cpuinfo, keys[i], out->cpu_model, sizeof out->cpu_model))
            return;
    }
    /* On Arm: numbers instead of a name. */
    if (procfs_value(cpuinfo, "CPU implementer", implementer, sizeof implementer) &&
        procfs_value(cpuinfo, "CPU part", part, sizeof part))
        TEXT_PRINT(out->cpu_model, "implementer %s part %s", implementer, part);
    else if (!procfs_root[0])
        arch_cpu_model(out->cpu_model, sizeof out->cpu_model);
}

static void read_online(struct cpuset *out)
{
    cpuset_clear(out);
    if (procfs_read_cpus(CPU_FOLDER "/online", out))
        return;
    FREED char *text = procfs_read_all("/proc/stat");
    for (const char *line = text; line; line = procfs_next_line(line)) {
        uint64_t cpu;
        if (starts_with(line, "cpu") && line[3] != ' ' && procfs_number(line + 3, &cpu) && cpu < CPUSET_MAX)
            cpuset_add(out, (unsigned)cpu);
    }
}

/* By vendor and product in the firmware (DMI); NULL: they name none. Clouds that also rent out bare metal under the
 * same name are not listed. */
static const char *hypervisor_from_firmware(void)
{
    static const struct {
        const char *vendor, *product, *name;
    } known[] = {
        {"", "KVM", "kvm"},       {"QEMU", "", "qemu"},
        {"VMware", "", "vmware"}, {"innotek", "", "virtualbox"},
        {"Xen", "", "xen"},       {"Parallels", "", "parallels"},
        {"BHYVE", "", "bhyve"},   {"Microsoft Corporation", "Virtual Machine", "hyperv"},
    };
    char vendor[64], product[64];
    bool have = !READ_LINE("/sys/class/dmi/id/sys_vendor", vendor);
    have |= !READ_LINE("/sys/class/dmi/id/product_name", product);
    for (size_t i = 0; have && i < COUNT(known); i++) {
        if (starts_with(vendor, known[i].vendor) && starts_with(product, known[i].product))
            return known[i].name;
    }
    return NULL;
}

static void read_hypervisor(const char *cpuinfo, struct machine *out)
{
    char *buf = out->hypervisor;
    size_t size = sizeof out->hypervisor;
    char compatible[32], flags[8192];
    if (!procfs_root[0] && arch_hypervisor(buf, size) == 0)
        return;
    if (!procfs_read_line("/sys/hypervisor/type", buf, size))
        return;
    const bool no_tree = READ_LINE("/proc/device-tree/hypervisor/compatible", compatible) != 0;
    const char *name = no_tree                                ? hypervisor_from_firmware()
                       : starts_with(compatible, "linux,kvm") ? "kvm"
                       : starts_with(compatible, "xen")       ? "xen"
                                                              : "yes";
    const bool flagged = procfs_value(cpuinfo, "flags", flags, sizeof flags);
    if (!name && flagged && (!fnmatch("* hypervisor", flags, 0) || !fnmatch("* hypervisor *", flags, 0)))
        name = "yes";
    snprintf(buf, size, "%s", name ? name : "");
}

/* Reads PID 1's environment variable `container`, which lxc, systemd-nspawn and podman set. */
static bool container_from_environment(char *buf, size_t size)
{
    static const char key[] = "container=";
    char text[8192];
    ssize_t length = procfs_read("/proc/1/environ", text, sizeof text);
    for (ssize_t at = 0; at < length; at += (ssize_t)strlen(text + at) + 1) {
        if (starts_with(text + at, key)) {
            const char *value = text + at + sizeof key - 1;
            return procfs_copy(value, strlen(value), buf, size);
        }
    }
    return false;
}

static void read_container(struct machine *out)
{
    static const struct {
        const char *hint, *name;
    } hints[] = {
        {"kubepods", "kubernetes"},   {"/docker", "docker"},
        {"libpod", "podman"},         {"/lxc", "lxc"},
        {"containerd", "containerd"}, {"machine.slice/machine-", "systemd-nspawn"},
    };
    char *buf = out->container;
    size_t size = sizeof out->container;
    if (container_from_environment(buf, size) || !procfs_read_line("/run/systemd/container", buf, size))
        return;
    FREED char *groups = procfs_read_all("/proc/1/cgroup");
    const char *name = procfs_exists("/run/.containerenv") ? "podman" : procfs_exists("/.dockerenv") ? "docker" : "";
    for (size_t i = 0; groups && !name[0] && i < COUNT(hints); i++) {
        if (strstr(groups, hints[i].hint))
            name = hints[i].name;
    }
    snprintf(buf, size, "%s", name);
}

static uint64_t scaled(uint64_t value, uint64_t unit)
{
    return value > UINT64_MAX / unit ? UINT64_MAX : value * unit;
}

static uint64_t meminfo_bytes(const char *text, const char *key)
{
    int64_t kib = procfs_count(text, key);
    return kib > 0 ? scaled((uint64_t)kib, 1024) : 0;
}

void machine_read_memory(struct machine *out)
{
    struct sysinfo info;
    FREED char *text = procfs_read_all("/proc/meminfo");
    if (text) {
        out->memory_total_bytes = meminfo_bytes(text, "MemTotal");
        out->memory_available_bytes = meminfo_bytes(text, "MemAvailable");
        out->swap_total_bytes = meminfo_bytes(text, "SwapTotal");
        out->huge_page_bytes = meminfo_bytes(text, "Hugepagesize");
        out->huge_free_bytes = meminfo_bytes(text, "HugePages_Free") / 1024 * out->huge_page_bytes;
    } else if (!procfs_root[0] && sysinfo(&info) == 0) {
        out->memory_total_bytes = (uint64_t)info.totalram * info.mem_unit;
        out->memory_available_bytes = ((uint64_t)info.freeram + info.bufferram) * info.mem_unit;
        out->swap_total_bytes = (uint64_t)info.totalswap * info.mem_unit;
    }
}

uint64_t machine_memory_left(bool *of_group)
{
    const uint64_t group = cgroup_memory_available();
    struct machine machine = {0};

    machine_read_memory(&machine);
    *of_group = !machine.memory_available_bytes || group < machine.memory_available_bytes;
    return *of_group ? group : machine.memory_available_bytes;
}

struct cache {
    unsigned level;
    uint64_t bytes;
    struct cpuset shared;
};

/* "32K", "8192K" or "1M" in bytes; 0: no size. */
static uint64_t parse_size(const char *text)
{
    static const char units[] = "KMG";
    char *end;
    errno = 0;
    unsigned long long value = text[0] >= '0' && text[0] <= '9' ? strtoull(text, &end, 10) : 0;
    if (value == 0 || errno)
        return 0;
    const char *unit = *end ? strchr(units, *end) : NULL;
    return unit ? scaled(value, UINT64_C(1) << (10 * (unit - units + 1))) : *end ? 0 : value;
}

static bool read_cache(unsigned cpu, unsigned index, struct cache *out)
{
    static const char folder[] = CPU_FOLDER "/cpu%u/cache/index%u/%s";
    char text[32];
    uint64_t level;
    if (!procfs_read_u64(PROCFS_PATH(folder, cpu, index, "level"), &level) || level > 100)
        return false;
    READ_LINE(PROCFS_PATH(folder, cpu, index, "type"), text);
    /* Level 0, which callers ignore: it holds no data. */
    out->level = !strcmp(text, "Instruction") ? 0 : (unsigned)level;
    READ_LINE(PROCFS_PATH(folder, cpu, index, "size"), text);
    out->bytes = parse_size(text);
    if (!procfs_read_cpus(PROCFS_PATH(folder, cpu, index, "shared_cpu_list"), &out->shared))
        cpuset_clear(&out->shared);
    cpuset_add(&out->shared, cpu);
    return true;
}

/* The data cache of the highest level; level 0: none. */
static void read_last_cache(unsigned cpu, struct cache *last)
{
    struct cache cache;
    last->level = 0;
    for (unsigned index = 0; read_cache(cpu, index, &cache); index++)
        if (cache.level > last->level)
            *last = cache;
}

unsigned machine_last_cache(unsigned cpu, struct cpuset *shared)
{
    struct cache last;
    read_last_cache(cpu, &last);
    if (last.level > 0)
        *shared = last.shared;
    return last.level;
}

size_t machine_data_caches(unsigned cpu, uint64_t *bytes, size_t most)
{
    struct cache cache;
    size_t n = 0;

    for (size_t level = 0; level < most; level++)
        bytes[level] = 0;
    for (unsigned index = 0; read_cache(cpu, index, &cache); index++)
        if (cache.level > 0 && cache.level <= most) {
            bytes[cache.level - 1] = cache.bytes;
            n = cache.level > n ? cache.level : n;
        }
    return n;
}

static uint64_t sum_last_level_caches(const struct cpuset *online)
{
    struct cpuset counted;
    struct cache last;
    uint64_t sum = 0;
    cpuset_clear(&counted);
    for_each_cpu(cpu, online) {
        if (cpuset_has(&counted, cpu))
            continue;
        read_last_cache(cpu, &last);
        if (last.level == 0)
            continue;
        cpuset_union(&counted, &last.shared);
        sum = last.bytes > UINT64_MAX - sum ? UINT64_MAX : sum + last.bytes;
    }
    return sum;
}

void machine_read(struct machine *out)
{
    *out = (struct machine){0};
    FREED char *cpuinfo = procfs_read_all("/proc/cpuinfo");
    const char *known = cpuinfo ? cpuinfo : "";
    struct cgroup_quota quota;
    struct sysinfo info;
    char load[64], *end;
    uint64_t randomize;
    /* Without a mount, both may still exist as empty directories. */
    out->have_proc = procfs_exists("/proc/stat") || procfs_exists("/proc/self");
    out->have_sys = procfs_exists("/sys/devices");
    read_names(out);
    read_cpu_model(known, out);
    read_online(&out->online);
    out->cpus_online = cpuset_count(&out->online);
    read_hypervisor(known, out);
    read_container(out);
    machine_read_memory(out);
    out->memory_limit_bytes = cgroup_memory_limit();
    cgroup_quota_open(&quota);
    cgroup_quota_close(&quota);
    out->cpu_quota = quota.cpus;
    out->cache_llc_bytes = sum_last_level_caches(&out->online);
    READ_LINE("/proc/loadavg", load);
    const double load1 = strtod(load, &end);
    out->load1 = end > load && isfinite(load1) && load1 >= 0        ? load1
                 : load[0] || procfs_root[0] || sysinfo(&info) != 0 ? -1
                                                                    : (double)info.loads[0] / (1 << SI_LOAD_SHIFT);
    const unsigned first = cpuset_next(&out->online, 0);
    READ_LINE(CPU_PATH(first == CPUSET_NONE ? 0 : first, "cpufreq/scaling_governor"), out->governor);
    READ_LINE("/sys/devices/system/clocksource/clocksource0/current_clocksource", out->clocksource);
    const bool known_level = procfs_read_u64("/proc/sys/kernel/randomize_va_space", &randomize) && randomize <= INT_MAX;
    out->randomize_va_space = known_level ? (int)randomize : -1;
}

bool machine_core_cpus(unsigned cpu, struct cpuset *out)
{
    static const char *const files[] = {"core_cpus_list", "thread_siblings_list"};
    for (size_t i = 0; i < COUNT(files); i++) {
        const char *path = PROCFS_PATH(CPU_FOLDER "/cpu%u/topology/%s", cpu, files[i]);
        if (procfs_read_cpus(path, out) && cpuset_has(out, cpu))
            return true;
    }
    cpuset_clear(out);
    cpuset_add(out, cpu);
    return false;
}

unsigned machine_core_type(unsigned cpu)
{
    struct cpuset small = {0};
    uint64_t capacity;

    if (procfs_read_u64(CPU_PATH(cpu, "cpu_capacity"), &capacity))
        return (unsigned)capacity;
    return procfs_read_cpus("/sys/devices/cpu_atom/cpus", &small) && cpuset_has(&small, cpu);
}

struct place {
    unsigned round, core, cpu;
    bool boot_core;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->round != y->round)
        return ORDER_OF(x->round, y->round);
    if (x->boot_core != y->boot_core)
        return ORDER_OF(x->boot_core, y->boot_core);
    return ORDER_OF(x->core, y->core);
}

size_t machine_cpu_order(const struct cpuset *allowed, unsigned *order, size_t max)
{
    struct scratch {
        struct place places[CPUSET_MAX];
        unsigned taken[CPUSET_MAX]; /* by a core's lowest CPU: CPUs placed so far */
    };
    FREED struct scratch *s = calloc(1, sizeof *s);
    struct cpuset online, siblings;
    size_t count = 0, written = 0;
    if (!s)
        return 0;
    read_online(&online);
    const unsigned first = cpuset_next(&online, 0);
    for_each_cpu(cpu, allowed) {
        machine_core_cpus(cpu, &siblings);
        const unsigned core = cpuset_next(&siblings, 0); /* its lowest CPU identifies it */
        s->places[count++] = (struct place){.round = s->taken[core]++,
                                            .core = core,
                                            .cpu = cpu,
                                            .boot_core = cpuset_has(&siblings, first == CPUSET_NONE ? 0 : first)};
    }
    SORT(s->places, count, compare_places);
    for (; written < count && written < max; written++)
        order[written] = s->places[written].cpu;
    return written;
}

uint64_t machine_resident_bytes(void)
{
    char text[128];
    unsigned long long size, resident;
    long page = sysconf(_SC_PAGESIZE);

    if (page <= 0 || procfs_read("/proc/self/statm", text, sizeof text) <= 0 ||
        sscanf(text, "%llu %llu", &size, &resident) != 2)
        return 0;
    return (uint64_t)resident * (uint64_t)page;
}

int machine_hold_latency(void)
{
    const int32_t within_us = 0;
    int fd = open(PROCFS_PATH("%s/dev/cpu_dma_latency", procfs_root), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 && write(fd, &within_us, sizeof within_us) == sizeof within_us)
        return fd;
    int error = -errno;
    fd_close(&fd);
    return error;
}
