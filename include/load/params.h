/* SPDX-License-Identifier: MIT */
/* One struct for all loads: some (compile) consist of processes of several. */
#ifndef LOAD_PARAMS_H
#define LOAD_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/sim.h"
#include "load/list.h"

struct load_params {
    struct sim_params sim; /* First: a simulation used as a load reads this struct as a struct sim_params. Has the
                            * CPUs of all loads. */
    char dir[512];         /* scratch directory of write and read */
    uint64_t file_bytes;   /* of write and read */
    uint64_t threads;      /* of burn and ring */
    uint64_t groups;       /* of hack */
    uint64_t memory_bytes; /* of memload */
    bool memory_spare;     /* without swap: stop growing when memory runs short */
    bool nice_given;
    int nice;
};

/* place() of all loads: normal policy, the load's nice value, the CPUs of the measured task. */
void load_place(const void *params, const struct place_request *request, unsigned party, struct placement *placement);

#define LOAD(name_, title_)                                                                                            \
    .name = name_, .title = title_, .params_size = sizeof(struct load_params), .place = load_place

#endif
