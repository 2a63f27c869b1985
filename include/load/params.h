/* SPDX-License-Identifier: MIT */
/* The parameters of all loads: one struct, because some loads (compile) consist of processes of several others. */
#ifndef LOAD_PARAMS_H
#define LOAD_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/sim.h"
#include "load/list.h"

struct load_params {
    struct sim_params sim; /* first, because a simulation used as a load reads this struct as a struct sim_params; also
                            * says which CPUs all loads run on */
    char dir[512];         /* scratch directory of write and read */
    uint64_t file_bytes;   /* size of the file of write and read */
    uint64_t threads;      /* number of threads of burn and ring */
    uint64_t groups;       /* number of groups of hack */
    uint64_t memory_bytes; /* memory used by memload */
    bool memory_spare;     /* memload on a machine without swap: stop growing when memory runs short */
    bool nice_given;
    int nice;
};

/* Implements place() of all loads: normal policy, the load's nice value, the CPUs of the measured task. */
void load_place(const void *params, const struct place_request *request, unsigned party, struct placement *placement);

/* Initialises the members that the descriptors of all loads set. */
#define LOAD(name_, title_)                                                                                            \
    .name = name_, .title = title_, .params_size = sizeof(struct load_params), .place = load_place

#endif
