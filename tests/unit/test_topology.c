/* SPDX-License-Identifier: MIT */
/* Pairs of CPUs and what they share, on made-up topologies. */
#include "tree_fixture.h"

#include "memory_fixture.h"

static void put_for_cpu(unsigned cpu, const char *name, const char *text)
{
    char path[96];

    (void)snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/%s", cpu, name);
    tree_put(path, text);
}

static void put_core(unsigned cpu, const char *siblings, const char *package)
{
    put_for_cpu(cpu, "topology/core_cpus_list", siblings);
    put_for_cpu(cpu, "topology/physical_package_id", package);
}

static void put_cache(unsigned cpu, const char *shared)
{
    put_for_cpu(cpu, "cache/index0/level", "3\n");
    put_for_cpu(cpu, "cache/index0/type", "Unified\n");
    put_for_cpu(cpu, "cache/index0/size", "8192K\n");
    put_for_cpu(cpu, "cache/index0/shared_cpu_list", shared);
}

static void put_nodes(const char *first, const char *second)
{
    tree_put("/sys/devices/system/node/online", "0-4\n");
    for (int i = 0; i < 5; i++) {
        char path[64];
        (void)snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", i);
        tree_put(path, i == 1 ? first : i == 3 ? second : "\n"); /* the others have memory only */
    }
}

/* CPUs 0-7: two packages, each with a cache and two cores of two siblings: 0-3 (0,1 and 2,3), 4-7. */
static void put_two_sockets(void)
{
    static const char *const siblings[] = {"0-1\n", "2-3\n", "4-5\n", "6-7\n"};

    for (unsigned cpu = 0; cpu < 8; cpu++) {
        put_core(cpu, siblings[cpu / 2], cpu < 4 ? "0\n" : "1\n");
        put_cache(cpu, cpu < 4 ? "0-3\n" : "4-7\n");
    }
}

/* Expects pairs as "FIRST-SECOND:RELATION", a blank between. */
static void assert_pairs(enum cpu_pairing pairing, const unsigned *order, size_t n, const char *expected)
{
    struct cpu_pairs pairs;
    char text[512] = "";

    assert_int_equal(topology_pairs(order, n, pairing, &pairs), 0);
    for (size_t i = 0; i < pairs.n; i++)
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u-%u:%s", i ? " " : "",
                       pairs.pair[i].first, pairs.pair[i].second, cpu_relation_names[pairs.pair[i].relation]);
    topology_pairs_free(&pairs);
    assert_string_equal(text, expected);
}
#define PAIRS(pairing, expected, ...) \
    assert_pairs(pairing, (const unsigned[]){__VA_ARGS__}, sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned), \
                 expected)

/* The order in which CPUs are used: one of each core before any sibling. */
#define EIGHT 2, 4, 6, 0, 3, 5, 7, 1

TREE_TEST(test_topology_near_pairs_are_siblings)
{
    put_two_sockets();
    put_nodes("0-3\n", "4-7\n");
    PAIRS(PAIRS_NEAR, "2-3:same-core 4-5:same-core 6-7:same-core 0-1:same-core", EIGHT);
    /* Without siblings, CPUs that share a cache are nearest; the last two are paired with what is left. */
    PAIRS(PAIRS_NEAR, "2-0:same-cache 4-6:same-cache", 2, 4, 6, 0);
    PAIRS(PAIRS_NEAR, "2-0:same-cache 4-1:other-node", 2, 4, 0, 1);
    PAIRS(PAIRS_NEAR, "2-0:same-cache", 2, 4, 0);
}

TREE_TEST(test_topology_far_pairs_are_of_two_nodes)
{
    put_two_sockets();
    put_nodes("0-3\n", "4-7\n");
    PAIRS(PAIRS_FAR, "2-4:other-node 6-0:other-node 3-5:other-node 7-1:other-node", EIGHT);
    /* CPUs without a far partner are left out. */
    PAIRS(PAIRS_FAR, "0-4:other-node", 0, 1, 2, 4);
    PAIRS(PAIRS_FAR, "", 0, 1, 2, 3);
}

TREE_TEST(test_topology_caches_within_a_package)
{
    for (unsigned cpu = 0; cpu < 4; cpu++) {
        put_core(cpu, (const char *const[]){"0\n", "1\n", "2\n", "3\n"}[cpu], "0\n");
        put_cache(cpu, cpu < 2 ? "0-1\n" : "2-3\n");
    }
    PAIRS(PAIRS_NEXT, "1-2:same-package 2-3:same-cache 3-0:same-package 0-1:same-cache", 1, 2, 3, 0);
    PAIRS(PAIRS_FAR, "", 1, 2, 3, 0);
}

TREE_TEST(test_topology_all_pairs_by_number)
{
    put_two_sockets();
    put_nodes("0-3\n", "4-7\n");
    PAIRS(PAIRS_ALL, "0-1:same-core 0-2:same-cache 0-4:other-node 1-2:same-cache 1-4:other-node 2-4:other-node", 2, 4,
          0, 1);
    PAIRS(PAIRS_ALL, "", 3);
}

/* Of 200 CPUs a sample: some CPUs with the next one of each relation, and not more pairs than 64 CPUs have. */
TREE_TEST(test_topology_all_pairs_of_many_cpus_are_a_sample)
{
    static unsigned order[200];
    struct cpu_pairs pairs;
    size_t of[CPU_RELATIONS] = {0};

    for (unsigned cpu = 0; cpu < 200; cpu++) {
        char siblings[16];
        order[cpu] = cpu;
        (void)snprintf(siblings, sizeof(siblings), "%u-%u\n", cpu / 2 * 2, cpu / 2 * 2 + 1);
        put_core(cpu, siblings, cpu < 100 ? "0\n" : "1\n");
    }
    assert_int_equal(topology_pairs(order, 200, PAIRS_ALL, &pairs), 0);
    assert_int_equal(pairs.n, 396);
    for (size_t i = 0; i < pairs.n; i++) {
        assert_true(pairs.pair[i].first < pairs.pair[i].second);
        of[pairs.pair[i].relation]++;
    }
    /* The last CPU of a package has none behind it in its package, and neither has its sibling but for the core. */
    /* Without nodes, CPUs of different packages are on the same node, as far as is known. */
    assert_true(of[CPUS_SAME_CORE] == 100 && of[CPUS_SAME_PACKAGE] == 196 && of[CPUS_SAME_NODE] == 100);
    topology_pairs_free(&pairs);
}

TREE_TEST(test_topology_single_cpu_has_no_pair)
{
    put_two_sockets();
    for (int pairing = PAIRS_NEXT; pairing <= PAIRS_HALVES; pairing++) {
        PAIRS((enum cpu_pairing)pairing, "", 5);
        assert_pairs((enum cpu_pairing)pairing, NULL, 0, "");
    }
}

TREE_TEST(test_topology_not_known)
{
    PAIRS(PAIRS_NEAR, "0-1:unknown 2-3:unknown", 0, 1, 2, 3);
    PAIRS(PAIRS_FAR, "", 0, 1, 2, 3);
    /* -1 is what some Arm kernels say; what is known of one CPU only counts for none. */
    put_core(0, "0\n", "-1\n");
    put_core(1, "1\n", "0\n");
    PAIRS(PAIRS_FAR, "", 0, 1);
    put_nodes("0\n", "9\n");
    PAIRS(PAIRS_NEAR, "0-1:unknown", 0, 1);
    PAIRS(PAIRS_NEAR, "1-0:unknown", 1, 0);
    put_cache(0, "0\n");
    PAIRS(PAIRS_NEAR, "0-1:unknown", 0, 1);
    PAIRS(PAIRS_NEAR, "1-0:unknown", 1, 0);
    put_nodes("0-1\n", "9\n");
    PAIRS(PAIRS_NEAR, "0-1:same-node", 0, 1);
    PAIRS(PAIRS_NEAR, "1-0:same-node", 1, 0);
}

static int pair_four(void)
{
    static const unsigned order[] = {0, 1, 2, 3};
    struct cpu_pairs pairs;
    int error = topology_pairs(order, 4, PAIRS_NEAR, &pairs);

    if (error)
        assert_true(pairs.n == 0 && !pairs.pair);
    topology_pairs_free(&pairs);
    assert_true(pairs.n == 0 && !pairs.pair);
    return error;
}

TREE_TEST(test_topology_frees_its_memory)
{
    assert_int_equal(memory_needed(pair_four), 2);
}
