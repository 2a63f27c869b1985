/* SPDX-License-Identifier: MIT */
/* The CPUs that control groups leave a process, in made-up trees. Memory limits are in test_machine.c. */
#include "tree_fixture.h"

#include "sys/cgroup.h"

/* "?" when no group says. */
static void expect_cpus(const char *list)
{
    struct cpuset set;
    char text[64] = "?";

    if (cgroup_cpus(tree_root, &set))
        (void)cpuset_format(&set, text, sizeof(text));
    assert_string_equal(text, list);
}

static void expect_isolated(const char *list)
{
    struct cpuset set;
    char text[64];

    cgroup_isolated_cpus(tree_root, &set);
    (void)cpuset_format(&set, text, sizeof(text));
    assert_string_equal(text, list);
}

static void test_cgroup_cpus_of_version_2(void **state)
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

static void test_cgroup_cpus_of_version_1(void **state)
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

static void test_cgroup_cpus_without_proc(void **state)
{
    tree_put("/sys/fs/cgroup/cpuset/cpuset.cpus", "1\n");
    expect_cpus("1");
    tree_put("/sys/fs/cgroup/cpuset.cpus.effective", "2\n");
    expect_cpus("2");
}

static void test_cgroup_isolated_cpus(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TREE_TEST(test_cgroup_cpus_of_version_2),
        TREE_TEST(test_cgroup_cpus_of_version_1),
        TREE_TEST(test_cgroup_cpus_without_proc),
        TREE_TEST(test_cgroup_isolated_cpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
