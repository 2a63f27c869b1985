/* SPDX-License-Identifier: MIT */
/* Tells how near two CPUs are to each other, and makes pairs of near or distant CPUs. Reads /sys below a root directory
 * that is "" except in tests. */
#ifndef SYS_TOPOLOGY_H
#define SYS_TOPOLOGY_H

#include <stddef.h>

/* The closest resource that two CPUs share. */
enum cpu_relation {
    CPUS_SAME_CORE,    /* SMT siblings */
    CPUS_SAME_CACHE,   /* the last data cache */
    CPUS_SAME_PACKAGE, /* package (socket) and NUMA node, or package where nodes are not known */
    CPUS_SAME_NODE,    /* NUMA node with several packages; or packages differ and nodes are not known */
    CPUS_OTHER_NODE,   /* on different NUMA nodes */
    CPUS_UNKNOWN,
    CPU_RELATIONS
};
extern const char *const cpu_relation_names[CPU_RELATIONS]; /* names of the relations: "same-core", ... "other-node",
                                                             * "unknown" */

#define PAIRS_ALL_CPUS 64u
enum cpu_pairing {
    PAIRS_NEXT, /* each CPU with the next in order, and the last with the first: as many pairs as CPUs */
    PAIRS_NEAR, /* each CPU in one pair, with the nearest remaining CPU */
    PAIRS_FAR,  /* each CPU in one pair, with the most distant remaining CPU of another package or node; CPUs without
                 * such a partner are left out */
    PAIRS_ALL,  /* each CPU with each other one, the lower number first; of more than PAIRS_ALL_CPUS CPUs only a sample:
                 * some CPUs, each with the next one of each relation */
    PAIRS_HALVES, /* by number: the first CPU of the first half with the first one of the second half, and so on */
};

struct cpu_pair {
    unsigned first, second;
    enum cpu_relation relation;
};
struct cpu_pairs {
    struct cpu_pair *pair;
    size_t n; /* number of pairs; 0: no such pair exists */
};

/* Pairs the n CPUs of order, in that order. Returns 0, or -1 when out of memory. The caller frees with
 * topology_pairs_free(). */
int topology_pairs(const char *root, const unsigned *order, size_t n, enum cpu_pairing pairing, struct cpu_pairs *out);
void topology_pairs_free(struct cpu_pairs *pairs);

#endif
