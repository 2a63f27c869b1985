/* SPDX-License-Identifier: MIT */
/* Memory nodes of a made-up machine, and memory on this one's node. */
#include "tree_fixture.h"

#include "sys/machine.h"

TREE_TEST(test_memory_nodes_lists)
{
    struct cpuset set;

    tree_put("/sys/devices/system/node/online", "0-2\n");
    tree_put("/sys/devices/system/node/has_memory", "0,2\n");
    tree_put("/sys/devices/system/node/node1/cpulist", "4-7\n");
    assert_true(procfs_read_cpus(NODE_FOLDER "/online", &set));
    assert_int_equal(cpuset_count(&set), 3);
    assert_true(procfs_read_cpus(NODE_FOLDER "/has_memory", &set));
    assert_true(cpuset_count(&set) == 2 && cpuset_has(&set, 2));
    assert_true(procfs_read_cpus(NODE_CPUS(1u), &set));
    assert_true(cpuset_count(&set) == 4 && cpuset_has(&set, 4));
    assert_false(procfs_read_cpus(NODE_CPUS(2u), &set));
    assert_false(BELOW("/nowhere", procfs_read_cpus(NODE_FOLDER "/online", &set)));
}

TEST(test_memory_nodes_bind_and_count)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = 64 * page;
    struct cpuset nodes;
    unsigned there = 0;

    if (!procfs_read_cpus(NODE_FOLDER "/has_memory", &nodes))
        skip_because("the kernel lists no memory nodes");
    const unsigned node = cpuset_next(&nodes, 0);
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    assert_int_equal(memory_node_bind(memory, bytes, node), 0);
    /* Pages that were not touched are nowhere. */
    assert_int_equal(memory_node_count(memory, bytes, node, 16, &there), 16);
    assert_int_equal(there, 0);
    memset(memory, 1, bytes);
    assert_int_equal(memory_node_count(memory, bytes, node, 1000, &there), 64);
    assert_int_equal(there, 64);
    assert_int_equal(memory_node_count(memory, bytes, node + 1, 16, &there), 16);
    assert_int_equal(there, 0);
    assert_true(memory_node_bind(memory, bytes, 5000) < 0);
    assert_true(memory_node_bind(memory, bytes, 1023) < 0);
    assert_int_equal(munmap(memory, bytes), 0);
}
