/* SPDX-License-Identifier: MIT */
/* The CPUs that control groups leave a process, in made-up trees. Memory limits are in test_machine.c. */
#include "tree_fixture.h"

#include "sys/machine.h"

/* "?" when no group says. */
static void expect_cpus(const char *list)
{
    struct cpuset set;
    char text[64] = "?";

    if (cgroup_cpus(&set))
        (void)cpuset_format(&set, text, sizeof(text));
    assert_string_equal(text, list);
}

static void expect_isolated(const char *list)
{
    struct cpuset set;
    char text[64];

    cgroup_isolated_cpus(&set);
    (void)cpuset_format(&set, text, sizeof(text));
    assert_string_equal(text, list);
}

TREE_TEST(test_cgroup_cpus_of_version_2)
{
    expect_cpus("?");
    tree_put("/proc/self/cgroup", "0::/user.slice/app\n");
    tree_put("/proc/self/mountinfo", "35 23 0:30 / /cg rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
    expect_cpus("?");
    tree_put("/cg/cpuset.cpus.effective", "0-7\n");
    expect_cpus("0-7");
    /* The nearest group with the controller says all. */
    tree_put("/cg/user.slice/cpuset.cpus.effective", "2-5\n");
    expect_cpus("2-5");
    tree_put("/cg/user.slice/other/cpuset.cpus.effective", "7\n");
    tree_put("/cpuset.cpus.effective", "6\n"); /* above the mount point */
    expect_cpus("2-5");
    tree_put("/cg/user.slice/app/cpuset.cpus.effective", "3\n");
    expect_cpus("3");
    tree_put("/cg/user.slice/app/cpuset.cpus.effective", "\n");
    expect_cpus("2-5");
}

TREE_TEST(test_cgroup_cpus_of_version_1)
{
    tree_put("/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:cpuset:/box\n0::/\n");
    tree_put("/proc/self/mountinfo", "34 31 0:31 / /c/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
                                     "35 31 0:32 / /c/set rw - cgroup cgroup rw,cpuset\n");
    tree_put("/c/cpu/cpuset.cpus", "7\n");
    tree_put("/c/cpu/x/cpuset.cpus", "7\n");
    expect_cpus("?");
    tree_put("/c/set/cpuset.cpus", "0-3\n");
    expect_cpus("0-3");
    tree_put("/c/set/box/cpuset.cpus", "0-5\n");
    expect_cpus("0-5");
    /* The effective value, where the kernel shows it. */
    tree_put("/c/set/box/cpuset.effective_cpus", "0-1\n");
    expect_cpus("0-1");
}

TREE_TEST(test_cgroup_cpus_without_proc)
{
    tree_put("/sys/fs/cgroup/cpuset/cpuset.cpus", "1\n");
    expect_cpus("1");
    tree_put("/sys/fs/cgroup/cpuset.cpus.effective", "2\n");
    expect_cpus("2");
}

/* Writes "0.5 CPUs, 9 periods, 1750000 ns". */
static void expect_quota(const char *expected)
{
    struct cgroup_throttled throttled;
    struct cgroup_quota quota;
    char text[80];

    cgroup_quota_open(&quota);
    int n = snprintf(text, sizeof(text), "%g CPUs", quota.cpus);
    if (cgroup_throttled(&quota, &throttled))
        (void)snprintf(text + n, sizeof(text) - (size_t)n, ", %lld periods, %lld ns", (long long)throttled.periods,
                       (long long)throttled.ns);
    cgroup_quota_close(&quota);
    assert_string_equal(text, expected);
}

TREE_TEST(test_cgroup_quotas)
{
    expect_quota("0 CPUs");
    tree_unpack("gaming"); /* version 2, with quotas at two levels: the smaller one holds, both stop tasks */
    expect_quota("0.5 CPUs, 9 periods, 1750000 ns");
    tree_put("/sys/fs/cgroup/user.slice/games.slice/cpu.stat", "usage_usec 1\n"); /* no counter */
    expect_quota("0.5 CPUs");
    tree_put("/sys/fs/cgroup/user.slice/games.slice/cpu.max", "max 100000\n");
    expect_quota("2.5 CPUs, 2 periods, 250000 ns");
    tree_put("/sys/fs/cgroup/user.slice/games.slice/one.scope/cpu.max", "50000 0\n");
    expect_quota("0 CPUs");
    tree_put("/sys/fs/cgroup/user.slice/games.slice/one.scope/cpu.max", "250000 100000\n");
    tree_put("/sys/fs/cgroup/user.slice/cpu.max", "400000 100000\n"); /* a larger one above it */
    expect_quota("2.5 CPUs, 2 periods, 250000 ns");
}

TREE_TEST(test_cgroup_quotas_of_version_1)
{
    tree_unpack("old");
    expect_quota("0.2 CPUs, 5 periods, 400000000 ns");
    /* Version 2 beside it, without the controller: nothing is added. */
    tree_put("/proc/self/cgroup", "3:cpuacct,cpu:/batch\n2:memory:/\n0::/x\n");
    tree_put("/sys/fs/cgroup/x/cpu.stat", "usage_usec 5\n");
    expect_quota("0.2 CPUs, 5 periods, 400000000 ns");
    tree_put("/sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_quota_us", "-1\n");
    expect_quota("0 CPUs");
    tree_put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "150000\n"); /* only of the group above */
    tree_put("/sys/fs/cgroup/cpu,cpuacct/cpu.stat", "nr_periods 3\nnr_throttled 2\nthrottled_time 70\n");
    expect_quota("1.5 CPUs, 2 periods, 70 ns");
}

/* The files of a group that is removed while they are open give nothing more. */
TREE_TEST(test_cgroup_quota_whose_file_vanishes)
{
    struct cgroup_throttled throttled;
    struct cgroup_quota quota;

    tree_unpack("old");
    cgroup_quota_open(&quota);
    assert_true(cgroup_throttled(&quota, &throttled));
    tree_put("/sys/fs/cgroup/cpu,cpuacct/batch/cpu.stat", "");
    assert_false(cgroup_throttled(&quota, &throttled));
    cgroup_quota_close(&quota);
    assert_false(cgroup_throttled(&quota, &throttled));
}

TREE_TEST(test_cgroup_isolated_cpus)
{
    tree_put("/proc/self/cgroup", "0::/a/b\n");
    expect_isolated("");
    tree_put("/sys/fs/cgroup/a/cpuset.cpus.effective", "4-7\n");
    tree_put("/sys/fs/cgroup/a/cpuset.cpus.partition", "member\n");
    expect_isolated("");
    tree_put("/sys/fs/cgroup/a/cpuset.cpus.partition", "root\n");
    expect_isolated("");
    tree_put("/sys/fs/cgroup/a/cpuset.cpus.partition", "isolated\n");
    expect_isolated("4-7");
    tree_put("/sys/fs/cgroup/a/cpuset.cpus.partition", "isolated invalid (Parent is not a partition root)\n");
    expect_isolated("");
    /* All partitions of the machine, from outside of them. */
    tree_put("/sys/fs/cgroup/cpuset.cpus.isolated", "2-3\n");
    expect_isolated("2-3");
    tree_put("/sys/fs/cgroup/cpuset.cpus.isolated", "\n");
    expect_isolated("");
}
