/* SPDX-License-Identifier: MIT */
/* Description and activity of the machine, read from made-up trees in a temporary directory; expected sums are worked
 * out by hand. */

#include "fixture.h"
#include "sys/machine.h"
#include "sys/process.h"

static char tree[64];
static struct machine machine;

static int make_tree(void **state)
{
    strcpy(tree, "/tmp/jitbench-machine-XXXXXX");
    return mkdtemp(tree) ? 0 : -1;
}

static int remove_tree(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", tree);
    return system(command);
}

static void put_bytes(const char *path, const void *bytes, size_t size)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", tree, path);
    for (char *slash = strchr(full + strlen(tree) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        assert_true(mkdir(full, 0700) == 0 || errno == EEXIST);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void put(const char *path, const char *text)
{
    put_bytes(path, text, strlen(text));
}

static void put_for_cpu(unsigned cpu, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/%s", cpu, name);
    put(path, text);
}

static struct cpuset set_of(const char *list)
{
    struct cpuset set;
    struct error why;
    cpuset_clear(&set);
    if (list[0])
        assert_int_equal(cpuset_parse(list, &set, &why), 0);
    return set;
}

static void assert_order(const char *allowed, const char *expected)
{
    const struct cpuset set = set_of(allowed);
    unsigned order[64];
    char text[256] = "";
    size_t count = BELOW(tree, machine_cpu_order(&set, order, 64)), length = 0;
    for (size_t i = 0; i < count; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, i ? " %u" : "%u", order[i]);
    assert_string_equal(text, expected);
}

/* --- files --- */

TEST_WITH(test_machine_tree_read_reads_and_cuts, make_tree, remove_tree)
{
    char buf[6];
    put("/a", "hello world");
    put("/empty", "");
    assert_int_equal(BELOW(tree, procfs_read("/a", buf, sizeof buf)), 5);
    assert_string_equal(buf, "hello");
    assert_int_equal(BELOW(tree, procfs_read("/empty", buf, sizeof buf)), 0);
    assert_string_equal(buf, "");
    assert_int_equal(BELOW(tree, procfs_read("/a", buf, 1)), 0);
    assert_string_equal(buf, "");
}

/* --- an SMT laptop: 4 cores, 8 threads, CPU n and n+4 are siblings --- */

static const char laptop_cpuinfo[] = "processor\t: 0\nmodel name\t: Made Up CPU @ 2.00GHz\ncpu MHz\t\t: 1800.123\n"
                                     "flags\t\t: fpu vme sse2\n\nprocessor\t: 1\ncpu MHz\t\t: 2400.5\n";

static void put_cache(unsigned cpu, unsigned index, const char *level, const char *type, const char *size,
                      const char *shared)
{
    const char *const names[] = {"level", "type", "size", "shared_cpu_list"};
    const char *const texts[] = {level, type, size, shared};
    for (int i = 0; i < 4; i++) {
        char name[64];
        snprintf(name, sizeof name, "cache/index%u/%s", index, names[i]);
        put_for_cpu(cpu, name, texts[i]);
    }
}

static void put_laptop(void)
{
    for (unsigned cpu = 0; cpu < 8; cpu++) {
        char siblings[16];
        snprintf(siblings, sizeof siblings, "%u,%u\n", cpu % 4, cpu % 4 + 4);
        put_for_cpu(cpu, "topology/thread_siblings_list", siblings);
        put_cache(cpu, 0, "1\n", "Data\n", "32K\n", siblings);
        put_cache(cpu, 1, "1\n", "Instruction\n", "32K\n", siblings);
        put_cache(cpu, 2, "2\n", "Unified\n", "256K\n", siblings);
        put_cache(cpu, 3, "3\n", "Unified\n", "8192K\n", "0-7\n");
    }
    put_for_cpu(0, "cpufreq/scaling_governor", "powersave\n");
    put_for_cpu(0, "cpufreq/scaling_cur_freq", "1799999\n");
    put_for_cpu(1, "cpufreq/scaling_cur_freq", "<unknown>\n");
    put("/sys/devices/system/cpu/online", "0-7\n");
    put("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
    put("/proc/cpuinfo", laptop_cpuinfo);
    put("/proc/stat", "cpu  1 2 3 4 5 6 7 8 0 0\n");
    put("/proc/meminfo", "MemTotal:       16000000 kB\nMemFree:  1 kB\nMemAvailable:    8000000 kB\nSwapTotal: 3 kB\n"
                         "HugePages_Total: 9\nHugePages_Free: 5\nHugepagesize:  2048 kB\n");
    put("/proc/loadavg", "0.75 0.50 0.25 1/234 5678\n");
    put("/proc/sys/kernel/randomize_va_space", "2\n");
    put("/proc/sys/kernel/osrelease", "6.1.0-test\n");
    put("/proc/sys/kernel/hostname", "laptop\n");
}

TEST_WITH(test_machine_reads_an_smt_laptop, make_tree, remove_tree)
{
    put_laptop();
    memset(&machine, 0xff, sizeof machine);
    BELOW(tree, machine_read(&machine));
    const struct cpuset all = set_of("0-7");
    assert_string_equal(machine.host, "laptop");
    assert_string_equal(machine.kernel, "6.1.0-test");
    assert_true(machine.arch[0] != '\0');
    assert_string_equal(machine.cpu_model, "Made Up CPU @ 2.00GHz");
    assert_true(machine.have_proc && machine.have_sys);
    assert_true(cpuset_equal(&machine.online, &all));
    assert_int_equal(machine.cpus_online, 8);
    assert_string_equal(machine.hypervisor, "");
    assert_string_equal(machine.container, "");
    assert_string_equal(machine.governor, "powersave");
    assert_string_equal(machine.clocksource, "tsc");
    assert_int_equal(machine.randomize_va_space, 2);
    assert_int_equal(machine.memory_total_bytes, 16384000000);
    assert_int_equal(machine.memory_available_bytes, 8192000000);
    assert_int_equal(machine.swap_total_bytes, 3072);
    assert_int_equal(machine.huge_page_bytes, 2 << 20);
    assert_int_equal(machine.huge_free_bytes, 10 << 20);
    assert_int_equal(machine.memory_limit_bytes, 0);
    assert_int_equal(machine.cache_llc_bytes, 8388608);
    assert_true(fabs(machine.load1 - 0.75) < 1e-9);
}

TEST_WITH(test_machine_cpu_order_takes_cores_first_and_boot_core_last, make_tree, remove_tree)
{
    put_laptop();
    assert_order("0-7", "1 2 3 0 5 6 7 4");
    assert_order("0-3", "1 2 3 0");
    /* CPU 4 shares the boot CPU's core. */
    assert_order("1,4,5", "1 4 5");
    assert_order("0,4", "0 4");
    assert_order("6", "6");
    assert_order("", "");
    const struct cpuset all = set_of("0-7");
    unsigned order[3] = {[2] = 99};
    assert_int_equal(BELOW(tree, machine_cpu_order(&all, order, 2)), 2);
    assert_true(order[0] == 1 && order[1] == 2 && order[2] == 99);
}

/* CPU 0 is offline, and the newer list of cores counts, not the older one. */
TEST_WITH(test_machine_describes_the_first_cpu_online, make_tree, remove_tree)
{
    struct cpuset core;

    put("/sys/devices/system/cpu/online", "2-3\n");
    for (unsigned cpu = 0; cpu < 4; cpu++)
        put_for_cpu(cpu, "cpufreq/scaling_governor", cpu == 2 ? "performance\n" : "powersave\n");
    put_for_cpu(3, "topology/core_cpus_list", "2-3\n");
    put_for_cpu(3, "topology/thread_siblings_list", "3\n");
    put("/sys/fs/cgroup/cpu.max", "150000 100000\n");
    put("/proc/loadavg", "-1 2 3\n");
    BELOW(tree, machine_read(&machine));
    assert_string_equal(machine.governor, "performance");
    assert_true(machine.cpu_quota == 1.5 && machine.load1 < 0 && machine.randomize_va_space == -1);
    assert_true(!machine.have_proc && machine.have_sys);
    assert_true(BELOW(tree, machine_core_cpus(3, &core)) && cpuset_count(&core) == 2);
    assert_true(!BELOW(tree, machine_core_cpus(2, &core)) && cpuset_count(&core) == 1 && cpuset_has(&core, 2));
}

TEST_WITH(test_machine_cpu_order_distrusts_sibling_lists, make_tree, remove_tree)
{
    put("/sys/devices/system/cpu/online", "0-2\n");
    put_for_cpu(0, "topology/core_cpus_list", "");
    put_for_cpu(1, "topology/core_cpus_list", "\x01\xff\xfe");
    put_for_cpu(2, "topology/core_cpus_list", "0-1\n"); /* is not in its own list */
    assert_order("0-2", "1 2 0");
}

TEST_WITH(test_machine_frequency, make_tree, remove_tree)
{
    put_laptop();
    assert_int_equal(BELOW(tree, machine_cpu_khz(0)), 1799999);
    assert_int_equal(BELOW(tree, machine_cpu_khz(1)), 2400500);
    assert_int_equal(BELOW(tree, machine_cpu_khz(2)), 0);
    put("/proc/cpuinfo", "processor : 2\ncpu MHz : nan\nprocessor : 3\ncpu MHz : -5\nprocessor: x\ncpu MHz: 5\n");
    assert_int_equal(BELOW(tree, machine_cpu_khz(2)), 0);
    assert_int_equal(BELOW(tree, machine_cpu_khz(3)), 0);
}

/* Of the CPUs, not of a disk, nor of a sensor that is broken. */
TEST_WITH(test_machine_temperature, make_tree, remove_tree)
{
    static const struct {
        const char *folder, *file, *kind, *value;
        double celsius;
    } steps[] = {
        {"class/hwmon/hwmon0", "name", "drivetemp\n", "99000\n", NAN},
        {"class/hwmon/hwmon4", "name", "temp\n", "99000\n", NAN},
        {"class/hwmon/hwmon1", "name", "k10temp\n", "-1\n", NAN},
        {"class/hwmon/hwmon2", "name", "k10temp\n", "41250\n", 41.25},
        {"class/hwmon/hwmon3", "name", "coretemp\n", "39000\n", 41.25},
        {"class/thermal/thermal_zone0", "type", "acpitz\n", "70000\n", 41.25},
        {"class/thermal/thermal_zone1", "type", "cpu-thermal\n", "55500\n", 55.5},
        {"class/thermal/thermal_zone2", "type", "x86_pkg_temp\n", "56000\n", 56},
        {"class/thermal/thermal_zone3", "type", "cpu1\n", "200000\n", 56},
        {"class/thermal/thermal_zone4", "type", "cpu2\n", "0\n", 56},
    };

    for (size_t i = 0; i < COUNT(steps); i++) {
        char path[128];
        snprintf(path, sizeof path, "/sys/%s/%s", steps[i].folder, steps[i].file);
        put(path, steps[i].kind);
        snprintf(path, sizeof path, "/sys/%s/%s", steps[i].folder,
                 strcmp(steps[i].file, "type") ? "temp1_input" : "temp");
        put(path, steps[i].value);
        const double celsius = BELOW(tree, machine_celsius());
        assert_true(isnan(steps[i].celsius) ? isnan(celsius) : fabs(celsius - steps[i].celsius) < 1e-9);
    }
}

/* --- trees that say little or nonsense --- */

TEST_WITH(test_machine_online_from_proc_stat, make_tree, remove_tree)
{
    put("/proc/stat", "cpu  1 1\ncpu0 1\ncpu3 1\ncpu8191 1\ncpu8192 1\ncpux 1\nintr 5\n");
    const struct cpuset expected = set_of("0,3,8191");
    BELOW(tree, machine_read(&machine));
    assert_int_equal(machine.cpus_online, 3);
    assert_true(cpuset_equal(&machine.online, &expected));
}

static void assert_model(const char *cpuinfo, const char *expected)
{
    put("/proc/cpuinfo", cpuinfo);
    BELOW(tree, machine_read(&machine));
    assert_string_equal(machine.cpu_model, expected);
}

TEST_WITH(test_machine_cpu_model_of_each_architecture, make_tree, remove_tree)
{
    assert_model("system type\t: x\ncpu model\t\t: MIPS 24Kc V7.4\n", "MIPS 24Kc V7.4");
    assert_model("Processor\t: ARMv7 rev 4\nprocessor\t: 0\n", "ARMv7 rev 4");
    assert_model("processor\t: 0\nHardware\t: BCM2835\n", "BCM2835");
    assert_model("processor\t: 0\nhart\t: 1\nuarch\t\t: sifive,u74\n", "sifive,u74");
    assert_model("processor\t: 0\ncpu\t\t: POWER9, altivec\n", "POWER9, altivec");
    assert_model("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", "implementer 0x41 part 0xd0c");
    assert_model("model name\t:\nHardware\t: X\n", "X");
}

/* --- caches --- */

TEST_WITH(test_machine_sums_each_last_level_cache_once, make_tree, remove_tree)
{
    put("/sys/devices/system/cpu/online", "0-2,4\n");
    put_cache(0, 0, "1", "Data", "32K", "0");
    put_cache(0, 1, "3", "Unified", "16M", "0-1");
    put_cache(1, 0, "3", "Unified", "16M", "0-1");
    /* For a core without level 3, level 2 is the last; without a list it belongs to one CPU. */
    put_cache(2, 0, "2", "Unified", "1024K", "");
    put_cache(2, 1, "5", "Instruction", "1G", "2");
    /* CPU 3, which shares it, is offline. */
    put_cache(4, 0, "3", "Unified", "4096", "3-4");
    BELOW(tree, machine_read(&machine));
    assert_int_equal(machine.cache_llc_bytes, 16777216 + 1048576 + 4096);
}

TEST_WITH(test_machine_cache_sizes_that_make_no_sense_count_nothing, make_tree, remove_tree)
{
    put("/sys/devices/system/cpu/online", "0-3\n");
    put_cache(0, 0, "3", "Unified", "", "0");
    put_cache(1, 0, "3", "Unified", "12X", "1");
    put_cache(2, 0, "3", "Unified", "-5K", "2");
    put_cache(3, 0, "3", "Unified", "99999999999999999999K", "3");
    BELOW(tree, machine_read(&machine));
    assert_int_equal(machine.cache_llc_bytes, 0);
}

/* --- hypervisor and container --- */

/* Each source in the order in which it counts less, and one before the others: all files stay. */
TEST_WITH(test_machine_hypervisor_from_each_source, make_tree, remove_tree)
{
    static const char vendor[] = "/sys/class/dmi/id/sys_vendor", product[] = "/sys/class/dmi/id/product_name",
                      compatible[] = "/proc/device-tree/hypervisor/compatible";
    static const struct {
        const char *file, *text, *name;
    } sources[] = {
        {"/proc/cpuinfo", "flags\t: fpu hypervisors\nbugs : hypervisor\n", ""},
        {"/proc/cpuinfo", "flags\t: fpu hypervisor lahf_lm\n", "yes"},
        {"/proc/cpuinfo", "flags\t: fpu hypervisor\n", "yes"},
        {product, "KVM\n", "kvm"},
        {product, "Virtual Machine\n", "yes"},
        {vendor, "QEMU\n", "qemu"},
        {vendor, "VMware, Inc.\n", "vmware"},
        {vendor, "innotek GmbH\n", "virtualbox"},
        {vendor, "Xen\n", "xen"},
        {vendor, "Parallels Software\n", "parallels"},
        {vendor, "BHYVE\n", "bhyve"},
        {vendor, "Microsoft Corporation\n", "hyperv"},
        {product, "Surface\n", "yes"},
        {compatible, "xen,xen-4.8\n", "xen"},
        {compatible, "other\n", "yes"},
        {compatible, "linux,kvm\n", "kvm"},
        {"/sys/hypervisor/type", "xen\n", "xen"},
    };

    for (size_t i = 0; i < COUNT(sources); i++) {
        put(sources[i].file, sources[i].text);
        BELOW(tree, machine_read(&machine));
        assert_string_equal(machine.hypervisor, sources[i].name);
    }
}

/* --- single numbers --- */

TEST_WITH(test_machine_cache_sizes, make_tree, remove_tree)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } sizes[] = {{"1", 1},
                 {"32K\n", 32768},
                 {"9M", 9437184},
                 {"2G", 2147483648},
                 {"17592186044415M", UINT64_MAX - 1048575},
                 {"17592186044416M", UINT64_MAX},
                 {"18446744073709551615", UINT64_MAX},
                 {"18446744073709551616", 0},
                 {"0K", 0},
                 {"1T", 0},
                 {"K", 0},
                 {"", 0}};
    uint64_t bytes[4];
    for (size_t i = 0; i < COUNT(sizes); i++) {
        put_cache(0, 0, "3", "Unified", sizes[i].text, "0");
        memset(bytes, 0xff, sizeof bytes);
        assert_int_equal(BELOW(tree, machine_data_caches(0, bytes, 3)), 3);
        assert_true(!bytes[0] && !bytes[1] && bytes[2] == sizes[i].bytes && bytes[3] == UINT64_MAX);
    }
}

/* Caches in any order, one of instructions, one of a higher level than there is room for, and one that is none. */
TEST_WITH(test_machine_caches_of_each_level, make_tree, remove_tree)
{
    uint64_t bytes[3];
    struct cpuset shared = set_of("9");
    assert_int_equal(BELOW(tree, machine_last_cache(0, &shared)), 0);
    assert_true(cpuset_has(&shared, 9));
    put_cache(0, 0, "2", "Unified", "2K", "0-1");
    put_cache(0, 1, "1", "Data", "1K", "0");
    put_cache(0, 2, "2", "Instruction", "7K", "0");
    put_cache(0, 3, "100", "Unified", "4K", "0-3");
    put_cache(0, 4, "101", "Unified", "5K", "0-7");
    put_cache(0, 5, "3", "Unified", "3K", "0-7");
    assert_int_equal(BELOW(tree, machine_data_caches(0, bytes, 3)), 2);
    assert_true(bytes[0] == 1024 && bytes[1] == 2048 && bytes[2] == 0);
    assert_int_equal(BELOW(tree, machine_last_cache(0, &shared)), 100);
    assert_int_equal(cpuset_count(&shared), 4);
}

/* A number for each kind of core: Arm's capacity, or 1 for Intel's small cores. */
TEST_WITH(test_machine_core_types, make_tree, remove_tree)
{
    assert_int_equal(BELOW(tree, machine_core_type(5)), 0);
    put("/sys/devices/cpu_atom/cpus", "4-7\n");
    assert_int_equal(BELOW(tree, machine_core_type(5)), 1);
    assert_int_equal(BELOW(tree, machine_core_type(3)), 0);
    put_for_cpu(5, "cpu_capacity", "446\n");
    assert_int_equal(BELOW(tree, machine_core_type(5)), 446);
}

TEST_WITH(test_machine_container_from_each_source, make_tree, remove_tree)
{
    static const char *const sources[][3] = {
        {"/proc/1/cgroup", "0::/init.scope\n", ""},
        {"/proc/1/cgroup", "1:cpu:/\n0::/kubepods/burstable/pod1\n", "kubernetes"},
        {"/proc/1/cgroup", "1:cpu:/docker/0\n", "docker"},
        {"/proc/1/cgroup", "0::/libpod-1\n", "podman"},
        {"/proc/1/cgroup", "0::/lxc/a\n", "lxc"},
        {"/proc/1/cgroup", "0::/machine.slice/machine-a\n", "systemd-nspawn"},
        {"/proc/1/cgroup", "0::/system.slice/containerd.service\n", "containerd"},
        {"/.dockerenv", "", "docker"},
        {"/run/.containerenv", "", "podman"},
        {"/run/systemd/container", "oci\n", "oci"},
    };

    for (size_t i = 0; i < COUNT(sources); i++) {
        put(sources[i][0], sources[i][1]);
        BELOW(tree, machine_read(&machine));
        assert_string_equal(machine.container, sources[i][2]);
    }
    put_bytes("/proc/1/environ", "A=b\0xcontainer=no\0container=lxc\0C=d", 35);
    BELOW(tree, machine_read(&machine));
    assert_string_equal(machine.container, "lxc");
}

/* --- memory that may be used --- */

static void assert_memory(uint64_t limit, uint64_t available)
{
    assert_int_equal(BELOW(tree, cgroup_memory_limit()), limit);
    assert_true(BELOW(tree, cgroup_memory_available()) == available);
}

TEST_WITH(test_machine_memory_of_version_2, make_tree, remove_tree)
{
    bool of_group;

    put("/proc/self/cgroup", "0::/user.slice/app\n");
    put("/proc/self/mountinfo", "22 1 0:21 / /proc rw - proc proc rw\n"
                                "35 23 0:30 / /cg rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
    assert_memory(0, UINT64_MAX);
    put("/cg/user.slice/app/memory.max", "max\n");
    put("/cg/user.slice/app/memory.current", "700000\n");
    put("/memory.max", "5\n"); /* above the mount point */
    put("/cg/user.slice/other/memory.max", "6\n");
    assert_memory(0, UINT64_MAX);
    /* The usage is not known: at most the limit. */
    put("/cg/user.slice/memory.max", "1000000\n");
    assert_memory(1000000, 1000000);
    put("/cg/user.slice/memory.current", "750000\n");
    assert_memory(1000000, 250000);
    /* Only the group whose limit it is counts, and not the key that ends alike. */
    put("/cg/user.slice/app/memory.stat", "inactive_file 7\n");
    put("/cg/user.slice/memory.stat",
        "anon 600000\nfile 150000\nworkingset_inactive_file 9\ninactive_file 100000\nactive_file 50000\n");
    assert_memory(1000000, 350000);
    /* A smaller limit is not always the nearer one. */
    put("/cg/user.slice/app/memory.max", "900000\n");
    assert_memory(900000, 200007);
    put("/cg/memory.max", "5000000\n");
    put("/cg/memory.current", "4900000\n");
    assert_memory(900000, 100000);
    BELOW(tree, machine_read(&machine));
    assert_int_equal(machine.memory_limit_bytes, 900000);
    /* The smaller of the group's and the machine's, whose is not known at first. */
    assert_true(BELOW(tree, machine_memory_left(&of_group)) == 100000 && of_group);
    put("/proc/meminfo", "MemAvailable: 98 kB\n");
    assert_true(BELOW(tree, machine_memory_left(&of_group)) == 100000 && of_group);
    put("/proc/meminfo", "MemAvailable: 97 kB\n");
    assert_true(BELOW(tree, machine_memory_left(&of_group)) == 97 * 1024 && !of_group);
}

TEST_WITH(test_machine_memory_of_version_1, make_tree, remove_tree)
{
    put("/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:hugetlb,memory:/box/app\n0::/\n");
    put("/proc/self/mountinfo", "34 31 0:31 / /c/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
                                "35 31 0:32 / /c/my\\040mem rw - cgroup cgroup rw,hugetlb,memory\n");
    /* The kernel writes this for 'no limit' with pages of 4 KiB. */
    put("/c/my mem/box/app/memory.limit_in_bytes", "9223372036854771712\n");
    put("/c/my mem/memory.limit_in_bytes", "9223372036854771712\n");
    assert_memory(0, UINT64_MAX);
    put("/c/my mem/box/memory.limit_in_bytes", "1000\n");
    put("/c/my mem/box/memory.usage_in_bytes", "400\n");
    assert_memory(1000, 600);
    /* The usage is that of all groups below, and so is the second of these. */
    put("/c/my mem/box/memory.stat", "inactive_file 10\ntotal_inactive_file 250\n");
    assert_memory(1000, 850);
}

TEST_WITH(test_machine_memory_available_is_never_negative, make_tree, remove_tree)
{
    put("/sys/fs/cgroup/memory.max", "1000\n");
    put("/sys/fs/cgroup/memory.current", "1000\n");
    assert_memory(1000, 0);
    put("/sys/fs/cgroup/memory.current", "2000\n");
    assert_memory(1000, 0);
    put("/sys/fs/cgroup/memory.stat", "inactive_file 3000\n");
    assert_memory(1000, 1000);
    put("/sys/fs/cgroup/memory.stat", "inactive_file\njunk\n\ninactive_file x\n");
    put("/sys/fs/cgroup/memory.current", "400\n");
    assert_memory(1000, 600);
}

/* --- counters --- */

static void put_counters(void)
{
    /* CPU 1 is offline. */
    put("/proc/interrupts", "           CPU0       CPU2       \n"
                            "  0:         10        200   IO-APIC   2-edge      timer\n"
                            " 24:          1          0   PCI-MSI 1 2 3\n"
                            "NMI:          3          4   Non-maskable interrupts\n"
                            "LOC:       1000       2000   Local timer interrupts\n"
                            "ERR:          7\n"
                            "MIS:          9\n");
    put("/proc/softirqs", "                    CPU0       CPU1       CPU2       \n"
                          "          HI:          1          2          3\n"
                          "       TIMER:         10         20         30\n");
    put("/proc/stat", "cpu  100 20 30 400 50 6 7 80 9 0\n"
                      "cpu0 50 10 15 200 25 3 4 30 5 0\n"
                      "cpu2 50 10 15 200 25 3 3 50 4 0\n"
                      "intr 5555 1 2 3\nctxt 6666\nbtime 1\nprocesses 777\nprocs_running 1\n");
}

TEST_WITH(test_machine_counters_do_not_overflow, make_tree, remove_tree)
{
    put("/proc/interrupts", "  CPU0\n 0: 99999999999999999999999 x\n 1: 9223372036854775807 x\n");
    put("/proc/stat", "cpu0 0 0 0 0 0 0 0 18446744073709551615 0 0\n");
    const struct cpuset cpus = set_of("0");
    struct machine_counters counters;
    BELOW(tree, machine_read_counters_of(&cpus, 1, &counters));
    assert_int_equal(counters.irqs, INT64_MAX);
    assert_int_equal(counters.steal_ns, INT64_MAX);
}

/* --- kinds of interrupts --- */

/* "irqs timer resched ipi device" of the CPUs, '-' for what is not known. */
static void assert_kinds(const char *list, const char *expected)
{
    const struct cpuset cpus = set_of(list);
    struct machine_counters c;
    char text[128] = "";
    BELOW(tree, machine_read_counters_of(&cpus, 1, &c));
    const int64_t counts[] = {c.irqs, c.timer, c.resched, c.ipi, c.device};
    for (size_t i = 0, n = 0; i < COUNT(counts); i++) {
        if (counts[i] < 0)
            n += (size_t)snprintf(text + n, sizeof text - n, i ? " -" : "-");
        else
            n += (size_t)snprintf(text + n, sizeof text - n, i ? " %lld" : "%lld", (long long)counts[i]);
    }
    assert_string_equal(text, expected);
}

TEST_WITH(test_machine_interrupts_of_x86, make_tree, remove_tree)
{
    put("/proc/interrupts", "            CPU0       CPU1       \n"
                            "   0:          9          0  IR-IO-APIC    2-edge      timer\n"
                            "   8:          1          0  IR-IO-APIC    8-edge      rtc0\n"
                            "  16:          0          4  IR-IO-APIC   16-fasteoi   i801_smbus, ehci_hcd:usb1\n"
                            " 120:         20         30  IR-PCI-MSIX-0000:04:00.0    1-edge      nvme0q1\n"
                            " 121:          7          0  IR-HPET-MSI    2-edge      hpet2\n"
                            " NMI:          2          2   Non-maskable interrupts\n"
                            " LOC:        100        200   Local timer interrupts\n"
                            " SPU:          0          0   Spurious interrupts\n"
                            " PMI:          2          2   Performance monitoring interrupts\n"
                            " IWI:          5          5   IRQ work interrupts\n"
                            " RES:         40         50   Rescheduling interrupts\n"
                            " CAL:         60         70   Function call interrupts\n"
                            " TLB:          3          4   TLB shootdowns\n"
                            " TRM:          1          0   Thermal event interrupts\n"
                            " THR:          0          1   Threshold APIC interrupts\n"
                            " MCP:         11         12   Machine check polls\n"
                            " ERR:          8\n"
                            " MIS:          8\n");
    assert_kinds("0", "261 116 40 63 21");
    assert_kinds("1", "380 200 50 74 34");
    assert_kinds("0-1", "641 316 90 137 55");
}

TEST_WITH(test_machine_interrupts_of_arm64, make_tree, remove_tree)
{
    /* CPU 1 is offline. */
    put("/proc/interrupts", "           CPU0       CPU2       \n"
                            " 10:          0          0     GICv3  25 Level     vgic\n"
                            " 11:       1000       2000     GICv3  30 Level     arch_timer\n"
                            " 12:          0          1     GICv3  27 Level     kvm guest vtimer\n"
                            " 25:         17          0     GICv3  65 Level     mmc0\n"
                            "IPI0:       300        400       Rescheduling interrupts\n"
                            "IPI1:        10         20       Function call interrupts\n"
                            "IPI2:         0          0       CPU stop interrupts\n"
                            "IPI3:         0          0       CPU stop (for crash dump) interrupts\n"
                            "IPI4:         5          6       Timer broadcast interrupts\n"
                            "IPI5:         7          8       IRQ work interrupts\n"
                            "IPI6:         0          0       CPU wake-up interrupts\n"
                            "Err:          3\n");
    assert_kinds("0", "1339 1005 300 17 17");
    assert_kinds("2", "2435 2007 400 28 0");
    assert_kinds("1", "- - - - -");
    assert_kinds("0-2", "3774 3012 700 45 17");
}

/* EXT, I/O, AIO and MSI are the sums of lines that follow. */
TEST_WITH(test_machine_interrupts_of_s390, make_tree, remove_tree)
{
    put("/proc/interrupts", "           CPU0       CPU1       \n"
                            "EXT:         45         54   \n"
                            "I/O:         11         22   \n"
                            "AIO:          8         10   \n"
                            "  1:          3          0   PCI-MSI  0-edge      mlx5_comp0\n"
                            "CLK:         20         24   [EXT] Clock Comparator\n"
                            "EXC:         10         12   [EXT] External Call\n"
                            "EMS:          5          6   [EXT] Emergency Signal\n"
                            "TMR:          2          3   [EXT] CPU Timer\n"
                            "SCP:          8          9   [EXT] Service Call\n"
                            "CIO:          1          2   [I/O] Common I/O Layer Interrupt\n"
                            "DAS:         10         20   [I/O] DASD\n"
                            "QAI:          5         10   [AIO] QDIO Adapter Interrupt\n"
                            "MSI:          3          0   [AIO] MSI Interrupt\n"
                            "NMI:          0          1   [NMI] Machine Check\n");
    assert_kinds("0", "64 22 - 15 19");
    assert_kinds("1", "87 27 - 18 32");
}

TEST(test_machine_interrupts_of_other_architectures)
{
    static const struct {
        const char *label, *text;
        enum interrupt_kind kind;
    } lines[] = {
        {"5", "RISC-V INTC   5 Edge      riscv-timer", INTERRUPT_TIMER},
        {"16", "XIVE-IPI   0 Edge      IPI-0", INTERRUPT_IPI},
        {"BCT", "Broadcast timer interrupts for timer event device", INTERRUPT_TIMER},
        {"DBL", "Doorbell interrupts", INTERRUPT_IPI},
        {"48", "xen-percpu    -virq      timer0", INTERRUPT_TIMER},
        {"49", "xen-percpu    -ipi       resched0", INTERRUPT_RESCHED},
        {"50", "xen-percpu    -ipi       callfunc0", INTERRUPT_IPI},
        {"60", "xen-dyn    -event     eth0-q0-tx", INTERRUPT_DEVICE},
        {"HYP", "Hypervisor callback interrupts", INTERRUPT_OTHER},
        {"HVS", "Hyper-V stimer0 interrupts", INTERRUPT_TIMER},
    };

    for (size_t i = 0; i < COUNT(lines); i++)
        if (interrupt_kind(lines[i].label, lines[i].text) != lines[i].kind)
            fail_msg("%s: %s", lines[i].label, lines[i].text);
}

/* --- counters of many sets --- */

TEST_WITH(test_machine_counters_of_sets, make_tree, remove_tree)
{
    put_counters();
    const struct cpuset sets[] = {set_of("2"), set_of(""),     set_of("0-2"), set_of("0-2"),
                                  set_of("1"), set_of("8191"), set_of("1"),   set_of("0")};
    const int64_t tick_ns = 1000000000 / sysconf(_SC_CLK_TCK);
    struct machine_counters counters[9], untouched;
    memset(counters, 0x55, sizeof counters);
    untouched = counters[8];
    BELOW(tree, machine_read_counters_of(sets, 8, counters));
    const int64_t irqs[] = {2204, -1, 3218, 3218, -1, -1, -1, 1014}, softirqs[] = {33, -1, 66, 66, 22, -1, 22, 11},
                  timer[] = {2200, -1, 3210, 3210, -1, -1, -1, 1010}, device[] = {0, -1, 1, 1, -1, -1, -1, 1},
                  steal[] = {50, -1, 80, 80, -1, -1, -1, 30};
    for (int i = 0; i < 8; i++) {
        assert_int_equal(counters[i].steal_ns, steal[i] < 0 ? -1 : steal[i] * tick_ns);
        assert_int_equal(counters[i].irqs, irqs[i]);
        assert_int_equal(counters[i].softirqs, softirqs[i]);
        assert_int_equal(counters[i].timer, timer[i]);
        assert_int_equal(counters[i].device, device[i]);
        assert_int_equal(counters[i].resched, -1);
    }
    assert_memory_equal(&counters[8], &untouched, sizeof untouched);
    BELOW(tree, machine_read_counters_of(sets, 0, counters));
}

/* --- one CPU, again and again --- */

static unsigned open_descriptors(void)
{
    unsigned n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

TEST_WITH(test_machine_watch_sees_what_changes, make_tree, remove_tree)
{
    const int64_t tick_ns = 1000000000 / sysconf(_SC_CLK_TCK);
    const unsigned before = open_descriptors();
    struct machine_counters c;
    put_counters();
    struct machine_watch *watch = BELOW(tree, machine_watch_open(2));
    assert_non_null(watch);
    for (int i = 0; i < 2; i++) {
        machine_watch_read(watch, &c);
        assert_int_equal(c.irqs, 2204);
        assert_int_equal(c.timer, 2200);
        assert_int_equal(c.device, 0);
        assert_int_equal(c.resched, -1);
        assert_int_equal(c.softirqs, 33);
        assert_int_equal(c.steal_ns, 50 * tick_ns);
    }
    /* CPU 1 came, and interrupts did. */
    put("/proc/interrupts", " CPU0 CPU1 CPU2\nLOC: 1 2 3000\nRES: 1 2 3\n");
    machine_watch_read(watch, &c);
    assert_int_equal(c.irqs, 3003);
    assert_int_equal(c.timer, 3000);
    assert_int_equal(c.resched, 3);
    assert_int_equal(c.device, -1);
    /* CPU 2 went. */
    put("/proc/interrupts", " CPU0 CPU1\nLOC: 1 2\n");
    put("/proc/stat", "cpu 1\ncpu0 1 1 1 1 1 1 1 1\n");
    machine_watch_read(watch, &c);
    assert_int_equal(c.irqs, -1);
    assert_int_equal(c.timer, -1);
    assert_int_equal(c.softirqs, 33);
    assert_int_equal(c.steal_ns, -1);
    machine_watch_close(watch);
    assert_int_equal(open_descriptors(), before);
}

TEST_WITH(test_machine_activity, make_tree, remove_tree)
{
    const int64_t tick_ns = 1000000000 / sysconf(_SC_CLK_TCK);
    struct machine_activity a;
    put_counters();
    BELOW(tree, machine_read_activity(&a));
    assert_int_equal(a.ctx_switches, 6666);
    assert_int_equal(a.interrupts, 5555);
    assert_int_equal(a.steal_ns, 80 * tick_ns);
    assert_int_equal(a.busy_ns, (100 + 20 + 30 + 6 + 7) * tick_ns);
    assert_int_equal(a.idle_ns, (400 + 50) * tick_ns);
}

/* --- 4096 CPUs --- */

TEST_WITH(test_machine_with_4096_cpus, make_tree, remove_tree)
{
    enum { CPUS = 4096, LINES = 3 };
    const size_t size = (size_t)CPUS * 12 * (LINES + 1) + 4096;
    char *text = malloc(size);
    size_t n = 0;
    assert_non_null(text);
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        n += (size_t)snprintf(text + n, size - n, " CPU%u", cpu);
    for (unsigned line = 0; line < LINES; line++) {
        n += (size_t)snprintf(text + n, size - n, "\n%3u:", line);
        for (unsigned cpu = 0; cpu < CPUS; cpu++)
            n += (size_t)snprintf(text + n, size - n, " %10u", cpu);
        n += (size_t)snprintf(text + n, size - n, " x");
    }
    put("/proc/interrupts", text);
    free(text);
    put("/sys/devices/system/cpu/online", "0-4095\n");
    BELOW(tree, machine_read(&machine));
    assert_int_equal(machine.cpus_online, 4096);
    const struct cpuset sets[] = {machine.online, set_of("4095")};
    struct machine_counters counters[2];
    BELOW(tree, machine_read_counters_of(sets, 2, counters));
    assert_int_equal(counters[0].irqs, 25159680); /* 3 * (0 + 1 + ... + 4095) */
    assert_int_equal(counters[1].irqs, 3 * 4095);
    static unsigned order[CPUS];
    assert_int_equal(BELOW(tree, machine_cpu_order(&machine.online, order, CPUS)), CPUS);
    assert_int_equal(order[0], 1);
    assert_int_equal(order[CPUS - 2], 4095);
    assert_int_equal(order[CPUS - 1], 0);
}

/* The kernel gets four bytes of zero; whoever holds the descriptor holds the latency. */
TEST_WITH(test_machine_holds_the_latency, make_tree, remove_tree)
{
    static char deep[PATH_MAX + 100];
    char bytes[8] = "";
    const int32_t zero = 0;

    assert_int_equal(BELOW(tree, machine_hold_latency()), -ENOENT);
    put("/dev/cpu_dma_latency", "");
    int fd = BELOW(tree, machine_hold_latency());
    assert_true(fd >= 0);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    assert_int_equal(close(fd), 0);
    memset(bytes, 'x', sizeof(bytes));
    assert_int_equal(BELOW(tree, procfs_read("/dev/cpu_dma_latency", bytes, sizeof(bytes))), sizeof(zero));
    assert_memory_equal(bytes, &zero, sizeof(zero));
    /* A root of which the path just does not fit, and one of which it is cut off to that of a file that is there. */
    memset(deep, '/', sizeof(deep) - 1);
    memcpy(deep, tree, strlen(tree));
    const size_t fits = PATH_MAX - sizeof("/dev/cpu_dma_latency");
    deep[fits] = 0;
    fd = BELOW(deep, machine_hold_latency());
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    deep[fits] = '/';
    deep[fits + 1] = 0;
    assert_int_equal(BELOW(deep, machine_hold_latency()), -ENAMETOOLONG);
}
