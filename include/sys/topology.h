/* SPDX-License-Identifier: MIT */
/* Tells how close two CPUs are to each other (same core, cache, package, NUMA node), and makes pairs of close or
 * distant CPUs. Reads /sys below a directory root that is "" except in tests. */
#ifndef SYS_TOPOLOGY_H
#define SYS_TOPOLOGY_H

#include <stddef.h>

/* The closest resource that two CPUs share. */
enum cpu_relation {
    CPUS_SAME_CORE,    /* the same core: SMT siblings */
    CPUS_SAME_CACHE,   /* the last data cache, but not the core */
    CPUS_SAME_PACKAGE, /* the package (socket) and NUMA node; or the package, where nodes are not known */
    CPUS_SAME_NODE,    /* the NUMA node, but not the package; or packages differ, and nodes are not known */
    CPUS_OTHER_NODE,   /* nothing: they are on different NUMA nodes */
    CPUS_UNKNOWN,
    CPU_RELATIONS
};
extern const char *const cpu_relation_names[CPU_RELATIONS]; /* names for output: "same-core", ... "other-node",
                                                             * "unknown" */

#define PAIRS_ALL_CPUS 64u
enum cpu_pairing {
    PAIRS_NEXT, /* each CPU with the next in the order given, and the last with the first: as many pairs as CPUs */
    PAIRS_NEAR, /* each CPU in one pair, with the closest one that has no pair yet */
    PAIRS_FAR,  /* each CPU in one pair, with the most distant one of another package or node that has no pair yet; CPUs
                 * without such a partner are left out */
    PAIRS_ALL,  /* each CPU with each other one, the lower number first. Of more than PAIRS_ALL_CPUS CPUs only a sample:
                 * some CPUs, each with the next CPU of each relation */
    PAIRS_HALVES, /* in the order of CPU numbers: the first CPU of the first half with the first one of the second half,
                   * and so on */
};

struct cpu_pair {
    unsigned first, second;
    enum cpu_relation relation;
};
struct cpu_pairs {
    struct cpu_pair *pair;
    size_t n; /* number of pairs; 0: no two CPUs can be paired so */
};

/* Makes pairs of the n CPUs in order. Returns 0, or -1 when out of memory. The caller frees out with
 * topology_pairs_free(). */
int topology_pairs(const char *root, const unsigned *order, size_t n, enum cpu_pairing pairing, struct cpu_pairs *out);
void topology_pairs_free(struct cpu_pairs *pairs);

#endif
