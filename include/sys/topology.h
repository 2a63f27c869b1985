/* SPDX-License-Identifier: MIT */
/* How close two CPUs are, and pairs of close or distant CPUs. Reads /sys below a directory root that is "" except in
 * tests. */
#ifndef SYS_TOPOLOGY_H
#define SYS_TOPOLOGY_H

#include <stddef.h>

/* The closest resource that two CPUs share. */
enum cpu_relation {
    CPUS_SAME_CORE,    /* SMT siblings */
    CPUS_SAME_CACHE,   /* the last data cache, but not the core */
    CPUS_SAME_PACKAGE, /* the package (socket) and NUMA node; or the package, where nodes are not known */
    CPUS_SAME_NODE,    /* the NUMA node, but not the package; or packages differ, and nodes are not known */
    CPUS_OTHER_NODE,
    CPUS_UNKNOWN,
    CPU_RELATIONS
};
extern const char *const cpu_relation_names[CPU_RELATIONS]; /* "same-core", ... "other-node", "unknown" */

#define PAIRS_ALL_CPUS 64u
enum cpu_pairing {
    PAIRS_NEXT,   /* each CPU with the next in the order given, the last with the first */
    PAIRS_NEAR,   /* each CPU in one pair, with the closest one that has no pair yet */
    PAIRS_FAR,    /* each CPU in one pair, with the most distant one of another package or node that has none yet;
                   * others are left out */
    PAIRS_ALL,    /* each CPU with each other one, lower number first; of more than PAIRS_ALL_CPUS CPUs a sample, each
                   * with the next CPU of each relation */
    PAIRS_HALVES, /* the first CPU of the lower half by number with the first of the upper half, and so on */
};

struct cpu_pair {
    unsigned first, second;
    enum cpu_relation relation;
};
struct cpu_pairs {
    struct cpu_pair *pair;
    size_t n; /* 0: no two CPUs can be paired so */
};

/* Pairs the n CPUs in order. Returns 0, or -1 when out of memory. The caller calls topology_pairs_free(). */
int topology_pairs(const char *root, const unsigned *order, size_t n, enum cpu_pairing pairing, struct cpu_pairs *out);
void topology_pairs_free(struct cpu_pairs *pairs);

#endif
