/* SPDX-License-Identifier: MIT */
/* Names and CPU times of tasks, and names of the kernel's functions, from made-up trees. */
#include "fixture.h"
#include "tree_fixture.h"

#include "sys/trace.h"

#define FLAGS_USER   "4194560"
#define FLAGS_KERNEL "69238880" /* with PF_KTHREAD */

static void put_task(unsigned process, unsigned task, const char *name, unsigned parent, const char *flags,
                     const char *schedstat)
{
    char path[96], text[256];

    (void)snprintf(text, sizeof(text), "%u (%s) S %u 0 0 0 -1 %s 0 0\n", task, name, parent, flags);
    (void)snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", process, task);
    tree_put(path, text);
    (void)snprintf(path, sizeof(path), "/proc/%u/stat", task);
    tree_put(path, text);
    (void)snprintf(path, sizeof(path), "/proc/%u/schedstat", task);
    tree_put(path, schedstat);
}

TREE_TEST(test_tasks_names_and_kinds)
{
    struct tasks_one one;

    put_task(12, 12, "kworker/0:1-mm_percpu_wq", 2, FLAGS_KERNEL, "1 2 3\n");
    put_task(13, 13, "a) b (c", 5, FLAGS_USER, "18446744073709551615 2 3\n");
    put_task(14, 14, "a+b", 5, FLAGS_USER, "");
    put_task(16, 16, "kworker/R-rcu_gp", 2, FLAGS_KERNEL, "1 2 3\n");
    put_task(15, 15, "kworker/u8:2+events_unbound", 2, FLAGS_KERNEL, "1 2 3\n");
    assert_true(tasks_read(12, &one));
    assert_true(one.kernel && one.parent == 2 && one.tid == 12 && one.cpu_ns == 1);
    assert_string_equal(one.name, "kworker/0:1");
    assert_true(tasks_read(13, &one));
    assert_true(!one.kernel && one.parent == 5 && one.cpu_ns == UINT64_MAX);
    assert_string_equal(one.name, "a) b (c");
    assert_true(tasks_read(14, &one));
    assert_string_equal(one.name, "a+b");
    assert_int_equal(one.cpu_ns, 0);
    assert_true(tasks_read(15, &one));
    assert_string_equal(one.name, "kworker/u8:2");
    assert_true(tasks_read(16, &one));
    assert_string_equal(one.name, "kworker/R-rcu_gp");
    assert_false(tasks_read(18, &one));
    tree_put("/proc/17/stat", "17 (x) S\n");
    assert_false(tasks_read(17, &one));
}

TREE_TEST(test_tasks_functions_by_address)
{
    struct trace_function functions[] = {{0xffffffff81234560, ""}, {0x10, ""}, {0xffffffff81234570, ""}};

    tree_put("/proc/kallsyms", "0000000000000000 A hidden\n"
                               "ffffffff81234550 T before\n"
                               "ffffffff81234560 t vmstat_update\n"
                               "ffffffff81234560 t its_alias\n"
                               "ffffffff81234570 t a_function_whose_name_is_longer_than_there_is_room\t[module]\n"
                               "junk\n");
    trace_functions_name(functions, COUNT(functions));
    assert_string_equal(functions[0].name, "vmstat_update");
    assert_string_equal(functions[1].name, "");
    assert_string_equal(functions[2].name, "a_function_whose_name_is_longer");
}
